/* From events to facts: what every CPU and task was doing. The only place that knows what scheduler
 * events mean.
 *
 * Facts are told to one listener as they become certain. Interval facts cover [t0, t1) and never
 * overlap; together they cover all the time between the start and the end, unknown time included:
 * a CPU is busy, idle or unknown, a task runs, waits, is blocked or unknown.
 *
 * Rules where events do not say it outright:
 *  - pid 0 is the idle task of its CPU. A task is a pid and an incarnation: a fork of a pid that is
 *    in use, or anything a dead pid does, begins another.
 *  - Before a CPU's first event its current task is that event's pid, unless its first events were
 *    overwritten (trace_cpu.late) or the trace begins with a gap.
 *  - A gap ends what is known of its CPU at the last event before it.
 *  - The pid of any record is evidence of who runs. When it contradicts what is known, switches are
 *    missing: see infer() in cpu.c.
 *  - A waking of a running task changes nothing; a second waking does not restart the wait.
 *  - While the machine is suspended its CPUs are offline, and what ran is stopped.
 *  - A blocked task that runs without having been woken was blocked or waiting: unknown. */
#ifndef PELTIER_REPLAY_REPLAY_H
#define PELTIER_REPLAY_REPLAY_H

#include "base/mem.h"
#include "event/event.h"
#include "event/trace.h"

enum { COMM_LEN = 16, NO_PID = -1 };
#define NO_CPU UINT32_MAX
#define NO_TIME INT64_MIN

enum task_state {
	TASK_UNKNOWN,
	TASK_RUNNING,
	TASK_RUNNABLE,
	TASK_SLEEPING, /* S */
	TASK_DISK,     /* D: uninterruptible */
	TASK_STOPPED,  /* T, t, P */
	TASK_IDLING,   /* I: a kernel thread without work */
	TASK_DEAD,
	TASK_STATES
};

/* Neither runs nor wants to. */
static inline bool task_is_blocked(enum task_state s)
{
	return s >= TASK_SLEEPING && s <= TASK_IDLING;
}

/* What a waiting time is measured from. */
enum wait_kind {
	WAIT_NONE,    /* not known since when */
	WAIT_WAKING,  /* sched_waking */
	WAIT_NEW,     /* sched_wakeup_new */
	WAIT_WAKEUP,  /* sched_wakeup: only while the trace has shown no sched_waking */
	WAIT_PREEMPT, /* since it lost its CPU while runnable */
};

struct task {
	uint32_t id;       /* 0, 1, 2, ... in order of appearance; the idle task is none of them */
	int32_t pid, tgid; /* tgid NO_PID: not known */
	uint32_t incarnation; /* 0 for the first task with this pid */
	char comm[COMM_LEN];  /* latest name; "" when none was seen */
	const char *process;  /* of the saved names: the process it belongs to, or NULL */
	int32_t prio; /* kernel priority: < 0 deadline, 0-99 RT, 100-139 fair; INT32_MIN unknown */
	int64_t born, died; /* NO_TIME: before the trace, not yet */

	enum task_state state;
	int64_t since; /* of the state, or the last settling */
	uint32_t cpu;  /* ran or was moved here last; NO_CPU */
	uint32_t on;   /* runs here; NO_CPU */
	uint32_t wake_cpu;
	int64_t wake_seen; /* last waking or wakeup of any kind, on wake_cpu */
	enum wait_kind wait;
	int64_t wait_from;
	bool enqueued;      /* sched_wakeup was seen since the waking */
	bool is_new;        /* forked and has not run yet */
	int64_t blocked_ns; /* length of the last blocked interval, for io_wait */
	enum task_state blocked_in;
};

/* ---- facts ---- */

enum cpu_state { CPU_UNKNOWN, CPU_IDLE, CPU_BUSY };
enum { IDLE_UNKNOWN = -1, IDLE_ACTIVE = -2 }; /* besides the state numbers */

