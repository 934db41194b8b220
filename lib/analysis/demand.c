/* WALT's demand of tasks, rebuilt beside PELT's util from the same trace, for several window
 * lengths. When windows begin is not in the trace, so eight phases are followed and a range is
 * reported. */
#include "analysis/util.h"

#include "signal/walt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PHASES = 8, UNKNOWN = -1 };

/* One task under one window length, by phase. Apart from struct walt_task, which is larger and not
 * needed to add up. */
struct followed {
	bool known, ready;               /* ready: all windows that count were in the trace */
	int64_t mark;                    /* accounted up to here */
	int64_t slot;                    /* begin of the slot of time that holds mark */
	int64_t pending;                 /* ns at full speed in that slot, not in the windows yet */
	uint64_t n;                      /* sleeps with a known demand */
	uint32_t util[PHASES];           /* demand as util */
	double sum[PHASES], max[PHASES]; /* of those at sleep */
	uint64_t compared[HALF_LIVES_MAX], differ[HALF_LIVES_MAX]; /* with util: does it fit */
};

struct demand {
	struct context *ctx;
	unsigned n; /* window lengths */
	struct walt walt[WALT_WINDOWS_MAX];
	int64_t slot[WALT_WINDOWS_MAX]; /* ns: in each one phase begins a window */
	VEC(struct walt_task) walts;    /* by (task x n + window) x PHASES + phase */
	VEC(struct followed) tasks;     /* by task x n + window */
	struct column columns[2 + 2 * WALT_WINDOWS_MAX];
	char heads[WALT_WINDOWS_MAX][2][20];
	struct column against_columns[1 + WALT_WINDOWS_MAX * HALF_LIVES_MAX];
	char against_heads[WALT_WINDOWS_MAX * HALF_LIVES_MAX][32];
};

/* ---- accounting ---- */

static inline bool wanted(const struct demand *s)
{
	return s->ctx->opts.n_walt_windows != 0;
}

static void set_up(struct demand *s)
{
	const struct session_opts *o = &s->ctx->opts;

	for (; s->n < o->n_walt_windows; s->n++) {
		s->walt[s->n] = (struct walt){.window = (int64_t)o->walt_windows_ms[s->n] * 1000000,
		                              .policy = WALT_MAX_RECENT_AVG,
		                              .demand_counts_wait = true};
		s->slot[s->n] = s->walt[s->n].window / PHASES;
	}
}

static struct walt_task *walts_of(struct demand *s, uint32_t task, unsigned window)
{
	return &s->walts.at[((size_t)task * s->n + window) * PHASES];
}

static struct followed *followed_of(struct demand *s, uint32_t task, unsigned window)
{
	return &s->tasks.at[(size_t)task * s->n + window];
}

static uint32_t speed_of(const struct context *c, const struct cpu_seg *f)
{
	int64_t top = context_top_khz(c, f->cpu);
	int32_t cap = context_capacity(c, f->cpu);
	int64_t full = cap ? cap : WALT_SCALE;

	return (uint32_t)(f->khz && top && f->khz < top ? full * f->khz / top : full);
}

/* The window of that phase that t is in begins there. */
static int64_t window_start(const struct walt *w, int phase, int64_t t)
{
	int64_t offset = w->window * phase / PHASES;

	return t - (t - offset) % w->window;
}

static void mark(const struct demand *s, struct followed *f, unsigned window, int64_t t)
{
	f->mark = t;
	f->slot = t - t % s->slot[window];
}

static void begin_task(struct demand *s, const struct task *task, int64_t t)
{
	bool born = task->born != NO_TIME;

	vec_fit(&s->tasks, ((size_t)task->id + 1) * s->n);
	vec_fit(&s->walts, ((size_t)task->id + 1) * s->n * PHASES);
	for (unsigned i = 0; i < s->n; i++) {
		struct walt_task *w = walts_of(s, task->id, i);
		struct followed *f = followed_of(s, task->id, i);

		f->known = true;
		f->ready = born;
		f->pending = 0;
		mark(s, f, i, t);
		for (int k = 0; k < PHASES; k++) {
			walt_task_init(&s->walt[i], &w[k], t);
			f->util[k] = walt_util(&s->walt[i], w[k].demand);
			for (int h = 0; !born && h < WALT_HISTORY; h++)
				w[k].history[h] = UNKNOWN;
		}
	}
}

