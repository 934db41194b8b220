/* One CPU of a trace.dat as a lane: pages to events. The hot path of the reader. */
#include "source/trace_dat.h"

#include <stdlib.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 wide_u;

#define TS_LIMIT (INT64_MAX / 2) /* so that differences of stamps cannot overflow */
enum { OUTLIER_NS = 1000000000 };
/* No trace is longer: stamps that lie half of it from the first one are damaged. Sums of times over
 * many CPUs then stay far from overflow. */
#define SPAN_LIMIT (1ull << 56)

struct dat_lane {
	struct lane lane;
	struct dat *d;
	struct pages pages;
	struct ring ring;
	const struct dat_shift_cpu *shift;
	struct common_fields common; /* as in d */
	bool usual;                  /* all common fields exist */
	const bool *want;            /* by kind, as in d->s */
	struct dat_type *const *by_id;
	const uint16_t *states;
	uint64_t raw_limit; /* stamps below are time but for add_ns */
	int64_t add_ns;
	int64_t last;      /* time of the last event */
	int64_t lost;      /* before the next event; RING_LOST_NONE */
	uint64_t page_off; /* for messages: pages begun so far */
	const char *why;   /* a page was given up */
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
	       lane_time(l, after) >= l->last;
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
		if (!stamp_is_outlier(l)) {
			if (!l->d->has_earliest)
				l->d->earliest =
				        lane_time(l, l->ring.ts) - (int64_t)(SPAN_LIMIT / 2);
			l->d->has_earliest = true;
			return true;
		}
		bad_page(l, "its time stamp is far off");
		l->ring.end = l->ring.p;
	}
}

/* ---- events ---- */

static void step_back(struct dat_lane *l, int64_t ts)
{
	struct trace_quality *q = &l->d->s.quality;

	q->backward_steps++;
	if (l->last - ts > q->backward_max_ns)
		q->backward_max_ns = l->last - ts;
}

/* A gap as entry, at time ts: the end of what is known, which is the last event before it. */
static struct lane_entry gap_entry(struct dat_lane *l, int64_t ts, int64_t lost)
{
	struct trace_quality *q = &l->d->s.quality;

	q->lost_gaps++;
	if (lost >= 0)
		q->lost_known += (uint64_t)lost;
	return (struct lane_entry){
	        .ts = ts, .len = LANE_LOST, .at_start = !l->started, .lost = lost};
}

/* Events of the page, until the run is full, the page ends or is damaged. */
static inline __attribute__((always_inline)) enum ring_result fill_as(struct dat_lane *l, bool big)
{
	struct ring ring = l->ring; /* in registers */
	enum ring_result r = RING_EVENT;
	struct lane_entry *e = &l->lane.run[l->lane.n], *end = &l->lane.run[LANE_RUN];
	int64_t last = l->last, earliest = l->d->earliest;

	l->why = "an entry is longer than what the page uses";
	for (; e < end && (r = ring_next_as(&ring, big)) == RING_EVENT; e++) {
		int64_t ts = lane_time(l, ring.ts);

		if (__builtin_expect((uint64_t)(ts - earliest) > SPAN_LIMIT, 0)) {
			l->why = "a time stamp is years from the others";
			r = RING_BAD;
			break;
		}
		if (__builtin_expect(ts < last, 0)) {
			l->last = last;
			step_back(l, ts);
			ts = last;
		}
		last = ts;
		e->ts = ts;
		e->len = ring.len;
		e->payload = ring.payload;
	}
	l->ring = ring;
	l->last = last;
	l->lane.n = (uint32_t)(e - l->lane.run);
	return r;
}

/* The next run. It never crosses a page, since its payloads are in the page. */
static inline __attribute__((always_inline)) bool refill_as(struct lane *base, bool big)
{
	struct dat_lane *l = (struct dat_lane *)base;

	do {
		int64_t lost = l->lost, before = l->last;
		uint32_t gap = lost != RING_LOST_NONE; /* an entry before the first event */

		l->lost = RING_LOST_NONE;
		base->n = gap;
		if (fill_as(l, big) == RING_BAD) {
			bad_page(l, l->why);
			l->ring.p = l->ring.end;
		}
		if (base->n > gap) {
			if (gap)
				base->run[0] =
				        gap_entry(l, l->started ? before : base->run[1].ts, lost);
			l->started = true;
			return true;
		}
		if (gap)
			add_gap(l, lost);
	} while (next_page(l));
	base->n = 0;
	if (l->lost == RING_LOST_NONE || !l->started)
		return false;
	base->run[base->n++] = gap_entry(l, l->last, l->lost); /* at the very end */
	l->lost = RING_LOST_NONE;
	return true;
}

/* bprint and bputs: the text, rendered; absent when the trace does not have its format. */
static void render(struct dat *d, const struct dat_type *t, const uint8_t *p, size_t n,
                   struct event *ev)
{
	unsigned ptr = d->ring.commit_size;
	const char *text;

	ev->has &= ~(1u << EVB_print_buf);
	if (t->fmt_off + ptr > n || t->args_off > n)
		return;
	text = dat_printk_find(d, ptr == 8 ? load64(p + t->fmt_off, d->big)
	                                   : load32(p + t->fmt_off, d->big));
	if (!text)
		return;
	ev->has |= 1u << EVB_print_buf;
	ev->print.buf = (struct str){text, strlen(text)};
	if (!t->is_bputs)
		ev->print.buf =
		        (struct str){d->text, dat_bprint(text, p + t->args_off, n - t->args_off, d,
		                                         d->text, sizeof d->text)};
}

/* print in its three forms: one newline at the end does not belong to the text */
static void finish_print(struct dat *d, const struct dat_type *t, const uint8_t *p, size_t n,
                         struct event *ev)
{
	struct str *s = &ev->print.buf;

