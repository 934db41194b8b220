/* Which half-life the kernel's PELT has, measured from the values that it recorded itself
 * (sched_pelt_se): a sleeping task's util halves once per half-life, whatever else goes on.
 *
 * And whether our arithmetic is the kernel's: from one value of a task to its next, with nothing
 * but running, or nothing but not running, between (one-step prediction, reference
 * signals.md 1.13). */
#include "analysis/kernel_clock.h"

#include "analysis/load.h"
#include "signal/pelt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A decay counts when it starts at 100 or more and falls by a factor of 1.3 or more, so that
 * rounding to whole units matters little; the task may have run this long after the first value. */
enum { HALF_LIVES = 3 };
enum { UTIL_MIN = 100, DECAYS_MIN = 10, RAN_MAX_NS = 100000 };

static const double fall_min = 1.3, period_ms = 1.048576, snap = .05, scatter_max = .1;
static const unsigned known[HALF_LIVES] = {8, 16, 32};
static const int64_t asleep_max_ns = INT64_C(60000000000); /* all is decayed long before */

struct last {
	int64_t t, util, update_time;
	uint32_t cpu;
	uint32_t predicted, inside[HALF_LIVES]; /* of the task */
};

/* Predictions under one half-life. */
struct steps_fit {
	struct pelt pelt;
	uint64_t inside; /* of what the cut-off fraction of the value before allows */
	int64_t max;     /* largest error */
};

struct signals {
	struct context *ctx;
	struct steps_fit fit[HALF_LIVES];
	uint64_t predicted;
	struct kernel_clock clock;
	VEC(struct last) tasks;  /* by id; util 0: none yet */
	struct series half_life; /* ns */
	uint64_t values;
};

/* Asleep from here on, up to its latest wake-up at most; NO_TIME: not known. */
static int64_t asleep_from(const struct task *t)
{
	if (task_is_blocked(t->state))
		return t->since;
	if (t->state == TASK_RUNNABLE && t->wait == WAIT_WAKING && t->blocked_ns)
		return t->since - t->blocked_ns;
	return NO_TIME;
}

/* Time between two values on the clock that they decay by: the kernel's PELT clock if recorded
 * (slowed down while the CPU runs slowly, caught up when it idles), else that of the trace. */
static int64_t between(const struct last *a, const struct kernel_util *b)
{
	int64_t d;

	if (a->update_time == NO_TIME || b->update_time == NO_TIME)
		return b->t - a->t;
	return __builtin_sub_overflow(b->update_time, a->update_time, &d) ? 0 : d;
}

/* Not running, or running, from here on without a break; NO_TIME: not known. */
static int64_t steady_from(const struct task *t)
{
	if (t->state == TASK_RUNNING || (t->state == TASK_RUNNABLE && t->wait == WAIT_PREEMPT))
		return t->since;
	return asleep_from(t);
}

/* The value at `to` of one that was util + fraction / 256 at `from`: the sums follow from it, and
 * the phase from the clock, which began at 0. */
static int64_t predict(const struct pelt *p, int64_t util, unsigned fraction, int64_t from,
                       int64_t to, bool running)
{
	struct pelt_signal s = {.last = from & ~INT64_C(1023),
	                        .phase = (uint32_t)(from >> 10 & (PELT_PERIOD - 1)),
	                        .util = (uint64_t)util};

	s.util_sum = ((uint64_t)util * 256 + fraction) * pelt_divider(p, &s) / 256;
	pelt_update(p, &s, to, &(struct pelt_doing){1, 1, running, PELT_SCALE, PELT_SCALE, 0});
	return (int64_t)s.util;
}

/* Only where contributions are not scaled, so that the recorded clock tells all. */
static void one_step(struct signals *s, struct last *x, const struct kernel_util *f)
{
	bool running = f->task->state == TASK_RUNNING;
	int64_t steady = steady_from(f->task);

	if (x->update_time == NO_TIME || f->update_time == NO_TIME || x->cpu != f->cpu ||
	    steady == NO_TIME || steady > x->t || f->update_time <= x->update_time ||
	    x->update_time < 0 || f->update_time - x->update_time > asleep_max_ns)
		return;
	s->predicted++;
	x->predicted++;
	for (unsigned i = 0; i < HALF_LIVES; i++) {
		struct steps_fit *fit = &s->fit[i];
		int64_t low, high, middle;

		if (!fit->pelt.half_life)
			pelt_init(&fit->pelt, known[i], PELT_P5, 1);
		low = predict(&fit->pelt, x->util, 0, x->update_time, f->update_time, running);
		high = predict(&fit->pelt, x->util, 255, x->update_time, f->update_time, running);
		middle = predict(&fit->pelt, x->util, 128, x->update_time, f->update_time, running);
		middle = f->util > middle ? f->util - middle : middle - f->util;
		fit->max = middle > fit->max ? middle : fit->max;
		fit->inside += f->util >= low && f->util <= high;
		x->inside[i] += f->util >= low && f->util <= high;
	}
}

