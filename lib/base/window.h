/* A read window: a sliding view of an input, filled by pread(). */
#ifndef PELTIER_BASE_WINDOW_H
#define PELTIER_BASE_WINDOW_H

#include "base/input.h"

enum { WINDOW_SLACK = 8 }; /* bytes that may be read (not used) behind what is given out */

struct window {
	const struct input *in;
	uint8_t *buf;
	size_t cap, len;
	uint64_t off; /* input offset of buf[0] */
};

void window_init(struct window *w, const struct input *in, size_t cap);
void window_free(struct window *w);
/* n contiguous bytes at off, or NULL when the input does not have them. The window grows when n
 * is larger than it. The pointer is good until the next call. */
const uint8_t *window_get(struct window *w, uint64_t off, size_t n);

#endif
