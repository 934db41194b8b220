/* One trace analysed: a session feeds events through the replay into the analyses of the table in
 * analysis.c, each in a file of its own, and asks them for JSON, metric rows and report sections.
 *
 *   struct session *s = session_new(&opts);
 *   for each event ev: if (!session_event(s, ev)) break;
 *   session_finish(s, ...);  then session_json(), session_doc(), session_metrics()
 */
#ifndef PELTIER_ANALYSIS_ANALYSIS_H
#define PELTIER_ANALYSIS_ANALYSIS_H

#include "analysis/timeline.h"
#include "base/err.h"
#include "event/trace.h"
#include "metric/metric.h"
#include "replay/replay.h"
#include "report/doc.h"
#include "report/json.h"
#include "signal/platform.h"
#include "signal/run.h"

struct source;

/* Where a window begins or ends. */
enum edge_kind {
	EDGE_NONE,     /* with the trace */
	EDGE_RELATIVE, /* ns from the first event */
	EDGE_ABSOLUTE, /* ns of the trace clock */
	EDGE_MARKER,   /* at the first marker that contains text */
};

struct edge {
	enum edge_kind kind;
	int64_t ns;
	const char *text;
};

enum { HALF_LIVES_MAX = 4, WALT_WINDOWS_MAX = 4 };

struct session_opts {
	const struct trace_info *trace;
	const struct platform *platform; /* or NULL */
	const struct run *run;           /* what a run file tells, or NULL */
	const char *no_run;              /* why the one that is there is not used; or NULL */
	struct edge from, to;
	unsigned top;        /* rows of a list in the report; JSON has all tasks */
	const char *task;    /* only tasks with this pid or name; NULL: all */
	const char *process; /* only tasks of the process with this pid or name; NULL: all */
	const char *cpus;    /* only these CPUs ("0-3,7"); NULL: all. Checked by cpu_list_has() */
	unsigned half_lives[HALF_LIVES_MAX]; /* of PELT, periods of 1.05 ms, for rebuilt util */
	unsigned n_half_lives;
	unsigned walt_windows_ms[WALT_WINDOWS_MAX]; /* for rebuilt demand, 1 to 1000 each */
	unsigned n_walt_windows;
	double refresh_hz;  /* of the panel; 0: not given */
	const char *frames; /* timeline, markers, or a definition of frame/user.h; NULL: the best
	                       that there is */
	bool frame_rows;    /* keep rows of FrameTimeline, for session_list_frame_rows() and the
	                       profile `perfetto` in JSON */
	const char *jank; /* rules of jank, the first one is in force ("ft_app,bad16"); NULL: by the
	                     source of the frames */
	/* The types of events seen so far, by their index; NULL: none is asked for. */
	const struct event_type *(*types)(const struct source *of, unsigned *n);
	const struct source *types_of;
	double rest_ms; /* so long asleep separates bursts of a task; 0: 100 */
	double hz;      /* rebuilt util as with so many ticks a second; 0: live values */
	bool filters;   /* task, process or cpus is set */
	struct timeline_opts timeline;
};

struct session;

struct session *session_new(const struct session_opts *o);
void session_free(struct session *s);
/* Whether the fields of such events are read by a session. */
bool session_wants(enum event_kind k);
/* False when the window is over; the rest of the trace need not be read. */
bool session_event(struct session *s, const struct event *ev);
/* After the last event. False with the error set when there was no event, or when a marker, task,
 * process or CPU that the options name is not in the trace. The pointers must outlive the session.
 */
bool session_finish(struct session *s, const struct trace_quality *q,
                    const struct event_type *types, unsigned n_types, struct err *e);
/* Unknown time of the CPUs with data, percent of the window; 0 without CPUs. */
double session_unknown_pct(const struct session *s);

