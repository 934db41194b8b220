/* The bundles of one CPU as a lane: ftrace events and compact scheduling to events. The hot path of
 * the reader.
 *
 * Blocks of bundles are read (ahead); of each event the stamp is decoded for the merge, the rest
 * when its turn comes. Varints are read without a check per byte: a block has PF_SLACK readable
 * bytes behind it, and whether a message was overrun is checked at its end. */
#include "source/perfetto.h"

#include "base/text.h"

#include <stdlib.h>

enum {
	BLOCK_MAX = 256 << 10, /* bundles that stand together are read at once */
	HOLE_MAX = 4096,       /* ... over so many foreign bytes between them */
};

/* len of lane entries that are not a message */
#define LEN_SWITCH (LANE_LOST - 1)
#define LEN_WAKING (LANE_LOST - 2)
#define LEN_SPECIAL LEN_WAKING

struct block {
	uint8_t *buf;
	size_t cap, first, n; /* bundles [first, first + n) */
	uint64_t off;         /* of buf[0] */
	bool bad;
};

struct pf_lane {
	struct lane lane;
	struct pf *p;
	const struct pf_stream *stream;
	const struct pf_sequence *sequence;
	struct block block[2];
	struct turns turns;
	size_t to_fetch; /* bundle; used by the fetching thread only */
	size_t bundle;   /* next one to begin */
	/* the current bundle */
	struct wire events;
	struct pf_order order;
	bool has_event; /* the next event is known: */
	int64_t event_ts;
	const uint8_t *event;
	uint32_t event_len;
	struct pf_compact compact;
	size_t compact_at[2];
	/* time: raw + add, or by pairs */
	int64_t add;
	size_t pair;
	bool by_pairs;
	int64_t last; /* time of the last event */
	bool started; /* an event was seen */
	int64_t lost; /* before the next event: 1 when some are */
	uint16_t hole;
};

/* ---- time ---- */

/* The last pair whose ftrace reading is not after the time, or the first; times rise. */
static int64_t paired(struct pf_lane *l, int64_t raw)
{
	const struct pf_pair *at = l->sequence->pairs.at;
	size_t n = l->sequence->pairs.n;

	while (l->pair && at[l->pair].ftrace > raw)
		l->pair--;
	while (l->pair + 1 < n && at[l->pair + 1].ftrace <= raw)
		l->pair++;
	return raw - at[l->pair].ftrace + at[l->pair].boot;
}

static inline int64_t stamp(struct pf_lane *l, int64_t raw)
{
	if (raw > TS_LIMIT || raw < -TS_LIMIT)
		return TS_LIMIT;
	return (l->by_pairs ? paired(l, raw) : raw) + l->add;
}

/* The clock of a bundle. From boot time to the trace clock the distance is the same for all of it.
 */
static void set_clock(struct pf_lane *l, const struct pf_bundle *b)
{
	int64_t t, boot;

	l->by_pairs = b->clock != PF_BOOT && l->sequence->pairs.n;
	l->add = 0;
	boot = stamp(l, b->first);
	if (clocks_convert(&l->p->clocks, CLOCK_BOOT, 0, boot, &t))
		l->add = t - boot;
}

/* ---- blocks of bundles ---- */

static uint64_t end_of(const struct pf_bundle *b)
{
	return b->off + b->len;
}

static bool fetch(void *arg, unsigned which)
{
	struct pf_lane *l = arg;
	struct block *k = &l->block[which];
	const struct pf_bundle *b = l->stream->bundles.at;
	size_t n = l->stream->bundles.n, len;
	uint64_t end;

	k->first = l->to_fetch;
	k->n = 0;
	if (k->first >= n)
		return false;
	k->off = b[k->first].off;
	end = end_of(&b[k->first]);
	for (k->n = 1; k->first + k->n < n; k->n++) {
		const struct pf_bundle *next = &b[k->first + k->n];

		if (next->off < end || next->off - end > HOLE_MAX ||
		    end_of(next) - k->off > BLOCK_MAX)
			break;
		end = end_of(next);
	}
	len = (size_t)(end - k->off);
	if (len + PF_SLACK > k->cap) {
		k->cap = len + len / 2 + PF_SLACK;
		k->buf = mem_realloc(k->buf, k->cap, 1);
	}
	k->bad = pf_read(l->p, k->off, k->buf, len) < len;
	memset(k->buf + len, 0, PF_SLACK);
	l->to_fetch += k->n;
	return l->to_fetch < n;
}

