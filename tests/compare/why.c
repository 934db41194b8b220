/* Why the mean moved: rows worked out by hand, sums, signs. */
#include "test.h"

#include "compare/why.h"

#include <math.h>

/* Runs of one frame each: `small` and `large` ms of run time on the two sizes, at these paces (run
 * over work), and waiting. */
static void add(struct run_set *s, const char *config, const char *iteration, double small,
                double small_pace, double large, double large_pace, double waiting)
{
	struct set_run *r = set_run(s, set_config(s, config), iteration, "p");
	double work = small / small_pace + large / large_pace;

	*vec_add(&r->parts) =
	        (struct set_parts){.process = "app",
	                           .frames = 1,
	                           .n = 1,
	                           .speeds = true,
	                           .n_sizes = 2,
	                           .size_run = {small, large},
	                           .size_work = {small / small_pace, large / large_pace},
	                           .work = work,
	                           .run = small + large,
	                           .waiting = waiting};
}

/* 4 ms of work: all of it on the small size at pace 3, then half of it on each, at 3 and 1. */
static void placement(void **state)
{
	struct run_set s = {.arena = {NULL}};
	struct why_split w;
	const char *why;

	(void)state;
	add(&s, "a", "1", 12, 3, 0, 1, .5);
	add(&s, "b", "1", 6, 3, 2, 1, .25);
	assert_true(why_split(&s.configs.at[0], &s.configs.at[1], "app", .95, &w, &why));
	check_near(w.from, 12.5, 1e-9);
	check_near(w.to, 8.25, 1e-9);
	check_near(w.ms[WHY_WORK], 0, 1e-9);
	check_near(w.ms[WHY_PLACEMENT], -4, 1e-9); /* 4 x (-1/2 x 3 + 1/2 x 1) */
	check_near(w.ms[WHY_CLOCK], 0, 1e-9);      /* the pace of the one that used the size */
	check_near(w.ms[WHY_WAITING], -.25, 1e-9);
	check_near(w.ms[WHY_TOTAL], -4.25, 1e-9);
	assert_true(isnan(w.at[WHY_TOTAL].low)); /* one iteration */
	set_free(&s);
}

/* The same placement at half the pace, and a quarter more work. */
static void clock_and_work(void **state)
{
	struct run_set s = {.arena = {NULL}};
	struct why_split w;
	const char *why;

	(void)state;
	add(&s, "a", "1", 6, 3, 2, 1, 0);
	add(&s, "b", "1", 2.5 * 1.5, 1.5, 2.5 * .5, .5, 0);
	assert_true(why_split(&s.configs.at[0], &s.configs.at[1], "app", .95, &w, &why));
	check_near(w.ms[WHY_PLACEMENT], 0, 1e-9);
	check_near(w.ms[WHY_CLOCK], 4.5 * (-1.5 - .5) / 2, 1e-9);
	check_near(w.ms[WHY_WORK], 1 * (2 + 1) / 2., 1e-9);
	check_near(w.ms[WHY_TOTAL], 5 - 8, 1e-9);
	set_free(&s);
}

/* Rows add up to the change of the mean; A against B is minus B against A; intervals hold it. */
static void identities(void **state)
{
	struct run_set s = {.arena = {NULL}};
	struct why_split ab, ba;
	const char *why;

	(void)state;
	for (int i = 0; i < 4; i++) {
		add(&s, "a", "i", 8 + i, 3, 1 + .3 * i, 1.2, .2 * i);
		add(&s, "b", "i", 4 + .5 * i, 2.5, 3 - .2 * i, 1.1, .1);
	}
	assert_true(why_split(&s.configs.at[0], &s.configs.at[1], "app", .95, &ab, &why));
	assert_true(why_split(&s.configs.at[1], &s.configs.at[0], "app", .95, &ba, &why));
	check_near(ab.ms[WHY_TOTAL], ab.to - ab.from, 1e-9);
	for (int r = 0; r < WHY_ROWS; r++) {
		check_near(ab.ms[r], -ba.ms[r], 1e-9);
		check_near(ab.at[r].low, -ba.at[r].high, 1e-9);
		assert_true(ab.at[r].low <= ab.ms[r] && ab.ms[r] <= ab.at[r].high);
	}
	set_free(&s);
}

static void nothing(void **state)
{
	struct run_set s = {.arena = {NULL}};
	struct why_split w;
	const char *why;

	(void)state;
	add(&s, "a", "1", 12, 3, 0, 1, 0);
	set_run(&s, set_config(&s, "b"), "1", "p");
	assert_false(why_split(&s.configs.at[0], &s.configs.at[1], "app", .95, &w, &why));
	assert_non_null(strstr(why, "no frame"));
	assert_false(why_split(&s.configs.at[0], &s.configs.at[1], NULL, .95, &w, &why));
	assert_string_equal(why, "no process has frames");
	set_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(placement),
	        cmocka_unit_test(clock_and_work),
	        cmocka_unit_test(identities),
	        cmocka_unit_test(nothing),
	};

	return run(tests);
}
