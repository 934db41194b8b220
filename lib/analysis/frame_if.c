#include "analysis/frame_if.h"

#include <stdlib.h>

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* What the change takes off the leg. */
static int64_t saved(const struct leg *l, const struct frame_change *c)
{
	int64_t run = l->run;

	if (c->top && c->up)
		run = l->work;
	else if (c->top)
		run = l->top;
	else if (c->up)
		run = l->up[c->up - 1];
	return l->run - run + (c->no_wait ? l->waiting : 0);
}

/* When the threads and the GPU are done with the last frame: as recorded, and with the change. */
struct busy {
	int64_t ui, ui_if, draw, draw_if, gpu, gpu_if;
};

static int64_t lay_out(const struct used_frame *u, const struct frame_change *c, struct busy *b)
{
	const struct frame_parts *x = u->parts;
	const struct frame *f = u->frame;
	int64_t ui = x->handoff - later(x->start, b->ui) - saved(&x->leg[LEG_UI], c);
	int64_t handoff = later(x->start, b->ui_if) + ui;
	int64_t ready = later(x->handoff, b->draw), ready_if = later(handoff, b->draw_if);
	int64_t drawn = x->draw_end != FRAME_NO_TIME ? x->draw_end : x->end;
	int64_t drawn_if = ready_if + drawn - ready - saved(&x->leg[LEG_DRAW], c);
	int64_t end_if = drawn_if + x->end - drawn;

	if (x->end > drawn)
		end_if = later(drawn_if, b->gpu_if) + x->end - later(drawn, b->gpu);
	if (f->ui_end != FRAME_NO_TIME) {
		/* the UI thread may be held up until the drawing began */
		if (x->draw != FRAME_NO_TIME && f->ui_end > x->draw)
			b->ui_if =
			        ready_if + f->ui_end - ready - (c->no_wait ? x->wait_to_draw : 0);
		else
			b->ui_if = handoff + f->ui_end - x->handoff;
		b->ui = f->ui_end;
	}
	b->draw = drawn;
	b->draw_if = drawn_if;
	b->gpu = later(b->gpu, x->end);
	b->gpu_if = later(b->gpu_if, end_if);
	return end_if;
}

void frame_if(const struct frame_process *p, const struct frame_change *c, int64_t *ends)
{
	const struct busy none = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
	struct busy b = none;

	for (size_t i = 0; i < p->used.n; i++) {
		const struct used_frame *u = &p->used.at[i];

		ends[i] = FRAME_NO_TIME;
		if (u->parts)
			ends[i] = lay_out(u, c, &b);
		else
			b = none; /* who was busy until when is not known */
	}
}

bool frame_is_app_janky(const struct frame_process *p, const struct used_frame *u)
{
	return u->janky == 1 && (p->source != SOURCE_TIMELINE || (u->frame->jank & JANK_APP)) &&
	       u->overrun != FRAME_NO_TIME && u->overrun > 0;
}

/* By how much later than recorded the frame may be to be janky still. */
static bool still_janky(const struct used_frame *u, int64_t end)
{
	return end == FRAME_NO_TIME || end - (u->start + u->ns) + u->overrun > 0;
}

uint64_t frame_if_janky(const struct frame_process *p, const int64_t *ends)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->used.n; i++)
		n += frame_is_app_janky(p, &p->used.at[i]) && still_janky(&p->used.at[i], ends[i]);
	return n;
}

uint64_t frame_if_moved(const struct frame_process *p, const int64_t *ends)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->used.n; i++)
		n += p->used.at[i].parts && ends[i] != p->used.at[i].start + p->used.at[i].ns;
	return n;
}

enum { SIZE, CLOCK, NO_WAIT, BOTH, CHANGES };

static enum frame_least least_of(const bool saves[CHANGES])
{
	return saves[SIZE] && saves[CLOCK] ? LEAST_EITHER
	       : saves[SIZE]               ? LEAST_SIZE
	       : saves[CLOCK]              ? LEAST_CLOCK
	       : saves[NO_WAIT]            ? LEAST_NO_WAIT
	       : saves[BOTH]               ? LEAST_BOTH
	                                   : LEAST_NONE;
}

void frame_least(const struct frame_process *p, uint64_t n[LEASTS])
{
	static const struct frame_change changes[] = {{false, UPS_MAX, false},
	                                              {true, 0, false},
	                                              {false, 0, true},
	                                              {true, UPS_MAX, false}};
	int64_t *ends[CHANGES];

	for (int k = 0; k < CHANGES; k++) {
		ends[k] = mem_calloc(p->used.n + 1, sizeof *ends[k]);
		frame_if(p, &changes[k], ends[k]);
	}
	for (int k = 0; k < LEASTS; k++)
		n[k] = 0;
	for (size_t i = 0; i < p->used.n; i++) {
		bool saves[CHANGES];

		if (!frame_is_app_janky(p, &p->used.at[i]))
			continue;
		for (int k = 0; k < CHANGES; k++)
			saves[k] = !still_janky(&p->used.at[i], ends[k][i]);
		n[least_of(saves)]++;
	}
	for (int k = 0; k < CHANGES; k++)
		free(ends[k]);
}
