/* What was lost. */
#include "test.h"

#include "tools/feed.h"

static void losses(void **state)
{
	(void)state;
	FEED(f, 1, ev_switch(0, 0, 0, 0, 7), ev_lost_at(50, 0, 5, false), ev_other(75, 0, 7),
	     ev_other(100, 0, 7));
	assert_true(feed_has(&f, "\"unknown_pct\":25"));
	check_near(session_unknown_pct(f.session), 25, 1e-9);
	assert_true(feed_has(&f, "\"overrun\":null,\"overrun_reason\":"));
	assert_non_null(strstr(f.text, "quality  sound file"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(losses),
	};

	return run(tests);
}
