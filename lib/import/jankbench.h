/* Jankbench's database BenchmarkResults (SQLite, table ui_results; reference frames.md 1.5). */
#ifndef PELTIER_IMPORT_JANKBENCH_H
#define PELTIER_IMPORT_JANKBENCH_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct jankbench_frame {
	int64_t run_id;    /* may be negative */
	const char *name;  /* of the sub-test */
	int64_t iteration; /* of the sub-test within the run */
	double total_ms;
	int jank; /* as it is stored: 1, 0; -1: not told */
};

/* Whether the file is an SQLite database. */
bool jankbench_is(const char *path);
/* All frames, by run, in the order in which they were stored. Rows without a
 * positive duration are counted in *rejected. The name is good during the call. False with the
 * error set: not such a database, or it is damaged. */
bool jankbench_read(const char *path, void (*frame)(void *arg, const struct jankbench_frame *f),
                    void *arg, uint64_t *rejected, struct err *e);

#endif