static bool known(const struct demand *s, const struct task *task)
{
	size_t at = (size_t)task->id * s->n;

	return at < s->tasks.n && s->tasks.at[at].known;
}

/* In some phases a window has begun since the mark. */
static void account_windows(struct demand *s, const struct task *task, unsigned window,
                            uint32_t speed, enum walt_event ev, int64_t t)
{
	const struct walt *walt = &s->walt[window];
	struct walt_task *w = walts_of(s, task->id, window);
	struct followed *f = followed_of(s, task->id, window);

	for (int k = 0; k < PHASES; k++) {
		struct walt_cpu c = {.start = window_start(walt, k, t), .speed = speed};

		w[k].sum += f->pending;
		w[k].mark = f->mark;
		walt_account(walt, &c, &w[k], ev, t);
		f->util[k] = walt_util(walt, w[k].demand);
	}
	f->pending = 0;
	mark(s, f, window, t);
}

/* What the task did up to t is accounted, at the CPU's speed. As long as no window begins, all
 * phases have the same to add: that is kept apart. */
static void account(struct demand *s, const struct task *task, const struct cpu_seg *on,
                    enum walt_event ev, int64_t t)
{
	uint32_t speed = speed_of(s->ctx, on);

	for (unsigned i = 0; i < s->n; i++) {
		struct followed *f = followed_of(s, task->id, i);

		if ((uint64_t)t - (uint64_t)f->slot >= (uint64_t)s->slot[i]) {
			account_windows(s, task, i, speed, ev, t);
			continue;
		}
		if (ev != WALT_TASK_WAKE)
			f->pending += (t - f->mark) * speed / WALT_SCALE;
		f->mark = t;
	}
}

static __attribute__((noinline)) void on_cpu_seg(struct demand *s, const struct cpu_seg *f)
{
	set_up(s);
	if (f->state == CPU_BUSY && known(s, f->task))
		account(s, f->task, f, WALT_TASK_UPDATE, f->t1);
}

static bool is_ready(struct demand *s, uint32_t task, unsigned window)
{
	const struct walt_task *w = walts_of(s, task, window);
	struct followed *f = followed_of(s, task, window);

	for (int k = 0; k < PHASES && !f->ready; k++)
		if (w[k].history[WALT_HISTORY - 1] == UNKNOWN)
			return false;
	f->ready = true;
	return true;
}

/* Whether the smallest CPU fits the task, by PELT's util and by demand (the middle phase). */
static void compare(struct demand *s, struct followed *f, const struct task *task)
{
	double m = util_margin(s->ctx), util;
	uint32_t middle = f->util[PHASES / 2];

	for (unsigned h = 0; m > 0 && h < s->ctx->opts.n_half_lives; h++) {
		if (!util_latest(s->ctx, task, h, &util))
			continue;
		f->compared[h]++;
		f->differ[h] += (util > m) != (middle > m);
	}
}

/* It goes to sleep: this is the demand by which its next CPU is chosen. */
static void sample(struct demand *s, const struct task *task)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct followed *f = followed_of(s, task->id, i);

		if (!f->ready && !is_ready(s, task->id, i))
			continue;
		f->n++;
		compare(s, f, task);
		for (int k = 0; k < PHASES; k++) {
			f->sum[k] += f->util[k];
			f->max[k] = f->util[k] > f->max[k] ? f->util[k] : f->max[k];
		}
	}
}

static __attribute__((noinline)) void on_task_seg(struct demand *s, const struct task_seg *f)
{
	uint32_t cpu = f->task->cpu;
	struct cpu_seg on;

	set_up(s);
	if (!known(s, f->task) || f->state == TASK_UNKNOWN) {
		begin_task(s, f->task, f->t1);
		return;
	}
	if (f->state == TASK_RUNNING && task_is_blocked(f->next))
		sample(s, f->task);
	if (f->state == TASK_RUNNING || cpu == NO_CPU)
		return; /* the segments of its CPU tell what it ran */
	on = replay_cpu_open(s->ctx->replay, cpu);
	account(s, f->task, &on, f->state == TASK_RUNNABLE ? WALT_PICK_NEXT : WALT_TASK_WAKE,
	        f->t1);
}

