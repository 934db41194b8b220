/* Databases of Jankbench: rows in order, what is rejected, what is none. */
#include "test.h"

#include "import/jankbench.h"

#include <unistd.h>

static char got[400];

static void frame(void *arg, const struct jankbench_frame *f)
{
	size_t n = strlen(got);

	(void)arg;
	snprintf(got + n, sizeof got - n, "%lld/%s/%lld/%g/%d;", (long long)f->run_id, f->name,
	         (long long)f->iteration, f->total_ms, f->jank);
}

static void rows(void **state)
{
	uint64_t rejected;
	struct err e;

	(void)state;
	assert_true(jankbench_is("testdata/jankbench/old/iter-2.db"));
	*got = '\0';
	assert_true(jankbench_read("testdata/jankbench/old/iter-2.db", frame, NULL, &rejected, &e));
	assert_string_equal(got, "-12/list_view/0/5/0;-12/list_view/0/5/0;-12/list_view/0/50/1;");
	assert_int_equal(rejected, 0);
	*got = '\0';
	assert_true(jankbench_read("testdata/jankbench/odd/iter-1.db", frame, NULL, &rejected, &e));
	assert_int_equal(rejected, 2); /* 0 and -1 ms */
	assert_string_equal(got, "-7/list_view/0/10/-1;-7/list_view/0/20/0;3/list_view/0/7/0;");
}

static void wrong(void **state)
{
	uint64_t rejected;
	struct err e;

	(void)state;
	assert_false(jankbench_is("testdata/arm64-ui/platform.yaml"));
	assert_false(jankbench_is("testdata/none.db"));
	assert_false(jankbench_read("testdata/arm64-ui/platform.yaml", frame, NULL, &rejected, &e));
	assert_non_null(strstr(e.msg, "platform.yaml: not a database of Jankbench: "));
	assert_false(jankbench_read("testdata/none.db", frame, NULL, &rejected, &e));
	assert_false(jankbench_read("testdata/jankbench/odd/other.db", frame, NULL, &rejected, &e));
	assert_non_null(strstr(e.msg, "no such table: ui_results"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rows),
	        cmocka_unit_test(wrong),
	};

	return run(tests);
}
