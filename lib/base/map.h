/* A map from a pair of numbers to a number that is not 0, such as 1 + an index. Nothing is taken
 * out again. Zero-initialise, then use. */
#ifndef PELTIER_BASE_MAP_H
#define PELTIER_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map {
	struct map_slot *slots; /* open addressing, at most half full */
	size_t n, n_slots;      /* n_slots: a power of 2 */
};

/* The number for the pair; 0: there is none. */
uint32_t map_get(const struct map *m, uint64_t a, uint64_t b);
/* The pair must be new, value not 0. */
void map_put(struct map *m, uint64_t a, uint64_t b, uint32_t value);
void map_free(struct map *m);

#endif
