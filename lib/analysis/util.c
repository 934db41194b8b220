/* Utilization of tasks as PELT would have it under several half-lives (analysis/load.h), at the
 * moments when they go to sleep, and how far it is from the kernel's own. Open loop: the trace ran
 * under one half-life, and its clocks stay what they were. */
#include "analysis/util.h"

#include "analysis/load.h"
#include "base/series.h"

#include <stdio.h>
#include <stdlib.h>

struct samples {
	struct series at_sleep[HALF_LIVES_MAX];
};

/* Rebuilt values beside those that the kernel recorded. */
struct fit {
	struct series size; /* of the difference, in 1/1000 */
	double sum;         /* of rebuilt minus recorded */
};

struct util {
	struct context *ctx;
	struct fit fit[HALF_LIVES_MAX][KERNEL_SIGNALS];
	struct load load;
	VEC(struct samples) tasks; /* by id */
	/* the table of the report */
	struct column columns[2 + 3 * HALF_LIVES_MAX];
	char heads[HALF_LIVES_MAX][3][16];
};

static inline bool wanted(const struct util *s)
{
	return s->ctx->opts.n_half_lives != 0;
}

static bool on(struct util *s)
{
	const struct session_opts *o = &s->ctx->opts;

	s->load.ctx = s->ctx;
	while (s->load.n < o->n_half_lives)
		load_add_set(&s->load, o->half_lives[s->load.n]);
	return s->load.n > 0;
}

static __attribute__((noinline)) void on_cpu_seg(struct util *s, const struct cpu_seg *f)
{
	if (on(s))
		load_cpu_seg(&s->load, f);
}

static __attribute__((noinline)) void on_migrated(struct util *s, const struct migrated *f)
{
	if (on(s))
		load_migrated(&s->load, f);
}

static void sample(struct util *s, const struct task *task)
{
	struct load_value v;

	vec_fit(&s->tasks, (size_t)task->id + 1);
	for (unsigned i = 0; i < s->load.n; i++)
		if (load_latest(&s->load, task, i, &v) && v.unsure <= LOAD_UNSURE_MAX)
			series_add(&s->tasks.at[task->id].at_sleep[i], (int64_t)(v.util * 1000));
}

static __attribute__((noinline)) void on_task_seg(struct util *s, const struct task_seg *f)
{
	if (!on(s))
		return;
	load_task_seg(&s->load, f);
	if (f->state == TASK_RUNNING && task_is_blocked(f->next))
		sample(s, f->task);
}

bool util_at(struct session *session, const struct task *task, unsigned set, int64_t t,
             double *util, double *unsure)
{
	struct util *s = session_state(session, &analysis_util);
	struct load_value v;

	if (!load_of_task(&s->load, task, set, t, &v))
		return false;
	*util = v.util;
	*unsure = v.unsure;
	return true;
}

static const char *const signal_names[KERNEL_SIGNALS] = {
        [SIGNAL_UTIL] = "task util",
        [SIGNAL_CFS] = "cpu util (fair)",
        [SIGNAL_RT] = "cpu util (rt)",
        [SIGNAL_EST] = "task estimate",
};

/* The same, rebuilt; false when it is not known well enough. */
static bool rebuilt(struct util *s, const struct kernel_util *f, unsigned set, double *out)
{
	struct load_value v;

	if (!(f->task ? load_of_task(&s->load, f->task, set, f->t, &v)
	              : load_of_cpu(&s->load, f->cpu, set, f->t, &v)) ||
	    v.unsure > LOAD_UNSURE_MAX)
		return false;
	*out = f->signal == SIGNAL_RT    ? v.rt
	       : f->signal == SIGNAL_EST ? v.est_asleep /* recorded as it goes to sleep */
	                                 : v.util;
	return true;
}

