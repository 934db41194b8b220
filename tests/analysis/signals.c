/* The half-life of the kernel from its own values: decays made by hand, util = 800 * 2^(-t / H). */
#include "test.h"

#include "source/source.h"
#include "tools/feed.h"

#include <math.h>

enum { SLEEPS = 12, MS = 1000000 };

/* Task 7 runs 5 ms and sleeps 40 ms, again and again; a value when it goes to sleep and one at its
 * wake-up. `clock`: the PELT clock goes that much faster than the trace (0: not recorded). */
static void sleeps(struct feed *f, unsigned n, const double *half_life_ms, unsigned n_lives,
                   int64_t clock, int64_t ran_on)
{
	struct event ev[6 * SLEEPS + 1];
	size_t k = 0;

	for (unsigned i = 0; i < n; i++) {
		int64_t t = (int64_t)(i * 45 + 5) * MS, wake = t + 40 * MS;
		int64_t util = lround(800 * exp2(-40.0 / half_life_ms[i % n_lives]));

		ev[k++] = ev_switch(t - 5 * MS, 0, 0, TS_RUNNABLE, 7);
		ev[k++] = ev_pelt(t - ran_on - 1000, 0, 7, 7, 800, clock * (t - 1000));
		ev[k++] = ev_switch(t, 0, 7, TS_INTERRUPTIBLE, 0);
		ev[k++] = ev_wake(EV_sched_waking, wake - 2000, 0, 0, 7, 0);
		ev[k++] = ev_pelt(wake - 1000, 0, 0, 7, util, clock * (wake - 1000));
		ev[k++] = ev_wake(EV_sched_wakeup, wake - 500, 0, 0, 7, 0);
	}
	ev[k++] = ev_other((int64_t)(n * 45 + 1) * MS, 0, 0);
	feed(f, ev, k, 1, NULL);
	assert_true(f->ok);
}

static void wants(unsigned n, double half_life_ms, int64_t clock, int64_t ran_on, const char *json)
{
	struct feed f;

	sleeps(&f, n, &half_life_ms, 1, clock, ran_on);
	if (!feed_has(&f, json))
		fail_msg("no %s in %s", json, strstr(f.json, "\"pelt\""));
	feed_free(&f);
}

static void half_lives(void **state)
{
	(void)state;
	wants(SLEEPS, 32 * 1.048576, 0, 0, "\"decays\":12,\"half_life\":32,");
	wants(SLEEPS, 16 * 1.048576, 0, 0, "\"decays\":12,\"half_life\":16,");
	wants(SLEEPS, 8 * 1.048576, 0, 0, "\"decays\":12,\"half_life\":8,");
	wants(SLEEPS, 24 * 1.048576, 0, 0, "\"decays\":12,\"half_life\":null,");
}

/* A sleep of 40 ms that counts 80 ms on the PELT clock says twice the half-life. */
static void on_the_pelt_clock(void **state)
{
	(void)state;
	wants(SLEEPS, 8 * 1.048576, 2, 0, "\"decays\":12,\"half_life\":16,");
}

static void not_from_running(void **state)
{
	(void)state;
	wants(SLEEPS, 32 * 1.048576, 0, 1 * MS, "\"decays\":0,\"half_life\":null,");
}

static void too_few(void **state)
{
	(void)state;
	wants(9, 32 * 1.048576, 0, 0, "\"decays\":9,\"half_life\":null,");
	wants(10, 32 * 1.048576, 0, 0, "\"decays\":10,\"half_life\":32,");
}

static void scattered(void **state)
{
	static const double two[] = {32 * 1.048576, 16 * 1.048576};
	struct feed f;

	(void)state;
	sleeps(&f, SLEEPS, two, 2, 0, 0);
	assert_true(feed_has(&f, "\"decays\":12,\"half_life\":null,"));
	assert_non_null(strstr(f.json, "scatter"));
	assert_non_null(strstr(f.text, "SIGNALS"));
	assert_non_null(strstr(f.text, "unverified"));
	feed_free(&f);
}

