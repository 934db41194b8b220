/* One CPU of a trace.dat as a lane: pages to events. The hot path of the reader. */
#include "source/trace_dat.h"

#include <stdlib.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 wide_u;

#define TS_LIMIT (INT64_MAX / 2) /* so that differences of stamps cannot overflow */
enum { OUTLIER_NS = 1000000000 };

struct dat_lane {
	struct lane lane;
	struct dat *d;
	struct pages pages;
	struct ring ring;
	const struct dat_shift_cpu *shift;
	const struct dat_type *type; /* of the head, once it is decoded */
	uint64_t raw_limit;          /* stamps below are time but for add_ns */
	int64_t add_ns;
	int64_t lost;      /* before the next event; RING_LOST_NONE */
	uint64_t page_off; /* for messages: pages begun so far */
	bool head_is_lost; /* the head is an EV_lost */
	bool started;      /* an event was seen */
	bool zero_page;    /* the page before was all zero */
};

/* ---- time ---- */

static int64_t clamp(wide t)
{
	return t > TS_LIMIT ? TS_LIMIT : t < -TS_LIMIT ? -TS_LIMIT : (int64_t)t;
}

/* Guest to host time: see reference 1.7. */
static int64_t shifted(const struct dat_shift_cpu *c, bool interpolate, uint64_t ts)
{
	const struct dat_shift_sample *s = c->sample;
	uint32_t i = 0;
	wide shift, scaled;

	if (!c->n)
		return clamp(ts);
	if (c->n == 1)
		return clamp((wide)ts + s[0].offset);
	while (i + 2 < c->n && ts >= s[i + 1].time)
		i++;
	s += i;
	shift = s->offset;
	if (interpolate && s[1].time > s->time) {
		wide dt = (wide)s[1].time - s->time;

		shift += (((wide)ts - s->time) * ((wide)s[1].offset - s->offset) + dt / 2) / dt;
	}
	scaled = s->fraction < 64 ? (wide)(((wide_u)ts * s->scaling) >> s->fraction) : 0;
	return clamp(scaled + shift);
}

static int64_t corrected(const struct dat_lane *l, uint64_t raw)
{
	const struct dat *d = l->d;
	int64_t t = l->shift ? shifted(l->shift, d->shift_interpolate, raw) : clamp(raw);

	if (d->ticks_hz)
		t = clamp((wide)t * 1000000000 / d->ticks_hz);
	else if (d->mult)
		t = clamp(((wide)t * d->mult) >> d->mult_shift);
	return clamp((wide)t + d->add_ns);
}

static inline int64_t lane_time(const struct dat_lane *l, uint64_t raw)
{
	if (raw < l->raw_limit)
		return (int64_t)raw + l->add_ns;
	return corrected(l, raw);
}

/* ---- pages ---- */

static void add_gap(struct dat_lane *l, int64_t lost)
{
	if (l->lost == RING_LOST_NONE)
		l->lost = lost;
	else if (l->lost == RING_LOST_UNKNOWN || lost == RING_LOST_UNKNOWN)
		l->lost = RING_LOST_UNKNOWN;
	else
		l->lost += lost;
}

static void bad_page(struct dat_lane *l, const char *why)
{
	struct source *s = &l->d->s;

	if (s->quality.bad_pages++ < 4)
		source_damage(s, "cpu%u, page %llu: %s; what follows on it is lost", l->lane.cpu,
		              (unsigned long long)l->page_off, why);
	s->quality.partial = true;
	add_gap(l, RING_LOST_UNKNOWN);
}

static bool all_zero(const uint8_t *p, size_t n)
{
	return n >= 16 && !load64(p, false) && !load64(p + 8, false);
}

/* A page whose stamp lies far ahead of the page behind it, which itself follows on what came
 * before, has a damaged stamp: using it would drag all later events along. */
static bool stamp_is_outlier(const struct dat_lane *l)
{
	const uint8_t *next = pages_peek(&l->pages);
	uint64_t after;

	if (!next || !l->started || !l->d->s.info.clock_is_ns)
		return false;
	after = load64(next, l->d->big);
	return l->ring.ts > after && l->ring.ts - after > OUTLIER_NS &&
	       lane_time(l, after) >= l->lane.ts;
}

