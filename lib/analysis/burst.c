/* Bursts: what a task gets when it comes back after a rest (100 ms without anything to do; a short
 * one makes each activation of a periodic task a burst). How long until the CPU under it is fast,
 * how long until it runs on a larger one, and what its first 100 ms lose to clocks and sizes. */
#include "analysis/request.h"
#include "analysis/speed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define REST_MS 100        /* so long asleep ends a burst, if nothing else is asked for */
#define START_NS 100000000 /* the start of a burst */
enum { BURSTS_MAX = 1 << 20 };

/* What a burst may arrive at. */
enum goal { HALF, MOST, FULL, LARGER, GOALS };
static const double speed_of[] = {[HALF] = .5, [MOST] = .8, [FULL] = .99};

/* ms from the start of the burst to the goal; negative: to its end, without having arrived. */
struct times {
	float ms[GOALS];
};

/* Why the clock was below the top: parts of what is lost to it, ns. */
struct blame {
	double not_asked;   /* the governor did not ask for more yet */
	double not_ordered; /* it did, and the clock did not follow */
	double capped;      /* it asked for more than the policy maximum */
	double unknown;     /* what it asked for is not known */
};

struct bursts {
	int64_t asleep_ns; /* so far */
	/* the present one */
	bool on;
	int64_t start, last;
	int64_t reached[GOALS]; /* ns from the start; negative: not yet */
	/* all of the window */
	VEC(struct times) done;
	struct got got; /* in the first START_NS of each */
	struct blame blame;
	uint64_t woken, woken_larger; /* first runs after a wake-up */
};

struct burst {
	struct context *ctx;
	struct paces paces;
	int32_t smallest; /* capacity; 0: not looked up yet, -1: not known */
	VEC(struct bursts) tasks;
	size_t n; /* bursts kept */
	uint64_t left_out;
};

static double rest_ms(const struct context *c)
{
	return c->opts.rest_ms > 0 ? c->opts.rest_ms : REST_MS;
}

/* ---- sums ---- */

static int32_t smallest(struct burst *s)
{
	const struct platform *p = s->ctx->opts.platform;
	uint32_t n = s->ctx->opts.trace->n_cpu_rows;

	if (s->smallest)
		return s->smallest;
	s->smallest = -1;
	for (uint32_t i = 0; i < n || (p && i < p->n_cpus); i++) {
		int32_t c = context_capacity(s->ctx, i);

		if (c && (s->smallest < 0 || c < s->smallest))
			s->smallest = c;
	}
	return s->smallest;
}

static bool known(struct burst *s)
{
	return (s->smallest ? s->smallest : smallest(s)) > 0;
}

static void finish(struct burst *s, struct bursts *b)
{
	struct times *t;

	if (!b->on)
		return;
	b->on = false;
	if (b->start < s->ctx->from)
		return;
	if (s->n == BURSTS_MAX) {
		s->left_out++;
		return;
	}
	t = vec_add(&b->done);
	s->n++;
	for (int i = 0; i < GOALS; i++)
		t->ms[i] = b->reached[i] >= 0 ? (float)b->reached[i] / 1e6f
		                              : -(float)(b->last - b->start) / 1e6f;
}

static void start(struct burst *s, struct bursts *b, int64_t t)
{
	finish(s, b);
	b->on = true;
	b->start = b->last = t;
	for (int i = 0; i < GOALS; i++)
		b->reached[i] = -1;
}

static __attribute__((noinline)) void on_task_seg(struct burst *s, const struct task_seg *f)
{
	struct bursts *b;

	vec_fit(&s->tasks, (size_t)f->task->id + 1);
	b = &s->tasks.at[f->task->id];
	if (!task_is_blocked(f->state)) {
		b->asleep_ns = 0;
		return;
	}
	b->asleep_ns += f->t1 - f->t0;
	if ((double)b->asleep_ns >= rest_ms(s->ctx) * 1e6 && !task_is_blocked(f->next) &&
	    f->next != TASK_UNKNOWN && f->next != TASK_DEAD)
		start(s, b, f->t1);
}

