#include "report/doc.h"

#include "test.h"

static const struct column columns[] = {{"task", NULL, true}, {"run", "ms", false}};

static const struct cell *cell(const struct doc *d, size_t i)
{
	return &d->sections.at[d->sections.n - 1].blocks.at[0].cells.at[i];
}

static void sections_and_blocks_in_order(void **state)
{
	struct doc d = {0};
	const struct section *s;

	(void)state;
	doc_section(&d, "ONE", "%d of %s", 3, "four");
	doc_note(&d, "note %d", 1);
	doc_table(&d, columns, 2);
	doc_section(&d, "TWO", "second");
	doc_note(&d, "note %d", 2);
	assert_int_equal(d.sections.n, 2);
	s = &d.sections.at[0];
	assert_string_equal(s->label, "ONE");
	assert_string_equal(s->headline, "3 of four");
	assert_int_equal(s->blocks.n, 2);
	assert_int_equal(s->blocks.at[0].kind, BLOCK_NOTE);
	assert_string_equal(s->blocks.at[0].text, "note 1");
	assert_int_equal(s->blocks.at[1].kind, BLOCK_TABLE);
	assert_ptr_equal(s->blocks.at[1].columns, columns);
	assert_int_equal(s->blocks.at[1].n_columns, 2);
	s = &d.sections.at[1];
	assert_string_equal(s->headline, "second");
	assert_int_equal(s->blocks.n, 1);
	doc_free(&d);
	assert_int_equal(d.sections.n, 0);
}

static void cells_keep_their_type(void **state)
{
	struct doc d = {0};

	(void)state;
	doc_section(&d, "T", "t");
	doc_table(&d, columns, 2);
	doc_text(&d, "init");
	doc_int(&d, INT64_MIN);
	doc_real(&d, 2.5, 3);
	doc_missing(&d);
	assert_int_equal(d.sections.at[0].blocks.at[0].cells.n, 4);
	assert_int_equal(cell(&d, 0)->kind, CELL_TEXT);
	assert_string_equal(cell(&d, 0)->text, "init");
	assert_int_equal(cell(&d, 1)->kind, CELL_INT);
	assert_true(cell(&d, 1)->i == INT64_MIN);
	assert_int_equal(cell(&d, 2)->kind, CELL_REAL);
	check_near(cell(&d, 2)->real, 2.5, 0);
	assert_int_equal(cell(&d, 2)->decimals, 3);
	assert_int_equal(cell(&d, 3)->kind, CELL_MISSING);
	doc_free(&d);
}

static void units(void **state)
{
	struct doc d = {0};

	(void)state;
	doc_section(&d, "T", "t");
	doc_table(&d, columns, 2);
	doc_s(&d, 1234567890, 2);
	doc_ms(&d, -1500000, 1);
	doc_pct(&d, 1, 8, 1);
	doc_pct(&d, 0, 8, 0);
	doc_pct(&d, 5, 0, 1); /* of nothing */
	check_near(cell(&d, 0)->real, 1.23456789, 1e-12);
	assert_int_equal(cell(&d, 0)->decimals, 2);
	check_near(cell(&d, 1)->real, -1.5, 1e-12);
	check_near(cell(&d, 2)->real, 12.5, 1e-12);
	assert_int_equal(cell(&d, 3)->kind, CELL_REAL);
	check_near(cell(&d, 3)->real, 0, 0);
	assert_int_equal(cell(&d, 4)->kind, CELL_MISSING);
	doc_free(&d);
}

static void texts_are_copied(void **state)
{
	struct doc d = {0};
	char text[] = "swapper";

	(void)state;
	doc_section(&d, "T", "%s", text);
	doc_table(&d, columns, 2);
	doc_text(&d, text);
	doc_note(&d, "%s", text);
	memset(text, 'x', strlen(text));
	assert_string_equal(d.sections.at[0].headline, "swapper");
	assert_string_equal(cell(&d, 0)->text, "swapper");
	assert_string_equal(d.sections.at[0].blocks.at[1].text, "swapper");
	doc_free(&d);
}

static void many_of_everything(void **state)
{
	struct doc d = {0};

	(void)state;
	for (int i = 0; i < 50; i++) {
		doc_section(&d, "T", "%d", i);
		doc_table(&d, columns, 2);
		for (int k = 0; k < 100; k++)
			doc_int(&d, i * 100 + k);
	}
	assert_int_equal(d.sections.n, 50);
	for (size_t i = 0; i < 50; i++)
		for (size_t k = 0; k < 100; k++)
			assert_int_equal(d.sections.at[i].blocks.at[0].cells.at[k].i, i * 100 + k);
	doc_free(&d);
}

static void empty_document(void **state)
{
	struct doc d = {0};

	(void)state;
	doc_free(&d);
	doc_section(&d, "T", "used again");
	doc_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(sections_and_blocks_in_order),
	        cmocka_unit_test(cells_keep_their_type),
	        cmocka_unit_test(units),
	        cmocka_unit_test(texts_are_copied),
	        cmocka_unit_test(many_of_everything),
	        cmocka_unit_test(empty_document),
	};

	return run(tests);
}
