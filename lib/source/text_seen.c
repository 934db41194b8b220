#include "source/text_seen.h"

#include "base/ahead.h"
#include "source/text_lines.h"

#include <stdlib.h>
#include <string.h>

/* Without the blanks before it; empty when nobody knew it. */
static struct str name_of(struct str comm)
{
	while (comm.n && (*comm.p == ' ' || *comm.p == '\t')) {
		comm.p++;
		comm.n--;
	}
	if (comm.n > 4 && *comm.p == '<' && comm.p[comm.n - 1] == '>') /* <...>, <idle> */
		comm.n = 0;
	return comm;
}

/* Name and process of a task, from the first lines that tell them. */
static void see_task(struct seen *t, const struct text_line *l)
{
	uint32_t at = map_get(&t->by_pid, (uint32_t)l->pid, 0);
	struct trace_name *x;
	struct str comm;

	if (!l->pid)
		return;
	if (!at) {
		*vec_add(&t->names) = (struct trace_name){.pid = l->pid};
		at = (uint32_t)t->names.n;
		map_put(&t->by_pid, (uint32_t)l->pid, 0, at);
	}
	x = &t->names.at[at - 1];
	if (!x->tgid && l->tgid > 0)
		x->tgid = l->tgid;
	if (x->comm)
		return;
	comm = name_of(l->comm);
	if (comm.n)
		x->comm = arena_str(&t->arena, comm.p, comm.n);
}

struct trace_cpu *seen_cpu(struct seen *t, uint32_t cpu)
{
	size_t had = t->cpus.n;

	vec_fit(&t->cpus, (size_t)cpu + 1);
	for (; had < t->cpus.n; had++)
		t->cpus.at[had] =
		        (struct trace_cpu){.cpu = (uint32_t)had, .overrun = -1, .dropped = -1};
	return &t->cpus.at[cpu];
}

/* States that are numbers, without what they mean: the largest bit tells the generation. */
static void see_state(struct seen *t, const struct text_line *l)
{
	static const char key[] = "prev_state=";
	const char *p = memmem(l->body.p, l->body.n, key, sizeof key - 1);
	const char *end = l->body.p + l->body.n;
	int64_t v = 0;

	for (p = p ? p + sizeof key - 1 : end; p < end && *p >= '0' && *p <= '9' && v < 1 << 20;
	     p++)
		v = v * 10 + (*p - '0');
	t->max_state = v > t->max_state ? v : t->max_state;
}

static bool begins_with(struct str s, const char *with)
{
	return s.n >= strlen(with) && !memcmp(s.p, with, strlen(with));
}

static void see_event(struct seen *t, const struct text_line *l, uint64_t off, size_t len)
{
	if (!t->events)
		t->first = l->ts;
	if (t->events && l->ts < t->last) {
		t->backward++;
		t->backward_max =
		        t->last - l->ts > t->backward_max ? t->last - l->ts : t->backward_max;
	}
	t->last = l->ts;
	t->decimals = l->decimals > t->decimals ? l->decimals : t->decimals;
	seen_cpu(t, l->cpu)->has_data = true;
	vec_fit(&t->pid_of, (size_t)l->cpu + 1);
	if (t->pid_of.at[l->cpu] != l->pid)
		see_task(t, l);
	t->pid_of.at[l->cpu] = l->pid;
	vec_fit(&t->last_of, (size_t)l->cpu + 1);
	t->last_of.at[l->cpu] = off + 1;
	if (t->events < 100000 && begins_with(l->body, "sched_switch:"))
		see_state(t, l);
	if (!t->has_waking && begins_with(l->body, "sched_waking:"))
		t->has_waking = true;
	if (t->wants_places)
		*vec_add(&t->places) = (struct place){l->ts, off, (uint32_t)len};
	t->events++;
}

static void see_line(struct seen *t, const char *p, size_t n, uint64_t off)
{
	struct text_line l;

	t->lines++;
	switch (text_line_parse(p, n, &l)) {
	case TEXT_EVENT:
		see_event(t, &l, off, n);
		break;
	case TEXT_LOST:
		vec_fit(&t->last_of, (size_t)l.cpu + 1);
		*vec_add(&t->gaps) = (struct text_gap){t->last_of.at[l.cpu], l.cpu, l.lost};
		break;
	case TEXT_STARTED:
		seen_cpu(t, l.cpu)->late = true;
		break;
	case TEXT_ENTRIES:
		t->overwritten += (uint64_t)l.lost;
		break;
	case TEXT_CPUS:
		t->n_cpus = l.cpu;
		break;
	case TEXT_OTHER:
		if (t->events && !t->others++)
			t->first_other = t->lines;
		break;
	default:
		break;
	}
}

