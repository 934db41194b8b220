/* Run files: YAML that says how traces were made (docs/run-files.md). */
#ifndef PELTIER_IMPORT_RUN_FILE_H
#define PELTIER_IMPORT_RUN_FILE_H

#include "base/err.h"
#include "signal/run.h"

struct run_file; /* owns the data */

/* Read what a file says of a trace. NULL with the error set: file, line, column and what is wrong.
 */
struct run_file *run_file_load(const char *path, const char *trace, struct err *e);
/* The run.yaml beside a trace, or, in folders of one iteration each, beside that folder. NULL:
 * there is none, or (with the error set) it is bad. */
struct run_file *run_file_find(const char *trace, struct err *e);
const struct run *run_file_data(const struct run_file *f);
void run_file_free(struct run_file *f);

#endif
