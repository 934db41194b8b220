/* What the clock of the kernel's PELT signals does, measured from the times that stand in its own
 * values (update_time) against the clock of the trace (reference signals.md 1.13):
 *
 *  - from one idle moment of a CPU to another it advances by the run-time multiplier (1, 2 or 4);
 *  - while a CPU is busy at one speed below 0.8 it advances by that speed where the clock is scaled
 *    (kernels from 5.1 on), by 1 where contributions are scaled;
 *  - time in interrupts is in it, or not;
 *  - at idle moments it lags behind the trace by what was lost (interrupts, saturation). */
#ifndef PELTIER_ANALYSIS_KERNEL_CLOCK_H
#define PELTIER_ANALYSIS_KERNEL_CLOCK_H

#include "analysis/analysis.h"
#include "base/series.h"

/* One CPU. */
struct clock_of_cpu {
	bool in_irq;
	int64_t irq_from, irq_ns;    /* up to the last change */
	int64_t from, to, khz;       /* busy at one clock, as far as told */
	int64_t t, update, irq;      /* the last value: times, and interrupts so far */
	int64_t idle_t, idle_update; /* the last one at an idle moment */
	int64_t lag_first, lag_last; /* trace minus update_time there */
	uint64_t n_idle;
};

struct kernel_clock {
	struct context *ctx;
	VEC(struct clock_of_cpu) cpus;
	struct series idle;   /* slope between idle moments, in 1/1000 */
	struct series busy;   /* slope of busy times at known speeds below 0.8 */
	struct series scaled; /* the same, of the speed */
	/* busy times with interrupts: update_time advanced; the same by speed with interrupts; what
	 * interrupts had of it */
	double advanced, with_irq, of_irq;
};

/* What is known in the end; `n` values each, 0: not known. */
struct kernel_clock_facts {
	size_t n_multiplier, n_scaled;
	unsigned multiplier; /* 0: none that there is, or too few */
	double slope;        /* median between idle moments */
	int scaled;          /* 1: the clock is scaled; 0: contributions are; -1: not known */
	double of_speed;     /* median advance of busy times by that of the speed */
	int irq; /* 1: time in interrupts is in the clock; 0: it is not; -1: not known */
};

void kernel_clock_cpu_seg(struct kernel_clock *k, const struct cpu_seg *f);
void kernel_clock_irq(struct kernel_clock *k, const struct irq_change *f);
void kernel_clock_value(struct kernel_clock *k, const struct kernel_util *f);
void kernel_clock_begin(struct kernel_clock *k);
struct kernel_clock_facts kernel_clock_facts(struct kernel_clock *k);
/* So far; -1: not known. */
int kernel_clock_has_irq(const struct kernel_clock *k);
/* ns by which the clock of a CPU lags at the first and last idle moment; false: not known, or not
 * on the same base as the trace. */
bool kernel_clock_lag(const struct kernel_clock *k, uint32_t cpu, int64_t *first, int64_t *last);
void kernel_clock_free(struct kernel_clock *k);

#endif
