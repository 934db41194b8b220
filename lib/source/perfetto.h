/* Inside of the Perfetto reader, shared by its files:
 *
 *   perfetto.c         opening, what is known of the trace
 *   perfetto_index.c   the one pass over the file: packets, compression, damage
 *   perfetto_packet.c  one packet: sequences, bundle heads, what the cold packets say
 *   perfetto_clock.c   clock snapshots and conversion
 *   perfetto_type.c    event types: perfetto.def and generic events bound to event.def
 *   perfetto_lane.c    bundles of one CPU to events (the hot path)
 *   perfetto_compact.c compact scheduling
 *   perfetto_cold.c    packets that say something of the whole trace, by protobuf-c
 *   perfetto_event.c   packets that are events: frame timeline, track events, samples */
#ifndef PELTIER_SOURCE_PERFETTO_H
#define PELTIER_SOURCE_PERFETTO_H

#include "base/map.h"
#include "base/spool.h"
#include "source/source_impl.h"
#include "source/state_bits.h"
#include "source/wire.h"

enum {
	PF_CPUS_MAX = 4096,
	PF_PACKET_MAX = 16 << 20, /* larger ones are left out */
	PF_COLD_MAX = 1 << 20,    /* decoded by protobuf-c, which may need many times as much */
	PF_FIELDS = 32,           /* fields of an event type that can be bound */
	PF_GENERIC = 65536,       /* numbers of self-describing events begin here */
	PF_GENERIC_MAX = 4096,    /* so many of them */
	PF_FIXED = 1024,          /* fixed numbers are below this */
	PF_GENERIC_OLD = 327,     /* the event that carries its own names */
	PF_SLACK = 32,            /* readable bytes behind a block */
};

/* A copy of TracePacket's numbers, as far as they are used. */
enum pf_packet {
	PKT_FTRACE = 1,
	PKT_PROCESS_TREE = 2,
	PKT_CLOCK_SNAPSHOT = 6,
	PKT_SYS_STATS = 7,
	PKT_TIMESTAMP = 8,
	PKT_SEQUENCE = 10,
	PKT_TRACK_EVENT = 11,
	PKT_INTERNED = 12,
	PKT_SEQUENCE_FLAGS = 13,
	PKT_TRACE_CONFIG = 33,
	PKT_FTRACE_STATS = 34,
	PKT_TRACE_STATS = 35,
	PKT_SYNC = 36,
	PKT_BATTERY = 38,
	PKT_POWER_RAILS = 40,
	PKT_CLEARED = 41,
	PKT_DROPPED = 42,
	PKT_SYSTEM_INFO = 45,
	PKT_DEFLATE = 50,
	PKT_CLOCK_ID = 58,
	PKT_DEFAULTS = 59,
	PKT_TRACK_DESCRIPTOR = 60,
	PKT_CPU_INFO = 67,
	PKT_SERVICE_EVENT = 69,
	PKT_FRAME_TIMELINE = 76,
	PKT_FIRST = 87,
	PKT_MACHINE = 98,
	PKT_ZSTD = 133,
	PKT_KINDS = 256, /* counted by number below this */
};

/* ---- clocks ---- */

enum { CLOCK_REAL = 1, CLOCK_MONO = 3, CLOCK_MONO_RAW = 5, CLOCK_BOOT = 6, CLOCK_FILE = 11 };
enum { CLOCK_SEQUENCE = 64, CLOCK_GLOBAL = 128 };

/* Whether the clock belongs to one sequence. */
static inline bool clock_is_own(uint32_t id)
{
	return id >= CLOCK_SEQUENCE && id < CLOCK_GLOBAL;
}

struct clock_reading {
	int64_t ns;
	uint32_t clock, snap; /* into clocks and snaps */
	uint32_t before;      /* 1 + the reading of the clock before this one; 0: none */
};

struct clock_snap {
	uint32_t first, n; /* into readings */
	bool used;         /* by clocks_resolve() */
};

/* From a time on, the distance to another clock. */
struct clock_step {
	int64_t from, add;
};

struct clock {
	uint32_t id, seq; /* seq 0 unless the clock belongs to one */
	uint32_t last;    /* 1 + its last reading; 0: none */
	uint32_t readings;
	uint64_t unit; /* ns */
	uint64_t used; /* times of this clock in the trace */
	bool incremental;
	bool set_back; /* a time of it cannot tell which snapshot it belongs to */
	/* of clocks_resolve(): */
	bool joined; /* to the trace clock, */
	uint8_t hops;
	uint32_t next;               /* by this clock, */
	VEC(struct clock_step) step; /* to which it has this distance */
};

