/* Event types of a Perfetto trace, bound to the kinds and fields of event.def. */
#include "source/perfetto.h"

#include <stdio.h>

static const struct fixed_event {
	uint16_t id;
	const char *system, *name, *fields;
} fixed_events[] = {
#define PF_EVENT(id, system, name, fields) {id, #system, #name, fields},
#include "source/perfetto.def"
};

struct pf_field pf_field_find(enum event_kind kind, const char *name, size_t n)
{
	const struct event_desc *d = &event_desc[kind];
	int best = -1;
	struct pf_field out = {0};

	for (unsigned i = 0; i < d->n_fields; i++) {
		int good = event_alias(d->fields[i].names, name, n);

		if (good < 0 || (best >= 0 && good >= best) ||
		    (d->fields[i].type != EVENT_FIELD_INT && d->fields[i].type != EVENT_FIELD_STR))
			continue;
		best = good;
		out = (struct pf_field){d->fields[i].offset,
		                        d->fields[i].type == EVENT_FIELD_STR ? PF_TEXT : PF_INT,
		                        (uint8_t)i};
	}
	return out;
}

void pf_type_bind(struct pf_type *t, uint32_t number, const char *name, size_t n)
{
	if (t->kind != EV_other && number < PF_FIELDS)
		t->field[number] = pf_field_find((enum event_kind)t->kind, name, n);
}

static struct pf_type *add_type(struct pf *p, uint32_t id, const char *system, const char *name)
{
	struct pf_type *t;
	struct event_type *row;

	if (p->s.types.n >= UINT16_MAX)
		return NULL;
	t = arena_alloc(&p->s.arena, sizeof *t);
	t->kind = (uint16_t)event_kind_find(name, strlen(name));
	t->type = (uint16_t)p->s.types.n;
	t->all = event_desc[t->kind].n_fields < 32 ? (1u << event_desc[t->kind].n_fields) - 1
	                                           : UINT32_MAX;
	row = vec_add(&p->s.types);
	*row = (struct event_type){system, name, (enum event_kind)t->kind, id};
	return t;
}

/* The fields of a fixed event: names in the order of their numbers. */
static void bind_all(struct pf_type *t, const char *names)
{
	for (uint32_t number = 1; *names; number++) {
		size_t n = strcspn(names, " ");

		pf_type_bind(t, number, names, n);
		names += n;
		names += *names == ' ';
	}
}

struct pf_type *pf_type_fixed(struct pf *p, uint32_t id)
{
	const struct fixed_event *e = NULL;
	char name[24];

	if (p->fixed[id])
		return p->fixed[id];
	for (size_t i = 0; i < sizeof fixed_events / sizeof *fixed_events; i++)
		if (fixed_events[i].id == id)
			e = &fixed_events[i];
	if (e) {
		p->fixed[id] = add_type(p, id, e->system, e->name);
		if (p->fixed[id])
			bind_all(p->fixed[id], e->fields);
	} else {
		snprintf(name, sizeof name, "#%u", id);
		p->fixed[id] = add_type(p, id, "", arena_str(&p->s.arena, name, strlen(name)));
	}
	return p->fixed[id];
}

struct pf_type *pf_type_generic(struct pf *p, uint32_t id, const char *system, const char *name)
{
	if (id < PF_GENERIC || id - PF_GENERIC >= PF_GENERIC_MAX)
		return NULL;
	vec_fit(&p->generic, (size_t)(id - PF_GENERIC) + 1);
	if (!p->generic.at[id - PF_GENERIC])
		p->generic.at[id - PF_GENERIC] =
		        add_type(p, id, arena_str(&p->s.arena, system, strlen(system)),
		                 arena_str(&p->s.arena, name, strlen(name)));
	return p->generic.at[id - PF_GENERIC];
}

struct pf_type *pf_type_find(struct pf *p, uint64_t id)
{
	char name[24];

	if (id < PF_FIXED)
		return pf_type_fixed(p, (uint32_t)id);
	if (id < PF_GENERIC || id - PF_GENERIC >= PF_GENERIC_MAX)
		return NULL;
	if (id - PF_GENERIC < p->generic.n && p->generic.at[id - PF_GENERIC])
		return p->generic.at[id - PF_GENERIC];
	snprintf(name, sizeof name, "#%u",
	         (uint32_t)id); /* no descriptor of it in the whole file */
	return pf_type_generic(p, (uint32_t)id, "", name);
}

struct pf_type *pf_type_packet(struct pf *p, const char *name)
{
	for (size_t i = 0; i < p->packets_types.n; i++)
		if (!strcmp(p->s.types.at[p->packets_types.at[i]->type].name, name))
			return p->packets_types.at[i];
	*vec_add(&p->packets_types) = add_type(p, 0, "perfetto", name);
	return p->packets_types.at[p->packets_types.n - 1];
}

struct pf_type *pf_type_named(struct pf *p, const char *name, size_t n)
{
	struct pf_type *t;

	for (size_t i = 0; i < p->named.n; i++) {
		const char *known = p->s.types.at[p->named.at[i]->type].name;

		if (!strncmp(known, name, n) && !known[n])
			return p->named.at[i];
	}
	if (p->named.n >= PF_GENERIC_MAX)
		return NULL;
	t = add_type(p, PF_GENERIC_OLD, "", arena_str(&p->s.arena, name, n));
	if (t)
		*vec_add(&p->named) = t;
	return t;
}