/* The half-life under which the most predictions hold. */
static unsigned best_fit(const struct signals *s)
{
	unsigned best = 0;

	for (unsigned i = 1; i < HALF_LIVES; i++)
		if (s->fit[i].inside > s->fit[best].inside)
			best = i;
	return best;
}

void signals_hears_kernel_util(void *self, const struct kernel_util *f)
{
	struct signals *s = self;
	int64_t slept;
	struct last *x;

	s->clock.ctx = s->ctx;
	kernel_clock_value(&s->clock, f);
	if (f->signal != SIGNAL_UTIL || !f->task)
		return;
	slept = asleep_from(f->task);
	vec_fit(&s->tasks, (size_t)f->task->id + 1);
	x = &s->tasks.at[f->task->id];
	s->values++;
	if (x->util >= UTIL_MIN && f->util > 0 && x->cpu == f->cpu && slept != NO_TIME &&
	    slept <= x->t + RAN_MAX_NS && (double)x->util >= fall_min * (double)f->util &&
	    between(x, f) > 0 && between(x, f) < asleep_max_ns)
		series_add(&s->half_life, (int64_t)((double)between(x, f) /
		                                    log2((double)x->util / (double)f->util)));
	if (x->t)
		one_step(s, x, f);
	x->t = f->t;
	x->util = f->util;
	x->update_time = f->update_time;
	x->cpu = f->cpu;
}

void signals_hears_cpu_seg(void *self, const struct cpu_seg *f)
{
	struct signals *s = self;

	kernel_clock_cpu_seg(&s->clock, f);
}

void signals_hears_irq_change(void *self, const struct irq_change *f)
{
	struct signals *s = self;

	kernel_clock_irq(&s->clock, f);
}

static void begin(void *self)
{
	struct signals *s = self;

	kernel_clock_begin(&s->clock);

	series_clear(&s->half_life);
	s->values = s->predicted = 0;
	for (unsigned i = 0; i < HALF_LIVES; i++)
		s->fit[i].inside = 0, s->fit[i].max = 0;
	for (size_t i = 0; i < s->tasks.n; i++) {
		s->tasks.at[i].predicted = 0;
		memset(s->tasks.at[i].inside, 0, sizeof s->tasks.at[i].inside);
	}
}

static double quantile_ms(struct signals *s, double q)
{
	return series_quantile(&s->half_life, q) / 1e6;
}

/* In periods; 0: none of those that kernels have. */
static unsigned periods(double ms)
{
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (fabs(ms / (known[i] * period_ms) - 1) <= snap)
			return known[i];
	return 0;
}

/* Why the half-life cannot be told, or NULL. */
static const char *unknown(struct signals *s)
{
	if (!s->values)
		return "the trace has no values of the kernel (sched_pelt_se)";
	if (s->half_life.n < DECAYS_MIN)
		return "too few sleeps between two values of the kernel (sched_pelt_se)";
	if (quantile_ms(s, .75) - quantile_ms(s, .25) > scatter_max * quantile_ms(s, .5))
		return "the decays of sleeping tasks scatter by more than 10 %";
	return NULL;
}

/* What the run file tells of the signals; "": nothing. */
static void told(const struct run *r, char *out, size_t room)
{
	out[0] = '\0';
	if (r && !isnan(r->walt_window_ms))
		snprintf(out, room, "WALT, window %.4g ms", r->walt_window_ms);
	else if (r && r->signal && strcmp(r->signal, "pelt") != 0)
		snprintf(out, room, "%.30s", r->signal);
	else if (r && !isnan(run_half_life_ms(r)))
		snprintf(out, room, "PELT half-life %.4g ms", run_half_life_ms(r));
}

/* Whether the run file's half-life is another one than that which was measured. Kernels call 32
 * periods of 1.05 ms 32 ms. */
