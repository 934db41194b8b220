/* Perfetto traces: opening, and what is known of the trace. */
#include "source/perfetto.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLE_EVENTS = 50000 };

static const char *path(const struct pf *p)
{
	return input_name(p->s.in);
}

/* ---- what it holds instead ---- */

static const char *packet_name(unsigned field)
{
	static const struct {
		uint8_t field;
		const char *name;
	} names[] = {
	        {PKT_FTRACE, "ftrace bundles"},
	        {PKT_PROCESS_TREE, "process trees"},
	        {9, "process statistics"},
	        {PKT_SYS_STATS, "system statistics"},
	        {PKT_TRACK_EVENT, "track events"},
	        {37, "heap profiles"},
	        {PKT_BATTERY, "battery samples"},
	        {39, "log messages"},
	        {PKT_POWER_RAILS, "power rail samples"},
	        {53, "GPU render stages"},
	        {56, "heap graphs"},
	        {57, "graphics frame events"},
	        {PKT_TRACK_DESCRIPTOR, "track descriptors"},
	        {66, "perf samples"},
	        {PKT_FRAME_TIMELINE, "frame timeline events"},
	        {84, "statsd atoms"},
	        {88, "network packets"},
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].field == field)
			return names[i].name;
	return NULL;
}

/* What the trace holds besides kernel events. */
static const char *contents(struct pf *p)
{
	char held[300] = "";
	size_t n = 0;

	for (unsigned i = 0; i < PKT_KINDS && n + 60 < sizeof held; i++)
		if (p->count[i] && i != PKT_FTRACE && packet_name(i))
			n += (size_t)snprintf(held + n, sizeof held - n, "%s%" PRIu64 " %s",
			                      n ? ", " : "", p->count[i], packet_name(i));
	return arena_str(&p->s.arena, held, n);
}

/* ---- what is known of the trace ---- */

static void fill_cpus(struct pf *p)
{
	uint32_t n = p->s.info.n_cpus;

	for (size_t i = 0; i < p->streams.n; i++)
		if (p->streams.at[i].cpu >= n)
			n = p->streams.at[i].cpu + 1;
	if (n)
		pf_cpu_row(p, n - 1);
	for (size_t i = 0; i < p->streams.n; i++) {
		const struct pf_stream *s = &p->streams.at[i];

		p->cpus.at[s->cpu].has_data |= s->bundles.n > 0;
		p->cpus.at[s->cpu].late |=
		        s->valid_from != 0 || (s->bundles.n && s->bundles.at[0].flags & PF_LOST);
	}
	for (size_t i = 0; i < p->cpus.n; i++) /* it may have had data in what is cut off */
		p->cpus.at[i].missing = !p->cpus.at[i].has_data && p->s.quality.partial;
	for (size_t i = 0; p->told.n == p->cpus.n && i < p->cpus.n; i++) {
		p->cpus.at[i].capacity = p->told.at[i].capacity;
		p->cpus.at[i].top_khz = p->told.at[i].top_khz;
	}
	if (p->told.n && p->told.n != p->cpus.n)
		source_note(&p->s,
		            "the trace describes %zu CPUs out of %zu and not which: capacities and "
		            "highest clocks are not used",
		            p->told.n, p->cpus.n);
	p->s.info.cpus = p->cpus.at;
	p->s.info.n_cpu_rows = (unsigned)p->cpus.n;
	p->s.info.n_cpus = (unsigned)p->cpus.n;
}

/* Rows of the clocks that are read or used. */
static void fill_clocks(struct pf *p)
{
	static const uint32_t ids[] = {[PF_BOOT] = CLOCK_BOOT, [PF_MONO_RAW] = CLOCK_MONO_RAW};

	struct clocks *c = &p->clocks;
	int64_t t;

	for (size_t i = 0; i < p->cold.n; i++)
		if (p->cold.at[i].clock)
			clocks_at(c, p->cold.at[i].clock, p->cold.at[i].seq)->used++;
	if (p->unusable_clock_packets)
		clocks_at(c, p->unusable_clock, 0)->used += p->unusable_clock_packets;
	for (size_t i = 0; i < p->streams.n; i++)
		for (size_t k = 0; k < p->streams.at[i].bundles.n; k++) {
			uint8_t clock = p->streams.at[i].bundles.at[k].clock;

			if (clock == PF_BOOT || clock == PF_MONO_RAW)
				clocks_at(c, ids[clock], 0)->used++;
		}
	for (size_t i = 0; i < c->list.n; i++) {
		const struct clock *k = &c->list.at[i];

		if (k->readings || k->used)
			*vec_add(&p->clock_rows) = (struct trace_clock){
			        .id = k->id,
			        .sequence = k->seq,
			        .name = clock_name(k->id),
			        .snapshots = k->readings,
			        .used = k->used,
			        .is_trace = k->id == c->trace && !k->seq,
			        .joined = clocks_convert(c, k->id, k->seq, INT64_MAX / 4, &t)};
	}
	p->s.info.clocks = p->clock_rows.at;
	p->s.info.n_clocks = (unsigned)p->clock_rows.n;
}

