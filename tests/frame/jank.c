/* Rules of jank: the cases of reference frames.md 6 A, D6, F and G. */
#include "test.h"

#include "frame/jank.h"

#include <string.h>

static const struct jank_rule *rule(const char *id)
{
	const struct jank_rule *r = jank_rule_of(id, strlen(id));

	assert_non_null(r);
	return r;
}

/* "0101": the verdicts on frames of these lengths, ms, 0 at the end. */
static const char *verdicts(const char *id, const double *ms, double period)
{
	static char out[32];
	struct jank_state s = {.buffered = false};
	size_t n = 0;

	for (; ms[n] > 0; n++) {
		struct jank_input x = {.ns = (int64_t)(ms[n] * 1e6 + .5),
		                       .overrun = FRAME_NO_TIME,
		                       .ui_ns = FRAME_NO_TIME,
		                       .period = period * 1e6};
		int j = rule(id)->judge(&x, &s);

		out[n] = j < 0 ? '-' : (char)('0' + j);
	}
	out[n] = '\0';
	return out;
}

#define RULE(id, period, ...) verdicts(id, (const double[]){__VA_ARGS__, 0}, period)

static void jankbench(void **state)
{
	(void)state;
	assert_string_equal(RULE("jankbench16", 0, 10, 20, 20, 33, 20), "01011");
	assert_string_equal(RULE("jankbench16", 0, 16, 16), "00");
	assert_string_equal(RULE("jankbench16", 0, 20, 5, 5, 5, 20), "10000");
	assert_string_equal(RULE("jankbench16", 0, 40, 40, 40), "111");
	assert_string_equal(RULE("jankbench16", 0, 33, 32, 33), "101");
	assert_string_equal(RULE("jankbench16", 0, 20, 33, 33), "111");
	assert_string_equal(RULE("jankbench16", 0, 12, 12.1, 11.9), "000");
	assert_string_equal(RULE("jankbench16", 0, 20), "1"); /* A8: each sub-test anew */
	assert_string_equal(RULE("bad16", 0, 10, 20, 20, 33, 20), "01111");
	assert_string_equal(RULE("bad16", 0, 16, 15.999, 16), "101");
}

static void perfdog(void **state)
{
	(void)state;
	assert_string_equal(RULE("perfdog", 0, 16, 16, 16, 84, 16, 16, 16, 130), "00010001");
	assert_string_equal(RULE("perfdog_big", 0, 16, 16, 16, 84, 16, 16, 16, 130), "00000001");
	assert_string_equal(RULE("perfdog", 0, 16, 16, 16, 83, 16), "00000");
	assert_string_equal(RULE("perfdog", 0, 50, 50, 50, 100), "0000");
	assert_string_equal(RULE("perfdog", 0, 50, 50, 50, 101), "0001");
	assert_string_equal(RULE("perfdog_big", 0, 50, 50, 50, 101), "0000");
	assert_string_equal(RULE("perfdog", 0, 16, 16, 16, 84, 90, 90), "000110");
}

/* Longer than the period, not as long as; never without one. */
static void period(void **state)
{
	(void)state;
	assert_string_equal(RULE("atrace.period", 10, 9, 10, 10.001, 30), "0011");
	assert_string_equal(RULE("atrace.period", 0, 9, 30), "--");
	assert_ptr_equal(jank_default(SOURCE_MARKERS), rule("atrace.period"));
}

/* Reference D6: which bits of FrameTimeline make a frame missed. */
static void missed(void **state)
{
	static const uint32_t yes[] = {64, 4096, 2, 4, 8, 16, 32, 1024, 512 | 2},
	                      no[] = {0, 1, 128, 256, 512, 2048, 8192, 16384, 32768};
	struct frame f = {.layers = 1};
	const struct jank_input x = {.frame = &f};

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		f.jank = yes[i];
		assert_int_equal(rule("ft_missed")->judge(&x, NULL), 1);
		assert_int_equal(rule("ft_app")->judge(&x, NULL), i < 2);
		assert_int_equal(rule("ft_sf")->judge(&x, NULL), i >= 2 && yes[i] != 1024);
	}
	for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
		f.jank = no[i];
		assert_int_equal(rule("ft_missed")->judge(&x, NULL), 0);
	}
	f.layers = 0; /* no row of it */
	assert_int_equal(rule("ft_missed")->judge(&x, NULL), -1);
	assert_ptr_equal(jank_default(SOURCE_TIMELINE), rule("ft_missed"));
}

