/* What run files say, and contradictions. */
#include "test.h"

#include "tools/feed.h"

#include <math.h>

static const struct event ev[] = {{.ts = 0, .cpu = 0, .pid = 1}, {.ts = 9, .cpu = 0, .pid = 1}};

static struct run nothing(void)
{
	struct run r = {.path = "x/run.yaml"};

#define TEXT(field, key, also) r.field = NULL;
#define REAL(field, key, also, min, max) r.field = NAN;
	RUN_FIELDS(TEXT, REAL)
#undef TEXT
#undef REAL
	return r;
}

static void what_is_told(void **state)
{
	struct run r = nothing();
	struct feed f;

	(void)state;
	r.configuration = "walt";
	r.walt_window_ms = 20;
	r.signal = "walt";
	r.kernel = "6.1";
	feed(&f, ev, 2, 1, &(struct session_opts){.run = &r});
	assert_true(feed_has(&f, "\"run\":{\"path\":\"x/run.yaml\",\"configuration\":\"walt\","
	                         "\"kernel\":\"6.1\",\"signal\":\"walt\",\"walt_window_ms\":20,"
	                         "\"conflicts\":[]}"));
	assert_non_null(
	        strstr(f.text, "run      x/run.yaml: configuration walt, signal walt, WALT"));
	assert_non_null(strstr(f.text, "SIGNALS  WALT, window 20 ms by the run file, unverified"));
	feed_free(&f);
}

static void none(void **state)
{
	struct feed f;

	(void)state;
	feed(&f, ev, 2, 1, NULL);
	assert_true(feed_has(&f, "\"run\":null,\"run_reason\":\"norun.yamlbesidethetrace\""));
	assert_null(strstr(f.text, "\nrun "));
	feed_free(&f);
	feed(&f, ev, 2, 1, &(struct session_opts){.no_run = "run.yaml:1:1: bad"});
	assert_true(feed_has(&f, "\"run\":null,\"run_reason\":\"run.yaml:1:1:bad\""));
	assert_non_null(strstr(f.text, "run      not used: run.yaml:1:1: bad"));
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_is_told),
	        cmocka_unit_test(none),
	};

	return run(tests);
}
