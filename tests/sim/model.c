/* The model: CPUs with run queues, placement by fit, a governor in a closed loop. */
#include "sim/sim.h"

#include <math.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* Everything that is recorded takes this long, so that no two events have one time. */
enum { EVENT_NS = 200, SWAPPER = 0, INIT_PID = 1 };
enum { IDLE_STATE_DEEP = 1, DEEP_NS = 1000000 };
static const double period_ns = 1024 * 1024; /* of PELT */
static const int64_t never = INT64_MAX;

enum state { BLOCKED, RUNNABLE, RUNNING };

struct task {
	const struct task_spec *spec;
	const char *name;
	int pid, prio;
	enum state state;
	uint32_t cpu;
	int64_t since; /* of the state */
	double left;   /* work of the step under way, ns */
	int pc;
	uint64_t round;
	double vruntime; /* ns of weight 1024 */
	int64_t slice;   /* on its CPU since */
	struct sim_signal signal;
	double est;
	/* WALT */
	int64_t window; /* number of the one under way */
	double ran[6];  /* ns at full speed: under way, and the last five */
	int64_t next_period;
	bool woken; /* and has not run since */
	bool born, dead;
	uint64_t random; /* its own: its work is the same under every scheduler */
	int64_t vsync;   /* the last one that it waited for */
	bool in_fence;
	struct ledger_task *book;
};

struct cpu {
	struct task *current; /* NULL: idle */
	VEC(struct task *) queue;
	int64_t since; /* accounted up to here */
	int64_t khz, tick;
	size_t opp;
	double speed;
	bool in_idle;
	int32_t idle_state; /* -1: awake */
	int64_t idle_from, idle_was;
	const struct irq_spec *irq; /* NULL: in none */
	int64_t irq_until;
	bool resched;            /* when that is over */
	bool unplugged, offline; /* offline: and its last event is written */
	struct sim_clock clock;
	struct sim_signal fair, rt;
	int64_t window; /* WALT */
	double busy, busy_prev;
};

struct domain {
	const struct platform_domain *p;
	size_t opp, cap; /* places in the table: now, at most */
	size_t asked;
	int64_t due;     /* the clock that was asked for; never: it is there */
	int64_t changed; /* the request was made */
	int64_t counted; /* the cluster's energy up to there */
};

struct irq {
	const struct irq_spec *spec;
	int64_t next;
	uint64_t random;
};

struct timer {
	const struct timer_spec *spec;
	int64_t next;
};

/* Something that the GPU has to do. */
struct job {
	int64_t done;
	int channel;
	bool ends_frame;
};

struct model {
	const struct scenario *s;
	struct result *r;
	int64_t now, end;
	struct cpu cpu[SIM_CPUS_MAX];
	uint32_t n_cpus;
	struct domain domain[SIM_CPUS_MAX];
	uint32_t domain_of[SIM_CPUS_MAX];
	struct task *tasks;
	size_t n_tasks;
	struct task init;
	VEC(struct timer) timers;
	VEC(struct irq) irqs;
	int binder_id, binder[SIM_CHANNELS_MAX]; /* the last transaction; of each channel */
	size_t next_cap;
	int pending[SIM_CHANNELS_MAX];    /* posts that nobody waited for */
	int64_t posted[SIM_CHANNELS_MAX]; /* by a timer: when it was due */
	double period[SIM_CHANNELS_MAX];
	int vsync_channel; /* of the timers */
	bool vsync_level;
	size_t next_frame; /* the oldest that is not ready */
	int64_t gpu_free;
	VEC(struct job) jobs; /* of the GPU */
	int64_t next_sample;
	wide energy[SIM_CPUS_MAX];   /* by domain, uW x ns */
	double scale;                /* of all work */
	double half_life, window;    /* ns */
	VEC(struct task *) sleepers; /* until next_period */
};

/* ---- random numbers ---- */

static double uniform(uint64_t *random)
{
	uint64_t z = *random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return ((double)(z >> 11) + .5) / 9007199254740992.0;
}

/* With mean 1 and that sigma of its logarithm. */
static double lognormal(uint64_t *random, double sigma)
{
	double n = sqrt(-2 * log(uniform(random))) * cos(2 * M_PI * uniform(random));

	return exp(sigma * n - sigma * sigma / 2);
}

/* ---- time on a CPU ---- */

static uint32_t capacity(const struct model *m, uint32_t cpu)
{
	return (uint32_t)m->s->platform->capacity[cpu];
}

static void add_residency(struct model *m, struct ledger_cpu *book, int64_t khz, int64_t ns,
                          bool busy)
{
	struct residency *r = NULL;

	(void)m;
	for (size_t i = 0; i < book->clocks.n && !r; i++)
		if (book->clocks.at[i].khz == khz)
			r = &book->clocks.at[i];
	if (!r) {
		r = vec_add(&book->clocks);
		r->khz = khz;
	}
	r->total_ns += ns;
	r->busy_ns += busy ? ns : 0;
}

static void walt_roll(struct model *m, struct task *t, int64_t to)
{
	int64_t w = (int64_t)((double)to / m->window);

	for (; t->window < w && w - t->window <= 6; t->window++) {
		memmove(t->ran + 1, t->ran, 5 * sizeof *t->ran);
		t->ran[0] = 0;
	}
	if (t->window < w)
		memset(t->ran, 0, sizeof t->ran);
	t->window = w;
}

static void walt_busy(struct model *m, struct cpu *c, int64_t to)
{
	int64_t w = (int64_t)((double)to / m->window);

	if (w == c->window)
		return;
	c->busy_prev = w == c->window + 1 ? c->busy : 0;
	c->busy = 0;
	c->window = w;
}

static const struct platform_domain *domain_of(const struct model *m, uint32_t cpu)
{
	return m->domain[m->domain_of[cpu]].p;
}

static int64_t power_uw(const struct model *m, uint32_t cpu)
{
	const struct domain *d = &m->domain[m->domain_of[cpu]];

	return d->p->power_uw ? d->p->power_uw[m->cpu[cpu].opp] : 0;
}

enum { REST_NS = 100000000 };

/* The cluster of the domain is on while one of its CPUs is out of the deepest idle state. */
static void account_cluster(struct model *m, struct domain *d)
{
	bool on = false;

	for (size_t i = 0; i < d->p->n_cpus; i++)
		on |= m->cpu[d->p->cpus[i]].idle_state != (int32_t)d->p->n_idle - 1;
	if (on)
		m->r->ledger.rest += (wide)d->p->cluster_uw * (m->now - d->counted);
	d->counted = m->now;
}

static bool is_larger(const struct model *m, uint32_t cpu)
{
	for (uint32_t i = 0; i < m->n_cpus; i++)
		if (capacity(m, i) < capacity(m, cpu))
			return true;
	return false;
}

static void log_state(struct ledger_task *book, enum sim_state state, int64_t from, int64_t to)
{
	if (to > from)
		*vec_add(&book->log) = (struct task_log){from, to, state, 0, 0, 0};
}

