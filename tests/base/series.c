#include "base/series.h"

#include "test.h"

static void add_all(struct series *s, const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		series_add(s, v[i]);
}

/* Type 7: the value at position q (n - 1) of the sorted samples, between two of them linearly. */
static const struct {
	int64_t v[5];
	size_t n;
	double q, want;
} by_hand[] = {
        {{7}, 1, 0, 7},
        {{7}, 1, 0.5, 7},
        {{7}, 1, 1, 7},
        {{20, 10}, 2, 0, 10},
        {{20, 10}, 2, 0.25, 12.5},
        {{20, 10}, 2, 0.5, 15},
        {{20, 10}, 2, 0.95, 19.5},
        {{20, 10}, 2, 1, 20},
        {{40, 10, 30, 20}, 4, 0.25, 17.5}, /* position 0.75 */
        {{40, 10, 30, 20}, 4, 0.5, 25},
        {{40, 10, 30, 20}, 4, 0.75, 32.5}, /* position 2.25 */
        {{40, 10, 30, 20}, 4, 0.9, 37},
        {{40, 10, 30, 20}, 4, 0.95, 38.5},
        {{40, 10, 30, 20}, 4, 1, 40},
        {{3, 1, 4, 1, 5}, 5, 0.1, 1}, /* 1 1 3 4 5, position 0.4 */
        {{3, 1, 4, 1, 5}, 5, 0.25, 1},
        {{3, 1, 4, 1, 5}, 5, 0.3, 1.4},
        {{3, 1, 4, 1, 5}, 5, 0.5, 3},
        {{3, 1, 4, 1, 5}, 5, 0.6, 3.4},
        {{3, 1, 4, 1, 5}, 5, 0.9, 4.6},
        {{3, 1, 4, 1, 5}, 5, 0.95, 4.8},
        {{3, 1, 4, 1, 5}, 5, 1, 5},
        {{-3, -9, 0, 1, 0}, 5, 1, 1}, /* negative samples count as 0 */
        {{-3, -9, 0, 1, 0}, 5, 0, 0},
};

static void quantiles_by_hand(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++) {
		struct series s = {0};

		add_all(&s, by_hand[i].v, by_hand[i].n);
		assert_true(series_is_exact(&s));
		check_near(series_quantile(&s, by_hand[i].q), by_hand[i].want, 1e-9);
		series_free(&s);
	}
}

static void count_sum_max(void **state)
{
	static const int64_t v[] = {5, 0, 12, -4, 3};
	struct series s = {0};

	(void)state;
	assert_int_equal(s.n, 0);
	add_all(&s, v, 5);
	assert_int_equal(s.n, 5);
	check_near(s.sum, 20, 0);
	assert_int_equal(s.max, 12);
	series_free(&s);
}

static void grows_after_a_quantile(void **state)
{
	struct series s = {0};

	(void)state;
	series_add(&s, 10);
	series_add(&s, 30);
	check_near(series_quantile(&s, 0.5), 20, 1e-9);
	series_add(&s, 0);
	check_near(series_quantile(&s, 0.5), 10, 1e-9);
	check_near(series_quantile(&s, 1), 30, 1e-9);
	series_free(&s);
}

static void exact_up_to_65536(void **state)
{
	struct series s = {0};

	(void)state;
	for (int64_t i = 0; i < 65536; i++)
		series_add(&s, 65535 - i);
	assert_true(series_is_exact(&s));
	check_near(series_quantile(&s, 0.5), 32767.5, 1e-9);
	series_add(&s, 65536);
	assert_false(series_is_exact(&s));
	check_near(series_quantile(&s, 0.5), 32768, 32768 * 0.001);
	check_near(series_quantile(&s, 0), 0, 0);
	check_near(series_quantile(&s, 1), 65536, 0);
	series_free(&s);
}

/* step, 2 step, ... 200000 step in a mixed order: the q quantile is step (1 + 199999 q). */
static void many_samples(int64_t step)
{
	static const double q[] = {0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1};
	struct series s = {0};

	for (int64_t i = 0; i < 200000; i++)
		series_add(&s, (i * 7919 % 200000 + 1) * step);
	assert_false(series_is_exact(&s));
	assert_int_equal(s.n, 200000);
	check_near(s.sum, 20000100000.0 * (double)step, 0);
	assert_int_equal(s.max, 200000 * step);
	for (size_t i = 0; i < sizeof q / sizeof *q; i++) {
		double want = (double)step * (1 + 199999 * q[i]);

		check_near(series_quantile(&s, q[i]), want, want * 0.001);
	}
	series_free(&s);
}

static void no_quantile_above_the_maximum(void **state)
{
	struct series s = {0};

	(void)state;
	for (int i = 0; i < 70000; i++)
		series_add(&s, 4194304); /* the lower end of a bin */
	check_near(series_quantile(&s, .99), 4194304, 0);
	series_free(&s);
}

static void beyond_65536(void **state)
{
	(void)state;
	many_samples(1);
	many_samples(37);
	many_samples(12345);
}

static void bins_of_extremes(void **state)
{
	struct series s = {0};

	(void)state;
	for (int i = 0; i < 70000; i++)
		series_add(&s, i < 35000 ? 0 : INT64_MAX);
	assert_false(series_is_exact(&s));
	assert_true(s.max == INT64_MAX);
	check_near(series_quantile(&s, 0.25), 0, 0);
	check_near(series_quantile(&s, 0.75), 0x1p63, 0x1p63 * 0.001);
	check_near(series_quantile(&s, 1), 0x1p63, 0);
	series_free(&s);
}

static void small_values_stay_exact(void **state)
{
	struct series s = {0};

	(void)state;
	for (int i = 0; i < 70000; i++)
		series_add(&s, i % 7 * 300); /* 10000 each of 0, 300, ... 1800 */
	check_near(series_quantile(&s, 0.5), 900, 0);
	check_near(series_quantile(&s, 0.99), 1800, 0);
	check_near(series_quantile(&s, 0.1), 0, 0);
	series_free(&s);
}

static void clear_begins_again(void **state)
{
	struct series s = {0};

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < (round ? 70000 : 10); i++)
			series_add(&s, 1000);
		series_clear(&s);
		assert_int_equal(s.n, 0);
		assert_int_equal(s.max, 0);
		check_near(s.sum, 0, 0);
		series_add(&s, 4);
		series_add(&s, 2);
		assert_true(series_is_exact(&s));
		check_near(series_quantile(&s, 0.5), 3, 1e-9);
		series_clear(&s);
	}
	series_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(quantiles_by_hand),
	        cmocka_unit_test(count_sum_max),
	        cmocka_unit_test(grows_after_a_quantile),
	        cmocka_unit_test(exact_up_to_65536),
	        cmocka_unit_test(beyond_65536),
	        cmocka_unit_test(no_quantile_above_the_maximum),
	        cmocka_unit_test(bins_of_extremes),
	        cmocka_unit_test(small_values_stay_exact),
	        cmocka_unit_test(clear_begins_again),
	};

	return run(tests);
}
