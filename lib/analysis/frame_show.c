/* What the report says of frames in tables: all processes, the durations of one, frame by frame. */
#include "analysis/frames.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 4 };

const char *frames_not_there(const struct context *c)
{
	return c->opts.frames ? "no frame is told by what --frames asks for" : frames_none;
}

/* ---- all processes ---- */

static void show_process(struct doc *d, const struct context *c, const struct frame_process *p)
{
	static const double q[] = {.5, .9, .95, .99};
	char label[64];

	snprintf(label, sizeof label, "%s-%d", p->name, p->pid);
	doc_text(d, label);
	doc_text(d, frame_duration_id[p->source]);
	doc_int(d, (int64_t)p->used.n);
	if (p->ns.n) {
		doc_real(d, frame_mean(p) / 1e6, 2);
		if (p->ns.n > 1)
			doc_real(d, 100 * frame_sd(p) / frame_mean(p), 0);
		else
			doc_missing(d);
		for (int i = 0; i < 4; i++)
			doc_real(d, quantile_of(p->ns.at, p->ns.n, q[i]) / 1e6, 2);
		doc_real(d, (double)p->longest->ns / 1e6, 2);
		doc_real(d, (double)(p->longest->start - c->start) / 1e9, 3);
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

/* Those that are not in the numbers, by reason; reasons without a frame are not named. */
static void show_left_out(struct doc *d, const struct frame_process *p)
{
	const struct {
		uint64_t n;
		const char *what;
	} reasons[] = {
	        {p->incomplete, "without an end"},
	        {p->dropped, "dropped"},
	        {p->expired, "expired"},
	        {p->ui_only, "doFrame without drawing"},
	        {p->draw_only, "drawing without doFrame"},
	        {p->unresolved, "drawn, but the trace ends before FrameTimeline tells"},
	        {p->suspended, "the machine slept within"},
	        {p->far, "more than 10 s outside of the trace"},
	};
	char line[400] = "";
	size_t len = 0;

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (reasons[i].n)
			len += (size_t)snprintf(line + len, sizeof line - len, "%s%" PRIu64 " %s",
			                        len ? ", " : "", reasons[i].n, reasons[i].what);
	if (len)
		doc_note(d, "%s, not in the durations: %s", p->name, line);
}

static void show_losses(const struct frames_state *s, struct doc *d)
{
	if (s->markers.broken)
		doc_note(d, "%" PRIu64 " slices lost their end in a gap", s->markers.broken);
	if (s->frames.left_out)
		doc_note(d, "more than %d frames: %" PRIu64 " rows are left out", FRAMES_MAX,
		         s->frames.left_out);
	if (s->refused)
		doc_note(d,
		         "--refresh is refused: the trace itself shows a switch, and its rates are "
		         "used");
}

void frames_show(void *self, struct doc *d)
{
	static const struct column columns[] = {
	        {"process", NULL, true}, {"duration", NULL, true}, {"frames", NULL, false},
	        {"mean", "ms", false},   {"RSD", "%", false},      {"p50", NULL, false},
	        {"p90", NULL, false},    {"p95", NULL, false},     {"p99", NULL, false},
	        {"max", "ms", false},    {"at", "s", false},       {"jank", NULL, false},
	        {"%", NULL, false},
	};
	struct frames_state *s = self;
	const struct frame_table *t = &s->table;

	if (!t->at.n) {
		doc_section(d, "FRAMES", "%s", frames_not_there(s->ctx));
		return;
	}
	doc_section(
	        d, "FRAMES",
	        "ft.from_expected: predicted wake-up to ready; cpu.ui_rt: doFrame to the end of "
	        "DrawFrame(s); RSD over frames; jank: FrameTimeline: jank.ft_missed; markers: "
	        "atrace.period%s",
	        s->refresh.spans.n ? "" : ", not judged: no refresh period (--refresh HZ)");
	doc_table(d, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < t->at.n && i < s->ctx->opts.top; i++)
		show_process(d, s->ctx, &t->at.at[i]);
	for (size_t i = 0; i < t->at.n && i < s->ctx->opts.top; i++)
		show_left_out(d, &t->at.at[i]);
	show_losses(s, d);
}

/* ---- durations of one process ---- */

static void page_rates(const struct frames_state *s, struct doc *d, const struct frame_process *p)
{
	double first = refresh_at(&s->refresh, p->used.at[0].start);
	size_t same = 0;
	int64_t budget = 0;

	if (!s->refresh.spans.n) {
		doc_note(d, "refresh rate not known: jank by deadline or period is not judged "
		            "(--refresh HZ)");
		return;
	}
	for (size_t i = 0; i < p->used.n; i++)
		same += fabs(p->used.at[i].period - first) <= .1 * first;
	for (size_t i = 0; i < p->used.n && !budget; i++)
		if (p->used.at[i].frame->expected_end != FRAME_NO_TIME &&
		    p->used.at[i].frame->expected_start != FRAME_NO_TIME)
			budget = p->used.at[i].frame->expected_end -
			         p->used.at[i].frame->expected_start;
	if (budget)
		doc_note(d,
		         "%.4g Hz for %.0f %% of frames (period %.3f ms, %zu switches, by %s); app "
		         "budget "
		         "%.2f ms",
		         1e9 / first, 100.0 * (double)same / (double)p->used.n, first / 1e6,
		         refresh_switches(&s->refresh), refresh_source_name[s->refresh.source],
		         (double)budget / 1e6);
	else
		doc_note(d, "%.4g Hz for %.0f %% of frames (period %.3f ms, %zu switches, by %s)",
		         1e9 / first, 100.0 * (double)same / (double)p->used.n, first / 1e6,
		         refresh_switches(&s->refresh), refresh_source_name[s->refresh.source]);
}

static void page_row(struct doc *d, const char *what, const char *id, const int64_t *v, size_t n)
{
	static const double q[] = {.5, .9, .95, .99, 1};

	doc_text(d, what);
	doc_text(d, id);
	doc_real(d, values_mean(v, n) / 1e6, 2);
	if (n > 1)
		doc_real(d, values_sd(v, n) / 1e6, 2);
	else
		doc_missing(d);
	for (int i = 0; i < 5; i++)
		doc_real(d, quantile_of(v, n, q[i]) / 1e6, 2);
}

static void page_durations(struct doc *d, const struct frame_process *p)
{
	static const struct column columns[] = {
	        {"", NULL, true},     {"", NULL, true},     {"mean", NULL, false},
	        {"sd", NULL, false},  {"p50", NULL, false}, {"p90", NULL, false},
	        {"p95", NULL, false}, {"p99", NULL, false}, {"max", NULL, false},
	};

	doc_table(d, columns, sizeof columns / sizeof *columns);
	page_row(d, "duration ms", frame_duration_id[p->source], p->ns.at, p->ns.n);
	if (p->overrun.n)
		page_row(d, "overrun ms",
		         p->source == SOURCE_TIMELINE ? "ft.overrun"
		         : p->source == SOURCE_RTAPP  ? "-slack"
		         : p->source == SOURCE_USER   ? "past its deadline"
		                                      : "past the period",
		         p->overrun.at, p->overrun.n);
}

/* Under a rule for 60 Hz shorter frames of a faster panel never count. */
static const char *not_for(const struct jank_rule *r, const struct frame_process *p)
{
	for (size_t i = 0; i < p->used.n && r->fixed_60; i++)
		if (p->used.at[i].period > 0 && p->used.at[i].period < 15.5e6)
			return "; a rule for 60 Hz, on a faster panel";
	return "";
}

static void page_rule(struct doc *d, const struct frame_process *p, const struct jank_rule *r)
{
	char blamed[120] = "";
	uint64_t janky, judged;

	frame_judge(p, r, &janky, &judged);
	if (r == p->rule && p->source == SOURCE_TIMELINE && r == jank_default(SOURCE_TIMELINE))
		snprintf(blamed, sizeof blamed,
		         ": app %" PRIu64 ", SF %" PRIu64 ", dropped %" PRIu64 "; +%" PRIu64
		         " late but shown on time",
		         p->app, p->sf, p->dropped_janky, p->late_on_time);
	if (judged)
		doc_note(d, "jank  %s %" PRIu64 " of %" PRIu64 " = %.2f %%%s%s", r->id, janky,
		         judged, 100.0 * (double)janky / (double)judged, blamed, not_for(r, p));
	else
		doc_note(d, "jank  %s cannot tell: what it needs is not in the trace", r->id);
}

static void page_jank(const struct frames_state *s, struct doc *d, const struct frame_process *p)
{
	const struct jank_rule *r;

	page_rule(d, p, p->rule);
	for (size_t i = 1; (r = jank_rule_at(s->ctx->opts.jank, i)); i++)
		page_rule(d, p, r);
	if (p->judged && p->has_period)
		doc_note(d,
		         "hitch %" PRIu64 " vsyncs missed = %.1f ms per s; at most %" PRIu64
		         " in a frame; janky runs %" PRIu64 ", longest %" PRIu64,
		         p->missed, frame_hitch(p), p->most_missed, p->runs, p->longest_run);
}

/* rt-app: 1: as on an idle machine at full speed, below 0: late. */
static void page_index(const struct frames_state *s, struct doc *d, const struct frame_process *p)
{
	uint64_t n = 0;
	double index = s->user ? frame_user_index(s->user, p->pid, &n) : 0;

	if (n)
		doc_note(d, "performance index %.4f, mean of %" PRIu64 " loops", index, n);
}

void frames_page_head(const struct frames_state *s, struct doc *d, const struct frame_process *p)
{
	int64_t window = s->ctx->to - s->ctx->from;
	char others[64] = "";

	if (s->table.at.n > 1)
		snprintf(others, sizeof others, "; %zu more processes have frames (--full)",
		         s->table.at.n - 1);
	doc_section(d, "FRAMES",
	            "%s-%d, %s: %zu frames in %zu bursts, %.3f s of frame time (%.1f %% of the "
	            "window)%s",
	            p->name, p->pid, frame_source_name[p->source], p->used.n, p->bursts.n,
	            (double)p->frame_time / 1e9,
	            window > 0 ? 100.0 * (double)p->frame_time / (double)window : 0, others);
	page_rates(s, d, p);
	page_durations(d, p);
	page_jank(s, d, p);
	page_index(s, d, p);
	show_left_out(d, p);
	show_losses(s, d);
}

/* ---- frame by frame ---- */

static void frame_rows_begin(struct doc *d)
{
	static const struct column columns[] = {
	        {"at s", NULL, false}, {"token", NULL, false}, {"dur", NULL, false},
	        {"over", NULL, false}, {"work", NULL, false},  {"clock", NULL, false},
	        {"size", NULL, false}, {"wait", NULL, false},  {"block", NULL, false},
	        {"prev", NULL, false}, {"GPU", NULL, false},   {"unknown", NULL, false},
	        {"jank", NULL, false},
	};

	doc_table(d, columns, sizeof columns / sizeof *columns);
}

static void frame_row(const struct context *c, struct doc *d, const struct used_frame *u)
{
	const struct frame_parts *x = u->parts;

	doc_real(d, (double)(u->start - c->start) / 1e9, 3);
	doc_int(d, u->frame->token);
	if (u->ns != FRAME_NO_TIME)
		doc_ms(d, u->ns, 2);
	else
		doc_missing(d);
	if (u->overrun != FRAME_NO_TIME)
		doc_ms(d, u->overrun, 2);
	else
		doc_missing(d);
	for (int i = 0; i < 8 && !x; i++)
		doc_missing(d);
	if (x) {
		for (int i = 0; i < 3; i++)
			if (pace_unknown(c))
				doc_missing(d);
			else
				doc_ms(d, i == 0 ? x->work : i == 1 ? x->clock : x->size, 2);
		doc_ms(d, x->waiting, 2);
		doc_ms(d, x->blocked, 2);
		doc_ms(d, x->behind, 2);
		doc_ms(d, x->gpu, 2);
		doc_ms(d, x->unknown + x->no_speed, 2);
	}
	if (u->janky >= 0)
		doc_int(d, u->janky);
	else
		doc_missing(d);
}

void frames_why(void *self, struct doc *d)
{
	struct frames_state *s = self;
	const struct frame_process *p = frame_table_main(&s->table);

	if (!p) {
		doc_section(d, "WHY", "%s", frames_not_there(s->ctx));
		return;
	}
	doc_section(d, "WHY", "%s-%d, %s, ms; the parts add up to the duration; jank: %s", p->name,
	            p->pid, frame_duration_id[p->source], p->rule->id);
	frame_rows_begin(d);
	for (size_t i = 0; i < p->used.n; i++)
		frame_row(s->ctx, d, &p->used.at[i]);
}

void frames_worst(void *self, struct doc *d)
{
	struct frames_state *s = self;
	const struct frame_process *p = frame_table_main(&s->table);
	const struct used_frame *worst[WORST] = {NULL};

	if (!s->ctx->has_frames)
		return;
	for (size_t i = 0; i < p->used.n; i++) {
		const struct used_frame *u = &p->used.at[i];

		for (int k = 0; k < WORST && u && u->ns != FRAME_NO_TIME; k++)
			if (!worst[k] || u->ns > worst[k]->ns) {
				const struct used_frame *was = worst[k];

				worst[k] = u;
				u = was;
			}
	}
	doc_section(d, "WORST", "the longest frames, ms");
	frame_rows_begin(d);
	for (int k = 0; k < WORST && worst[k]; k++)
		frame_row(s->ctx, d, worst[k]);
}
