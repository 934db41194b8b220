/* What is known about a trace besides its events. */
#ifndef PELTIER_EVENT_TRACE_H
#define PELTIER_EVENT_TRACE_H

#include "event/event.h"

/* An event type of the trace: what struct event.type indexes. */
struct event_type {
	const char *system; /* "" when not known */
	const char *name;   /* "#ID" when the trace has no format for it */
	enum event_kind kind;
	uint32_t id;
};

struct trace_buffer {
	const char *name; /* "" is the top buffer */
	const char *clock;
	unsigned n_cpus; /* with data */
	bool has_data;
};

/* What the kernel counted for one CPU of the chosen buffer; -1 where the trace does not say. */
struct trace_cpu {
	uint32_t cpu;
	bool has_data;
	bool missing;     /* it may have had data: the file is cut, and none of it is there */
	bool late;        /* its first events were overwritten: its data begins later */
	int64_t overrun;  /* events overwritten before they were read */
	int64_t dropped;  /* events refused because the buffer was full */
	int32_t capacity; /* 1 to 1024; 0: the trace does not tell */
	int64_t top_khz;  /* highest clock it offers; 0: the trace does not tell */
};

struct trace_name {
	int32_t pid, tgid;   /* tgid 0: not told */
	const char *comm;    /* or NULL */
	const char *process; /* of a process: the first word of its command line; or NULL */
};

/* A clock of a trace that has several. */
struct trace_clock {
	uint32_t id, sequence; /* of the format; sequence 0: not of one alone */
	const char *name;
	unsigned snapshots; /* in which it is read */
	uint64_t used;      /* packets and ftrace bundles with times of it */
	bool is_trace;      /* times are given in it */
	bool joined;        /* its times can be converted */
};

/* The first row of that pid among n rows sorted by pid, or NULL. */
static inline const struct trace_name *trace_name_find(const struct trace_name *names, unsigned n,
                                                       int32_t pid)
{
	unsigned lo = 0, hi = n;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (names[mid].pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && names[lo].pid == pid ? &names[lo] : NULL;
}

/* The row behind `row` when it is of the same pid, or NULL. */
static inline const struct trace_name *trace_name_next(const struct trace_name *names, unsigned n,
                                                       const struct trace_name *row)
{
	return row + 1 < names + n && row[1].pid == row->pid ? row + 1 : NULL;
}

/* Known when the trace is open; all strings live as long as the source that gave it. */
struct trace_info {
	const char *path, *format, *compression, *endian; /* "trace.dat", "zstd", "little" */
	int version;
	const char *kernel;         /* release, or NULL */
	const char *machine;        /* of uname, or NULL */
	const char *device, *build; /* Android: device name and fingerprint, or NULL */
	const char *recorder;       /* version of what recorded it, or NULL */
	unsigned sessions;          /* recordings in the file; 0: the format does not tell */
	const char *wrapper;        /* "gzip", "zstd" around the file, or NULL */
	const char *clock;          /* NULL: not known */
	bool clock_is_ns;           /* false: ticks of unknown length, no time can be computed */
	const struct trace_clock *clocks;
	unsigned n_clocks;            /* 0: only the one */
	unsigned n_cpus;              /* of the machine, as far as the trace says */
	const struct trace_cpu *cpus; /* by id; the CPUs of the machine and those with data */
	unsigned n_cpu_rows;
	const struct trace_buffer *buffers;
	unsigned n_buffers;
	int buffer;                     /* the chosen one, index into buffers */
	const struct trace_name *names; /* of tasks, saved with the trace, by pid; last resort */
	unsigned n_names;
	const char *contents;  /* what it holds besides kernel events, or NULL */
	const char *no_events; /* why it may have no kernel events, or NULL */
	bool has_waking;       /* the trace can hold sched_waking (it has its format) */
};

/* Grows while the trace is read; final after source_next() gave NULL. */
struct trace_quality {
	bool partial;          /* cut or damaged: the input was analysed in part */
	uint64_t lost_known;   /* events missing in gaps of known size */
	uint64_t lost_gaps;    /* places where events are missing, damage included */
	uint64_t bad_pages;    /* pages or chunks left out or cut short */
	uint64_t bad_events;   /* records that could not be decoded (wholly) */
	uint64_t early_events; /* left out: from before the recording began */
	uint64_t duplicates;   /* left out: recorded twice */
	uint64_t backward_steps;
	int64_t backward_max_ns;
	const char *const *notes; /* what a reader of the report should know, in order */
	unsigned n_notes;
};

#endif
