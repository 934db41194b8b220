#include "analysis/frame_why.h"

void frame_why_free(struct frame_why *w)
{
	vec_free(&w->paces.cpus);
	vec_free(&w->tasks);
	vec_free(&w->tracked);
	vec_free(&w->parts);
}

static inline bool is_tracked(const struct frame_why *w, uint32_t id)
{
	return id < w->tracked.n && w->tracked.at[id];
}

void frame_why_cpu_seg(struct frame_why *w, const struct cpu_seg *f)
{
	if (f->state == CPU_BUSY && is_tracked(w, f->task->id))
		got_add(&w->tasks.at[f->task->id].got, pace_of(&w->paces, w->ctx, f),
		        f->t1 - f->t0);
}

static void add_rest(struct spent *s, enum task_state state, int64_t ns)
{
	if (state == TASK_RUNNABLE)
		s->waiting += ns;
	else if (task_is_blocked(state))
		s->blocked += ns;
	else if (state != TASK_RUNNING)
		s->unknown += ns;
}

void frame_why_task_seg(struct frame_why *w, const struct task_seg *f)
{
	if (is_tracked(w, f->task->id))
		add_rest(&w->tasks.at[f->task->id], f->state, f->t1 - f->t0);
}

/* Up to t: what was told, and the state that goes on. */
static struct spent spent_at(struct frame_why *w, const struct task *task, int64_t t)
{
	struct spent s;

	vec_fit(&w->tasks, (size_t)task->id + 1);
	vec_fit(&w->tracked, (size_t)task->id + 1);
	w->tracked.at[task->id] = true;
	s = w->tasks.at[task->id];
	if (task->on != NO_CPU) {
		struct cpu_seg open = replay_cpu_open(w->ctx->replay, task->on);

		if (t > open.t0)
			got_add(&s.got, pace_of(&w->paces, w->ctx, &open), t - open.t0);
	} else if (t > task->since) {
		add_rest(&s, task->state, t - task->since);
	}
	return s;
}

/* The thread of the chain has had the frame since its base. */
static void add_stretch(struct frame_why *w, struct chain *c, struct frame_parts *p, int64_t t)
{
	struct spent now = spent_at(w, c->task, t);
	int64_t run = now.got.run_ns - c->base.got.run_ns;
	int64_t unknown = now.got.unknown_ns - c->base.got.unknown_ns;
	int64_t work = (int64_t)(now.got.sum.work - c->base.got.sum.work);
	int64_t clock = (int64_t)(now.got.sum.clock - c->base.got.sum.clock);

	p->work += work;
	p->clock += clock;
	p->size += run - unknown - work - clock;
	p->speed_unknown += unknown;
	p->waiting += now.waiting - c->base.waiting;
	p->blocked += now.blocked - c->base.blocked;
	p->unknown += now.unknown - c->base.unknown;
}

static void take_over(struct frame_why *w, struct chain *c, enum chain_stage stage,
                      struct task *task, int64_t t)
{
	c->stage = stage;
	c->task = task;
	c->base = spent_at(w, task, t);
}

static void leave_between(struct chain *c, int64_t t)
{
	c->stage = STAGE_BETWEEN;
	c->since = t;
}

void frame_why_edge(struct frame_why *w, const struct frame_edge *e, struct task *task)
{
	struct chain *c = &w->chain[e->frame % CHAINS];
	struct frame_parts *p;

	vec_fit(&w->parts, e->frame + 1);
	p = &w->parts.at[e->frame];
	if (e->ui && e->begin && c->frame != e->frame + 1) {
		*c = (struct chain){.frame = (uint32_t)e->frame + 1};
		take_over(w, c, STAGE_UI, task, e->t);
		return;
	}
	if (c->frame != e->frame + 1)
		return;
	if (e->ui) {
		if (!e->begin && c->stage == STAGE_UI) {
			add_stretch(w, c, p, e->t);
			leave_between(c, e->t);
		}
	} else if (e->begin) {
		if (c->stage == STAGE_BETWEEN)
			p->between += e->t - c->since;
		else
			add_stretch(w, c, p, e->t);
		take_over(w, c, STAGE_DRAW, task, e->t);
	} else if (c->stage == STAGE_DRAW) {
		add_stretch(w, c, p, e->t);
		leave_between(c, e->t);
		p->known = true;
	}
}

const struct frame_parts *frame_why_parts(const struct frame_why *w, size_t frame)
{
	return frame < w->parts.n && w->parts.at[frame].known ? &w->parts.at[frame] : NULL;
}
