/* Points of --timeline as CSV or JSON. */
#ifndef PELTIER_CMD_PLOT_H
#define PELTIER_CMD_PLOT_H

#include "analysis/timeline.h"
#include "report/json.h"

#include <stdio.h>

struct plot {
	FILE *out;
	bool json;
	struct json j;
	uint64_t n; /* points so far */
};

/* For timeline_opts.tell; arg is a struct plot with out and json set. */
void plot_point(void *plot, const struct timeline_point *p);
void plot_end(struct plot *p);

#endif
