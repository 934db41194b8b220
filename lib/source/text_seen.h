/* What the lines of ftrace text say all in all, without their fields: the first reading. */
#ifndef PELTIER_SOURCE_TEXT_SEEN_H
#define PELTIER_SOURCE_TEXT_SEEN_H

#include "base/input.h"
#include "base/map.h"
#include "base/mem.h"
#include "event/trace.h"
#include "source/text_line.h"

/* Where an event stands. */
struct place {
	int64_t ts;
	uint64_t off;
	uint32_t len;
};

/* Events that are missing behind an event of a CPU. */
struct text_gap {
	uint64_t after; /* 1 + where that event stands; 0: the CPU's data begins with the gap */
	uint32_t cpu;
	int64_t lost; /* -1: how many is not told */
};

struct seen {
	const struct input *in;
	uint64_t from, to; /* lines that begin there */
	bool wants_places;
	struct arena arena;
	VEC(struct trace_cpu) cpus;
	VEC(struct trace_name) names;
	VEC(int32_t) pid_of; /* by CPU: of its last line */
	VEC(struct place) places;
	VEC(uint64_t) last_of;     /* by CPU: 1 + where its last event stands */
	VEC(struct text_gap) gaps; /* by `after` */
	struct map by_pid;
	uint64_t lines, events;
	uint64_t others, first_other; /* lines that are no events, behind the first event */
	uint64_t overwritten;
	uint64_t backward; /* steps back in time */
	int64_t first, last, backward_max;
	int64_t max_state; /* of states that are numbers */
	unsigned decimals, n_cpus;
	bool has_waking;
	bool cut; /* the last line has no end */
};

/* Read all lines, two halves at the same time. The places of events are kept if wanted. */
void seen_read(struct seen *t, const struct input *in, bool places);
void seen_free(struct seen *t);
/* The row of a CPU, made when it is new. */
struct trace_cpu *seen_cpu(struct seen *t, uint32_t cpu);

#endif
