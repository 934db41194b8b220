/* Where the time of a frame went, from the start of its doFrame to the end of its drawing: the
 * thread that has it (the UI thread up to the start of DrawFrame, or to the end of doFrame; then
 * the drawing one) ran, waited for a CPU, or was blocked. The parts of a frame add up to its
 * duration (cpu.ui_rt). */
#ifndef PELTIER_ANALYSIS_FRAME_WHY_H
#define PELTIER_ANALYSIS_FRAME_WHY_H

#include "frame/frame.h"

#include "analysis/speed.h"

/* ns. of run time: work, and what is lost to the clock and to the CPU's size (speed.h);
 * speed_unknown: of which that is not known. */
#define FRAME_PARTS(X)                                                                             \
	X(work) X(clock) X(size) X(speed_unknown) X(waiting) X(blocked) X(between) X(unknown)

struct frame_parts {
	bool known;
#define X(part) int64_t part;
	FRAME_PARTS(X)
#undef X
};

/* What a thread did so far. */
struct spent {
	struct got got;
	int64_t waiting, blocked, unknown;
};

enum { CHAINS = 256 }; /* frames under way at one time, of all processes */
enum chain_stage { STAGE_UI, STAGE_BETWEEN, STAGE_DRAW };
struct chain {
	uint32_t frame; /* 1 + index */
	enum chain_stage stage;
	struct task *task;
	int64_t since; /* of BETWEEN */
	struct spent base;
};

struct frame_why {
	struct context *ctx;
	struct paces paces;
	VEC(struct spent) tasks;       /* by id */
	VEC(bool) tracked;             /* by id: has frames */
	VEC(struct frame_parts) parts; /* by index of the frame */
	struct chain chain[CHAINS];
};

void frame_why_cpu_seg(struct frame_why *w, const struct cpu_seg *f);
void frame_why_task_seg(struct frame_why *w, const struct task_seg *f);
/* A marker of the frame at that index begins or ends, written by the task. */
void frame_why_edge(struct frame_why *w, const struct frame_edge *e, struct task *task);
/* NULL: not known. */
const struct frame_parts *frame_why_parts(const struct frame_why *w, size_t frame);
void frame_why_free(struct frame_why *w);

#endif
