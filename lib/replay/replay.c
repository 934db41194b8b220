#include "replay/replay_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(f)                                                                                       \
	static void nobody_##f(void *self, const struct f *fact)                                   \
	{                                                                                          \
		(void)self;                                                                        \
		(void)fact;                                                                        \
	}
FACTS(X)
#undef X

struct replay *replay_new(const struct replay_opts *o, const struct fact_ops *ops, void *self)
{
	struct replay *r = mem_calloc(1, sizeof *r);

	r->idle.comm[0] = '\0';
	r->idle.tgid = 0;
	r->idle.died = NO_TIME;
	r->ops = *ops;
#define X(f)                                                                                       \
	if (!r->ops.f)                                                                             \
		r->ops.f = nobody_##f;
	FACTS(X)
#undef X
	r->self = self;
	r->names = o->names;
	r->n_names = o->n_names;
	r->settled = NO_TIME;
	r->n_slots = 256;
	r->slot_shift = 24;
	r->slots = mem_calloc(r->n_slots, sizeof *r->slots);
	if (o->n_cpus)
		cpu_get(r, o->n_cpus - 1);
	for (uint32_t i = 0; i < o->n_cpus; i++) {
		r->cpus.at[i].exists = true;
		if (!o->cpus)
			continue;
		r->cpus.at[i].start_unsure = o->cpus[i].late;
		if (o->cpus[i].missing || o->cpus[i].late) {
			r->cpus.at[i].gap_from = NO_TIME + 1;
			r->cpus.at[i].gap_to = INT64_MAX;
			r->gaps = true;
		}
	}
	return r;
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->cpus.n; i++)
		vec_free(&r->cpus.at[i].early);
	vec_free(&r->cpus);
	vec_free(&r->tasks);
	free(r->slots);
	arena_free(&r->arena);
	free(r);
}

/* ---- markers ---- */

/* devlib's `cpu_frequency_devlib: state=K cpu_id=C`, also under the plain name. */
static void marker(struct replay *r, const struct event *ev)
{
	static const char *const heads[] = {
	        "cpu_frequency_devlib: ", "cpu_frequency: ", "cpu_frequency:        ",
	        "cpu_frequency_devlib:        "};
	char text[80];
	size_t n = ev->print.buf.n;
	unsigned long khz;
	unsigned cpu;

	if (!event_has(ev, print, buf) || n < 14 || n >= sizeof text ||
	    memcmp(ev->print.buf.p, "cpu_frequency", 13))
		return;
	memcpy(text, ev->print.buf.p, n);
	text[n] = '\0';
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		size_t len = strlen(heads[i]);

		if (!strncmp(text, heads[i], len) &&
		    sscanf(text + len, "state=%lu cpu_id=%u", &khz, &cpu) == 2) {
			cpu_frequency(r, ev, cpu, (int64_t)khz, true);
			return;
		}
	}
}

/* atrace: `B|tgid|name` and its kind tell the writer's process */
static void atrace_tgid(struct replay *r, const struct event *ev)
{
	const char *p = ev->print.buf.p;
	size_t n = ev->print.buf.n;
	int32_t tgid = 0;
	struct task *t;

	if (!event_has(ev, print, buf) || n < 3 || p[1] != '|' || !strchr("BESFCIGHN", p[0]) ||
	    ev->pid <= 0)
		return;
	for (size_t i = 2; i < n && i < 12 && p[i] >= '0' && p[i] <= '9' && tgid < INT32_MAX / 10;
	     i++)
		tgid = tgid * 10 + (p[i] - '0');
	t = task_get(r, ev->pid);
	if (tgid > 0 && t->tgid == NO_PID)
		t->tgid = tgid;
}

static void print(struct replay *r, const struct event *ev)
{
	marker(r, ev);
	atrace_tgid(r, ev);
}

/* ---- dispatch ---- */

/* Which events are read, and by whom. */
static void (*const handlers[EVENT_KINDS])(struct replay *, const struct event *) = {
        [EV_sched_switch] = cpu_switch,
        [EV_lost] = cpu_lost,
        [EV_cpu_frequency] = cpu_other,
        [EV_policy_frequency] = cpu_other,
        [EV_cpu_frequency_limits] = cpu_other,
        [EV_cpu_idle] = cpu_other,
        [EV_cpuhp_enter] = cpu_other,
        [EV_cpuhp_exit] = cpu_other,
        [EV_sched_waking] = task_wake,
        [EV_sched_wakeup] = task_wake,
        [EV_sched_wakeup_new] = task_wake,
        [EV_sched_migrate_task] = task_migrate,
        [EV_sched_process_fork] = task_other,
        [EV_sched_process_exec] = task_other,
        [EV_sched_process_free] = task_other,
        [EV_task_newtask] = task_other,
        [EV_task_rename] = task_other,
        [EV_sched_pi_setprio] = task_other,
        [EV_sched_blocked_reason] = task_other,
        [EV_print] = print,
        [EV_sched_pelt_se] = signal_value,
        [EV_cpu_times] = cpu_other,
        [EV_sched_pelt_cfs] = signal_value,
        [EV_sched_pelt_rt] = signal_value,
        [EV_sched_pelt_dl] = signal_value,
        [EV_sched_pelt_irq] = signal_value,
        [EV_sched_util_est_cfs] = signal_value,
        [EV_uclamp_util_se] = signal_value,
        [EV_uclamp_util_cfs] = signal_value,
        [EV_walt_update_task_ravg] = signal_value,
        [EV_walt_update_history] = signal_value,
        [EV_sched_cpu_capacity] = signal_value,
        [EV_sched_overutilized] = signal_value,
        [EV_sched_util_est_se] = signal_value,
        [EV_cpufreq_sample] = cpu_other,
        [EV_irq_handler_entry] = irq_event,
        [EV_irq_handler_exit] = irq_event,
        [EV_softirq_entry] = irq_event,
        [EV_softirq_exit] = irq_event,
        [EV_power_rail] = cpu_other,
        [EV_suspend_resume] = suspend_event,
};

