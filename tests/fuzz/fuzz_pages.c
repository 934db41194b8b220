/* Ring-buffer pages behind a sound head, so that all of the input is about them. The first byte
 * picks the head: byte order and word size. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 4096, PAGES_MAX = 1 << 20 };

static const char *const heads[] = {
        "testdata/tracedat/craft_v6_noopt.dat", "testdata/tracedat/craft_v6_be64.dat",
        "testdata/tracedat/craft_v6_le32.dat", "testdata/tracedat/craft_v6_be32.dat"};
enum { HEADS = sizeof heads / sizeof *heads };

static void put64(uint8_t *at, uint64_t v, bool big)
{
	for (int i = 0; i < 8; i++)
		at[big ? 7 - i : i] = (uint8_t)(v >> (8 * i));
}

/* The head of a file, with a table that says: `size` bytes of cpu0 at HEAD. */
static size_t head(unsigned which, size_t size, uint8_t *out)
{
	FILE *f = fopen(heads[which], "rb");
	uint8_t *table;
	size_t n;

	if (!f)
		abort();
	n = fread(out, 1, HEAD, f);
	fclose(f);
	table = memmem(out, n, "flyrecord", 10);
	if (!table)
		abort();
	put64(table + 10, HEAD, which & 1);
	put64(table + 18, size, which & 1);
	if (which) /* these have a second CPU */
		put64(table + 34, 0, which & 1);
	return HEAD;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t file[HEAD + PAGES_MAX];

	if (size < 2 || size > PAGES_MAX)
		return 0;
	head(data[0] % HEADS, size - 1, file);
	memcpy(file + HEAD, data + 1, size - 1);
	fuzz_trace(file, HEAD + size - 1);
	return 0;
}
