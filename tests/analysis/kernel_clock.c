/* Half-life, multiplier and era from values that a kernel of that kind would have recorded: made by
 * the arithmetic of signal/pelt.h, which has oracles of its own, on a CPU of half the size. */
#include "test.h"

#include "signal/pelt.h"
#include "tools/feed.h"

#include <stdio.h>
#include <string.h>

enum { MS = 1000000, ROUNDS = 40, TASK = 7, EVENTS_MAX = ROUNDS * 16 + 4 };

/* A CPU as its kernel sees it; irq: part of the time that it spends in interrupts. */
struct kernel {
	struct pelt p;
	struct pelt_clock clock;
	struct pelt_signal util;
	struct event ev[EVENTS_MAX];
	size_t n;
	int64_t t, lag; /* stamps of the trace are that much ahead of the clock */
};

static void go(struct kernel *k, int64_t ns, bool running)
{
	pelt_clock_advance(&k->p, &k->clock, ns);
	k->t += ns;
	pelt_update(
	        &k->p, &k->util, pelt_now(&k->p, &k->clock),
	        &(struct pelt_doing){running, running, running, k->clock.freq, k->clock.cap, 0});
}

static void record(struct kernel *k, int by)
{
	k->ev[k->n++] = ev_pelt(k->t + k->lag, 0, by, TASK, (int64_t)k->util.util, k->util.last);
}

/* The task runs 12 ms at half of the clock and sleeps 40 ms, again and again. */
static void run_kernel(struct feed *f, unsigned half_life, enum pelt_era era, unsigned multiplier,
                       int64_t irq_ns)
{
	static struct kernel k;
	struct session_opts o = {.platform = &feed_two};

	k = (struct kernel){.clock = pelt_clock(512), .lag = 3 * MS};
	assert_true(pelt_init(&k.p, half_life, era, multiplier));
	k.clock.freq = 512;
	k.ev[k.n++] = ev_freq(k.lag, 0, 0, 0, 500);
	for (int i = 0; i < ROUNDS; i++) {
		go(&k, 40 * MS, false);
		k.ev[k.n++] = ev_wake(EV_sched_waking, k.t + k.lag, 0, 0, TASK, 0);
		record(&k, 0);
		k.ev[k.n++] = ev_switch(k.t + k.lag, 0, 0, TS_RUNNABLE, TASK);
		pelt_clock_busy(&k.clock);
		for (int tick = 0; tick < 3; tick++) {
			go(&k, 4 * MS - irq_ns, true);
			record(&k, TASK);
			if (!irq_ns)
				continue;
			k.ev[k.n] = ev_other(k.t + k.lag, 0, TASK);
			k.ev[k.n++].kind = EV_irq_handler_entry;
			k.t += irq_ns; /* the kernel's clock stands still */
			k.ev[k.n] = ev_other(k.t + k.lag, 0, TASK);
			k.ev[k.n++].kind = EV_irq_handler_exit;
		}
		record(&k, TASK);
		pelt_clock_idle(&k.p, &k.clock, k.util.util_sum);
		k.ev[k.n++] = ev_switch(k.t + k.lag, 0, TASK, TS_INTERRUPTIBLE, 0);
	}
	k.ev[k.n++] = ev_other(k.t + k.lag + MS, 0, 0);
	feed(f, k.ev, k.n, 2, &o);
	assert_true(f->ok);
}

static void wants(unsigned half_life, enum pelt_era era, unsigned multiplier, int64_t irq_ns,
                  const char *json)
{
	struct feed f;

	run_kernel(&f, half_life, era, multiplier, irq_ns);
	if (!feed_has(&f, json))
		fail_msg("no %s in %.600s", json, strstr(f.json, "\"pelt\""));
	feed_free(&f);
}

static void half_lives(void **state)
{
	(void)state;
	wants(32, PELT_P4, 1, 0, "\"half_life\":32,");
	wants(16, PELT_P4, 1, 0, "\"half_life\":16,");
	wants(8, PELT_P4, 1, 0, "\"half_life\":8,");
	wants(32, PELT_P2, 1, 0, "\"half_life\":32,");
}

/* The half-life is that of the PELT clock, which goes faster. */
static void multipliers(void **state)
{
	(void)state;
	wants(32, PELT_P4, 1, 0, "\"multiplier\":1,");
	wants(32, PELT_P4, 2, 0, "\"half_life\":32,");
	wants(32, PELT_P4, 2, 0, "\"multiplier\":2,");
	wants(32, PELT_P4, 4, 0, "\"half_life\":32,");
	wants(32, PELT_P4, 4, 0, "\"multiplier\":4,");
	wants(32, PELT_P4, 4, 0, "\"scaled\":true,");
}

static void eras(void **state)
{
	(void)state;
	wants(32, PELT_P3, 1, 0, "\"scaled\":true,");
	wants(32, PELT_P5, 2, 0, "\"scaled\":true,");
	wants(32, PELT_P2, 1, 0, "\"scaled\":false,");
}

static void interrupts(void **state)
{
	(void)state;
	wants(32, PELT_P4, 1, 0, "\"has_interrupts\":null,");
	wants(32, PELT_P4, 1, MS, "\"has_interrupts\":false");
}

static void lag(void **state)
{
	struct feed f;

	(void)state;
	run_kernel(&f, 32, PELT_P4, 1, 0);
	/* 3 ms; the signal's time is a whole number of 1024 ns */
	assert_true(feed_has(&f, "\"pelt_clock_lag_first_ns\":3000"));
	assert_non_null(strstr(f.text, "multiplier"));
	assert_non_null(strstr(f.text, "scaled by"));
	assert_non_null(strstr(f.text, "3.00 to"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(half_lives), cmocka_unit_test(multipliers), cmocka_unit_test(eras),
	        cmocka_unit_test(interrupts), cmocka_unit_test(lag),
	};

	return run(tests);
}
