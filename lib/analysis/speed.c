/* Speed: what share of the largest CPU's full speed tasks got while they ran, and whether the rest
 * was lost to clocks below the top or to smaller CPUs. */
#include "analysis/speed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MAX = 8, BANDS = 5 };

/* CPUs of one capacity. */
struct size {
	int32_t capacity;
	int64_t capped_ns; /* CPU time with a policy maximum below the top, run time or not */
	double cost_ns;    /* run time that this added */
};

struct speed {
	struct context *ctx;
	struct paces paces;
	struct size sizes[SIZES_MAX]; /* ascending */
	unsigned n_sizes;             /* 0: nothing is known */
	bool set_up;
	VEC(uint8_t) size_of; /* by CPU */
	VEC(struct got) got;  /* by task id x n_sizes + size */
	bool limits;          /* a policy maximum was told */
};

/* ---- pace ---- */

const char *pace_unknown(const struct context *c)
{
	if (context_no_sched(c))
		return context_no_sched(c);
	if (!context_has_capacities(c))
		return c->opts.platform
		               ? "cpu sizes unknown: the platform does not tell that of every CPU"
		               : "cpu sizes unknown: no capacities in the trace, no --platform";
	for (uint32_t i = 0; i < replay_n_cpus(c->replay); i++)
		if (context_top_khz(c, i))
			return NULL;
	return "top clocks unknown: neither the trace nor a --platform (freqs_khz) tells them";
}

static struct pace work_out(const struct cpu_pace *c, int64_t khz)
{
	double clock = khz < c->top_khz ? (double)khz / (double)c->top_khz : 1;
	double size = c->capacity / 1024.0;
	double lost = 1 - clock * size, ln = log(clock) + log(size);

	if (ln >= 0)
		return (struct pace){1, 0, 0, 1, 1};
	return (struct pace){1 - lost, lost * log(clock) / ln, lost * log(size) / ln, clock, size};
}

static __attribute__((noinline)) const struct pace *new_pace(struct paces *p,
                                                             const struct context *c,
                                                             const struct cpu_seg *f)
{
	struct cpu_pace *m;

	vec_fit(&p->cpus, (size_t)f->cpu + 1);
	m = &p->cpus.at[f->cpu];
	if (!m->asked) {
		m->asked = true;
		m->top_khz = context_top_khz(c, f->cpu);
		m->capacity = m->top_khz ? context_capacity(c, f->cpu) : 0;
	}
	if (!m->capacity || !f->khz)
		return NULL;
	m->khz = f->khz;
	m->pace = work_out(m, f->khz);
	return &m->pace;
}

const struct pace *pace_of(struct paces *p, const struct context *c, const struct cpu_seg *f)
{
	if (__builtin_expect(f->cpu < p->cpus.n && p->cpus.at[f->cpu].khz == f->khz && f->khz, 1))
		return &p->cpus.at[f->cpu].pace;
	return new_pace(p, c, f);
}

/* ---- sums ---- */

void got_add(struct got *g, const struct pace *p, int64_t ns)
{
	g->run_ns += ns;
	if (!p) {
		g->unknown_ns += ns;
		return;
	}
	g->sum.work += p->work * (double)ns;
	g->sum.clock += p->clock * (double)ns;
	g->sum.size += p->size * (double)ns;
}

void got_sum(struct got *to, const struct got *g)
{
	to->run_ns += g->run_ns;
	to->unknown_ns += g->unknown_ns;
	to->sum.work += g->sum.work;
	to->sum.clock += g->sum.clock;
	to->sum.size += g->sum.size;
}

double got_speed_pct(const struct got *g)
{
	int64_t known = g->run_ns - g->unknown_ns;

	return known > 0 ? 100 * g->sum.work / (double)known : -1;
}

void got_json(struct json *j, const struct got *g)
{
	json_int(j, "run_ns", g->run_ns);
	json_int(j, "work_ns", (int64_t)g->sum.work);
	json_int(j, "clock_lost_ns", (int64_t)g->sum.clock);
	json_int(j, "size_lost_ns", (int64_t)g->sum.size);
	json_int(j, "unknown_ns", g->unknown_ns);
}