static void fill_info(struct pf *p)
{
	struct trace_info *i = &p->s.info;
	struct trace_buffer *b = arena_alloc(&p->s.arena, sizeof *b);

	i->path = path(p);
	i->format = "perfetto";
	i->version = 0;
	i->endian = "little";
	i->compression = p->deflate ? p->zstd ? "deflate+zstd" : "deflate"
	                 : p->zstd  ? "zstd"
	                            : "none";
	i->wrapper = input_wrapper(p->s.in);
	i->clock = clock_name(p->clocks.snaps.n ? p->clocks.trace : CLOCK_FILE);
	i->clock_is_ns = true;
	fill_cpus(p);
	fill_clocks(p);
	*b = (struct trace_buffer){"", i->clock, 0, true};
	for (size_t k = 0; k < p->cpus.n; k++)
		b->n_cpus += p->cpus.at[k].has_data;
	i->buffers = b;
	i->n_buffers = 1;
	source_set_names(&p->s, p->names.at, p->names.n);
	i->has_waking = true;
	i->contents = contents(p);
	i->no_events = p->asked_ftrace ? "linux.ftrace was asked for and delivered nothing"
	                               : "linux.ftrace was not recorded";
}

/* ---- quality ---- */

static void count_note(struct pf *p, uint64_t n, const char *what)
{
	if (n)
		source_note(&p->s, "%" PRIu64 " %s", n, what);
}

static void count_damage(struct pf *p, uint64_t n, const char *what)
{
	if (n)
		source_damage(&p->s, "%" PRIu64 " %s", n, what);
}

static void tell_quality(struct pf *p)
{
	const struct pf_stats *t = &p->stats;

	count_damage(p, p->no_cpu, "ftrace bundles do not say of which CPU they are: left out");
	count_damage(p, p->bad_cpu, "ftrace bundles name a CPU above 4095: left out");
	count_damage(p, p->unknown_clock,
	             "ftrace bundles are on a clock that cannot be converted: left out");
	if (p->unusable_clock_packets)
		source_damage(&p->s,
		              "%" PRIu64 " packets are on clock %u (%s), which no clock snapshot "
		              "joins to the others: left out",
		              p->unusable_clock_packets, p->unusable_clock,
		              clock_name(p->unusable_clock));
	count_damage(p, p->errors, "ftrace bundles have pages that the recorder could not parse");
	count_note(p, p->guests, "packets are of another machine: left out");
	count_note(
	        p, p->clocks.bad,
	        "clock readings make no sense (twice in one snapshot, no sequence, changed unit)");
	p->s.quality.duplicates += p->duplicates;
	for (size_t i = 0; i < p->sequences.n; i++)
		if (p->sequences.at[i].unusable)
			source_damage(&p->s,
			              "%" PRIu64 " packets of sequence %u are unusable: the state "
			              "they refer to was overwritten or lost",
			              p->sequences.at[i].unusable, p->sequences.at[i].id);
	if (t->overwritten)
		source_note(&p->s,
		            "%" PRIu64
		            " chunks of the recorder's ring buffers were overwritten: the "
		            "beginning is missing",
		            t->overwritten);
	count_note(p, t->discarded,
	           "chunks did not fit into the recorder's buffers: the end is missing");
	count_note(p, t->packet_loss, "packets were lost by their writers");
	count_note(p, t->patches_failed, "patches of the recorder failed: packets are missing");
	if (t->flush_failed)
		source_note(&p->s, "the last flush failed: the last seconds may be incomplete");
	if (p->restarted)
		source_damage(&p->s,
		              "recordings of different boots are joined in the file: their times "
		              "overlap and cannot be told apart; split it");
	else if (p->joined)
		source_note(&p->s,
		            "recordings are joined in the file, a later one before an earlier");
	if (p->s.info.sessions > 1)
		source_note(&p->s, "%u recordings in one file", p->s.info.sessions);
	if (!p->clocks.snaps.n)
		source_note(&p->s, "no clock snapshot: times are taken as they are");
	if (p->valid_from)
		source_note(
		        &p->s,
		        "the recorder overwrote the beginning: every CPU has data from %.6f s on",
		        (double)p->valid_from / 1e9);
	if (!p->s.info.kernel)
		source_note(&p->s, p->raw_states
		                           ? "the kernel is not told; task states are raw kernel "
		                             "values"
		                           : "the kernel is not told: task states are read as "
		                             "those of 4.14 or later");
}

