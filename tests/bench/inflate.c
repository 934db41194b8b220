/* What compression costs alone: inflate every compressed packet of a Perfetto trace; with -w, write
 * the trace with those packets plain. inflate [-w] TRACE (deflate) >OUT */
#include "bench/file.h"

#include <zlib.h>

static uint8_t buf[1 << 20];

static void inflate_one(const uint8_t *p, size_t n, bool write)
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
	bool write = argc > 2 && !strcmp(argv[1], "-w");
	struct wire file = map_file(argc > 1 ? argv[argc - 1] : "");
	const uint8_t *begin = file.p;
	struct wire_field packet, f;

	for (; wire_next(&file, &packet); begin = file.p) {
		struct wire w = wire_on(packet.p, packet.n);

		if (wire_next(&w, &f) && f.num == 50) /* compressed_packets */
			inflate_one(f.p, f.n, write);
		else if (write)
			fwrite(begin, 1, (size_t)(file.p - begin), stdout);
	}
	return 0;
}
