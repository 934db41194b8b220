#include "signal/walt.h"

#include <assert.h>
#include <string.h>

static int64_t scaled(const struct walt_cpu *c, int64_t ns)
{
	return ns * c->speed / WALT_SCALE;
}

uint32_t walt_util(const struct walt *w, int64_t ns)
{
	return (uint32_t)(ns / (w->window / WALT_SCALE));
}

/* ---- demand ---- */

static int64_t demand_of(const struct walt *w, const struct walt_task *t)
{
	int64_t recent = t->history[0], max = 0, sum = 0, avg;

	for (int i = 0; i < WALT_HISTORY; i++) {
		max = t->history[i] > max ? t->history[i] : max;
		sum += t->history[i];
	}
	avg = sum / WALT_HISTORY;
	switch (w->policy) {
	case WALT_RECENT:
		return recent;
	case WALT_MAX:
		return max;
	case WALT_AVG:
		return avg;
	default:
		return recent > avg ? recent : avg;
	}
}

void walt_push(const struct walt *w, struct walt_task *t, int64_t runtime, int64_t samples)
{
	int n = samples < WALT_HISTORY ? (int)samples : WALT_HISTORY;

	if (!runtime || n <= 0 || t->idle)
		return;
	memmove(t->history + n, t->history, (size_t)(WALT_HISTORY - n) * sizeof *t->history);
	for (int i = 0; i < n; i++)
		t->history[i] = runtime;
	t->sum = 0;
	t->demand = demand_of(w, t);
}

void walt_task_init(const struct walt *w, struct walt_task *t, int64_t now)
{
	*t = (struct walt_task){.mark = now, .demand = 15 * w->window / 100};
	for (int i = 0; i < WALT_HISTORY; i++)
		t->history[i] = t->demand;
}

static void add_demand(const struct walt *w, const struct walt_cpu *c, struct walt_task *t,
                       int64_t ns)
{
	t->sum += scaled(c, ns);
	t->sum = t->sum < w->window ? t->sum : w->window;
}

static bool is_wait(enum walt_event ev)
{
	return ev == WALT_PICK_NEXT || ev == WALT_TASK_MIGRATE;
}

/* Whole windows between the mark and the current one, when it lies before that. */
static int64_t whole_windows(const struct walt *w, const struct walt_cpu *c,
                             const struct walt_task *t)
{
	return (c->start - t->mark) / w->window;
}

static void account_task(const struct walt *w, const struct walt_cpu *c, struct walt_task *t,
                         enum walt_event ev, int64_t now)
{
	bool crossed = t->mark < c->start;
	bool counts = !t->idle && ev != WALT_TASK_WAKE && (w->demand_counts_wait || !is_wait(ev));
	int64_t whole;

	if (!counts) {
		if (crossed)
			walt_push(w, t, t->sum, 1);
		return;
	}
	if (!crossed) {
		add_demand(w, c, t, now - t->mark);
		return;
	}
	whole = whole_windows(w, c, t);
	add_demand(w, c, t, c->start - whole * w->window - t->mark);
	walt_push(w, t, t->sum, 1);
	walt_push(w, t, scaled(c, w->window), whole);
	add_demand(w, c, t, now - c->start);
}

/* ---- load of the CPU ---- */

/* Idle, asleep or waiting time: the windows of the CPU move on with its current task. */
static void account_no_load(struct walt_cpu *c, bool is_current, int64_t whole)
{
	if (!is_current)
		return;
	c->prev = whole ? 0 : c->curr;
	c->curr = 0;
}

static void account_crossed(const struct walt *w, struct walt_cpu *c, struct walt_task *t,
                            int64_t now, int64_t whole)
{
	int64_t before = whole ? scaled(c, w->window) : scaled(c, c->start - t->mark);
	int64_t after = scaled(c, now - c->start);

	t->prev = whole ? before : t->prev + before;
	t->curr = after;
	if (t == c->current) {
		c->prev = whole ? before : before + c->curr;
		c->curr = after;
	} else {
		c->prev += before;
		c->curr += after;
	}
}

static void account_cpu(const struct walt *w, struct walt_cpu *c, struct walt_task *t,
                        enum walt_event ev, int64_t now)
{
	bool crossed = t->mark < c->start;
	int64_t whole = crossed ? whole_windows(w, c, t) : 0;
	bool busy = !t->idle && ev != WALT_TASK_WAKE && (w->load_counts_wait || !is_wait(ev));

	if (crossed && !t->idle) {
		t->prev = whole ? 0 : t->curr;
		t->curr = 0;
	}
	if (busy && crossed) {
		account_crossed(w, c, t, now, whole);
	} else if (busy) {
		c->curr += scaled(c, now - t->mark);
		t->curr += scaled(c, now - t->mark);
	} else if (crossed) {
		account_no_load(c, t == c->current, whole);
	}
}

void walt_account(const struct walt *w, struct walt_cpu *c, struct walt_task *t, enum walt_event ev,
                  int64_t now)
{
	if (now > c->start)
		c->start += (now - c->start) / w->window * w->window;
	if (t->mark || t->idle) {
		account_task(w, c, t, ev, now);
		account_cpu(w, c, t, ev, now);
	}
	t->mark = now;
}

/* ---- prediction ---- */

enum { STEP = 8, STEP_STRONG = 16, STRONG = 16, FORGET = 2, WEIGHT_MAX = 255 };

static unsigned bucket_of(const struct walt_buckets *b, int64_t runtime)
{
	int64_t i;

	assert(b->n > 1 && b->full > 0);
	i = runtime * b->n / b->full;

	return i < 1 ? 1 : i < b->n ? (unsigned)i : b->n - 1;
}

int64_t walt_predict(const struct walt_buckets *b, int64_t runtime,
                     const int64_t history[WALT_HISTORY])
{
	unsigned i = bucket_of(b, runtime);
	int64_t min, max, found = runtime;

	while (i < b->n && !b->weight[i])
		i++;
	if (i == b->n)
		return runtime;
	min = i < 2 ? 0 : (int64_t)i * b->full / b->n; /* the two lowest are one */
	max = (int64_t)(i + 1) * b->full / b->n;
	for (int k = 0; k < WALT_HISTORY; k++)
		if (history[k] >= min && history[k] < max) {
			found = history[k];
			break;
		}
	if (found < min)
		found = (min + max) / 2;
	return found > runtime ? found : runtime;
}

void walt_learn(struct walt_buckets *b, int64_t runtime)
{
	unsigned own = bucket_of(b, runtime);

	for (unsigned i = 0; i < b->n; i++) {
		int v = b->weight[i];

		if (i == own)
			v += v >= STRONG ? STEP_STRONG : STEP;
		else
			v = v > FORGET ? v - FORGET : 0;
		b->weight[i] = (uint8_t)(v < WEIGHT_MAX ? v : WEIGHT_MAX);
	}
}
