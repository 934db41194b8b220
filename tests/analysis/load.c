/* Queues and new tasks: sums that follow tasks, and the kernel's rule for what a new task starts
 * with. Against the kernel's own values: tests/cli/util.t. */
#include "test.h"

#include "analysis/load.h"
#include "tools/feed.h"

#include <math.h>

#define MS INT64_C(1000000)
enum { IDLE = 0, TASK = 7, OTHER = 8 };

static struct load load;
static struct session *session;
static struct replay *own_replay; /* of the session */
static double hz;

static void hear_cpu(void *self, const struct cpu_seg *f)
{
	(void)self;
	load_cpu_seg(&load, f);
}

static void hear_task(void *self, const struct task_seg *f)
{
	(void)self;
	load_task_seg(&load, f);
}

static void hear_irq(void *self, const struct irq_change *f)
{
	(void)self;
	load_irq_change(&load, f);
}

static void hear_move(void *self, const struct migrated *f)
{
	(void)self;
	load_migrated(&load, f);
}

/* Two CPUs of full size; the facts of the events go to `load`. */
static void run_events(struct context *c, struct trace_info *t, const struct event *ev, size_t n)
{
	static const struct trace_cpu cpus[] = {{.cpu = 0, .has_data = true},
	                                        {.cpu = 1, .has_data = true}};
	const struct replay_opts ro = {.n_cpus = 2, .cpus = cpus};
	const struct fact_ops ops = {
	        .cpu_seg = hear_cpu,
	        .task_seg = hear_task,
	        .migrated = hear_move,
	        .irq_change = hear_irq,
	};

	*t = (struct trace_info){.kernel = "6.1.0", .cpus = cpus, .n_cpu_rows = 2};
	/* a session, for what other analyses know: nothing */
	session = session_new(&(struct session_opts){.trace = t});
	*c = *(struct context *)session;
	c->replay = replay_new(&ro, &ops, NULL);
	load = (struct load){.ctx = (struct context *)session};
	own_replay = load.ctx->replay;
	load.ctx->replay = c->replay;
	load_set_hz(&load, hz);
	load_add_set(&load, 32);
	for (size_t i = 0; i < n; i++)
		replay_event(c->replay, &ev[i]);
}

static void done(struct context *c)
{
	load_free(&load);
	replay_free(c->replay);
	((struct context *)session)->replay = own_replay;
	session_free(session);
}

static struct load_value of_cpu(uint32_t cpu, int64_t t)
{
	struct load_value v = {.util = -1};

	assert_true(load_of_cpu(&load, cpu, 0, t, &v));
	return v;
}

static struct load_value of_task(const struct context *c, uint32_t id, int64_t t)
{
	struct load_value v = {.util = -1};

	assert_true(load_of_task(&load, replay_task(c->replay, id), 0, t, &v));
	return v;
}

static void assert_near(double a, double b, double by)
{
	if (fabs(a - b) > by)
		fail_msg("%g is not %g within %g", a, b, by);
}

/* The queue of the CPU that a task leaves loses what the task has; the other one gains it. */
static void a_queue_follows_its_tasks(void **state)
{
	const struct event ev[] = {
	        ev_switch(0, 0, TASK, TS_INTERRUPTIBLE, IDLE),
	        ev_switch(0, 1, OTHER, TS_INTERRUPTIBLE, IDLE),
	        ev_wake(EV_sched_waking, 1000 * MS, 0, IDLE, TASK, 0),
	        ev_switch(1000 * MS, 0, IDLE, TS_RUNNABLE, TASK),
	        ev_switch(1032 * MS, 0, TASK, TS_RUNNABLE, IDLE),
	        ev_migrate(1032 * MS, 1, IDLE, TASK, 0, 1),
	        ev_switch(1032 * MS, 1, IDLE, TS_RUNNABLE, TASK),
	        ev_other(1040 * MS, 1, TASK),
	};
	struct context c;
	struct trace_info t;

	(void)state;
	run_events(&c, &t, ev, sizeof ev / sizeof *ev - 1);
	assert_near(of_cpu(0, 1032 * MS).util, 0, 1);
	assert_near(of_cpu(1, 1032 * MS).util, 495, 2); /* 32 ms from 0: signals.md 6 */
	assert_near(of_task(&c, 0, 1032 * MS).util, 495, 2);
	assert_int_equal(of_cpu(0, 1032 * MS).est, 0);
	replay_event(c.replay, &ev[7]);
	/* 8 ms more: 1024 - (1024 - 495) / 2^(8 / 33.55) */
	assert_near(of_cpu(1, 1040 * MS).util, 576, 2);
	assert_near(of_cpu(1, 1040 * MS).runnable, 576, 2);
	done(&c);
}

