#include "analysis/load.h"

#include "base/text.h"

#include <string.h>

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
	                       .cap = cap ? (uint32_t)cap : PELT_SCALE,
	                       .sized = cap != 0,
	                       .top_khz = context_top_khz(l->ctx, cpu)};
	for (unsigned i = 0; i < l->n; i++) {
		struct load_queue *q = &c->set[i];

		q->clock = pelt_clock(c->cap);
		q->unsure.util_sum = (uint64_t)PELT_SCALE * pelt_divider(&l->pelt[i], &q->unsure);
	}
}

/* A signal of nothing that goes on having nothing only keeps pace with another on the same clock.
 */
static bool idles_with(struct pelt_signal *s, const struct pelt_signal *with, bool active)
{
	if (active || s->util_sum || s->runnable_sum)
		return false;
	s->load_sum = 0;
	s->last = with->last;
	s->phase = with->phase;
	return true;
}

/* What the CPU does while it is in the state of seg. */
static void update_queue(const struct pelt *p, struct load_queue *q, const struct cpu_seg *seg,
                         int64_t queued)
{
	bool busy = seg->state == CPU_BUSY, unknown = seg->state == CPU_UNKNOWN;
	bool fair = busy && is_fair(seg->task), rt = busy && is_rt(seg->task);
	uint64_t waiting = queued > 0 ? (uint64_t)queued : fair;
	int64_t now = pelt_now(p, &q->clock);
	const struct pelt_clock *k = &q->clock;

	pelt_advance(p, &q->cfs, now,
	             &(struct pelt_doing){waiting != 0, waiting, fair, k->freq, k->cap, 0});
	if (!idles_with(&q->rt, &q->cfs, rt))
		pelt_advance(p, &q->rt, now, &(struct pelt_doing){rt, rt, rt, k->freq, k->cap, 0});
	if (!idles_with(&q->unsure, &q->cfs, unknown))
		pelt_advance(p, &q->unsure, now,
		             &(struct pelt_doing){unknown, unknown, unknown, k->freq, k->cap, 0});
}

/* Bring the CPU up to `to`: since it was up to date it has been doing what `seg` says. */
static void advance(struct load *l, uint32_t cpu, int64_t to, const struct cpu_seg *seg)
{
	struct load_cpu *c = &l->cpus.at[cpu];
	bool busy = seg->state == CPU_BUSY;
	uint32_t freq;

	if (!c->known)
		begin_cpu(l, c, cpu, seg->t0 < to ? seg->t0 : to);
	if (to <= c->t)
		return;
	l->busy_ns += busy ? to - c->t : 0;
	if (!speed_at(c, seg->khz, &freq) && busy)
		l->guessed_ns += to - c->t;
	for (unsigned i = 0; i < l->n; i++) {
		struct load_queue *q = &c->set[i];

		if (busy)
			pelt_clock_busy(&q->clock);
		else if (!q->clock.idle)
			pelt_clock_idle(&l->pelt[i], &q->clock,
			                seg->state == CPU_IDLE ? q->cfs.util_sum + q->rt.util_sum
			                                       : 0);
		q->clock.freq = freq;
		pelt_clock_advance(&l->pelt[i], &q->clock, to - c->t);
		update_queue(&l->pelt[i], q, seg, c->queued);
	}
	c->t = to;
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

void load_cpu_seg(struct load *l, const struct cpu_seg *f)
{
	vec_fit(&l->cpus, (size_t)f->cpu + 1);
	advance(l, f->cpu, f->t1, f);
}

/* ---- tasks ---- */

static void update_entity(const struct pelt *p, struct load_entity *e, const struct load_queue *q,
                          enum task_state state)
{
	bool running = state == TASK_RUNNING, queued = running || state == TASK_RUNNABLE;
	bool unsure = state == TASK_UNKNOWN;
	const struct pelt_clock *k = &q->clock;
	int64_t now = pelt_now(p, k);

	pelt_advance(p, &e->signal, now,
	             &(struct pelt_doing){queued, queued, running, k->freq, k->cap, 0});
	if (!idles_with(&e->unsure, &e->signal, unsure))
		pelt_advance(p, &e->unsure, now,
		             &(struct pelt_doing){unsure, unsure, unsure, k->freq, k->cap, 0});
}

static void update_task(const struct load *l, struct load_task *t, const struct load_cpu *c,
                        enum task_state state)
{
	for (unsigned i = 0; i < l->n; i++)
		update_entity(&l->pelt[i], &t->set[i], &c->set[i], state);
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
		} else {
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
	const struct pelt *p = &l->pelt[set];
	double waited = l->est_sees_waits ? live_runnable(p, &e->signal) : 0;

	util_est_sleep(&e->est, l->est_era, (uint32_t)live(p, &e->signal), (uint32_t)waited,
	               c->set[set].clock.cap);
}

/* The first that is known of a task. One that was seen to be forked starts with a part of what its
 * CPU has to spare, as far as that is known; the value of others may be anything. */
static void begin_task(const struct load *l, const struct task *task, struct load_task *t,
                       uint32_t cpu, struct load_cpu *c)
{
	t->known = true;
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
		c = cpu_at(l, t->cpu, f->t1);
		update_task(l, t, c, f->state);
		if (f->next == TASK_RUNNING && cpu != t->cpu) {
			move(l, f->task, t, cpu, f->t1);
			c = &l->cpus.at[cpu];
		}
	}
	if (!queued && t->queued) {
		queue(l, f->task, t, c, false);
		for (unsigned i = 0; task_is_blocked(f->next) && i < l->n; i++)
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
	v->util = live(&l->pelt[set], &e->signal);
	v->unsure = e->unsure.util_sum ? live(&l->pelt[set], &e->unsure) : 0;
	return true;
}

bool load_of_task(struct load *l, const struct task *task, unsigned set, int64_t t,
                  struct load_value *v)
{
	const struct pelt *p = &l->pelt[set];
	const struct load_cpu *c;
	struct load_entity now;

	if (set >= l->n || task->id >= l->tasks.n || !l->tasks.at[task->id].known)
		return false;
	c = cpu_at(l, l->tasks.at[task->id].cpu, t);
	now = l->tasks.at[task->id].set[set];
	update_entity(p, &now, &c->set[set], task->state);
	*v = (struct load_value){.util = live(p, &now.signal),
	                         .runnable = live_runnable(p, &now.signal),
	                         .unsure = live(p, &now.unsure),
	                         .est = util_est_of(&now.est, l->est_era)};
	remember(l, set, &now, c);
	v->est_asleep = util_est_of(&now.est, l->est_era);
	return true;
}

bool load_of_cpu(struct load *l, uint32_t cpu, unsigned set, int64_t t, struct load_value *v)
{
	const struct load_queue *q;

	if (set >= l->n || !replay_cpu_exists(l->ctx->replay, cpu))
		return false;
	q = &cpu_at(l, cpu, t)->set[set];
	*v = (struct load_value){.util = live(&l->pelt[set], &q->cfs),
	                         .runnable = live_runnable(&l->pelt[set], &q->cfs),
	                         .unsure = live(&l->pelt[set], &q->unsure),
	                         .rt = live(&l->pelt[set], &q->rt),
	                         .est = (double)q->est};
	return true;
}