void burst_hears_task_seg(void *self, const struct task_seg *f)
{
	struct burst *s = self;

	if (known(s) && (task_is_blocked(f->state) ||
	                 (f->task->id < s->tasks.n && s->tasks.at[f->task->id].asleep_ns)))
		on_task_seg(s, f);
}

static void reach(struct bursts *b, enum goal g, int64_t t)
{
	if (b->reached[g] < 0)
		b->reached[g] = t - b->start;
}

/* Split what a segment loses to the clock, in proportion to the logarithms of the steps from the
 * clock to what was asked for, from the policy maximum to that, and from there to the top. */
static void blame(struct burst *s, struct bursts *b, const struct cpu_seg *f, double lost)
{
	double clock = (double)f->khz, asked = (double)request_khz(s->ctx, f->cpu);
	double top = (double)context_top_khz(s->ctx, f->cpu), most = top, all = log(top / clock);

	if (lost <= 0 || all <= 0)
		return;
	if (asked <= 0) {
		b->blame.unknown += lost;
		return;
	}
	if (f->max_khz && (double)f->max_khz < most)
		most = (double)f->max_khz;
	most = most > clock ? most : clock;
	asked = asked > clock ? asked : clock;
	b->blame.not_asked += lost * log(top / asked) / all;
	b->blame.capped += lost * (asked > most ? log(asked / most) : 0) / all;
	b->blame.not_ordered += lost * log((asked < most ? asked : most) / clock) / all;
}

static __attribute__((noinline)) void run(struct burst *s, struct bursts *b,
                                          const struct cpu_seg *f)
{
	const struct pace *p = pace_of(&s->paces, s->ctx, f);
	int64_t from = f->t0 > b->start ? f->t0 : b->start;
	int64_t to = f->t1 < b->start + START_NS ? f->t1 : b->start + START_NS;
	int64_t ns = to > from ? to - from : 0;

	b->last = f->t1;
	for (int i = HALF; i <= FULL; i++)
		if (p && p->work >= speed_of[i])
			reach(b, (enum goal)i, from);
	if (context_capacity(s->ctx, f->cpu) > s->smallest)
		reach(b, LARGER, from);
	if (b->start < s->ctx->from)
		return;
	got_add(&b->got, p, ns);
	if (p)
		blame(s, b, f, p->clock * (double)ns);
}

void burst_hears_cpu_seg(void *self, const struct cpu_seg *f)
{
	struct burst *s = self;

	if (f->state == CPU_BUSY && f->task->id < s->tasks.n && s->tasks.at[f->task->id].on &&
	    f->t1 > s->tasks.at[f->task->id].start)
		run(s, &s->tasks.at[f->task->id], f);
}

void burst_hears_switch_in(void *self, const struct switch_in *f)
{
	struct burst *s = self;
	struct bursts *b;

	if (!known(s) || f->wait == WAIT_NONE || f->wait == WAIT_PREEMPT)
		return;
	vec_fit(&s->tasks, (size_t)f->task->id + 1);
	b = &s->tasks.at[f->task->id];
	b->woken++;
	b->woken_larger += context_capacity(s->ctx, f->cpu) > s->smallest;
}

static void begin(void *self)
{
	struct burst *s = self;

	for (size_t i = 0; i < s->tasks.n; i++) {
		struct bursts *b = &s->tasks.at[i];

		b->done.n = 0;
		b->got = (struct got){.run_ns = 0};
		b->blame = (struct blame){0, 0, 0, 0};
		b->woken = b->woken_larger = 0;
	}
	s->n = 0;
	s->left_out = 0;
}

static void end(void *self)
{
	struct burst *s = self;

	for (size_t i = 0; i < s->tasks.n; i++)
		finish(s, &s->tasks.at[i]);
}

