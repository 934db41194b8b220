#include "report/text.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 9, CELL_TEXT_MAX = 120 };

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

/* ---- prose ---- */

/* Columns a UTF-8 text takes, taking one for each character. */
static int columns(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* Print words, wrapped, beginning at column `at`; further lines are indented by LABEL_WIDTH. */
static void prose(FILE *out, const char *raw, int at, int width)
{
	size_t room = 4 * strlen(raw) + 8; /* every byte may become \xNN */
	char *text = mem_calloc(1, room), *word = text_escape(text, room, raw, strlen(raw));
	bool first = true;

	while (*word) {
		size_t len = strcspn(word, " ");
		char space = word[len];

		word[len] = '\0';
		if (!first && at + 1 + columns(word) > width) {
			fprintf(out, "\n%*s", LABEL_WIDTH, "");
			at = LABEL_WIDTH;
		} else if (!first) {
			fputc(' ', out);
			at++;
		}
		fputs(word, out);
		at += columns(word);
		word += len + (space == ' ');
		first = false;
	}
	free(text);
	fputc('\n', out);
}

/* ---- tables ---- */

static void cell_text(const struct cell *c, char out[CELL_TEXT_MAX])
{
	switch (c->kind) {
	case CELL_TEXT:
		text_escape(out, CELL_TEXT_MAX, c->text, strlen(c->text));
		break;
	case CELL_INT:
		snprintf(out, CELL_TEXT_MAX, "%" PRId64, c->i);
		break;
	case CELL_REAL:
		text_real(out, CELL_TEXT_MAX, c->real, c->decimals);
		break;
	case CELL_MISSING:
		snprintf(out, CELL_TEXT_MAX, "-");
	}
}

static bool is_empty(const struct cell *c)
{
	return c->kind == CELL_TEXT && !*c->text;
}

static void title_text(const struct column *c, char out[CELL_TEXT_MAX])
{
	if (c->unit)
		snprintf(out, CELL_TEXT_MAX, "%s %s", c->title, c->unit);
	else
		snprintf(out, CELL_TEXT_MAX, "%s", c->title);
}

static void put_cell(FILE *out, const char *text, int width, bool left, bool last)
{
	int pad = width - columns(text);

	if (!left)
		fprintf(out, "%*s", pad, "");
	fputs(text, out);
	if (left && !last)
		fprintf(out, "%*s", pad, "");
}

static void table(const struct block *b, FILE *out, bool colour)
{
	size_t n = b->n_columns, rows = n ? b->cells.n / n : 0;
	int *width = mem_calloc(n, sizeof *width);
	char text[CELL_TEXT_MAX];

	for (size_t c = 0; c < n; c++) {
		title_text(&b->columns[c], text);
		width[c] = columns(text);
		for (size_t r = 0; r < rows; r++) {
			cell_text(&b->cells.at[r * n + c], text);
			if (columns(text) > width[c])
				width[c] = columns(text);
		}
	}
	fputs(colour ? DIM : "", out);
	for (size_t c = 0; c < n; c++) {
		title_text(&b->columns[c], text);
		if (!*text && c + 1 == n)
			continue;
		fputs(c ? "  " : " ", out);
		put_cell(out, text, width[c], b->columns[c].is_text, c + 1 == n);
	}
	fputs(colour ? PLAIN "\n" : "\n", out);
	for (size_t r = 0; r < rows; r++) {
		size_t filled = n;

		while (filled && is_empty(&b->cells.at[r * n + filled - 1]))
			filled--;
		for (size_t c = 0; c < filled; c++) {
			cell_text(&b->cells.at[r * n + c], text);
			fputs(c ? "  " : " ", out);
			put_cell(out, text, width[c], b->columns[c].is_text, c + 1 == filled);
		}
		fputc('\n', out);
	}
	free(width);
}

void text_render(const struct doc *d, FILE *out, int width, bool colour)
{
	for (size_t i = 0; i < d->sections.n; i++) {
		const struct section *s = &d->sections.at[i];
		bool tables = false;

		for (size_t k = 0; k < s->blocks.n; k++)
			tables |= s->blocks.at[k].kind == BLOCK_TABLE;
		if (i && s->label[0] < 'a' && (tables || !d->compact))
			fputc('\n', out);
		fprintf(out, "%s%-*s%s", colour ? BOLD : "", LABEL_WIDTH, s->label,
		        colour ? PLAIN : "");
		prose(out, s->headline, LABEL_WIDTH, width);
		for (size_t k = 0; k < s->blocks.n; k++) {
			const struct block *b = &s->blocks.at[k];

			if (b->kind == BLOCK_TABLE) {
				table(b, out, colour);
				continue;
			}
			fprintf(out, "%*s", LABEL_WIDTH, "");
			prose(out, b->text, LABEL_WIDTH, width);
		}
	}
}
