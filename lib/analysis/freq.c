/* Clocks: residency in total and while busy, changes, limits; per CPU and per frequency domain. */
#include "analysis/analysis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef VEC(struct freq_step) steps_vec;

struct cpu_freq {
	steps_vec steps;  /* ascending */
	size_t last;      /* the step used last */
	steps_vec limits; /* time under each policy maximum; busy_ns unused */
	int64_t unknown_ns, unknown_busy_ns;
	uint64_t transitions; /* from one known clock to another */
	uint64_t history;     /* hash of the clocks in order, for finding domains */
	uint64_t seen;        /* values of the clock there were, the first included */
	int64_t min_limit_khz, max_limit_khz;
	bool marker_only;
};

/* A CPU and what it shares with the others of its domain. */
struct member {
	uint64_t count, history;
	uint32_t cpu;
};

struct freq {
	struct context *ctx;
	VEC(struct cpu_freq) cpus;
	/* CPUs by frequency domain, each domain by id; filled when results are asked for */
	VEC(struct member) members;
	VEC(uint32_t) first; /* by CPU: where its domain begins in members */
};

static struct cpu_freq *cpu_of(struct freq *s, uint32_t cpu)
{
	if (__builtin_expect(cpu >= s->cpus.n, 0))
		vec_fit(&s->cpus, (size_t)cpu + 1);
	return &s->cpus.at[cpu];
}

static struct freq_step *step_of(steps_vec *v, int64_t khz)
{
	size_t i = 0;

	while (i < v->n && v->at[i].khz < khz)
		i++;
	if (i == v->n || v->at[i].khz != khz) {
		vec_add(v);
		memmove(&v->at[i + 1], &v->at[i], (v->n - 1 - i) * sizeof *v->at);
		v->at[i] = (struct freq_step){.khz = khz};
	}
	return &v->at[i];
}

void freq_hears_cpu_seg(void *self, const struct cpu_seg *f)
{
	struct cpu_freq *c = cpu_of(self, f->cpu);
	int64_t ns = f->t1 - f->t0, busy = f->state == CPU_BUSY ? ns : 0;
	struct freq_step *s;

	if (f->max_khz)
		step_of(&c->limits, f->max_khz)->total_ns += ns;
	if (!f->khz) {
		c->unknown_ns += ns;
		c->unknown_busy_ns += busy;
		return;
	}
	if (c->last < c->steps.n && c->steps.at[c->last].khz == f->khz) {
		s = &c->steps.at[c->last];
	} else {
		s = step_of(&c->steps, f->khz);
		c->last = (size_t)(s - c->steps.at);
	}
	s->total_ns += ns;
	s->busy_ns += busy;
}

void freq_hears_freq_change(void *self, const struct freq_change *f)
{
	struct cpu_freq *c = cpu_of(self, f->cpu);

	c->transitions += f->from_khz != 0;
	c->marker_only = f->marker;
	c->history = (c->history ^ (uint64_t)f->to_khz) * 0x100000001b3u;
	c->seen++;
}

void freq_hears_limits_change(void *self, const struct limits_change *f)
{
	struct cpu_freq *c = cpu_of(self, f->cpu);

	c->min_limit_khz = f->min_khz;
	c->max_limit_khz = f->max_khz;
}

static void begin(void *self)
{
	struct freq *s = self;

	for (size_t i = 0; i < s->cpus.n; i++) {
		struct cpu_freq *c = &s->cpus.at[i];

		c->steps.n = c->limits.n = c->last = 0;
		c->unknown_ns = c->unknown_busy_ns = 0;
		c->transitions = 0;
	}
}

/* ---- sums ---- */

struct sums {
	int64_t total_ns, busy_ns;
	double total_khz_ns, busy_khz_ns;
};

static struct sums sums_of(const struct cpu_freq *c)
{
	struct sums s = {0};