/* Nothing about the CPU changed in [t0, t1). Empty only when a switch ended it. */
struct cpu_seg {
	uint32_t cpu;
	int64_t t0, t1;
	enum cpu_state state;
	struct task *task;  /* NULL unless busy */
	int64_t khz;        /* 0: not known */
	int64_t max_khz;    /* policy maximum; 0: not known */
	int32_t idle_state; /* >= 0, IDLE_ACTIVE or IDLE_UNKNOWN */
	bool offline;
	bool switched; /* a sched_switch ended it */
};

/* From RUNNING to RUNNABLE: it was preempted. May be empty (t0 == t1) when the state changes twice
 * at one time. */
struct task_seg {
	struct task *task;
	int64_t t0, t1;
	enum task_state state, next; /* next is the same when the interval was only settled */
	uint32_t cpu;                /* of a running task */
};

/* For each sched_switch to a task other than idle. */
struct switch_in {
	struct task *task;
	uint32_t cpu;
	int64_t t;
	enum wait_kind wait;
	int64_t wait_from; /* when wait is not WAIT_NONE */
};

struct woke {
	struct task *task;
	struct task *waker; /* NULL: an interrupt, or not known */
	bool by_irq;
	int64_t t;
	uint32_t cpu; /* that the event names as target */
};

enum migration_kind {
	MIGRATE_WAKEUP,  /* another CPU was chosen at wake-up */
	MIGRATE_QUEUED,  /* moved while waiting */
	MIGRATE_RUNNING, /* moved while running */
	MIGRATE_FORK,    /* chosen for a new task, or at exec */
	MIGRATE_UNKNOWN,
	MIGRATE_KINDS
};

struct migrated {
	struct task *task;
	int64_t t;
	uint32_t from, to;
	enum migration_kind kind;
	bool announced; /* by sched_migrate_task; else seen when it ran elsewhere */
};

struct freq_change {
	uint32_t cpu;
	int64_t t;
	int64_t from_khz, to_khz; /* from 0: not known before */
	bool marker;              /* from a cpu_frequency_devlib marker or a sample */
};

struct idle_change {
	uint32_t cpu;
	int64_t t;
	int32_t from, to;
};

/* The CPU enters an interrupt (hard or soft), or leaves the last of those that are nested. */
struct irq_change {
	uint32_t cpu;
	int64_t t;
	bool in;
};

struct limits_change {
	uint32_t cpu;
	int64_t t, min_khz, max_khz;
};

struct io_wait {
	struct task *task;
	int64_t ns; /* of its last blocked interval, which was in `state` */
	enum task_state state;
};

/* Signals that kernels record, 0..1024 if nothing else is said: X(signal, name). */
#define KERNEL_SIGNALS_LIST(X)                                                                     \
	X(UTIL, "util")         /* util_avg: of a task, or of a root queue of fair tasks */        \
	X(RUNNABLE, "runnable") /* runnable_avg, before 5.7 runnable load, of the same */          \
	X(RT, "rt")             /* util_avg of the real-time tasks of a CPU */                     \
	X(DL, "dl")             /* ... deadline tasks */                                           \
	X(IRQ, "irq")           /* ... interrupts */                                               \
	X(EST, "est")           /* estimated utilization of a task, or of what is queued */        \
	X(CLAMPED, "clamped")   /* util within its clamps */                                       \
	X(CLAMP_MIN, "uclamp_min")                                                                 \
	X(CLAMP_MAX, "uclamp_max")                                                                 \
	X(WALT, "walt")                   /* WALT's util beside PELT's */                          \
	X(WALT_DEMAND, "walt_demand")     /* ns of a window, or 0..1024, as the kernel has it */   \
	X(WALT_PREV, "walt_prev")         /* load of a CPU in the last window, the same */         \
	X(CAPACITY, "capacity")           /* what a CPU has left for fair tasks */                 \
	X(CAPACITY_CURR, "capacity_curr") /* ... at its present clock */                           \
	X(OVERUTILIZED, "overutilized")   /* 0 or 1, of the CPU that says so */

enum kernel_signal {
#define X(signal, name) SIGNAL_##signal,
	KERNEL_SIGNALS_LIST(X)
#undef X
	        KERNEL_SIGNALS
};

