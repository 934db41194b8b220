/* One packet of a Perfetto trace: what its sequence says of it, the head of an ftrace bundle, and
 * whether it is worth decoding. Runs once per packet, in file order. */
#include "source/perfetto.h"

#include <stdlib.h>

/* The top-level fields of a packet. */
struct packet {
	struct pf_head head;
	uint32_t payload; /* number of the payload field; 0: none */
	const uint8_t *p;
	size_t n;
	const uint8_t *interned, *defaults;
	size_t interned_n, defaults_n;
	uint64_t flags, dropped, machine;
	bool cleared, first;
};

struct pf_sequence *pf_sequence_of(struct pf *p, uint32_t id)
{
	uint32_t i = map_get(&p->sequence_by, id, 0);

	if (!i) {
		vec_add(&p->sequences)->id = id;
		i = (uint32_t)p->sequences.n;
		map_put(&p->sequence_by, id, 0, i);
	}
	return &p->sequences.at[i - 1];
}

/* Packets without a sequence may come from several writers: those of compact scheduling are kept
 * apart from the others, so that each stream is in time order. */
static struct pf_stream *stream_of(struct pf *p, uint32_t seq, uint32_t cpu, bool compact)
{
	uint32_t i;

	compact &= !seq;
	i = map_get(&p->stream_by, seq, cpu << 1 | compact);
	if (!i) {
		*vec_add(&p->streams) =
		        (struct pf_stream){.seq = seq, .cpu = cpu, .compact = compact};
		i = (uint32_t)p->streams.n;
		map_put(&p->stream_by, seq, cpu << 1 | compact, i);
	}
	return &p->streams.at[i - 1];
}

/* ---- ftrace bundles ---- */

struct bundle {
	uint64_t cpu, clock, valid_from, events;
	int64_t ftrace, boot, first;
	bool has_cpu, lost, has_pair, has_first, error, compact;
};

/* The stamp of an event: its field 1. */
static bool event_stamp(const uint8_t *b, size_t n, int64_t *ts)
{
	struct wire w = wire_on(b, n);
	struct wire_field f;

	while (wire_next(&w, &f))
		if (f.num == 1 && f.type == WIRE_VARINT) {
			*ts = (int64_t)f.value;
			return true;
		}
	return false;
}

static void first_is(struct bundle *b, int64_t ts)
{
	if (!b->has_first || ts < b->first)
		b->first = ts;
	b->has_first = true;
}

static uint64_t varints(const uint8_t *p, size_t n)
{
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += p[i] < 0x80;
	return count;
}

/* Of compact scheduling: how many events it has, and the first elements of its two chains of
 * stamps. */
static void compact_stamps(struct bundle *b, const uint8_t *p, size_t n)
{
	struct wire w = wire_on(p, n);
	struct wire_field f;
	bool had[2] = {false, false};

	while (wire_next(&w, &f)) {
		int chain = f.num == 1 ? 0 : f.num == 7 ? 1 : -1;
		struct wire array;

		if (chain < 0)
			continue;
		b->events += f.type == WIRE_BYTES ? varints(f.p, f.n) : 1;
		if (had[chain] || (f.type == WIRE_BYTES && !f.n))
			continue;
		array = wire_on(f.p, f.n);
		first_is(b, (int64_t)(f.type == WIRE_BYTES ? wire_varint(&array) : f.value));
		had[chain] = true;
	}
}

