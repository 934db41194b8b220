#include "base/input.h"

#include "base/inflate.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	COPY_BLOCK = 256 * 1024,
	SNIFF = 64, /* bytes that tell what it is */
};

struct input {
	char *name;
	int fd;
	const uint8_t *mem;
	uint64_t size;
	const char *wrapper;
	bool cut;
	bool (*wanted)(const uint8_t *head, size_t n);
	bool asked; /* wanted() was called */
	uint8_t head[SNIFF];
};

/* Bytes that are only read forward: what was peeked at first, then the descriptor. */
struct feed {
	int fd;
	const uint8_t *peek;
	size_t peeked;
};

static ssize_t read_some(int fd, void *buf, size_t n)
{
	ssize_t r;

	do
		r = read(fd, buf, n);
	while (r < 0 && errno == EINTR);
	return r;
}

static size_t read_full(int fd, uint8_t *buf, size_t n)
{
	size_t got = 0;

	while (got < n) {
		ssize_t r = read_some(fd, buf + got, n - got);

		if (r <= 0)
			break;
		got += (size_t)r;
	}
	return got;
}

static ssize_t feed_read(struct feed *f, void *buf, size_t n)
{
	if (f->peeked) {
		if (n > f->peeked)
			n = f->peeked;
		memcpy(buf, f->peek, n);
		f->peek += n;
		f->peeked -= n;
		return (ssize_t)n;
	}
	return read_some(f->fd, buf, n);
}

static bool write_full(int fd, const uint8_t *buf, size_t n)
{
	while (n) {
		ssize_t r = write(fd, buf, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return false;
		buf += r;
		n -= (size_t)r;
	}
	return true;
}

static int temp_file(struct err *e)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	if (snprintf(path, sizeof path, "%s/peltier.XXXXXX", dir) >= (int)sizeof path)
		path[0] = '\0';
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0) {
		err_internal(e, "%s: cannot make a temporary file: %s; set TMPDIR", dir,
		             strerror(errno));
		return -1;
	}
	unlink(path);
	return fd;
}

static bool spool_error(const struct input *in, struct err *e)
{
	return err_internal(e, "%s: copying to a temporary file: %s; set TMPDIR to a larger disk",
	                    in->name, strerror(errno));
}

/* Account for n more bytes that were copied; false when they are not worth going on. */
static bool go_on(struct input *in, const uint8_t *bytes, size_t n)
{
	size_t had = in->size < SNIFF ? (size_t)in->size : SNIFF;

	memcpy(in->head + had, bytes, n < SNIFF - had ? n : SNIFF - had);
	in->size += n;
	if (in->asked || !in->wanted || in->size < SNIFF)
		return true;
	in->asked = true;
	return in->wanted(in->head, SNIFF);
}

static bool spool_plain(struct input *in, struct feed *f, int out, struct err *e)
{
	uint8_t *buf = mem_calloc(1, COPY_BLOCK);
	bool ok = true, on = true;
	ssize_t r;

	while (ok && on && (r = feed_read(f, buf, COPY_BLOCK)) > 0) {
		ok = write_full(out, buf, (size_t)r) || spool_error(in, e);
		on = go_on(in, buf, (size_t)r);
	}
	free(buf);
	return ok;
}

/* Inflate all of `f`. A damaged or short wrapper is not an error here: what came out is kept. */
static bool spool_inflated(struct input *in, struct feed *f, const struct inflate_codec *codec,
                           int out, struct err *e)
{
	uint8_t *buf = mem_calloc(2, COPY_BLOCK), *plain = buf + COPY_BLOCK;
	struct inflater *z = codec->open();
	bool ok = true, on = true, end = false;
	ssize_t r;

	while (ok && on && !in->cut && (r = feed_read(f, buf, COPY_BLOCK)) > 0) {
		const void *p = buf;
		size_t left = (size_t)r;
		size_t made;

		do {
			in->cut = !codec->stream(z, &p, &left, plain, COPY_BLOCK, &made, &end);
			ok = write_full(out, plain, made) || spool_error(in, e);
			on = go_on(in, plain, made) && on;
		} while (ok && on && !in->cut && (left || (!end && made == COPY_BLOCK)));
	}
	in->cut |= on && !end;
	codec->close(z);
	free(buf);
	return ok;
}

