/* Cells of a comparison: against the oracles of compare-gate.md 2.8, and what must hold always. */
#include "test.h"

#include "made.h"

#include "compare/compare.h"

#define N(a) (sizeof(a) / sizeof *(a))

static const double d1a[] = {14.21, 14.93, 14.62, 14.44, 15.13, 14.31, 14.82, 14.74, 14.55, 14.58},
                    d1b[] = {14.02, 14.41, 14.15, 13.98, 14.70, 13.91, 14.33, 14.27, 14.09, 14.12};
static const struct compare_opts usual = {.level = .95};

static void two(struct run_set *s, enum metric_id id, const double *a, size_t na, const double *b,
                size_t nb)
{
	*s = (struct run_set){.arena = {NULL}};
	made_config(s, "a", id, a, na);
	made_config(s, "b", id, b, nb);
}

static const struct compare_cell *cell(const struct comparison *c)
{
	assert_int_equal(c->rows.n, 1);
	return &c->rows.at[0].cells[1];
}

/* D1: a ratio, percent of geometric means. */
static void percent(void **state)
{
	struct run_set s;
	struct comparison c;

	(void)state;
	two(&s, METRIC_ID_frame_mean_ms, d1a, 10, d1b, 10);
	c = compare(&s, &usual);
	assert_int_equal(cell(&c)->kind, CHANGE_PERCENT);
	check_near(cell(&c)->change, -2.968606, 1e-6);
	check_near(cell(&c)->at.low, -4.589948, 1e-6);
	check_near(cell(&c)->at.high, -1.319712, 1e-6);
	check_near(cell(&c)->d.p, 1.47005473e-03, 1e-11);
	check_near(cell(&c)->mean, 14.198, 1e-9);
	compare_free(&c);
	set_free(&s);
}

/* Shares go by points, and so does what has zeros. */
static void points(void **state)
{
	static const double a[] = {2, 2, 3, 1, 2}, b[] = {2, 4, 3, 3, 5}, zero[] = {0, 1, 2, 1, 1};
	struct run_set s;
	struct comparison c;

	(void)state;
	two(&s, METRIC_ID_frame_jank_pct, a, 5, b, 5);
	c = compare(&s, &usual);
	assert_int_equal(cell(&c)->kind, CHANGE_RAW);
	check_near(cell(&c)->change, 1.4, 1e-12);
	check_near(cell(&c)->d.t, 2.33333333, 1e-8);
	compare_free(&c);
	set_free(&s);
	two(&s, METRIC_ID_frame_hitch_ms_per_s, a, 5, zero, 5);
	c = compare(&s, &usual);
	assert_int_equal(cell(&c)->kind, CHANGE_RAW);
	compare_free(&c);
	set_free(&s);
}

/* The same against itself differs by nothing; swapped sides change the sign. */
static void symmetry(void **state)
{
	struct run_set s;
	struct comparison c;
	struct difference forth, back;

	(void)state;
	two(&s, METRIC_ID_frame_mean_ms, d1a, 10, d1a, 10);
	c = compare(&s, &usual);
	check_near(cell(&c)->change, 0, 1e-12);
	assert_true(cell(&c)->at.low < 0 && cell(&c)->at.high > 0);
	compare_free(&c);
	set_free(&s);
	two(&s, METRIC_ID_frame_mean_ms, d1a, 10, d1b, 10);
	c = compare(&s, &usual);
	forth = cell(&c)->d;
	compare_free(&c);
	set_free(&s);
	two(&s, METRIC_ID_frame_mean_ms, d1b, 10, d1a, 10);
	c = compare(&s, &usual);
	back = cell(&c)->d;
	compare_free(&c);
	set_free(&s);
	check_near(forth.diff, -back.diff, 1e-12);
	check_near(forth.at.low, -back.at.high, 1e-12);
	check_near(forth.p, back.p, 1e-12);
}

/* A failed run is missing, not 0; one run has no interval. */
static void missing(void **state)
{
	const double a[] = {10, (double)NAN, 12}, b[] = {20};
	struct run_set s;
	struct comparison c;

	(void)state;
	two(&s, METRIC_ID_frame_mean_ms, a, 3, b, 1);
	c = compare(&s, &usual);
	assert_int_equal(c.rows.at[0].cells[0].n, 2);
	assert_int_equal(c.rows.at[0].cells[0].missing, 1);
	check_near(c.rows.at[0].cells[0].mean, 11, 1e-12);
	assert_false(cell(&c)->compared);
	check_near(cell(&c)->change, 100 * (20 / 11. - 1), 1e-9);
	assert_string_equal(c.warnings.at[0], "a: 1 of 3 iterations left out: it is cut");
	compare_free(&c);
	set_free(&s);
}

