/* Speed: work, and what is lost to clock and size, worked out by hand. */
#include "test.h"

#include "tools/feed.h"

#define MS 1000000
enum { IDLE = 0, TASK = 7 };

/* 0-10 ms on the little CPU, clock unknown; 10-30 at half its clock (speed 1/4); 30-40 on the big
 * one at its top; 40-50 there at half its clock, which the policy caps at 3/4. */
static void work_and_loss(void **state)
{
	const struct event ev[] = {
	        ev_switch(0, 0, IDLE, 0, TASK),
	        ev_freq(0, 1, IDLE, 1, 2000),
	        ev_freq(10 * MS, 0, TASK, 0, 500),
	        ev_switch(30 * MS, 0, TASK, 0, IDLE),
	        ev_migrate(30 * MS, 1, IDLE, TASK, 0, 1),
	        ev_switch(30 * MS, 1, IDLE, 0, TASK),
	        ev_freq(40 * MS, 1, TASK, 1, 1000),
	        ev_limits(40 * MS, 1, TASK, 1, 1000, 1500),
	        ev_other(50 * MS, 1, TASK),
	};
	struct feed f;

	(void)state;
	feed(&f, ev, sizeof ev / sizeof *ev, 2, &(struct session_opts){.platform = &feed_two});
	assert_true(f.ok);
	/* work 20/4 + 10 + 10/2; lost 15 on the little CPU, halves by clock and size, 5 by clock */
	assert_true(feed_has(&f, "\"speed\":{\"run_ns\":50000000,\"work_ns\":20000000,"
	                         "\"clock_lost_ns\":12500000,\"size_lost_ns\":7500000,"
	                         "\"unknown_ns\":10000000,\"speed_pct\":50,"));
	assert_true(feed_has(&f, "\"work_by_size_ns\":[5000000,15000000]"));
	assert_true(feed_has(&f, "\"cpus\":[1],\"capacity\":1024,\"run_ns\":20000000,"));
	/* 10 ms x (1000/1500 - 1000/2000) */
	assert_true(feed_has(&f, "\"capped_ns\":10000000,\"capped_cost_ns\":1666666"));
	assert_true(feed_has(&f, "\"name\":\"speed.larger_cpus_work_pct\",\"scope\":\"all\","
	                         "\"value\":75"));
	feed_free(&f);
}

static void without_sizes_or_clocks(void **state)
{
	const struct event ev[] = {ev_switch(0, 0, IDLE, 0, TASK), ev_other(MS, 0, TASK)};
	const struct platform_domain no_clocks = {.cpus = feed_two.domains[0].cpus, .n_cpus = 2};
	const struct platform p = {
	        .capacity = feed_two.capacity, .n_cpus = 2, .domains = &no_clocks, .n_domains = 1};
	struct feed f;

	(void)state;
	feed(&f, ev, 2, 2, NULL);
	assert_true(feed_has(&f, "\"speed\":null,\"speed_reason\":\"cpusizesunknown"));
	assert_non_null(strstr(f.text, "SPEED    cpu sizes unknown"));
	feed_free(&f);
	feed(&f, ev, 2, 2, &(struct session_opts){.platform = &p});
	assert_true(feed_has(&f, "\"speed\":null,\"speed_reason\":\"topclocksunknown"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(work_and_loss),
	        cmocka_unit_test(without_sizes_or_clocks),
	};

	return run(tests);
}
