/* Frames of each process: how long they took, and how many were janky, each number with the id of
 * its definition (frame/frame.h). A frame counts where its start lies. */
#include "analysis/frame_why.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct frames_state {
	struct context *ctx;
	bool set_up;
	struct frames frames;
	struct frame_timeline timeline;
	struct frame_markers markers;
	struct frame_why why;
};

static void on_edge(void *arg, const struct frame_edge *e)
{
	struct frames_state *s = arg;

	if (s->ctx->has_switch)
		frame_why_edge(&s->why, e);
}

static void set_up(struct frames_state *s)
{
	s->set_up = true;
	s->timeline.frames = &s->frames;
	s->markers.frames = &s->frames;
	s->markers.hearer = s->timeline.hearer = (struct frame_hearer){on_edge, s};
	s->why.ctx = s->ctx;
	s->why.frames = &s->frames;
}

static __attribute__((noinline)) void on_event(struct frames_state *s, const struct event *ev)
{
	if (!s->set_up)
		set_up(s);
	if (ev->kind == EV_frame_timeline)
		frame_timeline_event(&s->timeline, ev);
	else if (ev->kind != EV_print)
		frame_why_event(&s->why, ev);
	else if (event_has(ev, print, buf))
		frame_markers_event(&s->markers, ev);
}

bool frames_wants(enum event_kind k)
{
	return k == EV_print || k == EV_frame_timeline ||
	       (k >= EV_binder_transaction && k <= EV_dma_fence_wait_end);
}

void frames_hears_event(void *self, const struct event *ev)
{
	if (__builtin_expect(frames_wants(ev->kind), 0))
		on_event(self, ev);
}

void frames_hears_woke(void *self, const struct woke *f)
{
	struct frames_state *s = self;

	if (s->why.threads.n)
		frame_why_woke(&s->why, f);
}

void frames_hears_cpu_seg(void *self, const struct cpu_seg *f)
{
	struct frames_state *s = self;

	frame_why_cpu_seg(&s->why, f);
}

void frames_hears_task_seg(void *self, const struct task_seg *f)
{
	struct frames_state *s = self;

	frame_why_task_seg(&s->why, f);
}

void frames_hears_gap(void *self, const struct gap *f)
{
	struct frames_state *s = self;

	frame_markers_gap(&s->markers, f->cpu);
}

/* ---- one process ---- */

struct process {
	int32_t pid;
	bool display; /* of the compositor itself */
	enum frame_source source;
	const struct task *task; /* its main thread, or NULL */
	char name[COMM_LEN + 12];
	VEC(int64_t) ns;                      /* durations, ascending once finished */
	uint64_t frames, rows, janky, judged; /* rows: of FrameTimeline, layers apart */
	uint64_t incomplete, dropped, expired, ui_only, draw_only;
	uint64_t far;             /* rows so far from the kernel's events that they are damage */
	struct frame_parts parts; /* sums */
	uint64_t n_parts;
	int64_t max, max_at, max_token;
	int64_t ui_sum, ui_max; /* of doFrame alone */
	uint64_t n_ui;
	double sum, squares; /* squares: of the differences from the mean */
};

static const struct task *main_thread(const struct context *c, int32_t pid)
{
	for (uint32_t i = 0; i < replay_n_tasks(c->replay); i++) {
		const struct task *t = replay_task(c->replay, i);

		if (t->pid == pid && t->comm[0])
			return t;
	}
	return NULL;
}

static double period_ns(const struct context *c)
{
	double hz = c->opts.refresh_hz > 0 ? c->opts.refresh_hz
	            : c->opts.run          ? c->opts.run->refresh_hz
	                                   : (double)NAN;

	return hz > 0 ? 1e9 / hz : 0;
}

/* Where the window has no edge of its own frames may lie beyond the kernel's events: those of one
 * begin before it draws. Rows far away are damage (frames.md 2.6). */
#define FAR_NS INT64_C(10000000000)

static bool in_window(const struct context *c, int64_t t)
{
	int64_t before = c->opts.from.kind == EDGE_NONE ? FAR_NS : 0;
	int64_t behind = c->opts.to.kind == EDGE_NONE ? FAR_NS : 0;

	return t != FRAME_NO_TIME && t >= c->from - before && t < c->to + behind;
}

static bool is_far(const struct context *c, int64_t t)
{
	return t != FRAME_NO_TIME && (t < c->start - FAR_NS || t >= c->end + FAR_NS);
}