/* As the list has it. */
const char *kernel_signal_name(enum kernel_signal s);

struct kernel_util {
	enum kernel_signal signal;
	struct task *task; /* NULL: of a CPU */
	uint32_t cpu;      /* whose clock it is on; NO_CPU: not recorded */
	int64_t t, util;
	int64_t update_time; /* ns of the PELT clock; NO_TIME: not recorded */
};

/* Busy and idle time of a CPU since boot as the kernel accounts it, in steps of 10 ms. */
struct cpu_times {
	uint32_t cpu;
	int64_t t, busy_ns, idle_ns;
};

/* Energy that a power rail has delivered since some time before the trace. */
struct rail {
	int64_t t;
	uint32_t rail;
	int64_t uws;     /* uJ */
	struct str name; /* p NULL: not told */
};

struct gap {
	uint32_t cpu;
	int64_t t, count; /* -1: how many is not known */
};

/* Data of the CPU begins again: events are missing in (from, to); from NO_TIME: since before the
 * trace. */
struct gap_over {
	uint32_t cpu;
	int64_t from, to;
};

/* The machine slept, and the clock of the trace went on. */
struct suspended {
	int64_t from, to;
};

/* A switch that the trace does not have was made up from evidence. */
struct inferred {
	uint32_t cpu;
	int64_t t;
};

#define FACTS(X)                                                                                   \
	X(cpu_seg)                                                                                 \
	X(task_seg)                                                                                \
	X(switch_in)                                                                               \
	X(woke)                                                                                    \
	X(migrated)                                                                                \
	X(freq_change)                                                                             \
	X(idle_change)                                                                             \
	X(irq_change)                                                                              \
	X(limits_change)                                                                           \
	X(io_wait)                                                                                 \
	X(kernel_util)                                                                             \
	X(cpu_times)                                                                               \
	X(rail)                                                                                    \
	X(gap_over)                                                                                \
	X(gap)                                                                                     \
	X(suspended)                                                                               \
	X(inferred)                                                                                \
	X(event)

/* Where facts go; NULL: nowhere. `event` is every event, before its facts. */
struct fact_ops {
#define X(f) void (*f)(void *self, const struct f *fact);
	FACTS(X)
#undef X
};

struct replay_opts {
	uint32_t n_cpus;                /* CPUs known to exist; more may show up */
	const struct trace_cpu *cpus;   /* [n_cpus], read at once; NULL: nothing is lost */
	const struct trace_name *names; /* sorted by pid; tell the process of a pid's first task */
	unsigned n_names;
};

struct replay;

/* Facts are told to `ops` (copied) with `self`, which must outlive the replay. */
struct replay *replay_new(const struct replay_opts *o, const struct fact_ops *ops, void *self);
void replay_free(struct replay *r);
/* The kinds of events whose fields replay_event() reads. */
bool replay_wants(enum event_kind k);
void replay_event(struct replay *r, const struct event *ev);
/* Tell all open intervals up to t, which is not before any event so far. */
void replay_settle(struct replay *r, int64_t t);

/* What the CPU has been doing since the last segment that was told; t1 is the last event. */
struct cpu_seg replay_cpu_open(const struct replay *r, uint32_t cpu);
/* CPUs seen or known to exist, by id below this. */
uint32_t replay_n_cpus(const struct replay *r);
/* Whether there is such a CPU: ids may have holes, and damage makes some up. */
bool replay_cpu_exists(const struct replay *r, uint32_t cpu);
/* Whether the CPU wrote an event. */
bool replay_cpu_seen(const struct replay *r, uint32_t cpu);
uint32_t replay_n_tasks(const struct replay *r);
struct task *replay_task(const struct replay *r, uint32_t id);
/* The living task of that pid that was seen, or NULL. */
struct task *replay_task_of(const struct replay *r, int32_t pid);
/* Time of the first and last event; false when there was none. */
bool replay_span(const struct replay *r, int64_t *start, int64_t *end);

#endif
