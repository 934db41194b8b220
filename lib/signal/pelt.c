#include "signal/pelt.h"

#include <math.h>

/* ---- tables ---- */

static void make_sums(struct pelt *p, double y)
{
	unsigned h = p->half_life;

	p->sum[0] = 0;
	for (unsigned i = 1; i <= h; i++)
		p->sum[i] = (uint32_t)((i > 1 ? p->sum[i - 1] * y : 0) + PELT_PERIOD * y);
	p->half[0] = 0;
	for (unsigned i = 1; i < PELT_HALF_LIFE_MAX; i++)
		p->half[i] = (i > 1 ? p->half[i - 1] / 2 : 0) + p->sum[h];
}

bool pelt_init(struct pelt *p, unsigned half_life, enum pelt_era era, unsigned multiplier)
{
	double y;
	uint32_t before = 0;

	if (!half_life || half_life > PELT_HALF_LIFE_MAX ||
	    (multiplier != 1 && multiplier != 2 && multiplier != 4))
		return false;
	*p = (struct pelt){.era = era, .half_life = half_life, .shift = multiplier / 2};
	y = pow(0.5, 1.0 / half_life);
	for (unsigned i = 0; i < half_life; i++)
		p->inv[i] = (uint32_t)(4294967295.0 * pow(y, i));
	/* what an endless row of full periods comes to */
	for (p->max = PELT_PERIOD; p->max != before; p->max_n++) {
		before = p->max;
		p->max = (uint32_t)((uint64_t)p->max *
		                            (half_life > 1 ? p->inv[1] : UINT32_C(0x7fffffff)) >>
		                    32) +
		         PELT_PERIOD;
	}
	p->max_n -= 2; /* the last round changed nothing, and the first is period 0 */
	make_sums(p, y);
	return true;
}

/* What a number of periods does to any value: worked out once for several. */
struct decay {
	unsigned shift; /* 64: nothing is left */
	uint32_t inv;
};

static struct decay decay_of(const struct pelt *p, uint64_t n)
{
	if (n > 63 * (uint64_t)p->half_life)
		return (struct decay){64, 0};
	return (struct decay){(unsigned)n / p->half_life, p->inv[(unsigned)n % p->half_life]};
}

static uint64_t decayed(struct decay d, uint64_t v)
{
	if (d.shift == 64)
		return 0;
	v >>= d.shift;
	/* v * inv / 2^32 without a wider type: inv is below 2^32, the halves of v fit */
	return (v >> 32) * d.inv + ((v & UINT32_MAX) * d.inv >> 32);
}

uint64_t pelt_decay(const struct pelt *p, uint64_t v, uint64_t n)
{
	return decayed(decay_of(p, n), v);
}

/* ---- a signal ---- */

uint32_t pelt_divider(const struct pelt *p, const struct pelt_signal *s)
{
	return p->era == PELT_P1 ? p->max : p->max - PELT_PERIOD + s->phase;
}

static uint64_t scaled(uint64_t v, uint32_t by)
{
	return v * by / PELT_SCALE;
}

static void decay_all(struct decay d, struct pelt_signal *s)
{
	s->load_sum = decayed(d, s->load_sum);
	s->runnable_sum = decayed(d, s->runnable_sum);
	s->util_sum = decayed(d, s->util_sum);
}

static void contribute(const struct pelt *p, struct pelt_signal *s, uint64_t units,
                       const struct pelt_doing *d)
{
	bool in_clock = p->era >= PELT_P3; /* of 5.1 on speed is in the clock */

	if (!d->load)
		return;
	if (!in_clock)
		units = scaled(units, d->freq);
	s->load_sum += d->load * units;
	if (p->era > PELT_P1)
		s->runnable_sum += d->runnable * units * (in_clock ? PELT_SCALE : 1);
	if (d->running)
		s->util_sum += units * (in_clock ? PELT_SCALE : d->cap);
}

/* P2 and later: the whole of the elapsed units as one contribution. */
static bool accumulate(const struct pelt *p, struct pelt_signal *s, uint64_t units,
                       const struct pelt_doing *d)
{
	uint64_t periods = (units + s->phase) / PELT_PERIOD;
	uint64_t rest = (units + s->phase) % PELT_PERIOD;

	if (periods) {
		struct decay by = decay_of(p, periods);

		decay_all(by, s);
		/* the end of the period that was under way, whole periods, the begun one */
		units = decayed(by, PELT_PERIOD - s->phase) + p->max - decayed(by, p->max) -
		        PELT_PERIOD + rest;
	}
	s->phase = (uint32_t)rest;
	contribute(p, s, units, d);
	return periods > 0;
}

