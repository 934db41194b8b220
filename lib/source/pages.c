#include "source/pages.h"

#include "base/cursor.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

enum { CHUNK_HEAD = 8 };

static bool fetch(void *arg, unsigned block);

static void init(struct pages *p, const struct input *in, uint32_t page_size, size_t window)
{
	assert(page_size);
	*p = (struct pages){.in = in,
	                    .page_size = page_size,
	                    .block_size = window < page_size ? page_size
	                                                     : window / page_size * page_size};
	turns_init(&p->turns, fetch, p);
}

void pages_init_plain(struct pages *p, const struct input *in, uint64_t off, uint64_t size,
                      uint32_t page_size, size_t window)
{
	uint64_t total = input_size(in);

	init(p, in, page_size, window);
	p->off = off < total ? off : total;
	p->end = p->off + (size < total - p->off ? size : total - p->off);
}

void pages_init_chunks(struct pages *p, const struct input *in, uint64_t off, uint64_t end,
                       uint32_t page_size, const struct inflate_codec *codec, bool big,
                       size_t window)
{
	const uint8_t *count;

	init(p, in, page_size, window);
	p->codec = codec;
	p->big = big;
	p->end = end < input_size(in) ? end : input_size(in);
	window_init(&p->window, in, window);
	count = window_get(&p->window, off, 4);
	p->off = off + 4;
	if (!count || p->off > p->end) {
		p->off = p->end;
	} else {
		p->chunks = load32(count, big);
		/* an old writer left the count in its own byte order in a converted file */
		if (p->chunks > (p->end - p->off) / CHUNK_HEAD && load32(count, !big) < p->chunks)
			p->chunks = load32(count, !big);
		p->z = codec->open();
	}
}

void pages_free(struct pages *p)
{
	turns_end(&p->turns);
	window_free(&p->window);
	if (p->z)
		p->codec->close(p->z);
	free(p->block[0].buf);
	free(p->block[1].buf);
}

/* ---- blocks ---- */

static void make_room(struct page_block *b, size_t need)
{
	if (need <= b->cap)
		return;
	b->cap = need;
	b->buf = mem_realloc(b->buf, b->cap + WINDOW_SLACK, 1);
}

static void bad(struct page_block *b, uint64_t off, const char *why)
{
	b->bad_off = off;
	b->bad_why = why;
}

/* The two give whether a block follows. */
static bool fetch_plain(struct pages *p, struct page_block *b)
{
	uint64_t left = p->end - p->off;
	size_t n = left < p->block_size ? (size_t)left : p->block_size;

	make_room(b, n);
	b->len = input_read(p->in, p->off, b->buf, n);
	if (b->len < n) {
		bad(b, p->off + b->len, "read error");
		p->off = p->end;
	}
	p->off += b->len;
	return p->off < p->end;
}

static void stop(struct pages *p, struct page_block *b, const char *why)
{
	p->chunks = 0;
	bad(b, p->off, why);
}

/* Inflate one more chunk behind b->len + b->rest; a bad one is left out and the stream goes on at
 * the next page border. */
static void inflate_chunk(struct pages *p, struct page_block *b)
{
	uint64_t left = p->end - p->off, skip;
	const uint8_t *h = left >= CHUNK_HEAD ? window_get(&p->window, p->off, CHUNK_HEAD) : NULL;
	uint32_t zsize, plain;
	size_t had = b->len + b->rest;
	bool good;

	if (!h) {
		stop(p, b, "the list of compressed chunks is cut");
		return;
	}
	zsize = load32(h, p->big);
	plain = load32(h + 4, p->big);
	if (zsize > left - CHUNK_HEAD) {
		stop(p, b, "a compressed chunk is longer than the rest of the data");
		return;
	}
	if (!plain || plain > CHUNK_PLAIN_MAX) {
		stop(p, b, "a compressed chunk claims an absurd plain size");
		return;
	}
	h = window_get(&p->window, p->off + CHUNK_HEAD, zsize);
	make_room(b, had + plain);
	good = h && p->codec->chunk(p->z, h, zsize, b->buf + had, plain);
	p->chunks--;
	if (!good) {
		uint64_t gone = b->rest + p->plain_skip + plain;

		bad(b, p->off, "a compressed chunk is damaged");
		p->plain_skip = gone % p->page_size ? p->page_size - gone % p->page_size : 0;
		b->rest = 0;
	}
	p->off += CHUNK_HEAD + (uint64_t)zsize;
	if (!good)
		return;
	skip = p->plain_skip < plain ? p->plain_skip : plain;
	if (skip)
		memmove(b->buf + had, b->buf + had + skip, plain - skip);
	p->plain_skip -= skip;
	had += plain - skip;
	b->rest = had % p->page_size;
	b->len = had - b->rest;
}

static bool fetch_chunks(struct pages *p, struct page_block *b, const struct page_block *before)
{
	make_room(b, p->block_size);
	if (before->rest)
		memcpy(b->buf, before->buf + before->len, before->rest);
	b->rest = before->rest;
	while (p->chunks && b->len < p->block_size && !b->bad_why)
		inflate_chunk(p, b);
	if (p->chunks)
		return true;
	b->len += b->rest; /* the last page may be cut */
	b->rest = 0;
	return false;
}

static bool fetch(void *arg, unsigned block)
{
	struct pages *p = arg;
	struct page_block *b = &p->block[block];

	b->pos = b->len = b->rest = 0;
	b->bad_why = NULL;
	return p->codec ? fetch_chunks(p, b, &p->block[!block]) : fetch_plain(p, b);
}

void pages_fetch_ahead(struct pages *p, struct ahead *a)
{
	turns_ahead(&p->turns, a);
}

enum pages_result pages_next(struct pages *p, const uint8_t **page, size_t *n)
{
	struct page_block *b = &p->block[p->turns.current];

	while (b->pos == b->len) {
		if (b->bad_why) {
			p->bad_off = b->bad_off;
			p->bad_why = b->bad_why;
			b->bad_why = NULL;
			return PAGES_BAD;
		}
		if (!turns_next(&p->turns))
			return PAGES_END;
		b = &p->block[p->turns.current];
	}
	*n = b->len - b->pos < p->page_size ? b->len - b->pos : p->page_size;
	*page = b->buf + b->pos;
	b->pos += *n;
	return PAGES_PAGE;
}

const uint8_t *pages_peek(const struct pages *p)
{
	const struct page_block *b = &p->block[p->turns.current];

	return b->len - b->pos >= 8 ? b->buf + b->pos : NULL;
}
