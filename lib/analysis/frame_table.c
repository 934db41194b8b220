#include "analysis/frame_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Where the window has no edge of its own frames may lie beyond the kernel's events: those of one
 * begin before it draws. Rows far away are damage (frames.md 2.6). */
#define FAR_NS INT64_C(10000000000)
#define MS INT64_C(1000000)

static bool in_window(const struct context *c, int64_t t)
{
	int64_t before = c->opts.from.kind == EDGE_NONE ? FAR_NS : 0;
	int64_t behind = c->opts.to.kind == EDGE_NONE ? FAR_NS : 0;

	return t != FRAME_NO_TIME && t >= c->from - before && t < c->to + behind;
}

static bool is_far(const struct context *c, int64_t t)
{
	return t != FRAME_NO_TIME && (t < c->start - FAR_NS || t >= c->end + FAR_NS);
}

/* The first time that is known of it. */
static int64_t any_start(const struct frame *f)
{
	return f->expected_start != FRAME_NO_TIME ? f->expected_start
	       : f->actual_start != FRAME_NO_TIME ? f->actual_start
	       : f->ui_start != FRAME_NO_TIME     ? f->ui_start
	                                          : f->draw_start;
}

static const struct task *main_thread(const struct context *c, int32_t pid)
{
	for (uint32_t i = 0; i < replay_n_tasks(c->replay); i++) {
		const struct task *t = replay_task(c->replay, i);

		if (t->pid == pid && t->comm[0])
			return t;
	}
	return NULL;
}

static struct frame_process *process_of(struct frame_table *t, const struct frame *f)
{
	bool display = f->flags & FRAME_DISPLAY;
	uint32_t at = map_get(&t->by_pid, (uint32_t)f->pid, display);
	struct frame_process *p;

	if (at)
		return &t->at.at[at - 1];
	p = vec_add(&t->at);
	p->pid = f->pid;
	p->display = display;
	map_put(&t->by_pid, (uint32_t)f->pid, display, (uint32_t)t->at.n);
	return p;
}

/* ---- which frames count ---- */

static bool slept_within(const struct frame_table_in *in, int64_t from, int64_t to)
{
	for (size_t i = 0; i < in->n_slept; i++)
		if (in->slept[i].from < to && in->slept[i].to > from)
			return true;
	return false;
}

/* False: it is none, for a reason that is counted. */
static bool counts(const struct frame_table_in *in, struct frame_process *p, const struct frame *f)
{
	if (!in_window(in->ctx, any_start(f))) {
		p->far += is_far(in->ctx, any_start(f)) ? f->layers : 0;
		return false;
	}
	if (p->source == SOURCE_MARKERS && f->draw_end == FRAME_NO_TIME) {
		p->ui_only++;
		return false;
	}
	if (p->source == SOURCE_MARKERS && f->ui_start == FRAME_NO_TIME) {
		p->draw_only++;
		return false;
	}
	if (p->source == SOURCE_TIMELINE && !f->layers) {
		p->unresolved += f->draw_end != FRAME_NO_TIME;
		return false; /* a prediction that nobody drew for, or whose rows are not told yet
		               */
	}
	return true;
}

static void add_ui(struct frame_process *p, const struct frame *f)
{
	int64_t ui = f->ui_end - f->ui_start;

	if (f->ui_start == FRAME_NO_TIME || f->ui_end == FRAME_NO_TIME)
		return;
	p->n_ui++;
	p->ui_sum += ui;
	p->ui_max = ui > p->ui_max ? ui : p->ui_max;
}

static int64_t overrun_of(const struct frame_process *p, const struct used_frame *u)
{
	if (u->ns == FRAME_NO_TIME)
		return FRAME_NO_TIME;
	if (u->frame->expected_end != FRAME_NO_TIME && p->source != SOURCE_MARKERS)
		return u->start + u->ns - u->frame->expected_end;
	if (p->source == SOURCE_TIMELINE)
		return FRAME_NO_TIME;
	return u->period > 0 ? u->ns - (int64_t)llround(u->period) : FRAME_NO_TIME;
}

