#include "analysis/util_fit.h"

#include <math.h>

void fit_add(struct fit *x, double difference, double per_ms)
{
	x->sum += difference;
	series_add(&x->size, (int64_t)(1000 * fabs(difference)));
	x->by_slope += difference * per_ms;
	x->slopes += per_ms * per_ms;
}

void fit_clear(struct fit *x)
{
	series_clear(&x->size);
	x->sum = x->by_slope = x->slopes = 0;
}

void fit_free(struct fit *x)
{
	series_free(&x->size);
}

static double mean_abs(const struct fit *x)
{
	return x->size.sum / (double)x->size.n / 1e3;
}

static double bias(const struct fit *x)
{
	return x->sum / (double)x->size.n;
}

/* By how much the rebuilt signal is ahead of the recorded one: the shift in time that leaves the
 * least squares, to first order. */
static double lag_ms(const struct fit *x)
{
	return x->by_slope / x->slopes;
}

void fit_json(struct json *j, unsigned half_life, const char *signal, struct fit *x)
{
	static const char why[] = "the trace has no values of the kernel (sched_pelt_se)";

	json_object_line(j, NULL);
	json_int(j, "half_life", half_life);
	if (signal)
		json_text(j, "signal", signal);
	json_int(j, "n", (int64_t)x->size.n);
	if (x->size.n) {
		json_real(j, "bias", bias(x));
		json_real(j, "mean_abs", mean_abs(x));
		json_real(j, "p50_abs", series_quantile(&x->size, .5) / 1e3);
		json_real(j, "p95_abs", series_quantile(&x->size, .95) / 1e3);
		json_real(j, "p99_abs", series_quantile(&x->size, .99) / 1e3);
		json_real(j, "max_abs", (double)x->size.max / 1e3);
		if (x->slopes > 0)
			json_real(j, "lag_ms", lag_ms(x));
	} else {
		json_missing(j, "bias", why);
		json_missing(j, "mean_abs", why);
		json_missing(j, "p95_abs", why);
	}
	json_end(j);
}

void fit_row(struct doc *d, bool *begun, const char *label, unsigned half_life, struct fit *x)
{
	static const struct column columns[] = {
	        {"against the kernel's own", NULL, true},
	        {"half-life", NULL, false},
	        {"n", NULL, false},
	        {"bias", NULL, false},
	        {"mean |d|", NULL, false},
	        {"p50", NULL, false},
	        {"p95", NULL, false},
	        {"p99", NULL, false},
	        {"max", NULL, false},
	        {"lag", "ms", false},
	};

	if (!x->size.n)
		return;
	if (!*begun)
		doc_table(d, columns, sizeof columns / sizeof *columns);
	*begun = true;
	doc_text(d, label);
	doc_int(d, half_life);
	doc_int(d, (int64_t)x->size.n);
	doc_real(d, bias(x), 1);
	doc_real(d, mean_abs(x), 1);
	doc_real(d, series_quantile(&x->size, .5) / 1e3, 1);
	doc_real(d, series_quantile(&x->size, .95) / 1e3, 1);
	doc_real(d, series_quantile(&x->size, .99) / 1e3, 1);
	doc_real(d, (double)x->size.max / 1e3, 1);
	if (x->slopes > 0)
		doc_real(d, lag_ms(x), 1);
	else
		doc_missing(d);
}