static void log_run(const struct model *m, struct task *x, uint32_t id, int64_t t)
{
	const struct domain *d = &m->domain[m->domain_of[id]];
	const struct cpu *c = &m->cpu[id];
	double top = (double)d->p->khz[d->p->n_khz - 1], rel = (double)c->khz / top,
	       limit = (double)d->p->khz[d->cap] / top;
	struct task_log *last = x->book->log.n ? &x->book->log.at[x->book->log.n - 1] : NULL;

	if (last && last->state == SIM_RUNNING && last->to == c->since && last->rel == rel &&
	    last->cap == capacity(m, id) / 1024.0 && last->limit == limit) {
		last->to = t;
		return;
	}
	*vec_add(&x->book->log) =
	        (struct task_log){c->since, t, SIM_RUNNING, capacity(m, id) / 1024.0, rel, limit};
}

/* The task ran on the CPU from c->since to t. */
static void account_burst(struct model *m, struct task *x, uint32_t id, int64_t t)
{
	static const double speeds[] = {[GOAL_HALF] = .5, [GOAL_MOST] = .8, [GOAL_TOP] = .99};
	const struct cpu *c = &m->cpu[id];
	struct burst *b = x->book->bursts.n ? &x->book->bursts.at[x->book->bursts.n - 1] : NULL;
	int64_t to;

	if (!b)
		return;
	for (int g = GOAL_HALF; g <= GOAL_TOP; g++)
		b->reached[g] |= c->speed >= speeds[g];
	b->reached[GOAL_LARGER] |= is_larger(m, id);
	to = t < b->start + REST_NS ? t : b->start + REST_NS;
	b->run_ns += to > c->since ? to - c->since : 0;
}

/* The CPU up to t: what ran, on the ledger and in the signals. */
static void account(struct model *m, uint32_t id, int64_t t)
{
	struct cpu *c = &m->cpu[id];
	struct ledger_cpu *book = &m->r->ledger.cpu[id];
	int64_t ns = t - c->since;
	struct task *x = c->current;
	bool fair = x && x->prio >= 100;

	if (ns <= 0)
		return;
	if (!c->irq) { /* time in interrupts is none of the signals' */
		sim_clock_advance(&c->clock, (double)ns, c->speed);
		sim_signal_update(&c->fair, sim_clock_now(&c->clock), fair, m->half_life);
		sim_signal_update(&c->rt, sim_clock_now(&c->clock), x && !fair, m->half_life);
	}
	if (c->khz)
		add_residency(m, book, c->khz, ns, x != NULL);
	*(x ? &book->busy_ns : &book->idle_ns) += ns;
	book->offline_ns += c->offline ? ns : 0;
	book->interrupt_ns += c->irq ? ns : 0;
	walt_busy(m, c, t);
	if (!x && c->idle_state >= 0 && (size_t)c->idle_state < domain_of(m, id)->n_idle)
		m->r->ledger.rest += (wide)domain_of(m, id)->idle_uw[c->idle_state] * ns;
	if (x) {
		double work = (double)ns * c->speed;

		if (!c->irq) {
			x->left -= work;
			x->vruntime += (double)ns;
		}
		x->book->run_ns += ns;
		x->book->cpu_ns[id] += ns;
		x->book->work_ns += (int64_t)work;
		if (!c->irq)
			sim_signal_update(&x->signal, sim_clock_now(&c->clock), true, m->half_life);
		account_burst(m, x, id, t);
		log_run(m, x, id, t);
		walt_roll(m, x, t);
		x->ran[0] += c->irq ? 0 : work;
		c->busy += c->irq ? 0 : work;
		m->r->ledger.energy += (wide)power_uw(m, id) * ns;
		m->energy[m->domain_of[id]] += (wide)power_uw(m, id) * ns;
	}
	c->since = t;
}

/* ---- events ---- */

static struct sim_event *emit(struct model *m, uint32_t cpu, enum sim_kind kind)
{
	struct sim_event *e;
	const struct task *x = m->cpu[cpu].current;

	m->now += EVENT_NS;
	e = vec_add(&m->r->events);
	*e = (struct sim_event){.ts = m->now,
	                        .cpu = cpu,
	                        .pid = x ? x->pid : SWAPPER,
	                        .comm = x ? x->name : "<idle>",
	                        .kind = kind};
	m->r->ledger.events[kind]++;
	return e;
}

static const char *swapper(struct model *m, uint32_t cpu)
{
	char text[16];

	snprintf(text, sizeof text, "swapper/%u", cpu);
	return arena_str(&m->r->arena, text, strlen(text));
}

static void emit_idle(struct model *m, uint32_t cpu, int64_t state)
{
	struct sim_event *e = emit(m, cpu, SIM_IDLE);

	e->v[0] = state;
	e->v[1] = cpu;
}

static void emit_task(struct model *m, uint32_t cpu, enum sim_kind kind, const struct task *t,
                      uint32_t target)
{
	struct sim_event *e = emit(m, cpu, kind);

	e->s[0] = t->name;
	e->v[0] = t->pid;
	e->v[1] = t->prio;
	e->v[2] = target;
}

/* ---- the governor ---- */

static double util_of(struct model *m, uint32_t id)
{
	struct cpu *c = &m->cpu[id];
	double est = 0, util;

	if (m->s->walt) {
		walt_busy(m, c, m->now);
		util = c->busy > c->busy_prev ? c->busy : c->busy_prev;
		return util / m->window * 1024;
	}
	for (size_t i = 0; i < c->queue.n; i++)
		est += c->queue.at[i]->prio >= 100 ? c->queue.at[i]->est : 0;
	if (c->current && c->current->prio >= 100)
		est += c->current->est;
	return est > c->fair.util ? est : c->fair.util;
}

static void set_clock(struct model *m, uint32_t by, struct domain *d, size_t opp)
{
	for (size_t i = 0; i < d->p->n_cpus; i++) {
		uint32_t id = d->p->cpus[i];
		struct cpu *c = &m->cpu[id];
		struct sim_event *e = emit(m, by, SIM_FREQ);

		e->v[0] = d->p->khz[opp];
		e->v[1] = id;
		account(m, id, m->now);
		c->opp = opp;
		c->khz = d->p->khz[opp];
		c->speed = (double)capacity(m, id) / 1024 * (double)c->khz /
		           (double)d->p->khz[d->p->n_khz - 1];
	}
	d->opp = opp;
}

/* The lowest clock that is enough for the busiest CPU with a quarter to spare. */
static size_t wanted_opp(struct model *m, struct domain *d)
{
	double most = 0, khz;
	size_t opp = 0;

	for (size_t i = 0; i < d->p->n_cpus; i++) {
		uint32_t id = d->p->cpus[i];
		double part = util_of(m, id) / capacity(m, id);

		most = part > most ? part : most;
	}
	khz = 1.25 * most * (double)d->p->khz[d->p->n_khz - 1];
	while (opp < d->cap && (double)d->p->khz[opp] < khz)
		opp++;
	return opp;
}

