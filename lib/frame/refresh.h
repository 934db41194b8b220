/* The refresh period over time (reference frames.md 5.9), from the best of: the predicted starts of
 * display frames, a counter panel_fps, the edges of a VSYNC counter, what the user says. */
#ifndef PELTIER_FRAME_REFRESH_H
#define PELTIER_FRAME_REFRESH_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

enum refresh_source {
	REFRESH_UNKNOWN,
	REFRESH_DISPLAY,
	REFRESH_COUNTER,
	REFRESH_VSYNC,
	REFRESH_USER
};
extern const char *const refresh_source_name[];

/* From that time on the panel refreshes every `period` ns; 0: not known. */
struct refresh_span {
	int64_t from;
	double period;
};

struct refresh {
	enum refresh_source source;
	VEC(struct refresh_span) spans; /* ascending */
};

/* Of times (ns, ascending) that lie on refreshes, though not on all: each span begins where the
 * distance changes for good. Distances of more than 100 ms are pauses. Appends to r->spans. */
void refresh_of_times(struct refresh *r, const int64_t *t, size_t n);
/* The rate was told at that time, Hz. */
void refresh_told(struct refresh *r, int64_t t, double hz);
/* The period at that time, ns; before the first span its own; 0: not known. */
double refresh_at(const struct refresh *r, int64_t t);
/* Changes of more than a tenth. */
size_t refresh_switches(const struct refresh *r);
void refresh_free(struct refresh *r);

#endif
