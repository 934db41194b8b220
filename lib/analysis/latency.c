/* Waiting for a CPU: from waking to running, and from losing the CPU to running again; and who ran
 * meanwhile on the CPU for which they waited. */
#include "analysis/analysis.h"

#include "base/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPUS_MAX = 65536 };

struct worst {
	int64_t t, ns; /* when it got to run, and after how long */
	const struct task *task;
	uint32_t cpu;
};

struct wait {
	struct series series;
	struct worst worst;
};

/* The tasks that wait for a CPU: their number over time, integrated over the current segment, is
 * the waiting time that whoever runs in it causes. */
struct queue {
	uint32_t waiting;
	int64_t since; /* of `waiting`, or the begin of the segment */
	int64_t area;  /* ns x tasks of the current segment up to since */
};

struct latency {
	struct context *ctx;
	struct wait waking, wakeup; /* from sched_waking; from sched_wakeup; both with new tasks */
	struct wait preemption;
	bool by_waking; /* sched_waking was seen: it is the better measure */
	VEC(struct queue) cpus;
	VEC(uint32_t) queued;        /* by task id: CPU for which it waits, plus 1; 0: does not */
	VEC(int64_t) caused;         /* by task id: waiting of others while it ran, ns x tasks */
	int64_t idle_ns, unknown_ns; /* the same while the CPU was idle; while nobody knows */
};

static struct queue *queue_of(struct latency *s, uint32_t cpu)
{
	vec_fit(&s->cpus, (size_t)cpu + 1);
	return &s->cpus.at[cpu];
}

static inline void integrate(struct queue *q, int64_t t)
{
	if (t > q->since) {
		q->area += (int64_t)q->waiting * (t - q->since);
		q->since = t;
	}
}

void latency_hears_cpu_seg(void *self, const struct cpu_seg *f)
{
	struct latency *s = self;
	struct queue *q = queue_of(s, f->cpu);

	integrate(q, f->t1);
	if (f->state == CPU_IDLE) {
		s->idle_ns += q->area;
	} else if (!f->task) {
		s->unknown_ns += q->area;
	} else {
		vec_fit(&s->caused, (size_t)f->task->id + 1);
		s->caused.at[f->task->id] += q->area;
	}
	q->area = 0;
}

static void leave_queue(struct latency *s, const struct task *t, int64_t at)
{
	struct queue *q;

	if (t->id >= s->queued.n || !s->queued.at[t->id])
		return;
	q = queue_of(s, s->queued.at[t->id] - 1);
	integrate(q, at);
	if (at < q->since) /* told late: it was lost in a gap at that time */
		q->area -= q->since - at;
	q->waiting--;
	s->queued.at[t->id] = 0;
}

static void enter_queue(struct latency *s, const struct task *t, uint32_t cpu, int64_t at)
{
	struct queue *q;

	leave_queue(s, t, at);
	if (cpu >= CPUS_MAX || (s->ctx->opts.filters && !context_has_task(s->ctx, t)))
		return;
	vec_fit(&s->queued, (size_t)t->id + 1);
	s->queued.at[t->id] = cpu + 1;
	q = queue_of(s, cpu);
	integrate(q, at);
	q->waiting++;
}

void latency_hears_woke(void *self, const struct woke *f)
{
	enter_queue(self, f->task, f->cpu, f->t);
}

void latency_hears_migrated(void *self, const struct migrated *f)
{
	struct latency *s = self;

	if (f->task->id < s->queued.n && s->queued.at[f->task->id])
		enter_queue(s, f->task, f->to, f->t);
}

void latency_hears_task_seg(void *self, const struct task_seg *f)
{
	if (f->state == TASK_RUNNABLE && f->next != TASK_RUNNABLE)
		leave_queue(self, f->task, f->t1);
	else if (f->state == TASK_UNKNOWN) /* all of the wait was lost */
		leave_queue(self, f->task, f->t0);
	else if (f->state == TASK_RUNNING && f->next == TASK_RUNNABLE)
		enter_queue(self, f->task, f->cpu, f->t1);
}

static void add(struct wait *w, const struct switch_in *f)
{
	int64_t ns = f->t - f->wait_from;

	if (ns > w->worst.ns || !w->series.n)
		w->worst = (struct worst){f->t, ns, f->task, f->cpu};
	series_add(&w->series, ns);
}

