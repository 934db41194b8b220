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
	        ev_print(2, 0, UI, "B|7|Choreographer#doFrame 0"), /* who draws */
	        ev_print(3, 1, DRAW, "B|7|DrawFrames 0"),
	        ev_print(4, 1, DRAW, "E|7"),
	        ev_print(4, 0, UI, "E|7"),
	        ev_switch(5, 1, DRAW, TS_INTERRUPTIBLE, 0),
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
	struct session_opts o = {.platform = &feed_two,
	                         .refresh_hz = 60,
	                         .top = 5,
	                         .from = {EDGE_ABSOLUTE, 1000, NULL}};
	struct feed f;

	(void)state;
	feed(&f, ev, sizeof ev / sizeof *ev, 2, &o);
	assert_true(f.ok);
	/* 15 ms: UI runs 4 + 1 ms at a quarter of the speed, waits 2 ms; 1 ms to the start of
	 * drawing, in which that thread waits for its CPU; it runs 1 + 2 ms at full speed, is
	 * blocked 3 ms (woken by the UI thread) and waits 1 ms. Half the clock and half the size
	 * share the loss. */
	assert_true(feed_has(&f, "\"mean_ms\":15,"));
	assert_true(feed_has(
	        &f, "\"parts_ms\":{\"n\":1,\"work\":4.25,\"clock\":1.875,\"size\":1.87501,"
	            "\"no_speed\":0,\"waiting\":3.99999,\"blocked\":3,\"behind\":0,\"gpu\":0,"
	            "\"unknown\":0,\"capped\":0,\"binder\":0,\"thread\":3,\"disk\":0}"));
	feed_free(&f);
}

static struct event timeline(int64_t ts, int64_t cookie, int64_t token, int shape)
{
	struct event e = {.ts = ts, .cpu = EVENT_NO_CPU, .pid = -1, .kind = EV_frame_timeline};

	e.frame_timeline.shape = shape;
	e.frame_timeline.cookie = cookie;
	e.frame_timeline.token = token;
	e.frame_timeline.pid = UI;
	e.frame_timeline.jank_type = 1;
	e.has = 1u << EVB_frame_timeline_shape | 1u << EVB_frame_timeline_cookie |
	        (shape == FRAME_END_OF
	                 ? 0
	                 : 1u << EVB_frame_timeline_token | 1u << EVB_frame_timeline_pid);
	return e;
}

static struct event binder(int64_t ts, int by, enum event_kind k)
{
	struct event e = ev_other(ts, 0, by);

	e.kind = (uint16_t)k;
	e.has = k == EV_binder_transaction ? 1u << EVB_binder_transaction_debug_id : 0;
	return e;
}

/* From the expected start on: 2 ms behind frame 1, 1 ms own work, 4 ms in a binder call, then the
 * UI thread sleeps until the drawing thread, still busy with frame 1 for 3 ms, has taken over; that
 * draws 5 ms, the GPU 2 ms. */
static void from_expected(void **state)
{
	const struct event ev[] = {
	        ev_switch(1, 0, 0, TS_RUNNABLE, UI),
	        ev_switch(1, 1, 0, TS_RUNNABLE, DRAW),
	        ev_print(1 * MS, 0, UI, "B|7|Choreographer#doFrame 1"),
	        ev_print(2 * MS, 1, DRAW, "B|7|DrawFrames 1"),
	        timeline(18 * MS, 1, 2, FRAME_EXPECTED_SURFACE),
	        timeline(19 * MS, 2, 2, FRAME_ACTUAL_SURFACE),
	        ev_print(20 * MS, 0, UI, "E|7"),
	        ev_print(20 * MS, 0, UI, "B|7|Choreographer#doFrame 2"),
	        binder(21 * MS, UI, EV_binder_transaction),
	        ev_switch(21 * MS, 0, UI, TS_INTERRUPTIBLE, 0),
	        ev_wake(EV_sched_waking, 25 * MS, 1, DRAW, UI, 0),
	        ev_switch(25 * MS, 0, 0, TS_RUNNABLE, UI),
	        binder(25 * MS, UI, EV_binder_transaction_received),
	        ev_switch(25 * MS, 0, UI, TS_INTERRUPTIBLE, 0),
	        ev_print(28 * MS, 1, DRAW, "E|7"),
	        ev_print(28 * MS, 1, DRAW, "B|7|DrawFrames 2"),
	        ev_print(33 * MS, 1, DRAW, "E|7"),
	        timeline(34 * MS, 1, 0, FRAME_END_OF),
	        timeline(35 * MS, 2, 0, FRAME_END_OF),
	        ev_other(40 * MS, 1, DRAW),
	};
	struct session_opts o = {.top = 5};
	struct feed f;

	(void)state;
	feed(&f, ev, sizeof ev / sizeof *ev, 2, &o);
	assert_true(f.ok);
	assert_true(feed_has(&f, "\"mean_ms\":17,"));
	assert_true(feed_has(
	        &f, "\"parts_ms\":{\"n\":1,\"work\":0,\"clock\":0,\"size\":0,\"no_speed\":6,"
	            "\"waiting\":0,\"blocked\":4,\"behind\":5,\"gpu\":2,\"unknown\":0,\"capped\":0,"
	            "\"binder\":4,\"thread\":0,\"disk\":0}"));
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
	                         "\"no_speed\":4,"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(parts),
	        cmocka_unit_test(from_expected),
	        cmocka_unit_test(unknown_speed),
	};

	return run(tests);
}
