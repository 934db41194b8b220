/* What was spooled is read back, with and without a thread that writes. */
#include "test.h"

#include "base/spool.h"

#include <stdlib.h>

static void there_and_back(struct ahead *a)
{
	enum { N = 400, SIZE = 5000 }; /* several blocks */
	struct err e = {0};
	struct spool *s = spool_open("x", a, &e);
	uint8_t bytes[SIZE], got[SIZE];
	uint64_t at[N];

	assert_non_null(s);
	for (int i = 0; i < N; i++) {
		memset(bytes, i, sizeof bytes);
		at[i] = spool_at(s);
		assert_true(spool_add(s, bytes, (size_t)i * 12));
	}
	assert_true(spool_end(s, &e));
	assert_int_equal(input_size(spool_input(s)), spool_at(s));
	for (int i = N - 1; i > 0; i--) {
		memset(bytes, i, sizeof bytes);
		assert_int_equal(input_read(spool_input(s), at[i], got, (size_t)i * 12), i * 12);
		assert_memory_equal(got, bytes, (size_t)i * 12);
	}
	spool_close(s);
}

static void both_ways(void **state)
{
	struct ahead *a = ahead_new();

	(void)state;
	there_and_back(NULL);
	there_and_back(a);
	ahead_free(a);
	spool_close(NULL);
}

static void nowhere_to_write(void **state)
{
	const char *before = getenv("TMPDIR");
	char *kept = before ? strdup(before) : NULL;
	struct err e = {0};

	(void)state;
	setenv("TMPDIR", "/nonexistent/dir", 1);
	assert_null(spool_open("x", NULL, &e));
	assert_non_null(strstr(e.msg, "set TMPDIR"));
	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(both_ways),
	                                   cmocka_unit_test(nowhere_to_write)};

	return run(tests);
}
