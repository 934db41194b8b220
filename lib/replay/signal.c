/* Signals that the kernel recorded: PELT and estimated utilization. */
#include "replay/replay_impl.h"

#include <string.h>

enum { UTIL_MAX = 64 * 1024 };       /* no kernel has more, on a queue of many tasks */
#define EST_FLAG INT64_C(0x80000000) /* "did not change since", not a part of the value */

struct value {
	bool known;
	int64_t v;
};

/* Of the tracepoints with and without some fields. */
#define FIELD(ev, kind, field) ((struct value){event_has(ev, kind, field), (ev)->kind.field})

static void of_task(struct replay *r, const struct event *ev, enum kernel_signal signal,
                    struct value pid, struct value cpu, struct value util, struct value update)
{
	if (!pid.known || pid.v <= 0 || pid.v > INT32_MAX || !util.known || util.v < 0 ||
	    util.v > UTIL_MAX) /* groups have no pid */
		return;
	tell(r, kernel_util,
	     {signal, task_get(r, (int32_t)pid.v), cpu_named(cpu.known, cpu.v), ev->ts, util.v,
	      update.known ? update.v : NO_TIME});
}

static void of_cpu(struct replay *r, const struct event *ev, enum kernel_signal signal,
                   struct value cpu, struct value util, struct value update)
{
	uint32_t id = cpu_named(cpu.known, cpu.v);

	if (!replay_cpu_exists(r, id) || !util.known || util.v < 0 || util.v > UTIL_MAX)
		return;
	tell(r, kernel_util, {signal, NULL, id, ev->ts, util.v, update.known ? update.v : NO_TIME});
}

/* Whether a queue is the root's: other paths are those of groups. */
static bool is_root(const struct event *ev)
{
	struct str path = ev->sched_pelt_cfs.path;

	return !event_has(ev, sched_pelt_cfs, path) || (str_len(path) == 1 && *path.p == '/');
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

void signal_value(struct replay *r, const struct event *ev)
{
	const struct value none = {false, 0};

	switch (ev->kind) {
	case EV_sched_pelt_se:
		of_task(r, ev, SIGNAL_UTIL, FIELD(ev, sched_pelt_se, pid),
		        FIELD(ev, sched_pelt_se, cpu), FIELD(ev, sched_pelt_se, util),
		        FIELD(ev, sched_pelt_se, update_time));
		break;
	case EV_sched_pelt_cfs:
		if (is_root(ev))
			of_cpu(r, ev, SIGNAL_CFS, FIELD(ev, sched_pelt_cfs, cpu),
			       FIELD(ev, sched_pelt_cfs, util),
			       FIELD(ev, sched_pelt_cfs, update_time));
		break;
	case EV_sched_pelt_rt:
		of_cpu(r, ev, SIGNAL_RT, FIELD(ev, sched_pelt_rt, cpu),
		       FIELD(ev, sched_pelt_rt, util), FIELD(ev, sched_pelt_rt, update_time));
		break;
	default:
		of_task(r, ev, SIGNAL_EST, FIELD(ev, sched_util_est_se, pid),
		        FIELD(ev, sched_util_est_se, cpu), estimate(ev), none);
	}
}
