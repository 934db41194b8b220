/* ftrace text: `trace` and `trace_pipe` of tracefs, `trace-cmd report`, atrace (plain or deflated)
 * and systrace pages. Lines are read once to see what there is, and again as one lane of events.
 *
 * Where lines are not in the order of time, their places are sorted in memory: that is the only
 * case in which memory grows with the input. */
#include "base/inflate.h"
#include "source/source_impl.h"
#include "source/text_field.h"
#include "source/text_lines.h"
#include "source/text_seen.h"

#include <stdlib.h>
#include <string.h>

enum { RUN = 128, PROBE_LINES = 200, TYPE_SLOTS = 4096, TYPES_MAX = 2048, RUN_BYTES = 1 << 20 };

struct text_type {
	struct str name;
	struct text_plan plan;
};

struct text {
	struct source s;
	struct input *plain; /* what a deflated trace was; or NULL: s.in */
	bool page;           /* HTML: lines of other things are around the trace */
	struct state_bits states;
	struct seen seen;
	bool sorted; /* else seen.places are */
	VEC(struct text_type) types;
	uint16_t slots[TYPE_SLOTS]; /* 1 + place in types, by hash of the name */
};

struct text_lane {
	struct lane lane;
	struct text *t;
	struct lines lines;
	struct map gaps; /* by place of the event before: 1 + index in t->seen.gaps */
	size_t at;       /* of t->seen.places */
	VEC(char) copy;  /* of lines that are read out of order */
	struct text_line heads[RUN];
};

static const struct input *data_of(const struct text *t)
{
	return t->plain ? t->plain : t->s.in;
}

/* ---- types ---- */

static enum event_kind kind_of(struct str name)
{
	static const char mark[] = "tracing_mark_write";

	if (name.n == sizeof mark - 1 && !memcmp(name.p, mark, name.n))
		return EV_print;
	return event_kind_find(name.p, name.n);
}

/* Of the length and a few letters: names that differ elsewhere share a slot. */
static unsigned hash(struct str s)
{
	unsigned h = (unsigned)s.n;

	for (size_t i = 0; i < s.n; i += 1 + s.n / 8)
		h = h * 31 + (unsigned char)s.p[s.n - 1 - i];
	return h * 2654435761u >> 20;
}

/* Index of the type; the last one takes names beyond TYPES_MAX. */
static unsigned type_of(struct text *t, struct str name)
{
	unsigned at = hash(name) % TYPE_SLOTS;
	struct text_type *x;
	struct event_type *row;

	for (; t->slots[at]; at = (at + 1) % TYPE_SLOTS) {
		x = &t->types.at[t->slots[at] - 1];
		if (x->name.n == name.n && !memcmp(x->name.p, name.p, name.n))
			return t->slots[at] - 1u;
	}
	if (t->types.n == TYPES_MAX)
		return TYPES_MAX - 1;
	x = vec_add(&t->types);
	x->name = (struct str){arena_str(&t->s.arena, name.n ? name.p : "function",
	                                 name.n ? name.n : strlen("function")),
	                       name.n};
	text_plan_init(&x->plan, name.n ? kind_of(name) : EV_other);
	x->plan.function = name.n == 5 && !memcmp(name.p, "print", 5);
	row = vec_add(&t->s.types);
	*row = (struct event_type){"", x->name.p, x->plan.kind, (uint32_t)t->types.n};
	t->slots[at] = (uint16_t)t->types.n;
	return (unsigned)t->types.n - 1;
}

/* ---- the lane ---- */

/* An event that stands at `off`, and the gap behind it. */
static void add_event(struct text_lane *l, const struct text_line *head, uint64_t off)
{
	const struct seen *x = &l->t->seen;
	struct text_line *to = &l->heads[l->lane.n];
	struct lane_entry *e = &l->lane.run[l->lane.n++];
	uint32_t gap;

	if (to != head)
		*to = *head;
	*e = (struct lane_entry){head->ts,
	                         (uint32_t)head->body.n,
	                         false,
	                         {.payload = (const uint8_t *)head->body.p}};
	if (!l->gaps.n)
		return;
	gap = map_get(&l->gaps, off + 1, 0);
	if (!gap)
		return;
	l->heads[l->lane.n] = *to;
	l->lane.run[l->lane.n++] =
	        (struct lane_entry){head->ts, LANE_LOST, false, {.lost = x->gaps.at[gap - 1].lost}};
}

static bool refill_sorted(struct text_lane *l)
{
	struct text_line *head;
	const char *p;
	size_t n;

	while (l->lane.n + 1 < RUN) {
		/* what is in the run must stay where it is */
		p = l->lane.n ? lines_here(&l->lines, &n) : lines_next(&l->lines, &n);
		if (!p)
			break;
		head = &l->heads[l->lane.n];
		text_line_parse(p, n, head);
		if (head->kind == TEXT_EVENT)
			add_event(l, head, l->lines.off + (uint64_t)(p - l->lines.buf));
	}
	return l->lane.n > 0;
}

