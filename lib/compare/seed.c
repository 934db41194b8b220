#include "compare/seed.h"

#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct set_value *value_of(const struct run_set *s, const struct set_run *r,
                                        enum metric_id id)
{
	for (size_t k = 0; k < s->keys.n; k++)
		if (!strcmp(s->keys.at[k].name, metrics[id].name))
			return set_find(r, k);
	return NULL;
}

/* Geometric mean over the iterations; NAN: none has it. *zero: one of them is 0. */
static double mean_of(const struct run_set *s, const struct set_config *c, enum metric_id id,
                      bool *zero)
{
	double *v = mem_calloc(c->runs.n + 1, sizeof *v), mean;
	size_t n = 0;

	for (size_t i = 0; i < c->runs.n; i++) {
		const struct set_value *x = value_of(s, &c->runs.at[i], id);

		if (x && isfinite(x->value))
			v[n++] = x->value;
	}
	mean = stat_geometric(v, n);
	*zero |= mean == 0;
	free(v);
	return mean;
}

static void put_row(FILE *out, const char *variable, const char *kernel, double v, double first)
{
	if (isnan(v)) {
		fprintf(out, "%s,%s,-,-\n", variable, kernel);
		return;
	}
	fprintf(out, "%s,%s,%.1f,", variable, kernel, v);
	if (isnan(first) || first == 0)
		fputs("-\n", out);
	else if (v == first)
		fputs("0.0%\n", out);
	else
		fprintf(out, "%.2f%%\n", 100 * (v / first - 1));
}

bool seed_tables(const struct run_set *s, FILE *out)
{
	static const struct {
		const char *variable;
		enum metric_id id;
	} rows[] = {{"mean_duration", METRIC_ID_jankbench_seed_mean_ms},
	            {"jank_percentage", METRIC_ID_jankbench_seed_jank_pct}};
	bool any = false, zero = false;

	for (size_t c = 0; c < s->configs.n; c++)
		for (size_t i = 0; i < s->configs.at[c].runs.n; i++)
			any |= value_of(s, &s->configs.at[c].runs.at[i],
			                METRIC_ID_jankbench_max_ms) != NULL;
	if (!any)
		return false;
	fputs("variable,kernel,iteration,value\n", out);
	for (size_t c = 0; c < s->configs.n; c++) {
		double max = (double)NAN;

		for (size_t i = 0; i < s->configs.at[c].runs.n; i++) {
			const struct set_value *x = value_of(s, &s->configs.at[c].runs.at[i],
			                                     METRIC_ID_jankbench_max_ms);

			if (x && !(max >= x->value))
				max = x->value;
		}
		/* how many there are, as there: not where the maximum was */
		fprintf(out, "max_frame_duration,%s,%zu,%.9g\n", s->configs.at[c].name,
		        s->configs.at[c].runs.n, max);
	}
	fputs("\nvariable,kernel,value,perc_diff\n", out);
	for (size_t r = 0; r < 2; r++) {
		double first = mean_of(s, &s->configs.at[0], rows[r].id, &zero);

		for (size_t c = 0; c < s->configs.n; c++)
			put_row(out, rows[r].variable, s->configs.at[c].name,
			        mean_of(s, &s->configs.at[c], rows[r].id, &zero), first);
	}
	if (zero)
		fputs("\n# an iteration without a janky frame makes a geometric mean 0\n", out);
	return true;
}
