/* What a command knows of a trace besides the trace: its run file and its platform. */
#ifndef PELTIER_CMD_KNOWN_H
#define PELTIER_CMD_KNOWN_H

#include "import/platform_file.h"
#include "import/run_file.h"

struct known {
	struct run_file *run;             /* or NULL */
	struct platform_file *file;       /* that was found, or NULL */
	const struct platform *platform;  /* or NULL */
	struct err bad_run, bad_platform; /* why the files that were found are not used */
};

/* Find out: `run` is a file that the user named, "none", or NULL for the one beside the trace.
 * With `find`, the platform is the one that the run file names, or platform.yaml beside the trace;
 * else it is `platform`, which may be NULL. False with the error set when a file that the user
 * named is bad. Free with known_free() in any case. */
bool known_of(struct known *k, const char *trace, const char *run, bool find,
              const struct platform *platform, struct err *e);
void known_free(struct known *k);
/* A platform that the user named: a built-in one, or a file, which *file then owns. False with the
 * error set. */
bool known_platform(const char *name, const struct platform **platform, struct platform_file **file,
                    struct err *e);

#endif
