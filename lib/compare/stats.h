/* Statistics of a few iterations: means, intervals of differences, exact tests. Formulas and their
 * sources: reference compare-gate.md 2.2. Units are iterations, one number each; n is their number.
 * Numbers must be finite. `level` of an interval is such as .95. */
#ifndef PELTIER_COMPARE_STATS_H
#define PELTIER_COMPARE_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct interval {
	double low, high; /* infinite where it has no bound */
};

double stat_mean(const double *v, size_t n);   /* NAN for n = 0 */
double stat_sd(const double *v, size_t n);     /* divisor n - 1; NAN for n < 2 */
double stat_median(const double *v, size_t n); /* NAN for n = 0 */
/* Interval of a relative standard deviation (sd / mean; Vangel 1996), n > 1. */
struct interval stat_rsd_interval(double rsd, size_t n, double level);

/* y - x of two samples, or what one number per pair says. */
struct difference {
	double diff, se, t, df, p; /* two-sided p */
	struct interval at;
	bool exact; /* no spread at all: the interval is the difference itself */
};

/* Mean, sd and n of a sample: what Welch's interval needs. */
struct moments {
	double mean, sd;
	size_t n;
};
struct moments stat_moments(const double *v, size_t n);
/* Welch 1947, of values as they are. False: fewer than two on either side. */
bool stat_welch(struct moments x, struct moments y, double level, struct difference *out);
/* Of the logarithms of positive values: diff and interval are those of ln(y / x). */
bool stat_welch_log(const double *x, size_t nx, const double *y, size_t ny, double level,
                    struct difference *out);
/* One-sample t of y_i - x_i (of ln(y_i / x_i) with `log`), n pairs. */
bool stat_paired(const double *x, const double *y, size_t n, bool log, double level,
                 struct difference *out);
/* Ratio of means mean_y / mean_x - 1 from summaries (Fieller 1954); false: not bounded. */
bool stat_fieller(struct moments x, struct moments y, double level, struct interval *out);

/* Two-sided p of the rank sum, ties by mid-ranks: exact up to 1e6 splits, else of 99999 random
 * splits with a fixed seed. NAN for an empty side. */
double stat_rank_p(const double *x, size_t nx, const double *y, size_t ny);
/* Median of all y_j - x_i, with the interval at the exact quantile of the rank sum of samples
 * without ties, and the level that it has. */
struct shift {
	double shift, coverage;
	struct interval at;
};
struct shift stat_hodges_lehmann(const double *x, size_t nx, const double *y, size_t ny,
                                 double level);
double stat_cliff(const double *x, size_t nx, const double *y, size_t ny); /* share y > x - y < x */
double stat_hedges_g(struct moments x, struct moments y);

/* p adjusted for n tests: Holm 1979 and Benjamini-Hochberg 1995. */
void stat_holm(const double *p, size_t n, double *out);
void stat_bh(const double *p, size_t n, double *out);

/* Trend over the order of the numbers: Kendall's tau, its two-sided p (exact up to 60 numbers, then
 * by the normal distribution), the number of concordant pairs, and the median slope per step
 * (Theil-Sen). */
struct trend {
	double tau, p, slope;
	size_t concordant;
};
struct trend stat_trend(const double *v, size_t n);
/* 0.6745 (v[i] - median) / MAD; 0 when the MAD is 0. */
double stat_modified_z(const double *v, size_t n, size_t i);

/* Iterations for each side so that a difference of `change` at the spread `sd` (same unit) shows
 * with that power, two-sided level alpha. */
double stat_iterations(double sd, double change, double alpha, double power);
/* The least difference that n iterations on each side show with that power. */
double stat_detectable(double sd, size_t n, double alpha, double power);
/* Geometric mean of positive numbers; 0 when one is 0; NAN for n = 0 or a negative one. */
double stat_geometric(const double *v, size_t n);
double stat_quantile(const double *ascending, size_t n, double q); /* type 7 */
double stat_t_quantile(double p, double df);

#endif
