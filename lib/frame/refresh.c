#include "frame/refresh.h"

#include <math.h>
#include <stdlib.h>

const char *const refresh_source_name[] = {"unknown", "display frames", "panel_fps",
                                           "VSYNC counter", "--refresh or the run file"};

static const double pause_ns = 1e8, shortest_ns = 1e6;
enum {
	SURE = 3,   /* distances in a row that do not fit make a new period */
	STEADY = 8, /* or so many that are the same multiple of it */
	LOOK = 32,
};

static bool like(double a, double b)
{
	return fabs(a - b) <= .1 * b;
}

/* The shortest distance that comes again among the next ones; 0: there is none. */
static double first_guess(const int64_t *t, size_t n)
{
	double best = 0;
	size_t end = n < LOOK ? n : LOOK;

	for (size_t i = 1; i < end; i++) {
		double d = (double)(t[i] - t[i - 1]);
		size_t same = 0;

		for (size_t k = 1; k < end; k++)
			same += like((double)(t[k] - t[k - 1]), d);
		if (d >= shortest_ns && d <= pause_ns && (same >= SURE || same >= end / 2) &&
		    (best <= 0 || d < best))
			best = d;
	}
	return best;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of the distances over [from, to), each divided by how many periods it is. */
static double refined(const int64_t *t, size_t from, size_t to, double period)
{
	double *d = mem_calloc(to - from + 1, sizeof *d), median = period;
	size_t n = 0;

	for (size_t i = from + 1; i < to; i++) {
		double x = (double)(t[i] - t[i - 1]), k = round(x / period);

		if (k >= 1 && x <= pause_ns && fabs(x - k * period) <= .15 * period)
			d[n++] = x / k;
	}
	if (n) {
		qsort(d, n, sizeof *d, by_value);
		median = d[n / 2];
	}
	free(d);
	return median;
}

static void add_span(struct refresh *r, int64_t from, double period)
{
	if (r->spans.n && like(period, r->spans.at[r->spans.n - 1].period))
		return;
	*vec_add(&r->spans) = (struct refresh_span){from, period};
}

/* The first distance at or behind i where the period is over, and the next guess; n: it holds to
 * the end. */
static size_t period_ends(const int64_t *t, size_t n, size_t i, double period, double *next)
{
	size_t odd = 0, multiple = 0;
	double odd_sum = 0, k_was = 0;

	for (; i < n; i++) {
		double d = (double)(t[i] - t[i - 1]), k = round(d / period);

		if (d > pause_ns || d < shortest_ns)
			continue;
		if (k >= 1 && fabs(d - k * period) <= .15 * period) {
			multiple = k >= 2 && fabs(k - k_was) < .5 ? multiple + 1 : 1;
			k_was = k;
			odd = 0;
			odd_sum = 0;
			if (k >= 2 && multiple >= STEADY) {
				*next = k * period;
				return i - multiple + 1;
			}
			continue;
		}
		multiple = 0;
		if (odd && !like(d, odd_sum / (double)odd)) {
			odd = 0;
			odd_sum = 0;
		}
		odd_sum += d;
		if (++odd == SURE) {
			*next = odd_sum / SURE;
			return i - SURE + 1;
		}
	}
	return n;
}

void refresh_of_times(struct refresh *r, const int64_t *t, size_t n)
{
	double period = n > 1 ? first_guess(t, n) : 0, next = 0;
	size_t from = 0;

	while (period > 0 && from + 1 < n) {
		size_t to = period_ends(t, n, from + 1, period, &next);

		add_span(r, t[from], refined(t, from, to, period));
		from = to > from + 1 ? to - 1 : from + 1;
		period = next;
		if (to == n)
			break;
	}
}

void refresh_told(struct refresh *r, int64_t t, double hz)
{
	if (hz >= 1 && hz <= 1000)
		add_span(r, t, 1e9 / hz);
}

double refresh_at(const struct refresh *r, int64_t t)
{
	size_t i = 0;

	if (!r->spans.n)
		return 0;
	while (i + 1 < r->spans.n && r->spans.at[i + 1].from <= t)
		i++;
	return r->spans.at[i].period;
}

size_t refresh_switches(const struct refresh *r)
{
	return r->spans.n ? r->spans.n - 1 : 0;
}

void refresh_free(struct refresh *r)
{
	vec_free(&r->spans);
}
