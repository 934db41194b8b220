/* Blobs and options of a trace.dat: what describes the data. */
#include "source/trace_dat.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- header_page ---- */

static bool take_tagged(struct reader *r, const char *tag, size_t tag_len, char **text, size_t *n)
{
	const uint8_t *p = reader_take(r, tag_len);
	uint64_t len;

	if (!p || memcmp(p, tag, tag_len)) {
		r->bad = true;
		return false;
	}
	len = reader_u64(r);
	p = reader_take(r, len);
	if (!p)
		return false;
	if (text) {
		*text = mem_calloc(1, (size_t)len + 1);
		memcpy(*text, p, (size_t)len);
		*n = (size_t)len;
	}
	return true;
}

bool dat_read_header_info(struct dat *d, struct reader *r)
{
	free(d->ring_text);
	d->ring_text = NULL;
	if (!take_tagged(r, "header_page", 12, &d->ring_text, &d->ring_text_len))
		return false;
	d->has_ring = ring_layout_parse(d->ring_text, d->ring_text_len, d->big, d->long_size,
	                                d->page_size, &d->ring);
	return take_tagged(r, "header_event", 13, NULL, NULL);
}

/* ---- formats ---- */

static uint16_t add_type(struct dat *d, const char *system, const char *name, size_t name_len,
                         uint32_t id, enum event_kind kind)
{
	struct event_type *t;

	if (d->s.types.n >= UINT16_MAX) /* more formats than ids: repeated ones */
		return 0;
	t = vec_add(&d->s.types);
	t->system = system;
	t->name = arena_str(&d->s.arena, name, name_len);
	t->kind = (uint16_t)kind;
	t->id = id;
	return (uint16_t)(d->s.types.n - 1);
}

static struct dat_type *new_type(struct dat *d, uint32_t id)
{
	d->by_id[id] = arena_alloc(&d->s.arena, sizeof **d->by_id);
	return d->by_id[id];
}

const struct dat_type *dat_unknown_type(struct dat *d, uint32_t id)
{
	char name[16];
	int n = snprintf(name, sizeof name, "#%u", id);
	struct dat_type *t = new_type(d, id);

	t->kind = EV_other;
	t->type = add_type(d, "", name, (size_t)n, id, EV_other);
	return t;
}

/* print comes in three forms; only system ftrace has them. */
static void bind_print(struct dat_type *t, const struct format *f)
{
	const struct format_field *fmt = format_find(f, "fmt"), *buf = format_find(f, "buf"),
	                          *str = format_find(f, "str");

	if (fmt && buf && f->name_len == 6) {
		t->fmt_off = (uint16_t)fmt->offset;
		t->args_off = (uint16_t)buf->offset;
	} else if (str && f->name_len == 5 && !memcmp(f->name, "bputs", 5)) {
		t->fmt_off = (uint16_t)str->offset;
		t->is_bputs = true;
	}
}

static void add_format(struct dat *d, const char *system, const char *text, size_t n)
{
	struct format f;
	struct dat_type *t;
	enum event_kind kind;

	if (!format_head(text, n, &f)) {
		source_note(&d->s,
		            "an event format of system %s has no name or id; its events count as "
		            "unknown",
		            *system ? system : "?");
		return;
	}
	kind = event_kind_find(f.name, f.name_len);
	if (kind == EV_print && strcmp(system, "ftrace"))
		kind = EV_other;
	if (d->by_id[f.id])
		source_note(&d->s, "two event formats have id %u; the later one, %s:%.*s, is used",
		            f.id, system, (int)f.name_len, f.name);
	t = new_type(d, f.id);
	t->kind = (uint16_t)kind;
	t->type = add_type(d, system, f.name, f.name_len, f.id, kind);
	if (kind == EV_other && d->has_common)
		return;
	format_fields(text, n, &f);
	if (!d->has_common && format_find(&f, "common_type")) {
		d->common = format_common(&f);
		d->has_common = true;
	}
	t->plan = format_bind(&f, kind, &d->s.arena);
	t->incomplete = t->plan.has != (1ull << event_desc[kind].n_fields) - 1;
	t->needs_more = t->incomplete || kind == EV_print || kind == EV_sched_switch;
	if (kind == EV_print)
		bind_print(t, &f);
	if (kind == EV_sched_waking)
		d->s.info.has_waking = true;
	if (kind == EV_sched_switch) {
		const char *pf = memmem(text, n, "print fmt", 9);

		if (pf)
			state_bits_parse(pf, n - (size_t)(pf - text), &d->states);
	}
}