/* A line that begins before `from` is the other part's. */
static void read_part(void *arg)
{
	struct seen *t = arg;
	struct lines l;
	const char *p;
	size_t n;

	lines_init(&l, t->in, t->from ? t->from - 1 : 0);
	if (t->from)
		lines_next(&l, &n);
	while ((p = lines_next(&l, &n))) {
		uint64_t off = l.off + (uint64_t)(p - l.buf);

		if (off >= t->to)
			break;
		see_line(t, p, n, off);
	}
	t->cut = l.cut;
	lines_free(&l);
}

void seen_free(struct seen *t)
{
	vec_free(&t->cpus);
	vec_free(&t->names);
	vec_free(&t->pid_of);
	vec_free(&t->places);
	vec_free(&t->last_of);
	vec_free(&t->gaps);
	map_free(&t->by_pid);
	arena_free(&t->arena);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void join_names(struct seen *a, const struct seen *b)
{
	for (size_t i = 0; i < b->names.n; i++) {
		const struct trace_name *x = &b->names.at[i];
		uint32_t at = map_get(&a->by_pid, (uint32_t)x->pid, 0);
		struct trace_name *own;

		if (!at) {
			own = vec_add(&a->names);
			*own = (struct trace_name){.pid = x->pid};
			map_put(&a->by_pid, (uint32_t)x->pid, 0, (uint32_t)a->names.n);
		} else {
			own = &a->names.at[at - 1];
		}
		if (!own->comm && x->comm)
			own->comm = arena_str(&a->arena, x->comm, strlen(x->comm));
		own->tgid = own->tgid ? own->tgid : x->tgid;
	}
}

/* What b says of the lines behind those of a. */
static void join(struct seen *a, const struct seen *b)
{
	for (uint32_t i = 0; i < b->cpus.n; i++) {
		seen_cpu(a, i)->has_data |= b->cpus.at[i].has_data;
		a->cpus.at[i].late |= b->cpus.at[i].late;
	}
	join_names(a, b);
	for (size_t i = 0; i < b->places.n; i++)
		*vec_add(&a->places) = b->places.at[i];
	for (size_t i = 0; i < b->gaps.n; i++) {
		struct text_gap *g = vec_add(&a->gaps);

		*g = b->gaps.at[i];
		if (!g->after && g->cpu < a->last_of.n)
			g->after = a->last_of.at[g->cpu];
	}
	if (a->events && b->events && b->first < a->last) {
		a->backward++;
		a->backward_max = larger(a->backward_max, a->last - b->first);
	}
	a->backward += b->backward;
	a->backward_max = larger(a->backward_max, b->backward_max);
	if (!a->others)
		a->first_other = a->lines + b->first_other;
	a->others += b->others;
	a->lines += b->lines;
	a->events += b->events;
	a->overwritten += b->overwritten;
	a->max_state = larger(a->max_state, b->max_state);
	a->decimals = a->decimals > b->decimals ? a->decimals : b->decimals;
	a->n_cpus = a->n_cpus ? a->n_cpus : b->n_cpus;
	a->has_waking |= b->has_waking;
	a->cut = b->cut;
}

static int by_after(const void *a, const void *b)
{
	const struct text_gap *x = a, *y = b;

	return (x->after > y->after) - (x->after < y->after);
}

void seen_read(struct seen *t, const struct input *in, bool places)
{
	uint64_t size = input_size(in), half = size > TEXT_BLOCK ? size / 2 : size;
	struct seen second = {.in = in, .from = half, .to = size, .wants_places = places};
	struct ahead_job job = {.run = read_part, .arg = &second};
	struct ahead *a = half < size ? ahead_new() : NULL;

	*t = (struct seen){.in = in, .to = half, .wants_places = places};
	if (a)
		ahead_start(a, &job);
	read_part(t);
	if (a)
		ahead_wait(a, &job);
	else if (half < size)
		read_part(&second);
	ahead_free(a);
	if (half < size)
		join(t, &second);
	seen_free(&second);
	if (t->gaps.n)
		qsort(t->gaps.at, t->gaps.n, sizeof *t->gaps.at, by_after);
	for (size_t i = 0; i < t->gaps.n && !t->gaps.at[i].after; i++)
		seen_cpu(t, t->gaps.at[i].cpu)->late = true;
}