/* What no kernel has is not a value; stamps that cannot be are no time between two. */
static void nonsense(void **state)
{
	static const int64_t ends[] = {INT64_MAX, INT64_MIN + 1};
	struct event ev[5 * SLEEPS + 2];
	struct session_opts o = {.half_lives = {32}, .n_half_lives = 1};
	size_t k = 0;
	struct feed f;

	(void)state;
	ev[k++] = ev_switch(0, 0, 0, TS_RUNNABLE, 7);
	for (unsigned i = 0; i < SLEEPS; i++) {
		ev[k++] = ev_pelt(i * 9 * MS + 1, 0, 7, i % 2 ? 7 : 0, ends[i % 2], 0);
		ev[k++] = ev_switch(i * 9 * MS + 2, 0, 7, TS_INTERRUPTIBLE, 0);
		ev[k++] = ev_pelt(i * 9 * MS + 3, 0, 0, 7, 800, ends[i % 2]);
		ev[k++] = ev_pelt(i * 9 * MS + 4, 0, 0, 7, 400, ends[(i + 1) % 2]);
		ev[k++] = ev_switch(i * 9 * MS + 5, 0, 0, TS_RUNNABLE, 7);
	}
	ev[k++] = ev_other(SLEEPS * 9 * MS, 0, 7);
	feed(&f, ev, k, 1, &o);
	assert_true(f.ok);
	assert_true(feed_has(&f, "\"decays\":0,\"half_life\":null,"));
	feed_free(&f);
}

/* JSON of a session that heard the trace and the values of testdata/truth beside it, as if they
 * stood in it. The caller frees. */
static char *json_of_truth(void)
{
	FILE *f = fopen("testdata/truth/pelt-cpu0-periodic.tsv", "r"), *out;
	struct source_opts none = {0};
	struct session_opts so = {.top = 1};
	struct err err = {0};
	struct source *s = source_open("testdata/truth/pelt-cpu0-periodic.dat", &none, &err);
	const struct event_type *types;
	const struct event *ev;
	struct session *session;
	char line[200] = "", *text = NULL;
	long long t = 0, util, update;
	int cpu, pid;
	size_t n;
	unsigned n_types;
	struct json j;

	if (!f || !s)
		fail_msg("no test data: %s", err.msg);
	so.trace = source_info(s);
	session = session_new(&so);
	while ((ev = source_next(s))) {
		for (; t < ev->ts; t = fgets(line, sizeof line, f) ? 0 : INT64_MAX) {
			struct event x;

			if (sscanf(line, "%lld\t%d\tse\t%d\t%lld\t%lld", &t, &cpu, &pid, &util,
			           &update) != 5)
				continue;
			if (t >= ev->ts)
				break;
			x = ev_pelt(t, 0, 0, pid, util, update);
			x.cpu = EVENT_NO_CPU; /* who wrote it is not known */
			session_event(session, &x);
		}
		session_event(session, ev);
	}
	types = source_types(s, &n_types);
	assert_true(session_finish(session, source_quality(s), types, n_types, &err));
	out = open_memstream(&text, &n);
	assert_non_null(out);
	json_init(&j, out);
	session_json(session, &j);
	fclose(out);
	session_free(session);
	source_close(s);
	fclose(f);
	return text;
}

/* The kernel's own arithmetic, x86 6.18: the reference engine gets 544 pairs with no switch
 * between. */
static void one_step_of_the_kernel(void **state)
{
	char *text = json_of_truth();
	const char *at = strstr(text, "\"half_life\": 32, \"n\": ");
	long long n = 0, inside = 0, max = 99;

	(void)state;
	assert_non_null(at);
	assert_int_equal(
	        sscanf(at, "\"half_life\": 32, \"n\": %lld, \"inside\": %lld, \"max_abs\": %lld",
	               &n, &inside, &max),
	        3);
	print_message("%lld pairs, %lld inside, largest error %lld\n", n, inside, max);
	assert_true(n >= 500);
	assert_int_equal(inside, n);
	assert_true(max <= 1);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(half_lives),
	        cmocka_unit_test(on_the_pelt_clock),
	        cmocka_unit_test(not_from_running),
	        cmocka_unit_test(too_few),
	        cmocka_unit_test(scattered),
	        cmocka_unit_test(nonsense),
	        cmocka_unit_test(one_step_of_the_kernel),
	};

	return run(tests);
}