/* ---- task states ---- */

/* What recorders inside the kernel write: its own bits, which it never shows to others. */
static void raw_state_bits(struct state_bits *b)
{
	*b = (struct state_bits){.map = {TS_INTERRUPTIBLE, TS_UNINTERRUPTIBLE, TS_STOPPED,
	                                 TS_TRACED, TS_DEAD, TS_ZOMBIE, TS_PARKED, TS_DEAD},
	                         .noload = 0x400};
}

/* The index instead of a bit, on 4.14 without a later fix. */
static void index_states(struct state_bits *b)
{
	static const uint16_t states[] = {TS_RUNNABLE, TS_INTERRUPTIBLE, TS_UNINTERRUPTIBLE,
	                                  TS_STOPPED,  TS_TRACED,        TS_DEAD,
	                                  TS_ZOMBIE,   TS_PARKED,        TS_IDLE};

	b->preempted = 0x1000;
	for (size_t v = 0; v < STATE_BITS_TABLE; v++)
		b->table[v] = v < sizeof states / sizeof *states ? states[v] : 0;
}

static void open_lanes(struct pf *p)
{
	struct lane **lanes = mem_calloc(p->streams.n + 1, sizeof(struct lane *));
	uint32_t n = 0;

	for (; n < p->streams.n; n++)
		lanes[n] = pf_lane_new(p, &p->streams.at[n]);
	if (p->cold.n)
		lanes[n++] = pf_event_lane(p);
	merge_init(&p->s.merge, lanes, n);
}

/* What the first events look like, as recorded. */
struct sample {
	uint64_t events, switches, nameless; /* nameless: switches to no task */
	uint64_t bits;                       /* of all prev_state */
	bool index;                          /* values below 9 that are no single bit */
	bool preempted;                      /* 0x100 alone: R+ */
};

static struct sample look(struct pf *p)
{
	struct trace_quality before = p->s.quality;
	size_t notes = p->s.notes.n;
	struct sample seen = {0};
	const struct event *ev;

	p->keep_raw = true;
	for (; seen.events < SAMPLE_EVENTS && (ev = source_next(&p->s)); seen.events++) {
		uint64_t v =
		        ev->kind == EV_sched_switch ? (uint64_t)ev->sched_switch.prev_state : 0;

		seen.bits |= v;
		seen.index |= v & (v - 1) && v < 9;
		seen.preempted |= v == 0x100;
		seen.switches += ev->kind == EV_sched_switch;
		seen.nameless +=
		        ev->kind == EV_sched_switch && !event_has(ev, sched_switch, next_pid);
	}
	p->keep_raw = false;
	merge_free(&p->s.merge); /* and from the beginning */
	vec_zero(&p->recent);
	p->s.quality = before;
	p->s.notes.n = notes;
	p->s.quality.notes = p->s.notes.at;
	open_lanes(p);
	return seen;
}

static void find_states(struct pf *p, const struct sample *seen)
{
	const char *release = p->s.info.kernel;
	unsigned major = 0, minor = 0;
	bool known = text_release(release, &major, &minor);

	state_bits_by_release(release, &p->states);
	state_bits_tabulate(&p->states);
	if (known && (major < 4 || (major == 4 && minor < 14)))
		return;
	p->no_state = ~0x1ffull;
	if (major == 4 && minor == 14 && !(seen->bits & 0x1f0) && seen->index) {
		index_states(&p->states);
		p->no_state = 0;
		source_note(&p->s, "this 4.14 kernel writes task states as numbers, not bits");
	} else if (seen->bits & (known ? 0xfe00 : 0xe000) && !seen->preempted) {
		raw_state_bits(&p->states);
		state_bits_tabulate(&p->states);
		p->raw_states = true;
		p->no_state = 0;
	} else if (!known && seen->bits & 0x1e00) {
		source_note(&p->s,
		            "the kernel is not told, and its task states have bits of kernels "
		            "before 4.14: blocked states are doubtful");
	}
}

