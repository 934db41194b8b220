/* CPUs: who runs, at which frequency, in which idle state; evidence and gaps. */
#include "replay/replay_impl.h"

#include <stdlib.h>

enum {
	EARLY_MAX = 4096,
	STRAGGLE_NS = 20000, /* a context switch takes less */
};

struct cpu *cpu_new(struct replay *r, uint32_t id)
{
	size_t had = r->cpus.n;

	vec_fit(&r->cpus, (size_t)id + 1);
	for (size_t i = had; i < r->cpus.n; i++)
		r->cpus.at[i] = (struct cpu){.cur_pid = NO_PID,
		                             .left_pid = NO_PID,
		                             .since = r->settled,
		                             .idle_state = IDLE_UNKNOWN,
		                             .gap_from = NO_TIME,
		                             .gap_to = NO_TIME,
		                             .khz_written = NO_CPU};
	return &r->cpus.at[id];
}

static void tell_seg(struct replay *r, struct cpu_seg *s, struct task *task)
{
	s->state = !task ? CPU_UNKNOWN : task == &r->idle ? CPU_IDLE : CPU_BUSY;
	s->task = task == &r->idle ? NULL : task;
	if (s->t0 < s->t1 || s->switched)
		r->ops.cpu_seg(r->self, s);
}

void cpu_tell_early(struct replay *r, uint32_t id, struct task *task, int64_t from)
{
	struct cpu *c = &r->cpus.at[id];

	for (size_t i = 0; i < c->early.n; i++) {
		struct cpu_seg *s = &c->early.at[i], before = *s;

		before.t1 = before.t1 < from ? before.t1 : from;
		before.switched = false;
		tell_seg(r, &before, NULL);
		s->t0 = s->t0 > from ? s->t0 : from < s->t1 ? from : s->t1;
		tell_seg(r, s, task);
	}
	vec_free(&c->early);
}

/* Tell [since, t) as a segment in which `task` was current. */
static void close_as(struct replay *r, uint32_t id, int64_t t, struct task *task, bool switched)
{
	struct cpu *c = &r->cpus.at[id];
	struct cpu_seg s = {.cpu = id,
	                    .t0 = c->since,
	                    .t1 = t > c->since ? t : c->since,
	                    .khz = c->khz,
	                    .max_khz = c->max_khz,
	                    .idle_state = c->idle_state,
	                    .offline = c->offline,
	                    .switched = switched};

	if (s.t0 == s.t1 && !switched)
		return;
	c->since = s.t1;
	if (c->seen || c->start_unsure) {
		tell_seg(r, &s, task);
		return;
	}
	*vec_add(&c->early) = s;
	if (c->early.n == EARLY_MAX) { /* too much to remember: give up on it */
		c->start_unsure = true;
		cpu_tell_early(r, id, NULL, t);
	}
}

void cpu_close(struct replay *r, uint32_t id, int64_t t)
{
	close_as(r, id, t, r->cpus.at[id].cur, false);
}

/* ---- running ---- */

static void set_current(struct cpu *c, struct task *t, int64_t agreed)
{
	c->cur = t;
	c->cur_pid = t ? t->pid : NO_PID;
	c->agreed = agreed;
	c->left_pid = NO_PID;
}

/* What was current is known up to t and unknown from there; so is its task. */
static void forget_current(struct replay *r, uint32_t id, int64_t t)
{
	struct cpu *c = &r->cpus.at[id];
	struct task *x = c->cur;

	t = t > c->since ? t : c->since;
	cpu_close(r, id, t);
	if (x && x != &r->idle) {
		task_enter(r, x, t, TASK_UNKNOWN);
		x->wait = WAIT_NONE;
	}
	set_current(c, NULL, t);
}

/* The task runs on this CPU from t on. `seen`: there was a switch to it. */
static void begin_run(struct replay *r, uint32_t id, int64_t t, struct task *x, bool seen)
{
	if (x == &r->idle)
		return;
	if (x->on != NO_CPU && x->on != id) { /* a switch of that CPU is missing */
		tell(r, inferred, {x->on, t});
		forget_current(r, x->on, r->cpus.at[x->on].agreed);
	}
	if (x->cpu != NO_CPU && x->cpu != id)
		task_moved(r, x, t, id, false);
	x->cpu = id;
	if (seen) {
		enum wait_kind k = x->wait;

		if ((k == WAIT_WAKEUP && r->waking_seen) || task_lost_from(r, x, t) < t)
			k = WAIT_NONE;
		tell(r, switch_in, {x, id, t, k, x->wait_from});
	}
	x->wait = WAIT_NONE;
	x->is_new = false;
	task_enter_as(r, x, t, TASK_RUNNING, x->state >= TASK_SLEEPING ? TASK_UNKNOWN : x->state);
	x->on = id;
}

