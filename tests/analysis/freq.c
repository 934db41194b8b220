/* Clocks: residency, domains, limits. */
#include "test.h"

#include "tools/feed.h"

static void residency_and_means(void **state)
{
	(void)state;
	FEED(f, 1, ev_switch(0, 0, 0, 0, 7), ev_freq(200, 0, 7, 0, 1000000),
	     ev_freq(200, 0, 7, 0, 1000000), ev_switch(400, 0, 7, 1, 0),
	     ev_freq(600, 0, 0, 0, 2000000), ev_other(1000, 0, 0));
	assert_true(feed_has(
	        &f, "\"frequency\":{\"transitions\":1,\"unknown_ns\":200,\"mean_khz\":1.5e+06,"
	            "\"mean_busy_khz\":1e+06"));
	assert_true(feed_has(&f, "{\"khz\":1000000,\"total_ns\":400,\"busy_ns\":200},"
	                         "{\"khz\":2000000,\"total_ns\":400,\"busy_ns\":0}"));
	feed_free(&f);
}

static void domains_by_equal_changes(void **state)
{
	(void)state;
	FEED(f, 3, ev_freq(0, 0, 0, 0, 5), ev_freq(1, 0, 0, 1, 5), ev_freq(2, 0, 0, 2, 5),
	     ev_freq(10, 0, 0, 0, 6), ev_freq(11, 0, 0, 1, 6), ev_freq(12, 0, 0, 2, 9),
	     ev_freq(20, 0, 0, 0, 5), ev_freq(21, 0, 0, 1, 5), ev_freq(22, 0, 0, 2, 5));
	assert_true(feed_has(
	        &f, "{\"cpus\":[0,1],\"source\":\"sameclocksinthesameorder\",\"transitions\":2,"
	            "\"top_khz\":6"));
	assert_true(
	        feed_has(&f, "{\"cpus\":[2],\"source\":\"alone\",\"transitions\":2,\"top_khz\":9"));
	feed_free(&f);
}

static void capped_by_the_policy(void **state)
{
	(void)state;
	FEED(f, 1, ev_freq(0, 0, 0, 0, 2000), ev_limits(100, 0, 0, 0, 500, 1500),
	     ev_freq(100, 0, 0, 0, 1500), ev_limits(400, 0, 0, 0, 500, 2000), ev_other(1000, 0, 0));
	assert_true(
	        feed_has(&f, "\"max_limit_khz\":2000,\"capped_ns\":300,\"limit_unknown_ns\":100"));
	feed_free(&f);
}

static void gap_makes_the_clock_unknown(void **state)
{
	(void)state;
	/* cpu1's clock was written by cpu0, which then lost events */
	FEED(f, 2, ev_freq(0, 0, 0, 1, 1000), ev_other(10, 0, 0), ev_lost_at(10, 0, -1, false),
	     ev_other(100, 0, 0), ev_other(100, 1, 0));
	assert_true(feed_has(&f, "\"unknown_ns\":90,\"mean_khz\":1000"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(residency_and_means),
	        cmocka_unit_test(domains_by_equal_changes),
	        cmocka_unit_test(capped_by_the_policy),
	        cmocka_unit_test(gap_makes_the_clock_unknown),
	};

	return run(tests);
}
