/* The first page: it fits, and says what it is about. */
#include "test.h"

#include "tools/feed.h"

enum { MS = 1000000, UI = 7 };

static void with_frames(void **state)
{
	struct event ev[64];
	static char text[8][48];
	struct session_opts o = {.platform = &feed_two, .refresh_hz = 60, .top = 5};
	struct feed f;
	size_t k = 0, lines = 0;

	(void)state;
	ev[k++] = ev_freq(0, 0, 0, 0, 500);
	ev[k++] = ev_freq(0, 1, 0, 1, 2000);
	ev[k++] = ev_switch(1, 0, 0, TS_RUNNABLE, UI);
	for (int i = 0; i < 4; i++) {
		int64_t t = (20 + 20 * i) * MS, ms = i == 3 ? 19 : 8;

		snprintf(text[2 * i], sizeof text[0], "B|7|Choreographer#doFrame %d", i);
		snprintf(text[2 * i + 1], sizeof text[0], "B|7|DrawFrames %d", i);
		ev[k++] = ev_print(t, 0, UI, text[2 * i]);
		ev[k++] = ev_print(t + MS, 0, UI, text[2 * i + 1]);
		ev[k++] = ev_print(t + ms * MS, 0, UI, "E|7");
		ev[k++] = ev_print(t + ms * MS, 0, UI, "E|7");
	}
	ev[k++] = ev_other(200 * MS, 0, UI);
	feed(&f, ev, k, 2, &o);
	assert_true(f.ok);
	assert_non_null(strstr(f.page, "markers: 4 frames in 1 bursts"));
	/* 8, 8, 8, 19 ms */
	assert_non_null(strstr(f.page, " duration ms  cpu.ui_rt        10.75  5.50   8.00  15.70  "
	                               "17.35  18.67  19.00\n"));
	assert_non_null(strstr(f.page, "jank  atrace.period 1 of 4 = 25.00 %"));
	assert_non_null(strstr(f.page, "hitch 1 vsyncs missed = "));
	/* a quarter of the speed: 19 ms are 4.75 of work, and 14.25 lost to clock and size alike */
	assert_non_null(
	        strstr(f.page, " work, at full speed of largest CPU   2.69     2.00   4.75"));
	assert_non_null(
	        strstr(f.page, " clock below the CPU's top            4.03     3.00   7.12"));
	assert_non_null(
	        strstr(f.page, " duration                            10.75     8.00  19.00\n"));
	assert_non_null(strstr(f.page, "app-janky left of 1"));
	assert_non_null(strstr(f.page, "WORST"));
	assert_null(strstr(f.page, "TASKS"));
	for (const char *p = f.page; (p = strchr(p, '\n')); p++)
		lines++;
	assert_in_range(lines, 30, 60);
	feed_free(&f);
}

/* Without frames: tasks and speed come up, and a line says what would give frames. */
static void without(void **state)
{
	FEED(f, 1, ev_switch(0, 0, 0, TS_RUNNABLE, 7), ev_other(100, 0, 7));
	(void)state;
	assert_non_null(strstr(f.page, "no frames: neither FrameTimeline nor markers"));
	assert_non_null(strstr(f.page, "TASKS"));
	assert_null(strstr(f.page, "WORST"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(with_frames),
	        cmocka_unit_test(without),
	};

	return run(tests);
}
