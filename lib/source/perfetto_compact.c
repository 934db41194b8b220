/* Compact scheduling: the switches and wakings of a bundle as arrays, one for each of their fields.
 * Arrays may come in several pieces, packed or not, and the table of names behind those that refer
 * to it. */
#include "source/perfetto.h"

/* Which array of elements a field is of, and where it goes. */
enum compact_field { C_TS, C_STATE, C_PID, C_PRIO, C_NAME, C_CPU, C_FLAGS, C_FIELDS };

static const struct {
	uint8_t of, field; /* 0 switch, 1 waking, 2 neither; enum compact_field */
} compact_fields[] = {
        [1] = {0, C_TS},  [2] = {0, C_STATE}, [3] = {0, C_PID},   [4] = {0, C_PRIO},
        [5] = {2, 0},     [6] = {0, C_NAME},  [7] = {1, C_TS},    [8] = {1, C_PID},
        [9] = {1, C_CPU}, [10] = {1, C_PRIO}, [11] = {1, C_NAME}, [12] = {1, C_FLAGS},
};

/* How many elements each array has so far. */
struct compact_counts {
	size_t n[2][C_FIELDS];
	bool bad;
};

static void compact_put(struct pf_compact *l, struct compact_counts *c, uint32_t num, uint64_t v)
{
	unsigned of = compact_fields[num].of;
	enum compact_field field = (enum compact_field)compact_fields[num].field;
	size_t k = c->n[of][field]++;
	struct pf_element *e;

	vec_fit(&l->list[of], k + 1);
	e = &l->list[of].at[k];
	switch (field) {
	case C_TS:
		e->ts = (int64_t)(v + (k ? (uint64_t)e[-1].ts : 0));
		break;
	case C_STATE:
		e->state = (int64_t)v;
		break;
	case C_PID:
		e->pid = (int32_t)v;
		break;
	case C_PRIO:
		e->prio = (int32_t)v;
		break;
	case C_NAME: /* the table may come later */
		e->comm = (struct str){NULL, v < UINT32_MAX ? (size_t)v : UINT32_MAX};
		break;
	case C_CPU:
		e->cpu = (uint32_t)v;
		break;
	default:
		e->flags = (uint32_t)v;
	}
}

static void compact_array(struct pf_compact *l, struct compact_counts *c,
                          const struct wire_field *f)
{
	struct wire w = wire_on(f->p, f->n);

	if (f->num == 5) {
		*vec_add(&l->names) = (struct str){(const char *)f->p, f->n};
		return;
	}
	if (f->type == WIRE_VARINT) {
		compact_put(l, c, f->num, f->value);
		return;
	}
	while (w.p < w.end && !w.bad) {
		uint64_t v = wire_varint(&w);

		if (!w.bad)
			compact_put(l, c, f->num, v);
	}
	c->bad |= w.bad;
}

/* What all arrays have; flags may be missing as a whole. */
static size_t common_length(struct compact_counts *c, unsigned of)
{
	static const uint8_t needed[2] = {
	        1 << C_TS | 1 << C_STATE | 1 << C_PID | 1 << C_PRIO | 1 << C_NAME,
	        1 << C_TS | 1 << C_PID | 1 << C_PRIO | 1 << C_NAME | 1 << C_CPU};
	size_t min = c->n[of][C_TS], max = min;

	for (unsigned f = 0; f < C_FIELDS; f++) {
		if (!(needed[of] >> f & 1) && !c->n[of][f])
			continue;
		min = c->n[of][f] < min ? c->n[of][f] : min;
		max = c->n[of][f] > max ? c->n[of][f] : max;
	}
	c->bad |= min != max;
	return min;
}

static void resolve_names(struct pf_compact *l, struct compact_counts *c, unsigned of)
{
	for (size_t i = 0; i < l->list[of].n; i++) {
		struct str *s = &l->list[of].at[i].comm;

		if (s->n < l->names.n) {
			*s = l->names.at[s->n];
		} else {
			*s = (struct str){NULL, 0};
			c->bad = true;
		}
	}
}

void pf_compact_clear(struct pf_compact *l)
{
	l->list[0].n = l->list[1].n = l->names.n = 0;
}

void pf_compact_free(struct pf_compact *l)
{
	vec_free(&l->list[0]);
	vec_free(&l->list[1]);
	vec_free(&l->names);
}

bool pf_compact_read(struct pf_compact *l, const uint8_t *b, size_t n)
{
	struct compact_counts c = {0};
	struct wire w = wire_on(b, n);
	struct wire_field f;

	while (wire_next(&w, &f))
		if (f.num < sizeof compact_fields / sizeof *compact_fields &&
		    (f.type == WIRE_BYTES || (f.num != 5 && f.type == WIRE_VARINT)))
			compact_array(l, &c, &f);
	c.bad |= w.bad;
	for (unsigned of = 0; of < 2; of++) {
		size_t len = common_length(&c, of);

		if (len < l->list[of].n)
			l->list[of].n = len;
		resolve_names(l, &c, of);
	}
	return !c.bad;
}
