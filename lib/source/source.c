#include "source/source_impl.h"

#include "base/cursor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 4096, NOTES_MAX = 64 };

static const struct source_format *const formats[] = {&source_trace_dat, &source_perfetto,
                                                      &source_text};

/* ---- what is it, if it is not a trace ---- */

bool source_looks_like_pages(const uint8_t *head, size_t n)
{
	/* a stamp that is not absurd, then a commit word that fits a page */
	for (int big = 0; big < 2 && n >= 24; big++) {
		uint64_t ts = load64(head, big), commit = load64(head + 8, big);
		uint32_t used = commit & 0x7ffffff;

		if (ts && ts >> 62 == 0 && !(commit >> 32) && used >= 8 && used <= (1 << 21) &&
		    used % 4 == 0)
			return true;
	}
	return false;
}

static bool is_text(const uint8_t *h, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (h[i] < 0x20 && h[i] != '\t' && h[i] != '\n' && h[i] != '\r')
			return false;
	return n > 0;
}

static const char *identify(const uint8_t *h, size_t n)
{
	static const struct {
		const char *magic, *what;
	} magics[] = {
	        {"PERFILE2", "a perf.data file; peltier reads trace.dat (trace-cmd record)"},
	        {"2ELIFREP", "a perf.data file (big endian); peltier reads trace.dat"},
	        {"\177ELF", "an ELF binary, not a trace"},
	        {"SQLite format 3", "an SQLite database, not a trace"},
	        {"BZh", "bzip2 data; unpack it first"},
	        {"\3757zXZ", "xz data; unpack it first"},
	};

	if (!n)
		return "is empty";
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (n >= strlen(magics[i].magic) &&
		    !memcmp(h, magics[i].magic, strlen(magics[i].magic)))
			return magics[i].what;
	if (n < 10 && !memcmp(h, "\x17\x08\x44tracing", n))
		return "a trace.dat cut in its first bytes";
	if (is_text(h, n))
		return "text, not a trace";
	if (source_looks_like_pages(h, n))
		return "raw ring-buffer pages (a .cpuN file of a killed recording); they need the "
		       "formats of the same kernel: --head FILE with any trace.dat of that boot";
	return "not a trace: no known format begins like this";
}

/* The files of a zip archive, by their local heads as far as sizes are told there. */
static void zip_members(const struct input *in, char *out, size_t room)
{
	uint8_t h[30], name[256];
	uint64_t off = 0;
	size_t n = 0;

	for (int i = 0; i < 8 && input_read(in, off, h, sizeof h) == sizeof h &&
	                !memcmp(h, "PK\3\4", 4) && n + 4 < room;
	     i++) {
		uint32_t len = load16(h + 26, false), extra = load16(h + 28, false);
		size_t got = input_read(in, off + 30, name, len < sizeof name ? len : sizeof name);

		n += (size_t)snprintf(out + n, room - n, "%s%.*s", i ? ", " : "", (int)got,
		                      (const char *)name);
		off += 30 + (uint64_t)len + extra + load32(h + 18, false);
	}
}

/* ---- opening ---- */

static struct source *open_input(struct input *in, const struct source_opts *o, struct err *e)
{
	uint8_t head[HEAD_BYTES];
	size_t n = input_read(in, 0, head, sizeof head);

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		struct source *s;

		if (!formats[i]->probe(head, n) && !(o->head && source_looks_like_pages(head, n)))
			continue;
		s = formats[i]->open(in, o, e);
		if (s && input_cut(in))
			source_damage(s, "%s wrapper: ends early or is damaged after %llu bytes",
			              input_wrapper(in), (unsigned long long)input_size(in));
		return s;
	}
	if (n >= 4 && !memcmp(head, "PK\3\4", 4)) {
		char members[200] = "";

		zip_members(in, members, sizeof members);
		err_input(e, "%s: a zip archive; unpack a trace first; it has: %s", input_name(in),
		          members);
	} else {
		err_input(e, "%s: %s", input_name(in), identify(head, n));
	}
	input_close(in);
	return NULL;
}

/* Whether a pipe is worth copying; what it is instead is told by its first bytes. */
static bool begins_like_a_trace(const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (formats[i]->probe(head, n))
			return true;
	return source_looks_like_pages(head, n);
}

struct source *source_open(const char *path, const struct source_opts *o, struct err *e)
{
	struct input *in = input_open(path, begins_like_a_trace, e);

	return in ? open_input(in, o, e) : NULL;
}

struct source *source_open_mem(const void *bytes, size_t n, const char *name,
                               const struct source_opts *o, struct err *e)
{
	return open_input(input_open_mem(bytes, n, name), o, e);
}

void source_close(struct source *s)
{
	if (!s)
		return;
	merge_free(&s->merge);
	if (s->close)
		s->close(s);
	ahead_free(s->ahead);
	vec_free(&s->notes);
	vec_free(&s->types);
	input_close(s->in);
	arena_free(&s->arena);
	free(s);
}

const struct trace_info *source_info(const struct source *s)
{
	return &s->info;
}

const struct trace_quality *source_quality(const struct source *s)
{
	return &s->quality;
}

const struct event_type *source_types(const struct source *s, unsigned *n)
{
	*n = (unsigned)s->types.n;
	return s->types.at;
}

void source_want(struct source *s, bool (*wants)(enum event_kind k))
{
	for (int k = EV_lost + 1; k < EVENT_KINDS; k++)
		s->want[k] = !wants || wants((enum event_kind)k);
}

const struct event *source_next(struct source *s)
{
	const struct event *ev = NULL;
	struct lane *l;

	while (!ev && (l = merge_next(&s->merge)))
		ev = l->ops->decode(l, &l->run[l->at], &s->event);
	return ev;
}

/* ---- names ---- */

static int by_pid(const void *a, const void *b)
{
	const struct trace_name *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void source_set_names(struct source *s, struct trace_name *names, size_t n)
{
	if (n)
		qsort(names, n, sizeof *names, by_pid);
	s->info.names = names;
	s->info.n_names = (unsigned)n;
}

/* ---- notes ---- */

__attribute__((format(printf, 2, 0))) static void note(struct source *s, const char *fmt,
                                                       va_list ap)
{
	char text[400];
	int n = vsnprintf(text, sizeof text, fmt, ap);

	if (s->notes.n > NOTES_MAX)
		return;
	if (s->notes.n == NOTES_MAX)
		n = snprintf(text, sizeof text, "further notes of this kind are left out");
	if (n >= (int)sizeof text)
		n = (int)sizeof text - 1;
	*vec_add(&s->notes) = arena_str(&s->arena, text, (size_t)n);
	s->quality.notes = s->notes.at;
	s->quality.n_notes = (unsigned)s->notes.n;
}

void source_note(struct source *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	note(s, fmt, ap);
	va_end(ap);
}

void source_damage(struct source *s, const char *fmt, ...)
{
	va_list ap;

	s->quality.partial = true;
	va_start(ap, fmt);
	note(s, fmt, ap);
	va_end(ap);
}
