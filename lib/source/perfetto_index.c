/* The container of a Perfetto trace: one pass over its packets. Damage is stepped over: the walk
 * goes on where three packets in a row make sense, or where the last ones end with the file. */
#include "source/perfetto.h"

#include "base/inflate.h"
#include "base/window.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	WINDOW = 1 << 20,
	INFLATE_BLOCK = 256 << 10,
	FRAME_HEAD = 1 + WIRE_VARINT_MAX,
	RESYNC_FRAMES = 3,
	TAIL_RESYNC = 64 << 10, /* a cut packet with so much behind it is rather a wrong length */
};
#define PLAIN_MAX (1ull << 30) /* bytes that one compressed packet may become */

/* Bytes that are looked at in ascending order. */
struct feed {
	/* Bytes at off, `want` or fewer at the end; *p points at them. */
	size_t (*peek)(struct feed *f, uint64_t off, size_t want, const uint8_t **p);
};

/* ---- frames ---- */

enum frame_kind {
	FRAME_PACKET,
	FRAME_OTHER, /* another top-level field */
	FRAME_END,
	FRAME_CUT, /* it announces more than there is */
	FRAME_BAD,
};

struct frame {
	enum frame_kind kind;
	unsigned head; /* bytes before the packet */
	uint64_t len;  /* of the packet or the field */
};

/* What begins at these bytes; there are no more when n < FRAME_HEAD. */
static struct frame frame_at(const uint8_t *b, size_t n)
{
	struct wire w = wire_on(b, n);
	struct frame f = {FRAME_BAD, 0, 0};
	uint64_t tag;

	if (!n)
		return (struct frame){FRAME_END, 0, 0};
	tag = wire_varint(&w);
	if (!w.bad && !(tag >> 3))
		return f;
	f.kind = tag == 0x0a ? FRAME_PACKET : FRAME_OTHER;
	switch (w.bad ? 0 : tag & 7) {
	case WIRE_VARINT:
		wire_varint(&w);
		break;
	case WIRE_64:
		f.len = 8;
		break;
	case WIRE_32:
		f.len = 4;
		break;
	case WIRE_BYTES:
		f.len = wire_varint(&w);
		break;
	default:
		f.kind = FRAME_BAD;
		return f;
	}
	if (w.bad)
		f.kind = n < FRAME_HEAD ? FRAME_CUT : FRAME_BAD;
	f.head = (unsigned)(w.p - b);
	return f;
}

static bool is_compressed(const uint8_t *b, size_t n, uint64_t *field, unsigned *head,
                          uint64_t *len)
{
	struct wire w = wire_on(b, n);
	uint64_t tag = wire_varint(&w);

	*field = tag >> 3;
	if (w.bad || (tag & 7) != WIRE_BYTES || (*field != PKT_DEFLATE && *field != PKT_ZSTD))
		return false;
	*len = wire_varint(&w);
	*head = (unsigned)(w.p - b);
	return !w.bad;
}

/* ---- the file ---- */

/* A compressed packet. */
struct inflated {
	struct feed feed;
	struct feed *outer;
	uint64_t at, end; /* what is left of the compressed bytes */
	const struct inflate_codec *codec;
	struct inflater *z;
	uint8_t *buf; /* plain bytes [from, from + len) of the stream */
	uint64_t from, made;
	size_t len, cap;
	bool over; /* nothing more will come */
	const char *why;
};

struct file_feed {
	struct feed feed;
	struct window w;
	uint64_t size;
	struct inflated inflated; /* the compressed packet that is walked */
};

static size_t peek_file(struct feed *base, uint64_t off, size_t want, const uint8_t **p)
{
	struct file_feed *f = (struct file_feed *)base;
	uint64_t left = off < f->size ? f->size - off : 0;
	size_t n = left < want ? (size_t)left : want;

	*p = n ? window_get(&f->w, off, n) : NULL;
	return *p ? n : 0;
}

/* ---- compressed packets ---- */

