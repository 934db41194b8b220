/* Lanes merged by time.
 *
 * A lane is one CPU buffer (or another ordered stream). It delivers its events in runs: time and
 * place of each, decoded no further. The merge is a tree of losers: one comparison per level for
 * each event taken. Equal times keep the order of the lanes, and inside a lane that of the file. */
#ifndef PELTIER_SOURCE_MERGE_H
#define PELTIER_SOURCE_MERGE_H

#include "event/event.h"

#include <stdint.h>

struct lane;

enum { LANE_RUN = 512 };     /* events in a run, at most */
#define LANE_LOST UINT32_MAX /* len of an entry that is not an event: events are missing here */

struct lane_entry {
	int64_t ts; /* never falls within a lane */
	uint32_t len;
	bool at_start; /* of a gap: no event was before it */
	union {
		const uint8_t *payload;
		int64_t lost; /* of a gap: how many, or -1 */
	};
};

struct lane_ops {
	/* Replace the run by the next one: sets n (> 0). False at the end. */
	bool (*refill)(struct lane *l);
	/* Fill *ev from an event of the run: all but the fields; then those. */
	void (*decode)(struct lane *l, const struct lane_entry *e, struct event *ev);
	void (*load)(struct lane *l, const struct lane_entry *e, struct event *ev);
	void (*close)(struct lane *l);
};

struct lane {
	const struct lane_ops *ops;
	uint32_t cpu;
	uint32_t at, n; /* next entry, number of entries of the run */
	struct lane_entry run[LANE_RUN];
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

/* The lane's next entry, after `at` was stepped. */
static inline struct merge_node merge_head(const struct merge *m, uint32_t lane)
{
	struct lane *l = m->lane[lane];

	if (__builtin_expect(l->at == l->n, 0)) {
		l->at = 0;
		if (!l->ops->refill(l))
			return (struct merge_node){INT64_MAX, lane};
	}
	return (struct merge_node){l->run[l->at].ts, lane};
}

/* The lane whose run[at] is the next event, NULL at the end. Valid until the next call. */
static inline struct lane *merge_next(struct merge *m)
{
	struct merge_node w;

	if (__builtin_expect(!m->started, 0)) {
		if (!m->n)
			return NULL;
		merge_start(m);
		w = m->loser[0];
	} else if (__builtin_expect(m->loser[0].ts == INT64_MAX, 0)) {
		return NULL;
	} else {
		m->lane[m->loser[0].lane]->at++;
		w = merge_head(m, m->loser[0].lane);
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
