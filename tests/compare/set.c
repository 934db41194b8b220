/* Run sets: order, keys, what is missing. */
#include "test.h"

#include "compare/set.h"

#include <math.h>

static void natural(void **state)
{
	(void)state;
	assert_true(set_natural("iter-2", "iter-10") < 0);
	assert_true(set_natural("iter-10", "iter-2") > 0);
	assert_true(set_natural("iter-02", "iter-2") != 0); /* another name */
	assert_int_equal(set_natural("a", "a"), 0);
	assert_true(set_natural("a", "a1") < 0);
	assert_true(set_natural("x99999999999999999999", "x100000000000000000000") < 0);
	assert_true(set_natural("b1", "a2") > 0);
}

static void values(void **state)
{
	struct run_set s = {.arena = {NULL}};
	struct set_config *c = set_config(&s, "one");
	struct set_run *r = set_run(&s, c, "iter-10", "p/10");
	size_t k = set_metric(&s, METRIC_ID_frame_mean_ms, "app");

	(void)state;
	assert_int_equal(set_metric(&s, METRIC_ID_frame_mean_ms, "app"), k);
	assert_int_not_equal(set_metric(&s, METRIC_ID_frame_mean_ms, "other"), k);
	assert_string_equal(s.keys.at[k].unit, "ms");
	set_add(&s, r, k, 3, NULL);
	set_add(&s, r, set_key(&s, "score", "all", "", METRIC_MORE, METRIC_RATIO), (double)NAN,
	        "N/A");
	set_run(&s, c, "iter-9", "p/9");
	set_sort(&s);
	assert_string_equal(s.configs.at[0].runs.at[0].iteration, "iter-9");
	assert_null(set_find(&s.configs.at[0].runs.at[0], k));
	assert_true(set_find(&s.configs.at[0].runs.at[1], k)->value == 3);
	assert_string_equal(set_find(&s.configs.at[0].runs.at[1], k + 2)->text, "N/A");
	assert_ptr_equal(set_config(&s, "one"), &s.configs.at[0]);
	set_free(&s);
}

/* The process with most frames in all runs, not in one. */
static void process(void **state)
{
	struct run_set s = {.arena = {NULL}};
	struct set_config *c = set_config(&s, "one");

	(void)state;
	assert_null(set_process(&s));
	for (int i = 0; i < 3; i++) {
		struct set_run *r = set_run(&s, c, i ? "2" : "1", "p");

		*vec_add(&r->parts) =
		        (struct set_parts){.process = i ? "app" : "ui", .frames = i ? 60 : 100};
		*vec_add(&r->parts) =
		        (struct set_parts){.process = i ? "ui" : "app", .frames = i ? 1 : 50};
	}
	assert_string_equal(set_process(&s), "app"); /* 170 to 102 */
	assert_int_equal(set_parts_of(&s.configs.at[0].runs.at[0], "app")->frames, 50);
	assert_null(set_parts_of(&s.configs.at[0].runs.at[0], "none"));
	set_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(natural),
	        cmocka_unit_test(values),
	        cmocka_unit_test(process),
	};

	return run(tests);
}
