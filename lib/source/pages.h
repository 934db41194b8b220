/* The pages of one CPU buffer, one after another: from a plain extent of the file or from a list
 * of compressed chunks, joined across chunk borders. They are fetched in blocks; with an `ahead`
 * the next block is read and inflated while this one is used. */
#ifndef PELTIER_SOURCE_PAGES_H
#define PELTIER_SOURCE_PAGES_H

#include "base/ahead.h"
#include "base/inflate.h"
#include "base/window.h"

/* Whole pages (the last of the extent may be cut), then perhaps a place where some are lost. */
struct page_block {
	uint8_t *buf;
	size_t pos, len, cap;
	size_t rest;      /* bytes behind len: the begin of a page that the next block completes */
	uint64_t bad_off; /* file offset of what is lost after these pages */
	const char *bad_why; /* NULL: nothing */
};

struct pages {
	const struct input *in;
	uint64_t off, end; /* what is left of the extent */
	uint32_t page_size;
	size_t block_size;

	/* compressed */
	const struct inflate_codec *codec; /* NULL: not compressed */
	struct inflater *z;
	struct window window; /* over the file */
	bool big;
	uint32_t chunks;     /* left */
	uint64_t plain_skip; /* bytes to drop to reach a page border after a bad chunk */

	struct page_block block[2];
	struct turns turns;

	uint64_t bad_off; /* file offset of the last PAGES_BAD */
	const char *bad_why;
};

enum pages_result {
	PAGES_PAGE,
	PAGES_BAD, /* some pages are lost here; more may follow. See bad_off, bad_why */
	PAGES_END,
};

enum { CHUNK_PLAIN_MAX = 64 << 20 };

/* A plain extent [off, off + size), clamped to the input, in blocks of about `window` bytes. */
void pages_init_plain(struct pages *p, const struct input *in, uint64_t off, uint64_t size,
                      uint32_t page_size, size_t window);
/* A chunk list that starts at off (its u32 count) and ends at the latest at `end`. */
void pages_init_chunks(struct pages *p, const struct input *in, uint64_t off, uint64_t end,
                       uint32_t page_size, const struct inflate_codec *codec, bool big,
                       size_t window);
/* Let `a` fetch the blocks, from now on; *p must stay where it is. */
void pages_fetch_ahead(struct pages *p, struct ahead *a);
void pages_free(struct pages *p);
/* The next page: *page and *n (page_size, or less for a cut last one). */
enum pages_result pages_next(struct pages *p, const uint8_t **page, size_t *n);
/* The first 8 bytes of the page after the one just given, when they are already at hand. */
const uint8_t *pages_peek(const struct pages *p);

#endif
