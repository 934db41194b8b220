/* Event formats: the text that the kernel gives for each event, parsed into a table of fields, and
 * that table bound to the fields of event.def.
 *
 * Only `field:` lines count (and the first lines for name and id): a print fmt that nobody can
 * parse, or a C type that nobody knows, does not matter. */
#ifndef PELTIER_SOURCE_FORMAT_H
#define PELTIER_SOURCE_FORMAT_H

#include "base/cursor.h"
#include "base/mem.h"
#include "event/event.h"

/* How the bytes of a field are found and read. */
enum field_form {
	FIELD_PLAIN,     /* `size` bytes at `offset` */
	FIELD_DATA_LOC,  /* u32 at offset: position in the payload, length << 16 */
	FIELD_REL_LOC,   /* the same, counted from the end of the u32 */
	FIELD_DATA_LOC2, /* ancient: u16 position, to the end of the payload */
	FIELD_TAIL,      /* from offset to the end of the payload */
};

struct format_field {
	const char *name; /* in the text, not NUL-terminated */
	size_t name_len;
	uint32_t offset, size;
	bool is_signed, is_array;
	enum field_form form;
};

enum { FORMAT_FIELDS_MAX = 128 };

struct format {
	const char *name; /* in the text */
	size_t name_len;
	uint32_t id;
	struct format_field field[FORMAT_FIELDS_MAX];
	unsigned n_fields;
};

/* Name and id from the head of the text; false when either is missing. */
bool format_head(const char *text, size_t n, struct format *f);
/* All fields. Lines that make no sense (offset or size beyond 64 KiB) are left out. */
void format_fields(const char *text, size_t n, struct format *f);
/* The field called `name`, or NULL. */
const struct format_field *format_find(const struct format *f, const char *name);

/* One load of an integer of up to 8 bytes without a branch: take 8 bytes, mask, extend the sign.
 * Big-endian numbers come from the other end of the 8 bytes. */
struct load_int {
	uint16_t offset;
	uint16_t dst; /* in struct event */
	uint8_t big_shift;
	uint64_t mask, sign; /* sign: the top bit when signed, else 0 */
};

/* The usual integer: 4 bytes, signed. */
struct load_s32 {
	uint16_t offset, dst;
};

/* One load of text or bytes. */
struct load_text {
	uint16_t offset, size;
	uint16_t dst;
	uint8_t form; /* enum field_form */
	uint8_t bit;  /* in event.has */
};

/* How to decode the payload of one event type. */
struct load_plan {
	struct load_s32 *s32s;
	struct load_int *ints;    /* all other integers */
	struct load_text *arrays; /* char and number arrays in place */
	struct load_text *others; /* whose place the record tells */
	uint16_t n_s32s, n_ints, n_arrays, n_others;
	uint16_t min_len; /* with this payload length all ints and arrays are inside */
	uint32_t has;     /* of all ints and arrays */
};

enum { LOAD_SLACK = 8 }; /* bytes that must be readable behind any payload */

/* Where the fields every event has are. */
struct common_fields {
	uint16_t type_off, pid_off, flags_off;
	bool has_pid, has_flags;
	uint16_t len; /* payload bytes needed for them */
};

/* Bind a format to the fields of `kind`; the plan's tables are in the arena. */
struct load_plan format_bind(const struct format *f, enum event_kind kind, struct arena *a);
struct common_fields format_common(const struct format *f);

static inline int64_t load_number(const struct load_int *l, const uint8_t *payload, bool big)
{
	uint64_t v = load64(payload + l->offset, big);

	v = big ? v >> l->big_shift : v & l->mask;
	return (int64_t)((v ^ l->sign) - l->sign);
}

static inline void load_put(struct event *ev, uint16_t dst, const void *v, size_t n)
{
	memcpy((char *)ev + dst, v, n);
}

/* The same where the payload is shorter than plan.min_len: fields that are not wholly inside it of
 * n bytes leave their `has` bit clear. */
void format_load_short(const struct load_plan *p, const uint8_t *payload, size_t n, bool big,
                       struct event *ev);
/* plan.others: fields whose place the record tells. */
void format_load_others(const struct load_plan *p, const uint8_t *payload, size_t n, bool big,
                        struct event *ev);

/* Fill ev's ints and arrays from a payload of at least plan.min_len bytes, with LOAD_SLACK readable
 * bytes behind it. Inline: it runs once per event. */
static inline __attribute__((always_inline)) void format_load(const struct load_plan *p,
                                                              const uint8_t *payload, bool big,
                                                              struct event *ev)
{
	for (const struct load_s32 *l = p->s32s, *e = l + p->n_s32s; l < e; l++) {
		int64_t v = (int32_t)load32(payload + l->offset, big);

		load_put(ev, l->dst, &v, sizeof v);
	}
	for (const struct load_int *l = p->ints, *e = l + p->n_ints; l < e; l++) {
		int64_t v = load_number(l, payload, big);

		load_put(ev, l->dst, &v, sizeof v);
	}
	for (const struct load_text *l = p->arrays, *e = l + p->n_arrays; l < e; l++) {
		struct str s = {(const char *)payload + l->offset, l->size};

		load_put(ev, l->dst, &s, sizeof s);
	}
	ev->has = p->has;
}

#endif
