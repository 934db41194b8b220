/* Energy: the wanted numbers are those of oracles/em_trace_energy.csv, or worked out by hand. */
#include "test.h"

#include "import/platform_builtin.h"
#include "tools/feed.h"

#define MS 1000000
enum { IDLE = 0, TASK = 7 };

/* All CPUs 0-3 or 4-7 of a hikey960. */
static size_t clocks(struct event *to, int64_t ms, uint32_t first, int64_t khz)
{
	for (uint32_t i = 0; i < 4; i++)
		to[i] = ev_freq(ms * MS, 7, IDLE, first + i, khz); /* CPU 7 idles */
	return 4;
}

static void busy_time_at_its_clock(void **state)
{
	struct event ev[64];
	size_t n = 0;
	struct feed f;

	(void)state;
	n += clocks(ev + n, 0, 0, 533000);
	n += clocks(ev + n, 0, 4, 903000);
	for (uint32_t i = 1; i < 8; i++) /* all of them are known to idle but CPU 0 */
		ev[n++] = ev_switch(0, i, TASK + (int)i, 1, IDLE);
	ev[n++] = ev_switch(0, 0, IDLE, 0, TASK);
	n += clocks(ev + n, 10, 0, 1402000);
	ev[n++] = ev_switch(10 * MS, 1, IDLE, 0, TASK + 1);
	n += clocks(ev + n, 15, 4, 2362000);
	ev[n++] = ev_switch(15 * MS, 4, IDLE, 0, TASK + 4);
	n += clocks(ev + n, 25, 0, 1844000);
	ev[n++] = ev_switch(25 * MS, 2, IDLE, 0, TASK + 2);
	ev[n++] = ev_switch(25 * MS, 3, IDLE, 0, TASK + 3);
	n += clocks(ev + n, 35, 4, 1421000);
	n += clocks(ev + n, 40, 0, 533000);
	for (uint32_t i = 0; i < 4; i++)
		ev[n++] = ev_switch(40 * MS, i, TASK + (int)i, 1, IDLE);
	ev[n++] = ev_switch(50 * MS, 4, TASK + 4, 1, IDLE);
	ev[n++] = ev_other(60 * MS, 0, IDLE);
	feed(&f, ev, n, 8, &(struct session_opts){.platform = platform_builtin("hikey960")});
	assert_true(f.ok);
	assert_true(feed_has(&f, "\"em_L0\":{\"nj\":57702080,"));
	assert_true(feed_has(&f, "\"cpus\":[0,1,2,3],\"em_L0\":{\"nj\":18760980,"));
	assert_true(feed_has(&f, "\"cpus\":[4,5,6,7],\"em_L0\":{\"nj\":38941100,"));
	assert_true(
	        feed_has(&f, "\"em_L1\":null,\"em_L1_reason\":\"theplatformdoesnottellthepowers"));
	assert_non_null(strstr(f.text, "device tree hi3660-hikey960"));
	feed_free(&f);
}

static const uint32_t cpus[] = {0, 1};
static const int64_t khz[] = {1000, 2000}, power[] = {100, 300}, idle[] = {20, 10};
static const int32_t capacity[] = {1024, 1024};
static const struct platform_domain domain = {.cpus = cpus,
                                              .n_cpus = 2,
                                              .khz = khz,
                                              .n_khz = 2,
                                              .power_uw = power,
                                              .idle_uw = idle,
                                              .n_idle = 2,
                                              .cluster_uw = 1000};
static const struct platform two = {
        .name = "two", .capacity = capacity, .n_cpus = 2, .domains = &domain, .n_domains = 1};