static bool read_bundle(struct pf *p, const uint8_t *bytes, size_t n, struct bundle *b)
{
	struct wire w = wire_on(bytes, n);
	struct wire_field f;
	int64_t ts;

	*b = (struct bundle){0};
	while (wire_next(&w, &f)) {
		switch (f.num) {
		case 1:
			b->cpu = f.value;
			b->has_cpu = true;
			break;
		case 2:
			b->events++;
			if (!b->has_first && event_stamp(f.p, f.n, &ts))
				first_is(b, ts);
			break;
		case 3:
			b->lost = f.value;
			break;
		case 4:
			b->compact = true;
			if (f.type == WIRE_BYTES)
				compact_stamps(b, f.p, f.n);
			break;
		case 5:
			b->clock = f.value;
			break;
		case 6:
			b->ftrace = (int64_t)f.value;
			break;
		case 7:
			b->boot = (int64_t)f.value;
			b->has_pair = true;
			break;
		case 8:
			b->error = true;
			break;
		case 9:
		case 10:
			b->valid_from = f.value;
			break;
		case 11:
			if (f.type == WIRE_BYTES)
				pf_cold_generic(p, f.p, f.n);
			break;
		default:
			break;
		}
	}
	return !w.bad;
}

bool pf_spool(struct pf *p, const uint8_t *b, size_t n, uint64_t *off)
{
	if (!p->spool)
		p->spool = spool_open(input_name(p->s.in), p->s.ahead, p->e);
	if (!p->spool) {
		p->failed = true;
		return false;
	}
	*off = PF_SPOOLED | spool_at(p->spool);
	return spool_add(p->spool, b, n);
}

size_t pf_read(const struct pf *p, uint64_t off, void *buf, size_t n)
{
	const struct input *in = off & PF_SPOOLED ? spool_input(p->spool) : p->s.in;

	return input_read(in, off & ~PF_SPOOLED, buf, n);
}

static bool ftrace(struct pf *p, const struct packet *k, const uint8_t *packet, struct pf_place at)
{
	struct pf_sequence *q = pf_sequence_of(p, k->head.seq);
	struct pf_stream *s;
	struct pf_bundle *e;
	struct bundle b;
	uint64_t off = at.off + (uint64_t)(k->p - packet);

	if (!read_bundle(p, k->p, k->n, &b))
		return false;
	if (!b.has_cpu) {
		p->no_cpu++;
		return true;
	}
	if (b.cpu >= PF_CPUS_MAX) {
		p->bad_cpu++;
		return true;
	}
	if (b.has_pair && (!q->pairs.n || q->pairs.at[q->pairs.n - 1].ftrace != b.ftrace))
		*vec_add(&q->pairs) = (struct pf_pair){b.ftrace, b.boot};
	p->errors += b.error;
	s = stream_of(p, k->head.seq, (uint32_t)b.cpu, b.compact);
	if (!s->bundles.n)
		s->valid_from = (int64_t)b.valid_from;
	q->events += b.events;
	if (b.clock > PF_MONO_RAW || b.clock == PF_UNKNOWN_CLOCK) {
		p->unknown_clock++;
		return true;
	}
	if (!b.has_first && !b.lost && !b.error)
		return true; /* pages were read in which this writer wanted nothing */
	if (at.inflated && !pf_spool(p, k->p, k->n, &off))
		return true;
	e = vec_add(&s->bundles);
	*e = (struct pf_bundle){.off = off,
	                        .first = b.has_first ? b.first : INT64_MIN,
	                        .len = (uint32_t)k->n,
	                        .hole = (uint16_t)(p->holes + q->losses),
	                        .clock = (uint8_t)b.clock,
	                        .flags = (uint8_t)((b.lost ? PF_LOST : 0) |
	                                           (b.error ? PF_ERROR : 0) |
	                                           (b.compact ? PF_COMPACT : 0))};
	if (!b.has_first && s->bundles.n > 1)
		e->first = s->bundles.at[s->bundles.n - 2].first;
	return true;
}

/* ---- packets ---- */

/* Fields that are not the payload, and payloads that come beside another one. */
static bool is_payload(const struct wire_field *f)
{
	return f->type == WIRE_BYTES && f->num != PKT_INTERNED && f->num != PKT_DEFAULTS;
}