static void govern(struct model *m, uint32_t cpu)
{
	struct domain *d = &m->domain[m->domain_of[cpu]];
	size_t opp;

	if (d->due != never ||
	    (m->now - d->changed < (int64_t)(m->s->rate_limit_us * 1000) && d->changed))
		return;
	opp = wanted_opp(m, d);
	if (opp == d->opp)
		return;
	d->changed = m->now;
	if (m->s->dvfs_latency_us > 0) {
		d->asked = opp;
		d->due = m->now + (int64_t)(m->s->dvfs_latency_us * 1000);
	} else {
		set_clock(m, cpu, d, opp);
	}
}

/* The hardware has got there. */
static void clock_is_due(struct model *m, struct domain *d)
{
	uint32_t by = d->p->cpus[0];

	d->due = never;
	set_clock(m, m->cpu[by].unplugged ? 0 : by, d, d->asked < d->cap ? d->asked : d->cap);
}

/* ---- queues ---- */

static bool better(const struct task *a, const struct task *b)
{
	bool a_rt = a->prio < 100, b_rt = b->prio < 100;

	if (a_rt != b_rt)
		return a_rt;
	return a_rt ? a->prio < b->prio : a->vruntime < b->vruntime;
}

static struct task *best(const struct cpu *c)
{
	struct task *t = NULL;

	for (size_t i = 0; i < c->queue.n; i++)
		if (!t || better(c->queue.at[i], t))
			t = c->queue.at[i];
	return t;
}

static void leave(struct cpu *c, const struct task *t)
{
	for (size_t i = 0; i < c->queue.n; i++)
		if (c->queue.at[i] == t) {
			c->queue.at[i] = c->queue.at[--c->queue.n];
			return;
		}
}

static double fair_clock(const struct cpu *c)
{
	double least =
	        c->current && c->current->prio >= 100 ? c->current->vruntime : (double)INFINITY;

	for (size_t i = 0; i < c->queue.n; i++)
		if (c->queue.at[i]->prio >= 100 && c->queue.at[i]->vruntime < least)
			least = c->queue.at[i]->vruntime;
	return isinf(least) ? 0 : least;
}

/* The task's signals go over to the clock of another CPU. */
static void rebase(struct model *m, struct task *t, uint32_t to)
{
	struct cpu *from = &m->cpu[t->cpu], *c = &m->cpu[to];

	account(m, t->cpu, m->now);
	account(m, to, m->now);
	sim_signal_update(&t->signal, sim_clock_now(&from->clock), false, m->half_life);
	if (t->prio >= 100) {
		from->fair.util -=
		        t->signal.util < from->fair.util ? t->signal.util : from->fair.util;
		c->fair.util += t->signal.util;
	}
	t->signal.at = sim_clock_now(&c->clock);
	t->vruntime += fair_clock(c) - fair_clock(from);
	t->cpu = to;
}

static void emit_migrate(struct model *m, uint32_t by, const struct task *t, uint32_t to)
{
	struct sim_event *e = emit(m, by, SIM_MIGRATE);

	e->s[0] = t->name;
	e->v[0] = t->pid;
	e->v[1] = t->prio;
	e->v[2] = t->cpu;
	e->v[3] = to;
}

/* A waiting task of another CPU that may run here; the CPU with the most of them gives one. */
static struct task *pull(struct model *m, uint32_t to)
{
	struct task *found = NULL;
	size_t most = 0;

	for (uint32_t i = 0; i < m->n_cpus; i++)
		for (size_t k = 0; i != to && k < m->cpu[i].queue.n; k++) {
			struct task *t = m->cpu[i].queue.at[k];

			if (t->prio >= 100 && t->spec->cpus >> to & 1 && m->cpu[i].queue.n > most) {
				found = t;
				most = m->cpu[i].queue.n;
			}
		}
	if (!found)
		return NULL;
	leave(&m->cpu[found->cpu], found);
	emit_migrate(m, to, found, to);
	*(found->book->switch_in ? &found->book->moved_queued : &found->book->moved_fork) += 1;
	rebase(m, found, to);
	return found;
}

/* ---- switching ---- */

static void begin_idle(struct model *m, uint32_t id)
{
	struct cpu *c = &m->cpu[id];

	emit_idle(m, id, c->idle_was > DEEP_NS ? IDLE_STATE_DEEP : 0);
	account(m, id, m->now);
	account_cluster(m, &m->domain[m->domain_of[id]]);
	c->idle_state = c->idle_was > DEEP_NS ? IDLE_STATE_DEEP : 0;
	c->in_idle = true;
	c->idle_from = m->now;
}

static void end_idle(struct model *m, uint32_t id)
{
	struct cpu *c = &m->cpu[id];

	if (!c->in_idle)
		return;
	c->in_idle = false;
	emit_idle(m, id, 4294967295);
	account(m, id, m->now);
	account_cluster(m, &m->domain[m->domain_of[id]]);
	c->idle_state = -1;
	c->idle_was = m->now - c->idle_from;
}

/* `next` (NULL: nothing) runs from now on; what ran before is in state `was`. */
static void switch_to(struct model *m, uint32_t id, struct task *next, enum state was)
{
	struct cpu *c = &m->cpu[id];
	struct task *prev = c->current;
	struct sim_event *e;

	end_idle(m, id);
	e = emit(m, id, SIM_SWITCH);
	e->s[0] = prev ? prev->name : swapper(m, id);
	e->s[1] = next ? next->name : swapper(m, id);
	e->v[0] = prev ? prev->pid : SWAPPER;
	e->v[1] = prev ? prev->prio : 120;
	e->v[2] = prev && prev->dead ? 16 : prev && was == BLOCKED ? 1 : prev ? 256 : 0;
	e->v[3] = next ? next->pid : SWAPPER;
	e->v[4] = next ? next->prio : 120;
	account(m, id, m->now);
	m->r->ledger.cpu[id].switches++;
	if (prev) {
		prev->state = was;
		prev->since = m->now;
		if (prev->dead) {
			c->fair.util -= prev->prio >= 100 ? prev->signal.util : 0;
		} else if (was == BLOCKED) {
			double u = prev->signal.util;

			prev->est = u > prev->est ? u : prev->est + (u - prev->est) / 4;
			prev->book->sleeps++;
			*vec_add(&prev->book->asleep) = (struct sleep_at){m->now, u};
			prev->book->util_sum += u;
			prev->book->util_max = u > prev->book->util_max ? u : prev->book->util_max;
		} else {
			prev->book->preempted++;
			*vec_add(&c->queue) = prev;
		}
	}
	c->current = next;
	c->clock.idle &= !next;
	if (next) {
		next->book->wait_ns += m->now - next->since;
		log_state(next->book, SIM_WAITING, next->since, m->now);
		next->book->switch_in++;
		next->book->woken += next->woken;
		next->book->woken_larger += next->woken && is_larger(m, id);
		next->woken = false;
		sim_signal_update(&next->signal, sim_clock_now(&c->clock), false, m->half_life);
		next->state = RUNNING;
		next->since = next->slice = m->now;
		c->tick = c->tick == never ? m->now + (int64_t)(1e9 / m->s->hz) : c->tick;
	} else {
		sim_clock_idle(&c->clock, c->fair.util + c->rt.util, m->half_life);
		c->tick = never;
	}
}

