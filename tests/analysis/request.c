/* Requests against clocks that a small closed loop in floating point sets: one CPU under
 * schedutil's rule of 6.1, a task that runs 80 ms, then four times 10 ms, with 300 ms of sleep
 * between. */
#include "test.h"

#include "tools/feed.h"

#include <math.h>

#define MS INT64_C(1000000)
enum { IDLE = 0, TASK = 7, ROUNDS = 20, EVENTS = 600 };

static const uint32_t cpus[] = {0};
static const int64_t khz[] = {400, 800, 1200, 1600, 2000};
static const int32_t capacity[] = {1024};
static const struct platform_domain domain = {.cpus = cpus, .n_cpus = 1, .khz = khz, .n_khz = 5};
static const struct platform one = {
        .capacity = capacity, .n_cpus = 1, .domains = &domain, .n_domains = 1, .kernel = "6.1"};

/* The lowest clock that is enough. */
static int64_t wanted(double util)
{
	for (int i = 0; i < 5; i++)
		if ((double)khz[i] >= 1.25 * 2000 * util / 1024)
			return khz[i];
	return khz[4];
}

/* The governor looks every 4 ms while the task runs, and at its wake-ups; `every` n-th change goes
 * somewhere else. */
static size_t closed_loop(struct event *ev, double half_life_ms, unsigned every)
{
	double util = 0, est = 0;
	int64_t clock = 400, t = 1000 * MS;
	unsigned changes = 0;
	size_t n = 0;

	ev[n++] = ev_switch(0, 0, TASK, TS_INTERRUPTIBLE, IDLE);
	ev[n++] = ev_freq(1, 0, IDLE, 0, clock);
	for (int i = 0; i < ROUNDS; i++) {
		ev[n++] = ev_wake(EV_sched_waking, t, 0, IDLE, TASK, 0);
		ev[n++] = ev_switch(t, 0, IDLE, TS_RUNNABLE, TASK);
		for (int ms = 0; ms < (i % 5 ? 10 : 80); ms++, t += MS) {
			double most = util > est ? util : est;

			if (ms % 4 == 0 && wanted(most) != clock) {
				clock = wanted(most);
				changes++;
				ev[n++] = ev_freq(t + 1, 0, TASK, 0,
				                  every && changes % every == 0
				                          ? (clock >= 1200 ? 400 : 2000)
				                          : clock);
			}
			util = 1024 + (util - 1024) * exp2(-(double)clock / 2000 / half_life_ms);
		}
		ev[n++] = ev_switch(t, 0, TASK, TS_INTERRUPTIBLE, IDLE);
		est -= est > util ? (est - util) / 4 : est - util; /* util_est: up at once */
		t += 300 * MS;
		util *= exp2(-300 / half_life_ms);
	}
	ev[n++] = ev_other(t, 0, IDLE);
	assert_true(n < EVENTS);
	return n;
}

static void says(double half_life_ms, unsigned every, double told_ms, const char *json,
                 const char *text)
{
	static struct event ev[EVENTS];
	struct run r = {.path = "run.yaml",
	                .governor = "schedutil",
	                .pelt_half_life_ms = told_ms,
	                .hz = 250};
	size_t n = closed_loop(ev, half_life_ms, every);
	struct feed f;

	r.pelt_multiplier = r.walt_window_ms = r.rate_limit_us = r.up_rate_limit_us = NAN;
	r.down_rate_limit_us = r.uclamp_rt_default = r.refresh_hz = r.start_temperature_c = NAN;
	feed(&f, ev, n, 1, &(struct session_opts){.platform = &one, .run = &r});
	assert_true(f.ok);
	if (!feed_has(&f, json) || !strstr(f.text, text))
		fail_msg("no %s or '%s' in %.300s", json, text, strstr(f.json, "\"request\""));
	feed_free(&f);
}

static void the_right_half_life(void **state)
{
	(void)state;
	says(32 * 1.048576, 0, 32, "\"withheld\":null", "explain 100.0 % of");
	says(16 * 1.048576, 0, 16, "\"withheld\":null", "explain 100.0 % of");
}

static void clocks_that_somebody_else_sets(void **state)
{
	(void)state;
	says(32 * 1.048576, 2, 32, "\"withheld\":\"therequestmodelexplains",
	     "REQUEST  withheld: the");
}

static void a_half_life_that_nobody_told(void **state)
{
	(void)state;
	says(32 * 1.048576, 0, NAN, "\"withheld\":\"nohalf-lifegiven", "32 assumed");
}

static void another_governor(void **state)
{
	const struct event ev[] = {ev_switch(0, 0, IDLE, 0, TASK), ev_other(MS, 0, TASK)};
	struct run r = {.path = "run.yaml", .governor = "performance", .pelt_half_life_ms = 32};
	struct feed f;

	(void)state;
	feed(&f, ev, 2, 1, &(struct session_opts){.platform = &one, .run = &r});
	assert_true(
	        feed_has(&f, "\"request\":null,\"request_reason\":\"thegovernorisnotschedutil\""));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_right_half_life),
	        cmocka_unit_test(clocks_that_somebody_else_sets),
	        cmocka_unit_test(a_half_life_that_nobody_told),
	        cmocka_unit_test(another_governor),
	};

	return run(tests);
}
