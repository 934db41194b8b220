#include "compare/stats.h"

#include "base/mem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one sample ---- */

double stat_mean(const double *v, size_t n)
{
	return n ? gsl_stats_mean(v, 1, n) : (double)NAN;
}

double stat_sd(const double *v, size_t n)
{
	return n > 1 ? gsl_stats_sd(v, 1, n) : (double)NAN;
}

static double *sorted(const double *v, size_t n)
{
	double *s = mem_calloc(n + 1, sizeof *s);

	memcpy(s, v, n * sizeof *s);
	gsl_sort(s, 1, n);
	return s;
}

double stat_quantile(const double *ascending, size_t n, double q)
{
	return n ? gsl_stats_quantile_from_sorted_data(ascending, 1, n, q) : (double)NAN;
}

double stat_median(const double *v, size_t n)
{
	double *s = sorted(v, n), m = stat_quantile(s, n, .5);

	free(s);
	return m;
}

struct interval stat_rsd_interval(double rsd, size_t n, double level)
{
	double v = (double)n - 1, a = 1 - level, k2 = rsd * rsd;
	double u1 = gsl_cdf_chisq_Pinv(1 - a / 2, v), u2 = gsl_cdf_chisq_Pinv(a / 2, v);
	double low = ((u1 + 2) / (double)n - 1) * k2 + u1 / v;
	double high = ((u2 + 2) / (double)n - 1) * k2 + u2 / v;

	return (struct interval){low > 0 ? rsd / sqrt(low) : (double)INFINITY,
	                         high > 0 ? rsd / sqrt(high) : (double)INFINITY};
}

double stat_geometric(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i] < 0)
			return (double)NAN;
		if (v[i] == 0)
			return 0;
		sum += log(v[i]);
	}
	return n ? exp(sum / (double)n) : (double)NAN;
}

struct moments stat_moments(const double *v, size_t n)
{
	return (struct moments){stat_mean(v, n), stat_sd(v, n), n};
}

double stat_t_quantile(double p, double df)
{
	return gsl_cdf_tdist_Pinv(p, df);
}

/* ---- two samples ---- */

static void by_t(struct difference *d, double level)
{
	double half;

	if (d->se <= 0) {
		d->exact = true;
		d->t = d->diff < 0 ? -INFINITY : d->diff > 0 ? INFINITY : 0;
		d->p = d->diff != 0 ? 0 : 1;
		d->at = (struct interval){d->diff, d->diff};
		return;
	}
	d->t = d->diff / d->se;
	d->p = 2 * gsl_cdf_tdist_Q(fabs(d->t), d->df);
	half = stat_t_quantile(.5 + level / 2, d->df) * d->se;
	d->at = (struct interval){d->diff - half, d->diff + half};
}

bool stat_welch(struct moments x, struct moments y, double level, struct difference *out)
{
	double vx, vy;

	*out = (struct difference){.diff = y.mean - x.mean};
	if (x.n < 2 || y.n < 2)
		return false;
	vx = x.sd * x.sd / (double)x.n;
	vy = y.sd * y.sd / (double)y.n;
	out->se = sqrt(vx + vy);
	out->df =
	        (vx + vy) * (vx + vy) / (vx * vx / (double)(x.n - 1) + vy * vy / (double)(y.n - 1));
	by_t(out, level);
	return true;
}

static double *logs(const double *v, size_t n)
{
	double *l = mem_calloc(n + 1, sizeof *l);

	for (size_t i = 0; i < n; i++)
		l[i] = log(v[i]);
	return l;
}

bool stat_welch_log(const double *x, size_t nx, const double *y, size_t ny, double level,
                    struct difference *out)
{
	double *lx = logs(x, nx), *ly = logs(y, ny);
	bool good = stat_welch(stat_moments(lx, nx), stat_moments(ly, ny), level, out);

	free(lx);
	free(ly);
	return good;
}

