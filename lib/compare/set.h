/* Run sets: configurations, their iterations, and the values of each. Plain data; whoever reads
 * traces or result files fills it in. */
#ifndef PELTIER_COMPARE_SET_H
#define PELTIER_COMPARE_SET_H

#include "base/mem.h"
#include "metric/metric.h"

#include <stdbool.h>
#include <stdint.h>

/* What is compared: a metric of a scope. */
struct set_key {
	const char *name, *scope, *unit;
	enum metric_direction direction;
	enum metric_class class;
	const char *definition; /* "" when not known */
};

struct set_value {
	size_t key;
	double value;     /* NAN: there is none */
	const char *text; /* then the cell as it was, or why: "N/A", ">50", "failed" */
};

/* A fact about how a run was made ("kernel", "governor"). */
struct set_fact {
	const char *name, *value;
};

/* Where the time of the frames of a run went, ms per frame (see analysis/summary.h). */
enum { SET_SIZES = 4 };
struct set_parts {
	const char *process;
	uint64_t frames, n;
	bool speeds;
	unsigned n_sizes;
	double size_run[SET_SIZES], size_work[SET_SIZES]; /* smallest first */
	double work, run, no_speed, waiting, blocked, behind, gpu, unknown;
};

struct set_run {
	const char *iteration, *path;
	const char *boot;    /* or NULL */
	const char *failed;  /* why there are no values; NULL: it is good */
	const char *partial; /* what of it is missing or damaged, though it has values; or NULL */
	VEC(struct set_value) values;
	VEC(struct set_fact) facts;
	VEC(struct set_parts) parts; /* of each process with frames, most frames first */
};

struct set_config {
	const char *name;
	VEC(struct set_run) runs; /* in natural order of their iterations */
};

struct run_set {
	struct arena arena;
	VEC(struct set_key) keys;
	VEC(struct set_config) configs;
};

void set_free(struct run_set *s);
/* The configuration of that name, made when it is new. The pointer is good until the next one. */
struct set_config *set_config(struct run_set *s, const char *name);
/* A new run; texts are copied. The pointer is good until the next run of the configuration. */
struct set_run *set_run(struct run_set *s, struct set_config *c, const char *iteration,
                        const char *path);
/* Index of a key, made when it is new; metrics of the registry bring unit, direction, class. */
size_t set_key(struct run_set *s, const char *name, const char *scope, const char *unit,
               enum metric_direction direction, enum metric_class class);
size_t set_metric(struct run_set *s, enum metric_id id, const char *scope);
/* Add a value; text may be NULL. */
void set_add(struct run_set *s, struct set_run *r, size_t key, double value, const char *text);
void set_fact(struct run_set *s, struct set_run *r, const char *name, const char *value);
const char *set_text(struct run_set *s, const char *text); /* a copy that lives as long */
/* Order of runs: numbers in names by value ("iter-2" before "iter-10"). */
int set_natural(const char *a, const char *b);
/* Put runs into natural order. */
void set_sort(struct run_set *s);
/* NULL: the run has no such value. */
const struct set_value *set_find(const struct set_run *r, size_t key);
/* The process that has most frames over all good runs; NULL: none has frames. */
const char *set_process(const struct run_set *s);
const struct set_parts *set_parts_of(const struct set_run *r, const char *process);

#endif
