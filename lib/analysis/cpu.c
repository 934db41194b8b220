/* CPUs: busy, idle and unknown time, context switches. */
#include "analysis/analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A reading of /proc/stat, and what was rebuilt up to the same moment. */
struct reading {
	int64_t t, busy_ns, rebuilt_ns, unknown_ns;
};

struct use {
	int64_t ns[3]; /* by enum cpu_state */
	int64_t offline_ns;
	uint64_t switches;
	struct reading first, last;
	unsigned readings;
};

struct cpus {
	struct context *ctx;
	VEC(struct use) cpu;
};

static struct use *use_of(struct cpus *s, uint32_t cpu)
{
	if (__builtin_expect(cpu >= s->cpu.n, 0))
		vec_fit(&s->cpu, (size_t)cpu + 1);
	return &s->cpu.at[cpu];
}

void cpu_hears_cpu_seg(void *self, const struct cpu_seg *f)
{
	struct use *u = use_of(self, f->cpu);

	u->ns[f->state] += f->t1 - f->t0;
	u->switches += f->switched;
	if (f->offline)
		u->offline_ns += f->t1 - f->t0;
}

void cpu_hears_cpu_times(void *self, const struct cpu_times *f)
{
	struct use *u = use_of(self, f->cpu);

	u->last = (struct reading){f->t, f->busy_ns, u->ns[CPU_BUSY], u->ns[CPU_UNKNOWN]};
	if (!u->readings++)
		u->first = u->last;
}

static void begin(void *self)
{
	struct cpus *s = self;

	vec_zero(&s->cpu);
}

double cpu_unknown_pct(const struct context *c)
{
	const struct cpus *s = session_state((const struct session *)c, &analysis_cpu);
	double sum = 0;
	int64_t n = 0;

	for (uint32_t i = 0; i < replay_n_cpus(c->replay); i++) {
		if (!replay_cpu_seen(c->replay, i))
			continue;
		n++;
		sum += i < s->cpu.n ? (double)s->cpu.at[i].ns[CPU_UNKNOWN] : 0;
	}
	return n && window_ns(c) > 0 ? 100.0 * sum / ((double)window_ns(c) * (double)n) : 0;
}

int64_t cpu_ns(const struct context *c, uint32_t cpu, enum cpu_state state)
{
	return use_of(session_state((const struct session *)c, &analysis_cpu), cpu)->ns[state];
}

/* Why there are no numbers for the CPU, or NULL. */
static const char *no_numbers(const struct context *c, uint32_t cpu)
{
	if (!replay_cpu_seen(c->replay, cpu))
		return "the CPU wrote no event (offline, filtered out, or idle all the time)";
	return context_no_sched(c);
}

/* Busy time by /proc/stat, beside what was rebuilt between the same two readings. */
static void json_proc_stat(const struct use *u, struct json *j)
{
	if (u->readings < 2) {
		json_missing(
		        j, "proc_stat",
		        "no two readings of /proc/stat in the window (Perfetto: linux.sys_stats)");
		return;
	}
	json_object_line(j, "proc_stat");
	json_int(j, "from_ns", u->first.t);
	json_int(j, "to_ns", u->last.t);
	json_int(j, "busy_ns", u->last.busy_ns - u->first.busy_ns);
	json_int(j, "rebuilt_ns", u->last.rebuilt_ns - u->first.rebuilt_ns);
	json_int(j, "unknown_ns", u->last.unknown_ns - u->first.unknown_ns);
	json_end(j);
}

static void json_cpu(void *self, uint32_t cpu, struct json *j)
{
	struct cpus *s = self;
	const struct use *u = use_of(s, cpu);
	const char *why = no_numbers(s->ctx, cpu);
	int32_t capacity = context_capacity(s->ctx, cpu);

	json_int(j, "cpu", cpu);
	if (capacity)
		json_int(j, "capacity", capacity);
	else
		json_missing(j, "capacity",
		             s->ctx->opts.platform ? "not in the platform file"
		                                   : "not in the trace; give --platform");
	if (why) {
		json_missing(j, "busy_ns", why);
		json_missing(j, "idle_ns", why);
		json_int(j, "unknown_ns", window_ns(s->ctx));
		json_missing(j, "switches", why);
		return;
	}
	json_int(j, "busy_ns", u->ns[CPU_BUSY]);
	json_int(j, "idle_ns", u->ns[CPU_IDLE]);
	json_int(j, "unknown_ns", u->ns[CPU_UNKNOWN]);
	if (u->offline_ns)
		json_int(j, "offline_ns", u->offline_ns);
	json_int(j, "switches", (int64_t)u->switches);
	json_proc_stat(u, j);
}

static void json(void *self, struct json *j)
{
	struct cpus *s = self;

	json_array(j, "cpus");
	for (uint32_t i = 0; i < replay_n_cpus(s->ctx->replay); i++) {
		if (!context_has_cpu(s->ctx, i))
			continue;
		json_object(j, NULL);
		session_json_cpu(s->ctx, i, j);
		json_end(j);
	}
	json_end(j);
}