/* After session_finish(): whether capacities and top clocks of all CPUs are known. */
bool context_knows_speed(const struct session *s);
/* One object of schema peltier/analysis/1. */
void session_json(struct session *s, struct json *j);
void session_doc(struct session *s, struct doc *d);
/* The first page of that: what matters most, at most 60 lines. */
void session_page(struct session *s, struct doc *d);
/* TSV: pid, process, token, definition of the duration, start, end, duration (ns), janky (-1: not
 * known) of every frame with a duration, and its parts. */
void session_frame_list(struct session *s, FILE *out);
/* A table of the frames of the process with most: where the time of each went, ms. */
void session_why(struct session *s, struct doc *d);
/* TSV: which processes have frames, by what source, how many. */
void session_list_frames(struct session *s, FILE *out);
/* TSV: rows of FrameTimeline as trace_processor has them. */
void session_list_frame_rows(struct session *s, FILE *out);
/* TSV: buffer, cpu, event, count, first, last. */
void session_list_events(struct session *s, FILE *out);

/* ---- for the analyses ---- */

struct context {
	struct session_opts opts;
	struct replay *replay;
	const struct trace_quality *quality;
	const struct event_type *types;
	unsigned n_types;
	int64_t start, end;   /* first and last event */
	int64_t from, to;     /* the window */
	bool has_switch;      /* a sched_switch was seen: who ran is known at all */
	uint64_t main_frames; /* of the process with most, once the window is over */
	bool has_frames;      /* once the window is over: the page is about those of a process */
	bool window_open;
};

static inline int64_t window_ns(const struct context *c)
{
	return c->to - c->from;
}

struct analysis {
	const char *name, *question;
	size_t size;               /* of its state, whose first member is `struct context *ctx` */
	bool any_clock;            /* works without a clock that measures time */
	void (*begin)(void *self); /* the window begins: forget what was added up so far */
	void (*end)(void *self);   /* the window is over, ctx->to is known */
	void (*json)(void *self, struct json *j);                            /* keys of the whole */
	void (*json_cpu)(void *self, uint32_t cpu, struct json *j);          /* keys of a CPU */
	void (*json_task)(void *self, const struct task *t, struct json *j); /* keys of a task */
	void (*measure)(void *self, struct metric_rows *m);
	void (*show)(void *self, struct doc *d);
	void (*page)(void *self, struct doc *d);     /* a few lines for the first page */
	void (*page_end)(void *self, struct doc *d); /* and behind those of all others */
	void (*free)(void *self);
};

/* Rows of a table on the first page. */
static inline size_t page_rows(const struct context *c)
{
	return c->opts.top < 5 ? c->opts.top : 5;
}

/* THE list of analyses: the order is that of the report and of the keys in JSON. */
#define ANALYSES(X, ...)                                                                           \
	X(quality, __VA_ARGS__)                                                                    \
	X(run, __VA_ARGS__)                                                                        \
	X(frames, __VA_ARGS__)                                                                     \
	X(events, __VA_ARGS__)                                                                     \
	X(cpu, __VA_ARGS__)                                                                        \
	X(freq, __VA_ARGS__)                                                                       \
	X(idle, __VA_ARGS__)                                                                       \
	X(task, __VA_ARGS__)                                                                       \
	X(speed, __VA_ARGS__)                                                                      \
	X(request, __VA_ARGS__)                                                                    \
	X(burst, __VA_ARGS__)                                                                      \
	X(latency, __VA_ARGS__)                                                                    \
	X(migration, __VA_ARGS__)                                                                  \
	X(energy, __VA_ARGS__)                                                                     \
	X(signals, __VA_ARGS__)                                                                    \
	X(util, __VA_ARGS__)                                                                       \
	X(demand, __VA_ARGS__)                                                                     \
	X(timeline, __VA_ARGS__)

/* Which facts they hear: for each pair there is a function ANALYSIS_hears_FACT(self, fact) in the
 * file of the analysis. Known at compile time, so that link-time optimisation can put all hearers
 * of a fact into one function. */
