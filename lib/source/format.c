#include "source/format.h"

#include <string.h>

/* ---- text ---- */

static const char *line_end(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return nl ? nl : end;
}

static const char *find(const char *p, const char *end, const char *what)
{
	return memmem(p, (size_t)(end - p), what, strlen(what));
}

/* A decimal number after `key` on the line; false when it is not there or too large. */
static bool key_number(const char *p, const char *end, const char *key, uint32_t max, uint32_t *v)
{
	const char *q = find(p, end, key);
	uint64_t x = 0;
	bool any = false;

	if (!q)
		return false;
	for (q += strlen(key); q < end && (*q == ' ' || *q == '\t'); q++)
		;
	for (; q < end && *q >= '0' && *q <= '9' && x <= UINT32_MAX; q++, any = true)
		x = x * 10 + (uint64_t)(*q - '0');
	if (!any || x > max)
		return false;
	*v = (uint32_t)x;
	return true;
}

static bool is_ident(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

bool format_head(const char *text, size_t n, struct format *f)
{
	const char *p = text, *end = text + n;
	bool named = false, numbered = false;

	f->n_fields = 0;
	for (int i = 0; i < 8 && p < end && !(named && numbered); i++) {
		const char *e = line_end(p, end);

		if (e - p > 5 && !memcmp(p, "name:", 5)) {
			for (p += 5; p < e && *p == ' '; p++)
				;
			f->name = p;
			while (p<e && * p> ' ' && *p < 0x7f)
				p++;
			f->name_len = (size_t)(p - f->name);
			named = f->name_len > 0;
		} else if (e - p > 3 && !memcmp(p, "ID:", 3)) {
			numbered = key_number(p, e, "ID:", UINT16_MAX, &f->id);
		}
		p = e < end ? e + 1 : end;
	}
	return named && numbered;
}

/* The declaration between "field:" and the first ';': name is the last identifier, an array has
 * brackets after it or (dynamic ones) in its type. */
static bool declaration(const char *p, const char *semi, struct format_field *x)
{
	const char *e = semi;

	x->is_array = false;
	while (e > p && (e[-1] == ' ' || e[-1] == '\t'))
		e--;
	if (e > p && e[-1] == ']') {
		while (e > p && e[-1] != '[')
			e--;
		if (e == p)
			return false;
		e--;
		x->is_array = true;
	}
	x->name = e;
	while (x->name > p && is_ident(x->name[-1]))
		x->name--;
	x->name_len = (size_t)(e - x->name);
	x->form = FIELD_PLAIN;
	if (semi - p > 11 && !memcmp(p, "__data_loc ", 11))
		x->form = FIELD_DATA_LOC;
	else if (semi - p > 10 && !memcmp(p, "__rel_loc ", 10))
		x->form = FIELD_REL_LOC;
	return x->name_len > 0;
}

static bool field_line(const char *p, const char *end, struct format_field *x)
{
	const char *d = find(p, end, "field:"), *semi;
	uint32_t v;

	if (!d)
		return false;
	for (d += 6; d < end && *d == ' '; d++)
		;
	semi = memchr(d, ';', (size_t)(end - d));
	if (!semi || !declaration(d, semi, x))
		return false;
	if (!key_number(semi, end, "offset:", UINT16_MAX, &x->offset) ||
	    !key_number(semi, end, "size:", UINT16_MAX, &x->size))
		return false;
	/* very old kernels do not say: then the type does */
	x->is_signed = key_number(semi, end, "signed:", 1, &v)
	                       ? v
	                       : !find(d, semi, "unsigned") && *d != 'u';
	if (x->form == FIELD_DATA_LOC && x->size == 2)
		x->form = FIELD_DATA_LOC2;
	else if (x->form != FIELD_PLAIN && x->size != 4)
		return false;
	if (x->form == FIELD_PLAIN && x->size == 0)
		x->form = FIELD_TAIL;
	return true;
}

void format_fields(const char *text, size_t n, struct format *f)
{
	const char *p = text, *end = text + n;

	f->n_fields = 0;
	while (p < end && f->n_fields < FORMAT_FIELDS_MAX) {
		const char *e = line_end(p, end);

		if (e - p >= 9 && !memcmp(p, "print fmt", 9))
			break;
		f->n_fields += field_line(p, e, &f->field[f->n_fields]);
		p = e < end ? e + 1 : end;
	}
}

const struct format_field *format_find(const struct format *f, const char *name)
{
	size_t n = strlen(name);

	for (unsigned i = 0; i < f->n_fields; i++)
		if (f->field[i].name_len == n && !memcmp(f->field[i].name, name, n))
			return &f->field[i];
	return NULL;
}

/* ---- binding ---- */

struct common_fields format_common(const struct format *f)
{
	const struct format_field *type = format_find(f, "common_type"),
	                          *pid = format_find(f, "common_pid"),
	                          *flags = format_find(f, "common_flags");
	struct common_fields c = {0};

	if (type && type->size == 2) {
		c.type_off = (uint16_t)type->offset;
		c.len = (uint16_t)(type->offset + 2);
	} else {
		c.len = 2;
	}
	if (c.len > 4) /* payloads are multiples of 4: an id beyond the first cannot be relied on */
		c.type_off = 0;
	c.has_pid = pid && pid->size == 4;
	if (c.has_pid) {
		c.pid_off = (uint16_t)pid->offset;
		if (pid->offset + 4 > c.len)
			c.len = (uint16_t)(pid->offset + 4);
	}
	c.has_flags = flags && flags->size == 1;
	if (c.has_flags) {
		c.flags_off = (uint16_t)flags->offset;
		if (flags->offset + 1 > c.len)
			c.len = (uint16_t)(flags->offset + 1);
	}
	return c;
}

/* The best-named field of the format for an event.def entry, or NULL. */
static const struct format_field *best(const struct format *f, const char *names)
{
	const struct format_field *found = NULL;
	int rank = 0;

	for (unsigned i = 0; i < f->n_fields; i++) {
		int r = event_alias(names, f->field[i].name, f->field[i].name_len);

		if (r >= 0 && (!found || r < rank)) {
			found = &f->field[i];
			rank = r;
		}
	}
	return found;
}

static bool bind_int(const struct format_field *x, const struct event_field *want,
                     struct load_int *l)
{
	if (x->form != FIELD_PLAIN || x->is_array ||
	    (x->size != 1 && x->size != 2 && x->size != 4 && x->size != 8))
		return false;
	l->offset = (uint16_t)x->offset;
	l->dst = want->offset;
	l->big_shift = (uint8_t)(64 - 8 * x->size);
	l->mask = UINT64_MAX >> l->big_shift;
	l->sign = x->is_signed ? l->mask ^ l->mask >> 1 : 0;
	return true;
}

static bool bind_text(const struct format_field *x, const struct event_field *want, unsigned bit,
                      struct load_text *l)
{
	if (x->form == FIELD_PLAIN && !x->is_array) /* a pointer, or a struct by value */
		return false;
	l->offset = (uint16_t)x->offset;
	l->size = (uint16_t)x->size;
	l->dst = want->offset;
	l->form = (uint8_t)x->form;
	l->bit = (uint8_t)bit;
	return true;
}

/* Add one field to the plan; whether it was one of those with a fixed place. */
static bool bind_field(struct load_plan *p, const struct format_field *x,
                       const struct event_field *want, unsigned bit)
{
	struct load_int *i = &p->ints[p->n_ints];
	struct load_s32 *s = &p->s32s[p->n_s32s];
	struct load_text *array = &p->arrays[p->n_arrays], *other = &p->others[p->n_others];

	if (want->type == EVENT_FIELD_INT) {
		if (!bind_int(x, want, i))
			return false;
		if (x->size == 4 && x->is_signed) {
			*s = (struct load_s32){i->offset, i->dst};
			p->n_s32s++;
		} else {
			p->n_ints++;
		}
		return true;
	}
	if (x->form != FIELD_PLAIN) {
		if (bind_text(x, want, bit, other))
			p->n_others++;
		return false;
	}
	if (!bind_text(x, want, bit, array))
		return false;
	p->n_arrays++;
	return true;
}

struct load_plan format_bind(const struct format *f, enum event_kind kind, struct arena *a)
{
	const struct event_desc *d = &event_desc[kind];
	size_t n = d->n_fields + 1;
	struct load_plan p = {.s32s = arena_alloc(a, n * sizeof *p.s32s),
	                      .ints = arena_alloc(a, n * sizeof *p.ints),
	                      .arrays = arena_alloc(a, n * sizeof *p.arrays),
	                      .others = arena_alloc(a, n * sizeof *p.others)};

	for (unsigned i = 0; i < d->n_fields; i++) {
		const struct format_field *x = best(f, d->fields[i].names);
		uint32_t end = x ? x->offset + x->size : UINT32_MAX;

		if (end > UINT16_MAX || !bind_field(&p, x, &d->fields[i], i))
			continue;
		p.has |= 1u << i;
		if (end > p.min_len)
			p.min_len = (uint16_t)end;
	}
	return p;
}

/* ---- loading ---- */

static bool inside(struct str *s, const uint8_t *payload, size_t n, size_t off, size_t len)
{
	if (off > n || len > n - off)
		return false;
	*s = (struct str){(const char *)payload + off, len};
	return true;
}

static bool load_other(const struct load_text *l, const uint8_t *payload, size_t n, bool big,
                       struct str *s)
{
	uint32_t v;

	if ((size_t)l->offset + l->size > n)
		return false;
	switch (l->form) {
	case FIELD_DATA_LOC:
		v = load32(payload + l->offset, big);
		return inside(s, payload, n, v & 0xffff, v >> 16);
	case FIELD_REL_LOC:
		v = load32(payload + l->offset, big);
		return inside(s, payload, n, (v & 0xffff) + l->offset + 4u, v >> 16);
	case FIELD_DATA_LOC2:
		v = load16(payload + l->offset, big);
		return v <= n && inside(s, payload, n, v, n - v);
	default: /* FIELD_TAIL */
		return inside(s, payload, n, l->offset, n - l->offset);
	}
}

void format_load_short(const struct load_plan *p, const uint8_t *payload, size_t n, bool big,
                       struct event *ev)
{
	const struct event_desc *d = &event_desc[ev->kind];

	ev->has = 0;
	for (unsigned i = 0; i < d->n_fields; i++) {
		uint16_t dst = d->fields[i].offset;

		for (unsigned k = 0; k < p->n_s32s; k++)
			if (p->s32s[k].dst == dst && p->s32s[k].offset + 4u <= n) {
				int64_t v = (int32_t)load32(payload + p->s32s[k].offset, big);

				load_put(ev, dst, &v, sizeof v);
				ev->has |= 1u << i;
			}
		for (unsigned k = 0; k < p->n_ints; k++)
			if (p->ints[k].dst == dst &&
			    p->ints[k].offset + (64u - p->ints[k].big_shift) / 8 <= n) {
				int64_t v = load_number(&p->ints[k], payload, big);

				load_put(ev, dst, &v, sizeof v);
				ev->has |= 1u << i;
			}
	}
	for (unsigned k = 0; k < p->n_arrays; k++) {
		const struct load_text *l = &p->arrays[k];
		struct str s = {(const char *)payload + l->offset, l->size};

		if (l->offset + (size_t)l->size > n)
			continue;
		load_put(ev, l->dst, &s, sizeof s);
		ev->has |= 1u << l->bit;
	}
}

void format_load_others(const struct load_plan *p, const uint8_t *payload, size_t n, bool big,
                        struct event *ev)
{
	for (const struct load_text *l = p->others, *e = l + p->n_others; l < e; l++) {
		struct str s;

		if (!load_other(l, payload, n, big, &s))
			continue;
		load_put(ev, l->dst, &s, sizeof s);
		ev->has |= 1u << l->bit;
	}
}
