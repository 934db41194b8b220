/* The first page of the process with most frames: why, if, speed, bursts. */
#include "analysis/frames.h"

#include "analysis/frame_if.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 20 };

/* ---- why ---- */

/* Of all parts of all its frames, ns. */
static double total_of(const struct parts_sum *s)
{
	double all = 0;

#define X(part) all += (double)s->parts.part;
	FRAME_PARTS(X)
#undef X
	return all;
}

static void why_row(struct doc *d, const struct frame_process *p, const char *what,
                    const char *more, size_t offset)
{
	double v[3], all = total_of(&p->sum[FRAMES_JANKY]);
	char text[96], bar[BAR + 1];
	int n;

	for (int k = 0; k < 3; k++) {
		const struct parts_sum *s = &p->sum[FRAMES_ALL + k];
		int64_t ns;

		memcpy(&ns, (const char *)&s->parts + offset, sizeof ns);
		v[k] = s->n ? (double)ns / (double)s->n / 1e6 : (double)NAN;
	}
	doc_text(d, what);
	for (int k = 0; k < 3; k++)
		if (isnan(v[k]))
			doc_missing(d);
		else
			doc_real(d, v[k], 2);
	if (all > 0)
		doc_real(d, 100 * v[2] * 1e6 * (double)p->sum[FRAMES_JANKY].n / all, 0);
	else
		doc_missing(d);
	n = all > 0 ? (int)lround(BAR * v[2] * 1e6 * (double)p->sum[FRAMES_JANKY].n / all) : 0;
	n = n < 0 ? 0 : n > BAR ? BAR : n;
	memset(bar, '#', (size_t)n);
	bar[n] = '\0';
	snprintf(text, sizeof text, "%s%s%s", bar, *bar && *more ? "  " : "", more);
	doc_text(d, text);
}

static void why_sum(struct doc *d, const struct frame_process *p)
{
	doc_text(d, "duration");
	for (int k = 0; k < 3; k++) {
		const struct parts_sum *s = &p->sum[FRAMES_ALL + k];

		if (s->n)
			doc_real(d, total_of(s) / (double)s->n / 1e6, 2);
		else
			doc_missing(d);
	}
	doc_text(d, "");
	doc_text(d, "");
}

/* "binder 62, thread 24": shares of the blocked time of all frames. */
static void blocked_kinds(const struct parts_sum *s, char *out, size_t room)
{
	double all = (double)s->parts.blocked;
	static const char *const names[] = {"binder", "thread", "disk", "other"};
	double known = (double)(s->parts.binder + s->parts.thread + s->parts.disk);
	size_t n = 0;

	out[0] = '\0';
	for (int i = 0; i < 4 && all > 0; i++) {
		double of = i == 0   ? (double)s->parts.binder
		            : i == 1 ? (double)s->parts.thread
		            : i == 2 ? (double)s->parts.disk
		                     : all - known;

		if (of >= .005 * all)
			n += (size_t)snprintf(out + n, room - n, "%s%s %.0f", n ? ", " : "",
			                      names[i], 100 * of / all);
	}
}