#define HEARERS(X, ...)                                                                            \
	X(quality, gap, __VA_ARGS__)                                                               \
	X(quality, gap_over, __VA_ARGS__)                                                          \
	X(quality, inferred, __VA_ARGS__)                                                          \
	X(frames, event, __VA_ARGS__)                                                              \
	X(frames, suspended, __VA_ARGS__)                                                          \
	X(frames, gap, __VA_ARGS__)                                                                \
	X(frames, cpu_seg, __VA_ARGS__)                                                            \
	X(frames, woke, __VA_ARGS__)                                                               \
	X(frames, task_seg, __VA_ARGS__)                                                           \
	X(quality, suspended, __VA_ARGS__)                                                         \
	X(events, event, __VA_ARGS__)                                                              \
	X(cpu, cpu_seg, __VA_ARGS__)                                                               \
	X(cpu, cpu_times, __VA_ARGS__)                                                             \
	X(freq, cpu_seg, __VA_ARGS__)                                                              \
	X(freq, freq_change, __VA_ARGS__)                                                          \
	X(freq, limits_change, __VA_ARGS__)                                                        \
	X(idle, cpu_seg, __VA_ARGS__)                                                              \
	X(idle, idle_change, __VA_ARGS__)                                                          \
	X(task, task_seg, __VA_ARGS__)                                                             \
	X(task, switch_in, __VA_ARGS__)                                                            \
	X(task, woke, __VA_ARGS__)                                                                 \
	X(task, io_wait, __VA_ARGS__)                                                              \
	X(speed, cpu_seg, __VA_ARGS__)                                                             \
	X(request, cpu_seg, __VA_ARGS__)                                                           \
	X(request, task_seg, __VA_ARGS__)                                                          \
	X(request, migrated, __VA_ARGS__)                                                          \
	X(request, woke, __VA_ARGS__)                                                              \
	X(request, irq_change, __VA_ARGS__)                                                        \
	X(request, io_wait, __VA_ARGS__)                                                           \
	X(request, kernel_util, __VA_ARGS__)                                                       \
	X(request, freq_change, __VA_ARGS__)                                                       \
	X(burst, cpu_seg, __VA_ARGS__)                                                             \
	X(burst, task_seg, __VA_ARGS__)                                                            \
	X(burst, switch_in, __VA_ARGS__)                                                           \
	X(latency, cpu_seg, __VA_ARGS__)                                                           \
	X(latency, task_seg, __VA_ARGS__)                                                          \
	X(latency, switch_in, __VA_ARGS__)                                                         \
	X(latency, woke, __VA_ARGS__)                                                              \
	X(latency, migrated, __VA_ARGS__)                                                          \
	X(migration, migrated, __VA_ARGS__)                                                        \
	X(energy, idle_change, __VA_ARGS__)                                                        \
	X(energy, rail, __VA_ARGS__)                                                               \
	X(signals, cpu_seg, __VA_ARGS__)                                                           \
	X(signals, irq_change, __VA_ARGS__)                                                        \
	X(signals, kernel_util, __VA_ARGS__)                                                       \
	X(util, cpu_seg, __VA_ARGS__)                                                              \
	X(util, task_seg, __VA_ARGS__)                                                             \
	X(util, migrated, __VA_ARGS__)                                                             \
	X(util, woke, __VA_ARGS__)                                                                 \
	X(util, irq_change, __VA_ARGS__)                                                           \
	X(util, kernel_util, __VA_ARGS__)                                                          \
	X(demand, cpu_seg, __VA_ARGS__)                                                            \
	X(demand, task_seg, __VA_ARGS__)                                                           \
	X(timeline, event, __VA_ARGS__)                                                            \
	X(timeline, cpu_seg, __VA_ARGS__)                                                          \
	X(timeline, task_seg, __VA_ARGS__)                                                         \
	X(timeline, migrated, __VA_ARGS__)                                                         \
	X(timeline, woke, __VA_ARGS__)                                                             \
	X(timeline, irq_change, __VA_ARGS__)                                                       \
	X(timeline, freq_change, __VA_ARGS__)                                                      \
	X(timeline, idle_change, __VA_ARGS__)                                                      \
	X(timeline, kernel_util, __VA_ARGS__)

