#include "analysis/load.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

enum { TICKS_MAX = 500 };

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

/* ---- CPUs ---- */

/* Its speed at that clock, as the kernel scales by it; false: not known, full speed is assumed. */
static bool speed_at(const struct load_cpu *c, int64_t khz, uint32_t *freq)
{
	*freq = khz && c->top_khz && khz < c->top_khz ? (uint32_t)(khz * PELT_SCALE / c->top_khz)
	                                              : PELT_SCALE;
	return c->sized && c->top_khz && khz;
}

static bool is_dl(const struct task *t)
{
	return t->prio < 0 && t->prio != INT32_MIN;
}

static bool is_fair(const struct task *t)
{
	return t->prio >= 100 || t->prio == INT32_MIN;
}

/* The tasks that stop a CPU print priority 0 and are in no queue. */
static bool is_rt(const struct task *t)
{
	return t->prio >= 0 && t->prio < 100 && strncmp(t->comm, "migration/", 10) != 0;
}

static void begin_cpu(const struct load *l, struct load_cpu *c, uint32_t cpu, int64_t t)
{
	int32_t cap = context_capacity(l->ctx, cpu);

	*c = (struct load_cpu){.known = true,
	                       .t = t,
	                       .queued = c->queued,
	                       .in_irq = c->in_irq,
	                       .cap = cap ? (uint32_t)cap : PELT_SCALE,
	                       .sized = cap != 0,
	                       .top_khz = context_top_khz(l->ctx, cpu)};
	for (unsigned i = 0; i < l->n; i++) {
		struct load_queue *q = &c->set[i];

		q->clock = pelt_clock(c->cap);
		q->unsure.util_sum = (uint64_t)PELT_SCALE * pelt_divider(&l->pelt[i], &q->unsure);
	}
	c->has_unsure = true;
}

/* Bring a signal of a CPU up to date; its averages, too, where they are what is asked for. */
static inline void update(const struct load *l, unsigned set, struct pelt_signal *s,
                          const struct pelt_clock *k, int64_t now, uint64_t runnable, bool running)
{
	const struct pelt *p = &l->pelt[set];
	struct pelt_doing d;

	if (__builtin_expect(!l->tick, 1) &&
	    pelt_advance_within(p, s, now, 0, runnable, running))
		return;
	d = (struct pelt_doing){runnable != 0, runnable, running, k->freq, k->cap, 0};
	if (l->tick)
		pelt_update(p, s, now, &d);
	else
		pelt_advance(p, s, now, &d);
}

/* A signal of 0 begins to be something: it was on the clock of another one. */
static void wake_signal(struct pelt_signal *s, const struct pelt_signal *with)
{
	*s = (struct pelt_signal){.last = with->last, .phase = with->phase};
}

/* What a CPU is busy with. */
struct busy_with {
	bool fair, rt, dl, unknown;
};

static struct busy_with busy_with(const struct cpu_seg *seg)
{
	struct busy_with b = {.unknown = seg->state == CPU_UNKNOWN};

	if (seg->state == CPU_BUSY) {
		b.fair = is_fair(seg->task);
		b.rt = !b.fair && is_rt(seg->task);
		b.dl = !b.fair && is_dl(seg->task);
	}
	return b;
}

/* Signals that were 0 and will not be. */
static void wake_signals(const struct load *l, struct load_cpu *c, const struct busy_with *b)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct load_queue *q = &c->set[i];

		if (b->rt && !c->has_rt)
			wake_signal(&q->rt, &q->cfs);
		if (b->dl && !c->has_dl)
			wake_signal(&q->dl, &q->cfs);
		if (b->unknown && !c->has_unsure)
			wake_signal(&q->unsure, &q->cfs);
	}
	c->has_rt |= b->rt;
	c->has_dl |= b->dl;
	c->has_unsure |= b->unknown;
}

/* The signals besides the fair one, after the clock, before the fair one. */
static void update_others(const struct load *l, struct load_cpu *c, const struct busy_with *b)
{
	bool rt = b->rt, dl = b->dl, unsure = b->unknown;

	for (unsigned i = 0; i < l->n; i++) {
		struct load_queue *q = &c->set[i];
		int64_t now = pelt_now(&l->pelt[i], &q->clock);

		if (c->has_rt)
			update(l, i, &q->rt, &q->clock, now, b->rt, b->rt);
		if (c->has_dl)
			update(l, i, &q->dl, &q->clock, now, b->dl, b->dl);
		if (c->has_unsure)
			update(l, i, &q->unsure, &q->clock, now, b->unknown, b->unknown);
		rt |= q->rt.util_sum != 0;
		dl |= q->dl.util_sum != 0;
		unsure |= q->unsure.util_sum != 0;
	}
	c->has_rt = rt;
	c->has_dl = dl;
	c->has_unsure = unsure;
}

