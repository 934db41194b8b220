#include "compare/set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void set_free(struct run_set *s)
{
	for (size_t i = 0; i < s->configs.n; i++) {
		for (size_t k = 0; k < s->configs.at[i].runs.n; k++) {
			vec_free(&s->configs.at[i].runs.at[k].values);
			vec_free(&s->configs.at[i].runs.at[k].facts);
			vec_free(&s->configs.at[i].runs.at[k].parts);
		}
		vec_free(&s->configs.at[i].runs);
	}
	vec_free(&s->configs);
	vec_free(&s->keys);
	arena_free(&s->arena);
}

const char *set_text(struct run_set *s, const char *text)
{
	return text ? arena_str(&s->arena, text, strlen(text)) : NULL;
}

struct set_config *set_config(struct run_set *s, const char *name)
{
	struct set_config *c;

	for (size_t i = 0; i < s->configs.n; i++)
		if (!strcmp(s->configs.at[i].name, name))
			return &s->configs.at[i];
	c = vec_add(&s->configs);
	c->name = set_text(s, name);
	return c;
}

struct set_run *set_run(struct run_set *s, struct set_config *c, const char *iteration,
                        const char *path)
{
	struct set_run *r = vec_add(&c->runs);

	r->iteration = set_text(s, iteration);
	r->path = set_text(s, path);
	return r;
}

size_t set_key(struct run_set *s, const char *name, const char *scope, const char *unit,
               enum metric_direction direction, enum metric_class class)
{
	struct set_key *k;

	for (size_t i = 0; i < s->keys.n; i++)
		if (!strcmp(s->keys.at[i].name, name) && !strcmp(s->keys.at[i].scope, scope))
			return i;
	k = vec_add(&s->keys);
	*k = (struct set_key){
	        set_text(s, name), set_text(s, scope), set_text(s, unit), direction, class, ""};
	return s->keys.n - 1;
}

size_t set_metric(struct run_set *s, enum metric_id id, const char *scope)
{
	const struct metric *m = &metrics[id];
	size_t k = set_key(s, m->name, scope, m->unit, m->direction, m->class);

	s->keys.at[k].definition = m->definition;
	return k;
}

void set_add(struct run_set *s, struct set_run *r, size_t key, double value, const char *text)
{
	*vec_add(&r->values) = (struct set_value){key, value, set_text(s, text)};
}

void set_fact(struct run_set *s, struct set_run *r, const char *name, const char *value)
{
	if (value)
		*vec_add(&r->facts) = (struct set_fact){set_text(s, name), set_text(s, value)};
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whole numbers at both places, by value; moves behind them when they are equal. */
static int by_number(const char **a, const char **b)
{
	size_t n, m;
	int d;

	*a += strspn(*a, "0");
	*b += strspn(*b, "0");
	n = strspn(*a, "0123456789");
	m = strspn(*b, "0123456789");
	d = n != m ? (n < m ? -1 : 1) : memcmp(*a, *b, n);
	*a += n;
	*b += m;
	return d;
}

int set_natural(const char *a, const char *b)
{
	const char *a0 = a, *b0 = b;

	while (*a && *b) {
		int d;

		if (is_digit(*a) && is_digit(*b))
			d = by_number(&a, &b);
		else
			d = (unsigned char)*a++ - (unsigned char)*b++;
		if (d)
			return d;
	}
	if (*a || *b)
		return *a ? 1 : -1;
	return strcmp(a0, b0);
}

static int by_name(const void *a, const void *b)
{
	const struct set_run *x = a, *y = b;
	int d = set_natural(x->iteration, y->iteration);

	return d ? d : strcmp(x->path, y->path);
}

void set_sort(struct run_set *s)
{
	for (size_t i = 0; i < s->configs.n; i++)
		if (s->configs.at[i].runs.n)
			qsort(s->configs.at[i].runs.at, s->configs.at[i].runs.n,
			      sizeof *s->configs.at[i].runs.at, by_name);
}

const struct set_value *set_find(const struct set_run *r, size_t key)
{
	for (size_t i = 0; i < r->values.n; i++)
		if (r->values.at[i].key == key)
			return &r->values.at[i];
	return NULL;
}

const struct set_parts *set_parts_of(const struct set_run *r, const char *process)
{
	for (size_t i = 0; i < r->parts.n; i++)
		if (!strcmp(r->parts.at[i].process, process))
			return &r->parts.at[i];
	return NULL;
}

static uint64_t frames_of(const struct run_set *s, const char *process)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->configs.n; i++)
		for (size_t k = 0; k < s->configs.at[i].runs.n; k++) {
			const struct set_parts *p =
			        set_parts_of(&s->configs.at[i].runs.at[k], process);

			n += p ? p->frames : 0;
		}
	return n;
}

const char *set_process(const struct run_set *s)
{
	const char *best = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < s->configs.n; i++)
		for (size_t k = 0; k < s->configs.at[i].runs.n; k++) {
			const struct set_run *r = &s->configs.at[i].runs.at[k];
			uint64_t n = r->parts.n ? frames_of(s, r->parts.at[0].process) : 0;

			if (n > most || (n == most && best && r->parts.n &&
			                 strcmp(r->parts.at[0].process, best) < 0)) {
				most = n;
				best = r->parts.at[0].process;
			}
		}
	return best;
}
