/* trace.dat, versions 6 and 7: the container. */
#include "source/trace_dat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	WINDOW_BUDGET = 16 << 20, /* for all lanes together */
	WINDOW_MIN = 16 << 10,
	SHIFT_EVENTS = 50000,
	WINDOW_MAX = 256 << 10,
};

static const uint8_t magic[10] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'};

static bool probe(const uint8_t *head, size_t n)
{
	return n >= sizeof magic && !memcmp(head, magic, sizeof magic);
}

struct dat_buffer *dat_add_buffer(struct dat *d, const char *name)
{
	struct dat_buffer *b = vec_add(&d->buffers);

	b->name = arena_str(&d->s.arena, name, strlen(name));
	b->limit = input_size(d->s.in);
	return b;
}

static const char *path(const struct dat *d)
{
	return input_name(d->s.in);
}

static bool power_of_two(uint32_t n)
{
	return n >= 512 && n <= 1u << 27 && !(n & (n - 1));
}

/* Magic, version, byte order, sizes. Unsound values are named and replaced where another part of
 * the file tells. */
static bool read_head(struct dat *d, struct reader *r, struct err *e)
{
	const char *version;
	const uint8_t *p;

	reader_skip(r, sizeof magic);
	version = reader_str(r, 16);
	if (!version)
		return err_input(e, "%s: a trace.dat cut in its first bytes", path(d));
	d->version = atoi(version);
	if (strcmp(version, "6") && strcmp(version, "7"))
		return err_input(e, "%s: trace.dat version \"%s\" is not known (known: 6, 7)",
		                 path(d), version);
	p = reader_take(r, 6);
	if (!p)
		return err_input(e, "%s: a trace.dat cut in its header", path(d));
	d->big = p[0] == 1;
	d->long_size = p[1];
	d->page_size = load32(p + 2, d->big);
	if (p[0] > 1) {
		d->big = power_of_two(load32(p + 2, true));
		d->page_size = load32(p + 2, d->big);
		source_damage(&d->s,
		              "offset 12: byte order %u is neither 0 nor 1; read as %s endian",
		              p[0], d->big ? "big" : "little");
	}
	if (d->long_size != 4 && d->long_size != 8) {
		source_damage(&d->s, "offset 13: size of long is %u; taken as 8", d->long_size);
		d->long_size = 8;
	}
	if (!power_of_two(d->page_size)) {
		source_damage(&d->s, "offset 14: page size %u is not a power of two", d->page_size);
		d->page_size = 0;
	}
	r->big = d->big;
	return true;
}

static uint32_t buffer_page_size(const struct dat *d, const struct dat_buffer *b)
{
	uint32_t described = d->ring.data_off + d->ring.data_size;

	if (power_of_two(b->page_size))
		return b->page_size;
	if (d->page_size)
		return d->page_size;
	return power_of_two(described) ? described : 4096;
}

/* Which buffer to read; false with the error set when that cannot be decided. */
static bool choose_buffer(struct dat *d, struct err *e)
{
	const char *want = d->s.opts.buffer;
	int chosen = -1, with_data = 0, only = -1;
	char names[256] = "";

	for (size_t i = 0; i < d->buffers.n; i++) {
		const struct dat_buffer *b = &d->buffers.at[i];
		size_t n = strlen(names);

		if (want ? !strcmp(b->name, want) : !*b->name && (b->cpus.n || chosen < 0))
			chosen = (int)i;
		if (b->cpus.n) {
			with_data++;
			only = (int)i;
		}
		snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "",
		         *b->name ? b->name : "(top)");
	}
	if (want && chosen < 0)
		return err_input(e, "%s: no buffer called \"%s\"; it has: %s", path(d), want,
		                 names);
	if (!want && (chosen < 0 || !d->buffers.at[chosen].cpus.n)) {
		if (with_data > 1)
			return err_input(
			        e,
			        "%s: the top buffer has no data and several others do: %s; "
			        "choose one with --buffer NAME",
			        path(d), names);
		chosen = only >= 0 ? only : chosen;
	}
	d->s.info.buffer = chosen;
	if (with_data == 0 && d->has_text)
		return err_input(
		        e, "%s: holds text of a latency tracer, not events; record with -e EVENT",
		        path(d));
	if (with_data == 0 || chosen < 0)
		return err_input(
		        e, "%s: no trace data in it (%s)", path(d),
		        d->s.quality.partial
		                ? "it is cut or damaged; see its .cpuN files if they are there"
		                : "the recorders had nothing to save or started too late");
	if (!d->buffers.at[chosen].cpus.n)
		return err_input(
		        e, "%s: buffer %s has no data; with data: choose one of %s", path(d),
		        *d->buffers.at[chosen].name ? d->buffers.at[chosen].name : "(top)", names);
	return true;
}

