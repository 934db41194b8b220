/* Frames that the user defines: reference frames.md 6 J, and what is no definition. */
#include "test.h"

#include "frame/user.h"

#include <math.h>

struct made {
	struct frames frames;
	struct frame_user *user;
};

static void make(struct made *m, const char *text)
{
	struct err e;

	*m = (struct made){.frames = {.left_out = 0}};
	assert_true(frame_user_check(text, &e));
	m->user = frame_user_new(text, &m->frames, (struct frame_hearer){NULL, NULL});
}

static void drop(struct made *m)
{
	frame_user_free(m->user);
	frames_free(&m->frames);
}

static void say(struct made *m, int64_t t, int pid, const char *text)
{
	struct event e = {.ts = t, .pid = pid, .kind = EV_print, .has = 1u << EVB_print_buf};

	e.print.buf = (struct str){text, strlen(text)};
	frame_user_event(m->user, &e, "print", pid == 7 ? "app" : "other");
}

/* "12 15 -": durations in the order of begins. */
static const char *lengths(const struct made *m, enum frame_source s)
{
	static char out[128];
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < m->frames.at.n; i++) {
		int64_t start, ns;

		if (frame_duration(&m->frames.at.at[i], s, &start, &ns))
			n += (size_t)snprintf(out + n, sizeof out - n, "%s%lld", n ? " " : "",
			                      (long long)ns);
		else
			n += (size_t)snprintf(out + n, sizeof out - n, "%s-", n ? " " : "");
	}
	return out;
}

/* J2: the key joins begin and end; frames may overlap. */
static void keys(void **state)
{
	struct made m;

	(void)state;
	make(&m, "begin=frame begin_ctx=([0-9]+) end=frame end_ctx=([0-9]+)");
	say(&m, 0, 7, "frame begin_ctx=1\n");
	say(&m, 5, 7, "frame begin_ctx=2");
	say(&m, 12, 8, "frame end_ctx=1");
	say(&m, 20, 7, "frame end_ctx=2");
	say(&m, 21, 7, "frame end_ctx=9");
	assert_string_equal(lengths(&m, SOURCE_USER), "12 15");
	drop(&m);
}

/* J3: one marker per frame. */
static void points(void **state)
{
	struct made m;

	(void)state;
	make(&m, "begin=^flip");
	say(&m, 0, 7, "flip");
	say(&m, 10, 8, "flip");
	say(&m, 12, 8, "no flip");
	say(&m, 25, 7, "flip 3");
	assert_string_equal(lengths(&m, SOURCE_USER), "10 15 -");
	drop(&m);
}

/* J4: two begins and one end. */
static void nesting(void **state)
{
	static const struct {
		const char *nest, *want;
		uint64_t replaced;
	} cases[] = {{"innermost", "- 6", 0}, {"first", "10", 0}, {"replace", "6", 1}};
	char text[64];
	struct made m;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		snprintf(text, sizeof text, "begin=^b$ end=^e$ nest=%s", cases[i].nest);
		make(&m, text);
		say(&m, 0, 7, "b");
		say(&m, 4, 7, "b");
		say(&m, 10, 7, "e");
		say(&m, 11, 8, "e"); /* of a thread without a begin */
		assert_string_equal(lengths(&m, SOURCE_USER), cases[i].want);
		assert_int_equal(frame_user_replaced(m.user), cases[i].replaced);
		drop(&m);
	}
}

static void slices(void **state)
{
	struct made m;
	struct event t = {.ts = 50, .pid = 0, .kind = EV_track_event, .has = ~0u};

	(void)state;
	make(&m, "slice=work deadline=0.000005 task=app");
	say(&m, 0, 7, "B|7|work 1");
	say(&m, 1, 7, "B|7|workshop");
	say(&m, 2, 7, "E|7");
	say(&m, 7, 7, "E");
	say(&m, 8, 9, "B|9|work"); /* of another task */
	say(&m, 9, 9, "E|9");
	assert_string_equal(lengths(&m, SOURCE_USER), "7");
	assert_int_equal(m.frames.at.at[0].expected_end, 5);
	drop(&m);
	make(&m, "slice=work");
	t.track_event.type = TRACK_BEGIN;
	t.track_event.track = 5;
	t.track_event.tid = 9;
	t.track_event.name = (struct str){"work", 4};
	frame_user_event(m.user, &t, "track_event", "");
	t.ts = 53;
	t.track_event.type = TRACK_END;
	frame_user_event(m.user, &t, "track_event", "");
	assert_string_equal(lengths(&m, SOURCE_USER), "3");
	drop(&m);
}