static void deadlines(void **state)
{
	struct frame f = {.expected_start = 0,
	                  .expected_end = 16,
	                  .actual_end = 15,
	                  .draw_end = FRAME_NO_TIME};
	struct jank_input x = {.frame = &f, .ns = 15, .overrun = -1, .ui_ns = 32};

	(void)state;
	assert_int_equal(rule("overrun")->judge(&x, NULL), 0);
	assert_int_equal(rule("macro_overrun")->judge(&x, NULL), -1); /* drawing is not told */
	f.draw_end = 18;
	assert_int_equal(rule("macro_overrun")->judge(&x, NULL), 1);
	x.overrun = 0; /* ready at the deadline is in time */
	assert_int_equal(rule("overrun")->judge(&x, NULL), 0);
	x.overrun = 1;
	assert_int_equal(rule("overrun")->judge(&x, NULL), 1);
	x.overrun = FRAME_NO_TIME;
	assert_int_equal(rule("overrun")->judge(&x, NULL), -1);
	assert_int_equal(rule("jankstats")->judge(&x, NULL), 0); /* twice as long, not longer */
	x.ui_ns = 33;
	assert_int_equal(rule("jankstats")->judge(&x, NULL), 1);
	x.ui_ns = FRAME_NO_TIME;
	assert_int_equal(rule("jankstats")->judge(&x, NULL), -1);
}

static void names(void **state)
{
	(void)state;
	assert_ptr_equal(rule("jank.bad16"), rule("bad16"));
	assert_null(jank_rule_of("jank", 4));
	assert_null(jank_rule_of("", 0));
	assert_null(jank_rule_of("bad1", 4));
	assert_null(jank_rule_of("bad16,x", 7));
	assert_ptr_equal(jank_rule_of("bad16,x", 5), rule("bad16"));
	for (size_t i = 0; jank_rules[i]; i++)
		assert_ptr_equal(rule(jank_rules[i]->id), jank_rules[i]);
}

/* G1 to G5, and the two totals. */
static void hwui(void **state)
{
	static const double in[][3] = {
	        {0, 20, 25}, {10, 30, 38}, {20, 40, 52}, {100, 120, 119}, {110, 130, 130}};
	static const bool janky[] = {true, false, true, false, true};
	double next = 0;
	unsigned late = 0;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		bool input;

		assert_int_equal(jank_hwui_deadline(in[i][0], in[i][1], in[i][2], in[i][0], 10,
		                                    &next, &input),
		                 janky[i]);
		late += input;
		if (i == 0)
			assert_true(next > 29.999 && next < 30.001);
		if (i == 1)
			assert_true(next > 39.999 && next < 40.001);
		if (i == 2)
			assert_true(next > 59.999 && next < 60.001);
	}
	assert_int_equal(late, 1);
	assert_false(jank_hwui_legacy(16.667, 16.667, 0, 0, 0, 0));
	assert_true(jank_hwui_legacy(16.668, 16.667, 0, 0, 0, 0));
	assert_true(jank_hwui_legacy(20, 16.667, 1, 2, 4, 6));
	assert_false(jank_hwui_legacy(19.5, 16.667, 1, 2, 4, 6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(jankbench), cmocka_unit_test(perfdog),   cmocka_unit_test(period),
	        cmocka_unit_test(missed),    cmocka_unit_test(deadlines), cmocka_unit_test(names),
	        cmocka_unit_test(hwui),
	};

	return run(tests);
}
