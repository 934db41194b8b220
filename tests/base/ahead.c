/* Jobs run in order, each once, and are done when waited for. */
#include "test.h"

#include "base/ahead.h"

#include <stdlib.h>

struct work {
	struct ahead_job job;
	int *counter;
	int turn;
};

static void take_turn(void *arg)
{
	struct work *w = arg;

	w->turn = ++*w->counter;
}

static void in_order(void **state)
{
	enum { N = 1000 };
	struct ahead *a = ahead_new();
	struct work *w = calloc(N, sizeof *w);
	int counter = 0;

	(void)state;
	assert_non_null(a);
	assert_non_null(w);
	for (int i = 0; i < N; i++) {
		w[i] = (struct work){{.run = take_turn, .arg = &w[i]}, &counter, 0};
		ahead_start(a, &w[i].job);
	}
	for (int i = N - 1; i >= 0; i--) { /* the last first: the others are done then */
		ahead_wait(a, &w[i].job);
		assert_int_equal(w[i].turn, i + 1);
	}
	w[0].counter = &counter;
	ahead_start(a, &w[0].job); /* again, after the queue was empty */
	ahead_wait(a, &w[0].job);
	assert_int_equal(w[0].turn, N + 1);
	free(w);
	ahead_free(a);
	ahead_free(NULL);
}

struct numbers {
	int block[2], made;
};

static bool make(void *arg, unsigned block)
{
	struct numbers *n = arg;

	n->block[block] = ++n->made;
	return n->made < 5;
}

static void in_turn(struct ahead *a)
{
	struct numbers n = {{0, 0}, 0};
	struct turns t;

	turns_init(&t, make, &n);
	if (a)
		turns_ahead(&t, a);
	for (int i = 1; i <= 5; i++) {
		assert_true(turns_next(&t));
		assert_int_equal(n.block[t.current], i);
	}
	assert_false(turns_next(&t));
	turns_end(&t);
}

static void blocks_in_turn(void **state)
{
	struct ahead *a = ahead_new();

	(void)state;
	in_turn(NULL);
	in_turn(a);
	ahead_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(in_order),
	                                   cmocka_unit_test(blocks_in_turn)};

	return run(tests);
}
