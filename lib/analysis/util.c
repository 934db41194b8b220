/* Utilization of tasks as PELT would have it under several half-lives, rebuilt from who ran when
 * and at which clock. Open loop: the trace ran under one half-life, and its clocks stay what they
 * were.
 *
 * Every CPU has a PELT clock per half-life; a task's signal is brought up to date when its state
 * changes, on the clock of the CPU where it ran last. What is not known (the value at the start,
 * and time in which nobody knows whether it ran) is carried along as a second signal that counts
 * all such time as running: a value is used when that one is small. */
#include "analysis/util.h"

#include "base/series.h"
#include "signal/pelt.h"

#include <stdio.h>
#include <stdlib.h>

enum { UNSURE_MAX = 8 };

struct cpu_set {
	struct pelt_clock clock;
	struct pelt_signal busy; /* any task runs */
};

struct cpu_model {
	bool known;
	int64_t t; /* up to date */
	struct cpu_set set[HALF_LIVES_MAX];
};

struct task_set {
	struct pelt_signal util, unsure;
	struct series at_sleep;
};

struct task_model {
	bool known;
	uint32_t cpu; /* whose clock its signals are on */
	struct task_set set[HALF_LIVES_MAX];
};

/* Rebuilt values beside those that the kernel recorded. */
struct fit {
	struct series size; /* of the difference, in 1/1000 */
	double sum;         /* of rebuilt minus recorded */
};

struct util {
	struct context *ctx;
	struct fit fit[HALF_LIVES_MAX];
	unsigned n; /* half-lives; 0: not set up yet */
	struct pelt pelt[HALF_LIVES_MAX];
	VEC(struct cpu_model) cpus;
	VEC(struct task_model) tasks; /* by id */
	int64_t busy_ns, guessed_ns;  /* of the latter the speed is not known */
	/* the table of the report */
	struct column columns[2 + 3 * HALF_LIVES_MAX];
	char heads[HALF_LIVES_MAX][3][16];
};

/* ---- set-up ---- */

static enum pelt_era era_of(const char *release)
{
	unsigned major, minor;

	if (!release || sscanf(release, "%u.%u", &major, &minor) != 2)
		return PELT_P5;
	if (major < 4 || (major == 4 && minor <= 12))
		return PELT_P1;
	if (major < 5 || (major == 5 && minor == 0))
		return PELT_P2;
	if (major < 6)
		return PELT_P3;
	return major == 6 && minor < 8 ? PELT_P4 : PELT_P5;
}

static inline bool wanted(const struct util *s)
{
	return s->ctx->opts.n_half_lives != 0;
}

static bool on(struct util *s)
{
	const struct session_opts *o = &s->ctx->opts;

	while (s->n < o->n_half_lives) {
		pelt_init(&s->pelt[s->n], o->half_lives[s->n], era_of(o->trace->kernel), 1);
		s->n++;
	}
	return s->n > 0;
}

/* ---- clocks of the CPUs ---- */

/* Whether it is known. */
static bool set_speed(const struct util *s, struct cpu_set *c, uint32_t cpu, int64_t khz)
{
	int64_t top = context_top_khz(s->ctx, cpu);
	int32_t cap = context_capacity(s->ctx, cpu);

	c->clock.cap = cap ? (uint32_t)cap : PELT_SCALE;
	c->clock.freq = khz && top && khz < top ? (uint32_t)(khz * PELT_SCALE / top) : PELT_SCALE;
	return cap && top && khz;
}

/* Bring the CPU up to `to`: since it was up to date it has been doing what `seg` says. */
static void advance(struct util *s, uint32_t cpu, int64_t to, const struct cpu_seg *seg)
{
	struct cpu_model *c = &s->cpus.at[cpu];
	bool busy = seg->state == CPU_BUSY;
	struct pelt_doing d = {busy, busy, busy, 0, 0, 0};

	if (!c->known) {
		*c = (struct cpu_model){.known = true, .t = seg->t0 < to ? seg->t0 : to};
		for (unsigned i = 0; i < s->n; i++)
			c->set[i].clock = pelt_clock(PELT_SCALE);
	}
	if (to <= c->t)
		return;
	s->busy_ns += busy ? to - c->t : 0;
	for (unsigned i = 0; i < s->n; i++) {
		struct cpu_set *x = &c->set[i];

		if (busy)
			pelt_clock_busy(&x->clock);
		else if (!x->clock.idle)
			pelt_clock_idle(&s->pelt[i], &x->clock,
			                seg->state == CPU_IDLE ? x->busy.util_sum : 0);
		if (!set_speed(s, x, cpu, seg->khz) && busy && !i)
			s->guessed_ns += to - c->t;
		pelt_clock_advance(&s->pelt[i], &x->clock, to - c->t);
		d.freq = x->clock.freq;
		d.cap = x->clock.cap;
		pelt_update(&s->pelt[i], &x->busy, pelt_now(&s->pelt[i], &x->clock), &d);
	}
	c->t = to;
}