static void add_size(struct speed *s, int32_t capacity)
{
	unsigned i = 0;

	while (i < s->n_sizes && s->sizes[i].capacity < capacity)
		i++;
	if (!capacity || (i < s->n_sizes && s->sizes[i].capacity == capacity) ||
	    s->n_sizes == SIZES_MAX)
		return;
	memmove(&s->sizes[i + 1], &s->sizes[i], (s->n_sizes - i) * sizeof *s->sizes);
	s->sizes[i] = (struct size){.capacity = capacity};
	s->n_sizes++;
}

/* The sizes of CPUs are known from the start, or never. */
static void set_up(struct speed *s)
{
	const struct platform *p = s->ctx->opts.platform;
	uint32_t n = s->ctx->opts.trace->n_cpu_rows;

	s->set_up = true;
	for (uint32_t i = 0; i < n || (p && i < p->n_cpus); i++)
		add_size(s, context_capacity(s->ctx, i));
}

/* The size of a CPU, by its place; of more than SIZES_MAX the next larger one, or the largest. */
static unsigned size_of(struct speed *s, uint32_t cpu)
{
	int32_t capacity;
	unsigned i = 0;

	if (__builtin_expect(cpu < s->size_of.n && s->size_of.at[cpu], 1))
		return s->size_of.at[cpu] - 1u;
	capacity = context_capacity(s->ctx, cpu);
	while (i + 1 < s->n_sizes && s->sizes[i].capacity < capacity)
		i++;
	vec_fit(&s->size_of, (size_t)cpu + 1);
	s->size_of.at[cpu] = (uint8_t)(i + 1);
	return i;
}

static void add_capped(struct speed *s, const struct cpu_seg *f, unsigned size)
{
	int64_t top = context_top_khz(s->ctx, f->cpu);
	double ns = (double)(f->t1 - f->t0);

	s->limits = true;
	if (f->max_khz >= top)
		return;
	s->sizes[size].capped_ns += f->t1 - f->t0;
	if (f->state == CPU_BUSY && f->khz)
		s->sizes[size].cost_ns +=
		        ns * ((double)f->khz / (double)(f->khz < f->max_khz ? f->max_khz : f->khz) -
		              (double)f->khz / (double)top);
}

static __attribute__((noinline)) void on_cpu_seg(struct speed *s, const struct cpu_seg *f)
{
	struct got *g;
	unsigned size;

	if (!s->set_up)
		set_up(s);
	if (!s->n_sizes)
		return;
	size = size_of(s, f->cpu);
	if (f->max_khz)
		add_capped(s, f, size);
	if (f->state != CPU_BUSY)
		return;
	vec_fit(&s->got, ((size_t)f->task->id + 1) * s->n_sizes);
	g = &s->got.at[(size_t)f->task->id * s->n_sizes + size];
	got_add(g, pace_of(&s->paces, s->ctx, f), f->t1 - f->t0);
}

void speed_hears_cpu_seg(void *self, const struct cpu_seg *f)
{
	struct speed *s = self;

	if (s->n_sizes || !s->set_up)
		on_cpu_seg(s, f);
}

static void begin(void *self)
{
	struct speed *s = self;

	vec_zero(&s->got);
	for (unsigned i = 0; i < s->n_sizes; i++) {
		s->sizes[i].capped_ns = 0;
		s->sizes[i].cost_ns = 0;
	}
}

/* What the task got on CPUs of that size; size n_sizes: on all. */
static struct got got_by(const struct speed *s, uint32_t task, unsigned size)
{
	struct got sum = {0};

	for (unsigned i = 0; i < s->n_sizes; i++)
		if ((i == size || size == s->n_sizes) && (task + 1ull) * s->n_sizes <= s->got.n)
			got_sum(&sum, &s->got.at[(size_t)task * s->n_sizes + i]);
	return sum;
}

/* The same of all tasks that the options select. */
static struct got got_by_all(const struct speed *s, unsigned size)
{
	struct got sum = {0};

