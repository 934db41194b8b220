#include "base/inflate.h"

#include "test.h"

#include <zlib.h>
#include <zstd.h>

enum { PLAIN = 5000, PACKED = 8000 };

static unsigned char plain[PLAIN], packed[PACKED], out[2 * PLAIN + 1];

static size_t pack_zstd(void)
{
	size_t n = ZSTD_compress(packed, sizeof packed, plain, PLAIN, 3);

	assert_false(ZSTD_isError(n));
	return n;
}

static size_t pack_zlib(void)
{
	uLongf n = sizeof packed;

	assert_int_equal(compress(packed, &n, plain, PLAIN), Z_OK);
	return n;
}

static const struct {
	const char *name;
	size_t (*pack)(void);
} codecs[] = {{"zstd", pack_zstd}, {"zlib", pack_zlib}};

/* Run a test for each codec, with `plain` packed into `packed`. */
static void each_codec(void (*test)(const struct inflate_codec *c, struct inflater *z, size_t n))
{
	for (unsigned i = 0; i < PLAIN; i++)
		plain[i] = (unsigned char)(i * i / 7 % 90);
	for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
		const struct inflate_codec *c = inflate_find(codecs[i].name);
		struct inflater *z;

		assert_non_null(c);
		z = c->open();
		test(c, z, codecs[i].pack());
		c->close(z);
	}
}

static void find(void **state)
{
	static const char *const none[] = {"", "none", "ZSTD", "zst", "zstd ", "lzma"};

	(void)state;
	assert_ptr_equal(inflate_find("zstd"), &inflate_zstd);
	assert_ptr_equal(inflate_find("zlib"), &inflate_zlib);
	assert_string_equal(inflate_zstd.name, "zstd");
	assert_string_equal(inflate_zlib.name, "zlib");
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_null(inflate_find(none[i]));
}

static void right_room(const struct inflate_codec *c, struct inflater *z, size_t n)
{
	for (int again = 0; again < 3; again++) {
		memset(out, 0xa5, sizeof out);
		assert_true(c->chunk(z, packed, n, out, PLAIN));
		assert_memory_equal(out, plain, PLAIN);
		assert_int_equal(out[PLAIN], 0xa5);
	}
}

static void wrong_room(const struct inflate_codec *c, struct inflater *z, size_t n)
{
	assert_false(c->chunk(z, packed, n, out, PLAIN - 1));
	assert_false(c->chunk(z, packed, n, out, PLAIN + 1));
	assert_false(c->chunk(z, packed, n, out, 1));
	assert_true(c->chunk(z, packed, n, out, PLAIN)); /* a failure leaves no trace */
}

static void short_input(const struct inflate_codec *c, struct inflater *z, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (c->chunk(z, packed, k, out, PLAIN))
			fail_msg("%s: %zu of %zu bytes are taken for a frame", c->name, k, n);
	assert_true(c->chunk(z, packed, n, out, PLAIN));
}

static void damaged_input(const struct inflate_codec *c, struct inflater *z, size_t n)
{
	packed[0] ^= 0xff;
	assert_false(c->chunk(z, packed, n, out, PLAIN));
	packed[0] ^= 0xff;
	assert_true(c->chunk(z, packed, n, out, PLAIN));
	if (c == &inflate_zlib) { /* frames of the other have no checksum here */
		packed[n - 1] ^= 1;
		assert_false(c->chunk(z, packed, n, out, PLAIN));
	}
	memset(packed, 'x', n);
	assert_false(c->chunk(z, packed, n, out, PLAIN));
}

/* Stream packed[0..n) in pieces of `piece` bytes to outputs of `room`; frames seen, -1: damaged. */
static int stream(const struct inflate_codec *c, struct inflater *z, size_t n, size_t piece,
                  size_t room, size_t *total)
{
	int frames = 0;

	*total = 0;
	for (size_t at = 0; at < n; at += piece) {
		const void *p = packed + at;
		size_t left = piece < n - at ? piece : n - at;
		bool end;
		size_t made;

		do {
			size_t space = sizeof out - *total;

			if (!c->stream(z, &p, &left, out + *total, room < space ? room : space,
			               &made, &end))
				return -1;
			*total += made;
			frames += end;
		} while (left || (!end && made == room));
		assert_ptr_equal(p, packed + (at + piece < n ? at + piece : n));
	}
	return frames;
}

static void stream_pieces(const struct inflate_codec *c, struct inflater *z, size_t n)
{
	static const size_t sizes[] = {1, 7, 100, PACKED};
	size_t total;

	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 4; k++) {
			assert_int_equal(stream(c, z, n, sizes[i], sizes[k], &total), 1);
			assert_int_equal(total, PLAIN);
			assert_memory_equal(out, plain, PLAIN);
		}
}

static void stream_frames(const struct inflate_codec *c, struct inflater *z, size_t n)
{
	size_t total;

	assert_true(2 * n <= PACKED);
	memcpy(packed + n, packed, n);
	assert_int_equal(stream(c, z, 2 * n, 13, 64, &total), 2);
	assert_int_equal(total, 2 * PLAIN);
	assert_memory_equal(out, plain, PLAIN);
	assert_memory_equal(out + PLAIN, plain, PLAIN);
}

static void stream_unfinished(const struct inflate_codec *c, struct inflater *z, size_t n)
{
	size_t total;

	assert_int_equal(stream(c, z, n - 1, 50, 50, &total), 0);
	assert_true(total <= PLAIN);
	assert_memory_equal(out, plain, total);
}

static void stream_damaged(const struct inflate_codec *c, struct inflater *z, size_t n)
{
	size_t total;

	packed[0] ^= 0xff;
	assert_int_equal(stream(c, z, n, n, PLAIN, &total), -1);
}

static void gzip_header(void **state)
{
	z_stream s = {0};
	struct inflater *z = inflate_zlib.open();
	size_t n, total;

	(void)state;
	assert_int_equal(deflateInit2(&s, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	s.next_in = plain;
	s.avail_in = PLAIN;
	s.next_out = packed;
	s.avail_out = PACKED;
	assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
	n = s.total_out;
	deflateEnd(&s);
	assert_int_equal(stream(&inflate_zlib, z, n, 10, 100, &total), 1);
	assert_int_equal(total, PLAIN);
	assert_memory_equal(out, plain, PLAIN);
	inflate_zlib.close(z);
}

#define codec_test(name, test)                                                                     \
	static void name(void **state)                                                             \
	{                                                                                          \
		(void)state;                                                                       \
		each_codec(test);                                                                  \
	}
codec_test(chunk_of_the_right_size, right_room) codec_test(chunk_of_another_size, wrong_room)
        codec_test(chunk_that_is_cut, short_input) codec_test(chunk_that_is_damaged, damaged_input)
                codec_test(stream_in_pieces, stream_pieces)
                        codec_test(stream_of_two_frames, stream_frames)
                                codec_test(stream_that_is_cut, stream_unfinished)
                                        codec_test(stream_that_is_damaged, stream_damaged)

                                                int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(find),
	        cmocka_unit_test(chunk_of_the_right_size),
	        cmocka_unit_test(chunk_of_another_size),
	        cmocka_unit_test(chunk_that_is_cut),
	        cmocka_unit_test(chunk_that_is_damaged),
	        cmocka_unit_test(stream_in_pieces),
	        cmocka_unit_test(stream_of_two_frames),
	        cmocka_unit_test(stream_that_is_cut),
	        cmocka_unit_test(stream_that_is_damaged),
	        cmocka_unit_test(gzip_header),
	};

	return run(tests);
}
