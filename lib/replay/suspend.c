/* The machine sleeps between the two events of `timekeeping_freeze` (the last step of
 * suspend_resume): no CPU runs. Clocks that go on meanwhile (boot) jump over it; those that stop do
 * not show it. What ran is stopped, CPUs are offline, and afterwards everything goes on as it was.
 */
#include "replay/replay_impl.h"

#include <string.h>

static void sleep_cpu(struct replay *r, uint32_t id, int64_t t)
{
	struct cpu *c = &r->cpus.at[id];
	struct task *x = c->cur;

	cpu_close(r, id, t);
	c->frozen = x && x != &r->idle ? x : NULL;
	c->was_offline = c->offline;
	c->offline = true;
	if (!c->frozen)
		return;
	task_enter(r, x, t, TASK_STOPPED);
	c->cur = &r->idle;
	c->cur_pid = 0;
}

static void wake_cpu(struct replay *r, uint32_t id, int64_t t)
{
	struct cpu *c = &r->cpus.at[id];
	struct task *x = c->frozen;

	cpu_close(r, id, t);
	c->offline = c->was_offline;
	c->frozen = NULL;
	if (!x || c->cur != &r->idle)
		return; /* its events went missing meanwhile */
	task_enter(r, x, t, TASK_RUNNING);
	x->on = id;
	c->cur = x;
	c->cur_pid = x->pid;
}

void suspend_over(struct replay *r, int64_t t)
{
	for (uint32_t i = 0; i < r->cpus.n; i++)
		wake_cpu(r, i, t);
	tell(r, suspended, {r->asleep_since, t});
	r->asleep = false;
}

void suspend_event(struct replay *r, const struct event *ev)
{
	static const char freeze[] = "timekeeping_freeze";
	struct str action = ev->suspend_resume.action;

	if (!event_has(ev, suspend_resume, start) ||
	    (event_has(ev, suspend_resume, action) &&
	     (str_len(action) != sizeof freeze - 1 || memcmp(action.p, freeze, sizeof freeze - 1))))
		return;
	if (ev->suspend_resume.start && !r->asleep) {
		for (uint32_t i = 0; i < r->cpus.n; i++)
			sleep_cpu(r, i, ev->ts);
		r->asleep = true;
		r->asleep_since = ev->ts;
	} else if (!ev->suspend_resume.start && r->asleep) {
		suspend_over(r, ev->ts);
	}
}
