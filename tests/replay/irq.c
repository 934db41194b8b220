/* When a CPU is in an interrupt. */
#include "test.h"

#include "tools/feed.h"

#include <string.h>

static struct irq_change told[16];
static unsigned n_told;

static void hear(void *self, const struct irq_change *f)
{
	(void)self;
	told[n_told++] = *f;
}

static struct event irq(enum event_kind k, int64_t ts, int pid)
{
	struct event e = ev_other(ts, 0, pid);

	e.kind = (uint16_t)k;
	return e;
}

static void run_events(const struct event *ev, size_t n)
{
	const struct replay_opts ro = {.n_cpus = 1};
	const struct fact_ops ops = {.irq_change = hear};
	struct replay *r = replay_new(&ro, &ops, NULL);

	n_told = 0;
	for (size_t i = 0; i < n; i++)
		replay_event(r, &ev[i]);
	replay_free(r);
}

static void assert_told(unsigned i, int64_t t, bool in)
{
	assert_true(i < n_told);
	assert_int_equal(told[i].t, t);
	assert_int_equal(told[i].in, in);
	assert_int_equal(told[i].cpu, 0);
}

/* A hard interrupt inside of a soft one is no second one. */
static void nested(void **state)
{
	const struct event ev[] = {
	        irq(EV_irq_handler_entry, 10, 7), irq(EV_irq_handler_exit, 14, 7),
	        irq(EV_softirq_entry, 20, 7),     irq(EV_irq_handler_entry, 22, 7),
	        irq(EV_irq_handler_exit, 24, 7),  irq(EV_softirq_exit, 30, 7),
	};

	(void)state;
	run_events(ev, sizeof ev / sizeof *ev);
	assert_int_equal(n_told, 4);
	assert_told(0, 10, true);
	assert_told(1, 14, false);
	assert_told(2, 20, true);
	assert_told(3, 30, false);
}

/* An exit that is missing: no interrupt lasts over a switch, or over a gap. */
static void lost_exits(void **state)
{
	const struct event ev[] = {
	        irq(EV_irq_handler_entry, 10, 7), ev_switch(40, 0, 7, TS_RUNNABLE, 8),
	        irq(EV_softirq_entry, 50, 8),     ev_lost_at(60, 0, 3, false),
	        irq(EV_softirq_exit, 70, 8),
	};

	(void)state;
	run_events(ev, sizeof ev / sizeof *ev);
	assert_int_equal(n_told, 4);
	assert_told(1, 40, false);
	assert_told(3, 60, false);
}

/* The task that does the work of soft interrupts is a task. */
static void ksoftirqd(void **state)
{
	struct event to = ev_switch(10, 0, 7, TS_RUNNABLE, 15);
	struct event ev[3];

	(void)state;
	to.has |= 1u << EVB_sched_switch_next_comm;
	to.sched_switch.next_comm = (struct str){"ksoftirqd/0", 11};
	ev[0] = to;
	ev[1] = irq(EV_softirq_entry, 20, 15);
	ev[2] = irq(EV_softirq_exit, 30, 15);
	run_events(ev, 3);
	assert_int_equal(n_told, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(nested),
	        cmocka_unit_test(lost_exits),
	        cmocka_unit_test(ksoftirqd),
	};

	return run(tests);
}
