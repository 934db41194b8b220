/* Rows of FrameTimeline as trace_processor counts them: reference frames.md 6 D1 to D3, D7, D9,
 * D10. */
#include "test.h"

#include "frame/rows.h"

static struct event start(int64_t ts, int shape, int64_t cookie, int32_t pid, int64_t token)
{
	struct event e = {.ts = ts, .cpu = EVENT_NO_CPU, .kind = EV_frame_timeline};

	e.has = 1u << EVB_frame_timeline_shape | 1u << EVB_frame_timeline_cookie |
	        1u << EVB_frame_timeline_token | 1u << EVB_frame_timeline_pid |
	        1u << EVB_frame_timeline_jank_type | 1u << EVB_frame_timeline_severity_score;
	e.frame_timeline.shape = shape;
	e.frame_timeline.cookie = cookie;
	e.frame_timeline.token = token;
	e.frame_timeline.pid = pid;
	return e;
}

static void tell(struct frame_rows *r, struct event e)
{
	frame_rows_event(r, &e);
}

static void end(struct frame_rows *r, int64_t ts, int64_t cookie)
{
	struct event e = {.ts = ts, .kind = EV_frame_timeline};

	e.has = 1u << EVB_frame_timeline_shape | 1u << EVB_frame_timeline_cookie;
	e.frame_timeline.shape = FRAME_END_OF;
	e.frame_timeline.cookie = cookie;
	frame_rows_event(r, &e);
}

/* An actual row of `dur`; -1: without an end. */
static void row(struct frame_rows *r, int32_t pid, int64_t token, int64_t dur, uint32_t jank,
                double score)
{
	static int64_t cookie = 100;
	struct event e = start(1000, FRAME_ACTUAL_SURFACE, ++cookie, pid, token);

	e.frame_timeline.jank_type = jank;
	e.frame_timeline.severity_score = score;
	tell(r, e);
	if (dur >= 0)
		end(r, 1000 + dur, cookie);
}

static void twins_and_cookies(void **state)
{
	struct frame_rows r = {.unpaired = 0};
	struct event cut = start(10, FRAME_EXPECTED_SURFACE, 9, 1000, 4);

	(void)state;
	tell(&r, start(150, FRAME_EXPECTED_SURFACE, 1, 1000, 14));
	tell(&r, start(150, FRAME_EXPECTED_SURFACE, 2, 1000, 14)); /* the twin is no row */
	end(&r, 170, 1);
	end(&r, 171, 2);
	assert_int_equal(r.at.n, 1);
	assert_int_equal(r.at.at[0].dur, 20);
	assert_int_equal(r.unpaired, 1);
	/* a cookie twice: the end closes the second, the first stays open */
	tell(&r, start(220, FRAME_EXPECTED_DISPLAY, 26, 666, 20));
	tell(&r, start(220, FRAME_EXPECTED_DISPLAY, 26, 666, 21));
	end(&r, 230, 26);
	end(&r, 240, 26);
	assert_int_equal(r.at.n, 3);
	assert_int_equal(r.at.at[1].dur, -1);
	assert_int_equal(r.at.at[2].dur, 10);
	assert_int_equal(r.unpaired, 2);
	cut.has &= ~(1u << EVB_frame_timeline_token);
	tell(&r, cut);
	end(&r, 20, 9);
	assert_int_equal(r.at.n, 3);
	assert_int_equal(r.unpaired, 3);
	frame_rows_free(&r);
}

/* D9: 33.5, 13.33 and 14 ms; counts are of tokens, durations of rows. */
static void metric(void **state)
{
	enum { MS = 1000000 };
	struct frame_rows r = {.unpaired = 0};
	struct frame_rows_metric m;

	(void)state;
	row(&r, 1, 1, 33 * MS, 64, 1.5);
	row(&r, 1, 2, 34 * MS, 64 | 128, 2.5);
	row(&r, 2, 1, 16 * MS, 1, 0);
	row(&r, 2, 2, 16 * MS, 64, 1);
	row(&r, 2, 2, 8 * MS, 64, 2);
	row(&r, 3, 1, 14 * MS, 16, 1.5);
	row(&r, 3, 2, 6 * MS, 1024, 2.5);
	m = frame_rows_metric(&r, 1);
	assert_int_equal(m.total, 2);
	assert_int_equal(m.missed_app, 2);
	assert_int_equal(m.avg, 33500000);
	assert_int_equal(m.p90, 33900000);
	assert_int_equal(m.p95, 33950000);
	assert_int_equal(m.p99, 33990000);
	check_near(m.weighted, 4, 1e-9);
	m = frame_rows_metric(&r, 2);
	assert_int_equal(m.total, 2);
	assert_int_equal(m.missed, 1);
	assert_int_equal(m.avg, 13333333);
	assert_int_equal(m.p50, 16 * MS);
	check_near(m.weighted, 2, 1e-9); /* of the rows of a token the largest */
	m = frame_rows_metric(&r, 3);
	assert_int_equal(m.missed, 2);
	assert_int_equal(m.dropped, 1);
	assert_int_equal(m.max, 14 * MS); /* dropped rows have no duration */
	check_near(m.weighted_sf, 1.5, 1e-9);
	frame_rows_free(&r);
}

/* D10: rows without an end leak into the mean there. */
static void incomplete(void **state)
{
	struct frame_rows r = {.unpaired = 0};

	(void)state;
	row(&r, 1, 1, 16000000, 1, 0);
	row(&r, 1, 2, -1, 1, 0);
	row(&r, 1, 3, 8000000, 1, 0);
	assert_int_equal(frame_rows_metric(&r, 1).avg, 7999999);
	assert_int_equal(frame_rows_metric(&r, 2).total, 0);
	assert_int_equal(frame_rows_metric(&r, 2).avg, -1);
	frame_rows_free(&r);
}

static void texts(void **state)
{
	char text[400];

	(void)state;
	assert_string_equal(frame_jank_text(64 | 4096 | 128, text, sizeof text),
	                    "App Deadline Missed, App Resynced Jitter, Buffer Stuffing");
	assert_string_equal(frame_jank_text(0, text, sizeof text), "Unspecified");
	assert_string_equal(frame_jank_text(1, text, sizeof text), "None");
	assert_string_equal(frame_jank_text(2 | 16, text, sizeof text),
	                    "SurfaceFlinger Scheduling, SurfaceFlinger CPU Deadline Missed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(twins_and_cookies),
	        cmocka_unit_test(metric),
	        cmocka_unit_test(incomplete),
	        cmocka_unit_test(texts),
	};

	return run(tests);
}