static bool contradicts(const struct run *r, unsigned measured)
{
	return r && !isnan(run_half_life_ms(r)) && measured &&
	       fabs(run_half_life_ms(r) / measured - 1) > 2 * snap;
}

static struct signals *of_context(const struct context *c)
{
	return session_state((const struct session *)c, &analysis_signals);
}

/* The half-life of the tables under which nearly all predictions hold, else the one that was
 * measured, in periods of the PELT clock; 0: not known. */
static unsigned table_half_life(struct signals *s)
{
	unsigned best = best_fit(s);

	if (s->predicted >= DECAYS_MIN && 100 * s->fit[best].inside >= 95 * s->predicted)
		return known[best];
	return unknown(s) ? 0 : periods(quantile_ms(s, .5));
}

/* The clock may be faster than that of the trace: what counts is the product. */
unsigned signals_half_life(const struct context *c)
{
	struct signals *s = of_context(c);
	unsigned multiplier = kernel_clock_facts(&s->clock).multiplier;

	return table_half_life(s) / (multiplier ? multiplier : 1);
}

bool signals_irq_in_clock(const struct context *c)
{
	return kernel_clock_has_irq(&of_context(c)->clock) == 1;
}

/* ---- results ---- */

static void json_clock(struct signals *s, struct json *j)
{
	struct kernel_clock_facts x = kernel_clock_facts(&s->clock);

	json_object_line(j, "pelt_clock");
	json_int(j, "idle_intervals", (int64_t)x.n_multiplier);
	if (x.multiplier)
		json_int(j, "multiplier", x.multiplier);
	else
		json_missing(j, "multiplier",
		             "fewer than 10 intervals between idle moments with "
		             "update_time, or none of 1, 2, 4");
	json_int(j, "busy_intervals", (int64_t)x.n_scaled);
	if (x.scaled >= 0)
		json_bool(j, "scaled", x.scaled);
	else
		json_missing(j, "scaled",
		             "fewer than 10 intervals of 2 ms at one known speed "
		             "below 0.8, or neither fits");
	if (x.n_scaled)
		json_real(j, "of_speed", x.of_speed);
	if (x.irq >= 0)
		json_bool(j, "has_interrupts", x.irq);
	else
		json_missing(j, "has_interrupts",
		             "too little time in interrupts beside busy "
		             "intervals with update_time");
	json_end(j);
}

static void json_cpu(void *self, uint32_t cpu, struct json *j)
{
	struct signals *s = self;
	int64_t first, last;

	if (!s->values || !kernel_clock_lag(&s->clock, cpu, &first, &last))
		return;
	json_int(j, "pelt_clock_lag_first_ns", first);
	json_int(j, "pelt_clock_lag_last_ns", last);
}

static void json_task(void *self, const struct task *t, struct json *j)
{
	struct signals *s = self;
	const struct last *x = t->id < s->tasks.n ? &s->tasks.at[t->id] : NULL;

	if (!x || !x->predicted)
		return;
	json_int(j, "one_step_n", x->predicted);
	json_int(j, "one_step_inside", x->inside[best_fit(s)]);
}

static void json(void *self, struct json *j)
{
	struct signals *s = self;
	const char *why = unknown(s);
	double ms = why ? 0 : quantile_ms(s, .5);

	json_object_line(j, "pelt");
	json_int(j, "decays", (int64_t)s->half_life.n);
	if (why)
		json_missing(j, "half_life", why);
	else if (periods(ms))
		json_int(j, "half_life", periods(ms));
	else
		json_missing(j, "half_life", "not within 5 % of 8, 16 or 32 periods");
	if (why)
		json_missing(j, "half_life_ms", why);
	else
		json_real(j, "half_life_ms", ms);
	json_bool(j, "run_file_contradicts", !why && contradicts(s->ctx->opts.run, periods(ms)));
	json_end(j);
	json_clock(s, j);
	if (!s->predicted) {
		json_missing(j, "one_step",
		             "no two values of a task with update_time and nothing between them");
		return;
	}
	json_array(j, "one_step");
	for (unsigned i = 0; i < HALF_LIVES; i++) {
		json_object_line(j, NULL);
		json_int(j, "half_life", known[i]);
		json_int(j, "n", (int64_t)s->predicted);
		json_int(j, "inside", (int64_t)s->fit[i].inside);
		json_int(j, "max_abs", s->fit[i].max);
		json_end(j);
	}
	json_end(j);
}

