#include "base/map.h"

#include "base/mem.h"

struct map_slot {
	uint64_t a, b;
	uint32_t value; /* 0: free */
};

/* Where the pair is, or belongs. */
static struct map_slot *slot_of(const struct map *m, uint64_t a, uint64_t b)
{
	const uint64_t golden = 0x9e3779b97f4a7c15u;
	uint64_t h = (a * golden ^ a >> 32 ^ b) * golden;
	size_t i = (h ^ h >> 32) & (m->n_slots - 1);

	while (m->slots[i].value && (m->slots[i].a != a || m->slots[i].b != b))
		i = (i + 1) & (m->n_slots - 1);
	return &m->slots[i];
}

uint32_t map_get(const struct map *m, uint64_t a, uint64_t b)
{
	return m->n ? slot_of(m, a, b)->value : 0;
}

static void grow(struct map *m)
{
	struct map old = *m;

	m->n_slots = old.n_slots ? 2 * old.n_slots : 64;
	m->slots = mem_calloc(m->n_slots, sizeof *m->slots);
	for (size_t i = 0; i < old.n_slots; i++)
		if (old.slots[i].value)
			*slot_of(m, old.slots[i].a, old.slots[i].b) = old.slots[i];
	free(old.slots);
}

void map_put(struct map *m, uint64_t a, uint64_t b, uint32_t value)
{
	if (2 * m->n >= m->n_slots)
		grow(m);
	*slot_of(m, a, b) = (struct map_slot){a, b, value};
	m->n++;
}

void map_free(struct map *m)
{
	free(m->slots);
	*m = (struct map){0};
}
