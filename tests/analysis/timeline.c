/* Points over time: at changes and at a fixed step. */
#include "test.h"

#include "tools/feed.h"

#include <math.h>

#define MS INT64_C(1000000)
enum { IDLE = 0, TASK = 7, POINTS = 128 };

static struct {
	int64_t t;
	char signal[32], of[32];
	double value;
	bool known;
} points[POINTS];
static unsigned n_points;

static void keep(void *arg, const struct timeline_point *p)
{
	(void)arg;
	assert_true(n_points < POINTS);
	points[n_points].t = p->t;
	snprintf(points[n_points].signal, sizeof points[0].signal, "%s", p->signal);
	snprintf(points[n_points].of, sizeof points[0].of, "%s", p->of);
	points[n_points].value = p->value;
	points[n_points++].known = p->known;
}

/* 1 s asleep, then 32 ms of running; without a platform at full speed. */
static void run_list(const char *list, int64_t every_ns)
{
	const struct event e[] = {
	        ev_switch(0, 0, TASK, TS_INTERRUPTIBLE, IDLE),
	        ev_freq(500 * MS, 0, IDLE, 0, 1000),
	        ev_wake(EV_sched_waking, 1000 * MS, 0, IDLE, TASK, 0),
	        ev_switch(1000 * MS, 0, IDLE, TS_RUNNABLE, TASK),
	        ev_freq(1016 * MS, 0, TASK, 0, 2000),
	        ev_switch(1032 * MS, 0, TASK, TS_INTERRUPTIBLE, IDLE),
	        ev_other(1033 * MS, 0, IDLE),
	};
	const struct session_opts o = {.timeline = {list, every_ns, keep, NULL}};
	struct feed f;

	n_points = 0;
	feed(&f, e, sizeof e / sizeof *e, 1, &o);
	assert_true(f.ok);
	feed_free(&f);
}

static void is_point(unsigned i, int64_t t, const char *signal, const char *of, double value)
{
	assert_true(i < n_points);
	assert_int_equal(points[i].t, t);
	assert_string_equal(points[i].signal, signal);
	assert_string_equal(points[i].of, of);
	if (fabs(points[i].value - value) > 2 || !points[i].known)
		fail_msg("%g is not %g", points[i].value, value);
}

static void at_changes(void **state)
{
	(void)state;
	run_list("freq,util:task=7:h=8", 0);
	assert_int_equal(points[0].t, 0); /* it may have run before the trace */
	assert_false(points[0].known);
	is_point(1, 500 * MS, "freq", "cpu0", 1000);
	is_point(2, 1000 * MS, "util:h=8", "<...>-7", 0);
	is_point(4, 1032 * MS, "util:h=8", "<...>-7", 951); /* signals.md 6 */
	for (unsigned i = 0; i < n_points; i++)
		assert_true(!i || points[i].t >= points[i - 1].t);
}

static void at_a_step(void **state)
{
	(void)state;
	run_list("util:cpu=0", 16 * MS);
	assert_int_equal(n_points, 65); /* 0 to 1024 ms */
	assert_false(points[0].known);  /* what was before the trace is not known */
	for (unsigned i = 0; i < n_points; i++)
		assert_int_equal(points[i].t, i * 16 * MS);
	is_point(60, 960 * MS, "util:h=32", "cpu0", 0);
}

static void lists(void **state)
{
	(void)state;
	assert_null(timeline_wrong("freq"));
	assert_null(timeline_wrong("util:task=a b:h=8,util:cpu=3:h=16,speed:task=9"));
	assert_non_null(timeline_wrong(""));
	assert_non_null(timeline_wrong("frequency"));
	assert_non_null(timeline_wrong("freq:task=a"));
	assert_non_null(timeline_wrong("util:h=0"));
	assert_non_null(timeline_wrong("util:cpu=x"));
	assert_non_null(timeline_wrong("util:task"));
	assert_non_null(timeline_wrong("util:task=a:cpu=1"));
	assert_non_null(timeline_wrong("util:h=1,util:h=2,util:h=3,util:h=4,util:h=5"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(at_changes),
	        cmocka_unit_test(at_a_step),
	        cmocka_unit_test(lists),
	};

	return run(tests);
}
