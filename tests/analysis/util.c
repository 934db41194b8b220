/* Rebuilt utilization against what the kernel itself had (testdata/truth/pelt-cpu0-periodic.tsv:
 * x86, kernel 6.18, read at its own updates): a free run, never set right by the recorded values.
 */
#include "test.h"

#include "analysis/util.h"
#include "base/series.h"
#include "source/source.h"
#include "tools/feed.h"

#include <math.h>
#include <stdlib.h>

struct sample {
	int64_t t;
	int pid, util;
};

static bool next_sample(FILE *f, struct sample *s)
{
	char line[200], signal[16];
	long long t;
	int cpu;

	while (fgets(line, sizeof line, f))
		if (sscanf(line, "%lld\t%d\t%15s\t%d\t%d", &t, &cpu, signal, &s->pid, &s->util) ==
		    5) {
			s->t = t;
			return true;
		}
	return false;
}

/* The living task of that pid. */
static const struct task *task_of(struct session *s, int pid)
{
	const struct context *c = (const struct context *)s;

	for (uint32_t i = replay_n_tasks(c->replay); i--;)
		if (replay_task(c->replay, i)->pid == pid)
			return replay_task(c->replay, i);
	return NULL;
}

struct error {
	struct series size; /* of the error, in 1/1000 */
	double sum;
	unsigned n, unsure;
};

static void compare(struct session *session, const struct sample *x, struct error *e)
{
	const struct task *t = task_of(session, x->pid);
	double util, unsure;

	if (!t || !util_at(session, t, 0, x->t, &util, &unsure) || unsure > 8) {
		e->unsure++;
		return;
	}
	e->n++;
	e->sum += util - x->util;
	series_add(&e->size, (int64_t)(1000 * (util > x->util ? util - x->util : x->util - util)));
}

static void free_run(unsigned half_life, struct error *e)
{
	FILE *f = fopen("testdata/truth/pelt-cpu0-periodic.tsv", "r");
	struct source_opts none = {0};
	struct session_opts so = {.half_lives = {half_life}, .n_half_lives = 1};
	struct err err = {0};
	struct source *s = source_open("testdata/truth/pelt-cpu0-periodic.dat", &none, &err);
	struct session *session;
	const struct event *ev;
	struct sample x;
	bool more;

	if (!f || !s)
		fail_msg("no test data: %s", err.msg);
	so.trace = source_info(s);
	session = session_new(&so);
	more = next_sample(f, &x);
	while ((ev = source_next(s))) {
		for (; more && x.t < ev->ts; more = next_sample(f, &x))
			if (x.pid == 25435 || x.pid == 25436)
				compare(session, &x, e);
		session_event(session, ev);
	}
	session_free(session);
	source_close(s);
	fclose(f);
}

static void as_the_kernel_had_it(void **state)
{
	struct error right = {.n = 0}, wrong = {.n = 0};

	(void)state;
	free_run(32, &right);
	free_run(16, &wrong);
	print_message("n %u unsure %u bias %.3f mean %.3f p50 %.3f p95 %.3f p99 %.3f max %.3f\n",
	              right.n, right.unsure, right.sum / right.n, right.size.sum / right.n / 1e3,
	              series_quantile(&right.size, .5) / 1e3,
	              series_quantile(&right.size, .95) / 1e3,
	              series_quantile(&right.size, .99) / 1e3, (double)right.size.max / 1e3);
	assert_true(right.n > 1900 && right.unsure < 150);
	assert_true(fabs(right.sum / right.n) < 0.5);
	assert_true(right.size.sum / right.n < 1000); /* on average less than one unit */
	assert_true(series_quantile(&right.size, .95) < 2000);
	assert_true(series_quantile(&right.size, .99) < 3000);
	assert_true(right.size.max < 8000);
	assert_true(wrong.size.sum / wrong.n > 50000); /* another half-life is told apart */
	series_free(&right.size);
	series_free(&wrong.size);
}

/* The mean util at sleep under a half-life, of the one task there is. */
static double mean_of(const struct feed *f, unsigned half_life)
{
	char key[64];
	const char *at;

	snprintf(key, sizeof key, "\"half_life\": %u, \"n\": 1, \"mean\": ", half_life);
	at = strstr(strstr(f->json, "util_at_sleep"), key);
	if (!at)
		fail_msg("no %s in %s", key, f->json);
	return strtod(at + strlen(key), NULL);
}

/* 100 ms of running after a long sleep come to 1024 * (1 - 2^(-100 / (half-life * 1.048576))). */
static void one_long_run(void **state)
{
	static const int64_t ms = 1000000;
	const struct event ev[] = {
	        ev_switch(0, 0, 0, TS_RUNNABLE, 7),
	        ev_switch(1 * ms, 0, 7, TS_INTERRUPTIBLE, 0),
	        ev_wake(EV_sched_waking, 400 * ms, 0, 0, 7, 0),
	        ev_switch(400 * ms, 0, 0, TS_RUNNABLE, 7),
	        ev_switch(500 * ms, 0, 7, TS_INTERRUPTIBLE, 0),
	        ev_other(501 * ms, 0, 0),
	};
	struct session_opts o = {.half_lives = {32, 8}, .n_half_lives = 2};
	struct feed f;

	(void)state;
	feed(&f, ev, sizeof ev / sizeof *ev, 1, &o);
	assert_true(f.ok);
	assert_true(fabs(mean_of(&f, 32) - 894.2) < 1.5);
	assert_true(fabs(mean_of(&f, 8) - 1023.7) < 1.5);
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_kernel_had_it),
	                                   cmocka_unit_test(one_long_run)};

	return run(tests);
}