static int by_cpu(const void *a, const void *b)
{
	const struct dat_extent *x = a, *y = b;

	return x->cpu != y->cpu ? (x->cpu < y->cpu ? -1 : 1)
	                        : (x->off > y->off) - (x->off < y->off);
}

static void open_lanes(struct dat *d)
{
	struct dat_buffer *b = &d->buffers.at[d->s.info.buffer];
	uint32_t page = buffer_page_size(d, b);
	struct lane **lanes = mem_calloc(b->cpus.n, sizeof(struct lane *));
	size_t window = WINDOW_BUDGET / (2 * b->cpus.n);

	window = window > WINDOW_MAX ? WINDOW_MAX : window < WINDOW_MIN ? WINDOW_MIN : window;
	if (!d->s.ahead && input_is_file(d->s.in))
		d->s.ahead = ahead_new();
	qsort(b->cpus.at, b->cpus.n, sizeof *b->cpus.at, by_cpu);
	for (size_t i = 0; i < b->cpus.n; i++)
		lanes[i] = dat_lane_new(d, b, &b->cpus.at[i], page, window);
	merge_init(&d->s.merge, lanes, (uint32_t)b->cpus.n);
}

/* Kernels 4.14 to 4.19: look at the first events to see whether states stand one place too high.
 * The lanes are opened again afterwards. */
static void find_shift(struct dat *d)
{
	struct state_votes *votes;
	struct trace_quality before = d->s.quality;
	const struct event *ev;
	bool shifted;

	if (!state_bits_maybe_shifted(d->s.info.kernel) || !d->s.info.has_waking)
		return;
	votes = mem_calloc(1, sizeof *votes);
	for (int v = 0; v < STATE_BITS_TABLE; v++) /* as recorded */
		d->states.table[v] = (uint16_t)v;
	for (int i = 0; i < SHIFT_EVENTS && (ev = source_next(&d->s)); i++) {
		if (ev->kind == EV_sched_switch)
			state_votes_switch(votes, (int32_t)ev->sched_switch.prev_pid,
			                   ev->sched_switch.prev_state,
			                   (int32_t)ev->sched_switch.next_pid);
		else if (ev->kind == EV_sched_waking || ev->kind == EV_sched_wakeup)
			state_votes_wake(votes, (int32_t)ev->sched_waking.pid);
	}
	shifted = state_votes_shifted(votes);
	free(votes);
	merge_free(&d->s.merge);
	d->s.notes.n = before.n_notes; /* damage will be met again */
	d->s.quality = before;
	open_lanes(d);
	d->states.shift = shifted;
	if (shifted)
		source_note(&d->s, "this kernel stores task states one place too high; corrected");
}

/* ---- what is known once it is open ---- */

static void fill_buffers(struct dat *d)
{
	struct trace_buffer *rows = arena_alloc(&d->s.arena, (d->buffers.n + 1) * sizeof *rows);

	for (size_t i = 0; i < d->buffers.n; i++) {
		const struct dat_buffer *b = &d->buffers.at[i];

		rows[i] = (struct trace_buffer){b->name, b->clock ? b->clock : d->clock,
		                                (unsigned)b->cpus.n, b->cpus.n > 0};
	}
	d->s.info.buffers = rows;
	d->s.info.n_buffers = (unsigned)d->buffers.n;
}

static void fill_cpus(struct dat *d)
{
	const struct dat_buffer *b = &d->buffers.at[d->s.info.buffer];
	uint32_t n = d->s.info.n_cpus < 4096 ? d->s.info.n_cpus : 0;
	struct trace_cpu *rows;

	for (size_t i = 0; i < b->cpus.n; i++)
		if (b->cpus.at[i].cpu >= n)
			n = b->cpus.at[i].cpu + 1;
	rows = arena_alloc(&d->s.arena, (n + 1) * sizeof *rows);
	for (uint32_t i = 0; i < n; i++)
		rows[i] = (struct trace_cpu){
		        .cpu = i, .missing = d->s.quality.partial, .overrun = -1, .dropped = -1};
	for (size_t i = 0; i < b->cpus.n; i++) {
		rows[b->cpus.at[i].cpu].has_data = true;
		rows[b->cpus.at[i].cpu].missing = false;
	}
	for (size_t i = 0; i < d->stats.n; i++) {
		const struct dat_stat *s = &d->stats.at[i];

		if (strcmp(s->buffer, b->name) || s->cpu.cpu >= n)
			continue;
		rows[s->cpu.cpu].overrun = s->cpu.overrun;
		rows[s->cpu.cpu].late = s->cpu.overrun > 0;
		rows[s->cpu.cpu].dropped = s->cpu.dropped;
	}
	d->s.info.cpus = rows;
	d->s.info.n_cpu_rows = n;
}