static const struct inflate_codec *sniff(struct input *in, const uint8_t *head, size_t n)
{
	static const struct {
		uint8_t magic[4];
		size_t n;
		const char *name;
		const struct inflate_codec *codec;
	} wrappers[] = {
	        {{0x1f, 0x8b}, 2, "gzip", &inflate_zlib},
	        {{0x28, 0xb5, 0x2f, 0xfd}, 4, "zstd", &inflate_zstd},
	};

	for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++)
		if (n >= wrappers[i].n && !memcmp(head, wrappers[i].magic, wrappers[i].n)) {
			in->wrapper = wrappers[i].name;
			return wrappers[i].codec;
		}
	return NULL;
}

/* Replace the descriptor by an unlinked copy, inflated when wrapped. */
static bool spool(struct input *in, const uint8_t *head, size_t n,
                  const struct inflate_codec *codec, struct err *e)
{
	struct feed f = {in->fd, head, n};
	int out = temp_file(e);
	bool ok;

	if (out < 0)
		return false;
	in->size = 0;
	ok = codec ? spool_inflated(in, &f, codec, out, e) : spool_plain(in, &f, out, e);
	close(in->fd);
	in->fd = out;
	return ok;
}

static bool attach(struct input *in, struct err *e)
{
	const struct inflate_codec *codec;
	uint8_t head[4];
	struct stat st;
	bool seekable;
	size_t n;

	if (fstat(in->fd, &st))
		return err_input(e, "%s: %s", in->name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_input(e, "%s: is a directory; name a trace file", in->name);
	seekable = S_ISREG(st.st_mode) && lseek(in->fd, 0, SEEK_SET) == 0;
	n = read_full(in->fd, head, sizeof head);
	codec = sniff(in, head, n);
	if (seekable && !codec) {
		in->size = (uint64_t)st.st_size;
		return true;
	}
	return spool(in, head, n, codec, e);
}

struct input *input_open(const char *path, bool (*wanted)(const uint8_t *head, size_t n),
                         struct err *e)
{
	struct input *in = mem_calloc(1, sizeof *in);
	bool std = !strcmp(path, "-");

	in->wanted = wanted;
	in->name = strdup(std ? "(standard input)" : path);
	in->fd = std ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0)
		err_input(e, "%s: %s", in->name, strerror(errno));
	else if (attach(in, e))
		return in;
	input_close(in);
	return NULL;
}

struct input *input_open_mem(const void *bytes, size_t n, const char *name)
{
	struct input *in = mem_calloc(1, sizeof *in);

	in->name = strdup(name);
	in->fd = -1;
	in->mem = bytes;
	in->size = n;
	return in;
}

struct input *input_spool(const char *name, struct err *e)
{
	struct input *in;
	int fd = temp_file(e);

	if (fd < 0)
		return NULL;
	in = mem_calloc(1, sizeof *in);
	in->name = strdup(name);
	in->fd = fd;
	return in;
}

bool input_append(struct input *in, const void *bytes, size_t n, struct err *e)
{
	if (!write_full(in->fd, bytes, n))
		return spool_error(in, e);
	in->size += n;
	return true;
}

void input_close(struct input *in)
{
	if (!in)
		return;
	if (in->fd >= 0)
		close(in->fd);
	free(in->name);
	free(in);
}

const char *input_name(const struct input *in)
{
	return in->name;
}

bool input_is_file(const struct input *in)
{
	return !in->mem;
}

uint64_t input_size(const struct input *in)
{
	return in->size;
}

const char *input_wrapper(const struct input *in)
{
	return in->wrapper;
}

bool input_cut(const struct input *in)
{
	return in->cut;
}

size_t input_read(const struct input *in, uint64_t off, void *buf, size_t n)
{
	size_t got = 0;

	if (off >= in->size)
		return 0;
	if (n > in->size - off)
		n = (size_t)(in->size - off);
	if (in->mem) {
		memcpy(buf, in->mem + off, n);
		return n;
	}
	while (got < n) {
		ssize_t r = pread(in->fd, (char *)buf + got, n - got, (off_t)(off + got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			break;
		got += (size_t)r;
	}
	return got;
}
