/* Frames of each process: how long they took, and how many were janky, each number with the id of
 * its definition (frame/frame.h). A frame counts where its start lies. */
#include "analysis/frames.h"

#include "analysis/frame_if.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Binder transactions and fences. */
static bool is_why(unsigned kind)
{
	return kind >= EV_binder_transaction && kind <= EV_dma_fence_wait_end;
}

static void on_edge(void *arg, const struct frame_edge *e)
{
	struct frames_state *s = arg;

	if (s->ctx->has_switch)
		frame_why_edge(&s->why, e);
}

static void set_up(struct frames_state *s)
{
	const char *from = s->ctx->opts.frames;

	s->set_up = true;
	s->timeline.frames = &s->frames;
	s->markers.frames = &s->frames;
	s->markers.hearer = s->timeline.hearer = (struct frame_hearer){on_edge, s};
	s->why.ctx = s->ctx;
	s->why.frames = &s->frames;
	if (!from)
		return;
	s->forced = !strcmp(from, "timeline")  ? SOURCE_TIMELINE
	            : !strcmp(from, "markers") ? SOURCE_MARKERS
	            : !strcmp(from, "rtapp")   ? SOURCE_RTAPP
	                                       : SOURCE_USER;
	if (s->forced >= SOURCE_RTAPP)
		s->user = frame_user_new(from, &s->frames, s->markers.hearer);
	s->all_events = s->user && frame_user_of_events(s->user);
}

static bool type_is_wanted(struct frames_state *s, const struct event *ev)
{
	unsigned n;
	const struct event_type *types;

	vec_fit(&s->type_wanted, ev->type + 1u);
	if (!s->type_wanted.at[ev->type]) {
		types = s->ctx->opts.types(s->ctx->opts.types_of, &n);
		s->type_wanted.at[ev->type] =
		        ev->type < n && frame_user_wants(s->user, types[ev->type].name) ? 1 : 2;
	}
	return s->type_wanted.at[ev->type] == 1;
}

/* What a definition, or rt-app, tells. */
static void on_user(struct frames_state *s, const struct event *ev)
{
	const struct task *t;
	const char *type = "";
	unsigned n;

	if (s->all_events) {
		if (!s->ctx->opts.types || !type_is_wanted(s, ev))
			return;
		type = s->ctx->opts.types(s->ctx->opts.types_of, &n)[ev->type].name;
	}
	t = replay_task_of(s->ctx->replay, ev->pid);
	frame_user_event(s->user, ev, type, t ? t->comm : "");
}

static bool is_rtapp(const struct event *ev)
{
	static const char loop[] = "rtapp_loop:";

	return event_has(ev, print, buf) && ev->print.buf.n >= sizeof loop &&
	       !memcmp(ev->print.buf.p, loop, sizeof loop - 1);
}

static __attribute__((noinline)) void on_event(struct frames_state *s, const struct event *ev)
{
	if (!s->set_up)
		set_up(s);
	if (!s->user && ev->kind == EV_print && is_rtapp(ev))
		s->user = frame_user_new("rtapp", &s->frames, s->markers.hearer);
	if (s->user)
		on_user(s, ev);
	if (s->forced >= SOURCE_RTAPP) {
		if (is_why(ev->kind))
			frame_why_event(&s->why, ev);
		return;
	}
	if (ev->kind == EV_frame_timeline && s->ctx->opts.frame_rows)
		frame_rows_event(&s->rows, ev);
	if (ev->kind == EV_frame_timeline)
		frame_timeline_event(&s->timeline, ev);
	else if (ev->kind == EV_print && event_has(ev, print, buf))
		frame_markers_event(&s->markers, ev);
	else if (is_why(ev->kind))
		frame_why_event(&s->why, ev);
}

bool frames_wants(enum event_kind k)
{
	return k == EV_print || k == EV_frame_timeline || k == EV_track_event || is_why(k);
}

