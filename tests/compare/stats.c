/* Statistics against the oracles of reference compare-gate.md 2.8 (computed there with R). */
#include "test.h"

#include "compare/stats.h"

#include <math.h>

#define N(a) (sizeof(a) / sizeof *(a))

static const double d1a[] = {14.21, 14.93, 14.62, 14.44, 15.13, 14.31, 14.82, 14.74, 14.55, 14.58},
                    d1b[] = {14.02, 14.41, 14.15, 13.98, 14.70, 13.91, 14.33, 14.27, 14.09, 14.12},
                    d2a[] = {21.9, 21.4, 21.3}, d2b[] = {19.7, 20.0, 19.9}, d3a[] = {2, 2, 3, 1, 2},
                    d3b[] = {2, 4, 3, 3, 5}, d4a[] = {157.4, 98.2, 120.5, 88.1, 143.9},
                    d4b[] = {85.3, 61.0, 79.9, 92.4, 70.2}, d5b[] = {21.7, 21.8, 21.2},
                    d6b[] = {23.4, 22.9, 23.6}, d7b[] = {149.0, 101.2, 99.9, 133.4, 127.2};

static double pct(double log_ratio)
{
	return 100 * (exp(log_ratio) - 1);
}

static struct moments of(double mean, double rsd_pct, size_t n)
{
	return (struct moments){mean, mean * rsd_pct / 100, n};
}

static void summaries(void **state)
{
	struct difference d;
	struct interval f;

	(void)state;
	assert_true(stat_welch(of(21.56, 1.37, 10), of(19.85, .92, 10), .95, &d));
	check_near(d.diff, -1.71, 1e-9);
	check_near(d.se, .10981561, 1e-8);
	check_near(d.t, -15.57155667, 1e-7);
	check_near(d.df, 15.00343245, 1e-7);
	check_near(d.p, 1.139876e-10, 1e-15);
	check_near(d.at.low, -1.944062, 1e-6);
	check_near(d.at.high, -1.475938, 1e-6);
	assert_true(stat_fieller(of(21.56, 1.37, 10), of(19.85, .92, 10), .95, &f));
	check_near(100 * f.low, -8.943515, 1e-6);
	check_near(100 * f.high, -6.903620, 1e-6);
	check_near(stat_hedges_g(of(21.56, 1.37, 10), of(19.85, .92, 10)), -6.669566, 1e-6);
	assert_true(stat_welch(of(8.15, 2.86, 10), of(7.95, .60, 10), .95, &d));
	check_near(d.p, .02445659, 1e-8);
	check_near(d.df, 9.75249043, 1e-7);
	check_near(d.at.low, -.368217, 1e-6);
	assert_true(stat_fieller(of(8.15, 2.86, 10), of(7.95, .60, 10), .95, &f));
	check_near(100 * f.low, -4.429264, 1e-6);
	check_near(100 * f.high, -.398994, 1e-6);
	/* a denominator that may be 0 */
	assert_false(stat_fieller((struct moments){1, 3, 4}, (struct moments){2, 1, 4}, .95, &f));
	assert_false(stat_welch(of(1, 1, 1), of(1, 1, 5), .95, &d));
}

static void rsd(void **state)
{
	static const struct {
		double rsd, low, high;
		size_t n;
	} cases[] = {{1.37, .942288, 2.501501, 10},  {.92, .632794, 1.679687, 10},
	             {2.86, 1.966789, 5.225021, 10}, {.60, .412697, 1.095401, 10},
	             {5, 2.601418, 31.926455, 3},    {20, 11.844966, 62.937913, 5},
	             {20, 15.810103, 27.282056, 30}};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct interval v = stat_rsd_interval(cases[i].rsd / 100, cases[i].n, .95);

		check_near(100 * v.low, cases[i].low, 1e-6);
		check_near(100 * v.high, cases[i].high, 1e-6);
	}
}

