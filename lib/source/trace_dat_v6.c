/* trace.dat version 6: everything in fixed order, no section headers. */
#include "source/trace_dat.h"

#include <inttypes.h>

static bool v6_options(struct dat *d, struct reader *r)
{
	for (;;) {
		unsigned id = reader_u16(r);
		uint32_t n;
		const uint8_t *p;

		if (r->bad || id == OPT_DONE)
			return !r->bad;
		n = reader_u32(r);
		p = reader_take(r, n);
		if (!p)
			return false;
		if (id == OPT_BUFFER && n > 8 && d->buffers.n < DAT_BUFFERS_MAX) {
			struct cursor c = cursor_on(p, n, d->big);
			uint64_t off = cursor_u64(&c);
			const char *name = arena_str(&d->s.arena, (const char *)c.p,
			                             strnlen((const char *)c.p, cursor_left(&c)));

			dat_add_buffer(d, name)->v6_table = off;
		} else if (id == OPT_CPUCOUNT && n >= 4 && d->buffers.n > 1) {
			d->buffers.at[d->buffers.n - 1].v6_cpus = load32(p, d->big);
		} else {
			dat_option(d, id, p, n);
		}
	}
}

/* One CPU of a v6 table, clamped to the file. */
static void v6_extent(struct dat *d, struct dat_buffer *b, uint32_t cpu, uint64_t off, uint64_t n)
{
	uint64_t total = input_size(d->s.in);
	struct dat_extent *x;

	if (!n)
		return;
	if (off > total || n > total - off) {
		source_damage(&d->s,
		              "cpu%u: its data (%" PRIu64 " bytes at offset %" PRIu64
		              ") lies beyond the end of the file at %" PRIu64,
		              cpu, n, off, total);
		if (off >= total)
			return;
		n = total - off;
	}
	if (d->page_size && off % d->page_size)
		source_damage(&d->s, "cpu%u: its data at offset %" PRIu64 " is not page aligned",
		              cpu, off);
	x = vec_add(&b->cpus);
	x->cpu = cpu;
	x->off = off;
	x->size = n;
}

/* `flyrecord`: the CPU table, and a clock string when there was a TRACECLOCK option. */
static bool v6_table(struct dat *d, struct reader *r, size_t index, uint32_t cpus)
{
	struct dat_buffer *b = &d->buffers.at[index];
	uint64_t claimed = 0, total = input_size(d->s.in);

	if (cpus > DAT_CPUS_MAX || cpus * 16ull > total - r->off) {
		source_damage(&d->s, "offset %" PRIu64 ": the CPU table claims %u CPUs", r->off,
		              cpus);
		return false;
	}
	for (uint32_t i = 0; i < cpus; i++) {
		uint64_t off = reader_u64(r), n = reader_u64(r);

		if (r->bad)
			break;
		claimed += n < total ? n : 0;
		if (claimed > total) {
			source_damage(&d->s, "cpu%u: data of the CPUs overlap", i);
			return false;
		}
		v6_extent(d, b, i, off, n);
	}
	if (d->has_clock_option) {
		uint64_t n = reader_u64(r);
		const uint8_t *p = reader_take(r, n);

		b->clock = p ? dat_clock_word(d, (const char *)p, (size_t)n) : NULL;
	}
	return !r->bad;
}

static bool v6_blobs(struct dat *d, struct reader *r, struct err *e)
{
	static const struct {
		bool (*read)(struct dat *, struct reader *);
		const char *what;
	} blobs[] = {
	        {dat_read_header_info, "page header"},
	        {dat_read_ftrace_formats, "ftrace formats"},
	        {dat_read_event_formats, "event formats"},
	        {dat_read_kallsyms, "kernel symbols"},
	        {dat_read_printk, "printk formats"},
	        {dat_read_cmdlines, "command lines"},
	};

	for (size_t i = 0; i < sizeof blobs / sizeof *blobs; i++)
		if (!blobs[i].read(d, r))
			return err_input(
			        e, "%s: offset %" PRIu64 ": the %s are cut; nothing can be decoded",
			        input_name(d->s.in), r->off, blobs[i].what);
	return true;
}

static const char *const v6_tags[] = {"options  ", "latency  ", "flyrecord"};
enum v6_tag { TAG_OPTIONS, TAG_LATENCY, TAG_FLYRECORD, TAG_NONE, TAG_CUT };

static enum v6_tag v6_tag(struct reader *r)
{
	const uint8_t *p = reader_take(r, 10);

	if (!p)
		return TAG_CUT;
	for (int i = TAG_OPTIONS; i < TAG_NONE; i++)
		if (!memcmp(p, v6_tags[i], 9))
			return (enum v6_tag)i;
	return TAG_NONE;
}

static void v6_instances(struct dat *d, const struct reader *top, uint32_t cpus)
{
	for (size_t i = 1; i < d->buffers.n; i++) {
		struct dat_buffer *b = &d->buffers.at[i];
		struct reader r;

		reader_init(&r, top->w.in, b->v6_table, d->big);
		if (v6_tag(&r) != TAG_FLYRECORD ||
		    !v6_table(d, &r, i, b->v6_cpus ? b->v6_cpus : cpus))
			source_damage(&d->s,
			              "buffer %s: its CPU table at offset %" PRIu64 " is damaged",
			              b->name, b->v6_table);
		reader_free(&r);
	}
}

bool dat_v6(struct dat *d, struct reader *r, struct err *e)
{
	uint32_t cpus;
	enum v6_tag tag;

	if (!v6_blobs(d, r, e))
		return false;
	cpus = reader_u32(r);
	d->s.info.n_cpus = cpus;
	dat_add_buffer(d, "");
	tag = v6_tag(r);
	if (tag == TAG_OPTIONS) {
		if (!v6_options(d, r))
			return err_input(e, "%s: offset %" PRIu64 ": the options are cut",
			                 input_name(d->s.in), r->off);
		tag = v6_tag(r);
	}
	if (tag == TAG_LATENCY) {
		d->has_text = true;
		return true;
	}
	if (tag == TAG_NONE)
		return err_input(e, "%s: offset %" PRIu64 ": neither options nor data begin here",
		                 input_name(d->s.in), r->off - 10);
	if (tag == TAG_FLYRECORD && !v6_table(d, r, 0, cpus))
		source_damage(&d->s, "offset %" PRIu64 ": the CPU table is cut", r->off);
	v6_instances(d, r, cpus);
	return true;
}
