/* Bundles whose events are not in order of time. The kernel's are; those of hand-made traces need
 * not be, and trace_processor sorts them. */
#include "source/perfetto.h"

#include <stdlib.h>

enum { TRUSTED = 4096 }; /* who writes so many in order does so always */

struct pf_piece {
	int64_t ts;
	const uint8_t *p; /* the whole field */
	size_t n;
};

static int by_time(const void *a, const void *b)
{
	const struct pf_piece *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->p < y->p ? -1 : x->p > y->p; /* as in the file */
}

static int64_t stamp_of(const struct wire_field *f)
{
	struct wire w = wire_on(f->p, f->n);
	struct wire_field in;

	while (wire_next(&w, &in))
		if (in.num == 1 && in.type == WIRE_VARINT)
			return (int64_t)in.value;
	return INT64_MIN;
}

struct wire pf_in_order(struct pf_order *o, struct wire events, struct trace_quality *q)
{
	VEC(struct pf_piece) at = {NULL, 0, 0};
	struct wire w = events;
	struct wire_field f;
	const uint8_t *from = w.p;
	bool sorted = true;
	int64_t back;

	if (o->in_order >= TRUSTED)
		return events;
	for (; wire_next(&w, &f); from = w.p) {
		if (f.num != 2 || f.type != WIRE_BYTES)
			continue;
		*vec_add(&at) = (struct pf_piece){stamp_of(&f), from, (size_t)(w.p - from)};
		if (at.n < 2 || at.at[at.n - 2].ts <= at.at[at.n - 1].ts)
			continue;
		sorted = false;
		if (__builtin_sub_overflow(at.at[at.n - 2].ts, at.at[at.n - 1].ts, &back))
			continue; /* one of them is nonsense: whoever takes it says so */
		q->backward_max_ns = back > q->backward_max_ns ? back : q->backward_max_ns;
		q->backward_steps++;
	}
	o->in_order = sorted ? o->in_order + at.n : 0;
	if (!sorted && !w.bad) {
		qsort(at.at, at.n, sizeof *at.at, by_time);
		o->bytes.n = 0;
		for (size_t i = 0; i < at.n; i++) {
			size_t n = o->bytes.n;

			vec_fit(&o->bytes, n + at.at[i].n);
			memcpy(o->bytes.at + n, at.at[i].p, at.at[i].n);
		}
		events = wire_on(o->bytes.at, o->bytes.n);
	}
	vec_free(&at);
	return events;
}