static void fill_clock(struct dat *d)
{
	static const char *const ticks[] = {"counter", "x86-tsc", "ppc-tb"};
	const struct dat_buffer *b = &d->buffers.at[d->s.info.buffer];
	struct trace_info *i = &d->s.info;

	i->clock = b->clock ? b->clock : d->clock;
	i->clock_is_ns = true;
	d->ticks_hz = 0;
	for (size_t k = 0; i->clock && k < sizeof ticks / sizeof *ticks; k++)
		if (!strcmp(i->clock, ticks[k])) {
			d->ticks_hz = d->s.opts.clock_hz;
			i->clock_is_ns = d->ticks_hz || d->mult;
		}
	if (!i->clock)
		source_note(&d->s, "the trace does not name its clock; taken as nanoseconds");
	d->add_ns = (int64_t)((uint64_t)d->offset_ns + (uint64_t)d->date_ns);
	if (d->add_ns > INT64_MAX / 4 || d->add_ns < INT64_MIN / 4)
		d->add_ns = 0;
	d->raw_is_time = !d->mult && !d->ticks_hz && !d->shift.n;
}

static void fill_info(struct dat *d)
{
	struct trace_info *i = &d->s.info;

	i->path = path(d);
	i->format = "trace.dat";
	i->version = d->version;
	i->endian = d->big ? "big" : "little";
	i->wrapper = input_wrapper(d->s.in);
	fill_buffers(d);
	fill_cpus(d);
	fill_clock(d);
}

static void close_dat(struct source *s)
{
	struct dat *d = (struct dat *)s;

	for (size_t i = 0; i < d->buffers.n; i++)
		vec_free(&d->buffers.at[i].cpus);
	for (size_t i = 0; i < d->extra.n; i++)
		input_close(d->extra.at[i]);
	vec_free(&d->extra);
	vec_free(&d->buffers);
	vec_free(&d->printk);
	vec_free(&d->names);
	vec_free(&d->stats);
	vec_free(&d->shift);
	free(d->by_id);
	free(d->ring_text);
}

/* Container, buffers, lanes. The page layout falls back to what the header says. */
static bool load(struct dat *d, struct err *e)
{
	struct reader r;
	bool ok;

	reader_init(&r, d->s.in, 0, false);
	ok = read_head(d, &r, e) && (d->version == 6 ? dat_v6(d, &r, e) : dat_v7(d, &r, e));
	reader_free(&r);
	if (!ok)
		return false;
	if (!d->has_ring) {
		if (d->ring_text_len)
			source_damage(&d->s, "the description of the page header makes no sense");
		ring_layout_parse("", 0, d->big, d->long_size, d->page_size, &d->ring);
	}
	if (!d->has_common)
		return err_input(e, "%s: no event format in it; nothing can be decoded", path(d));
	return true;
}

static bool has_data(const struct dat *d)
{
	for (size_t i = 0; i < d->buffers.n; i++)
		if (d->buffers.at[i].cpus.n)
			return true;
	return false;
}

/* `in` is a trace.dat, or one of the .cpuN files whose formats are in opts.head. */
static bool open_files(struct dat *d, struct input *in, struct err *e)
{
	uint8_t head[16];

	if (probe(head, input_read(in, 0, head, sizeof head))) {
		d->s.in = in;
		if (!load(d, e))
			return false;
		if (!has_data(d))
			dat_attach_cpu_files(d, input_name(in));
		return true;
	}
	*vec_add(&d->extra) = in;
	d->s.in = input_open(d->s.opts.head, NULL, e);
	if (!d->s.in || !load(d, e))
		return false;
	return dat_attach_cpu_files(d, input_name(in)) ||
	       err_input(e, "%s: not found under a name that ends in .cpuN", input_name(in));
}

static struct source *open_dat(struct input *in, const struct source_opts *o, struct err *e)
{
	struct dat *d = mem_calloc(1, sizeof *d);

	d->s.close = close_dat;
	d->s.opts = *o;
	source_want(&d->s, NULL);
	d->by_id = mem_calloc(UINT16_MAX + 1, sizeof(struct dat_type *));
	d->s.info.compression = "none";
	if (!open_files(d, in, e))
		goto fail;
	if (!d->states.preempted)
		state_bits_by_release(d->s.info.kernel, &d->states);
	if (!choose_buffer(d, e))
		goto fail;
	fill_info(d);
	open_lanes(d);
	find_shift(d);
	state_bits_tabulate(&d->states);
	return &d->s;
fail:
	source_close(&d->s);
	return NULL;
}

const struct source_format source_trace_dat = {"trace.dat", probe, open_dat};
