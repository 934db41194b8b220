#include "metric/metric.h"

#include "test.h"

#include <stdbool.h>

static const struct {
	const char *unit, *suffix;
} units[] = {
        {"%", "_pct"}, {"kHz", "_khz"}, {"1/s", "_per_s"}, {"ms/s", "_ms_per_s"}, {"us", "_us"},
        {"ms", "_ms"}, {"s", "_s"},     {"", "_count"},    {"mJ", "_mj"},         {"mW", "_mw"},
};

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n > k && !strcmp(s + n - k, end);
}

static const char *suffix_of(const char *unit)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(units[i].unit, unit))
			return units[i].suffix;
	fail_msg("unit '%s' is not in the table of this test", unit);
	return NULL;
}

static void every_metric_is_described(void **state)
{
	(void)state;
	assert_true(METRICS > 0);
	for (unsigned i = 0; i < METRICS; i++) {
		const struct metric *m = &metrics[i];

		assert_non_null(m->name);
		assert_non_null(m->unit);
		assert_true(m->definition && strlen(m->definition) >= 10);
		assert_true(m->needs && *m->needs);
		assert_true(m->version >= 1);
		assert_true(m->definition[strlen(m->definition) - 1] != '.');
		assert_null(strchr(m->definition, '\n'));
	}
}

/* group.what_unit; energy also says where it was measured, or which layer of the model it is. */
static void names_have_one_form(void **state)
{
	(void)state;
	for (unsigned i = 0; i < METRICS; i++) {
		const char *name = metrics[i].name;
		const char *what = strchr(name, '.');

		assert_true(what && what > name && what[1]);
		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz"), what - name);
		assert_int_equal(strspn(what + 1, "abcdefghijklmnopqrstuvwxyz0123456789_.L"),
		                 strlen(what + 1));
		if (!ends_with(what + 1, suffix_of(metrics[i].unit)))
			fail_msg("%s in %s", name, metrics[i].unit);
	}
}

static void names_are_unique(void **state)
{
	(void)state;
	for (unsigned i = 0; i < METRICS; i++)
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(metrics[i].name, metrics[k].name);
}

static void shares_are_percent(void **state)
{
	(void)state;
	for (unsigned i = 0; i < METRICS; i++)
		if (metrics[i].class == METRIC_SHARE)
			assert_string_equal(metrics[i].unit, "%");
}

static void ids_lead_to_their_metric(void **state)
{
	(void)state;
	assert_string_equal(metrics[METRIC_ID_cpu_busy_pct].name, "cpu.busy_pct");
	assert_string_equal(metrics[METRIC_ID_wakeup_p99_us].name, "latency.wakeup_p99_us");
	assert_int_equal(metrics[METRIC_ID_wakeup_p99_us].direction, METRIC_LESS);
	assert_int_equal(metrics[METRIC_ID_wakeup_p99_us].class, METRIC_RATIO);
}

static void rows(void **state)
{
	struct metric_rows m = {0};
	char scope[] = "cpu0", reason[] = "no sched_switch";

	(void)state;
	metric_add(&m, METRIC_ID_cpu_busy_pct, scope, 12.5);
	scope[3] = '1';
	metric_add_missing(&m, METRIC_ID_cpu_unknown_pct, scope, reason);
	scope[3] = reason[0] = 'X';
	assert_int_equal(m.rows.n, 2);
	assert_int_equal(m.rows.at[0].id, METRIC_ID_cpu_busy_pct);
	assert_string_equal(m.rows.at[0].scope, "cpu0");
	check_near(m.rows.at[0].value, 12.5, 0);
	assert_null(m.rows.at[0].reason);
	assert_int_equal(m.rows.at[1].id, METRIC_ID_cpu_unknown_pct);
	assert_string_equal(m.rows.at[1].scope, "cpu1");
	assert_string_equal(m.rows.at[1].reason, "no sched_switch");
	metric_rows_free(&m);
	assert_int_equal(m.rows.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_metric_is_described), cmocka_unit_test(names_have_one_form),
	        cmocka_unit_test(names_are_unique),          cmocka_unit_test(shares_are_percent),
	        cmocka_unit_test(ids_lead_to_their_metric),  cmocka_unit_test(rows),
	};

	return run(tests);
}