static void inflate_more(struct inflated *f)
{
	const uint8_t *in;
	const void *next;
	size_t had, left, made = 0;
	bool end = false;

	if (f->len == f->cap) {
		f->cap = f->cap ? f->cap * 2 : 2 * INFLATE_BLOCK;
		f->buf = mem_realloc(f->buf, f->cap, 1);
	}
	had = f->outer->peek(
	        f->outer, f->at,
	        f->end - f->at < INFLATE_BLOCK ? (size_t)(f->end - f->at) : INFLATE_BLOCK, &in);
	left = had;
	next = in;
	if (!had ||
	    !f->codec->stream(f->z, &next, &left, f->buf + f->len, f->cap - f->len, &made, &end)) {
		f->over = true;
		f->why = had ? "its compressed data is damaged" : "its compressed data is cut";
	}
	f->at += had - left;
	f->len += made;
	f->made += made;
	if (end) {
		f->over = true;
		if (f->at < f->end)
			f->why = "bytes follow its compressed data";
	} else if (f->made > PLAIN_MAX) {
		f->over = true;
		f->why = "its compressed data becomes too large";
	}
}

static size_t peek_inflated(struct feed *base, uint64_t off, size_t want, const uint8_t **p)
{
	struct inflated *f = (struct inflated *)base;
	size_t skip;

	*p = NULL;
	while (off + want > f->from + f->len && !f->over) {
		size_t gone = off - f->from < f->len ? (size_t)(off - f->from) : f->len;

		if (gone && (gone > f->cap / 2 || gone == f->len)) { /* make room */
			memmove(f->buf, f->buf + gone, f->len - gone);
			f->from += gone;
			f->len -= gone;
		}
		inflate_more(f);
	}
	if (off < f->from || off - f->from >= f->len)
		return 0;
	skip = (size_t)(off - f->from);
	*p = f->buf + skip;
	return f->len - skip < want ? f->len - skip : want;
}

/* Of which CPU its events were is not known: a gap of all. */
static void bad_packet(struct pf *p, const char *what, uint64_t off, const char *why)
{
	if (p->s.quality.bad_pages++ < 4)
		source_damage(&p->s, "%s at offset %" PRIu64 ": %s", what, off, why);
	p->s.quality.partial = true;
	p->holes++;
}

/* The packets inside. A fault in them ends the walk: there is nothing to resynchronise on. */
static void walk_inflated(struct pf *p, struct inflated *f, uint64_t outer)
{
	uint64_t off = 0, inner_field, inner_len;
	unsigned inner_head;

	while (!p->failed) {
		const uint8_t *b;
		size_t n = f->feed.peek(&f->feed, off, FRAME_HEAD, &b);
		struct frame fr = frame_at(b, n);

		if (fr.kind == FRAME_END)
			break;
		if (fr.kind == FRAME_BAD || fr.kind == FRAME_CUT || fr.len > PF_PACKET_MAX) {
			if (!f->why)
				f->why = "what is in it is not packets";
			break;
		}
		n = f->feed.peek(&f->feed, off + fr.head, (size_t)fr.len, &b);
		if (n < fr.len) {
			if (!f->why)
				f->why = "its last packet is cut";
			break;
		}
		off += fr.head + fr.len;
		if (fr.kind != FRAME_PACKET)
			continue;
		if (n && is_compressed(b, n, &inner_field, &inner_head, &inner_len)) {
			f->why = "there is another compressed packet in it, which is left out";
			continue;
		}
		if (!pf_packet(p, b, n, (struct pf_place){0, true}))
			f->why = "a packet in it is damaged";
	}
	if (f->why)
		bad_packet(p, "compressed packet", outer, f->why);
}

