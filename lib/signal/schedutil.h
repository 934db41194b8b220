/* The frequency that the schedutil governor asks for.
 *
 * Source: kernel/sched/cpufreq_schedutil.c of mainline, in our own words (reference signals.md
 * 3.1). */
#ifndef PELTIER_SIGNAL_SCHEDUTIL_H
#define PELTIER_SIGNAL_SCHEDUTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct schedutil {
	bool util_headroom;  /* 6.8 and later: the quarter is added to util, not to the clock */
	uint32_t cap;        /* of the CPU, 1..1024 */
	int64_t ref_khz;     /* clock of full capacity */
	const int64_t *opps; /* kHz, ascending; what the policy allows */
	size_t n_opps;       /* at least 1 */
};

struct schedutil_request {
	uint32_t perf;   /* util with headroom and clamps, from 6.8 on; before: the util */
	int64_t raw_khz; /* before the table of clocks */
	int64_t khz;     /* the lowest clock that is enough, or the highest */
};

/* For an effective util (fair, RT, deadline and interrupts, at most cap) and uclamp (0, 1024:
 * none).
 */
struct schedutil_request schedutil_request(const struct schedutil *s, uint32_t util,
                                           uint32_t uclamp_min, uint32_t uclamp_max);

/* What the governor takes for the util of a CPU: interrupts first, the rest in what they leave. */
uint32_t schedutil_effective(uint32_t cap, uint32_t irq, uint64_t cfs, uint64_t rt, uint64_t dl);
/* The boost that a CPU gets for tasks that waited for I/O: it starts at 128, doubles with each such
 * wake-up, halves when there is none, and is over after a tick without an update. */
struct schedutil_iowait {
	uint32_t boost; /* of 1024 of the CPU's capacity */
	bool pending;   /* a wake-up came since it was last used */
	int64_t last;   /* ns: the last update */
};

/* The governor is called at t; `iowait`: by the wake-up of a task that waited for I/O. The util,
 * not less than the boost. */
uint32_t schedutil_iowait(struct schedutil_iowait *b, int64_t t, int64_t tick, bool iowait,
                          uint32_t util, uint32_t cap);
/* Whether the clock may be changed at t: the last change is at least the limit ago, which may
 * differ for up and down (ns). */
bool schedutil_may_change(int64_t last_change, int64_t t, int64_t from_khz, int64_t to_khz,
                          int64_t up_limit, int64_t down_limit);
/* Whether a util fits a capacity with a fifth to spare. */
bool schedutil_fits(uint64_t util, uint64_t capacity);

#endif