void latency_hears_switch_in(void *self, const struct switch_in *f)
{
	struct latency *s = self;

	if (f->wait == WAIT_NONE || (s->ctx->opts.filters && (!context_has_task(s->ctx, f->task) ||
	                                                      !context_has_cpu(s->ctx, f->cpu))))
		return;
	s->by_waking |= f->wait == WAIT_WAKING;
	if (f->wait == WAIT_PREEMPT)
		add(&s->preemption, f);
	else if (f->wait != WAIT_WAKEUP)
		add(&s->waking, f);
	if ((f->wait == WAIT_WAKEUP || f->wait == WAIT_NEW) && !s->by_waking)
		add(&s->wakeup, f);
}

static void begin(void *self)
{
	struct latency *s = self;

	series_clear(&s->waking.series);
	series_clear(&s->wakeup.series);
	series_clear(&s->preemption.series);
	vec_zero(&s->caused);
	s->idle_ns = s->unknown_ns = 0;
}

/* The wake-up latencies by the better measure the trace has. */
static struct wait *woken(struct latency *s)
{
	return s->by_waking ? &s->waking : &s->wakeup;
}

static int64_t quantile(struct wait *w, double q)
{
	return llrint(series_quantile(&w->series, q));
}

static const char no_wakeup[] = "no wake-up that was followed by a switch-in";
static const char no_preemption[] = "no preemption that was followed by a switch-in";

static void json_wait(struct json *j, const char *key, struct wait *w, const char *none)
{
	static const struct {
		const char *key;
		double q;
	} quantiles[] = {{"p50_ns", .5}, {"p95_ns", .95}, {"p99_ns", .99}};

	json_object(j, key);
	json_int(j, "n", (int64_t)w->series.n);
	for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
		if (w->series.n)
			json_int(j, quantiles[i].key, quantile(w, quantiles[i].q));
		else
			json_missing(j, quantiles[i].key, none);
	}
	if (w->series.n) {
		json_int(j, "max_ns", w->series.max);
		json_int(j, "max_at_ns", w->worst.t);
		json_int(j, "max_pid", w->worst.task->pid);
		json_int(j, "max_cpu", w->worst.cpu);
	} else {
		json_missing(j, "max_ns", none);
	}
	json_bool(j, "exact", series_is_exact(&w->series));
	json_end(j);
}

struct owner {
	uint32_t id;
	int64_t ns;
};

static int by_ns(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : x->id < y->id ? -1 : x->id > y->id;
}

/* Tasks that ran while others waited, most first; the caller frees. */
static struct owner *owners(const struct latency *s, size_t *n)
{
	struct owner *o = mem_calloc(s->caused.n, sizeof *o);

	*n = 0;
	for (size_t i = 0; i < s->caused.n; i++)
		if (s->caused.at[i])
			o[(*n)++] = (struct owner){(uint32_t)i, s->caused.at[i]};
	qsort(o, *n, sizeof *o, by_ns);
	return o;
}

static void json_owners(struct latency *s, struct json *j)
{
	size_t n;
	struct owner *o = owners(s, &n);

	json_object(j, "meanwhile");
	json_int(j, "idle_ns", s->idle_ns);
	json_int(j, "unknown_ns", s->unknown_ns);
	json_array(j, "tasks");
	for (size_t i = 0; i < n; i++) {
		const struct task *t = replay_task(s->ctx->replay, o[i].id);

		json_object_line(j, NULL);
		json_int(j, "pid", t->pid);
		json_text(j, "comm", t->comm);
		json_int(j, "ns", o[i].ns);
		json_end(j);
	}
	json_end(j);
	json_end(j);
	free(o);
}

static void json(void *self, struct json *j)
{
	struct latency *s = self;

	json_object(j, "latency");
	json_wait(j, "wakeup", woken(s), no_wakeup);
	if (woken(s)->series.n)
		json_text(j, "wakeup_from", s->by_waking ? "sched_waking" : "sched_wakeup");
	json_wait(j, "preemption", &s->preemption, no_preemption);
	json_owners(s, j);
	json_end(j);
}

static void measure(void *self, struct metric_rows *m)
{
	struct latency *s = self;
	static const struct {
		enum metric_id id;
		bool preemption;
		double q;
	} rows[] = {
	        {METRIC_ID_wakeup_p50_us, false, .5},     {METRIC_ID_wakeup_p95_us, false, .95},
	        {METRIC_ID_wakeup_p99_us, false, .99},    {METRIC_ID_wakeup_max_us, false, 1},
	        {METRIC_ID_preemption_p99_us, true, .99}, {METRIC_ID_preemption_max_us, true, 1},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct wait *w = rows[i].preemption ? &s->preemption : woken(s);

		if (w->series.n)
			metric_add(m, rows[i].id, "all",
			           (rows[i].q < 1 ? series_quantile(&w->series, rows[i].q)
			                          : (double)w->series.max) /
			                   1e3);
		else
			metric_add_missing(m, rows[i].id, "all",
			                   rows[i].preemption ? no_preemption : no_wakeup);
	}
}

