/* What was read, and how far it can be trusted. */
#include "analysis/analysis.h"

#include <inttypes.h>
#include <string.h>

enum { GAPS_KEPT = 100, GAPS_SHOWN = 8 };

struct quality {
	struct context *ctx;
	VEC(struct gap_over) list; /* the first GAPS_KEPT */
	uint64_t gaps, lost, unknown_gaps, inferred, sleeps;
	int64_t asleep_ns;
};

void quality_hears_gap(void *self, const struct gap *g)
{
	struct quality *q = self;

	q->gaps++;
	if (g->count < 0)
		q->unknown_gaps++;
	else
		q->lost += (uint64_t)g->count;
}

void quality_hears_gap_over(void *self, const struct gap_over *g)
{
	struct quality *q = self;

	if (q->list.n < GAPS_KEPT)
		*vec_add(&q->list) = *g;
}

void quality_hears_inferred(void *self, const struct inferred *i)
{
	struct quality *q = self;

	(void)i;
	q->inferred++;
}

void quality_hears_suspended(void *self, const struct suspended *f)
{
	struct quality *q = self;
	int64_t from = f->from > q->ctx->from ? f->from : q->ctx->from;

	q->sleeps++;
	q->asleep_ns += f->to > from ? f->to - from : 0;
}

static void begin(void *self)
{
	struct quality *q = self;

	q->list.n = 0;
	q->gaps = q->lost = q->unknown_gaps = q->inferred = q->sleeps = 0;
	q->asleep_ns = 0;
}

/* A counter of the kernel over all CPUs; -1 when no CPU tells. */
static int64_t kernel_counter(const struct trace_info *t, bool dropped)
{
	int64_t sum = -1;

	for (unsigned i = 0; i < t->n_cpu_rows; i++) {
		int64_t v = dropped ? t->cpus[i].dropped : t->cpus[i].overrun;

		if (v >= 0)
			sum = (sum < 0 ? 0 : sum) + v;
	}
	return sum;
}

static void json_counter(struct json *j, const char *key, int64_t v)
{
	if (v < 0)
		json_missing(j, key, "the trace has no ring-buffer statistics");
	else
		json_int(j, key, v);
}

static void json(void *self, struct json *j)
{
	struct quality *q = self;
	const struct trace_quality *t = q->ctx->quality;
	const struct trace_info *info = q->ctx->opts.trace;

	json_object(j, "quality");
	json_bool(j, "partial", t->partial);
	json_int(j, "lost_known", (int64_t)t->lost_known);
	json_int(j, "lost_gaps", (int64_t)t->lost_gaps);
	json_counter(j, "overrun", kernel_counter(info, false));
	json_counter(j, "dropped", kernel_counter(info, true));
	json_int(j, "bad_pages", (int64_t)t->bad_pages);
	json_int(j, "bad_events", (int64_t)t->bad_events);
	json_int(j, "early_events", (int64_t)t->early_events);
	json_int(j, "duplicates", (int64_t)t->duplicates);
	json_int(j, "backward_steps", (int64_t)t->backward_steps);
	json_int(j, "backward_max_ns", t->backward_max_ns);
	if (context_no_sched(q->ctx))
		json_missing(j, "inferred_switches", context_no_sched(q->ctx));
	else
		json_int(j, "inferred_switches", (int64_t)q->inferred);
	if (!info->clock_is_ns)
		json_missing(j, "unknown_pct", "the trace clock counts ticks of unknown length");
	else if (context_no_sched(q->ctx))
		json_missing(j, "unknown_pct", context_no_sched(q->ctx));
	else
		json_real(j, "unknown_pct", cpu_unknown_pct(q->ctx));
	json_int(j, "suspends", (int64_t)q->sleeps);
	json_int(j, "suspended_ns", q->asleep_ns);
	json_array(j, "gaps");
	for (size_t i = 0; i < q->list.n; i++) {
		json_object_line(j, NULL);
		json_int(j, "cpu", q->list.at[i].cpu);
		if (q->list.at[i].from == NO_TIME)
			json_missing(j, "from_ns", "before the trace");
		else
			json_int(j, "from_ns", q->list.at[i].from);
		json_int(j, "to_ns", q->list.at[i].to);
		json_end(j);
	}
	json_end(j);
	json_array(j, "notes");
	for (unsigned i = 0; i < t->n_notes; i++)
		json_text(j, NULL, t->notes[i]);
	json_end(j);
	json_end(j);
}