/* ---- medians of times of which some are only known to be longer ---- */

static int by_time(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	float p = x < 0 ? -x : x, q = y < 0 ? -y : y;

	if (p != q)
		return p < q ? -1 : 1;
	return (x < 0) - (y < 0); /* an arrival counts before an end at the same time */
}

/* The product-limit (Kaplan and Meier) median of the times to a goal, in ms; negative: fewer than
 * half would arrive. */
static double median(const struct bursts *b, enum goal g, size_t *arrived)
{
	float *t = mem_calloc(b->done.n, sizeof *t);
	double left = 1, at = -1;

	*arrived = 0;
	for (size_t i = 0; i < b->done.n; i++) {
		t[i] = b->done.at[i].ms[g];
		*arrived += t[i] >= 0;
	}
	if (b->done.n)
		qsort(t, b->done.n, sizeof *t, by_time);
	for (size_t i = 0; i < b->done.n && at < 0; i++) {
		if (t[i] < 0)
			continue;
		left *= 1 - 1 / (double)(b->done.n - i);
		if (left <= .5 + 1e-9)
			at = (double)t[i];
	}
	free(t);
	return at;
}

/* ---- results ---- */

static const char *const goal_keys[GOALS] = {"to_50_pct", "to_80_pct", "to_top", "to_larger_cpu"};

static const struct bursts *bursts_of(const struct burst *s, uint32_t task)
{
	return task < s->tasks.n ? &s->tasks.at[task] : NULL;
}

static void add_blame(struct blame *to, const struct blame *b)
{
	to->not_asked += b->not_asked;
	to->not_ordered += b->not_ordered;
	to->capped += b->capped;
	to->unknown += b->unknown;
}

static void json_blame(const struct context *c, struct json *j, const struct blame *b)
{
	char why[160];

	if (request_withheld(c, why)) {
		json_missing(j, "clock_lost", why);
		return;
	}
	json_object_line(j, "clock_lost");
	json_int(j, "not_asked_ns", (int64_t)b->not_asked);
	json_int(j, "not_ordered_ns", (int64_t)b->not_ordered);
	json_int(j, "capped_ns", (int64_t)b->capped);
	json_int(j, "unknown_ns", (int64_t)b->unknown);
	json_end(j);
}

static void json_goal(struct json *j, const struct bursts *b, enum goal g)
{
	size_t arrived;
	double ms = median(b, g, &arrived);

	json_object_line(j, goal_keys[g]);
	json_int(j, "arrived", (int64_t)arrived);
	if (ms >= 0)
		json_real(j, "median_ms", ms);
	else
		json_missing(j, "median_ms", "fewer than half of the bursts would arrive");
	json_end(j);
}

static void json_task(void *self, const struct task *t, struct json *j)
{
	struct burst *s = self;
	const struct bursts *b = bursts_of(s, t->id);

	if (pace_unknown(s->ctx) || !b)
		return;
	json_object(j, "bursts");
	json_int(j, "n", (int64_t)b->done.n);
	got_json(j, &b->got);
	json_blame(s->ctx, j, &b->blame);
	for (int i = 0; b->done.n && i < GOALS; i++)
		json_goal(j, b, (enum goal)i);
	json_int(j, "woken", (int64_t)b->woken);
	json_int(j, "woken_on_larger", (int64_t)b->woken_larger);
	json_end(j);
}

/* All tasks that the options select, as one. The caller frees done. */
static struct bursts sum_of(struct burst *s)
{
	struct bursts sum = {0};

	for (uint32_t i = 0; i < s->tasks.n; i++) {
		const struct bursts *b = &s->tasks.at[i];

		if (i >= replay_n_tasks(s->ctx->replay) ||
		    !context_has_task(s->ctx, replay_task(s->ctx->replay, i)))
			continue;
		for (size_t k = 0; k < b->done.n; k++)
			*vec_add(&sum.done) = b->done.at[k];
		got_sum(&sum.got, &b->got);
		add_blame(&sum.blame, &b->blame);
		sum.woken += b->woken;
		sum.woken_larger += b->woken_larger;
	}
	return sum;
}

