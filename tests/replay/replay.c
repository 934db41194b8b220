/* The replay as a whole: what it listens to, settling, the span. */
#include "test.h"

#include "tools/feed.h"

struct heard {
	int64_t busy, idle, unknown;
	int segs, events;
};

static void on_cpu(void *self, const struct cpu_seg *f)
{
	struct heard *h = self;
	int64_t ns = f->t1 - f->t0;

	h->segs++;
	h->busy += f->state == CPU_BUSY ? ns : 0;
	h->idle += f->state == CPU_IDLE ? ns : 0;
	h->unknown += f->state == CPU_UNKNOWN ? ns : 0;
}

static void on_event(void *self, const struct event *ev)
{
	(void)ev;
	((struct heard *)self)->events++;
}

static void settles_open_intervals(void **state)
{
	struct heard h = {0};
	struct replay *r = replay_new(&(struct replay_opts){.n_cpus = 2},
	                              &(struct fact_ops){.cpu_seg = on_cpu, .event = on_event}, &h);
	struct event ev[] = {ev_switch(1000, 0, 0, 0, 7), ev_other(1500, 0, 7)};
	int64_t start, end;

	(void)state;
	assert_false(replay_span(r, &start, &end));
	replay_settle(r, 5); /* before any event: nothing to tell */
	assert_int_equal(h.segs, 0);
	replay_event(r, &ev[0]);
	replay_event(r, &ev[1]);
	replay_settle(r, 2000);
	assert_int_equal(h.busy, 1000);
	assert_int_equal(h.unknown, 1000); /* cpu1 wrote nothing */
	assert_int_equal(h.events, 2);
	replay_settle(r, 2000); /* again: nothing is told twice */
	assert_int_equal(h.busy, 1000);
	assert_true(replay_span(r, &start, &end));
	assert_int_equal(start, 1000);
	assert_int_equal(end, 1500);
	assert_int_equal(replay_n_cpus(r), 2);
	assert_true(replay_cpu_seen(r, 0));
	assert_false(replay_cpu_seen(r, 1));
	assert_int_equal(replay_n_tasks(r), 1);
	assert_int_equal(replay_task(r, 0)->pid, 7);
	replay_free(r);
}

static void many_tasks(void **state)
{
	struct replay *r =
	        replay_new(&(struct replay_opts){.n_cpus = 1}, &(struct fact_ops){0}, NULL);

	(void)state;
	for (int pid = 1; pid <= 5000; pid++) {
		struct event ev = ev_wake(EV_sched_waking, pid, 0, 1, pid, 0);

		replay_event(r, &ev);
	}
	assert_int_equal(replay_n_tasks(r), 5000);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(replay_task(r, i)->pid, (int)i + 1);
	replay_free(r);
}

static void atrace_tells_the_process(void **state)
{
	struct replay *r =
	        replay_new(&(struct replay_opts){.n_cpus = 1}, &(struct fact_ops){0}, NULL);
	struct event ev = ev_print(10, 0, 12, "B|11|doFrame");

	(void)state;
	replay_event(r, &ev);
	assert_int_equal(replay_task(r, 0)->tgid, 11);
	replay_free(r);
}

static void wants_what_it_reads(void **state)
{
	(void)state;
	assert_true(replay_wants(EV_sched_switch));
	assert_true(replay_wants(EV_print));
	assert_true(replay_wants(EV_sched_pelt_se));
	assert_true(replay_wants(EV_sched_pelt_cfs));
	assert_false(replay_wants(EV_walt_window_rollover));
	assert_false(replay_wants(EV_other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(settles_open_intervals),
	        cmocka_unit_test(many_tasks),
	        cmocka_unit_test(atrace_tells_the_process),
	        cmocka_unit_test(wants_what_it_reads),
	};

	return run(tests);
}