bool replay_wants(enum event_kind k)
{
	return handlers[k] != NULL;
}

static void first_event(struct replay *r, const struct event *ev)
{
	r->started = true;
	r->start = r->settled = ev->ts;
	for (size_t i = 0; i < r->cpus.n; i++)
		r->cpus.at[i].since = ev->ts;
}

/* Who wrote a record ran at that moment. */
static inline void observe(struct replay *r, const struct event *ev)
{
	struct cpu *c = cpu_get(r, ev->cpu);

	if (__builtin_expect(c->cur_pid == ev->pid, 1)) {
		c->agreed = ev->ts;
		c->left_pid = NO_PID;
	} else {
		if (r->asleep && ev->pid >= 0)
			suspend_over(r, ev->ts);
		cpu_contradiction(r, ev->cpu, ev);
	}
}

/* An event that no CPU wrote: not evidence of who ran, and no part of the trace's span. Before the
 * span it says nothing about CPUs and tasks. */
static void packet(struct replay *r, const struct event *ev,
                   void (*handle)(struct replay *, const struct event *))
{
	r->ops.event(r->self, ev);
	if (handle && r->started)
		handle(r, ev);
}

void replay_event(struct replay *r, const struct event *ev)
{
	void (*handle)(struct replay *, const struct event *) = handlers[ev->kind];

	if (__builtin_expect(ev->cpu == EVENT_NO_CPU, 0)) {
		packet(r, ev, handle);
		return;
	}
	if (__builtin_expect(!r->started, 0))
		first_event(r, ev);
	r->end = ev->ts;
	r->ops.event(r->self, ev);
	observe(r, ev);
	if (handle)
		handle(r, ev);
}

void replay_settle(struct replay *r, int64_t t)
{
	if (!r->started)
		return;
	for (uint32_t i = 0; i < r->cpus.n; i++) {
		cpu_close(r, i, t);
		cpu_tell_early(r, i, NULL, t);
	}
	for (size_t i = 0; i < r->tasks.n; i++)
		if (r->tasks.at[i]->died == NO_TIME)
			task_enter(r, r->tasks.at[i], t, r->tasks.at[i]->state);
	r->settled = t;
}

/* ---- what there is ---- */

struct cpu_seg replay_cpu_open(const struct replay *r, uint32_t cpu)
{
	const struct cpu *c = cpu < r->cpus.n ? &r->cpus.at[cpu] : NULL;
	struct task *cur = c && c->seen ? c->cur : NULL;

	return (struct cpu_seg){.cpu = cpu,
	                        .t0 = c ? c->since : r->start,
	                        .t1 = r->end,
	                        .state = !cur              ? CPU_UNKNOWN
	                                 : cur == &r->idle ? CPU_IDLE
	                                                   : CPU_BUSY,
	                        .task = cur == &r->idle ? NULL : cur,
	                        .khz = c ? c->khz : 0,
	                        .max_khz = c ? c->max_khz : 0,
	                        .idle_state = c ? c->idle_state : IDLE_UNKNOWN,
	                        .offline = c && c->offline};
}

uint32_t replay_n_cpus(const struct replay *r)
{
	return (uint32_t)r->cpus.n;
}

bool replay_cpu_exists(const struct replay *r, uint32_t cpu)
{
	return cpu < r->cpus.n && r->cpus.at[cpu].exists;
}

bool replay_cpu_seen(const struct replay *r, uint32_t cpu)
{
	return cpu < r->cpus.n && r->cpus.at[cpu].seen;
}

uint32_t replay_n_tasks(const struct replay *r)
{
	return (uint32_t)r->tasks.n;
}

struct task *replay_task(const struct replay *r, uint32_t id)
{
	return r->tasks.at[id];
}

bool replay_span(const struct replay *r, int64_t *start, int64_t *end)
{
	*start = r->start;
	*end = r->end;
	return r->started;
}