/* ---- bundles ---- */

static void read_compact(struct pf_lane *l, const uint8_t *b, size_t n)
{
	if (pf_compact_read(&l->compact, b, n))
		return;
	if (l->p->s.quality.bad_pages++ < 4)
		source_damage(&l->p->s,
		              "cpu%u: compact scheduling whose arrays do not fit together; what "
		              "they have in common is used",
		              l->lane.cpu);
	l->p->s.quality.partial = true;
}

static void bad_event(struct pf_lane *l)
{
	l->p->s.quality.bad_events++;
}

/* Know the next event of the bundle; has_event false at its end. */
static void next_event(struct pf_lane *l)
{
	struct wire_field f;

	l->has_event = false;
	while (wire_next(&l->events, &f)) {
		struct wire w = wire_on(f.p, f.n), rest;
		struct wire_field in;

		if (f.num != 2 || f.type != WIRE_BYTES)
			continue;
		if (f.n && *f.p == 0x08) { /* the stamp comes first, as it is always written */
			w.p++;
			l->event_ts = (int64_t)wire_varint(&w);
			l->event = w.p;
			l->event_len = (uint32_t)(w.end - w.p);
			l->has_event = !w.bad;
		}
		for (rest = w; !l->has_event && wire_next(&rest, &in);)
			if (in.num == 1 && in.type == WIRE_VARINT) {
				l->event_ts = (int64_t)in.value;
				l->event = f.p;
				l->event_len = (uint32_t)f.n;
				l->has_event = true;
			}
		if (l->has_event)
			return;
		bad_event(l);
	}
}

/* Begin the next bundle; false when there is none. */
static bool next_bundle(struct pf_lane *l)
{
	const struct pf_bundle *b;
	const struct block *k = &l->block[l->turns.current];
	struct wire w;
	struct wire_field f;

	pf_compact_clear(&l->compact);
	l->compact_at[0] = l->compact_at[1] = 0;
	while (l->bundle >= k->first + k->n || !k->buf) {
		if (!turns_next(&l->turns))
			return false;
		k = &l->block[l->turns.current];
		if (!k->n)
			return false;
	}
	b = &l->stream->bundles.at[l->bundle++];
	l->events = wire_on(NULL, 0);
	if (b->flags & PF_DUPLICATE)
		return true;
	if (b->flags & (PF_LOST | PF_ERROR) || b->hole != l->hole || k->bad)
		l->lost = 1;
	l->hole = b->hole;
	if (k->bad) {
		source_damage(&l->p->s, "cpu%u, offset %llu: read error", l->lane.cpu,
		              (unsigned long long)(k->off & ~PF_SPOOLED));
		return true;
	}
	set_clock(l, b);
	l->events = wire_on(k->buf + (b->off - k->off), b->len);
	if (b->flags & PF_COMPACT)
		for (w = l->events; wire_next(&w, &f);)
			if (f.num == 4 && f.type == WIRE_BYTES)
				read_compact(l, f.p, f.n);
	l->events = pf_in_order(&l->order, l->events, &l->p->s.quality);
	next_event(l);
	return true;
}

/* ---- runs ---- */

static struct lane_entry gap_entry(struct pf_lane *l, int64_t ts)
{
	l->p->s.quality.lost_gaps++;
	l->lost = 0;
	return (struct lane_entry){.ts = ts, .len = LANE_LOST, .at_start = !l->started, .lost = -1};
}

static void step_back(struct pf_lane *l, int64_t ts)
{
	struct trace_quality *q = &l->p->s.quality;

	l->order.in_order = 0; /* the next bundles are looked at */
	q->backward_steps++;
	q->backward_max_ns = l->last - ts > q->backward_max_ns ? l->last - ts : q->backward_max_ns;
}

