/* A closed-loop scheduler simulator that writes traces with known answers. See README.md.
 *
 * The model (model.c) makes events and, on the way, the ledger: what an analysis of them must find.
 * It shares no arithmetic with lib/: its signals (load.c) are floating closed forms. */
#ifndef PELTIER_TESTS_SIM_H
#define PELTIER_TESTS_SIM_H

#include "base/err.h"
#include "base/mem.h"
#include "signal/platform.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SIM_CPUS_MAX = 64, SIM_STEPS_MAX = 32, SIM_NAME = 16, SIM_CHANNELS_MAX = 64 };

/* ---- scenario ---- */

enum step_kind {
	STEP_RUN,    /* work: us of the largest CPU at its top; spread: sigma of its logarithm */
	STEP_SLEEP,  /* us */
	STEP_PERIOD, /* sleep until the next multiple of us */
	STEP_WAIT,   /* until somebody posts to the channel */
	STEP_POST,   /* to the channel */
	STEP_MARK,   /* a line into the trace; %n is the token of the frame, or the round */
	STEP_FRAME, /* begin: a frame of the post that was waited for last; end: the oldest is ready
	             */
	STEP_EXIT,  /* the task ends */
	STEP_GPU,   /* us of work for the GPU, which then posts to the channel; begin: and ends the
	             * oldest frame */
	STEP_FENCE, /* begin: what follows waits for the GPU; else: it did */
	STEP_RENAME, /* itself: text */
	STEP_SEND,   /* a binder transaction, or the reply to it, by the channel that is posted next
	              */
	STEP_RECEIVE, /* it, by the channel that was waited for */
};

struct step {
	enum step_kind kind;
	double us, spread;
	bool begin; /* of a frame */
	bool reply; /* to a transaction */
	int channel;
	const char *text;
};

struct task_spec {
	char name[SIM_NAME];
	int pid, tgid, prio;
	double start_ms; /* forked then */
	uint64_t cpus;   /* bit per CPU it may use */
	struct step steps[SIM_STEPS_MAX];
	int n_steps;
};

/* Posts to a channel every period, on for a while and off for a while, in turn. */
struct timer_spec {
	int channel;
	double period_us, on_ms, off_ms; /* off 0: always on */
	double from_ms, to_ms;           /* of the run; to 0: to its end */
};

/* From then on no clock of the domain is above that. */
struct cap_spec {
	double at_ms;
	int domain;
	int64_t khz;
};

/* An interrupt handler of one CPU. */
struct irq_spec {
	uint32_t cpu;
	int number;
	const char *name;
	double period_us, us, spread;
};

/* The CPU is unplugged in between. */
struct absence_spec {
	double from_ms, to_ms;
	uint32_t cpu;
};

/* What a task is expected to need, of its windows under WALT. */
enum walt_policy { WALT_RECENT, WALT_MAX, WALT_MEAN, WALT_MAX_RECENT_MEAN, WALT_POLICIES };
extern const char *const walt_policy_name[WALT_POLICIES];

struct scenario {
	struct arena arena;
	char name[64];
	const struct platform *platform;
	char platform_name[32];
	bool walt;
	double half_life_ms; /* of 1.024 * 1.024 ms each */
	double walt_window_ms;
	enum walt_policy walt_policy;
	double hz, rate_limit_us, slice_ms;
	double fit_margin;      /* a task fits where that times its demand is below the capacity */
	double dvfs_latency_us; /* from the request to the new clock */
	double length_ms;
	uint64_t seed;
	/* all work is multiplied by e^(drift x iteration + normal(boot) x boot_sigma + normal(seed,
	 * iteration) x iteration_sigma) */
	double drift, boot_sigma, iteration_sigma;
	int iteration, boot;
	VEC(struct task_spec) tasks;
	VEC(struct timer_spec) timers;
	VEC(struct cap_spec) caps;
	VEC(struct irq_spec) irqs;
	VEC(struct absence_spec) unplugged;
	int posted[SIM_CHANNELS_MAX]; /* before it begins */
	const char *channel[SIM_CHANNELS_MAX];
	int n_channels;
};