/* Lag of the CPUs' clocks: where each began, and the most that one lost. */
static void show_lag(struct signals *s, struct doc *d)
{
	int64_t first, last, low = INT64_MAX, high = INT64_MIN, lost = 0;
	unsigned n = 0;

	for (uint32_t i = 0; i < replay_n_cpus(s->ctx->replay); i++) {
		if (!kernel_clock_lag(&s->clock, i, &first, &last))
			continue;
		n++;
		low = first < low ? first : low;
		high = first > high ? first : high;
		lost = last - first > lost ? last - first : lost;
	}
	if (n)
		doc_note(d,
		         "lag of PELT clocks behind the trace at idle moments, %u CPUs: %.2f to "
		         "%.2f "
		         "ms at the start; %.2f ms more at most in the end",
		         n, (double)low / 1e6, (double)high / 1e6, (double)lost / 1e6);
}

static void show_clock(struct signals *s, struct doc *d)
{
	struct kernel_clock_facts x = kernel_clock_facts(&s->clock);
	enum pelt_era era = load_era(context_kernel(s->ctx));
	static const char *const irq[] = {"not known", "taken off the clock", "part of the clock"};

	if (x.multiplier)
		doc_note(d,
		         "multiplier %u: the PELT clock advanced by %.3f of trace time (median of "
		         "%zu intervals between idle moments)%s",
		         x.multiplier, x.slope, x.n_multiplier,
		         x.multiplier > 1 ? "; effective half-life: the above divided by it" : "");
	if (x.scaled >= 0) {
		doc_note(d,
		         "era: %s, measured on %zu busy intervals at speeds below 0.8 (advance by "
		         "%.3f of the speed); by the release P%d; interrupt time is %s",
		         x.scaled ? "P3 or later, the clock is scaled by speed"
		                  : "P1 or P2, contributions are scaled",
		         x.n_scaled, x.of_speed, (int)era, irq[x.irq + 1]);
		if (x.scaled != (era >= PELT_P3))
			doc_note(d, "CONFLICT: this is not the era of the kernel release; signals "
			            "are rebuilt by the release");
	}
	show_lag(s, d);
}

static void show(void *self, struct doc *d)
{
	struct signals *s = self;
	const struct run *r = s->ctx->opts.run;
	const char *why = unknown(s);
	char name[64] = "none that is known", by_run[64];
	double ms = why ? 0 : quantile_ms(s, .5);

	told(r, by_run, sizeof by_run);
	if (!s->values && !s->ctx->opts.n_half_lives && !*by_run)
		return;
	if (why) {
		doc_section(d, "SIGNALS", "%s%s unverified: %s",
		            *by_run ? by_run : "PELT half-life", *by_run ? " by the run file," : "",
		            why);
		show_clock(s, d);
		return;
	}
	if (periods(ms))
		snprintf(name, sizeof name, "%u periods of 1.05 ms", periods(ms));
	doc_section(d, "SIGNALS",
	            "PELT half-life of this kernel: %s (measured %.2f ms, quartiles %.2f and %.2f; "
	            "from %zu sleeps between two of its own values)",
	            name, ms, quantile_ms(s, .25), quantile_ms(s, .75), (size_t)s->half_life.n);
	if (s->predicted)
		doc_note(d,
		         "one step, from one of its values to the next: %" PRIu64 " of %" PRIu64
		         " predictions with half-life %u are within what the cut-off fraction "
		         "allows; largest error %" PRId64,
		         s->fit[best_fit(s)].inside, s->predicted, known[best_fit(s)],
		         s->fit[best_fit(s)].max);
	show_clock(s, d);
	if (contradicts(r, periods(ms)))
		doc_note(d, "CONFLICT: the run file says %.4g ms; what was measured counts",
		         run_half_life_ms(r));
}

static void free_signals(void *self)
{
	struct signals *s = self;

	series_free(&s->half_life);
	kernel_clock_free(&s->clock);
	vec_free(&s->tasks);
}

const struct analysis analysis_signals = {
        .name = "signals",
        .question = "which PELT half-life does the kernel have (sched_pelt_se), and is our "
                    "arithmetic its own",
        .size = sizeof(struct signals),
        .begin = begin,
        .json = json,
        .json_cpu = json_cpu,
        .json_task = json_task,
        .show = show,
        .free = free_signals,
};
