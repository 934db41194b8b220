#include "base/series.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_BITS = 9, STEPS = 1 << STEP_BITS, BINS = (64 - STEP_BITS) * STEPS };

static size_t bin_of(int64_t v)
{
	unsigned top;

	if (v < 2 * STEPS)
		return (size_t)v;
	top = 63 - (unsigned)__builtin_clzll((unsigned long long)v);
	return (size_t)(top - STEP_BITS) * STEPS + (size_t)(v >> (top - STEP_BITS));
}

/* The middle of a bin. */
static double bin_value(size_t b)
{
	size_t shift;

	if (b < 2 * STEPS)
		return (double)b;
	shift = b / STEPS - 1;
	return ((double)(b - shift * STEPS) + 0.5) * (double)(1ull << shift) - 0.5;
}

static void to_bins(struct series *s)
{
	s->bins = mem_calloc(BINS, sizeof *s->bins);
	for (size_t i = 0; i < s->values.n; i++)
		s->bins[bin_of(s->values.at[i])]++;
	vec_free(&s->values);
}

void series_add_bin(struct series *s, int64_t v)
{
	if (!s->bins)
		to_bins(s);
	s->bins[bin_of(v)]++;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The k-th smallest, from 0. */
static double order(const struct series *s, uint64_t k)
{
	uint64_t seen = 0;

	if (!s->bins)
		return (double)s->values.at[k];
	if (k + 1 >= s->n)
		return (double)s->max;
	for (size_t b = 0; b < BINS; b++) {
		seen += s->bins[b];
		if (seen > k)
			return bin_value(b) < (double)s->max ? bin_value(b) : (double)s->max;
	}
	return (double)s->max;
}

double series_quantile(struct series *s, double q)
{
	double at, lo;
	uint64_t k;

	assert(s->n && q >= 0 && q <= 1);
	if (!s->bins && !s->sorted) {
		qsort(s->values.at, s->values.n, sizeof *s->values.at, by_value);
		s->sorted = true;
	}
	at = q * (double)(s->n - 1);
	k = (uint64_t)at;
	lo = order(s, k);
	if (k + 1 >= s->n)
		return lo;
	return lo + (at - (double)k) * (order(s, k + 1) - lo);
}

void series_clear(struct series *s)
{
	free(s->bins);
	s->bins = NULL;
	s->n = s->values.n = 0;
	s->sum = 0;
	s->max = 0;
}

void series_free(struct series *s)
{
	series_clear(s);
	vec_free(&s->values);
}
