/* Counts by type and CPU. */
#include "test.h"

#include "tools/feed.h"

static void counts(void **state)
{
	char *list = NULL;
	size_t n;
	FILE *out = open_memstream(&list, &n);

	(void)state;
	FEED(f, 2, ev_switch(5, 0, 0, 0, 7), ev_switch(8, 1, 0, 0, 9), ev_switch(9, 0, 7, 1, 0),
	     ev_lost_at(9, 0, 3, false), ev_idle(20, 0, 1));
	assert_true(
	        feed_has(&f, "\"events\":{\"cpu_idle\":1,\"sched_switch\":3}")); /* a gap is none */
	session_list_events(f.session, out);
	fclose(out);
	assert_string_equal(list, "buffer\tcpu\tevent\tcount\tfirst\tlast\n"
	                          "-\t0\tsched_switch\t2\t5\t9\n-\t0\tcpu_idle\t1\t20\t20\n"
	                          "-\t1\tsched_switch\t1\t8\t8\n");
	free(list);
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(counts),
	};

	return run(tests);
}
