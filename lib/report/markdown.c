#include "report/markdown.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* Text that stays text: no markup, no HTML, no new cell. */
static void put(FILE *out, const char *s)
{
	char plain[600];

	text_escape(plain, sizeof plain, s, strlen(s));
	for (s = plain; *s; s++) {
		if (*s == '<')
			fputs("&lt;", out);
		else if (*s == '>')
			fputs("&gt;", out);
		else if (*s == '&')
			fputs("&amp;", out);
		else if (strchr("\\`*_[]|#", *s))
			fprintf(out, "\\%c", *s);
		else
			putc(*s, out);
	}
}

static void cell(FILE *out, const struct cell *c)
{
	char text[64];

	switch (c->kind) {
	case CELL_TEXT:
		put(out, c->text);
		break;
	case CELL_INT:
		fprintf(out, "%" PRId64, c->i);
		break;
	case CELL_REAL:
		text_real(text, sizeof text, c->real, c->decimals);
		fputs(text, out);
		break;
	case CELL_MISSING:
		putc('-', out);
	}
}

static void table(const struct block *b, FILE *out)
{
	size_t n = b->n_columns, rows = n ? b->cells.n / n : 0;

	putc('\n', out);
	for (size_t c = 0; c < n; c++) {
		fputs(c ? " | " : "| ", out);
		put(out, b->columns[c].title);
		if (b->columns[c].unit)
			fprintf(out, " %s", b->columns[c].unit);
	}
	fputs(" |\n", out);
	for (size_t c = 0; c < n; c++)
		fputs(b->columns[c].is_text ? "|---" : "|--:", out);
	fputs("|\n", out);
	for (size_t r = 0; r < rows; r++) {
		for (size_t c = 0; c < n; c++) {
			fputs(c ? " | " : "| ", out);
			cell(out, &b->cells.at[r * n + c]);
		}
		fputs(" |\n", out);
	}
	putc('\n', out);
}

void markdown_render(const struct doc *d, FILE *out)
{
	for (size_t i = 0; i < d->sections.n; i++) {
		const struct section *s = &d->sections.at[i];

		fprintf(out, "**%s** ", s->label);
		put(out, s->headline);
		fputs("\n\n", out);
		for (size_t k = 0; k < s->blocks.n; k++) {
			const struct block *b = &s->blocks.at[k];

			if (b->kind == BLOCK_TABLE) {
				table(b, out);
				continue;
			}
			fputs("* ", out);
			put(out, b->text);
			fputs("\n", out);
		}
	}
}
