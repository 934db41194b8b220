/* Tables of frames: which processes, and frame by frame. */
#include "test.h"

#include "tools/feed.h"

#include "report/text.h"

#include <stdlib.h>

enum { MS = 1000000 };

static void run_two(struct feed *f)
{
	const struct event ev[] = {
	        ev_switch(1, 0, 0, TS_RUNNABLE, 7),
	        ev_print(10 * MS, 0, 7, "B|7|Choreographer#doFrame 1"),
	        ev_print(12 * MS, 0, 7, "B|7|DrawFrames 1"),
	        ev_print(20 * MS, 0, 7, "E|7"),
	        ev_print(20 * MS, 0, 7, "E|7"),
	        ev_print(30 * MS, 0, 7, "B|7|Choreographer#doFrame 2"), /* not drawn */
	        ev_print(32 * MS, 0, 7, "E|7"),
	        ev_other(200 * MS, 0, 7),
	};
	struct session_opts o = {.top = 5};

	feed(f, ev, sizeof ev / sizeof *ev, 1, &o);
	assert_true(f->ok);
}

static void processes(void **state)
{
	struct feed f;

	(void)state;
	run_two(&f);
	assert_non_null(strstr(f.text, " ?-7      cpu.ui_rt       1    10.00      -  10.00  10.00  "
	                               "10.00  10.00   10.00  0.010     -  -\n"));
	assert_non_null(strstr(f.text, "not in the durations: 1 doFrame without drawing"));
	feed_free(&f);
}

/* Without capacities and a period what depends on them is missing, not zero. */
static void frame_by_frame(void **state)
{
	struct doc d = {.compact = false};
	struct feed f;
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	(void)state;
	run_two(&f);
	session_why(f.session, &d);
	text_render(&d, out, 100, false);
	fclose(out);
	assert_non_null(strstr(text,
	                       "  at s  token    dur  over  work  clock  size  wait  block  prev "
	                       "  GPU  unknown  jank\n"
	                       " 0.010      1  10.00     -     -      -     -  0.00   0.00  "
	                       "0.00  0.00    10.00     -\n"));
	doc_free(&d);
	free(text);
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(processes),
	        cmocka_unit_test(frame_by_frame),
	};

	return run(tests);
}