static void d1(void **state)
{
	struct difference d;
	struct shift s;

	(void)state;
	check_near(stat_mean(d1a, 10), 14.633, 1e-9);
	check_near(stat_sd(d1a, 10), .28126895, 1e-8);
	check_near(stat_sd(d1b, 10), .23611673, 1e-8);
	check_near(stat_median(d1a, 10), 14.60, 1e-9);
	check_near(stat_median(d1b, 10), 14.135, 1e-9);
	assert_true(stat_welch(stat_moments(d1a, 10), stat_moments(d1b, 10), .95, &d));
	check_near(d.t, -3.74578039, 1e-8);
	check_near(d.df, 17.47563678, 1e-8);
	check_near(d.p, 1.54520016e-03, 1e-11);
	check_near(d.at.low, -.67950730, 1e-8);
	check_near(d.at.high, -.19049270, 1e-8);
	assert_true(stat_welch_log(d1a, 10, d1b, 10, .95, &d));
	check_near(exp(d.diff), .97031394, 1e-8);
	check_near(exp(d.at.low), .95410052, 1e-8);
	check_near(exp(d.at.high), .98680288, 1e-8);
	check_near(d.df, 17.610880, 1e-6);
	check_near(d.p, 1.47005473e-03, 1e-11);
	assert_true(stat_welch_log(d1a, 10, d1b, 10, .90, &d));
	check_near(pct(d.at.low), -4.308282, 1e-6);
	check_near(pct(d.at.high), -1.610174, 1e-6);
	check_near(stat_rank_p(d1a, 10, d1b, 10), 386. / 184756, 1e-12);
	s = stat_hodges_lehmann(d1a, 10, d1b, 10, .95);
	check_near(s.shift, -.445, 1e-9);
	check_near(s.at.low, -.70, 1e-9);
	check_near(s.at.high, -.19, 1e-9);
	check_near(stat_cliff(d1a, 10, d1b, 10), -.78, 1e-9);
	check_near(stat_hedges_g(stat_moments(d1a, 10), stat_moments(d1b, 10)), -1.60438234, 1e-8);
	/* the other way round */
	assert_true(stat_welch_log(d1b, 10, d1a, 10, .90, &d));
	check_near(pct(d.at.low), 1.636525, 1e-6);
	check_near(pct(d.at.high), 4.502252, 1e-6);
	check_near(stat_rank_p(d1b, 10, d1a, 10), 386. / 184756, 1e-12);
}

static void d2_to_d4(void **state)
{
	struct difference d;
	struct shift s;

	(void)state;
	assert_true(stat_welch(stat_moments(d2a, 3), stat_moments(d2b, 3), .95, &d));
	check_near(d.t, -8.11107106, 1e-8);
	check_near(d.df, 2.85940594, 1e-8);
	check_near(d.p, 4.66043781e-03, 1e-10);
	assert_true(stat_welch_log(d2a, 3, d2b, 3, .95, &d));
	check_near(exp(d.diff), .92265060, 1e-8);
	check_near(exp(d.at.low), .89469342, 1e-8);
	check_near(exp(d.at.high), .95148138, 1e-8);
	check_near(stat_rank_p(d2a, 3, d2b, 3), .1, 1e-12);
	s = stat_hodges_lehmann(d2a, 3, d2b, 3, .95);
	check_near(s.shift, -1.6, 1e-9);
	check_near(s.at.low, -2.2, 1e-9);
	check_near(s.at.high, -1.3, 1e-9);
	check_near(s.coverage, .90, 1e-9);
	check_near(stat_hedges_g(stat_moments(d2a, 3), stat_moments(d2b, 3)), -5.29812943, 1e-8);
	assert_true(stat_welch(stat_moments(d3a, 5), stat_moments(d3b, 5), .95, &d));
	check_near(d.t, 2.33333333, 1e-8);
	check_near(d.df, 6.68041237, 1e-8);
	check_near(d.p, .0540737623, 1e-9);
	check_near(stat_rank_p(d3a, 5, d3b, 5), 26. / 252, 1e-12);
	check_near(stat_hodges_lehmann(d3a, 5, d3b, 5, .95).shift, 1, 1e-12);
	check_near(stat_cliff(d3a, 5, d3b, 5), .72, 1e-12);
	assert_true(stat_welch_log(d4a, 5, d4b, 5, .95, &d));
	check_near(exp(d.diff), .64794621, 1e-8);
	check_near(exp(d.at.low), .47387988, 1e-8);
	check_near(exp(d.at.high), .88595087, 1e-8);
	check_near(d.p, .0135112171, 1e-9);
	check_near(stat_rank_p(d4a, 5, d4b, 5), 4. / 252, 1e-12);
	s = stat_hodges_lehmann(d4a, 5, d4b, 5, .95);
	check_near(s.shift, -40.6, 1e-9);
	check_near(s.at.low, -82.9, 1e-9);
	check_near(s.at.high, -5.8, 1e-9);
}

/* Intervals that the gate judges: D5 passes, D6 fails, D7 cannot tell. */
static void gate_intervals(void **state)
{
	struct difference d;

	(void)state;
	assert_true(stat_welch_log(d2a, 3, d5b, 3, .90, &d));
	check_near(pct(d.at.low), -2.412491, 1e-6);
	check_near(pct(d.at.high), 2.789518, 1e-6);
	check_near(d.df, 3.999849, 1e-6);
	assert_true(stat_welch_log(d2a, 3, d6b, 3, .90, &d));
	check_near(pct(d.at.low), 5.376839, 1e-6);
	check_near(pct(d.at.high), 11.106312, 1e-6);
	assert_true(stat_welch_log(d4a, 5, d7b, 5, .90, &d));
	check_near(pct(d.at.low), -21.259860, 1e-6);
	check_near(pct(d.at.high), 31.092521, 1e-6);
}

