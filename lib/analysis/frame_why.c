#include "analysis/frame_why.h"

#include <math.h>
#include <string.h>

void frame_why_free(struct frame_why *w)
{
	vec_free(&w->paces.cpus);
	vec_free(&w->slot_of);
	vec_free(&w->threads);
	vec_free(&w->parts);
	vec_free(&w->owners);
	map_free(&w->owner_of);
}

/* ---- threads ---- */

static inline struct why_thread *tracked(struct frame_why *w, uint32_t task)
{
	return task < w->slot_of.n && w->slot_of.at[task] ? &w->threads.at[w->slot_of.at[task] - 1]
	                                                  : NULL;
}

/* 1 + index; 0: the task is not known, or there are too many. */
static uint32_t thread_of(struct frame_why *w, int32_t tid, int32_t pid, bool draws)
{
	const struct task *t = replay_task_of(w->ctx->replay, tid);
	struct why_thread *x;

	if (!t || w->threads.n == UINT16_MAX)
		return 0;
	vec_fit(&w->slot_of, (size_t)t->id + 1);
	if (!w->slot_of.at[t->id]) {
		x = vec_add(&w->threads);
		x->task = t;
		x->pid = pid;
		w->slot_of.at[t->id] = (uint16_t)w->threads.n;
	}
	x = &w->threads.at[w->slot_of.at[t->id] - 1];
	x->draws |= draws;
	return w->slot_of.at[t->id];
}

/* The one that draws for the process, besides its UI thread if it can be; 0: none is known. */
static uint32_t drawer_of(const struct frame_why *w, int32_t pid)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < w->threads.n; i++)
		if (w->threads.at[i].pid == pid && w->threads.at[i].draws &&
		    (!found || w->threads.at[i].task->pid != pid))
			found = i + 1;
	return found;
}

/* ---- what threads do ---- */

static void find_sizes(struct frame_why *w)
{
	w->sized = true;
	for (uint32_t cpu = 0; cpu < replay_n_cpus(w->ctx->replay); cpu++) {
		double cap = context_capacity(w->ctx, cpu) / 1024.0;
		unsigned i = 0;

		while (i < w->n_sizes && w->size_cap[i] < cap)
			i++;
		if (cap <= 0 || (i < w->n_sizes && w->size_cap[i] <= cap) ||
		    w->n_sizes == WHY_SIZES_MAX)
			continue;
		memmove(&w->size_cap[i + 1], &w->size_cap[i],
		        (w->n_sizes - i) * sizeof *w->size_cap);
		w->size_cap[i] = cap;
		w->n_sizes++;
	}
}

/* The share of the clock loss that the policy maximum made. */
static double capped_share(const struct frame_why *w, const struct cpu_seg *f)
{
	int64_t top = context_top_khz(w->ctx, f->cpu);

	if (!f->max_khz || f->max_khz >= top || f->khz >= top)
		return 0;
	if (f->khz >= f->max_khz)
		return 1;
	return log((double)top / (double)f->max_khz) / log((double)top / (double)f->khz);
}

static void add_run(struct frame_why *w, struct spent *s, const struct cpu_seg *f, int64_t ns)
{
	const struct pace *p = pace_of(&w->paces, w->ctx, f);
	double x = (double)ns;

	s->run += ns;
	if (!p) {
		s->unknown_speed += ns;
		s->top += x;
		for (unsigned k = 0; k < UPS_MAX; k++)
			s->up[k] += x;
		return;
	}
	if (!w->sized)
		find_sizes(w);
	s->work += p->work * x;
	s->clock += p->clock * x;
	s->size += p->size * x;
	s->top += p->rel * x;
	if (f->max_khz)
		s->capped += p->clock * x * capped_share(w, f);
	for (unsigned k = 0; k < UPS_MAX; k++) {
		double cap = k + 1 < w->n_sizes ? w->size_cap[k + 1] : 1;

		s->up[k] += x * (p->cap < cap ? p->cap / cap : 1);
	}
}

static void add_size(struct frame_why *w, struct why_thread *t, const struct cpu_seg *f)
{
	const struct pace *p = pace_of(&w->paces, w->ctx, f);
	double ns = (double)(f->t1 - f->t0);
	struct size_use *u;
	unsigned k = 0;

	if (!p)
		return;
	while (k + 1 < w->n_sizes && w->size_cap[k] < p->cap)
		k++;
	u = &t->size[k];
	u->run += ns;
	u->work += ns * p->work;
	u->clock_share += ns * p->rel;
	u->band[p->rel >= 1 ? WHY_BANDS - 1 : (int)(4 * p->rel)] += ns;
}

