/* CPUs: busy, idle, unknown, switches, and CPUs without events. */
#include "test.h"

#include "tools/feed.h"

static void times(void **state)
{
	(void)state;
	FEED(f, 2, ev_switch(0, 0, 0, 0, 7), ev_switch(300, 0, 7, TS_INTERRUPTIBLE, 0),
	     ev_other(1000, 0, 0));
	assert_true(
	        feed_has(&f, "\"busy_ns\":300,\"idle_ns\":700,\"unknown_ns\":0,\"switches\":2"));
	/* cpu1 wrote nothing: no numbers, and all of it unknown */
	assert_true(feed_has(&f, "\"busy_ns\":null,\"busy_ns_reason\":\"theCPUwrotenoevent"));
	assert_true(feed_has(&f, "\"unknown_ns\":1000,\"switches\":null"));
	assert_true(feed_has(&f, "{\"name\":\"cpu.busy_pct\",\"scope\":\"cpu0\",\"value\":30,"));
	assert_non_null(strstr(f.text, "1 CPUs wrote no event"));
	feed_free(&f);
}

static void no_switches(void **state)
{
	(void)state;
	FEED(f, 1, ev_other(0, 0, 7), ev_other(10, 0, 7));
	assert_true(feed_has(
	        &f, "\"busy_ns\":null,\"busy_ns_reason\":\"nosched_switcheventinwhatwasread\""));
	assert_non_null(strstr(f.text, "CPUS     no sched_switch event in what was read"));
	feed_free(&f);
}

static void capacity_of_the_platform(void **state)
{
	const struct event ev[] = {ev_switch(0, 0, 0, 0, 7), ev_other(9, 0, 7)};
	const int32_t capacity[] = {283};
	const struct platform p = {.capacity = capacity, .n_cpus = 1};
	struct feed f;

	(void)state;
	feed(&f, ev, 2, 1, &(struct session_opts){.platform = &p});
	assert_true(feed_has(&f, "\"cpu\":0,\"capacity\":283,"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(times),
	        cmocka_unit_test(no_switches),
	        cmocka_unit_test(capacity_of_the_platform),
	};

	return run(tests);
}