static void show_wait(struct latency *s, struct doc *d, const char *name, struct wait *w)
{
	char label[80];

	(void)s;
	doc_text(d, name);
	doc_int(d, (int64_t)w->series.n);
	if (!w->series.n) {
		for (int i = 0; i < 7; i++)
			doc_missing(d);
		return;
	}
	doc_ms(d, quantile(w, .5), 4);
	doc_ms(d, quantile(w, .95), 4);
	doc_ms(d, quantile(w, .99), 4);
	doc_ms(d, w->series.max, 4);
	doc_s(d, w->worst.t - s->ctx->start, 6);
	doc_text(d, task_label(w->worst.task, label));
	doc_int(d, w->worst.cpu);
}

static void show_owners(struct latency *s, struct doc *d, size_t most)
{
	size_t n, len = 0;
	struct owner *o = owners(s, &n);
	char line[400] = "", label[80];
	int64_t shown = 0, sum = s->idle_ns + s->unknown_ns;

	for (size_t i = 0; i < n; i++)
		sum += o[i].ns;
	for (size_t i = 0; i < n && i < most; i++) {
		len += (size_t)snprintf(line + len, sizeof line - len, "%s %.1f, ",
		                        task_label(replay_task(s->ctx->replay, o[i].id), label),
		                        (double)o[i].ns / 1e6);
		shown += o[i].ns;
	}
	doc_note(d,
	         "waiting in all %.1f ms; ran meanwhile on that CPU: %sothers %.1f, idle (exit) "
	         "%.1f, unknown %.1f",
	         (double)sum / 1e6, line, (double)(sum - shown - s->idle_ns - s->unknown_ns) / 1e6,
	         (double)s->idle_ns / 1e6, (double)s->unknown_ns / 1e6);
	free(o);
}

static void show(void *self, struct doc *d)
{
	static const struct column columns[] = {
	        {"wait", NULL, true}, {"n", NULL, false},   {"p50", "ms", false},
	        {"p95", "ms", false}, {"p99", "ms", false}, {"max", "ms", false},
	        {"at", "s", false},   {"task", NULL, true}, {"cpu", NULL, false},
	};
	struct latency *s = self;
	bool exact = series_is_exact(&woken(s)->series) && series_is_exact(&s->preemption.series);

	if (context_no_sched(s->ctx)) {
		doc_section(d, "LATENCY", "%s: waiting times are not known",
		            context_no_sched(s->ctx));
		return;
	}
	doc_section(d, "LATENCY",
	            "wake-up: %s (new tasks: sched_wakeup_new) to running; preemption: losing the "
	            "CPU while runnable to running "
	            "again; at: seconds from the start of the trace%s",
	            s->by_waking ? "sched_waking" : "sched_wakeup",
	            exact ? "" : "; quantiles from a histogram, +-0.1 %");
	doc_table(d, columns, sizeof columns / sizeof *columns);
	show_wait(s, d, "wake-up", woken(s));
	show_wait(s, d, "preemption", &s->preemption);
	if (woken(s)->series.n || s->preemption.series.n)
		show_owners(s, d, 5);
}

static void page(void *self, struct doc *d)
{
	struct latency *s = self;
	struct wait *w = woken(s);
	char label[80];

	if (context_no_sched(s->ctx) || !w->series.n) {
		doc_section(d, "LATENCY", "%s",
		            context_no_sched(s->ctx) ? context_no_sched(s->ctx) : no_wakeup);
		return;
	}
	doc_section(d, "LATENCY",
	            "wake-up to running, ms: p50 %.2f p95 %.2f p99 %.2f max %.2f (%s at %.3f s)",
	            (double)quantile(w, .5) / 1e6, (double)quantile(w, .95) / 1e6,
	            (double)quantile(w, .99) / 1e6, (double)w->series.max / 1e6,
	            task_label(w->worst.task, label), (double)(w->worst.t - s->ctx->start) / 1e9);
	show_owners(s, d, 2);
}

static void free_latency(void *self)
{
	struct latency *s = self;

	series_free(&s->waking.series);
	series_free(&s->wakeup.series);
	series_free(&s->preemption.series);
	vec_free(&s->cpus);
	vec_free(&s->queued);
	vec_free(&s->caused);
}

const struct analysis analysis_latency = {
        .name = "latency",
        .question = "how long did tasks wait for a CPU, and who ran meanwhile",
        .size = sizeof(struct latency),
        .begin = begin,
        .json = json,
        .measure = measure,
        .show = show,
        .page = page,
        .free = free_latency,
};
