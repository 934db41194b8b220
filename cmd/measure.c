#include "measure.h"

#include "known.h"

#include "source/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void fact(struct measured *m, const char *name, const char *value)
{
	enum { MOST = sizeof m->fact / sizeof *m->fact };

	if (!value || !*value || m->n_facts == MOST)
		return;
	snprintf(m->fact[m->n_facts][0], sizeof m->fact[0][0], "%s", name);
	snprintf(m->fact[m->n_facts][1], sizeof m->fact[0][1], "%.159s", value);
	m->n_facts++;
}

static void fact_real(struct measured *m, const char *name, double v)
{
	char text[32];

	if (isnan(v))
		return;
	snprintf(text, sizeof text, "%.6g", v);
	fact(m, name, text);
}

static void facts(struct measured *m, const struct trace_info *t, const struct run *r,
                  double period)
{
	fact(m, "kernel", t->kernel ? t->kernel : r ? r->kernel : NULL);
	fact(m, "device", t->device ? t->device : r ? r->device : NULL);
	fact(m, "build", t->build);
	if (period > 0)
		fact_real(m, "refresh Hz", round(1e10 / period) / 10);
	if (!r)
		return;
	fact(m, "workload", r->workload);
	fact(m, "signal", r->signal);
	fact_real(m, "PELT half-life ms", r->pelt_half_life_ms);
	fact_real(m, "multiplier", r->pelt_multiplier);
	fact_real(m, "WALT window ms", r->walt_window_ms);
	fact(m, "governor", r->governor);
	fact_real(m, "rate limit us", r->rate_limit_us);
	fact(m, "charging", r->charging);
	snprintf(m->boot, sizeof m->boot, "%s", r->boot ? r->boot : "");
}

static void take(struct measured *m, struct session *s, struct source *src, const struct known *k)
{
	const struct trace_quality *q = source_quality(src);

	m->good = true;
	m->metrics = session_metrics(s);
	m->n_frames = session_frame_sums(s, m->frames, MEASURE_PROCESSES);
	facts(m, source_info(src), k->run ? run_file_data(k->run) : NULL, session_period_ns(s));
	if (q->partial)
		snprintf(m->partial, sizeof m->partial, "%s",
		         q->n_notes ? q->notes[0] : "it is cut or damaged");
}

static void analyse(struct measured *m, struct source *src, const struct measure_opts *o,
                    const struct known *k)
{
	struct session_opts so = {.trace = source_info(src),
	                          .platform = k->platform,
	                          .run = k->run ? run_file_data(k->run) : NULL,
	                          .top = 1,
	                          .jank = o->jank,
	                          .refresh_hz = o->refresh_hz,
	                          .types = source_types,
	                          .types_of = src};
	struct session *s = session_new(&so);
	const struct event_type *types;
	const struct event *ev;
	struct err e = {0};
	unsigned n;

	source_want(src, session_wants);
	while ((ev = source_next(src)) && session_event(s, ev))
		;
	types = source_types(src, &n);
	if (!so.trace->clock_is_ns)
		snprintf(m->why, sizeof m->why, "%s: clock %s counts ticks of unknown length",
		         so.trace->path, so.trace->clock);
	else if (session_finish(s, source_quality(src), types, n, &e))
		take(m, s, src, k);
	else
		snprintf(m->why, sizeof m->why, "%s", e.msg);
	session_free(s);
}

void measure(const char *path, const struct measure_opts *o, struct measured *out)
{
	struct source_opts so = {0};
	struct err e = {0};
	struct source *src = source_open(path, &so, &e);
	struct known k;

	*out = (struct measured){.good = false};
	if (!src) {
		snprintf(out->why, sizeof out->why, "%s", e.msg);
		return;
	}
	if (known_of(&k, path, NULL, !o->platform, o->platform, &e))
		analyse(out, src, o, &k);
	if (!out->good && !out->why[0])
		snprintf(out->why, sizeof out->why, "%s", e.msg);
	known_free(&k);
	source_close(src);
}

static void add_parts(const struct frame_sums *f, struct run_set *s, struct set_run *r)
{
	struct set_parts *p = vec_add(&r->parts);

	*p = (struct set_parts){.process = set_text(s, f->process),
	                        .frames = f->frames,
	                        .n = f->n,
	                        .speeds = f->speeds,
	                        .n_sizes = f->n_sizes < SET_SIZES ? f->n_sizes : SET_SIZES,
	                        .work = f->work,
	                        .run = f->run,
	                        .no_speed = f->no_speed,
	                        .waiting = f->waiting,
	                        .blocked = f->blocked,
	                        .behind = f->behind,
	                        .gpu = f->gpu,
	                        .unknown = f->unknown};
	for (unsigned k = 0; k < p->n_sizes; k++) {
		p->size_run[k] = f->size_run[k];
		p->size_work[k] = f->size_work[k];
	}
}

void measured_add(const struct measured *m, struct run_set *s, struct set_run *r)
{
	if (!m->good) {
		r->failed = set_text(s, m->why);
		return;
	}
	r->partial = m->partial[0] ? set_text(s, m->partial) : NULL;
	r->boot = m->boot[0] ? set_text(s, m->boot) : NULL;
	for (size_t i = 0; i < m->n_facts; i++)
		set_fact(s, r, m->fact[i][0], m->fact[i][1]);
	for (size_t i = 0; i < m->metrics.rows.n; i++) {
		const struct metric_row *row = &m->metrics.rows.at[i];

		set_add(s, r, set_metric(s, row->id, row->scope),
		        row->reason ? (double)NAN : row->value, row->reason);
	}
	for (size_t i = 0; i < m->n_frames; i++)
		add_parts(&m->frames[i], s, r);
}

void measured_free(struct measured *m)
{
	metric_rows_free(&m->metrics);
}
