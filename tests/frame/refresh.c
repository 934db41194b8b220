/* The refresh period over time. */
#include "test.h"

#include "frame/refresh.h"

#include <math.h>

static void near(double a, double b)
{
	assert_true(fabs(a - b) <= 1e-3 * b);
}

/* n times, `step` apart from `from` on; returns the next. */
static int64_t steps(int64_t *t, size_t n, int64_t from, int64_t step)
{
	for (size_t i = 0; i < n; i++, from += step)
		t[i] = from;
	return from;
}

static void steady(void **state)
{
	struct refresh r = {.source = REFRESH_UNKNOWN};
	int64_t t[40];

	(void)state;
	assert_true(refresh_at(&r, 5) == 0);
	steps(t, 40, 1000, 16666667);
	refresh_of_times(&r, t, 40);
	assert_int_equal(r.spans.n, 1);
	assert_int_equal(refresh_switches(&r), 0);
	near(refresh_at(&r, 0), 16666667); /* before the first: its own */
	near(refresh_at(&r, t[39] + 1000000000), 16666667);
	refresh_free(&r);
}

/* Frames skip refreshes: the period is not their distance. */
static void skipped(void **state)
{
	struct refresh r = {.source = REFRESH_UNKNOWN};
	int64_t t[60], at = 0;
	size_t n = 0;

	(void)state;
	for (int i = 0; n < 60; i++, at += 8333333)
		if (i % 7 != 3 && i % 5 != 1)
			t[n++] = at;
	refresh_of_times(&r, t, n);
	assert_int_equal(r.spans.n, 1);
	near(refresh_at(&r, 0), 8333333);
	refresh_free(&r);
}

static void switches(void **state)
{
	struct refresh r = {.source = REFRESH_UNKNOWN};
	int64_t t[120], next;

	(void)state;
	next = steps(t, 40, 0, 8333333);
	next = steps(t + 40, 40, next, 16666667);
	steps(t + 80, 40, next + 500000000, 11111111); /* behind a pause */
	refresh_of_times(&r, t, 120);
	assert_int_equal(refresh_switches(&r), 2);
	near(refresh_at(&r, t[20]), 8333333);
	near(refresh_at(&r, t[60]), 16666667);
	near(refresh_at(&r, t[100]), 11111111);
	assert_true(r.spans.at[1].from >= t[38] && r.spans.at[1].from <= t[42]);
	refresh_free(&r);
}

/* One slow frame, or two, is no switch. */
static void not_a_switch(void **state)
{
	struct refresh r = {.source = REFRESH_UNKNOWN};
	int64_t t[80], next;

	(void)state;
	next = steps(t, 40, 0, 16666667);
	next = steps(t + 40, 1, next + 7000000, 23000000);
	steps(t + 41, 39, next, 16666667);
	refresh_of_times(&r, t, 80);
	assert_int_equal(refresh_switches(&r), 0);
	near(refresh_at(&r, t[70]), 16666667);
	refresh_free(&r);
}

static void too_few(void **state)
{
	struct refresh r = {.source = REFRESH_UNKNOWN};
	const int64_t t[] = {5, 16000005};

	(void)state;
	refresh_of_times(&r, t, 0);
	refresh_of_times(&r, t, 1);
	assert_int_equal(r.spans.n, 0);
	refresh_free(&r);
}

/* Reference I1: what panel_fps tells. */
static void told(void **state)
{
	static const double hz[] = {60, 90, 60, 120, 120, 90, 24, 24};
	struct refresh r = {.source = REFRESH_UNKNOWN};

	(void)state;
	for (int i = 0; i < 8; i++)
		refresh_told(&r, 99 + i, hz[i]);
	refresh_told(&r, 107, 0); /* nothing that a panel does */
	assert_int_equal(refresh_switches(&r), 5);
	near(refresh_at(&r, 100), 1e9 / 90);
	near(refresh_at(&r, 103), 1e9 / 120);
	near(refresh_at(&r, 200), 1e9 / 24);
	refresh_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(steady),   cmocka_unit_test(skipped),
	        cmocka_unit_test(switches), cmocka_unit_test(not_a_switch),
	        cmocka_unit_test(too_few),  cmocka_unit_test(told),
	};

	return run(tests);
}
