/* PELT against the oracles of the guide (testdata/signals, made by an independent model): integer
 * columns must match exactly. */
#include "test.h"

#include "signal/pelt.h"
#include "tools/csv.h"

#include <math.h>
#include <stdlib.h>

#define MS INT64_C(1000000)

static struct pelt params(unsigned half_life, enum pelt_era era, unsigned multiplier)
{
	struct pelt p;

	assert_true(pelt_init(&p, half_life, era, multiplier));
	return p;
}

/* ---- constants ---- */

static void constants(void **state)
{
	struct csv c = csv_open("pelt_constants");

	(void)state;
	while (csv_row(&c)) {
		struct pelt p = params((unsigned)csv_int(&c, 0), PELT_P1, 1);
		char *next = c.at[8];

		assert_int_equal(p.max, csv_int(&c, 1));
		assert_int_equal(p.max_n, csv_int(&c, 2));
		assert_int_equal(p.max - PELT_PERIOD, csv_int(&c, 3));
		assert_int_equal(p.sum[p.half_life], csv_int(&c, 7));
		for (int i = 0; *next; i++)
			assert_int_equal(p.half[i], strtol(next, &next, 10));
		/* a value is gone after so many periods */
		assert_int_equal(pelt_decay(&p, UINT64_MAX, (uint64_t)csv_int(&c, 6) + 1), 0);
	}
}

static void tables(void **state)
{
	struct csv c = csv_open("pelt_inv_tables");

	(void)state;
	while (csv_row(&c))
		assert_int_equal(params((unsigned)csv_int(&c, 0), PELT_P5, 1).inv[csv_int(&c, 1)],
		                 (uint32_t)csv_int(&c, 3));
	c = csv_open("pelt_ysum_legacy");
	while (csv_row(&c))
		assert_int_equal(params((unsigned)csv_int(&c, 0), PELT_P1, 1).sum[csv_int(&c, 1)],
		                 csv_int(&c, 2));
}

static void what_is_no_half_life(void **state)
{
	struct pelt p;

	(void)state;
	assert_false(pelt_init(&p, 0, PELT_P5, 1));
	assert_false(pelt_init(&p, 65, PELT_P5, 1));
	assert_false(pelt_init(&p, 32, PELT_P5, 3));
	assert_true(pelt_init(&p, 1, PELT_P5, 1));
	assert_true(pelt_init(&p, 64, PELT_P5, 4));
}

/* ---- one task alone on a CPU ---- */

struct alone {
	struct pelt p;
	struct pelt_clock clock;
	struct pelt_signal s;
	int64_t tick;
};

static struct alone alone(struct pelt p, uint32_t cap, uint32_t freq, int64_t tick)
{
	struct alone a = {.p = p, .clock = pelt_clock(cap), .tick = tick};

	a.clock.freq = freq;
	return a;
}

static void update(struct alone *a, bool running)
{
	struct pelt_doing d = {running, running, running, a->clock.freq, a->clock.cap, 0};

	pelt_update(&a->p, &a->s, pelt_now(&a->p, &a->clock), &d);
}

static uint64_t run_for(struct alone *a, int64_t ns)
{
	if (a->clock.idle) {
		update(a, false);
		pelt_clock_busy(&a->clock);
	}
	while (ns) {
		int64_t step = a->tick ? a->tick - a->clock.task % a->tick : ns;

		step = step < ns ? step : ns;
		pelt_clock_advance(&a->p, &a->clock, step);
		ns -= step;
		if (ns)
			update(a, true);
	}
	update(a, true);
	pelt_clock_idle(&a->p, &a->clock, a->s.util_sum);
	return a->s.util;
}

/* Its util if it were brought up to date now. */
static uint64_t peek(const struct alone *a)
{
	struct alone b = *a;

	update(&b, !b.clock.idle);
	return b.s.util;
}

static void decay(void **state)
{
	static const unsigned half_lives[] = {32, 16, 8};
	struct csv c = csv_open("pelt_decay");

	(void)state;
	while (csv_row(&c))
		for (int i = 0; i < 3; i++) {
			struct pelt p = params(half_lives[i], PELT_P5, 1);
			struct pelt_signal s = {.util = (uint64_t)csv_int(&c, 0)};
			struct pelt_doing nothing = {0};

			s.util_sum = s.util * pelt_divider(&p, &s);
			pelt_update(&p, &s, csv_int(&c, 1) * MS, &nothing);
			assert_int_equal(s.util, csv_int(&c, 2 + 2 * i));
		}
}

