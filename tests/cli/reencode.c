/* Write a plain Perfetto trace again in another encoding, for tests:
 *   reencode deflate|zstd|compact|offsets IN >OUT
 * deflate, zstd: runs of packets become compressed packets; compact: sched_switch and sched_waking
 * become arrays; offsets: print where each packet ends. */
#include "base/mem.h"
#include "source/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

typedef VEC(uint8_t) bytes;

static void add(bytes *b, const void *p, size_t n)
{
	size_t had = b->n;

	if (!n)
		return;
	vec_fit(b, had + n);
	memcpy(b->at + had, p, n);
}

static void add_varint(bytes *b, uint64_t v)
{
	do
		*vec_add(b) = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
	while (v >>= 7);
}

static void add_bytes(bytes *b, uint32_t field, const void *p, size_t n)
{
	add_varint(b, field << 3 | WIRE_BYTES);
	add_varint(b, n);
	add(b, p, n);
}

static void add_number(bytes *b, uint32_t field, uint64_t v)
{
	add_varint(b, field << 3);
	add_varint(b, v);
}

/* ---- compressed packets ---- */

static void flush(bytes *run, bool zstd)
{
	size_t room = zstd ? ZSTD_compressBound(run->n) : compressBound(run->n);
	bytes packet = {0}, frame = {0}, z = {0};

	if (!run->n)
		return;
	vec_fit(&z, room);
	if (zstd)
		z.n = ZSTD_compress(z.at, room, run->at, run->n, 1);
	else if (compress(z.at, &room, run->at, run->n) == Z_OK)
		z.n = room;
	add_bytes(&packet, zstd ? 133 : 50, z.at, z.n);
	add_bytes(&frame, 1, packet.at, packet.n);
	fwrite(frame.at, 1, frame.n, stdout);
	run->n = 0;
	vec_free(&packet);
	vec_free(&frame);
	vec_free(&z);
}

/* ---- compact scheduling ---- */

struct arrays {
	bytes of[13]; /* by field number */
	VEC(struct wire_field) names;
	uint64_t last[2];
};

static uint64_t name_index(struct arrays *a, const struct wire_field *name)
{
	for (size_t i = 0; i < a->names.n; i++)
		if (a->names.at[i].n == name->n && !memcmp(a->names.at[i].p, name->p, name->n))
			return i;
	*vec_add(&a->names) = *name;
	return a->names.n - 1;
}

/* A switch (payload field 4) or waking (20) into the arrays. */
static void compact(struct arrays *a, uint32_t kind, uint64_t ts, uint64_t flags,
                    const struct wire_field *payload)
{
	struct wire w = wire_on(payload->p, payload->n);
	struct wire_field f, field[8] = {0};
	bool waking = kind == 20;

	while (wire_next(&w, &f))
		if (f.num < 8)
			field[f.num] = f;
	add_varint(&a->of[waking ? 7 : 1], ts - a->last[waking]);
	a->last[waking] = ts;
	if (waking) {
		add_varint(&a->of[8], field[2].value);
		add_varint(&a->of[9], field[5].value);
		add_varint(&a->of[10], field[3].value);
		add_varint(&a->of[11], name_index(a, &field[1]));
		add_varint(&a->of[12], flags);
	} else {
		add_varint(&a->of[2], field[4].value);
		add_varint(&a->of[3], field[6].value);
		add_varint(&a->of[4], field[7].value);
		add_varint(&a->of[6], name_index(a, &field[5]));
	}
}

static void bundle(bytes *out, const struct wire_field *in)
{
	struct wire w = wire_on(in->p, in->n);
	struct arrays a = {0};
	bytes message = {0};
	struct wire_field f;

	while (wire_next(&w, &f)) {
		struct wire event = wire_on(f.p, f.n);
		struct wire_field e, payload = {0};
		uint64_t ts = 0, flags = 0;

		while (f.num == 2 && wire_next(&event, &e)) {
			ts = e.num == 1 ? e.value : ts;
			flags = e.num == 5 ? e.value : flags;
			if (e.type == WIRE_BYTES)
				payload = e;
		}
		if (payload.num == 4 || payload.num == 20)
			compact(&a, payload.num, ts, flags, &payload);
		else if (f.type == WIRE_BYTES)
			add_bytes(out, f.num, f.p, f.n);
		else
			add_number(out, f.num, f.value);
	}
	for (uint32_t i = 1; i < 13; i++)
		if (a.of[i].n)
			add_bytes(&message, i, a.of[i].at, a.of[i].n);
	for (size_t i = 0; i < a.names.n; i++)
		add_bytes(&message, 5, a.names.at[i].p, a.names.at[i].n);
	if (message.n)
		add_bytes(out, 4, message.at, message.n);
	for (int i = 0; i < 13; i++)
		vec_free(&a.of[i]);
	vec_free(&a.names);
	vec_free(&message);
}

static void compact_packet(const struct wire_field *packet)
{
	struct wire w = wire_on(packet->p, packet->n);
	bytes out = {0}, inner = {0}, frame = {0};
	struct wire_field f;

	while (wire_next(&w, &f)) {
		if (f.num == 1 && f.type == WIRE_BYTES) {
			bundle(&inner, &f);
			add_bytes(&out, 1, inner.at, inner.n);
		} else if (f.type == WIRE_BYTES) {
			add_bytes(&out, f.num, f.p, f.n);
		} else {
			add_number(&out, f.num, f.value);
		}
	}
	add_bytes(&frame, 1, out.at, out.n);
	fwrite(frame.at, 1, frame.n, stdout);
	vec_free(&out);
	vec_free(&inner);
	vec_free(&frame);
}

int main(int argc, char **argv)
{
	FILE *in = argc == 3 ? fopen(argv[2], "rb") : NULL;
	const char *mode = argc == 3 ? argv[1] : "";
	bytes all = {0}, run = {0};
	uint8_t block[4096];
	struct wire w;
	struct wire_field f;
	size_t n;

	if (!in)
		return 2;
	while ((n = fread(block, 1, sizeof block, in)) > 0)
		add(&all, block, n);
	fclose(in);
	w = wire_on(all.at, all.n);
	while (wire_next(&w, &f)) {
		if (!strcmp(mode, "offsets"))
			printf("%zu\n", (size_t)(w.p - all.at));
		else if (!strcmp(mode, "compact"))
			compact_packet(&f);
		else
			add_bytes(&run, 1, f.p, f.n);
		if (run.n > 20000)
			flush(&run, !strcmp(mode, "zstd"));
	}
	flush(&run, !strcmp(mode, "zstd"));
	vec_free(&run);
	vec_free(&all);
	return 0;
}
