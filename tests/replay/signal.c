/* Signals that the kernel recorded, as facts. */
#include "test.h"

#include "tools/feed.h"

static struct kernel_util told[16];
static unsigned n_told;

static void hear(void *self, const struct kernel_util *f)
{
	(void)self;
	told[n_told++] = *f;
}

static void tell_all(struct replay **r, const struct event *ev, size_t n)
{
	const struct replay_opts ro = {.n_cpus = 2};
	const struct fact_ops ops = {.kernel_util = hear};

	n_told = 0;
	*r = replay_new(&ro, &ops, NULL);
	for (size_t i = 0; i < n; i++)
		replay_event(*r, &ev[i]);
}

static struct event queue(int64_t ts, const char *path, int64_t util)
{
	struct event e = {.ts = ts, .cpu = 0, .pid = 0, .kind = EV_sched_pelt_cfs};

	e.has = 1u << EVB_sched_pelt_cfs_cpu | 1u << EVB_sched_pelt_cfs_util;
	if (path) {
		e.has |= 1u << EVB_sched_pelt_cfs_path;
		e.sched_pelt_cfs.path = (struct str){path, (uint32_t)strlen(path)};
	}
	e.sched_pelt_cfs.cpu = 1;
	e.sched_pelt_cfs.util = util;
	return e;
}

static struct event estimate(int64_t enqueued, int64_t ewma)
{
	struct event e = {.ts = 9, .cpu = 0, .pid = 0, .kind = EV_sched_util_est_se};

	e.has = 1u << EVB_sched_util_est_se_pid | 1u << EVB_sched_util_est_se_enqueued |
	        1u << EVB_sched_util_est_se_ewma;
	e.sched_util_est_se.pid = 7;
	e.sched_util_est_se.enqueued = enqueued;
	e.sched_util_est_se.ewma = ewma;
	return e;
}

static void of_tasks(void **state)
{
	const struct event ev[] = {ev_pelt(1, 0, 0, 7, 300, 4096), ev_pelt(2, 0, 0, 7, -1, 0),
	                           ev_pelt(3, 0, 0, 0, 5, 0), estimate(0x80000000 + 200, 150),
	                           estimate(100, 150)};
	struct replay *r;

	(void)state;
	tell_all(&r, ev, sizeof ev / sizeof *ev);
	assert_int_equal(n_told, 3); /* a negative one and one of pid 0 are none */
	assert_int_equal(told[0].signal, SIGNAL_UTIL);
	assert_int_equal(told[0].task->pid, 7);
	assert_int_equal(told[0].util, 300);
	assert_int_equal(told[0].update_time, 4096);
	assert_int_equal(told[1].signal, SIGNAL_EST);
	assert_int_equal(told[1].util, 200); /* without the flag */
	assert_int_equal(told[1].cpu, NO_CPU);
	assert_int_equal(told[2].util, 150);
	replay_free(r);
}

static void of_queues(void **state)
{
	const struct event ev[] = {queue(1, "/", 400), queue(2, NULL, 401),
	                           queue(3, "/top-app", 402), queue(4, "", 403)};
	struct replay *r;

	(void)state;
	tell_all(&r, ev, sizeof ev / sizeof *ev);
	assert_int_equal(n_told, 2); /* of the root's */
	assert_int_equal(told[0].signal, SIGNAL_UTIL);
	assert_null(told[0].task);
	assert_int_equal(told[0].cpu, 1);
	assert_int_equal(told[0].update_time, NO_TIME);
	assert_int_equal(told[1].util, 401);
	replay_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(of_tasks),
	        cmocka_unit_test(of_queues),
	};

	return run(tests);
}