static void measure(void *self, struct metric_rows *m)
{
	struct burst *s = self;
	const char *why = pace_unknown(s->ctx);
	struct bursts all = {0};
	size_t arrived;
	double ms = -1;

	if (!why)
		all = sum_of(s);
	if (all.woken)
		metric_add(m, METRIC_ID_woken_larger_pct, "all",
		           100 * (double)all.woken_larger / (double)all.woken);
	else
		metric_add_missing(m, METRIC_ID_woken_larger_pct, "all",
		                   why ? why : "no wake-up that was followed by a switch-in");
	if (!why && !all.done.n)
		why = "no task came back after a rest (100 ms asleep, --rest)";
	if (!why)
		ms = median(&all, HALF, &arrived);
	if (!why && got_speed_pct(&all.got) >= 0)
		metric_add(m, METRIC_ID_burst_speed_pct, "all", got_speed_pct(&all.got));
	else
		metric_add_missing(m, METRIC_ID_burst_speed_pct, "all",
		                   why ? why : "clock unknown");
	if (ms >= 0)
		metric_add(m, METRIC_ID_burst_to50_ms, "all", ms);
	else
		metric_add_missing(m, METRIC_ID_burst_to50_ms, "all",
		                   why ? why : "fewer than half of the bursts would arrive");
	vec_free(&all.done);
}

/* ---- report ---- */

static void show_goal(struct doc *d, const struct bursts *b, enum goal g)
{
	size_t arrived;
	double ms = median(b, g, &arrived);
	char text[64];

	if (ms >= 0)
		snprintf(text, sizeof text, "%.1f (%zu)", ms, arrived);
	else
		snprintf(text, sizeof text, "- (%zu)", arrived);
	doc_text(d, text);
}

static void show_bursts(struct doc *d, const char *label, const struct bursts *b)
{
	double n = (double)b->done.n;

	doc_text(d, label);
	doc_int(d, (int64_t)b->done.n);
	doc_real(d, (double)b->got.run_ns / n / 1e6, 1);
	if (got_speed_pct(&b->got) >= 0)
		doc_real(d, got_speed_pct(&b->got), 1);
	else
		doc_missing(d);
	doc_real(d, b->got.sum.clock / n / 1e6, 1);
	doc_real(d, b->got.sum.size / n / 1e6, 1);
	doc_real(d, (double)b->got.unknown_ns / n / 1e6, 1);
	for (int i = 0; i < GOALS; i++)
		show_goal(d, b, (enum goal)i);
	doc_pct(d, (int64_t)b->woken_larger, (int64_t)b->woken, 1);
}

struct row {
	const struct bursts *bursts;
	uint32_t task;
};

/* Most run time at the start of bursts first. */
static int by_run(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->bursts->got.run_ns != y->bursts->got.run_ns)
		return x->bursts->got.run_ns < y->bursts->got.run_ns ? 1 : -1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static void show_rows(struct burst *s, struct doc *d, size_t most)
{
	struct row *rows = mem_calloc(s->tasks.n, sizeof *rows);
	size_t n = 0;
	char label[80];

	for (uint32_t i = 0; i < s->tasks.n; i++)
		if (s->tasks.at[i].done.n && i < replay_n_tasks(s->ctx->replay) &&
		    context_has_task(s->ctx, replay_task(s->ctx->replay, i)))
			rows[n++] = (struct row){&s->tasks.at[i], i};
	if (n)
		qsort(rows, n, sizeof *rows, by_run);
	for (size_t i = 0; i < n && i < most; i++)
		show_bursts(d, task_label(replay_task(s->ctx->replay, rows[i].task), label),
		            rows[i].bursts);
	free(rows);
}

enum { BLAME_MAX = 220 };

