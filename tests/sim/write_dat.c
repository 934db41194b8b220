/* trace.dat, versions 6 and 7, from the description of the format (reference tracedat.md). */
#include "sim/bytes.h"
#include "sim/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

enum { PAGE = 4096, PAGE_HEAD = 16, COMMON = 8, CHUNK = 10 * PAGE };
enum { OPT_BUFFER = 3, OPT_CLOCK = 4, OPT_UNAME = 5, OPT_CPUS = 8, OPT_VERSION = 9 };

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                                  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                                  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                                  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
static const char header_event[] = "# compressed entry header\n"
                                   "\ttype_len    :    5 bits\n"
                                   "\ttime_delta  :   27 bits\n"
                                   "\tarray       :   32 bits\n";

/* ---- formats ---- */

static const struct {
	const char *before, *behind; /* the name */
	unsigned size, align;
} types[] = {[FIELD_COMM] = {"char", "[16]", 16, 1},
             [FIELD_INT] = {"int", "", 4, 4},
             [FIELD_UINT] = {"u32", "", 4, 4},
             [FIELD_LONG] = {"long", "", 8, 8},
             [FIELD_TEXT] = {"char", "[]", 0, 1}};

static unsigned place(unsigned at, enum sim_field t)
{
	return (at + types[t].align - 1) / types[t].align * types[t].align;
}

static void put_format(struct bytes *b, const struct sim_desc *d)
{
	char text[4096];
	unsigned at = COMMON;
	int n = snprintf(
	        text, sizeof text,
	        "name: %s\nID: %u\nformat:\n"
	        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	        "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	        "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
	        d->name, d->id);

	for (unsigned i = 0; i < d->n_fields; i++) {
		enum sim_field t = d->field[i].type;

		at = place(at, t);
		n += snprintf(text + n, sizeof text - (size_t)n,
		              "\tfield:%s %s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
		              types[t].before, d->field[i].name, types[t].behind, at, types[t].size,
		              t == FIELD_INT || t == FIELD_LONG);
		at += types[t].size;
	}
	n += snprintf(text + n, sizeof text - (size_t)n, "\nprint fmt: %s\n", d->print_fmt);
	put_number(b, (uint64_t)n, 8);
	put(b, text, (size_t)n);
}

static void put_ftrace_formats(struct bytes *b)
{
	put_number(b, 1, 4);
	put_format(b, &sim_desc[SIM_PRINT]);
}

static void put_event_formats(struct bytes *b)
{
	static const char *const systems[] = {"sched", "power", "task",     "binder",
	                                      "irq",   "cpuhp", "dma_fence"};
	enum { SYSTEMS = sizeof systems / sizeof *systems };

	put_number(b, SYSTEMS, 4);
	for (int i = 0; i < SYSTEMS; i++) {
		unsigned n = 0;

		for (int k = 0; k < SIM_KINDS; k++)
			n += !strcmp(sim_desc[k].system, systems[i]);
		put_string(b, systems[i]);
		put_number(b, n, 4);
		for (int k = 0; k < SIM_KINDS; k++)
			if (!strcmp(sim_desc[k].system, systems[i]))
				put_format(b, &sim_desc[k]);
	}
}

static void put_header_info(struct bytes *b)
{
	put_string(b, "header_page");
	put_number(b, sizeof header_page - 1, 8);
	put(b, header_page, sizeof header_page - 1);
	put_string(b, "header_event");
	put_number(b, sizeof header_event - 1, 8);
	put(b, header_event, sizeof header_event - 1);
}

static void put_cmdlines(struct bytes *b, const struct result *r)
{
	size_t at = b->n;

	put_number(b, 0, 8);
	for (size_t i = 0; i < r->ledger.tasks.n; i++) {
		char line[64];
		int n = snprintf(line, sizeof line, "%d %s\n", r->ledger.tasks.at[i].pid,
		                 r->ledger.tasks.at[i].name);

		put(b, line, (size_t)n);
	}
	set_number(b, at, b->n - at - 8, 8);
}

/* ---- pages ---- */

static void put_payload(struct bytes *b, const struct sim_event *e)
{
	const struct sim_desc *d = &sim_desc[e->kind];
	size_t start = b->n;
	unsigned at = COMMON, s = 0, v = 0;

	put_number(b, d->id, 2);
	put_number(b, 0, 2);
	put_number(b, (uint32_t)e->pid, 4);
	for (unsigned i = 0; i < d->n_fields; i++) {
		enum sim_field t = d->field[i].type;
		char comm[16] = "";

		at = place(at, t);
		put_zeros(b, start + at);
		if (t == FIELD_COMM) {
			memcpy(comm, e->s[s], strnlen(e->s[s], 15));
			s++;
			put(b, comm, 16);
		} else if (t == FIELD_TEXT) {
			put_string(b, e->s[s++]);
		} else {
			put_number(b, e->kind == SIM_PRINT ? 0 : (uint64_t)e->v[v++],
			           (int)types[t].size);
		}
		at += types[t].size;
	}
	put_zeros(b, start + (b->n - start + 3) / 4 * 4);
}

