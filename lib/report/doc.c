#include "report/doc.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void doc_free(struct doc *d)
{
	for (size_t i = 0; i < d->sections.n; i++) {
		struct section *s = &d->sections.at[i];

		for (size_t k = 0; k < s->blocks.n; k++)
			vec_free(&s->blocks.at[k].cells);
		vec_free(&s->blocks);
	}
	vec_free(&d->sections);
	arena_free(&d->arena);
}

__attribute__((format(printf, 2, 0))) static const char *format(struct doc *d, const char *fmt,
                                                                va_list ap)
{
	char *text;
	const char *copy;
	int n = vasprintf(&text, fmt, ap);

	if (n < 0)
		abort();
	copy = arena_str(&d->arena, text, (size_t)n);
	free(text);
	return copy;
}

void doc_section(struct doc *d, const char *label, const char *fmt, ...)
{
	struct section *s = vec_add(&d->sections);
	va_list ap;

	s->label = label;
	va_start(ap, fmt);
	s->headline = format(d, fmt, ap);
	va_end(ap);
}

static struct block *block(struct doc *d, enum block_kind k)
{
	struct block *b;

	assert(d->sections.n);
	b = vec_add(&d->sections.at[d->sections.n - 1].blocks);
	b->kind = k;
	return b;
}

void doc_note(struct doc *d, const char *fmt, ...)
{
	struct block *b = block(d, BLOCK_NOTE);
	va_list ap;

	va_start(ap, fmt);
	b->text = format(d, fmt, ap);
	va_end(ap);
}

void doc_table(struct doc *d, const struct column *columns, unsigned n)
{
	struct block *b = block(d, BLOCK_TABLE);

	b->columns = columns;
	b->n_columns = n;
}

static struct cell *cell(struct doc *d, enum cell_kind k)
{
	struct section *s = &d->sections.at[d->sections.n - 1];
	struct cell *c = vec_add(&s->blocks.at[s->blocks.n - 1].cells);

	c->kind = k;
	return c;
}

void doc_text(struct doc *d, const char *text)
{
	cell(d, CELL_TEXT)->text = arena_str(&d->arena, text, strlen(text));
}

void doc_int(struct doc *d, int64_t v)
{
	cell(d, CELL_INT)->i = v;
}

void doc_real(struct doc *d, double v, int decimals)
{
	struct cell *c = cell(d, CELL_REAL);

	c->real = v;
	c->decimals = decimals;
}

void doc_missing(struct doc *d)
{
	cell(d, CELL_MISSING);
}

void doc_s(struct doc *d, int64_t ns, int decimals)
{
	doc_real(d, (double)ns / 1e9, decimals);
}

void doc_ms(struct doc *d, int64_t ns, int decimals)
{
	doc_real(d, (double)ns / 1e6, decimals);
}

void doc_pct(struct doc *d, int64_t part, int64_t whole, int decimals)
{
	if (whole)
		doc_real(d, 100.0 * (double)part / (double)whole, decimals);
	else
		doc_missing(d);
}