static bool refill_places(struct text_lane *l)
{
	const struct text *t = l->t;
	size_t total = 0, first = l->at;

	for (; l->at < t->seen.places.n && l->at - first < RUN / 2 && total < RUN_BYTES; l->at++)
		total += t->seen.places.at[l->at].len;
	vec_fit(&l->copy, total);
	total = 0;
	for (size_t i = first; i < l->at; i++) {
		const struct place *x = &t->seen.places.at[i];
		struct text_line head;

		if (input_read(data_of(t), x->off, l->copy.at + total, x->len) == x->len &&
		    text_line_parse(l->copy.at + total, x->len, &head) == TEXT_EVENT)
			add_event(l, &head, x->off);
		total += x->len;
	}
	return l->lane.n > 0;
}

static bool refill(struct lane *base)
{
	struct text_lane *l = (struct text_lane *)base;

	base->n = 0;
	return l->t->sorted ? refill_sorted(l) : refill_places(l);
}

static const struct event *decode(struct lane *base, const struct lane_entry *e, struct event *ev)
{
	struct text_lane *l = (struct text_lane *)base;
	struct text_line *head = &l->heads[e - base->run];
	struct text *t = l->t;
	unsigned type;

	ev->ts = e->ts;
	ev->cpu = head->cpu;
	if (e->len == LANE_LOST) {
		ev->pid = -1;
		ev->type = UINT16_MAX;
		ev->kind = EV_lost;
		ev->flags = 0;
		ev->has = 0;
		ev->lost.count = e->lost;
		t->s.quality.lost_gaps++;
		t->s.quality.lost_known += e->lost > 0 ? (uint64_t)e->lost : 0;
		return ev;
	}
	text_line_split(head);
	type = type_of(t, head->name);
	ev->pid = head->pid;
	ev->flags = head->flags;
	ev->type = (uint16_t)type;
	ev->kind = (uint16_t)t->types.at[type].plan.kind;
	if (t->s.want[ev->kind] && ev->kind != EV_other)
		text_fields(&t->types.at[type].plan, head->body, &t->states, ev);
	else
		ev->has = 0;
	return ev;
}

static void close_lane(struct lane *base)
{
	struct text_lane *l = (struct text_lane *)base;

	lines_free(&l->lines);
	map_free(&l->gaps);
	vec_free(&l->copy);
	free(l);
}

static const struct lane_ops lane_ops = {refill, decode, close_lane};

static void open_lane(struct text *t)
{
	struct text_lane *l = mem_calloc(1, sizeof *l);
	struct lane **lanes = mem_calloc(1, sizeof *lanes);

	l->lane.ops = &lane_ops;
	l->t = t;
	lines_init(&l->lines, data_of(t), 0);
	for (size_t i = 0; i < t->seen.gaps.n; i++)
		if (t->seen.gaps.at[i].after && !map_get(&l->gaps, t->seen.gaps.at[i].after, 0))
			map_put(&l->gaps, t->seen.gaps.at[i].after, 0, (uint32_t)i + 1);
	lanes[0] = &l->lane;
	merge_init(&t->s.merge, lanes, 1);
}

/* ---- what there is ---- */

static int by_time(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return (x->off > y->off) - (x->off < y->off);
}

static void look_through(struct text *t)
{
	struct seen *x = &t->seen;

	seen_read(x, data_of(t), false);
	t->s.quality.backward_steps = x->backward;
	t->s.quality.backward_max_ns = x->backward_max;
	t->sorted = !x->backward;
	if (t->sorted)
		return;
	seen_free(x);
	seen_read(x, data_of(t), true);
	if (x->places.n)
		qsort(x->places.at, x->places.n, sizeof *x->places.at, by_time);
}

/* ---- opening ---- */

static bool is_page(const uint8_t *h, size_t n)
{
	return memmem(h, n, "<html", 5) || memmem(h, n, "<!DOCTYPE", 9) || memmem(h, n, "<HTML", 5);
}

/* Where deflated data of atrace begins; 0: nowhere. */
static size_t deflated_at(const uint8_t *h, size_t n)
{
	static const char mark[] = "TRACE:";
	const uint8_t *p = memmem(h, n, mark, sizeof mark - 1);

	if (!p || memchr(h, 0, (size_t)(p - h)))
		return 0;
	p += sizeof mark - 1;
	while (p < h + n && (*p == '\r' || *p == '\n'))
		p++;
	return h + n - p > 2 && *p == 0x78 ? (size_t)(p - h) : 0;
}

