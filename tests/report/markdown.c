/* Markdown: tables, and text that stays text. */
#include "test.h"

#include "report/markdown.h"

#include <stdlib.h>

static void document(void **state)
{
	static const struct column columns[] = {{"what", NULL, true}, {"n", "ms", false}};
	struct doc d = {.compact = false};
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	(void)state;
	doc_section(&d, "HEAD", "a <b> & c_d");
	doc_note(&d, "a note");
	doc_table(&d, columns, 2);
	doc_text(&d, "x|y");
	doc_real(&d, 1.5, 2);
	doc_text(&d, "z");
	doc_missing(&d);
	markdown_render(&d, out);
	fclose(out);
	assert_string_equal(text,
	                    "**HEAD** a &lt;b&gt; &amp; c\\_d\n\n* a note\n\n| what | n ms |\n"
	                    "|---|--:|\n| x\\|y | 1.50 |\n| z | - |\n\n");
	free(text);
	doc_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(document),
	};

	return run(tests);
}
