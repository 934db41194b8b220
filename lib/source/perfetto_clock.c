/* Clock snapshots: all of them are collected before anything is converted, so that the order of the
 * file does not matter. One hop from clock A to B uses the last snapshot with both whose reading of
 * A is not after the time (the first one, when all are), at rate 1. */
#include "source/perfetto.h"

#include <stdlib.h>

enum { HOPS_MAX = 4, NODES_MAX = 64 };
#define SAME_BOOT_NS 10000000000 /* the time of day may be set by less */

void clocks_free(struct clocks *c)
{
	vec_free(&c->readings);
	vec_free(&c->snaps);
}

const char *clock_name(uint32_t id)
{
	static const char *const names[] = {
	        "file", "realtime", "realtime-coarse", "mono", "mono-coarse", "mono_raw",
	        "boot", "cputime",  "thread-cputime",  "tsc",  "perf",        "file"};

	return id < sizeof names / sizeof *names ? names[id] : "private";
}

const struct clock_reading *clocks_last(const struct clocks *c, uint32_t id, uint32_t seq)
{
	for (size_t i = c->readings.n; i--;)
		if (c->readings.at[i].id == id && c->readings.at[i].seq == seq)
			return &c->readings.at[i];
	return NULL;
}

/* The readings since the last snapshot was complete. */
static size_t open_from(const struct clocks *c)
{
	return c->snaps.n ? c->snaps.at[c->snaps.n - 1].first + c->snaps.at[c->snaps.n - 1].n : 0;
}

void clocks_add(struct clocks *c, struct clock_reading r)
{
	const struct clock_reading *before;

	if (r.id == 7 || r.id == 8) /* CPU time of a process or thread: no clock */
		return;
	for (size_t i = open_from(c); i < c->readings.n; i++)
		if (c->readings.at[i].id == r.id && c->readings.at[i].seq == r.seq) {
			c->bad++; /* twice: the first one counts */
			return;
		}
	before = clocks_last(c, r.id, r.seq);
	if (before && before->unit != r.unit) {
		c->bad++;
		return;
	}
	*vec_add(&c->readings) = r;
}

static const struct clock_reading *in_snap(const struct clocks *c, const struct clock_snap *s,
                                           uint32_t id, uint32_t seq)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct clock_reading *r = &c->readings.at[s->first + i];

		if (r->id == id && r->seq == seq)
			return r;
	}
	return NULL;
}

enum clocks_result clocks_end(struct clocks *c, uint32_t primary)
{
	size_t from = open_from(c);
	struct clock_snap s = {(uint32_t)from, (uint32_t)(c->readings.n - from)};
	const struct clock_reading *now, *real, *last, *last_real;

	if (!c->trace && primary)
		c->trace = primary;
	else if (!c->trace && in_snap(c, &s, CLOCK_BOOT, 0) && !in_snap(c, &s, CLOCK_FILE, 0))
		c->trace = CLOCK_BOOT;
	now = in_snap(c, &s, c->trace, 0);
	real = in_snap(c, &s, CLOCK_REAL, 0);
	for (size_t i = c->snaps.n; now && i--;) {
		enum clocks_result r = CLOCKS_JOINED;

		last = in_snap(c, &c->snaps.at[i], c->trace, 0);
		last_real = in_snap(c, &c->snaps.at[i], CLOCK_REAL, 0);
		if (last && last->ns > now->ns) {
			/* the time of day at which the trace clock was 0 */
			if (real && last_real &&
			    llabs((real->ns - now->ns) - (last_real->ns - last->ns)) > SAME_BOOT_NS)
				r = CLOCKS_RESTARTED;
			c->readings.n = from;
			return r;
		}
		if (last)
			break;
	}
	*vec_add(&c->snaps) = s;
	return CLOCKS_GOOD;
}

/* A clock that was set back cannot tell which snapshot a time belongs to. */
static bool goes_back(const struct clocks *c, uint32_t id, uint32_t seq)
{
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < c->readings.n; i++) {
		const struct clock_reading *r = &c->readings.at[i];

		if (r->id != id || r->seq != seq)
			continue;
		if (r->ns < last)
			return true;
		last = r->ns;
	}
	return false;
}

/* One hop; false when no snapshot has both. */
static bool hop(const struct clocks *c, struct clock_reading from, struct clock_reading to,
                int64_t ns, int64_t *out)
{
	bool any = false;
	int64_t t;

	for (size_t i = 0; i < c->snaps.n; i++) {
		const struct clock_reading *a = in_snap(c, &c->snaps.at[i], from.id, from.seq);
		const struct clock_reading *b = in_snap(c, &c->snaps.at[i], to.id, to.seq);

		if (!a || !b || (any && a->ns > ns))
			continue;
		if (__builtin_sub_overflow(ns, a->ns, &t) || __builtin_add_overflow(t, b->ns, out))
			return false;
		any = true;
	}
	return any;
}

struct node {
	struct clock_reading clock;
	int64_t ns;
	unsigned hops;
};

static bool known(const struct node *nodes, unsigned n, const struct clock_reading *r)
{
	for (unsigned i = 0; i < n; i++)
		if (nodes[i].clock.id == r->id && nodes[i].clock.seq == r->seq)
			return true;
	return false;
}

bool clocks_convert(const struct clocks *c, uint32_t id, uint32_t seq, int64_t ns, int64_t *out)
{
	struct node nodes[NODES_MAX] = {{{.id = id, .seq = seq}, ns, 0}};
	unsigned n = 1;

	*out = ns;
	if (id == c->trace || (!c->snaps.n && id != c->trace && id < CLOCK_SEQUENCE))
		return true;                  /* without snapshots times are taken as they are */
	for (unsigned at = 0; at < n; at++) { /* breadth first: the shortest way wins */
		struct node from = nodes[at];

		if (from.hops == HOPS_MAX || goes_back(c, from.clock.id, from.clock.seq))
			continue;
		for (size_t i = 0; i < c->readings.n && n < NODES_MAX; i++) {
			const struct clock_reading *r = &c->readings.at[i];
			int64_t t = 0;

			if (known(nodes, n, r) || !hop(c, from.clock, *r, from.ns, &t))
				continue;
			if (r->id == c->trace && !r->seq) {
				*out = t;
				return true;
			}
			nodes[n++] = (struct node){*r, t, from.hops + 1};
		}
	}
	return false;
}
