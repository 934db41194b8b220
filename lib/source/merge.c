#include "source/merge.h"

#include "base/mem.h"

#include <stdlib.h>

void merge_init(struct merge *m, struct lane **lane, uint32_t n)
{
	*m = (struct merge){.lane = lane, .n = n};
	m->loser = mem_calloc(n + 1, sizeof *m->loser);
}

void merge_free(struct merge *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		m->lane[i]->ops->close(m->lane[i]);
	free(m->lane);
	free(m->loser);
}

static bool before(struct merge_node a, struct merge_node b)
{
	return a.ts < b.ts || (a.ts == b.ts && a.lane < b.lane);
}

/* The lane's next entry, after `at` was stepped. */
static struct merge_node head(const struct merge *m, uint32_t lane)
{
	struct lane *l = m->lane[lane];

	if (l->at == l->n) {
		l->at = 0;
		if (!l->ops->refill(l))
			return (struct merge_node){INT64_MAX, lane};
	}
	return (struct merge_node){l->run[l->at].ts, lane};
}

/* Take the first head of every lane and build the tree from the bottom: node p < n has children 2p
 * and 2p + 1, node n + i is lane i. */
static void start(struct merge *m)
{
	struct merge_node *winner = mem_calloc(2 * (size_t)m->n, sizeof *winner);

	for (uint32_t i = 0; i < m->n; i++)
		winner[m->n + i] = head(m, i);
	for (uint32_t p = m->n - 1; p; p--) {
		struct merge_node a = winner[2 * p], b = winner[2 * p + 1];

		winner[p] = before(a, b) ? a : b;
		m->loser[p] = before(a, b) ? b : a;
	}
	m->loser[0] = winner[1]; /* with one lane, node 1 is its leaf */
	m->started = true;
	free(winner);
}

/* The lane of the last winner has a new head: play again on its way to the top. */
static void play(struct merge *m)
{
	struct merge_node w = head(m, m->loser[0].lane);

	for (uint32_t p = (w.lane + m->n) / 2; p; p /= 2) {
		struct merge_node other = m->loser[p];

		if (before(other, w)) {
			m->loser[p] = w;
			w = other;
		}
	}
	m->loser[0] = w;
}

struct lane *merge_again(struct merge *m)
{
	if (!m->n)
		return NULL;
	if (!m->started)
		start(m);
	else if (m->winner)
		play(m);
	m->winner = NULL;
	if (m->loser[0].ts == INT64_MAX)
		return NULL;
	m->winner = m->lane[m->loser[0].lane];
	m->until = INT64_MAX; /* the best of those it would have to play against */
	for (uint32_t p = (m->loser[0].lane + m->n) / 2; p; p /= 2)
		if (m->loser[p].ts < m->until)
			m->until = m->loser[p].ts;
	return m->winner;
}
