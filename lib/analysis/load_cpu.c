/* Clocks and queues of CPUs. */
#include "analysis/load_impl.h"

#include <string.h>

enum { TICKS_MAX = 500 };

/* Its speed at that clock, as the kernel scales by it; false: not known, full speed is assumed. */
static bool speed_at(const struct load_cpu *c, int64_t khz, uint32_t *freq)
{
	*freq = khz && c->top_khz && khz < c->top_khz ? (uint32_t)(khz * PELT_SCALE / c->top_khz)
	                                              : PELT_SCALE;
	return c->sized && c->top_khz && khz;
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

static bool is_dl(const struct task *t)
{
	return t->prio < 0 && t->prio != INT32_MIN;
}

/* The tasks that stop a CPU print priority 0 and are in no queue. */
static bool is_rt(const struct task *t)
{
	return t->prio >= 0 && t->prio < 100 && strncmp(t->comm, "migration/", 10) != 0;
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
			                seg->state == CPU_IDLE
			                        ? q->cfs.util_sum + q->rt.util_sum + q->dl.util_sum
			                        : 0);
		q->clock.freq = freq;
		pelt_clock_advance(&l->pelt[i], &q->clock, ns);
		update(l, i, &q->cfs, &q->clock, pelt_now(&l->pelt[i], &q->clock), waiting, b.fair);
	}
	if (c->has_rt || c->has_dl || c->has_unsure)
		update_others(l, c, &b);
	c->t = to;
}

/* The ticks of a busy CPU before `to`: the queues and the running task are brought up to date. Of
 * more than TICKS_MAX only the last matter: the signals have settled before. */
void load_advance_ticks(struct load *l, struct load_cpu *c, int64_t to, const struct cpu_seg *seg)
{
	uint32_t id = seg->task->id;
	int64_t from = (to - c->t) / l->tick > TICKS_MAX ? to - TICKS_MAX * l->tick : c->t;

	for (int64_t t = from - from % l->tick + l->tick; t < to; t += l->tick) {
		advance_part(l, c, t, seg);
		if (id < l->tasks.n && l->tasks.at[id].known &&
		    &l->cpus.at[l->tasks.at[id].cpu] == c)
			load_update_task(l, &l->tasks.at[id], c, TASK_RUNNING);
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
		load_advance_ticks(l, c, to, seg);
	advance_part(l, c, to, seg);
}

struct load_cpu *load_cpu_at(struct load *l, uint32_t cpu, int64_t t)
{
	struct cpu_seg open;

	vec_fit(&l->cpus, (size_t)cpu + 1);
	if (!l->cpus.at[cpu].known || t > l->cpus.at[cpu].t) {
		open = replay_cpu_open(l->ctx->replay, cpu);
		advance(l, cpu, t, &open);
	}
	return &l->cpus.at[cpu];
}

/* Time in interrupts is a signal of its own, on the clock of the trace: what there was since the
 * last update is put at the end of that time (signals.md 1.8). */
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
	struct load_cpu *c = load_cpu_at(l, f->cpu, f->t);

	c->in_irq = f->in;
	if (!f->in && c->irq_ns)
		update_irq(l, c);
}

void load_cpu_seg(struct load *l, const struct cpu_seg *f)
{
	vec_fit(&l->cpus, (size_t)f->cpu + 1);
	advance(l, f->cpu, f->t1, f);
}