/* Begin the next page; false at the end of the lane. */
static bool next_page(struct dat_lane *l)
{
	for (;;) {
		const uint8_t *page;
		int64_t lost;
		size_t n;

		switch (pages_next(&l->pages, &page, &n)) {
		case PAGES_END:
			return false;
		case PAGES_BAD:
			l->d->s.quality.bad_pages++;
			source_damage(&l->d->s, "cpu%u, offset %llu: %s; its events are lost",
			              l->lane.cpu, (unsigned long long)l->pages.bad_off,
			              l->pages.bad_why);
			add_gap(l, RING_LOST_UNKNOWN);
			continue;
		case PAGES_PAGE:
			break;
		}
		l->page_off++;
		if (all_zero(page, n)) { /* padding at the end; a hole when data follows */
			l->zero_page = true;
			continue;
		}
		if (l->zero_page)
			bad_page(l, "a page of zeroes before it");
		l->zero_page = false;
		if (!ring_page(&l->ring, &l->d->ring, page, n, &lost)) {
			bad_page(l, n < l->pages.page_size
			                    ? "the page is cut"
			                    : "its commit word is larger than the page");
			continue;
		}
		if (lost != RING_LOST_NONE)
			add_gap(l, lost);
		if (!stamp_is_outlier(l))
			return true;
		bad_page(l, "its time stamp is far off");
		l->ring.end = l->ring.p;
	}
}

/* ---- events ---- */

static void step_back(struct dat_lane *l, int64_t ts)
{
	struct trace_quality *q = &l->d->s.quality;

	q->backward_steps++;
	if (l->lane.ts - ts > q->backward_max_ns)
		q->backward_max_ns = l->lane.ts - ts;
}

/* The head becomes the gap before the event that was just decoded. It is placed at the end of
 * what is known: the last event before it. */
static bool emit_lost(struct dat_lane *l)
{
	struct trace_quality *q = &l->d->s.quality;

	q->lost_gaps++;
	if (l->lost >= 0)
		q->lost_known += (uint64_t)l->lost;
	if (!l->started)
		l->lane.ts = lane_time(l, l->ring.ts);
	l->head_is_lost = true;
	return true;
}

/* Step over page borders and damage to the next event. */
static bool advance_page(struct dat_lane *l, enum ring_result r)
{
	while (r != RING_EVENT) {
		if (r == RING_BAD)
			bad_page(l, "an entry is longer than what the page uses");
		if (!next_page(l)) {
			l->ring.payload = NULL;
			return false;
		}
		r = ring_next(&l->ring);
	}
	return true;
}

static inline bool advance_as(struct lane *base, bool big)
{
	struct dat_lane *l = (struct dat_lane *)base;
	int64_t ts;

	if (__builtin_expect(l->head_is_lost, 0)) { /* the event behind it is already in ring */
		l->head_is_lost = false;
		l->lost = RING_LOST_NONE;
		if (!l->ring.payload)
			return false;
	} else {
		enum ring_result r = ring_next_as(&l->ring, big);

		if (r != RING_EVENT && !advance_page(l, r) &&
		    !(l->started && l->lost != RING_LOST_NONE))
			return false;
		if (__builtin_expect(l->lost != RING_LOST_NONE, 0))
			return emit_lost(l);
	}
	ts = lane_time(l, l->ring.ts);
	if (__builtin_expect(ts < l->lane.ts, 0) && l->started) {
		step_back(l, ts);
		ts = l->lane.ts;
	}
	l->lane.ts = ts;
	l->started = true;
	return true;
}

/* print in its three forms: strip one newline; render bprint and bputs */
static void finish_print(struct dat *d, const struct dat_type *t, const uint8_t *p, size_t n,
                         struct event *ev)
{
	struct str *s = &ev->print.buf;
	unsigned ptr = d->ring.commit_size;
	const char *text;

	if (t->args_off || t->is_bputs) {
		ev->has &= ~(1u << EVB_print_buf);
		if (t->fmt_off + ptr > n || (t->args_off > n))
			return;
		text = dat_printk_find(d, ptr == 8 ? load64(p + t->fmt_off, d->big)
		                                   : load32(p + t->fmt_off, d->big));
		if (!text)
			return;
		*s = t->is_bputs ? (struct str){text, strlen(text)}
		                 : (struct str){d->text,
		                                dat_bprint(text, p + t->args_off, n - t->args_off,
		                                           d, d->text, sizeof d->text)};
		ev->has |= 1u << EVB_print_buf;
	}
	if (!event_has(ev, print, buf))
		return;
	s->n = str_len(*s);
	if (s->n && s->p[s->n - 1] == '\n')
		s->n--;
}

