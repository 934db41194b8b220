/* Tasks: states, wake-ups, incarnations, migrations; facts from literals, seen through JSON. */
#include "test.h"

#include "tools/feed.h"

static void woken_and_preempted(void **state)
{
	(void)state;
	FEED(f, 1, ev_switch(0, 0, 7, TS_INTERRUPTIBLE, 8),
	     ev_wake(EV_sched_waking, 40, 0, 8, 7, 0),
	     ev_wake(EV_sched_waking, 45, 0, 8, 7, 0), /* does not restart the wait */
	     ev_switch(50, 0, 8, TS_PREEMPTED, 7),
	     ev_wake(EV_sched_waking, 60, 0, 7, 7, 0), /* runs: nothing */
	     ev_switch(80, 0, 7, TS_UNINTERRUPTIBLE, 8), ev_other(100, 0, 8));
	assert_true(feed_has(&f, "\"wakeup\":{\"n\":1,\"p50_ns\":10"));
	assert_true(feed_has(&f, "\"preemption\":{\"n\":1,\"p50_ns\":30"));
	assert_true(
	        feed_has(&f, "\"run_ns\":70,\"runnable_ns\":30,\"blocked_ns\":0,\"unknown_ns\":0"));
	assert_true(feed_has(
	        &f, "\"run_ns\":30,\"runnable_ns\":10,\"blocked_ns\":60,\"unknown_ns\":0"));
	assert_true(feed_has(&f, "\"interruptible_ns\":40,\"uninterruptible_ns\":20"));
	feed_free(&f);
}

static void pid_used_again(void **state)
{
	(void)state;
	FEED(f, 1, ev_fork(0, 0, 1, 7, "first"), ev_switch(10, 0, 1, TS_INTERRUPTIBLE, 7),
	     ev_switch(20, 0, 7, TS_DEAD, 1), ev_fork(50, 0, 1, 7, "second"),
	     ev_switch(60, 0, 1, TS_INTERRUPTIBLE, 7), ev_other(100, 0, 7));
	assert_true(feed_has(&f, "\"comm\":\"first\""));
	assert_true(feed_has(&f, "\"comm\":\"second\""));
	assert_true(feed_has(&f, "\"incarnation\":0"));
	assert_true(feed_has(&f, "\"incarnation\":1"));
	assert_true(feed_has(&f, "\"lifetime_ns\":20,\"run_ns\":10,\"runnable_ns\":10"));
	assert_true(feed_has(&f, "\"lifetime_ns\":50,\"run_ns\":40,\"runnable_ns\":10"));
	feed_free(&f);
}

static void migrations_by_kind(void **state)
{
	(void)state;
	FEED(f, 3, ev_switch(0, 0, 7, TS_INTERRUPTIBLE, 0),
	     ev_wake(EV_sched_waking, 10, 1, 0, 7, 0), ev_migrate(11, 1, 0, 7, 0, 1),
	     ev_wake(EV_sched_wakeup, 12, 1, 0, 7, 1), ev_switch(13, 1, 0, 0, 7),
	     ev_switch(20, 1, 7, TS_PREEMPTED, 8), ev_migrate(21, 2, 0, 7, 1, 2),
	     ev_switch(22, 2, 0, 0, 7), ev_switch(30, 2, 7, TS_PREEMPTED, 0),
	     ev_switch(40, 0, 0, 0, 7)); /* not announced */
	assert_true(feed_has(
	        &f, "\"migrations\":{\"explicit\":2,\"implicit\":1,\"wakeup\":1,\"queued\":2,"
	            "\"running\":0,\"fork\":0,\"unknown\":0"));
	feed_free(&f);
}

static void only_sched_wakeup(void **state)
{
	(void)state;
	FEED(f, 1, ev_switch(0, 0, 7, TS_INTERRUPTIBLE, 8),
	     ev_wake(EV_sched_wakeup, 10, 0, 8, 7, 0), ev_switch(25, 0, 8, TS_INTERRUPTIBLE, 7));
	assert_true(feed_has(&f, "\"wakeup\":{\"n\":1,\"p50_ns\":15"));
	assert_true(feed_has(&f, "\"wakeup_from\":\"sched_wakeup\""));
	feed_free(&f);
}

/* 7 waits for cpu1 when its events get lost at 20: it may have run and slept until 300. */
static void no_wait_across_a_gap(void **state)
{
	(void)state;
	FEED(f, 2, ev_switch(0, 0, 7, TS_INTERRUPTIBLE, 8), ev_switch(0, 1, 0, 0, 9),
	     ev_wake(EV_sched_waking, 10, 0, 8, 7, 1), ev_lost_at(20, 1, -1, false),
	     ev_other(250, 1, 9), ev_switch(300, 1, 9, TS_INTERRUPTIBLE, 7), ev_other(400, 1, 7),
	     ev_other(400, 0, 8));
	assert_true(feed_has(&f, "\"wakeup\":{\"n\":0"));
	assert_true(feed_has(
	        &f, "\"run_ns\":100,\"runnable_ns\":10,\"blocked_ns\":10,\"unknown_ns\":280"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(woken_and_preempted),  cmocka_unit_test(pid_used_again),
	        cmocka_unit_test(migrations_by_kind),   cmocka_unit_test(only_sched_wakeup),
	        cmocka_unit_test(no_wait_across_a_gap),
	};

	return run(tests);
}
