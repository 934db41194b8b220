/* Tasks: JSON of identity and times, order, the report. */
#include "test.h"

#include "tools/feed.h"

static void order_and_report(void **state)
{
	(void)state;
	FEED(f, 1, ev_fork(0, 0, 1, 8, "b\033[2J"), ev_switch(10, 0, 1, 1, 8),
	     ev_switch(30, 0, 8, 1, 1), ev_other(100, 0, 1));
	assert_true(strstr(f.json, "\"pid\": 1,") <
	            strstr(f.json, "\"pid\": 8,")); /* 80 ns against 20 */
	assert_null(strchr(f.text, '\033'));
	assert_non_null(strstr(f.text, "b\\x1b[2J-8"));
	assert_true(feed_has(&f, "\"cpu_ns\":{\"0\":20}"));
	feed_free(&f);
}

static void io_wait_is_part_of_blocked(void **state)
{
	struct event reason = ev_other(60, 0, 0);

	(void)state;
	reason.kind = EV_sched_blocked_reason;
	reason.sched_blocked_reason = (struct ev_sched_blocked_reason){.pid = 7, .io_wait = 1};
	FEED(f, 1, ev_switch(0, 0, 7, TS_UNINTERRUPTIBLE, 0),
	     ev_wake(EV_sched_waking, 50, 0, 0, 7, 0), reason, ev_switch(70, 0, 0, 0, 7));
	assert_true(feed_has(&f, "\"uninterruptible_ns\":50,\"io_ns\":50"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(order_and_report),
	        cmocka_unit_test(io_wait_is_part_of_blocked),
	};

	return run(tests);
}
