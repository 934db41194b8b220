/* Bytes that are put together. */
#ifndef PELTIER_TESTS_SIM_BYTES_H
#define PELTIER_TESTS_SIM_BYTES_H

#include "base/mem.h"

#include <string.h>

struct bytes {
	uint8_t *at;
	size_t n, cap;
};

static inline void put(struct bytes *b, const void *p, size_t n)
{
	if (b->n + n > b->cap)
		b->at = vec_grow(b->at, &b->cap, b->n + n, 1);
	if (n)
		memcpy(b->at + b->n, p, n);
	b->n += n;
}

/* Little endian. */
static inline void put_number(struct bytes *b, uint64_t v, int size)
{
	for (int i = 0; i < size; i++) {
		uint8_t byte = (uint8_t)(v >> 8 * i);

		put(b, &byte, 1);
	}
}

static inline void put_string(struct bytes *b, const char *s)
{
	put(b, s, strlen(s) + 1);
}

static inline void put_zeros(struct bytes *b, size_t to)
{
	while (b->n < to)
		put_number(b, 0, 1);
}

static inline void set_number(struct bytes *b, size_t at, uint64_t v, int size)
{
	for (int i = 0; i < size; i++)
		b->at[at + (size_t)i] = (uint8_t)(v >> 8 * i);
}

#endif
