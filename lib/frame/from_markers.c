/* Markers: `B|tgid|name` begins a slice of the writing thread, `E` ends its innermost one. */
#include "frame/frame.h"

#include <string.h>

enum { OTHER, UI, DRAW };
#define NO_ID INT64_MIN

void frame_markers_free(struct frame_markers *m)
{
	for (size_t i = 0; i < m->threads.n; i++)
		vec_free(&m->threads.at[i].open);
	map_free(&m->by_tid);
	map_free(&m->by_process);
	vec_free(&m->threads);
	vec_free(&m->processes);
	vec_free(&m->vsyncs);
	vec_free(&m->panel_fps);
}

static struct mark_thread *thread_of(struct frame_markers *m, int32_t tid)
{
	uint32_t at = map_get(&m->by_tid, (uint32_t)tid, 0);

	if (!at) {
		vec_add(&m->threads);
		at = (uint32_t)m->threads.n;
		map_put(&m->by_tid, (uint32_t)tid, 0, at);
	}
	return &m->threads.at[at - 1];
}

static bool begins(struct str s, const char *with)
{
	return s.n >= strlen(with) && !memcmp(s.p, with, strlen(with));
}

/* The whole number that begins at p; NO_ID: there is none. */
static int64_t number(const char *p, const char *end)
{
	bool negative = p < end && *p == '-';
	int64_t v = 0;
	const char *s;

	p += negative;
	for (s = p; s < end && *s >= '0' && *s <= '9' && s - p < 18; s++)
		v = v * 10 + (*s - '0');
	if (s == p)
		return NO_ID;
	return negative ? -v : v;
}

/* What a slice is, and the id in its second word. */
static uint8_t what_is(struct str name, int64_t *id)
{
	const char *end = name.p + name.n, *blank = memchr(name.p, ' ', name.n);

	*id = blank ? number(blank + 1, end) : NO_ID;
	if (begins(name, "Choreographer#doFrame"))
		return blank && *id == NO_ID ? OTHER : UI; /* "- resynced to ..." */
	return begins(name, "DrawFrame") ? DRAW : OTHER;
}

static struct mark_process *process_of(struct frame_markers *m, int32_t pid)
{
	uint32_t at = map_get(&m->by_process, (uint32_t)pid, 0);

	if (!at) {
		vec_add(&m->processes);
		at = (uint32_t)m->processes.n;
		map_put(&m->by_process, (uint32_t)pid, 0, at);
	}
	return &m->processes.at[at - 1];
}

/* Without ids: each doFrame is a frame, and each DrawFrame belongs to the oldest that has none; 0:
 * it is drawn by itself. */
static int64_t next_token(struct frame_markers *m, int32_t pid, uint8_t what)
{
	struct mark_process *p = process_of(m, pid);

	if (what == UI)
		return ++p->n_ui;
	return p->n_drawn < p->n_ui ? ++p->n_drawn : 0;
}

static void tell_edge(struct frame_markers *m, const struct open_mark *o, int32_t tid, int64_t t,
                      bool begins_now)
{
	const struct frame_edge e = {o->what == UI ? begins_now ? EDGE_UI_BEGIN : EDGE_UI_END
	                             : begins_now  ? EDGE_DRAW_BEGIN
	                                           : EDGE_DRAW_END,
	                             o->frame - 1, tid, t};

	if (m->hearer.edge)
		m->hearer.edge(m->hearer.arg, &e);
}

/* A slice that is a part of a frame begins. */
static void begin_part(struct frame_markers *m, struct open_mark *o, int32_t pid, int64_t id,
                       int32_t tid)
{
	bool no_id = id == NO_ID;
	int64_t token = no_id ? next_token(m, pid, o->what) : id;
	struct frame *f = no_id && !token ? NULL : frames_get(m->frames, pid, token, false);

	if (!f)
		return;
	f->flags |= (uint16_t)(FRAME_MARKED | (no_id ? FRAME_NO_ID : 0));
	o->frame = (uint32_t)(f - m->frames->at.at) + 1;
	tell_edge(m, o, tid, o->t, true);
}

