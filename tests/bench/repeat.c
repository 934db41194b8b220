/* Make a trace.dat (version 7, not compressed) N times longer: the pages of each CPU again and
 * again, with their stamps shifted by the length of the trace. repeat IN OUT N */
#include "base/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 3, PAGE = 4096 };

static uint8_t *in;
static size_t size;

static void put64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, 8);
}

/* The option of the top buffer in the chain of options: its payload. */
static uint8_t *buffer_option(void)
{
	size_t at;

	/* header: magic, "7\0", endian, long, page size, compression name and version, offset */
	at = 18;
	at += strlen((char *)in + at) + 1;
	at += strlen((char *)in + at) + 1;
	for (uint64_t off = load64(in + at, false); off && off + 16 < size;) {
		uint8_t *p = in + off + 16;

		off = 0;
		for (;;) {
			unsigned id = load16(p, false);
			uint32_t n = load32(p + 2, false);

			if (id == BUFFER)
				return p + 6;
			if (id == 0) {
				off = load64(p + 6, false);
				break;
			}
			p += 6 + n;
		}
	}
	fprintf(stderr, "no buffer\n");
	exit(2);
}

static uint64_t span(const uint8_t *cpu, uint32_t cpus)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (uint32_t i = 0; i < cpus; i++, cpu += 20) {
		const uint8_t *data = in + load64(cpu + 4, false);
		uint64_t n = load64(cpu + 12, false);

		first = load64(data, false) < first ? load64(data, false) : first;
		last = load64(data + n - PAGE, false) > last ? load64(data + n - PAGE, false)
		                                             : last;
	}
	return last - first + 100000000;
}

int main(int argc, char **argv)
{
	FILE *f = argc == 4 ? fopen(argv[1], "rb") : NULL, *out;
	unsigned long times = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	uint8_t *option, *cpu, head[16] = {0};
	uint64_t shift, at;
	uint32_t cpus;

	if (!f || !times)
		return 2;
	fseek(f, 0, SEEK_END);
	size = (size_t)ftell(f);
	rewind(f);
	in = malloc(size);
	if (!in || fread(in, 1, size, f) != size)
		return 2;
	option = buffer_option();
	cpu = option + 8;
	cpu += strlen((char *)cpu) + 1;
	cpu += strlen((char *)cpu) + 1 + 4;
	cpus = load32(cpu, false);
	cpu += 4;
	shift = span(cpu, cpus);
	out = fopen(argv[2], "wb");
	at = (size + sizeof head + PAGE - 1) / PAGE * PAGE;
	fwrite(in, 1, size, out);
	fseek(out, (long)at, SEEK_SET);
	for (uint32_t i = 0; i < cpus; i++, cpu += 20) {
		uint8_t *data = in + load64(cpu + 4, false);
		uint64_t n = load64(cpu + 12, false);

		for (unsigned long k = 0; k < times; k++)
			for (uint64_t p = 0; p < n; p += PAGE) {
				uint8_t page[PAGE];

				memcpy(page, data + p, PAGE);
				put64(page, load64(page, false) + k * shift);
				fwrite(page, 1, PAGE, out);
			}
		put64(cpu + 4, at);
		put64(cpu + 12, n * times);
		at += n * times;
	}
	/* a section of an unknown kind holds what was added, so that sections still follow one
	 * another */
	memcpy(head, (uint16_t[]){100, 0}, 4);
	put64(head + 8, at - size - sizeof head);
	fseek(out, (long)size, SEEK_SET);
	fwrite(head, 1, sizeof head, out);
	fseek(out, 0, SEEK_SET);
	fwrite(in, 1, size, out); /* the option with the new places */
	return fclose(out) != 0;
}
