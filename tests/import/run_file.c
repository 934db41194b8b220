#include "import/run_file.h"

#include "test.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[128], deep[128];

/* folder/run.yaml, and folder/iter-02/ for traces */
static int setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/peltier-test.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/run.yaml", folder);
	snprintf(deep, sizeof deep, "%s/iter-02", folder);
	return mkdir(deep, 0700);
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	rmdir(deep);
	return rmdir(folder);
}

static void put(const char *yaml)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(yaml, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static const char yaml[] = "configuration: pelt8\n"
                           "kernel: {release: 6.1.192-pelt8, built: here}\n"
                           "signal: pelt\n"
                           "pelt_half_life_ms: 8\n"
                           "refresh_hz: 60\n"
                           "something else: [1, 2]\n"
                           "iterations:\n"
                           "  - {name: iter-01, boot_id: a, refresh_hz: 120}\n"
                           "  - {name: iter-02, boot_id: b}\n";

static void of_an_iteration(const char *trace, const char *boot, double refresh)
{
	struct err e = {0};
	struct run_file *f = run_file_find(trace, &e);
	const struct run *r;

	if (!f)
		fail_msg("%s: %s", trace, e.msg);
	r = run_file_data(f);
	assert_string_equal(r->configuration, "pelt8");
	assert_string_equal(r->kernel, "6.1.192-pelt8");
	assert_true(r->pelt_half_life_ms == 8);
	assert_true(r->refresh_hz == refresh);
	assert_true(isnan(r->walt_window_ms));
	assert_null(r->governor);
	if (boot)
		assert_string_equal(r->boot, boot);
	else
		assert_null(r->boot);
	run_file_free(f);
}

static void beside_the_trace(void **state)
{
	char trace[160];

	(void)state;
	put(yaml);
	snprintf(trace, sizeof trace, "%s/iter-01.dat", folder);
	of_an_iteration(trace, "a", 120);
	snprintf(trace, sizeof trace, "%s/iter-02.perfetto-trace", folder);
	of_an_iteration(trace, "b", 60);
	snprintf(trace, sizeof trace, "%s/iter-022.dat", folder); /* another one */
	of_an_iteration(trace, NULL, 60);
	snprintf(trace, sizeof trace, "%s/trace.dat", deep); /* a folder of its own */
	of_an_iteration(trace, "b", 60);
}

static void no_file(void **state)
{
	struct err e = {0};

	(void)state;
	assert_null(run_file_find("/nonexistent/trace.dat", &e));
	assert_int_equal(e.kind, ERR_NONE);
	run_file_free(NULL);
}

static void wrong(const char *text, const char *place, const char *what)
{
	struct err e = {0};
	char want[160];

	put(text);
	snprintf(want, sizeof want, "%s:%s: ", path, place);
	assert_null(run_file_load(path, "trace.dat", &e));
	if (strncmp(e.msg, want, strlen(want)) || !strstr(e.msg, what))
		fail_msg("'%s' is not %s...%s", e.msg, want, what);
}

static void errors(void **state)
{
	(void)state;
	wrong("[1]\n", "1:1", "a run file is a mapping");
	wrong("pelt_half_life_ms: fast\n", "1:20",
	      "pelt_half_life_ms must be a number from 1 to 64");
	wrong("refresh_hz: -60\n", "1:13", "refresh_hz must be");
	wrong("governor: [a]\n", "1:11", "governor must be a text");
	wrong("signal: plet\n", "1:9", "signal must be pelt or walt");
	wrong("iterations: 10\n", "1:13", "iterations are a list");
	wrong("iterations: [{boot: x}]\n", "1:14", "has no name");
	wrong("a: [\n", "2:1", "");
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        with_folder(beside_the_trace),
	        cmocka_unit_test(no_file),
	        with_folder(errors),
	};

	return run(tests);
}