static void blame_text(const struct context *c, const struct blame *b, char out[BLAME_MAX])
{
	double sum = b->not_asked + b->not_ordered + b->capped + b->unknown;
	char why[160];

	if (request_withheld(c, why))
		snprintf(out, BLAME_MAX, "why the clock was low is withheld: %s", why);
	else if (sum > 0)
		snprintf(out, BLAME_MAX,
		         "lost to the clock: not yet asked for %.0f %%, asked but not ordered %.0f "
		         "%%, capped %.0f %%, unknown %.0f %%",
		         100 * b->not_asked / sum, 100 * b->not_ordered / sum,
		         100 * b->capped / sum, 100 * b->unknown / sum);
	else
		snprintf(out, BLAME_MAX, "nothing is lost to the clock");
}

static void show_some(struct burst *s, struct doc *d, size_t most)
{
	static const struct column columns[] = {
	        {"task", NULL, true},           {"bursts", NULL, false},
	        {"run", "ms", false},           {"speed", "%", false},
	        {"clock lost", "ms", false},    {"size lost", "ms", false},
	        {"unknown", "ms", false},       {"to 50 %", "ms", false},
	        {"to 80 %", "ms", false},       {"to top", "ms", false},
	        {"to larger cpu", "ms", false}, {"woken on larger", "%", false},
	};
	const char *why = pace_unknown(s->ctx);
	char blame[BLAME_MAX];
	struct bursts all;

	if (why) {
		doc_section(d, "BURSTS", "%s", why);
		return;
	}
	all = sum_of(s);
	if (!all.done.n) {
		doc_section(d, "BURSTS", "no task was woken after %.4g ms or more asleep",
		            rest_ms(s->ctx));
		return;
	}
	doc_section(
	        d, "BURSTS",
	        "from a wake-up after %.4g ms or more asleep to the next such sleep; run, speed "
	        "and lost: "
	        "per burst, in its first 100 ms; to: median time to that speed (100 %% = the "
	        "largest "
	        "CPU at its top) or to a CPU larger than the smallest (bursts that end before "
	        "count as "
	        "longer), and how many arrived; woken: all wake-ups that first ran on a larger "
	        "CPU%s",
	        rest_ms(s->ctx), s->left_out ? "; later bursts are left out" : "");
	doc_table(d, columns, sizeof columns / sizeof *columns);
	show_rows(s, d, most);
	show_bursts(d, "all", &all);
	blame_text(s->ctx, &all.blame, blame);
	doc_note(d, "%s", blame);
	vec_free(&all.done);
}

static void show(void *self, struct doc *d)
{
	struct burst *s = self;

	show_some(s, d, s->ctx->opts.top);
}

static void page(void *self, struct doc *d)
{
	struct burst *s = self;
	struct bursts all;
	char why[BLAME_MAX];

	if (!s->ctx->has_frames) {
		show_some(s, d, page_rows(s->ctx));
		return;
	}
	all = sum_of(s);
	if (pace_unknown(s->ctx) || !all.done.n) {
		vec_free(&all.done);
		return;
	}
	blame_text(s->ctx, &all.blame, why);
	doc_section(d, "CLOCK", "after %.4g ms asleep (%zu times), 100 ms of run: %s",
	            rest_ms(s->ctx), all.done.n, why);
	vec_free(&all.done);
}

static void free_burst(void *self)
{
	struct burst *s = self;

	for (size_t i = 0; i < s->tasks.n; i++)
		vec_free(&s->tasks.at[i].done);
	vec_free(&s->tasks);
	vec_free(&s->paces.cpus);
}

const struct analysis analysis_burst = {
        .name = "burst",
        .question = "how soon was a task fast, or on a larger CPU, when it came back after a rest",
        .size = sizeof(struct burst),
        .begin = begin,
        .end = end,
        .json_task = json_task,
        .measure = measure,
        .show = show,
        .page = page,
        .free = free_burst,
};
