/* Which frames count, their jank, missed vsyncs, bursts and sums. */
#include "test.h"

#include "analysis/frame_table.h"

#include <math.h>

#define MS INT64_C(1000000)

static const struct trace_info info = {.path = "x"};

struct made {
	struct context ctx;
	struct frames frames;
	struct frame_why why;
	struct refresh refresh;
	VEC(struct suspended) slept;
	struct frame_table table;
};

static struct made *make(double hz)
{
	static const struct fact_ops deaf = {.gap = NULL};
	struct made *m = mem_calloc(1, sizeof *m);
	struct replay_opts ro = {.n_cpus = 1};

	m->ctx = (struct context){.opts = {.trace = &info},
	                          .start = 0,
	                          .from = 0,
	                          .end = 5000 * MS,
	                          .to = 5000 * MS,
	                          .replay = replay_new(&ro, &deaf, NULL)};
	m->why.ctx = &m->ctx;
	m->why.frames = &m->frames;
	if (hz > 0)
		refresh_told(&m->refresh, 0, hz);
	return m;
}

/* By markers: doFrame at `start`, drawn at `end`, ms. */
static struct frame *marked(struct made *m, int64_t token, int64_t start, int64_t end)
{
	struct frame *f = frames_get(&m->frames, 7, token, false);

	f->flags |= FRAME_MARKED;
	f->ui_start = start * MS;
	f->ui_end = f->draw_start = (start + 1) * MS;
	f->draw_end = end * MS;
	return f;
}

/* By FrameTimeline: expected from start for 16 ms, ready at end. */
static struct frame *told(struct made *m, int64_t token, int64_t start, int64_t end, uint32_t jank)
{
	struct frame *f = frames_get(&m->frames, 7, token, false);

	f->flags |= FRAME_TIMELINE;
	f->layers = 1;
	f->expected_start = start * MS;
	f->expected_end = (start + 16) * MS;
	f->actual_start = (start + 1) * MS;
	f->actual_end = end * MS;
	f->jank = jank;
	return f;
}

static const struct frame_process *finish(struct made *m)
{
	m->table = frame_table_of(&(struct frame_table_in){.ctx = &m->ctx,
	                                                   .frames = &m->frames,
	                                                   .why = &m->why,
	                                                   .refresh = &m->refresh,
	                                                   .slept = m->slept.at,
	                                                   .n_slept = m->slept.n});
	return frame_table_main(&m->table);
}

static void drop(struct made *m)
{
	frame_table_free(&m->table);
	refresh_free(&m->refresh);
	frames_free(&m->frames);
	frame_why_free(&m->why);
	vec_free(&m->slept);
	replay_free(m->ctx.replay);
	free(m);
}

/* 60 Hz: 50 ms is 2 periods late (33.3 of 16.7), 20 ms one. Hitch: 3 x 16.667 ms of 270 ms. */
static void markers(void **state)
{
	struct made *m = make(60);
	const struct frame_process *p;
	uint64_t janky, judged;

	(void)state;
	marked(m, 1, 0, 10);
	marked(m, 2, 20, 70);
	marked(m, 3, 80, 100);
	marked(m, 4, 120, 130);
	marked(m, 5, 1000, 1008); /* a burst of its own */
	marked(m, 6, 1020, 1140);
	m->frames.at.at[5].draw_end = FRAME_NO_TIME; /* not drawn */
	p = finish(m);
	assert_int_equal(p->used.n, 5);
	assert_int_equal(p->ui_only, 1);
	assert_int_equal(p->judged, 5);
	assert_int_equal(p->janky, 2);
	assert_int_equal(p->runs, 1);
	assert_int_equal(p->longest_run, 2);
	assert_int_equal(p->missed, 3); /* ceil(33.3 / 16.7) = 2, and 1 */
	assert_int_equal(p->most_missed, 2);
	assert_int_equal(p->bursts.n, 2);
	assert_int_equal(p->frame_time, 138 * MS);
	check_near(frame_hitch(p), 1000 * 3 * 16.6666667 / 138, 1e-3);
	assert_int_equal(p->bursts.at[0].early, 3); /* that begin within 100 ms */
	assert_int_equal(p->bursts.at[0].early_janky, 2);
	check_near(frame_mean(p), (10 + 50 + 20 + 10 + 8) / 5.0 * 1e6, 1);
	assert_int_equal(p->longest->frame->token, 2);
	frame_judge(p, jank_rule_of("bad16", 5), &janky, &judged);
	assert_int_equal(janky, 2);
	assert_int_equal(judged, 5);
	drop(m);
}

