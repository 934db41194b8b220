/* Opening: what is not a trace is named for what it is. */
#include "test.h"

#include "source/source.h"

static void named(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *want;
	} cases[] = {
	        {"", 0, "x: is empty"},
	        {"\177ELF....", 8, "ELF"},
	        {"PERFILE2........", 16, "perf.data"},
	        {"# tracer: nop\n", 14, "text"},
	        {"hello\n", 6, "text, not a trace"},
	        {"<html><body>", 12, "HTML"},
	        {"SQLite format 3\0...", 18, "SQLite"},
	        {"\x17\x08\x44trac", 7, "cut in its first bytes"},
	        {"\x17\x08\x44tracing8\0\0\10\0\20\0\0", 18, "version \"8\" is not known"},
	        {"\x17\x08\x44tracing7\0", 12, "cut in its header"},
	        {"\1\2\3\4\5", 5, "not a trace"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err e = {0};

		assert_null(source_open_mem(cases[i].bytes, cases[i].n, "x",
		                            &(struct source_opts){0}, &e));
		if (!strstr(e.msg, cases[i].want))
			fail_msg("\"%s\" does not say \"%s\"", e.msg, cases[i].want);
		assert_int_equal(e.kind, ERR_INPUT);
	}
}

static void missing_file(void **state)
{
	struct err e = {0};

	(void)state;
	assert_null(source_open("/nonexistent/trace.dat", &(struct source_opts){0}, &e));
	assert_non_null(strstr(e.msg, "/nonexistent/trace.dat: No such file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(named), cmocka_unit_test(missing_file)};

	return run(tests);
}