bool stat_paired(const double *x, const double *y, size_t n, bool log_of, double level,
                 struct difference *out)
{
	double *d = mem_calloc(n + 1, sizeof *d);
	struct moments m;

	for (size_t i = 0; i < n; i++)
		d[i] = log_of ? log(y[i] / x[i]) : y[i] - x[i];
	m = stat_moments(d, n);
	free(d);
	*out = (struct difference){.diff = m.mean};
	if (n < 2)
		return false;
	out->se = m.sd / sqrt((double)n);
	out->df = (double)n - 1;
	by_t(out, level);
	return true;
}

bool stat_fieller(struct moments x, struct moments y, double level, struct interval *out)
{
	double vx, vy, r, r2, df, t, a, b, c, root;

	if (x.n < 2 || y.n < 2 || x.mean == 0)
		return false;
	vx = x.sd * x.sd / (double)x.n;
	vy = y.sd * y.sd / (double)y.n;
	r = y.mean / x.mean;
	if (vx + vy <= 0) {
		*out = (struct interval){r - 1, r - 1};
		return true;
	}
	r2 = r * r;
	df = (vy + r2 * vx) * (vy + r2 * vx) /
	     (vy * vy / (double)(y.n - 1) + r2 * r2 * vx * vx / (double)(x.n - 1));
	t = stat_t_quantile(.5 + level / 2, df);
	a = x.mean * x.mean - t * t * vx;
	b = x.mean * y.mean;
	c = y.mean * y.mean - t * t * vy;
	root = b * b - a * c;
	if (a <= 0 || root < 0)
		return false;
	root = sqrt(root);
	*out = (struct interval){(b - root) / a - 1, (b + root) / a - 1};
	return true;
}

/* ---- ranks ---- */

enum { SPLITS_MAX = 1000000, RANDOM_SPLITS = 99999, SEED = 20220 };

/* Twice the mid-ranks of x and then y among all: whole numbers. */
static long *ranks(const double *x, size_t nx, const double *y, size_t ny)
{
	size_t n = nx + ny, *order = mem_calloc(n + 1, sizeof *order);
	double *all = mem_calloc(n + 1, sizeof *all);
	long *r = mem_calloc(n + 1, sizeof *r);

	memcpy(all, x, nx * sizeof *all);
	memcpy(all + nx, y, ny * sizeof *all);
	gsl_sort_index(order, all, 1, n);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && all[order[k]] == all[order[i]]; k++)
			;
		for (size_t j = i; j < k; j++)
			r[order[j]] = (long)(i + k + 1); /* twice the mean of i + 1 .. k */
	}
	free(order);
	free(all);
	return r;
}

/* How many splits into nx and the rest are at least as far out: counts over sums of ranks. */
static double exact_p(const long *r, size_t n, size_t nx, long sum, long expected)
{
	long most = 0, far = labs(2 * sum - expected);
	double *count, all = 0, out = 0;
	size_t width;

	for (size_t i = 0; i < n; i++)
		most += r[i];
	width = (size_t)most + 1;
	count = mem_calloc((nx + 1) * width, sizeof *count);
	count[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = (i < nx ? i + 1 : nx); k; k--)
			for (long s = most; s >= r[i]; s--)
				count[k * width + (size_t)s] +=
				        count[(k - 1) * width + (size_t)(s - r[i])];
	for (long s = 0; s <= most; s++) {
		double c = count[nx * width + (size_t)s];

		all += c;
		if (labs(2 * s - expected) >= far)
			out += c;
	}
	free(count);
	return out / all;
}