/* A page before which events were lost says how many, behind its data. */
static void end_page(struct bytes *b, size_t page, int64_t lost)
{
	uint64_t commit = b->n - page - PAGE_HEAD;

	if (lost) {
		commit |= UINT64_C(3) << 30;
		put_number(b, (uint64_t)lost, 8);
	}
	set_number(b, page + 8, commit, 8);
	put_zeros(b, page + PAGE);
}

/* The events of one CPU as whole pages. */
static void put_pages(struct bytes *b, const struct result *r, uint32_t cpu)
{
	struct bytes payload = {NULL, 0, 0};
	size_t page = b->n;
	bool open = false;
	int64_t last = 0, lost = 0;

	for (size_t i = 0; i < r->events.n; i++) {
		const struct sim_event *e = &r->events.at[i];
		uint64_t delta;

		if (e->cpu != cpu || e->gone)
			continue;
		payload.n = 0;
		put_payload(&payload, e);
		if (open && (e->lost || e->ts < last || b->n - page + payload.n + 24 > PAGE)) {
			end_page(b, page, lost);
			open = false;
		}
		if (!open) {
			page = b->n;
			lost = e->lost;
			put_number(b, (uint64_t)e->ts, 8);
			put_number(b, 0, 8);
			last = e->ts;
			open = true;
		}
		delta = (uint64_t)(e->ts - last);
		last = e->ts;
		if (delta >> 27) {
			put_number(b, 30 | (delta & 0x7ffffff) << 5, 4);
			put_number(b, delta >> 27, 4);
			delta = 0;
		}
		if (payload.n <= 112) {
			put_number(b, payload.n / 4 | delta << 5, 4);
		} else {
			put_number(b, delta << 5, 4);
			put_number(b, payload.n + 4, 4);
		}
		put(b, payload.at, payload.n);
	}
	if (open)
		end_page(b, page, lost);
	free(payload.at);
}

/* ---- what is told besides ---- */

static void put_option(struct bytes *b, unsigned id, const void *p, size_t n)
{
	put_number(b, id, 2);
	put_number(b, n, 4);
	put(b, p, n);
}

static void put_option_number(struct bytes *b, unsigned id, uint64_t v, int size)
{
	put_number(b, id, 2);
	put_number(b, (uint64_t)size, 4);
	put_number(b, v, size);
}

static void put_options(struct bytes *b, const struct result *r)
{
	static const char uname[] = "Linux simulated 6.1.0-simulated aarch64",
	                  version[] = "peltier-sim", clock[] = "[local] global mono\n";

	put_option(b, OPT_CLOCK, clock, sizeof clock - 1);
	put_option(b, OPT_UNAME, uname, sizeof uname);
	put_option_number(b, OPT_CPUS, r->scenario->platform->n_cpus, 4);
	put_option(b, OPT_VERSION, version, sizeof version);
}

static void put_magic(struct bytes *b, const char *version)
{
	put(b, "\x17\x08\x44tracing", 10);
	put_string(b, version);
	put_number(b, 0, 1);
	put_number(b, 8, 1);
	put_number(b, PAGE, 4);
}

/* ---- version 6 ---- */

static void put_v6(struct bytes *b, const struct result *r)
{
	uint32_t n = (uint32_t)r->scenario->platform->n_cpus;
	size_t table;

	put_magic(b, "6");
	put_header_info(b);
	put_ftrace_formats(b);
	put_event_formats(b);
	put_number(b, 0, 4); /* kallsyms */
	put_number(b, 0, 4); /* printk formats */
	put_cmdlines(b, r);
	put_number(b, n, 4);
	put(b, "options  ", 10);
	put_options(b, r);
	put_number(b, 0, 2);
	put(b, "flyrecord", 10);
	table = b->n;
	put_zeros(b, table + 16 * n);
	put_number(b, 7, 8);
	put(b, "[local]", 7);
	for (uint32_t i = 0; i < n; i++) {
		size_t at;

		put_zeros(b, (b->n + PAGE - 1) / PAGE * PAGE);
		at = b->n;
		put_pages(b, r, i);
		set_number(b, table + 16 * i, at, 8);
		set_number(b, table + 16 * i + 8, b->n - at, 8);
	}
}

/* ---- version 7 ---- */

/* As trace-cmd writes it: a frame that does not tell its plain size. Empty: not compressed. */
static struct bytes packed(const char *compression, const uint8_t *p, size_t n)
{
	struct bytes out = {NULL, 0, 0};

