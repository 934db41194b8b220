/* One trace measured for a comparison. */
#ifndef PELTIER_CMD_MEASURE_H
#define PELTIER_CMD_MEASURE_H

#include "analysis/summary.h"
#include "compare/set.h"

enum { MEASURE_PROCESSES = 32 };

struct measure_opts {
	const char *jank; /* as in session_opts */
	double refresh_hz;
	const struct platform *platform; /* or NULL: what is found beside the trace */
};

/* What a worker makes of a trace; measured_add() puts it into the set. */
struct measured {
	bool good;
	char why[512];     /* when it is not */
	char partial[512]; /* it is good, though not whole: why; "" otherwise */
	struct metric_rows metrics;
	struct frame_sums frames[MEASURE_PROCESSES];
	size_t n_frames;
	char fact[16][2][160]; /* name, value */
	size_t n_facts;
	char boot[80];
};

/* Only one thread may use a `struct measured`. */
void measure(const char *path, const struct measure_opts *o, struct measured *out);
void measured_add(const struct measured *m, struct run_set *s, struct set_run *r);
void measured_free(struct measured *m);

#endif
