/* The peer for Perfetto: protobuf-c's unpack and free of every ftrace bundle, with its default
 * allocator, and nothing else. unpack TRACE (not compressed) */
#include "ftrace.pb-c.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t varint(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0;

	do
		v |= (uint64_t)(**p & 0x7f) << shift;
	while (shift += 7, *(*p)++ & 0x80);
	return v;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	unsigned long events = 0;
	const uint8_t *p, *end;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return 2;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (p == MAP_FAILED)
		return 2;
	for (end = p + st.st_size; p < end;) {
		const uint8_t *packet_end;
		uint64_t n;

		p++; /* the tag of a packet */
		n = varint(&p);
		packet_end = p + n;
		if (n && *p == 0x0a) { /* an ftrace bundle */
			Pfb__FtraceEventBundle *b;

			p++;
			n = varint(&p);
			b = pfb__ftrace_event_bundle__unpack(NULL, n, p);
			if (!b)
				return 1;
			events += b->n_event;
			pfb__ftrace_event_bundle__free_unpacked(b, NULL);
		}
		p = packet_end;
	}
	printf("%lu events\n", events);
	return 0;
}