	if (t->args_off || t->is_bputs)
		render(d, t, p, n, ev);
	if (!event_has(ev, print, buf))
		return;
	s->n = str_len(*s);
	if (s->n && s->p[s->n - 1] == '\n')
		s->n--;
}

/* Fields whose value needs more than a load. */
static __attribute__((noinline)) void load_more(struct dat_lane *l, const struct dat_type *t,
                                                const struct lane_entry *e, struct event *ev)
{
	struct dat *d = l->d;

	if (e->len < t->plan.min_len)
		format_load_short(&t->plan, e->payload, e->len, d->big, ev);
	if (t->plan.n_others)
		format_load_others(&t->plan, e->payload, e->len, d->big, ev);
	if (ev->kind == EV_sched_switch)
		ev->sched_switch.prev_state =
		        state_bits_normalise(&d->states, ev->sched_switch.prev_state);
	else if (ev->kind == EV_print)
		finish_print(d, t, e->payload, e->len, ev);
	event_clear_absent(ev);
}

static inline __attribute__((always_inline)) void load_as(struct dat_lane *l,
                                                          const struct dat_type *t,
                                                          const struct lane_entry *e,
                                                          struct event *ev, bool big)
{
	if (__builtin_expect(e->len < t->plan.min_len, 0)) {
		ev->has = 0;
		load_more(l, t, e, ev);
		return;
	}
	format_load(&t->plan, e->payload, big, ev);
	if (!t->needs_more)
		return;
	if (t->kind == EV_sched_switch && !t->incomplete &&
	    (uint64_t)ev->sched_switch.prev_state < STATE_BITS_TABLE)
		ev->sched_switch.prev_state = l->states[ev->sched_switch.prev_state];
	else
		load_more(l, t, e, ev);
}

/* What is rare: gaps, ids without format, records without or too short for the common fields. Of
 * the last the kind is known, and nothing else. */
static __attribute__((noinline)) void decode_rare(struct dat_lane *l, const struct lane_entry *e,
                                                  struct event *ev)
{
	struct dat *d = l->d;
	const struct dat_type *t;
	uint32_t id;

	ev->pid = -1;
	ev->flags = 0;
	ev->has = 0;
	if (e->len == LANE_LOST) {
		ev->kind = EV_lost;
		ev->type = UINT16_MAX;
		ev->flags = e->at_start ? EVENT_AT_START : 0;
		ev->lost.count = e->lost;
		return;
	}
	id = load16(e->payload + d->common.type_off, d->big);
	t = d->by_id[id] ? d->by_id[id] : dat_unknown_type(d, id);
	ev->kind = t->kind;
	ev->type = t->type;
	if (e->len < d->common.len) {
		d->s.quality.bad_events++;
		return;
	}
	if (d->common.has_pid)
		ev->pid = (int32_t)load32(e->payload + d->common.pid_off, d->big);
	if (d->common.has_flags)
		ev->flags = e->payload[d->common.flags_off] & EVENT_CONTEXT;
	if (l->want[t->kind])
		load_as(l, t, e, ev, d->big);
}

static inline __attribute__((always_inline)) void decode_as(struct lane *base,
                                                            const struct lane_entry *e,
                                                            struct event *ev, bool big)
{
	struct dat_lane *l = (struct dat_lane *)base;
	const struct common_fields *c = &l->common;
	const uint8_t *p = e->payload;
	const struct dat_type *t;

	ev->ts = e->ts;
	ev->cpu = base->cpu;
	if (__builtin_expect(e->len - c->len >= LANE_LOST - c->len || !l->usual, 0) ||
	    __builtin_expect(!(t = l->by_id[load16(p + c->type_off, big)]), 0)) {
		decode_rare(l, e, ev);
		return;
	}
	ev->kind = t->kind;
	ev->type = t->type;
	ev->pid = (int32_t)load32(p + c->pid_off, big);
	ev->flags = p[c->flags_off] & EVENT_CONTEXT;
	if (l->want[t->kind])
		load_as(l, t, e, ev, big);
	else
		ev->has = 0;
}

static void close_lane(struct lane *base)
{
	struct dat_lane *l = (struct dat_lane *)base;

	pages_free(&l->pages);
	free(l);
}

/* The hot functions once for each byte order, so that it is not asked at every load. */
#define LANE_OPS(order, big)                                                                       \
	static bool refill_##order(struct lane *l)                                                 \
	{                                                                                          \
		return refill_as(l, big);                                                          \
	}                                                                                          \
	static const struct event *decode_##order(struct lane *l, const struct lane_entry *e,      \
	                                          struct event *ev)                                \
	{                                                                                          \
		decode_as(l, e, ev, big);                                                          \
		return ev;                                                                         \
	}                                                                                          \
	static const struct lane_ops ops_##order = {refill_##order, decode_##order, close_lane};
LANE_OPS(little, false)
LANE_OPS(big, true)

struct lane *dat_lane_new(struct dat *d, const struct dat_buffer *b, const struct dat_extent *x,
                          uint32_t page_size, size_t window)
{
	struct dat_lane *l = mem_calloc(1, sizeof *l);
	const struct input *in = x->in ? x->in : d->s.in;

	l->lane.ops = d->big ? &ops_big : &ops_little;
	l->lane.cpu = x->cpu;
	l->last = -TS_LIMIT;
	l->d = d;
	l->common = d->common;
	l->usual = d->common.has_pid && d->common.has_flags;
	l->want = d->s.want;
	l->by_id = d->by_id;
	l->states = d->states.table;
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
	if (d->s.ahead)
		pages_fetch_ahead(&l->pages, d->s.ahead);
	return &l->lane;
}
