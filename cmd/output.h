/* Where a command writes, and how it ends. */
#ifndef PELTIER_CMD_OUTPUT_H
#define PELTIER_CMD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Exit codes of all commands; of several causes the first in this order: 4 2 1 3 0. */
enum { OK = 0, REGRESSION = 1, USAGE = 2, PARTIAL = 3, INTERNAL = 4 };
int worse(int a, int b);

/* Output goes to a new file that takes the name only when all is well, so that neither an input nor
 * an older result is lost. Devices and pipes are written to as they are. */
struct output {
	FILE *file;
	const char *path;
	char temp[4096];
};

/* path NULL: standard output. False: errno says why. */
bool output_open(struct output *out, const char *path);
/* The exit code, which a failure to write makes worse. */
int output_close(struct output *out, const char *program, int code);
/* Columns of the terminal, 80 to 120; 100: it is none. */
int output_width(const struct output *out);
/* "program: message" on standard error, without control characters. */
void output_complain(const char *program, const char *msg);

#endif
