/* Results of benchmarks as CSV: a header, then a line for each value. Columns by name, in any
 * order: configuration (or config, kernel), iteration (or run), metric, value; unit, scope,
 * direction (higher, lower) need not be there. Cells that are no numbers ("N/A", ">50", empty) and
 * scores of 0 (failed runs) come as missing, with their text. */
#ifndef PELTIER_IMPORT_RESULTS_CSV_H
#define PELTIER_IMPORT_RESULTS_CSV_H

#include "base/err.h"

struct result_row {
	const char *path, *config, *iteration, *metric, *scope, *unit;
	int direction;    /* 1: more is better, -1: less, 0: not told */
	double value;     /* NAN: no number */
	const char *text; /* then the cell; NULL otherwise */
};

/* The row and its texts are good during the call. False with the error set: file, line, reason. */
bool results_csv_read(const char *path, void (*row)(void *arg, const struct result_row *r),
                      void *arg, struct err *e);

#endif
