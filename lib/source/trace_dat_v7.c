/* trace.dat version 7: sections, and options that say where they are. */
#include "source/trace_dat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	SECTION_HEAD = 16,
	BODY_MAX = 256 << 20, /* plain bytes of one metadata section */
};

bool dat_section_at(const struct dat *d, uint64_t off, struct dat_section *s)
{
	struct reader r;

	reader_init(&r, d->s.in, off, d->big);
	r.w.cap = SECTION_HEAD;
	s->off = off;
	s->id = reader_u16(&r);
	s->flags = reader_u16(&r);
	reader_u32(&r); /* where its description is: not needed */
	s->size = reader_u64(&r);
	s->body = r.off;
	reader_free(&r);
	return !r.bad;
}

/* The body of the section at off as an input of its own, inflated when need be. */
static struct input *section_body(struct dat *d, uint64_t off, unsigned want, uint8_t **bytes)
{
	struct dat_section s;
	struct reader r;
	struct input *body = NULL;
	uint32_t zsize, plain;
	const uint8_t *p;

	*bytes = NULL;
	if (!dat_section_at(d, off, &s) || s.id != want)
		return NULL;
	reader_init(&r, d->s.in, s.body, d->big);
	if (!(s.flags & 1)) {
		p = s.size <= BODY_MAX ? reader_take(&r, s.size) : NULL;
		if (p) {
			*bytes = mem_calloc(1, s.size + 1);
			memcpy(*bytes, p, s.size);
			body = input_open_mem(*bytes, s.size, input_name(d->s.in));
		}
		goto out;
	}
	zsize = reader_u32(&r);
	plain = reader_u32(&r);
	p = reader_take(&r, zsize);
	/* no codec packs better than a thousand to one, or so; a claim beyond that is a lie */
	if (p && d->codec && plain <= BODY_MAX && plain / 4096 <= zsize) {
		struct inflater *z = d->codec->open();

		*bytes = mem_calloc(1, plain + 1ull);
		if (d->codec->chunk(z, p, zsize, *bytes, plain))
			body = input_open_mem(*bytes, plain, input_name(d->s.in));
		d->codec->close(z);
	}
out:
	reader_free(&r);
	if (!body)
		free(*bytes);
	return body;
}

static bool read_section(struct dat *d, uint64_t off, unsigned id,
                         bool (*read)(struct dat *, struct reader *))
{
	uint8_t *bytes;
	struct input *body = section_body(d, off, id, &bytes);
	struct reader r;
	bool ok;

	if (!body)
		return false;
	reader_init(&r, body, 0, d->big);
	ok = read(d, &r);
	reader_free(&r);
	input_close(body);
	free(bytes);
	return ok;
}

static bool v7_cpu_list(struct dat *d, struct cursor *c, struct dat_buffer *b)
{
	uint32_t n = cursor_u32(c);

	if (c->bad || n > cursor_left(c) / 20)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct dat_extent *x;
		uint32_t cpu = cursor_u32(c);
		uint64_t off = cursor_u64(c), size = cursor_u64(c);

		if (!size)
			continue;
		if (cpu >= DAT_CPUS_MAX || b->cpus.n >= DAT_CPUS_MAX) {
			source_damage(&d->s, "buffer %s: a CPU with the id %u", b->name, cpu);
			continue;
		}
		x = vec_add(&b->cpus);
		x->cpu = cpu;
		x->off = off;
		x->size = size;
	}
	return true;
}

/* What the section header at `off` says of the data of a buffer. */
static void v7_data_section(struct dat *d, struct dat_buffer *b, uint64_t off)
{
	struct dat_section s;
	bool whole = dat_section_at(d, off, &s);

	if (!whole || s.id != OPT_BUFFER)
		source_damage(&d->s, "buffer %s: no data section at offset %" PRIu64, b->name, off);
	else
		b->compressed = s.flags & 1;
	if (b->compressed && !d->codec) {
		source_damage(&d->s, "buffer %s: compressed, in a file without compression",
		              b->name);
		b->cpus.n = 0;
	}
	if (whole && s.size && s.size < b->limit - s.body)
		b->limit = s.body + s.size;
}

