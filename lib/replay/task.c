/* Tasks: identity, names, states, wake-ups, migrations. */
#include "replay/replay_impl.h"

#include <stdlib.h>
#include <string.h>

enum { CLONE_THREAD = 0x10000 };

/* ---- identity ---- */

static uint32_t slot_of(const struct replay *r, int32_t pid)
{
	uint32_t i = pid_hash(r, pid);

	while (r->slots[i].pid && r->slots[i].pid != pid)
		i = (i + 1) & (r->n_slots - 1);
	return i;
}

static void grow_slots(struct replay *r)
{
	struct pid_slot *old = r->slots;
	uint32_t n = r->n_slots;

	r->n_slots = n * 2;
	r->slot_shift--;
	r->slots = mem_calloc(r->n_slots, sizeof *r->slots);
	for (uint32_t i = 0; i < n; i++)
		if (old[i].pid)
			r->slots[slot_of(r, old[i].pid)] = old[i];
	free(old);
}

/* What the saved names tell of a pid: they are of its first task, as a rule. */
static void saved_process(const struct replay *r, struct task *t)
{
	const struct trace_name *n = trace_name_find(r->names, r->n_names, t->pid);

	for (; n; n = trace_name_next(r->names, r->n_names, n))
		if (n->tgid > 0)
			t->tgid = n->tgid;
	n = t->tgid > 0 ? trace_name_find(r->names, r->n_names, t->tgid) : NULL;
	for (; n; n = trace_name_next(r->names, r->n_names, n))
		if (n->process)
			t->process = n->process;
}

/* A new task for the pid; it takes the place of an earlier one. */
static struct task *task_new(struct replay *r, int32_t pid, int64_t born)
{
	struct task *t = arena_alloc(&r->arena, sizeof *t);
	uint32_t slot;

	if (r->used_slots * 2 >= r->n_slots)
		grow_slots(r);
	slot = slot_of(r, pid);
	if (!r->slots[slot].pid)
		r->used_slots++;
	t->id = (uint32_t)r->tasks.n;
	t->pid = pid;
	t->tgid = NO_PID;
	t->incarnation = r->slots[slot].pid ? r->slots[slot].task->incarnation + 1 : 0;
	t->prio = INT32_MIN;
	t->born = born;
	t->died = NO_TIME;
	t->since = born == NO_TIME || born < r->settled ? r->settled : born;
	t->cpu = t->on = t->wake_cpu = NO_CPU;
	t->wake_seen = NO_TIME;
	if (r->n_names && !t->incarnation)
		saved_process(r, t);
	r->slots[slot].pid = pid;
	r->slots[slot].task = t;
	*vec_add(&r->tasks) = t;
	return t;
}

struct task *task_find(struct replay *r, int32_t pid)
{
	struct task *t;

	if (pid <= 0)
		return &r->idle;
	t = r->slots[slot_of(r, pid)].task;
	if (!t)
		return task_new(r, pid, NO_TIME);
	if (t->died != NO_TIME)
		return task_new(r, pid, t->died);
	return t;
}

struct task *replay_task_of(const struct replay *r, int32_t pid)
{
	struct task *t = pid > 0 ? r->slots[slot_of(r, pid)].task : NULL;

	return t && t->died == NO_TIME ? t : NULL;
}

void task_name_any(struct task *t, struct str comm)
{
	size_t n;

	n = str_len(comm); /* of an absent name it is 0 */
	if (!n)
		return;
	n = n < COMM_LEN - 1 ? n : COMM_LEN - 1;
	memcpy(t->comm, comm.p, n);
	t->comm[n] = '\0';
}

/* ---- states ---- */

/* From when on a gap covers what the waiting task did: it may have run, and slept, in it. `at` when
 * none does. */
static int64_t lost_on(const struct replay *r, uint32_t cpu, int64_t since, int64_t at)
{
	const struct cpu *c = cpu < r->cpus.n ? &r->cpus.at[cpu] : NULL;

	if (!c || c->gap_to == NO_TIME || c->gap_to <= since || c->gap_from >= at)
		return at;
	return c->gap_from > since ? c->gap_from : since;
}

int64_t task_lost_from(const struct replay *r, const struct task *t, int64_t at)
{
	int64_t a, b;

	if (!r->gaps || t->state != TASK_RUNNABLE)
		return at;
	a = lost_on(r, t->cpu, t->since, at);
	b = lost_on(r, t->wake_cpu, t->since, at);
	return a < b ? a : b;
}

/* Before an event says something new of a waiting task: what it did up to now may be lost. */
static void check_lost(struct replay *r, struct task *t, int64_t at)
{
	if (task_lost_from(r, t, at) == at)
		return;
	task_enter(r, t, at, TASK_UNKNOWN);
	t->wait = WAIT_NONE;
}