static void add_owner(struct frame_why *w, const struct task *who, int32_t pid, int64_t ns)
{
	uint32_t i = map_get(&w->owner_of, who->id, (uint32_t)pid);

	if (!i) {
		*vec_add(&w->owners) = (struct why_owner){who->id, pid, 0};
		i = (uint32_t)w->owners.n;
		map_put(&w->owner_of, who->id, (uint32_t)pid, i);
	}
	w->owners.at[i - 1].ns += ns;
}

/* The thread has the frame, and its time counts as its own. */
static bool is_own(const struct chain *c)
{
	return c->thread && c->stage != STAGE_BEHIND && c->stage != STAGE_HAND_BEHIND &&
	       c->stage != STAGE_DONE;
}

/* Who runs where a frame's thread waits. */
static void blame(struct frame_why *w, const struct cpu_seg *f)
{
	for (unsigned i = 0; i < w->n_chains; i++) {
		const struct chain *c = &w->chain[i];
		const struct task *x;
		int64_t from;

		if (!is_own(c))
			continue;
		x = w->threads.at[c->thread - 1].task;
		if (x->state != TASK_RUNNABLE || x == f->task ||
		    (x->wait == WAIT_PREEMPT ? x->cpu : x->wake_cpu) != f->cpu)
			continue;
		from = x->since > c->since ? x->since : c->since;
		from = f->t0 > from ? f->t0 : from;
		if (f->t1 > from)
			add_owner(w, f->task, c->pid, f->t1 - from);
	}
}

void frame_why_cpu_seg(struct frame_why *w, const struct cpu_seg *f)
{
	struct why_thread *t;

	if (f->state != CPU_BUSY || !w->threads.n)
		return;
	t = tracked(w, f->task->id);
	if (t) {
		add_run(w, &t->spent, f, f->t1 - f->t0);
		add_size(w, t, f);
	}
	if (w->n_chains)
		blame(w, f);
}

static void add_rest(struct spent *s, const struct why_thread *t, enum task_state state, int64_t ns)
{
	if (state == TASK_RUNNABLE)
		s->waiting += ns;
	else if (task_is_blocked(state))
		*(t->in_fence ? &s->fence : &s->blocked) += ns;
	else if (state != TASK_RUNNING)
		s->unknown += ns;
}

void frame_why_task_seg(struct frame_why *w, const struct task_seg *f)
{
	struct why_thread *t = tracked(w, f->task->id);

	if (!t)
		return;
	add_rest(&t->spent, t, f->state, f->t1 - f->t0);
	if (task_is_blocked(f->state)) {
		t->blocked_from = f->t0;
		t->blocked_to = f->t1;
		t->blocked_in = f->state;
	}
}

/* Up to t: what was told, and the state that goes on. */
static struct spent spent_at(struct frame_why *w, uint32_t thread, int64_t t)
{
	struct why_thread *x = &w->threads.at[thread - 1];
	struct spent s = x->spent;

	if (x->task->on != NO_CPU) {
		struct cpu_seg open = replay_cpu_open(w->ctx->replay, x->task->on);

		if (t > open.t0)
			add_run(w, &s, &open, t - open.t0);
	} else if (t > x->task->since) {
		add_rest(&s, x, x->task->state, t - x->task->since);
	}
	return s;
}

/* ---- chains ---- */

static struct chain *chain_of(struct frame_why *w, size_t frame)
{
	for (unsigned i = w->n_chains; i-- > 0;)
		if (w->chain[i].frame == frame + 1)
			return &w->chain[i];
	return NULL;
}

static void drop_chain(struct frame_why *w, unsigned i)
{
	w->n_chains--;
	memmove(&w->chain[i], &w->chain[i + 1], (w->n_chains - i) * sizeof *w->chain);
}

/* The oldest chain of the process; in all, when that has few. */
static void make_room(struct frame_why *w, int32_t pid)
{
	unsigned n = 0, first = 0;

	for (unsigned i = w->n_chains; i-- > 0;)
		if (w->chain[i].pid == pid) {
			n++;
			first = i;
		}
	if (n >= CHAINS_PER_PROCESS)
		drop_chain(w, first);
	else if (w->n_chains == CHAINS)
		drop_chain(w, 0);
}

