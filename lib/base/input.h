/* The bytes of one input at random offsets: a file, standard input, a pipe, or either of them
 * inside a gzip or zstd wrapper. What cannot seek, and what is wrapped, is first copied to an
 * unlinked temporary file ($TMPDIR, else /tmp). Nothing is mapped; reads are pread(). */
#ifndef PELTIER_BASE_INPUT_H
#define PELTIER_BASE_INPUT_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct input;

/* Open `path` ("-": standard input). NULL with the error set. What has to be copied is copied whole
 * only when `wanted` says so of its first 64 bytes; else little more is copied. NULL: all is
 * wanted. */
struct input *input_open(const char *path, bool (*wanted)(const uint8_t *head, size_t n),
                         struct err *e);
/* The same interface over `n` bytes that the caller keeps alive. */
struct input *input_open_mem(const void *bytes, size_t n, const char *name);
/* An empty input that is written first and read then: an unlinked temporary file. */
struct input *input_spool(const char *name, struct err *e);
bool input_append(struct input *in, const void *bytes, size_t n, struct err *e);
void input_close(struct input *in);

const char *input_name(const struct input *in);
/* Whether reading costs: not when it is in memory. */
bool input_is_file(const struct input *in);
uint64_t input_size(const struct input *in);
/* Wrapper it was in: "gzip", "zstd", or NULL. */
const char *input_wrapper(const struct input *in);
/* The wrapper ended early or was damaged: what was read is all there is of it. */
bool input_cut(const struct input *in);
/* Read up to n bytes at off; fewer only at the end of the input or on a read error. */
size_t input_read(const struct input *in, uint64_t off, void *buf, size_t n);

#endif
