/* Lines of an input, read in blocks. */
#ifndef PELTIER_SOURCE_TEXT_LINES_H
#define PELTIER_SOURCE_TEXT_LINES_H

#include "base/input.h"

#include <stdbool.h>
#include <string.h>

enum { TEXT_BLOCK = 1 << 18 };

struct lines {
	const struct input *in;
	char *buf;
	size_t at, n; /* of buf: the next line begins, data ends */
	uint64_t off; /* of the input: buf[0] */
	bool skip;    /* within a line that is too long to be one of a trace */
	bool cut;     /* the last line had no end: it is left out */
};

void lines_init(struct lines *l, const struct input *in, uint64_t off);
void lines_free(struct lines *l);
/* The next line, its end left out; good until the next call. NULL at the end of the input: a last
 * line without an end is none. */
const char *lines_next(struct lines *l, size_t *n);

/* The next line that is in the buffer, where it stays until lines_next(); NULL: none is there as a
 * whole. */
static inline const char *lines_here(struct lines *l, size_t *n)
{
	const char *p = l->buf + l->at;
	const char *end = l->skip ? NULL : memchr(p, '\n', l->n - l->at);

	if (!end)
		return NULL;
	*n = (size_t)(end - p);
	l->at += *n + 1;
	return p;
}

#endif
