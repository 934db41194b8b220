/* Metrics of frames, and what comparisons take. */
#include "test.h"

#include "analysis/summary.h"
#include "tools/feed.h"

static double value(const struct metric_rows *m, enum metric_id id, const char *scope)
{
	for (size_t i = 0; i < m->rows.n; i++)
		if (m->rows.at[i].id == id && !strcmp(m->rows.at[i].scope, scope)) {
			assert_null(m->rows.at[i].reason);
			return m->rows.at[i].value;
		}
	fail_msg("no %s of %s", metrics[id].name, scope);
	return 0;
}

static const char *reason(const struct metric_rows *m, enum metric_id id)
{
	for (size_t i = 0; i < m->rows.n; i++)
		if (m->rows.at[i].id == id)
			return m->rows.at[i].reason;
	return NULL;
}

static void known(void **state)
{
	struct frame_sums sums[2];
	struct metric_rows m;
	struct feed f;

	(void)state;
	feed_four_frames(&f, &feed_two);
	m = session_metrics(f.session);
	check_near(value(&m, METRIC_ID_frame_used_count, "?"), 4, 0);
	check_near(value(&m, METRIC_ID_frame_mean_ms, "?"), 10.75, 1e-9);
	check_near(value(&m, METRIC_ID_frame_p99_ms, "?"), 18.67, 1e-9);
	check_near(value(&m, METRIC_ID_frame_max_ms, "?"), 19, 1e-9);
	check_near(value(&m, METRIC_ID_frame_jank_pct, "?"), 25, 1e-9);
	check_near(value(&m, METRIC_ID_frame_work_ms, "?"), 10.75 / 4, 1e-3);
	check_near(value(&m, METRIC_ID_frame_speed_pct, "?"), 25, 1e-3);
	check_near(value(&m, METRIC_ID_frame_small_work_pct, "?"), 100, 1e-9);
	check_near(value(&m, METRIC_ID_frame_clock_pct, "? cap 512"), 50, 1e-3);
	check_near(value(&m, METRIC_ID_frame_early_janky_count, "?"), 1, 0);
	metric_rows_free(&m);
	assert_int_equal(session_frame_sums(f.session, sums, 2), 1);
	assert_int_equal(sums[0].n, 4);
	assert_true(sums[0].speeds);
	assert_int_equal(sums[0].n_sizes, 2);
	check_near(sums[0].run, 10.75, 1e-3);
	check_near(sums[0].work, 10.75 / 4, 1e-3);
	check_near(sums[0].waiting + sums[0].blocked + sums[0].behind + sums[0].gpu, 0, 1e-6);
	check_near(sums[0].capacity[0], 512, 1e-9);
	check_near(session_period_ns(f.session), 1e9 / 60, 1e-3);
	feed_free(&f);
}

/* Without a platform what needs speeds has a reason, and no 0. */
static void not_known(void **state)
{
	struct frame_sums sums[2];
	struct metric_rows m;
	struct feed f;

	(void)state;
	feed_four_frames(&f, NULL);
	m = session_metrics(f.session);
	assert_non_null(reason(&m, METRIC_ID_frame_work_ms));
	assert_non_null(reason(&m, METRIC_ID_frame_speed_pct));
	assert_non_null(reason(&m, METRIC_ID_energy_frame_mj));
	check_near(value(&m, METRIC_ID_frame_mean_ms, "?"), 10.75, 1e-9);
	metric_rows_free(&m);
	assert_int_equal(session_frame_sums(f.session, sums, 2), 1);
	assert_false(sums[0].speeds);
	feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(known),
	        cmocka_unit_test(not_known),
	};

	return run(tests);
}
