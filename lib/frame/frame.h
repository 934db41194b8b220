/* Frames, whatever told of them: one record per process and token, filled by the files from_*.c.
 *
 * Durations (reference frames.md 2.9, 5.1): ft.from_expected is from the predicted wake-up of the
 * application (expected surface row) to the end of the last actual row: the buffer is ready and
 * posted. cpu.ui_rt is from the start of doFrame to the end of the last DrawFrame(s) of the same
 * frame. Rules of jank are in jank.h. */
#ifndef PELTIER_FRAME_FRAME_H
#define PELTIER_FRAME_FRAME_H

#include "base/map.h"
#include "base/mem.h"
#include "event/event.h"

#include <stdbool.h>
#include <stdint.h>

#define FRAME_NO_TIME INT64_MIN

enum { FRAMES_MAX = 1 << 21 }; /* 1 million frames are 2.3 hours at 120 Hz */

enum frame_flags {
	FRAME_DROPPED = 1,  /* its end is not that of a frame */
	FRAME_EXPIRED = 2,  /* its start is made up */
	FRAME_TIMELINE = 4, /* FrameTimeline rows were seen */
	FRAME_MARKED = 8,   /* markers were seen */
	FRAME_DISPLAY = 16, /* of the compositor itself */
	FRAME_NO_ID = 32,   /* the token is a running number of ours */
	FRAME_USER = 64,    /* of a definition, see user.h */
};

struct frame {
	int32_t pid; /* of the process */
	int64_t token;
	int64_t expected_start, expected_end, actual_start, actual_end; /* FrameTimeline */
	int64_t ui_start, ui_end, draw_start, draw_end;                 /* markers */
	uint32_t jank;                                                  /* bits of FrameTimeline */
	uint16_t layers;
	uint16_t flags;
};

/* The bits of jank that make a frame missed. */
enum {
	JANK_SF = 2 | 4 | 8 | 16 | 32,
	JANK_APP = 64 | 4096,
	JANK_DROPPED = 1024,
	JANK_MISSED = JANK_SF | JANK_APP | JANK_DROPPED
};

struct frames {
	VEC(struct frame) at;
	struct map by_token; /* (pid, token): 1 + index */
	uint64_t left_out;   /* beyond FRAMES_MAX */
};

/* The frame, made when it is new; NULL: there are too many. */
struct frame *frames_get(struct frames *f, int32_t pid, int64_t token, bool display);
void frames_free(struct frames *f);

/* ---- sources ---- */

/* Something about a frame begins or ends. */
enum frame_edge_kind {
	EDGE_EXPECTED, /* predicted wake-up of the application */
	EDGE_UI_BEGIN, /* doFrame */
	EDGE_UI_END,
	EDGE_DRAW_BEGIN, /* DrawFrame(s) */
	EDGE_DRAW_END,
	EDGE_READY, /* a buffer is ready and posted: the end of an actual row */
};
struct frame_edge {
	enum frame_edge_kind kind;
	size_t frame; /* index in frames */
	int32_t tid;  /* that writes it, or the main thread of the process */
	int64_t t;
};

/* Who is told of edges, in order of time; edge NULL: nobody. */
struct frame_hearer {
	void (*edge)(void *arg, const struct frame_edge *e);
	void *arg;
};

struct open_row {
	uint32_t frame; /* 1 + index; 0: closed */
	uint8_t shape;
};

/* Rows of FrameTimeline, paired by cookie. */
struct frame_timeline {
	struct frames *frames;
	struct map by_cookie; /* 1 + index in open */
	VEC(struct open_row) open;
	uint64_t unpaired; /* ends without a start */
	struct frame_hearer hearer;
};
void frame_timeline_event(struct frame_timeline *t, const struct event *ev);
void frame_timeline_free(struct frame_timeline *t);

struct panel_fps {
	int64_t t, hz;
};

/* Slices of atrace: Choreographer#doFrame and DrawFrame(s), with and without ids. */
enum { MARK_DEPTH = 64 };
struct open_mark {
	int64_t t;
	size_t frame; /* 1 + index; 0: of none */
	uint8_t what;
};
struct mark_thread {
	unsigned depth;             /* may be more than are kept */
	VEC(struct open_mark) open; /* at most MARK_DEPTH */
	uint32_t cpu;
};

struct mark_process {
	int64_t n_ui, n_drawn;
};
struct frame_markers {
	struct frames *frames;
	struct map by_tid; /* 1 + index in threads */
	VEC(struct mark_thread) threads;
	struct map by_process; /* of frames without ids: 1 + index in processes */
	VEC(struct mark_process) processes;
	uint64_t broken;     /* slices that a gap took the end of */
	VEC(int64_t) vsyncs; /* edges of the counter VSYNC-app: each is a vsync */
	int64_t vsync_value;
	VEC(struct panel_fps) panel_fps; /* what the counter of that name told */
	struct frame_hearer hearer;
};
void frame_markers_event(struct frame_markers *m, const struct event *ev);
/* Events of the CPU are missing: slices that are open on it cannot be trusted. */
void frame_markers_gap(struct frame_markers *m, uint32_t cpu);
void frame_markers_free(struct frame_markers *m);

/* ---- rules ---- */

/* Which of them is used for a process: the best one that there is. */
enum frame_source {
	SOURCE_NONE,
	SOURCE_TIMELINE,
	SOURCE_MARKERS,
	SOURCE_RTAPP,
	SOURCE_USER,
	FRAME_SOURCES
};
/* "FrameTimeline", "markers", "rt-app", "definition" */
extern const char *const frame_source_name[FRAME_SOURCES];
extern const char *const frame_duration_id[FRAME_SOURCES];
/* Start of the frame and its duration, ns; false: it has none (dropped, expired, a part is
 * missing). */
bool frame_duration(const struct frame *f, enum frame_source s, int64_t *start, int64_t *ns);

#endif
