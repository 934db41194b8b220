/* Per-entity load tracking in the kernel's own integer arithmetic, for any half-life.
 *
 * Time is cut into periods of 1024 units of 1024 ns (1.048576 ms); what was added p periods ago
 * counts y^p, with y^half_life = 1/2. Sources: kernel/sched/pelt.c of mainline by era, in our own
 * words (reference signals.md 1); checked against its oracles to the unit.
 *
 *   struct pelt p;                          parameters, shared by all signals
 *   pelt_init(&p, 32, PELT_P5, 1);
 *   struct pelt_clock c = pelt_clock(cap);  one per CPU
 *   pelt_clock_advance(&p, &c, ns);         wall time without interrupts
 *   pelt_update(&p, &s, pelt_now(&p, &c), ...);
 */
#ifndef PELTIER_SIGNAL_PELT_H
#define PELTIER_SIGNAL_PELT_H

#include <stdbool.h>
#include <stdint.h>

enum { PELT_SCALE = 1024, PELT_PERIOD = 1024, PELT_HALF_LIFE_MAX = 64 };

/* Kernels whose results differ. */
enum pelt_era {
	PELT_P1 = 1, /* up to 4.12: constant divider, partial sums from tables, contributions scaled
	              */
	PELT_P2,     /* 4.13 to 5.0: the divider follows the period */
	PELT_P3,     /* 5.1 to 5.19: the clock is scaled, not the contributions */
	PELT_P4,     /* 6.0 to 6.7: signals that leave an idle CPU are aged to now */
	PELT_P5,     /* from 6.8: util_est is one number */
};

struct pelt {
	enum pelt_era era;
	unsigned half_life;                   /* periods */
	unsigned shift;                       /* of the run-time multiplier: 0, 1, 2 for 1, 2, 4 */
	uint32_t max;                         /* the sum that a signal of 1024 comes to */
	unsigned max_n;                       /* periods that it takes */
	uint32_t inv[PELT_HALF_LIFE_MAX];     /* y^i * 2^32 */
	uint32_t sum[PELT_HALF_LIFE_MAX + 1]; /* P1: of i periods */
	uint32_t half[PELT_HALF_LIFE_MAX];    /* P1: of i half-lives */
};

/* False when the half-life is not 1 to 64 periods or the multiplier not 1, 2 or 4. */
bool pelt_init(struct pelt *p, unsigned half_life, enum pelt_era era, unsigned multiplier);
/* The value after n periods. */
uint64_t pelt_decay(const struct pelt *p, uint64_t v, uint64_t n);

/* ---- a signal ---- */

struct pelt_signal {
	int64_t last;   /* ns of its clock, of the last update */
	uint32_t phase; /* units into the current period */
	uint64_t load_sum, runnable_sum, util_sum;
	uint64_t load, runnable,
	        util; /* averages: 0..1024 for one task; refreshed at period ends */
};

/* What it was doing since the last update. */
struct pelt_doing {
	uint64_t load;     /* weight of what is runnable; 0: nothing is */
	uint64_t runnable; /* how many are */
	bool running;
	uint32_t freq, cap; /* 0..1024, for eras that scale contributions */
	uint64_t weight;    /* that load is averaged with; 0: 1 */
};

/* Bring the sums up to `now`. True when a period ended. */
bool pelt_advance(const struct pelt *p, struct pelt_signal *s, int64_t now,
                  const struct pelt_doing *d);
/* The same where it is short: no period ends, and speed is in the clock (P3 and later). False when
 * it is not; nothing is done then. */
static inline bool pelt_advance_within(const struct pelt *p, struct pelt_signal *s, int64_t now,
                                       uint64_t load, uint64_t runnable, bool running)
{
	uint64_t units = (uint64_t)(now - s->last) >> 10;

	if (p->era < PELT_P3 || now < s->last || units + s->phase >= PELT_PERIOD)
		return false;
	s->last += (int64_t)(units << 10);
	s->phase += (uint32_t)units;
	s->load_sum += load * units;
	s->runnable_sum += runnable * units * PELT_SCALE;
	s->util_sum += running ? units * PELT_SCALE : 0;
	return true;
}
/* The same, and the averages, which are refreshed when a period ended: true then. */
bool pelt_update(const struct pelt *p, struct pelt_signal *s, int64_t now,
                 const struct pelt_doing *d);
/* What the sums are divided by. */
uint32_t pelt_divider(const struct pelt *p, const struct pelt_signal *s);

/* ---- the clock of a CPU ---- */

struct pelt_clock {
	int64_t task;       /* ns: wall time without interrupts */
	int64_t mult;       /* the same, times the multiplier */
	int64_t pelt;       /* slowed down by speed while busy; caught up when idle */
	int64_t lost;       /* idle time that never was: the CPU was saturated */
	uint32_t cap, freq; /* speed is cap * freq / 2^20 */
	bool idle;
};

/* An idle CPU at time 0 and its highest clock. */
struct pelt_clock pelt_clock(uint32_t cap);
void pelt_clock_advance(const struct pelt *p, struct pelt_clock *c, int64_t ns);
/* The CPU turns idle; util_sum: of all its signals (fair, RT, deadline), up to date. */
void pelt_clock_idle(const struct pelt *p, struct pelt_clock *c, uint64_t util_sum);
void pelt_clock_busy(struct pelt_clock *c);
/* The time that signals of the CPU are updated with. */
int64_t pelt_now(const struct pelt *p, const struct pelt_clock *c);

/* ---- tasks and queues ---- */

/* The task joins the queue, which is up to date: it takes over its time and is added. */
void pelt_attach(const struct pelt *p, struct pelt_signal *queue, struct pelt_signal *task);
/* A util that has left is taken out of the queue, before its next update. */
void pelt_remove(const struct pelt *p, struct pelt_signal *queue, uint64_t util);
/* A new task's first util: half of what is free on its CPU, or in proportion to its weight. */
uint64_t pelt_new_task_util(uint32_t cap, uint64_t queue_util, uint64_t queue_load,
                            uint64_t task_weight);

#endif
