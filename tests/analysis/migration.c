/* Migrations: up and down in capacity. */
#include "test.h"

#include "tools/feed.h"

static const int32_t capacity[] = {283, 1024, 283};
static const struct platform platform = {.capacity = capacity, .n_cpus = 3};

static void up_and_down(void **state)
{
	const struct event ev[] = {ev_switch(0, 0, 7, 1, 0), ev_migrate(1, 0, 0, 7, 0, 1),
	                           ev_migrate(2, 0, 0, 7, 1, 2), ev_migrate(3, 0, 0, 7, 2, 0),
	                           ev_migrate(4, 0, 0, 7, 0, 5)};
	struct feed f;

	(void)state;
	feed(&f, ev, 5, 3, &(struct session_opts){.platform = &platform});
	assert_true(feed_has(
	        &f, "\"migrations\":{\"explicit\":4,\"implicit\":0,\"wakeup\":4,\"queued\":0,"
	            "\"running\":0,\"fork\":0,\"unknown\":0,\"up\":1,\"down\":1}"));
	feed_free(&f);
}

static void without_capacities(void **state)
{
	(void)state;
	FEED(f, 2, ev_migrate(1, 0, 0, 7, 0, 1));
	assert_true(
	        feed_has(&f, "\"up\":null,\"up_reason\":\"capacitiesarenotknown;give--platform\""));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(up_and_down),
	        cmocka_unit_test(without_capacities),
	};

	return run(tests);
}