static void ramp(void **state)
{
	static const int64_t ticks[] = {0, MS, 4 * MS};
	struct csv c = csv_open("pelt_ramp");

	(void)state;
	while (csv_row(&c)) {
		bool table = !strcmp(c.at[0], "table");
		unsigned multiplier = table ? 1 : (unsigned)(c.at[0][4] - '0');
		unsigned half_life = table ? (unsigned)csv_int(&c, 1) : 32;

		for (int i = 0; i < 3; i++) {
			struct alone a =
			        alone(params(half_life, PELT_P5, multiplier), 1024, 1024, ticks[i]);

			assert_int_equal(run_for(&a, csv_int(&c, 2) * MS), csv_int(&c, 3 + i));
		}
	}
}

static void always_running(void **state)
{
	static const enum pelt_era eras[] = {PELT_P3, PELT_P2, PELT_P1};
	struct csv c = csv_open("pelt_always_running");

	(void)state;
	while (csv_row(&c))
		for (int i = 0; i < 3; i++) {
			struct alone a = alone(params(32, eras[i], 1), (uint32_t)csv_int(&c, 1),
			                       (uint32_t)csv_int(&c, 2), 4 * MS);

			assert_int_equal(run_for(&a, csv_int(&c, 3) * MS), csv_int(&c, 4 + i));
		}
}

static void saturated_then_idle(void **state)
{
	struct csv c = csv_open("pelt_lost_idle");
	struct alone a = alone(params(32, PELT_P5, 1), 1024, 512, MS);

	(void)state;
	while (csv_row(&c)) {
		assert_int_equal(run_for(&a, csv_int(&c, 1) * MS), csv_int(&c, 3));
		assert_int_equal(a.clock.lost, csv_int(&c, 4));
		pelt_clock_advance(&a.p, &a.clock, csv_int(&c, 2) * MS);
		assert_int_equal(pelt_now(&a.p, &a.clock) - a.clock.task, csv_int(&c, 5));
		assert_int_equal(peek(&a), csv_int(&c, 6));
	}
}

/* Measured every 0.1 ms while ticks come every 1 ms. */
struct range {
	uint64_t min, max;
	double sum;
	int64_t ns;
};

static void measure(struct range *r, const struct alone *a, int64_t ns)
{
	uint64_t u = peek(a);

	r->min = u < r->min ? u : r->min;
	r->max = u > r->max ? u : r->max;
	r->sum += (double)u * (double)ns;
	r->ns += ns;
}

/* Let time pass, running or idle. */
static void pass(struct alone *a, int64_t ns, bool running, struct range *r)
{
	while (ns) {
		int64_t d = ns < MS / 10 ? ns : MS / 10;

		pelt_clock_advance(&a->p, &a->clock, d);
		ns -= d;
		if (running && a->clock.task % MS == 0)
			update(a, true);
		if (r)
			measure(r, a, d);
	}
}

static void one_period(struct alone *a, int64_t run, int64_t rest, struct range *r)
{
	if (r)
		measure(r, a, 0);
	update(a, false);
	pelt_clock_busy(&a->clock);
	pass(a, run, true, r);
	update(a, true);
	if (r && a->s.util > r->max)
		r->max = a->s.util;
	pelt_clock_idle(&a->p, &a->clock, a->s.util_sum);
	pass(a, rest, false, r);
}