#define HEARS(fact)                                                                                \
	void demand_hears_##fact(void *self, const struct fact *f)                                 \
	{                                                                                          \
		if (__builtin_expect(wanted(self), 0))                                             \
			on_##fact(self, f);                                                        \
	}
HEARS(cpu_seg)
HEARS(task_seg)

static void begin(void *self)
{
	struct demand *s = self;

	for (size_t i = 0; i < s->tasks.n; i++) {
		struct followed *f = &s->tasks.at[i];

		f->n = 0;
		memset(f->compared, 0, sizeof f->compared);
		memset(f->differ, 0, sizeof f->differ);
		for (int k = 0; k < PHASES; k++) {
			f->sum[k] = 0;
			f->max[k] = 0;
		}
	}
}

/* ---- results ---- */

struct range {
	double low, high;
};

static struct range range_of(const double by_phase[PHASES])
{
	struct range r = {by_phase[0], by_phase[0]};

	for (int k = 1; k < PHASES; k++) {
		r.low = by_phase[k] < r.low ? by_phase[k] : r.low;
		r.high = by_phase[k] > r.high ? by_phase[k] : r.high;
	}
	return r;
}

static struct range mean_of(const struct followed *f)
{
	struct range sum = range_of(f->sum);

	return (struct range){sum.low / (double)f->n, sum.high / (double)f->n};
}

static double window_ms(const struct demand *s, unsigned i)
{
	return (double)s->walt[i].window / 1e6;
}

static void json_compared(const struct demand *s, const struct followed *f, struct json *j)
{
	if (!f || !s->ctx->opts.n_half_lives)
		return;
	json_array(j, "against_pelt");
	for (unsigned h = 0; h < s->ctx->opts.n_half_lives; h++) {
		json_object_line(j, NULL);
		json_int(j, "half_life", s->ctx->opts.half_lives[h]);
		json_int(j, "n", (int64_t)f->compared[h]);
		json_int(j, "fit_differs", (int64_t)f->differ[h]);
		json_end(j);
	}
	json_end(j);
}

static void json_task(void *self, const struct task *t, struct json *j)
{
	static const char none[] = "fewer than five active windows before any of its sleeps";
	struct demand *s = self;

	if (!wanted(s))
		return;
	set_up(s);
	json_array(j, "walt_demand");
	for (unsigned i = 0; i < s->n; i++) {
		const struct followed *f = known(s, t) ? followed_of(s, t->id, i) : NULL;
		uint64_t n = f ? f->n : 0;

		json_object_line(j, NULL);
		json_real(j, "window_ms", window_ms(s, i));
		json_int(j, "n", (int64_t)n);
		if (n) {
			struct range mean = mean_of(f), max = range_of(f->max);

			json_real(j, "mean_low", mean.low);
			json_real(j, "mean_high", mean.high);
			json_real(j, "max_low", max.low);
			json_real(j, "max_high", max.high);
		} else {
			json_missing(j, "mean_low", none);
			json_missing(j, "mean_high", none);
		}
		json_compared(s, f, j);
		json_end(j);
	}
	json_end(j);
}

static void doc_range(struct doc *d, struct range r)
{
	char text[64];

	snprintf(text, sizeof text, r.high - r.low < 1 ? "%.0f" : "%.0f..%.0f", r.low, r.high);
	doc_text(d, text);
}

static void show_row(struct demand *s, struct doc *d, const struct task_row *r)
{
	char label[80];

	doc_text(d, task_label(r->task, label));
	doc_int(d, (int64_t)r->n);
	for (unsigned i = 0; i < s->n; i++) {
		const struct followed *f = followed_of(s, r->task->id, i);

		if (!f->n) {
			doc_missing(d);
			doc_missing(d);
			continue;
		}
		doc_range(d, mean_of(f));
		doc_range(d, range_of(f->max));
	}
}