static void add_frame(const struct frame_table_in *in, struct frame_process *p,
                      const struct frame *f)
{
	struct used_frame u = {.frame = f, .ns = FRAME_NO_TIME};

	if (!counts(in, p, f))
		return;
	if (!frame_duration(f, p->source, &u.start, &u.ns)) {
		u.start = any_start(f);
		u.ns = FRAME_NO_TIME;
		p->incomplete += !(f->flags & (FRAME_DROPPED | FRAME_EXPIRED));
	} else if (slept_within(in, u.start, u.start + u.ns)) {
		p->suspended++;
		return;
	}
	p->dropped += (f->flags & FRAME_DROPPED) != 0;
	p->expired += (f->flags & FRAME_EXPIRED) != 0;
	add_ui(p, f);
	p->rows += f->layers;
	u.period = refresh_at(in->refresh, u.start);
	u.overrun = overrun_of(p, &u);
	if (u.ns != FRAME_NO_TIME)
		u.parts = frame_why_parts(in->why, (size_t)(f - in->frames->at.at));
	*vec_add(&p->used) = u;
}

/* ---- jank ---- */

static struct jank_input input_of(const struct used_frame *u)
{
	const struct frame *f = u->frame;
	bool ui = f->ui_start != FRAME_NO_TIME && f->ui_end != FRAME_NO_TIME;

	return (struct jank_input){.frame = f,
	                           .ns = u->ns,
	                           .overrun = u->overrun,
	                           .ui_ns = ui ? f->ui_end - f->ui_start : FRAME_NO_TIME,
	                           .period = u->period};
}

void frame_judge(const struct frame_process *p, const struct jank_rule *rule, uint64_t *janky,
                 uint64_t *judged)
{
	struct jank_state state = {.buffered = false};

	*janky = *judged = 0;
	for (size_t i = 0; i < p->used.n; i++) {
		const struct jank_input x = input_of(&p->used.at[i]);
		int j = rule->judge(&x, &state);

		*judged += j >= 0;
		*janky += j == 1;
	}
}

/* Periods that a janky frame is late; at least the one that it missed. */
static uint32_t missed_by(const struct used_frame *u)
{
	double late;

	if (u->janky != 1)
		return 0;
	if (u->overrun == FRAME_NO_TIME || u->overrun <= 0 || u->period <= 0)
		return 1;
	late = ceil((double)u->overrun / u->period - 1e-4); /* clocks and periods are rounded */
	return late < 1e9 ? (uint32_t)late : 1000000000;
}

static void judge_all(struct frame_process *p)
{
	struct jank_state state = {.buffered = false};
	uint64_t run = 0;

	p->has_period = p->used.n > 0;
	for (size_t i = 0; i < p->used.n; i++) {
		struct used_frame *u = &p->used.at[i];
		const struct jank_input x = input_of(u);

		u->janky = (int8_t)p->rule->judge(&x, &state);
		u->missed = missed_by(u);
		p->has_period &= u->period > 0;
		p->judged += u->janky >= 0;
		p->janky += u->janky == 1;
		if (p->source == SOURCE_TIMELINE) {
			p->app += (u->frame->jank & JANK_APP) != 0;
			p->sf += (u->frame->jank & JANK_SF) != 0;
			p->dropped_janky += (u->frame->jank & JANK_DROPPED) != 0;
			p->late_on_time +=
			        u->janky == 0 && u->overrun != FRAME_NO_TIME && u->overrun > 0;
		}
		run = u->janky == 1 ? run + 1 : 0;
		p->runs += run == 1;
		p->longest_run = run > p->longest_run ? run : p->longest_run;
		p->missed += u->missed;
		p->most_missed = u->missed > p->most_missed ? u->missed : p->most_missed;
	}
}

