/* What a command knows of a trace besides the trace: its run file and its platform. */
#ifndef PELTIER_CMD_KNOWN_H
#define PELTIER_CMD_KNOWN_H

#include "import/platform_file.h"
#include "import/run_file.h"

struct known {
	struct run_file *run;            /* or NULL */
	struct platform_file *file;      /* that the run file names, or NULL */
	const struct platform *platform; /* or NULL */
	struct err bad_run;              /* why the run file that was found is not used */
};

/* Find out: `run` is a file that the user named, "none", or NULL for the one beside the trace;
 * `platform` counts before the one that the run file names. False with the error set when a file
 * that the user named is bad. Free with known_free() in any case. */
bool known_of(struct known *k, const char *trace, const char *run, const struct platform *platform,
              struct err *e);
void known_free(struct known *k);

#endif