/* The CPU's model at time t. */
static struct cpu_model *cpu_at(struct util *s, uint32_t cpu, int64_t t)
{
	struct cpu_seg open = replay_cpu_open(s->ctx->replay, cpu);

	vec_fit(&s->cpus, (size_t)cpu + 1);
	advance(s, cpu, t, &open);
	return &s->cpus.at[cpu];
}

static __attribute__((noinline)) void on_cpu_seg(struct util *s, const struct cpu_seg *f)
{

	if (!on(s))
		return;
	vec_fit(&s->cpus, (size_t)f->cpu + 1);
	advance(s, f->cpu, f->t1, f);
}

/* ---- tasks ---- */

static void update(const struct util *s, struct task_model *t, const struct cpu_model *c,
                   enum task_state state)
{
	bool running = state == TASK_RUNNING, queued = running || state == TASK_RUNNABLE;
	bool unsure = state == TASK_UNKNOWN;

	for (unsigned i = 0; i < s->n; i++) {
		const struct pelt_clock *k = &c->set[i].clock;
		int64_t now = pelt_now(&s->pelt[i], k);
		struct pelt_doing does = {queued, queued, running, k->freq, k->cap, 0};
		struct pelt_doing may = {unsure, unsure, unsure, k->freq, k->cap, 0};

		pelt_update(&s->pelt[i], &t->set[i].util, now, &does);
		pelt_update(&s->pelt[i], &t->set[i].unsure, now, &may);
	}
}

/* What the sums say now; the average may be a period old. */
static double live(const struct pelt *p, const struct pelt_signal *s)
{
	return (double)s->util_sum / pelt_divider(p, s);
}

/* Put a signal on the clock of a CPU, with its value. */
static void rebase(const struct pelt *p, struct pelt_signal *s, const struct cpu_set *c)
{
	double util = live(p, s);

	s->last = c->busy.last;
	s->phase = c->busy.phase;
	s->util_sum = (uint64_t)(util * pelt_divider(p, s));
}

static void settle_on(struct util *s, struct task_model *t, uint32_t cpu, const struct cpu_model *c)
{
	t->cpu = cpu;
	for (unsigned i = 0; i < s->n; i++) {
		rebase(&s->pelt[i], &t->set[i].util, &c->set[i]);
		rebase(&s->pelt[i], &t->set[i].unsure, &c->set[i]);
	}
}

/* The first that is known of a task: its value may be anything. */
static void begin_task(struct util *s, struct task_model *t, uint32_t cpu,
                       const struct cpu_model *c)
{
	t->known = true;
	for (unsigned i = 0; i < s->n; i++)
		t->set[i].unsure.util_sum =
		        (uint64_t)PELT_SCALE * pelt_divider(&s->pelt[i], &t->set[i].unsure);
	settle_on(s, t, cpu, c);
}

static void sample(struct util *s, struct task_model *t)
{
	for (unsigned i = 0; i < s->n; i++)
		if (live(&s->pelt[i], &t->set[i].unsure) <= UNSURE_MAX)
			series_add(&t->set[i].at_sleep,
			           (int64_t)(live(&s->pelt[i], &t->set[i].util) * 1000));
}

static __attribute__((noinline)) void on_task_seg(struct util *s, const struct task_seg *f)
{
	struct task_model *t;
	uint32_t cpu = f->state == TASK_RUNNING ? f->cpu : f->task->cpu;

	if (!on(s) || cpu == NO_CPU)
		return;
	vec_fit(&s->tasks, (size_t)f->task->id + 1);
	t = &s->tasks.at[f->task->id];
	if (!t->known) {
		begin_task(s, t, cpu, cpu_at(s, cpu, f->t1));
		return;
	}
	update(s, t, cpu_at(s, t->cpu, f->t1), f->state);
	if (f->next == TASK_RUNNING && cpu != t->cpu)
		settle_on(s, t, cpu, cpu_at(s, cpu, f->t1));
	if (f->state == TASK_RUNNING && task_is_blocked(f->next))
		sample(s, t);
}