static void end_part(struct frame_markers *m, const struct open_mark *o, int32_t tid, int64_t end)
{
	struct frame *f;

	if (!o->frame)
		return;
	f = &m->frames->at.at[o->frame - 1];
	if (o->what == UI && f->ui_start == FRAME_NO_TIME) {
		f->ui_start = o->t;
		f->ui_end = end;
	} else if (o->what == DRAW) {
		f->draw_start = f->draw_start == FRAME_NO_TIME ? o->t : f->draw_start;
		f->draw_end = f->draw_end == FRAME_NO_TIME || end > f->draw_end ? end : f->draw_end;
	}
	tell_edge(m, o, tid, end, false);
}

static void begin(struct frame_markers *m, struct mark_thread *t, const struct event *ev,
                  struct str text)
{
	const char *end = text.p + text.n, *bar = memchr(text.p + 2, '|', text.n - 2);
	int64_t tgid = number(text.p + 2, end), id;
	struct open_mark *o;
	struct str name;

	if (!bar || tgid == NO_ID || tgid < 0 || tgid > INT32_MAX)
		return;
	if (t->depth++ >= MARK_DEPTH)
		return;
	vec_fit(&t->open, t->depth);
	o = &t->open.at[t->depth - 1];
	name = (struct str){bar + 1, (size_t)(end - bar - 1)};
	*o = (struct open_mark){.t = ev->ts};
	o->what = what_is(name, &id);
	if (o->what != OTHER)
		begin_part(m, o, (int32_t)tgid, id, ev->pid);
}

/* `C|tgid|name|value`: the counters that tell of refreshes. */
static void counter(struct frame_markers *m, int64_t t, struct str text)
{
	static const char vsync[] = "VSYNC-app|", fps[] = "panel_fps|";
	const char *end = text.p + text.n, *bar = memchr(text.p + 2, '|', text.n - 2);
	struct str name = {bar ? bar + 1 : end, bar ? (size_t)(end - bar - 1) : 0};
	int64_t v;

	if (begins(name, vsync)) {
		v = number(name.p + sizeof vsync - 1, end);
		if (v == NO_ID || (m->vsyncs.n && v == m->vsync_value) || m->vsyncs.n >= FRAMES_MAX)
			return;
		m->vsync_value = v;
		*vec_add(&m->vsyncs) = t;
	} else if (begins(name, fps)) {
		v = number(name.p + sizeof fps - 1, end);
		if (v != NO_ID && m->panel_fps.n < FRAMES_MAX)
			*vec_add(&m->panel_fps) = (struct panel_fps){t, v};
	}
}

void frame_markers_event(struct frame_markers *m, const struct event *ev)
{
	struct str text = ev->print.buf;
	struct mark_thread *t;

	text.n = str_len(text);
	while (text.n && (text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\r'))
		text.n--;
	if (!text.n || (text.n > 1 && text.p[1] != '|'))
		return;
	if (*text.p == 'C' && text.n > 2) {
		counter(m, ev->ts, text); /* of no thread: an interrupt may write it */
	} else if (ev->pid <= 0) {
		return;
	} else if (*text.p == 'B' && text.n > 2) {
		t = thread_of(m, ev->pid);
		t->cpu = ev->cpu;
		begin(m, t, ev, text);
	} else if (*text.p == 'E') {
		uint32_t at = map_get(&m->by_tid, (uint32_t)ev->pid, 0);

		t = at ? &m->threads.at[at - 1] : NULL;
		if (!t || !t->depth)
			return;
		t->cpu = ev->cpu;
		if (--t->depth < MARK_DEPTH && t->open.at[t->depth].what != OTHER)
			end_part(m, &t->open.at[t->depth], ev->pid, ev->ts);
	}
}

void frame_markers_gap(struct frame_markers *m, uint32_t cpu)
{
	for (size_t i = 0; i < m->threads.n; i++) {
		struct mark_thread *t = &m->threads.at[i];

		if (t->cpu != cpu)
			continue;
		for (unsigned k = 0; k < t->depth && k < MARK_DEPTH; k++)
			m->broken += t->open.at[k].what != OTHER;
		t->depth = 0;
	}
}