void frames_hears_event(void *self, const struct event *ev)
{
	struct frames_state *s = self;

	if (__builtin_expect(frames_wants(ev->kind) | s->all_events | !s->set_up, 0))
		on_event(s, ev);
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

void frames_hears_suspended(void *self, const struct suspended *f)
{
	struct frames_state *s = self;

	*vec_add(&s->slept) = *f;
}

void session_why(struct session *session, struct doc *d)
{
	frames_why(session_state(session, &analysis_frames), d);
}

void frames_hears_gap(void *self, const struct gap *f)
{
	struct frames_state *s = self;

	frame_markers_gap(&s->markers, f->cpu);
	if (s->user)
		frame_user_gap(s->user, f->cpu);
}

/* ---- the window is over ---- */

/* Predicted starts of display frames, or else of surface frames, ascending and each once. */
static void refresh_by_frames(struct frames_state *s)
{
	VEC(int64_t) t = {NULL, 0, 0};
	size_t n = 0;

	for (int display = 1; display >= 0 && t.n < 3; display--) {
		t.n = 0;
		for (size_t i = 0; i < s->frames.at.n; i++) {
			const struct frame *f = &s->frames.at.at[i];

			if (!(f->flags & FRAME_DISPLAY) == !display &&
			    f->expected_start != FRAME_NO_TIME && f->flags & FRAME_TIMELINE)
				*vec_add(&t) = f->expected_start;
		}
	}
	if (t.n)
		qsort(t.at, t.n, sizeof *t.at, frame_by_value);
	for (size_t i = 0; i < t.n; i++)
		if (!n || t.at[i] != t.at[n - 1])
			t.at[n++] = t.at[i];
	refresh_of_times(&s->refresh, t.at, n);
	if (s->refresh.spans.n)
		s->refresh.source = REFRESH_DISPLAY;
	vec_free(&t);
}

static void find_refresh(struct frames_state *s)
{
	const struct context *c = s->ctx;
	double hz = c->opts.refresh_hz > 0 ? c->opts.refresh_hz
	            : c->opts.run          ? c->opts.run->refresh_hz
	                                   : (double)NAN;

	refresh_by_frames(s);
	if (!s->refresh.spans.n && s->markers.panel_fps.n) {
		for (size_t i = 0; i < s->markers.panel_fps.n; i++)
			refresh_told(&s->refresh, s->markers.panel_fps.at[i].t,
			             (double)s->markers.panel_fps.at[i].hz);
		s->refresh.source = REFRESH_COUNTER;
	}
	if (!s->refresh.spans.n && s->markers.vsyncs.n) {
		refresh_of_times(&s->refresh, s->markers.vsyncs.at, s->markers.vsyncs.n);
		s->refresh.source = REFRESH_VSYNC;
	}
	s->refused = c->opts.refresh_hz > 0 && refresh_switches(&s->refresh) > 0;
	if (!s->refresh.spans.n && hz > 0) {
		refresh_told(&s->refresh, c->from, hz);
		s->refresh.source = REFRESH_USER;
	}
	if (!s->refresh.spans.n)
		s->refresh.source = REFRESH_UNKNOWN;
}

static void end(void *self)
{
	struct frames_state *s = self;

	find_refresh(s);
	s->table = frame_table_of(&(struct frame_table_in){.ctx = s->ctx,
	                                                   .frames = &s->frames,
	                                                   .why = &s->why,
	                                                   .refresh = &s->refresh,
	                                                   .forced = s->forced,
	                                                   .slept = s->slept.at,
	                                                   .n_slept = s->slept.n});
	if (frame_table_main(&s->table))
		s->ctx->main_frames = frame_table_main(&s->table)->used.n;
	s->ctx->has_frames = !s->ctx->opts.task && frame_table_main(&s->table) != NULL;
}

/* ---- results ---- */

const char frames_none[] =
        "no frames: neither FrameTimeline nor markers Choreographer#doFrame and DrawFrame(s)";
const char frames_no_period[] =
        "the refresh period is not known (--refresh, or refresh_hz in a run file)";

static void json_parts_of(struct json *j, const struct parts_sum *s)
{
	json_int(j, "n", (int64_t)s->n);
#define X(part, ...) json_real(j, #part, (double)s->parts.part / (double)s->n / 1e6);
	FRAME_PARTS(X)
	FRAME_SUBPARTS(X)
#undef X
}

/* Means per frame. */
static void json_parts(struct json *j, const struct frame_process *p)
{
	static const char *const names[WHICH_FRAMES] = {"parts_ms", "parts_on_time_ms",
	                                                "parts_janky_ms", "parts_early_ms",
	                                                "parts_later_ms"};

	for (int k = 0; k < WHICH_FRAMES; k++) {
		if (!p->sum[k].n) {
			json_missing(j, names[k],
			             k ? "no such frame"
			               : "no frame whose markers and threads are known");
			continue;
		}
		json_object_line(j, names[k]);
		json_parts_of(j, &p->sum[k]);
		json_end(j);
	}
}

static void json_quantiles(struct json *j, const int64_t *ascending, size_t n)
{
	static const struct {
		const char *key;
		double q;
	} quantiles[] = {{"min_ms", 0},   {"p50_ms", .5},  {"p90_ms", .9},
	                 {"p95_ms", .95}, {"p99_ms", .99}, {"max_ms", 1}};

	for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
		json_real(j, quantiles[i].key, quantile_of(ascending, n, quantiles[i].q) / 1e6);
}

static void json_durations(struct json *j, const struct frame_process *p)
{
	if (!p->ns.n) {
		json_missing(j, "mean_ms", "no frame with a start and an end");
		return;
	}
	json_real(j, "mean_ms", frame_mean(p) / 1e6);
	if (p->ns.n > 1) {
		json_real(j, "sd_ms", frame_sd(p) / 1e6);
		json_real(j, "rsd_frames_pct", 100 * frame_sd(p) / frame_mean(p));
	} else {
		json_missing(j, "sd_ms", "one frame");
	}
	json_quantiles(j, p->ns.at, p->ns.n);
	json_int(j, "max_ns", p->longest->ns);
	json_int(j, "max_at_ns", p->longest->start);
	json_int(j, "max_token", p->longest->frame->token);
	json_int(j, "sum_ns", (int64_t)p->total);
}

static void json_jank(struct json *j, const struct frame_process *p)
{
	json_text(j, "jank", p->rule->id);
	if (!p->judged) {
		json_missing(j, "janky", frames_no_period);
		json_missing(j, "jank_pct", frames_no_period);
		return;
	}
	json_int(j, "janky", (int64_t)p->janky);
	json_real(j, "jank_pct", 100.0 * (double)p->janky / (double)p->judged);
	if (p->source == SOURCE_TIMELINE) {
		json_int(j, "app", (int64_t)p->app);
		json_int(j, "sf", (int64_t)p->sf);
		json_int(j, "dropped_janky", (int64_t)p->dropped_janky);
		json_int(j, "late_on_time", (int64_t)p->late_on_time);
	}
	json_int(j, "janky_runs", (int64_t)p->runs);
	json_int(j, "longest_run", (int64_t)p->longest_run);
	json_int(j, "missed_vsyncs", (int64_t)p->missed);
	if (p->has_period)
		json_real(j, "hitch_ms_per_s", frame_hitch(p));
	else
		json_missing(j, "hitch_ms_per_s", frames_no_period);
}

/* Every rule that can tell, with the id. */
static void json_rules(struct json *j, const struct frame_process *p)
{
	json_array_line(j, "rules");
	for (size_t i = 0; jank_rules[i]; i++) {
		uint64_t janky, judged;

		frame_judge(p, jank_rules[i], &janky, &judged);
		if (!judged)
			continue;
		json_object(j, NULL);
		json_text(j, "id", jank_rules[i]->id);
		json_int(j, "judged", (int64_t)judged);
		json_int(j, "janky", (int64_t)janky);
		json_real(j, "jank_pct", 100.0 * (double)janky / (double)judged);
		json_end(j);
	}
	json_end(j);
}

static void json_bursts(struct json *j, const struct frame_process *p)
{
	json_object_line(j, "bursts");
	json_int(j, "n", (int64_t)p->bursts.n);
	json_int(j, "frame_time_ns", p->frame_time);
	json_int(j, "early", (int64_t)p->early);
	json_int(j, "early_janky", (int64_t)p->early_janky);
	json_end(j);
}

/* Mean duration of the frames with those ends, ms; there must be one. */
static double mean_if(const struct frame_process *p, const int64_t *ends)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->used.n; i++)
		if (ends[i] != FRAME_NO_TIME) {
			sum += (double)(ends[i] - p->used.at[i].start);
			n++;
		}
	return sum / (double)n / 1e6;
}