static struct chain *new_chain(struct frame_why *w, size_t frame, int64_t t)
{
	int32_t pid = w->frames->at.at[frame].pid;
	struct chain *c;

	make_room(w, pid);
	c = &w->chain[w->n_chains++];
	*c = (struct chain){.frame = (uint32_t)frame + 1, .pid = pid, .since = t};
	c->acc.start = c->acc.handoff = t;
	c->acc.draw = c->acc.draw_end = FRAME_NO_TIME;
	return c;
}

static void add_leg(struct leg *l, const struct spent *a, const struct spent *b)
{
	l->run += b->run - a->run;
	l->top += (int64_t)(b->top - a->top);
	l->work += (int64_t)(b->work - a->work) + (b->unknown_speed - a->unknown_speed);
	for (unsigned k = 0; k < UPS_MAX; k++)
		l->up[k] += (int64_t)(b->up[k] - a->up[k]);
	l->waiting += b->waiting - a->waiting;
	l->blocked += b->blocked - a->blocked;
}

/* What a thread did between two moments is the frame's. */
static void add_between(struct frame_parts *p, const struct spent *a, const struct spent *b,
                        int leg)
{
	int64_t run = b->run - a->run, unknown = b->unknown_speed - a->unknown_speed;
	int64_t work = (int64_t)(b->work - a->work), clock = (int64_t)(b->clock - a->clock);

	p->work += work;
	p->clock += clock;
	p->size += run - unknown - work - clock;
	p->capped += (int64_t)(b->capped - a->capped);
	p->no_speed += unknown;
	p->waiting += b->waiting - a->waiting;
	p->blocked += b->blocked - a->blocked;
	p->gpu += b->fence - a->fence;
	p->unknown += b->unknown - a->unknown;
	add_leg(&p->leg[leg], a, b);
}

static int leg_of(const struct chain *c)
{
	return c->stage <= STAGE_UI ? LEG_UI : LEG_DRAW;
}

/* All up to t is added up. */
static void settle(struct frame_why *w, struct chain *c, int64_t t)
{
	if (c->stage == STAGE_BEHIND || c->stage == STAGE_HAND_BEHIND) {
		c->acc.behind += t - c->since;
	} else if (!c->thread || !w->threads.at) {
		c->acc.unknown += t - c->since;
	} else {
		struct spent now = spent_at(w, c->thread, t);

		add_between(&c->acc, &c->base, &now, leg_of(c));
		c->base = now;
	}
	c->since = t;
}

static void take_over(struct frame_why *w, struct chain *c, enum why_stage stage, uint32_t thread,
                      int64_t t)
{
	c->stage = stage;
	c->thread = thread;
	c->since = t;
	if (thread)
		c->base = spent_at(w, thread, t);
}

static void publish(struct frame_why *w, struct chain *c, int64_t end)
{
	vec_fit(&w->parts, c->frame);
	c->acc.known = true;
	c->acc.end = end;
	w->parts.at[c->frame - 1] = c->acc;
}

/* ---- edges ---- */

static void expected(struct frame_why *w, const struct frame_edge *e)
{
	struct chain *c = chain_of(w, e->frame);
	int32_t pid = w->frames->at.at[e->frame].pid;
	uint32_t ui = thread_of(w, pid, pid, false);

	if (c)
		return;
	c = new_chain(w, e->frame, e->t);
	c->timeline = true;
	take_over(w, c, ui && w->threads.at[ui - 1].ui_open ? STAGE_BEHIND : STAGE_EARLY, ui, e->t);
}

/* Frames that wait for the thread are no longer behind another one, or are again: from one stage to
 * the other. */
static void move_waiting(struct frame_why *w, uint32_t thread, enum why_stage from,
                         enum why_stage to, int64_t t)
{
	for (unsigned i = 0; thread && i < w->n_chains; i++) {
		struct chain *c = &w->chain[i];

		if (c->thread != thread || c->stage != from)
			continue;
		settle(w, c, t);
		take_over(w, c, to, thread, t);
	}
}

