/* What the schedutil governor asks for, rebuilt from the utilization of its CPUs
 * (signal/schedutil.h), and whether that explains the changes of the clock there were: a change is
 * explained when the model asks for the same clock, or its neighbour, within a tick of it. */
#include "analysis/request.h"

#include "analysis/load.h"
#include "signal/schedutil.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPPS_MIN = 5 }; /* of fewer clocks a neighbour is nearly always right */
enum { TICKS_MAX = 500 };
enum { RECENT = 64, OPEN = 16, HZ_USUAL = 250, EXPLAINED_PCT = 90, CHANGES_MIN = 10 };

struct asked {
	int64_t t;
	int opp; /* place in the domain's clocks */
};

struct policy {
	struct schedutil s;
	int64_t khz;      /* the clock now; 0: not known */
	int64_t now, was; /* asked for now, and before the segment that is being told */
	struct asked recent[RECENT];
	unsigned n_recent;       /* ever */
	struct asked open[OPEN]; /* changes that nothing explains yet */
	uint64_t changes, explained;
};

/* What the governor takes into account besides signals. */
struct extras {
	struct schedutil_iowait io;
	bool io_wake; /* the wake-up under way is one after I/O */
	bool clamped; /* clamps were recorded */
	uint32_t min, max;
};

struct request {
	struct context *ctx;
	struct load load;
	bool asked, on;
	unsigned half_life;
	bool assumed;                /* the half-life */
	int64_t tick;                /* ns */
	bool boost;                  /* runnable counts, too: kernels from 6.5 on */
	bool rt_at_top;              /* by the run file: uclamp_rt_default is 1024 */
	VEC(struct policy) policies; /* by domain of the platform */
	VEC(struct extras) cpus;
};

/* ---- set-up ---- */

static bool is_schedutil(const struct run *r)
{
	return !r || !r->governor || !strcmp(r->governor, "schedutil");
}

/* Half-life in periods that the run file tells; 0: it does not. */
static unsigned told_half_life(const struct run *r)
{
	double ms = r ? run_half_life_ms(r) : (double)NAN;

	return ms >= 1 && ms <= PELT_HALF_LIFE_MAX ? (unsigned)lround(ms) : 0;
}

static bool set_up(struct request *s)
{
	const struct platform *p = s->ctx->opts.platform;
	const struct run *r = s->ctx->opts.run;
	const char *kernel = context_kernel(s->ctx);

	if (s->asked)
		return s->on;
	s->asked = true;
	if (!p || !p->n_domains || !p->n_cpus || !is_schedutil(r))
		return false;
	s->on = true;
	s->half_life = told_half_life(r);
	s->assumed = !s->half_life;
	s->half_life = s->half_life ? s->half_life : 32;
	s->tick = 1000000000 / (r && r->hz >= 1 ? (int64_t)r->hz : HZ_USUAL);
	s->boost = !load_before(kernel, 6, 5);
	s->rt_at_top = r && r->uclamp_rt_default >= PELT_SCALE;
	s->load.ctx = s->ctx;
	load_add_set(&s->load, s->half_life);
	vec_fit(&s->policies, p->n_domains);
	for (size_t i = 0; i < p->n_domains; i++) {
		const struct platform_domain *d = &p->domains[i];

		s->policies.at[i].s =
		        (struct schedutil){.util_headroom = !load_before(kernel, 6, 8),
		                           .cap = (uint32_t)platform_capacity(p, d->cpus[0]),
		                           .ref_khz = d->n_khz ? d->khz[d->n_khz - 1] : 0,
		                           .opps = d->khz,
		                           .n_opps = d->n_khz};
	}
	return true;
}

static struct policy *policy_of(struct request *s, uint32_t cpu)
{
	const struct platform_domain *d = platform_domain_of(s->ctx->opts.platform, cpu);
	struct policy *p = d ? &s->policies.at[d - s->ctx->opts.platform->domains] : NULL;

	return p && p->s.n_opps && p->s.cap ? p : NULL;
}

/* ---- requests ---- */

static int opp_of(const struct policy *p, int64_t khz)
{
	int i = 0;

	while ((size_t)i + 1 < p->s.n_opps && p->s.opps[i] < khz)
		i++;
	return i;
}

static bool explains(const struct asked *a, const struct asked *change, int64_t tick)
{
	int64_t dt = a->t - change->t;

	return dt >= -tick && dt <= tick && abs(a->opp - change->opp) <= 1;
}

static void push(struct request *s, struct policy *p, int64_t t, int64_t khz)
{
	struct asked a = {t, opp_of(p, khz)};

	p->now = khz;
	p->recent[p->n_recent++ % RECENT] = a;
	for (unsigned i = 0; i < OPEN; i++)
		if (p->open[i].t && explains(&a, &p->open[i], s->tick)) {
			p->explained++;
			p->open[i].t = 0;
		}
}

