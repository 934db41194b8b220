/* How often identical configurations are said to differ: numbers of iterations on standard input
 * are drawn into two groups, 2000 times for each size; the share whose 95 % interval does not reach
 * 0. Nominal: 5 %, and two standard errors more are allowed. */
#include "compare/stats.h"

#include "base/mem.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRIALS = 2000 };

int main(void)
{
	static const size_t sizes[] = {3, 5, 10};
	const double allowed = .05 + 2 * sqrt(.05 * .95 / TRIALS);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	VEC(double) v = {NULL, 0, 0};
	double x;
	int bad = 0;

	while (scanf("%lf", &x) == 1)
		*vec_add(&v) = x;
	for (size_t i = 0; i < 3; i++) {
		size_t n = sizes[i], logs = 0, raw = 0;

		if (v.n < 4 * n) {
			fprintf(stderr, "null: %zu values are too few\n", v.n);
			return 2;
		}
		for (int t = 0; t < TRIALS; t++) {
			struct difference d;

			gsl_ran_shuffle(rng, v.at, v.n, sizeof *v.at);
			stat_welch_log(v.at, n, v.at + n, n, .95, &d);
			logs += d.at.low > 0 || d.at.high < 0;
			stat_welch(stat_moments(v.at, n), stat_moments(v.at + n, n), .95, &d);
			raw += d.at.low > 0 || d.at.high < 0;
		}
		printf("n %zu: %.1f %% on logarithms, %.1f %% in the unit (at most %.1f %%)\n", n,
		       100.0 * (double)logs / TRIALS, 100.0 * (double)raw / TRIALS, 100 * allowed);
		bad |= (double)logs > allowed * TRIALS || (double)raw > allowed * TRIALS;
	}
	gsl_rng_free(rng);
	vec_free(&v);
	return bad;
}
