#include "signal/util_est.h"

#include <stdbool.h>

enum {
	MARGIN = 10,      /* 1024 / 100: smaller moves are noise */
	WEIGHT_SHIFT = 2, /* a quarter of the way at each sleep */
};

static uint32_t quarter_way(uint32_t from, uint32_t to)
{
	return (uint32_t)((((int64_t)from << WEIGHT_SHIFT) + ((int64_t)to - from)) >> WEIGHT_SHIFT);
}

static bool waited(uint32_t util, uint32_t runnable)
{
	return runnable && util + MARGIN < runnable;
}

static void one_number(struct util_est *e, uint32_t util, uint32_t runnable, uint32_t cap)
{
	if (e->ewma <= util)
		e->ewma = util;
	else if (e->ewma - util >= MARGIN && util <= cap && !waited(util, runnable))
		e->ewma = quarter_way(e->ewma, util);
}

static bool near(uint32_t a, uint32_t b)
{
	return (a > b ? a - b : b - a) < MARGIN;
}

void util_est_sleep(struct util_est *e, enum util_est_era era, uint32_t util, uint32_t runnable,
                    uint32_t cap)
{
	uint32_t now = era < UTIL_EST_513 ? util | 1 : util; /* bit 0 said "changed" up to 5.12 */

	if (era == UTIL_EST_68) {
		one_number(e, util, runnable, cap);
	} else if (era != UTIL_EST_417 && e->ewma < now) {
		*e = (struct util_est){now, now};
	} else if (near(e->ewma, now)) {
		if (era == UTIL_EST_513 && !near(e->enqueued, now))
			e->enqueued = now;
	} else if (util <= cap) {
		e->enqueued = now;
		if (era != UTIL_EST_513 || !waited(now, runnable))
			e->ewma = quarter_way(e->ewma, now);
	}
}

uint32_t util_est_of(const struct util_est *e, enum util_est_era era)
{
	uint32_t max = e->enqueued > e->ewma ? e->enqueued : e->ewma;

	return era == UTIL_EST_68 ? e->ewma : era < UTIL_EST_513 ? max | 1 : max;
}
