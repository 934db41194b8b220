/* Waiting: quantiles, the worst, who ran meanwhile. */
#include "test.h"

#include "tools/feed.h"

static void meanwhile(void **state)
{
	(void)state;
	/* 7 waits 10..60 while 8 runs 10..40 and 9 runs 40..60; 8 waits 40..100 while 9, then 7 run
	 */
	FEED(f, 1, ev_switch(0, 0, 7, TS_INTERRUPTIBLE, 8),
	     ev_wake(EV_sched_waking, 10, 0, 8, 7, 0), ev_wake(EV_sched_waking, 40, 0, 8, 9, 0),
	     ev_switch(40, 0, 8, TS_PREEMPTED, 9), ev_switch(60, 0, 9, TS_INTERRUPTIBLE, 7),
	     ev_switch(100, 0, 7, TS_INTERRUPTIBLE, 8));
	assert_true(feed_has(
	        &f, "\"wakeup\":{\"n\":2,\"p50_ns\":25,\"p95_ns\":48,\"p99_ns\":50,\"max_ns\":50,"
	            "\"max_at_ns\":60,\"max_pid\":7,\"max_cpu\":0,\"exact\":true}"));
	assert_true(feed_has(&f, "\"preemption\":{\"n\":1,\"p50_ns\":60"));
	/* 8: 30 of 7; 9: 20 of 7 and 20 of 8; 7: 40 of 8 */
	assert_true(feed_has(
	        &f, "\"meanwhile\":{\"idle_ns\":0,\"unknown_ns\":0,\"tasks\":["
	            "{\"pid\":7,\"comm\":\"\",\"ns\":40},{\"pid\":9,\"comm\":\"\",\"ns\":40},"
	            "{\"pid\":8,\"comm\":\"\",\"ns\":30}]"));
	feed_free(&f);
}

static void none(void **state)
{
	(void)state;
	FEED(f, 1, ev_switch(0, 0, 0, 0, 7));
	assert_true(feed_has(&f, "\"wakeup\":{\"n\":0,\"p50_ns\":null,\"p50_ns_reason\":"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(meanwhile),
	        cmocka_unit_test(none),
	};

	return run(tests);
}