static void events(void **state)
{
	struct event e = {.ts = 0, .pid = 3, .kind = EV_other};
	struct made m;

	(void)state;
	make(&m, "event=drm_vblank_event");
	assert_true(frame_user_of_events(m.user));
	assert_true(frame_user_wants(m.user, "drm_vblank_event"));
	assert_false(frame_user_wants(m.user, "drm_vblank"));
	frame_user_event(m.user, &e, "drm_vblank_event", "");
	e.ts = 16;
	e.pid = 0; /* whoever was interrupted */
	frame_user_event(m.user, &e, "drm_vblank_event", "");
	assert_string_equal(lengths(&m, SOURCE_USER), "16 -");
	drop(&m);
	make(&m, "event=submit,done");
	e.pid = 3;
	frame_user_event(m.user, &e, "submit", "");
	e.ts = 20;
	frame_user_event(m.user, &e, "done", "");
	assert_string_equal(lengths(&m, SOURCE_USER), "4");
	drop(&m);
}

static const char loop_begins[] = "rtapp_loop: event=start thread_loop=0 phase=0 phase_loop=0",
                  loop_ends[] = "rtapp_loop: event=end thread_loop=0 phase=0 phase_loop=0";

/* J1: index 8000 / (16667 - 4000); slack 0 is in time. */
static void rtapp(void **state)
{
	static const int slack[] = {8000, -500, 0};
	char text[128];
	struct made m;
	uint64_t n;

	(void)state;
	make(&m, "rtapp");
	for (int i = 0; i < 3; i++) {
		int64_t t = i * 20000000;

		say(&m, t, 7, loop_begins);
		snprintf(text, sizeof text,
		         "rtapp_stats: period=16667 run=4200 wu_lat=35 slack=%d c_period=16667 "
		         "c_run=4000",
		         slack[i]);
		say(&m, t + 6000000, 7, text);
		say(&m, t + 6000010, 7, loop_ends);
		assert_int_equal(m.frames.at.at[i].expected_end - (t + 6000010), slack[i] * 1000);
		if (i == 0) {
			check_near(frame_user_index(m.user, 7, &n), 0.6316, 5e-5);
			assert_int_equal(n, 1);
		}
	}
	assert_string_equal(lengths(&m, SOURCE_RTAPP), "6000010 6000010 6000010");
	check_near(frame_user_index(m.user, 7, &n), (8000 - 500) / 12667.0 / 3, 1e-9);
	assert_int_equal(n, 3);
	assert_true(isnan(frame_user_index(m.user, 8, &n)));
	drop(&m);
}

/* Without statistics a loop has a duration and no deadline. */
static void rtapp_without_stats(void **state)
{
	struct made m;

	(void)state;
	make(&m, "rtapp");
	say(&m, 5, 7, loop_begins);
	say(&m, 9, 7, loop_ends);
	assert_string_equal(lengths(&m, SOURCE_RTAPP), "4");
	assert_int_equal(m.frames.at.at[0].expected_end, FRAME_NO_TIME);
	drop(&m);
}

/* What is open when events are missing has no end. */
static void gap(void **state)
{
	struct made m;

	(void)state;
	make(&m, "begin=^b$ end=^e$");
	say(&m, 0, 7, "b");
	frame_user_gap(m.user, 1);
	say(&m, 5, 7, "e");
	say(&m, 6, 7, "b");
	frame_user_gap(m.user, 0);
	say(&m, 9, 7, "e");
	assert_string_equal(lengths(&m, SOURCE_USER), "5 -");
	drop(&m);
}

static void wrong(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
	        {"", "is needed"},
	        {"task=x", "is needed"},
	        {"begin=a(", "a("},
	        {"begin=a end=[", "["},
	        {"end=a", "is needed"},
	        {"slice=a event=b", "one of"},
	        {"slice=a end=b", "needs begin="},
	        {"slice=", "no value"},
	        {"slice=a deadline=-1", "more than 0"},
	        {"slice=a deadline=1x", "milliseconds"},
	        {"slice=a nest=last", "innermost, first or replace"},
	        {"rtapp=1", "no value"},
	        {"event=a b", "no blanks"},
	        {"nonsense", "none of"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err e = {.kind = 0};

		assert_false(frame_user_check(cases[i].text, &e));
		if (!strstr(e.msg, cases[i].says))
			fail_msg("%s: %s", cases[i].text, e.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(keys),
	        cmocka_unit_test(points),
	        cmocka_unit_test(nesting),
	        cmocka_unit_test(slices),
	        cmocka_unit_test(events),
	        cmocka_unit_test(rtapp),
	        cmocka_unit_test(rtapp_without_stats),
	        cmocka_unit_test(wrong),
	        cmocka_unit_test(gap),
	};

	return run(tests);
}
