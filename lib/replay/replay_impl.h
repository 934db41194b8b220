/* Inside of the replay: replay.c dispatches, cpu.c and task.c are the state machines. */
#ifndef PELTIER_REPLAY_REPLAY_IMPL_H
#define PELTIER_REPLAY_REPLAY_IMPL_H

#include "replay/replay.h"

struct cpu {
	bool exists;               /* of the machine, or an event is about it */
	bool seen;                 /* wrote an event */
	bool start_unsure;         /* its first event is not the first there was */
	struct task *cur;          /* NULL: not known; the idle task is &replay.idle */
	int32_t cur_pid;           /* of cur, for one comparison per event; NO_PID */
	int64_t since;             /* start of the open segment */
	VEC(struct cpu_seg) early; /* before its first event: who ran is told by that event */
	int64_t agreed;            /* last record that agrees with cur */
	struct task *woken;        /* last of those woken for this CPU, or NULL */
	int32_t left_pid; /* switched out last, and cur has not been confirmed since; NO_PID */
	int64_t khz, max_khz;
	bool khz_is_event;    /* a real cpu_frequency event was seen */
	uint32_t khz_written; /* by which CPU */
	int32_t idle_state;
	bool offline, was_offline;
	struct task *frozen; /* it goes on when the machine wakes up: see suspend.c */
	uint8_t irq;         /* in a hard interrupt, in a soft one: see irq.c */
	/* the last gap: events are missing in (gap_from, gap_to); NO_TIME: none yet, INT64_MAX:
	 * open */
	int64_t gap_from, gap_to;
};

struct pid_slot {
	int32_t pid; /* 0: free (pid 0 is never in the table) */
	struct task *task;
};

struct replay {
	struct arena arena;
	struct fact_ops ops;
	const struct trace_name *names;
	unsigned n_names;
	void *self;
	struct task idle;
	VEC(struct cpu) cpus;
	VEC(struct task *) tasks;
	struct pid_slot *slots; /* open addressing, a power of two */
	uint32_t n_slots, used_slots;
	uint32_t slot_shift; /* 32 - log2(n_slots) */
	bool started;
	bool waking_seen;
	bool gaps;   /* some CPU has a gap_from */
	bool asleep; /* suspended, since: */
	int64_t asleep_since;
	int64_t start, end; /* first and last event */
	int64_t settled;    /* open intervals begin here at the earliest */
};

/* Tell a fact; `f` is the name of its struct. */
#define tell(r, f, ...) (r)->ops.f((r)->self, &(struct f)__VA_ARGS__)

/* ---- task.c ---- */
static inline uint32_t pid_hash(const struct replay *r, int32_t pid)
{
	return ((uint32_t)pid * 2654435761u) >> r->slot_shift;
}

/* The living task of that pid, made when it is new; pid 0 gives the idle task. */
struct task *task_find(struct replay *r, int32_t pid);
static inline struct task *task_get(struct replay *r, int32_t pid)
{
	const struct pid_slot *s = &r->slots[pid_hash(r, pid)];

	if (__builtin_expect(s->pid == pid && pid > 0 && s->task->died == NO_TIME, 1))
		return s->task;
	return task_find(r, pid);
}
void task_name_any(struct task *t, struct str comm);
static inline void task_name(struct task *t, struct str comm)
{
	if (__builtin_expect(comm.n != COMM_LEN, 0)) {
		task_name_any(t, comm);
		return;
	}
	/* the usual char[16]: what follows its NUL does no harm */
	memcpy(t->comm, comm.p, COMM_LEN);
	t->comm[COMM_LEN - 1] = '\0';
}

/* Close the task's interval at t and go on in `state`. */
void task_enter(struct replay *r, struct task *t, int64_t at, enum task_state state);
/* The same, but the interval that ends is told as `was`. */
void task_enter_as(struct replay *r, struct task *t, int64_t at, enum task_state state,
                   enum task_state was);
/* When a waiting task got lost in a gap of the CPU it waits for; `at`: it did not, up to then. */
int64_t task_lost_from(const struct replay *r, const struct task *t, int64_t at);
void task_fork(struct replay *r, const struct event *ev, int32_t pid, struct str comm);
void task_wake(struct replay *r, const struct event *ev);
void task_migrate(struct replay *r, const struct event *ev);
void task_moved(struct replay *r, struct task *t, int64_t at, uint32_t to, bool announced);
void task_gone(struct replay *r, struct task *t, int64_t at);
void task_other(struct replay *r, const struct event *ev);

/* ---- irq.c ---- */
void irq_event(struct replay *r, const struct event *ev);
/* An interrupt that is under way ended at t without a record of that. */
void irq_over(struct replay *r, uint32_t id, int64_t t);

/* ---- suspend.c ---- */
void suspend_event(struct replay *r, const struct event *ev);
/* The machine is awake again at t. */
void suspend_over(struct replay *r, int64_t t);

/* ---- signal.c ---- */
void signal_value(struct replay *r, const struct event *ev);

/* ---- cpu.c ---- */
struct cpu *cpu_new(struct replay *r, uint32_t id);
static inline struct cpu *cpu_get(struct replay *r, uint32_t id)
{
	return __builtin_expect(id < r->cpus.n, 1) ? &r->cpus.at[id] : cpu_new(r, id);
}
/* The record's pid is not the one that is known to run. */
void cpu_contradiction(struct replay *r, uint32_t id, const struct event *ev);
void cpu_switch(struct replay *r, const struct event *ev);
void cpu_lost(struct replay *r, const struct event *ev);
void cpu_frequency(struct replay *r, const struct event *ev, uint32_t id, int64_t khz, bool marker);
void cpu_other(struct replay *r, const struct event *ev);
/* Close the open segment at t. */
void cpu_close(struct replay *r, uint32_t id, int64_t t);
/* Tell what was before the CPU's first event; `task` ran from `from` on, before that nobody knows.
 */
void cpu_tell_early(struct replay *r, uint32_t id, struct task *task, int64_t from);

/* A larger number of a CPU is damage. */
enum { CPUS_MAX = 65536 };

/* The CPU that a field names; NO_CPU when it is missing or cannot be one. */
static inline uint32_t cpu_named(bool has, int64_t cpu)
{
	return has && cpu >= 0 && cpu < CPUS_MAX ? (uint32_t)cpu : NO_CPU;
}

#endif
