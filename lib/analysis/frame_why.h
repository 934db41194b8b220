/* Where the time of a frame went, from its start to its end. At every moment one thread has the
 * frame: the UI thread until it hands over to the one that draws, that one until the drawing is
 * over, then the GPU. The parts of a frame add up to its duration, to the ns:
 *
 *   work       what the run time was worth at full speed of the largest CPU
 *   clock      lost to clocks below the CPU's own top; of that, capped: below what the policy
 * allowed size       lost to CPUs smaller than the largest (clock and size: speed.h) no_speed
 * running at a speed that is not known waiting    for a CPU: runnable, not running blocked asleep,
 * and not for the pipeline's sake; of that: binder, thread (woken by another thread of the process:
 * a lock, a message), disk (uninterruptible sleep) behind     the thread was busy with an earlier
 * frame gpu        from the end of the drawing to the end of the frame, and waits for a fence
 *   unknown    what the thread did is not known
 *
 * FrameTimeline: from the expected start to the end of the last actual row (ft.from_expected);
 * markers: from the start of doFrame to the end of the last DrawFrame(s) (cpu.ui_rt). */
#ifndef PELTIER_ANALYSIS_FRAME_WHY_H
#define PELTIER_ANALYSIS_FRAME_WHY_H

#include "frame/frame.h"

#include "analysis/speed.h"

/* X(part): they add up; ns. */
#define FRAME_PARTS(X)                                                                             \
	X(work) X(clock) X(size) X(no_speed) X(waiting) X(blocked) X(behind) X(gpu) X(unknown)
/* X(part, of) */
#define FRAME_SUBPARTS(X) X(capped, clock) X(binder, blocked) X(thread, blocked) X(disk, blocked)

enum { UPS_MAX = 3 };

/* Run time of one of the two threads on the frame, and what it had been otherwise: at the top clock
 * of the same CPUs, on CPUs at least as large as the (k + 2)th size at the same share of their top.
 * ns. */
struct leg {
	int64_t run, top, up[UPS_MAX], work, waiting, blocked;
};

enum { LEG_UI, LEG_DRAW, LEGS };

struct frame_parts {
	bool known;
#define X(part) int64_t part;
	FRAME_PARTS(X)
#undef X
#define X(part, of) int64_t part;
	FRAME_SUBPARTS(X)
#undef X
	struct leg leg[LEGS];
	int64_t start, handoff, draw, draw_end,
	        end;          /* handoff: the drawing thread has it from then on */
	int64_t wait_to_draw; /* for a CPU, between handoff and draw */
};

/* What a thread did so far, and what became of its run time. */
struct spent {
	int64_t run, unknown_speed, waiting, blocked, fence, unknown;
	double work, clock, size, capped, top, up[UPS_MAX];
};

/* Run time on CPUs of one size. */
enum { WHY_SIZES_MAX = UPS_MAX + 1, WHY_BANDS = 5 };
struct size_use {
	double run, work, clock_share; /* ns; clock_share: run x clock / top */
	double band[WHY_BANDS];        /* run by clock / top: below 25, 50, 75, 100 %, top */
};

/* A thread that has frames. */
struct why_thread {
	const struct task *task;
	int32_t pid; /* of its process, as the markers have it */
	bool draws;
	uint32_t ui_open, draw_open; /* 1 + index of the frame of the open slice; 0: none */
	int64_t draw_since, drew_from, drew_to; /* of the open slice; of the last that is over */
	struct spent spent, spent_drew;         /* so far; up to drew_to */
	int64_t blocked_from, blocked_to;       /* last */
	enum task_state blocked_in;
	unsigned calls; /* binder transactions that are not answered */
	bool in_fence;
	struct size_use size[WHY_SIZES_MAX];
};

enum why_stage {
	STAGE_BEHIND,
	STAGE_EARLY,
	STAGE_UI,
	STAGE_HAND_BEHIND,
	STAGE_HAND,
	STAGE_DRAW,
	STAGE_DONE
};
struct chain {
	uint32_t frame; /* 1 + index */
	int32_t pid;
	bool timeline; /* its end is told by FrameTimeline */
	enum why_stage stage;
	uint32_t thread; /* 1 + index of the one that has it; 0: not known */
	int64_t since;   /* of what is not added up yet */
	struct spent base;
	bool handed; /* the drawing thread was woken since the UI thread has the frame, at: */
	int64_t handed_at;
	uint32_t handed_to;
	struct spent ui_then, draw_then;
	struct frame_parts acc;
};

/* Who ran while frames waited. */
struct why_owner {
	uint32_t task; /* id */
	int32_t pid;   /* of the process that waited */
	int64_t ns;
};

enum { CHAINS = 64, CHAINS_PER_PROCESS = 8 };
struct frame_why {
	struct context *ctx;
	const struct frames *frames;
	struct paces paces;
	double size_cap[WHY_SIZES_MAX]; /* share of the largest, ascending */
	unsigned n_sizes;
	bool sized;
	VEC(uint16_t) slot_of; /* by task id: 1 + index in threads */
	VEC(struct why_thread) threads;
	VEC(struct frame_parts) parts; /* by index of the frame */
	VEC(struct why_owner) owners;
	struct map owner_of; /* (task, process): 1 + index */
	struct chain chain[CHAINS];
	unsigned n_chains; /* oldest first */
};

void frame_why_cpu_seg(struct frame_why *w, const struct cpu_seg *f);
void frame_why_task_seg(struct frame_why *w, const struct task_seg *f);
void frame_why_woke(struct frame_why *w, const struct woke *f);
/* Binder transactions and waits for fences. */
void frame_why_event(struct frame_why *w, const struct event *ev);
void frame_why_edge(struct frame_why *w, const struct frame_edge *e);
/* NULL: not known. */
const struct frame_parts *frame_why_parts(const struct frame_why *w, size_t frame);
void frame_why_free(struct frame_why *w);

#endif
