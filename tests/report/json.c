#include "report/json.h"

#include "test.h"

#include <math.h>

static char *text;
static size_t size;

static struct json begin(void)
{
	FILE *out = open_memstream(&text, &size);
	struct json j;

	assert_non_null(out);
	json_init(&j, out);
	return j;
}

static void check_json(struct json *j, const char *want)
{
	fclose(j->out);
	assert_int_equal(j->depth, 0);
	assert_string_equal(text, want);
	free(text);
}

static void nesting(void **state)
{
	struct json j = begin();

	(void)state;
	json_object(&j, NULL);
	json_int(&j, "a", 1);
	json_array(&j, "b");
	json_int(&j, NULL, 2);
	json_object(&j, NULL);
	json_bool(&j, "c", true);
	json_bool(&j, "d", false);
	json_end(&j);
	json_end(&j);
	json_object(&j, "e");
	json_end(&j);
	json_array(&j, "f");
	json_end(&j);
	json_text(&j, "g", NULL);
	json_end(&j);
	check_json(&j, "{\n"
	               "  \"a\": 1,\n"
	               "  \"b\": [\n"
	               "    2,\n"
	               "    {\n"
	               "      \"c\": true,\n"
	               "      \"d\": false\n"
	               "    }\n"
	               "  ],\n"
	               "  \"e\": {},\n"
	               "  \"f\": [],\n"
	               "  \"g\": null\n"
	               "}\n");
}

static void items_on_one_line(void **state)
{
	struct json j = begin();

	(void)state;
	json_object(&j, NULL);
	json_array_line(&j, "a");
	json_int(&j, NULL, 1);
	json_object(&j, NULL);
	json_int(&j, "x", 2);
	json_int(&j, "y", 3);
	json_end(&j);
	json_array_line(&j, NULL);
	json_end(&j);
	json_end(&j);
	json_int(&j, "b", 4); /* lines again */
	json_object_line(&j, "c");
	json_end(&j);
	json_end(&j);
	check_json(&j, "{\n"
	               "  \"a\": [1, {\"x\": 2, \"y\": 3}, []],\n"
	               "  \"b\": 4,\n"
	               "  \"c\": {}\n"
	               "}\n");
}

static void one_line_in_all(void **state)
{
	struct json j = begin();

	(void)state;
	json_object_line(&j, NULL);
	json_int(&j, "a", 1);
	json_text(&j, "b", "x");
	json_end(&j);
	json_array(&j, NULL); /* a second document */
	json_end(&j);
	check_json(&j, "{\"a\": 1, \"b\": \"x\"}\n[]\n");
}

static void deep(void **state)
{
	struct json j = begin();
	char want[2 * JSON_DEPTH] = "";

	(void)state;
	json_array_line(&j, NULL);
	for (int i = 1; i < JSON_DEPTH - 1; i++)
		json_array(&j, NULL);
	for (int i = 1; i < JSON_DEPTH; i++)
		json_end(&j);
	memset(want, '[', JSON_DEPTH - 1);
	memset(want + JSON_DEPTH - 1, ']', JSON_DEPTH - 1);
	strcat(want, "\n");
	check_json(&j, want);
}

static void texts(void **state)
{
	static const struct {
		const char *v, *want;
	} cases[] = {
	        {"", "\"\""},
	        {"kworker/0:1", "\"kworker/0:1\""},
	        {"say \"hi\"", "\"say \\\"hi\\\"\""},
	        {"a\\b", "\"a\\\\b\""},
	        {"\b\t\n\x1f\x7f", "\"\\u0008\\u0009\\u000a\\u001f\\u007f\""},
	        {"\x1b[2J", "\"\\u001b[2J\""},
	        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
	         "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
	        {"a\xff"
	         "b",
	         "\"a\\ufffdb\""},
	        {"a\xc3", "\"a\\ufffd\""},
	        {"\xc3\"", "\"\\ufffd\\\"\""},
	        {"\xc0\x80", "\"\\ufffd\\ufffd\""},
	        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct json j = begin();

		json_text(&j, NULL, cases[i].v);
		check_json(&j, cases[i].want);
	}
}

static void keys_are_escaped(void **state)
{
	struct json j = begin();

	(void)state;
	json_object_line(&j, NULL);
	json_int(&j, "a\"\n\xff", 1);
	json_end(&j);
	check_json(&j, "{\"a\\\"\\u000a\\ufffd\": 1}\n");
}

static void reals(void **state)
{
	static const struct {
		double v;
		const char *want;
	} cases[] = {
	        {0, "0"},
	        {100, "100"},
	        {-2.5, "-2.5"},
	        {1.0 / 3, "0.333333"},
	        {2.0 / 3, "0.666667"},
	        {123456.7, "123457"},
	        {1234567, "1.23457e+06"},
	        {0.0000123456789, "1.23457e-05"},
	        {99.99999, "100"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct json j = begin();

		json_real(&j, NULL, cases[i].v);
		check_json(&j, cases[i].want);
	}
}

static void integers(void **state)
{
	struct json j = begin();

	(void)state;
	json_array_line(&j, NULL);
	json_int(&j, NULL, INT64_MIN);
	json_int(&j, NULL, -1);
	json_int(&j, NULL, INT64_MAX);
	json_end(&j);
	check_json(&j, "[-9223372036854775808, -1, 9223372036854775807]\n");
}

static void missing_values(void **state)
{
	struct json j = begin();

	(void)state;
	json_object(&j, NULL);
	json_missing(&j, "p99_us", "no \"sched_switch\"");
	json_array_line(&j, "list");
	json_missing(&j, NULL, "no place for a reason here");
	json_int(&j, NULL, 1);
	json_end(&j);
	json_end(&j);
	check_json(&j, "{\n"
	               "  \"p99_us\": null,\n"
	               "  \"p99_us_reason\": \"no \\\"sched_switch\\\"\",\n"
	               "  \"list\": [null, 1]\n"
	               "}\n");
}

static void not_finite(void **state)
{
	static const double v[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct json j = begin();

		json_object_line(&j, NULL);
		json_real(&j, "x", v[i]);
		json_array(&j, "y");
		json_real(&j, NULL, v[i]);
		json_end(&j);
		json_end(&j);
		check_json(&j, "{\"x\": null, \"x_reason\": \"not a finite number\", "
		               "\"y\": [null]}\n");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(nesting),         cmocka_unit_test(items_on_one_line),
	        cmocka_unit_test(one_line_in_all), cmocka_unit_test(deep),
	        cmocka_unit_test(texts),           cmocka_unit_test(keys_are_escaped),
	        cmocka_unit_test(reals),           cmocka_unit_test(integers),
	        cmocka_unit_test(missing_values),  cmocka_unit_test(not_finite),
	};

	return run(tests);
}
