/* What can be had from a trace.dat whose end is missing, and from the .cpuN files of a recording
 * that was killed. */
#include "source/trace_dat.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CPU_FILES_MISS = 64, CPU_FILES_MAX = 4096, SECTION_ID_MAX = 4096 };

/* ---- where the data of an unclaimed section lies ---- */

static uint64_t align_up(uint64_t off, uint32_t page)
{
	return (off + page - 1) / page * page;
}

/* Chunk lists, one per CPU, each at a page border. */
static void find_chunked(struct dat *d, struct dat_buffer *b, uint64_t off, uint64_t end,
                         uint32_t page)
{
	struct reader r;

	reader_init(&r, d->s.in, off, d->big);
	while (r.off + 4 <= end && b->cpus.n < DAT_CPUS_MAX) {
		uint64_t at = r.off;
		uint32_t count = reader_u32(&r), got = 0;

		while (got < count && r.off + 8 <= end) {
			uint32_t zsize = reader_u32(&r);

			reader_u32(&r);
			if (r.bad || zsize > end - r.off)
				break;
			r.off += zsize;
			got++;
		}
		if (!count)
			break;
		*vec_add(&b->cpus) = (struct dat_extent){0, at, end - at, NULL};
		if (got < count)
			break;
		r.off = align_up(r.off, page);
	}
	reader_free(&r);
}

/* Plain pages: another CPU begins where a page is older than the last event before it. */
static void find_plain(struct dat *d, struct dat_buffer *b, uint64_t off, uint64_t end,
                       uint32_t page)
{
	struct window w;
	struct ring ring;
	uint64_t last = 0, start = off;
	const uint8_t *p;
	int64_t lost;

	window_init(&w, d->s.in, 64 * (size_t)page);
	for (; off + page <= end && (p = window_get(&w, off, page)); off += page) {
		if (load64(p, d->big) < last && off > start && b->cpus.n < DAT_CPUS_MAX) {
			*vec_add(&b->cpus) = (struct dat_extent){0, start, off - start, NULL};
			start = off;
		}
		ring_page(&ring, &d->ring, p, page, &lost);
		while (ring_next(&ring) == RING_EVENT)
			;
		last = ring.ts;
	}
	if (off > start)
		*vec_add(&b->cpus) = (struct dat_extent){0, start, off - start, NULL};
	window_free(&w);
}

/* Only CPUs with data are in the file, in order: those of which CPUSTAT says that events were
 * read, else 0, 1, 2. */
static void number_cpus(struct dat *d, struct dat_buffer *b)
{
	size_t k = 0;

	for (size_t i = 0; i < d->stats.n && k < b->cpus.n; i++)
		if (!strcmp(d->stats.at[i].buffer, b->name) && d->stats.at[i].read_events != 0)
			b->cpus.at[k++].cpu = d->stats.at[i].cpu.cpu;
	for (uint32_t next = k ? b->cpus.at[k - 1].cpu + 1 : 0; k < b->cpus.n; k++)
		b->cpus.at[k].cpu = next++;
}

static bool has_buffer(const struct dat *d, const char *name)
{
	for (size_t i = 0; i < d->buffers.n; i++)
		if (!strcmp(d->buffers.at[i].name, name))
			return true;
	return false;
}

/* The first name that CPUSTAT knows and no buffer has; the top buffer comes first. */
static const char *unused_name(const struct dat *d)
{
	if (!has_buffer(d, "") && !d->buffers.n)
		return "";
	for (size_t i = 0; i < d->stats.n; i++)
		if (!has_buffer(d, d->stats.at[i].buffer))
			return d->stats.at[i].buffer;
	return "recovered";
}

static void recover_buffer(struct dat *d, const struct dat_section *s)
{
	const char *name = unused_name(d);
	uint32_t page = d->page_size ? d->page_size : 4096;
	struct dat_buffer *b = dat_add_buffer(d, name);

	if (s->size && s->size < b->limit - s->body)
		b->limit = s->body + s->size;
	b->compressed = s->flags & 1;
	if (b->compressed && d->codec)
		find_chunked(d, b, align_up(s->body, page), b->limit, page);
	else if (!b->compressed)
		find_plain(d, b, align_up(s->body, page), b->limit, page);
	number_cpus(d, b);
	if (b->cpus.n)
		source_damage(
		        &d->s,
		        "buffer %s: its index is missing; %zu CPUs found by their pages, numbered "
		        "by their order",
		        *name ? name : "(top)", b->cpus.n);
}

