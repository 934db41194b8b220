/* Statistics of frames: against values worked out by hand (reference frames.md 6 E). */
#include "test.h"

#include "tools/feed.h"

#include <stdio.h>
#include <string.h>

enum { MS = 1000000, N = 10 };

/* Frames of these lengths, one every 200 ms: doFrame, and within it DrawFrame. */
static void run_frames(struct feed *f, const int *ms, size_t n, double refresh_hz)
{
	struct event ev[4 * 16 + 2];
	static char text[32][48];
	struct session_opts o = {.refresh_hz = refresh_hz, .top = 5};
	size_t k = 0;

	ev[k++] = ev_switch(0, 0, 0, TS_RUNNABLE, 7);
	for (size_t i = 0; i < n; i++) {
		int64_t t = (int64_t)(i + 1) * 200 * MS;

		snprintf(text[2 * i], sizeof text[0], "B|7|Choreographer#doFrame %zu", i);
		snprintf(text[2 * i + 1], sizeof text[0], "B|7|DrawFrames %zu", i);
		ev[k++] = ev_print(t, 0, 7, text[2 * i]);
		ev[k++] = ev_print(t + 1, 0, 7, text[2 * i + 1]);
		ev[k++] = ev_print(t + (int64_t)ms[i] * MS, 0, 7, "E|7");
		ev[k++] = ev_print(t + (int64_t)ms[i] * MS + 1, 0, 7, "E|7");
	}
	ev[k++] = ev_other((int64_t)(n + 2) * 200 * MS, 0, 7);
	feed(f, ev, k, 1, &o);
	assert_true(f->ok);
}

static void statistics(void **state)
{
	static const int ms[N] = {8, 9, 10, 16, 20, 33, 40, 41, 50, 120};
	struct feed f;

	(void)state;
	run_frames(&f, ms, N, 60);
	assert_true(feed_has(&f, "\"n\":10,\"n_durations\":10,\"mean_ms\":34.7,\"sd_ms\":33.5495,"
	                         "\"rsd_frames_pct\":96.6843,\"min_ms\":8,\"p50_ms\":26.5,"
	                         "\"p90_ms\":57,\"p95_ms\":88.5,\"p99_ms\":113.7,\"max_ms\":120,"));
	assert_true(feed_has(&f, "\"max_at_ns\":2000000000,\"max_token\":9,"));
	assert_true(feed_has(&f, "\"jank\":\"atrace.period\",\"janky\":6,\"jank_pct\":60,"));
	assert_non_null(strstr(f.text, "cpu.ui_rt"));
	feed_free(&f);
}

static void one_frame(void **state)
{
	static const int ms[] = {5};
	struct feed f;

	(void)state;
	run_frames(&f, ms, 1, 0);
	assert_true(feed_has(&f, "\"mean_ms\":5,\"sd_ms\":null,"));
	assert_true(feed_has(&f, "\"janky\":null,")); /* no period is known */
	feed_free(&f);
}

/* Absence is not zero. */
static void none(void **state)
{
	FEED(f, 1, ev_switch(0, 0, 0, TS_RUNNABLE, 7), ev_other(100, 0, 7));
	(void)state;
	assert_true(feed_has(&f, "\"frames\":null,\"frames_reason\""));
	assert_non_null(strstr(f.text, "no frames"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(statistics),
	        cmocka_unit_test(one_frame),
	        cmocka_unit_test(none),
	};

	return run(tests);
}
