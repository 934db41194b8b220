/* Ftrace bundles, compact scheduling and generic events: the input is the inside of two bundles
 * (cut in the middle) of CPU 0 behind a sound head, so that all of it is about them. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static size_t varint(uint8_t *out, uint64_t v)
{
	size_t n = 0;

	do
		out[n++] = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
	while (v >>= 7);
	return n;
}

/* A packet of sequence 2 with one bundle: cpu 0 and n bytes. */
static size_t packet(uint8_t *out, const uint8_t *data, size_t n)
{
	uint8_t head[32], tail[] = {0x50, 2}, cpu[] = {0x08, 0};
	size_t h = 0, at = 0;

	head[h++] = 0x0a;
	h += varint(head + h, n + sizeof cpu);
	out[at++] = 0x0a;
	at += varint(out + at, h + sizeof cpu + n + sizeof tail);
	memcpy(out + at, head, h);
	memcpy(out + at + h, cpu, sizeof cpu);
	at += h + sizeof cpu;
	memcpy(out + at, data, n);
	at += n;
	memcpy(out + at, tail, sizeof tail);
	return at + sizeof tail;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* a clock snapshot: boot 1 s, mono_raw 0.5 s */
	static const uint8_t snapshot[] = {0x0a, 0x16, 0x32, 0x14, 0x0a, 0x08, 0x08, 0x06,
	                                   0x10, 0x80, 0x94, 0xeb, 0xdc, 0x03, 0x0a, 0x08,
	                                   0x08, 0x05, 0x10, 0x80, 0xca, 0xb5, 0xee, 0x01};
	uint8_t *file = malloc(sizeof snapshot + size + 128);
	size_t n = sizeof snapshot;

	if (!file)
		abort();
	memcpy(file, snapshot, sizeof snapshot);
	n += packet(file + n, data, size / 2);
	n += packet(file + n, data + size / 2, size - size / 2);
	fuzz_trace(file, n);
	free(file);
	return 0;
}
