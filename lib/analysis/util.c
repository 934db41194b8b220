/* Utilization of tasks as PELT would have it under several half-lives (analysis/load.h), at the
 * moments when they go to sleep, and how far it is from the kernel's own. Open loop: the trace ran
 * under one half-life, and its clocks stay what they were. */
#include "analysis/util.h"

#include "analysis/load.h"
#include "analysis/util_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A signal over time, between the moments at which the task begins and ends to run. */
struct view {
	bool begun, slept;
	int64_t t, known_ns, above_ns; /* above: does not fit the smallest CPU */
	double util, area;             /* area: util x ns */
	double troughs;                /* sum of values at wake-ups */
	uint64_t n_troughs;
};

struct samples {
	struct series at_sleep[HALF_LIVES_MAX];
	struct view view[HALF_LIVES_MAX];
	struct fit fit[HALF_LIVES_MAX];
};

enum { OF_TASK, OF_CPU, OWNERS };

struct util {
	struct context *ctx;
	struct fit fit[HALF_LIVES_MAX][KERNEL_SIGNALS][OWNERS];
	VEC(struct samples) cpus; /* by id: fit only */
	struct load load;
	double margin; /* the util that just fits the smallest CPU; 0: not known */
	bool margin_asked;
	VEC(struct samples) tasks; /* by id */
	/* the table of the report */
	struct column columns[2 + 3 * HALF_LIVES_MAX];
	char heads[HALF_LIVES_MAX][3][16];
	struct column view_columns[1 + 3 * HALF_LIVES_MAX];
	char view_heads[3 * HALF_LIVES_MAX][24];
};

static inline bool wanted(const struct util *s)
{
	return s->ctx->opts.n_half_lives != 0;
}