static bool runs_rt(const struct request *s, uint32_t cpu)
{
	struct cpu_seg open = replay_cpu_open(s->ctx->replay, cpu);

	return open.state == CPU_BUSY && open.task->prio >= 0 && open.task->prio < 100;
}

/* Util of a CPU as the governor takes it; negative: not known. */
static double util_of(struct request *s, uint32_t cpu, int64_t t, uint32_t cap)
{
	struct load_value v;
	double util;

	if (!load_of_cpu(&s->load, cpu, 0, t, &v) || v.unsure > LOAD_UNSURE_MAX)
		return -1;
	util = v.est > v.util ? v.est : v.util;
	if (s->boost && v.runnable > util)
		util = v.runnable;
	return schedutil_effective(cap, (uint32_t)v.irq, (uint64_t)util, (uint64_t)v.rt,
	                           (uint64_t)v.dl);
}

/* kHz that one CPU asks for; negative: not known. `called`: the governor is, for this CPU. */
static double request_of(struct request *s, const struct policy *p, uint32_t cpu, int64_t t,
                         bool called)
{
	double util = util_of(s, cpu, t, p->s.cap);
	struct extras *x;
	uint32_t u;

	if (util < 0)
		return -1;
	vec_fit(&s->cpus, (size_t)cpu + 1);
	x = &s->cpus.at[cpu];
	u = s->rt_at_top && runs_rt(s, cpu) ? p->s.cap : (uint32_t)util;
	if (called) {
		u = schedutil_iowait(&x->io, t, s->tick, x->io_wake, u, p->s.cap);
		x->io_wake = false;
	}
	return (double)schedutil_request(&p->s, u, x->clamped ? x->min : 0,
	                                 x->clamped ? x->max : PELT_SCALE)
	        .khz;
}

/* The policy's request is that of its busiest CPU. */
static void evaluate(struct request *s, uint32_t cpu, int64_t t)
{
	const struct platform_domain *d = platform_domain_of(s->ctx->opts.platform, cpu);
	struct policy *p = policy_of(s, cpu);
	double most = -1;

	for (size_t i = 0; p && i < d->n_cpus; i++) {
		double khz = request_of(s, p, d->cpus[i], t, d->cpus[i] == cpu);

		most = khz > most ? khz : most;
	}
	if (most >= 0)
		push(s, p, t, (int64_t)most);
}

static __attribute__((noinline)) void on_cpu_seg(struct request *s, const struct cpu_seg *f)
{
	struct policy *p;
	struct cpu_seg part = *f;
	int64_t end;

	if (!set_up(s))
		return;
	p = policy_of(s, f->cpu);
	if (p)
		p->was = p->now;
	/* the ticks of a busy CPU; what runs for longer than so many changes nothing any more */
	end = f->t1 - f->t0 > TICKS_MAX * s->tick ? f->t0 + TICKS_MAX * s->tick : f->t1;
	for (int64_t t = f->t0 - f->t0 % s->tick + s->tick; f->state == CPU_BUSY && t < end;
	     t += s->tick) {
		part.t1 = t;
		load_cpu_seg(&s->load, &part);
		part.t0 = t;
		evaluate(s, f->cpu, t);
	}
	load_cpu_seg(&s->load, f);
}

void request_hears_cpu_seg(void *self, const struct cpu_seg *f)
{
	struct request *s = self;

	if (s->on || !s->asked)
		on_cpu_seg(s, f);
}

void request_hears_task_seg(void *self, const struct task_seg *f)
{
	struct request *s = self;

	if (!s->on)
		return;
	load_task_seg(&s->load, f);
	if (f->task->cpu != NO_CPU)
		evaluate(s, f->task->cpu, f->t1);
}

void request_hears_migrated(void *self, const struct migrated *f)
{
	struct request *s = self;

	if (s->on)
		load_migrated(&s->load, f);
}

void request_hears_woke(void *self, const struct woke *f)
{
	struct request *s = self;

	if (s->on)
		load_woke(&s->load, f);
}

void request_hears_irq_change(void *self, const struct irq_change *f)
{
	struct request *s = self;

	if (s->on)
		load_irq_change(&s->load, f);
}

/* The task of the wake-up that comes next, or that was just told, waited for I/O. */
void request_hears_io_wait(void *self, const struct io_wait *f)
{
	struct request *s = self;

	if (!s->on || f->task->cpu == NO_CPU)
		return;
	vec_fit(&s->cpus, (size_t)f->task->cpu + 1);
	s->cpus.at[f->task->cpu].io_wake = true;
}

/* Clamps of a CPU as the kernel recorded them. */
void request_hears_kernel_util(void *self, const struct kernel_util *f)
{
	struct request *s = self;
	struct extras *x;

	if (!s->on || f->task || (f->signal != SIGNAL_CLAMP_MIN && f->signal != SIGNAL_CLAMP_MAX))
		return;
	vec_fit(&s->cpus, (size_t)f->cpu + 1);
	x = &s->cpus.at[f->cpu];
	if (!x->clamped)
		x->max = PELT_SCALE;
	x->clamped = true;
	*(f->signal == SIGNAL_CLAMP_MIN ? &x->min : &x->max) = (uint32_t)f->util;
}

