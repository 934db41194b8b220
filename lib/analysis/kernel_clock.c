#include "analysis/kernel_clock.h"

#include <math.h>

/* Stamps are up to 0.1 ms late (measured on the arm64 recordings): intervals are this long. */
static const int64_t idle_min_ns = 4000000, busy_min_ns = 2000000;
static const int64_t long_ns = INT64_C(60000000000);
/* A lag that is longer is another base of the two clocks. */
static const int64_t lag_max_ns = INT64_C(5000000000);
static const double slow = .8, snap = .15, irq_enough_ns = 5e6;
enum { SLOPES_MIN = 10 };

void kernel_clock_free(struct kernel_clock *k)
{
	vec_free(&k->cpus);
	series_free(&k->idle);
	series_free(&k->busy);
	series_free(&k->scaled);
}

void kernel_clock_begin(struct kernel_clock *k)
{
	series_clear(&k->idle);
	series_clear(&k->busy);
	series_clear(&k->scaled);
	for (size_t i = 0; i < k->cpus.n; i++)
		k->cpus.at[i].n_idle = 0;
}

static struct clock_of_cpu *cpu_of(struct kernel_clock *k, uint32_t cpu)
{
	vec_fit(&k->cpus, (size_t)cpu + 1);
	return &k->cpus.at[cpu];
}

void kernel_clock_cpu_seg(struct kernel_clock *k, const struct cpu_seg *f)
{
	struct clock_of_cpu *c = f->cpu < k->cpus.n ? &k->cpus.at[f->cpu] : NULL;

	if (!c || !c->t) /* it has recorded nothing */
		return;
	if (f->state != CPU_BUSY || f->khz != c->khz || f->t0 != c->to)
		c->from = f->t0;
	c->khz = f->state == CPU_BUSY ? f->khz : 0;
	c->to = f->t1;
}

void kernel_clock_irq(struct kernel_clock *k, const struct irq_change *f)
{
	struct clock_of_cpu *c = cpu_of(k, f->cpu);

	if (c->in_irq)
		c->irq_ns += f->t - c->irq_from;
	c->in_irq = f->in;
	c->irq_from = f->t;
}

static int64_t irq_until(const struct clock_of_cpu *c, int64_t t)
{
	return c->irq_ns + (c->in_irq ? t - c->irq_from : 0);
}

/* 0..1 by the tables of the platform; 0: not known. */
static double speed_of(const struct kernel_clock *k, const struct cpu_seg *open)
{
	int64_t top = context_top_khz(k->ctx, open->cpu);
	int32_t cap = context_capacity(k->ctx, open->cpu);

	return top && cap && open->khz ? (double)cap / 1024 * (double)open->khz / (double)top : 0;
}

/* From the last value to this one the CPU was busy at one clock. */
static void busy(struct kernel_clock *k, struct clock_of_cpu *c, const struct cpu_seg *open,
                 const struct kernel_util *f)
{
	double dt = (double)(f->t - c->t), advanced = (double)(f->update_time - c->update);
	double speed = speed_of(k, open), irq = (double)(irq_until(c, f->t) - c->irq);

	if (!speed)
		return;
	if (speed < slow) {
		series_add(&k->busy, (int64_t)(1000 * advanced / dt));
		series_add(&k->scaled, (int64_t)(1000 * advanced / dt / speed));
	}
	k->advanced += advanced;
	k->with_irq += speed * dt;
	k->of_irq += speed * irq;
}

static void at_idle(struct kernel_clock *k, struct clock_of_cpu *c, const struct kernel_util *f)
{
	int64_t dt = f->t - c->idle_t;

	if (c->idle_t && dt >= idle_min_ns && dt <= long_ns)
		series_add(&k->idle, (int64_t)(1000 * (double)(f->update_time - c->idle_update) /
		                               (double)dt));
	if (!c->idle_t || dt >= idle_min_ns || dt < 0) {
		c->idle_t = f->t;
		c->idle_update = f->update_time;
	}
	c->lag_last = f->t - f->update_time;
	if (!c->n_idle++)
		c->lag_first = c->lag_last;
}

void kernel_clock_value(struct kernel_clock *k, const struct kernel_util *f)
{
	struct cpu_seg open;
	struct clock_of_cpu *c;
	int64_t from;

	if (f->cpu == NO_CPU || f->update_time <= 0 || f->update_time > f->t + long_ns * 1000)
		return;
	c = cpu_of(k, f->cpu);
	open = replay_cpu_open(k->ctx->replay, f->cpu);
	from = open.t0 == c->to && open.khz == c->khz ? c->from : open.t0;
	if (open.state == CPU_BUSY && c->t && from <= c->t && f->t - c->t < busy_min_ns)
		return; /* the interval goes on */
	if (open.state == CPU_BUSY && c->t && from <= c->t && f->t - c->t <= long_ns &&
	    f->update_time > c->update)
		busy(k, c, &open, f);
	if (open.state == CPU_IDLE)
		at_idle(k, c, f);
	c->t = f->t;
	c->update = f->update_time;
	c->irq = irq_until(c, f->t);
}

int kernel_clock_has_irq(const struct kernel_clock *k)
{
	double without = k->with_irq - k->of_irq;

	if (k->of_irq < irq_enough_ns)
		return -1;
	return fabs(k->advanced - k->with_irq) < fabs(k->advanced - without);
}

static double median(struct series *s)
{
	return s->n ? series_quantile(s, .5) / 1e3 : 0;
}

static bool near(double value, double wanted)
{
	return value > 0 && fabs(log(value / wanted)) < snap;
}

struct kernel_clock_facts kernel_clock_facts(struct kernel_clock *k)
{
	struct kernel_clock_facts x = {.n_multiplier = (size_t)k->idle.n,
	                               .n_scaled = (size_t)k->busy.n,
	                               .slope = median(&k->idle),
	                               .scaled = -1,
	                               .irq = kernel_clock_has_irq(k)};

	for (unsigned m = 1; k->idle.n >= SLOPES_MIN && m <= 4; m *= 2)
		if (near(x.slope, m))
			x.multiplier = m;
	if (k->busy.n >= SLOPES_MIN) {
		unsigned m = x.multiplier ? x.multiplier : 1; /* only scaled clocks have one */
		bool by_speed = near(median(&k->scaled), m);
		bool by_time = m == 1 && near(median(&k->busy), 1);

		x.of_speed = median(&k->scaled) / m;
		x.scaled = by_speed == by_time ? -1 : by_speed;
	}
	return x;
}

bool kernel_clock_lag(const struct kernel_clock *k, uint32_t cpu, int64_t *first, int64_t *last)
{
	const struct clock_of_cpu *c = cpu < k->cpus.n ? &k->cpus.at[cpu] : NULL;

	if (!c || !c->n_idle || c->lag_first > lag_max_ns || c->lag_first < -lag_max_ns ||
	    c->lag_last > lag_max_ns || c->lag_last < -lag_max_ns)
		return false;
	*first = c->lag_first;
	*last = c->lag_last;
	return true;
}