static void multiplicity(void **state)
{
	static const double p[] = {.0021, .0244, .0634, .10, .5, .0159},
	                    holm[] = {.0126, .0976, .1902, .20, .5, .0795},
	                    bh[] = {.0126, .0488, .0951, .12, .5, .0477};
	double out[6];

	(void)state;
	stat_holm(p, 6, out);
	for (int i = 0; i < 6; i++)
		check_near(out[i], holm[i], 1e-9);
	stat_bh(p, 6, out);
	for (int i = 0; i < 6; i++)
		check_near(out[i], bh[i], 1e-9);
}

static void order(void **state)
{
	static const double drift[] = {14.0, 14.2, 14.1, 14.5, 14.4, 14.8, 14.9, 15.2, 15.1, 15.4},
	                    slow_first[] = {21.0, 14.6, 14.4, 14.9, 14.5,
	                                    14.7, 14.3, 14.8, 14.6, 14.5};
	struct trend t = stat_trend(drift, 10);

	(void)state;
	check_near(t.tau, .86666667, 1e-8);
	assert_int_equal(t.concordant, 42);
	check_near(t.p, 1.1518959e-04, 1e-11);
	check_near(t.slope, .15, 1e-9);
	check_near(stat_median(slow_first, 10), 14.6, 1e-9);
	check_near(stat_modified_z(slow_first, 10, 0), 28.778667, 1e-6);
}

static void how_many(void **state)
{
	static const struct {
		double sd, change, n;
	} cases[] = {{3, 2, 36.280}, {3, 1, 142.240}, {3, 5, 6.612}};
	static const struct {
		size_t n;
		double effect;
	} least[] = {{3, 3.035}, {5, 2.021}, {10, 1.325}, {20, .909}, {30, .736}};

	(void)state;
	for (size_t i = 0; i < N(cases); i++)
		check_near(stat_iterations(cases[i].sd, cases[i].change, .05, .8), cases[i].n,
		           5e-4);
	for (size_t i = 0; i < N(least); i++)
		check_near(stat_detectable(1, least[i].n, .05, .8), least[i].effect, 5e-4);
}

/* No spread, zeros, one number. */
static void degenerate(void **state)
{
	static const double same[] = {5, 5, 5}, other[] = {6, 6, 6}, two[] = {2, 8},
	                    zero[] = {0, 8};
	struct difference d;

	(void)state;
	assert_true(stat_welch(stat_moments(same, 3), stat_moments(other, 3), .95, &d));
	assert_true(d.exact);
	check_near(d.at.low, 1, 0);
	check_near(d.p, 0, 0);
	assert_true(stat_welch(stat_moments(same, 3), stat_moments(same, 3), .95, &d));
	check_near(d.p, 1, 0);
	check_near(stat_rank_p(same, 3, same, 3), 1, 0);
	check_near(stat_geometric(two, 2), 4, 1e-12);
	check_near(stat_geometric(zero, 2), 0, 0);
	assert_true(isnan(stat_geometric(two, 0)));
	assert_true(isnan(stat_sd(two, 1)));
	assert_true(isnan(stat_mean(two, 0)));
	assert_true(stat_paired(two, two, 2, true, .95, &d));
	check_near(d.diff, 0, 0);
	assert_true(isnan(stat_rank_p(two, 0, two, 2)));
}

/* Many values: random splits with a fixed seed, the same each time, near the exact p. */
static void many(void **state)
{
	double x[30], y[30], p;

	(void)state;
	for (int i = 0; i < 30; i++) {
		x[i] = (i * 37) % 101;
		y[i] = (i * 53) % 101 + 8;
	}
	p = stat_rank_p(x, 30, y, 30);
	assert_true(p > 0 && p < 1);
	check_near(stat_rank_p(x, 30, y, 30), p, 0);
	assert_true(stat_rank_p(x, 30, x, 30) > .99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(summaries),
	        cmocka_unit_test(rsd),
	        cmocka_unit_test(d1),
	        cmocka_unit_test(d2_to_d4),
	        cmocka_unit_test(gate_intervals),
	        cmocka_unit_test(multiplicity),
	        cmocka_unit_test(order),
	        cmocka_unit_test(how_many),
	        cmocka_unit_test(degenerate),
	        cmocka_unit_test(many),
	};

	return run(tests);
}
