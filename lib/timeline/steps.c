#include "timeline/steps.h"

#include <assert.h>

void steps_free(struct steps *s)
{
	vec_free(&s->points);
}

void steps_append(struct steps *s, int64_t t, int64_t value)
{
	struct step_point *last = s->points.n ? &s->points.at[s->points.n - 1] : NULL;

	assert(!last || t >= last->t);
	if (last && last->t == t) {
		s->points.n--;
		last = s->points.n ? last - 1 : NULL;
	}
	if (last ? last->value == value : value == STEP_UNKNOWN)
		return;
	*vec_add(&s->points) = (struct step_point){t, value};
}

/* Index of the step in force at t, or n when t is before the first. */
static size_t step_at(const struct steps *s, int64_t t)
{
	size_t lo = 0, hi = s->points.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->points.at[mid].t <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : s->points.n;
}

int64_t steps_at(const struct steps *s, int64_t t)
{
	size_t i = step_at(s, t);

	return i < s->points.n ? s->points.at[i].value : STEP_UNKNOWN;
}

/* Call fn for each part of [from, to) with one value. */
static void each_part(const struct steps *s, int64_t from, int64_t to,
                      void (*fn)(void *, int64_t value, int64_t ns), void *arg)
{
	size_t i = step_at(s, from);
	int64_t value = STEP_UNKNOWN;

	if (i == s->points.n)
		i = 0;
	else
		value = s->points.at[i++].value;
	for (; from < to; i++) {
		int64_t next = i < s->points.n && s->points.at[i].t < to ? s->points.at[i].t : to;

		if (next > from)
			fn(arg, value, next - from);
		from = next;
		if (i < s->points.n)
			value = s->points.at[i].value;
	}
}

struct sum {
	double area;
	int64_t known;
	int64_t want, at_want;
};

static void add(void *arg, int64_t value, int64_t ns)
{
	struct sum *s = arg;

	if (value == s->want)
		s->at_want += ns;
	if (value == STEP_UNKNOWN)
		return;
	s->area += (double)value * (double)ns;
	s->known += ns;
}

double steps_integrate(const struct steps *s, int64_t from, int64_t to, int64_t *known_ns)
{
	struct sum sum = {0};

	each_part(s, from, to, add, &sum);
	*known_ns = sum.known;
	return sum.area;
}

int64_t steps_residency(const struct steps *s, int64_t from, int64_t to, int64_t value)
{
	struct sum sum = {.want = value};

	each_part(s, from, to, add, &sum);
	return sum.at_want;
}