/* The first time that is known of it. */
static int64_t any_start(const struct frame *f)
{
	return f->expected_start != FRAME_NO_TIME ? f->expected_start
	       : f->actual_start != FRAME_NO_TIME ? f->actual_start
	       : f->ui_start != FRAME_NO_TIME     ? f->ui_start
	                                          : f->draw_start;
}

static void add_parts(struct process *p, const struct frame_parts *x)
{
	if (!x)
		return;
	p->n_parts++;
#define X(part, ...) p->parts.part += x->part;
	FRAME_PARTS(X)
	FRAME_SUBPARTS(X)
#undef X
}

static void add_frame(struct frames_state *s, struct process *p, const struct frame *f)
{
	int64_t start, ns;
	int janky;

	if (!in_window(s->ctx, any_start(f))) {
		p->far += is_far(s->ctx, any_start(f)) ? f->layers : 0;
		return;
	}
	if (p->source == SOURCE_MARKERS && f->draw_end == FRAME_NO_TIME) {
		p->ui_only++;
		return;
	}
	if (p->source == SOURCE_MARKERS && f->ui_start == FRAME_NO_TIME) {
		p->draw_only++;
		return;
	}
	if (p->source == SOURCE_TIMELINE && !f->layers)
		return; /* a prediction that nobody drew for, or whose rows are not told yet */
	p->frames++;
	if (f->ui_start != FRAME_NO_TIME && f->ui_end != FRAME_NO_TIME) {
		int64_t ui = f->ui_end - f->ui_start;

		p->n_ui++;
		p->ui_sum += ui;
		p->ui_max = ui > p->ui_max ? ui : p->ui_max;
	}
	p->rows += f->layers;
	janky = frame_janky(f, p->source, period_ns(s->ctx));
	p->judged += janky >= 0;
	p->janky += janky == 1;
	p->dropped += (f->flags & FRAME_DROPPED) != 0;
	p->expired += (f->flags & FRAME_EXPIRED) != 0;
	if (!frame_duration(f, p->source, &start, &ns)) {
		p->incomplete += !(f->flags & (FRAME_DROPPED | FRAME_EXPIRED));
		return;
	}
	*vec_add(&p->ns) = ns;
	add_parts(p, frame_why_parts(&s->why, (size_t)(f - s->frames.at.at)));
	p->sum += (double)ns;
	if (p->ns.n == 1 || ns > p->max) {
		p->max = ns;
		p->max_at = start;
		p->max_token = f->token;
	}
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double mean_ns(const struct process *p)
{
	return p->sum / (double)p->ns.n;
}

/* Sample standard deviation over frames; NAN for fewer than two. */
static double sd_ns(const struct process *p)
{
	return p->ns.n > 1 ? sqrt(p->squares / (double)(p->ns.n - 1)) : (double)NAN;
}

/* Linear at rank q (n - 1): type 7. */
static double quantile_ns(const struct process *p, double q)
{
	double rank = q * (double)(p->ns.n - 1);
	size_t low = (size_t)rank;
	double part = rank - (double)low;

	if (low + 1 >= p->ns.n)
		return (double)p->ns.at[p->ns.n - 1];
	return (double)p->ns.at[low] * (1 - part) + (double)p->ns.at[low + 1] * part;
}

/* ---- all processes ---- */

struct table {
	VEC(struct process) at;
	struct map by_pid; /* (pid, display): 1 + index */
};

static struct process *process_of(struct table *t, const struct frame *f)
{
	bool display = f->flags & FRAME_DISPLAY;
	uint32_t at = map_get(&t->by_pid, (uint32_t)f->pid, display);
	struct process *p;

	if (at)
		return &t->at.at[at - 1];
	p = vec_add(&t->at);
	p->pid = f->pid;
	p->display = display;
	map_put(&t->by_pid, (uint32_t)f->pid, display, (uint32_t)t->at.n);
	return p;
}

static int by_frames(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	if (x->frames != y->frames)
		return x->frames < y->frames ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

static void finish(const struct context *c, struct process *p)
{
	if (p->ns.n)
		qsort(p->ns.at, p->ns.n, sizeof *p->ns.at, by_value);
	for (size_t i = 0; i < p->ns.n; i++) {
		double d = (double)p->ns.at[i] - mean_ns(p);

		p->squares += d * d;
	}
	p->task = main_thread(c, p->pid);
	snprintf(p->name, sizeof p->name, "%s%s",
	         p->task      ? p->task->comm
	         : p->display ? "surfaceflinger"
	                      : "?",
	         p->display ? " (display)" : "");
}

/* Processes with frames in the window, most frames first. Free with table_free(). */
static struct table table_of(struct frames_state *s)
{
	struct table t = {.at = {0}};
	size_t kept = 0;

	for (size_t i = 0; i < s->frames.at.n; i++) {
		const struct frame *f = &s->frames.at.at[i];
		struct process *p = process_of(&t, f);

		if (f->flags & FRAME_TIMELINE && f->layers)
			p->source = SOURCE_TIMELINE;
		else if (f->flags & FRAME_MARKED && p->source == SOURCE_NONE)
			p->source = SOURCE_MARKERS;
	}
	for (size_t i = 0; i < s->frames.at.n; i++) {
		struct process *p = process_of(&t, &s->frames.at.at[i]);

		if (p->source != SOURCE_NONE)
			add_frame(s, p, &s->frames.at.at[i]);
	}
	for (size_t i = 0; i < t.at.n; i++) {
		struct process *p = &t.at.at[i];

		finish(s->ctx, p);
		if ((p->frames || p->ui_only || p->draw_only) &&
		    (!s->ctx->opts.filters || (p->task && context_has_task(s->ctx, p->task))))
			t.at.at[kept++] = *p;
		else
			vec_free(&p->ns);
	}
	t.at.n = kept;
	if (kept)
		qsort(t.at.at, kept, sizeof *t.at.at, by_frames);
	return t;
}

static void table_free(struct table *t)
{
	for (size_t i = 0; i < t->at.n; i++)
		vec_free(&t->at.at[i].ns);
	vec_free(&t->at);
	map_free(&t->by_pid);
}

/* ---- results ---- */

static const char no_frames[] =
        "no frames: neither FrameTimeline nor markers Choreographer#doFrame and DrawFrame(s)";
static const char no_period[] =
        "the refresh period is not known (--refresh, or refresh_hz in a run file)";

/* Means per frame. */
static void json_parts(struct json *j, const struct process *p)
{
	if (!p->n_parts) {
		json_missing(j, "parts_ms", "no frame whose markers and threads are known");
		return;
	}
	json_object_line(j, "parts_ms");
	json_int(j, "n", (int64_t)p->n_parts);
#define X(part, ...) json_real(j, #part, (double)p->parts.part / (double)p->n_parts / 1e6);
	FRAME_PARTS(X)
	FRAME_SUBPARTS(X)
#undef X
	json_end(j);
}

static void json_process(struct json *j, const struct process *p)
{
	static const struct {
		const char *key;
		double q;
	} quantiles[] = {{"min_ms", 0},   {"p50_ms", .5},  {"p90_ms", .9},
	                 {"p95_ms", .95}, {"p99_ms", .99}, {"max_ms", 1}};

	json_object(j, NULL);
	json_int(j, "pid", p->pid);
	json_text(j, "process", p->name);
	json_text(j, "source", frame_source_name[p->source]);
	json_text(j, "duration", frame_duration_id[p->source]);
	json_int(j, "n", (int64_t)p->frames);
	json_int(j, "n_durations", (int64_t)p->ns.n);
	if (p->source == SOURCE_TIMELINE)
		json_int(j, "rows", (int64_t)p->rows);
	if (p->ns.n) {
		json_real(j, "mean_ms", mean_ns(p) / 1e6);
		if (p->ns.n > 1) {
			json_real(j, "sd_ms", sd_ns(p) / 1e6);
			json_real(j, "rsd_frames_pct", 100 * sd_ns(p) / mean_ns(p));
		} else {
			json_missing(j, "sd_ms", "one frame");
		}
		for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
			json_real(j, quantiles[i].key, quantile_ns(p, quantiles[i].q) / 1e6);
		json_int(j, "max_ns", p->max);
		json_int(j, "max_at_ns", p->max_at);
		json_int(j, "max_token", p->max_token);
		json_int(j, "sum_ns", (int64_t)p->sum);
	} else {
		json_missing(j, "mean_ms", "no frame with a start and an end");
	}
	if (p->n_ui) { /* the definition `ui`: doFrame alone */
		json_real(j, "ui_mean_ms", (double)p->ui_sum / (double)p->n_ui / 1e6);
		json_real(j, "ui_max_ms", (double)p->ui_max / 1e6);
	}
	json_parts(j, p);
	json_text(j, "jank", frame_jank_id[p->source]);
	if (p->judged) {
		json_int(j, "janky", (int64_t)p->janky);
		json_real(j, "jank_pct", 100.0 * (double)p->janky / (double)p->judged);
	} else {
		json_missing(j, "janky", no_period);
		json_missing(j, "jank_pct", no_period);
	}
	json_int(j, "far_rows", (int64_t)p->far);
	json_int(j, "incomplete", (int64_t)p->incomplete);
	json_int(j, "dropped", (int64_t)p->dropped);
	json_int(j, "expired", (int64_t)p->expired);
	json_int(j, "ui_only", (int64_t)p->ui_only);
	json_int(j, "draw_only", (int64_t)p->draw_only);
	json_end(j);
}

static void json(void *self, struct json *j)
{
	struct frames_state *s = self;
	struct table t = table_of(s);

	if (!t.at.n) {
		json_missing(j, "frames", no_frames);
	} else {
		json_array(j, "frames");
		for (size_t i = 0; i < t.at.n; i++)
			json_process(j, &t.at.at[i]);
		json_end(j);
	}
	table_free(&t);
}

static void measure(void *self, struct metric_rows *m)
{
	struct frames_state *s = self;
	struct table t = table_of(s);

	for (size_t i = 0; i < t.at.n; i++) {
		const struct process *p = &t.at.at[i];

		if (p->display)
			continue;
		if (p->ns.n) {
			metric_add(m, METRIC_ID_frame_mean_ms, p->name, mean_ns(p) / 1e6);
			metric_add(m, METRIC_ID_frame_p95_ms, p->name, quantile_ns(p, .95) / 1e6);
			metric_add(m, METRIC_ID_frame_max_ms, p->name, (double)p->max / 1e6);
		}
		if (p->judged)
			metric_add(m, METRIC_ID_frame_jank_pct, p->name,
			           100.0 * (double)p->janky / (double)p->judged);
		else
			metric_add_missing(m, METRIC_ID_frame_jank_pct, p->name, no_period);
	}
	table_free(&t);
}

static void show_process(struct doc *d, const struct context *c, const struct process *p)
{
	char label[64];

	snprintf(label, sizeof label, "%s-%d", p->name, p->pid);
	doc_text(d, label);
	doc_text(d, frame_duration_id[p->source]);
	doc_int(d, (int64_t)p->frames);
	if (p->ns.n) {
		static const double q[] = {.5, .9, .95, .99};

		doc_real(d, mean_ns(p) / 1e6, 2);
		if (p->ns.n > 1)
			doc_real(d, 100 * sd_ns(p) / mean_ns(p), 0);
		else
			doc_missing(d);
		for (int i = 0; i < 4; i++)
			doc_real(d, quantile_ns(p, q[i]) / 1e6, 2);
		doc_real(d, (double)p->max / 1e6, 2);
		doc_real(d, (double)(p->max_at - c->start) / 1e9, 3);
	} else {
		for (int i = 0; i < 8; i++)
			doc_missing(d);
	}
	if (p->judged) {
		doc_int(d, (int64_t)p->janky);
		doc_real(d, 100.0 * (double)p->janky / (double)p->judged, 2);
	} else {
		doc_missing(d);
		doc_missing(d);
	}
}

static void show_parts(struct doc *d, const struct process *p)
{
	double n = (double)p->n_parts * 1e6;

	if (!p->n_parts)
		return;
	doc_note(d,
	         "%s, mean of %" PRIu64
	         " frames, ms: work %.2f, lost to the clock %.2f, to the CPU's size "
	         "%.2f, running at an unknown speed %.2f, waiting for a CPU %.2f, blocked %.2f, "
	         "behind %.2f, GPU %.2f, unknown %.2f",
	         p->name, p->n_parts, (double)p->parts.work / n, (double)p->parts.clock / n,
	         (double)p->parts.size / n, (double)p->parts.no_speed / n,
	         (double)p->parts.waiting / n, (double)p->parts.blocked / n,
	         (double)p->parts.behind / n, (double)p->parts.gpu / n,
	         (double)p->parts.unknown / n);
}

static void show_left_out(struct doc *d, const struct process *p)
{
	if (p->far)
		doc_note(d,
		         "%s: %" PRIu64 " rows lie more than 10 s outside of the trace: left out",
		         p->name, p->far);
	if (p->incomplete || p->dropped || p->expired || p->ui_only || p->draw_only)
		doc_note(d,
		         "%s: without a duration: incomplete %" PRIu64 ", dropped %" PRIu64
		         ", expired %" PRIu64
		         "; not counted as frames: doFrame without drawing %" PRIu64
		         ", drawing without doFrame %" PRIu64,
		         p->name, p->incomplete, p->dropped, p->expired, p->ui_only, p->draw_only);
}

static void show(void *self, struct doc *d)
{
	static const struct column columns[] = {
	        {"process", NULL, true}, {"duration", NULL, true}, {"frames", NULL, false},
	        {"mean", "ms", false},   {"RSD", "%", false},      {"p50", NULL, false},
	        {"p90", NULL, false},    {"p95", NULL, false},     {"p99", NULL, false},
	        {"max", "ms", false},    {"at", "s", false},       {"jank", NULL, false},
	        {"%", NULL, false},
	};
	struct frames_state *s = self;
	struct table t = table_of(s);
	double period = period_ns(s->ctx);
	char rule[80];

	if (!t.at.n) {
		table_free(&t);
		doc_section(d, "FRAMES", "%s", no_frames);
		return;
	}
	if (period > 0)
		snprintf(rule, sizeof rule, "jank.period, %.2f ms", period / 1e6);
	else
		snprintf(rule, sizeof rule, "not judged: no refresh period (--refresh HZ)");
	doc_section(
	        d, "FRAMES",
	        "ft.from_expected: predicted wake-up to ready; cpu.ui_rt: doFrame to the end of "
	        "DrawFrame(s); RSD over frames; jank: FrameTimeline: jank.ft_missed; markers: %s",
	        rule);
	doc_table(d, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < t.at.n && i < s->ctx->opts.top; i++)
		show_process(d, s->ctx, &t.at.at[i]);
	for (size_t i = 0; i < t.at.n && i < s->ctx->opts.top; i++) {
		show_parts(d, &t.at.at[i]);
		show_left_out(d, &t.at.at[i]);
	}
	if (s->markers.broken)
		doc_note(d, "%" PRIu64 " slices lost their end in a gap", s->markers.broken);
	if (s->frames.left_out)
		doc_note(d, "more than %d frames: %" PRIu64 " rows are left out", FRAMES_MAX,
		         s->frames.left_out);
	table_free(&t);
}

/* Empty when they are not known. */
static void list_parts(FILE *out, const struct frame_parts *p)
{
#define X(part)                                                                                    \
	if (p)                                                                                     \
		fprintf(out, "\t%" PRId64, p->part);                                               \
	else                                                                                       \
		putc('\t', out);
	FRAME_PARTS(X)
#undef X
	putc('\n', out);
}

void session_list_frames(struct session *session, FILE *out)
{
	const struct context *c = (const struct context *)session; /* its first member */
	struct frames_state *s = session_state(session, &analysis_frames);
	struct table t = table_of(s);

	fprintf(out, "pid\tprocess\ttoken\tsource\tstart_ns\tend_ns\tduration_ns\tjanky");
#define X(part) fprintf(out, "\t" #part "_ns");
	FRAME_PARTS(X)
#undef X
	putc('\n', out);
	for (size_t i = 0; i < t.at.n; i++)
		for (size_t k = 0; k < s->frames.at.n; k++) {
			const struct process *p = &t.at.at[i];
			const struct frame *f = &s->frames.at.at[k];
			int64_t start, ns;

			if (f->pid != p->pid || !(f->flags & FRAME_DISPLAY) == p->display ||
			    !in_window(c, any_start(f)) ||
			    !frame_duration(f, p->source, &start, &ns))
				continue;
			fprintf(out,
			        "%d\t%s\t%" PRId64 "\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64
			        "\t%d",
			        p->pid, p->name, f->token, frame_duration_id[p->source], start,
			        start + ns, ns, frame_janky(f, p->source, period_ns(c)));
			list_parts(out, frame_why_parts(&s->why, k));
		}
	table_free(&t);
}

static void free_frames(void *self)
{
	struct frames_state *s = self;

	frames_free(&s->frames);
	frame_why_free(&s->why);
	frame_timeline_free(&s->timeline);
	frame_markers_free(&s->markers);
}

const struct analysis analysis_frames = {
        .name = "frames",
        .question = "how long did frames take, and how many were janky",
        .size = sizeof(struct frames_state),
        .json = json,
        .measure = measure,
        .show = show,
        .free = free_frames,
};
