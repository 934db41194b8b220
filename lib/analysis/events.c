/* How many events of each type each CPU wrote, and when first and last. */
#include "analysis/analysis.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct count {
	uint64_t n;
	int64_t first, last;
};

struct cpu_counts {
	VEC(struct count) types;
};

struct events {
	struct context *ctx;
	VEC(struct cpu_counts) cpus;
};

/* Row 0 is for events that no CPU wrote. */
static inline uint32_t row(uint32_t cpu)
{
	return cpu + 1; /* EVENT_NO_CPU is the largest number */
}

/* The first of its type on its CPU, or not an event at all. */
static __attribute__((noinline)) void first_of_type(struct events *e, const struct event *ev)
{
	struct cpu_counts *c;

	if (ev->kind == EV_lost)
		return;
	vec_fit(&e->cpus, (size_t)row(ev->cpu) + 1);
	c = &e->cpus.at[row(ev->cpu)];
	vec_fit(&c->types, (size_t)ev->type + 1);
	c->types.at[ev->type] = (struct count){1, ev->ts, ev->ts};
}

void events_hears_event(void *self, const struct event *ev)
{
	struct events *e = self;
	uint32_t i = row(ev->cpu);

	if (__builtin_expect(i < e->cpus.n && ev->type < e->cpus.at[i].types.n &&
	                             e->cpus.at[i].types.at[ev->type].n,
	                     1)) {
		struct count *k = &e->cpus.at[i].types.at[ev->type];

		k->n++;
		k->last = ev->ts;
	} else {
		first_of_type(e, ev);
	}
}

static void begin(void *self)
{
	struct events *e = self;

	for (size_t i = 0; i < e->cpus.n; i++)
		vec_zero(&e->cpus.at[i].types);
}

struct total {
	const char *name;
	uint64_t n;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct total *)a)->name, ((const struct total *)b)->name);
}

/* Counts by name over all CPUs, sorted by name; *n of them. The caller frees. */
static struct total *totals(const struct events *e, size_t *n)
{
	struct total *t = mem_calloc(e->ctx->n_types + 1, sizeof *t);
	size_t used = 0, out = 0;

	for (unsigned type = 0; type < e->ctx->n_types; type++) {
		uint64_t sum = 0;

		for (size_t c = 0; c < e->cpus.n; c++)
			if (type < e->cpus.at[c].types.n)
				sum += e->cpus.at[c].types.at[type].n;
		if (sum)
			t[used++] = (struct total){e->ctx->types[type].name, sum};
	}
	qsort(t, used, sizeof *t, by_name);
	for (size_t i = 0; i < used; i++) { /* two systems may have events of one name */
		if (out && !strcmp(t[out - 1].name, t[i].name))
			t[out - 1].n += t[i].n;
		else
			t[out++] = t[i];
	}
	*n = out;
	return t;
}

static void json(void *self, struct json *j)
{
	size_t n;
	struct total *t = totals(self, &n);

	json_object(j, "events");
	for (size_t i = 0; i < n; i++)
		json_int(j, t[i].name, (int64_t)t[i].n);
	json_end(j);
	free(t);
}

void session_list_events(struct session *s, FILE *out)
{
	struct context *c = (struct context *)s; /* its first member */
	const struct events *e = session_state(s, &analysis_events);
	const char *buffer = c->opts.trace->buffers[c->opts.trace->buffer].name;
	char name[128];

	fputs("buffer\tcpu\tevent\tcount\tfirst\tlast\n", out);
	for (size_t i = 0; i < e->cpus.n; i++) {
		char cpu[24] = "-";

		if (i && !context_has_cpu(c, (uint32_t)i - 1))
			continue;
		if (i)
			snprintf(cpu, sizeof cpu, "%zu", i - 1);
		for (size_t k = 0; k < e->cpus.at[i].types.n; k++) {
			const struct count *x = &e->cpus.at[i].types.at[k];

			if (x->n)
				fprintf(out, "%s\t%s\t%s\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\n",
				        *buffer ? buffer : "-", cpu,
				        text_escape(name, sizeof name, c->types[k].name,
				                    strlen(c->types[k].name)),
				        x->n, x->first, x->last);
		}
	}
}

static void free_events(void *self)
{
	struct events *e = self;

	for (size_t i = 0; i < e->cpus.n; i++)
		vec_free(&e->cpus.at[i].types);
	vec_free(&e->cpus);
}

static int by_count(const void *a, const void *b)
{
	const struct total *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->name, y->name);
}

static void show(void *self, struct doc *d)
{
	struct events *e = self;
	size_t n, len = 0;
	struct total *t = totals(e, &n);
	uint64_t sum = 0;
	char list[512] = "", name[64];

	qsort(t, n, sizeof *t, by_count);
	for (size_t i = 0; i < n; i++) {
		sum += t[i].n;
		if (i < 8)
			len += (size_t)snprintf(
			        list + len, sizeof list - len, "%s%s %" PRIu64, i ? ", " : "",
			        text_escape(name, sizeof name, t[i].name, strlen(t[i].name)),
			        t[i].n);
	}
	doc_section(d, "events", "%" PRIu64 " of %zu types: %s%s", sum, n, list,
	            n > 8 ? ", ... (--list events)" : "");
	free(t);
}

const struct analysis analysis_events = {
        .name = "events",
        .question = "how many events of each type did each CPU write",
        .size = sizeof(struct events),
        .any_clock = true,
        .begin = begin,
        .json = json,
        .show = show,
        .free = free_events,
};