/* The fields whose wire type the format fixes. */
static bool fits(const struct wire_field *f)
{
	switch (f->num) {
	case 3:
	case PKT_TIMESTAMP:
	case PKT_SEQUENCE:
	case PKT_SEQUENCE_FLAGS:
	case PKT_CLEARED:
	case PKT_DROPPED:
	case PKT_CLOCK_ID:
	case 79:
	case PKT_FIRST:
	case PKT_MACHINE:
		return f->type == WIRE_VARINT;
	case PKT_FTRACE:
	case PKT_PROCESS_TREE:
	case PKT_CLOCK_SNAPSHOT:
	case PKT_SYS_STATS:
	case PKT_TRACK_EVENT:
	case PKT_INTERNED:
	case PKT_TRACE_CONFIG:
	case PKT_FTRACE_STATS:
	case PKT_TRACE_STATS:
	case PKT_SYNC:
	case PKT_SYSTEM_INFO:
	case PKT_DEFLATE:
	case PKT_DEFAULTS:
	case PKT_TRACK_DESCRIPTOR:
	case PKT_CPU_INFO:
	case PKT_SERVICE_EVENT:
	case PKT_FRAME_TIMELINE:
	case 89:
	case PKT_ZSTD:
		return f->type == WIRE_BYTES;
	default:
		return true;
	}
}

static bool read_packet(const uint8_t *b, size_t n, struct packet *k)
{
	struct wire w = wire_on(b, n);
	struct wire_field f;

	*k = (struct packet){0};
	while (wire_next(&w, &f)) {
		if (!fits(&f))
			return false;
		switch (f.num) {
		case PKT_TIMESTAMP:
			k->head.timestamp = f.value;
			k->head.has_timestamp = true;
			break;
		case PKT_CLOCK_ID:
			k->head.clock = (uint32_t)f.value;
			k->head.has_clock = true;
			break;
		case PKT_SEQUENCE:
			k->head.seq = (uint32_t)f.value;
			break;
		case PKT_SEQUENCE_FLAGS:
			k->flags = f.value;
			break;
		case PKT_CLEARED:
			k->cleared = f.value;
			break;
		case PKT_DROPPED:
			k->dropped = f.value;
			break;
		case PKT_FIRST:
			k->first = f.value;
			break;
		case PKT_MACHINE:
			k->machine = f.value;
			break;
		case PKT_INTERNED:
			k->interned = f.p;
			k->interned_n = f.n;
			break;
		case PKT_DEFAULTS:
			k->defaults = f.p;
			k->defaults_n = f.n;
			break;
		default:
			if (is_payload(&f) && (!k->payload || f.num < k->payload)) {
				k->payload = f.num;
				k->p = f.p;
				k->n = f.n;
			}
		}
	}
	return !w.bad;
}

/* What the packet does to the state of its sequence; false when it cannot be used. */
static bool sequence_state(struct pf *p, const struct packet *k)
{
	struct pf_sequence *q = pf_sequence_of(p, k->head.seq);
	bool was_seen = q->seen;

	if (!k->head.seq)
		return !(k->flags & 2);
	q->seen = true;
	if (k->cleared || k->flags & 1) {
		q->valid = true;
		q->default_clock = 0;
		q->default_track = 0;
		q->generation++;
	} else if (k->dropped) {
		q->valid = false;
	}
	if (k->dropped && was_seen && !k->first)
		q->losses++;
	if (k->flags & 2 && !q->valid) {
		q->unusable++;
		return false;
	}
	return true;
}

bool pf_packet(struct pf *p, const uint8_t *b, size_t n, struct pf_place at)
{
	struct packet k;

	if (!n)
		return true;
	if (!read_packet(b, n, &k))
		return false;
	p->count[k.payload < PKT_KINDS ? k.payload : 0]++;
	if (k.machine) { /* another machine's: kept apart */
		p->guests++;
		return true;
	}
	if (!sequence_state(p, &k))
		return true;
	if (k.defaults && k.head.seq)
		pf_cold(p, PKT_DEFAULTS, k.defaults, k.defaults_n, &k.head);
	if (k.interned && k.head.seq && pf_sequence_of(p, k.head.seq)->valid)
		pf_cold(p, PKT_INTERNED, k.interned, k.interned_n, &k.head);
	if (!k.head.has_clock)
		k.head.clock = pf_sequence_of(p, k.head.seq)->default_clock;
	if (k.payload == PKT_FTRACE)
		return ftrace(p, &k, b, at);
	if (!pf_is_event(k.payload))
		return pf_cold(p, k.payload, k.p, k.n, &k.head);
	at.off += (uint64_t)(k.p - b);
	return pf_event(p, k.payload, k.p, k.n, &k.head, at);
}

