#include "analysis/load_impl.h"

#include "base/text.h"

#include <math.h>

/* ---- sets ---- */

bool load_before(const char *release, unsigned major, unsigned minor)
{
	unsigned a, b;

	return text_release(release, &a, &b) && (a < major || (a == major && b < minor));
}

enum pelt_era load_era(const char *release)
{
	return load_before(release, 4, 13)  ? PELT_P1
	       : load_before(release, 5, 1) ? PELT_P2
	       : load_before(release, 6, 0) ? PELT_P3
	       : load_before(release, 6, 8) ? PELT_P4
	                                    : PELT_P5;
}

static enum util_est_era est_era(const char *release)
{
	return load_before(release, 5, 5)    ? UTIL_EST_417
	       : load_before(release, 5, 13) ? UTIL_EST_55
	       : load_before(release, 6, 8)  ? UTIL_EST_513
	                                     : UTIL_EST_68;
}

void load_add_set(struct load *l, unsigned half_life)
{
	const char *release = context_kernel(l->ctx);

	pelt_init(&l->pelt[l->n++], half_life, load_era(release), 1);
	l->est_era = est_era(release);
	l->est_sees_waits = !load_before(release, 6, 5);
	l->est_early = !load_before(release, 6, 12);
}

void load_set_hz(struct load *l, double hz)
{
	l->tick = hz > 0 ? (int64_t)(1e9 / hz) : 0;
}

void load_free(struct load *l)
{
	vec_free(&l->cpus);
	vec_free(&l->tasks);
}

/* ---- tasks ---- */

static inline void update_entity(const struct load *l, unsigned set, struct pelt_signal *s,
                                 const struct load_queue *q, enum task_state state)
{
	bool running = state == TASK_RUNNING, queued = running || state == TASK_RUNNABLE;

	update(l, set, s, &q->clock, pelt_now(&l->pelt[set], &q->clock), queued, running);
}

static void update_unsure(const struct load *l, struct load_task *t, const struct load_cpu *c,
                          bool unknown)
{
	bool left = unknown;

	for (unsigned i = 0; i < l->n; i++) {
		struct load_entity *e = &t->set[i];
		const struct pelt_clock *k = &c->set[i].clock;

		if (!t->has_unsure)
			wake_signal(&e->unsure, &e->signal);
		update(l, i, &e->unsure, k, pelt_now(&l->pelt[i], k), unknown, unknown);
		left |= e->unsure.util_sum != 0;
	}
	t->has_unsure = left;
}

void load_update_task(const struct load *l, struct load_task *t, const struct load_cpu *c,
                      enum task_state state)
{
	if (t->has_unsure || state == TASK_UNKNOWN)
		update_unsure(l, t, c, state == TASK_UNKNOWN);
	for (unsigned i = 0; i < l->n; i++)
		update_entity(l, i, &t->set[i].signal, &c->set[i], state);
}

/* Put a signal on the clock of a queue, with its values. */
static void rebase(const struct pelt *p, struct pelt_signal *s, const struct load_queue *q)
{
	double util = live(p, s), runnable = live_runnable(p, s);

	s->last = q->cfs.last;
	s->phase = q->cfs.phase;
	s->util_sum = (uint64_t)(util * pelt_divider(p, s));
	s->runnable_sum = (uint64_t)(runnable * pelt_divider(p, s));
}

/* Add the task's values to its queue's, or take them out. */
static void attach(const struct load *l, const struct task *task, struct load_task *t,
                   struct load_cpu *c, bool in)
{
	for (unsigned i = 0; is_fair(task) && i < l->n; i++) {
		struct pelt_signal *cfs = &c->set[i].cfs, *own = &t->set[i].signal;

		if (in) {
			cfs->util_sum += own->util_sum;
			cfs->runnable_sum += own->runnable_sum;
			cfs->util += own->util;
			cfs->runnable += own->runnable;
		} else {
			cfs->util -= own->util < cfs->util ? own->util : cfs->util;
			cfs->runnable -=
			        own->runnable < cfs->runnable ? own->runnable : cfs->runnable;
			cfs->util_sum -=
			        own->util_sum < cfs->util_sum ? own->util_sum : cfs->util_sum;
			cfs->runnable_sum -= own->runnable_sum < cfs->runnable_sum
			                             ? own->runnable_sum
			                             : cfs->runnable_sum;
		}
	}
}

