/* Rebuilt utilization, for those who compare it with what the kernel had. */
#ifndef PELTIER_ANALYSIS_UTIL_H
#define PELTIER_ANALYSIS_UTIL_H

#include "analysis/analysis.h"

/* Util (0..1024) of the task at time t, which is not before the last event, under the set-th
 * half-life of the options, and by how much it may be too low for lack of knowledge. False when
 * nothing is known of it yet. */
bool util_at(struct session *s, const struct task *task, unsigned set, int64_t t, double *util,
             double *unsure);

/* The util of a task as its last segment left it, under the parameter set, for other analyses;
 * false when it is not known well enough. */
bool util_latest(const struct context *c, const struct task *task, unsigned set, double *util);
/* The util that just fits the smallest CPU; 0: not known. */
double util_margin(const struct context *c);

#endif