/* NULL with the error set. */
struct scenario *scenario_load(const char *path, struct err *e);
void scenario_free(struct scenario *s);
/* Built-in ones, the invented 4+3+1 phone, and 64 equal CPUs; NULL: no such. */
const struct platform *sim_platform(const char *name);

/* ---- events ---- */

enum sim_kind {
	SIM_SWITCH,
	SIM_WAKING,
	SIM_WAKEUP,
	SIM_WAKEUP_NEW,
	SIM_MIGRATE,
	SIM_FORK,
	SIM_FREQ,
	SIM_LIMITS,
	SIM_IDLE,
	SIM_PRINT,
	SIM_EXIT,
	SIM_RENAME,
	SIM_BINDER,
	SIM_BINDER_RECEIVED,
	SIM_IRQ,
	SIM_IRQ_OVER,
	SIM_CPUHP,
	SIM_CPUHP_OVER,
	SIM_SUSPEND,
	SIM_FENCE_WAIT,
	SIM_FENCE_DONE,
	SIM_KINDS
};

/* Values in the order of the fields of its kind: strings in s, numbers in v. */
struct sim_event {
	int64_t ts;
	uint32_t cpu;
	int pid; /* that writes it */
	const char *comm;
	enum sim_kind kind;
	const char *s[2];
	int64_t v[7];
	bool gone;    /* by damage: not written */
	int64_t lost; /* events that are gone just before this one, on its CPU */
};

enum sim_field { FIELD_COMM, FIELD_INT, FIELD_UINT, FIELD_LONG, FIELD_TEXT };
struct sim_desc {
	const char *system, *name;
	unsigned id;           /* in trace.dat */
	unsigned proto;        /* field number in a Perfetto FtraceEvent */
	const char *print_fmt; /* as a format file has it */
	struct {
		const char *name;
		enum sim_field type;
		unsigned proto; /* field number */
	} field[8];
	unsigned n_fields;
};
extern const struct sim_desc sim_desc[SIM_KINDS];

/* ---- ledger ---- */

struct residency {
	int64_t khz, total_ns, busy_ns;
};

struct ledger_cpu {
	int64_t busy_ns, idle_ns, offline_ns; /* offline is idle, too */
	int64_t interrupt_ns;                 /* busy or idle, too */
	uint64_t switches;
	VEC(struct residency) clocks;
};

/* When it went to sleep, with which util. */
struct sleep_at {
	int64_t t;
	double util;
};

/* From a wake-up after 100 ms or more asleep to the next such sleep. */
enum goal { GOAL_HALF, GOAL_MOST, GOAL_TOP, GOAL_LARGER, GOALS };
struct burst {
	int64_t start;
	bool reached[GOALS]; /* ran at 50, 80, 99 % of the largest CPU at its top; on a larger CPU
	                      * than the smallest */
	int64_t run_ns;      /* in its first 100 ms */
};

/* What a task did. */
enum sim_state { SIM_BLOCKED, SIM_FENCE, SIM_WAITING, SIM_RUNNING };
struct task_log {
	int64_t from, to;
	enum sim_state state;
	double cap, rel, limit; /* running: size of the CPU, clock, policy maximum, as shares of the
	                         * largest, of the CPU's own top */
};

struct ledger_task {
	int pid, tgid;
	VEC(struct task_log) log;
	char name[SIM_NAME];
	int64_t run_ns, wait_ns, blocked_ns; /* from its fork on */
	uint64_t switch_in, preempted, wakeups;
	uint64_t moved_wakeup, moved_queued, moved_fork; /* fork: before it ran first */
	int64_t work_ns;                                 /* of the largest CPU at its top */
	int64_t cpu_ns[SIM_CPUS_MAX];
	uint64_t woken, woken_larger; /* first runs after a wake-up */
	VEC(struct burst) bursts;
	uint64_t sleeps;
	VEC(struct sleep_at) asleep;
	double util_sum, util_max; /* at sleep */
};

