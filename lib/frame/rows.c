#include "frame/rows.h"

#include "base/text.h"
#include "frame/frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const frame_present_text[6] = {"Unspecified Present", "On-time Present",
                                           "Late Present",        "Early Present",
                                           "Dropped Frame",       "Unknown Present"};
const char *const frame_prediction_text[4] = {"Unspecified Prediction", "Valid Prediction",
                                              "Expired Prediction", "Unknown Prediction"};

void frame_rows_free(struct frame_rows *r)
{
	vec_free(&r->at);
	vec_free(&r->layers);
	vec_free(&r->open);
	map_free(&r->by_cookie);
	map_free(&r->by_token);
	map_free(&r->by_layer);
	arena_free(&r->arena);
}

/* ---- rows ---- */

static uint32_t layer_of(struct frame_rows *r, struct str name)
{
	size_t n = str_len(name);
	uint64_t h;
	uint32_t at;

	if (!r->layers.n)
		*vec_add(&r->layers) = "";
	if (!n)
		return 0;
	h = text_hash(name.p, n);
	at = map_get(&r->by_layer, h, n);
	if (at)
		return at - 1;
	*vec_add(&r->layers) = arena_str(&r->arena, name.p, n);
	map_put(&r->by_layer, h, n, (uint32_t)r->layers.n);
	return (uint32_t)r->layers.n - 1;
}

static uint32_t *open_of(struct frame_rows *r, int64_t cookie)
{
	uint32_t at = map_get(&r->by_cookie, (uint64_t)cookie, 0);

	if (!at) {
		*vec_add(&r->open) = 0;
		at = (uint32_t)r->open.n;
		map_put(&r->by_cookie, (uint64_t)cookie, 0, at);
	}
	return &r->open.at[at - 1];
}

static uint8_t small(int64_t v, uint8_t n)
{
	return v >= 0 && v < n ? (uint8_t)v : 0;
}

static void begin_row(struct frame_rows *r, const struct event *ev)
{
	const struct ev_frame_timeline *f = &ev->frame_timeline;
	uint32_t *open = open_of(r, f->cookie);
	struct frame_row *row;

	if (f->shape == FRAME_EXPECTED_SURFACE) {
		if (map_get(&r->by_token, (uint32_t)f->pid, (uint64_t)f->token))
			return; /* a twin is no row */
		map_put(&r->by_token, (uint32_t)f->pid, (uint64_t)f->token, 1);
	}
	if (r->at.n >= FRAMES_MAX)
		return;
	row = vec_add(&r->at);
	*row = (struct frame_row){
	        .ts = ev->ts,
	        .dur = -1,
	        .token = f->token,
	        .display_token =
	                event_has(ev, frame_timeline, display_token) ? f->display_token : 0,
	        .pid = (int32_t)f->pid,
	        .jank = event_has(ev, frame_timeline, jank_type) ? (uint32_t)f->jank_type : 0,
	        .layer = layer_of(r, event_has(ev, frame_timeline, layer) ? f->layer
	                                                                  : (struct str){NULL, 0}),
	        .score = event_has(ev, frame_timeline, severity_score) ? (float)f->severity_score
	                                                               : 0,
	        .shape = (uint8_t)f->shape,
	        .present =
	                event_has(ev, frame_timeline, present_type) ? small(f->present_type, 6) : 0,
	        .prediction = event_has(ev, frame_timeline, prediction_type)
	                              ? small(f->prediction_type, 4)
	                              : 0,
	        .on_time = event_has(ev, frame_timeline, on_time_finish)
	                           ? (int8_t)(f->on_time_finish != 0)
	                           : -1,
	        .gpu = event_has(ev, frame_timeline, gpu_composition)
	                       ? (int8_t)(f->gpu_composition != 0)
	                       : -1};
	*open = (uint32_t)r->at.n;
}

static void end_row(struct frame_rows *r, const struct event *ev)
{
	uint32_t at = map_get(&r->by_cookie, (uint64_t)ev->frame_timeline.cookie, 0), row;

	row = at ? r->open.at[at - 1] : 0;
	if (!row) {
		r->unpaired++;
		return;
	}
	r->at.at[row - 1].dur = ev->ts - r->at.at[row - 1].ts;
	r->open.at[at - 1] = 0; /* the cookie is done, even with another row below */
}

