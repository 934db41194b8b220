/* Frames as metrics, and as what a comparison of runs needs of them. */
#include "analysis/frames.h"
#include "analysis/summary.h"

#include <math.h>
#include <stdio.h>

static void add(struct metric_rows *m, enum metric_id id, const struct frame_process *p, double v,
                const char *why_not)
{
	if (isnan(v))
		metric_add_missing(m, id, p->name, why_not);
	else
		metric_add(m, id, p->name, v);
}

/* A part of the run time of the threads: by size of CPU. */
static void measure_sizes(const struct frames_state *s, struct metric_rows *m,
                          const struct frame_process *p)
{
	struct size_use use[WHY_SIZES_MAX];
	double work = 0;
	char scope[80];

	for (unsigned k = 0; k < s->why.n_sizes; k++) {
		use[k] = frames_use(s, p->pid, k, -1);
		work += use[k].work;
	}
	add(m, METRIC_ID_frame_small_work_pct, p,
	    s->why.n_sizes > 1 && work > 0 ? 100 * use[0].work / work : (double)NAN,
	    "one size of CPU, or its speed is not known");
	for (unsigned k = 0; k < s->why.n_sizes; k++) {
		if (use[k].run <= 0)
			continue;
		snprintf(scope, sizeof scope, "%s cap %.0f", p->name, 1024 * s->why.size_cap[k]);
		metric_add(m, METRIC_ID_frame_clock_pct, scope,
		           100 * use[k].clock_share / use[k].run);
	}
}

static void measure_bursts(struct metric_rows *m, const struct frame_process *p, bool speeds)
{
	add(m, METRIC_ID_frame_early_janky_count, p,
	    p->judged && p->bursts.n ? (double)p->early_janky / (double)p->bursts.n : (double)NAN,
	    frames_no_period);
	add(m, METRIC_ID_frame_early_speed_pct, p,
	    speeds ? frames_speed(&p->sum[FRAMES_EARLY]) : (double)NAN,
	    "speeds of CPUs are not known");
}

static void measure_process(const struct frames_state *s, struct metric_rows *m,
                            const struct frame_process *p)
{
	static const char none[] = "no frame with a start and an end",
	                  no_parts[] = "no frame whose markers and threads are known";
	const struct parts_sum *all = &p->sum[FRAMES_ALL];
	bool speeds = all->n && !pace_unknown(s->ctx);
	double n = (double)p->ns.n;

	metric_add(m, METRIC_ID_frame_used_count, p->name, (double)p->used.n);
	add(m, METRIC_ID_frame_mean_ms, p, n > 0 ? frame_mean(p) / 1e6 : (double)NAN, none);
	add(m, METRIC_ID_frame_p95_ms, p,
	    n > 0 ? quantile_of(p->ns.at, p->ns.n, .95) / 1e6 : (double)NAN, none);
	add(m, METRIC_ID_frame_p99_ms, p,
	    n > 0 ? quantile_of(p->ns.at, p->ns.n, .99) / 1e6 : (double)NAN, none);
	add(m, METRIC_ID_frame_max_ms, p, n > 0 ? (double)p->longest->ns / 1e6 : (double)NAN, none);
	add(m, METRIC_ID_frame_jank_pct, p,
	    p->judged ? 100.0 * (double)p->janky / (double)p->judged : (double)NAN,
	    frames_no_period);
	add(m, METRIC_ID_frame_hitch_ms_per_s, p, frame_hitch(p), frames_no_period);
	add(m, METRIC_ID_frame_work_ms, p,
	    speeds ? (double)all->parts.work / (double)all->n / 1e6 : (double)NAN,
	    all->n ? pace_unknown(s->ctx) : no_parts);
	add(m, METRIC_ID_frame_speed_pct, p, speeds ? frames_speed(all) : (double)NAN,
	    all->n ? pace_unknown(s->ctx) : no_parts);
	measure_bursts(m, p, speeds);
	if (speeds)
		measure_sizes(s, m, p);
}

void frames_measure(void *self, struct metric_rows *m)
{
	struct frames_state *s = self;

	for (size_t i = 0; i < s->table.at.n; i++)
		if (!s->table.at.at[i].display)
			measure_process(s, m, &s->table.at.at[i]);
}

/* ---- for comparisons ---- */

static void sums_of(const struct frames_state *s, const struct frame_process *p,
                    struct frame_sums *out)
{
	const struct frame_parts *x = &p->sum[FRAMES_ALL].parts;
	double n = (double)p->sum[FRAMES_ALL].n * 1e6;

	snprintf(out->process, sizeof out->process, "%s", p->name);
	out->frames = p->used.n;
	out->n = p->sum[FRAMES_ALL].n;
	if (!out->n)
		return;
	out->speeds = !pace_unknown(s->ctx);
	out->n_sizes = s->why.n_sizes < SUMMARY_SIZES ? s->why.n_sizes : SUMMARY_SIZES;
	for (unsigned k = 0; k < out->n_sizes; k++) {
		struct size_use u = frames_use(s, p->pid, k, -1);

		out->size_run[k] = u.run / 1e6;
		out->size_work[k] = u.work / 1e6;
		out->capacity[k] = 1024 * s->why.size_cap[k];
	}
	out->work = (double)x->work / n;
	out->run = (double)(x->work + x->clock + x->size) / n;
	out->no_speed = (double)x->no_speed / n;
	out->waiting = (double)x->waiting / n;
	out->blocked = (double)x->blocked / n;
	out->behind = (double)x->behind / n;
	out->gpu = (double)x->gpu / n;
	out->unknown = (double)x->unknown / n;
}

size_t session_frame_sums(struct session *session, struct frame_sums *out, size_t room)
{
	const struct frames_state *s = session_state(session, &analysis_frames);
	size_t n = 0;

	for (size_t i = 0; i < s->table.at.n && n < room; i++)
		if (!s->table.at.at[i].display)
			sums_of(s, &s->table.at.at[i], &out[n++]);
	return n;
}

double session_period_ns(struct session *session)
{
	const struct frames_state *s = session_state(session, &analysis_frames);

	return refresh_at(&s->refresh, s->ctx->from);
}
