/* Inside of load: load.c has sets, tasks and values, load_cpu.c clocks and queues of CPUs. */
#ifndef PELTIER_ANALYSIS_LOAD_IMPL_H
#define PELTIER_ANALYSIS_LOAD_IMPL_H

#include "analysis/load.h"

static inline bool is_fair(const struct task *t)
{
	return t->prio >= 100 || t->prio == INT32_MIN;
}

/* Bring a signal of a CPU up to date; its averages, too, where they are what is asked for. */
static inline void update(const struct load *l, unsigned set, struct pelt_signal *s,
                          const struct pelt_clock *k, int64_t now, uint64_t runnable, bool running)
{
	const struct pelt *p = &l->pelt[set];
	struct pelt_doing d;

	if (__builtin_expect(!l->tick, 1) && pelt_advance_within(p, s, now, 0, runnable, running))
		return;
	d = (struct pelt_doing){runnable != 0, runnable, running, k->freq, k->cap, 0};
	if (l->tick)
		pelt_update(p, s, now, &d);
	else
		pelt_advance(p, s, now, &d);
}

/* A signal of 0 begins to be something: it was on the clock of another one. */
static inline void wake_signal(struct pelt_signal *s, const struct pelt_signal *with)
{
	*s = (struct pelt_signal){.last = with->last, .phase = with->phase};
}

/* What the sums say now; the average may be a period old. */
static inline double live(const struct pelt *p, const struct pelt_signal *s)
{
	return (double)s->util_sum / pelt_divider(p, s);
}

static inline double live_runnable(const struct pelt *p, const struct pelt_signal *s)
{
	return (double)s->runnable_sum / pelt_divider(p, s);
}

/* What is shown of them: live, or the averages. */
static inline double util_of(const struct load *l, unsigned set, const struct pelt_signal *s)
{
	return l->tick ? (double)s->util : live(&l->pelt[set], s);
}

static inline double runnable_of(const struct load *l, unsigned set, const struct pelt_signal *s)
{
	return l->tick ? (double)s->runnable : live_runnable(&l->pelt[set], s);
}

/* The CPU at time t. */
struct load_cpu *load_cpu_at(struct load *l, uint32_t cpu, int64_t t);
/* The ticks of a busy CPU before `to`. */
void load_advance_ticks(struct load *l, struct load_cpu *c, int64_t to, const struct cpu_seg *seg);
/* A task that has been in that state since its signals were brought up to date, on its CPU's clock.
 */
void load_update_task(const struct load *l, struct load_task *t, const struct load_cpu *c,
                      enum task_state state);

#endif