struct clocks {
	VEC(struct clock) list;
	struct map by_id;
	VEC(struct clock_reading) readings;
	VEC(struct clock_snap) snaps;
	uint32_t trace; /* clock of all times; 0: not known yet, times are taken as they are */
	unsigned bad;   /* readings left out: twice in one snapshot, or changing their unit */
};

/* The clock, made when it is new. */
struct clock *clocks_at(struct clocks *c, uint32_t id, uint32_t seq);
/* One more reading of the snapshot; readings are in file order. */
void clocks_add(struct clocks *c, const struct clock *as, int64_t ns);
enum clocks_result {
	CLOCKS_GOOD,
	CLOCKS_JOINED, /* the trace clock is behind an earlier snapshot: recordings of one boot, in
	                  another order */
	CLOCKS_RESTARTED, /* it is, and starts anew: another boot or device */
};

/* The snapshot is complete. Unless CLOCKS_GOOD it is not used. */
enum clocks_result clocks_end(struct clocks *c, uint32_t primary);
/* All snapshots are there: find the way from each clock to the trace clock. */
void clocks_resolve(struct clocks *c);
/* After clocks_resolve(): ns of clock (id, seq) to ns of the trace clock. False when no snapshots
 * connect them. */
bool clocks_convert(const struct clocks *c, uint32_t id, uint32_t seq, int64_t ns, int64_t *out);
/* The last reading of the clock so far, in ns; false when there is none. */
bool clocks_last(const struct clocks *c, uint32_t id, uint32_t seq, int64_t *ns);
const char *clock_name(uint32_t id);
void clocks_free(struct clocks *c);

/* ---- event types ---- */

enum pf_form { PF_SKIP, PF_INT, PF_TEXT };

struct pf_field {
	uint16_t dst; /* in struct event */
	uint8_t form; /* enum pf_form */
	uint8_t bit;  /* in event.has */
};

struct pf_type {
	uint16_t kind, type; /* enum event_kind; index into source.types */
	uint32_t all;        /* event.has when every field is there */
	struct pf_field field[PF_FIELDS];
};

#define TS_LIMIT (INT64_MAX / 2) /* of stamps, so that their differences cannot overflow */
#define SPAN_LIMIT (1ull << 56)  /* ns; no trace is longer */

/* ---- streams ---- */

#define PF_SPOOLED (1ull << 63) /* of an offset: in the spool, not in the file */

enum pf_ftrace_clock { PF_BOOT, PF_UNKNOWN_CLOCK, PF_GLOBAL, PF_LOCAL, PF_MONO_RAW };
enum pf_bundle_flags { PF_LOST = 1, PF_ERROR = 2, PF_DUPLICATE = 4, PF_COMPACT = 8 };

struct pf_bundle {
	uint64_t off;
	int64_t first; /* stamp of its first event, as recorded */
	uint32_t len;
	uint16_t hole; /* losses of the sequence and holes of the file before it */
	uint8_t clock; /* enum pf_ftrace_clock */
	uint8_t flags;
};

struct pf_pair {
	int64_t ftrace, boot;
};

/* The bundles of one CPU by one writer: in time order after the index is complete. */
struct pf_stream {
	uint32_t seq, cpu;
	VEC(struct pf_bundle) bundles;
	int64_t valid_from; /* all its data is there from here on; 0: from the start */
	bool shared;        /* another sequence has the same CPU */
	bool compact;       /* see stream_of() */
};

struct pf_sequence {
	uint32_t id;
	bool seen, valid;
	uint64_t unusable; /* packets that need a state which is not there */
	uint16_t losses;
	uint32_t default_clock;
	uint64_t default_track;
	uint32_t generation;       /* of its interned strings: the state was cleared so often */
	VEC(struct pf_pair) pairs; /* ftrace clock to boot, by ftrace time */
	/* of FtraceStats, summed over the CPUs: start and end */
	uint64_t read[2];
	bool phase[2];
	uint64_t lost;   /* overrun and dropped, end minus start, over all CPUs */
	uint64_t events; /* in its bundles */
};

/* The last events of a CPU that several sequences write: what another one wrote is a copy. */
enum { PF_RECENT = 16 };
struct pf_recent {
	int64_t ts;
	unsigned n;
	uint32_t seq[PF_RECENT];
	uint64_t hash[PF_RECENT];
};

/* Of the kernel's buffer when the recording began. */
struct pf_counters {
	uint64_t overrun, dropped;
	bool seen;
};

/* What cpu_info tells of a CPU; 0: nothing. */
struct pf_told {
	int32_t capacity;
	int64_t top_khz;
};

