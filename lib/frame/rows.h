/* Rows of FrameTimeline as trace_processor has them, layer by layer, and what its metric
 * android_frame_timeline_metric makes of them (reference frames.md 2.5, 2.10): the profile
 * `perfetto`. Our own numbers are of frames, see frame.h. */
#ifndef PELTIER_FRAME_ROWS_H
#define PELTIER_FRAME_ROWS_H

#include "base/map.h"
#include "base/mem.h"
#include "event/event.h"

struct frame_row {
	int64_t ts, dur; /* ns; dur -1: its end is missing */
	int64_t token, display_token;
	int32_t pid;
	uint32_t jank;
	uint32_t layer; /* index in layers; 0: none */
	float score;    /* of severity; 0: not told */
	uint8_t shape;  /* enum frame_shape */
	uint8_t present, prediction;
	int8_t on_time, gpu; /* -1: not told */
};

struct frame_rows {
	struct arena arena;
	VEC(struct frame_row) at; /* by time */
	VEC(const char *) layers; /* the first is empty */
	struct map by_cookie;     /* 1 + index in open */
	VEC(uint32_t) open;       /* 1 + index of the row that an end closes; 0: none */
	struct map by_token;      /* expected surface rows: (pid, token) */
	struct map by_layer;      /* by hash */
	uint64_t unpaired;
};

void frame_rows_event(struct frame_rows *r, const struct event *ev);
void frame_rows_free(struct frame_rows *r);

/* "App Deadline Missed, Buffer Stuffing" */
const char *frame_jank_text(uint32_t mask, char *out, size_t room);
extern const char *const frame_present_text[6], *const frame_prediction_text[4];

/* Of one process; counts are of distinct tokens, durations of rows, ns, whole numbers. */
struct frame_rows_metric {
	uint64_t total, missed, missed_app, missed_sf, dropped;
	int64_t max, avg, p50, p90, p95, p99; /* -1: no row that was not dropped */
	double weighted, weighted_app, weighted_sf;
};
struct frame_rows_metric frame_rows_metric(const struct frame_rows *r, int32_t pid);

#endif
