/* Protocol-buffer wire format: varints and fields, every bound checked. Padded varints are good, as
 * the writers of traces reserve room for lengths and fill it in later. */
#ifndef PELTIER_SOURCE_WIRE_H
#define PELTIER_SOURCE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum wire_type { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };
enum { WIRE_VARINT_MAX = 10 };

/* A message being walked: [p, end). After the first fault `bad` is set and the walk is over. */
struct wire {
	const uint8_t *p, *end;
	bool bad;
};

struct wire_field {
	uint32_t num;
	enum wire_type type;
	uint64_t value; /* of a varint or a fixed number */
	const uint8_t *p;
	size_t n; /* of bytes */
};

static inline struct wire wire_on(const void *p, size_t n)
{
	const uint8_t *b = p;

	return (struct wire){b, n ? b + n : b, false};
}

static inline uint64_t wire_varint(struct wire *w)
{
	uint64_t v = 0;

	if (w->p < w->end && *w->p < 0x80)
		return *w->p++;
	for (unsigned i = 0; i < WIRE_VARINT_MAX && w->p < w->end; i++) {
		uint8_t b = *w->p++;

		v |= (uint64_t)(b & 0x7f) << (7 * i);
		if (b < 0x80)
			return v;
	}
	w->bad = true;
	return 0;
}

static inline uint64_t wire_fixed(struct wire *w, size_t n)
{
	uint64_t v = 0;

	if ((size_t)(w->end - w->p) < n) {
		w->bad = true;
		return 0;
	}
	for (size_t i = n; i--;) /* little endian, whatever the machine */
		v = v << 8 | w->p[i];
	w->p += n;
	return v;
}

/* The next field; false at the end or on a fault. */
static inline bool wire_next(struct wire *w, struct wire_field *f)
{
	uint64_t tag;

	if (w->bad || w->p >= w->end)
		return false;
	tag = wire_varint(w);
	f->num = (uint32_t)(tag >> 3);
	f->type = (enum wire_type)(tag & 7);
	f->p = NULL;
	f->n = 0;
	f->value = 0;
	if (!f->num || tag >> 32)
		w->bad = true;
	switch (f->type) {
	case WIRE_VARINT:
		f->value = wire_varint(w);
		break;
	case WIRE_64:
		f->value = wire_fixed(w, 8);
		break;
	case WIRE_32:
		f->value = wire_fixed(w, 4);
		break;
	case WIRE_BYTES:
		f->value = wire_varint(w);
		if (f->value > (size_t)(w->end - w->p)) {
			w->bad = true;
			break;
		}
		f->p = w->p;
		f->n = (size_t)f->value;
		w->p += f->n;
		break;
	default: /* groups, and what does not exist */
		w->bad = true;
	}
	return !w->bad;
}

/* Whether all fields of a message can be walked. */
static inline bool wire_sound(const void *p, size_t n)
{
	struct wire w = wire_on(p, n);
	struct wire_field f;

	while (wire_next(&w, &f))
		;
	return !w.bad;
}

#endif
