/* Memory: checked allocation, arenas, growing arrays.
 *
 * Sizes that come from a file are checked against what is left of it before they reach these
 * functions, so running out of memory means the machine has none left: the process aborts. */
#ifndef PELTIER_BASE_MEM_H
#define PELTIER_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h> /* free(), for vec_free() */
#include <string.h> /* memset() */

/* `n` elements of `size` bytes, zeroed. Never NULL. Free with free(). */
void *mem_calloc(size_t n, size_t size);
/* Resize as realloc() does; new bytes are not initialised. Never NULL for n * size > 0. */
void *mem_realloc(void *p, size_t n, size_t size);

/* A growing array: `VEC(int) v = {0}; *vec_add(&v) = 1; vec_free(&v);` Elements may move on
 * vec_add() and vec_fit(); new ones are zeroed. */
#define VEC(T)                                                                                     \
	struct {                                                                                   \
		T *at;                                                                             \
		size_t n, cap;                                                                     \
	}
#define vec_add(v)                                                                                 \
	(((v)->n < (v)->cap                                                                        \
	          ? (void)0                                                                        \
	          : (void)((v)->at = vec_grow((v)->at, &(v)->cap, (v)->n + 1, sizeof *(v)->at))),  \
	 memset(&(v)->at[(v)->n], 0, sizeof *(v)->at), &(v)->at[(v)->n++])
/* Make indexes 0..want-1 valid. */
#define vec_fit(v, want)                                                                           \
	do {                                                                                       \
		if (__builtin_expect((v)->n < (want), 0))                                          \
			(v)->at =                                                                  \
			        vec_extend((v)->at, &(v)->n, &(v)->cap, (want), sizeof *(v)->at);  \
	} while (0)
/* Zero all elements. */
#define vec_zero(v)                                                                                \
	do {                                                                                       \
		if ((v)->n)                                                                        \
			memset((v)->at, 0, (v)->n * sizeof *(v)->at);                              \
	} while (0)
#define vec_free(v) (free((v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)
/* Room for `need` elements; not initialised. */
void *vec_grow(void *at, size_t *cap, size_t need, size_t size);
/* Make it `want` (> *n) elements, the new ones zeroed. Out of line: it is the rare case. */
void *vec_extend(void *at, size_t *n, size_t *cap, size_t want, size_t size)
        __attribute__((noinline));

/* An arena: everything in it is freed together. Zero-initialise, then use. */
struct arena {
	struct arena_block *block;
};
void *arena_alloc(struct arena *a, size_t size);
char *arena_str(struct arena *a, const char *s, size_t n); /* a NUL-terminated copy */
void arena_free(struct arena *a);

#endif
