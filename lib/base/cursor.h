/* Bounded reading of numbers and strings from bytes in either byte order.
 *
 * After the first read past the end `bad` is set and every later read gives 0, so a parser may
 * read a group of fields and check once. */
#ifndef PELTIER_BASE_CURSOR_H
#define PELTIER_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *p, *end;
	bool big; /* byte order of the data */
	bool bad;
};

static inline uint16_t load16(const void *p, bool big)
{
	uint16_t v;

	memcpy(&v, p, sizeof v);
	return big ? __builtin_bswap16(v) : v;
}

static inline uint32_t load32(const void *p, bool big)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return big ? __builtin_bswap32(v) : v;
}

static inline uint64_t load64(const void *p, bool big)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return big ? __builtin_bswap64(v) : v;
}

static inline struct cursor cursor_on(const void *p, size_t n, bool big)
{
	const uint8_t *b = p;

	return (struct cursor){b, b + n, big, false};
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

/* The next n bytes, or NULL. */
static inline const uint8_t *cursor_take(struct cursor *c, uint64_t n)
{
	const uint8_t *p = c->p;

	if (c->bad || n > cursor_left(c)) {
		c->bad = true;
		return NULL;
	}
	c->p += n;
	return p;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 2);

	return p ? load16(p, c->big) : 0;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 4);

	return p ? load32(p, c->big) : 0;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 8);

	return p ? load64(p, c->big) : 0;
}

/* A NUL-terminated string, or NULL when there is no NUL before the end. */
static inline const char *cursor_str(struct cursor *c)
{
	const uint8_t *p = c->p, *nul = c->bad ? NULL : memchr(p, 0, cursor_left(c));

	if (!nul) {
		c->bad = true;
		return NULL;
	}
	c->p = nul + 1;
	return (const char *)p;
}

#endif