static void queue(const struct load *l, const struct task *task, struct load_task *t,
                  struct load_cpu *c, bool in)
{
	if (t->queued == in || !is_fair(task))
		return;
	t->queued = in;
	c->queued += in ? 1 : -1;
	for (unsigned i = 0; i < l->n; i++) {
		struct load_entity *e = &t->set[i];

		if (in)
			e->est_queued = util_est_of(&e->est, l->est_era);
		c->set[i].est += in ? e->est_queued : -e->est_queued;
	}
}

/* It goes to sleep: what its util was is remembered. */
static void remember(const struct load *l, unsigned set, struct load_entity *e,
                     const struct load_cpu *c)
{
	double waited = l->est_sees_waits ? runnable_of(l, set, &e->signal) : 0;

	util_est_sleep(&e->est, l->est_era, (uint32_t)util_of(l, set, &e->signal), (uint32_t)waited,
	               c->set[set].clock.cap);
}

/* From 6.12 on the kernel remembers a util before it brings it up to date: that of the last tick.
 * Known only with ticks. */
static bool remembers_early(const struct load *l)
{
	return l->est_early && l->tick;
}

static void remember_early(const struct load *l, const struct task_seg *f, struct load_task *t,
                           const struct load_cpu *c)
{
	if (!remembers_early(l) || !t->queued || !task_is_blocked(f->next))
		return;
	for (unsigned i = 0; i < l->n; i++)
		remember(l, i, &t->set[i], c);
}

/* What a new task starts with when its queue has that util; load is taken for runnable. */
static uint64_t start_util(const struct pelt *p, const struct load_queue *q, double more)
{
	return pelt_new_task_util(q->clock.cap, (uint64_t)(live(p, &q->cfs) + more),
	                          (uint64_t)(live_runnable(p, &q->cfs) + more), PELT_SCALE);
}

/* The first that is known of a task. One that was seen to be forked starts with a part of what its
 * CPU has to spare: less if the CPU has more to do than is known. Others may have any value. */
static void begin_task(const struct load *l, const struct task *task, struct load_task *t,
                       uint32_t cpu, struct load_cpu *c)
{
	t->known = t->has_unsure = true;
	t->cpu = cpu;
	for (unsigned i = 0; i < l->n; i++) {
		const struct pelt *p = &l->pelt[i];
		struct load_entity *e = &t->set[i];
		struct load_queue *q = &c->set[i];
		uint64_t low = 0, high = PELT_SCALE;

		if (task->born != NO_TIME) {
			low = start_util(p, q, live(p, &q->unsure));
			high = start_util(p, q, 0);
		}
		e->signal.util_sum = low * pelt_divider(p, &e->signal);
		e->signal.runnable_sum = e->signal.util_sum;
		e->signal.util = e->signal.runnable = low;
		e->unsure.util_sum = (high > low ? high - low : 0) * pelt_divider(p, &e->unsure);
		rebase(p, &e->signal, q);
		rebase(p, &e->unsure, q);
	}
	if (task->born != NO_TIME)
		attach(l, task, t, c, true);
}

