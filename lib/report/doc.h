/* Waist 3: a report as blocks, before anybody decides how it looks.
 *
 * A document is a list of sections. A section has a short upper-case label, a headline, and blocks:
 * notes (one line of text) and tables (typed columns, rows of typed cells). A value that does not
 * exist is a cell of its own kind, not a number. Texts are copied; everything is freed with
 * doc_free(). Renderers (text.h) only read. */
#ifndef PELTIER_REPORT_DOC_H
#define PELTIER_REPORT_DOC_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

enum cell_kind {
	CELL_TEXT,
	CELL_INT,
	CELL_REAL,
	CELL_MISSING, /* shown as "-" */
};

struct cell {
	enum cell_kind kind;
	const char *text;
	int64_t i;
	double real;
	int decimals;
};

struct column {
	const char *title, *unit; /* unit NULL: none */
	bool is_text;             /* left-aligned */
};

enum block_kind { BLOCK_NOTE, BLOCK_TABLE };

struct block {
	enum block_kind kind;
	const char *text; /* of a note */
	const struct column *columns;
	unsigned n_columns;
	VEC(struct cell) cells; /* row by row */
};

struct section {
	const char *label, *headline;
	VEC(struct block) blocks;
};

struct doc {
	struct arena arena;
	bool compact; /* no empty line before a section without a table */
	VEC(struct section) sections;
};

/* Zero-initialise a struct doc to begin. */
void doc_free(struct doc *d);
void doc_section(struct doc *d, const char *label, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));
void doc_note(struct doc *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Begin a table; `columns` must outlive the document. Then cells, row by row. */
void doc_table(struct doc *d, const struct column *columns, unsigned n);
void doc_text(struct doc *d, const char *text);
void doc_int(struct doc *d, int64_t v);
void doc_real(struct doc *d, double v, int decimals);
void doc_missing(struct doc *d);
/* ns as seconds or milliseconds with `decimals`. */
void doc_s(struct doc *d, int64_t ns, int decimals);
void doc_ms(struct doc *d, int64_t ns, int decimals);
/* part of whole in percent; missing when the whole is 0. */
void doc_pct(struct doc *d, int64_t part, int64_t whole, int decimals);

#endif
