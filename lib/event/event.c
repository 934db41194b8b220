#include "event/event.h"

#include <string.h>

/* event.has is 32 bits wide */
#define EVENT(k, names) _Static_assert(sizeof(struct ev_##k) <= 32 * sizeof(int64_t), #k);
#define INT(k, f, names)
#define STR(k, f, names)
#define RAW(k, f, names)
#define END(k)
#include "event/event.def"

#define EVENT(k, names) static const struct event_field fields_##k[] = {
#define INT(k, f, names) {#f, names, EVENT_FIELD_INT, offsetof(struct event, k.f)},
#define STR(k, f, names) {#f, names, EVENT_FIELD_STR, offsetof(struct event, k.f)},
#define RAW(k, f, names) {#f, names, EVENT_FIELD_RAW, offsetof(struct event, k.f)},
#define REAL(k, f, names) {#f, names, EVENT_FIELD_REAL, offsetof(struct event, k.f)},
#define END(k)                                                                                     \
	}                                                                                          \
	;
#include "event/event.def"

const struct event_desc event_desc[EVENT_KINDS] = {
        [EV_other] = {"other", "", NULL, 0},
        [EV_lost] = {"lost", "", NULL, 0},
#define EVENT(k, names) [EV_##k] = {#k, names, fields_##k, sizeof fields_##k / sizeof *fields_##k},
#define INT(k, f, names)
#define STR(k, f, names)
#define RAW(k, f, names)
#define END(k)
#include "event/event.def"
};

int event_alias(const char *names, const char *name, size_t n)
{
	for (int i = 0; *names; i++) {
		size_t len = (size_t)(strchrnul(names, '|') - names);

		if (len == n && !memcmp(names, name, n))
			return i;
		names += len + (names[len] == '|');
	}
	return -1;
}

enum event_kind event_kind_find(const char *name, size_t n)
{
	for (unsigned k = EV_lost + 1; n && k < EVENT_KINDS; k++)
		if (event_alias(event_desc[k].names, name, n) >= 0)
			return (enum event_kind)k;
	return EV_other;
}

void event_clear_absent(struct event *ev)
{
	const struct event_desc *d = &event_desc[ev->kind];

	for (unsigned i = 0; i < d->n_fields; i++)
		if (!(ev->has >> i & 1))
			memset((char *)ev + d->fields[i].offset, 0,
			       d->fields[i].type == EVENT_FIELD_INT ||
			                       d->fields[i].type == EVENT_FIELD_REAL
			               ? sizeof(int64_t)
			               : sizeof(struct str));
}
