/* Who runs: evidence, gaps, clocks; facts from literals, seen through the JSON of a session. */
#include "test.h"

#include "tools/feed.h"

static void busy_from_the_start(void **state)
{
	(void)state;
	/* 7 ran before its switch-out at 100: it was current since the first event of all, at 0 */
	FEED(f, 2, ev_other(0, 1, 0), ev_switch(100, 0, 7, TS_INTERRUPTIBLE, 0),
	     ev_other(150, 1, 0), ev_switch(200, 0, 0, 0, 7), ev_other(300, 0, 7));
	assert_true(feed_has(&f,
	                     "\"cpu\":0,\"capacity\":null,\"capacity_reason\":\"not in the trace; "
	                     "give --platform\","
	                     "\"busy_ns\":200,\"idle_ns\":100,\"unknown_ns\":0,\"switches\":2"));
	/* it ran again without a waking: blocked or waiting, nobody knows */
	assert_true(feed_has(
	        &f, "\"run_ns\":200,\"runnable_ns\":0,\"blocked_ns\":0,\"unknown_ns\":100"));
	feed_free(&f);
}

static void gap_ends_what_is_known(void **state)
{
	(void)state;
	FEED(f, 1, ev_switch(0, 0, 0, 0, 7), ev_other(20, 0, 7), ev_lost_at(20, 0, 5, false),
	     ev_other(100, 0, 7), ev_switch(150, 0, 7, TS_INTERRUPTIBLE, 0), ev_other(200, 0, 0));
	assert_true(feed_has(&f, "\"busy_ns\":70,\"idle_ns\":50,\"unknown_ns\":80"));
	assert_true(feed_has(
	        &f, "\"run_ns\":70,\"runnable_ns\":0,\"blocked_ns\":50,\"unknown_ns\":80"));
	feed_free(&f);
}

static void gap_at_the_start(void **state)
{
	(void)state;
	FEED(f, 2, ev_other(0, 1, 0), ev_lost_at(60, 0, -1, true), ev_other(60, 0, 7),
	     ev_switch(100, 0, 7, TS_INTERRUPTIBLE, 0));
	assert_true(feed_has(&f, "\"busy_ns\":40,\"idle_ns\":0,\"unknown_ns\":60"));
	feed_free(&f);
}

static void switch_from_idle_is_missing(void **state)
{
	(void)state;
	/* 7 was woken for cpu0 at 30 and writes at 50: it ran since 30 */
	FEED(f, 1, ev_switch(0, 0, 9, TS_INTERRUPTIBLE, 0),
	     ev_wake(EV_sched_wakeup, 30, 0, 0, 7, 0), ev_other(50, 0, 7),
	     ev_switch(70, 0, 7, TS_INTERRUPTIBLE, 0), ev_other(100, 0, 0));
	assert_true(feed_has(&f, "\"inferred_switches\":1"));
	assert_true(feed_has(&f, "\"busy_ns\":40,\"idle_ns\":60,\"unknown_ns\":0"));
	feed_free(&f);
}

static void switch_from_idle_without_wakeup(void **state)
{
	(void)state;
	FEED(f, 1, ev_switch(0, 0, 9, TS_INTERRUPTIBLE, 0), ev_other(10, 0, 0), ev_other(50, 0, 7),
	     ev_other(100, 0, 7));
	assert_true(feed_has(&f, "\"busy_ns\":50,\"idle_ns\":10,\"unknown_ns\":40"));
	feed_free(&f);
}

static void switch_to_another_is_missing(void **state)
{
	(void)state;
	FEED(f, 1, ev_switch(0, 0, 0, 0, 7), ev_other(20, 0, 7), ev_other(60, 0, 0),
	     ev_other(100, 0, 0));
	assert_true(feed_has(&f, "\"busy_ns\":20,\"idle_ns\":40,\"unknown_ns\":40"));
	feed_free(&f);
}

static void stragglers_are_no_evidence(void **state)
{
	(void)state;
	/* tlb_flush and its like: written by the old task after sched_switch */
	FEED(f, 1, ev_switch(0, 0, 0, 0, 7), ev_switch(20, 0, 7, TS_INTERRUPTIBLE, 8),
	     ev_other(21, 0, 7), ev_other(40, 0, 8));
	assert_true(feed_has(&f, "\"inferred_switches\":0"));
	feed_free(&f);
}

static void runs_in_two_places(void **state)
{
	(void)state;
	/* 7 is switched in on cpu1 while cpu0 never said that it left */
	FEED(f, 2, ev_switch(0, 0, 0, 0, 7), ev_other(10, 0, 7), ev_switch(50, 1, 0, 0, 7),
	     ev_other(100, 1, 7), ev_other(100, 0, 0));
	assert_true(
	        feed_has(&f, "\"run_ns\":60,\"runnable_ns\":0,\"blocked_ns\":0,\"unknown_ns\":40"));
	assert_true(feed_has(&f, "\"inferred_switches\":1"));
	feed_free(&f);
}

static void markers_tell_first_clocks(void **state)
{
	(void)state;
	FEED(f, 2, ev_print(0, 0, 7, "cpu_frequency_devlib: state=800000 cpu_id=1"),
	     ev_freq(50, 1, 0, 1, 1200000),
	     ev_print(60, 0, 7,
	              "cpu_frequency_devlib: state=900000 cpu_id=1"), /* too late to count */
	     ev_other(100, 1, 0));
	assert_true(feed_has(&f, "\"residency\":[{\"khz\":800000,\"total_ns\":50,\"busy_ns\":0},"
	                         "{\"khz\":1200000,\"total_ns\":50,\"busy_ns\":0}]"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(busy_from_the_start),
	        cmocka_unit_test(gap_ends_what_is_known),
	        cmocka_unit_test(gap_at_the_start),
	        cmocka_unit_test(switch_from_idle_is_missing),
	        cmocka_unit_test(switch_from_idle_without_wakeup),
	        cmocka_unit_test(switch_to_another_is_missing),
	        cmocka_unit_test(stragglers_are_no_evidence),
	        cmocka_unit_test(runs_in_two_places),
	        cmocka_unit_test(markers_tell_first_clocks),
	};

	return run(tests);
}