static void v7_buffer(struct dat *d, const uint8_t *p, size_t n)
{
	struct cursor c = cursor_on(p, n, d->big);
	uint64_t off = cursor_u64(&c);
	const char *name = cursor_str(&c), *clock = cursor_str(&c);
	struct dat_buffer *b;

	if (c.bad || d->buffers.n >= DAT_BUFFERS_MAX) {
		source_damage(&d->s, "the option of a buffer is damaged");
		return;
	}
	b = dat_add_buffer(d, name);
	b->clock = dat_clock_word(d, clock, strlen(clock));
	b->page_size = cursor_u32(&c);
	if (!v7_cpu_list(d, &c, b))
		source_damage(&d->s, "buffer %s: its list of CPUs is cut", b->name);
	v7_data_section(d, b, off);
}

/* The options of one section; *next is the link to the next one (0: last, or none). */
static bool options_blob(struct dat *d, struct reader *r, uint64_t *next)
{
	*next = 0;
	for (;;) {
		unsigned id = reader_u16(r);
		uint32_t n = reader_u32(r);
		const uint8_t *p = reader_take(r, n);

		if (!p)
			return false;
		if (id == OPT_BUFFER)
			v7_buffer(d, p, n);
		else if (id != OPT_DONE)
			dat_option(d, id, p, n);
		else if (n >= 8) {
			*next = load64(p, d->big);
			return true;
		} else
			return false;
	}
}

/* Adapter for read_section(): the link goes through options_off. */
static bool read_options(struct dat *d, struct reader *r)
{
	return options_blob(d, r, &d->options_off);
}

/* Follow the chain of options. Links must grow, which also rules out loops. */
static bool v7_chain(struct dat *d)
{
	uint64_t off = d->options_off, last = 0;

	for (int links = 0; off && links < DAT_LINKS_MAX; links++) {
		if (off <= last) {
			source_damage(&d->s,
			              "offset %" PRIu64
			              ": the chain of options goes backwards to %" PRIu64,
			              last, off);
			return false;
		}
		if (!read_section(d, off, OPT_DONE, read_options)) {
			source_damage(&d->s, "no sound options at offset %" PRIu64 "%s", off,
			              off >= input_size(d->s.in) ? ": the file is cut" : "");
			return false;
		}
		last = off;
		off = d->options_off;
	}
	return last != 0;
}

static const struct {
	unsigned id;
	bool (*read)(struct dat *, struct reader *);
	const char *what;
} sections[] = {
        {OPT_HEADER_INFO, dat_read_header_info, "page header"},
        {OPT_FTRACE_EVENTS, dat_read_ftrace_formats, "ftrace formats"},
        {OPT_EVENT_FORMATS, dat_read_event_formats, "event formats"},
        {OPT_PRINTK, dat_read_printk, "printk formats"},
        {OPT_CMDLINES, dat_read_cmdlines, "command lines"},
};

static void v7_metadata(struct dat *d)
{
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		uint64_t off = d->section[sections[i].id];

		if (off && !read_section(d, off, sections[i].id, sections[i].read))
			source_damage(&d->s, "offset %" PRIu64 ": the %s are damaged or cut", off,
			              sections[i].what);
	}
}

void dat_read_options_at(struct dat *d, uint64_t off)
{
	read_section(d, off, OPT_DONE, read_options);
}

void dat_read_header_info_at(struct dat *d, uint64_t off)
{
	read_section(d, off, OPT_HEADER_INFO, dat_read_header_info);
}

bool dat_v7(struct dat *d, struct reader *r, struct err *e)
{
	const char *name = reader_str(r, 64);
	char codec[64] = "";
	bool chained;

	if (name)
		snprintf(codec, sizeof codec, "%s", name);
	reader_str(r, 256);
	d->options_off = reader_u64(r);
	if (r->bad)
		return err_input(e, "%s: offset %" PRIu64 ": the file is cut in its header",
		                 input_name(d->s.in), r->off);
	d->s.info.compression = arena_str(&d->s.arena, codec, strlen(codec));
	d->codec = inflate_find(codec);
	if (!d->codec && strcmp(codec, "none"))
		return err_input(e,
		                 "%s: compression \"%.32s\" is not known (known: none, zlib, zstd)",
		                 input_name(d->s.in), codec);
	if (!d->options_off)
		source_damage(&d->s, "the writer died before it finished the file");
	chained = d->options_off && v7_chain(d);
	dat_walk_sections(d, r->off, !chained);
	v7_metadata(d);
	return true;
}
