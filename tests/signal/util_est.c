/* util_est against the oracles: five sequences in four eras, and the gate for tasks that waited. */
#include "test.h"

#include "signal/util_est.h"
#include "tools/csv.h"

static void sequences(void **state)
{
	static const struct {
		enum util_est_era era;
		int enqueued, ewma, estimate; /* columns */
	} eras[] = {{UTIL_EST_68, -1, 3, 3},
	            {UTIL_EST_513, 4, 5, 6},
	            {UTIL_EST_55, 7, 8, 9},
	            {UTIL_EST_417, 10, 11, 12}};
	struct csv c = csv_open("util_est");
	struct util_est e[4];
	int rows = 0;

	(void)state;
	for (; csv_row(&c); rows++)
		for (int i = 0; i < 4; i++) {
			if (!csv_int(&c, 1)) /* the first of a sequence */
				e[i] = (struct util_est){0, 0};
			util_est_sleep(&e[i], eras[i].era, (uint32_t)csv_int(&c, 2), 0, 1024);
			if (eras[i].enqueued >= 0)
				assert_int_equal(e[i].enqueued, csv_int(&c, eras[i].enqueued));
			assert_int_equal(e[i].ewma, csv_int(&c, eras[i].ewma));
			assert_int_equal(util_est_of(&e[i], eras[i].era),
			                 csv_int(&c, eras[i].estimate));
		}
	assert_int_equal(rows, 41);
}

static void tasks_that_waited(void **state)
{
	struct csv c = csv_open("util_est_contention");

	(void)state;
	while (csv_row(&c)) {
		struct util_est e = {0, (uint32_t)csv_int(&c, 1)};

		util_est_sleep(&e, UTIL_EST_68, (uint32_t)csv_int(&c, 2), (uint32_t)csv_int(&c, 3),
		               1024);
		assert_int_equal(e.ewma, csv_int(&c, 4));
	}
}

static void above_the_capacity(void **state)
{
	struct util_est e = {0, 700};

	(void)state;
	util_est_sleep(&e, UTIL_EST_68, 500, 0, 462); /* more than its CPU can give: kept */
	assert_int_equal(e.ewma, 700);
	util_est_sleep(&e, UTIL_EST_68, 400, 0, 462);
	assert_int_equal(e.ewma, 625);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(sequences),
	        cmocka_unit_test(tasks_that_waited),
	        cmocka_unit_test(above_the_capacity),
	};

	return run(tests);
}
