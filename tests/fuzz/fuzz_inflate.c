/* Compressed packets: the first byte picks deflate or zstd, the rest is the compressed data. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t head[] = {0x0a, 0x04, 0x50, 0x01, 0x18, 0x01}; /* a typical packet */
	uint8_t *file;
	size_t n = sizeof head, len;

	if (size < 2 || size > 1 << 20 || !(file = malloc(size + 64)))
		return 0;
	len = size - 1;
	memcpy(file, head, sizeof head);
	file[n++] = 0x0a; /* lengths as padded varints of 4 bytes */
	for (int k = 0; k < 2; k++) {
		uint64_t v = k ? len : len + 4 + 2;

		if (k) {
			file[n++] = data[0] & 1 ? 0xaa : 0x92; /* field 133 or 50 */
			file[n++] = data[0] & 1 ? 0x08 : 0x03;
		}
		for (int i = 0; i < 4; i++)
			file[n++] = (uint8_t)((v >> (7 * i) & 0x7f) | (i < 3 ? 0x80 : 0));
	}
	memcpy(file + n, data + 1, len);
	fuzz_trace(file, n + len);
	free(file);
	return 0;
}
