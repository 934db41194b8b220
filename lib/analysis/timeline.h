/* Signals over time, for those who plot them: points as they become known, at every change or at a
 * fixed step. The list is text: signal[:task=NAME|PID][:cpu=N][:h=HALF_LIFE], separated by commas.
 */
#ifndef PELTIER_ANALYSIS_TIMELINE_H
#define PELTIER_ANALYSIS_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct timeline_point {
	int64_t t;          /* ns; ascending for one signal of one thing */
	const char *signal; /* as asked for */
	const char *of;     /* "cpu3" or "name-pid" */
	double value;
	bool known;
};

/* Gets the points of a session. */
struct timeline_opts {
	const char *list; /* NULL: no points */
	int64_t every_ns; /* 0: at changes */
	void (*tell)(void *arg, const struct timeline_point *p);
	void *arg;
};

/* What is wrong with a list, or NULL. */
const char *timeline_wrong(const char *list);

#endif
