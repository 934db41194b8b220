#include "base/window.h"

#include "base/mem.h"

#include <stdlib.h>

void window_init(struct window *w, const struct input *in, size_t cap)
{
	*w = (struct window){.in = in, .cap = cap};
}

void window_free(struct window *w)
{
	free(w->buf);
	w->buf = NULL;
	w->len = 0;
}

const uint8_t *window_get(struct window *w, uint64_t off, size_t n)
{
	if (off >= w->off && off - w->off <= w->len && n <= w->len - (size_t)(off - w->off))
		return w->buf + (off - w->off);
	if (off > input_size(w->in) || n > input_size(w->in) - off)
		return NULL;
	if (!w->buf || n > w->cap) {
		w->cap = n > w->cap ? n : w->cap;
		w->buf = mem_realloc(w->buf, w->cap + WINDOW_SLACK, 1);
	}
	w->len = input_read(w->in, off, w->buf, w->cap);
	w->off = off;
	return n <= w->len ? w->buf : NULL;
}
