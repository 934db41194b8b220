/* Energy: estimated by the platform's energy model, and measured by power rails.
 *
 * em.L0 is power(clock) x busy time, over all CPUs; em.L1 adds idle powers and clusters (reference
 * signals.md 4.3). Where the clock or what a CPU did is not known, the energy lies between two
 * bounds; it is one number when they are close. */
#include "analysis/analysis.h"

#include "base/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RAILS_MAX = 4096, IDLE_STATES_MAX = 16 };
#define CLOSE .02 /* of bounds that count as one number: it is right within 1 % */

/* uW ns, that is fJ */
struct bounds {
	double low, high;
};

struct estimate {
	struct bounds l0, l1; /* l1.low < 0: no idle powers */
	int64_t odd_ns;       /* busy at a clock that the platform does not have */
	bool odd_idle;        /* it was in an idle state whose power the platform does not tell */
};

/* What the CPUs of a domain are in, for the power of their cluster. */
struct cluster {
	size_t deep, known; /* CPUs in their deepest idle state; CPUs whose state is known */
	int64_t since, on_ns, unknown_ns;
};

struct measured {
	uint32_t rail;
	char name[48];
	int64_t samples, first_t, last_t, first_uws, last_uws;
};

struct energy {
	struct context *ctx;
	VEC(struct cluster) clusters; /* by domain of the platform */
	VEC(struct measured) rails;
	struct map rail_by; /* number */
};

/* ---- clusters ---- */

static void count_cluster(struct energy *s, size_t domain, int64_t t)
{
	const struct platform_domain *d = &s->ctx->opts.platform->domains[domain];
	struct cluster *c = &s->clusters.at[domain];
	int64_t ns = t - (c->since > s->ctx->from ? c->since : s->ctx->from);

	c->since = t;
	if (ns <= 0)
		return;
	if (c->known > c->deep)
		c->on_ns += ns;
	else if (c->known < d->n_cpus)
		c->unknown_ns += ns;
}

void energy_hears_idle_change(void *self, const struct idle_change *f)
{
	struct energy *s = self;
	const struct platform *p = s->ctx->opts.platform;
	const struct platform_domain *d = platform_domain_of(p, f->cpu);
	struct cluster *c;
	int32_t deepest;

	if (!d || !d->cluster_uw || !d->n_idle)
		return;
	vec_fit(&s->clusters, p->n_domains);
	c = &s->clusters.at[d - p->domains];
	count_cluster(s, (size_t)(d - p->domains), f->t);
	deepest = (int32_t)d->n_idle - 1;
	c->known += (size_t)(f->to != IDLE_UNKNOWN) - (size_t)(f->from != IDLE_UNKNOWN);
	c->deep += (size_t)(f->to == deepest) - (size_t)(f->from == deepest);
}

/* ---- rails ---- */

void energy_hears_rail(void *self, const struct rail *f)
{
	struct energy *s = self;
	uint32_t i = map_get(&s->rail_by, f->rail, 0);
	struct measured *m;

	if (!s->ctx->window_open || f->t < s->ctx->from || (!i && s->rails.n >= RAILS_MAX))
		return;
	if (!i) {
		m = vec_add(&s->rails);
		m->rail = f->rail;
		snprintf(m->name, sizeof m->name, "%.*s", (int)str_len(f->name),
		         f->name.p ? f->name.p : "");
		i = (uint32_t)s->rails.n;
		map_put(&s->rail_by, f->rail, 0, i);
	}
	m = &s->rails.at[i - 1];
	if (!m->samples++) {
		m->first_t = f->t;
		m->first_uws = f->uws;
	}
	m->last_t = f->t;
	m->last_uws = f->uws;
}

static void begin(void *self)
{
	struct energy *s = self;

	s->rails.n = 0;
	map_free(&s->rail_by);
	for (size_t i = 0; i < s->clusters.n; i++) {
		s->clusters.at[i].since = s->ctx->from;
		s->clusters.at[i].on_ns = s->clusters.at[i].unknown_ns = 0;
	}
}

/* ---- the estimate ---- */

/* Power at the lowest clock of the platform that is not below this one, as the kernel picks it. */
static int64_t power_at(const struct platform_domain *d, int64_t khz, bool *exact)
{
	size_t i = 0;

	while (i + 1 < d->n_khz && d->khz[i] < khz)
		i++;
	*exact = d->khz[i] == khz;
	return d->power_uw[i];
}