	if (!strcmp(compression, "zstd")) {
		ZSTD_CCtx *z = ZSTD_createCCtx();

		put_zeros(&out, ZSTD_compressBound(n));
		ZSTD_CCtx_setParameter(z, ZSTD_c_contentSizeFlag, 0);
		out.n = ZSTD_compress2(z, out.at, out.n, p, n);
		ZSTD_freeCCtx(z);
	} else if (!strcmp(compression, "zlib")) {
		uLongf size = compressBound(n);

		put_zeros(&out, size);
		compress2(out.at, &size, p, n, 6);
		out.n = size;
	}
	return out;
}

static void put_packed(struct bytes *b, const char *compression, const uint8_t *p, size_t n)
{
	struct bytes z = packed(compression, p, n);

	put_number(b, z.n, 4);
	put_number(b, n, 4);
	put(b, z.at, z.n);
	free(z.at);
}

/* Its header's place. */
static size_t put_section(struct bytes *b, unsigned id, const char *compression,
                          const struct bytes *body)
{
	size_t at = b->n;
	bool pack = strcmp(compression, "none") != 0 && body->n;

	put_number(b, id, 2);
	put_number(b, pack, 2);
	put_number(b, 0xffffffff, 4);
	put_number(b, 0, 8);
	if (pack)
		put_packed(b, compression, body->at, body->n);
	else
		put(b, body->at, body->n);
	set_number(b, at + 8, b->n - at - 16, 8);
	return at;
}

struct extent {
	size_t at, n;
};

static struct extent put_cpu(struct bytes *b, const struct result *r, uint32_t cpu,
                             const char *compression)
{
	struct bytes pages = {NULL, 0, 0};
	struct extent x;

	put_pages(&pages, r, cpu);
	put_zeros(b, (b->n + PAGE - 1) / PAGE * PAGE);
	x.at = b->n;
	if (!strcmp(compression, "none")) {
		put(b, pages.at, pages.n);
	} else {
		put_number(b, (pages.n + CHUNK - 1) / CHUNK, 4);
		for (size_t i = 0; i < pages.n; i += CHUNK)
			put_packed(b, compression, pages.at + i,
			           pages.n - i < CHUNK ? pages.n - i : CHUNK);
	}
	x.n = b->n - x.at;
	free(pages.at);
	return x;
}

static size_t put_data(struct bytes *b, const struct result *r, const char *compression)
{
	struct extent x[SIM_CPUS_MAX];
	uint32_t n = (uint32_t)r->scenario->platform->n_cpus;
	struct bytes option = {NULL, 0, 0}, options = {NULL, 0, 0};
	size_t at = b->n, list;

	put_number(b, OPT_BUFFER, 2);
	put_number(b, strcmp(compression, "none") != 0, 2);
	put_number(b, 0xffffffff, 4);
	put_number(b, 0, 8);
	for (uint32_t i = 0; i < n; i++)
		x[i] = put_cpu(b, r, i, compression);
	set_number(b, at + 8, b->n - at - 16, 8);
	put_number(&option, at, 8);
	put_string(&option, "");
	put_string(&option, "local");
	put_number(&option, PAGE, 4);
	put_number(&option, n, 4);
	for (uint32_t i = 0; i < n; i++) {
		put_number(&option, i, 4);
		put_number(&option, x[i].at, 8);
		put_number(&option, x[i].n, 8);
	}
	put_option(&options, OPT_BUFFER, option.at, option.n);
	put_option_number(&options, 0, 0, 8);
	list = put_section(b, 0, "none", &options);
	free(option.at);
	free(options.at);
	return list;
}

static void put_v7(struct bytes *b, const struct result *r, const char *compression)
{
	struct bytes body[6], options = {NULL, 0, 0};
	size_t first, done, list;

	memset(body, 0, sizeof body);
	put_magic(b, "7");
	put_string(b, compression);
	put_string(b, "");
	first = b->n;
	put_number(b, 0, 8);
	put_header_info(&body[0]);
	put_ftrace_formats(&body[1]);
	put_event_formats(&body[2]);
	put_number(&body[3], 0, 4);
	put_number(&body[4], 0, 4);
	put_cmdlines(&body[5], r);
	for (unsigned i = 0; i < 6; i++) {
		put_option_number(&options, 16 + i, put_section(b, 16 + i, compression, &body[i]),
		                  8);
		free(body[i].at);
	}
	put_options(&options, r);
	done = options.n + 6;
	put_option_number(&options, 0, 0, 8);
	list = put_section(b, 0, "none", &options);
	set_number(b, first, list, 8);
	free(options.at);
	first = put_data(b, r, compression);
	set_number(b, list + 16 + done, first, 8);
}

bool write_dat(const struct result *r, FILE *out, int version, const char *compression)
{
	struct bytes b = {NULL, 0, 0};
	bool ok;

	if (strcmp(compression, "none") && strcmp(compression, "zlib") &&
	    strcmp(compression, "zstd")) {
		errno = EINVAL;
		return false;
	}
	if (version == 6)
		put_v6(&b, r);
	else
		put_v7(&b, r, compression);
	ok = fwrite(b.at, 1, b.n, out) == b.n;
	free(b.at);
	return ok;
}