/* The current task is done or preempted: who is next. */
static void reschedule(struct model *m, uint32_t id, enum state was)
{
	struct cpu *c = &m->cpu[id];
	struct task *next = best(c);

	if (next)
		leave(c, next);
	else if (was == BLOCKED)
		next = pull(m, id);
	switch_to(m, id, next, was);
	if (!next)
		begin_idle(m, id);
	govern(m, id);
}

/* ---- placement ---- */

static double demand(struct model *m, struct task *t)
{
	double most = 0, sum = 0;

	if (!m->s->walt)
		return t->est > t->signal.util ? t->est : t->signal.util;
	walt_roll(m, t, m->now);
	for (int i = 1; i < 6; i++) {
		sum += t->ran[i] / 5;
		most = t->ran[i] > most ? t->ran[i] : most;
	}
	switch (m->s->walt_policy) {
	case WALT_RECENT:
		most = t->ran[1];
		break;
	case WALT_MEAN:
		most = sum;
		break;
	case WALT_MAX_RECENT_MEAN:
		most = t->ran[1] > sum ? t->ran[1] : sum;
		break;
	default: /* the largest */
		break;
	}
	return most / m->window * 1024;
}

static double spare(struct model *m, uint32_t id)
{
	account(m, id, m->now);
	return (double)capacity(m, id) - util_of(m, id);
}

/* Whether a CPU is there that it may use; else it may use any, as in the kernel. */
static bool anywhere_else(const struct model *m, const struct task *t)
{
	for (uint32_t i = 0; i < m->n_cpus; i++)
		if (t->spec->cpus >> i & 1 && !m->cpu[i].unplugged)
			return true;
	return false;
}

/* Of the smallest CPUs that fit the task the one with the most room, idle ones
 * first; when none fits, that of all. */
static uint32_t place(struct model *m, struct task *t)
{
	double need = demand(m, t), best_room = -(double)INFINITY;
	uint32_t found = t->cpu, found_cap = UINT32_MAX;
	bool found_fits = false;

	for (uint32_t i = 0; i < m->n_cpus; i++) {
		struct cpu *c = &m->cpu[i];
		double room = spare(m, i);
		uint32_t cap = capacity(m, i);
		bool fits;

		if (c->unplugged || (!(t->spec->cpus >> i & 1) && anywhere_else(m, t)))
			continue;
		if (i == t->cpu) /* what it takes itself is in there */
			room += m->s->walt ? 1 : t->signal.util + 1;
		fits = need * m->s->fit_margin < cap && room > need;
		room += !c->current ? 2000 : 0;
		if (fits != found_fits         ? !fits
		    : fits && cap != found_cap ? cap > found_cap
		                               : room <= best_room)
			continue;
		found = i;
		found_cap = cap;
		found_fits = fits;
		best_room = room;
	}
	return found;
}

/* ---- wake-ups ---- */

static void enqueue(struct model *m, struct task *t)
{
	struct cpu *c = &m->cpu[t->cpu];
	double floor = fair_clock(c) - 3e6;

	t->vruntime = t->vruntime > floor ? t->vruntime : floor;
	*vec_add(&c->queue) = t;
	govern(m, t->cpu);
	if (!c->current || (better(t, c->current) &&
	                    (t->prio < 100 || c->current->vruntime - t->vruntime > 1e6))) {
		if (c->irq)
			c->resched = true;
		else
			reschedule(m, t->cpu, RUNNABLE);
	}
}

/* By whatever runs on CPU `by`, or by an interrupt there. */
static void wake(struct model *m, struct task *t, uint32_t by)
{
	uint32_t to;
	bool was_idle = m->cpu[by].in_idle;

	end_idle(m, by);
	emit_task(m, by, SIM_WAKING, t, t->cpu);
	t->book->blocked_ns += m->now - t->since;
	log_state(t->book, t->in_fence ? SIM_FENCE : SIM_BLOCKED, t->since, m->now);
	t->book->wakeups++;
	t->woken = true;
	if (m->now - t->since >= REST_NS)
		vec_add(&t->book->bursts)->start = m->now;
	t->state = RUNNABLE;
	t->since = m->now;
	account(m, t->cpu, m->now);
	sim_signal_update(&t->signal, sim_clock_now(&m->cpu[t->cpu].clock), false, m->half_life);
	to = place(m, t);
	if (to != t->cpu) {
		emit_migrate(m, by, t, to);
		t->book->moved_wakeup++;
		rebase(m, t, to);
	}
	emit_task(m, by, SIM_WAKEUP, t, to);
	enqueue(m, t);
	if (was_idle && !m->cpu[by].current && !m->cpu[by].in_idle && !m->cpu[by].irq)
		begin_idle(m, by);
}

static void take_vsync(const struct model *m, struct task *t, int channel)
{
	if (channel == m->vsync_channel)
		t->vsync = m->posted[channel];
}

static void post(struct model *m, int channel, uint32_t by)
{
	for (size_t i = 0; i < m->n_tasks; i++) {
		struct task *t = &m->tasks[i];

		if (t->born && !t->dead && t->state == BLOCKED && t->pc < t->spec->n_steps &&
		    t->spec->steps[t->pc].kind == STEP_WAIT &&
		    t->spec->steps[t->pc].channel == channel && t->next_period == never) {
			t->pc++;
			take_vsync(m, t, channel);
			wake(m, t, by);
			return;
		}
	}
	m->pending[channel]++;
}

/* ---- programs ---- */

int64_t frame_present(const struct frame *f)
{
	int64_t periods = f->end ? (int64_t)ceil((double)(f->end - f->vsync) / f->period) + 1 : 0;

	return periods ? f->vsync + (int64_t)((double)periods * f->period) : 0;
}

bool frame_is_late(const struct frame *f)
{
	return f->end && (double)(f->end - f->vsync) > f->period;
}

/* The task that waits for the channel, among others. */
static const struct task_spec *listener(const struct model *m, int channel)
{
	for (size_t i = 0; i < m->s->tasks.n; i++)
		for (int k = 0; k < m->s->tasks.at[i].n_steps; k++)
			if (m->s->tasks.at[i].steps[k].kind == STEP_WAIT &&
			    m->s->tasks.at[i].steps[k].channel == channel)
				return &m->s->tasks.at[i];
	return NULL;
}

