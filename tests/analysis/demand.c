/* WALT's demand of a task that runs 10 ms in every 20 ms, worked out by hand. */
#include "test.h"

#include "tools/feed.h"

#define MS INT64_C(1000000)
enum { IDLE = 0, TASK = 7, ROUNDS = 20 };

static void rounds(struct feed *f, const struct session_opts *o)
{
	struct event ev[3 * ROUNDS + 2];
	size_t n = 0;

	ev[n++] = ev_switch(0, 0, TASK, TS_INTERRUPTIBLE, IDLE);
	for (int i = 5; i < 5 + ROUNDS; i++) {
		ev[n++] = ev_wake(EV_sched_waking, i * 20 * MS, 0, IDLE, TASK, 0);
		ev[n++] = ev_switch(i * 20 * MS, 0, IDLE, TS_RUNNABLE, TASK);
		ev[n++] = ev_switch(i * 20 * MS + 10 * MS, 0, TASK, TS_INTERRUPTIBLE, IDLE);
	}
	ev[n++] = ev_other((5 + ROUNDS) * 20 * MS, 0, IDLE);
	feed(f, ev, n, 1, o);
	assert_true(f->ok);
}

static double value_of(const struct feed *f, double window_ms, const char *key)
{
	char head[64];
	const char *at;

	snprintf(head, sizeof head, "\"window_ms\": %g, ", window_ms);
	at = strstr(f->json, head);
	at = at ? strstr(at, key) : NULL;
	if (!at)
		fail_msg("no %s of %g ms", key, window_ms);
	return strtod(at + strlen(key) + 2, NULL);
}

static void assert_near(double a, double b, double by)
{
	if (a < b - by || a > b + by)
		fail_msg("%g is not %g within %g", a, b, by);
}

static void by_phase(void **state)
{
	const struct session_opts o = {.walt_windows_ms = {20, 10}, .n_walt_windows = 2};
	struct feed f;

	(void)state;
	rounds(&f, &o);
	/* every window of 20 ms has 10 ms of it, wherever it begins */
	assert_near(value_of(&f, 20, "\"mean_low\""), 512, 2);
	assert_near(value_of(&f, 20, "\"mean_high\""), 512, 2);
	/* one of 10 ms that begins with it is full, one that begins half way has 5 ms */
	assert_near(value_of(&f, 10, "\"mean_high\""), 1024, 2);
	assert_near(value_of(&f, 10, "\"mean_low\""), 512, 140); /* phases are 1.25 ms apart */
	assert_true(value_of(&f, 20, "\"n\"") >= 10);
	assert_non_null(strstr(f.text, "WALT     demand of a task"));
	feed_free(&f);
}

/* With fewer than five active windows the history is from before the trace. */
static void unknown_history(void **state)
{
	const struct session_opts o = {.walt_windows_ms = {200}, .n_walt_windows = 1};
	struct feed f;

	(void)state;
	rounds(&f, &o);
	assert_true(feed_has(&f, "\"window_ms\":200,\"n\":0,\"mean_low\":null,"));
	feed_free(&f);
}

static void not_asked_for(void **state)
{
	struct feed f;

	(void)state;
	rounds(&f, NULL);
	assert_null(strstr(f.json, "walt_demand"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(by_phase),
	        cmocka_unit_test(unknown_history),
	        cmocka_unit_test(not_asked_for),
	};

	return run(tests);
}