static struct bounds range_of(const int64_t *power, size_t n)
{
	struct bounds b = {n ? (double)power[0] : 0, n ? (double)power[0] : 0};

	for (size_t i = 1; i < n; i++) {
		b.low = (double)power[i] < b.low ? (double)power[i] : b.low;
		b.high = (double)power[i] > b.high ? (double)power[i] : b.high;
	}
	return b;
}

static void add(struct bounds *b, struct bounds power, int64_t ns)
{
	b->low += power.low * (double)ns;
	b->high += power.high * (double)ns;
}

static void add_busy(const struct context *c, const struct platform_domain *d, uint32_t cpu,
                     struct estimate *e)
{
	struct bounds any = range_of(d->power_uw, d->n_khz);
	struct freq_step s;
	bool exact;

	for (size_t i = 0; freq_step_at(c, cpu, i, &s); i++) {
		double power = (double)power_at(d, s.khz, &exact);

		add(&e->l0, (struct bounds){power, power}, s.busy_ns);
		e->odd_ns += exact ? 0 : s.busy_ns;
	}
	add(&e->l0, any, freq_unknown_busy_ns(c, cpu));
	any.low = 0; /* it may have been idle */
	add(&e->l0, any, cpu_ns(c, cpu, CPU_UNKNOWN));
}

static void add_idle(const struct context *c, const struct platform_domain *d, uint32_t cpu,
                     struct bounds *b)
{
	struct bounds any = range_of(d->idle_uw, d->n_idle);
	int64_t unknown = idle_ns(c, cpu, IDLE_UNKNOWN), idle = cpu_ns(c, cpu, CPU_IDLE);

	for (size_t i = 0; i < d->n_idle; i++) {
		double power = (double)d->idle_uw[i];

		add(b, (struct bounds){power, power}, idle_ns(c, cpu, (int32_t)i));
	}
	add(b, any, unknown < idle ? unknown : idle);
}

/* Whether the CPU was in a state behind those that the platform tells. */
static bool has_odd_idle(const struct context *c, const struct platform_domain *d, uint32_t cpu)
{
	for (int32_t i = (int32_t)d->n_idle; i < IDLE_STATES_MAX; i++)
		if (idle_ns(c, cpu, i))
			return true;
	return false;
}

static struct estimate estimate(struct energy *s, const struct platform_domain *d)
{
	const struct platform *p = s->ctx->opts.platform;
	struct estimate e = {.odd_ns = 0};
	size_t domain = (size_t)(d - p->domains);

	for (size_t i = 0; i < d->n_cpus; i++)
		if (replay_cpu_exists(s->ctx->replay, d->cpus[i]))
			add_busy(s->ctx, d, d->cpus[i], &e);
	e.l1 = e.l0;
	for (size_t i = 0; i < d->n_cpus; i++)
		if (replay_cpu_exists(s->ctx->replay, d->cpus[i])) {
			add_idle(s->ctx, d, d->cpus[i], &e.l1);
			e.odd_idle |= has_odd_idle(s->ctx, d, d->cpus[i]);
		}
	if (d->cluster_uw) {
		double power = (double)d->cluster_uw;

		vec_fit(&s->clusters, p->n_domains);
		count_cluster(s, domain, s->ctx->to);
		add(&e.l1, (struct bounds){power, power}, s->clusters.at[domain].on_ns);
		add(&e.l1, (struct bounds){0, power}, s->clusters.at[domain].unknown_ns);
	}
	if (!d->n_idle || e.odd_idle)
		e.l1 = (struct bounds){-1, -1};
	return e;
}

static bool is_close(struct bounds b)
{
	return b.high - b.low <= CLOSE * b.high;
}

static double mj(double fj)
{
	return fj / 1e12;
}

static double middle_mj(struct bounds b)
{
	return mj((b.low + b.high) / 2);
}

/* mJ over the window to mW. */
static double mw(const struct context *c, double millijoule)
{
	return window_ns(c) > 0 ? millijoule * 1e9 / (double)window_ns(c) : 0;
}

/* Why there is no estimate for the domain, or NULL. */
static const char *no_estimate(const struct context *c, const struct platform_domain *d)
{
	if (context_no_sched(c))
		return context_no_sched(c);
	if (!d->n_khz || !d->power_uw)
		return "the platform does not tell the powers of this domain";
	return NULL;
}

static const char no_idle[] = "the platform does not tell the powers of all idle states";
static const char too_wide[] = "clock or CPU state unknown for too long: see low and high";
static const char no_powers[] = "no powers: give a --platform with an energy model";

