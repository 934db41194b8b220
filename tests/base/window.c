#include "base/window.h"

#include "test.h"

enum { SIZE = 100, CAP = 16 };

static uint8_t bytes[SIZE];

static int setup(void **state)
{
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)(i * 7);
	*state = input_open_mem(bytes, SIZE, "mem");
	return 0;
}

static int teardown(void **state)
{
	input_close(*state);
	return 0;
}

static void gives_what_the_input_has(void **state)
{
	static const struct {
		uint64_t off;
		size_t n;
		bool there;
	} cases[] = {
	        {0, 1, true},           {0, CAP, true},       {0, CAP + 1, true},
	        {15, 2, true},          {16, 16, true},       {99, 1, true},
	        {84, 16, true},         {85, 16, false},      {99, 2, false},
	        {100, 1, false},        {101, 1, false},      {101, 0, false},
	        {0, SIZE, true},        {0, SIZE + 1, false}, {1, SIZE, false},
	        {UINT64_MAX, 1, false}, {1, SIZE_MAX, false}, {UINT64_MAX, SIZE_MAX, false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct window w;
		const uint8_t *p;

		window_init(&w, *state, CAP);
		p = window_get(&w, cases[i].off, cases[i].n);
		if (!!p != cases[i].there)
			fail_msg("case %zu", i);
		if (p)
			assert_memory_equal(p, bytes + cases[i].off, cases[i].n);
		window_free(&w);
	}
}

static void slides_in_both_directions(void **state)
{
	struct window w;

	window_init(&w, *state, CAP);
	for (size_t off = 0; off + 5 <= SIZE; off += 3)
		assert_memory_equal(window_get(&w, off, 5), bytes + off, 5);
	for (size_t off = SIZE - 5; off >= 3; off -= 3)
		assert_memory_equal(window_get(&w, off, 5), bytes + off, 5);
	window_free(&w);
}

static void still_good_after_a_refusal(void **state)
{
	struct window w;

	window_init(&w, *state, CAP);
	assert_memory_equal(window_get(&w, 90, 10), bytes + 90, 10);
	assert_null(window_get(&w, 90, 11));
	assert_null(window_get(&w, 200, 1));
	assert_memory_equal(window_get(&w, 90, 10), bytes + 90, 10);
	assert_memory_equal(window_get(&w, 3, 4), bytes + 3, 4);
	window_free(&w);
}

static void grows_for_a_large_request(void **state)
{
	struct window w;

	window_init(&w, *state, 1);
	assert_memory_equal(window_get(&w, 0, 1), bytes, 1);
	assert_memory_equal(window_get(&w, 10, 80), bytes + 10, 80);
	assert_memory_equal(window_get(&w, 89, 1), bytes + 89, 1);
	window_free(&w);
	assert_memory_equal(window_get(&w, 50, 2), bytes + 50, 2); /* free empties it */
	window_free(&w);
}

static void slack_may_be_read(void **state)
{
	struct window w;
	const volatile uint8_t *p;
	unsigned sum = 0;

	window_init(&w, *state, 10);
	p = window_get(&w, SIZE - 10, 10);
	assert_non_null(p);
	for (size_t i = 0; i < WINDOW_SLACK; i++)
		sum += p[10 + i]; /* the address sanitizer watches */
	(void)sum;
	window_free(&w);
}

static void empty_input_has_nothing(void **state)
{
	struct input *in = input_open_mem("", 0, "empty");
	struct window w;

	(void)state;
	window_init(&w, in, CAP);
	assert_null(window_get(&w, 0, 1));
	assert_null(window_get(&w, 1, 0));
	window_free(&w);
	input_close(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(gives_what_the_input_has, setup, teardown),
	        cmocka_unit_test_setup_teardown(slides_in_both_directions, setup, teardown),
	        cmocka_unit_test_setup_teardown(still_good_after_a_refusal, setup, teardown),
	        cmocka_unit_test_setup_teardown(grows_for_a_large_request, setup, teardown),
	        cmocka_unit_test_setup_teardown(slack_may_be_read, setup, teardown),
	        cmocka_unit_test(empty_input_has_nothing),
	};

	return run(tests);
}
