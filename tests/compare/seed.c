/* The tables of 2022: reference frames.md 6 A9 to A12, and the seed's own rounding. */
#include "test.h"

#include "made.h"

#include "compare/seed.h"

#include <stdlib.h>

static char *tables(const struct run_set *s)
{
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	seed_tables(s, out);
	fclose(out);
	return text;
}

/* Values of an iteration: mean without the last frame, jank %, longest. */
static void add(struct run_set *s, const char *config, const char *iteration, double mean,
                double jank, double max)
{
	struct set_run *r = set_run(s, set_config(s, config), iteration, "p");

	set_add(s, r, set_metric(s, METRIC_ID_jankbench_seed_mean_ms, "all"), mean, NULL);
	set_add(s, r, set_metric(s, METRIC_ID_jankbench_seed_jank_pct, "all"), jank, NULL);
	set_add(s, r, set_metric(s, METRIC_ID_jankbench_max_ms, "all"), max, NULL);
}

/* A11: from 14.6 to 4.4165 is -69.75 %, and not what the printed 4.4 would give. */
static void rounding(void **state)
{
	struct run_set s = {.arena = {NULL}};
	char *t;

	(void)state;
	add(&s, "pelt_1", "1", 14.6, 2, 50);
	add(&s, "pelt_1", "2", 14.6, 8, 90);
	add(&s, "pelt_1", "3", 14.6, 4, 70);
	add(&s, "performance", "1", 4.4165, 0, 40.9308);
	t = tables(&s);
	assert_string_equal(t, "variable,kernel,iteration,value\n"
	                       "max_frame_duration,pelt_1,3,90\n"
	                       "max_frame_duration,performance,1,40.9308\n"
	                       "\nvariable,kernel,value,perc_diff\n"
	                       "mean_duration,pelt_1,14.6,0.0%\n"
	                       "mean_duration,performance,4.4,-69.75%\n"
	                       "jank_percentage,pelt_1,4.0,0.0%\n" /* gmean(2, 8, 4) */
	                       "jank_percentage,performance,0.0,-100.00%\n"
	                       "\n# an iteration without a janky frame makes a geometric mean 0\n");
	free(t);
	set_free(&s);
}

static void none(void **state)
{
	static const double v[] = {1, 2};
	struct run_set s = {.arena = {NULL}};
	char *t;

	(void)state;
	made_config(&s, "a", METRIC_ID_frame_mean_ms, v, 2);
	t = tables(&s);
	assert_string_equal(t, "");
	free(t);
	set_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rounding),
	        cmocka_unit_test(none),
	};

	return run(tests);
}