static void send(struct model *m, const struct task *t, const struct step *st)
{
	const struct task_spec *to = listener(m, st->channel);
	struct sim_event *e = emit(m, t->cpu, SIM_BINDER);

	e->v[0] = m->binder[st->channel] = ++m->binder_id;
	e->v[1] = st->reply ? 0 : st->channel + 1;
	e->v[2] = to ? to->tgid : 0;
	e->v[3] = to && st->reply ? to->pid : 0;
	e->v[4] = st->reply;
	e->v[5] = 1;
	e->v[6] = st->reply ? 0 : 0x10;
}

static void rename_task(struct model *m, struct task *t, const char *name)
{
	struct sim_event *e = emit(m, t->cpu, SIM_RENAME);

	e->s[0] = t->name;
	e->s[1] = name;
	e->v[0] = t->pid;
	e->v[1] = 0;
	t->name = name;
	snprintf(t->book->name, sizeof t->book->name, "%.15s", name);
}

/* Of the frame that the task works on, one per round; a task without frames: its round. */
static uint64_t token_of(const struct model *m, const struct task *t)
{
	for (int i = 0; i < t->spec->n_steps; i++)
		if (t->spec->steps[i].kind == STEP_FRAME)
			return t->spec->steps[i].begin ? m->r->ledger.frames.n : t->round + 1;
		else if (t->spec->steps[i].kind == STEP_GPU && t->spec->steps[i].begin)
			return t->round + 1;
	return t->round;
}

/* Markers of frames are in the ledger, too. */
static void mark_frame(struct model *m, const struct step *st, const struct task *t)
{
	struct ledger *l = &m->r->ledger;
	uint64_t token = token_of(m, t);
	struct frame *f = token && token <= l->frames.n ? &l->frames.at[token - 1] : NULL;
	size_t id = (size_t)(t - m->tasks) + 1;
	bool ends = *st->text == 'E';

	if (!f || (!ends && !strstr(st->text, "doFrame") && !strstr(st->text, "DrawFrame")))
		return;
	if (!ends && strstr(st->text, "doFrame")) {
		f->ui_begin = m->now;
		f->ui = id;
	} else if (!ends) {
		f->draw_begin = m->now;
		f->draw = id;
	} else if (f->ui == id && !f->ui_end) {
		f->ui_end = m->now;
	} else if (f->draw == id) {
		f->draw_end = m->now;
	}
}

static void mark(struct model *m, uint32_t cpu, const struct step *st, const struct task *t)
{
	char text[128];
	const char *n = strstr(st->text, "%n");
	struct sim_event *e;

	if (n)
		snprintf(text, sizeof text, "%.*s%llu%s", (int)(n - st->text), st->text,
		         (unsigned long long)token_of(m, t), n + 2);
	else
		snprintf(text, sizeof text, "%s", st->text);
	e = emit(m, cpu, SIM_PRINT);
	e->s[0] = arena_str(&m->r->arena, text, strlen(text));
	mark_frame(m, st, t);
}

/* Each edge of the counter is a vsync. */
static void count_vsync(struct model *m, int channel)
{
	struct sim_event *e;
	char text[32];

	if (strcmp(m->s->channel[channel], "vsync"))
		return;
	m->vsync_level = !m->vsync_level;
	snprintf(text, sizeof text, "C|1|VSYNC-app|%d", m->vsync_level);
	e = emit(m, 0, SIM_PRINT);
	e->s[0] = arena_str(&m->r->arena, text, strlen(text));
}

/* A frame belongs to the vsync (the first timer) that its task waited for last; frames are ready in
 * the order they began.
 */
static void frame(struct model *m, const struct task *t, bool begin)
{
	struct ledger *l = &m->r->ledger;

	if (begin) {
		struct frame *f = vec_add(&l->frames);

		f->token = l->frames.n;
		f->vsync = t->vsync;
		f->begin = m->now;
		f->period = m->period[m->vsync_channel];
		f->pid = t->spec->tgid;
	} else if (m->next_frame < l->frames.n) {
		l->frames.at[m->next_frame++].end = m->now;
	}
}

/* The first post of the UI thread within a frame, or right behind it. */
static void note_handed(struct model *m, const struct task *t)
{
	struct ledger *l = &m->r->ledger;
	struct frame *f = l->frames.n ? &l->frames.at[l->frames.n - 1] : NULL;

	if (f && f->ui == (size_t)(t - m->tasks) + 1)
		f->handed = m->now + EVENT_NS; /* when who waits for it is woken */
}

static void sleep_until(struct model *m, struct task *t, int64_t at)
{
	t->next_period = at > m->now ? at : m->now + EVENT_NS;
	*vec_add(&m->sleepers) = t;
}

/* Steps from pc on, by the running task, up to one that takes time. False: it blocks there. */
static bool go_on(struct model *m, struct task *t)
{
	for (int guard = 0; guard < 1000; guard++) {
		const struct step *st;
		int64_t us;

		if (t->pc == t->spec->n_steps) {
			t->pc = 0;
			t->round++;
		}
		st = &t->spec->steps[t->pc];
		us = (int64_t)(st->us * 1000);
		switch (st->kind) {
		case STEP_RUN:
			t->pc++;
			t->left = m->scale * st->us * 1000 *
			          (st->spread > 0 ? lognormal(&t->random, st->spread) : 1);
			return true;
		case STEP_SLEEP:
			t->pc++;
			sleep_until(m, t, m->now + us);
			return false;
		case STEP_PERIOD:
			t->pc++;
			sleep_until(m, t, (m->now / us + 1) * us);
			return false;
		case STEP_WAIT:
			if (!m->pending[st->channel]) {
				t->next_period = never;
				return false;
			}
			m->pending[st->channel]--;
			take_vsync(m, t, st->channel);
			t->pc++;
			break;
		case STEP_POST:
			t->pc++;
			note_handed(m, t);
			post(m, st->channel, t->cpu);
			if (t->state != RUNNING) /* it lost its CPU to whom it woke */
				return true;
			break;
		case STEP_MARK:
			t->pc++;
			mark(m, t->cpu, st, t);
			break;
		case STEP_FRAME:
			t->pc++;
			frame(m, t, st->begin);
			break;
		case STEP_GPU:
			t->pc++;
			m->gpu_free = (m->gpu_free > m->now ? m->gpu_free : m->now) + us;
			*vec_add(&m->jobs) = (struct job){m->gpu_free, st->channel, st->begin};
			break;
		case STEP_FENCE: {
			struct sim_event *e =
			        emit(m, t->cpu, st->begin ? SIM_FENCE_WAIT : SIM_FENCE_DONE);

			t->pc++;
			e->s[0] = "simulated";
			e->s[1] = "gpu";
			e->v[0] = 1;
			e->v[1] = (int64_t)t->round;
			t->in_fence = st->begin;
			break;
		}
		case STEP_RENAME:
			t->pc++;
			rename_task(m, t, st->text);
			break;
		case STEP_SEND:
			t->pc++;
			send(m, t, st);
			break;
		case STEP_RECEIVE:
			t->pc++;
			emit(m, t->cpu, SIM_BINDER_RECEIVED)->v[0] = m->binder[st->channel];
			break;
		case STEP_EXIT:
			emit_task(m, t->cpu, SIM_EXIT, t, 0);
			t->dead = true;
			return false;
		}
	}
	t->left = 1000;
	return true;
}