static void ui_begins(struct frame_why *w, const struct frame_edge *e, uint32_t ui)
{
	struct chain *c = chain_of(w, e->frame);

	if (ui)
		w->threads.at[ui - 1].ui_open = (uint32_t)e->frame + 1;
	if (!c)
		c = new_chain(w, e->frame, e->t);
	else if (c->stage <= STAGE_EARLY)
		settle(w, c, e->t);
	else
		return; /* once more, within it */
	take_over(w, c, STAGE_UI, ui, e->t);
	move_waiting(w, ui, STAGE_EARLY, STAGE_BEHIND, e->t);
}

static void ui_ends(struct frame_why *w, const struct frame_edge *e, uint32_t ui)
{
	struct chain *c = chain_of(w, e->frame);
	uint32_t drawer;

	if (ui)
		w->threads.at[ui - 1].ui_open = 0;
	if (c && c->stage == STAGE_UI) {
		settle(w, c, e->t);
		c->acc.handoff = e->t;
		drawer = drawer_of(w, c->pid);
		take_over(w, c,
		          drawer && w->threads.at[drawer - 1].draw_open ? STAGE_HAND_BEHIND
		                                                        : STAGE_HAND,
		          drawer, e->t);
	}
	move_waiting(w, ui, STAGE_BEHIND, STAGE_EARLY, e->t);
}

/* Drawing begins while the UI thread has the frame. If that is asleep it waits for the drawing to
 * get that far: what the drawing thread did since it was woken counts, or that it was busy with
 * another frame. */
static void hand_over(struct frame_why *w, struct chain *c, uint32_t drawer, int64_t t)
{
	const struct why_thread *ui = c->thread ? &w->threads.at[c->thread - 1] : NULL;
	const struct why_thread *d = drawer ? &w->threads.at[drawer - 1] : NULL;
	bool asleep = ui && ui->task->on == NO_CPU && task_is_blocked(ui->task->state);

	if (asleep && d && c->handed && c->handed_to == drawer) {
		struct spent now = spent_at(w, drawer, t);

		add_between(&c->acc, &c->base, &c->ui_then, LEG_UI);
		add_between(&c->acc, &c->draw_then, &now, LEG_DRAW);
		c->acc.handoff = c->handed_at;
		return;
	}
	settle(w, c, t);
	c->acc.handoff = t;
	if (asleep && d) {
		int64_t from = ui->task->since > d->drew_from ? ui->task->since : d->drew_from;

		if (d->drew_to > from && d->drew_to <= t) {
			struct spent now = spent_at(w, drawer, t);

			c->acc.behind += d->drew_to - from;
			c->acc.blocked -= t - from;
			c->acc.leg[LEG_UI].blocked -= t - from;
			add_between(&c->acc, &d->spent_drew, &now, LEG_DRAW);
			c->acc.handoff = from;
		}
	}
}

static void draw_begins(struct frame_why *w, const struct frame_edge *e, uint32_t drawer)
{
	struct chain *c = chain_of(w, e->frame);

	if (drawer) {
		w->threads.at[drawer - 1].draw_open = (uint32_t)e->frame + 1;
		w->threads.at[drawer - 1].draw_since = e->t;
	}
	if (!c || c->stage <= STAGE_EARLY) { /* drawn without doFrame */
		move_waiting(w, drawer, STAGE_HAND, STAGE_HAND_BEHIND, e->t);
		return;
	}
	if (c->stage == STAGE_UI)
		hand_over(w, c, drawer, e->t);
	else
		settle(w, c, e->t);
	if (c->acc.draw == FRAME_NO_TIME) {
		c->acc.draw = e->t;
		c->acc.wait_to_draw = c->acc.leg[LEG_DRAW].waiting;
	}
	take_over(w, c, STAGE_DRAW, drawer, e->t);
	move_waiting(w, drawer, STAGE_HAND, STAGE_HAND_BEHIND, e->t);
}

static void draw_ends(struct frame_why *w, const struct frame_edge *e, uint32_t drawer)
{
	struct chain *c = chain_of(w, e->frame);

	if (drawer) {
		struct why_thread *t = &w->threads.at[drawer - 1];

		t->draw_open = 0;
		t->drew_from = t->draw_since;
		t->drew_to = e->t;
		t->spent_drew = spent_at(w, drawer, e->t);
	}
	if (c && c->stage == STAGE_DRAW) {
		settle(w, c, e->t);
		c->acc.draw_end = e->t;
		take_over(w, c, STAGE_DONE, drawer, e->t);
		if (!c->timeline)
			publish(w, c, e->t);
	}
	move_waiting(w, drawer, STAGE_HAND_BEHIND, STAGE_HAND, e->t);
}

