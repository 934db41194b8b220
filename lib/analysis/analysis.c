#include "analysis/analysis.h"

#include "analysis/summary.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct analysis *const analyses[] = {
#define ROW(a, ...) &analysis_##a,
        ANALYSES(ROW, ) NULL,
};

enum {
#define INDEX(a, ...) INDEX_##a,
	ANALYSES(INDEX, ) N_ANALYSES
};

struct session {
	struct context ctx;
	void *self[N_ANALYSES];
	bool ticks; /* the clock does not measure time: only some analyses run */
	bool started, over;
	bool alone;          /* frames are told, by no CPU */
	int64_t first, last; /* when */
};

enum fact_kind {
#define X(f) FACT_##f,
	FACTS(X)
#undef X
};

/* Each fact goes to the analyses that hear it. The comparison of kinds is done by the compiler. A
 * clock in ticks has hearers of its own, so that the others need not ask. */
#define HEAR(a, f, kind, ...)                                                                      \
	if (FACT_##f == (kind))                                                                    \
		a##_hears_##f(s->self[INDEX_##a], fact);
#define HEAR_TICKS(a, f, kind, ...)                                                                \
	if (FACT_##f == (kind) && analysis_##a.any_clock)                                          \
		a##_hears_##f(s->self[INDEX_##a], fact);
#define HEARS(f, name, HEAR)                                                                       \
	static __attribute__((flatten)) void name##_##f(void *self, const struct f *told)          \
	{                                                                                          \
		const struct session *s = self;                                                    \
		const void *fact = told;                                                           \
                                                                                                   \
		HEARERS(HEAR, FACT_##f, )                                                          \
		(void)s;                                                                           \
		(void)fact;                                                                        \
	}
#define X(f) HEARS(f, hear, HEAR) HEARS(f, hear_ticks, HEAR_TICKS)
FACTS(X)
#undef X

static const struct fact_ops hear = {
#define X(f) .f = hear_##f,
        FACTS(X)
#undef X
};

static const struct fact_ops hear_ticks = {
#define X(f) .f = hear_ticks_##f,
        FACTS(X)
#undef X
};

static bool runs(const struct session *s, const struct analysis *a)
{
	return a->any_clock || !s->ticks;
}

#define each_analysis(s, i)                                                                        \
	for (int i = 0; i < N_ANALYSES; i++)                                                       \
		if (runs(s, analyses[i]))

struct session *session_new(const struct session_opts *o)
{
	struct session *s = mem_calloc(1, sizeof *s);
	struct replay_opts ro = {.n_cpus = o->trace->n_cpu_rows,
	                         .cpus = o->trace->cpus,
	                         .names = o->trace->names,
	                         .n_names = o->trace->n_names};

	s->ctx.opts = *o;
	s->ctx.opts.filters = o->task || o->process || o->cpus;
	s->ticks = !o->trace->clock_is_ns;
	s->ctx.replay = replay_new(&ro, s->ticks ? &hear_ticks : &hear, s);
	for (int i = 0; i < N_ANALYSES; i++) {
		s->self[i] = mem_calloc(1, analyses[i]->size);
		*(struct context **)s->self[i] = &s->ctx;
	}
	return s;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	for (int i = 0; i < N_ANALYSES; i++) {
		if (analyses[i]->free)
			analyses[i]->free(s->self[i]);
		free(s->self[i]);
	}
	replay_free(s->ctx.replay);
	free(s);
}

bool session_wants(enum event_kind k)
{
	return replay_wants(k) || frames_wants(k);
}

void *session_state(const struct session *s, const struct analysis *a)
{
	int i = 0;

	while (analyses[i] != a)
		i++;
	return s->self[i];
}

/* ---- the window ---- */

static bool is_marker(const struct event *ev, const char *text)
{
	return ev->kind == EV_print && event_has(ev, print, buf) &&
	       memmem(ev->print.buf.p, ev->print.buf.n, text, strlen(text));
}

/* Whether the event stands at or behind the edge. */
static bool reached(const struct session *s, const struct edge *e, const struct event *ev)
{
	switch (e->kind) {
	case EDGE_NONE:
		return false;
	case EDGE_RELATIVE:
		return ev->ts - s->ctx.start >= e->ns;
	case EDGE_ABSOLUTE:
		return ev->ts >= e->ns;
	default:
		return is_marker(ev, e->text);
	}
}

static int64_t edge_time(const struct session *s, const struct edge *e, const struct event *ev)
{
	return e->kind == EDGE_RELATIVE   ? s->ctx.start + e->ns
	       : e->kind == EDGE_ABSOLUTE ? e->ns
	                                  : ev->ts;
}

static void open_window(struct session *s, int64_t t)
{
	s->ctx.from = t;
	s->ctx.window_open = true;
	replay_settle(s->ctx.replay, t);
	each_analysis(s, i) if (analyses[i]->begin) analyses[i]->begin(s->self[i]);
}

static void told_alone(struct session *s, int64_t t)
{
	s->first = !s->alone || t < s->first ? t : s->first;
	s->last = !s->alone || t > s->last ? t : s->last;
	s->alone = true;
}

bool session_event(struct session *s, const struct event *ev)
{
	const struct session_opts *o = &s->ctx.opts;

	if (s->over)
		return false;
	if (__builtin_expect(ev->cpu == EVENT_NO_CPU, 0)) {
		if (ev->kind == EV_frame_timeline || (ev->kind == EV_track_event && o->frames))
			told_alone(s, ev->ts);
		replay_event(s->ctx.replay, ev);
		return true;
	}
	if (__builtin_expect(!s->started, 0)) {
		s->started = true;
		s->ctx.start = s->ctx.from = ev->ts;
		s->ctx.window_open = o->from.kind == EDGE_NONE;
	}
	if (__builtin_expect(!s->ctx.window_open, 0) && reached(s, &o->from, ev)) {
		int64_t t = edge_time(s, &o->from, ev);

		open_window(s, t > s->ctx.start ? t : s->ctx.start);
	}
	if (__builtin_expect(o->to.kind != EDGE_NONE, 0) && reached(s, &o->to, ev)) {
		s->ctx.to = edge_time(s, &o->to, ev);
		s->over = true;
		if (o->to.kind != EDGE_MARKER && ev->ts > s->ctx.to)
			return false;
	}
	s->ctx.end = ev->ts;
	s->ctx.has_switch |= ev->kind == EV_sched_switch;
	replay_event(s->ctx.replay, ev);
	return !s->over;
}

/* ---- the end ---- */

static bool named_edge(const struct session *s, const struct edge *e, const char *what, bool found,
                       struct err *err)
{
	const char *path = s->ctx.opts.trace->path;

	if (found || e->kind == EDGE_NONE)
		return true;
	if (e->kind == EDGE_MARKER)
		return err_input(err, "%s: %s: no marker contains \"%s\"", path, what, e->text);
	return err_input(err, "%s: %s: lies outside the trace (%.6f s to %.6f s)", path, what,
	                 (double)s->ctx.start / 1e9, (double)s->ctx.end / 1e9);
}

static bool any_task(const struct context *c)
{
	for (uint32_t i = 0; i < replay_n_tasks(c->replay); i++)
		if (context_has_task(c, replay_task(c->replay, i)))
			return true;
	return false;
}

static bool any_cpu(const struct context *c)
{
	for (uint32_t i = 0; i < replay_n_cpus(c->replay); i++)
		if (context_has_cpu(c, i))
			return true;
	return false;
}

/* Names of tasks that no event named, from the table saved with the trace. */
static void saved_names(struct context *c)
{
	const struct trace_info *info = c->opts.trace;

	for (uint32_t i = 0; i < replay_n_tasks(c->replay); i++) {
		struct task *t = replay_task(c->replay, i);
		const struct trace_name *n = trace_name_find(info->names, info->n_names, t->pid);

		for (; n && !t->comm[0]; n = trace_name_next(info->names, info->n_names, n))
			if (n->comm)
				snprintf(t->comm, sizeof t->comm, "%s", n->comm);
	}
}

static bool no_events(const struct session *s, const struct trace_quality *q, struct err *e)
{
	const struct trace_info *t = s->ctx.opts.trace;
	const char *damage = q->n_notes ? q->notes[0] : q->partial ? "it is cut or damaged" : NULL;
	const char *why = q->partial ? damage : t->no_events; /* what is cut off may have some */
	bool holds = t->contents && *t->contents;

	return err_input(e, "%s: no kernel events in it%s%s%s%s%s%s%s", t->path, why ? " (" : "",
	                 why ? why : "", why ? ")" : "", holds ? "; it holds " : "",
	                 holds ? t->contents : "", damage && damage != why ? "; " : "",
	                 damage && damage != why ? damage : "");
}

bool session_finish(struct session *s, const struct trace_quality *q,
                    const struct event_type *types, unsigned n_types, struct err *e)
{
	const struct session_opts *o = &s->ctx.opts;

	s->ctx.quality = q;
	s->ctx.types = types;
	s->ctx.n_types = n_types;
	if (!s->started && s->alone && o->from.kind == EDGE_NONE && o->to.kind == EDGE_NONE) {
		s->started = s->ctx.window_open = true; /* a trace of frames and nothing else */
		s->ctx.start = s->ctx.from = s->first;
		s->ctx.end = s->last;
	}
	if (!s->started)
		return no_events(s, q, e);
	if (s->over && !s->ctx.window_open)
		return err_input(e, "%s: --to lies before --from", o->trace->path);
	if (!named_edge(s, &o->from, "--from", s->ctx.window_open, e))
		return false;
	if (o->to.kind == EDGE_MARKER && !named_edge(s, &o->to, "--to", s->over, e))
		return false;
	if (!s->over)
		s->ctx.to = s->ctx.end;
	if (s->ctx.to < s->ctx.from || (s->ctx.to == s->ctx.from && o->to.kind != EDGE_NONE))
		return err_input(
		        e, "%s: the window is empty: --to is not after --from, or before the trace",
		        o->trace->path);
	replay_settle(s->ctx.replay, s->ctx.to);
	saved_names(&s->ctx);
	each_analysis(s, i) if (analyses[i]->end) analyses[i]->end(s->self[i]);
	if ((o->task || o->process) && !any_task(&s->ctx))
		return err_input(e, "%s: no task matches %s \"%s\"", o->trace->path,
		                 o->task ? "--task" : "--process", o->task ? o->task : o->process);
	if (o->cpus && !any_cpu(&s->ctx))
		return err_input(e, "%s: it has no CPU of --cpu %s", o->trace->path, o->cpus);
	return true;
}

double session_unknown_pct(const struct session *s)
{
	return context_no_sched(&s->ctx) ? 100 : cpu_unknown_pct(&s->ctx);
}

/* ---- selection and names ---- */

int cpu_list_has(const char *list, uint32_t cpu)
{
	int has = 0;

	while (*list) {
		char *end;
		unsigned long a, b;

		if (*list < '0' || *list > '9')
			return -1;
		a = b = strtoul(list, &end, 10);
		if (*end == '-') {
			if (end[1] < '0' || end[1] > '9')
				return -1;
			b = strtoul(end + 1, &end, 10);
		}
		if ((*end && *end != ',') || (*end == ',' && !end[1]) || b < a)
			return -1;
		has |= cpu >= a && cpu <= b;
		list = *end ? end + 1 : end;
	}
	return has;
}

bool context_has_cpu(const struct context *c, uint32_t cpu)
{
	return replay_cpu_exists(c->replay, cpu) &&
	       (!c->opts.cpus || cpu_list_has(c->opts.cpus, cpu) == 1);
}

int32_t context_capacity(const struct context *c, uint32_t cpu)
{
	const struct trace_info *t = c->opts.trace;

	if (c->opts.platform)
		return platform_capacity(c->opts.platform, cpu);
	return cpu < t->n_cpu_rows ? t->cpus[cpu].capacity : 0;
}

void context_cpus_of(const struct context *c, int32_t capacity, char *out, size_t room)
{
	uint32_t n = replay_n_cpus(c->replay);
	size_t used = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < n && used + 26 < room; i++) {
		uint32_t first = i;

		while (i < n && replay_cpu_exists(c->replay, i) &&
		       context_capacity(c, i) == capacity)
			i++;
		if (i > first)
			used += (size_t)snprintf(out + used, room - used,
			                         i - first > 1 ? "%s%u-%u" : "%s%u",
			                         used ? "," : "", first, i - 1);
	}
}

bool context_has_capacities(const struct context *c)
{
	uint32_t n = replay_n_cpus(c->replay);

	for (uint32_t i = 0; i < n; i++)
		if (replay_cpu_exists(c->replay, i) && !context_capacity(c, i))
			return false;
	return n > 0;
}

bool context_knows_speed(const struct session *s)
{
	const struct context *c = &s->ctx;

	for (uint32_t i = 0; i < replay_n_cpus(c->replay); i++)
		if (replay_cpu_exists(c->replay, i) && !context_top_khz(c, i))
			return false;
	return context_has_capacities(c);
}

static int by_mean(const void *a, const void *b)
{
	const struct task_row *x = a, *y = b;

	if (x->mean != y->mean)
		return x->mean < y->mean ? 1 : -1;
	return x->task->id < y->task->id ? -1 : x->task->id > y->task->id;
}

void task_rows_sort(struct task_row *rows, size_t n)
{
	if (n)
		qsort(rows, n, sizeof *rows, by_mean);
}

const char *context_kernel(const struct context *c)
{
	const struct session_opts *o = &c->opts;

	return o->trace->kernel           ? o->trace->kernel
	       : o->run && o->run->kernel ? o->run->kernel
	       : o->platform              ? o->platform->kernel
	                                  : NULL;
}

int64_t context_top_khz(const struct context *c, uint32_t cpu)
{
	const struct platform_domain *d = platform_domain_of(c->opts.platform, cpu);

	if (d && d->n_khz)
		return d->khz[d->n_khz - 1];
	return cpu < c->opts.trace->n_cpu_rows ? c->opts.trace->cpus[cpu].top_khz : 0;
}

/* A pid, or a name as far as the kernel keeps it (15 bytes). */
static bool matches(const char *want, int32_t pid, const char *comm)
{
	uint64_t n;

	if (text_to_u64(want, &n) && n == (uint64_t)pid)
		return true;
	return comm[0] && !strncmp(want, comm, COMM_LEN - 1);
}

bool context_task_is(const struct task *t, const char *name)
{
	return matches(name, t->pid, t->comm);
}

bool context_has_task(const struct context *c, const struct task *t)
{
	const char *process = c->opts.process;

	if (c->opts.task && !matches(c->opts.task, t->pid, t->comm))
		return false;
	if (!process || (t->process && !strcmp(process, t->process)))
		return true;
	if (t->tgid == NO_PID || t->tgid == t->pid)
		return matches(process, t->pid, t->comm);
	if (matches(process, t->tgid, ""))
		return true;
	for (uint32_t i = replay_n_tasks(c->replay); i--;) {
		const struct task *leader = replay_task(c->replay, i);

		if (leader->pid == t->tgid)
			return matches(process, leader->pid, leader->comm);
	}
	return false;
}

const char *task_label(const struct task *t, char out[80])
{
	const char *known = !t->comm[0] && t->process && t->tgid == t->pid ? t->process : t->comm;
	char name[64];

	text_escape(name, sizeof name, known, strlen(known));
	snprintf(out, 80, "%s-%d", *name ? name : "<...>", t->pid);
	return out;
}

const char *context_no_sched(const struct context *c)
{
	return c->has_switch ? NULL : "no sched_switch event in what was read";
}

/* ---- results ---- */

static const char untold[] = "the trace does not tell";

static void json_optional(struct json *j, const char *key, const char *v)
{
	if (v)
		json_text(j, key, v);
	else
		json_missing(j, key, untold);
}

static void json_trace(const struct context *c, struct json *j)
{
	const struct trace_info *t = c->opts.trace;

	json_object(j, "trace");
	json_text(j, "path", t->path);
	json_text(j, "format", t->format);
	if (t->version)
		json_int(j, "version", t->version);
	else
		json_missing(j, "version", "the format has none");
	json_text(j, "compression", t->compression);
	json_text(j, "endian", t->endian);
	json_optional(j, "kernel", t->kernel);
	json_optional(j, "device", t->device);
	json_optional(j, "build", t->build);
	json_optional(j, "recorder", t->recorder);
	if (t->sessions)
		json_int(j, "sessions", t->sessions);
	else
		json_missing(j, "sessions", untold);
	json_int(j, "cpus", t->n_cpu_rows);
	json_optional(j, "clock", t->clock);
	json_int(j, "start_ns", c->start);
	json_int(j, "end_ns", c->end);
	json_int(j, "span_ns", c->end - c->start);
	json_text(j, "buffer", t->buffers[t->buffer].name);
	json_end(j);
	json_object(j, "window");
	json_int(j, "from_ns", c->from);
	json_int(j, "to_ns", c->to);
	json_int(j, "span_ns", window_ns(c));
	json_end(j);
}

void session_json_cpu(struct context *c, uint32_t cpu, struct json *j)
{
	struct session *s = (struct session *)c;

	each_analysis(s, i) if (analyses[i]->json_cpu) analyses[i]->json_cpu(s->self[i], cpu, j);
}

void session_json_task(struct context *c, const struct task *t, struct json *j)
{
	struct session *s = (struct session *)c;

	each_analysis(s, i) if (analyses[i]->json_task) analyses[i]->json_task(s->self[i], t, j);
}

struct metric_rows session_metrics(struct session *s)
{
	struct metric_rows m = {0};

	each_analysis(s, i) if (analyses[i]->measure) analyses[i]->measure(s->self[i], &m);
	return m;
}

static void json_metrics(struct session *s, struct json *j)
{
	struct metric_rows m = session_metrics(s);

	json_array(j, "metrics");
	for (size_t i = 0; i < m.rows.n; i++) {
		const struct metric_row *r = &m.rows.at[i];

		json_object_line(j, NULL);
		json_text(j, "name", metrics[r->id].name);
		json_text(j, "scope", r->scope);
		if (r->reason)
			json_text(j, "value", NULL);
		else
			json_real(j, "value", r->value);
		json_text(j, "unit", metrics[r->id].unit);
		json_text(j, "reason", r->reason);
		json_end(j);
	}
	json_end(j);
	metric_rows_free(&m);
}

void session_json(struct session *s, struct json *j)
{
	static const char no_clock[] = "the trace clock counts ticks of unknown length";

	json_object(j, NULL);
	json_text(j, "schema", "peltier/analysis/1");
	json_trace(&s->ctx, j);
	each_analysis(s, i) if (analyses[i]->json) analyses[i]->json(s->self[i], j);
	if (!s->ctx.opts.trace->clock_is_ns) {
		static const char *const keys[] = {"cpus", "domains", "tasks", "latency",
		                                   "migrations"};

		for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
			json_missing(j, keys[i], no_clock);
	}
	json_metrics(s, j);
	json_end(j);
}

static void doc_ticks(const struct session *s, struct doc *d)
{
	if (!s->ctx.opts.trace->clock_is_ns)
		doc_section(d, "TIME",
		            "clock %s counts ticks of unknown length: nothing can be said in "
		            "seconds; give the rate with --clock-hz HZ",
		            s->ctx.opts.trace->clock);
}

void session_doc(struct session *s, struct doc *d)
{
	each_analysis(s, i) if (analyses[i]->show) analyses[i]->show(s->self[i], d);
	doc_ticks(s, d);
}

void session_page(struct session *s, struct doc *d)
{
	d->compact = true;
	each_analysis(s, i) if (analyses[i]->page) analyses[i]->page(s->self[i], d);
	each_analysis(s, i) if (analyses[i]->page_end) analyses[i]->page_end(s->self[i], d);
	doc_ticks(s, d);
	doc_section(d, "more:", "--full (CPUs, clocks, idle, tasks, signals)  -f json%s",
	            s->ctx.has_frames ? "  --why (frame by frame)" : "  --list events");
}