/* Compressed packets follow each other: the buffer is kept. */
static void compressed(struct pf *p, struct file_feed *file, uint64_t off, uint64_t field,
                       uint64_t from, uint64_t end)
{
	bool zstd = field == PKT_ZSTD;
	struct inflated *f = &file->inflated;

	p->deflate |= !zstd;
	p->zstd |= zstd;
	*f = (struct inflated){.feed = {peek_inflated},
	                       .outer = &file->feed,
	                       .at = from,
	                       .end = end,
	                       .codec = zstd ? &inflate_zstd : &inflate_zlib,
	                       .buf = f->buf,
	                       .cap = f->cap};
	f->z = f->codec->open();
	walk_inflated(p, f, off);
	f->codec->close(f->z);
}

/* ---- damage ---- */

/* Whether packets make sense from here on: RESYNC_FRAMES of them, or fewer up to the end. */
static bool makes_sense(struct file_feed *f, uint64_t off)
{
	for (int i = 0; i < RESYNC_FRAMES; i++) {
		const uint8_t *b;
		size_t n = f->feed.peek(&f->feed, off, FRAME_HEAD, &b);
		struct frame fr = frame_at(b, n);

		if (fr.kind == FRAME_END)
			return i > 0;
		if (fr.kind != FRAME_PACKET || !fr.len || fr.len > PF_PACKET_MAX)
			return false;
		n = f->feed.peek(&f->feed, off + fr.head, (size_t)fr.len, &b);
		if (n < fr.len || !wire_sound(b, n))
			return false;
		off += fr.head + fr.len;
	}
	return true;
}

/* The first place after off where the walk can go on; the size of the file when there is none. */
static uint64_t resync(struct file_feed *f, uint64_t off)
{
	const uint8_t *b, *hit;
	size_t n;

	while ((n = f->feed.peek(&f->feed, off, 4096, &b))) {
		hit = memchr(b, 0x0a, n);
		if (!hit) {
			off += n;
			continue;
		}
		off += (uint64_t)(hit - b);
		if (makes_sense(f, off))
			return off;
		off++;
	}
	return f->size;
}

static bool all_zero(struct file_feed *f, uint64_t off)
{
	const uint8_t *b;
	size_t n;

	for (; (n = f->feed.peek(&f->feed, off, 4096, &b)); off += n)
		for (size_t i = 0; i < n; i++)
			if (b[i])
				return false;
	return true;
}

static uint64_t step_over(struct pf *p, struct file_feed *f, uint64_t off)
{
	uint64_t next = resync(f, off + 1);

	p->holes++;
	if (next < f->size)
		source_damage(&p->s,
		              "offset %" PRIu64 ": not packets for %" PRIu64
		              " bytes; goes on at offset %" PRIu64,
		              off, next - off, next);
	else
		source_damage(&p->s, "offset %" PRIu64 ": %" PRIu64 " bytes of trailing %s", off,
		              f->size - off, all_zero(f, off) ? "zeros" : "garbage");
	return next;
}

/* A packet that announces more than is left. */
static uint64_t cut(struct pf *p, struct file_feed *f, uint64_t off, const struct frame *fr)
{
	uint64_t left = f->size - off - fr->head, next;

	if (left >= TAIL_RESYNC && (next = resync(f, off + 1)) < f->size) {
		p->holes++;
		source_damage(&p->s,
		              "offset %" PRIu64 ": a packet of %" PRIu64
		              " bytes does not fit; goes on at offset %" PRIu64,
		              off, fr->len, next);
		return next;
	}
	if (fr->kind == FRAME_CUT)
		source_damage(&p->s, "cut at offset %" PRIu64 ", inside the head of a packet",
		              f->size);
	else
		source_damage(&p->s,
		              "cut at offset %" PRIu64 ": of the packet at %" PRIu64 ", %" PRIu64
		              " of %" PRIu64 " bytes are there",
		              f->size, off, left, fr->len);
	return f->size;
}

/* ---- the walk ---- */

