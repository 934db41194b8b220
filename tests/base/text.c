#include "base/text.h"

#include "test.h"

#define LEN(a) (sizeof(a) / sizeof *(a))

static void to_u64(void **state)
{
	static const struct {
		const char *s;
		bool ok;
		uint64_t want;
	} cases[] = {
	        {"0", true, 0},
	        {"007", true, 7},
	        {"1234567890", true, 1234567890},
	        {"18446744073709551615", true, UINT64_MAX},
	        {"18446744073709551616", false, 0},
	        {"18446744073709551620", false, 0},
	        {"99999999999999999999", false, 0},
	        {"184467440737095516150", false, 0},
	        {"", false, 0},
	        {"-1", false, 0},
	        {"+1", false, 0},
	        {" 1", false, 0},
	        {"1 ", false, 0},
	        {"1.5", false, 0},
	        {"1e3", false, 0},
	        {"0x10", false, 0},
	        {"cpu0", false, 0},
	        {"\xd9\xa1", false, 0}, /* an Arabic digit */
	};

	(void)state;
	for (size_t i = 0; i < LEN(cases); i++) {
		uint64_t v = 42;

		if (text_to_u64(cases[i].s, &v) != cases[i].ok)
			fail_msg("'%s'", cases[i].s);
		if (cases[i].ok)
			assert_int_equal(v, cases[i].want);
	}
}

static void to_ns(void **state)
{
	static const struct {
		const char *s;
		int64_t want;
	} good[] = {
	        {"0", 0},
	        {"-0", 0},
	        {"1", 1000000000},
	        {"1.5", 1500000000},
	        {"00012.25", 12250000000},
	        {"0.000000001", 1},
	        {"-0.000000001", -1},
	        {"-0.5", -500000000},
	        {"-12.000000345", -12000000345},
	        {"55.1234", 55123400000},
	        {"9223372036.854775807", INT64_MAX},
	        {"-9223372036.854775807", -INT64_MAX},
	        {"-9223372036.854775808", INT64_MIN},
	};
	static const char *const bad[] = {
	        "",           "-",           ".",           ".5",
	        "-.5",        "+1",          " 1",          "1 ",
	        "1,5",        "1s",          "abc",         "1.5.5",
	        "--1",        "1e3",         "0x10",        "inf",
	        "nan",        "1.-5",        "1. 5",        "9223372036.854775808",
	        "9223372037", "-9223372037", "99999999999", "99999999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < LEN(good); i++) {
		int64_t ns = 42;

		if (!text_to_ns(good[i].s, &ns) || ns != good[i].want)
			fail_msg("'%s' is %lld", good[i].s, (long long)ns);
	}
	for (size_t i = 0; i < LEN(bad); i++) {
		int64_t ns;

		if (text_to_ns(bad[i], &ns))
			fail_msg("'%s' is taken for a number", bad[i]);
	}
}

static void real(void **state)
{
	static const struct {
		double v;
		int decimals;
		const char *want;
	} cases[] = {
	        {0, 0, "0"},         {1.5, 1, "1.5"},         {2, 3, "2.000"},
	        {-3.25, 2, "-3.25"}, {1234567, 0, "1234567"}, {99.96, 1, "100.0"},
	        {1e-9, 3, "0.000"},  {2.0 / 3, 4, "0.6667"},
	};
	char out[64];

	(void)state;
	for (size_t i = 0; i < LEN(cases); i++) {
		assert_int_equal(text_real(out, sizeof out, cases[i].v, cases[i].decimals),
		                 strlen(cases[i].want));
		assert_string_equal(out, cases[i].want);
	}
}

static void general(void **state)
{
	static const struct {
		double v;
		int digits;
		const char *want;
	} cases[] = {
	        {0, 6, "0"},
	        {3, 6, "3"},
	        {0.1, 6, "0.1"},
	        {-2.5, 6, "-2.5"},
	        {100000, 6, "100000"},
	        {1234567, 6, "1.23457e+06"},
	        {1234567, 7, "1234567"},
	        {1.0 / 3, 3, "0.333"},
	        {0.000025, 6, "2.5e-05"},
	};
	char out[64];

	(void)state;
	for (size_t i = 0; i < LEN(cases); i++) {
		assert_int_equal(text_general(out, sizeof out, cases[i].v, cases[i].digits),
		                 strlen(cases[i].want));
		assert_string_equal(out, cases[i].want);
	}
}

static void numbers_are_cut_to_the_room(void **state)
{
	char out[8] = "#######";

	(void)state;
	assert_int_equal(text_real(out, 4, 3.14159, 5), 3);
	assert_string_equal(out, "3.1");
	assert_int_equal(out[4], '#');
	assert_int_equal(text_general(out, 3, 1234.0, 6), 2);
	assert_string_equal(out, "12");
}

