/* Why the mean moved: the difference of two configurations' mean frame durations, split into rows
 * that add up to it exactly (design report-sketches.md 2.1), pooled over frames; intervals by
 * jackknife over iterations.
 *
 * With W the work per frame, s_k the share of the work on CPUs of size k and p_k run time over work
 * there, bars for the mean of both: placement = W' sum (s_k' - s_k) p_k, clock = W' sum (p_k' -
 * p_k) s_k, different work = (W' - W) times the mean of both sums. A size that only one of them
 * used has the pace of that one. Shares and paces of sizes are those of the whole run time of the
 * frames' threads, scaled so that they give the run time of the critical path. */
#ifndef PELTIER_COMPARE_WHY_H
#define PELTIER_COMPARE_WHY_H

#include "compare/set.h"
#include "compare/stats.h"

enum why_row {
	WHY_WORK,
	WHY_PLACEMENT,
	WHY_CLOCK,
	WHY_NO_SPEED, /* running at an unknown speed */
	WHY_WAITING,
	WHY_BLOCKED,
	WHY_BEHIND,
	WHY_GPU,
	WHY_UNKNOWN,
	WHY_TOTAL,
	WHY_ROWS
};
extern const char *const why_text[WHY_ROWS];

struct why_split {
	double from, to;              /* pooled mean durations, ms */
	double ms[WHY_ROWS];          /* to - from is ms[WHY_TOTAL] */
	struct interval at[WHY_ROWS]; /* NAN: fewer than two iterations somewhere */
};

/* False: no parts, or no speeds, of the process in one of them; *reason says so. */
bool why_split(const struct set_config *a, const struct set_config *b, const char *process,
               double level, struct why_split *out, const char **reason);

#endif
