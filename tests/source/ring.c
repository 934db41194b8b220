/* Ring-buffer pages: heads, entries, damage; and the same walk by libtraceevent's kbuffer. */
#include "test.h"

#include "source/ring.h"

#include <kbuffer.h>

static const struct ring_layout le64 = {false, 8, 8, 16, 4080};

struct page {
	uint8_t b[4096 + 8];
	size_t used;
};

static void put32(struct page *p, uint32_t v)
{
	memcpy(p->b + 16 + p->used, &v, 4);
	p->used += 4;
}

static void entry(struct page *p, uint32_t type, uint32_t delta)
{
	put32(p, type | delta << 5);
}

static void close_page(struct page *p, uint64_t ts, uint64_t flags)
{
	uint64_t commit = p->used | flags;

	memcpy(p->b, &ts, 8);
	memcpy(p->b + 8, &commit, 8);
}

static void entries(void **state)
{
	struct page p = {.used = 0};
	struct ring r;
	int64_t lost;

	(void)state;
	entry(&p, 2, 5); /* 8 bytes */
	put32(&p, 0x11);
	put32(&p, 0x22);
	entry(&p, RING_PADDING, 3); /* discarded: 8 bytes of length, itself included */
	put32(&p, 8);
	put32(&p, 0);
	entry(&p, RING_TIME_EXTEND, 7);
	put32(&p, 2);    /* + 2 << 27 */
	entry(&p, 0, 0); /* long form of 5 bytes: rounded up */
	put32(&p, 9);
	put32(&p, 0x33);
	put32(&p, 0x44);
	entry(&p, RING_PADDING, 0); /* the end, without a second word */
	close_page(&p, 1000, 0);
	assert_true(ring_page(&r, &le64, p.b, 4096, &lost));
	assert_int_equal(lost, RING_LOST_NONE);
	assert_int_equal(ring_next(&r), RING_EVENT);
	assert_int_equal(r.ts, 1005);
	assert_int_equal(r.len, 8);
	assert_int_equal(ring_next(&r), RING_EVENT);
	assert_int_equal(r.ts, 1008 + 7 + (2ull << 27));
	assert_int_equal(r.len, 8);
	assert_int_equal(load32(r.payload, false), 0x33);
	assert_int_equal(ring_next(&r), RING_END);
}

static void absolute_stamps(void **state)
{
	(void)state;
	assert_int_equal(ring_absolute(100, 5), 5);
	/* the upper five bits are those of the running stamp, and carry */
	assert_true(ring_absolute((3ull << 59) + 500, 600) == (3ull << 59) + 600);
	assert_true(ring_absolute((3ull << 59) + (1ull << 59) - 500, 500) == (4ull << 59) + 500);
}

static void losses(void **state)
{
	struct page p = {.used = 0};
	struct ring r;
	int64_t lost;
	uint64_t n = 8589934591;

	(void)state;
	entry(&p, 1, 0);
	put32(&p, 0);
	memcpy(p.b + 16 + p.used, &n, 8);
	close_page(&p, 1, 3ull << 30);
	assert_true(ring_page(&r, &le64, p.b, 4096, &lost));
	assert_int_equal(lost, 8589934591);
	close_page(&p, 1, 1ull << 31);
	assert_true(ring_page(&r, &le64, p.b, 4096, &lost));
	assert_int_equal(lost, RING_LOST_UNKNOWN);
	/* the count is said to be stored, and there is no room for it */
	assert_true(ring_page(&r, &le64, p.b, 16 + p.used, &lost));
	close_page(&p, 1, 3ull << 30);
	assert_true(ring_page(&r, &le64, p.b, 16 + p.used, &lost));
	assert_int_equal(lost, RING_LOST_UNKNOWN);
}

/* Each of these must end the walk: none may run on or past the used bytes. */
static void damage(void **state)
{
	static const uint32_t words[][2] = {
	        {0, 0},
	        {0, 3},
	        {0, 0xfffffffc},
	        {0, 4000},
	        {28, 0},
	        {RING_PADDING | 1 << 5, 0xfffffff8},
	        {RING_PADDING | 1 << 5, 2},
	};
	struct ring r;
	int64_t lost;

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct page p = {.used = 0};

		put32(&p, words[i][0]);
		put32(&p, words[i][1]);
		close_page(&p, 1, 0);
		assert_true(ring_page(&r, &le64, p.b, 4096, &lost));
		assert_int_equal(ring_next(&r), RING_BAD);
	}
	for (uint32_t type = 29; type < 32; type++) { /* the second word is missing */
		struct page p = {.used = 0};

		entry(&p, type, 1);
		close_page(&p, 1, 0);
		ring_page(&r, &le64, p.b, 4096, &lost);
		assert_int_equal(ring_next(&r), RING_BAD);
	}
	struct page p = {.used = 5000};

	close_page(&p, 1, 0);
	assert_false(ring_page(&r, &le64, p.b, 4096, &lost));
	assert_int_equal(ring_next(&r), RING_END);
	assert_false(ring_page(&r, &le64, p.b, 10, &lost));
}

static void same_as_kbuffer(void **state)
{
	struct kbuffer *k = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	struct page p = {.used = 0};
	struct ring r;
	int64_t lost;
	unsigned long long ts;

	(void)state;
	srand(7);
	while (p.used < 3900) {
		uint32_t words = 1 + (uint32_t)rand() % 28;

		if (rand() % 5 == 0) {
			entry(&p, RING_TIME_EXTEND, (uint32_t)rand() % 1000);
			put32(&p, (uint32_t)rand() % 3);
			continue;
		}
		entry(&p, words, (uint32_t)rand() % 100000);
		for (uint32_t i = 0; i < words; i++)
			put32(&p, (uint32_t)rand());
	}
	close_page(&p, 123456789, 0);
	kbuffer_load_subbuffer(k, p.b);
	ring_page(&r, &le64, p.b, 4096, &lost);
	for (void *data; (data = kbuffer_read_event(k, &ts)); kbuffer_next_event(k, NULL)) {
		assert_int_equal(ring_next(&r), RING_EVENT);
		assert_int_equal(r.ts, ts);
		assert_ptr_equal(r.payload, data);
		assert_int_equal(r.len, kbuffer_event_size(k));
	}
	assert_int_equal(ring_next(&r), RING_END);
	kbuffer_free(k);
}

static void layouts(void **state)
{
	static const char le32[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	                           "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
	                           "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	                           "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n";
	struct ring_layout l;

	(void)state;
	assert_true(ring_layout_parse(le32, strlen(le32), true, 8, 4096, &l));
	assert_int_equal(l.commit_size, 4);
	assert_int_equal(l.data_off, 12);
	assert_int_equal(l.data_size, 4084);
	assert_true(ring_layout_parse("", 0, false, 8, 4096, &l));
	assert_int_equal(l.data_off, 16);
	assert_false(ring_layout_parse("", 0, false, 5, 4096, &l));
	assert_false(ring_layout_parse("field: char data;", 17, false, 8, 4096, &l));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(entries),         cmocka_unit_test(absolute_stamps),
	        cmocka_unit_test(losses),          cmocka_unit_test(damage),
	        cmocka_unit_test(same_as_kbuffer), cmocka_unit_test(layouts),
	};

	return run(tests);
}