/* The task at time t, without touching its state; false when nothing is known of it. */
static bool task_now(struct util *s, const struct task *task, int64_t t, struct task_model *now)
{
	if (task->id >= s->tasks.n || !s->tasks.at[task->id].known)
		return false;
	*now = s->tasks.at[task->id];
	update(s, now, cpu_at(s, now->cpu, t), task->state);
	return true;
}

bool util_at(struct session *session, const struct task *task, unsigned set, int64_t t,
             double *util, double *unsure)
{
	struct util *s = session_state(session, &analysis_util);
	struct task_model now;

	if (set >= s->n || !task_now(s, task, t, &now))
		return false;
	*util = live(&s->pelt[set], &now.set[set].util);
	*unsure = live(&s->pelt[set], &now.set[set].unsure);
	return true;
}

static __attribute__((noinline)) void on_kernel_util(struct util *s, const struct kernel_util *f)
{
	struct task_model now;

	if (!on(s) || !task_now(s, f->task, f->t, &now))
		return;
	for (unsigned i = 0; i < s->n; i++) {
		double d = live(&s->pelt[i], &now.set[i].util) - (double)f->util;

		if (live(&s->pelt[i], &now.set[i].unsure) > UNSURE_MAX)
			continue;
		s->fit[i].sum += d;
		series_add(&s->fit[i].size, (int64_t)(1000 * (d < 0 ? -d : d)));
	}
}

static void begin(void *self)
{
	struct util *s = self;

	s->busy_ns = s->guessed_ns = 0;
	for (unsigned i = 0; i < s->n; i++) {
		series_clear(&s->fit[i].size);
		s->fit[i].sum = 0;
	}

	for (size_t i = 0; i < s->tasks.n; i++)
		for (unsigned k = 0; k < s->n; k++)
			series_clear(&s->tasks.at[i].set[k].at_sleep);
}

/* As a rule nobody asks for this: little more than the question is in the way of the others. */
#define HEARS(fact)                                                                                \
	void util_hears_##fact(void *self, const struct fact *f)                                   \
	{                                                                                          \
		if (__builtin_expect(wanted(self), 0))                                             \
			on_##fact(self, f);                                                        \
	}
HEARS(cpu_seg)
HEARS(task_seg)
HEARS(kernel_util)

/* ---- results ---- */

static const char none[] = "never known well enough when it went to sleep";

static void json(void *self, struct json *j)
{
	struct util *s = self;

	if (!on(s))
		return;
	json_array(j, "util_fit");
	for (unsigned i = 0; i < s->n; i++) {
		struct fit *x = &s->fit[i];
		static const char why[] = "the trace has no values of the kernel (sched_pelt_se)";

		json_object_line(j, NULL);
		json_int(j, "half_life", s->pelt[i].half_life);
		json_int(j, "n", (int64_t)x->size.n);
		if (x->size.n) {
			json_real(j, "bias", x->sum / (double)x->size.n);
			json_real(j, "mean_abs", x->size.sum / (double)x->size.n / 1e3);
			json_real(j, "p95_abs", series_quantile(&x->size, .95) / 1e3);
		} else {
			json_missing(j, "bias", why);
			json_missing(j, "mean_abs", why);
			json_missing(j, "p95_abs", why);
		}
		json_end(j);
	}
	json_end(j);
}

static void json_task(void *self, const struct task *task, struct json *j)
{
	struct util *s = self;

	if (!on(s))
		return;
	vec_fit(&s->tasks, (size_t)task->id + 1);
	json_array(j, "util_at_sleep");
	for (unsigned i = 0; i < s->n; i++) {
		struct series *x = &s->tasks.at[task->id].set[i].at_sleep;

		json_object_line(j, NULL);
		json_int(j, "half_life", s->pelt[i].half_life);
		json_int(j, "n", (int64_t)x->n);
		if (x->n) {
			json_real(j, "mean", x->sum / (double)x->n / 1e3);
			json_real(j, "p95", series_quantile(x, .95) / 1e3);
			json_real(j, "max", (double)x->max / 1e3);
		} else {
			json_missing(j, "mean", none);
			json_missing(j, "p95", none);
			json_missing(j, "max", none);
		}
		json_end(j);
	}
	json_end(j);
}

struct row {
	const struct task *task;
	uint64_t n;
	double mean;
};

static int by_mean(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->mean != y->mean)
		return x->mean < y->mean ? 1 : -1;
	return x->task->id < y->task->id ? -1 : x->task->id > y->task->id;
}