/* The second of two on one CPU waits: it has runnable, not util; the queue's runnable counts both.
 */
static void waiting_is_runnable(void **state)
{
	const struct event ev[] = {
	        ev_switch(0, 0, TASK, TS_INTERRUPTIBLE, OTHER),
	        ev_switch(1, 0, OTHER, TS_INTERRUPTIBLE, IDLE),
	        ev_wake(EV_sched_waking, 1000 * MS, 0, IDLE, TASK, 0),
	        ev_wake(EV_sched_waking, 1000 * MS, 0, IDLE, OTHER, 0),
	        ev_switch(1000 * MS, 0, IDLE, TS_RUNNABLE, TASK),
	        ev_other(1032 * MS, 0, TASK),
	};
	struct context c;
	struct trace_info t;

	(void)state;
	run_events(&c, &t, ev, sizeof ev / sizeof *ev);
	assert_near(of_task(&c, 1, 1032 * MS).util, 0, 1);
	assert_near(of_task(&c, 1, 1032 * MS).runnable, 495, 2);
	assert_near(of_cpu(0, 1032 * MS).util, 495, 2);
	assert_near(of_cpu(0, 1032 * MS).runnable, 990, 4);
	done(&c);
}

/* On an idle CPU a new task starts with half of its capacity. */
static void new_tasks(void **state)
{
	const struct event ev[] = {
	        ev_switch(0, 0, TASK, TS_INTERRUPTIBLE, IDLE),
	        ev_switch(0, 1, OTHER, TS_INTERRUPTIBLE, IDLE),
	        ev_switch(1000 * MS, 0, IDLE, TS_RUNNABLE, TASK),
	        ev_fork(1000 * MS, 0, TASK, 9, "child"),
	        ev_wake(EV_sched_wakeup_new, 1000 * MS, 0, TASK, 9, 1),
	        ev_switch(1000 * MS, 1, IDLE, TS_RUNNABLE, 9),
	        ev_other(1001 * MS, 1, 9),
	};
	struct context c;
	struct trace_info t;

	(void)state;
	run_events(&c, &t, ev, sizeof ev / sizeof *ev - 1);
	assert_near(of_task(&c, 2, 1000 * MS).util, 512, 1);
	assert_near(of_task(&c, 2, 1000 * MS).unsure, 0, 0);
	assert_near(of_cpu(1, 1000 * MS).util, 512, 1);
	done(&c);
}

static struct event irq(enum event_kind k, int64_t ts, int pid)
{
	struct event e = ev_other(ts, 0, pid);

	e.kind = (uint16_t)k;
	return e;
}