void request_hears_freq_change(void *self, const struct freq_change *f)
{
	struct request *s = self;
	struct policy *p = s->on ? policy_of(s, f->cpu) : NULL;
	struct asked change;
	int64_t was;

	if (!p || f->to_khz == p->khz) /* each CPU of the policy has an event */
		return;
	was = p->khz;
	p->khz = f->to_khz;
	if (f->marker || !was)
		return;
	evaluate(s, f->cpu, f->t);
	if (!p->n_recent || p->s.n_opps < OPPS_MIN)
		return; /* nothing is known yet, or can be told */
	change = (struct asked){f->t, opp_of(p, f->to_khz)};
	p->changes++;
	if (p->s.opps[change.opp] != f->to_khz)
		return; /* no clock of this platform */
	for (unsigned i = 0; i < RECENT && i < p->n_recent; i++)
		if (explains(&p->recent[i], &change, s->tick)) {
			p->explained++;
			return;
		}
	p->open[p->changes % OPEN] = change;
}

static void begin(void *self)
{
	struct request *s = self;

	for (size_t i = 0; i < s->policies.n; i++)
		s->policies.at[i].changes = s->policies.at[i].explained = 0;
}

/* ---- for others ---- */

static struct request *of_context(const struct context *c)
{
	return session_state((const struct session *)c, &analysis_request);
}

int64_t request_khz(const struct context *c, uint32_t cpu)
{
	struct request *s = of_context(c);
	struct policy *p = s->on ? policy_of(s, cpu) : NULL;

	return p ? p->was ? (p->was + p->now) / 2 : p->now : 0;
}

static void sums(const struct request *s, uint64_t *changes, uint64_t *explained)
{
	*changes = *explained = 0;
	for (size_t i = 0; i < s->policies.n; i++) {
		*changes += s->policies.at[i].changes;
		*explained += s->policies.at[i].explained;
	}
}

const char *request_withheld(const struct context *c, char out[160])
{
	struct request *s = of_context(c);
	unsigned measured = signals_half_life(c);
	uint64_t n, explained;

	if (!set_up(s)) {
		snprintf(out, 160, "%s",
		         is_schedutil(c->opts.run) ? "no platform with domains and clocks"
		                                   : "the governor is not schedutil");
		return out;
	}
	sums(s, &n, &explained);
	if (s->assumed && !measured)
		snprintf(out, 160, "no half-life given (run file) or measured: 32 assumed");
	else if (measured && measured != s->half_life)
		snprintf(out, 160, "half-life %u measured, %u used: give a run file", measured,
		         s->half_life);
	else if (n < CHANGES_MIN)
		snprintf(out, 160, "only %" PRIu64 " clock changes to check the model with", n);
	else if (100 * explained < EXPLAINED_PCT * n)
		snprintf(out, 160,
		         "the request model explains %.0f %% of %" PRIu64
		         " clock changes (limit %d %%)",
		         100.0 * (double)explained / (double)n, n, EXPLAINED_PCT);
	else
		return NULL;
	return out;
}

/* ---- results ---- */

static void json(void *self, struct json *j)
{
	struct request *s = self;
	uint64_t n, explained;
	char why[160];
	const char *withheld = request_withheld(s->ctx, why);

	if (!s->on) {
		json_missing(j, "request", why);
		return;
	}
	sums(s, &n, &explained);
	json_object_line(j, "request");
	json_int(j, "half_life", s->half_life);
	json_int(j, "changes", (int64_t)n);
	json_int(j, "explained", (int64_t)explained);
	json_text(j, "withheld", withheld);
	json_end(j);
}

static void show(void *self, struct doc *d)
{
	struct request *s = self;
	uint64_t n, explained;
	char why[160];

	if (!s->on && !s->ctx->opts.platform)
		return;
	sums(s, &n, &explained);
	if (request_withheld(s->ctx, why)) {
		doc_section(d, "REQUEST", "withheld: %s", why);
		return;
	}
	doc_section(
	        d, "REQUEST",
	        "schedutil's requests rebuilt with a half-life of %u explain %.1f %% of %" PRIu64
	        " clock changes, to the next clock and within a tick of %.0f ms",
	        s->half_life, 100.0 * (double)explained / (double)n, n, (double)s->tick / 1e6);
}

static void free_request(void *self)
{
	struct request *s = self;

	load_free(&s->load);
	vec_free(&s->policies);
	vec_free(&s->cpus);
}

const struct analysis analysis_request = {
        .name = "request",
        .question = "do schedutil's requests, rebuilt from util, explain the changes of the clock",
        .size = sizeof(struct request),
        .begin = begin,
        .json = json,
        .show = show,
        .free = free_request,
};