/* "cpu1 until 0.320 s, cpu0 2.5 to 2.6 s": where events are missing, in seconds from the start. */
static void show_gaps(const struct quality *q, struct doc *d)
{
	char line[400] = "";
	size_t n = 0, shown = 0, left_out = 0;

	for (size_t i = 0; i < q->list.n; i++) {
		const struct gap_over *g = &q->list.at[i];
		double to = (double)(g->to - q->ctx->start) / 1e9;

		if (g->to <= q->ctx->start)
			continue;
		if (shown == GAPS_SHOWN) {
			left_out++;
			continue;
		}
		n += (size_t)snprintf(line + n, sizeof line - n, "%scpu%u ", shown++ ? ", " : "",
		                      g->cpu);
		if (g->from <= q->ctx->start)
			n += (size_t)snprintf(line + n, sizeof line - n, "until %.6f s", to);
		else
			n += (size_t)snprintf(line + n, sizeof line - n, "%.6f to %.6f s",
			                      (double)(g->from - q->ctx->start) / 1e9, to);
	}
	if (shown)
		doc_note(d, "events are missing on %s%s", line, left_out ? ", ..." : "");
}

static void free_quality(void *self)
{
	struct quality *q = self;

	vec_free(&q->list);
}

enum { NOTES_ON_PAGE = 5 };

static void show_losses(struct quality *q, struct doc *d, unsigned most_notes)
{
	const struct trace_quality *t = q->ctx->quality;
	const struct trace_info *info = q->ctx->opts.trace;
	int64_t overrun = kernel_counter(info, false), dropped = kernel_counter(info, true);
	const char *sound = t->partial ? "PARTIAL: cut or damaged, see below" : "sound file";
	char kernel[96] = "", lost[64];

	if (overrun > 0 || dropped > 0)
		snprintf(kernel, sizeof kernel,
		         "; the kernel counted %" PRId64 " overwritten, %" PRId64 " refused",
		         overrun, dropped < 0 ? 0 : dropped);
	if (t->lost_gaps && !t->lost_known)
		snprintf(lost, sizeof lost, "%" PRIu64 " gaps of unknown size", t->lost_gaps);
	else
		snprintf(lost, sizeof lost, "%" PRIu64 " gaps, %" PRIu64 " events known lost",
		         t->lost_gaps, t->lost_known);
	if (!info->clock_is_ns || context_no_sched(q->ctx))
		doc_section(d, "quality", "%s; %s%s", sound, lost, kernel);
	else
		doc_section(d, "quality",
		            "%s; %s%s; CPU time unknown %.3g %%; switches inferred %" PRIu64, sound,
		            lost, kernel, cpu_unknown_pct(q->ctx), q->inferred);
	show_gaps(q, d);
	if (t->backward_steps)
		doc_note(d, "%" PRIu64 " steps back in time inside a CPU, at most %.3g us%s",
		         t->backward_steps, (double)t->backward_max_ns / 1e3,
		         t->backward_max_ns > 1000000 ? ": times are doubtful" : "");
	if (q->sleeps)
		doc_note(d,
		         "the machine was suspended %" PRIu64
		         " times, %.3f s: CPUs count as offline and idle, what ran as stopped",
		         q->sleeps, (double)q->asleep_ns / 1e9);
	if (t->bad_events)
		doc_note(d, "%" PRIu64 " records could not be decoded, or not wholly",
		         t->bad_events);
	if (t->early_events)
		doc_note(d,
		         "%" PRIu64 " events are from before the recording began: left out "
		         "(--early keeps them)",
		         t->early_events);
	if (t->duplicates)
		doc_note(d, "%" PRIu64 " bundles or events stand twice in the file: left out once",
		         t->duplicates);
	for (unsigned i = 0; i < t->n_notes && i < most_notes; i++)
		doc_note(d, "%s", t->notes[i]);
	if (t->n_notes > most_notes)
		doc_note(d, "%u more notes (--full)", t->n_notes - most_notes);
}

