/* Lanes merged by time.
 *
 * A lane is one CPU buffer (or another ordered stream) that always holds its next event, its head.
 * The merge is a tree of losers: one comparison per level for each event taken. Equal times keep
 * the order of the lanes, and inside a lane the order of the file. */
#ifndef PELTIER_SOURCE_MERGE_H
#define PELTIER_SOURCE_MERGE_H

#include "event/event.h"

#include <stdint.h>

struct lane;

struct lane_ops {
	/* Step to the next event: sets ts, false at the end. */
	bool (*advance)(struct lane *l);
	/* Fill *ev from the head of the lane: all but the fields, and those. */
	void (*decode)(struct lane *l, struct event *ev);
	void (*load)(struct lane *l, struct event *ev);
	void (*close)(struct lane *l);
};

struct lane {
	const struct lane_ops *ops;
	int64_t ts; /* of the head; never falls within a lane */
	uint32_t cpu;
};

/* A lane and the time of its head; INT64_MAX when it has ended. */
struct merge_node {
	int64_t ts;
	uint32_t lane;
};

struct merge {
	struct lane **lane;
	uint32_t n;
	struct merge_node *loser; /* [0] is the winner */
	bool started;
};

/* Takes the array of lanes (ownership), sorted the way ties should go. */
void merge_init(struct merge *m, struct lane **lane, uint32_t n);
void merge_free(struct merge *m);
/* Take the first head of every lane and build the tree. */
void merge_start(struct merge *m);

static inline bool merge_before(struct merge_node a, struct merge_node b)
{
	return a.ts < b.ts || (a.ts == b.ts && a.lane < b.lane);
}

static inline struct merge_node merge_advance(const struct merge *m, uint32_t lane)
{
	struct lane *l = m->lane[lane];
	bool more = l->ops->advance(l);

	return (struct merge_node){more ? l->ts : INT64_MAX, lane};
}

/* The lane with the earliest head, NULL at the end. Its event stays valid until the next call. */
static inline struct lane *merge_next(struct merge *m)
{
	struct merge_node w;

	if (!m->n)
		return NULL;
	if (!m->started) {
		merge_start(m);
		w = m->loser[0];
	} else {
		w = merge_advance(m, m->loser[0].lane);
		for (uint32_t p = (w.lane + m->n) / 2; p; p /= 2) {
			struct merge_node other = m->loser[p];

			if (merge_before(other, w)) {
				m->loser[p] = w;
				w = other;
			}
		}
		m->loser[0] = w;
	}
	return w.ts == INT64_MAX ? NULL : m->lane[w.lane];
}

#endif