	for (uint32_t i = 0; i < replay_n_tasks(s->ctx->replay); i++) {
		struct got g = got_by(s, i, size);

		if (context_has_task(s->ctx, replay_task(s->ctx->replay, i)))
			got_sum(&sum, &g);
	}
	return sum;
}

/* ---- results ---- */

static const char no_run[] = "no run time at a known pace";

static void json_got(struct json *j, const struct got *g)
{
	got_json(j, g);
	if (got_speed_pct(g) >= 0)
		json_real(j, "speed_pct", got_speed_pct(g));
	else
		json_missing(j, "speed_pct", no_run);
}

static void json_cpus(const struct speed *s, struct json *j, unsigned size)
{
	json_array_line(j, "cpus");
	for (uint32_t i = 0; i < replay_n_cpus(s->ctx->replay); i++)
		if (replay_cpu_exists(s->ctx->replay, i) &&
		    context_capacity(s->ctx, i) == s->sizes[size].capacity)
			json_int(j, NULL, i);
	json_end(j);
}

static void json_size(const struct speed *s, struct json *j, unsigned size)
{
	const struct size *z = &s->sizes[size];
	struct got g = got_by_all(s, size);

	json_object(j, NULL);
	json_cpus(s, j, size);
	json_int(j, "capacity", z->capacity);
	json_got(j, &g);
	if (s->limits) {
		json_int(j, "capped_ns", z->capped_ns);
		json_int(j, "capped_cost_ns", (int64_t)z->cost_ns);
	} else {
		json_missing(j, "capped_ns", "no cpu_frequency_limits event");
	}
	json_end(j);
}

static void json(void *self, struct json *j)
{
	struct speed *s = self;
	const char *why = pace_unknown(s->ctx);
	struct got all;

	if (why) {
		json_missing(j, "speed", why);
		return;
	}
	all = got_by_all(s, s->n_sizes);
	json_object(j, "speed");
	json_got(j, &all);
	json_array(j, "sizes");
	for (unsigned i = 0; i < s->n_sizes; i++)
		json_size(s, j, i);
	json_end(j);
	json_end(j);
}

static void json_task(void *self, const struct task *t, struct json *j)
{
	struct speed *s = self;
	struct got g;

	if (pace_unknown(s->ctx))
		return;
	g = got_by(s, t->id, s->n_sizes);
	json_object(j, "speed");
	json_got(j, &g);
	json_array_line(j, "work_by_size_ns");
	for (unsigned i = 0; i < s->n_sizes; i++)
		json_int(j, NULL, (int64_t)got_by(s, t->id, i).sum.work);
	json_end(j);
	json_end(j);
}

static void measure(void *self, struct metric_rows *m)
{
	struct speed *s = self;
	const char *why = pace_unknown(s->ctx);
	struct got all = {0}, small = {0};

	if (!why) {
		all = got_by_all(s, s->n_sizes);
		small = got_by_all(s, 0);
		if (got_speed_pct(&all) < 0 || all.sum.work <= 0)
			why = no_run;
	}
	if (why) {
		metric_add_missing(m, METRIC_ID_speed_mean_pct, "all", why);
		metric_add_missing(m, METRIC_ID_speed_work_ms, "all", why);
		metric_add_missing(m, METRIC_ID_speed_big_pct, "all", why);
		return;
	}
	metric_add(m, METRIC_ID_speed_mean_pct, "all", got_speed_pct(&all));
	metric_add(m, METRIC_ID_speed_work_ms, "all", all.sum.work / 1e6);
	if (s->n_sizes > 1)
		metric_add(m, METRIC_ID_speed_big_pct, "all",
		           100 * (1 - small.sum.work / all.sum.work));
	else
		metric_add_missing(m, METRIC_ID_speed_big_pct, "all", "all CPUs are of one size");
}

/* ---- report ---- */

/* Shares of the run time of CPUs of one size by clock, percent of their top. */
struct bands {
	double ns[BANDS], sum, mean;
};

