/* Signals that the kernel recorded: PELT, estimated utilization, clamps, WALT, capacities. */
#include "replay/replay_impl.h"

#include <string.h>

enum { UTIL_MAX = 64 * 1024 };       /* no kernel has more, on a queue of many tasks */
#define WALT_MAX INT64_C(1000000000) /* ns: the longest window */
#define EST_FLAG INT64_C(0x80000000) /* "did not change since", not a part of the value */

const char *kernel_signal_name(enum kernel_signal s)
{
	static const char *const names[] = {
#define X(signal, name) name,
	        KERNEL_SIGNALS_LIST(X)
#undef X
	};

	return names[s];
}

struct value {
	bool known;
	int64_t v;
};

/* Of the tracepoints with and without some fields. */
#define FIELD(ev, kind, field) ((struct value){event_has(ev, kind, field), (ev)->kind.field})
static const struct value none;

static bool possible(enum kernel_signal signal, struct value v)
{
	bool walt = signal == SIGNAL_WALT_DEMAND || signal == SIGNAL_WALT_PREV;

	return v.known && v.v >= 0 && v.v <= (walt ? WALT_MAX : UTIL_MAX);
}

static void of_task(struct replay *r, const struct event *ev, enum kernel_signal signal,
                    struct value pid, struct value cpu, struct value v, struct value update)
{
	/* groups have no pid */
	if (pid.known && pid.v > 0 && pid.v <= INT32_MAX && possible(signal, v))
		tell(r, kernel_util,
		     {signal, task_get(r, (int32_t)pid.v), cpu_named(cpu.known, cpu.v), ev->ts, v.v,
		      update.known ? update.v : NO_TIME});
}

static void of_cpu(struct replay *r, const struct event *ev, enum kernel_signal signal,
                   struct value cpu, struct value v, struct value update)
{
	uint32_t id = cpu_named(cpu.known, cpu.v);

	if (replay_cpu_exists(r, id) && possible(signal, v))
		tell(r, kernel_util,
		     {signal, NULL, id, ev->ts, v.v, update.known ? update.v : NO_TIME});
}

/* Whether a queue is the root's: other paths are those of groups. */
static bool is_root(const struct event *ev)
{
	struct str path = ev->sched_pelt_cfs.path;

	return !event_has(ev, sched_pelt_cfs, path) || (str_len(path) == 1 && *path.p == '/');
}

static void entity(struct replay *r, const struct event *ev)
{
	struct value pid = FIELD(ev, sched_pelt_se, pid), cpu = FIELD(ev, sched_pelt_se, cpu);
	struct value update = FIELD(ev, sched_pelt_se, update_time);

	of_task(r, ev, SIGNAL_UTIL, pid, cpu, FIELD(ev, sched_pelt_se, util), update);
	of_task(r, ev, SIGNAL_RUNNABLE, pid, cpu, FIELD(ev, sched_pelt_se, runnable), update);
	of_task(r, ev, SIGNAL_WALT, pid, cpu, FIELD(ev, sched_pelt_se, util_walt), none);
}

static void fair_queue(struct replay *r, const struct event *ev)
{
	struct value cpu = FIELD(ev, sched_pelt_cfs, cpu);
	struct value update = FIELD(ev, sched_pelt_cfs, update_time);

	if (!is_root(ev))
		return;
	of_cpu(r, ev, SIGNAL_UTIL, cpu, FIELD(ev, sched_pelt_cfs, util), update);
	of_cpu(r, ev, SIGNAL_RUNNABLE, cpu, FIELD(ev, sched_pelt_cfs, runnable), update);
	of_cpu(r, ev, SIGNAL_WALT, cpu, FIELD(ev, sched_pelt_cfs, util_walt), none);
}

/* The estimate of a task: the larger of two numbers, of which one may carry a flag. */
static struct value estimate(const struct event *ev)
{
	struct value a = FIELD(ev, sched_util_est_se, enqueued),
	             b = FIELD(ev, sched_util_est_se, ewma);

	a.v &= ~EST_FLAG;
	b.v &= ~EST_FLAG;
	return b.known && (!a.known || b.v > a.v) ? b : a;
}

