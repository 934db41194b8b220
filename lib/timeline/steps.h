/* A step function of time: a value that holds from one change to the next.
 *
 * Times are ns and ascend; before the first step, and where the value is STEP_UNKNOWN, nothing is
 * known. Intervals are half open: [from, to). */
#ifndef PELTIER_TIMELINE_STEPS_H
#define PELTIER_TIMELINE_STEPS_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

#define STEP_UNKNOWN INT64_MIN

struct step_point {
	int64_t t, value;
};

struct steps {
	VEC(struct step_point) points;
};

void steps_free(struct steps *s);
/* From t on it is `value`. t is not before the last one; at the same t the later value counts. A
 * step that changes nothing is not stored. */
void steps_append(struct steps *s, int64_t t, int64_t value);
/* The value at t. */
int64_t steps_at(const struct steps *s, int64_t t);
/* Integral of value x ns over the known part of [from, to), and the length of that part. */
double steps_integrate(const struct steps *s, int64_t from, int64_t to, int64_t *known_ns);
/* ns of [from, to) at exactly `value` (which may be STEP_UNKNOWN). */
int64_t steps_residency(const struct steps *s, int64_t from, int64_t to, int64_t value);

#endif
