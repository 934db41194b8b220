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

/* From the bottom: node p < n has children 2p and 2p + 1, node n + i is lane i. */
void merge_start(struct merge *m)
{
	struct merge_node *winner = mem_calloc(2 * (size_t)m->n, sizeof *winner);

	for (uint32_t i = 0; i < m->n; i++)
		winner[m->n + i] = merge_head(m, i);
	for (uint32_t p = m->n - 1; p; p--) {
		struct merge_node a = winner[2 * p], b = winner[2 * p + 1];

		winner[p] = merge_before(a, b) ? a : b;
		m->loser[p] = merge_before(a, b) ? b : a;
	}
	m->loser[0] = winner[1]; /* with one lane, node 1 is its leaf */
	m->started = true;
	free(winner);
}
