#include "base/err.h"

#include "test.h"

static void sets_kind_and_message(void **state)
{
	struct err e = {0};

	(void)state;
	assert_false(err_set(&e, ERR_INTERNAL, "%s:%d: %s", "a.dat", 7, "no"));
	assert_int_equal(e.kind, ERR_INTERNAL);
	assert_string_equal(e.msg, "a.dat:7: no");
}

static void shorthands_set_their_kind(void **state)
{
	struct err e = {0};

	(void)state;
	assert_int_equal(e.kind, ERR_NONE);
	assert_false(err_input(&e, "x"));
	assert_int_equal(e.kind, ERR_INPUT);
	assert_false(err_internal(&e, "y"));
	assert_int_equal(e.kind, ERR_INTERNAL);
	assert_string_equal(e.msg, "y");
}

static void long_message_is_cut(void **state)
{
	struct err e = {0};
	char text[2000];

	(void)state;
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	err_input(&e, "%s", text);
	assert_int_equal(strlen(e.msg), sizeof e.msg - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(sets_kind_and_message),
	        cmocka_unit_test(shorthands_set_their_kind),
	        cmocka_unit_test(long_message_is_cut),
	};

	return run(tests);
}