/* "0-3 cap 284, 300-1805 MHz": one text for each run of CPUs that are alike. */
static void show_cpus(const struct quality *q, struct doc *d)
{
	const struct context *c = q->ctx;
	uint32_t n = replay_n_cpus(c->replay), last;
	char line[600] = "";
	size_t len = 0;

	for (uint32_t i = 0; i < n && len + 90 < sizeof line; i = last + 1) {
		const struct platform_domain *p = platform_domain_of(c->opts.platform, i);
		int32_t capacity = context_capacity(c, i);
		int64_t top = context_top_khz(c, i);

		last = i;
		while (last + 1 < n && context_capacity(c, last + 1) == capacity &&
		       context_top_khz(c, last + 1) == top)
			last++;
		len += (size_t)snprintf(line + len, sizeof line - len,
		                        last > i ? "%s%u-%u" : "%s%u", len ? " | " : "", i, last);
		if (capacity)
			len += (size_t)snprintf(line + len, sizeof line - len, " cap %d", capacity);
		if (p && p->n_khz > 1)
			len += (size_t)snprintf(line + len, sizeof line - len, ", %.0f-%.0f MHz",
			                        (double)p->khz[0] / 1e3, (double)top / 1e3);
		else if (top)
			len += (size_t)snprintf(line + len, sizeof line - len, ", to %.0f MHz",
			                        (double)top / 1e3);
	}
	if (n)
		doc_section(d, "cpus", "%s%s", line,
		            context_has_capacities(c) ? "" : "; capacities not known (--platform)");
}

static void show_some(struct quality *q, struct doc *d, unsigned most_notes)
{
	const struct context *c = q->ctx;
	const struct trace_info *t = c->opts.trace;
	const char *buffer = t->buffers[t->buffer].name;
	char of[96] = "", version[16] = "";

	if (t->n_buffers > 1 || *buffer)
		snprintf(of, sizeof of, ", buffer %.40s%s (of %u)", *buffer ? buffer : "(top)",
		         c->opts.trace->n_buffers > 1 ? "" : ", the only one", t->n_buffers);
	if (t->version)
		snprintf(version, sizeof version, " v%d", t->version);
	doc_section(d, "trace", "%s, %s%sLinux %s%s%s, %s%s %s%s%s, clock %s%s", t->path,
	            t->device ? t->device : "", t->device ? ", " : "",
	            t->kernel ? t->kernel : "(release unknown)", t->machine ? " " : "",
	            t->machine ? t->machine : "", t->format, version,
	            strcmp(t->compression, "none") ? t->compression : "uncompressed",
	            t->wrapper ? " in " : "", t->wrapper ? t->wrapper : "",
	            t->clock ? t->clock : "unknown", of);
	if (t->build && most_notes > NOTES_ON_PAGE)
		doc_note(d, "build %s", t->build);
	if (t->clock_is_ns && (c->from != c->start || c->to != c->end))
		doc_section(d, "window",
		            "%.6f s to %.6f s: %.6f s of a trace that begins at %.6f s",
		            (double)c->from / 1e9, (double)c->to / 1e9, (double)window_ns(c) / 1e9,
		            (double)c->start / 1e9);
	else if (t->clock_is_ns)
		doc_section(d, "span", "%.6f s, from %.6f s to %.6f s", (double)window_ns(c) / 1e9,
		            (double)c->start / 1e9, (double)c->end / 1e9);
	show_cpus(q, d);
	show_losses(q, d, most_notes);
}

static void show(void *self, struct doc *d)
{
	show_some(self, d, ~0u);
}

static void page(void *self, struct doc *d)
{
	show_some(self, d, NOTES_ON_PAGE);
}

static void measure(void *self, struct metric_rows *m)
{
	struct quality *q = self;

	if (context_no_sched(q->ctx))
		metric_add_missing(m, METRIC_ID_cpu_unknown_pct, "all", context_no_sched(q->ctx));
	else if (!q->ctx->opts.trace->clock_is_ns)
		metric_add_missing(m, METRIC_ID_cpu_unknown_pct, "all",
		                   "the trace clock counts ticks");
	else
		metric_add(m, METRIC_ID_cpu_unknown_pct, "all", cpu_unknown_pct(q->ctx));
}

const struct analysis analysis_quality = {
        .name = "quality",
        .question = "what was read, and how much of it is lost or unknown",
        .size = sizeof(struct quality),
        .any_clock = true,
        .begin = begin,
        .json = json,
        .measure = measure,
        .show = show,
        .page = page,
        .free = free_quality,
};