/* P1: whole periods by table; each part is rounded apart. */
static uint64_t whole_periods(const struct pelt *p, uint64_t n)
{
	if (n <= p->half_life)
		return p->sum[n];
	if (n >= p->max_n)
		return p->max;
	return pelt_decay(p, p->half[n / p->half_life], n % p->half_life) +
	       p->sum[n % p->half_life];
}

static bool accumulate_p1(const struct pelt *p, struct pelt_signal *s, uint64_t units,
                          const struct pelt_doing *d)
{
	uint64_t first = PELT_PERIOD - s->phase, periods;

	if (units < first) {
		contribute(p, s, units, d);
		s->phase += (uint32_t)units;
		return false;
	}
	contribute(p, s, first, d);
	units -= first;
	periods = units / PELT_PERIOD;
	decay_all(decay_of(p, periods + 1), s);
	contribute(p, s, whole_periods(p, periods), d);
	contribute(p, s, units % PELT_PERIOD, d);
	s->phase = (uint32_t)(units % PELT_PERIOD);
	return true;
}

bool pelt_advance(const struct pelt *p, struct pelt_signal *s, int64_t now,
                  const struct pelt_doing *d)
{
	uint64_t units;

	if (now < s->last) { /* its clock was set back */
		s->last = now;
		return false;
	}
	units = (uint64_t)(now - s->last) >> 10;
	if (!units)
		return false;
	s->last += (int64_t)(units << 10);
	return p->era == PELT_P1 ? accumulate_p1(p, s, units, d) : accumulate(p, s, units, d);
}

bool pelt_update(const struct pelt *p, struct pelt_signal *s, int64_t now,
                 const struct pelt_doing *d)
{
	uint32_t divider;

	if (!pelt_advance(p, s, now, d))
		return false;
	divider = pelt_divider(p, s);
	s->load = (d->weight ? d->weight : 1) * s->load_sum / divider;
	s->runnable = s->runnable_sum / divider;
	s->util = s->util_sum / divider;
	return true;
}

/* ---- the clock of a CPU ---- */

struct pelt_clock pelt_clock(uint32_t cap)
{
	return (struct pelt_clock){.cap = cap, .freq = PELT_SCALE, .idle = true};
}

void pelt_clock_advance(const struct pelt *p, struct pelt_clock *c, int64_t ns)
{
	uint64_t d = (uint64_t)ns << p->shift;

	c->task += ns;
	c->mult += (int64_t)d;
	if (c->idle)
		c->pelt = c->mult;
	else
		c->pelt += (int64_t)scaled(scaled(d, c->cap), c->freq);
}

void pelt_clock_idle(const struct pelt *p, struct pelt_clock *c, uint64_t util_sum)
{
	/* with that much util there was no real idle time before: the lag is not made up for */
	if (util_sum >= (uint64_t)(p->max - PELT_PERIOD) * PELT_SCALE - p->max)
		c->lost += c->mult - c->pelt;
	c->pelt = c->mult;
	c->idle = true;
}

void pelt_clock_busy(struct pelt_clock *c)
{
	c->idle = false;
}

int64_t pelt_now(const struct pelt *p, const struct pelt_clock *c)
{
	return p->era >= PELT_P3 ? c->pelt - c->lost : c->task;
}

/* ---- tasks and queues ---- */

void pelt_attach(const struct pelt *p, struct pelt_signal *queue, struct pelt_signal *task)
{
	uint32_t divider = pelt_divider(p, queue);

	task->last = queue->last;
	task->phase = queue->phase;
	task->util_sum = task->util * divider;
	task->runnable_sum = task->runnable * divider;
	queue->util += task->util;
	queue->util_sum += task->util_sum;
	queue->runnable += task->runnable;
	queue->runnable_sum += task->runnable_sum;
}

void pelt_remove(const struct pelt *p, struct pelt_signal *queue, uint64_t util)
{
	uint64_t sum = util * pelt_divider(p, queue), least;

	queue->util -= util < queue->util ? util : queue->util;
	queue->util_sum -= sum < queue->util_sum ? sum : queue->util_sum;
	least = queue->util * (p->max - PELT_PERIOD);
	if (queue->util_sum < least)
		queue->util_sum = least;
}

uint64_t pelt_new_task_util(uint32_t cap, uint64_t queue_util, uint64_t queue_load,
                            uint64_t task_weight)
{
	uint64_t room = queue_util < cap ? (cap - queue_util) / 2 : 0, util;

	if (!room || !queue_util)
		return room;
	util = queue_util * task_weight / (queue_load + 1);
	return util < room ? util : room;
}