/* What each change would leave of the frames that are janky because of the application. */
static void json_if(struct json *j, const struct frame_process *p)
{
	static const struct {
		const char *key;
		struct frame_change change;
	} changes[] = {
	        {"unchanged", {false, 0, false}},        {"top_clock", {true, 0, false}},
	        {"second_size", {false, 1, false}},      {"largest", {false, UPS_MAX, false}},
	        {"largest_top", {true, UPS_MAX, false}}, {"no_waiting", {false, 0, true}}};
	enum { CHANGES = sizeof changes / sizeof *changes };
	static const char *const least[LEASTS] = {"either",     "size", "clock",
	                                          "no_waiting", "both", "none"};
	int64_t *ends = mem_calloc(p->used.n + 1, sizeof *ends);
	uint64_t n[LEASTS], moved = 0;
	double mean[CHANGES];

	json_object_line(j, "if_app_janky");
	for (size_t i = 0; i < CHANGES; i++) {
		frame_if(p, &changes[i].change, ends);
		json_int(j, changes[i].key, (int64_t)frame_if_janky(p, ends));
		mean[i] = mean_if(p, ends);
		if (!i)
			moved = frame_if_moved(p, ends);
	}
	json_int(j, "check_moved", (int64_t)moved);
	json_end(j);
	json_object_line(j, "if_mean_ms");
	for (size_t i = 0; i < CHANGES; i++)
		json_real(j, changes[i].key, mean[i]);
	json_end(j);
	frame_least(p, n);
	json_object_line(j, "least_change");
	for (int k = 0; k < LEASTS; k++)
		json_int(j, least[k], (int64_t)n[k]);
	json_end(j);
	free(ends);
}