/* A vendor's fork that numbers its events differently gives plausible nonsense: such events are
 * counted and not used. Markers are the same everywhere. */
static void check_numbers(struct pf *p, const struct sample *seen)
{
	if (p->misfits * 10 <= seen->events && seen->nameless * 2 <= seen->switches)
		return;
	source_damage(&p->s,
	              "the event numbers of this file do not fit the public schema (%" PRIu64
	              " payloads where there are none, %" PRIu64 " of %" PRIu64
	              " switches to no task): only markers are used",
	              p->misfits, seen->nameless, seen->switches);
	for (uint32_t id = 0; id < PF_FIXED; id++) {
		struct pf_type *t = pf_type_fixed(p, id);

		if (!t || t->kind == EV_print)
			continue;
		t->kind = EV_other;
		p->s.types.at[t->type].kind = EV_other;
	}
}

/* ---- opening ---- */

static void close_pf(struct source *s)
{
	struct pf *p = (struct pf *)s;

	for (size_t i = 0; i < p->streams.n; i++)
		vec_free(&p->streams.at[i].bundles);
	for (size_t i = 0; i < p->sequences.n; i++)
		vec_free(&p->sequences.at[i].pairs);
	vec_free(&p->streams);
	vec_free(&p->sequences);
	vec_free(&p->generic);
	vec_free(&p->named);
	vec_free(&p->cpus);
	vec_free(&p->names);
	vec_free(&p->told);
	vec_free(&p->counters);
	vec_free(&p->recent);
	vec_free(&p->clock_rows);
	vec_free(&p->packets_types);
	pf_events_free(p);
	clocks_free(&p->clocks);
	map_free(&p->sequence_by);
	map_free(&p->stream_by);
	spool_close(p->spool);
}

/* Times of the trace lie around its first clock snapshot, else around its first stamp. */
static void find_span(struct pf *p)
{
	int64_t t;
	bool known = clocks_last(&p->clocks, p->clocks.trace, 0, &t);

	for (size_t i = 0; !known && !t && i < p->streams.n; i++)
		for (size_t k = 0; !t && k < p->streams.at[i].bundles.n; k++)
			if (p->streams.at[i].bundles.at[k].first != INT64_MIN)
				t = p->streams.at[i].bundles.at[k].first;
	if (!t && p->cold.n)
		t = p->cold.at[0].ts;
	t = t > TS_LIMIT ? TS_LIMIT : t < -TS_LIMIT ? -TS_LIMIT : t;
	p->earliest = t - (int64_t)(SPAN_LIMIT / 2);
}

static bool load(struct pf *p, struct err *e)
{
	struct sample seen;

	p->e = e;
	if (input_is_file(p->s.in))
		p->s.ahead = ahead_new();
	if (!pf_index(p))
		return false;
	pf_resolve(p);
	clocks_resolve(&p->clocks);
	if (p->started && !clocks_convert(&p->clocks, CLOCK_BOOT, 0, p->started, &p->started))
		p->started = 0;
	find_span(p);
	pf_resolve_events(p);
	fill_info(p);
	vec_fit(&p->recent, p->cpus.n);
	open_lanes(p);
	seen = look(p);
	find_states(p, &seen);
	check_numbers(p, &seen);
	tell_quality(p);
	return true;
}

static struct source *open_pf(struct input *in, const struct source_opts *o, struct err *e)
{
	struct pf *p = mem_calloc(1, sizeof *p);

	p->s.close = close_pf;
	p->s.in = in;
	p->s.opts = *o;
	if (o->buffer && *o->buffer) {
		err_input(e, "%s: a Perfetto trace has no buffer %s", input_name(in), o->buffer);
		source_close(&p->s);
		return NULL;
	}
	source_want(&p->s, NULL);
	if (load(p, e))
		return &p->s;
	source_close(&p->s);
	return NULL;
}

const struct source_format source_perfetto = {"perfetto", pf_probe, open_pf};