/* The task, up to date, leaves its queue for another. */
static void move(struct load *l, const struct task *task, struct load_task *t, uint32_t cpu,
                 int64_t now)
{
	struct load_cpu *from = load_cpu_at(l, t->cpu, now);
	bool queued = t->queued;

	queue(l, task, t, from, false);
	attach(l, task, t, from, false);
	t->cpu = cpu;
	from = load_cpu_at(l, cpu, now); /* may move them all */
	for (unsigned i = 0; i < l->n; i++) {
		rebase(&l->pelt[i], &t->set[i].signal, &from->set[i]);
		rebase(&l->pelt[i], &t->set[i].unsure, &from->set[i]);
	}
	attach(l, task, t, from, true);
	queue(l, task, t, from, queued);
}

void load_task_seg(struct load *l, const struct task_seg *f)
{
	uint32_t cpu = f->state == TASK_RUNNING ? f->cpu : f->task->cpu;
	bool queued = f->next == TASK_RUNNING || f->next == TASK_RUNNABLE;
	struct load_task *t;
	struct load_cpu *c;

	if (cpu == NO_CPU)
		return;
	c = load_cpu_at(l, cpu, f->t1);
	vec_fit(&l->tasks, (size_t)f->task->id + 1);
	t = &l->tasks.at[f->task->id];
	if (!t->known) {
		begin_task(l, f->task, t, cpu, c);
	} else {
		if (t->cpu != cpu)
			c = load_cpu_at(l, t->cpu, f->t1);
		remember_early(l, f, t, c);
		load_update_task(l, t, c, f->state);
		if (f->next == TASK_RUNNING && cpu != t->cpu) {
			move(l, f->task, t, cpu, f->t1);
			c = &l->cpus.at[cpu];
		}
	}
	if (!queued && t->queued) {
		queue(l, f->task, t, c, false);
		for (unsigned i = 0; task_is_blocked(f->next) && !remembers_early(l) && i < l->n;
		     i++)
			remember(l, i, &t->set[i], c);
	}
	queue(l, f->task, t, c, queued);
	if (f->next == TASK_DEAD)
		attach(l, f->task, t, c, false);
}

void load_woke(struct load *l, const struct woke *f)
{
	struct load_cpu *c;

	if (!f->task->is_new || f->cpu == NO_CPU ||
	    (f->task->id < l->tasks.n && l->tasks.at[f->task->id].known))
		return;
	c = load_cpu_at(l, f->cpu, f->t);
	vec_fit(&l->tasks, (size_t)f->task->id + 1);
	begin_task(l, f->task, &l->tasks.at[f->task->id], f->cpu, c);
	queue(l, f->task, &l->tasks.at[f->task->id], c, true);
}

void load_migrated(struct load *l, const struct migrated *f)
{
	struct load_task *t;

	if (f->task->id >= l->tasks.n || !l->tasks.at[f->task->id].known || f->to == NO_CPU)
		return;
	t = &l->tasks.at[f->task->id];
	if (t->cpu == f->to)
		return;
	load_update_task(l, t, load_cpu_at(l, t->cpu, f->t), f->task->state);
	move(l, f->task, t, f->to, f->t);
}

/* ---- values ---- */

bool load_latest(const struct load *l, const struct task *task, unsigned set, struct load_value *v)
{
	const struct load_entity *e;

	if (task->id >= l->tasks.n || !l->tasks.at[task->id].known)
		return false;
	e = &l->tasks.at[task->id].set[set];
	v->util = util_of(l, set, &e->signal);
	v->unsure = e->unsure.util_sum ? live(&l->pelt[set], &e->unsure) : 0;
	v->util += v->unsure / 2;
	return true;
}

/* With a tick nothing is brought up to date to be looked at, but for the ticks. */
static struct load_cpu *cpu_seen_at(struct load *l, uint32_t cpu, int64_t t)
{
	struct cpu_seg open;

	if (!l->tick || cpu >= l->cpus.n || !l->cpus.at[cpu].known)
		return load_cpu_at(l, cpu, t);
	open = replay_cpu_open(l->ctx->replay, cpu);
	if (open.state == CPU_BUSY)
		load_advance_ticks(l, &l->cpus.at[cpu], t, &open);
	return &l->cpus.at[cpu];
}