/* Losses in the recorder's own buffers. */
struct pf_stats {
	uint64_t overwritten, discarded, packet_loss, patches_failed;
	bool flush_failed;
};

/* A packet that is one or more events. */
struct pf_cold {
	int64_t ts;   /* of `clock` until pf_resolve(), then of the trace clock */
	uint64_t off; /* of its payload */
	uint32_t len, clock, seq;
	uint32_t extra; /* of a track event or rail; of an idle state 1 + its CPU's place */
	uint16_t part;  /* which of its events */
	uint8_t field;  /* of TracePacket */
};

/* What the sequence says of a track event. */
struct pf_extra {
	uint64_t track;
	const char *name; /* interned, or NULL */
	double value;     /* of a counter, summed when it is incremental */
};

/* A sample of a rail: the packets hold many, whose times need not be in order. */
struct pf_energy {
	uint64_t session, uws;
	uint32_t rail;
};

struct pf_track {
	uint64_t parent;  /* uuid */
	const char *name; /* or NULL */
	int64_t multiplier;
	int32_t pid, tid; /* 0: not told */
	bool incremental;
};

/* The sum of an incremental clock or counter. */
struct pf_sum {
	int64_t base, ns;
	double value;
};

/* Sums by sequence and clock id, or uuid of the track. */
struct pf_sums {
	VEC(struct pf_sum) list;
	struct map by;
};

struct pf {
	struct source s;
	struct spool *spool; /* inflated packets, or NULL */
	struct err *e;       /* while opening: why the spool cannot be written */
	bool failed;         /* that happened */
	bool deflate, zstd;  /* there are such packets */

	struct clocks clocks;
	VEC(struct pf_sequence) sequences;
	struct map sequence_by;
	VEC(struct pf_stream) streams;
	struct map stream_by; /* until pf_resolve() */
	uint16_t holes;       /* damaged places so far */

	uint64_t count[PKT_KINDS]; /* packets by their payload field */
	uint64_t no_cpu, bad_cpu, guests;
	uint64_t unknown_clock;  /* bundles */
	uint64_t errors;         /* pages that the recorder could not parse */
	int64_t started;         /* tracing_started, boot ns; 0: not told */
	int64_t valid_from;      /* all CPUs have all data from here on */
	int64_t earliest;        /* see pf_near() */
	uint32_t unusable_clock; /* a clock id that cannot be converted, and how many packets */
	uint64_t unusable_clock_packets;
	bool joined, restarted; /* see enum clocks_result */

	struct pf_type *fixed[PF_FIXED];
	VEC(struct pf_type *) generic;
	VEC(struct pf_type *) named;         /* types of old generic events */
	VEC(struct pf_type *) packets_types; /* types of events that are packets */
	struct state_bits states;
	bool raw_states;              /* the bits that the kernel itself uses */
	bool keep_raw;                /* do not normalise task states */
	uint64_t no_state;            /* bits of prev_state that mean nothing */
	uint64_t misfits;             /* events with a payload where the format has none */
	VEC(struct pf_recent) recent; /* by CPU */

	VEC(struct trace_cpu) cpus;
	VEC(struct trace_name) names;
	VEC(struct trace_clock) clock_rows;
	VEC(struct pf_told) told; /* by place in /proc/cpuinfo, which is not the CPU number */
	VEC(struct pf_counters) counters;
	struct pf_stats stats;
	bool asked_ftrace; /* the configuration names linux.ftrace */

	VEC(struct pf_cold) cold;
	VEC(struct pf_extra) extras;
	VEC(struct pf_energy) energies;
	VEC(struct pf_track) tracks;
	struct map track_by;       /* uuid */
	VEC(const char *) strings; /* interned ones and names of rails */
	struct map string_by;      /* sequence << 32 | generation of its state, number */
	struct map rail_by;        /* session, index */
	struct pf_sums clock_sums, counter_sums;
	uint64_t duplicates; /* bundles left out */
};

/* Whether a time can belong to the trace: it is not a year from its other times. */
static inline bool pf_near(const struct pf *p, int64_t ts)
{
	return (uint64_t)ts - (uint64_t)p->earliest <= SPAN_LIMIT;
}

/* ---- perfetto_index.c ---- */
/* Walk the whole input. False with pf->e set when it cannot go on. */
bool pf_index(struct pf *p);
/* Whether the bytes begin like a Perfetto trace. */
bool pf_probe(const uint8_t *head, size_t n);

