#include "report/text.h"

#include "test.h"

/* The text of a document, to be freed; frees the document. */
static char *rendered(struct doc *d, int width, bool colour)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	text_render(d, out, width, colour);
	fclose(out);
	doc_free(d);
	return text;
}

static void check_text(struct doc *d, int width, const char *want)
{
	char *text = rendered(d, width, false);

	assert_string_equal(text, want);
	free(text);
}

static const struct column columns[] = {
        {"task", NULL, true},
        {"n", NULL, false},
        {"mean", "ms", false},
};

static void sample(struct doc *d)
{
	doc_section(d, "TASKS", "two of them");
	doc_table(d, columns, 3);
	doc_text(d, "kworker/0:1");
	doc_int(d, 12);
	doc_real(d, 1.5, 2);
	doc_text(d, "\xc3\xa9t\xc3\xa9"); /* three characters in five bytes */
	doc_missing(d);
	doc_missing(d);
}

static void columns_are_aligned(void **state)
{
	struct doc d = {0};

	(void)state;
	sample(&d);
	check_text(&d, 80,
	           "TASKS    two of them\n"
	           " task          n  mean ms\n"
	           " kworker/0:1  12     1.50\n"
	           " \xc3\xa9t\xc3\xa9           -        -\n");
}

static void text_at_the_end_has_no_padding(void **state)
{
	static const struct column two[] = {{"wide title", NULL, false}, {"name", NULL, true}};
	struct doc d = {0};

	(void)state;
	doc_section(&d, "T", "t");
	doc_table(&d, two, 2);
	doc_int(&d, -5);
	doc_text(&d, "a");
	doc_int(&d, 1234);
	doc_text(&d, "longer than name");
	check_text(&d, 80,
	           "T        t\n"
	           " wide title  name\n"
	           "         -5  a\n"
	           "       1234  longer than name\n");
}

static void table_without_rows(void **state)
{
	struct doc d = {0};

	(void)state;
	doc_section(&d, "T", "t");
	doc_table(&d, columns, 3);
	check_text(&d, 80, "T        t\n task  n  mean ms\n");
}

static void prose_is_wrapped(void **state)
{
	struct doc d = {0};

	(void)state;
	doc_section(&d, "A", "aaa bbb ccc ddd eee"); /* "ccc" ends in column 20 */
	doc_note(&d, "one\xc3\xa9 two2 threethreethree f");
	check_text(&d, 20,
	           "A        aaa bbb ccc\n"
	           "         ddd eee\n"
	           "         one\xc3\xa9 two2\n"
	           "         threethreethree\n"
	           "         f\n");
}

/* A trace may hold anything in its kernel release; a path may be long. */
static void prose_is_escaped_and_whole(void **state)
{
	struct doc d = {0};
	char word[400], *text;

	(void)state;
	memset(word, 'w', sizeof word - 1);
	word[sizeof word - 1] = '\0';
	doc_section(&d, "trace", "Linux \033[2J\a");
	doc_note(&d, "%s", word);
	text = rendered(&d, 80, false);
	assert_null(strchr(text, '\033'));
	assert_null(strchr(text, '\a'));
	assert_non_null(strstr(text, "Linux \\x1b[2J\\x07"));
	assert_non_null(strstr(text, word));
	free(text);
	doc_free(&d);
}

static void prose_fits_its_width(void **state)
{
	(void)state;
	for (int width = 15; width < 60; width++) {
		struct doc d = {0};
		char *text, *line, *rest;
		int words = 0;

		doc_section(&d, "A", "the quick brown fox jumps over the lazy dog");
		text = rendered(&d, width, false);
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			assert_true(strlen(line) <= (size_t)width);
			assert_true(line[strlen(line) - 1] != ' ');
			for (char *w = line + 8; w; w = strchr(w + 1, ' '))
				words++;
		}
		assert_int_equal(words, 9);
		free(text);
	}
}

static void sections_are_told_apart(void **state)
{
	struct doc d = {0};

	(void)state;
	doc_section(&d, "trace", "a.dat");
	doc_section(&d, "span", "2 s"); /* facts about the trace stand together */
	doc_section(&d, "CPUS", "one");
	doc_table(&d, columns, 1);
	doc_text(&d, "x");
	check_text(&d, 80,
	           "trace    a.dat\n"
	           "span     2 s\n"
	           "\n"
	           "CPUS     one\n"
	           " task\n"
	           " x\n");
}

static void names_are_escaped(void **state)
{
	struct doc d = {0};

	(void)state;
	doc_section(&d, "T", "t");
	doc_table(&d, columns, 1);
	doc_text(&d, "\x1b[2J\xff\n");
	check_text(&d, 80, "T        t\n task\n \\x1b[2J\\xff\\n\n");
}

static void long_name_is_cut(void **state)
{
	struct doc d = {0};
	char name[1000], *text;

	(void)state;
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	doc_section(&d, "T", "t");
	doc_table(&d, columns, 2);
	doc_text(&d, name);
	doc_int(&d, 1);
	text = rendered(&d, 80, false);
	assert_non_null(strstr(text, "nnnn  1\n"));
	free(text);
}

/* Remove what is between ESC and m. */
static void strip_colour(char *s)
{
	char *to = s;

	while (*s)
		if (*s == '\x1b')
			s += strcspn(s, "m") + 1;
		else
			*to++ = *s++;
	*to = '\0';
}

static void colour_changes_no_text(void **state)
{
	struct doc d = {0};
	char *plain, *colour;

	(void)state;
	sample(&d);
	plain = rendered(&d, 80, false);
	sample(&d);
	colour = rendered(&d, 80, true);
	assert_null(strchr(plain, '\x1b'));
	assert_non_null(strchr(colour, '\x1b'));
	strip_colour(colour);
	assert_string_equal(colour, plain);
	free(plain);
	free(colour);
}

static void empty_document(void **state)
{
	struct doc d = {0};

	(void)state;
	check_text(&d, 80, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(columns_are_aligned),
	        cmocka_unit_test(text_at_the_end_has_no_padding),
	        cmocka_unit_test(table_without_rows),
	        cmocka_unit_test(prose_is_wrapped),
	        cmocka_unit_test(prose_fits_its_width),
	        cmocka_unit_test(prose_is_escaped_and_whole),
	        cmocka_unit_test(sections_are_told_apart),
	        cmocka_unit_test(names_are_escaped),
	        cmocka_unit_test(long_name_is_cut),
	        cmocka_unit_test(colour_changes_no_text),
	        cmocka_unit_test(empty_document),
	};

	return run(tests);
}