	for (size_t i = 0; i < c->steps.n; i++) {
		const struct freq_step *x = &c->steps.at[i];

		s.total_ns += x->total_ns;
		s.busy_ns += x->busy_ns;
		s.total_khz_ns += (double)x->khz * (double)x->total_ns;
		s.busy_khz_ns += (double)x->khz * (double)x->busy_ns;
	}
	return s;
}

/* ---- domains ---- */

/* What CPUs of one domain have in common: the platform's domain, or the clocks they went through,
 * in the same order (at least three, so that it is not chance). Others stand alone. */
static struct member member_of(const struct freq *s, uint32_t cpu)
{
	const struct platform *p = s->ctx->opts.platform;
	const struct cpu_freq *c = &s->cpus.at[cpu];

	if (p && p->n_domains) {
		const struct platform_domain *d = platform_domain_of(p, cpu);

		if (d)
			return (struct member){0, (uint64_t)(d - p->domains), cpu};
	} else if (c->seen >= 3) {
		return (struct member){c->seen, c->history, cpu};
	}
	return (struct member){UINT64_MAX, cpu, cpu};
}

static int by_domain(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	if (x->history != y->history)
		return x->history < y->history ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static bool same_domain(const struct member *a, const struct member *b)
{
	return a->count == b->count && a->history == b->history;
}

static void find_domains(struct freq *s)
{
	size_t n = replay_n_cpus(s->ctx->replay);

	vec_fit(&s->cpus, n);
	if (s->members.n == s->cpus.n || !n)
		return;
	n = s->cpus.n;
	vec_fit(&s->members, n);
	vec_fit(&s->first, n);
	for (uint32_t i = 0; i < n; i++)
		s->members.at[i] = member_of(s, i);
	qsort(s->members.at, n, sizeof *s->members.at, by_domain);
	for (uint32_t i = 0, first = 0; i < n; i++) {
		if (!same_domain(&s->members.at[first], &s->members.at[i]))
			first = i;
		s->first.at[s->members.at[i].cpu] = first;
	}
}

/* The domain of a CPU: its first member, and the end of them. */
static const struct member *domain_of(const struct freq *s, uint32_t cpu, const struct member **end)
{
	const struct member *first = &s->members.at[s->first.at[cpu]], *m = first;

	while (m < s->members.at + s->members.n && same_domain(first, m))
		m++;
	*end = m;
	return first;
}

/* The first CPU of the domain, by which it goes. */
static uint32_t leader_of(const struct freq *s, uint32_t cpu)
{
	return s->members.at[s->first.at[cpu]].cpu;
}

/* "0-2,5": the CPUs of the domain. */
static void domain_name(const struct freq *s, uint32_t cpu, char *out, size_t room)
{
	const struct member *end, *m = domain_of(s, cpu, &end);
	size_t n = 0;

	out[0] = '\0';
	while (m < end && n + 24 < room) {
		uint32_t first = m->cpu;

		while (m + 1 < end && m[1].cpu == m->cpu + 1)
			m++;
		n += (size_t)snprintf(out + n, room - n, first == m->cpu ? "%s%u" : "%s%u-%u",
		                      n ? "," : "", first, m->cpu);
		m++;
	}
}

/* The highest clock: of the platform, else what the trace tells of the CPUs of the domain, what
 * they were seen at, or their policy maximum. 0: not known. */
static int64_t top_of(const struct freq *s, uint32_t cpu)
{
	const struct platform_domain *d = platform_domain_of(s->ctx->opts.platform, cpu);
	const struct member *end, *m = domain_of(s, cpu, &end);
	int64_t top = 0;

	if (d && d->n_khz)
		return d->khz[d->n_khz - 1];
	for (; m < end; m++) {
		const struct cpu_freq *c = &s->cpus.at[m->cpu];
		const struct trace_info *t = s->ctx->opts.trace;

		if (m->cpu < t->n_cpu_rows && t->cpus[m->cpu].top_khz > top)
			top = t->cpus[m->cpu].top_khz;
		if (c->steps.n && c->steps.at[c->steps.n - 1].khz > top)
			top = c->steps.at[c->steps.n - 1].khz;
		if (c->limits.n && c->limits.at[c->limits.n - 1].khz > top)
			top = c->limits.at[c->limits.n - 1].khz;
	}
	return top;
}

/* ---- for others ---- */

static struct freq *of_context(const struct context *c)
{
	return session_state((const struct session *)c, &analysis_freq);
}

bool freq_step_at(const struct context *c, uint32_t cpu, size_t i, struct freq_step *out)
{
	const struct freq *s = of_context(c);

	if (cpu >= s->cpus.n || i >= s->cpus.at[cpu].steps.n)
		return false;
	*out = s->cpus.at[cpu].steps.at[i];
	return true;
}

int64_t freq_unknown_busy_ns(const struct context *c, uint32_t cpu)
{
	return cpu_of(of_context(c), cpu)->unknown_busy_ns;
}

/* ---- results ---- */

static int64_t busy_at(const struct cpu_freq *c, int64_t khz)
{
	for (size_t i = 0; i < c->steps.n; i++)
		if (c->steps.at[i].khz == khz)
			return c->steps.at[i].busy_ns;
	return 0;
}

/* Time under a policy maximum below top, and time in which the maximum is known. */
static int64_t capped_ns(const struct cpu_freq *c, int64_t top, int64_t *known)
{
	int64_t capped = 0;

	*known = 0;
	for (size_t i = 0; i < c->limits.n; i++) {
		*known += c->limits.at[i].total_ns;
		if (c->limits.at[i].khz < top)
			capped += c->limits.at[i].total_ns;
	}
	return capped;
}

static const char none[] = "no cpu_frequency event or start marker for this CPU";
static const char no_busy[] = "no busy time with a known clock";

static void json_steps(struct json *j, const struct cpu_freq *c)
{
	json_array(j, "residency");
	for (size_t i = 0; i < c->steps.n; i++) {
		json_object_line(j, NULL);
		json_int(j, "khz", c->steps.at[i].khz);
		json_int(j, "total_ns", c->steps.at[i].total_ns);
		json_int(j, "busy_ns", c->steps.at[i].busy_ns);
		json_end(j);
	}
	json_end(j);
}

static void json_mean(struct json *j, const char *key, double khz_ns, int64_t ns, const char *why)
{
	if (ns)
		json_real(j, key, khz_ns / (double)ns);
	else
		json_missing(j, key, why);
}

static void json_cpu(void *self, uint32_t cpu, struct json *j)
{
	struct freq *s = self;
	const struct cpu_freq *c;
	struct sums x;
	int64_t known, capped;

	find_domains(s);
	c = cpu_of(s, cpu);
	x = sums_of(c);
	if (!c->seen && !c->limits.n) {
		json_missing(j, "frequency", none);
		return;
	}
	json_object(j, "frequency");
	json_int(j, "transitions", (int64_t)c->transitions);
	json_int(j, "unknown_ns", c->unknown_ns);
	json_mean(j, "mean_khz", x.total_khz_ns, x.total_ns, "no known clock in the window");
	json_mean(j, "mean_busy_khz", x.busy_khz_ns, x.busy_ns, no_busy);
	capped = capped_ns(c, top_of(s, cpu), &known);
	if (known) {
		json_int(j, "min_limit_khz", c->min_limit_khz);
		json_int(j, "max_limit_khz", c->max_limit_khz);
		json_int(j, "capped_ns", capped);
		json_int(j, "limit_unknown_ns", window_ns(s->ctx) - known);
	}
	json_steps(j, c);
	json_end(j);
}

/* The domain's clock is its first CPU's; busy time is summed over its CPUs. */
static void json_domain(struct freq *s, uint32_t leader, struct json *j)
{
	struct cpu_freq sum = {.transitions = s->cpus.at[leader].transitions};
	bool told = s->ctx->opts.platform && s->ctx->opts.platform->n_domains;
	const struct member *end, *m = domain_of(s, leader, &end);
	uint32_t n = 0;

	json_object(j, NULL);
	json_array_line(j, "cpus");
	for (; m < end; m++, n++) {
		const struct cpu_freq *c = &s->cpus.at[m->cpu];

		json_int(j, NULL, m->cpu);
		for (size_t k = 0; k < c->steps.n; k++) {
			struct freq_step *x = step_of(&sum.steps, c->steps.at[k].khz);

			x->busy_ns += c->steps.at[k].busy_ns;
			if (m->cpu == leader)
				x->total_ns += c->steps.at[k].total_ns;
		}
	}
	json_end(j);
	json_text(j, "source",
	          told    ? "platform"
	          : n > 1 ? "same clocks in the same order"
	                  : "alone");
	json_int(j, "transitions", (int64_t)sum.transitions);
	if (top_of(s, leader))
		json_int(j, "top_khz", top_of(s, leader));
	else
		json_missing(j, "top_khz", none);
	json_steps(j, &sum);
	json_end(j);
	vec_free(&sum.steps);
}

static void json(void *self, struct json *j)
{
	struct freq *s = self;

	find_domains(s);
	json_array(j, "domains");
	for (uint32_t i = 0; i < s->cpus.n; i++)
		if (s->cpus.at[i].seen && leader_of(s, i) == i)
			json_domain(s, i, j);
	json_end(j);
}

static void measure_cpu(struct freq *s, uint32_t cpu, struct metric_rows *m)
{
	const struct cpu_freq *c = cpu_of(s, cpu);
	struct sums x = sums_of(c);
	int64_t top = top_of(s, cpu), known, capped = capped_ns(c, top, &known);
	char scope[24];

	snprintf(scope, sizeof scope, "cpu%u", cpu);
	if (!x.total_ns) {
		metric_add_missing(m, METRIC_ID_freq_mean_khz, scope, none);
	} else {
		metric_add(m, METRIC_ID_freq_mean_khz, scope, x.total_khz_ns / (double)x.total_ns);
		metric_add(m, METRIC_ID_freq_transitions_per_s, scope,
		           (double)c->transitions * 1e9 / (double)window_ns(s->ctx));
	}
	if (!x.busy_ns) {
		metric_add_missing(m, METRIC_ID_freq_mean_busy_khz, scope,
		                   x.total_ns ? no_busy : none);
	} else {
		metric_add(m, METRIC_ID_freq_mean_busy_khz, scope,
		           x.busy_khz_ns / (double)x.busy_ns);
		metric_add(m, METRIC_ID_freq_top_pct, scope,
		           100.0 * (double)busy_at(c, top) / (double)x.busy_ns);
	}
	if (known)
		metric_add(m, METRIC_ID_freq_capped_pct, scope,
		           100.0 * (double)capped / (double)known);
	else
		metric_add_missing(m, METRIC_ID_freq_capped_pct, scope,
		                   "no cpu_frequency_limits event for this CPU");
}

static void measure(void *self, struct metric_rows *m)
{
	struct freq *s = self;

	find_domains(s);
	for (uint32_t i = 0; i < replay_n_cpus(s->ctx->replay); i++)
		if (context_has_cpu(s->ctx, i))
			measure_cpu(s, i, m);
}

static void doc_mhz(struct doc *d, double khz_ns, int64_t ns)
{
	if (ns)
		doc_real(d, khz_ns / (double)ns / 1e3, 0);
	else
		doc_missing(d);
}

static void show_cpu(struct freq *s, struct doc *d, uint32_t cpu)
{
	const struct cpu_freq *c = cpu_of(s, cpu);
	struct sums x = sums_of(c);
	int64_t top = top_of(s, cpu), known, capped = capped_ns(c, top, &known);
	char name[64], of_top[32];

	domain_name(s, leader_of(s, cpu), name, sizeof name);
	doc_int(d, cpu);
	doc_text(d, c->seen ? name : "-");
	doc_int(d, (int64_t)c->transitions);
	doc_mhz(d, x.total_khz_ns, x.total_ns);
	doc_mhz(d, x.busy_khz_ns, x.busy_ns);
	snprintf(of_top, sizeof of_top, "%" PRId64, top / 1000);
	doc_text(d, top ? of_top : "-");
	if (top)
		doc_pct(d, busy_at(c, top), x.busy_ns, 1);
	else
		doc_missing(d);
	doc_pct(d, capped, known, 1);
	doc_pct(d, c->unknown_ns, window_ns(s->ctx), 2);
}

/* Shares of the busy time in quarters of the top clock would hide the steps: list the steps. */
static void show_steps(struct freq *s, struct doc *d, uint32_t leader)
{
	const struct member *end, *m = domain_of(s, leader, &end);
	char line[480], name[64];
	struct cpu_freq sum = {0};
	int64_t busy = 0;
	size_t n = 0;

	for (; m < end; m++) {
		const struct cpu_freq *c = &s->cpus.at[m->cpu];

		for (size_t k = 0; k < c->steps.n; k++) {
			step_of(&sum.steps, c->steps.at[k].khz)->busy_ns += c->steps.at[k].busy_ns;
			busy += c->steps.at[k].busy_ns;
		}
	}
	for (size_t k = 0; busy && k < sum.steps.n && n + 40 < sizeof line; k++)
		n += (size_t)snprintf(line + n, sizeof line - n, "%s%" PRId64 " MHz %.1f",
		                      k ? ", " : "", sum.steps.at[k].khz / 1000,
		                      100.0 * (double)sum.steps.at[k].busy_ns / (double)busy);
	domain_name(s, leader, name, sizeof name);
	if (busy)
		doc_note(d, "busy %% of %s: %s", name, line);
	vec_free(&sum.steps);
}

static void show(void *self, struct doc *d)
{
	static const struct column columns[] = {
	        {"cpu", NULL, false},        {"domain", NULL, true},      {"changes", NULL, false},
	        {"mean", "MHz", false},      {"busy mean", "MHz", false}, {"top", "MHz", false},
	        {"busy at top", "%", false}, {"capped", "%", false},      {"unknown", "%", false},
	};
	struct freq *s = self;
	const struct platform *p = s->ctx->opts.platform;
	bool any = false, markers = false;

	find_domains(s);
	for (size_t i = 0; i < s->cpus.n; i++) {
		any |= s->cpus.at[i].seen || s->cpus.at[i].limits.n;
		markers |= s->cpus.at[i].marker_only;
	}
	if (!any) {
		doc_section(d, "CLOCK",
		            "no cpu_frequency event in the trace (record power:cpu_frequency; "
		            "hardware-managed clocks give none): clocks not known");
		return;
	}
	doc_section(d, "CLOCK",
	            "domains by %s; top: highest clock %s; capped: policy maximum below top; "
	            "unknown: before the first event and after gaps%s",
	            p && p->n_domains ? "platform file" : "equal clock changes",
	            p && p->n_domains && p->domains[0].n_khz ? "of the platform"
	                                                     : "seen or told by the trace",
	            markers ? "; some CPUs have start markers or samples only" : "");
	doc_table(d, columns, sizeof columns / sizeof *columns);
	for (uint32_t i = 0; i < replay_n_cpus(s->ctx->replay); i++)
		if (context_has_cpu(s->ctx, i))
			show_cpu(s, d, i);
	for (uint32_t i = 0; i < s->cpus.n; i++)
		if (s->cpus.at[i].seen && leader_of(s, i) == i)
			show_steps(s, d, i);
}

static void free_freq(void *self)
{
	struct freq *s = self;

	for (size_t i = 0; i < s->cpus.n; i++) {
		vec_free(&s->cpus.at[i].steps);
		vec_free(&s->cpus.at[i].limits);
	}
	vec_free(&s->cpus);
	vec_free(&s->members);
	vec_free(&s->first);
}

const struct analysis analysis_freq = {
        .name = "frequency",
        .question =
                "at which clocks did the CPUs run, in total and while busy, and were they capped",
        .size = sizeof(struct freq),
        .begin = begin,
        .json = json,
        .json_cpu = json_cpu,
        .measure = measure,
        .show = show,
        .free = free_freq,
};
