/* Pages from plain extents and from chunks, joined across borders. */
#include "test.h"

#include "base/cursor.h"
#include "source/pages.h"

#include <zlib.h>

enum { PAGE = 512 };

static void plain_extents(void **state)
{
	uint8_t bytes[5 * PAGE];
	struct input *in;
	struct pages p;
	const uint8_t *page;
	size_t n, count = 0;

	(void)state;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i / PAGE);
	in = input_open_mem(bytes, sizeof bytes - 100, "x");
	pages_init_plain(&p, in, PAGE, UINT64_MAX, PAGE, 2 * PAGE); /* clamped to the input */
	while (pages_next(&p, &page, &n) == PAGES_PAGE) {
		count++;
		assert_int_equal(page[0], count);
		assert_int_equal(n, count == 4 ? PAGE - 100 : PAGE);
	}
	assert_int_equal(count, 4);
	pages_free(&p);
	pages_init_plain(&p, in, 1 << 20, PAGE, PAGE, PAGE); /* beyond the end */
	assert_int_equal(pages_next(&p, &page, &n), PAGES_END);
	pages_free(&p);
	input_close(in);
}

/* A chunk of n plain bytes of value v at out; its length. */
static size_t chunk(uint8_t *out, size_t n, uint8_t v)
{
	uint8_t plain[4 * PAGE];
	uLongf z = 4096;
	uint32_t head[2];

	memset(plain, v, n);
	compress(out + 8, &z, plain, n);
	head[0] = (uint32_t)z;
	head[1] = (uint32_t)n;
	memcpy(out, head, 8);
	return 8 + z;
}

static size_t chunk_list(uint8_t *out, const size_t *sizes, uint32_t n)
{
	size_t len = 4;

	memcpy(out, &n, 4);
	for (uint32_t i = 0; i < n; i++)
		len += chunk(out + len, sizes[i], (uint8_t)(i + 1));
	return len;
}

static void join(struct ahead *ahead)
{
	static const size_t sizes[] = {PAGE, PAGE / 2, PAGE + PAGE / 2, 2 * PAGE, 100};
	uint8_t bytes[8192];
	size_t len = chunk_list(bytes, sizes, 5), n, total = 0, pages = 0;
	struct input *in = input_open_mem(bytes, len, "x");
	struct pages p;
	const uint8_t *page;

	pages_init_chunks(&p, in, 0, len, PAGE, &inflate_zlib, false, 4096);
	if (ahead)
		pages_fetch_ahead(&p, ahead);
	while (pages_next(&p, &page, &n) == PAGES_PAGE) {
		pages++;
		total += n;
		if (pages == 2)
			assert_true(page[0] == 2 && page[PAGE - 1] == 3);
	}
	assert_int_equal(pages, 6);
	assert_int_equal(total, 5 * PAGE + 100);
	assert_int_equal(pages_next(&p, &page, &n), PAGES_END);
	pages_free(&p);
	input_close(in);
}

static void joined_chunks(void **state)
{
	struct ahead *ahead = ahead_new();

	(void)state;
	join(NULL);
	join(ahead);
	ahead_free(ahead);
}

static void bad_chunk_is_left_out(void **state)
{
	static const size_t sizes[] = {PAGE + 10, 2 * PAGE, 2 * PAGE - 10, PAGE};
	uint8_t bytes[8192];
	size_t len = chunk_list(bytes, sizes, 4), n, second = 4 + 8 + load32(bytes + 4, false);
	struct input *in = input_open_mem(bytes, len, "x");
	struct pages p;
	const uint8_t *page;

	(void)state;
	memset(bytes + second + 8, 0xff, 4);
	pages_init_chunks(&p, in, 0, len, PAGE, &inflate_zlib, false, 4096);
	assert_int_equal(pages_next(&p, &page, &n), PAGES_PAGE);
	assert_int_equal(page[0], 1);
	assert_int_equal(pages_next(&p, &page, &n), PAGES_BAD);
	assert_int_equal(p.bad_off, second);
	/* the stream goes on at the next page border: 3 * PAGE + 10 was lost up to 4 * PAGE */
	assert_int_equal(pages_next(&p, &page, &n), PAGES_PAGE);
	assert_int_equal(page[0], 3);
	assert_int_equal(pages_next(&p, &page, &n), PAGES_PAGE);
	assert_int_equal(page[0], 4);
	assert_int_equal(pages_next(&p, &page, &n), PAGES_END);
	pages_free(&p);
	input_close(in);
}

/* Claims that the input cannot hold are refused before anything is allocated. */
static void lies(void **state)
{
	static const struct {
		uint32_t count, zsize, plain;
	} cases[] = {{0xffffffff, 20, 100},
	             {1, 0x7fffffff, 100},
	             {1, 4, 0xfffff000},
	             {1, 4, 0},
	             {2, 4, 16}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint8_t bytes[16] = {0};
		struct input *in = input_open_mem(bytes, sizeof bytes, "x");
		struct pages p;
		const uint8_t *page;
		size_t n;
		int bad = 0;

		memcpy(bytes, &cases[i], 12);
		pages_init_chunks(&p, in, 0, sizeof bytes, PAGE, &inflate_zlib, false, 4096);
		for (int k = 0; k < 10; k++)
			bad += pages_next(&p, &page, &n) == PAGES_BAD;
		assert_in_range(bad, 1, 2);
		assert_true(p.block[0].cap + p.block[1].cap <= 8192);
		pages_free(&p);
		input_close(in);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(plain_extents),
	        cmocka_unit_test(joined_chunks),
	        cmocka_unit_test(bad_chunk_is_left_out),
	        cmocka_unit_test(lies),
	};

	return run(tests);
}
