#include "base/inflate.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum { WINDOW_AUTO = 15 + 32 }; /* zlib or gzip header, told apart by zlib itself */

static z_stream *ctx(struct inflater *z)
{
	return (z_stream *)(void *)z;
}

static struct inflater *zlib_open(void)
{
	z_stream *s = calloc(1, sizeof *s);

	if (!s || inflateInit2(s, WINDOW_AUTO) != Z_OK)
		abort();
	return (struct inflater *)(void *)s;
}

static int step(z_stream *s, const void *in, size_t n, void *out, size_t room)
{
	s->next_in = (Bytef *)(size_t)in; /* zlib's input pointer lacks const */
	s->avail_in = n > UINT_MAX ? UINT_MAX : (uInt)n;
	s->next_out = out;
	s->avail_out = room > UINT_MAX ? UINT_MAX : (uInt)room;
	return inflate(s, Z_NO_FLUSH);
}

static bool zlib_chunk(struct inflater *z, const void *in, size_t n, void *out, size_t room)
{
	z_stream *s = ctx(z);

	return inflateReset(s) == Z_OK && step(s, in, n, out, room) == Z_STREAM_END &&
	       s->total_out == room && !s->avail_in;
}

static bool zlib_stream(struct inflater *z, const void **in, size_t *n, void *out, size_t room,
                        size_t *made, bool *end)
{
	z_stream *s = ctx(z);
	int r = step(s, *in, *n, out, room);
	size_t used = *n - s->avail_in;

	*made = room - s->avail_out;
	*in = (const char *)*in + used;
	*n -= used;
	*end = r == Z_STREAM_END;
	if (*end) /* the next member of the same file may follow */
		return inflateReset(s) == Z_OK;
	return r == Z_OK || r == Z_BUF_ERROR;
}

static void zlib_close(struct inflater *z)
{
	inflateEnd(ctx(z));
	free(z);
}

const struct inflate_codec inflate_zlib = {"zlib", zlib_open, zlib_chunk, zlib_stream, zlib_close};