/* Sum over the domains; the reason why there is none, or NULL. */
static const char *total(struct energy *s, struct estimate *sum)
{
	const struct platform *p = s->ctx->opts.platform;

	*sum = (struct estimate){.odd_ns = 0};
	if (!p || !p->n_domains)
		return no_powers;
	for (uint32_t i = 0; i < replay_n_cpus(s->ctx->replay); i++)
		if (replay_cpu_exists(s->ctx->replay, i) && !platform_domain_of(p, i))
			return "a CPU is in no domain of the platform";
	for (size_t i = 0; i < p->n_domains; i++) {
		const char *why = no_estimate(s->ctx, &p->domains[i]);
		struct estimate e;

		if (why)
			return why;
		e = estimate(s, &p->domains[i]);
		sum->l0.low += e.l0.low;
		sum->l0.high += e.l0.high;
		sum->l1.low = e.l1.low < 0 || sum->l1.low < 0 ? -1 : sum->l1.low + e.l1.low;
		sum->l1.high += e.l1.high;
		sum->odd_ns += e.odd_ns;
	}
	return NULL;
}

/* ---- results ---- */

static void json_layer(const struct context *c, struct json *j, const char *key, struct bounds b,
                       const char *why)
{
	if (why) {
		json_missing(j, key, why);
		return;
	}
	json_object_line(j, key);
	if (is_close(b)) {
		json_int(j, "nj", (int64_t)((b.low + b.high) / 2e6));
		json_real(j, "mw", mw(c, middle_mj(b)));
	} else {
		json_missing(j, "nj", too_wide);
	}
	json_int(j, "low_nj", (int64_t)(b.low / 1e6));
	json_int(j, "high_nj", (int64_t)(b.high / 1e6));
	json_end(j);
}

static void json_estimate(const struct context *c, struct json *j, const struct estimate *e,
                          const char *why)
{
	json_layer(c, j, "em_L0", e->l0, why);
	json_layer(c, j, "em_L1", e->l1, why ? why : e->l1.low < 0 ? no_idle : NULL);
}

/* uJ between its first and last sample; negative: fewer than two, or a counter that fell. */
static double rail_uj(const struct measured *m)
{
	return m->last_t > m->first_t ? (double)(m->last_uws - m->first_uws) : -1;
}

static double rail_mw(const struct measured *m)
{
	return rail_uj(m) * 1e6 / (double)(m->last_t - m->first_t);
}

static void json_rails(struct energy *s, struct json *j)
{
	if (!s->rails.n) {
		json_missing(j, "rails", "no power rails in the window");
		return;
	}
	json_array(j, "rails");
	for (size_t i = 0; i < s->rails.n; i++) {
		const struct measured *m = &s->rails.at[i];
		double uj = rail_uj(m);

		json_object_line(j, NULL);
		json_int(j, "rail", m->rail);
		json_text(j, "name", m->name);
		json_int(j, "samples", m->samples);
		json_int(j, "from_ns", m->first_t);
		json_int(j, "to_ns", m->last_t);
		if (uj >= 0) {
			json_real(j, "mj", uj / 1e3);
			json_real(j, "mw", rail_mw(m));
		} else {
			json_missing(j, "mj", "fewer than two samples, or a counter that fell");
		}
		json_end(j);
	}
	json_end(j);
}

static const char *source_of(const struct platform *p)
{
	return p->source ? p->source : p->name ? p->name : "the platform file";
}

static void json(void *self, struct json *j)
{
	struct energy *s = self;
	const struct platform *p = s->ctx->opts.platform;
	struct estimate e;
	const char *why = total(s, &e);

	json_object(j, "energy");
	if (p)
		json_text(j, "source", source_of(p));
	json_estimate(s->ctx, j, &e, why);
	if (!why)
		json_int(j, "odd_clock_ns", e.odd_ns);
	json_array(j, "domains");
	for (size_t i = 0; p && i < p->n_domains; i++) {
		const struct platform_domain *d = &p->domains[i];
		const char *none = no_estimate(s->ctx, d);
		struct estimate own = {.odd_ns = 0};

		if (!none)
			own = estimate(s, d);
		json_object(j, NULL);
		json_array_line(j, "cpus");
		for (size_t k = 0; k < d->n_cpus; k++)
			json_int(j, NULL, d->cpus[k]);
		json_end(j);
		json_estimate(s->ctx, j, &own, none);
		json_end(j);
	}
	json_end(j);
	json_rails(s, j);
	json_end(j);
}