static struct bands bands_of(const struct speed *s, unsigned size)
{
	struct bands b = {.sum = 0};
	struct freq_step step;

	for (uint32_t cpu = 0; cpu < replay_n_cpus(s->ctx->replay); cpu++) {
		int64_t top = context_top_khz(s->ctx, cpu);

		if (!top || context_capacity(s->ctx, cpu) != s->sizes[size].capacity)
			continue;
		for (size_t i = 0; freq_step_at(s->ctx, cpu, i, &step); i++) {
			double share = (double)step.khz / (double)top;
			int band = share >= 1 ? BANDS - 1 : (int)(4 * share);

			b.ns[band] += (double)step.busy_ns;
			b.sum += (double)step.busy_ns;
			b.mean += share * (double)step.busy_ns;
		}
	}
	return b;
}

static void show_size(const struct speed *s, struct doc *d, unsigned size, const struct got *all)
{
	struct got g = got_by_all(s, size);
	struct bands b = bands_of(s, size);
	char label[64];

	context_cpus_of(s->ctx, s->sizes[size].capacity, label, sizeof label);
	doc_text(d, label);
	doc_int(d, s->sizes[size].capacity);
	doc_ms(d, g.run_ns, 0);
	doc_pct(d, g.run_ns, all->run_ns, 1);
	doc_pct(d, (int64_t)g.sum.work, (int64_t)all->sum.work, 1);
	if (got_speed_pct(&g) >= 0)
		doc_real(d, got_speed_pct(&g), 1);
	else
		doc_missing(d);
	if (s->ctx->opts.task || s->ctx->opts.process)
		b = (struct bands){.sum = 0}; /* they are of all tasks */
	doc_pct(d, (int64_t)b.mean, (int64_t)b.sum, 1);
	for (int i = 0; i < BANDS; i++)
		doc_pct(d, (int64_t)b.ns[i], (int64_t)b.sum, 0);
	doc_pct(d, g.unknown_ns, g.run_ns, 1);
}

static void show_all(struct doc *d, const struct got *all)
{
	doc_text(d, "all");
	doc_missing(d);
	doc_ms(d, all->run_ns, 0);
	doc_pct(d, all->run_ns, all->run_ns, 1);
	doc_pct(d, (int64_t)all->sum.work, (int64_t)all->sum.work, 1);
	if (got_speed_pct(all) >= 0)
		doc_real(d, got_speed_pct(all), 1);
	else
		doc_missing(d);
	for (int i = 0; i < BANDS + 1; i++)
		doc_missing(d);
	doc_pct(d, all->unknown_ns, all->run_ns, 1);
}

struct row {
	uint32_t task;
	struct got got;
};

static int by_work(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->got.sum.work != y->got.sum.work)
		return x->got.sum.work < y->got.sum.work ? 1 : -1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static void show_task(const struct speed *s, struct doc *d, const struct row *r)
{
	const struct got *g = &r->got;
	int64_t small = (int64_t)got_by(s, r->task, 0).sum.work;
	char label[80];

	doc_text(d, task_label(replay_task(s->ctx->replay, r->task), label));
	doc_ms(d, g->run_ns, 1);
	doc_ms(d, (int64_t)g->sum.work, 1);
	doc_ms(d, (int64_t)g->sum.clock, 1);
	doc_ms(d, (int64_t)g->sum.size, 1);
	doc_ms(d, g->unknown_ns, 1);
	if (got_speed_pct(g) >= 0)
		doc_real(d, got_speed_pct(g), 1);
	else
		doc_missing(d);
	if (s->n_sizes > 1)
		doc_pct(d, (int64_t)g->sum.work - small, (int64_t)g->sum.work, 1);
	else
		doc_missing(d);
}

