/* What if: every frame is laid out again from its recorded work, waits and sleeps, with one thing
 * changed. Open loop: the same work, the same starts, and nothing else reacts. A frame's UI part
 * begins at its start or when the UI thread is done with the frame before, its drawing when it is
 * handed over or when the drawing thread is done with the frame before, the GPU's part likewise.
 * Less delay never makes a frame later; unchanged gives the recorded ends, to the ns. Affinities
 * are not in the trace: "on larger CPUs" means that there is always room for both threads. */
#ifndef PELTIER_ANALYSIS_FRAME_IF_H
#define PELTIER_ANALYSIS_FRAME_IF_H

#include "analysis/frame_table.h"

struct frame_change {
	bool top; /* the CPU's clock is at its top */
	int up; /* on CPUs of at least the (up + 1)th size, at the same share of their top clock; 0:
	           where it was */
	bool no_wait; /* no waiting for a CPU */
};

/* The end of each of p->used; FRAME_NO_TIME where parts or times are missing. With `top`, up is 0
 * or the largest size: UPS_MAX. */
void frame_if(const struct frame_process *p, const struct frame_change *c, int64_t *ends);
/* Of the frames that are janky because of the application how many still are, with those ends. */
uint64_t frame_if_janky(const struct frame_process *p, const int64_t *ends);
/* The application, or whoever, makes it janky: what a change could mend. */
bool frame_is_app_janky(const struct frame_process *p, const struct used_frame *u);
/* Frames whose end is not the recorded one, with those ends. */
uint64_t frame_if_moved(const struct frame_process *p, const int64_t *ends);

/* The least change that saves an app-janky frame. */
enum frame_least {
	LEAST_EITHER, /* size or clock, each alone */
	LEAST_SIZE,
	LEAST_CLOCK,
	LEAST_NO_WAIT,
	LEAST_BOTH, /* the largest CPU at its top clock */
	LEAST_NONE,
	LEASTS
};
void frame_least(const struct frame_process *p, uint64_t n[LEASTS]);

#endif
