/* Decompression behind one interface; each library is confined to one file. */
#ifndef PELTIER_BASE_INFLATE_H
#define PELTIER_BASE_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct inflater; /* state that is reused from chunk to chunk; one per thread */

struct inflate_codec {
	const char *name; /* as a trace.dat file names it */
	struct inflater *(*open)(void);
	/* One whole frame of `n` bytes into exactly `room` bytes; false when damaged. */
	bool (*chunk)(struct inflater *z, const void *in, size_t n, void *out, size_t room);
	/* Streaming: consumes from in (updating n), fills out (bytes written in *made). *end is
	 * set when a frame is complete. False when damaged; *made bytes are good all the same. */
	bool (*stream)(struct inflater *z, const void **in, size_t *n, void *out, size_t room,
	               size_t *made, bool *end);
	void (*close)(struct inflater *z);
};

extern const struct inflate_codec inflate_zstd, inflate_zlib;

/* The codec of that name, or NULL. */
const struct inflate_codec *inflate_find(const char *name);

#endif
