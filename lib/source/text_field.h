/* Fields of events from their text. Each event type has a plan: which keys its text has, and in
 * which order they came last time. */
#ifndef PELTIER_SOURCE_TEXT_FIELD_H
#define PELTIER_SOURCE_TEXT_FIELD_H

#include "base/mem.h"
#include "event/event.h"
#include "source/state_bits.h"

enum { TEXT_KEYS_MAX = 40 };

struct text_key {
	const char *name;
	uint8_t len, rank; /* rank: place among the aliases of its field */
	uint8_t field;     /* bit number */
	bool hex;          /* a number without 0x */
};

struct text_plan {
	enum event_kind kind;
	struct text_key keys[TEXT_KEYS_MAX];
	unsigned n;
	bool colons;   /* its last text was in the form of trace-cmd's plugins */
	bool function; /* of markers: the function that wrote it stands before the text */
	uint8_t next[TEXT_KEYS_MAX + 1]; /* by key (the last: at the start): which came after it */
};

void text_plan_init(struct text_plan *p, enum event_kind kind);
/* Fill `has` and the fields of ev, whose head is there, from the text behind `event: `. `states`:
 * for states that are numbers. The text must outlive the event. */
void text_fields(struct text_plan *p, struct str body, const struct state_bits *states,
                 struct event *ev);

#endif