static enum task_state blocked_state(int64_t bits)
{
	if (bits & (TS_DEAD | TS_ZOMBIE))
		return TASK_DEAD;
	if (bits & TS_INTERRUPTIBLE)
		return TASK_SLEEPING;
	if (bits & TS_IDLE)
		return TASK_IDLING;
	if (bits & TS_UNINTERRUPTIBLE)
		return TASK_DISK;
	return TASK_STOPPED;
}

static void end_run(struct replay *r, const struct event *ev, struct task *x)
{
	bool known = event_has(ev, sched_switch, prev_state);
	int64_t bits = ev->sched_switch.prev_state;
	bool preempted = known && (bits == TS_RUNNABLE || bits == TS_PREEMPTED);

	if (x == &r->idle)
		return;
	if (event_has(ev, sched_switch, prev_comm))
		task_name(x, ev->sched_switch.prev_comm);
	if (preempted) {
		task_enter(r, x, ev->ts, TASK_RUNNABLE);
		x->wait = WAIT_PREEMPT;
		x->wait_from = ev->ts;
		x->enqueued = true;
	} else if (!known) {
		task_enter(r, x, ev->ts, TASK_UNKNOWN);
	} else if (blocked_state(bits) == TASK_DEAD) {
		task_gone(r, x, ev->ts);
	} else {
		task_enter(r, x, ev->ts, blocked_state(bits));
	}
}

static void infer(struct replay *r, uint32_t id, int64_t b, struct task *now);

/* The CPU's data begins, or begins again after a gap. */
static void data_begins(struct replay *r, uint32_t id, int64_t t)
{
	struct cpu *c = &r->cpus.at[id];

	if (c->gap_to != INT64_MAX)
		return;
	c->gap_to = t;
	tell(r, gap_over, {id, c->gap_from > NO_TIME + 1 ? c->gap_from : NO_TIME, t});
}

/* A switch that does not say who was current (compact scheduling). At a CPU's first event, or after
 * a gap, nobody knows. Where the next task is the one that is known to run, the switch to another
 * is missing in between: from idle it is to the task woken last for this CPU, if there is one. */
static void unnamed_switch(struct replay *r, const struct event *ev, struct task *next)
{
	struct cpu *c = &r->cpus.at[ev->cpu];

	if (!c->cur) {
		data_begins(r, ev->cpu, ev->ts);
		close_as(r, ev->cpu, ev->ts, NULL, false);
		c->seen = c->exists = true;
		cpu_tell_early(r, ev->cpu, NULL, ev->ts);
	} else if (next == c->cur) {
		if (next == &r->idle && c->woken && c->woken->state == TASK_RUNNABLE &&
		    c->woken->wake_cpu == ev->cpu && c->woken->wake_seen >= c->agreed) {
			infer(r, ev->cpu, ev->ts, c->woken);
			return;
		}
		tell(r, inferred, {ev->cpu, ev->ts});
		forget_current(r, ev->cpu, c->agreed);
	}
}

void cpu_switch(struct replay *r, const struct event *ev)
{
	struct cpu *c = cpu_get(r, ev->cpu);
	const struct ev_sched_switch *s = &ev->sched_switch;
	struct task *next;

	if (!event_has(ev, sched_switch, next_pid)) { /* cut short: who runs now is not known */
		forget_current(r, ev->cpu, ev->ts);
		return;
	}
	if (__builtin_expect(c->irq != 0, 0))
		irq_over(r, ev->cpu, ev->ts);
	next = task_get(r, (int32_t)s->next_pid);
	if (__builtin_expect(!event_has(ev, sched_switch, prev_pid) && ev->pid < 0, 0)) {
		unnamed_switch(r, ev, next);
		c = &r->cpus.at[ev->cpu];
	}
	close_as(r, ev->cpu, ev->ts, c->cur, true);
	if (c->cur)
		end_run(r, ev, c->cur);
	begin_run(r, ev->cpu, ev->ts, next, true);
	if (next != &r->idle) {
		if (event_has(ev, sched_switch, next_comm))
			task_name(next, s->next_comm);
		if (event_has(ev, sched_switch, next_prio))
			next->prio = (int32_t)s->next_prio;
	}
	c = &r->cpus.at[ev->cpu];
	set_current(c, next, ev->ts);
	c->left_pid = event_has(ev, sched_switch, prev_pid) ? (int32_t)s->prev_pid : NO_PID;
}

