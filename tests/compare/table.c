/* Tables: what readers see, and that foreign names stay text. */
#include "test.h"

#include "made.h"

#include "compare/table.h"
#include "report/markdown.h"
#include "report/text.h"

#include <stdlib.h>

static const double a[] = {21.9, 21.4, 21.3}, b[] = {19.7, 20.0, 19.9};

enum form { TEXT, MARKDOWN, LIST, CSV, JSON };

static char *table_of(struct run_set *s, enum form f, size_t ceiling)
{
	const struct compare_opts o = {.level = .95};
	struct comparison c = compare(s, &o);
	struct doc d = {.compact = false};
	struct json j;
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	if (f == TEXT || f == MARKDOWN)
		table_doc(&c, true, ceiling, &d);
	if (f == TEXT)
		text_render(&d, out, 120, false);
	else if (f == MARKDOWN)
		markdown_render(&d, out);
	else if (f == LIST)
		table_list(&c, out);
	else if (f == CSV)
		table_csv(&c, out);
	json_init(&j, out);
	if (f == JSON)
		table_json(&c, true, ceiling, &j);
	fclose(out);
	doc_free(&d);
	compare_free(&c);
	return text;
}

/* D2: -7.7 %, [-10.5, -4.9]. */
static void forms(void **state)
{
	struct run_set s = {.arena = {NULL}};
	char *t;

	(void)state;
	made_config(&s, "old", METRIC_ID_frame_mean_ms, a, 3);
	made_config(&s, "new", METRIC_ID_frame_mean_ms, b, 3);
	t = table_of(&s, TEXT, 0);
	assert_non_null(
	        strstr(t, " frame.mean_ms  ms  v  21.53  1.5%  19.87   -7.7%  [-10.5,-4.9]*\n"));
	assert_non_null(strstr(t, "2 configurations x 3 iterations; baseline old"));
	assert_non_null(strstr(t, "WHY      no frame whose"));
	free(t);
	t = table_of(&s, LIST, 0);
	assert_non_null(strstr(t, "|   new            |     19.87 |   0.8% |     -7.7% | "
	                          "[-10.5,-4.9]*   |\n"));
	for (const char *p = t; *p; p += strcspn(p, "\n") + 1)
		assert_true(strcspn(p, "\n") <= 72);
	free(t);
	t = table_of(&s, CSV, 0);
	assert_non_null(strstr(t, "\nold,1,frame.mean_ms,app,ms,21.9,\n"));
	free(t);
	t = table_of(&s, JSON, 0);
	assert_non_null(strstr(t, "\"schema\": \"peltier/compare/1\""));
	assert_non_null(strstr(t, "\"change\": -7.73494"));
	free(t);
	set_free(&s);
}

/* How far of the way to the last one: (20 - 22) of (12 - 22). */
static void ceiling(void **state)
{
	static const double x[] = {22, 22}, y[] = {20, 20}, z[] = {12, 12};
	struct run_set s = {.arena = {NULL}};
	char *t;

	(void)state;
	made_config(&s, "from", METRIC_ID_frame_mean_ms, x, 2);
	made_config(&s, "half", METRIC_ID_frame_mean_ms, y, 2);
	made_config(&s, "top", METRIC_ID_frame_mean_ms, z, 2);
	t = table_of(&s, TEXT, 2);
	assert_non_null(strstr(t, "how much of the way from from to top"));
	assert_non_null(strstr(t, " frame.mean_ms  20.0\n"));
	free(t);
	set_free(&s);
}

static void hostile(void **state)
{
	static const char evil[] = "<b>|\x1b[31m\"=1+1,\n::error::";
	struct run_set s = {.arena = {NULL}};
	char *t;

	(void)state;
	made_config(&s, "old", METRIC_ID_frame_mean_ms, a, 3);
	made_config(&s, evil, METRIC_ID_frame_mean_ms, b, 3);
	t = table_of(&s, TEXT, 0);
	assert_null(strchr(t, '\x1b'));
	free(t);
	t = table_of(&s, LIST, 0);
	assert_null(strchr(t, '\x1b'));
	free(t);
	t = table_of(&s, MARKDOWN, 0);
	assert_null(strchr(t, '\x1b'));
	assert_null(strstr(t, "<b>"));
	free(t);
	t = table_of(&s, CSV, 0);
	assert_non_null(strstr(t, "\"<b>|\x1b[31m\"\"=1+1,\n::error::\",1,"));
	free(t);
	set_free(&s);
}

static void formula(void **state)
{
	struct run_set s = {.arena = {NULL}};
	char *t;

	(void)state;
	made_config(&s, "=cmd()", METRIC_ID_frame_mean_ms, a, 3);
	t = table_of(&s, CSV, 0);
	assert_non_null(strstr(t, "\n\"'=cmd()\",1,"));
	free(t);
	set_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(forms),
	        cmocka_unit_test(ceiling),
	        cmocka_unit_test(hostile),
	        cmocka_unit_test(formula),
	};

	return run(tests);
}
