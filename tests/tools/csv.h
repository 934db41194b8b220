/* Tables of testdata/signals, a row at a time. */
#ifndef PELTIER_TESTS_CSV_H
#define PELTIER_TESTS_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CSV_COLUMNS = 20 };

struct csv {
	FILE *f;
	char line[1000];
	char *at[CSV_COLUMNS];
};

/* Open testdata/signals/NAME.csv and skip its head. */
struct csv csv_open(const char *name);
/* The next row; false at the end, when the file is closed. */
bool csv_row(struct csv *c);
void csv_close(struct csv *c);
int64_t csv_int(const struct csv *c, int column);
double csv_real(const struct csv *c, int column);

#endif