/* Pairs by the names of iterations: drift that both share falls out. */
static void paired(void **state)
{
	static const double a[] = {10, 20, 30, 40}, b[] = {11, 22, 33, 44};
	const struct compare_opts o = {.level = .95, .paired = true};
	struct run_set s;
	struct comparison c;

	(void)state;
	two(&s, METRIC_ID_frame_mean_ms, a, 4, b, 4);
	s.configs.at[1].runs.at[3].iteration = "other";
	c = compare(&s, &o);
	assert_int_equal(cell(&c)->pairs, 3);
	check_near(cell(&c)->change, 10, 1e-9);
	check_near(cell(&c)->at.low, 10, 1e-6);
	compare_free(&c);
	set_free(&s);
}

static void picked(void **state)
{
	static const double v[] = {1, 2};
	struct compare_opts o = {.level = .95, .metrics = "latency.*,frame.max_ms"};
	struct run_set s = {.arena = {NULL}};
	struct comparison c;

	(void)state;
	made_config(&s, "a", METRIC_ID_frame_mean_ms, v, 2);
	made_config(&s, "a", METRIC_ID_frame_max_ms, v, 2);
	made_config(&s, "a", METRIC_ID_wakeup_p99_us, v, 2);
	made_config(&s, "a", METRIC_ID_cpu_busy_pct, v, 2);
	c = compare(&s, &o);
	assert_int_equal(c.rows.n, 2);
	assert_string_equal(s.keys.at[c.rows.at[0].key].name, "frame.max_ms");
	compare_free(&c);
	o.metrics = NULL;
	o.full = true;
	c = compare(&s, &o);
	assert_int_equal(c.rows.n, 4);
	compare_free(&c);
	o.full = false;
	o.process = "another"; /* its frames only */
	c = compare(&s, &o);
	assert_int_equal(c.rows.n, 1);
	compare_free(&c);
	set_free(&s);
}

static void facts(void **state)
{
	static const double v[] = {1, 2};
	struct run_set s;
	struct comparison c;

	(void)state;
	two(&s, METRIC_ID_frame_mean_ms, v, 2, v, 2);
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < 2; k++) {
			set_fact(&s, &s.configs.at[i].runs.at[k], "kernel", i ? "6.2" : "6.1");
			set_fact(&s, &s.configs.at[i].runs.at[k], "device", "phone");
			s.configs.at[i].runs.at[k].boot = i ? "y" : "x";
		}
	set_fact(&s, &s.configs.at[1].runs.at[1], "governor", "slow");
	c = compare(&s, &usual);
	assert_int_equal(c.same.n, 1);
	assert_string_equal(c.same.at[0], "device phone");
	assert_int_equal(c.differ.n, 2);
	assert_string_equal(c.differ.at[0], "kernel 6.1 | 6.2");
	assert_string_equal(c.differ.at[1], "governor - | slow");
	assert_non_null(strstr(c.warnings.at[0], "b ran in a boot of its own"));
	compare_free(&c);
	set_free(&s);
}

/* A slow first run is told, and counts. */
static void outlier(void **state)
{
	static const double v[] = {21.0, 14.6, 14.4, 14.9, 14.5, 14.7, 14.3, 14.8, 14.6, 14.5};
	struct run_set s = {.arena = {NULL}};
	struct comparison c;

	(void)state;
	made_config(&s, "a", METRIC_ID_frame_mean_ms, v, N(v));
	c = compare(&s, &usual);
	assert_non_null(strstr(c.warnings.at[0],
	                       "iteration 1 of 10 is far from the others (21, median 14.6)"));
	assert_int_equal(c.rows.at[0].cells[0].n, 10);
	compare_free(&c);
	set_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(percent), cmocka_unit_test(points),  cmocka_unit_test(symmetry),
	        cmocka_unit_test(missing), cmocka_unit_test(paired),  cmocka_unit_test(picked),
	        cmocka_unit_test(facts),   cmocka_unit_test(outlier),
	};

	return run(tests);
}
