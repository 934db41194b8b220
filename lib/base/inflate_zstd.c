#include "base/inflate.h"

#include <stdlib.h>
#include <zstd.h>

/* struct inflater is a ZSTD_DCtx here. */
static ZSTD_DCtx *ctx(struct inflater *z)
{
	return (ZSTD_DCtx *)(void *)z;
}

static struct inflater *zstd_open(void)
{
	ZSTD_DCtx *d = ZSTD_createDCtx();

	if (!d)
		abort();
	/* a wrapper may use a long window; a hostile one may not ask for more than this */
	ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, 27);
	return (struct inflater *)(void *)d;
}

static bool zstd_chunk(struct inflater *z, const void *in, size_t n, void *out, size_t room)
{
	return n && ZSTD_decompressDCtx(ctx(z), out, room, in, n) == room;
}

static bool zstd_stream(struct inflater *z, const void **in, size_t *n, void *out, size_t room,
                        size_t *made, bool *end)
{
	ZSTD_inBuffer i = {*in, *n, 0};
	ZSTD_outBuffer o = {out, room, 0};
	size_t r = ZSTD_decompressStream(ctx(z), &o, &i);

	*in = (const char *)*in + i.pos;
	*n -= i.pos;
	*end = r == 0;
	*made = o.pos;
	return !ZSTD_isError(r);
}

static void zstd_close(struct inflater *z)
{
	ZSTD_freeDCtx(ctx(z));
}

const struct inflate_codec inflate_zstd = {"zstd", zstd_open, zstd_chunk, zstd_stream, zstd_close};
