#include "base/map.h"

#include "test.h"

static void what_was_put_is_found(void **state)
{
	struct map m = {0};

	(void)state;
	assert_int_equal(map_get(&m, 0, 0), 0);
	for (uint32_t i = 0; i < 5000; i++) /* same a or same b, near each other and far apart */
		map_put(&m, i % 7, (uint64_t)i << (i & 1 ? 40 : 0), i + 1);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(map_get(&m, i % 7, (uint64_t)i << (i & 1 ? 40 : 0)), i + 1);
	assert_int_equal(m.n, 5000);
	assert_int_equal(map_get(&m, 7, 0), 0);
	assert_int_equal(map_get(&m, 0, UINT64_MAX), 0);
	map_free(&m);
	assert_int_equal(map_get(&m, 0, 0), 0);
}

static void the_pair_is_ordered(void **state)
{
	struct map m = {0};

	(void)state;
	map_put(&m, 1, 2, 12);
	assert_int_equal(map_get(&m, 2, 1), 0);
	map_put(&m, 2, 1, 21);
	assert_int_equal(map_get(&m, 1, 2), 12);
	assert_int_equal(map_get(&m, 2, 1), 21);
	map_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_was_put_is_found),
	        cmocka_unit_test(the_pair_is_ordered),
	};

	return run(tests);
}