static double random_p(const long *r, size_t n, size_t nx, long sum, long expected)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	long *mixed = mem_calloc(n, sizeof *mixed), far = labs(2 * sum - expected);
	size_t out = 0;

	if (!rng)
		abort();
	gsl_rng_set(rng, SEED);
	memcpy(mixed, r, n * sizeof *mixed);
	for (size_t b = 0; b < RANDOM_SPLITS; b++) {
		long s = 0;

		for (size_t i = 0; i < nx; i++) { /* the first nx of a shuffle */
			size_t k = i + gsl_rng_uniform_int(rng, n - i);
			long r_i = mixed[k];

			mixed[k] = mixed[i];
			mixed[i] = r_i;
			s += r_i;
		}
		out += labs(2 * s - expected) >= far;
	}
	gsl_rng_free(rng);
	free(mixed);
	return (double)(out + 1) / (RANDOM_SPLITS + 1);
}

double stat_rank_p(const double *x, size_t nx, const double *y, size_t ny)
{
	size_t n = nx + ny;
	long *r, sum = 0, expected;
	double p;

	if (!nx || !ny)
		return (double)NAN;
	r = ranks(x, nx, y, ny);
	for (size_t i = 0; i < nx; i++)
		sum += r[i];
	expected = (long)nx * 2 * ((long)n + 1); /* twice that of the doubled ranks */
	if (gsl_sf_lnchoose((unsigned)n, (unsigned)nx) <= log((double)SPLITS_MAX))
		p = exact_p(r, n, nx, sum, expected);
	else
		p = random_p(r, n, nx, sum, expected);
	free(r);
	return p;
}

/* The number of pairs below which the rank-sum distribution has at most `tail`, and how much it
 * has: counts of sums by dynamic programming. */
static size_t rank_quantile(size_t nx, size_t ny, double tail, double *has)
{
	size_t most = nx * ny, q = 0;
	double *count = mem_calloc((nx + 1) * (most + 1), sizeof *count), all = 0, below = 0;

	/* U = sum over y of how many x are below: partitions into at most nx parts of at most ny */
	count[0] = 1;
	for (size_t i = 1; i <= nx + ny; i++)
		for (size_t k = (i < nx ? i : nx); k; k--)
			for (size_t u = most + 1; u--;)
				if (u >= i - k)
					count[k * (most + 1) + u] +=
					        count[(k - 1) * (most + 1) + u - (i - k)];
	for (size_t u = 0; u <= most; u++)
		all += count[nx * (most + 1) + u];
	*has = 0;
	while (q <= most && below + count[nx * (most + 1) + q] <= tail * all) {
		below += count[nx * (most + 1) + q++];
		*has = below / all;
	}
	free(count);
	return q;
}

struct shift stat_hodges_lehmann(const double *x, size_t nx, const double *y, size_t ny,
                                 double level)
{
	size_t n = nx * ny, q;
	double *d = mem_calloc(n + 1, sizeof *d), tail;
	struct shift s;

	for (size_t i = 0; i < nx; i++)
		for (size_t j = 0; j < ny; j++)
			d[i * ny + j] = y[j] - x[i];
	gsl_sort(d, 1, n);
	q = rank_quantile(nx, ny, (1 - level) / 2, &tail);
	if (!q) { /* not even the extremes have that level: they are the best there is */
		tail = exp(-gsl_sf_lnchoose((unsigned)(nx + ny), (unsigned)nx));
		q = 1;
	}
	s = (struct shift){.shift = stat_quantile(d, n, .5),
	                   .coverage = 1 - 2 * tail,
	                   .at = {n ? d[q - 1] : (double)NAN, n ? d[n - q] : (double)NAN}};
	free(d);
	return s;
}

double stat_cliff(const double *x, size_t nx, const double *y, size_t ny)
{
	double sum = 0;

	for (size_t i = 0; i < nx; i++)
		for (size_t j = 0; j < ny; j++)
			sum += (y[j] > x[i]) - (y[j] < x[i]);
	return sum / (double)(nx * ny);
}

double stat_hedges_g(struct moments x, struct moments y)
{
	double df = (double)(x.n + y.n) - 2;
	double pooled =
	        sqrt(((double)(x.n - 1) * x.sd * x.sd + (double)(y.n - 1) * y.sd * y.sd) / df);

	return (1 - 3 / (4 * df - 1)) * (y.mean - x.mean) / pooled;
}

