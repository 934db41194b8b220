/* The public library over source and replay. */
#include "peltier.h"

#include "replay/replay.h"
#include "source/source.h"
#include "timeline/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMELINES = PEL_CPU_TASK + 1 };

struct cpu_lines {
	struct steps line[TIMELINES];
};

struct pel_trace {
	struct source *source;
	struct pel_meta meta;
	struct pel_event event;
	const struct event *ev; /* the same inside */
	struct replay *replay;  /* once a timeline was asked for */
	VEC(struct cpu_lines) cpus;
	int64_t start, end;
	bool has_span;
};

static void fill_meta(pel_trace *t)
{
	const struct trace_info *i = source_info(t->source);

	t->meta = (struct pel_meta){
	        i->path,   i->format, i->compression, i->version,    !strcmp(i->endian, "big"),
	        i->kernel, i->clock,  i->clock_is_ns, i->n_cpu_rows, i->buffers[i->buffer].name};
}

pel_trace *pel_open(const char *path, const struct pel_options *o, char *why)
{
	struct source_opts so = {0};
	struct source *s;
	struct err e;
	pel_trace *t;

	if (o)
		so = (struct source_opts){
		        .buffer = o->buffer, .clock_hz = o->clock_hz, .head = o->head};
	s = source_open(path, &so, &e);
	if (!s) {
		if (why)
			snprintf(why, PEL_ERROR_MAX, "%s", e.msg);
		return NULL;
	}
	t = mem_calloc(1, sizeof *t);
	t->source = s;
	fill_meta(t);
	return t;
}

void pel_close(pel_trace *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->cpus.n; i++)
		for (int k = 0; k < TIMELINES; k++)
			steps_free(&t->cpus.at[i].line[k]);
	vec_free(&t->cpus);
	replay_free(t->replay);
	source_close(t->source);
	free(t);
}

const struct pel_meta *pel_meta(const pel_trace *t)
{
	return &t->meta;
}

struct pel_quality pel_quality(const pel_trace *t)
{
	const struct trace_quality *q = source_quality(t->source);

	return (struct pel_quality){q->partial,        q->lost_known, q->lost_gaps, q->bad_pages,
	                            q->backward_steps, q->n_notes,    q->notes};
}

/* ---- events ---- */

const struct pel_event *pel_next(pel_trace *t)
{
	const struct event_type *types;
	unsigned n;

	t->ev = source_next(t->source);
	if (!t->ev)
		return NULL;
	types = source_types(t->source, &n);
	t->event = (struct pel_event){.ts_ns = t->ev->ts,
	                              .cpu = t->ev->cpu,
	                              .pid = t->ev->pid,
	                              .system = "",
	                              .name = "",
	                              .is_gap = t->ev->kind == EV_lost,
	                              .lost = t->ev->kind == EV_lost ? t->ev->lost.count : 0};
	if (!t->event.is_gap) {
		t->event.system = types[t->ev->type].system;
		t->event.name = types[t->ev->type].name;
	}
	return &t->event;
}

/* The field of the current event, of one of those types (1 << enum event_field_type), that it
 * carries; or NULL. */
static const void *find(const pel_trace *t, const char *field, unsigned types)
{
	const struct event_desc *d = t->ev ? &event_desc[t->ev->kind] : NULL;

	for (unsigned i = 0; d && i < d->n_fields; i++)
		if ((t->ev->has >> i & 1) && (types >> d->fields[i].type & 1) &&
		    (!strcmp(d->fields[i].name, field) ||
		     event_alias(d->fields[i].names, field, strlen(field)) >= 0))
			return (const char *)t->ev + d->fields[i].offset;
	return NULL;
}

bool pel_int(pel_trace *t, const char *field, int64_t *value)
{
	const void *p = find(t, field, 1u << EVENT_FIELD_INT);

	if (p)
		memcpy(value, p, sizeof *value);
	return p != NULL;
}

bool pel_real(pel_trace *t, const char *field, double *value)
{
	const void *p = find(t, field, 1u << EVENT_FIELD_REAL);

	if (p)
		memcpy(value, p, sizeof *value);
	return p != NULL;
}

bool pel_text(pel_trace *t, const char *field, char *out, size_t room)
{
	const void *p = find(t, field, 1u << EVENT_FIELD_STR | 1u << EVENT_FIELD_RAW);
	struct str s;
	size_t n;

	if (!p || !room)
		return false;
	memcpy(&s, p, sizeof s);
	n = str_len(s);
	n = n < room ? n : room - 1;
	if (n)
		memcpy(out, s.p, n);
	out[n] = '\0';
	return true;
}

/* ---- timelines ---- */

static void on_cpu(void *self, const struct cpu_seg *f)
{
	pel_trace *t = self;
	struct cpu_lines *c;

	vec_fit(&t->cpus, (size_t)f->cpu + 1);
	c = &t->cpus.at[f->cpu];
	if (f->t0 == f->t1)
		return;
	steps_append(&c->line[PEL_CPU_FREQUENCY], f->t0, f->khz ? f->khz : STEP_UNKNOWN);
	steps_append(&c->line[PEL_CPU_IDLE], f->t0,
	             f->idle_state == IDLE_UNKNOWN ? STEP_UNKNOWN : f->idle_state);
	steps_append(&c->line[PEL_CPU_TASK], f->t0,
	             f->state == CPU_UNKNOWN ? STEP_UNKNOWN
	             : f->task               ? f->task->pid
	                                     : 0);
}

static void read_rest(pel_trace *t)
{
	const struct trace_info *i = source_info(t->source);
	struct replay_opts ro = {.n_cpus = i->n_cpu_rows, .cpus = i->cpus};
	const struct event *ev;

	t->replay = replay_new(&ro, &(struct fact_ops){.cpu_seg = on_cpu}, t);
	t->ev = NULL;
	source_want(t->source, replay_wants);
	while ((ev = source_next(t->source)))
		replay_event(t->replay, ev);
	t->has_span = replay_span(t->replay, &t->start, &t->end);
	if (t->has_span)
		replay_settle(t->replay, t->end);
}

_Static_assert(sizeof(struct pel_step) == sizeof(struct step_point) &&
                       offsetof(struct pel_step, value) == offsetof(struct step_point, value),
               "steps are handed out as they are");

const struct pel_step *pel_timeline(pel_trace *t, enum pel_timeline_kind kind, uint32_t cpu,
                                    size_t *n)
{
	const struct steps *s;

	*n = 0;
	if (!t->replay)
		read_rest(t);
	if (cpu >= t->cpus.n || (int)kind < 0 || (int)kind >= TIMELINES)
		return NULL;
	s = &t->cpus.at[cpu].line[kind];
	*n = s->points.n;
	return *n ? (const struct pel_step *)(const void *)s->points.at : NULL;
}

bool pel_span(pel_trace *t, int64_t *start_ns, int64_t *end_ns)
{
	if (!t->replay)
		read_rest(t);
	*start_ns = t->start;
	*end_ns = t->end;
	return t->has_span;
}

const char *pel_version(void)
{
	return PELTIER_VERSION;
}