/* The work of the current step is done. */
static void complete(struct model *m, uint32_t id)
{
	struct task *t = m->cpu[id].current;

	t->left = 0;
	if (!go_on(m, t) && t->state == RUNNING)
		reschedule(m, id, BLOCKED);
}

/* ---- ticks ---- */

static void misfit(struct model *m, uint32_t id)
{
	struct cpu *c = &m->cpu[id];
	struct task *t = c->current;

	if (t->prio < 100 || demand(m, t) * m->s->fit_margin < capacity(m, id))
		return;
	for (uint32_t i = 0; i < m->n_cpus; i++) {
		if (capacity(m, i) <= capacity(m, id) || m->cpu[i].current || m->cpu[i].irq ||
		    m->cpu[i].unplugged || !(t->spec->cpus >> i & 1))
			continue;
		reschedule(m, id, RUNNABLE); /* may pick it again: then it goes on here */
		if (c->current == t)
			return;
		leave(c, t);
		emit_migrate(m, id, t, i);
		t->book->moved_queued++;
		rebase(m, t, i);
		enqueue(m, t);
		return;
	}
}

static void tick(struct model *m, uint32_t id)
{
	struct cpu *c = &m->cpu[id];
	struct task *t = c->current, *next;

	c->tick += (int64_t)(1e9 / m->s->hz);
	account(m, id, m->now);
	govern(m, id);
	if (!t || t->left <= 0)
		return;
	next = best(c);
	if (next && m->now - t->slice >= (int64_t)(m->s->slice_ms * 1e6) && better(next, t))
		reschedule(m, id, RUNNABLE);
	else
		misfit(m, id);
}

/* ---- interrupts ---- */

static void irq_begins(struct model *m, struct irq *q)
{
	struct cpu *c = &m->cpu[q->spec->cpu];
	struct sim_event *e;

	q->next += (int64_t)(q->spec->period_us * 1000);
	if (c->irq || c->unplugged)
		return;
	end_idle(m, q->spec->cpu);
	e = emit(m, q->spec->cpu, SIM_IRQ);
	e->v[0] = q->spec->number;
	e->s[0] = q->spec->name;
	account(m, q->spec->cpu, m->now);
	c->irq = q->spec;
	c->irq_until =
	        m->now +
	        (int64_t)(q->spec->us * 1000 *
	                  (q->spec->spread > 0 ? lognormal(&q->random, q->spec->spread) : 1));
}

static void irq_ends(struct model *m, uint32_t id)
{
	struct cpu *c = &m->cpu[id];
	struct sim_event *e = emit(m, id, SIM_IRQ_OVER);
	const struct task *next = best(c);

	e->v[0] = c->irq->number;
	e->v[1] = 1;
	account(m, id, m->now);
	c->irq = NULL;
	if (c->resched && next && (!c->current || better(next, c->current)))
		reschedule(m, id, RUNNABLE);
	else if (!c->current)
		begin_idle(m, id);
	c->resched = false;
}

/* ---- hotplug ---- */

enum { CPUHP_OFFLINE = 0, CPUHP_ONLINE = 229 };

static void emit_cpuhp(struct model *m, enum sim_kind kind, uint32_t cpu, int64_t state)
{
	struct sim_event *e = emit(m, 0, kind);

	e->v[0] = cpu;
	e->v[1] = state;
	e->v[2] = state;
	account(m, cpu, m->now);
}

static void unplug(struct model *m, uint32_t id)
{
	struct cpu *c = &m->cpu[id];

	emit_cpuhp(m, SIM_CPUHP, id, CPUHP_OFFLINE);
	c->unplugged = true;
	if (c->current)
		switch_to(m, id, NULL, RUNNABLE);
	while (c->queue.n) {
		struct task *t = c->queue.at[0];
		uint32_t to = place(m, t);

		leave(c, t);
		emit_migrate(m, 0, t, to);
		*(t->book->switch_in ? &t->book->moved_queued : &t->book->moved_fork) += 1;
		rebase(m, t, to);
		enqueue(m, t);
	}
	if (!c->in_idle)
		begin_idle(m, id);
	emit_cpuhp(m, SIM_CPUHP_OVER, id, CPUHP_OFFLINE);
	c->offline = true;
}

static void plug(struct model *m, uint32_t id)
{
	emit_cpuhp(m, SIM_CPUHP, id, CPUHP_ONLINE);
	m->cpu[id].offline = false;
	emit_cpuhp(m, SIM_CPUHP_OVER, id, CPUHP_ONLINE);
	m->cpu[id].unplugged = false;
}

/* ---- the loop ---- */

static int64_t done_at(const struct cpu *c)
{
	return c->current && !c->irq
	               ? c->since + (int64_t)ceil(c->current->left > 0 ? c->current->left / c->speed
	                                                               : 0)
	               : never;
}

static bool timer_is_on(const struct model *m, const struct timer *t, int64_t at)
{
	double ms = (double)(at - m->r->ledger.start) / 1e6;
	double cycle = (t->spec->on_ms + t->spec->off_ms) * 1e6;

	if (ms < t->spec->from_ms || (t->spec->to_ms > 0 && ms >= t->spec->to_ms))
		return false;
	return t->spec->off_ms <= 0 || fmod((double)at, cycle) < t->spec->on_ms * 1e6;
}

static void cap(struct model *m)
{
	const struct cap_spec *x = &m->s->caps.at[m->next_cap++];
	struct domain *d = &m->domain[x->domain];

	d->cap = d->p->n_khz - 1;
	while (d->cap && d->p->khz[d->cap] > x->khz)
		d->cap--;
	for (size_t i = 0; i < d->p->n_cpus; i++) {
		struct sim_event *e = emit(m, 0, SIM_LIMITS);

		e->v[0] = d->p->khz[0];
		e->v[1] = d->p->khz[d->cap];
		e->v[2] = d->p->cpus[i];
	}
	if (d->opp > d->cap)
		set_clock(m, 0, d, d->cap);
}

static int64_t at_ms(const struct model *m, double ms)
{
	return m->r->ledger.start + (int64_t)(ms * 1e6);
}

static int64_t born_at(const struct model *m, const struct task *t)
{
	return at_ms(m, t->spec->start_ms);
}

/* What the CPU cannot do before its interrupt is over. */
static int64_t after_irq(const struct cpu *c, int64_t t)
{
	return c->irq && t < c->irq_until ? c->irq_until : t;
}