/* 0-10 ms: CPU 0 busy at 2000 kHz, CPU 1 in state 1; 10-30: CPU 0 in state 0; 30-50: both in 1. */
static void idle_and_cluster(void **state)
{
	const struct event ev[] = {
	        ev_freq(0, 0, IDLE, 0, 2000),
	        ev_freq(0, 1, IDLE, 1, 2000),
	        ev_idle(0, 0, -1),
	        ev_idle(0, 1, 1),
	        ev_switch(0, 0, IDLE, 0, TASK),
	        ev_switch(10 * MS, 0, TASK, 1, IDLE),
	        ev_idle(10 * MS, 0, 0),
	        ev_idle(30 * MS, 0, -1),
	        ev_idle(30 * MS, 0, 1),
	        ev_other(50 * MS, 0, IDLE),
	};
	struct feed f;

	(void)state;
	feed(&f, ev, sizeof ev / sizeof *ev, 2, &(struct session_opts){.platform = &two});
	assert_true(f.ok);
	assert_true(feed_has(&f, "\"em_L0\":{\"nj\":3000,")); /* 10 ms x 300 uW */
	/* 3000 + idle 20 ms x 20 + 20 ms x 10 + 50 ms x 10 + cluster 30 ms x 1000 */
	assert_true(feed_has(&f, "\"em_L1\":{\"nj\":34100,"));
	feed_free(&f);
}

/* A state without a power is no other state, and a CPU without a domain is missing. */
static void what_the_platform_lacks(void **state)
{
	const struct event ev[] = {
	        ev_freq(0, 0, IDLE, 0, 2000),
	        ev_freq(0, 1, IDLE, 1, 2000),
	        ev_idle(0, 0, 2),
	        ev_idle(0, 1, 1),
	        ev_switch(1, 0, IDLE, 0, TASK),
	        ev_other(50 * MS, 0, TASK),
	};
	struct feed f;

	(void)state;
	feed(&f, ev, sizeof ev / sizeof *ev, 2, &(struct session_opts){.platform = &two});
	assert_true(
	        feed_has(&f, "\"em_L1\":null,\"em_L1_reason\":\"theplatformdoesnottellthepowers"));
	feed_free(&f);
	feed(&f, ev, sizeof ev / sizeof *ev, 3, &(struct session_opts){.platform = &two});
	assert_true(feed_has(&f, "\"em_L0\":null,\"em_L0_reason\":\"aCPUisinnodomain"));
	assert_true(feed_has(&f, "\"migrations\":{\"explicit\":0,\"implicit\":0"));
	assert_true(
	        feed_has(&f, "\"name\":\"migration.up_per_s\",\"scope\":\"all\",\"value\":null"));
	feed_free(&f);
}

static void unknown_is_a_range(void **state)
{
	const struct event ev[] = {
	        ev_switch(0, 0, IDLE, 0, TASK), /* its clock is known from 10 ms on */
	        ev_switch(0, 1, TASK + 1, 1, IDLE),
	        ev_freq(10 * MS, 0, TASK, 0, 1500), /* none of the platform's: 2000 counts */
	        ev_other(20 * MS, 0, TASK),
	};
	struct feed f;

	(void)state;
	feed(&f, ev, sizeof ev / sizeof *ev, 2, &(struct session_opts){.platform = &two});
	assert_true(f.ok);
	assert_true(feed_has(&f, "\"em_L0\":{\"nj\":null,"));
	assert_true(feed_has(&f, "\"low_nj\":4000,\"high_nj\":6000}"));
	assert_true(feed_has(&f, "\"odd_clock_ns\":10000000"));
	feed_free(&f);
}

static void nothing_to_go_by(void **state)
{
	(void)state;
	FEED(f, 1, ev_switch(0, 0, IDLE, 0, TASK), ev_other(10, 0, TASK));
	assert_true(feed_has(&f, "\"em_L0\":null,\"em_L0_reason\":\"nopowers"));
	assert_true(feed_has(&f, "\"rails\":null,\"rails_reason\":\"nopowerrails"));
	assert_non_null(strstr(f.text, "ENERGY   no rails in the trace; not estimated"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(busy_time_at_its_clock),  cmocka_unit_test(idle_and_cluster),
	        cmocka_unit_test(what_the_platform_lacks), cmocka_unit_test(unknown_is_a_range),
	        cmocka_unit_test(nothing_to_go_by),
	};

	return run(tests);
}
