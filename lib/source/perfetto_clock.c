/* Clock snapshots: all of them are collected before anything is converted, so that the order of the
 * file does not matter. One hop from clock A to B uses the last snapshot with both whose reading of
 * A is not after the time (the first one, when all are), at rate 1. */
#include "source/perfetto.h"

#include <stdlib.h>

enum { HOPS_MAX = 4, SNAP_MAX = 64 };
#define SAME_BOOT_NS 10000000000 /* the time of day may be set by less */

void clocks_free(struct clocks *c)
{
	for (size_t i = 0; i < c->list.n; i++)
		vec_free(&c->list.at[i].step);
	vec_free(&c->list);
	vec_free(&c->readings);
	vec_free(&c->snaps);
	map_free(&c->by_id);
}

const char *clock_name(uint32_t id)
{
	static const char *const names[] = {
	        "file", "realtime", "realtime-coarse", "mono", "mono-coarse", "mono_raw",
	        "boot", "cputime",  "thread-cputime",  "tsc",  "perf",        "file"};

	return id < sizeof names / sizeof *names ? names[id] : "private";
}

/* ---- collecting ---- */

static struct clock *find(const struct clocks *c, uint32_t id, uint32_t seq)
{
	uint32_t i = map_get(&c->by_id, id, seq);

	return i ? &c->list.at[i - 1] : NULL;
}

struct clock *clocks_at(struct clocks *c, uint32_t id, uint32_t seq)
{
	uint32_t i = map_get(&c->by_id, id, seq);

	if (!i) {
		*vec_add(&c->list) = (struct clock){.id = id, .seq = seq};
		i = (uint32_t)c->list.n;
		map_put(&c->by_id, id, seq, i);
	}
	return &c->list.at[i - 1];
}

bool clocks_last(const struct clocks *c, uint32_t id, uint32_t seq, int64_t *ns)
{
	const struct clock *k = find(c, id, seq);
	bool any = k && k->last;

	*ns = any ? c->readings.at[k->last - 1].ns : 0;
	return any;
}

void clocks_add(struct clocks *c, const struct clock *as, int64_t ns)
{
	uint32_t snap = (uint32_t)c->snaps.n; /* the one that is open */
	struct clock *k;
	size_t i = c->readings.n;
	bool twice;

	if (as->id == 7 || as->id == 8) /* CPU time of a process or thread: no clock */
		return;
	k = clocks_at(c, as->id, as->seq);
	twice = k->last && c->readings.at[k->last - 1].snap == snap; /* the first one counts */
	if (twice || (k->last && k->unit != as->unit) ||
	    (i >= SNAP_MAX && c->readings.at[i - SNAP_MAX].snap == snap)) {
		c->bad++;
		return;
	}
	k->unit = as->unit;
	k->incremental = as->incremental;
	*vec_add(&c->readings) =
	        (struct clock_reading){ns, (uint32_t)(k - c->list.at), snap, k->last};
	k->last = (uint32_t)c->readings.n;
	k->readings++;
}

static const struct clock_reading *in_snap(const struct clocks *c, uint32_t snap,
                                           const struct clock *k)
{
	const struct clock_snap *s = &c->snaps.at[snap];

	for (uint32_t i = s->first; k && i < s->first + s->n; i++)
		if (&c->list.at[c->readings.at[i].clock] == k)
			return &c->readings.at[i];
	return NULL;
}

/* The snapshot against the one before with a reading of the trace clock. */
static enum clocks_result order(const struct clocks *c, uint32_t snap)
{
	const struct clock *real = find(c, CLOCK_REAL, 0);
	const struct clock_reading *now = in_snap(c, snap, find(c, c->trace, 0)), *before;
	const struct clock_reading *real_now, *real_before;

	if (!now || !now->before)
		return CLOCKS_GOOD;
	before = &c->readings.at[now->before - 1];
	if (before->ns <= now->ns)
		return CLOCKS_GOOD;
	real_now = in_snap(c, snap, real);
	real_before = in_snap(c, before->snap, real);
	/* the time of day at which the trace clock was 0 */
	return real_now && real_before &&
	                       llabs((real_now->ns - now->ns) - (real_before->ns - before->ns)) >
	                               SAME_BOOT_NS
	               ? CLOCKS_RESTARTED
	               : CLOCKS_JOINED;
}

