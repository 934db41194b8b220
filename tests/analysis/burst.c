/* Bursts: times to a goal and what the starts lose, worked out by hand. */
#include "test.h"

#include "tools/feed.h"

#define MS 1000000
enum { IDLE = 0, TASK = 7 };

enum { PER_BURST = 6 };

/* Wake at `at`, run there on the little CPU for `little` ms and on the big one for `big` ms. */
static size_t burst(struct event *to, int64_t at, int64_t little, int64_t big)
{
	struct event *begin = to;

	*to++ = ev_wake(EV_sched_waking, at * MS, 0, IDLE, TASK, 0);
	*to++ = ev_switch(at * MS, 0, IDLE, 0, TASK);
	*to++ = ev_switch((at + little) * MS, 0, TASK, big ? 0 : 1, IDLE);
	if (big) {
		*to++ = ev_migrate((at + little) * MS, 1, IDLE, TASK, 0, 1);
		*to++ = ev_switch((at + little) * MS, 1, IDLE, 0, TASK);
		*to++ = ev_switch((at + little + big) * MS, 1, TASK, 1, IDLE);
	}
	return (size_t)(to - begin);
}

static void three_bursts(void **state)
{
	struct event ev[4 + 4 * PER_BURST];
	size_t n = 0;
	struct feed f;

	(void)state;
	ev[n++] = ev_switch(0, 0, TASK, 1, IDLE);
	ev[n++] = ev_freq(0, 0, IDLE, 0, 500);
	ev[n++] = ev_freq(0, 1, IDLE, 1, 2000);
	n += burst(ev + n, 200, 10, 5);
	n += burst(ev + n, 290, 0, 1); /* 75 ms asleep: no end of the burst */
	n += burst(ev + n, 400, 20, 0);
	n += burst(ev + n, 600, 30, 90); /* 20 of them are beyond the first 100 ms */
	ev[n++] = ev_other(1000 * MS, 0, IDLE);
	feed(&f, ev, n, 2, &(struct session_opts){.platform = &feed_two});
	assert_true(f.ok);
	/* the little CPU runs at 1/4: 60 ms of it; the big one 5 + 1 + 70 */
	assert_true(feed_has(&f, "\"bursts\":{\"n\":3,\"run_ns\":136000000,\"work_ns\":91000000,"));
	/* 10 and 30 arrive, 20 ends before: 2/3 is left after 10 ms, nothing after 30 */
	assert_true(feed_has(&f, "\"to_50_pct\":{\"arrived\":2,\"median_ms\":30}"));
	assert_true(feed_has(&f, "\"to_top\":{\"arrived\":2,\"median_ms\":30}"));
	assert_true(feed_has(&f, "\"to_larger_cpu\":{\"arrived\":2,\"median_ms\":30}"));
	assert_true(feed_has(&f, "\"woken\":4,\"woken_on_larger\":0"));
	assert_true(feed_has(&f, "\"name\":\"burst.to50_p50_ms\",\"scope\":\"all\",\"value\":30"));
	feed_free(&f);
}

static void fewer_than_half_arrive(void **state)
{
	struct event ev[4 + 2 * PER_BURST];
	size_t n = 0;
	struct feed f;

	(void)state;
	ev[n++] = ev_switch(0, 0, TASK, 1, IDLE);
	ev[n++] = ev_freq(0, 0, IDLE, 0, 500);
	n += burst(ev + n, 200, 10, 0);
	n += burst(ev + n, 400, 10, 0);
	feed(&f, ev, n, 2, &(struct session_opts){.platform = &feed_two});
	assert_true(feed_has(&f, "\"to_50_pct\":{\"arrived\":0,\"median_ms\":null,"));
	feed_free(&f);
}

static void none(void **state)
{
	const struct event ev[] = {ev_switch(0, 0, IDLE, 0, TASK), ev_freq(0, 1, IDLE, 0, 500),
	                           ev_other(MS, 0, TASK)};
	struct feed f;

	(void)state;
	feed(&f, ev, 3, 2, &(struct session_opts){.platform = &feed_two});
	assert_non_null(strstr(f.text, "BURSTS   no task was woken after 100 ms"));
	assert_true(feed_has(&f, "\"reason\":\"notaskcamebackafterarest(100msasleep,--rest)\""));
	feed_free(&f);
	feed(&f, ev, 3, 2, NULL);
	assert_non_null(strstr(f.text, "BURSTS   cpu sizes unknown"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(three_bursts),
	        cmocka_unit_test(fewer_than_half_arrive),
	        cmocka_unit_test(none),
	};

	return run(tests);
}
