/* Sequential reading of numbers, strings and blobs from an input, every size checked against what
 * is left of it. After the first failure `bad` is set and everything reads as 0. */
#ifndef PELTIER_SOURCE_READER_H
#define PELTIER_SOURCE_READER_H

#include "base/cursor.h"
#include "base/window.h"

struct reader {
	struct window w;
	uint64_t off;
	bool big, bad;
};

static inline void reader_init(struct reader *r, const struct input *in, uint64_t off, bool big)
{
	*r = (struct reader){.off = off, .big = big};
	window_init(&r->w, in, 64 * 1024);
}

static inline void reader_free(struct reader *r)
{
	window_free(&r->w);
}

/* n bytes, good until the next call; NULL when they are not there. */
static inline const uint8_t *reader_take(struct reader *r, uint64_t n)
{
	const uint8_t *p = r->bad ? NULL : window_get(&r->w, r->off, n);

	r->bad = !p;
	r->off += p ? n : 0;
	return p;
}

static inline void reader_skip(struct reader *r, uint64_t n)
{
	if (r->bad || r->off > input_size(r->w.in) || n > input_size(r->w.in) - r->off)
		r->bad = true;
	else
		r->off += n;
}

static inline uint16_t reader_u16(struct reader *r)
{
	const uint8_t *p = reader_take(r, 2);

	return p ? load16(p, r->big) : 0;
}

static inline uint32_t reader_u32(struct reader *r)
{
	const uint8_t *p = reader_take(r, 4);

	return p ? load32(p, r->big) : 0;
}

static inline uint64_t reader_u64(struct reader *r)
{
	const uint8_t *p = reader_take(r, 8);

	return p ? load64(p, r->big) : 0;
}

/* A NUL-terminated string of at most `max` bytes, good until the next call; NULL if there is none.
 */
static inline const char *reader_str(struct reader *r, size_t max)
{
	uint64_t left = r->bad ? 0 : input_size(r->w.in) - r->off;
	size_t n = left < max ? (size_t)left : max;
	const uint8_t *p = n ? window_get(&r->w, r->off, n) : NULL;
	const uint8_t *nul = p ? memchr(p, 0, n) : NULL;

	r->bad = !nul;
	if (nul)
		r->off += (uint64_t)(nul + 1 - p);
	return nul ? (const char *)p : NULL;
}

#endif
