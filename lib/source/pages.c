#include "source/pages.h"

#include "base/cursor.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

enum { CHUNK_HEAD = 8 };

void pages_init_plain(struct pages *p, const struct input *in, uint64_t off, uint64_t size,
                      uint32_t page_size, size_t window)
{
	uint64_t total = input_size(in);

	assert(page_size);
	*p = (struct pages){.off = off, .page_size = page_size};
	if (off > total)
		off = total;
	p->end = off + (size < total - off ? size : total - off);
	if (window > p->end - off && p->end > off)
		window = (size_t)(p->end - off);
	window_init(&p->window, in,
	            window < page_size ? page_size : window / page_size * page_size);
}

void pages_init_chunks(struct pages *p, const struct input *in, uint64_t off, uint64_t end,
                       uint32_t page_size, const struct inflate_codec *codec, bool big,
                       size_t window)
{
	const uint8_t *count;

	*p = (struct pages){.page_size = page_size, .codec = codec, .big = big};
	p->end = end < input_size(in) ? end : input_size(in);
	window_init(&p->window, in, window);
	count = window_get(&p->window, off, 4);
	p->off = off + 4;
	if (!count || p->off > p->end) {
		p->off = p->end;
		return;
	}
	p->chunks = load32(count, big);
	/* an old writer left the count in its own byte order in a converted file */
	if (p->chunks > (p->end - p->off) / CHUNK_HEAD && load32(count, !big) < p->chunks)
		p->chunks = load32(count, !big);
	p->z = codec->open();
}

void pages_free(struct pages *p)
{
	window_free(&p->window);
	if (p->z)
		p->codec->close(p->z);
	free(p->plain);
}

static enum pages_result bad(struct pages *p, const char *why)
{
	p->bad_off = p->off;
	p->bad_why = why;
	return PAGES_BAD;
}

static enum pages_result stop(struct pages *p, const char *why)
{
	p->chunks = 0;
	return bad(p, why);
}

/* After a bad chunk of `plain` bytes: what is buffered is cut off, and the stream goes on at the
 * next page border. */
static void skip_chunk(struct pages *p, uint32_t plain)
{
	uint64_t gone = p->len - p->pos + p->plain_skip + plain;

	p->pos = p->len = 0;
	p->plain_skip = gone % p->page_size ? p->page_size - gone % p->page_size : 0;
}

static void make_room(struct pages *p, uint32_t plain)
{
	if (p->len > p->pos)
		memmove(p->plain, p->plain + p->pos, p->len - p->pos);
	p->len -= p->pos;
	p->pos = 0;
	if (p->len + plain > p->cap) {
		p->cap = p->len + plain;
		p->plain = mem_realloc(p->plain, p->cap + WINDOW_SLACK, 1);
	}
}

/* Inflate one more chunk behind what is buffered. */
static enum pages_result more(struct pages *p)
{
	const uint8_t *h;
	uint32_t zsize, plain;
	uint64_t left = p->end - p->off;

	if (!p->chunks)
		return PAGES_END;
	h = left >= CHUNK_HEAD ? window_get(&p->window, p->off, CHUNK_HEAD) : NULL;
	if (!h)
		return stop(p, "the list of compressed chunks is cut");
	zsize = load32(h, p->big);
	plain = load32(h + 4, p->big);
	if (zsize > left - CHUNK_HEAD)
		return stop(p, "a compressed chunk is longer than the rest of the data");
	if (!plain || plain > CHUNK_PLAIN_MAX)
		return stop(p, "a compressed chunk claims an absurd plain size");
	h = window_get(&p->window, p->off + CHUNK_HEAD, zsize);
	make_room(p, plain);
	p->chunks--;
	p->off += CHUNK_HEAD + (uint64_t)zsize;
	if (!h || !p->codec->chunk(p->z, h, zsize, p->plain + p->len, plain)) {
		skip_chunk(p, plain);
		p->off -= CHUNK_HEAD + (uint64_t)zsize;
		bad(p, "a compressed chunk is damaged");
		p->off += CHUNK_HEAD + (uint64_t)zsize;
		return PAGES_BAD;
	}
	p->len += plain;
	if (p->plain_skip) {
		uint64_t skip = p->plain_skip < p->len ? p->plain_skip : p->len;

		p->pos += skip;
		p->plain_skip -= skip;
	}
	return PAGES_PAGE;
}

static enum pages_result next_chunked(struct pages *p, const uint8_t **page, size_t *n)
{
	while (p->len - p->pos < p->page_size) {
		enum pages_result r = more(p);

		if (r == PAGES_BAD)
			return r;
		if (r == PAGES_END) {
			if (p->len == p->pos)
				return PAGES_END;
			break;
		}
	}
	*n = p->len - p->pos < p->page_size ? p->len - p->pos : p->page_size;
	*page = p->plain + p->pos;
	p->pos += *n;
	return PAGES_PAGE;
}

enum pages_result pages_next(struct pages *p, const uint8_t **page, size_t *n)
{
	uint64_t left = p->end - p->off;

	if (p->codec)
		return next_chunked(p, page, n);
	if (!left || p->off > p->end)
		return PAGES_END;
	*n = left < p->page_size ? (size_t)left : p->page_size;
	*page = window_get(&p->window, p->off, *n);
	if (!*page) {
		bad(p, "read error");
		p->off = p->end;
		return PAGES_BAD;
	}
	p->off += *n;
	return PAGES_PAGE;
}

const uint8_t *pages_peek(const struct pages *p)
{
	const struct window *w = &p->window;

	if (p->codec)
		return p->len - p->pos >= 8 ? p->plain + p->pos : NULL;
	if (p->off >= w->off && p->off + 8 <= w->off + w->len && p->off + 8 <= p->end)
		return w->buf + (p->off - w->off);
	return NULL;
}
