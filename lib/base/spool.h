/* Bytes that are written once, in order, and read at random when all are there: an unlinked
 * temporary file, written in blocks and ahead of the reader. */
#ifndef PELTIER_BASE_SPOOL_H
#define PELTIER_BASE_SPOOL_H

#include "base/ahead.h"
#include "base/input.h"

struct spool;

/* `name` is for messages; `a` (or NULL) writes. NULL with the error set. */
struct spool *spool_open(const char *name, struct ahead *a, struct err *e);
/* Where the next bytes will be. */
uint64_t spool_at(const struct spool *s);
/* False when writing has failed. */
bool spool_add(struct spool *s, const void *bytes, size_t n);
/* All is written: it can be read now. False with the error set when some of it is not. */
bool spool_end(struct spool *s, struct err *e);
/* After spool_end(); good until spool_close(). */
const struct input *spool_input(const struct spool *s);
void spool_close(struct spool *s);

#endif
