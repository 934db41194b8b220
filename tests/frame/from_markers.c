/* Markers: with ids, without, nested, and what a gap takes. */
#include "test.h"

#include "frame/frame.h"
#include "tools/feed.h"

enum { APP = 100, UI = 100, RENDER = 101 };

static void tell(struct frame_markers *m, int64_t ts, int tid, const char *text)
{
	struct event e = ev_print(ts, 2, tid, text);

	frame_markers_event(m, &e);
}

static void with_ids(void **state)
{
	struct frames f = {.left_out = 0};
	struct frame_markers m = {.frames = &f};
	const struct frame *x;

	(void)state;
	tell(&m, 10, UI, "B|100|Choreographer#doFrame 7\n");
	tell(&m, 11, UI, "B|100|animation");
	tell(&m, 12, UI, "Error: free text that begins with an E");
	tell(&m, 13, UI, "E|100");
	tell(&m, 20, RENDER, "B|100|DrawFrames 7");
	tell(&m, 21, UI, "E|100");
	tell(&m, 30, RENDER, "E");
	tell(&m, 31, RENDER, "B|100|DrawFrames 7"); /* a second window */
	tell(&m, 33, RENDER, "E|100");
	assert_int_equal(f.at.n, 1);
	x = frames_get(&f, APP, 7, false);
	assert_int_equal(x->ui_start, 10);
	assert_int_equal(x->ui_end, 21);
	assert_int_equal(x->draw_start, 20);
	assert_int_equal(x->draw_end, 33);
	frame_markers_free(&m);
	frames_free(&f);
}

/* The frame that a doFrame was resynced to is no frame of its own. */
static void resynced(void **state)
{
	struct frames f = {.left_out = 0};
	struct frame_markers m = {.frames = &f};

	(void)state;
	tell(&m, 10, UI, "B|100|Choreographer#doFrame 7");
	tell(&m, 11, UI, "B|100|Choreographer#doFrame - resynced to 8 in 3.5ms");
	tell(&m, 15, UI, "E|100");
	tell(&m, 16, UI, "E|100");
	assert_int_equal(f.at.n, 1);
	assert_int_equal(frames_get(&f, APP, 7, false)->ui_end, 16);
	frame_markers_free(&m);
	frames_free(&f);
}

/* Each DrawFrame is that of the oldest doFrame that has none, also when it lags behind. */
static void without_ids(void **state)
{
	struct frames f = {.left_out = 0};
	struct frame_markers m = {.frames = &f};

	(void)state;
	tell(&m, 5, RENDER, "B|100|DrawFrame"); /* drawn by itself */
	tell(&m, 6, RENDER, "E|100");
	tell(&m, 10, UI, "B|100|Choreographer#doFrame");
	tell(&m, 15, UI, "E|100");
	tell(&m, 20, UI, "B|100|Choreographer#doFrame");
	tell(&m, 25, UI, "E|100");
	tell(&m, 26, RENDER, "B|100|DrawFrame");
	tell(&m, 28, RENDER, "E|100");
	tell(&m, 29, RENDER, "B|100|DrawFrame");
	tell(&m, 33, RENDER, "E|100");
	assert_int_equal(f.at.n, 2);
	assert_int_equal(frames_get(&f, APP, 1, false)->draw_end, 28);
	assert_int_equal(frames_get(&f, APP, 2, false)->draw_end, 33);
	frame_markers_free(&m);
	frames_free(&f);
}

/* A slice that is open when events are lost may have lost its end: it is none. */
static void gap(void **state)
{
	struct frames f = {.left_out = 0};
	struct frame_markers m = {.frames = &f};

	(void)state;
	tell(&m, 10, UI, "B|100|Choreographer#doFrame 7");
	frame_markers_gap(&m, 1);
	assert_int_equal(m.broken, 0); /* of another CPU */
	frame_markers_gap(&m, 2);
	assert_int_equal(m.broken, 1);
	tell(&m, 90, UI, "E|100");
	assert_int_equal(frames_get(&f, APP, 7, false)->ui_start, FRAME_NO_TIME);
	frame_markers_free(&m);
	frames_free(&f);
}

static void odd_texts(void **state)
{
	static const char *const texts[] = {"",
	                                    "B",
	                                    "B|",
	                                    "B||x",
	                                    "B|x|Choreographer#doFrame 1",
	                                    "E",
	                                    "|",
	                                    "B|99999999999|Choreographer#doFrame 1"};
	struct frames f = {.left_out = 0};
	struct frame_markers m = {.frames = &f};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		tell(&m, (int64_t)i, UI, texts[i]);
		tell(&m, (int64_t)i, UI, "E");
	}
	for (int i = 0; i < 200; i++) /* deeper than anybody needs */
		tell(&m, 100 + i, UI, "B|100|Choreographer#doFrame 1");
	for (int i = 0; i < 200; i++)
		tell(&m, 400 + i, UI, "E");
	assert_int_equal(f.at.n, 1);
	frame_markers_free(&m);
	frames_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(with_ids),    cmocka_unit_test(resynced),
	        cmocka_unit_test(without_ids), cmocka_unit_test(gap),
	        cmocka_unit_test(odd_texts),
	};

	return run(tests);
}
