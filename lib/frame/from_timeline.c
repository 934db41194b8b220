#include "frame/frame.h"

enum { PRESENT_DROPPED = 4, PREDICTION_EXPIRED = 2 };

void frame_timeline_free(struct frame_timeline *t)
{
	map_free(&t->by_cookie);
	vec_free(&t->open);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a == FRAME_NO_TIME || b < a ? b : a;
}

static void tell_edge(struct frame_timeline *t, enum frame_edge_kind kind, const struct frame *f,
                      int64_t at)
{
	const struct frame_edge e = {kind, (size_t)(f - t->frames->at.at), f->pid, at};

	if (t->hearer.edge && !(f->flags & FRAME_DISPLAY))
		t->hearer.edge(t->hearer.arg, &e);
}

static void begin_row(struct frame_timeline *t, const struct event *ev)
{
	const struct ev_frame_timeline *r = &ev->frame_timeline;
	bool display = r->shape == FRAME_EXPECTED_DISPLAY || r->shape == FRAME_ACTUAL_DISPLAY;
	bool expected = r->shape == FRAME_EXPECTED_DISPLAY || r->shape == FRAME_EXPECTED_SURFACE;
	uint32_t at = map_get(&t->by_cookie, (uint64_t)r->cookie, 0);
	struct frame *f = frames_get(t->frames, (int32_t)r->pid, r->token, display);
	struct open_row *row;

	if (!f)
		return;
	if (!at) {
		vec_add(&t->open);
		at = (uint32_t)t->open.n;
		map_put(&t->by_cookie, (uint64_t)r->cookie, 0, at);
	}
	row = &t->open.at[at - 1];
	*row = (struct open_row){0, (uint8_t)r->shape};
	f->flags |= FRAME_TIMELINE;
	if (expected && f->expected_start != FRAME_NO_TIME)
		return; /* of several layers the first counts */
	row->frame = (uint32_t)(f - t->frames->at.at) + 1;
	if (expected) {
		f->expected_start = ev->ts;
		tell_edge(t, EDGE_EXPECTED, f, ev->ts);
		return;
	}
	f->actual_start = earlier(f->actual_start, ev->ts);
	f->layers++;
	f->jank |= (uint32_t)r->jank_type;
	if (r->present_type == PRESENT_DROPPED)
		f->flags |= FRAME_DROPPED;
	if (r->prediction_type == PREDICTION_EXPIRED)
		f->flags |= FRAME_EXPIRED;
}

static void end_row(struct frame_timeline *t, const struct event *ev)
{
	uint32_t at = map_get(&t->by_cookie, (uint64_t)ev->frame_timeline.cookie, 0);
	struct open_row *row = at ? &t->open.at[at - 1] : NULL;
	struct frame *f;

	if (!row) {
		t->unpaired++;
		return;
	}
	if (!row->frame)
		return;
	f = &t->frames->at.at[row->frame - 1];
	if (row->shape == FRAME_EXPECTED_DISPLAY || row->shape == FRAME_EXPECTED_SURFACE)
		f->expected_end = ev->ts;
	else if (f->actual_end == FRAME_NO_TIME || ev->ts > f->actual_end) {
		f->actual_end = ev->ts;
		tell_edge(t, EDGE_READY, f, ev->ts);
	}
	row->frame = 0;
}

void frame_timeline_event(struct frame_timeline *t, const struct event *ev)
{
	if (!event_has(ev, frame_timeline, cookie))
		return;
	if (ev->frame_timeline.shape == FRAME_END_OF)
		end_row(t, ev);
	else if (event_has(ev, frame_timeline, token) && event_has(ev, frame_timeline, pid))
		begin_row(t, ev);
}