static bool probe(const uint8_t *head, size_t n)
{
	const char *p = (const char *)head, *end = p + n;
	struct text_line l;

	if (n > 2 && deflated_at(head, n))
		return true;
	if (n < 2 || memchr(head, 0, n < 64 ? n : 64))
		return false;
	if (is_page(head, n) || (n > 9 && !memcmp(head, "# tracer:", 9)))
		return true;
	for (int i = 0; i < PROBE_LINES && p < end; i++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		stop = stop ? stop : end;
		text_line_parse(p, (size_t)(stop - p), &l);
		if (l.kind == TEXT_EVENT || l.kind == TEXT_STARTED)
			return true;
		p = stop + 1;
	}
	return false;
}

/* Spool what is deflated from `off` on. */
static bool unpack(struct text *t, uint64_t off, struct err *e)
{
	struct inflater *z = inflate_zlib.open();
	uint8_t *in = mem_calloc(2, TEXT_BLOCK), *out = in + TEXT_BLOCK;
	bool good = true, end = false, ok;

	t->plain = input_spool(input_name(t->s.in), e);
	ok = t->plain != NULL;
	while (ok && good && !end) {
		size_t n = input_read(t->s.in, off, in, TEXT_BLOCK), made;
		const void *p = in;

		off += n;
		if (!n)
			good = false;
		do {
			good = good && inflate_zlib.stream(z, &p, &n, out, TEXT_BLOCK, &made, &end);
			ok = ok && (!good || !made || input_append(t->plain, out, made, e));
		} while (good && ok && !end && (n || made == TEXT_BLOCK));
	}
	if (ok && !good)
		source_damage(&t->s, "the deflated trace ends early or is damaged");
	inflate_zlib.close(z);
	free(in);
	return ok;
}

static void fill_states(struct text *t)
{
	int64_t largest = t->seen.max_state;
	const char *release = largest >= 4096   ? "4.8"
	                      : largest >= 2048 ? "4.4"
	                      : largest >= 1024 ? "4.0"
	                                        : NULL;

	state_bits_by_release(release, &t->states);
	state_bits_tabulate(&t->states);
	if (largest)
		source_note(&t->s, "task states are numbers; taken as those of %s",
		            release ? "kernels before 4.14" : "kernels since 4.14");
}

static void fill_notes(struct text *t)
{
	struct seen *x = &t->seen;

	if (x->decimals && x->decimals < 9)
		source_note(&t->s,
		            "times have %u decimals: what is shorter is 0 or the last of them",
		            x->decimals);
	if (x->overwritten)
		source_note(&t->s, "%llu events were overwritten before they were read",
		            (unsigned long long)x->overwritten);
	if (t->page)
		return;
	if (x->cut)
		source_damage(&t->s, "line %llu, the last, has no end: it is cut, and left out",
		              (unsigned long long)x->lines + 1);
	if (x->others)
		source_note(&t->s, "%llu lines are no events (the first: line %llu)",
		            (unsigned long long)x->others, (unsigned long long)x->first_other);
}

static void fill_info(struct text *t)
{
	struct trace_info *i = &t->s.info;
	struct seen *x = &t->seen;
	struct trace_buffer *top = arena_alloc(&t->s.arena, sizeof *top);

	if (x->n_cpus > x->cpus.n)
		seen_cpu(x, x->n_cpus - 1);
	*top = (struct trace_buffer){.name = "", .n_cpus = (unsigned)x->cpus.n, .has_data = true};
	i->buffers = top;
	i->n_buffers = 1;
	i->path = input_name(t->s.in);
	i->format = t->page ? "systrace" : "ftrace text";
	i->compression = t->plain ? "zlib" : "none";
	i->wrapper = input_wrapper(t->s.in);
	i->clock_is_ns = x->decimals > 0;
	i->has_waking = x->has_waking;
	i->n_cpus = (unsigned)x->cpus.n;
	i->cpus = x->cpus.at;
	i->n_cpu_rows = (unsigned)x->cpus.n;
	source_set_names(&t->s, x->names.at, x->names.n);
	fill_states(t);
	fill_notes(t);
}

static void close_text(struct source *s)
{
	struct text *t = (struct text *)s;

	seen_free(&t->seen);
	vec_free(&t->types);
	input_close(t->plain);
}

static struct source *open_text(struct input *in, const struct source_opts *o, struct err *e)
{
	struct text *t = mem_calloc(1, sizeof *t);
	uint8_t head[4096];
	size_t n = input_read(in, 0, head, sizeof head), deflated = deflated_at(head, n);

	t->s.close = close_text;
	t->s.opts = *o;
	t->s.in = in;
	source_want(&t->s, NULL);
	t->page = is_page(head, n);
	if (deflated && !unpack(t, deflated, e))
		goto fail;
	look_through(t);
	if (!t->seen.events) {
		err_input(
		        e,
		        "%s: %s without a line that is an event (comm-pid [cpu] time: event: ...)",
		        input_name(in), t->page ? "an HTML page" : "ftrace text");
		goto fail;
	}
	fill_info(t);
	open_lane(t);
	return &t->s;
fail:
	source_close(&t->s);
	return NULL;
}

const struct source_format source_text = {"text", probe, open_text};