/* ---- evidence ---- */

/* Switches are missing: the record at b says that `now` runs, but `c->cur` did at the last record
 * that agreed, a. From idle, the task starts at its last wake-up for this CPU in [a, b] if there is
 * one (the wake-up may itself be record a, written by the idle task); else, and from any other
 * task, who ran in (a, b) is not known. */
static void infer(struct replay *r, uint32_t id, int64_t b, struct task *now)
{
	struct cpu *c = &r->cpus.at[id];
	int64_t a = c->agreed > c->since ? c->agreed : c->since, from = b;

	if (c->cur == &r->idle && now->wake_cpu == id && now->wake_seen >= c->agreed &&
	    now->wake_seen <= b)
		from = now->wake_seen > c->since ? now->wake_seen : c->since;
	tell(r, inferred, {id, b});
	if (c->cur == &r->idle && from < b) {
		cpu_close(r, id, from);
		set_current(c, NULL, from);
	} else {
		forget_current(r, id, a);
		close_as(r, id, b, NULL, false);
	}
	begin_run(r, id, from, now, false);
	set_current(&r->cpus.at[id], now, b);
}

/* The first record of a CPU, or the first after a gap. */
static void adopt(struct replay *r, uint32_t id, int64_t t, struct task *now)
{
	struct cpu *c = &r->cpus.at[id];
	bool since_start = !c->seen && !c->start_unsure;
	int64_t from = !since_start ? t : c->early.n ? c->early.at[0].t0 : c->since;

	data_begins(r, id, t);
	close_as(r, id, t, NULL, false); /* into c->early, or told as unknown */
	c->seen = c->exists = true;
	begin_run(r, id, from, now, false);
	if (now != &r->idle && now->since > from)
		from = now->since; /* it was seen elsewhere before */
	cpu_tell_early(r, id, now, from);
	set_current(&r->cpus.at[id], now, t);
}

void cpu_contradiction(struct replay *r, uint32_t id, const struct event *ev)
{
	struct cpu *c = cpu_get(r, id);
	struct task *now;
	int32_t pid = ev->pid;

	if (ev->kind == EV_sched_switch && event_has(ev, sched_switch, prev_pid))
		pid = (int32_t)ev->sched_switch.prev_pid;
	if (pid < 0 || pid == c->cur_pid)
		return;
	/* between sched_switch and the switch itself the old task may write a few more (tlb_flush)
	 */
	if (c->cur && pid == c->left_pid && ev->kind == EV_other &&
	    ev->ts - c->agreed < STRAGGLE_NS)
		return;
	now = task_get(r, pid);
	if (c->cur)
		infer(r, id, ev->ts, now);
	else
		adopt(r, id, ev->ts, now);
}

void cpu_lost(struct replay *r, const struct event *ev)
{
	struct cpu *c = cpu_get(r, ev->cpu);

	tell(r, gap, {ev->cpu, ev->ts, ev->lost.count});
	if (c->irq)
		irq_over(r, ev->cpu, ev->ts);
	if (ev->flags & EVENT_AT_START) {
		c->start_unsure = true;
		return;
	}
	forget_current(r, ev->cpu, ev->ts);
	c->frozen = NULL;
	c->gap_from = ev->ts;
	c->gap_to = INT64_MAX; /* until its next event */
	r->gaps = true;
	c->idle_state = IDLE_UNKNOWN;
	/* frequency events that this CPU wrote may be missing, for whichever CPU */
	for (uint32_t i = 0; i < r->cpus.n; i++) {
		if (i != ev->cpu && r->cpus.at[i].khz_written != ev->cpu)
			continue;
		cpu_close(r, i, ev->ts);
		r->cpus.at[i].khz = 0;
		r->cpus.at[i].max_khz = 0;
	}
}

/* ---- frequency, idle, hotplug ---- */