static void sample(struct model *m)
{
	struct sample *x = vec_add(&m->r->ledger.samples);

	x->t = m->now;
	for (uint32_t i = 0; i < m->n_cpus; i++) {
		account(m, i, m->now);
		x->busy_ns[i] = m->r->ledger.cpu[i].busy_ns;
		x->idle_ns[i] = m->r->ledger.cpu[i].idle_ns;
	}
	for (uint32_t i = 0; i < m->s->platform->n_domains; i++)
		x->uj[i] = (double)m->energy[i] / 1e9;
	m->next_sample = m->now + 100000000;
}

static void begin_task(struct model *m, struct task *t)
{
	struct sim_event *e;
	bool late = m->cpu[0].current != &m->init;

	if (late) /* init comes back to fork it */
		wake(m, &m->init, 0);
	e = emit(m, 0, SIM_FORK);
	e->s[0] = m->init.name;
	e->s[1] = t->name;
	e->v[0] = m->init.pid;
	e->v[1] = t->pid;
	t->born = true;
	t->state = RUNNABLE;
	t->next_period = never;
	t->cpu = (uint32_t)__builtin_ctzll(t->spec->cpus);
	account(m, t->cpu, m->now);
	t->signal = (struct sim_signal){.at = sim_clock_now(&m->cpu[t->cpu].clock)};
	{ /* the kernel's rule: half of what the CPU has to spare, or by what runs there */
		double util = m->cpu[t->cpu].fair.util;
		double room = ((double)capacity(m, t->cpu) - util) / 2;

		t->signal.util = room > 0 ? room : 0;
	}
	m->cpu[t->cpu].fair.util += t->prio >= 100 ? t->signal.util : 0;
	t->since = m->now; /* runnable from its fork on */
	t->book->wakeups++;
	t->woken = true;
	emit_task(m, 0, SIM_WAKEUP_NEW, t, t->cpu);
	t->left = 1000; /* it looks around before its first step */
	enqueue(m, t);
	if (late) {
		account(m, 0, m->now);
		reschedule(m, 0, BLOCKED);
	}
}

/* The next thing that happens, of all. */
static void step(struct model *m)
{
	int64_t at = m->end;
	enum {
		NOTHING,
		DONE,
		TICK,
		SLEEPER,
		TIMER,
		CAP,
		BIRTH,
		SAMPLE,
		JOB,
		IRQ,
		IRQ_OVER,
		CLOCK,
		UNPLUG,
		PLUG
	} what = NOTHING;
	size_t who = 0;

#define EARLIER(t, w, i)                                                                           \
	do {                                                                                       \
		if ((t) < at) {                                                                    \
			at = (t);                                                                  \
			what = (w);                                                                \
			who = (i);                                                                 \
		}                                                                                  \
	} while (0)
	for (uint32_t i = 0; i < m->n_cpus; i++) {
		const struct cpu *c = &m->cpu[i];

		if (c->irq)
			EARLIER(c->irq_until, IRQ_OVER, i);
		EARLIER(done_at(c), DONE, i);
		EARLIER(after_irq(c, c->tick), TICK, i);
	}
	for (uint32_t i = 0; i < m->s->platform->n_domains; i++)
		EARLIER(m->domain[i].due, CLOCK, i);
	for (size_t i = 0; i < m->irqs.n; i++)
		EARLIER(m->irqs.at[i].next, IRQ, i);
	for (size_t i = 0; i < m->s->unplugged.n; i++) {
		const struct absence_spec *a = &m->s->unplugged.at[i];
		const struct cpu *c = &m->cpu[a->cpu];

		if (!c->unplugged && m->now < at_ms(m, a->to_ms))
			EARLIER(after_irq(c, at_ms(m, a->from_ms)), UNPLUG, a->cpu);
		if (c->unplugged && m->now >= at_ms(m, a->from_ms))
			EARLIER(at_ms(m, a->to_ms), PLUG, a->cpu);
	}
	for (size_t i = 0; i < m->sleepers.n; i++)
		EARLIER(m->sleepers.at[i]->next_period, SLEEPER, i);
	for (size_t i = 0; i < m->timers.n; i++)
		EARLIER(m->timers.at[i].next, TIMER, i);
	if (m->next_cap < m->s->caps.n)
		EARLIER((int64_t)(m->s->caps.at[m->next_cap].at_ms * 1e6), CAP, 0);
	for (size_t i = 0; i < m->n_tasks; i++)
		if (!m->tasks[i].born)
			EARLIER(after_irq(&m->cpu[0], born_at(m, &m->tasks[i])), BIRTH, i);
	EARLIER(m->next_sample, SAMPLE, 0);
	for (size_t i = 0; i < m->jobs.n; i++)
		EARLIER(m->jobs.at[i].done, JOB, i);
#undef EARLIER
	m->now = at > m->now ? at : m->now;
	if (what == DONE) {
		account(m, (uint32_t)who, m->now);
		complete(m, (uint32_t)who);
	} else if (what == TICK) {
		tick(m, (uint32_t)who);
	} else if (what == SLEEPER) {
		struct task *t = m->sleepers.at[who];

		m->sleepers.at[who] = m->sleepers.at[--m->sleepers.n];
		t->next_period = never;
		wake(m, t, m->cpu[t->cpu].unplugged ? 0 : t->cpu);
	} else if (what == TIMER) {
		struct timer *t = &m->timers.at[who];

		if (timer_is_on(m, t, t->next))
			count_vsync(m, t->spec->channel);
		if (timer_is_on(m, t, t->next) && !m->pending[t->spec->channel]) {
			m->posted[t->spec->channel] = t->next;
			m->period[t->spec->channel] = t->spec->period_us * 1000;
			post(m, t->spec->channel, 0);
		}
		t->next += (int64_t)(t->spec->period_us * 1000);
	} else if (what == CAP) {
		cap(m);
	} else if (what == BIRTH) {
		begin_task(m, &m->tasks[who]);
	} else if (what == JOB) {
		struct job job = m->jobs.at[who];

		m->jobs.at[who] = m->jobs.at[--m->jobs.n];
		if (job.ends_frame)
			frame(m, NULL, false);
		post(m, job.channel, 0);
	} else if (what == SAMPLE) {
		sample(m);
	} else if (what == IRQ) {
		irq_begins(m, &m->irqs.at[who]);
	} else if (what == IRQ_OVER) {
		irq_ends(m, (uint32_t)who);
	} else if (what == CLOCK) {
		clock_is_due(m, &m->domain[who]);
	} else if (what == UNPLUG) {
		unplug(m, (uint32_t)who);
	} else if (what == PLUG) {
		plug(m, (uint32_t)who);
	}
}

/* ---- begin and end ---- */

