/* Errors as values: what went wrong, in one line that names file, place and reason.
 *
 * A function that can fail takes `struct err *` last, returns false or NULL, and leaves the
 * error untouched on success. The kind decides the exit code of a command. */
#ifndef PELTIER_BASE_ERR_H
#define PELTIER_BASE_ERR_H

#include <stdbool.h>

enum err_kind {
	ERR_NONE,
	ERR_INPUT,    /* the input cannot be analysed, or a named thing is not in it */
	ERR_INTERNAL, /* out of disk, a system call that should not fail */
};

struct err {
	enum err_kind kind;
	char msg[512];
};

/* Set the message (printf-like) and return false, so that callers can `return err_set(...)`. */
bool err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));

#define err_input(e, ...) err_set(e, ERR_INPUT, __VA_ARGS__)
#define err_internal(e, ...) err_set(e, ERR_INTERNAL, __VA_ARGS__)

#endif
