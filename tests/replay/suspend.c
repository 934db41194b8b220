/* Suspend: nothing runs between the two events, whatever clock tells the time. */
#include "test.h"

#include "tools/feed.h"

#include <string.h>

static struct {
	int64_t ns[3], offline_ns, run_ns, stopped_ns;
	struct suspended last;
	unsigned slept, inferred;
} told;

static void hear_cpu(void *self, const struct cpu_seg *f)
{
	(void)self;
	told.ns[f->state] += f->t1 - f->t0;
	told.offline_ns += f->offline ? f->t1 - f->t0 : 0;
}

static void hear_task(void *self, const struct task_seg *f)
{
	(void)self;
	if (f->task->pid != 7)
		return;
	told.run_ns += f->state == TASK_RUNNING ? f->t1 - f->t0 : 0;
	told.stopped_ns += f->state == TASK_STOPPED ? f->t1 - f->t0 : 0;
}

static void hear_suspended(void *self, const struct suspended *f)
{
	(void)self;
	told.last = *f;
	told.slept++;
}

static void hear_inferred(void *self, const struct inferred *f)
{
	(void)self;
	(void)f;
	told.inferred++;
}

/* action NULL: the minimal form, which has none */
static struct event suspend(int64_t ts, int pid, const char *action, bool start)
{
	struct event e = ev_other(ts, 0, pid);

	e.kind = EV_suspend_resume;
	e.has = 1u << EVB_suspend_resume_start;
	e.suspend_resume.start = start;
	if (action) {
		e.has |= 1u << EVB_suspend_resume_action;
		e.suspend_resume.action = (struct str){action, strlen(action)};
	}
	return e;
}

static void run_events(const struct event *ev, size_t n)
{
	const struct replay_opts ro = {.n_cpus = 2};
	const struct fact_ops ops = {.cpu_seg = hear_cpu,
	                             .task_seg = hear_task,
	                             .suspended = hear_suspended,
	                             .inferred = hear_inferred};
	struct replay *r = replay_new(&ro, &ops, NULL);

	memset(&told, 0, sizeof told);
	for (size_t i = 0; i < n; i++)
		replay_event(r, &ev[i]);
	replay_settle(r, ev[n - 1].ts);
	replay_free(r);
}

/* Task 7 runs before and after, not meanwhile. */
static void what_ran_stops(void **state)
{
	const struct event ev[] = {ev_switch(0, 0, 0, TS_RUNNABLE, 7),
	                           ev_other(0, 1, 0),
	                           suspend(100, 7, "timekeeping_freeze", true),
	                           suspend(1100, 7, "timekeeping_freeze", false),
	                           ev_switch(1150, 0, 7, TS_INTERRUPTIBLE, 0),
	                           ev_other(1200, 0, 0)};

	(void)state;
	run_events(ev, sizeof ev / sizeof *ev);
	assert_int_equal(told.run_ns, 150);
	assert_int_equal(told.stopped_ns, 1000);
	assert_int_equal(told.ns[CPU_BUSY], 150);
	assert_int_equal(told.ns[CPU_IDLE], 1050 + 1200);
	assert_int_equal(told.offline_ns, 2000);
	assert_int_equal(told.slept, 1);
	assert_int_equal(told.last.from, 100);
	assert_int_equal(told.last.to, 1100);
	assert_int_equal(told.inferred, 0);
}

/* Other steps of suspend and resume are no sleep; the minimal form has no action. */
static void which_events(void **state)
{
	const struct event ev[] = {ev_switch(0, 0, 0, TS_RUNNABLE, 7),
	                           suspend(10, 7, "suspend_enter", true),
	                           suspend(20, 7, "freeze_processes", true),
	                           suspend(30, 7, "freeze_processes", false),
	                           suspend(40, 7, NULL, true),
	                           suspend(90, 7, NULL, false),
	                           suspend(95, 7, "suspend_enter", false),
	                           ev_other(100, 0, 7)};

	(void)state;
	run_events(ev, sizeof ev / sizeof *ev);
	assert_int_equal(told.slept, 1);
	assert_int_equal(told.run_ns, 50);
	assert_int_equal(told.stopped_ns, 50);
}

/* An end that is missing: what runs is awake. A gap meanwhile: what ran before is not known to go
 * on. */
static void no_end(void **state)
{
	const struct event woken[] = {ev_switch(0, 0, 0, TS_RUNNABLE, 7),
	                              suspend(10, 7, NULL, true), ev_other(60, 0, 7),
	                              ev_other(100, 0, 7)};
	const struct event gap[] = {ev_switch(0, 0, 0, TS_RUNNABLE, 7), suspend(10, 7, NULL, true),
	                            ev_lost_at(20, 0, 3, false), suspend(60, 0, NULL, false),
	                            ev_other(100, 0, 0)};

	(void)state;
	run_events(woken, sizeof woken / sizeof *woken);
	assert_int_equal(told.run_ns, 50);
	assert_int_equal(told.slept, 1);
	assert_int_equal(told.inferred, 0);
	run_events(gap, sizeof gap / sizeof *gap);
	assert_int_equal(told.run_ns, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_ran_stops),
	        cmocka_unit_test(which_events),
	        cmocka_unit_test(no_end),
	};

	return run(tests);
}
