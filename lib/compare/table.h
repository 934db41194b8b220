/* A comparison for readers: as a document, as a list for mail, as CSV and JSON. */
#ifndef PELTIER_COMPARE_TABLE_H
#define PELTIER_COMPARE_TABLE_H

#include "compare/compare.h"
#include "compare/why.h"
#include "report/doc.h"
#include "report/json.h"

/* The tables, what differs, warnings; with `why` the split of the mean; `ceiling`: index of the
 * configuration that the others are measured against, 0: none. */
void table_doc(const struct comparison *c, bool why, size_t ceiling, struct doc *d);
/* 72 columns of ASCII, three rows to a metric. */
void table_list(const struct comparison *c, FILE *out);
/* One line for each value of each iteration. */
void table_csv(const struct comparison *c, FILE *out);
/* Schema peltier/compare/1. */
void table_json(const struct comparison *c, bool why, size_t ceiling, struct json *j);

/* "-14.9%", "-3.37pp", "+12.3"; "" when there is no change. */
const char *table_change(const struct comparison *c, const struct compare_row *row, size_t config,
                         char out[32]);
/* A number of the row with as many decimals as its size needs. */
const char *table_number(double v, char out[32]);
/* Share of the way from the first configuration to the ceiling, percent; NAN: they do not differ,
 * or a number is missing. */
double table_share(const struct compare_row *row, size_t config, size_t ceiling);

#endif
