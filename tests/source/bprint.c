/* bprint: formats with packed arguments. */
#include "test.h"

#include "source/trace_dat.h"

static void formats(void **state)
{
	static const struct {
		const char *fmt, *want;
		uint8_t args[32];
		size_t n;
	} cases[] = {
	        {"a=%d b=%u", "a=-1 b=7", {0xff, 0xff, 0xff, 0xff, 7}, 8},
	        {"%lu|%llx", "5|ff", {5, 0, 0, 0, 0, 0, 0, 0, 255}, 16},
	        {"%s then %d", "ab then 3", {'a', 'b', 0, 0, 3}, 8}, /* the int is aligned to 4 */
	        {"%5d|%-4x|%03d", "    7|a   |009", {7, 0, 0, 0, 10, 0, 0, 0, 9}, 12},
	        {"100%% %c", "100% x", {'x'}, 4},
	        {"%d %d", "1 ", {1}, 4},   /* arguments run out */
	        {"%s", "", {'a', 'b'}, 2}, /* no NUL in what is left */
	        {"%n%d", "", {1, 2, 3, 4}, 4},
	        {"%p", "0x10", {0x10}, 8},
	};
	static struct dat d = {.ring = {.commit_size = 8}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char out[64] = "";
		size_t n = dat_bprint(cases[i].fmt, cases[i].args, cases[i].n, &d, out, sizeof out);

		out[n] = '\0';
		assert_string_equal(out, cases[i].want);
	}
}

static void never_beyond_the_room(void **state)
{
	static struct dat d = {.ring = {.commit_size = 8}};
	char out[9] = "????????", wide[2000];

	(void)state;
	assert_true(dat_bprint("0123456789", NULL, 0, &d, out, 5) < 5);
	assert_true(dat_bprint("%s", (const uint8_t *)"0123456789", 11, &d, out, 5) < 5);
	assert_string_equal(out + 5, "???");
	/* a width of a thousand million is cut to three digits */
	assert_true(dat_bprint("%1000000000d", (const uint8_t *)"\1\0\0\0", 4, &d, wide,
	                       sizeof wide) <= 999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(formats),
	                                   cmocka_unit_test(never_beyond_the_room)};

	return run(tests);
}
