/* Run sets on disk: which files are runs, of which configuration and iteration. */
#ifndef PELTIER_CMD_RUNS_H
#define PELTIER_CMD_RUNS_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>

struct found_run {
	const char *config, *iteration, *path;
	bool database; /* of Jankbench, no trace */
};

struct found {
	struct arena arena;
	VEC(struct found_run) runs; /* in natural order within a configuration */
	VEC(const char *) skipped;  /* files that are no traces, by their names */
};

/* What a folder holds. A folder with traces is a configuration, each trace an iteration; in a
 * folder of folders each is a configuration, or, when it is called like an iteration (iter-1, 001,
 * wk1-jankbench-3) and holds traces, an iteration of this one. With a pattern such as
 * "{config}_{iter}.dat" the names of the files tell. A file that an earlier folder has is skipped;
 * a configuration that has the name of an earlier one is called by its path. False with the error
 * set. */
bool found_add(struct found *f, const char *dir, const char *pattern, struct err *e);
void found_free(struct found *f);

#endif