static void decode_lost(const struct dat_lane *l, struct event *ev)
{
	ev->kind = EV_lost;
	ev->type = UINT16_MAX;
	ev->pid = -1;
	ev->flags = l->started ? 0 : EVENT_AT_START;
	ev->lost.count = l->lost;
}

/* A record too short for the common fields: its kind is known, and nothing else. */
static void decode_short(struct dat *d, struct event *ev)
{
	d->s.quality.bad_events++;
	ev->pid = -1;
	ev->flags = 0;
}

static inline void decode_as(struct lane *base, struct event *ev, bool big)
{
	struct dat_lane *l = (struct dat_lane *)base;
	struct dat *d = l->d;
	const struct common_fields *c = &d->common;
	const uint8_t *p = l->ring.payload;
	const struct dat_type *t;
	uint32_t id;

	ev->ts = l->lane.ts;
	ev->cpu = l->lane.cpu;
	if (__builtin_expect(l->head_is_lost, 0)) {
		decode_lost(l, ev);
		return;
	}
	id = load16(p + c->type_off, big);
	t = d->by_id[id];
	if (__builtin_expect(!t, 0))
		t = dat_unknown_type(d, id);
	l->type = t;
	ev->kind = t->kind;
	ev->type = t->type;
	if (__builtin_expect(l->ring.len < c->len, 0)) {
		decode_short(d, ev);
		return;
	}
	ev->pid = c->has_pid ? (int32_t)load32(p + c->pid_off, big) : -1;
	ev->flags = c->has_flags ? p[c->flags_off] & EVENT_CONTEXT : 0;
}

static inline void load_as(struct lane *base, struct event *ev, bool big)
{
	struct dat_lane *l = (struct dat_lane *)base;
	struct dat *d = l->d;

	ev->has = 0;
	if (l->head_is_lost || ev->kind == EV_other || l->ring.len < d->common.len)
		return;
	format_load(&l->type->plan, l->ring.payload, l->ring.len, big, ev);
	if (ev->kind == EV_sched_switch)
		ev->sched_switch.prev_state =
		        state_bits_normalise(&d->states, ev->sched_switch.prev_state);
	else if (ev->kind == EV_print)
		finish_print(d, l->type, l->ring.payload, l->ring.len, ev);
}

static void close_lane(struct lane *base)
{
	struct dat_lane *l = (struct dat_lane *)base;

	pages_free(&l->pages);
	free(l);
}

/* The hot functions once for each byte order, so that it is not asked at every load. */
#define LANE_OPS(order, big)                                                                       \
	static bool advance_##order(struct lane *l)                                                \
	{                                                                                          \
		return advance_as(l, big);                                                         \
	}                                                                                          \
	static void decode_##order(struct lane *l, struct event *ev)                               \
	{                                                                                          \
		decode_as(l, ev, big);                                                             \
	}                                                                                          \
	static void load_##order(struct lane *l, struct event *ev)                                 \
	{                                                                                          \
		load_as(l, ev, big);                                                               \
	}                                                                                          \
	static const struct lane_ops ops_##order = {advance_##order, decode_##order, load_##order, \
	                                            close_lane};
LANE_OPS(little, false)
LANE_OPS(big, true)

struct lane *dat_lane_new(struct dat *d, const struct dat_buffer *b, const struct dat_extent *x,
                          uint32_t page_size, size_t window)
{
	struct dat_lane *l = mem_calloc(1, sizeof *l);
	const struct input *in = x->in ? x->in : d->s.in;

	l->lane = (struct lane){d->big ? &ops_big : &ops_little, INT64_MIN, x->cpu};
	l->d = d;
	l->lost = RING_LOST_NONE;
	l->ring.big = d->big;
	l->raw_limit = d->raw_is_time ? (uint64_t)TS_LIMIT / 2 : 0;
	l->add_ns = d->add_ns;
	if (x->cpu < d->shift.n)
		l->shift = &d->shift.at[x->cpu];
	if (b->compressed)
		pages_init_chunks(&l->pages, in, x->off, b->limit, page_size, d->codec, d->big,
		                  window);
	else
		pages_init_plain(&l->pages, in, x->off, x->size, page_size, window);
	return &l->lane;
}