/* How often demand and util would place a task differently. */
static void show_compared(struct demand *s, struct doc *d, const struct task_row *rows, size_t n)
{
	char label[80];
	unsigned half_lives = s->ctx->opts.n_half_lives, k = 0;

	s->against_columns[0] = (struct column){"fit differs, % of sleeps", NULL, true};
	for (unsigned i = 0; i < s->n; i++)
		for (unsigned h = 0; h < half_lives; h++, k++) {
			snprintf(s->against_heads[k], sizeof s->against_heads[k], "%.4g ms / %u",
			         window_ms(s, i), s->ctx->opts.half_lives[h]);
			s->against_columns[1 + k] =
			        (struct column){s->against_heads[k], NULL, false};
		}
	doc_table(d, s->against_columns, 1 + k);
	for (size_t r = 0; r < n && r < s->ctx->opts.top; r++) {
		doc_text(d, task_label(rows[r].task, label));
		for (unsigned i = 0; i < s->n; i++) {
			const struct followed *f = followed_of(s, rows[r].task->id, i);

			for (unsigned h = 0; h < half_lives; h++)
				doc_pct(d, (int64_t)f->differ[h], (int64_t)f->compared[h], 1);
		}
	}
	doc_note(d, "sleeps at which the smallest CPU fits the task by one of WALT's demand and "
	            "PELT's util and not by the other");
}

static struct task_row *rows_of(struct demand *s, size_t *n)
{
	uint32_t tasks = replay_n_tasks(s->ctx->replay);
	struct task_row *rows = mem_calloc(tasks, sizeof *rows);

	*n = 0;
	for (uint32_t i = 0; i < tasks; i++) {
		const struct task *t = replay_task(s->ctx->replay, i);
		const struct followed *f = known(s, t) ? followed_of(s, i, 0) : NULL;

		if (f && f->n && context_has_task(s->ctx, t))
			rows[(*n)++] = (struct task_row){t, f->n, mean_of(f).high};
	}
	task_rows_sort(rows, *n);
	return rows;
}

static void show(void *self, struct doc *d)
{
	struct demand *s = self;
	struct task_row *rows;
	size_t n;

	if (!wanted(s))
		return;
	set_up(s);
	if (context_no_sched(s->ctx)) {
		doc_section(d, "WALT", "%s: demand is not known", context_no_sched(s->ctx));
		return;
	}
	s->columns[0] = (struct column){"task", NULL, true};
	s->columns[1] = (struct column){"sleeps", NULL, false};
	for (unsigned i = 0; i < s->n; i++) {
		snprintf(s->heads[i][0], sizeof s->heads[i][0], "%.4g ms mean", window_ms(s, i));
		snprintf(s->heads[i][1], sizeof s->heads[i][1], "%.4g ms max", window_ms(s, i));
		s->columns[2 + 2 * i] = (struct column){s->heads[i][0], NULL, false};
		s->columns[3 + 2 * i] = (struct column){s->heads[i][1], NULL, false};
	}
	doc_section(
	        d, "WALT",
	        "demand of a task when it goes to sleep, 0 to 1024, by window length: running and "
	        "waiting time of its last 5 active windows, the larger of the newest and the mean; "
	        "ranges, for the trace does not tell when windows begin (8 phases); open loop; not "
	        "comparable with util by thresholds");
	doc_table(d, s->columns, 2 + 2 * s->n);
	rows = rows_of(s, &n);
	for (size_t i = 0; i < n && i < s->ctx->opts.top; i++)
		show_row(s, d, &rows[i]);
	if (n && s->ctx->opts.n_half_lives && util_margin(s->ctx) > 0)
		show_compared(s, d, rows, n);
	free(rows);
}

static void free_demand(void *self)
{
	struct demand *s = self;

	vec_free(&s->walts);
	vec_free(&s->tasks);
}

const struct analysis analysis_demand = {
        .name = "demand",
        .question = "what would tasks' WALT demand be under each window length (--walt)",
        .size = sizeof(struct demand),
        .begin = begin,
        .json_task = json_task,
        .show = show,
        .page = show, /* only when it is asked for */
        .free = free_demand,
};