/* Take what is next of the three streams of the bundle; false at its end. */
static bool take(struct pf_lane *l, struct lane_entry *e)
{
	int which = l->has_event ? 2 : -1;
	int64_t raw = l->event_ts;

	for (int of = 1; of >= 0; of--) { /* at equal times: switches, wakings, events */
		if (l->compact_at[of] == l->compact.list[of].n)
			continue;
		if (which < 0 || l->compact.list[of].at[l->compact_at[of]].ts <= raw) {
			which = of;
			raw = l->compact.list[of].at[l->compact_at[of]].ts;
		}
	}
	if (which < 0)
		return false;
	e->ts = stamp(l, raw);
	if (which == 2) {
		e->payload = l->event;
		e->len = l->event_len;
		next_event(l);
	} else {
		e->payload = (const uint8_t *)&l->compact.list[which].at[l->compact_at[which]++];
		e->len = which ? LEN_WAKING : LEN_SWITCH;
	}
	return true;
}

/* Not from before the recording, not absurdly far away. */
static bool in_trace(struct pf_lane *l, int64_t ts)
{
	if (ts < l->p->started && !l->p->s.opts.early) {
		l->p->s.quality.early_events++;
		return false;
	}
	if (!pf_near(l->p, ts)) {
		bad_event(l);
		l->p->s.quality.partial = true;
		return false;
	}
	return true;
}

static bool refill(struct lane *base)
{
	struct pf_lane *l = (struct pf_lane *)base;

	base->n = 0;
	for (;;) {
		struct lane_entry e = {0};

		if (!take(l, &e)) {
			if (l->events.bad) {
				l->p->s.quality.partial = true;
				bad_event(l);
				l->lost = 1;
				l->events.bad = false;
			}
			if (base->n) /* a run never crosses a bundle: its payloads are in it */
				return true;
			if (!next_bundle(l))
				break;
			continue;
		}
		if (!in_trace(l, e.ts))
			continue;
		if (l->lost)
			base->run[base->n++] = gap_entry(l, l->started ? l->last : e.ts);
		if (e.ts < l->last) {
			step_back(l, e.ts);
			e.ts = l->last;
		}
		l->last = e.ts;
		l->started = true;
		base->run[base->n++] = e;
		if (base->n + 2 > LANE_RUN)
			return true;
	}
	if (l->lost && l->started)
		base->run[base->n++] = gap_entry(l, l->last);
	return base->n > 0;
}

/* ---- events ---- */

/* A varint of at most ten bytes, without a check: see the head of the file. */
static inline uint64_t varint(const uint8_t **at)
{
	const uint8_t *p = *at;
	uint64_t v = *p & 0x7f;
	unsigned shift = 7;

	while (*p++ & 0x80 && shift < 70) {
		v |= (uint64_t)(*p & 0x7f) << (shift & 63);
		shift += 7;
	}
	*at = p;
	return v;
}

static inline void put(struct event *ev, const struct pf_field *f, const void *v, size_t n)
{
	memcpy((char *)ev + f->dst, v, n);
	ev->has |= 1u << f->bit;
}

/* The fields of a payload; false when it is damaged, what came before stays. */
static inline bool load(const struct pf_type *t, const uint8_t *p, const uint8_t *end,
                        struct event *ev)
{
	static const struct pf_field none;

	while (p < end) {
		uint64_t tag = varint(&p), v;
		const struct pf_field *f = tag >> 3 < PF_FIELDS ? &t->field[tag >> 3] : &none;

		switch (tag & 7) {
		case WIRE_VARINT:
			v = varint(&p);
			if (p > end)
				return false;
			if (f->form == PF_INT)
				put(ev, f, &v, sizeof v);
			break;
		case WIRE_BYTES:
			v = varint(&p);
			if (p > end || v > (size_t)(end - p))
				return false;
			if (f->form == PF_TEXT)
				put(ev, f, &(struct str){(const char *)p, v}, sizeof(struct str));
			p += v;
			break;
		case WIRE_64:
			p += 8;
			break;
		case WIRE_32:
			p += 4;
			break;
		default:
			return false;
		}
	}
	return p == end;
}

static void finish(struct pf_lane *l, struct event *ev)
{
	if (ev->kind == EV_sched_switch) {
		uint64_t raw = (uint64_t)ev->sched_switch.prev_state;

		if (__builtin_expect(l->p->keep_raw || raw & l->p->no_state, 0)) {
			if (!l->p->keep_raw) /* no state that is known */
				ev->has &= ~(1u << EVB_sched_switch_prev_state);
			return;
		}
		ev->sched_switch.prev_state =
		        raw < STATE_BITS_TABLE ? l->p->states.table[raw]
		                               : state_bits_normalise(&l->p->states, (int64_t)raw);
	} else if (ev->kind == EV_print && event_has(ev, print, buf)) {
		struct str *s = &ev->print.buf;

		s->n = str_len(*s);
		if (s->n && s->p[s->n - 1] == '\n')
			s->n--;
	}
}