static void show_row(struct util *s, struct doc *d, const struct row *r)
{
	char label[80];

	doc_text(d, task_label(r->task, label));
	doc_int(d, (int64_t)r->n);
	for (unsigned i = 0; i < s->n; i++) {
		struct series *x = &s->tasks.at[r->task->id].set[i].at_sleep;

		if (!x->n) {
			doc_missing(d);
			doc_missing(d);
			doc_missing(d);
			continue;
		}
		doc_real(d, x->sum / (double)x->n / 1e3, 0);
		doc_real(d, series_quantile(x, .95) / 1e3, 0);
		doc_real(d, (double)x->max / 1e3, 0);
	}
}

/* Tasks that have a value, largest mean under the first half-life first. */
static struct row *rows_of(struct util *s, size_t *n)
{
	struct row *rows = mem_calloc(s->tasks.n, sizeof *rows);

	*n = 0;
	for (size_t i = 0; i < s->tasks.n; i++) {
		const struct series *x = &s->tasks.at[i].set[0].at_sleep;
		const struct task *t = x->n ? replay_task(s->ctx->replay, (uint32_t)i) : NULL;

		if (t && context_has_task(s->ctx, t))
			rows[(*n)++] = (struct row){t, x->n, x->sum / (double)x->n};
	}
	if (*n)
		qsort(rows, *n, sizeof *rows, by_mean);
	return rows;
}

static void show(void *self, struct doc *d)
{
	struct util *s = self;
	static const char *const what[] = {"mean", "p95", "max"};
	char guessed[160] = "";
	struct row *rows;
	size_t n;

	if (!on(s))
		return;
	if (context_no_sched(s->ctx)) {
		doc_section(d, "UTIL", "%s: utilization is not known", context_no_sched(s->ctx));
		return;
	}
	s->columns[0] = (struct column){"task", NULL, true};
	s->columns[1] = (struct column){"sleeps", NULL, false};
	for (unsigned i = 0; i < 3 * s->n; i++) {
		char *head = s->heads[i / 3][i % 3];

		snprintf(head, sizeof s->heads[0][0], "%u %s", s->pelt[i / 3].half_life,
		         what[i % 3]);
		s->columns[2 + i] = (struct column){head, NULL, false};
	}
	rows = rows_of(s, &n);
	if (s->guessed_ns)
		snprintf(guessed, sizeof guessed,
		         "; speed unknown for %.2g %% of busy time (capacities and clocks: "
		         "--platform): full speed assumed there",
		         100.0 * (double)s->guessed_ns / (double)s->busy_ns);
	doc_section(
	        d, "UTIL",
	        "PELT util of a task when it goes to sleep, 0 to 1024, by half-life (periods of "
	        "1.05 ms), era P%d%s; open loop: the clocks are those of the trace; values that "
	        "may be off by more than %d for lack of a start value are left out%s",
	        (int)s->pelt[0].era,
	        s->ctx->opts.trace->kernel ? "" : " assumed (no kernel release)", UNSURE_MAX,
	        guessed);
	doc_table(d, s->columns, 2 + 3 * s->n);
	for (size_t i = 0; i < n && i < s->ctx->opts.top; i++)
		show_row(s, d, &rows[i]);
	free(rows);
	for (unsigned i = 0; i < s->n; i++) {
		struct fit *x = &s->fit[i];

		if (x->size.n)
			doc_note(d,
			         "half-life %u against the kernel's own %zu values "
			         "(sched_pelt_se): bias "
			         "%+.1f, mean |difference| %.1f, p95 %.1f",
			         s->pelt[i].half_life, (size_t)x->size.n,
			         x->sum / (double)x->size.n, x->size.sum / (double)x->size.n / 1e3,
			         series_quantile(&x->size, .95) / 1e3);
	}
}

static void free_util(void *self)
{
	struct util *s = self;

	for (size_t i = 0; i < s->tasks.n; i++)
		for (unsigned k = 0; k < HALF_LIVES_MAX; k++)
			series_free(&s->tasks.at[i].set[k].at_sleep);
	for (unsigned k = 0; k < HALF_LIVES_MAX; k++)
		series_free(&s->fit[k].size);
	vec_free(&s->tasks);
	vec_free(&s->cpus);
}

const struct analysis analysis_util = {
        .name = "util",
        .question = "what would tasks' utilization be under each PELT half-life (--pelt)",
        .size = sizeof(struct util),
        .begin = begin,
        .json = json,
        .json_task = json_task,
        .show = show,
        .free = free_util,
};
