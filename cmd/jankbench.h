/* A database of Jankbench measured for a comparison: each run in it is an iteration. */
#ifndef PELTIER_CMD_JANKBENCH_H
#define PELTIER_CMD_JANKBENCH_H

#include "compare/set.h"

/* Add the runs of the database to the configuration. *note is set to what should be said, or is
 * empty. A file that cannot be read is a failed run; false then. */
bool jankbench_add(const char *path, struct run_set *s, const char *config, const char *iteration,
                   char *note, size_t room);

#endif
