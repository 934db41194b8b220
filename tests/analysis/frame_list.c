/* Lists of frames. */
#include "test.h"

#include "tools/feed.h"

enum { MS = 1000000 };

static void both(void **state)
{
	const struct event ev[] = {
	        ev_switch(1, 0, 0, TS_RUNNABLE, 7),
	        ev_print(10 * MS, 0, 7, "B|7|Choreographer#doFrame 5"),
	        ev_print(12 * MS, 0, 7, "B|7|DrawFrames 5"),
	        ev_print(20 * MS, 0, 7, "E|7"),
	        ev_print(21 * MS, 0, 7, "E|7"),
	        ev_other(200 * MS, 0, 7),
	};
	struct session_opts o = {.top = 5, .refresh_hz = 60};
	struct feed f;
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	(void)state;
	feed(&f, ev, sizeof ev / sizeof *ev, 1, &o);
	assert_true(f.ok);
	session_list_frames(f.session, out);
	session_frame_list(f.session, out);
	session_list_frame_rows(f.session, out);
	fclose(out);
	assert_non_null(strstr(text, "?\t7\tmarkers\tcpu.ui_rt\t1\t1\tatrace.period\n"));
	/* its speed is not known: all of it is in that part */
	assert_non_null(strstr(text,
	                       "7\t?\t5\tcpu.ui_rt\t10000000\t20000000\t10000000\t0\t0\t0\t0\t"
	                       "10000000\t0\t0\t0\t0\t0\t0\t0\t0\t0\n"));
	assert_non_null(strstr(text, "prediction\n")); /* no row of FrameTimeline behind the head */
	free(text);
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(both),
	};

	return run(tests);
}