/* ---- sections ---- */

static bool claimed(const struct dat *d, const struct dat_section *s)
{
	for (size_t i = 0; i < d->buffers.n; i++)
		for (size_t k = 0; k < d->buffers.at[i].cpus.n; k++)
			if (d->buffers.at[i].cpus.at[k].off >= s->body &&
			    (!s->size || d->buffers.at[i].cpus.at[k].off - s->body < s->size))
				return true;
	return false;
}

static void forget_options(struct dat *d)
{
	for (size_t i = 0; i < d->buffers.n; i++)
		vec_free(&d->buffers.at[i].cpus);
	d->buffers.n = 0;
	d->stats.n = 0;
	d->stat_buffer = NULL;
}

/* What a section means for the rescue: metadata and options are noted, data is collected. */
static void take_section(struct dat *d, const struct dat_section *s)
{
	if (s->id == OPT_DONE)
		dat_read_options_at(d, s->off);
	else if (s->id >= OPT_HEADER_INFO && s->id <= OPT_MODULES)
		d->section[s->id] = s->off;
}

static void recover_buffers(struct dat *d, const struct dat_section *data, size_t n)
{
	if (n && d->section[OPT_HEADER_INFO]) /* the page layout is needed to find pages */
		dat_read_header_info_at(d, d->section[OPT_HEADER_INFO]);
	for (size_t i = 0; i < n; i++)
		if (!claimed(d, &data[i]))
			recover_buffer(d, &data[i]);
}

void dat_walk_sections(struct dat *d, uint64_t off, bool rescue)
{
	uint64_t total = input_size(d->s.in), end = off;
	VEC(struct dat_section) data = {0};
	struct dat_section s;

	if (rescue)
		forget_options(d);
	while (off < total && dat_section_at(d, off, &s) && s.id <= SECTION_ID_MAX) {
		if (rescue)
			take_section(d, &s);
		if (s.id == OPT_BUFFER)
			*vec_add(&data) = s;
		if (__builtin_add_overflow(s.body, s.size, &end) || end > total)
			off = UINT64_MAX;
		else
			off = end;
		if (!s.size && s.id == OPT_BUFFER)
			break;
	}
	if (off == UINT64_MAX)
		source_damage(&d->s, "the file is cut: its last section runs to offset %" PRIu64,
		              end);
	else if (off != total)
		source_damage(&d->s,
		              "offset %" PRIu64 ": no section begins here; the rest is not read",
		              off);
	if (rescue)
		recover_buffers(d, data.at, data.n);
	vec_free(&data);
}

/* ---- .cpuN files ---- */

/* Length of the name without ".cpuN", or of the whole name. */
static size_t stem_length(const char *name)
{
	const char *dot = strrchr(name, '.');

	if (!dot || strncmp(dot, ".cpu", 4) || !dot[4] ||
	    strspn(dot + 4, "0123456789") != strlen(dot + 4))
		return strlen(name);
	return (size_t)(dot - name);
}

bool dat_attach_cpu_files(struct dat *d, const char *name)
{
	size_t stem = stem_length(name);
	struct dat_buffer b = {.name = "", .limit = UINT64_MAX};
	unsigned cpus = 0;

	for (uint32_t cpu = 0, missed = 0; cpu < CPU_FILES_MAX && missed < CPU_FILES_MISS; cpu++) {
		char file[4096];
		struct input *in = NULL;
		struct err e;

		snprintf(file, sizeof file, "%.*s.cpu%u", (int)stem, name, cpu);
		if (!access(file, R_OK))
			in = input_open(file, NULL, &e);
		missed = in ? 0 : missed + 1;
		if (!in)
			continue;
		*vec_add(&d->extra) = in;
		cpus = cpu + 1;
		if (input_size(in))
			*vec_add(&b.cpus) = (struct dat_extent){cpu, 0, input_size(in), in};
	}
	if (!b.cpus.n)
		return false;
	forget_options(d);
	d->s.info.n_cpus = cpus;
	source_damage(&d->s, "a killed recording: data from %.*s.cpu0 and on, formats from %s",
	              (int)stem, name, input_name(d->s.in));
	*(struct dat_buffer *)vec_add(&d->buffers) = b;
	return true;
}