static bool read_formats(struct dat *d, struct reader *r, const char *system)
{
	uint32_t count = reader_u32(r);

	for (; count && !r->bad; count--) {
		uint64_t n = reader_u64(r);
		const uint8_t *p = reader_take(r, n);

		if (p)
			add_format(d, system, (const char *)p, (size_t)n);
	}
	return !r->bad;
}

bool dat_read_ftrace_formats(struct dat *d, struct reader *r)
{
	return read_formats(d, r, "ftrace");
}

bool dat_read_event_formats(struct dat *d, struct reader *r)
{
	uint32_t systems = reader_u32(r);

	for (; systems && !r->bad; systems--) {
		const char *name = reader_str(r, 4096);

		if (name)
			read_formats(d, r, arena_str(&d->s.arena, name, strlen(name)));
	}
	return !r->bad;
}

/* ---- kallsyms, printk, names ---- */

bool dat_read_kallsyms(struct dat *d, struct reader *r)
{
	(void)d;
	reader_skip(r, reader_u32(r));
	return !r->bad;
}

static int by_address(const void *a, const void *b)
{
	const struct dat_printk *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* The text between the quotes, with \n, \" and \\ undone. */
static const char *unquote(struct arena *a, const char *p, size_t n)
{
	char *out = arena_alloc(a, n + 1);
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\\' && i + 1 < n) {
			i++;
			out[k++] = p[i] == 'n' ? '\n' : p[i] == 't' ? '\t' : p[i];
		} else {
			out[k++] = p[i];
		}
	}
	out[k] = '\0';
	return out;
}

/* `0xADDR : "text"` */
static void printk_line(struct dat *d, const char *p, const char *e)
{
	const char *q = memchr(p, '"', (size_t)(e - p));
	char num[24] = "";
	struct dat_printk *x;

	if (!q || e[-1] != '"' || e - q < 2 || e - p < 4)
		return;
	memcpy(num, p, (size_t)(q - p) < sizeof num - 1 ? (size_t)(q - p) : sizeof num - 1);
	x = vec_add(&d->printk);
	x->address = strtoull(num, NULL, 16);
	x->text = unquote(&d->s.arena, q + 1, (size_t)(e - q - 2));
}

/* Call fn for each line of a text. */
static void each_line(struct dat *d, const char *p, size_t n,
                      void (*fn)(struct dat *, const char *, const char *))
{
	const char *end = p + n;

	while (p < end) {
		const char *e = memchr(p, '\n', (size_t)(end - p));

		if (!e)
			e = end;
		if (e > p)
			fn(d, p, e);
		p = e < end ? e + 1 : end;
	}
}

bool dat_read_printk(struct dat *d, struct reader *r)
{
	uint32_t n = reader_u32(r);
	const uint8_t *p = reader_take(r, n);

	if (!p)
		return false;
	each_line(d, (const char *)p, n, printk_line);
	if (d->printk.n)
		qsort(d->printk.at, d->printk.n, sizeof *d->printk.at, by_address);
	return true;
}

/* `PID comm`, where comm may hold anything but a newline. */
static void cmdline(struct dat *d, const char *p, const char *e)
{
	const char *space = memchr(p, ' ', (size_t)(e - p));
	long pid = 0;

	if (!space || space == p || space - p > 10)
		return;
	for (const char *q = p; q < space; q++) {
		if (!isdigit((unsigned char)*q))
			return;
		pid = pid * 10 + (*q - '0');
	}
	if (pid > INT32_MAX)
		return;
	*vec_add(&d->names) = (struct trace_name){
	        .pid = (int32_t)pid,
	        .comm = arena_str(&d->s.arena, space + 1, (size_t)(e - space - 1))};
}

bool dat_read_cmdlines(struct dat *d, struct reader *r)
{
	uint64_t n = reader_u64(r);
	const uint8_t *p = reader_take(r, n);

	if (!p)
		return false;
	each_line(d, (const char *)p, (size_t)n, cmdline);
	source_set_names(&d->s, d->names.at, d->names.n);
	return true;
}

/* ---- options ---- */

/* A copy of a string option: up to its NUL or its size, NULL when empty. */
static const char *option_text(struct dat *d, const uint8_t *p, size_t n)
{
	n = n ? strnlen((const char *)p, n) : 0;
	return n ? arena_str(&d->s.arena, (const char *)p, n) : NULL;
}

const char *dat_clock_word(struct dat *d, const char *p, size_t n)
{
	const char *open = n ? memchr(p, '[', n) : NULL, *close;

	if (open && (close = memchr(open, ']', n - (size_t)(open - p))))
		return arena_str(&d->s.arena, open + 1, (size_t)(close - open - 1));
	for (n = n ? strnlen(p, n) : 0; n && isspace((unsigned char)p[n - 1]); n--)
		;
	return n ? arena_str(&d->s.arena, p, n) : NULL;
}

