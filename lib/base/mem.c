#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(16) unsigned char data[];
};

enum { ARENA_BLOCK = 16384 };

void *mem_calloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		abort();
	return p;
}

void *mem_realloc(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		abort();
	p = realloc(p, bytes ? bytes : 1);
	if (!p)
		abort();
	return p;
}

void *vec_grow(void *at, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap;

	if (need <= n)
		return at;
	n = n ? n + n / 2 : 8;
	if (n < need)
		n = need;
	at = mem_realloc(at, n, size);
	*cap = n;
	return at;
}

void *vec_extend(void *at, size_t *n, size_t *cap, size_t want, size_t size)
{
	at = vec_grow(at, cap, want, size);
	memset((char *)at + *n * size, 0, (want - *n) * size);
	*n = want;
	return at;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->block;
	void *p;

	size = (size + 15) & ~(size_t)15;
	if (!b || b->size - b->used < size) {
		size_t room = size > ARENA_BLOCK ? size : ARENA_BLOCK;

		b = mem_calloc(1, sizeof *b + room);
		b->size = room;
		b->next = a->block;
		a->block = b;
	}
	p = b->data + b->used;
	b->used += size;
	return p;
}

char *arena_str(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

void arena_free(struct arena *a)
{
	while (a->block) {
		struct arena_block *b = a->block;

		a->block = b->next;
		free(b);
	}
}
