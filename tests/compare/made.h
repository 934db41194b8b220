/* Run sets from literals. */
#ifndef PELTIER_TESTS_COMPARE_MADE_H
#define PELTIER_TESTS_COMPARE_MADE_H

#include "compare/set.h"

#include <math.h>
#include <stdio.h>

/* A configuration with these values of one metric; NAN: failed. */
static inline void made_config(struct run_set *s, const char *name, enum metric_id id,
                               const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char iteration[24], path[48];
		struct set_run *r;

		snprintf(iteration, sizeof iteration, "%zu", i + 1);
		snprintf(path, sizeof path, "%s/%zu", name, i + 1);
		r = set_run(s, set_config(s, name), iteration, path);
		if (isnan(v[i]))
			r->failed = "it is cut";
		else
			set_add(s, r, set_metric(s, id, "app"), v[i], NULL);
		*vec_add(&r->parts) = (struct set_parts){.process = "app", .frames = 10};
	}
}

#endif