/* `sysname nodename release machine`: release and machine are the last two words */
static void uname_option(struct dat *d, const char *text)
{
	const char *machine = text ? strrchr(text, ' ') : NULL, *release = machine;

	if (!machine)
		return;
	while (release > text && release[-1] != ' ')
		release--;
	d->s.info.machine = machine + 1;
	d->s.info.kernel = arena_str(&d->s.arena, release, (size_t)(machine - release));
}

static int64_t stat_value(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	return p ? strtoll(p + strlen(key), NULL, 10) : -1;
}

static void cpustat_option(struct dat *d, const char *text)
{
	struct dat_stat *s;
	const char *name = text ? strstr(text, "Buffer: ") : NULL;

	if (name) {
		name += strlen("Buffer: ");
		d->stat_buffer = arena_str(&d->s.arena, name, strcspn(name, "\n"));
		return;
	}
	if (!text || stat_value(text, "CPU: ") < 0 || d->stats.n > DAT_CPUS_MAX)
		return;
	s = vec_add(&d->stats);
	s->buffer = d->stat_buffer ? d->stat_buffer : "";
	s->cpu.cpu = (uint32_t)stat_value(text, "CPU: ");
	s->cpu.overrun = stat_value(text, "\noverrun: ");
	s->cpu.dropped = stat_value(text, "\ndropped events: ");
	s->read_events = stat_value(text, "\nread events: ");
}

static void shift_option(struct dat *d, const uint8_t *p, size_t n)
{
	struct cursor c = cursor_on(p, n, d->big);
	uint32_t flags, cpus;

	cursor_u64(&c);
	flags = cursor_u32(&c);
	cpus = cursor_u32(&c);
	d->shift_interpolate = flags & 1;
	if (c.bad || d->shift.n)
		return;
	for (uint32_t i = 0; i < cpus && !c.bad; i++) {
		uint32_t k = cursor_u32(&c);
		struct dat_shift_cpu *x;

		if (c.bad || k > cursor_left(&c) / 24)
			break;
		x = vec_add(&d->shift);
		x->sample = arena_alloc(&d->s.arena, (k + 1) * sizeof *x->sample);
		x->n = k;
		for (uint32_t j = 0; j < k; j++)
			x->sample[j].time = cursor_u64(&c);
		for (uint32_t j = 0; j < k; j++)
			x->sample[j].offset = (int64_t)cursor_u64(&c);
		for (uint32_t j = 0; j < k; j++)
			x->sample[j].scaling = cursor_u64(&c);
	}
	for (size_t i = 0; i < d->shift.n && cursor_left(&c); i++)
		for (uint32_t j = 0; j < d->shift.at[i].n; j++)
			d->shift.at[i].sample[j].fraction = cursor_u64(&c);
}

static void tsc_option(struct dat *d, const uint8_t *p, size_t n)
{
	struct cursor c = cursor_on(p, n, d->big);
	uint32_t mult = cursor_u32(&c), shift = cursor_u32(&c);

	if (!c.bad && mult && shift < 64) {
		d->mult = mult;
		d->mult_shift = shift;
	}
}

void dat_option(struct dat *d, unsigned id, const uint8_t *p, size_t n)
{
	struct cursor c = cursor_on(p, n, d->big);
	const char *text;

	switch (id) {
	case OPT_DATE:
	case OPT_OFFSET:
		text = option_text(d, p, n);
		if (text && id == OPT_DATE)
			d->date_ns = (int64_t)((uint64_t)strtoll(text, NULL, 0) * 1000);
		else if (text)
			d->offset_ns = strtoll(text, NULL, 0);
		break;
	case OPT_CPUSTAT:
		cpustat_option(d, option_text(d, p, n));
		break;
	case OPT_TRACECLOCK:
		d->has_clock_option = true;
		d->clock = dat_clock_word(d, (const char *)p, n);
		break;
	case OPT_UNAME:
		uname_option(d, option_text(d, p, n));
		break;
	case OPT_CPUCOUNT:
		if (n >= 4)
			d->s.info.n_cpus = cursor_u32(&c);
		break;
	case OPT_TIME_SHIFT:
		shift_option(d, p, n);
		break;
	case OPT_TSC2NSEC:
		tsc_option(d, p, n);
		break;
	case OPT_BUFFER_TEXT:
		d->has_text = true;
		break;
	default: /* section offsets; everything else does not matter here */
		if (id >= OPT_HEADER_INFO && id <= OPT_MODULES && n >= 8)
			d->section[id] = cursor_u64(&c);
	}
}