static int by_ns(const void *a, const void *b)
{
	const struct why_owner *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static void page_owners(struct frames_state *s, struct doc *d, const struct frame_process *p)
{
	char line[200] = "";
	int64_t rest = 0;
	size_t n = 0, shown = 0;

	if (s->why.owners.n)
		qsort(s->why.owners.at, s->why.owners.n, sizeof *s->why.owners.at, by_ns);
	for (size_t i = 0; i < s->why.owners.n; i++) {
		const struct why_owner *o = &s->why.owners.at[i];

		if (o->pid != p->pid)
			continue;
		if (shown == 3) {
			rest += o->ns;
			continue;
		}
		n += (size_t)snprintf(
		        line + n, sizeof line - n, "%s%.15s %.1f", shown++ ? ", " : "",
		        replay_task(s->ctx->replay, o->task)->comm, (double)o->ns / 1e6);
	}
	if (shown)
		doc_note(d, "who ran while they waited, ms: %s%s", line, rest ? ", ..." : "");
}

/* The loss of run time in both orders of removal, ms per frame. */
static void page_orders(struct doc *d, const struct parts_sum *s, const char *which)
{
	double run = 0, top = 0, big = 0, work = 0, n = (double)s->n * 1e6;
	double clock1, clock2, size1, size2;

	for (int i = 0; i < LEGS; i++) {
		run += (double)s->parts.leg[i].run;
		top += (double)s->parts.leg[i].top;
		big += (double)s->parts.leg[i].up[UPS_MAX - 1];
		work += (double)s->parts.leg[i].work;
	}
	clock1 = (run - top) / n;
	clock2 = (big - work) / n;
	size1 = (run - big) / n;
	size2 = (top - work) / n;
	doc_note(d, "in either order, %s: clock %.2f..%.2f, size %.2f..%.2f; %s", which,
	         fmin(clock1, clock2), fmax(clock1, clock2), fmin(size1, size2), fmax(size1, size2),
	         fmin(clock1, clock2) > fmax(size1, size2)   ? "clock leads"
	         : fmin(size1, size2) > fmax(clock1, clock2) ? "size leads"
	                                                     : "neither leads");
}

static void page_why(struct frames_state *s, struct doc *d, const struct frame_process *p)
{
	static const struct column columns[] = {
	        {"", NULL, true},       {"all", NULL, false},       {"on time", NULL, false},
	        {"janky", NULL, false}, {"% of jank", NULL, false}, {"", NULL, true},
	};
	const struct parts_sum *all = &p->sum[FRAMES_ALL];
	const char *why = pace_unknown(s->ctx);
	char kinds[80];

	if (!all->n) {
		doc_section(d, "WHY", "%s",
		            context_no_sched(s->ctx)
		                    ? context_no_sched(s->ctx)
		                    : "no frame whose markers and threads are known");
		return;
	}
	doc_section(d, "WHY",
	            "vsync > UI > drawing > GPU, ms per frame: %" PRIu64 " (on time %" PRIu64
	            ", janky %" PRIu64 "); they add up%s%s",
	            all->n, p->sum[FRAMES_ON_TIME].n, p->sum[FRAMES_JANKY].n, why ? "; " : "",
	            why ? why : "");
	blocked_kinds(all, kinds, sizeof kinds);
	doc_table(d, columns, sizeof columns / sizeof *columns);
#define ROW(what, more, part) why_row(d, p, what, more, offsetof(struct frame_parts, part))
	if (!why) {
		ROW("work, at full speed of largest CPU", "", work);
		ROW("clock below the CPU's top", "", clock);
		if (all->parts.capped > 0)
			ROW("   of that, capped by the policy", "", capped);
		ROW("CPU smaller than the largest", "", size);
	}
	if (all->parts.no_speed)
		ROW("running at an unknown speed", "", no_speed);
	ROW("waiting for a CPU", "", waiting);
	ROW("blocked", kinds, blocked);
	ROW("behind the previous frame", "", behind);
	ROW("GPU", "", gpu);
	ROW("unknown", "", unknown);
#undef ROW
	why_sum(d, p);
	if (!why)
		page_orders(d, p->sum[FRAMES_JANKY].n ? &p->sum[FRAMES_JANKY] : all,
		            p->sum[FRAMES_JANKY].n ? "janky frames" : "all frames");
	page_owners(s, d, p);
}

/* ---- if ---- */

static uint64_t left(const struct frame_process *p, bool top, int up, bool no_wait)
{
	const struct frame_change c = {top, up, no_wait};
	int64_t *ends = mem_calloc(p->used.n + 1, sizeof *ends);
	uint64_t n;

	frame_if(p, &c, ends);
	n = frame_if_janky(p, ends);
	free(ends);
	return n;
}

static void page_if(const struct frames_state *s, struct doc *d, const struct frame_process *p)
{
	uint64_t now, n[LEASTS];
	char middle[96] = "";

	if (!p->sum[FRAMES_ALL].n || !p->judged || pace_unknown(s->ctx))
		return;
	now = left(p, false, 0, false);
	if (!now) {
		doc_section(d, "IF", "no frame is janky because of the application");
		return;
	}
	if (s->why.n_sizes > 2)
		snprintf(middle, sizeof middle, "on 2nd size or larger %" PRIu64 ", ",
		         left(p, false, 1, false));
	frame_least(p, n);
	doc_section(d, "IF",
	            "frames laid out again, same work, one change, open loop: app-janky left of "
	            "%" PRIu64,
	            now);
	doc_note(d,
	         "top clock, same CPU %" PRIu64 "; same share of top clock: %son the largest CPU "
	         "%" PRIu64 ", there at top clock %" PRIu64 "; no waiting %" PRIu64,
	         left(p, true, 0, false), middle, left(p, false, UPS_MAX, false),
	         left(p, true, UPS_MAX, false), left(p, false, 0, true));
	doc_note(d,
	         "least change: either %" PRIu64 ", size %" PRIu64 ", clock %" PRIu64
	         ", no waiting %" PRIu64 ", both %" PRIu64 ", none of these %" PRIu64,
	         n[LEAST_EITHER], n[LEAST_SIZE], n[LEAST_CLOCK], n[LEAST_NO_WAIT], n[LEAST_BOTH],
	         n[LEAST_NONE]);
}

/* ---- speed of the frame's threads ---- */

struct size_use frames_use(const struct frames_state *s, int32_t pid, unsigned size, int draws)
{
	struct size_use sum = {.run = 0};

	for (size_t i = 0; i < s->why.threads.n; i++) {
		const struct why_thread *t = &s->why.threads.at[i];
		const struct size_use *u = &t->size[size];

		if (t->pid != pid || (draws >= 0 && t->draws != (draws == 1)))
			continue;
		sum.run += u->run;
		sum.work += u->work;
		sum.clock_share += u->clock_share;
		for (int b = 0; b < WHY_BANDS; b++)
			sum.band[b] += u->band[b];
	}
	return sum;
}

/* p95 of the work over what the budget leaves beside the median GPU time; percent of the largest
 * CPU; NAN: not known. */
static double needed_pct(const struct frame_process *p)
{
	VEC(int64_t) work = {0}, gpu = {0};
	double budget = 0, needed = (double)NAN;

	for (size_t i = 0; i < p->used.n; i++) {
		const struct used_frame *u = &p->used.at[i];

		if (!u->parts || u->overrun == FRAME_NO_TIME)
			continue;
		*vec_add(&work) = u->parts->work;
		*vec_add(&gpu) = u->parts->gpu;
		budget = (double)(u->ns - u->overrun);
	}
	if (work.n) {
		qsort(work.at, work.n, sizeof *work.at, frame_by_value);
		qsort(gpu.at, gpu.n, sizeof *gpu.at, frame_by_value);
		budget -= quantile_of(gpu.at, gpu.n, .5);
		if (budget > 0)
			needed = 100 * quantile_of(work.at, work.n, .95) / budget;
	}
	vec_free(&work);
	vec_free(&gpu);
	return needed;
}

static void speed_row(const struct frames_state *s, struct doc *d, const struct frame_process *p,
                      unsigned size, const struct size_use *all, const double by[2])
{
	struct size_use u = frames_use(s, p->pid, size, -1);
	char label[64];

	context_cpus_of(s->ctx, (int32_t)lround(1024 * s->why.size_cap[size]), label, sizeof label);
	doc_text(d, label);
	doc_real(d, u.run / 1e6, 0);
	doc_real(d, 100 * u.run / all->run, 1);
	doc_real(d, 100 * u.work / all->work, 1);
	if (u.run <= 0) {
		for (int i = 0; i < 2 + WHY_BANDS; i++)
			doc_missing(d);
	} else {
		doc_real(d, 100 * u.work / u.run, 1);
		doc_real(d, 100 * u.clock_share / u.run, 1);
		for (int b = 0; b < WHY_BANDS; b++)
			doc_real(d, 100 * u.band[b] / u.run, 0);
	}
	for (int k = 0; k < 2; k++)
		if (by[k] > 0)
			doc_real(d, 100 * frames_use(s, p->pid, size, k).run / by[k], 0);
		else
			doc_missing(d);
}

static void page_speed(const struct frames_state *s, struct doc *d, const struct frame_process *p)
{
	static const struct column columns[] = {
	        {"cpus", NULL, true},    {"run ms", NULL, false},  {"run %", NULL, false},
	        {"work %", NULL, false}, {"speed %", NULL, false}, {"clock %", NULL, false},
	        {"<25", NULL, false},    {"25-50", NULL, false},   {"50-75", NULL, false},
	        {"75-99", NULL, false},  {"top", NULL, false},     {"UI %", NULL, false},
	        {"draw %", NULL, false},
	};
	struct size_use all = {.run = 0};
	double by[2] = {0, 0}, needed = needed_pct(p);
	char need[64] = "";

	if (pace_unknown(s->ctx)) {
		doc_section(d, "SPEED", "%s", pace_unknown(s->ctx));
		return;
	}
	for (unsigned k = 0; k < s->why.n_sizes; k++) {
		struct size_use u = frames_use(s, p->pid, k, -1);

		all.run += u.run;
		all.work += u.work;
		by[0] += frames_use(s, p->pid, k, 0).run;
		by[1] += frames_use(s, p->pid, k, 1).run;
	}
	if (all.run <= 0)
		return;
	if (!isnan(needed))
		snprintf(need, sizeof need, "; needed %.1f %% (p95 work / budget)", needed);
	doc_section(d, "SPEED",
	            "capacity x clock of its threads: %.1f %% of the largest CPU at its top%s",
	            100 * all.work / all.run, need);
	doc_table(d, columns, sizeof columns / sizeof *columns);
	for (unsigned k = 0; k < s->why.n_sizes; k++)
		speed_row(s, d, p, k, &all, by);
}

/* ---- bursts ---- */

double frames_speed(const struct parts_sum *s)
{
	double run = 0, work = 0;

	for (int i = 0; i < LEGS; i++) {
		run += (double)s->parts.leg[i].run;
		work += (double)s->parts.leg[i].work;
	}
	return run > 0 ? 100 * work / run : (double)NAN;
}

static void page_bursts(const struct frames_state *s, struct doc *d, const struct frame_process *p)
{
	const struct parts_sum *e = &p->sum[FRAMES_EARLY], *l = &p->sum[FRAMES_LATER];
	uint64_t early = p->early, janky = p->early_janky;
	double n = (double)p->bursts.n * 1e6;
	bool speed = e->n && l->n && !pace_unknown(s->ctx);
	char a[32] = "", b[32] = "";

	if (speed) {
		snprintf(a, sizeof a, ", speed %.1f %%", frames_speed(e));
		snprintf(b, sizeof b, ", %.1f %%", frames_speed(l));
	}
	if (p->judged)
		doc_section(d, "BURSTS",
		            "first %d ms: %" PRIu64 " frames, janky %" PRIu64
		            " (%.1f %%)%s; later %" PRIu64 ", %" PRIu64 " (%.1f %%)%s",
		            EARLY_MS, early, janky,
		            early ? 100.0 * (double)janky / (double)early : 0, a, p->used.n - early,
		            p->janky - janky,
		            p->used.n > early ? 100.0 * (double)(p->janky - janky) /
		                                        (double)(p->used.n - early)
		                              : 0,
		            b);
	else
		doc_section(d, "BURSTS", "first %d ms: %" PRIu64 " frames%s; later %" PRIu64 "%s",
		            EARLY_MS, early, a, p->used.n - early, b);
	if (e->n && !pace_unknown(s->ctx))
		doc_note(d,
		         "run time lost there per burst: size %.1f ms, clock %.1f, of which capped "
		         "%.1f",
		         (double)e->parts.size / n, (double)e->parts.clock / n,
		         (double)e->parts.capped / n);
}

/* ---- all ---- */

void frames_page(void *self, struct doc *d)
{
	struct frames_state *s = self;
	const struct frame_process *p = frame_table_main(&s->table);

	if (!p) {
		doc_section(d, "FRAMES", "%s",
		            s->table.at.n ? "no frame has a start and an end (--full)"
		                          : frames_not_there(s->ctx));
		return;
	}
	frames_page_head(s, d, p);
	if (!s->ctx->has_frames) /* the page is about one thread */
		return;
	page_why(s, d, p);
	page_if(s, d, p);
	page_speed(s, d, p);
	page_bursts(s, d, p);
}