/* One field of an event that carries its own names: { 1 name, 3 text, 4 or 5 number }. */
static void named_field(const struct pf_type *t, struct wire w, struct event *ev)
{
	struct pf_field to = {0};
	struct wire_field f;

	while (wire_next(&w, &f)) {
		if (f.num == 1 && f.type == WIRE_BYTES)
			to = pf_field_find((enum event_kind)t->kind, (const char *)f.p, f.n);
		else if (f.num == 3 && f.type == WIRE_BYTES && to.form == PF_TEXT)
			put(ev, &to, &(struct str){(const char *)f.p, f.n}, sizeof(struct str));
		else if ((f.num == 4 || f.num == 5) && to.form == PF_INT)
			put(ev, &to, &f.value, sizeof f.value);
	}
}

/* An event of the old generic form: { 1 event name, 2 fields }. */
static const struct pf_type *named_event(struct pf_lane *l, const uint8_t *p, size_t n,
                                         struct event *ev)
{
	const struct pf_type *t = NULL;
	struct wire w = wire_on(p, n);
	struct wire_field f;

	while (wire_next(&w, &f)) {
		if (f.num == 1 && f.type == WIRE_BYTES && !t) {
			t = pf_type_named(l->p, (const char *)f.p, f.n);
			if (!t)
				return NULL;
			ev->kind = t->kind;
			ev->type = t->type;
		} else if (f.num == 2 && f.type == WIRE_BYTES && t && l->p->s.want[t->kind]) {
			named_field(t, wire_on(f.p, f.n), ev);
		}
	}
	if (w.bad)
		bad_event(l);
	event_clear_absent(ev);
	return t;
}

static void compact_switch(struct pf_lane *l, const struct pf_element *c, struct event *ev)
{
	struct ev_sched_switch *s = &ev->sched_switch;

	s->prev_state = c->state;
	s->next_pid = c->pid;
	s->next_prio = c->prio;
	s->next_comm = c->comm;
	ev->has = 1u << EVB_sched_switch_prev_state | 1u << EVB_sched_switch_next_pid |
	          1u << EVB_sched_switch_next_prio |
	          (c->comm.p ? 1u << EVB_sched_switch_next_comm : 0);
	finish(l, ev);
}

static void compact_waking(const struct pf_element *c, struct event *ev)
{
	struct ev_sched_waking *w = &ev->sched_waking;

	w->pid = c->pid;
	w->prio = c->prio;
	w->target_cpu = c->cpu;
	w->comm = c->comm;
	ev->has = 1u << EVB_sched_waking_pid | 1u << EVB_sched_waking_prio |
	          1u << EVB_sched_waking_target_cpu | (c->comm.p ? 1u << EVB_sched_waking_comm : 0);
	ev->flags = (uint8_t)(c->flags & EVENT_CONTEXT);
}

static __attribute__((noinline)) const struct event *decode_special(struct pf_lane *l,
                                                                    const struct lane_entry *e,
                                                                    struct event *ev)
{
	const struct pf_element *c = (const void *)e->payload;
	const struct pf_type *t;

	if (e->len == LANE_LOST) {
		ev->kind = EV_lost;
		ev->type = UINT16_MAX;
		ev->flags = e->at_start ? EVENT_AT_START : 0;
		ev->lost.count = e->lost;
		return ev;
	}
	t = pf_type_fixed(l->p, e->len == LEN_SWITCH ? 4 : 20);
	if (!t)
		return NULL;
	ev->kind = t->kind;
	ev->type = t->type;
	if (!l->p->s.want[t->kind])
		return ev;
	if (e->len == LEN_SWITCH)
		compact_switch(l, c, ev);
	else
		compact_waking(c, ev);
	event_clear_absent(ev);
	return ev;
}