static void json_index(const struct frames_state *s, struct json *j, const struct frame_process *p)
{
	uint64_t n;
	double index = frame_user_index(s->user, p->pid, &n);

	if (n)
		json_real(j, "performance_index", index);
	else
		json_missing(j, "performance_index",
		             "no rtapp_stats with a period longer than its run");
}

static void json_process(const struct frames_state *s, struct json *j,
                         const struct frame_process *p)
{
	json_object(j, NULL);
	json_int(j, "pid", p->pid);
	json_text(j, "process", p->name);
	json_text(j, "source", frame_source_name[p->source]);
	json_text(j, "duration", frame_duration_id[p->source]);
	json_int(j, "n", (int64_t)p->used.n);
	json_int(j, "n_durations", (int64_t)p->ns.n);
	if (p->source == SOURCE_TIMELINE)
		json_int(j, "rows", (int64_t)p->rows);
	json_durations(j, p);
	if (p->overrun.n) {
		json_object_line(j, "overrun");
		json_int(j, "n", (int64_t)p->overrun.n);
		json_quantiles(j, p->overrun.at, p->overrun.n);
		json_end(j);
	} else {
		json_missing(j, "overrun", frames_no_period);
	}
	if (p->n_ui) { /* the definition `ui`: doFrame alone */
		json_real(j, "ui_mean_ms", (double)p->ui_sum / (double)p->n_ui / 1e6);
		json_real(j, "ui_max_ms", (double)p->ui_max / 1e6);
	}
	if (s->user && p->source == SOURCE_RTAPP)
		json_index(s, j, p);
	json_parts(j, p);
	json_jank(j, p);
	json_rules(j, p);
	json_bursts(j, p);
	if (p->sum[FRAMES_ALL].n && p->judged)
		json_if(j, p);
	else
		json_missing(j, "if_app_janky", "parts or jank of the frames are not known");
	if (s->ctx->opts.frame_rows && p->source == SOURCE_TIMELINE)
		frame_rows_json(&s->rows, j, p->pid);
	json_int(j, "far_rows", (int64_t)p->far);
	json_int(j, "incomplete", (int64_t)p->incomplete);
	json_int(j, "dropped", (int64_t)p->dropped);
	json_int(j, "expired", (int64_t)p->expired);
	json_int(j, "unresolved", (int64_t)p->unresolved);
	json_int(j, "suspended", (int64_t)p->suspended);
	json_int(j, "ui_only", (int64_t)p->ui_only);
	json_int(j, "draw_only", (int64_t)p->draw_only);
	json_end(j);
}

static void json_refresh(struct json *j, const struct refresh *r)
{
	if (!r->spans.n) {
		json_missing(j, "refresh", frames_no_period);
		return;
	}
	json_object(j, "refresh");
	json_text(j, "source", refresh_source_name[r->source]);
	json_array_line(j, "spans");
	for (size_t i = 0; i < r->spans.n; i++) {
		json_object(j, NULL);
		json_int(j, "from_ns", r->spans.at[i].from);
		json_int(j, "period_ns", (int64_t)r->spans.at[i].period);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

static void json(void *self, struct json *j)
{
	struct frames_state *s = self;

	if (!s->table.at.n) {
		json_missing(j, "frames", frames_none);
		return;
	}
	json_refresh(j, &s->refresh);
	json_array(j, "frames");
	for (size_t i = 0; i < s->table.at.n; i++)
		json_process(s, j, &s->table.at.at[i]);
	json_end(j);
}

static void free_frames(void *self)
{
	struct frames_state *s = self;

	frame_table_free(&s->table);
	refresh_free(&s->refresh);
	vec_free(&s->slept);
	frame_rows_free(&s->rows);
	frames_free(&s->frames);
	frame_why_free(&s->why);
	frame_timeline_free(&s->timeline);
	frame_user_free(s->user);
	vec_free(&s->type_wanted);
	frame_markers_free(&s->markers);
}

const struct analysis analysis_frames = {
        .name = "frames",
        .question = "how long did frames take, how many were janky, and why",
        .size = sizeof(struct frames_state),
        .end = end,
        .json = json,
        .measure = frames_measure,
        .show = frames_show,
        .page = frames_page,
        .page_end = frames_worst,
        .free = free_frames,
};
