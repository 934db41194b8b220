/* Options of a command as rows of one table. Parsing, --help, and shell completion follow from it;
 * the man page is checked against it. Parsing is done by argp (glibc). */
#ifndef PELTIER_CMD_OPT_H
#define PELTIER_CMD_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_type {
	OPT_FLAG,  /* bool: set to true */
	OPT_TEXT,  /* const char * */
	OPT_COUNT, /* uint64_t: a whole number */
	OPT_REAL,  /* double >= 0 */
};

struct opt {
	const char *name;
	char key;        /* short form, or 0 */
	const char *arg; /* what its value is called in --help; NULL for flags */
	enum opt_type type;
	size_t offset; /* of the value in the struct that opt_parse() fills */
	const char *help;
};

struct opt_program {
	const char *name;
	const char *args;  /* "TRACE..." */
	const char *about; /* one paragraph, and what follows the options after a '\v' */
	const struct opt *opts;
	size_t n_opts;
};

/* Fill `into`; *files gets the other arguments (freed by the caller). Does not return when the
 * command line is wrong (exit 2) or asks for help, version or completion (exit 0). */
void opt_parse(const struct opt_program *p, int argc, char **argv, void *into, const char ***files,
               size_t *n_files);

#endif
