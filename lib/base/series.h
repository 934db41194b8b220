/* A series of samples >= 0 (ns, as a rule): count, sum, max and quantiles.
 *
 * Exact up to SERIES_EXACT samples. Beyond that a log-linear histogram of 512 steps per power of
 * two: quantiles then have a relative error of at most 0.1 %; n, sum and max stay exact. */
#ifndef PELTIER_BASE_SERIES_H
#define PELTIER_BASE_SERIES_H

#include "base/mem.h"

#include <stdbool.h>

enum { SERIES_EXACT = 65536 };

struct series {
	uint64_t n;
	double sum;
	int64_t max;
	VEC(int64_t) values; /* while exact */
	uint64_t *bins;
	bool sorted;
};

void series_add_bin(struct series *s, int64_t v);
static inline void series_add(struct series *s, int64_t v)
{
	v = v < 0 ? 0 : v;
	s->n++;
	s->sum += (double)v;
	s->max = v > s->max ? v : s->max;
	if (!s->bins && s->values.n < SERIES_EXACT)
		*vec_add(&s->values) = v;
	else
		series_add_bin(s, v);
	s->sorted = false;
}
static inline bool series_is_exact(const struct series *s)
{
	return !s->bins;
}
/* The q quantile, 0 <= q <= 1, by linear interpolation between order statistics (Hyndman and Fan
 * type 7). The series must not be empty. */
double series_quantile(struct series *s, double q);
/* Forget the samples, keep the memory. */
void series_clear(struct series *s);
void series_free(struct series *s);

#endif
