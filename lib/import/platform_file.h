/* Platform files: YAML that says what machine a trace comes from (docs/platform-files.md). */
#ifndef PELTIER_IMPORT_PLATFORM_FILE_H
#define PELTIER_IMPORT_PLATFORM_FILE_H

#include "base/err.h"
#include "signal/platform.h"

struct platform_file; /* owns the data */

/* Read a file. NULL with the error set: file, line, column and what is wrong. */
struct platform_file *platform_file_load(const char *path, struct err *e);
/* platform.yaml beside a trace, or beside its folder. NULL: there is none, or (with the error set)
 * it is bad. */
struct platform_file *platform_file_find(const char *trace, struct err *e);
const struct platform *platform_file_data(const struct platform_file *f);
void platform_file_free(struct platform_file *f);

#endif