/* ---- many tests ---- */

void stat_holm(const double *p, size_t n, double *out)
{
	size_t *order = mem_calloc(n + 1, sizeof *order);
	double worst = 0;

	gsl_sort_index(order, p, 1, n);
	for (size_t i = 0; i < n; i++) {
		double q = (double)(n - i) * p[order[i]];

		worst = q > worst ? q : worst;
		out[order[i]] = worst < 1 ? worst : 1;
	}
	free(order);
}

void stat_bh(const double *p, size_t n, double *out)
{
	size_t *order = mem_calloc(n + 1, sizeof *order);
	double best = 1;

	gsl_sort_index(order, p, 1, n);
	for (size_t i = n; i--;) {
		double q = (double)n / (double)(i + 1) * p[order[i]];

		best = q < best ? q : best;
		out[order[i]] = best;
	}
	free(order);
}

/* ---- order ---- */

enum { TREND_EXACT = 60 };

/* Two-sided p of Kendall's score: permutations counted by their inversions. */
static double inversions_p(size_t n, long score)
{
	size_t pairs = n * (n - 1) / 2;
	double *count = mem_calloc(pairs + 1, sizeof *count), all = 0, out = 0;

	count[0] = 1;
	for (size_t i = 2; i <= n; i++)
		for (size_t s = pairs + 1; s--;) {
			double sum = 0;

			for (size_t j = 0; j < i && j <= s; j++)
				sum += count[s - j];
			count[s] = sum;
		}
	for (size_t s = 0; s <= pairs; s++) {
		all += count[s];
		if (labs((long)pairs - 2 * (long)s) >= labs(score))
			out += count[s];
	}
	free(count);
	return out / all;
}

static double normal_p(size_t n, long score)
{
	double sd = sqrt((double)n * (double)(n - 1) * (double)(2 * n + 5) / 18);

	return 2 * gsl_cdf_ugaussian_Q(fabs((double)score) / sd);
}

struct trend stat_trend(const double *v, size_t n)
{
	size_t pairs = n * (n - 1) / 2, k = 0;
	double *slope = mem_calloc(pairs + 1, sizeof *slope);
	struct trend t = {.concordant = 0};
	long score = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			slope[k++] = (v[j] - v[i]) / (double)(j - i);
			t.concordant += v[j] > v[i];
			score += (v[j] > v[i]) - (v[j] < v[i]);
		}
	t.tau = pairs ? (double)score / (double)pairs : (double)NAN;
	gsl_sort(slope, 1, pairs);
	t.slope = stat_quantile(slope, pairs, .5);
	t.p = n <= TREND_EXACT ? inversions_p(n, score) : normal_p(n, score);
	free(slope);
	return t;
}

double stat_modified_z(const double *v, size_t n, size_t i)
{
	double median = stat_median(v, n), *d = mem_calloc(n + 1, sizeof *d), mad;

	for (size_t k = 0; k < n; k++)
		d[k] = fabs(v[k] - median);
	mad = stat_median(d, n);
	free(d);
	return mad > 0 ? .6745 * (v[i] - median) / mad : 0;
}

/* ---- how many ---- */

double stat_iterations(double sd, double change, double alpha, double power)
{
	double z = gsl_cdf_ugaussian_Pinv(1 - alpha / 2), b = gsl_cdf_ugaussian_Pinv(power);
	double of = sd / change;

	return 2 * (z + b) * (z + b) * of * of + z * z / 4;
}

double stat_detectable(double sd, size_t n, double alpha, double power)
{
	double df = 2 * (double)n - 2;

	return sd * sqrt(2 / (double)n) *
	       (stat_t_quantile(1 - alpha / 2, df) + stat_t_quantile(power, df));
}