double frame_hitch(const struct frame_process *p)
{
	double lost = 0;

	if (!p->has_period || p->frame_time <= 0)
		return (double)NAN;
	for (size_t i = 0; i < p->used.n; i++)
		lost += p->used.at[i].missed * p->used.at[i].period;
	return 1000 * lost / (double)p->frame_time;
}

/* ---- bursts ---- */

static void find_bursts(struct frame_process *p)
{
	struct frame_burst *b = NULL;

	for (size_t i = 0; i < p->used.n; i++) {
		struct used_frame *u = &p->used.at[i];
		int64_t end = u->ns != FRAME_NO_TIME ? u->start + u->ns : u->start;

		if (!b || u->start - b->to >= BURST_GAP_MS * MS) {
			b = vec_add(&p->bursts);
			*b = (struct frame_burst){.from = u->start, .to = end};
		}
		b->to = end > b->to ? end : b->to;
		b->n++;
		b->janky += u->janky == 1;
		u->early = u->start - b->from < EARLY_MS * MS;
		b->early += u->early;
		b->early_janky += u->early && u->janky == 1;
	}
	for (size_t i = 0; i < p->bursts.n; i++) {
		p->frame_time += p->bursts.at[i].to - p->bursts.at[i].from;
		p->early += p->bursts.at[i].early;
		p->early_janky += p->bursts.at[i].early_janky;
	}
}

/* ---- statistics ---- */

static void add_parts(struct parts_sum *s, const struct frame_parts *x)
{
	s->n++;
#define X(part, ...) s->parts.part += x->part;
	FRAME_PARTS(X)
	FRAME_SUBPARTS(X)
#undef X
	for (int i = 0; i < LEGS; i++) {
		s->parts.leg[i].run += x->leg[i].run;
		s->parts.leg[i].top += x->leg[i].top;
		s->parts.leg[i].work += x->leg[i].work;
		for (int k = 0; k < UPS_MAX; k++)
			s->parts.leg[i].up[k] += x->leg[i].up[k];
	}
}

static void add_durations(struct frame_process *p)
{
	for (size_t i = 0; i < p->used.n; i++) {
		const struct used_frame *u = &p->used.at[i];

		if (u->overrun != FRAME_NO_TIME)
			*vec_add(&p->overrun) = u->overrun;
		if (u->ns == FRAME_NO_TIME)
			continue;
		*vec_add(&p->ns) = u->ns;
		p->total += (double)u->ns;
		if (!p->longest || u->ns > p->longest->ns)
			p->longest = u;
		if (!u->parts)
			continue;
		add_parts(&p->sum[FRAMES_ALL], u->parts);
		add_parts(&p->sum[u->janky == 1 ? FRAMES_JANKY : FRAMES_ON_TIME], u->parts);
		add_parts(&p->sum[u->early ? FRAMES_EARLY : FRAMES_LATER], u->parts);
	}
}

double frame_mean(const struct frame_process *p)
{
	return p->total / (double)p->ns.n;
}

double frame_sd(const struct frame_process *p)
{
	return values_sd(p->ns.at, p->ns.n);
}

double values_mean(const int64_t *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)v[i];
	return sum / (double)n;
}

double values_sd(const int64_t *v, size_t n)
{
	double mean = values_mean(v, n), squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += ((double)v[i] - mean) * ((double)v[i] - mean);
	return n > 1 ? sqrt(squares / (double)(n - 1)) : (double)NAN;
}

double quantile_of(const int64_t *ascending, size_t n, double q)
{
	double rank = q * (double)(n - 1);
	size_t low = (size_t)rank;
	double part = rank - (double)low;

	if (low + 1 >= n)
		return (double)ascending[n - 1];
	return (double)ascending[low] * (1 - part) + (double)ascending[low + 1] * part;
}

int frame_by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int by_start(const void *a, const void *b)
{
	const struct used_frame *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->frame->token > y->frame->token) - (x->frame->token < y->frame->token);
}

