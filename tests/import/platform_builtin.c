/* Built-in platforms against testdata/signals/em_tables.csv: every operating point. */
#include "test.h"

#include "import/platform_builtin.h"
#include "tools/csv.h"

static const struct platform_domain *domain_of(const struct platform *p, const char *name)
{
	for (size_t i = 0; i < p->n_domains; i++)
		if (!strcmp(p->domains[i].name, name))
			return &p->domains[i];
	fail_msg("%s has no domain %s", p->name, name);
	return NULL;
}

static void figures(void **state)
{
	struct csv c = csv_open("em_tables");
	char last[64] = "";
	size_t opp = 0, rows = 0, all = 0;

	(void)state;
	for (; csv_row(&c); rows++) {
		const struct platform *p = platform_builtin(c.at[0]);
		const struct platform_domain *d;

		assert_non_null(p);
		d = domain_of(p, c.at[1]);
		opp = strcmp(last, c.at[1]) ? 0 : opp + 1;
		snprintf(last, sizeof last, "%s", c.at[1]);
		assert_int_equal(c.at[2][0] - '0', d->cpus[0]);
		assert_int_equal(c.at[2][2] - '0', d->cpus[d->n_cpus - 1]);
		for (size_t i = 0; i < d->n_cpus; i++)
			assert_int_equal(platform_capacity(p, d->cpus[i]), csv_int(&c, 5));
		assert_true(opp < d->n_khz);
		assert_int_equal(d->khz[opp], csv_int(&c, 6));
		assert_int_equal(d->power_uw[opp], csv_int(&c, 8));
	}
	for (size_t i = 0; platform_builtin_at(i); i++)
		for (size_t k = 0; k < platform_builtin_at(i)->n_domains; k++)
			all += platform_builtin_at(i)->domains[k].n_khz;
	assert_int_equal(rows, all);
}

static void names(void **state)
{
	(void)state;
	assert_null(platform_builtin("toaster"));
	for (size_t i = 1; platform_builtin_at(i); i++)
		assert_true(strcmp(platform_builtin_at(i - 1)->name, platform_builtin_at(i)->name) <
		            0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(figures),
	        cmocka_unit_test(names),
	};

	return run(tests);
}
