#include "base/mem.h"

#include "test.h"

#include <stdbool.h>

static bool all_zero(const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (((const unsigned char *)p)[i])
			return false;
	return true;
}

static void calloc_zeroes_and_never_fails(void **state)
{
	void *some = mem_calloc(10, 7), *none = mem_calloc(0, 7);

	(void)state;
	assert_non_null(some);
	assert_non_null(none);
	assert_true(all_zero(some, 70));
	free(some);
	free(none);
}

static void realloc_keeps_bytes(void **state)
{
	char *p = mem_realloc(NULL, 4, 1);

	(void)state;
	memcpy(p, "abc", 4);
	p = mem_realloc(p, 1000, 8);
	assert_string_equal(p, "abc");
	p = mem_realloc(p, 0, 8);
	assert_non_null(p);
	free(p);
}

static void vec_add_grows_and_zeroes(void **state)
{
	VEC(uint64_t) v = {0};

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t *at = vec_add(&v);

		assert_int_equal(*at, 0);
		*at = i * i + 1;
	}
	assert_int_equal(v.n, 1000);
	assert_true(v.cap >= v.n);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(v.at[i], i * i + 1);
	vec_free(&v);
	assert_null(v.at);
	assert_int_equal(v.n, 0);
	assert_int_equal(v.cap, 0);
}

static void vec_fit_only_grows(void **state)
{
	VEC(int) v = {0};

	(void)state;
	vec_fit(&v, 3u);
	assert_int_equal(v.n, 3);
	assert_true(all_zero(v.at, 3 * sizeof(int)));
	v.at[2] = 9;
	vec_fit(&v, 1u);
	assert_int_equal(v.n, 3);
	vec_fit(&v, 500u);
	assert_int_equal(v.n, 500);
	assert_int_equal(v.at[2], 9);
	assert_true(all_zero(v.at + 3, 497 * sizeof(int)));
	vec_free(&v);
}

static void arena_gives_zeroed_aligned_memory(void **state)
{
	static const size_t sizes[] = {0, 1, 15, 16, 17, 4000, 16384, 16385, 100000, 3};
	unsigned char *got[sizeof sizes / sizeof *sizes];
	struct arena a = {0};

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		got[i] = arena_alloc(&a, sizes[i]);
		assert_non_null(got[i]);
		assert_int_equal((uintptr_t)got[i] % 16, 0);
		assert_true(all_zero(got[i], sizes[i]));
		memset(got[i], (int)i + 1, sizes[i]);
	}
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(got[i][k], i + 1);
	arena_free(&a);
	assert_null(a.block);
}

static void arena_str_ends_copies(void **state)
{
	struct arena a = {0};
	char text[] = "sched_switch";
	char *part = arena_str(&a, text, 5), *none = arena_str(&a, text, 0);

	(void)state;
	text[0] = 'X';
	assert_string_equal(part, "sched");
	assert_string_equal(none, "");
	arena_free(&a);
}

static void arena_free_of_nothing(void **state)
{
	struct arena a = {0};

	(void)state;
	arena_free(&a);
	assert_non_null(arena_alloc(&a, 8)); /* and it can be used again */
	arena_free(&a);
}

/* Also those that were there before n was lowered. */
static void new_elements_are_zeroed(void **state)
{
	VEC(int) v = {0};

	(void)state;
	*vec_add(&v) = 5;
	*vec_add(&v) = 6;
	v.n = 0;
	assert_int_equal(*vec_add(&v), 0);
	vec_fit(&v, 2);
	assert_int_equal(v.at[1], 0);
	vec_free(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(calloc_zeroes_and_never_fails),
	        cmocka_unit_test(realloc_keeps_bytes),
	        cmocka_unit_test(vec_add_grows_and_zeroes),
	        cmocka_unit_test(vec_fit_only_grows),
	        cmocka_unit_test(arena_gives_zeroed_aligned_memory),
	        cmocka_unit_test(arena_str_ends_copies),
	        cmocka_unit_test(arena_free_of_nothing),
	        cmocka_unit_test(new_elements_are_zeroed),
	};

	return run(tests);
}
