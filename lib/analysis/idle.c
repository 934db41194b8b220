/* Idle states: residency and exits. */
#include "analysis/analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct residency {
	int32_t state;
	int64_t ns;
	uint64_t entries;
};

struct cpu_idle {
	VEC(struct residency) states; /* ascending */
	int64_t active_ns, unknown_ns;
	uint64_t exits;
	bool any; /* saw a cpu_idle event, now or before the window */
};

struct idle {
	struct context *ctx;
	VEC(struct cpu_idle) cpus;
};

static struct cpu_idle *cpu_of(struct idle *s, uint32_t cpu)
{
	if (__builtin_expect(cpu >= s->cpus.n, 0))
		vec_fit(&s->cpus, (size_t)cpu + 1);
	return &s->cpus.at[cpu];
}

static struct residency *residency_of(struct cpu_idle *c, int32_t state)
{
	size_t i = 0;

	while (i < c->states.n && c->states.at[i].state < state)
		i++;
	if (i == c->states.n || c->states.at[i].state != state) {
		vec_add(&c->states);
		memmove(&c->states.at[i + 1], &c->states.at[i],
		        (c->states.n - 1 - i) * sizeof *c->states.at);
		c->states.at[i] = (struct residency){.state = state};
	}
	return &c->states.at[i];
}

void idle_hears_cpu_seg(void *self, const struct cpu_seg *f)
{
	struct cpu_idle *c = cpu_of(self, f->cpu);
	int64_t ns = f->t1 - f->t0;

	if (f->idle_state == IDLE_UNKNOWN)
		c->unknown_ns += ns;
	else if (f->idle_state == IDLE_ACTIVE)
		c->active_ns += ns;
	else
		residency_of(c, f->idle_state)->ns += ns;
}

void idle_hears_idle_change(void *self, const struct idle_change *f)
{
	struct cpu_idle *c = cpu_of(self, f->cpu);

	c->any = true;
	if (f->to >= 0)
		residency_of(c, f->to)->entries++;
	else if (f->from != IDLE_ACTIVE)
		c->exits++;
}

static void begin(void *self)
{
	struct idle *s = self;

	for (size_t i = 0; i < s->cpus.n; i++) {
		struct cpu_idle *c = &s->cpus.at[i];

		c->states.n = 0;
		c->active_ns = c->unknown_ns = 0;
		c->exits = 0;
	}
}

int64_t idle_ns(const struct context *ctx, uint32_t cpu, int32_t state)
{
	const struct cpu_idle *c =
	        cpu_of(session_state((const struct session *)ctx, &analysis_idle), cpu);

	if (state == IDLE_UNKNOWN)
		return c->unknown_ns;
	for (size_t i = 0; i < c->states.n; i++)
		if (c->states.at[i].state == state)
			return c->states.at[i].ns;
	return 0;
}

static const char none[] = "no cpu_idle event for this CPU";

static void json_cpu(void *self, uint32_t cpu, struct json *j)
{
	const struct cpu_idle *c = cpu_of(self, cpu);

	if (!c->any) {
		json_missing(j, "idle", none);
		return;
	}
	json_object(j, "idle");
	json_int(j, "exits", (int64_t)c->exits);
	json_int(j, "unknown_ns", c->unknown_ns);
	json_int(j, "active_ns", c->active_ns);
	json_array(j, "residency");
	for (size_t i = 0; i < c->states.n; i++) {
		json_object_line(j, NULL);
		json_int(j, "state", c->states.at[i].state);
		json_int(j, "ns", c->states.at[i].ns);
		json_int(j, "entries", (int64_t)c->states.at[i].entries);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

static void measure(void *self, struct metric_rows *m)
{
	struct idle *s = self;

	for (uint32_t i = 0; i < replay_n_cpus(s->ctx->replay); i++) {
		const struct cpu_idle *c = cpu_of(s, i);
		char scope[24];

		if (!context_has_cpu(s->ctx, i))
			continue;
		snprintf(scope, sizeof scope, "cpu%u", i);
		if (!c->any || window_ns(s->ctx) <= 0)
			metric_add_missing(m, METRIC_ID_idle_exits_per_s, scope, none);
		else
			metric_add(m, METRIC_ID_idle_exits_per_s, scope,
			           (double)c->exits * 1e9 / (double)window_ns(s->ctx));
	}
}

static void show_rows(struct idle *s, struct doc *d, uint32_t cpu)
{
	const struct cpu_idle *c = cpu_of(s, cpu);

	if (!c->states.n) { /* no event, or never in an idle state in the window */
		doc_int(d, cpu);
		for (int i = 0; i < 5; i++)
			doc_missing(d);
		if (c->any)
			doc_int(d, (int64_t)c->exits);
		else
			doc_missing(d);
		doc_pct(d, c->unknown_ns, window_ns(s->ctx), 2);
		return;
	}
	for (size_t i = 0; i < c->states.n; i++) {
		const struct residency *r = &c->states.at[i];

		doc_int(d, cpu);
		doc_int(d, r->state);
		doc_s(d, r->ns, 6);
		doc_pct(d, r->ns, window_ns(s->ctx), 2);
		doc_int(d, (int64_t)r->entries);
		if (r->entries)
			doc_ms(d, r->ns / (int64_t)r->entries, 3);
		else
			doc_missing(d);
		if (i) {
			doc_text(d, "");
			doc_text(d, "");
			continue;
		}
		doc_int(d, (int64_t)c->exits);
		doc_pct(d, c->unknown_ns, window_ns(s->ctx), 2);
	}
}

static void show(void *self, struct doc *d)
{
	static const struct column columns[] = {
	        {"cpu", NULL, false},      {"state", NULL, false},   {"residency", "s", false},
	        {"of window", "%", false}, {"entries", NULL, false}, {"mean", "ms", false},
	        {"exits", NULL, false},    {"unknown", "%", false},
	};
	struct idle *s = self;
	bool any = false;

	for (size_t i = 0; i < s->cpus.n; i++)
		any |= s->cpus.at[i].any;
	if (!any) {
		doc_section(d, "IDLE",
		            "no cpu_idle event in the trace (record power:cpu_idle): idle states "
		            "not known");
		return;
	}
	doc_section(d, "IDLE",
	            "residency in idle states; unknown: before the CPU's first cpu_idle event "
	            "and after gaps");
	doc_table(d, columns, sizeof columns / sizeof *columns);
	for (uint32_t i = 0; i < replay_n_cpus(s->ctx->replay); i++)
		if (context_has_cpu(s->ctx, i))
			show_rows(s, d, i);
}

static void free_idle(void *self)
{
	struct idle *s = self;

	for (size_t i = 0; i < s->cpus.n; i++)
		vec_free(&s->cpus.at[i].states);
	vec_free(&s->cpus);
}

const struct analysis analysis_idle = {
        .name = "idle",
        .question = "in which idle states were the CPUs, and how often did they leave them",
        .size = sizeof(struct idle),
        .begin = begin,
        .json_cpu = json_cpu,
        .measure = measure,
        .show = show,
        .free = free_idle,
};