static void begin_cpus(struct model *m)
{
	const struct platform *p = m->s->platform;

	m->n_cpus = (uint32_t)p->n_cpus;
	for (uint32_t k = 0; k < p->n_domains; k++) {
		m->domain[k] = (struct domain){.p = &p->domains[k],
		                               .cap = p->domains[k].n_khz - 1,
		                               .due = never,
		                               .counted = m->now + EVENT_NS};
		for (size_t i = 0; i < p->domains[k].n_cpus; i++)
			m->domain_of[p->domains[k].cpus[i]] = k;
	}
	m->r->ledger.start = m->now + EVENT_NS;
	m->next_sample = m->r->ledger.start;
	for (uint32_t i = 0; i < m->n_cpus; i++) {
		struct cpu *c = &m->cpu[i];
		const struct platform_domain *d = m->domain[m->domain_of[i]].p;

		c->since = m->r->ledger.start;
		c->speed = (double)capacity(m, i) / 1024 * (double)d->khz[0] /
		           (double)d->khz[d->n_khz - 1];
		c->tick = never;
		c->clock = (struct sim_clock){.idle = true};
		c->idle_state = -1;
	}
	/* what the trace begins with: who is idle, and every clock */
	for (uint32_t i = 0; i < m->n_cpus; i++)
		begin_idle(m, i);
	for (uint32_t i = 0; i < m->n_cpus; i++) {
		struct sim_event *e = emit(m, i, SIM_FREQ);

		e->v[0] = m->domain[m->domain_of[i]].p->khz[0];
		e->v[1] = i;
		account(m, i, m->now);
		m->cpu[i].khz = e->v[0];
	}
}

/* init runs on CPU 0, forks the tasks 100 us apart, and sleeps for good. */
static void begin_tasks(struct model *m)
{
	static const struct task_spec nothing = {.name = "init", .cpus = 1};
	struct ledger_task *books;

	vec_fit(&m->r->ledger.tasks, m->n_tasks + 1);
	books = m->r->ledger.tasks.at;
	m->init = (struct task){.spec = &nothing,
	                        .name = "init",
	                        .pid = INIT_PID,
	                        .prio = 1, /* nothing gets in its way */
	                        .next_period = never,
	                        .book = &books[m->n_tasks]};
	*m->init.book = (struct ledger_task){.pid = INIT_PID, .name = "init"};
	m->init.left = 1e15;
	m->init.since = m->now;
	switch_to(m, 0, &m->init, BLOCKED);
	for (size_t i = 0; i < m->n_tasks; i++) {
		struct task *t = &m->tasks[i];

		*t = (struct task){.spec = &m->s->tasks.at[i],
		                   .name = m->s->tasks.at[i].name,
		                   .pid = m->s->tasks.at[i].pid,
		                   .prio = m->s->tasks.at[i].prio,
		                   .book = &books[i]};
		*t->book = (struct ledger_task){.pid = t->pid, .tgid = t->spec->tgid};
		memcpy(t->book->name, t->spec->name, sizeof t->book->name);
		t->random = (m->s->seed * 1000003 + i) * UINT64_C(0x9e3779b97f4a7c15) + 1;
		t->state = BLOCKED;
		t->next_period = never;
		if (t->spec->start_ms <= 0)
			begin_task(m, t);
	}
	account(m, 0, m->now);
	reschedule(m, 0, BLOCKED);
}

static void finish(struct model *m)
{
	struct sim_event *e;

	m->now = m->end > m->now ? m->end : m->now;
	e = emit(m, 0, SIM_PRINT);
	e->s[0] = "simulation over";
	m->r->ledger.end = m->now;
	for (uint32_t i = 0; i < m->n_cpus; i++)
		account(m, i, m->now);
	for (uint32_t i = 0; i < m->s->platform->n_domains; i++)
		account_cluster(m, &m->domain[i]);
	sample(m);
	for (size_t i = 0; i < m->n_tasks; i++) {
		struct task *t = &m->tasks[i];

		if (!t->born || t->dead)
			continue;
		if (t->state == RUNNING)
			continue;
		*(t->state == BLOCKED ? &t->book->blocked_ns : &t->book->wait_ns) +=
		        m->now - t->since;
		log_state(t->book, t->state == BLOCKED ? SIM_BLOCKED : SIM_WAITING, t->since,
		          m->now);
	}
}

static double normal_of(uint64_t seed)
{
	uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 7;

	return sqrt(-2 * log(uniform(&random))) * cos(2 * M_PI * uniform(&random));
}

static double scale_of(const struct model *m)
{
	const struct scenario *s = m->s;
	uint64_t boot = (uint64_t)s->boot, iteration = (uint64_t)s->iteration;

	return exp(s->drift * s->iteration + s->boot_sigma * normal_of(1000 + boot) +
	           s->iteration_sigma * normal_of(s->seed * 131 + iteration));
}

struct result *sim_run(const struct scenario *s)
{
	struct model m = {.s = s, .r = mem_calloc(1, sizeof *m.r)};

	m.r->scenario = s;
	m.now = INT64_C(1000000000);
	m.end = m.now + (int64_t)(s->length_ms * 1e6);
	m.half_life = s->half_life_ms * period_ns;
	m.window = s->walt_window_ms * 1e6;
	m.scale = scale_of(&m);
	m.n_tasks = s->tasks.n;
	m.tasks = mem_calloc(m.n_tasks + 1, sizeof *m.tasks);
	for (size_t i = 0; i < s->timers.n; i++)
		*vec_add(&m.timers) = (struct timer){
		        &s->timers.at[i], m.now + (int64_t)(s->timers.at[i].period_us * 1000)};
	for (size_t i = 0; i < s->irqs.n; i++)
		*vec_add(&m.irqs) = (struct irq){&s->irqs.at[i],
		                                 m.now + (int64_t)(s->irqs.at[i].period_us * 1000),
		                                 s->seed * 7919 + i};
	m.vsync_channel = s->timers.n ? s->timers.at[0].channel : 0;
	memcpy(m.pending, s->posted, sizeof m.pending);
	begin_cpus(&m);
	begin_tasks(&m);
	while (m.now < m.end)
		step(&m);
	finish(&m);
	for (uint32_t i = 0; i < m.n_cpus; i++)
		vec_free(&m.cpu[i].queue);
	vec_free(&m.sleepers);
	vec_free(&m.timers);
	vec_free(&m.jobs);
	vec_free(&m.irqs);
	free(m.tasks);
	return m.r;
}

void result_free(struct result *r)
{
	for (int i = 0; i < SIM_CPUS_MAX; i++)
		vec_free(&r->ledger.cpu[i].clocks);
	for (size_t i = 0; i < r->ledger.tasks.n; i++)
		vec_free(&r->ledger.tasks.at[i].asleep);
	for (size_t i = 0; i < r->ledger.tasks.n; i++)
		vec_free(&r->ledger.tasks.at[i].bursts);
	for (size_t i = 0; i < r->ledger.tasks.n; i++)
		vec_free(&r->ledger.tasks.at[i].log);
	vec_free(&r->ledger.tasks);
	vec_free(&r->ledger.frames);
	vec_free(&r->ledger.samples);
	vec_free(&r->events);
	arena_free(&r->arena);
	free(r);
}
