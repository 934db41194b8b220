/* Requested clocks against the oracles: five frequency domains, both formulas, uclamp. */
#include "test.h"

#include "signal/schedutil.h"
#include "tools/csv.h"

enum { OPPS = 64 };

struct domain {
	struct schedutil s;
	int64_t khz[OPPS];
};

/* A frequency domain of em_tables.csv. */
static struct domain domain_of(const char *platform, const char *name)
{
	struct csv c = csv_open("em_tables");
	struct domain d = {.s = {.n_opps = 0}};

	while (csv_row(&c))
		if (!strcmp(c.at[0], platform) && !strcmp(c.at[1], name)) {
			d.s.cap = (uint32_t)csv_int(&c, 5);
			d.khz[d.s.n_opps++] = csv_int(&c, 6);
		}
	assert_true(d.s.n_opps > 0);
	d.s.ref_khz = d.khz[d.s.n_opps - 1];
	return d;
}

static void requests(void **state)
{
	struct csv c = csv_open("schedutil_requests");
	int rows = 0;

	(void)state;
	for (; csv_row(&c); rows++) {
		struct domain d = domain_of(c.at[0], c.at[1]);
		uint32_t util = (uint32_t)csv_int(&c, 3);
		struct schedutil_request r;

		assert_int_equal(d.s.cap, csv_int(&c, 2));
		d.s.opps = d.khz;
		d.s.util_headroom = true;
		r = schedutil_request(&d.s, util, 0, 1024);
		assert_int_equal(r.perf, csv_int(&c, 4));
		assert_int_equal(r.raw_khz, csv_int(&c, 5));
		assert_int_equal(r.khz, csv_int(&c, 6));
		d.s.util_headroom = false;
		r = schedutil_request(&d.s, util, 0, 1024);
		assert_int_equal(r.raw_khz, csv_int(&c, 7));
		assert_int_equal(r.khz, csv_int(&c, 8));
	}
	assert_int_equal(rows, 50);
}

static void uclamp(void **state)
{
	struct csv c = csv_open("schedutil_uclamp");
	struct domain d = domain_of("hikey960", "A73");

	(void)state;
	d.s.opps = d.khz;
	d.s.util_headroom = true;
	while (csv_row(&c)) {
		struct schedutil_request r =
		        schedutil_request(&d.s, (uint32_t)csv_int(&c, 0), (uint32_t)csv_int(&c, 1),
		                          (uint32_t)csv_int(&c, 2));

		assert_int_equal(r.perf, csv_int(&c, 3));
		assert_int_equal(r.raw_khz, csv_int(&c, 4));
		assert_int_equal(r.khz, csv_int(&c, 5));
	}
}

/* signals.md 1.10: the first util that does not fit 1024, 462 and 160. */
static void fits(void **state)
{
	(void)state;
	assert_true(schedutil_fits(819, 1024) && !schedutil_fits(820, 1024));
	assert_true(schedutil_fits(369, 462) && !schedutil_fits(370, 462));
	assert_true(schedutil_fits(127, 160) && !schedutil_fits(128, 160));
}

static void effective(void **state)
{
	(void)state;
	assert_int_equal(schedutil_effective(1024, 0, 300, 100, 24), 424);
	assert_int_equal(schedutil_effective(1024, 256, 512, 0, 0), 256 + 768 * 512 / 1024);
	assert_int_equal(schedutil_effective(462, 500, 10, 0, 0), 462);
	assert_int_equal(schedutil_effective(462, 0, 1000, 0, 0), 462);
}

/* 128, doubled with each wake-up after I/O, halved without one, gone after a tick of nothing. */
static void iowait(void **state)
{
	const int64_t tick = 4000000;
	struct schedutil_iowait b = {.boost = 0};
	int64_t t = 1000000000;

	(void)state;
	assert_int_equal(schedutil_iowait(&b, t, tick, false, 50, 1024), 50);
	assert_int_equal(schedutil_iowait(&b, t += 1000, tick, true, 50, 1024), 128);
	assert_int_equal(schedutil_iowait(&b, t += 1000, tick, true, 50, 1024), 256);
	assert_int_equal(schedutil_iowait(&b, t += 1000, tick, true, 50, 512), 256);
	assert_int_equal(schedutil_iowait(&b, t += 1000, tick, true, 50, 1024), 1024);
	assert_int_equal(schedutil_iowait(&b, t += 1000, tick, true, 50, 1024), 1024);
	assert_int_equal(schedutil_iowait(&b, t += 1000, tick, false, 50, 1024), 512);
	assert_int_equal(schedutil_iowait(&b, t += 1000, tick, false, 600, 1024), 600);
	assert_int_equal(schedutil_iowait(&b, t += 2 * tick, tick, false, 50, 1024), 50);
	assert_int_equal(schedutil_iowait(&b, t += 2 * tick, tick, true, 50, 1024), 128);
}

static void rate_limit(void **state)
{
	(void)state;
	assert_true(schedutil_may_change(0, 500, 1000, 2000, 500, 20000));
	assert_false(schedutil_may_change(0, 499, 1000, 2000, 500, 20000));
	assert_false(schedutil_may_change(0, 500, 2000, 1000, 500, 20000));
	assert_true(schedutil_may_change(0, 20000, 2000, 1000, 500, 20000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(requests),  cmocka_unit_test(uclamp), cmocka_unit_test(fits),
	        cmocka_unit_test(effective), cmocka_unit_test(iowait), cmocka_unit_test(rate_limit),
	};

	return run(tests);
}
