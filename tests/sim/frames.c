/* Where the time of frames went, by the model's own log of what tasks did, and the list of frames.
 * The definitions are those of the analysis (lib/analysis/frame_why.h); nothing of its code or of
 * the events is used. */
#include "sim/sim.h"

#include <inttypes.h>
#include <math.h>

static int64_t overlap(int64_t a, int64_t b, int64_t from, int64_t to)
{
	int64_t lo = a > from ? a : from, hi = b < to ? b : to;

	return hi > lo ? hi - lo : 0;
}

/* What the task did in [from, to) is the frame's. */
static void add(const struct ledger *l, size_t task, int64_t from, int64_t to, struct sim_parts *p)
{
	const struct ledger_task *t = task ? &l->tasks.at[task - 1] : NULL;
	int64_t left = to > from ? to - from : 0;

	for (size_t i = 0; t && i < t->log.n; i++) {
		const struct task_log *g = &t->log.at[i];
		int64_t ns = overlap(g->from, g->to, from, to);
		double s = g->rel * g->cap, lost = (double)ns * (1 - s),
		       ln = -log(g->rel) - log(g->cap), clock;

		left -= ns;
		if (g->state == SIM_WAITING)
			p->waiting += ns;
		else if (g->state == SIM_BLOCKED)
			p->blocked += ns;
		else if (g->state == SIM_FENCE)
			p->gpu += ns;
		if (g->state != SIM_RUNNING)
			continue;
		clock = ln > 0 ? lost * -log(g->rel) / ln : 0;
		p->work += (double)ns * s;
		p->clock += clock;
		p->size += lost - clock;
		if (g->limit < 1 && g->rel < 1)
			p->capped += clock * (g->rel >= g->limit ? 1 : log(g->limit) / log(g->rel));
	}
	p->unknown += left;
}

/* [from, to) is the thread's, but for slices of earlier frames in which it still is. */
static void add_behind(const struct ledger *l, const struct frame *f, bool ui, int64_t from,
                       int64_t to, struct sim_parts *p)
{
	for (const struct frame *x = l->frames.at; x < f; x++) {
		int64_t begin = ui ? x->ui_begin : x->draw_begin,
		        end = ui ? x->ui_end : x->draw_end;

		if ((ui ? x->ui != f->ui : x->draw != f->draw) || end <= from || begin >= to)
			continue;
		if (begin > from)
			add(l, ui ? f->ui : f->draw, from, begin, p);
		p->behind += overlap(begin, end, from, to);
		from = end < to ? end : to;
	}
	add(l, ui ? f->ui : f->draw, from, to, p);
}

struct sim_parts frame_parts(const struct ledger *l, const struct frame *f, bool markers)
{
	struct sim_parts p = {.work = 0};
	bool sync = f->handed && f->handed < f->ui_end && f->draw_begin < f->ui_end;
	int64_t ui_to = sync ? f->handed : f->ui_end;

	if (!markers)
		add_behind(l, f, true, f->vsync, f->ui_begin, &p);
	add(l, f->ui, f->ui_begin, ui_to, &p);
	add_behind(l, f, false, ui_to, f->draw_begin, &p);
	add(l, f->draw, f->draw_begin, f->draw_end, &p);
	if (!markers)
		p.gpu += f->end - f->draw_end;
	return p;
}

static void put_parts(const struct ledger *l, const struct frame *f, bool markers, FILE *out)
{
	struct sim_parts p = frame_parts(l, f, markers);

	fprintf(out,
	        ",%.0f,%.0f,%.0f,%.0f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64,
	        p.work, p.clock, p.size, p.capped, p.waiting, p.blocked, p.behind, p.gpu,
	        p.unknown);
}

bool write_frames(const struct result *r, FILE *out)
{
	static const char parts[] =
	        ",%swork,%sclock,%ssize,%scapped,%swaiting,%sblocked,%sbehind,%sgpu,%sunknown";

	fprintf(out,
	        "token,vsync_ns,begin_ns,end_ns,present_ns,late,period_ns,ui_begin_ns,draw_end_ns");
	for (int i = 0; i < 2; i++) {
		const char *m = i ? "m_" : "";

		fprintf(out, parts, m, m, m, m, m, m, m, m, m);
	}
	putc('\n', out);
	for (size_t i = 0; i < r->ledger.frames.n; i++) {
		const struct frame *f = &r->ledger.frames.at[i];

		if (!f->end || !f->draw_end)
			continue;
		fprintf(out,
		        "%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
		        ",%d,%.0f,%" PRId64 ",%" PRId64,
		        f->token, f->vsync, f->begin, f->end, frame_present(f), frame_is_late(f),
		        f->period, f->ui_begin, f->draw_end);
		put_parts(&r->ledger, f, false, out);
		put_parts(&r->ledger, f, true, out);
		putc('\n', out);
	}
	return !ferror(out);
}