static void measure_layer(const struct context *c, struct metric_rows *m, enum metric_id of_mj,
                          enum metric_id of_mw, struct bounds b, const char *why)
{
	if (!why && !is_close(b))
		why = too_wide;
	if (why) {
		metric_add_missing(m, of_mj, "all", why);
		metric_add_missing(m, of_mw, "all", why);
	} else {
		metric_add(m, of_mj, "all", middle_mj(b));
		metric_add(m, of_mw, "all", mw(c, middle_mj(b)));
	}
}

/* Whether the rail feeds CPUs, by its name. */
static bool is_cpu_rail(const char *name)
{
	return strcasestr(name, "cpu") != NULL;
}

static void measure(void *self, struct metric_rows *m)
{
	struct energy *s = self;
	struct estimate e;
	const char *why = total(s, &e);
	double cpu = 0;
	bool any = false;

	measure_layer(s->ctx, m, METRIC_ID_energy_em_L0_mj, METRIC_ID_energy_em_L0_mw, e.l0, why);
	measure_layer(s->ctx, m, METRIC_ID_energy_em_L1_mj, METRIC_ID_energy_em_L1_mw, e.l1,
	              why            ? why
	              : e.l1.low < 0 ? no_idle
	                             : NULL);
	if (!why && s->ctx->main_frames && is_close(e.l1.low < 0 ? e.l0 : e.l1))
		metric_add(m, METRIC_ID_energy_frame_mj, "all",
		           middle_mj(e.l1.low < 0 ? e.l0 : e.l1) / (double)s->ctx->main_frames);
	else
		metric_add_missing(m, METRIC_ID_energy_frame_mj, "all",
		                   why                   ? why
		                   : s->ctx->main_frames ? "clocks or states are not known for long"
		                                         : "no frames");
	for (size_t i = 0; i < s->rails.n; i++) {
		const struct measured *r = &s->rails.at[i];
		double uj = rail_uj(r);

		if (uj < 0)
			continue;
		metric_add(m, METRIC_ID_energy_rail_mj, r->name, uj / 1e3);
		metric_add(m, METRIC_ID_energy_rail_mw, r->name, rail_mw(r));
		any |= is_cpu_rail(r->name);
		cpu += is_cpu_rail(r->name) ? uj / 1e3 : 0;
	}
	if (any)
		metric_add(m, METRIC_ID_energy_rail_cpu_mj, "all", cpu);
	else
		metric_add_missing(m, METRIC_ID_energy_rail_cpu_mj, "all",
		                   "no power rail of CPUs with two samples in the window");
}

static void show_layer(const struct context *c, struct doc *d, struct bounds b, bool none)
{
	char text[64];

	if (none) {
		doc_missing(d);
		doc_missing(d);
	} else if (is_close(b)) {
		doc_real(d, middle_mj(b), 1);
		doc_real(d, mw(c, middle_mj(b)), 1);
	} else {
		snprintf(text, sizeof text, "%.1f..%.1f", mj(b.low), mj(b.high));
		doc_text(d, text);
		snprintf(text, sizeof text, "%.1f..%.1f", mw(c, mj(b.low)), mw(c, mj(b.high)));
		doc_text(d, text);
	}
}

static void show_row(struct energy *s, struct doc *d, const char *label, const struct estimate *e,
                     const char *why)
{
	doc_text(d, label);
	show_layer(s->ctx, d, e->l0, why != NULL);
	show_layer(s->ctx, d, e->l1, why || e->l1.low < 0);
}

static void show_domain(struct energy *s, struct doc *d, const struct platform_domain *p)
{
	const char *why = no_estimate(s->ctx, p);
	struct estimate e = {.odd_ns = 0};
	char label[80], *end = label;

	if (!why)
		e = estimate(s, p);
	end += snprintf(label, sizeof label, "cpu");
	for (size_t i = 0; i < p->n_cpus && end - label < 60; i++)
		end += snprintf(end, 16, "%s%" PRIu32, i ? "," : "", p->cpus[i]);
	if (p->name)
		snprintf(end, sizeof label - (size_t)(end - label), " %.12s", p->name);
	show_row(s, d, label, &e, why);
}

