/* Pages of the kernel's ring buffer: page head and the walk over its entries.
 *
 * Every length is checked against what the page says it uses; an entry that does not fit ends the
 * walk with RING_BAD. The walk is inline because it runs once per event. */
#ifndef PELTIER_SOURCE_RING_H
#define PELTIER_SOURCE_RING_H

#include "base/cursor.h"

/* Offsets from the text of events/header_page. */
struct ring_layout {
	bool big;
	uint32_t commit_off, commit_size; /* commit_size is the kernel's long: 4 or 8 */
	uint32_t data_off, data_size;
};

/* The layout a header_page text of n bytes describes. With an empty text: 8-byte stamp, a commit
 * word of `long_size`, data after it. False when the text makes no sense. */
bool ring_layout_parse(const char *text, size_t n, bool big, unsigned long_size, uint32_t page_size,
                       struct ring_layout *out);

enum { RING_LOST_NONE = -2, RING_LOST_UNKNOWN = -1 };

/* A walk over one page. */
struct ring {
	const uint8_t *p, *end; /* the next entry, end of what is used */
	uint64_t ts;            /* stamp of the last entry */
	const uint8_t *payload; /* of the last event */
	uint32_t len;
	bool big;
};

/* Begin a page of n bytes. *lost: events missing before it (count, RING_LOST_UNKNOWN or
 * RING_LOST_NONE). False when the page is damaged (then the walk is empty). */
bool ring_page(struct ring *r, const struct ring_layout *l, const uint8_t *page, size_t n,
               int64_t *lost);

enum ring_result { RING_EVENT, RING_END, RING_BAD };

enum { RING_PADDING = 29, RING_TIME_EXTEND = 30, RING_TIME_STAMP = 31 };
#define RING_STAMP_MSB (0x1full << 59) /* an absolute stamp stores 59 bits */

static inline uint64_t ring_absolute(uint64_t now, uint64_t v)
{
	uint64_t msb = now & RING_STAMP_MSB;

	v |= msb;
	return msb && v < now ? v + (1ull << 59) : v;
}

/* The next event: its stamp in ts, its bytes in payload and len. `big` is r->big, as a constant
 * where speed matters. */
static inline __attribute__((always_inline)) enum ring_result ring_next_as(struct ring *r, bool big)
{
	while (r->end - r->p >= 4) {
		uint32_t w = load32(r->p, big), a, delta, type;

		type = big ? w >> 27 : w & 31;
		delta = big ? w & 0x7ffffff : w >> 5;
		if (type - 1 < 28) {
			r->payload = r->p + 4;
			r->len = type * 4;
			if (r->len > (size_t)(r->end - r->payload))
				return RING_BAD;
			r->ts += delta;
			r->p = r->payload + r->len;
			return RING_EVENT;
		}
		if (type == RING_PADDING && !delta)
			return RING_END;
		if (r->end - r->p < 8)
			return RING_BAD;
		a = load32(r->p + 4, big);
		if (type == RING_TIME_EXTEND || type == RING_TIME_STAMP) {
			uint64_t v = ((uint64_t)a << 27) + delta;

			r->ts = type == RING_TIME_EXTEND ? r->ts + v : ring_absolute(r->ts, v);
			r->p += 8;
			continue;
		}
		/* long event or padding: `a` counts itself; a long event is rounded up */
		if (a < 4 || a > (size_t)(r->end - r->p) - 4)
			return RING_BAD;
		r->ts += delta;
		r->payload = r->p + 8;
		r->len = a - 4;
		if (type == RING_PADDING) {
			r->p += 4 + (size_t)a;
			continue;
		}
		a = (a + 3) & ~3u;
		if (a > (size_t)(r->end - r->p) - 4)
			return RING_BAD;
		r->len = a - 4;
		r->p += 4 + (size_t)a;
		return RING_EVENT;
	}
	return RING_END;
}

static inline enum ring_result ring_next(struct ring *r)
{
	return ring_next_as(r, r->big);
}

#endif
