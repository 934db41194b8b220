/* Windows, selection, lists of CPUs. */
#include "test.h"

#include "tools/feed.h"

static struct feed window(struct edge from, struct edge to)
{
	const struct event ev[] = {ev_switch(1000, 0, 0, 0, 7),
	                           ev_print(1200, 0, 7, "B|7|begin here"),
	                           ev_switch(1400, 0, 7, TS_INTERRUPTIBLE, 0),
	                           ev_print(1600, 0, 0, "end here"), ev_switch(2000, 0, 0, 0, 7)};
	struct feed f;

	feed(&f, ev, 5, 1, &(struct session_opts){.from = from, .to = to});
	return f;
}

static void windows(void **state)
{
	static const struct {
		struct edge from, to;
		const char *want;
	} cases[] = {
	        {{EDGE_NONE, 0, NULL}, {EDGE_NONE, 0, NULL}, "\"busy_ns\":400,\"idle_ns\":600"},
	        {{EDGE_RELATIVE, 100, NULL},
	         {EDGE_RELATIVE, 900, NULL},
	         "\"busy_ns\":300,\"idle_ns\":500"},
	        {{EDGE_ABSOLUTE, 1300, NULL},
	         {EDGE_NONE, 0, NULL},
	         "\"busy_ns\":100,\"idle_ns\":600"},
	        {{EDGE_MARKER, 0, "begin"},
	         {EDGE_MARKER, 0, "end here"},
	         "\"busy_ns\":200,\"idle_ns\":200"},
	        {{EDGE_NONE, 0, NULL},
	         {EDGE_ABSOLUTE, 1100, NULL},
	         "\"busy_ns\":100,\"idle_ns\":0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct feed f = window(cases[i].from, cases[i].to);

		assert_true(f.ok);
		assert_true(feed_has(&f, cases[i].want));
		feed_free(&f);
	}
}

static void not_in_the_trace(void **state)
{
	struct feed f =
	        window((struct edge){EDGE_MARKER, 0, "nowhere"}, (struct edge){EDGE_NONE, 0, NULL});

	(void)state;
	assert_false(f.ok);
	assert_string_equal(f.err.msg, "literal: --from: no marker contains \"nowhere\"");
	feed_free(&f);
	f = window((struct edge){EDGE_RELATIVE, 5000, NULL}, (struct edge){EDGE_NONE, 0, NULL});
	assert_false(f.ok);
	assert_non_null(strstr(f.err.msg, "outside the trace"));
	feed_free(&f);
	f = window((struct edge){EDGE_RELATIVE, 800, NULL},
	           (struct edge){EDGE_RELATIVE, 200, NULL});
	assert_false(f.ok);
	feed_free(&f);
	feed(&f, NULL, 0, 1, NULL);
	assert_false(f.ok);
	assert_string_equal(f.err.msg, "literal: no kernel events in it");
	feed_free(&f);
}

static void select_task(const char *task, const char *process, bool ok, const char *not_there)
{
	const struct event ev[] = {
	        ev_fork(0, 0, 1, 7, "a_very_long_nam"), ev_print(1, 0, 1, "B|1|x"),
	        ev_switch(5, 0, 1, TS_INTERRUPTIBLE, 7), ev_print(7, 0, 7, "B|1|y"),
	        ev_switch(10, 0, 7, TS_INTERRUPTIBLE, 0)};
	struct feed f;

	feed(&f, ev, 5, 1, &(struct session_opts){.task = task, .process = process});
	assert_int_equal(f.ok, ok);
	if (ok && not_there)
		assert_null(strstr(f.json, not_there));
	feed_free(&f);
}

static void selection(void **state)
{
	(void)state;
	select_task("7", NULL, true, "\"pid\": 1,");
	select_task("a_very_long_name_that_was_cut", NULL, true, "\"pid\": 1,");
	select_task("a_very", NULL, false, NULL);
	select_task(NULL, "1", true, NULL);
	select_task(NULL, "99", false, NULL);
}

static void cpu_lists(void **state)
{
	(void)state;
	assert_int_equal(cpu_list_has("0-3,7", 2), 1);
	assert_int_equal(cpu_list_has("0-3,7", 7), 1);
	assert_int_equal(cpu_list_has("0-3,7", 5), 0);
	assert_int_equal(cpu_list_has("", 0), 0);
	assert_int_equal(cpu_list_has("3-1", 2), -1);
	assert_int_equal(cpu_list_has("1,", 1), -1);
	assert_int_equal(cpu_list_has("a", 1), -1);
	assert_int_equal(cpu_list_has("1-", 1), -1);
	assert_int_equal(cpu_list_has("-1", 1), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(windows),
	        cmocka_unit_test(not_in_the_trace),
	        cmocka_unit_test(selection),
	        cmocka_unit_test(cpu_lists),
	};

	return run(tests);
}
