/* A run set compared: for each value what it is in every configuration, and how it differs from the
 * first. Everything is computed from values per iteration (reference compare-gate.md 2.1, 2.2). */
#ifndef PELTIER_COMPARE_COMPARE_H
#define PELTIER_COMPARE_COMPARE_H

#include "compare/set.h"
#include "compare/stats.h"

struct compare_opts {
	const char
	        *metrics; /* names, with * at the end of each or not, by commas; NULL: the usual */
	bool full;        /* all metrics, all scopes */
	const char *process; /* whose frames; NULL: that with most */
	bool paired;         /* iterations of one name belong together */
	double level;        /* of intervals, .95 */
};

enum change_kind {
	CHANGE_NONE,    /* nothing to compare */
	CHANGE_PERCENT, /* of geometric means */
	CHANGE_RAW      /* in the unit of the value, points for percentages */
};

/* One value in one configuration. */
struct compare_cell {
	size_t n, missing; /* iterations with a number, and without */
	const char *text;  /* of the missing one that comes first */
	bool reason;       /* the text says why there is no number; it is no cell of a table */
	double *v;         /* n numbers, in the order of iterations */
	double mean, sd, median, min, max;
	struct interval rsd; /* of sd / mean; NAN when there is none */
	/* against the first configuration */
	enum change_kind kind;
	struct difference d; /* of logarithms (percent) or values (raw) */
	bool compared;       /* d and the numbers below are known */
	double change;       /* percent, or raw */
	struct interval at;
	double bh;    /* p adjusted over the rows (Benjamini-Hochberg) */
	size_t pairs; /* 0: not paired */
};

struct compare_row {
	size_t key;
	const char *group;          /* "FRAMES" ...: of the table */
	struct compare_cell *cells; /* one per configuration */
};

struct comparison {
	const struct run_set *set;
	struct compare_opts opts;
	const char *process; /* or NULL */
	VEC(struct compare_row) rows;
	/* texts for the reader */
	struct arena arena;
	VEC(const char *) untold;       /* usual rows without a number, and why */
	VEC(const char *) warnings;     /* what weakens the comparison */
	VEC(const char *) same, differ; /* facts: "kernel 6.1 | 6.2" */
};

/* Free with compare_free(). The set must outlive it. */
struct comparison compare(const struct run_set *s, const struct compare_opts *o);
void compare_free(struct comparison *c);

#endif