static void no_period(void **state)
{
	struct made *m = make(0);
	const struct frame_process *p;

	(void)state;
	marked(m, 1, 0, 10);
	p = finish(m);
	assert_int_equal(p->judged, 0);
	assert_false(p->has_period);
	assert_true(isnan(frame_hitch(p)));
	assert_int_equal(p->used.at[0].overrun, FRAME_NO_TIME);
	assert_int_equal(p->overrun.n, 0);
	drop(m);
}

/* Late on time is no jank; dropped has no duration but counts as janky; an open frame is incomplete
 * (reference D10: 16 and 8 ms, mean 12 over 2). */
static void timeline(void **state)
{
	struct made *m = make(60);
	const struct frame_process *p;

	(void)state;
	told(m, 1, 0, 16, 1);
	told(m, 2, 20, 28, 1);
	told(m, 3, 40, 0, 0)->actual_end = FRAME_NO_TIME;
	p = finish(m);
	assert_int_equal(p->ns.n, 2);
	check_near(frame_mean(p), 12e6, 1);
	assert_int_equal(p->incomplete, 1);
	frame_table_free(&m->table);
	told(m, 4, 60, 80, 1);   /* 4 ms late, shown on time */
	told(m, 5, 90, 110, 64); /* janky: 4 ms late */
	told(m, 6, 120, 130, 64 | 16);
	told(m, 7, 150, 160, 1024)->flags |= FRAME_DROPPED;
	p = finish(m);
	assert_int_equal(p->used.n, 7);
	assert_int_equal(p->ns.n, 5);
	assert_int_equal(p->janky, 3);
	assert_int_equal(p->app, 2);
	assert_int_equal(p->sf, 1);
	assert_int_equal(p->dropped_janky, 1);
	assert_int_equal(p->late_on_time, 1);
	assert_int_equal(p->missed, 3); /* a janky frame missed one at least */
	assert_int_equal(p->used.at[3].overrun, 4 * MS);
	drop(m);
}

/* Reference H10: a frame counts where it starts. */
static void window(void **state)
{
	static const int64_t at[] = {99, 100, 199, 200};
	struct made *m = make(60);

	(void)state;
	for (int i = 0; i < 4; i++)
		marked(m, i, at[i], at[i] + 5);
	m->ctx.opts.from = (struct edge){EDGE_ABSOLUTE, 100 * MS, NULL};
	m->ctx.opts.to = (struct edge){EDGE_ABSOLUTE, 200 * MS, NULL};
	m->ctx.from = 100 * MS;
	m->ctx.to = 200 * MS;
	assert_int_equal(finish(m)->used.n, 2);
	drop(m);
}

static void slept(void **state)
{
	struct made *m = make(60);
	const struct frame_process *p;

	(void)state;
	marked(m, 1, 0, 10);
	marked(m, 2, 20, 3000);
	*vec_add(&m->slept) = (struct suspended){.from = 25 * MS, .to = 2990 * MS};
	p = finish(m);
	assert_int_equal(p->used.n, 1);
	assert_int_equal(p->suspended, 1);
	drop(m);
}

/* FrameTimeline is better than markers; a drawn frame that it does not tell is unresolved. The
 * compositor's own frames are a process apart, and not the main one. */
static void sources(void **state)
{
	struct made *m = make(60);
	const struct frame_process *p;
	struct frame *d;

	(void)state;
	told(m, 1, 0, 16, 1);
	marked(m, 2, 20, 30);
	for (int i = 0; i < 3; i++) {
		d = frames_get(&m->frames, 9, 100 + i, true);
		*d = *frames_get(&m->frames, 7, 1, false);
		d->pid = 9;
		d->flags |= FRAME_DISPLAY;
	}
	p = finish(m);
	assert_int_equal(p->pid, 7);
	assert_int_equal(p->source, SOURCE_TIMELINE);
	assert_int_equal(p->used.n, 1);
	assert_int_equal(p->unresolved, 1);
	assert_int_equal(m->table.at.n, 2);
	assert_true(m->table.at.at[0].display); /* most frames first */
	drop(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(markers), cmocka_unit_test(no_period), cmocka_unit_test(timeline),
	        cmocka_unit_test(window),  cmocka_unit_test(slept),     cmocka_unit_test(sources),
	};

	return run(tests);
}