static void drop_snap(struct clocks *c)
{
	const struct clock_snap *s = &c->snaps.at[--c->snaps.n];

	for (uint32_t i = s->first; i < s->first + s->n; i++) {
		struct clock *k = &c->list.at[c->readings.at[i].clock];

		k->last = c->readings.at[i].before;
		k->readings--;
	}
	c->readings.n = s->first;
}

enum clocks_result clocks_end(struct clocks *c, uint32_t primary)
{
	uint32_t snap = (uint32_t)c->snaps.n;
	size_t n = c->readings.n, from = n;
	enum clocks_result r;

	while (from && c->readings.at[from - 1].snap == snap)
		from--;
	*vec_add(&c->snaps) = (struct clock_snap){(uint32_t)from, (uint32_t)(n - from), false};
	if (!c->trace && primary)
		c->trace = primary;
	else if (!c->trace && in_snap(c, snap, find(c, CLOCK_BOOT, 0)) &&
	         !in_snap(c, snap, find(c, CLOCK_FILE, 0)))
		c->trace = CLOCK_BOOT;
	r = order(c, snap);
	if (r != CLOCKS_GOOD)
		drop_snap(c);
	return r;
}

/* ---- the ways to the trace clock ---- */

typedef VEC(uint32_t) queue;

/* The clocks that share a snapshot with the clock `to` and have no way yet go by it. */
static void join_by(struct clocks *c, uint32_t to, queue *q)
{
	for (uint32_t r = c->list.at[to].last; r; r = c->readings.at[r - 1].before) {
		struct clock_snap *s = &c->snaps.at[c->readings.at[r - 1].snap];

		for (uint32_t i = s->first; !s->used && i < s->first + s->n; i++) {
			struct clock *k = &c->list.at[c->readings.at[i].clock];

			if (k->joined || k->set_back)
				continue;
			k->joined = true;
			k->next = to;
			k->hops = (uint8_t)(c->list.at[to].hops + 1);
			*vec_add(q) = c->readings.at[i].clock;
		}
		s->used = true; /* all its clocks were looked at */
	}
}

static int by_from(const void *a, const void *b)
{
	const struct clock_step *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static void find_steps(const struct clocks *c, struct clock *k)
{
	for (uint32_t r = k->last; r; r = c->readings.at[r - 1].before) {
		const struct clock_reading *a = &c->readings.at[r - 1];
		const struct clock_reading *b = in_snap(c, a->snap, &c->list.at[k->next]);
		int64_t add;

		/* of several with one reading the last counts */
		if (b && !(k->step.n && k->step.at[k->step.n - 1].from == a->ns) &&
		    !__builtin_sub_overflow(b->ns, a->ns, &add))
			*vec_add(&k->step) = (struct clock_step){a->ns, add};
	}
	if (k->step.n)
		qsort(k->step.at, k->step.n, sizeof *k->step.at, by_from);
}

/* Breadth first from the trace clock: the shortest way wins. */
void clocks_resolve(struct clocks *c)
{
	uint32_t trace = map_get(&c->by_id, c->trace, 0);
	queue q = {0};

	for (size_t i = 0; i < c->readings.n; i++) {
		const struct clock_reading *r = &c->readings.at[i];

		c->list.at[r->clock].set_back |=
		        r->before && c->readings.at[r->before - 1].ns > r->ns;
	}
	if (trace) {
		c->list.at[trace - 1].joined = true;
		*vec_add(&q) = trace - 1;
	}
	for (size_t i = 0; i < q.n; i++) {
		struct clock *k = &c->list.at[q.at[i]];

		if (i)
			find_steps(c, k);
		if (k->hops < HOPS_MAX)
			join_by(c, q.at[i], &q);
	}
	vec_free(&q);
}

/* The last step that begins not after ns, or the first. */
static const struct clock_step *step_at(const struct clock *k, int64_t ns)
{
	size_t lo = 0, hi = k->step.n;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->step.at[mid].from <= ns)
			lo = mid;
		else
			hi = mid;
	}
	return &k->step.at[lo];
}

bool clocks_convert(const struct clocks *c, uint32_t id, uint32_t seq, int64_t ns, int64_t *out)
{
	const struct clock *k;

	*out = ns;
	if (id == c->trace || (!c->snaps.n && id < CLOCK_SEQUENCE))
		return true; /* without snapshots times are taken as they are */
	k = find(c, id, seq);
	if (!k || !k->joined)
		return false;
	for (; k->hops; k = &c->list.at[k->next])
		if (!k->step.n || __builtin_add_overflow(*out, step_at(k, *out)->add, out))
			return false;
	return true;
}