static const struct {
	const char *s;
	size_t n, want;
} sequences[] = {
        {"", 0, 0},
        {"a", 1, 1},
        {"ab", 2, 1},
        {"\0", 1, 1},
        {"\x7f", 1, 1},
        {"\xc2\x80", 2, 2},
        {"\xdf\xbf", 2, 2},
        {"\xe0\xa0\x80", 3, 3},
        {"\xe2\x82\xac!", 4, 3},
        {"\xef\xbf\xbf", 3, 3},
        {"\xf0\x90\x80\x80", 4, 4},
        {"\xf4\x8f\xbf\xbf", 4, 4}, /* U+10FFFF */
        {"\xf4\x90\x80\x80", 4, 0}, /* U+110000 */
        {"\xf5\x80\x80\x80", 4, 0},
        {"\xff\xff\xff\xff", 4, 0},
        {"\xfe", 1, 0},
        {"\xc0\x80", 2, 0}, /* longer than needed */
        {"\xc1\xbf", 2, 0},
        {"\xe0\x9f\xbf", 3, 0},
        {"\xf0\x8f\xbf\xbf", 4, 0},
        {"\xed\x9f\xbf", 3, 3}, /* U+D7FF */
        {"\xed\xa0\x80", 3, 0}, /* surrogates */
        {"\xed\xbf\xbf", 3, 0},
        {"\xee\x80\x80", 3, 3}, /* U+E000 */
        {"\x80", 1, 0},         /* no first byte */
        {"\xbf\xbf", 2, 0},
        {"\xc3", 1, 0}, /* cut */
        {"\xc3\xa9", 1, 0},
        {"\xe2\x82", 2, 0},
        {"\xf0\x9f\x98", 3, 0},
        {"\xc3(", 2, 0}, /* no further byte */
        {"\xe2(\xac", 3, 0},
        {"\xe2\x82(", 3, 0},
        {"\xf0\x9f\x98\xc0", 4, 0},
};

static void utf8(void **state)
{
	(void)state;
	for (size_t i = 0; i < LEN(sequences); i++)
		if (text_utf8(sequences[i].s, sequences[i].n) != sequences[i].want)
			fail_msg("case %zu", i);
}

static void escape(void **state)
{
	static const struct {
		const char *s;
		size_t n;
		const char *want;
	} cases[] = {
	        {"", 0, ""},
	        {"kworker/0:1", 11, "kworker/0:1"},
	        {"kworker/0:1", 7, "kworker"},
	        {"a\tb\nc", 5, "a\\tb\\nc"},
	        {"\r\b\a", 3, "\\x0d\\x08\\x07"},
	        {"\x7f", 1, "\\x7f"},
	        {"a\0b", 3, "a\\x00b"},
	        {"\x1b[31mred", 8, "\\x1b[31mred"},
	        {"\x1b]0;title\x07", 10, "\\x1b]0;title\\x07"},
	        {"\x9b"
	         "2J",
	         3, "\\x9b2J"}, /* CSI as one byte */
	        {"\xc2\x9b"
	         "2J",
	         4, "\\xc2\\x9b2J"}, /* CSI in UTF-8 */
	        {"\xc2\x80\xc2\x9f", 4, "\\xc2\\x80\\xc2\\x9f"},
	        {"\xc2\xa0\xc3\xa9", 4, "\xc2\xa0\xc3\xa9"},
	        {"\xe2\x82\xac\xf0\x9f\x98\x80", 7, "\xe2\x82\xac\xf0\x9f\x98\x80"},
	        {"\xe2\x82", 2, "\\xe2\\x82"},
	        {"\xe2\x82\xac", 2, "\\xe2\\x82"},
	        {"\xc0\x80", 2, "\\xc0\\x80"},
	        {"\xed\xa0\x80", 3, "\\xed\\xa0\\x80"},
	        {"\xff"
	         "a\xfe",
	         3, "\\xffa\\xfe"},
	};
	char out[128];

	(void)state;
	for (size_t i = 0; i < LEN(cases); i++) {
		assert_ptr_equal(text_escape(out, sizeof out, cases[i].s, cases[i].n), out);
		assert_string_equal(out, cases[i].want);
	}
}

/* In any room the text ends in it, and not inside a character or an escape. */
static void escape_in_little_room(void **state)
{
	static const char full[] = "\xe2\x82\xac\\x1b\\n\xf0\x9f\x98\x80z";
	static const size_t ends[] = {0, 3, 7, 9, 13, 14};

	(void)state;
	for (size_t room = 1; room < 40; room++) {
		char *out = malloc(room);
		bool whole = false;
		size_t len;

		assert_non_null(out);
		text_escape(out, room, "\xe2\x82\xac\x1b\n\xf0\x9f\x98\x80z", 10);
		len = strnlen(out, room);
		assert_true(len < room);
		assert_memory_equal(out, full, len);
		for (size_t i = 0; i < LEN(ends); i++)
			whole |= len == ends[i];
		assert_true(whole);
		assert_true(room < 20 || len == 14);
		free(out);
	}
}

static void releases(void **state)
{
	unsigned major = 0, minor = 0;

	(void)state;
	assert_true(text_release("6.12.107+deb12", &major, &minor));
	assert_int_equal(major, 6);
	assert_int_equal(minor, 12);
	assert_false(text_release("android", &major, &minor));
	assert_false(text_release("6", &major, &minor));
	assert_false(text_release(NULL, &major, &minor));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(to_u64),
	        cmocka_unit_test(to_ns),
	        cmocka_unit_test(real),
	        cmocka_unit_test(general),
	        cmocka_unit_test(numbers_are_cut_to_the_room),
	        cmocka_unit_test(utf8),
	        cmocka_unit_test(escape),
	        cmocka_unit_test(escape_in_little_room),
	        cmocka_unit_test(releases),
	};

	return run(tests);
}
