/* Records and rules. */
#include "test.h"

#include "frame/frame.h"

static void records(void **state)
{
	struct frames f = {.left_out = 0};
	struct frame *a = frames_get(&f, 7, 1, false);

	(void)state;
	a->jank = 5;
	assert_ptr_not_equal(frames_get(&f, 7, 1, true), NULL); /* the compositor's own */
	frames_get(&f, 8, 1, false); /* the same token, another process */
	assert_int_equal(f.at.n, 3);
	assert_int_equal(frames_get(&f, 7, 1, false)->jank, 5);
	assert_int_equal(f.at.n, 3);
	frames_free(&f);
}

/* Reference D6: which bits of FrameTimeline make a frame missed. */
static void missed(void **state)
{
	static const uint32_t yes[] = {64, 4096, 2, 4, 8, 16, 32, 1024, 512 | 2},
	                      no[] = {0, 1, 128, 256, 512, 2048, 8192, 16384, 32768};
	struct frame f = {.layers = 1};

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		f.jank = yes[i];
		assert_int_equal(frame_janky(&f, SOURCE_TIMELINE, 0), 1);
	}
	for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
		f.jank = no[i];
		assert_int_equal(frame_janky(&f, SOURCE_TIMELINE, 0), 0);
	}
	f.layers = 0;
	assert_int_equal(frame_janky(&f, SOURCE_TIMELINE, 0), -1);
}

static void durations(void **state)
{
	struct frame f = {.expected_start = 100,
	                  .actual_start = 130,
	                  .actual_end = 180,
	                  .ui_start = 131,
	                  .draw_end = 178,
	                  .layers = 1};
	int64_t start, ns;

	(void)state;
	assert_true(frame_duration(&f, SOURCE_TIMELINE, &start, &ns));
	assert_int_equal(start, 100);
	assert_int_equal(ns, 80);
	assert_true(frame_duration(&f, SOURCE_MARKERS, &start, &ns));
	assert_int_equal(ns, 47);
	assert_int_equal(frame_janky(&f, SOURCE_MARKERS, 47), 0); /* longer than, not as long as */
	assert_int_equal(frame_janky(&f, SOURCE_MARKERS, 46.5), 1);
	assert_int_equal(frame_janky(&f, SOURCE_MARKERS, 0), -1);
	f.flags = FRAME_DROPPED;
	assert_false(frame_duration(&f, SOURCE_TIMELINE, &start, &ns));
	f.flags = FRAME_EXPIRED; /* its start is made up */
	assert_false(frame_duration(&f, SOURCE_TIMELINE, &start, &ns));
	f.flags = 0;
	f.actual_end = 90; /* before its start */
	assert_false(frame_duration(&f, SOURCE_TIMELINE, &start, &ns));
	f.draw_end = FRAME_NO_TIME;
	assert_false(frame_duration(&f, SOURCE_MARKERS, &start, &ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(records),
	        cmocka_unit_test(missed),
	        cmocka_unit_test(durations),
	};

	return run(tests);
}