static void periodic(void **state)
{
	static const struct {
		const char *name;
		uint32_t cap, freq;
	} cpus[] = {{"max", 1024, 1024},
	            {"half_freq", 1024, 512},
	            {"little462", 462, 1024},
	            {"little462_half", 462, 512}};
	struct csv c = csv_open("pelt_periodic");
	int rows = 0;

	(void)state;
	while (csv_row(&c)) {
		size_t i = 0;
		struct range r = {UINT64_MAX, 0, 0, 0};
		struct alone a;
		int64_t run;

		while (i < sizeof cpus / sizeof *cpus && strcmp(cpus[i].name, c.at[2]))
			i++;
		if (i == sizeof cpus / sizeof *cpus)
			fail_msg("no CPU is called %s", c.at[2]);
		a = alone(params((unsigned)csv_int(&c, 0),
		                 strcmp(c.at[1], "new") ? PELT_P2 : PELT_P3, 1),
		          cpus[i].cap, cpus[i].freq, 0);
		run = llround(csv_real(&c, 3) * 16 * 1048576.0 * (double)MS /
		              (cpus[i].cap * (double)cpus[i].freq));
		if (run >= 16 * MS) { /* it does not fit into its period */
			assert_string_equal(c.at[5], "saturated");
			rows++;
			continue;
		}
		for (int k = 0; k < 80; k++) /* 60 to settle */
			one_period(&a, run, 16 * MS - run, k < 60 ? NULL : &r);
		assert_int_equal(r.min, csv_int(&c, 5));
		assert_int_equal(r.max, csv_int(&c, 7));
		assert_true(fabs(r.sum / (double)r.ns - csv_real(&c, 6)) < 0.05);
		rows++;
	}
	assert_int_equal(rows, 72);
}

/* ---- queues ---- */

/* A and B alternate every 3 ms up to 30 ms, then sleep. */
struct pair {
	struct pelt p;
	struct pelt_clock clock;
	struct pelt_signal task[2], root;
	int current;
};

static void step_pair(struct pair *x, int ms)
{
	static const struct pelt_doing run = {1, 1, true, 1024, 1024, 0};
	static const struct pelt_doing wait = {1, 1, false, 1024, 1024, 0};
	static const struct pelt_doing both = {1, 2, true, 1024, 1024, 0};
	static const struct pelt_doing none = {0, 0, false, 1024, 1024, 0};
	int64_t now;

	pelt_clock_advance(&x->p, &x->clock, MS);
	now = pelt_now(&x->p, &x->clock);
	if (ms <= 30) {
		pelt_update(&x->p, &x->task[x->current], now, &run);
		pelt_update(&x->p, &x->root, now, &both);
		if (ms % 3 == 0) {
			x->current = !x->current;
			pelt_update(&x->p, &x->task[x->current], now, &wait);
		}
	}
	for (int i = 0; i < 2 && (ms == 30 || ms == 60); i++)
		pelt_update(&x->p, &x->task[i], now, ms == 30 ? &wait : &none);
	if (ms == 30)
		pelt_clock_idle(&x->p, &x->clock, x->root.util_sum);
	if (ms == 60)
		pelt_update(&x->p, &x->root, now, &none);
}

static void two_tasks(void **state)
{
	static const unsigned half_lives[] = {32, 16, 8};
	struct csv c = csv_open("pelt_two_tasks");

	(void)state;
	for (int h = 0; h < 3; h++) {
		struct pair x = {.p = params(half_lives[h], PELT_P5, 1), .clock = pelt_clock(1024)};

		pelt_clock_busy(&x.clock);
		for (int ms = 1; ms <= 60; ms++) {
			step_pair(&x, ms);
			if (ms % 3 || (ms > 30 && ms < 60))
				continue;
			assert_true(csv_row(&c));
			assert_int_equal(csv_int(&c, 0), half_lives[h]);
			assert_int_equal(csv_int(&c, 1), ms);
			assert_int_equal(x.task[0].util, csv_int(&c, 2));
			assert_int_equal(x.task[0].runnable, csv_int(&c, 3));
			assert_int_equal(x.task[1].util, csv_int(&c, 4));
			assert_int_equal(x.task[1].runnable, csv_int(&c, 5));
			assert_int_equal(x.root.util, csv_int(&c, 6));
			assert_int_equal(x.root.runnable, csv_int(&c, 7));
		}
	}
	assert_false(csv_row(&c));
}

/* A task on a LITTLE CPU 0 that slows down, asleep, then on a big CPU 4; row by row. */
struct move {
	struct pelt p;
	bool to_now; /* what leaves an idle CPU is aged to now (P4) */
	struct pelt_clock clock[2];
	struct pelt_signal queue[2], task;
	int64_t t; /* ms */
};