/* 24 ms of task time and 8 ms of interrupts, which are a signal of their own. */
static void interrupts(void **state)
{
	const struct event ev[] = {
	        ev_switch(0, 0, TASK, TS_INTERRUPTIBLE, IDLE),
	        ev_wake(EV_sched_waking, 1000 * MS, 0, IDLE, TASK, 0),
	        ev_switch(1000 * MS, 0, IDLE, TS_RUNNABLE, TASK),
	        irq(EV_irq_handler_entry, 1012 * MS, TASK),
	        irq(EV_irq_handler_exit, 1020 * MS, TASK),
	        ev_other(1032 * MS, 0, TASK),
	};
	struct context c;
	struct trace_info t;
	double task = 1024 * (1 - exp2(-24 / 33.554432)),
	       irq_util = 1024 * (1 - exp2(-8 / 33.554432));

	(void)state;
	run_events(&c, &t, ev, sizeof ev / sizeof *ev);
	assert_near(of_task(&c, 0, 1032 * MS).util, task, 2);
	assert_near(of_cpu(0, 1032 * MS).util, task, 2);
	/* 12 ms later, on the clock of the trace */
	assert_near(of_cpu(0, 1032 * MS).irq, irq_util * exp2(-12 / 33.554432), 2);
	done(&c);
}

/* A deadline task is in no fair queue, and of its signal the lost idle time knows. */
static void deadline_tasks(void **state)
{
	struct event to = ev_switch(1000 * MS, 0, IDLE, TS_RUNNABLE, TASK);
	struct event ev[4] = {ev_switch(0, 0, TASK, TS_INTERRUPTIBLE, IDLE)};
	struct context c;
	struct trace_info t;

	(void)state;
	to.has |= 1u << EVB_sched_switch_next_prio;
	to.sched_switch.next_prio = -1;
	ev[1] = to;
	ev[2] = ev_other(1032 * MS, 0, TASK);
	run_events(&c, &t, ev, 3);
	assert_near(of_cpu(0, 1032 * MS).dl, 495, 2);
	assert_near(of_cpu(0, 1032 * MS).util, 0, 0);
	assert_near(of_cpu(0, 1032 * MS).rt, 0, 0);
	done(&c);
}

/* With ticks a value is that of the last tick in which a period ended; the live one goes on. */
static void ticks(void **state)
{
	const struct event ev[] = {
	        ev_switch(0, 0, TASK, TS_INTERRUPTIBLE, IDLE),
	        ev_wake(EV_sched_waking, 1000 * MS, 0, IDLE, TASK, 0),
	        ev_switch(1000 * MS, 0, IDLE, TS_RUNNABLE, TASK),
	        ev_other(1007 * MS, 0, TASK),
	};
	double live = 1024 * (1 - exp2(-7 / 33.554432)),
	       at_tick = 1024 * (1 - exp2(-4 / 33.554432));
	struct context c;
	struct trace_info t;

	(void)state;
	run_events(&c, &t, ev, sizeof ev / sizeof *ev);
	assert_near(of_task(&c, 0, 1007 * MS).util, live, 2);
	done(&c);
	hz = 250;
	run_events(&c, &t, ev, sizeof ev / sizeof *ev);
	assert_near(of_task(&c, 0, 1007 * MS).util, at_tick, 2);
	assert_near(of_cpu(0, 1007 * MS).util, at_tick, 2);
	assert_near(of_task(&c, 0, 1008 * MS + 1).util, 1024 * (1 - exp2(-8 / 33.554432)), 2);
	done(&c);
	hz = 0;
}

static void eras(void **state)
{
	(void)state;
	assert_int_equal(load_era("4.9.215"), PELT_P1);
	assert_int_equal(load_era("4.19.0-rc7"), PELT_P2);
	assert_int_equal(load_era("5.15.0"), PELT_P3);
	assert_int_equal(load_era("6.1.192-pelt8"), PELT_P4);
	assert_int_equal(load_era("6.12.0"), PELT_P5);
	assert_int_equal(load_era(NULL), PELT_P5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_queue_follows_its_tasks),
	        cmocka_unit_test(waiting_is_runnable),
	        cmocka_unit_test(new_tasks),
	        cmocka_unit_test(interrupts),
	        cmocka_unit_test(deadline_tasks),
	        cmocka_unit_test(ticks),
	        cmocka_unit_test(eras),
	};

	return run(tests);
}
