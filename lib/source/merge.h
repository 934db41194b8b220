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
	/* Fill *ev from an event of the run, and return it. NULL: it is left out. */
	const struct event *(*decode)(struct lane *l, const struct lane_entry *e, struct event *ev);
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
	struct lane *winner;      /* NULL: not started, or at the end */
	int64_t until;            /* the winner stays the winner while its time is below this */
	bool started;
};

/* Takes the array of lanes (ownership), sorted the way ties should go. */
void merge_init(struct merge *m, struct lane **lane, uint32_t n);
void merge_free(struct merge *m);
/* The winner's next entry is not the next event for sure: see who wins now. */
struct lane *merge_again(struct merge *m) __attribute__((noinline));

/* The lane whose run[at] is the next event, NULL at the end. Valid until the next call. */
static inline struct lane *merge_next(struct merge *m)
{
	struct lane *l = m->winner;

	if (__builtin_expect(l && ++l->at < l->n && l->run[l->at].ts < m->until, 1))
		return l;
	return merge_again(m);
}

#endif