static void show_tasks(const struct speed *s, struct doc *d, size_t most)
{
	static const struct column columns[] = {
	        {"task", NULL, true},       {"run", "ms", false},
	        {"work", "ms", false},      {"clock lost", "ms", false},
	        {"size lost", "ms", false}, {"unknown", "ms", false},
	        {"speed", "%", false},      {"work on larger", "%", false},
	};
	uint32_t tasks = replay_n_tasks(s->ctx->replay);
	struct row *rows = mem_calloc(tasks, sizeof *rows);
	size_t n = 0;

	for (uint32_t i = 0; i < tasks; i++) {
		struct got g = got_by(s, i, s->n_sizes);

		if (g.run_ns > 0 && context_has_task(s->ctx, replay_task(s->ctx->replay, i)))
			rows[n++] = (struct row){i, g};
	}
	if (n)
		qsort(rows, n, sizeof *rows, by_work);
	doc_table(d, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < n && i < most; i++)
		show_task(s, d, &rows[i]);
	free(rows);
}

/* "limits: no policy maximum below the top" */
static void limits_text(const struct speed *s, char out[300])
{
	char label[64];
	size_t n = 0;

	snprintf(out, 300, "%s",
	         s->limits ? "no policy maximum below the top"
	                   : "not known (no cpu_frequency_limits event)");

	for (unsigned i = 0; i < s->n_sizes; i++) {
		if (!s->sizes[i].capped_ns)
			continue;
		context_cpus_of(s->ctx, s->sizes[i].capacity, label, sizeof label);
		if (n < 200)
			n += (size_t)snprintf(out + n, 300 - n,
			                      "%scpus %s had a policy maximum below their top for "
			                      "%.3f s of CPU time, which cost %.1f ms of run time",
			                      n ? "; " : "", label,
			                      (double)s->sizes[i].capped_ns / 1e9,
			                      s->sizes[i].cost_ns / 1e6);
	}
}

static void show_some(struct speed *s, struct doc *d, size_t most)
{
	static const struct column columns[] = {
	        {"cpus", NULL, true},    {"capacity", NULL, false}, {"run", "ms", false},
	        {"run", "%", false},     {"work", "%", false},      {"speed", "%", false},
	        {"clock", "%", false},   {"<25", "%", false},       {"25-50", "%", false},
	        {"50-75", "%", false},   {"75-99", "%", false},     {"top", "%", false},
	        {"unknown", "%", false},
	};
	const char *why = pace_unknown(s->ctx);
	char limits[300];
	struct got all;

	if (why) {
		doc_section(d, "SPEED", "%s", why);
		return;
	}
	all = got_by_all(s, s->n_sizes);
	doc_section(d, "SPEED",
	            "capacity x clock while tasks ran, 100 %% = the largest CPU at its top; work: "
	            "ms at "
	            "that speed; lost: run time beyond it, to a clock below the CPU's top and to a "
	            "smaller CPU; clock: mean %% of the CPU's own top, and share of run time in "
	            "bands of it; "
	            "unknown: run time without a known clock");
	doc_table(d, columns, sizeof columns / sizeof *columns);
	for (unsigned i = 0; i < s->n_sizes; i++)
		show_size(s, d, i, &all);
	show_all(d, &all);
	show_tasks(s, d, most);
	limits_text(s, limits);
	doc_note(d, "limits: %s", limits);
}

static void show(void *self, struct doc *d)
{
	struct speed *s = self;

	show_some(s, d, s->ctx->opts.top);
}

/* That of the threads of frames is told with the frames. */
static void page(void *self, struct doc *d)
{
	struct speed *s = self;
	char limits[300];

	if (!s->ctx->has_frames) {
		show_some(s, d, page_rows(s->ctx));
		return;
	}
	if (pace_unknown(s->ctx))
		return;
	limits_text(s, limits);
	doc_section(d, "LIMITS", "%s", limits);
}

static void free_speed(void *self)
{
	struct speed *s = self;

	vec_free(&s->paces.cpus);
	vec_free(&s->size_of);
	vec_free(&s->got);
}

const struct analysis analysis_speed = {
        .name = "speed",
        .question = "how fast did tasks run, and was the rest lost to clocks or to smaller CPUs",
        .size = sizeof(struct speed),
        .begin = begin,
        .json = json,
        .json_task = json_task,
        .measure = measure,
        .show = show,
        .page = page,
        .free = free_speed,
};