static void advance_part(struct load *l, struct load_cpu *c, int64_t to, const struct cpu_seg *seg)
{
	bool busy = seg->state == CPU_BUSY;
	/* time in interrupts is none of the clock's, where the kernel accounts it apart */
	bool apart = c->in_irq && !signals_irq_in_clock(l->ctx);
	int64_t ns = apart ? 0 : to - c->t;
	struct busy_with b = busy_with(seg);
	uint64_t waiting = c->queued > 0 ? (uint64_t)c->queued : b.fair;
	uint32_t freq;

	if (b.rt > c->has_rt || b.dl > c->has_dl || b.unknown > c->has_unsure)
		wake_signals(l, c, &b);
	c->irq_ns += apart ? to - c->t : 0;
	l->busy_ns += busy ? to - c->t : 0;
	if (!speed_at(c, seg->khz, &freq) && busy)
		l->guessed_ns += to - c->t;
	for (unsigned i = 0; i < l->n; i++) {
		struct load_queue *q = &c->set[i];

		if (busy)
			pelt_clock_busy(&q->clock);
		else if (!q->clock.idle)
			pelt_clock_idle(&l->pelt[i], &q->clock,
			                seg->state == CPU_IDLE ? q->cfs.util_sum +
			                                                 q->rt.util_sum +
			                                                 q->dl.util_sum
			                                       : 0);
		q->clock.freq = freq;
		pelt_clock_advance(&l->pelt[i], &q->clock, ns);
		update(l, i, &q->cfs, &q->clock, pelt_now(&l->pelt[i], &q->clock), waiting, b.fair);
	}
	if (c->has_rt || c->has_dl || c->has_unsure)
		update_others(l, c, &b);
	c->t = to;
}

static void update_task(const struct load *l, struct load_task *t, const struct load_cpu *c,
                        enum task_state state);

/* The ticks of a busy CPU before `to`: the queues and the running task are brought up to date. Of
 * more than TICKS_MAX only the last matter: the signals have settled before. */
static void advance_ticks(struct load *l, struct load_cpu *c, int64_t to, const struct cpu_seg *seg)
{
	uint32_t id = seg->task->id;
	int64_t from = (to - c->t) / l->tick > TICKS_MAX ? to - TICKS_MAX * l->tick : c->t;

	for (int64_t t = from - from % l->tick + l->tick; t < to; t += l->tick) {
		advance_part(l, c, t, seg);
		if (id < l->tasks.n && l->tasks.at[id].known &&
		    &l->cpus.at[l->tasks.at[id].cpu] == c)
			update_task(l, &l->tasks.at[id], c, TASK_RUNNING);
	}
}

/* Bring the CPU up to `to`: since it was up to date it has been doing what `seg` says. */
static void advance(struct load *l, uint32_t cpu, int64_t to, const struct cpu_seg *seg)
{
	struct load_cpu *c = &l->cpus.at[cpu];

	if (!c->known)
		begin_cpu(l, c, cpu, seg->t0 < to ? seg->t0 : to);
	if (to <= c->t)
		return;
	if (l->tick && seg->state == CPU_BUSY)
		advance_ticks(l, c, to, seg);
	advance_part(l, c, to, seg);
}

/* The CPU at time t. */
static struct load_cpu *cpu_at(struct load *l, uint32_t cpu, int64_t t)
{
	struct cpu_seg open;

	vec_fit(&l->cpus, (size_t)cpu + 1);
	if (!l->cpus.at[cpu].known || t > l->cpus.at[cpu].t) {
		open = replay_cpu_open(l->ctx->replay, cpu);
		advance(l, cpu, t, &open);
	}
	return &l->cpus.at[cpu];
}

/* Time in interrupts is a signal of its own, on the clock of the trace: what there was since the last
 * update is put at the end of that time (signals.md 1.8). */
static void update_irq(const struct load *l, struct load_cpu *c)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct load_queue *q = &c->set[i];
		int64_t ns = c->irq_ns * q->clock.freq / PELT_SCALE * q->clock.cap / PELT_SCALE;

		pelt_update(&l->pelt[i], &q->irq, c->t - ns,
		            &(struct pelt_doing){.freq = PELT_SCALE});
		pelt_update(&l->pelt[i], &q->irq, c->t,
		            &(struct pelt_doing){1, 1, true, PELT_SCALE, PELT_SCALE, 0});
	}
	c->irq_ns = 0;
}

void load_irq_change(struct load *l, const struct irq_change *f)
{
	struct load_cpu *c = cpu_at(l, f->cpu, f->t);

	c->in_irq = f->in;
	if (!f->in && c->irq_ns)
		update_irq(l, c);
}

