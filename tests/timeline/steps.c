#include "timeline/steps.h"

#include "test.h"

/* 10: 100, 20: unknown, 30: 300, 50: 0 */
static void sample(struct steps *s)
{
	*s = (struct steps){0};
	steps_append(s, 10, 100);
	steps_append(s, 20, STEP_UNKNOWN);
	steps_append(s, 30, 300);
	steps_append(s, 50, 0);
}

static void value_at(void **state)
{
	static const struct {
		int64_t t, want;
	} cases[] = {
	        {INT64_MIN, STEP_UNKNOWN},
	        {9, STEP_UNKNOWN},
	        {10, 100},
	        {19, 100},
	        {20, STEP_UNKNOWN},
	        {29, STEP_UNKNOWN},
	        {30, 300},
	        {49, 300},
	        {50, 0},
	        {INT64_MAX, 0},
	};
	struct steps s;

	(void)state;
	sample(&s);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (steps_at(&s, cases[i].t) != cases[i].want)
			fail_msg("case %zu", i);
	steps_free(&s);
}

static void nothing_is_known_when_empty(void **state)
{
	struct steps s = {0};
	int64_t known = -1;

	(void)state;
	assert_true(steps_at(&s, 0) == STEP_UNKNOWN);
	check_near(steps_integrate(&s, 0, 100, &known), 0, 0);
	assert_int_equal(known, 0);
	assert_int_equal(steps_residency(&s, 0, 100, 0), 0);
	assert_int_equal(steps_residency(&s, 0, 100, STEP_UNKNOWN), 100);
	steps_free(&s);
}

static void no_change_is_not_stored(void **state)
{
	struct steps s = {0};

	(void)state;
	steps_append(&s, 1, STEP_UNKNOWN);
	assert_int_equal(s.points.n, 0);
	steps_append(&s, 2, 5);
	steps_append(&s, 3, 5);
	assert_int_equal(s.points.n, 1);
	steps_append(&s, 4, 6);
	steps_append(&s, 5, 5);
	assert_int_equal(s.points.n, 3);
	assert_int_equal(steps_at(&s, 3), 5);
	assert_int_equal(steps_at(&s, 4), 6);
	assert_int_equal(steps_at(&s, 5), 5);
	steps_free(&s);
}

static void later_value_counts_at_the_same_time(void **state)
{
	struct steps s = {0};

	(void)state;
	steps_append(&s, 10, 1);
	steps_append(&s, 10, 2);
	assert_int_equal(s.points.n, 1);
	assert_int_equal(steps_at(&s, 10), 2);
	steps_append(&s, 20, 3);
	steps_append(&s, 20, 2); /* back to what it was: no step is left */
	assert_int_equal(s.points.n, 1);
	assert_int_equal(steps_at(&s, 20), 2);
	steps_append(&s, 20, 4);
	assert_int_equal(steps_at(&s, 19), 2);
	assert_int_equal(steps_at(&s, 20), 4);
	steps_free(&s);

	steps_append(&s, 10, 1);
	steps_append(&s, 10, STEP_UNKNOWN);
	assert_int_equal(s.points.n, 0);
	steps_free(&s);
}

static void integral(void **state)
{
	static const struct {
		int64_t from, to;
		double area;
		int64_t known;
	} cases[] = {
	        {10, 20, 1000, 10},
	        {12, 15, 300, 3},
	        {0, 10, 0, 0},
	        {0, 11, 100, 1},
	        {0, 60, 1000 + 6000, 10 + 20 + 10},
	        {15, 40, 500 + 3000, 5 + 10},
	        {20, 30, 0, 0},
	        {22, 28, 0, 0},
	        {30, 50, 6000, 20},
	        {49, 51, 300, 2},
	        {50, 1000, 0, 950},
	        {1000, 1001, 0, 1},
	        {-50, -40, 0, 0},
	        {10, 10, 0, 0},
	        {40, 30, 0, 0},
	};
	struct steps s;

	(void)state;
	sample(&s);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t known = -1;

		check_near(steps_integrate(&s, cases[i].from, cases[i].to, &known), cases[i].area,
		           1e-9);
		assert_int_equal(known, cases[i].known);
	}
	steps_free(&s);
}

static void residency(void **state)
{
	static const struct {
		int64_t from, to, value, want;
	} cases[] = {
	        {0, 60, 100, 10},
	        {0, 60, 300, 20},
	        {0, 60, 0, 10},
	        {0, 60, STEP_UNKNOWN, 10 + 10},
	        {0, 60, 200, 0},
	        {15, 35, 100, 5},
	        {15, 35, 300, 5},
	        {15, 35, STEP_UNKNOWN, 10},
	        {-100, 5, STEP_UNKNOWN, 105},
	        {-100, 5, 0, 0},
	        {100, 200, 0, 100},
	        {100, 200, STEP_UNKNOWN, 0},
	        {30, 30, 300, 0},
	        {45, 35, 300, 0},
	};
	struct steps s;

	(void)state;
	sample(&s);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (steps_residency(&s, cases[i].from, cases[i].to, cases[i].value) !=
		    cases[i].want)
			fail_msg("case %zu", i);
	steps_free(&s);
}

static void negative_values_and_many_steps(void **state)
{
	struct steps s = {0};
	int64_t known;

	(void)state;
	for (int64_t t = 0; t < 1000; t++)
		steps_append(&s, t * 10, t % 2 ? 3 : -1);
	assert_int_equal(s.points.n, 1000);
	for (int64_t t = 0; t < 10000; t += 7)
		assert_true(steps_at(&s, t) == (t / 10 % 2 ? 3 : -1));
	check_near(steps_integrate(&s, 0, 10000, &known), 500 * 10 * (3 - 1), 1e-9);
	assert_int_equal(known, 10000);
	assert_int_equal(steps_residency(&s, 0, 10000, -1), 5000);
	steps_free(&s);
}

static void clocks_do_not_overflow(void **state)
{
	struct steps s = {0};
	int64_t known, hour = 3600000000000;

	(void)state;
	steps_append(&s, 0, 3000000); /* kHz times ns of an hour is more than 2^63 */
	check_near(steps_integrate(&s, 0, hour, &known), 1.08e19, 1e7);
	assert_int_equal(known, hour);
	steps_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(value_at),
	        cmocka_unit_test(nothing_is_known_when_empty),
	        cmocka_unit_test(no_change_is_not_stored),
	        cmocka_unit_test(later_value_counts_at_the_same_time),
	        cmocka_unit_test(integral),
	        cmocka_unit_test(residency),
	        cmocka_unit_test(negative_values_and_many_steps),
	        cmocka_unit_test(clocks_do_not_overflow),
	};

	return run(tests);
}
