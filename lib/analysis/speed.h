/* How fast a CPU runs: capacity x clock, 1 for the largest CPU at its top clock. */
#ifndef PELTIER_ANALYSIS_SPEED_H
#define PELTIER_ANALYSIS_SPEED_H

#include "analysis/analysis.h"

/* What becomes of 1 ns of run time: work (ns of the largest CPU at its top clock), and what is lost
 * to a clock below the CPU's own top and to the CPU's size. They add up to 1; the loss is split in
 * proportion to ln(top / clock) and ln(1024 / capacity) (report-sketches.md 4). work is rel x cap:
 * the clock as a share of the CPU's top, the CPU's share of the largest. */
struct pace {
	double work, clock, size, rel, cap;
};

struct cpu_pace {
	int64_t khz; /* that pace holds for; 0: none */
	int64_t top_khz;
	int32_t capacity; /* 0: not known, and nothing else is */
	bool asked;       /* the two above are filled in */
	struct pace pace;
};

struct paces {
	VEC(struct cpu_pace) cpus;
};

/* The pace of a segment's CPU; NULL: capacity, top clock or clock are not known. */
const struct pace *pace_of(struct paces *p, const struct context *c, const struct cpu_seg *f);
/* Sums over run time. */
struct got {
	int64_t run_ns, unknown_ns; /* of run_ns the pace is not known */
	struct pace sum;            /* ns */
};

/* ns more of run time at a pace; NULL: not known. */
void got_add(struct got *g, const struct pace *p, int64_t ns);
void got_sum(struct got *to, const struct got *g);
/* Mean speed while running, percent; negative: it did not run at a known pace. */
double got_speed_pct(const struct got *g);
/* The sums as keys. */
void got_json(struct json *j, const struct got *g);

/* Why paces of this trace cannot be known, or NULL. */
const char *pace_unknown(const struct context *c);

#endif
