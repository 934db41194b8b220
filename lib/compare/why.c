#include "compare/why.h"

#include <math.h>
#include <string.h>

const char *const why_text[WHY_ROWS] = {"different work",
                                        "placement: work share per size",
                                        "clock: speed within a size",
                                        "at unknown speed",
                                        "waiting for a CPU",
                                        "blocked",
                                        "behind the previous frame",
                                        "GPU",
                                        "unknown",
                                        "total"};

enum { SIZES = SET_SIZES };

/* Sums over iterations; parts in ms of all frames. */
struct pool {
	size_t runs;
	double n, size_run[SIZES], size_work[SIZES], work, run, rest[WHY_ROWS];
	unsigned n_sizes;
};

/* Without the run of that index; SIZE_MAX: all. */
static struct pool pool(const struct set_config *c, const char *process, size_t without)
{
	struct pool p = {.runs = 0};

	for (size_t i = 0; i < c->runs.n; i++) {
		const struct set_parts *x = set_parts_of(&c->runs.at[i], process);
		double n = x ? (double)x->n : 0;

		if (i == without || !x || !x->n || !x->speeds)
			continue;
		p.runs++;
		p.n += n;
		p.n_sizes = x->n_sizes > p.n_sizes ? x->n_sizes : p.n_sizes;
		for (unsigned k = 0; k < x->n_sizes; k++) {
			p.size_run[k] += x->size_run[k];
			p.size_work[k] += x->size_work[k];
		}
		p.work += n * x->work;
		p.run += n * x->run;
		p.rest[WHY_NO_SPEED] += n * x->no_speed;
		p.rest[WHY_WAITING] += n * x->waiting;
		p.rest[WHY_BLOCKED] += n * x->blocked;
		p.rest[WHY_BEHIND] += n * x->behind;
		p.rest[WHY_GPU] += n * x->gpu;
		p.rest[WHY_UNKNOWN] += n * x->unknown;
	}
	return p;
}

/* Share of the work, and run time over work, on each size; false: no work. */
static bool shares(const struct pool *p, double share[SIZES], double pace[SIZES])
{
	double work = 0, run = 0, scale;

	for (unsigned k = 0; k < SIZES; k++) {
		work += p->size_work[k];
		run += p->size_run[k];
	}
	if (!(work > 0) || !(run > 0) || !(p->work > 0))
		return false;
	scale = (p->run / p->work) / (run / work);
	for (unsigned k = 0; k < SIZES; k++) {
		share[k] = p->size_work[k] / work;
		pace[k] = p->size_work[k] > 0 ? scale * p->size_run[k] / p->size_work[k] : 0;
	}
	return true;
}

static bool split(const struct pool *a, const struct pool *b, double ms[WHY_ROWS])
{
	double s[SIZES], p[SIZES], s2[SIZES], p2[SIZES], w, w2, mean, placement = 0, clock = 0;
	double sum = 0, sum2 = 0;

	if (!shares(a, s, p) || !shares(b, s2, p2))
		return false;
	w = a->work / a->n;
	w2 = b->work / b->n;
	mean = (w + w2) / 2;
	for (unsigned k = 0; k < SIZES; k++) {
		p[k] = p[k] > 0 ? p[k] : p2[k];
		p2[k] = p2[k] > 0 ? p2[k] : p[k];
		placement += (s2[k] - s[k]) * (p[k] + p2[k]) / 2;
		clock += (p2[k] - p[k]) * (s[k] + s2[k]) / 2;
		sum += s[k] * p[k];
		sum2 += s2[k] * p2[k];
	}
	ms[WHY_WORK] = (w2 - w) * (sum + sum2) / 2;
	ms[WHY_PLACEMENT] = mean * placement;
	ms[WHY_CLOCK] = mean * clock;
	ms[WHY_TOTAL] = ms[WHY_WORK] + ms[WHY_PLACEMENT] + ms[WHY_CLOCK];
	for (int r = WHY_NO_SPEED; r < WHY_TOTAL; r++) {
		ms[r] = b->rest[r] / b->n - a->rest[r] / a->n;
		ms[WHY_TOTAL] += ms[r];
	}
	return true;
}

static double mean_of(const struct pool *p)
{
	double sum = p->run;

	for (int r = WHY_NO_SPEED; r < WHY_TOTAL; r++)
		sum += p->rest[r];
	return sum / p->n;
}

/* Variance of the split when the iterations of one side (0: a, 1: b) are left out in turn. */
static void leave_out(const struct set_config *a, const struct set_config *b, const char *process,
                      int side, double variance[WHY_ROWS])
{
	const struct pool pa = pool(a, process, SIZE_MAX), pb = pool(b, process, SIZE_MAX);
	const struct set_config *c = side ? b : a;
	double sum[WHY_ROWS] = {0}, squares[WHY_ROWS] = {0}, used = 0;

	for (size_t i = 0; i < c->runs.n; i++) {
		const struct set_parts *x = set_parts_of(&c->runs.at[i], process);
		const struct pool left = pool(c, process, i);
		double ms[WHY_ROWS];

		if (!x || !x->n || !x->speeds || !split(side ? &pa : &left, side ? &left : &pb, ms))
			continue;
		used++;
		for (int r = 0; r < WHY_ROWS; r++) {
			sum[r] += ms[r];
			squares[r] += ms[r] * ms[r];
		}
	}
	for (int r = 0; r < WHY_ROWS && used > 0; r++) {
		double m = sum[r] / used, v = squares[r] / used - m * m;

		variance[r] += (used - 1) * (v > 0 ? v : 0);
	}
}

static void jackknife(const struct set_config *a, const struct set_config *b, const char *process,
                      double level, double df, struct why_split *out)
{
	double variance[WHY_ROWS] = {0}, t = stat_t_quantile(.5 + level / 2, df);

	leave_out(a, b, process, 0, variance);
	leave_out(a, b, process, 1, variance);
	for (int r = 0; r < WHY_ROWS; r++) {
		double half = t * sqrt(variance[r]);

		out->at[r] = (struct interval){out->ms[r] - half, out->ms[r] + half};
	}
}

bool why_split(const struct set_config *a, const struct set_config *b, const char *process,
               double level, struct why_split *out, const char **reason)
{
	struct pool pa, pb;

	*reason = "no process has frames";
	if (!process)
		return false;
	pa = pool(a, process, SIZE_MAX);
	pb = pool(b, process, SIZE_MAX);
	*reason =
	        "no frame whose threads and speeds of CPUs are known (platform.yaml, sched_switch, "
	        "cpu_frequency)";
	if (!pa.runs || !pb.runs || !split(&pa, &pb, out->ms))
		return false;
	out->from = mean_of(&pa);
	out->to = mean_of(&pb);
	for (int r = 0; r < WHY_ROWS; r++)
		out->at[r] = (struct interval){(double)NAN, (double)NAN};
	if (pa.runs > 1 && pb.runs > 1)
		jackknife(a, b, process, level, (double)(pa.runs + pb.runs) - 2, out);
	return true;
}
