/* Estimated utilization: what a task's util was when it last went to sleep, forgotten slowly.
 *
 * Updated only when a fair task goes to sleep. Source: kernel/sched/fair.c of mainline by era, in
 * our own words (reference signals.md 1.9). */
#ifndef PELTIER_SIGNAL_UTIL_EST_H
#define PELTIER_SIGNAL_UTIL_EST_H

#include <stdint.h>

enum util_est_era {
	UTIL_EST_417, /* 4.17 to 5.4: no jump up; estimates are always odd */
	UTIL_EST_55,  /* 5.5 to 5.12: jumps up */
	UTIL_EST_513, /* 5.13 to 6.7: also keeps small moves */
	UTIL_EST_68,  /* from 6.8: one number */
};

struct util_est {
	uint32_t enqueued; /* at the last sleep; unused from 6.8 on */
	uint32_t ewma;
};

/* The task goes to sleep with that util. `runnable`: its runnable_avg, which shows that it had to
 * wait (used from 5.13 on); 0: not known. `cap`: of its CPU. */
void util_est_sleep(struct util_est *e, enum util_est_era era, uint32_t util, uint32_t runnable,
                    uint32_t cap);
/* The estimate of the task. */
uint32_t util_est_of(const struct util_est *e, enum util_est_era era);

#endif