/* By its main thread as the kernel names it, else by the process tree of the trace. */
static void name_process(const struct context *c, struct frame_process *p)
{
	const struct trace_info *info = c->opts.trace;
	const struct trace_name *n = trace_name_find(info->names, info->n_names, p->pid);
	const char *name = p->display ? "surfaceflinger" : !p->pid ? "any task" : "?";

	p->task = main_thread(c, p->pid);
	for (; n && !p->task && !p->display; n = trace_name_next(info->names, info->n_names, n))
		if (n->process || n->comm) {
			name = n->process ? n->process : n->comm;
			break;
		}
	snprintf(p->name, sizeof p->name, "%.15s%s", p->task ? p->task->comm : name,
	         p->display ? " (display)" : "");
}

static void finish(const struct context *c, struct frame_process *p)
{
	p->rule = jank_rule_at(c->opts.jank, 0);
	if (!p->rule)
		p->rule = jank_default(p->source);
	if (p->used.n)
		qsort(p->used.at, p->used.n, sizeof *p->used.at, by_start);
	judge_all(p);
	find_bursts(p);
	add_durations(p);
	if (p->ns.n)
		qsort(p->ns.at, p->ns.n, sizeof *p->ns.at, frame_by_value);
	if (p->overrun.n)
		qsort(p->overrun.at, p->overrun.n, sizeof *p->overrun.at, frame_by_value);
	name_process(c, p);
}

static void free_process(struct frame_process *p)
{
	vec_free(&p->used);
	vec_free(&p->ns);
	vec_free(&p->overrun);
	vec_free(&p->bursts);
}

static int by_frames(const void *a, const void *b)
{
	const struct frame_process *x = a, *y = b;

	if (x->used.n != y->used.n)
		return x->used.n < y->used.n ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

static bool is_told_by(const struct frame *f, enum frame_source s)
{
	switch (s) {
	case SOURCE_TIMELINE:
		return f->flags & FRAME_TIMELINE && f->layers;
	case SOURCE_MARKERS:
		return f->flags & FRAME_MARKED;
	default:
		return f->flags & FRAME_USER;
	}
}

struct frame_table frame_table_of(const struct frame_table_in *in)
{
	struct frame_table t = {.at = {0}};
	const struct context *c = in->ctx;
	size_t kept = 0;

	for (size_t i = 0; i < in->frames->at.n; i++) {
		const struct frame *f = &in->frames->at.at[i];
		struct frame_process *p = process_of(&t, f);

		for (int k = SOURCE_TIMELINE; k < (p->source ? (int)p->source : FRAME_SOURCES); k++)
			if (is_told_by(f, (enum frame_source)k) &&
			    (!in->forced || (int)in->forced == k))
				p->source = (enum frame_source)k;
	}
	for (size_t i = 0; i < in->frames->at.n; i++) {
		struct frame_process *p = process_of(&t, &in->frames->at.at[i]);

		if (p->source != SOURCE_NONE)
			add_frame(in, p, &in->frames->at.at[i]);
	}
	for (size_t i = 0; i < t.at.n; i++) {
		struct frame_process *p = &t.at.at[i];

		finish(c, p);
		if ((p->used.n || p->ui_only || p->draw_only) &&
		    (!c->opts.filters || (p->task && context_has_task(c, p->task))))
			t.at.at[kept++] = *p;
		else
			free_process(p);
	}
	t.at.n = kept;
	if (kept)
		qsort(t.at.at, kept, sizeof *t.at.at, by_frames);
	return t;
}

void frame_table_free(struct frame_table *t)
{
	for (size_t i = 0; i < t->at.n; i++)
		free_process(&t->at.at[i]);
	vec_free(&t->at);
	map_free(&t->by_pid);
}

const struct frame_process *frame_table_main(const struct frame_table *t)
{
	for (size_t i = 0; i < t->at.n; i++)
		if (!t->at.at[i].display && t->at.at[i].ns.n)
			return &t->at.at[i];
	return NULL;
}
