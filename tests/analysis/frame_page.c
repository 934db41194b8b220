/* The first page: it fits, and says what it is about. */
#include "test.h"

#include "tools/feed.h"

static void with_frames(void **state)
{
	struct feed f;
	size_t lines = 0;

	(void)state;
	feed_four_frames(&f, &feed_two);
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