/* ---- perfetto_packet.c ---- */
/* Where the bytes of a packet can be read again. */
struct pf_place {
	uint64_t off;  /* of its first byte, in the file or (for inner packets) not yet known */
	bool inflated; /* it must be spooled to be read again */
};

/* Read back n bytes at an offset of the index; fewer when they are not there. */
size_t pf_read(const struct pf *p, uint64_t off, void *buf, size_t n);
/* Keep bytes that are not in the file; false when that fails. */
bool pf_spool(struct pf *p, const uint8_t *b, size_t n, uint64_t *off);
/* One packet (without its frame). False when it is damaged. */
bool pf_packet(struct pf *p, const uint8_t *b, size_t n, struct pf_place at);
struct pf_sequence *pf_sequence_of(struct pf *p, uint32_t id);
/* Order and check what the index found. */
void pf_resolve(struct pf *p);

/* ---- perfetto_cold.c ---- */
struct pf_head { /* what a packet says besides its payload */
	uint64_t timestamp;
	uint32_t clock, seq;
	bool has_timestamp, has_clock;
};

/* The payload `field` of a packet. False when it is damaged. */
bool pf_cold(struct pf *p, uint32_t field, const uint8_t *b, size_t n, const struct pf_head *h);
/* An allocator for protobuf-c over an arena. */
void *pf_allocate(void *arena, size_t n);
void pf_release(void *arena, void *p);
/* The row of a CPU, made when it is new; NULL: no such CPU is possible. */
struct trace_cpu *pf_cpu_row(struct pf *p, uint64_t cpu);
/* A self-describing event type: bundle field 11. */
void pf_cold_generic(struct pf *p, const uint8_t *b, size_t n);

/* ---- perfetto_event.c ---- */
/* Take note of a packet that is events (n bytes of payload). False when it is damaged. */
bool pf_event(struct pf *p, uint32_t field, const uint8_t *b, size_t n, const struct pf_head *h,
              struct pf_place at);
bool pf_is_event(uint32_t field);
/* The track with that uuid, or NULL. */
struct pf_track *pf_track_of(const struct pf *p, uint64_t uuid);
void pf_intern(struct pf *p, const struct pf_sequence *q, uint64_t iid, const uint8_t *text,
               size_t n);
/* Times to the trace clock, in order; what cannot be converted is left out. */
void pf_resolve_events(struct pf *p);
struct lane *pf_event_lane(struct pf *p);
void pf_events_free(struct pf *p);

/* ---- perfetto_type.c ---- */
/* The type of events that are packets, by name. */
struct pf_type *pf_type_packet(struct pf *p, const char *name);
struct pf_type *pf_type_fixed(struct pf *p, uint32_t id);
/* A self-describing type; field names by number. */
struct pf_type *pf_type_generic(struct pf *p, uint32_t id, const char *system, const char *name);
/* The type of an event number, made when it is new; NULL when there can be none. */
struct pf_type *pf_type_find(struct pf *p, uint64_t id);
struct pf_type *pf_type_named(struct pf *p, const char *name, size_t n);
/* Bind field `number` called name[0..n). */
void pf_type_bind(struct pf_type *t, uint32_t number, const char *name, size_t n);
/* The field of event.def for a name of that kind; form PF_SKIP when there is none. */
struct pf_field pf_field_find(enum event_kind kind, const char *name, size_t n);

/* ---- perfetto_compact.c ---- */
/* One switch or waking. */
struct pf_element {
	int64_t ts, state; /* state of a switch */
	int32_t pid, prio;
	uint32_t cpu, flags; /* of a waking: its target and context */
	struct str comm;     /* p NULL: not told */
};

struct pf_compact {
	VEC(struct pf_element) list[2]; /* switches, wakings */
	VEC(struct str) names;
};

void pf_compact_clear(struct pf_compact *c);
void pf_compact_free(struct pf_compact *c);
/* Read the message. False when its arrays do not fit together: what they have in common is there.
 */
bool pf_compact_read(struct pf_compact *c, const uint8_t *b, size_t n);

/* ---- perfetto_lane.c ---- */
struct lane *pf_lane_new(struct pf *p, const struct pf_stream *stream);

/* Order of the events in bundles of a stream (perfetto_sort.c). Zero-initialise. */
struct pf_order {
	size_t in_order; /* events looked at since the last that was not; enough of them are trusted
	                  */
	VEC(uint8_t) bytes;
};
/* The events of a bundle in order of time: as they are, or a copy in o->bytes; then the steps back
 * are counted. Compact fields are not in a copy. */
struct wire pf_in_order(struct pf_order *o, struct wire events, struct trace_quality *q);

#endif
