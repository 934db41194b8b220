/* What compression costs alone: inflate every compressed packet of a Perfetto trace, or with -w
 * write the trace with those packets plain. inflate [-w] TRACE (deflate) >OUT */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

static uint8_t buf[1 << 20];

static uint64_t varint(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0;

	do
		v |= (uint64_t)(**p & 0x7f) << shift;
	while (shift += 7, *(*p)++ & 0x80);
	return v;
}

static void inflate_one(const uint8_t *p, uint64_t n, int write)
{
	z_stream s = {.next_in = (Bytef *)(uintptr_t)p, .avail_in = (uInt)n};
	int r = inflateInit(&s);

	while (r == Z_OK) {
		s.next_out = buf;
		s.avail_out = sizeof buf;
		r = inflate(&s, Z_NO_FLUSH);
		if (write)
			fwrite(buf, 1, sizeof buf - s.avail_out, stdout);
	}
	inflateEnd(&s);
}

int main(int argc, char **argv)
{
	int write = argc > 2 && !strcmp(argv[1], "-w");
	int fd = argc > 1 ? open(argv[argc - 1], O_RDONLY) : -1;
	const uint8_t *p, *end;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return 2;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (p == MAP_FAILED)
		return 2;
	for (end = p + st.st_size; p < end;) {
		const uint8_t *frame = p++, *body;
		uint64_t n = varint(&p);

		body = p;
		p += n;
		if (n > 2 && body[0] == 0x92 && body[1] == 0x03) { /* compressed_packets */
			body += 2;
			n = varint(&body);
			inflate_one(body, n, write);
		} else if (write) {
			fwrite(frame, 1, (size_t)(p - frame), stdout);
		}
	}
	return 0;
}
