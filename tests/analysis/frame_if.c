/* What if: frames laid out again, against ends worked out by hand. */
#include "test.h"

#include "analysis/frame_if.h"

#define MS INT64_C(1000000)
enum { PERIOD = 16 };

struct made {
	struct frame frame[3];
	struct frame_parts parts[3];
	struct used_frame used[3];
	struct frame_process p;
};

/* From `start` the UI thread has the frame until `handoff`, of which it runs `run`, worth a quarter
 * at full speed, half of that lost to the clock; then the other thread draws until `end`, all of it
 * run. */
static void set(struct made *m, int i, int64_t start, int64_t handoff, int64_t run, int64_t wait,
                int64_t end)
{
	struct frame_parts *x = &m->parts[i];
	int64_t draws = (end - handoff) * MS;

	m->frame[i] = (struct frame){.token = i,
	                             .ui_start = start * MS,
	                             .ui_end = handoff * MS,
	                             .draw_start = handoff * MS,
	                             .draw_end = end * MS};
	*x = (struct frame_parts){.known = true,
	                          .start = start * MS,
	                          .handoff = handoff * MS,
	                          .draw = handoff * MS,
	                          .draw_end = end * MS,
	                          .end = end * MS};
	x->leg[LEG_UI] = (struct leg){.run = run * MS,
	                              .top = run * MS / 2,
	                              .up = {run * MS / 2, run * MS / 2, run * MS / 2},
	                              .work = run * MS / 4,
	                              .waiting = wait * MS};
	x->leg[LEG_DRAW] = (struct leg){.run = draws,
	                                .top = draws / 2,
	                                .up = {draws / 2, draws / 2, draws / 2},
	                                .work = draws / 4};
	m->used[i] = (struct used_frame){.frame = &m->frame[i],
	                                 .parts = x,
	                                 .start = start * MS,
	                                 .ns = (end - start) * MS,
	                                 .overrun = (end - start - PERIOD) * MS,
	                                 .period = PERIOD * MS,
	                                 .janky = end - start > PERIOD};
	m->p.source = SOURCE_MARKERS;
	m->p.used.at = m->used;
	m->p.used.n = (size_t)i + 1;
}

static int64_t end_if(const struct made *m, int i, bool top, int up, bool no_wait)
{
	const struct frame_change c = {top, up, no_wait};
	int64_t ends[3];

	frame_if(&m->p, &c, ends);
	return ends[i];
}

static void one(void **state)
{
	struct made m = {.p = {.pid = 7}};
	const struct frame_change none = {false, 0, false};
	int64_t ends[3];
	uint64_t n[LEASTS];

	(void)state;
	set(&m, 0, 0, 12, 8, 4, 20); /* 8 run + 4 waiting, then 8 drawing: 4 late */
	frame_if(&m.p, &none, ends);
	assert_int_equal(frame_if_moved(&m.p, ends), 0);
	assert_int_equal(frame_if_janky(&m.p, ends), 1);
	assert_int_equal(end_if(&m, 0, true, 0, false), 12 * MS);      /* 4 + 4 + 4 */
	assert_int_equal(end_if(&m, 0, true, UPS_MAX, false), 8 * MS); /* 2 + 4 + 2 */
	assert_int_equal(end_if(&m, 0, false, 0, true), 16 * MS);      /* just in time */
	frame_least(&m.p, n);
	assert_int_equal(n[LEAST_EITHER], 1);
}

/* A frame behind another: it begins when the threads are done with that one, also when they are
 * done sooner, but not before its own start. */
static void behind(void **state)
{
	struct made m = {.p = {.pid = 7}};
	int64_t ends[3];
	const struct frame_change none = {false, 0, false};

	(void)state;
	set(&m, 0, 0, 20, 20, 0, 36);
	set(&m, 1, 16, 26, 6, 0, 44);
	m.parts[1].leg[LEG_DRAW] = (struct leg){
	        .run = 8 * MS, .top = 4 * MS, .up = {4 * MS, 4 * MS, 4 * MS}, .work = 2 * MS};
	frame_if(&m.p, &none, ends);
	assert_int_equal(frame_if_moved(&m.p, ends), 0);
	/* frame 0: UI to 10, drawn at 18; frame 1: UI from 16 for 3, drawn from 19 for 4: the 10 ms
	 * in which it drew for frame 0 are no part of it */
	assert_int_equal(end_if(&m, 0, true, 0, false), 18 * MS);
	assert_int_equal(end_if(&m, 1, true, 0, false), 23 * MS);
}

/* Parts that are not known: no end, and janky still. */
static void unknown(void **state)
{
	struct made m = {.p = {.pid = 7}};
	const struct frame_change top = {true, 0, false};
	int64_t ends[3];
	uint64_t n[LEASTS];

	(void)state;
	set(&m, 0, 0, 12, 8, 4, 20);
	m.used[0].parts = NULL;
	frame_if(&m.p, &top, ends);
	assert_int_equal(ends[0], FRAME_NO_TIME);
	assert_int_equal(frame_if_janky(&m.p, ends), 1);
	assert_int_equal(frame_if_moved(&m.p, ends), 0);
	frame_least(&m.p, n);
	assert_int_equal(n[LEAST_NONE], 1);
}

/* When the drawing began is not known. */
static void not_drawn(void **state)
{
	struct made m = {.p = {.pid = 7}};
	const struct frame_change none = {false, 0, false};
	int64_t ends[3];

	(void)state;
	set(&m, 0, 0, 12, 8, 4, 20);
	set(&m, 1, 20, 25, 5, 0, 30);
	m.parts[0].draw = m.parts[0].draw_end = FRAME_NO_TIME;
	m.parts[0].leg[LEG_DRAW] = (struct leg){.run = 0};
	frame_if(&m.p, &none, ends);
	assert_int_equal(frame_if_moved(&m.p, ends), 0);
	assert_int_equal(end_if(&m, 0, true, 0, false), 16 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(one),
	        cmocka_unit_test(behind),
	        cmocka_unit_test(unknown),
	        cmocka_unit_test(not_drawn),
	};

	return run(tests);
}