void task_enter_as(struct replay *r, struct task *t, int64_t at, enum task_state state,
                   enum task_state was)
{
	if (t == &r->idle)
		return;
	if (at < t->since)
		at = t->since;
	if (was == TASK_RUNNABLE) {
		int64_t lost = task_lost_from(r, t, at);

		if (lost < at) { /* it waits for a CPU whose events are missing */
			if (lost > t->since)
				tell(r, task_seg, {t, t->since, lost, was, TASK_UNKNOWN, NO_CPU});
			t->since = lost;
			was = TASK_UNKNOWN;
		}
	}
	if (task_is_blocked(was)) {
		t->blocked_ns = at - t->since;
		t->blocked_in = was;
	}
	if (at > t->since || state != was)
		tell(r, task_seg,
		     {t, t->since, at, was, state, was == TASK_RUNNING ? t->on : NO_CPU});
	t->since = at;
	t->state = state;
	if (state != TASK_RUNNING)
		t->on = NO_CPU;
}

void task_enter(struct replay *r, struct task *t, int64_t at, enum task_state state)
{
	task_enter_as(r, t, at, state, t->state);
}

void task_gone(struct replay *r, struct task *t, int64_t at)
{
	if (t == &r->idle || t->died != NO_TIME)
		return;
	task_enter(r, t, at, TASK_DEAD);
	t->died = t->since;
}

/* A pid is born. Its earlier owner, if it still counts as living, died unseen. */
void task_fork(struct replay *r, const struct event *ev, int32_t pid, struct str comm)
{
	struct task *t;

	if (pid <= 0)
		return;
	t = r->slots[slot_of(r, pid)].task;
	if (t && t->is_new && t->died == NO_TIME) { /* task_newtask, then sched_process_fork */
		task_name(t, comm);
		return;
	}
	if (t)
		task_gone(r, t, ev->ts);
	t = task_new(r, pid, ev->ts);
	t->is_new = true;
	task_name(t, comm);
	task_enter(r, t, ev->ts, TASK_RUNNABLE);
}

static void newtask(struct replay *r, const struct event *ev)
{
	const struct ev_task_newtask *n = &ev->task_newtask;
	struct task *t, *parent;

	task_fork(r, ev, (int32_t)n->pid, n->comm);
	t = task_get(r, (int32_t)n->pid);
	if (t == &r->idle || !event_has(ev, task_newtask, clone_flags))
		return;
	parent = task_get(r, ev->pid);
	t->tgid = n->clone_flags & CLONE_THREAD ? parent->tgid : t->pid;
	t->process = n->clone_flags & CLONE_THREAD ? parent->process : NULL;
}

/* ---- wake-ups ---- */

/* sched_waking, sched_wakeup and sched_wakeup_new have the same fields in the same order: they are
 * read through the first of them. */
_Static_assert(sizeof(struct ev_sched_waking) == sizeof(struct ev_sched_wakeup) &&
                       sizeof(struct ev_sched_waking) == sizeof(struct ev_sched_wakeup_new) &&
                       (int)EVB_sched_waking_comm == (int)EVB_sched_wakeup_comm &&
                       (int)EVB_sched_waking_comm == (int)EVB_sched_wakeup_new_comm,
               "wake-ups");

/* Waits for its first run after a wake-up of any kind. */
static bool is_woken(const struct task *t)
{
	return t->wait >= WAIT_WAKING && t->wait <= WAIT_WAKEUP;
}

static void begin_wait(struct task *t, enum wait_kind k, int64_t at)
{
	t->wait = k;
	t->wait_from = at;
}

/* The task becomes runnable (it may be already, when it was preempted on its way to sleep). */
static void waking(struct replay *r, const struct event *ev, struct task *t, enum wait_kind k)
{
	bool by_irq = ev->flags & EVENT_CONTEXT;
	struct task *cur = cpu_get(r, ev->cpu)->cur;

	begin_wait(t, k, ev->ts);
	t->enqueued = false;
	if (t->state != TASK_RUNNABLE)
		task_enter(r, t, ev->ts, TASK_RUNNABLE);
	tell(r, woke, {t, by_irq || cur == &r->idle ? NULL : cur, by_irq, ev->ts, t->wake_cpu});
}

/* What a first wake-up tells of the task besides. */
static void introduce(const struct event *ev, struct task *t)
{
	if (!t->comm[0] && event_has(ev, sched_waking, comm))
		task_name(t, ev->sched_waking.comm);
	if (t->prio == INT32_MIN && event_has(ev, sched_waking, prio))
		t->prio = (int32_t)ev->sched_waking.prio;
}

static void wakeup(struct replay *r, const struct event *ev, struct task *t)
{
	if (!r->waking_seen && !is_woken(t))
		waking(r, ev, t, WAIT_WAKEUP);
	else if (t->state != TASK_RUNNABLE) /* its waking is missing */
		task_enter(r, t, ev->ts, TASK_RUNNABLE);
	t->enqueued = true;
}

static void wakeup_new(struct replay *r, const struct event *ev, struct task *t)
{
	if (!t->is_new && t->state != TASK_UNKNOWN) { /* its fork was not traced */
		task_fork(r, ev, t->pid, ev->sched_waking.comm);
		t = task_get(r, t->pid);
	}
	if (!is_woken(t))
		waking(r, ev, t, WAIT_NEW);
}