void load_cpu_seg(struct load *l, const struct cpu_seg *f)
{
	vec_fit(&l->cpus, (size_t)f->cpu + 1);
	advance(l, f->cpu, f->t1, f);
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

static void update_task(const struct load *l, struct load_task *t, const struct load_cpu *c,
                        enum task_state state)
{
	if (t->has_unsure || state == TASK_UNKNOWN)
		update_unsure(l, t, c, state == TASK_UNKNOWN);
	for (unsigned i = 0; i < l->n; i++)
		update_entity(l, i, &t->set[i].signal, &c->set[i], state);
}

/* What the sums say now; the average may be a period old. */
static double live(const struct pelt *p, const struct pelt_signal *s)
{
	return (double)s->util_sum / pelt_divider(p, s);
}

static double live_runnable(const struct pelt *p, const struct pelt_signal *s)
{
	return (double)s->runnable_sum / pelt_divider(p, s);
}

/* What is shown of them: live, or the averages. */
static double util_of(const struct load *l, unsigned set, const struct pelt_signal *s)
{
	return l->tick ? (double)s->util : live(&l->pelt[set], s);
}

static double runnable_of(const struct load *l, unsigned set, const struct pelt_signal *s)
{
	return l->tick ? (double)s->runnable : live_runnable(&l->pelt[set], s);
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

/* The first that is known of a task. One that was seen to be forked starts with a part of what its
 * CPU has to spare, as far as that is known; the value of others may be anything. */
static void begin_task(const struct load *l, const struct task *task, struct load_task *t,
                       uint32_t cpu, struct load_cpu *c)
{
	t->known = t->has_unsure = true;
	t->cpu = cpu;
	for (unsigned i = 0; i < l->n; i++) {
		const struct pelt *p = &l->pelt[i];
		struct load_entity *e = &t->set[i];
		struct load_queue *q = &c->set[i];
		uint64_t start =
		        pelt_new_task_util(q->clock.cap, (uint64_t)live(p, &q->cfs),
		                           (uint64_t)live_runnable(p, &q->cfs), PELT_SCALE);

		if (task->born == NO_TIME) {
			e->unsure.util_sum = (uint64_t)PELT_SCALE * pelt_divider(p, &e->unsure);
		} else {
			e->signal.util_sum = start * pelt_divider(p, &e->signal);
			e->signal.runnable_sum = e->signal.util_sum;
			e->signal.util = e->signal.runnable = start;
			/* half of what the CPU may have less to spare */
			e->unsure.util_sum =
			        (uint64_t)(live(p, &q->unsure) / 2 * pelt_divider(p, &e->unsure));
		}
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
	struct load_cpu *from = cpu_at(l, t->cpu, now);
	bool queued = t->queued;

	queue(l, task, t, from, false);
	attach(l, task, t, from, false);
	t->cpu = cpu;
	from = cpu_at(l, cpu, now); /* may move them all */
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
	c = cpu_at(l, cpu, f->t1);
	vec_fit(&l->tasks, (size_t)f->task->id + 1);
	t = &l->tasks.at[f->task->id];
	if (!t->known) {
		begin_task(l, f->task, t, cpu, c);
	} else {
		if (t->cpu != cpu)
			c = cpu_at(l, t->cpu, f->t1);
		remember_early(l, f, t, c);
		update_task(l, t, c, f->state);
		if (f->next == TASK_RUNNING && cpu != t->cpu) {
			move(l, f->task, t, cpu, f->t1);
			c = &l->cpus.at[cpu];
		}
	}
	if (!queued && t->queued) {
		queue(l, f->task, t, c, false);
		for (unsigned i = 0; task_is_blocked(f->next) && !remembers_early(l) && i < l->n; i++)
			remember(l, i, &t->set[i], c);
	}
	queue(l, f->task, t, c, queued);
	if (f->next == TASK_DEAD)
		attach(l, f->task, t, c, false);
}

void load_migrated(struct load *l, const struct migrated *f)
{
	struct load_task *t;

	if (f->task->id >= l->tasks.n || !l->tasks.at[f->task->id].known || f->to == NO_CPU)
		return;
	t = &l->tasks.at[f->task->id];
	if (t->cpu == f->to)
		return;
	update_task(l, t, cpu_at(l, t->cpu, f->t), f->task->state);
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
		return cpu_at(l, cpu, t);
	open = replay_cpu_open(l->ctx->replay, cpu);
	if (open.state == CPU_BUSY)
		advance_ticks(l, &l->cpus.at[cpu], t, &open);
	return &l->cpus.at[cpu];
}

void load_refresh(struct load *l, const struct task *task, uint32_t cpu, int64_t t)
{
	struct load_task *x = task && task->id < l->tasks.n ? &l->tasks.at[task->id] : NULL;

	if (x && x->known)
		update_task(l, x, cpu_at(l, x->cpu, t), task->state);
	else if (!task && replay_cpu_exists(l->ctx->replay, cpu))
		cpu_at(l, cpu, t);
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
	v->per_ms = slope(&l->pelt[set], q, v->util,
	                  open.state == CPU_BUSY && is_fair(open.task));
	return true;
}
