#include "source/text_lines.h"

#include "base/mem.h"
#include "source/text_line.h"

#include <stdlib.h>

void lines_init(struct lines *l, const struct input *in, uint64_t off)
{
	*l = (struct lines){.in = in, .buf = mem_calloc(TEXT_BLOCK + TEXT_LINE_MAX, 1), .off = off};
}

void lines_free(struct lines *l)
{
	free(l->buf);
}

/* Keep the begun line, and read on. False at the end of the input. */
static bool lines_fill(struct lines *l)
{
	size_t rest = l->n - l->at, got;

	if (rest >= TEXT_LINE_MAX) { /* no line of a trace */
		l->skip = true;
		l->off += l->n;
		rest = 0;
	} else {
		memmove(l->buf, l->buf + l->at, rest);
		l->off += l->at;
	}
	l->at = 0;
	got = input_read(l->in, l->off + rest, l->buf + rest, TEXT_BLOCK);
	l->n = rest + got;
	return got > 0;
}

/* Leave out the rest of a line that is too long. False: it goes on behind the buffer. */
static bool skipped(struct lines *l)
{
	const char *end = memchr(l->buf + l->at, '\n', l->n - l->at);

	l->at = end ? (size_t)(end + 1 - l->buf) : l->n;
	l->skip = !end;
	return end != NULL;
}

const char *lines_next(struct lines *l, size_t *n)
{
	const char *p;

	for (;;) {
		if ((!l->skip || skipped(l)) && (p = lines_here(l, n)))
			return p;
		if (!lines_fill(l))
			break;
	}
	l->cut = l->at < l->n || l->skip;
	return NULL;
}