#define DECLARE(a, ...) extern const struct analysis analysis_##a;
ANALYSES(DECLARE, )
#undef DECLARE
#define DECLARE(a, f, ...) void a##_hears_##f(void *self, const struct f *fact);
HEARERS(DECLARE, )
#undef DECLARE

/* The table, NULL-terminated. */
extern const struct analysis *const analyses[];

/* The state of one analysis of the table. */
void *session_state(const struct session *s, const struct analysis *a);
/* JSON of all CPUs and tasks is put together from the analyses by the session. */
void session_json_cpu(struct context *c, uint32_t cpu, struct json *j);
void session_json_task(struct context *c, const struct task *t, struct json *j);

/* Whether the options select the task or CPU. */
bool context_has_task(const struct context *c, const struct task *t);
/* Whether that names the task: its pid, or its name as far as the kernel keeps it. */
bool context_task_is(const struct task *t, const char *name);
bool context_has_cpu(const struct context *c, uint32_t cpu);
/* Capacity of a CPU by the platform file, else by the trace; 0: neither tells. */
int32_t context_capacity(const struct context *c, uint32_t cpu);
/* "0-3,6": the CPUs of that capacity. */
void context_cpus_of(const struct context *c, int32_t capacity, char *out, size_t room);
/* Whether that of every CPU is known. */
bool context_has_capacities(const struct context *c);
/* Highest clock that the platform, else the trace tells; 0: neither does. */
int64_t context_top_khz(const struct context *c, uint32_t cpu);
/* Kernel release by the trace, else by the run file, else by the platform file; NULL: none tells.
 */
const char *context_kernel(const struct context *c);
/* Whether a list such as "0-3,7" has the CPU; -1 when it is not such a list. */
int cpu_list_has(const char *list, uint32_t cpu);
/* Rows of a table of tasks: largest mean first, then by id. */
struct task_row {
	const struct task *task;
	uint64_t n;
	double mean;
};
void task_rows_sort(struct task_row *rows, size_t n);
/* "name-pid" of a task, escaped for text. */
const char *task_label(const struct task *t, char out[80]);
/* Unknown time of the CPUs that wrote events, percent of the window; from the cpu analysis. */
double cpu_unknown_pct(const struct context *c);
/* ns of the window in that state, from the cpu analysis. */
int64_t cpu_ns(const struct context *c, uint32_t cpu, enum cpu_state state);
/* From the freq analysis: the i-th clock that a CPU had in the window, ascending; false behind the
 * last. Then time without a known clock. */
struct freq_step {
	int64_t khz, total_ns, busy_ns;
};
bool freq_step_at(const struct context *c, uint32_t cpu, size_t i, struct freq_step *out);
int64_t freq_unknown_busy_ns(const struct context *c, uint32_t cpu);
/* From the signals analysis: half-life of the kernel in periods, as measured; 0: not known. */
unsigned signals_half_life(const struct context *c);
/* Whether time in interrupts is in the clock of tasks, by what was seen so far of the kernel's own
 * values; without any: false, as distributions and Android configure it. */
bool signals_irq_in_clock(const struct context *c);
/* From the frames analysis. */
bool frames_wants(enum event_kind k);
/* From the idle analysis: ns of the window in an idle state, or IDLE_UNKNOWN. */
int64_t idle_ns(const struct context *c, uint32_t cpu, int32_t state);
/* Why there are no scheduling numbers, or NULL when there are. */
const char *context_no_sched(const struct context *c);

#endif