static void clamps_of_task(struct replay *r, const struct event *ev)
{
	struct value pid = FIELD(ev, uclamp_util_se, pid), cpu = FIELD(ev, uclamp_util_se, cpu);

	of_task(r, ev, SIGNAL_CLAMPED, pid, cpu, FIELD(ev, uclamp_util_se, uclamp_avg), none);
	of_task(r, ev, SIGNAL_CLAMP_MIN, pid, cpu, FIELD(ev, uclamp_util_se, uclamp_min), none);
	of_task(r, ev, SIGNAL_CLAMP_MAX, pid, cpu, FIELD(ev, uclamp_util_se, uclamp_max), none);
}

static void clamps_of_cpu(struct replay *r, const struct event *ev)
{
	struct value cpu = FIELD(ev, uclamp_util_cfs, cpu);

	of_cpu(r, ev, SIGNAL_CLAMPED, cpu, FIELD(ev, uclamp_util_cfs, uclamp_avg), none);
	of_cpu(r, ev, SIGNAL_CLAMP_MIN, cpu, FIELD(ev, uclamp_util_cfs, uclamp_min), none);
	of_cpu(r, ev, SIGNAL_CLAMP_MAX, cpu, FIELD(ev, uclamp_util_cfs, uclamp_max), none);
}

void signal_value(struct replay *r, const struct event *ev)
{
	switch (ev->kind) {
	case EV_sched_pelt_se:
		entity(r, ev);
		break;
	case EV_sched_pelt_cfs:
		fair_queue(r, ev);
		break;
#define OF_CPU(kind, signal, field, update)                                                        \
	case EV_##kind:                                                                            \
		of_cpu(r, ev, signal, FIELD(ev, kind, cpu), FIELD(ev, kind, field), update);       \
		break
		OF_CPU(sched_pelt_rt, SIGNAL_RT, util, FIELD(ev, sched_pelt_rt, update_time));
		OF_CPU(sched_pelt_dl, SIGNAL_DL, util, FIELD(ev, sched_pelt_dl, update_time));
		OF_CPU(sched_pelt_irq, SIGNAL_IRQ, util, FIELD(ev, sched_pelt_irq, update_time));
		OF_CPU(sched_util_est_cfs, SIGNAL_EST, enqueued, none);
#undef OF_CPU
	case EV_sched_util_est_se:
		of_task(r, ev, SIGNAL_EST, FIELD(ev, sched_util_est_se, pid),
		        FIELD(ev, sched_util_est_se, cpu), estimate(ev), none);
		break;
	case EV_uclamp_util_se:
		clamps_of_task(r, ev);
		break;
	case EV_uclamp_util_cfs:
		clamps_of_cpu(r, ev);
		break;
	case EV_walt_update_task_ravg:
		of_task(r, ev, SIGNAL_WALT_DEMAND, FIELD(ev, walt_update_task_ravg, pid),
		        FIELD(ev, walt_update_task_ravg, cpu),
		        FIELD(ev, walt_update_task_ravg, demand), none);
		of_cpu(r, ev, SIGNAL_WALT_PREV, FIELD(ev, walt_update_task_ravg, cpu),
		       FIELD(ev, walt_update_task_ravg, ps), none);
		break;
	case EV_walt_update_history:
		of_task(r, ev, SIGNAL_WALT_DEMAND, FIELD(ev, walt_update_history, pid),
		        FIELD(ev, walt_update_history, cpu), FIELD(ev, walt_update_history, demand),
		        none);
		break;
	case EV_sched_cpu_capacity:
		of_cpu(r, ev, SIGNAL_CAPACITY, FIELD(ev, sched_cpu_capacity, cpu),
		       FIELD(ev, sched_cpu_capacity, capacity), none);
		of_cpu(r, ev, SIGNAL_CAPACITY_CURR, FIELD(ev, sched_cpu_capacity, cpu),
		       FIELD(ev, sched_cpu_capacity, capacity_curr), none);
		break;
	default:
		of_cpu(r, ev, SIGNAL_OVERUTILIZED, (struct value){true, ev->cpu},
		       FIELD(ev, sched_overutilized, overutilized), none);
	}
}
