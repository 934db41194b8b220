/* Idle states. */
#include "test.h"

#include "tools/feed.h"

static void residency(void **state)
{
	(void)state;
	FEED(f, 1, ev_switch(0, 0, 7, 1, 0), ev_idle(100, 0, 1), ev_idle(300, 0, 4294967295),
	     ev_idle(350, 0, 2), ev_idle(1000, 0, -1), ev_other(1000, 0, 0));
	assert_true(feed_has(
	        &f,
	        "\"idle\":{\"exits\":2,\"unknown_ns\":100,\"active_ns\":50,\"residency\":["
	        "{\"state\":1,\"ns\":200,\"entries\":1},{\"state\":2,\"ns\":650,\"entries\":1}]"));
	feed_free(&f);
}

static void first_event_is_an_exit(void **state)
{
	(void)state;
	FEED(f, 1, ev_idle(0, 0, 4294967295), ev_other(10, 0, 0));
	assert_true(feed_has(
	        &f, "\"idle\":{\"exits\":1,\"unknown_ns\":0,\"active_ns\":10,\"residency\":[]"));
	feed_free(&f);
}

static void none(void **state)
{
	(void)state;
	FEED(f, 1, ev_switch(0, 0, 0, 0, 7));
	assert_true(feed_has(&f, "\"idle\":null,\"idle_reason\":\"nocpu_idleeventforthisCPU\""));
	assert_non_null(strstr(f.text, "IDLE     no cpu_idle event in the trace"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(residency),
	        cmocka_unit_test(first_event_is_an_exit),
	        cmocka_unit_test(none),
	};

	return run(tests);
}