static __attribute__((noinline)) void on_kernel_util(struct util *s, const struct kernel_util *f)
{
	for (unsigned i = 0; on(s) && i < s->load.n; i++) {
		struct fit *x = &s->fit[i][f->signal];
		double d;

		if (!rebuilt(s, f, i, &d))
			continue;
		d -= (double)f->util;
		x->sum += d;
		series_add(&x->size, (int64_t)(1000 * (d < 0 ? -d : d)));
	}
}

static void begin(void *self)
{
	struct util *s = self;

	s->load.busy_ns = s->load.guessed_ns = 0;
	for (unsigned i = 0; i < s->load.n; i++)
		for (int k = 0; k < KERNEL_SIGNALS; k++) {
			series_clear(&s->fit[i][k].size);
			s->fit[i][k].sum = 0;
		}
	for (size_t i = 0; i < s->tasks.n; i++)
		for (unsigned k = 0; k < s->load.n; k++)
			series_clear(&s->tasks.at[i].at_sleep[k]);
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
HEARS(migrated)
HEARS(kernel_util)

/* ---- results ---- */

static const char none[] = "never known well enough when it went to sleep";

static double mean_abs(const struct fit *x)
{
	return x->size.sum / (double)x->size.n / 1e3;
}

static double bias(const struct fit *x)
{
	return x->sum / (double)x->size.n;
}

static void json_fit(struct json *j, unsigned half_life, int signal, struct fit *x)
{
	static const char why[] = "the trace has no values of the kernel (sched_pelt_se)";

	json_object_line(j, NULL);
	json_int(j, "half_life", half_life);
	json_text(j, "signal", signal_names[signal]);
	json_int(j, "n", (int64_t)x->size.n);
	if (x->size.n) {
		json_real(j, "bias", bias(x));
		json_real(j, "mean_abs", mean_abs(x));
		json_real(j, "p50_abs", series_quantile(&x->size, .5) / 1e3);
		json_real(j, "p95_abs", series_quantile(&x->size, .95) / 1e3);
		json_real(j, "p99_abs", series_quantile(&x->size, .99) / 1e3);
		json_real(j, "max_abs", (double)x->size.max / 1e3);
	} else {
		json_missing(j, "bias", why);
		json_missing(j, "mean_abs", why);
		json_missing(j, "p95_abs", why);
	}
	json_end(j);
}

static void json(void *self, struct json *j)
{
	struct util *s = self;

	if (!on(s))
		return;
	json_array(j, "util_fit");
	for (unsigned i = 0; i < s->load.n; i++)
		for (int k = 0; k < KERNEL_SIGNALS; k++)
			if (k == SIGNAL_UTIL || s->fit[i][k].size.n)
				json_fit(j, s->load.pelt[i].half_life, k, &s->fit[i][k]);
	json_end(j);
}

static void json_task(void *self, const struct task *task, struct json *j)
{
	struct util *s = self;

	if (!on(s))
		return;
	vec_fit(&s->tasks, (size_t)task->id + 1);
	json_array(j, "util_at_sleep");
	for (unsigned i = 0; i < s->load.n; i++) {
		struct series *x = &s->tasks.at[task->id].at_sleep[i];

		json_object_line(j, NULL);
		json_int(j, "half_life", s->load.pelt[i].half_life);
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

static void show_row(struct util *s, struct doc *d, const struct task_row *r)
{
	char label[80];

	doc_text(d, task_label(r->task, label));
	doc_int(d, (int64_t)r->n);
	for (unsigned i = 0; i < s->load.n; i++) {
		struct series *x = &s->tasks.at[r->task->id].at_sleep[i];

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
static struct task_row *rows_of(struct util *s, size_t *n)
{
	struct task_row *rows = mem_calloc(s->tasks.n, sizeof *rows);

	*n = 0;
	for (size_t i = 0; i < s->tasks.n; i++) {
		const struct series *x = &s->tasks.at[i].at_sleep[0];
		const struct task *t = x->n ? replay_task(s->ctx->replay, (uint32_t)i) : NULL;

		if (t && context_has_task(s->ctx, t))
			rows[(*n)++] = (struct task_row){t, x->n, x->sum / (double)x->n};
	}
	task_rows_sort(rows, *n);
	return rows;
}

/* The self-check: a free run, never set right by what the kernel recorded. */
static void show_fit(struct util *s, struct doc *d)
{
	static const struct column columns[] = {
	        {"against the kernel's own", NULL, true},
	        {"half-life", NULL, false},
	        {"n", NULL, false},
	        {"bias", NULL, false},
	        {"mean |d|", NULL, false},
	        {"p50", NULL, false},
	        {"p95", NULL, false},
	        {"p99", NULL, false},
	        {"max", NULL, false},
	};
	bool begun = false;

	for (unsigned i = 0; i < s->load.n; i++)
		for (int k = 0; k < KERNEL_SIGNALS; k++) {
			struct fit *x = &s->fit[i][k];

			if (!x->size.n)
				continue;
			if (!begun)
				doc_table(d, columns, sizeof columns / sizeof *columns);
			begun = true;
			doc_text(d, signal_names[k]);
			doc_int(d, s->load.pelt[i].half_life);
			doc_int(d, (int64_t)x->size.n);
			doc_real(d, bias(x), 1);
			doc_real(d, mean_abs(x), 1);
			doc_real(d, series_quantile(&x->size, .5) / 1e3, 1);
			doc_real(d, series_quantile(&x->size, .95) / 1e3, 1);
			doc_real(d, series_quantile(&x->size, .99) / 1e3, 1);
			doc_real(d, (double)x->size.max / 1e3, 1);
		}
}

static void show(void *self, struct doc *d)
{
	struct util *s = self;
	static const char *const what[] = {"mean", "p95", "max"};
	char guessed[160] = "";
	struct task_row *rows;
	size_t n;

	if (!on(s))
		return;
	if (context_no_sched(s->ctx)) {
		doc_section(d, "UTIL", "%s: utilization is not known", context_no_sched(s->ctx));
		return;
	}
	s->columns[0] = (struct column){"task", NULL, true};
	s->columns[1] = (struct column){"sleeps", NULL, false};
	for (unsigned i = 0; i < 3 * s->load.n; i++) {
		char *head = s->heads[i / 3][i % 3];

		snprintf(head, sizeof s->heads[0][0], "%u %s", s->load.pelt[i / 3].half_life,
		         what[i % 3]);
		s->columns[2 + i] = (struct column){head, NULL, false};
	}
	rows = rows_of(s, &n);
	if (s->load.guessed_ns)
		snprintf(guessed, sizeof guessed,
		         "; speed unknown for %.2g %% of busy time (capacities and clocks: "
		         "--platform): full speed assumed there",
		         100.0 * (double)s->load.guessed_ns / (double)s->load.busy_ns);
	doc_section(
	        d, "UTIL",
	        "PELT util of a task when it goes to sleep, 0 to 1024, by half-life (periods of "
	        "1.05 ms), era P%d%s; open loop: the clocks are those of the trace; values that "
	        "may be off by more than %d for lack of a start value are left out%s",
	        (int)s->load.pelt[0].era,
	        context_kernel(s->ctx) ? "" : " assumed (no kernel release)", LOAD_UNSURE_MAX,
	        guessed);
	doc_table(d, s->columns, 2 + 3 * s->load.n);
	for (size_t i = 0; i < n && i < s->ctx->opts.top; i++)
		show_row(s, d, &rows[i]);
	free(rows);
	show_fit(s, d);
}

static void free_util(void *self)
{
	struct util *s = self;

	for (size_t i = 0; i < s->tasks.n; i++)
		for (unsigned k = 0; k < HALF_LIVES_MAX; k++)
			series_free(&s->tasks.at[i].at_sleep[k]);
	for (unsigned k = 0; k < HALF_LIVES_MAX; k++)
		for (int i = 0; i < KERNEL_SIGNALS; i++)
			series_free(&s->fit[k][i].size);
	vec_free(&s->tasks);
	load_free(&s->load);
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