static void ready(struct frame_why *w, const struct frame_edge *e)
{
	struct chain *c = chain_of(w, e->frame);

	if (!c || !c->timeline)
		return;
	if (c->stage == STAGE_DONE) {
		c->acc.gpu += e->t - c->since;
		take_over(w, c, STAGE_DONE, c->thread, e->t);
	} else {
		settle(w, c, e->t);
	}
	if (c->stage >= STAGE_UI)
		publish(w, c, e->t);
}

void frame_why_edge(struct frame_why *w, const struct frame_edge *e)
{
	int32_t pid = w->frames->at.at[e->frame].pid;
	bool draws = e->kind == EDGE_DRAW_BEGIN || e->kind == EDGE_DRAW_END;
	uint32_t thread;

	if (e->kind == EDGE_EXPECTED) {
		expected(w, e);
		return;
	}
	if (e->kind == EDGE_READY) {
		ready(w, e);
		return;
	}
	thread = thread_of(w, e->tid, pid, draws);
	if (e->kind == EDGE_UI_BEGIN)
		ui_begins(w, e, thread);
	else if (e->kind == EDGE_UI_END)
		ui_ends(w, e, thread);
	else if (e->kind == EDGE_DRAW_BEGIN)
		draw_begins(w, e, thread);
	else
		draw_ends(w, e, thread);
}

/* ---- why threads sleep ---- */

static int32_t process_of(struct frame_why *w, const struct task *t)
{
	const struct why_thread *x = tracked(w, t->id);

	return x ? x->pid : t->tgid != NO_PID ? t->tgid : t->pid;
}

/* The thread is awake again: the kind of its sleep, for the frames that it has. */
static void classify(struct frame_why *w, const struct why_thread *t, const struct woke *f)
{
	for (unsigned i = 0; i < w->n_chains; i++) {
		struct chain *c = &w->chain[i];
		int64_t ns;

		if (!is_own(c) || &w->threads.at[c->thread - 1] != t)
			continue;
		ns = f->t - (c->since > t->blocked_from ? c->since : t->blocked_from);
		if (t->calls)
			c->acc.binder += ns;
		else if (t->blocked_in == TASK_DISK)
			c->acc.disk += ns;
		else if (f->waker && process_of(w, f->waker) == t->pid)
			c->acc.thread += ns;
	}
}

void frame_why_woke(struct frame_why *w, const struct woke *f)
{
	struct why_thread *t = tracked(w, f->task->id);

	if (!t)
		return;
	if (t->blocked_to == f->t && !t->in_fence)
		classify(w, t, f);
	if (!t->draws || !f->waker)
		return;
	for (unsigned i = 0; i < w->n_chains; i++) {
		struct chain *c = &w->chain[i];

		if (c->stage != STAGE_UI || !c->thread || c->pid != t->pid ||
		    w->threads.at[c->thread - 1].task != f->waker)
			continue;
		c->handed = true;
		c->handed_at = f->t;
		c->handed_to = w->slot_of.at[f->task->id];
		c->ui_then = spent_at(w, c->thread, f->t);
		c->draw_then = spent_at(w, c->handed_to, f->t);
	}
}

enum { ONE_WAY = 1 }; /* flag of a binder transaction that nobody answers */

void frame_why_event(struct frame_why *w, const struct event *ev)
{
	const struct task *task = ev->pid > 0 ? replay_task_of(w->ctx->replay, ev->pid) : NULL;
	struct why_thread *t = task ? tracked(w, task->id) : NULL;

	if (!t)
		return;
	if (ev->kind == EV_binder_transaction)
		t->calls +=
		        !ev->binder_transaction.reply && !(ev->binder_transaction.flags & ONE_WAY);
	else if (ev->kind == EV_binder_transaction_received)
		t->calls -= t->calls > 0;
	else
		t->in_fence = ev->kind == EV_dma_fence_wait_start;
}

const struct frame_parts *frame_why_parts(const struct frame_why *w, size_t frame)
{
	return frame < w->parts.n && w->parts.at[frame].known ? &w->parts.at[frame] : NULL;
}
