/* Records and durations. */
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
	        cmocka_unit_test(durations),
	};

	return run(tests);
}