void frame_rows_event(struct frame_rows *r, const struct event *ev)
{
	if (!event_has(ev, frame_timeline, cookie))
		return;
	if (ev->frame_timeline.shape == FRAME_END_OF)
		end_row(r, ev);
	else if (event_has(ev, frame_timeline, token) && event_has(ev, frame_timeline, pid))
		begin_row(r, ev);
}

const char *frame_jank_text(uint32_t mask, char *out, size_t room)
{
	static const struct {
		uint32_t bit;
		const char *text;
	} names[] = {{2, "SurfaceFlinger Scheduling"},
	             {4, "Prediction Error"},
	             {8, "Display HAL"},
	             {16, "SurfaceFlinger CPU Deadline Missed"},
	             {32, "SurfaceFlinger GPU Deadline Missed"},
	             {64, "App Deadline Missed"},
	             {4096, "App Resynced Jitter"},
	             {128, "Buffer Stuffing"},
	             {256, "Unknown Jank"},
	             {512, "SurfaceFlinger Stuffing"},
	             {1024, "Dropped Frame"},
	             {2048, "Non Animating"},
	             {8192, "Display not ON"},
	             {16384, "ModeChange in progress"},
	             {32768, "PowerModeChange in progress"}};
	size_t n = 0;

	snprintf(out, room, "%s", mask == 1 ? "None" : "Unspecified");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (mask & names[i].bit && n < room)
			n += (size_t)snprintf(out + n, room - n, "%s%s", n ? ", " : "",
			                      names[i].text);
	return out;
}

/* ---- the metric ---- */

struct by_token {
	int64_t token, dur;
	uint32_t jank;
	double score;
};

static int by_token(const void *a, const void *b)
{
	const struct by_token *x = a, *y = b;

	return (x->token > y->token) - (x->token < y->token);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t quantile(const int64_t *ascending, size_t n, double q)
{
	double rank = q * (double)(n - 1);
	size_t low = (size_t)rank, high = low + 1 < n ? low + 1 : low;

	return (int64_t)((double)ascending[low] +
	                 (rank - (double)low) * (double)(ascending[high] - ascending[low]) + 1e-6);
}

static void add_token(struct frame_rows_metric *m, uint32_t jank, double score)
{
	m->total++;
	m->missed += (jank & JANK_MISSED) != 0;
	m->missed_app += (jank & JANK_APP) != 0;
	m->missed_sf += (jank & JANK_SF) != 0;
	m->dropped += (jank & JANK_DROPPED) != 0;
	m->weighted += jank & JANK_MISSED ? score : 0;
	m->weighted_app += jank & JANK_APP ? score : 0;
	m->weighted_sf += jank & JANK_SF ? score : 0;
}

struct frame_rows_metric frame_rows_metric(const struct frame_rows *r, int32_t pid)
{
	struct frame_rows_metric m = {
	        .max = -1, .avg = -1, .p50 = -1, .p90 = -1, .p95 = -1, .p99 = -1};
	VEC(struct by_token) rows = {NULL, 0, 0};
	VEC(int64_t) dur = {NULL, 0, 0};
	double sum = 0;

	for (size_t i = 0; i < r->at.n; i++) {
		const struct frame_row *x = &r->at.at[i];

		if (x->pid != pid ||
		    (x->shape != FRAME_ACTUAL_SURFACE && x->shape != FRAME_ACTUAL_DISPLAY))
			continue;
		*vec_add(&rows) =
		        (struct by_token){x->token, x->dur, x->jank, fabs((double)x->score)};
		if (x->jank & JANK_DROPPED)
			continue;
		*vec_add(&dur) = x->dur;
		sum += (double)x->dur;
	}
	if (rows.n)
		qsort(rows.at, rows.n, sizeof *rows.at, by_token);
	for (size_t i = 0, k; i < rows.n; i = k) {
		uint32_t jank = 0;
		double score = 0;

		for (k = i; k < rows.n && rows.at[k].token == rows.at[i].token; k++) {
			jank |= rows.at[k].jank;
			score = rows.at[k].score > score ? rows.at[k].score : score;
		}
		add_token(&m, jank, score);
	}
	if (dur.n) {
		qsort(dur.at, dur.n, sizeof *dur.at, by_value);
		m.max = dur.at[dur.n - 1];
		m.avg = (int64_t)(sum / (double)dur.n);
		m.p50 = quantile(dur.at, dur.n, .5);
		m.p90 = quantile(dur.at, dur.n, .9);
		m.p95 = quantile(dur.at, dur.n, .95);
		m.p99 = quantile(dur.at, dur.n, .99);
	}
	vec_free(&rows);
	vec_free(&dur);
	return m;
}
