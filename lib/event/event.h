/* Waist 1: one event, whatever format it came from.
 *
 * The kinds and fields are listed in event.def. Strings point into the reader's window and are
 * valid until the next event is asked for. */
#ifndef PELTIER_EVENT_EVENT_H
#define PELTIER_EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Text or bytes where the record has them. Text ends at the first NUL or after n bytes: finding
 * its length is left to those who need it. */
struct str {
	const char *p;
	size_t n;
};

/* Length of a text. */
static inline size_t str_len(struct str s)
{
	const char *nul = s.n ? memchr(s.p, 0, s.n) : NULL;

	return nul ? (size_t)(nul - s.p) : s.n;
}

enum event_kind {
	EV_other, /* not in event.def: counted by name, its pid and time are good */
	EV_lost,  /* events are missing on this CPU from here to its next event */
#define EVENT(k, names) EV_##k,
#define INT(k, f, names)
#define STR(k, f, names)
#define RAW(k, f, names)
#define END(k)
#include "event/event.def"
	EVENT_KINDS
};

#define EVENT(k, names) struct ev_##k {
#define INT(k, f, names) int64_t f;
#define STR(k, f, names) struct str f;
#define RAW(k, f, names) struct str f;
#define REAL(k, f, names) double f;
#define END(k)                                                                                     \
	}                                                                                          \
	;
#include "event/event.def"

/* Bit numbers in event.has, one enum per kind: EVB_sched_switch_prev_pid, ... */
#define EVENT(k, names)                                                                            \
	enum evb_##k                                                                               \
	{
#define INT(k, f, names) EVB_##k##_##f,
#define STR(k, f, names) EVB_##k##_##f,
#define RAW(k, f, names) EVB_##k##_##f,
#define END(k)                                                                                     \
	}                                                                                          \
	;
#include "event/event.def"

/* sched_switch.prev_state after normalisation: the bits of kernels since 4.20, whatever the
 * recording kernel used. 0 is runnable. */
enum task_state_bits {
	TS_RUNNABLE = 0,
	TS_INTERRUPTIBLE = 0x01,
	TS_UNINTERRUPTIBLE = 0x02,
	TS_STOPPED = 0x04,
	TS_TRACED = 0x08,
	TS_DEAD = 0x10,
	TS_ZOMBIE = 0x20,
	TS_PARKED = 0x40,
	TS_IDLE = 0x80,
	TS_PREEMPTED = 0x100,
};

/* The context an event was written in (common_flags). */
enum event_flags {
	EVENT_AT_START = 0x01, /* EV_lost: before the CPU's first event */
	EVENT_HARDIRQ = 0x08,  /* the last three as in the kernel's common_flags */
	EVENT_SOFTIRQ = 0x10,
	EVENT_NMI = 0x40,
	EVENT_CONTEXT = EVENT_HARDIRQ | EVENT_SOFTIRQ | EVENT_NMI,
};

/* cpu of events that no CPU wrote */
#define EVENT_NO_CPU UINT32_MAX

/* frame_timeline.shape: numbers of the format */
enum frame_shape {
	FRAME_EXPECTED_DISPLAY = 1,
	FRAME_ACTUAL_DISPLAY,
	FRAME_EXPECTED_SURFACE,
	FRAME_ACTUAL_SURFACE,
	FRAME_END_OF, /* of the one with the same cookie */
};

/* track_event.type: numbers of the format */
enum track_event_type { TRACK_BEGIN = 1, TRACK_END, TRACK_INSTANT, TRACK_COUNTER };

struct ev_lost {
	int64_t count; /* -1: how many is not known */
};

/* The reader fills the head of every event, and the fields (has and the union) of those that are
 * wanted: see source_want(). */
struct event {
	int64_t ts;    /* ns of the trace clock */
	uint32_t cpu;  /* that wrote it; EVENT_NO_CPU */
	int32_t pid;   /* task that was current there; -1 not known */
	uint16_t kind; /* enum event_kind */
	uint16_t type; /* index into the source's event types (its name) */
	uint8_t flags; /* enum event_flags */
	uint32_t has;  /* bit per field: this record carries it */
	union {
		struct ev_lost lost;
#define EVENT(k, names) struct ev_##k k;
#define INT(k, f, names)
#define STR(k, f, names)
#define RAW(k, f, names)
#define END(k)
#include "event/event.def"
	};
};

/* Every field that `has` does not claim becomes 0 or empty, so that none is left over from an
 * earlier event. Readers do this. */
void event_clear_absent(struct event *ev);

#define event_has(ev, k, f) (((ev)->has >> EVB_##k##_##f) & 1)

/* What event.def says about a kind, for binding formats to fields. */
enum event_field_type { EVENT_FIELD_INT, EVENT_FIELD_STR, EVENT_FIELD_RAW, EVENT_FIELD_REAL };
struct event_field {
	const char *name;  /* as event.def calls it */
	const char *names; /* '|' between aliases, best first */
	enum event_field_type type;
	uint16_t offset; /* in struct event */
};
struct event_desc {
	const char *kind;
	const char *names;
	const struct event_field *fields; /* bit number = index */
	unsigned n_fields;
};

/* By enum event_kind. */
extern const struct event_desc event_desc[EVENT_KINDS];

/* The kind of the event called name[0..n), EV_other when event.def has none. */
enum event_kind event_kind_find(const char *name, size_t n);
/* How good name[0..n) is for a '|' list: 0 best, -1 not in it. */
int event_alias(const char *names, const char *name, size_t n);

#endif
