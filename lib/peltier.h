/* peltier.h: read a scheduler trace from a program of your own.
 *
 *   char why[PEL_ERROR_MAX];
 *   pel_trace *t = pel_open("trace.dat", NULL, why);
 *   if (!t) ... print why ...
 *   for (const struct pel_event *ev; (ev = pel_next(t));)
 *           printf("%lld %s\n", (long long)ev->ts_ns, ev->name);
 *   pel_close(t);
 *
 * Build with `cc prog.c $(pkg-config --cflags --libs peltier)`. The interface is not yet frozen: it
 * may change between minor versions before 1.0.
 *
 * Rules. A trace is used by one thread at a time; different traces are independent. Nothing is
 * printed. Strings and structs that are returned belong to the trace and live until pel_close(),
 * those of an event until the next pel_next(). Times are nanoseconds of the trace clock,
 * frequencies kHz. When the machine has no memory left the process aborts. */
#ifndef PELTIER_H
#define PELTIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pel_trace pel_trace;

enum { PEL_ERROR_MAX = 512 };

/* ---- opening ---- */

struct pel_options {
	const char *buffer; /* ftrace instance; NULL: the top buffer, or the only one with data */
	uint64_t clock_hz;  /* rate of a clock that counts ticks; 0: not known */
	const char *head;   /* trace.dat with the formats for a raw .cpuN file, or NULL */
};

/* Open a trace file ("-": standard input). `options` may be NULL. On failure NULL, and why[] (of at
 * least PEL_ERROR_MAX bytes, or NULL) has one line that names the file, the place and the reason.
 */
pel_trace *pel_open(const char *path, const struct pel_options *options, char *why);
void pel_close(pel_trace *t);

/* ---- what is known of the trace ---- */

struct pel_meta {
	const char *path, *format, *compression; /* "trace.dat", "zstd" */
	int version;                             /* of the format */
	bool big_endian;
	const char *kernel; /* release, or NULL when the trace does not tell */
	const char *clock;  /* or NULL */
	bool clock_is_ns;   /* false: ticks, times cannot be compared to seconds */
	unsigned n_cpus;    /* ids are below this */
	const char *buffer; /* read; "" is the top buffer */
};

const struct pel_meta *pel_meta(const pel_trace *t);

/* What was lost or damaged so far; complete after pel_next() returned NULL. */
struct pel_quality {
	bool partial;            /* cut or damaged input: read in part */
	uint64_t lost_known;     /* events lost in gaps of known size */
	uint64_t lost_gaps;      /* places where events are missing */
	uint64_t bad_pages;      /* pages or chunks left out */
	uint64_t backward_steps; /* of time inside one CPU; times are clamped there */
	unsigned n_notes;
	const char *const *notes;
};

struct pel_quality pel_quality(const pel_trace *t);

/* ---- events ---- */

struct pel_event {
	int64_t ts_ns;
	uint32_t cpu;       /* UINT32_MAX: not written by a CPU (packets of a Perfetto trace) */
	int32_t pid;        /* of the task that was current there; -1: not known */
	const char *system; /* "sched", or "" when the trace has no format for it */
	const char *name;   /* "sched_switch"; "#ID" without format; "" for a gap */
	bool is_gap;        /* not an event: events are missing on this CPU before its next one */
	int64_t lost;       /* of a gap: how many, or -1 */
};

/* The next event in time order, NULL at the end. */
const struct pel_event *pel_next(pel_trace *t);
/* A field of the event pel_next() gave, by the names of docs/events.md ("next_pid"). False when the
 * event does not carry it. Events that peltier has no kind for have no fields here. A field is
 * looked up by name on each call. */
bool pel_int(pel_trace *t, const char *field, int64_t *value);
bool pel_real(pel_trace *t, const char *field, double *value);
/* The same for text: a NUL-terminated copy, cut to `room` bytes. */
bool pel_text(pel_trace *t, const char *field, char *out, size_t room);

/* ---- timelines ---- */

enum pel_timeline_kind {
	PEL_CPU_FREQUENCY, /* kHz */
	PEL_CPU_IDLE,      /* idle state; -2: not in idle */
	PEL_CPU_TASK,      /* pid of the task that runs; 0: idle */
};

#define PEL_UNKNOWN INT64_MIN

/* From t_ns on it is `value`, until the next step; PEL_UNKNOWN where nobody knows. */
struct pel_step {
	int64_t t_ns, value;
};

/* The timeline of one CPU over the whole trace: *n steps in order of time; NULL with *n = 0 when
 * the CPU has none. The first call reads the rest of the trace: ask before any pel_next() to have
 * all of it. Memory grows with the number of steps. */
const struct pel_step *pel_timeline(pel_trace *t, enum pel_timeline_kind kind, uint32_t cpu,
                                    size_t *n);
/* First and last time of the events that pel_timeline() read; false when there were none. */
bool pel_span(pel_trace *t, int64_t *start_ns, int64_t *end_ns);

const char *pel_version(void);

#ifdef __cplusplus
}
#endif

#endif