/* Times in ns; end 0: not ready yet. The other times are those of markers; handed: the UI thread
 * posted to the drawing one. */
struct frame {
	uint64_t token;
	int64_t vsync, begin, end;
	int64_t ui_begin, ui_end, handed, draw_begin, draw_end;
	double period;
	int pid;         /* of the process of the task that began it */
	size_t ui, draw; /* 1 + index of the tasks; 0: not known yet */
};

/* Where the time of a frame went (frames.c), ns. */
struct sim_parts {
	double work, clock, size, capped; /* capped is in clock */
	int64_t waiting, blocked, behind, gpu, unknown;
};
struct ledger;
/* From the vsync to the end, or from the first marker to the last. */
struct sim_parts frame_parts(const struct ledger *l, const struct frame *f, bool markers);

/* When it is on the panel: the compositor takes it at the next vsync and shows it one later; 0: not
 * ready. Two periods after its vsync is on time. */
int64_t frame_present(const struct frame *f);
bool frame_is_late(const struct frame *f);

/* What meters and /proc/stat would show. */
struct sample {
	int64_t t, busy_ns[SIM_CPUS_MAX], idle_ns[SIM_CPUS_MAX];
	double uj[SIM_CPUS_MAX]; /* by domain, since the start */
};

struct ledger {
	VEC(struct frame) frames;
	VEC(struct sample) samples; /* every 100 ms, at the start and at the end */
	int64_t start, end;
	struct ledger_cpu cpu[SIM_CPUS_MAX];
	VEC(struct ledger_task) tasks;
	uint64_t events[SIM_KINDS];
	__extension__ __int128 energy; /* uW x ns, busy CPUs at their clock: L0 */
	__extension__ __int128 rest;   /* uW x ns, idle CPUs and clusters: L1 has both */
};

struct result {
	const struct scenario *scenario;
	VEC(struct sim_event) events;
	struct ledger ledger;
	struct arena arena;
};

/* Damage: "lost:CPU:FROM_MS:TO_MS" (a gap, and the kernel says so), "noswitch:N" (every N-th switch
 * is missing, and nobody says so), "nofreq" (no clock before the first change),
 * "clock:AT_MS:BY_MS" (the clock of the trace is set), "suspend:AT_MS:FOR_MS" (the machine sleeps,
 * and the clock of the trace goes on). False: none of these. The ledger stays what it was. */
bool sim_damage(struct result *r, const char *what);
struct result *sim_run(const struct scenario *s);
void result_free(struct result *r);

/* ---- signals (load.c) ---- */

struct sim_clock {
	double pelt, lost; /* ns; speed-scaled, caught up at idle */
	double wall;
	bool idle;
};
struct sim_signal {
	double util, at; /* at: of the clock */
};

void sim_clock_advance(struct sim_clock *c, double ns, double speed);
double sim_clock_now(const struct sim_clock *c);
/* The CPU turns idle with that util of all its signals. */
void sim_clock_idle(struct sim_clock *c, double util, double half_life_ns);
/* Bring it up to date; half_life in ns. */
void sim_signal_update(struct sim_signal *s, double now, bool running, double half_life_ns);

/* ---- writers: false with errno set ---- */

bool write_text(const struct result *r, FILE *out);
/* version 6, or 7 with compression "none", "zlib", "zstd" */
bool write_dat(const struct result *r, FILE *out, int version, const char *compression);
/* plain; compact: switches and wakings in the compact form; deflate: packets compressed */
bool write_perfetto(const struct result *r, FILE *out, bool compact, bool deflate);
bool write_ledger(const struct result *r, FILE *out);
bool write_platform(const struct result *r, FILE *out);
/* CSV: t_ns,pid,util of every sleep */
bool write_utils(const struct result *r, FILE *out);
/* CSV of every frame that ended, with its parts: by FrameTimeline, and by markers (m_) */
bool write_frames(const struct result *r, FILE *out);
bool write_run(const struct result *r, FILE *out, const char *configuration);

#endif