/* ---- the whole ---- */

static int by_first(const void *a, const void *b)
{
	const struct pf_bundle *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->off > y->off) - (x->off < y->off);
}

static int by_ftrace(const void *a, const void *b)
{
	const struct pf_pair *x = a, *y = b;

	return (x->ftrace > y->ftrace) - (x->ftrace < y->ftrace);
}

static int by_cpu(const void *a, const void *b)
{
	const struct pf_stream *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->compact - y->compact;
}

static bool same_bytes(struct pf *p, const struct pf_bundle *a, const struct pf_bundle *b)
{
	uint8_t *x, *y;
	bool same;

	if (a->len != b->len || a->first != b->first || a->first == INT64_MIN)
		return false;
	x = mem_calloc(2, a->len);
	y = x + a->len;
	same = pf_read(p, a->off, x, a->len) == a->len && pf_read(p, b->off, y, b->len) == b->len &&
	       !memcmp(x, y, a->len);
	free(x);
	return same;
}

/* The same bundle twice, one behind the other in time order: copied packets. */
static void drop_copies(struct pf *p, struct pf_stream *s)
{
	for (size_t i = 1; i < s->bundles.n; i++)
		if (same_bytes(p, &s->bundles.at[i - 1], &s->bundles.at[i])) {
			s->bundles.at[i].flags |= PF_DUPLICATE;
			p->duplicates++;
		}
}

static bool in_order(const struct pf_stream *s)
{
	for (size_t i = 1; i < s->bundles.n; i++)
		if (s->bundles.at[i].first < s->bundles.at[i - 1].first)
			return false;
	return true;
}

/* The flag for lost events is always set on some vendor kernels. When the kernel's own counters say
 * that nothing was lost and the events of the file are all that were read, it is not believed. */
static bool nothing_lost(const struct pf_sequence *q)
{
	return q->phase[0] && q->phase[1] && !q->lost && q->read[1] - q->read[0] == q->events;
}

static void clear_lost(struct pf *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->streams.n; i++) {
		struct pf_stream *s = &p->streams.at[i];

		if (!nothing_lost(pf_sequence_of(p, s->seq)))
			continue;
		for (size_t k = 0; k < s->bundles.n; k++) {
			n += s->bundles.at[k].flags & PF_LOST;
			s->bundles.at[k].flags &= (uint8_t)~PF_LOST;
		}
	}
	if (n)
		source_note(&p->s,
		            "%llu bundles say that events were lost before them; the kernel's "
		            "counters say that none were, and are believed",
		            (unsigned long long)n);
}

void pf_resolve(struct pf *p)
{
	if (p->streams.n)
		qsort(p->streams.at, p->streams.n, sizeof *p->streams.at, by_cpu);
	for (size_t i = 0; i < p->streams.n; i++) {
		struct pf_stream *s = &p->streams.at[i];

		if (!in_order(s)) /* not empty, then */
			qsort(s->bundles.at, s->bundles.n, sizeof *s->bundles.at, by_first);
		drop_copies(p, s);
		if (i && s[-1].cpu == s->cpu && s[-1].seq != s->seq)
			s->shared = s[-1].shared = true;
		if (s->valid_from > p->valid_from)
			p->valid_from = s->valid_from;
	}
	for (size_t i = 0; i < p->sequences.n; i++) {
		struct pf_sequence *q = &p->sequences.at[i];

		if (q->pairs.n)
			qsort(q->pairs.at, q->pairs.n, sizeof *q->pairs.at, by_ftrace);
	}
	clear_lost(p);
}
