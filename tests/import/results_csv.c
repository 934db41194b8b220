/* CSV of results: columns by name, what is no number, what is no table. */
#include "test.h"

#include "import/results_csv.h"

#include <math.h>
#include <unistd.h>

static char got[2000];

static void row(void *arg, const struct result_row *r)
{
	size_t n = strlen(got);

	(void)arg;
	snprintf(got + n, sizeof got - n, "%s/%s/%s/%s/%s/%d/", r->config, r->iteration, r->metric,
	         r->scope, r->unit, r->direction);
	n = strlen(got);
	if (isnan(r->value))
		snprintf(got + n, sizeof got - n, "%s;", r->text);
	else
		snprintf(got + n, sizeof got - n, "%.6g;", r->value);
}

/* "" when it was read, else what is wrong. */
static const char *read_text(const char *text, size_t n)
{
	static struct err e;
	char path[] = "/tmp/peltier-csv-XXXXXX";
	int fd = mkstemp(path);
	bool good;

	assert_true(fd >= 0 && write(fd, text, n) == (ssize_t)n);
	close(fd);
	*got = '\0';
	good = results_csv_read(path, row, NULL, &e);
	unlink(path);
	return good ? "" : e.msg;
}

#define READ(text) read_text(text, sizeof(text) - 1)

static void rows(void **state)
{
	(void)state;
	assert_string_equal(READ("configuration,iteration,metric,value,unit\n"
	                         "walt,1,VideoEditing,0,score\n"
	                         "walt,2,VideoEditing,5341,score\r\n"
	                         "\n# a comment\n"
	                         "\"a, \"\"b\"\"\",3,janks,>50,\n"
	                         "b,1,janks,,\n"
	                         "b,2,zero,0,ms\n"),
	                    "");
	assert_string_equal(got, "walt/1/VideoEditing/all/score/1/failed;"
	                         "walt/2/VideoEditing/all/score/1/5341;"
	                         "a, \"b\"/3/janks/all//0/>50;b/1/janks/all//0/empty;"
	                         "b/2/zero/all/ms/0/0;");
	/* other names, other separators, a byte order mark, a decimal comma */
	assert_string_equal(
	        READ("\xef\xbb\xbfkernel;run;variable;value;better;scope\nk;1;t;1,5;lower;x\n"),
	        "");
	assert_string_equal(got, "k/1/t/x//-1/1.5;");
	assert_string_equal(READ("config\titeration\tmetric\tvalue\nk\t1\tt\tinf\n"), "");
	assert_string_equal(got, "k/1/t/all//0/inf;");
}

static void wrong(void **state)
{
	(void)state;
	assert_non_null(strstr(READ("a,b,c\n1,2,3\n"),
	                       ":1: not a table of results: no column \"configuration\""));
	assert_non_null(strstr(READ("config,iteration,metric,value\nx,1,m\n"), ":2: fewer cells"));
	assert_non_null(
	        strstr(READ("config,iteration,metric,value\n\"x,1,m,2\n"), ":2: a quote without"));
	assert_non_null(strstr(READ("config,iteration,metric,value\nx,1,,2\n"),
	                       ":2: no configuration, or no metric"));
	assert_non_null(strstr(READ("config,iteration,metric,value\n"), "no results in it"));
	assert_non_null(strstr(READ(""), "no results in it"));
	assert_non_null(strstr(READ("config,itera\0tion\n"), ":1: not text"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rows),
	        cmocka_unit_test(wrong),
	};

	return run(tests);
}