/* Two writers may have been asked for the same event: the second copy is left out. */
static bool is_copy(struct pf_lane *l, const struct lane_entry *e)
{
	struct pf_recent *r = &l->p->recent.at[l->lane.cpu];
	uint64_t hash;

	if (e->len >= LEN_SPECIAL)
		return false;
	hash = text_hash((const char *)e->payload, e->len);
	if (r->ts != e->ts)
		r->n = 0;
	r->ts = e->ts;
	for (unsigned i = 0; i < r->n; i++)
		if (r->hash[i] == hash && r->seq[i] != l->stream->seq) {
			l->p->s.quality.duplicates++;
			return true;
		}
	if (r->n < PF_RECENT) {
		r->hash[r->n] = hash;
		r->seq[r->n++] = l->stream->seq;
	}
	return false;
}

/* What an event message says besides its stamp. */
struct message {
	const uint8_t *payload; /* NULL: none */
	size_t n;
	uint64_t id; /* its field number is that of the event */
	bool misfit; /* a payload stands where the format has none */
};

/* Read the message, its pid and flags into *ev; false when it is damaged. */
static inline bool read_message(const uint8_t *p, const uint8_t *end, struct event *ev,
                                struct message *m)
{
	*m = (struct message){0};
	while (p < end) {
		uint64_t tag = varint(&p), v = varint(&p);

		if ((tag & 7) == WIRE_VARINT) {
			if (tag >> 3 == 2)
				ev->pid = (int32_t)v;
			else if (tag >> 3 == 5)
				ev->flags = (uint8_t)(v & EVENT_CONTEXT);
			continue;
		}
		if ((tag & 7) != WIRE_BYTES || p > end || v > (size_t)(end - p))
			return false;
		if (tag >> 3 == 5) {
			m->misfit = true;
		} else if (!m->payload) { /* the first one is the event */
			m->payload = p;
			m->n = v;
			m->id = tag >> 3;
		}
		p += v;
	}
	return p == end && m->payload;
}

static const struct event *decode(struct lane *base, const struct lane_entry *e, struct event *ev)
{
	struct pf_lane *l = (struct pf_lane *)base;
	const struct pf_type *t;
	struct message m;

	ev->ts = e->ts;
	ev->cpu = base->cpu;
	ev->pid = -1;
	ev->flags = 0;
	ev->has = 0;
	if (__builtin_expect(l->stream->shared, 0) && is_copy(l, e))
		return NULL;
	if (__builtin_expect(e->len >= LEN_SPECIAL, 0))
		return decode_special(l, e, ev);
	t = NULL;
	if (read_message(e->payload, e->payload + e->len, ev, &m)) {
		if (m.id == PF_GENERIC_OLD)
			return named_event(l, m.payload, m.n, ev) ? ev : NULL;
		t = m.id < PF_FIXED && l->p->fixed[m.id] ? l->p->fixed[m.id]
		                                         : pf_type_find(l->p, m.id);
	}
	l->p->misfits += m.misfit;
	if (!t) {
		bad_event(l);
		return NULL;
	}
	ev->kind = t->kind;
	ev->type = t->type;
	if (!l->p->s.want[t->kind])
		return ev;
	if (!load(t, m.payload, m.payload + m.n, ev))
		bad_event(l);
	if (ev->has != t->all)
		event_clear_absent(ev);
	if (t->kind == EV_sched_switch || t->kind == EV_print)
		finish(l, ev);
	return ev;
}

static void close_lane(struct lane *base)
{
	struct pf_lane *l = (struct pf_lane *)base;

	turns_end(&l->turns);
	free(l->block[0].buf);
	free(l->block[1].buf);
	pf_compact_free(&l->compact);
	vec_free(&l->order.bytes);
	free(l);
}

static const struct lane_ops ops = {refill, decode, close_lane};

struct lane *pf_lane_new(struct pf *p, const struct pf_stream *stream)
{
	struct pf_lane *l = mem_calloc(1, sizeof *l);

	l->lane.ops = &ops;
	l->lane.cpu = stream->cpu;
	l->p = p;
	l->stream = stream;
	l->sequence = pf_sequence_of(p, stream->seq);
	l->last = -TS_LIMIT;
	l->lost = stream->valid_from != 0;
	l->hole = stream->bundles.n ? stream->bundles.at[0].hole : 0;
	turns_init(&l->turns, fetch, l);
	if (p->s.ahead)
		turns_ahead(&l->turns, p->s.ahead);
	return &l->lane;
}
