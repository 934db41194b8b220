/* The analysis of frames: frames.c hears and tells, frame_show.c and frame_page.c show. */
#ifndef PELTIER_ANALYSIS_FRAMES_H
#define PELTIER_ANALYSIS_FRAMES_H

#include "analysis/frame_table.h"
#include "frame/rows.h"
#include "frame/user.h"

struct frames_state {
	struct context *ctx;
	bool set_up;
	struct frames frames;
	struct frame_timeline timeline;
	struct frame_rows rows;
	struct frame_markers markers;
	struct frame_user *user;  /* or NULL */
	bool all_events;          /* a definition is about other events than markers */
	VEC(uint8_t) type_wanted; /* by index of the type: 1: the definition wants it, 2: not */
	enum frame_source forced; /* SOURCE_NONE: the best of each process */
	struct frame_why why;
	VEC(struct suspended) slept;
	/* when the window is over */
	struct refresh refresh;
	bool refused; /* --refresh, but the trace shows a switch */
	struct frame_table table;
};

/* Run time of the threads of a process on CPUs of a size; draws: -1: of all, 0 or 1: only of those
 * that do not, or do, draw. */
struct size_use frames_use(const struct frames_state *s, int32_t pid, unsigned size, int draws);
/* Work over run time of critical paths, percent; NAN: none. */
double frames_speed(const struct parts_sum *s);

/* Why there are no frames: with --frames that none fits. */
const char *frames_not_there(const struct context *c);
extern const char frames_none[], frames_no_period[];

/* Metrics, see metric.def. */
void frames_measure(void *self, struct metric_rows *m);
/* One row per process. */
void frames_show(void *self, struct doc *d);
void frames_page_head(const struct frames_state *s, struct doc *d, const struct frame_process *p);
/* The first page, for the process with most frames. */
void frames_page(void *self, struct doc *d);
/* The last lines of it. */
void frames_worst(void *self, struct doc *d);

/* The key "perfetto" of a process. */
void frame_rows_json(const struct frame_rows *r, struct json *j, int32_t pid);
/* A row per frame. */
void frames_why(void *self, struct doc *d);

#endif