void cpu_frequency(struct replay *r, const struct event *ev, uint32_t id, int64_t khz, bool marker)
{
	struct cpu *c;

	if (id >= CPUS_MAX || khz <= 0)
		return;
	c = cpu_get(r, id);
	if (marker && c->khz_is_event)
		return;
	c->exists = true;
	c->khz_is_event |= !marker;
	c->khz_written = ev->cpu;
	if (khz == c->khz)
		return;
	cpu_close(r, id, ev->ts);
	tell(r, freq_change, {id, ev->ts, c->khz, khz, marker});
	c->khz = khz;
}

static void limits(struct replay *r, const struct event *ev)
{
	const struct ev_cpu_frequency_limits *l = &ev->cpu_frequency_limits;
	uint32_t id = cpu_named(true, l->cpu_id);
	struct cpu *c;

	if (id == NO_CPU || l->max_khz <= 0)
		return;
	c = cpu_get(r, id);
	cpu_close(r, id, ev->ts);
	c->exists = true;
	c->max_khz = l->max_khz;
	tell(r, limits_change, {id, ev->ts, l->min_khz, l->max_khz});
}

static void idle(struct replay *r, const struct event *ev)
{
	uint32_t id =
	        cpu_named(true, event_has(ev, cpu_idle, cpu_id) ? ev->cpu_idle.cpu_id : ev->cpu);
	int32_t state = (int32_t)ev->cpu_idle.state; /* 4294967295 becomes -1 */
	struct cpu *c;

	if (id == NO_CPU || !event_has(ev, cpu_idle, state))
		return;
	c = cpu_get(r, id);
	c->exists = true;
	state = state < 0 ? IDLE_ACTIVE : state;
	cpu_close(r, id, ev->ts);
	tell(r, idle_change, {id, ev->ts, c->idle_state, state});
	c->idle_state = state;
}

static void hotplug(struct replay *r, int64_t cpu, int64_t t, bool offline)
{
	uint32_t id = cpu_named(true, cpu);

	if (id == NO_CPU || cpu_get(r, id)->offline == offline)
		return;
	cpu_close(r, id, t);
	r->cpus.at[id].offline = offline;
}

/* What /proc/stat says: told where the CPU's own time is told up to the same moment. */
static void times(struct replay *r, const struct event *ev)
{
	const struct ev_cpu_times *t = &ev->cpu_times;
	uint32_t id = cpu_named(true, t->cpu_id);

	if (!replay_cpu_exists(r, id))
		return;
	cpu_close(r, id, ev->ts);
	tell(r, cpu_times, {id, ev->ts, t->busy_ns, t->idle_ns});
}

static void rail(struct replay *r, const struct event *ev)
{
	const struct ev_power_rail *p = &ev->power_rail;
	const bool named = event_has(ev, power_rail, name);

	tell(r, rail,
	     {ev->ts, (uint32_t)p->rail, p->energy_uws, named ? p->name : (struct str){NULL, 0}});
}

void cpu_other(struct replay *r, const struct event *ev)
{
	switch (ev->kind) {
	case EV_cpu_frequency:
		cpu_frequency(r, ev,
		              event_has(ev, cpu_frequency, cpu_id)
		                      ? (uint32_t)ev->cpu_frequency.cpu_id
		                      : ev->cpu,
		              ev->cpu_frequency.khz, false);
		break;
	case EV_policy_frequency:
		if (event_has(ev, policy_frequency, cpu_id))
			cpu_frequency(r, ev, (uint32_t)ev->policy_frequency.cpu_id,
			              ev->policy_frequency.khz, false);
		break;
	case EV_cpu_times:
		times(r, ev);
		break;
	case EV_power_rail:
		rail(r, ev);
		break;
	case EV_cpufreq_sample: /* like a marker: counts until the first real event */
		cpu_frequency(r, ev, (uint32_t)ev->cpufreq_sample.cpu_id, ev->cpufreq_sample.khz,
		              true);
		break;
	case EV_cpu_frequency_limits:
		limits(r, ev);
		break;
	case EV_cpu_idle:
		idle(r, ev);
		break;
	case EV_cpuhp_enter: /* any step towards a state above 0 brings the CPU up */
		if (event_has(ev, cpuhp_enter, cpu) && ev->cpuhp_enter.target > 0)
			hotplug(r, ev->cpuhp_enter.cpu, ev->ts, false);
		break;
	default: /* cpuhp_exit: state 0 is offline */
		if (event_has(ev, cpuhp_exit, state) && event_has(ev, cpuhp_exit, cpu) &&
		    ev->cpuhp_exit.state == 0)
			hotplug(r, ev->cpuhp_exit.cpu, ev->ts, true);
	}
}
