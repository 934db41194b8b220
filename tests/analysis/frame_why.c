/* Parts of a frame: CPU 0 is half the size and runs at half of its clock, CPU 1 is full and at its
 * top. */
#include "test.h"

#include "tools/feed.h"

enum { MS = 1000000, UI = 7, DRAW = 8, OTHER = 9 };

static void parts(void **state)
{
	const struct event ev[] = {
	        ev_freq(0, 0, 0, 0, 500),
	        ev_freq(0, 1, 0, 1, 2000),
	        ev_switch(1, 0, 0, TS_RUNNABLE, UI),
	        ev_switch(1, 1, 0, TS_RUNNABLE, DRAW),
	        ev_switch(2, 1, DRAW, TS_INTERRUPTIBLE, 0),
	        ev_print(1 * MS, 0, UI, "B|7|Choreographer#doFrame 1"),
	        ev_switch(5 * MS, 0, UI, TS_RUNNABLE, OTHER),
	        ev_switch(7 * MS, 0, OTHER, TS_INTERRUPTIBLE, UI),
	        ev_wake(EV_sched_waking, 8 * MS, 0, UI, DRAW, 1),
	        ev_print(8 * MS + 10, 0, UI, "E|7"),
	        ev_switch(9 * MS, 1, 0, TS_RUNNABLE, DRAW),
	        ev_print(9 * MS, 1, DRAW, "B|7|DrawFrames 1"),
	        ev_switch(10 * MS, 1, DRAW, TS_INTERRUPTIBLE, 0),
	        ev_wake(EV_sched_waking, 13 * MS, 0, UI, DRAW, 1),
	        ev_switch(14 * MS, 1, 0, TS_RUNNABLE, DRAW),
	        ev_print(16 * MS, 1, DRAW, "E|7"),
	        ev_other(20 * MS, 0, UI),
	};
	struct session_opts o = {.platform = &feed_two, .refresh_hz = 60, .top = 5};
	struct feed f;

	(void)state;
	feed(&f, ev, sizeof ev / sizeof *ev, 2, &o);
	assert_true(f.ok);
	/* 15 ms: UI runs 4 + 1 ms at a quarter of the speed, waits 2 ms; 1 ms to the start of
	 * drawing, which runs 1 + 2 ms at full speed, is blocked 3 ms and waits 1 ms. Half the
	 * clock and half the size share the loss. */
	assert_true(feed_has(&f, "\"mean_ms\":15,"));
	assert_true(feed_has(&f,
	                     "\"parts_ms\":{\"n\":1,\"work\":4.25,\"clock\":1.875,\"size\":1.87501,"
	                     "\"speed_unknown\":0,\"waiting\":3,\"blocked\":3,\"between\":0.99999,"
	                     "\"unknown\":0}"));
	feed_free(&f);
}

/* Without clocks and capacities it is not known what became of run time: not zero. */
static void unknown_speed(void **state)
{
	const struct event ev[] = {
	        ev_switch(1, 0, 0, TS_RUNNABLE, UI),
	        ev_print(1 * MS, 0, UI, "B|7|Choreographer#doFrame 1"),
	        ev_print(2 * MS, 0, UI, "B|7|DrawFrames 1"),
	        ev_print(5 * MS, 0, UI, "E|7"),
	        ev_print(5 * MS, 0, UI, "E|7"),
	        ev_other(20 * MS, 0, UI),
	};
	struct session_opts o = {.top = 5};
	struct feed f;

	(void)state;
	feed(&f, ev, sizeof ev / sizeof *ev, 1, &o);
	assert_true(f.ok);
	assert_true(feed_has(&f, "\"parts_ms\":{\"n\":1,\"work\":0,\"clock\":0,\"size\":0,"
	                         "\"speed_unknown\":4,"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(parts),
	        cmocka_unit_test(unknown_speed),
	};

	return run(tests);
}