static void packet(struct pf *p, struct file_feed *f, uint64_t off, const struct frame *fr)
{
	uint64_t begin = off + fr->head, field, len;
	const uint8_t *b;
	unsigned head;
	size_t n = f->feed.peek(&f->feed, begin, fr->len < 32 ? (size_t)fr->len : 32, &b);

	if (n && is_compressed(b, n, &field, &head, &len)) {
		if (head + len > fr->len)
			bad_packet(p, "packet", off,
			           "its compressed data is longer than the packet; it is left out");
		else
			compressed(p, f, off, field, begin + head, begin + head + len);
		return;
	}
	if (fr->len > PF_PACKET_MAX) {
		bad_packet(p, "packet", off, "it is larger than 16 MiB; it is left out");
		return;
	}
	n = f->feed.peek(&f->feed, begin, (size_t)fr->len, &b);
	if (n < fr->len)
		bad_packet(p, "packet", off, "read error; it is left out");
	else if (!pf_packet(p, b, n, (struct pf_place){begin, false}))
		bad_packet(p, "packet", off, "its fields are damaged; it is left out");
}

bool pf_index(struct pf *p)
{
	struct file_feed f = {.feed = {peek_file}, .size = input_size(p->s.in)};
	uint64_t off = 0;

	window_init(&f.w, p->s.in, WINDOW < f.size ? WINDOW : (size_t)f.size + 1);
	while (!p->failed) {
		const uint8_t *b;
		size_t n = f.feed.peek(&f.feed, off, FRAME_HEAD, &b);
		struct frame fr = frame_at(b, n);

		if (fr.kind == FRAME_END)
			break;
		if (fr.kind == FRAME_BAD) {
			off = step_over(p, &f, off);
		} else if (fr.kind == FRAME_CUT || fr.len > f.size - off - fr.head) {
			off = cut(p, &f, off, &fr);
		} else {
			if (fr.kind == FRAME_PACKET)
				packet(p, &f, off, &fr);
			off += fr.head + fr.len;
		}
	}
	window_free(&f.w);
	free(f.inflated.buf);
	return !p->failed && (!p->spool || spool_end(p->spool, p->e));
}

/* ---- what is it ---- */

/* Fields that the packets of a trace have, and other files of packets have not. */
static bool is_typical(uint32_t field)
{
	static const uint8_t typical[] = {3,  6,  8,  10, 33, 34, 36, 38, 40,
	                                  45, 50, 60, 67, 69, 76, 79, 89, 133};

	return memchr(typical, (int)field, sizeof typical) != NULL && field < 256;
}

/* Walk one packet of which n bytes are there; *typical when a field says that it is one. */
static bool probe_packet(const uint8_t *b, size_t n, bool whole, bool *typical)
{
	struct wire w = wire_on(b, n);
	struct wire_field f;
	bool seen = false;

	while (wire_next(&w, &f)) {
		struct wire bundle = wire_on(f.p, f.n);
		struct wire_field first;

		if (is_typical(f.num))
			seen = true;
		else if (f.num == PKT_FTRACE && f.type == WIRE_BYTES && wire_next(&bundle, &first))
			seen |= first.num == 1 && first.type == WIRE_VARINT;
	}
	if (!w.bad) {
		*typical |= seen;
		return true;
	}
	/* of a cut packet only the first tag can be judged */
	if (!whole && n) {
		struct wire head = wire_on(b, n);
		uint64_t tag = wire_varint(&head);

		if ((tag & 7) == WIRE_BYTES && !head.bad && is_typical((uint32_t)(tag >> 3)))
			*typical = true;
	}
	return !whole;
}

bool pf_probe(const uint8_t *head, size_t n)
{
	bool typical = false;
	size_t at = 0;

	for (int i = 0; i < 16 && at < n; i++) {
		struct frame f = frame_at(head + at, n - at);
		size_t left;

		if (f.kind == FRAME_CUT)
			break;
		if (f.kind == FRAME_BAD) /* damage behind a packet of a trace */
			return typical;
		at += f.head;
		left = n - at;
		if (f.kind == FRAME_PACKET &&
		    !probe_packet(head + at, f.len < left ? (size_t)f.len : left, f.len <= left,
		                  &typical))
			return typical;
		if (f.len > left)
			break;
		at += (size_t)f.len;
	}
	return typical;
}
