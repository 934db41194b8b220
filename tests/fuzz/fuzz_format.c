/* Texts of a trace: an event format, the page header, a print fmt, a printk format with arguments.
 */
#include "fuzz/fuzz.h"

#include "source/trace_dat.h"

#include <stdlib.h>
#include <string.h>

/* Bind it to every kind, and load fields from a payload of all lengths. */
static void load_all(const struct format *f, const uint8_t *payload, size_t n)
{
	struct arena a = {0};

	for (int k = EV_lost + 1; k < EVENT_KINDS; k++) {
		struct event ev = {.kind = (uint16_t)k};
		struct load_plan p = format_bind(f, (enum event_kind)k, &a);

		for (int big = 0; big < 2; big++) {
			if (n >= p.min_len)
				format_load(&p, payload, big, &ev);
			else
				format_load_short(&p, payload, n, big, &ev);
			format_load_others(&p, payload, n, big, &ev);
		}
	}
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct dat d = {.ring = {.commit_size = 8}};
	struct ring_layout layout;
	struct state_bits bits;
	struct format f;
	char *text, out[256];
	uint8_t *payload;

	if (size < 4 || size > 65536)
		return 0;
	text = calloc(
	        1, size + 1); /* exactly as long as it is: the sanitizer sees every step too far */
	memcpy(text, data, size);
	payload = calloc(1, size + LOAD_SLACK);
	memcpy(payload, data, size);
	ring_layout_parse(text, size, data[0] & 1, 8, 4096, &layout);
	if (state_bits_parse(text, size, &bits)) {
		state_bits_tabulate(&bits);
		state_bits_normalise(&bits, data[1] | (int64_t)data[2] << 32);
	}
	format_head(text, size, &f);
	format_fields(text, size, &f);
	format_common(&f);
	load_all(&f, payload, size / 2);
	dat_bprint(text, payload + size / 2, size - size / 2, &d, out, sizeof out);
	free(payload);
	free(text);
	return 0;
}