static void measure(void *self, struct metric_rows *m)
{
	struct cpus *s = self;
	const struct context *c = s->ctx;
	uint64_t switches = 0;

	for (uint32_t i = 0; i < replay_n_cpus(c->replay); i++) {
		const struct use *u = use_of(s, i);
		int64_t known = u->ns[CPU_BUSY] + u->ns[CPU_IDLE];
		char scope[24];

		snprintf(scope, sizeof scope, "cpu%u", i);
		switches += u->switches;
		if (!context_has_cpu(c, i))
			continue;
		if (no_numbers(c, i) || !known)
			metric_add_missing(m, METRIC_ID_cpu_busy_pct, scope,
			                   no_numbers(c, i) ? no_numbers(c, i) : "no known time");
		else
			metric_add(m, METRIC_ID_cpu_busy_pct, scope,
			           100.0 * (double)u->ns[CPU_BUSY] / (double)known);
	}
	if (context_no_sched(c) || window_ns(c) <= 0)
		metric_add_missing(m, METRIC_ID_switches_per_s, "all",
		                   context_no_sched(c) ? context_no_sched(c) : "empty window");
	else
		metric_add(m, METRIC_ID_switches_per_s, "all",
		           (double)switches * 1e9 / (double)window_ns(c));
}

static void show_row(struct cpus *s, struct doc *d, uint32_t i)
{
	const struct use *u = use_of(s, i);
	int64_t known = u->ns[CPU_BUSY] + u->ns[CPU_IDLE];
	int32_t capacity = context_capacity(s->ctx, i);

	doc_int(d, i);
	if (capacity)
		doc_int(d, capacity);
	else
		doc_missing(d);
	if (no_numbers(s->ctx, i)) {
		doc_missing(d);
		doc_missing(d);
		doc_missing(d);
		doc_pct(d, 1, 1, 3);
		doc_missing(d);
		doc_missing(d);
		return;
	}
	doc_s(d, u->ns[CPU_BUSY], 6);
	doc_pct(d, u->ns[CPU_BUSY], known, 2);
	doc_s(d, u->ns[CPU_IDLE], 6);
	doc_pct(d, u->ns[CPU_UNKNOWN], window_ns(s->ctx), 3);
	doc_int(d, (int64_t)u->switches);
	if (window_ns(s->ctx) > 0)
		doc_real(d, (double)u->switches * 1e9 / (double)window_ns(s->ctx), 1);
	else
		doc_missing(d);
}

static void show_proc_stat(struct cpus *s, struct doc *d)
{
	for (uint32_t i = 0; i < replay_n_cpus(s->ctx->replay); i++) {
		const struct use *u = use_of(s, i);
		int64_t busy = u->last.busy_ns - u->first.busy_ns;
		int64_t rebuilt = u->last.rebuilt_ns - u->first.rebuilt_ns;

		if (u->readings < 2 || !context_has_cpu(s->ctx, i) || no_numbers(s->ctx, i))
			continue;
		doc_note(d,
		         "cpu%u from %.3f s to %.3f s: busy %.3f s by /proc/stat, %.3f s rebuilt "
		         "(%+.3f s), %.3f s unknown",
		         i, (double)(u->first.t - s->ctx->start) / 1e9,
		         (double)(u->last.t - s->ctx->start) / 1e9, (double)busy / 1e9,
		         (double)rebuilt / 1e9, (double)(rebuilt - busy) / 1e9,
		         (double)(u->last.unknown_ns - u->first.unknown_ns) / 1e9);
	}
}

static void show(void *self, struct doc *d)
{
	static const struct column columns[] = {
	        {"cpu", NULL, false},      {"capacity", NULL, false}, {"busy", "s", false},
	        {"busy", "%", false},      {"idle", "s", false},      {"unknown", "%", false},
	        {"switches", NULL, false}, {"per s", NULL, false},
	};
	struct cpus *s = self;
	uint32_t without = 0;

	if (context_no_sched(s->ctx)) {
		doc_section(d, "CPUS", "%s: who ran is not known", context_no_sched(s->ctx));
		return;
	}
	doc_section(d, "CPUS",
	            "busy: a task other than idle was current; busy %% is of the known time, "
	            "unknown %% of the window%s",
	            context_has_capacities(s->ctx) ? "" : "; capacity: give --platform");
	doc_table(d, columns, sizeof columns / sizeof *columns);
	for (uint32_t i = 0; i < replay_n_cpus(s->ctx->replay); i++) {
		if (!context_has_cpu(s->ctx, i))
			continue;
		without += !replay_cpu_seen(s->ctx->replay, i);
		show_row(s, d, i);
	}
	if (without)
		doc_note(d, "%u CPUs wrote no event: offline, filtered out, or idle all the time",
		         without);
	show_proc_stat(s, d);
}

static void free_cpus(void *self)
{
	struct cpus *s = self;

	vec_free(&s->cpu);
}

const struct analysis analysis_cpu = {
        .name = "cpu",
        .question = "how busy was each CPU",
        .size = sizeof(struct cpus),
        .begin = begin,
        .json = json,
        .json_cpu = json_cpu,
        .measure = measure,
        .show = show,
        .free = free_cpus,
};