void task_wake(struct replay *r, const struct event *ev)
{
	struct task *t;

	if (!event_has(ev, sched_waking, pid) || ev->sched_waking.pid <= 0)
		return;
	t = task_get(r, (int32_t)ev->sched_waking.pid);
	if (__builtin_expect(t->prio == INT32_MIN || !t->comm[0], 0))
		introduce(ev, t);
	check_lost(r, t, ev->ts);
	t->wake_seen = ev->ts;
	t->wake_cpu =
	        cpu_named(event_has(ev, sched_waking, target_cpu), ev->sched_waking.target_cpu);
	if (t->wake_cpu < r->cpus.n)
		r->cpus.at[t->wake_cpu].woken = t;
	r->waking_seen |= ev->kind == EV_sched_waking;
	if (t->state == TASK_RUNNING)
		return;
	if (ev->kind == EV_sched_wakeup)
		wakeup(r, ev, t);
	else if (ev->kind == EV_sched_wakeup_new)
		wakeup_new(r, ev, t);
	else if (!is_woken(t))
		waking(r, ev, t, WAIT_WAKING);
}

/* ---- migrations ---- */

static enum migration_kind migration_kind(const struct task *t)
{
	if (t->is_new)
		return MIGRATE_FORK;
	switch (t->state) {
	case TASK_RUNNING:
		return MIGRATE_RUNNING;
	case TASK_RUNNABLE:
		return is_woken(t) && !t->enqueued ? MIGRATE_WAKEUP : MIGRATE_QUEUED;
	case TASK_UNKNOWN:
		return MIGRATE_UNKNOWN;
	default:
		return MIGRATE_WAKEUP;
	}
}

void task_moved(struct replay *r, struct task *t, int64_t at, uint32_t to, bool announced)
{
	enum migration_kind k = migration_kind(t);

	if (!announced && k == MIGRATE_QUEUED && is_woken(t) && t->wake_cpu == to)
		k = MIGRATE_WAKEUP; /* its wake-up named that CPU already */
	tell(r, migrated, {t, at, t->cpu, to, k, announced});
	t->cpu = to;
}

void task_migrate(struct replay *r, const struct event *ev)
{
	const struct ev_sched_migrate_task *m = &ev->sched_migrate_task;
	struct task *t = task_get(r, (int32_t)m->pid);

	if (t == &r->idle || !event_has(ev, sched_migrate_task, pid))
		return;
	if (!t->comm[0] && event_has(ev, sched_migrate_task, comm))
		task_name(t, m->comm);
	check_lost(r, t, ev->ts);
	if (event_has(ev, sched_migrate_task, orig_cpu))
		t->cpu = cpu_named(true, m->orig_cpu);
	task_moved(r, t, ev->ts,
	           cpu_named(event_has(ev, sched_migrate_task, dest_cpu), m->dest_cpu), true);
}

/* ---- the rest ---- */

static void blocked_reason(struct replay *r, const struct event *ev)
{
	struct task *t = task_get(r, (int32_t)ev->sched_blocked_reason.pid);

	if (t == &r->idle || !ev->sched_blocked_reason.io_wait || !t->blocked_ns)
		return;
	tell(r, io_wait, {t, t->blocked_ns, t->blocked_in});
	t->blocked_ns = 0;
}

static void rename_task(struct replay *r, const struct event *ev)
{
	int32_t pid = event_has(ev, task_rename, pid) ? (int32_t)ev->task_rename.pid : ev->pid;

	if (pid > 0 && event_has(ev, task_rename, newcomm))
		task_name(task_get(r, pid), ev->task_rename.newcomm);
}

static void exec_task(struct replay *r, const struct event *ev)
{
	struct task *t = task_get(r, (int32_t)ev->sched_process_exec.pid);

	if (t != &r->idle)
		t->tgid = t->pid;
}

void task_other(struct replay *r, const struct event *ev)
{
	switch (ev->kind) {
	case EV_sched_process_fork:
		task_fork(r, ev, (int32_t)ev->sched_process_fork.child_pid,
		          event_has(ev, sched_process_fork, child_comm)
		                  ? ev->sched_process_fork.child_comm
		                  : (struct str){NULL, 0});
		break;
	case EV_task_newtask:
		newtask(r, ev);
		break;
	case EV_sched_process_exec:
		exec_task(r, ev);
		break;
	case EV_sched_process_free:
		if (ev->sched_process_free.pid > 0) {
			struct task *t =
			        r->slots[slot_of(r, (int32_t)ev->sched_process_free.pid)].task;

			if (t && t->state != TASK_RUNNING)
				task_gone(r, t, ev->ts);
		}
		break;
	case EV_task_rename:
		rename_task(r, ev);
		break;
	case EV_sched_pi_setprio:
		if (ev->sched_pi_setprio.pid > 0 && ev->sched_pi_setprio.pid <= INT32_MAX &&
		    event_has(ev, sched_pi_setprio, newprio))
			task_get(r, (int32_t)ev->sched_pi_setprio.pid)->prio =
			        (int32_t)ev->sched_pi_setprio.newprio;
		break;
	default:
		blocked_reason(r, ev);
	}
}