static void advance_to(struct move *m, int64_t ms)
{
	for (int i = 0; i < 2; i++)
		pelt_clock_advance(&m->p, &m->clock[i], (ms - m->t) * MS);
	m->t = ms;
}

static void update_on(struct move *m, int cpu, struct pelt_signal *s, bool on)
{
	struct pelt_doing d = {on, on, on, m->clock[cpu].freq, m->clock[cpu].cap, 0};

	pelt_update(&m->p, s, pelt_now(&m->p, &m->clock[cpu]), &d);
}

/* The task, asleep, is going to wake on the big CPU. What is taken out of its queue. */
static uint64_t leave(struct move *m)
{
	struct pelt_doing none = {0};
	uint64_t removed;

	pelt_update(&m->p, &m->task, m->queue[0].last, &none);
	removed = m->task.util;
	if (m->to_now)
		pelt_update(&m->p, &m->task, pelt_now(&m->p, &m->clock[0]), &none);
	return removed;
}

static void join(struct move *m, uint64_t removed)
{
	pelt_remove(&m->p, &m->queue[0], removed);
	update_on(m, 0, &m->queue[0], false);
	update_on(m, 1, &m->queue[1], false);
	pelt_attach(&m->p, &m->queue[1], &m->task);
}

static void migration(void **state)
{
	struct csv c = csv_open("pelt_migration");
	struct move m = {0};
	uint64_t removed = 0;
	int rows = 0;

	(void)state;
	for (; csv_row(&c); rows++) {
		const char *event = c.at[3];
		int cpu = csv_int(&c, 4) ? 1 : 0;
		bool wake = !strcmp(event, "wake"), sleep = !strcmp(event, "sleep");

		if (wake && csv_real(&c, 2) < 1) /* another script begins */
			m = (struct move){.p = params((unsigned)csv_int(&c, 0),
			                              strcmp(c.at[1], "old") ? PELT_P4 : PELT_P2,
			                              1),
			                  .to_now = !strcmp(c.at[1], "new"),
			                  .clock = {pelt_clock(462), pelt_clock(1024)}};
		advance_to(&m, (int64_t)csv_real(&c, 2));
		if (!strcmp(event, "freq")) {
			m.clock[0].freq = 512;
		} else if (!strcmp(event, "migrate_out")) {
			removed = leave(&m);
		} else if (wake && cpu && m.t == 30) {
			join(&m, removed);
		} else {
			update_on(&m, cpu, &m.task, !wake);
			update_on(&m, cpu, &m.queue[cpu], !wake);
		}
		assert_int_equal(pelt_now(&m.p, &m.clock[cpu]), csv_int(&c, 5));
		assert_int_equal(m.task.last, csv_int(&c, 6));
		assert_int_equal(m.task.phase, csv_int(&c, 7));
		assert_int_equal(m.task.util_sum, csv_int(&c, 8));
		assert_int_equal(m.task.util, csv_int(&c, 9));
		assert_int_equal(m.queue[0].util, csv_int(&c, 10));
		assert_int_equal(m.queue[1].util, csv_int(&c, 11));
		if (sleep)
			pelt_clock_idle(&m.p, &m.clock[cpu], m.queue[cpu].util_sum);
		else if (wake)
			pelt_clock_busy(&m.clock[cpu]);
	}
	assert_int_equal(rows, 135);
}

static void new_task(void **state)
{
	(void)state;
	assert_int_equal(pelt_new_task_util(1024, 0, 0, 1024), 512);
	assert_int_equal(pelt_new_task_util(1024, 200, 1023, 1024), 200);
	assert_int_equal(pelt_new_task_util(1024, 800, 1023, 1024), 112); /* half of the room */
	assert_int_equal(pelt_new_task_util(400, 500, 1024, 1024), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(constants),
	        cmocka_unit_test(tables),
	        cmocka_unit_test(what_is_no_half_life),
	        cmocka_unit_test(decay),
	        cmocka_unit_test(ramp),
	        cmocka_unit_test(always_running),
	        cmocka_unit_test(saturated_then_idle),
	        cmocka_unit_test(periodic),
	        cmocka_unit_test(two_tasks),
	        cmocka_unit_test(migration),
	        cmocka_unit_test(new_task),
	};

	return run(tests);
}