static bool on(struct util *s)
{
	const struct session_opts *o = &s->ctx->opts;

	s->load.ctx = s->ctx;
	load_set_hz(&s->load, o->hz);
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

static __attribute__((noinline)) void on_woke(struct util *s, const struct woke *f)
{
	if (on(s))
		load_woke(&s->load, f);
}

static __attribute__((noinline)) void on_irq_change(struct util *s, const struct irq_change *f)
{
	if (on(s))
		load_irq_change(&s->load, f);
}

static double margin(struct util *s)
{
	int32_t least = 0;

	if (s->margin_asked)
		return s->margin;
	s->margin_asked = true;
	for (uint32_t i = 0; context_has_capacities(s->ctx) && i < replay_n_cpus(s->ctx->replay);
	     i++) {
		int32_t c = context_capacity(s->ctx, i);

		least = c && (!least || c < least) ? c : least;
	}
	s->margin = .8 * least; /* signal/schedutil.h: schedutil_fits() */
	return s->margin;
}

/* Util goes from a towards `to` (1024 while running, else 0) and is b after ns, on a clock whose
 * rate hardly changes in between: a geometric approach. Its mean, and the part of the time above m.
 */
static double mean_between(double a, double b, double to, double ns, double half_life_ns)
{
	double far = fabs(to - a), near = fabs(to - b);

	if (near < .01) { /* all but there: how fast is known */
		double settle = half_life_ns / M_LN2;

		return to + (a - to) * (settle < ns ? settle / ns : 1);
	}
	if (fabs(far - near) < 1e-3 * far)
		return (a + b) / 2;
	return to + (a - b) / log(far / near);
}

static double part_above(double a, double b, double to, double m)
{
	double low = a < b ? a : b, high = a < b ? b : a, near = fabs(to - b);

	if (low >= m || high <= m)
		return low >= m;
	near = near > .01 ? near : .01;
	/* from a to m, of all of it */
	low = log(fabs(to - a) / fabs(to - m)) / log(fabs(to - a) / near);
	return a > m ? low : 1 - low;
}

static inline void look(struct view *v, int64_t t, double util, bool ran, double m,
                        double half_life_ns)
{
	if (v->begun && t > v->t) {
		double ns = (double)(t - v->t), to = ran ? PELT_SCALE : 0;

		v->known_ns += t - v->t;
		v->area += ns * mean_between(v->util, util, to, ns, half_life_ns);
		if (util > m || v->util > m)
			v->above_ns += (int64_t)(ns * part_above(v->util, util, to, m));
	}
	v->begun = true;
	v->t = t;
	v->util = util;
}

/* A task begins or ends to run: where its util turns. */
static void turn(struct util *s, const struct task_seg *f, bool sleeps)
{
	struct samples *x;
	struct load_value v;
	double m = margin(s);

	vec_fit(&s->tasks, (size_t)f->task->id + 1);
	x = &s->tasks.at[f->task->id];
	for (unsigned i = 0; i < s->load.n; i++) {
		struct view *view = &x->view[i];

		if (!load_latest(&s->load, f->task, i, &v) || v.unsure > LOAD_UNSURE_MAX) {
			view->begun = false;
			continue;
		}
		look(view, f->t1, v.util, f->state == TASK_RUNNING, m,
		     s->load.pelt[i].half_life * 1048576.0);
		if (view->slept && f->next == TASK_RUNNING) {
			view->troughs += v.util;
			view->n_troughs++;
		}
		view->slept = sleeps;
		if (sleeps)
			series_add(&x->at_sleep[i], (int64_t)(v.util * 1000));
	}
}

static __attribute__((noinline)) void on_task_seg(struct util *s, const struct task_seg *f)
{
	if (!on(s))
		return;
	load_task_seg(&s->load, f);
	if ((f->state == TASK_RUNNING) != (f->next == TASK_RUNNING))
		turn(s, f, f->state == TASK_RUNNING && task_is_blocked(f->next));
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

bool util_latest(const struct context *c, const struct task *task, unsigned set, double *util)
{
	struct util *s = session_state((const struct session *)c, &analysis_util);
	struct load_value v;

	if (set >= s->load.n || !load_latest(&s->load, task, set, &v) || v.unsure > LOAD_UNSURE_MAX)
		return false;
	*util = v.util;
	return true;
}

double util_margin(const struct context *c)
{
	return margin(session_state((const struct session *)c, &analysis_util));
}

static const char *const signal_names[KERNEL_SIGNALS][OWNERS] = {
        [SIGNAL_UTIL] = {"task util", "cpu util (fair)"},
        [SIGNAL_RT] = {NULL, "cpu util (rt)"},
        [SIGNAL_DL] = {NULL, "cpu util (deadline)"},
        [SIGNAL_IRQ] = {NULL, "cpu util (interrupts)"},
        [SIGNAL_EST] = {"task estimate", NULL}, /* that of a CPU is recorded amid an enqueue */
};

/* The same, rebuilt; false when it is not known well enough. */
static bool rebuilt(struct util *s, const struct kernel_util *f, unsigned set, double *out,
                    double *per_ms)
{
	struct load_value v;

	if (!(f->task ? load_of_task(&s->load, f->task, set, f->t, &v)
	              : load_of_cpu(&s->load, f->cpu, set, f->t, &v)) ||
	    v.unsure > LOAD_UNSURE_MAX)
		return false;
	*out = f->signal == SIGNAL_RT    ? v.rt
	       : f->signal == SIGNAL_DL  ? v.dl
	       : f->signal == SIGNAL_IRQ ? v.irq
	       : f->signal != SIGNAL_EST ? v.util
	       : f->task                 ? v.est_asleep /* recorded as it goes to sleep */
	                                 : v.est;
	*per_ms = f->signal == SIGNAL_UTIL ? v.per_ms : 0;
	return true;
}

static struct fit *fits_of_owner(struct util *s, const struct kernel_util *f)
{
	if (f->task) {
		vec_fit(&s->tasks, (size_t)f->task->id + 1);
		return s->tasks.at[f->task->id].fit;
	}
	vec_fit(&s->cpus, (size_t)f->cpu + 1);
	return s->cpus.at[f->cpu].fit;
}

static __attribute__((noinline)) void on_kernel_util(struct util *s, const struct kernel_util *f)
{
	int owner = f->task ? OF_TASK : OF_CPU;

	if (!on(s) || !signal_names[f->signal][owner])
		return;
	if (s->load.tick)
		load_refresh(&s->load, f->task, f->cpu, f->t);
	for (unsigned i = 0; i < s->load.n; i++) {
		double d, per_ms;

		if (!rebuilt(s, f, i, &d, &per_ms))
			continue;
		d -= (double)f->util;
		fit_add(&s->fit[i][f->signal][owner], d, per_ms);
		if (f->signal == SIGNAL_UTIL)
			fit_add(&fits_of_owner(s, f)[i], d, per_ms);
	}
}

static void begin(void *self)
{
	struct util *s = self;

	s->load.busy_ns = s->load.guessed_ns = 0;
	for (unsigned i = 0; i < s->load.n; i++)
		for (int k = 0; k < KERNEL_SIGNALS * OWNERS; k++)
			fit_clear(&s->fit[i][k / OWNERS][k % OWNERS]);
	for (unsigned k = 0; k < s->load.n; k++) {
		for (size_t i = 0; i < s->tasks.n; i++) {
			series_clear(&s->tasks.at[i].at_sleep[k]);
			s->tasks.at[i].view[k] = (struct view){.begun = false};
			fit_clear(&s->tasks.at[i].fit[k]);
		}
		for (size_t i = 0; i < s->cpus.n; i++)
			fit_clear(&s->cpus.at[i].fit[k]);
	}
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
HEARS(irq_change)
HEARS(woke)
HEARS(kernel_util)

/* ---- results ---- */

static const char none[] = "never known well enough when it went to sleep";

static void json(void *self, struct json *j)
{
	struct util *s = self;

	if (!on(s))
		return;
	json_array(j, "util_fit");
	for (unsigned i = 0; i < s->load.n; i++)
		for (int k = 0; k < KERNEL_SIGNALS * OWNERS; k++)
			if (k == 0 || s->fit[i][k / OWNERS][k % OWNERS].size.n)
				fit_json(j, s->load.pelt[i].half_life,
				         signal_names[k / OWNERS][k % OWNERS],
				         &s->fit[i][k / OWNERS][k % OWNERS]);
	json_end(j);
}

/* The fits of one task or CPU, when the kernel recorded its util. */
static void json_fits(struct util *s, struct fit *fits, struct json *j)
{
	if (!fits[0].size.n)
		return;
	json_array(j, "util_fit");
	for (unsigned i = 0; i < s->load.n; i++)
		fit_json(j, s->load.pelt[i].half_life, NULL, &fits[i]);
	json_end(j);
}

static void json_cpu(void *self, uint32_t cpu, struct json *j)
{
	struct util *s = self;

	if (on(s) && cpu < s->cpus.n)
		json_fits(s, s->cpus.at[cpu].fit, j);
}

static double ripple(const struct view *v, const struct series *at_sleep)
{
	return at_sleep->sum / (double)at_sleep->n / 1e3 - v->troughs / (double)v->n_troughs;
}

static void json_view(struct util *s, const struct view *v, const struct series *at_sleep,
                      struct json *j)
{
	json_int(j, "known_ns", v->known_ns);
	if (v->known_ns)
		json_real(j, "mean_over_time", v->area / (double)v->known_ns);
	if (v->known_ns && margin(s) > 0)
		json_int(j, "unfit_ns", v->above_ns);
	else
		json_missing(j, "unfit_ns", v->known_ns ? "capacities are not known" : none);
	if (at_sleep->n && v->n_troughs)
		json_real(j, "ripple", ripple(v, at_sleep));
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
		json_view(s, &s->tasks.at[task->id].view[i], x, j);
		json_end(j);
	}
	json_end(j);
	json_fits(s, s->tasks.at[task->id].fit, j);
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

/* The set of the kernel's own half-life, else the first. */
static unsigned own_set(const struct util *s)
{
	unsigned own = signals_half_life(s->ctx);

	for (unsigned i = 0; i < s->load.n; i++)
		if (s->load.pelt[i].half_life == own)
			return i;
	return 0;
}

static void show_fit(struct util *s, struct doc *d, const struct task_row *rows, size_t n)
{
	unsigned own = own_set(s), half_life = s->load.pelt[own].half_life;
	bool begun = false;
	char label[80];

	for (unsigned i = 0; i < s->load.n; i++)
		for (int k = 0; k < KERNEL_SIGNALS * OWNERS; k++)
			fit_row(d, &begun, signal_names[k / OWNERS][k % OWNERS],
			        s->load.pelt[i].half_life, &s->fit[i][k / OWNERS][k % OWNERS]);
	for (uint32_t i = 0; i < s->cpus.n; i++) {
		snprintf(label, sizeof label, "  cpu%u (fair)", i);
		if (context_has_cpu(s->ctx, i))
			fit_row(d, &begun, label, half_life, &s->cpus.at[i].fit[own]);
	}
	for (size_t i = 0; i < n && i < s->ctx->opts.top; i++) {
		char name[80];

		snprintf(label, sizeof label, "  %.70s", task_label(rows[i].task, name));
		fit_row(d, &begun, label, half_life, &s->tasks.at[rows[i].task->id].fit[own]);
	}
}

/* How the signals of a task move: its mean over time, the time in which it does not fit the
 * smallest CPU, and from where to where it goes in one activation. */
static void show_view(struct util *s, struct doc *d, const struct task_row *rows, size_t n)
{
	static const char *const what[] = {"mean", "unfit %", "ripple"};
	char label[80];

	s->view_columns[0] = (struct column){"over time", NULL, true};
	for (unsigned i = 0; i < 3 * s->load.n; i++) {
		char *head = s->view_heads[i];

		snprintf(head, sizeof s->view_heads[0], "%u %s", s->load.pelt[i / 3].half_life,
		         what[i % 3]);
		s->view_columns[1 + i] = (struct column){head, NULL, false};
	}
	doc_table(d, s->view_columns, 1 + 3 * s->load.n);
	for (size_t r = 0; r < n && r < s->ctx->opts.top; r++) {
		struct samples *x = &s->tasks.at[rows[r].task->id];

		doc_text(d, task_label(rows[r].task, label));
		for (unsigned i = 0; i < s->load.n; i++) {
			const struct view *v = &x->view[i];

			if (v->known_ns)
				doc_real(d, v->area / (double)v->known_ns, 0);
			else
				doc_missing(d);
			if (margin(s) > 0)
				doc_pct(d, v->above_ns, v->known_ns, 1);
			else
				doc_missing(d);
			if (x->at_sleep[i].n && v->n_troughs)
				doc_real(d, ripple(v, &x->at_sleep[i]), 0);
			else
				doc_missing(d);
		}
	}
	if (margin(s) > 0)
		doc_note(d,
		         "unfit: time with a util above %.0f, which the smallest CPU fits; ripple: "
		         "mean at sleep less mean at wake-up; thresholds of PELT half-lives and "
		         "WALT "
		         "are not comparable",
		         margin(s));
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
	if (n)
		show_view(s, d, rows, n);
	show_fit(s, d, rows, n);
	free(rows);
}

static void free_util(void *self)
{
	struct util *s = self;

	for (unsigned k = 0; k < HALF_LIVES_MAX; k++) {
		for (size_t i = 0; i < s->tasks.n; i++) {
			series_free(&s->tasks.at[i].at_sleep[k]);
			fit_free(&s->tasks.at[i].fit[k]);
		}
		for (size_t i = 0; i < s->cpus.n; i++)
			fit_free(&s->cpus.at[i].fit[k]);
		for (int i = 0; i < KERNEL_SIGNALS * OWNERS; i++)
			fit_free(&s->fit[k][i / OWNERS][i % OWNERS]);
	}
	vec_free(&s->tasks);
	vec_free(&s->cpus);
	load_free(&s->load);
}

const struct analysis analysis_util = {
        .name = "util",
        .question = "what would tasks' utilization be under each PELT half-life (--pelt)",
        .size = sizeof(struct util),
        .begin = begin,
        .json = json,
        .json_cpu = json_cpu,
        .json_task = json_task,
        .show = show,
        .page = show, /* only when it is asked for */
        .free = free_util,
};