static void show_rails(struct energy *s, struct doc *d)
{
	static const struct column columns[] = {
	        {"rail", NULL, true},     {"mJ", NULL, false},  {"mW", NULL, false},
	        {"samples", NULL, false}, {"over", "s", false},
	};

	if (!s->rails.n)
		return;
	doc_table(d, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < s->rails.n && i < s->ctx->opts.top; i++) {
		const struct measured *m = &s->rails.at[i];
		double uj = rail_uj(m);

		doc_text(d, *m->name ? m->name : "(no name)");
		if (uj >= 0) {
			doc_real(d, uj / 1e3, 1);
			doc_real(d, rail_mw(m), 1);
		} else {
			doc_missing(d);
			doc_missing(d);
		}
		doc_int(d, m->samples);
		doc_s(d, m->last_t - m->first_t, 3);
	}
}

static void show(void *self, struct doc *d)
{
	static const struct column columns[] = {
	        {"domain", NULL, true}, {"em.L0", "mJ", false}, {"em.L0", "mW", false},
	        {"em.L1", "mJ", false}, {"em.L1", "mW", false},
	};
	struct energy *s = self;
	const struct platform *p = s->ctx->opts.platform;
	struct estimate e;
	const char *why = total(s, &e);
	char odd[120] = "";

	if (why && !s->rails.n) {
		doc_section(d, "ENERGY", "no rails in the trace; not estimated: %s", why);
		return;
	}
	if (why) {
		doc_section(d, "ENERGY", "measured by power rails; not estimated: %s", why);
		show_rails(s, d);
		return;
	}
	if (e.odd_ns)
		snprintf(odd, sizeof odd,
		         "; %.3g s of busy time at clocks that are not in the model: the next "
		         "higher one counts",
		         (double)e.odd_ns / 1e9);
	doc_section(d, "ENERGY",
	            "estimate, energy model of %s: L0 is busy time at its clock's power, L1 adds "
	            "idle and cluster powers%s; a range where clocks or states are unknown%s",
	            source_of(p), e.l1.low < 0 ? " (the platform does not tell them)" : "", odd);
	doc_table(d, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < p->n_domains; i++)
		show_domain(s, d, &p->domains[i]);
	show_row(s, d, "all", &e, NULL);
	show_rails(s, d);
}

/* "400.2 mJ (41.2 mW)" */
static void layer_text(const struct context *c, struct bounds b, char *out, size_t room)
{
	if (is_close(b))
		snprintf(out, room, "%.1f mJ (%.1f mW)", middle_mj(b), mw(c, middle_mj(b)));
	else
		snprintf(out, room, "%.1f..%.1f mJ (%.1f..%.1f mW)", mj(b.low), mj(b.high),
		         mw(c, mj(b.low)), mw(c, mj(b.high)));
}

static void page(void *self, struct doc *d)
{
	struct energy *s = self;
	struct estimate e;
	const char *why = total(s, &e);
	char rails[96] = "no rails in the trace", l0[64], l1[64], text[200];
	double cpu = 0;
	unsigned n = 0;

	for (size_t i = 0; i < s->rails.n; i++)
		if (is_cpu_rail(s->rails.at[i].name) && rail_uj(&s->rails.at[i]) >= 0) {
			cpu += rail_mw(&s->rails.at[i]);
			n++;
		}
	if (s->rails.n)
		snprintf(rails, sizeof rails, "%u CPU rails of %zu rails", n, s->rails.n);
	if (n)
		snprintf(rails, sizeof rails, "CPU rails %.1f mW", cpu);
	if (why) {
		doc_section(d, "ENERGY", "%s; not estimated: %s", rails, why);
		return;
	}
	layer_text(s->ctx, e.l0, l0, sizeof l0);
	snprintf(text, sizeof text, "em.L0 (busy time at its clock) %s", l0);
	if (e.l1.low >= 0) {
		layer_text(s->ctx, e.l1, l1, sizeof l1);
		snprintf(text, sizeof text, "em.L1 (with idle, clusters) %s, em.L0 %s", l1, l0);
	}
	doc_section(d, "ENERGY", "estimate: %s; %s", text, rails);
}

static void free_energy(void *self)
{
	struct energy *s = self;

	vec_free(&s->clusters);
	vec_free(&s->rails);
	map_free(&s->rail_by);
}

const struct analysis analysis_energy = {
        .name = "energy",
        .question = "what energy did the CPUs take, by the platform's energy model and by power "
                    "rails",
        .size = sizeof(struct energy),
        .begin = begin,
        .json = json,
        .measure = measure,
        .show = show,
        .page = page,
        .free = free_energy,
};
