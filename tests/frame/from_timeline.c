/* Rows of FrameTimeline: pairing by cookie, layers, what is missing. */
#include "test.h"

#include "frame/frame.h"

enum { PID = 1000 };

static struct event row(int64_t ts, int shape, int64_t cookie, int64_t token)
{
	struct event e = {.ts = ts, .cpu = EVENT_NO_CPU, .kind = EV_frame_timeline};

	e.has = 1u << EVB_frame_timeline_shape | 1u << EVB_frame_timeline_cookie;
	e.frame_timeline.shape = shape;
	e.frame_timeline.cookie = cookie;
	if (shape == FRAME_END_OF)
		return e;
	e.has |= 1u << EVB_frame_timeline_token | 1u << EVB_frame_timeline_pid;
	e.frame_timeline.token = token;
	e.frame_timeline.pid = PID;
	e.frame_timeline.jank_type = 1;
	return e;
}

static void tell(struct frame_timeline *t, struct event e)
{
	frame_timeline_event(t, &e);
}

static void a_frame(void **state)
{
	struct frames f = {.left_out = 0};
	struct frame_timeline t = {.frames = &f};
	const struct frame *x;

	(void)state;
	tell(&t, row(20, FRAME_EXPECTED_SURFACE, 1, 4));
	tell(&t, row(22, FRAME_ACTUAL_SURFACE, 2, 4));
	tell(&t, row(36, FRAME_END_OF, 1, 0));
	tell(&t, row(39, FRAME_END_OF, 2, 0));
	assert_int_equal(f.at.n, 1);
	x = frames_get(&f, PID, 4, false);
	assert_int_equal(x->expected_start, 20);
	assert_int_equal(x->expected_end, 36);
	assert_int_equal(x->actual_start, 22);
	assert_int_equal(x->actual_end, 39);
	assert_int_equal(x->layers, 1);
	frame_timeline_free(&t);
	frames_free(&f);
}

/* Two layers of one token are one frame: it ends with the later one, and has the jank of both. */
static void layers(void **state)
{
	struct frames f = {.left_out = 0};
	struct frame_timeline t = {.frames = &f};
	struct event late = row(52, FRAME_ACTUAL_SURFACE, 4, 14);
	const struct frame *x;

	(void)state;
	late.frame_timeline.jank_type = 64;
	tell(&t, row(50, FRAME_EXPECTED_SURFACE, 1, 14));
	tell(&t, row(50, FRAME_EXPECTED_SURFACE, 2, 14)); /* the twin is no row */
	tell(&t, row(51, FRAME_ACTUAL_SURFACE, 3, 14));
	tell(&t, late);
	tell(&t, row(60, FRAME_END_OF, 3, 0));
	tell(&t, row(66, FRAME_END_OF, 1, 0));
	tell(&t, row(70, FRAME_END_OF, 2, 0)); /* closes nothing */
	tell(&t, row(80, FRAME_END_OF, 4, 0));
	assert_int_equal(f.at.n, 1);
	x = frames_get(&f, PID, 14, false);
	assert_int_equal(x->layers, 2);
	assert_int_equal(x->actual_start, 51);
	assert_int_equal(x->actual_end, 80);
	assert_int_equal(x->expected_end, 66);
	assert_int_equal(x->jank, 65);
	assert_int_equal(t.unpaired, 0);
	frame_timeline_free(&t);
	frames_free(&f);
}

/* Reference D3: a start without a token is no row, and its end has none. A start without an end is
 * a frame without a duration. */
static void missing(void **state)
{
	struct frames f = {.left_out = 0};
	struct frame_timeline t = {.frames = &f};
	struct event cut = row(10, FRAME_EXPECTED_SURFACE, 1, 4);
	int64_t start, ns;

	(void)state;
	cut.has &= ~(1u << EVB_frame_timeline_token);
	tell(&t, cut);
	tell(&t, row(20, FRAME_END_OF, 1, 0));
	assert_int_equal(f.at.n, 0);
	assert_int_equal(t.unpaired, 1);
	tell(&t, row(30, FRAME_EXPECTED_SURFACE, 2, 5));
	tell(&t, row(31, FRAME_ACTUAL_SURFACE, 3, 5));
	assert_int_equal(f.at.n, 1);
	assert_false(frame_duration(frames_get(&f, PID, 5, false), SOURCE_TIMELINE, &start, &ns));
	frame_timeline_free(&t);
	frames_free(&f);
}

static void dropped_and_expired(void **state)
{
	struct frames f = {.left_out = 0};
	struct frame_timeline t = {.frames = &f};
	struct event dropped = row(10, FRAME_ACTUAL_SURFACE, 1, 4),
	             expired = row(10, FRAME_ACTUAL_SURFACE, 2, 5);

	(void)state;
	dropped.frame_timeline.present_type = 4;
	dropped.frame_timeline.jank_type = 1024;
	expired.frame_timeline.prediction_type = 2;
	expired.frame_timeline.jank_type = 64;
	tell(&t, dropped);
	tell(&t, expired);
	assert_true(frames_get(&f, PID, 4, false)->flags & FRAME_DROPPED);
	assert_true(frames_get(&f, PID, 5, false)->flags & FRAME_EXPIRED);
	assert_int_equal(frames_get(&f, PID, 5, false)->jank, 64);
	frame_timeline_free(&t);
	frames_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_frame),
	        cmocka_unit_test(layers),
	        cmocka_unit_test(missing),
	        cmocka_unit_test(dropped_and_expired),
	};

	return run(tests);
}