void load_refresh(struct load *l, const struct task *task, uint32_t cpu, int64_t t)
{
	struct load_task *x = task && task->id < l->tasks.n ? &l->tasks.at[task->id] : NULL;

	if (x && x->known)
		load_update_task(l, x, load_cpu_at(l, x->cpu, t), task->state);
	else if (!task && replay_cpu_exists(l->ctx->replay, cpu))
		load_cpu_at(l, cpu, t);
}

/* The change of a util per ms of the trace's clock: towards 1024, or towards 0. */
static double slope(const struct pelt *p, const struct load_queue *q, double util, bool running)
{
	const struct pelt_clock *k = &q->clock;
	double speed = k->idle ? 1 : (double)k->cap * k->freq / PELT_SCALE / PELT_SCALE;
	double rate = M_LN2 / (p->half_life * 1.048576) * (1 << p->shift);

	return ((running ? PELT_SCALE : 0) - util) * rate * (p->era >= PELT_P3 ? speed : 1);
}

bool load_of_task(struct load *l, const struct task *task, unsigned set, int64_t t,
                  struct load_value *v)
{
	const struct pelt *p = &l->pelt[set];
	const struct load_cpu *c;
	struct load_entity now;

	if (set >= l->n || task->id >= l->tasks.n || !l->tasks.at[task->id].known)
		return false;
	c = cpu_seen_at(l, l->tasks.at[task->id].cpu, t);
	now = l->tasks.at[task->id].set[set];
	if (!l->tasks.at[task->id].has_unsure)
		wake_signal(&now.unsure, &now.signal);
	if (!l->tick) {
		bool unknown = task->state == TASK_UNKNOWN;
		const struct pelt_clock *k = &c->set[set].clock;

		update(l, set, &now.unsure, k, pelt_now(p, k), unknown, unknown);
		update_entity(l, set, &now.signal, &c->set[set], task->state);
	}
	*v = (struct load_value){.util = util_of(l, set, &now.signal),
	                         .runnable = runnable_of(l, set, &now.signal),
	                         .unsure = live(p, &now.unsure),
	                         .est = util_est_of(&now.est, l->est_era)};
	v->util += v->unsure / 2;
	v->per_ms = slope(p, &c->set[set], v->util, task->state == TASK_RUNNING);
	remember(l, set, &now, c);
	v->est_asleep = util_est_of(&now.est, l->est_era);
	return true;
}

static double irq_of(const struct load *l, unsigned set, const struct load_cpu *c, int64_t t)
{
	struct pelt_signal s = c->set[set].irq;

	if (s.util_sum)
		pelt_advance(&l->pelt[set], &s, t, &(struct pelt_doing){.freq = PELT_SCALE});
	return util_of(l, set, &s);
}

bool load_of_cpu(struct load *l, uint32_t cpu, unsigned set, int64_t t, struct load_value *v)
{
	const struct load_cpu *c;
	const struct load_queue *q;
	struct cpu_seg open;

	if (set >= l->n || !replay_cpu_exists(l->ctx->replay, cpu))
		return false;
	c = cpu_seen_at(l, cpu, t);
	q = &c->set[set];
	open = replay_cpu_open(l->ctx->replay, cpu);
	*v = (struct load_value){.util = util_of(l, set, &q->cfs),
	                         .runnable = runnable_of(l, set, &q->cfs),
	                         .unsure = live(&l->pelt[set], &q->unsure),
	                         .rt = util_of(l, set, &q->rt),
	                         .dl = c->has_dl ? util_of(l, set, &q->dl) : 0,
	                         .irq = irq_of(l, set, c, t),
	                         .est = (double)q->est};
	v->util += v->unsure / 2;
	v->per_ms = slope(&l->pelt[set], q, v->util, open.state == CPU_BUSY && is_fair(open.task));
	return true;
}
