#include "frame/jank.h"

#include <math.h>
#include <string.h>

static int by_bits(const struct jank_input *f, uint32_t bits)
{
	return f->frame && f->frame->layers ? (f->frame->jank & bits) != 0 : -1;
}

static int ft_missed(const struct jank_input *f, struct jank_state *s)
{
	(void)s;
	return by_bits(f, JANK_MISSED);
}

static int ft_app(const struct jank_input *f, struct jank_state *s)
{
	(void)s;
	return by_bits(f, JANK_APP);
}

static int ft_sf(const struct jank_input *f, struct jank_state *s)
{
	(void)s;
	return by_bits(f, JANK_SF);
}

static int overrun(const struct jank_input *f, struct jank_state *s)
{
	(void)s;
	return f->overrun == FRAME_NO_TIME ? -1 : f->overrun > 0;
}

/* The later of the actual row and the drawing thread. */
static int macro_overrun(const struct jank_input *f, struct jank_state *s)
{
	int64_t end;

	(void)s;
	if (!f->frame || f->overrun == FRAME_NO_TIME || f->frame->draw_end == FRAME_NO_TIME)
		return -1;
	end = f->frame->draw_end > f->frame->actual_end ? f->frame->draw_end : f->frame->actual_end;
	return end > f->frame->expected_end;
}

static int jankstats(const struct jank_input *f, struct jank_state *s)
{
	double expected = f->period;

	(void)s;
	if (f->frame && f->frame->expected_end != FRAME_NO_TIME &&
	    f->frame->expected_start != FRAME_NO_TIME)
		expected = (double)f->frame->expected_end - (double)f->frame->expected_start;
	if (f->ui_ns == FRAME_NO_TIME || expected <= 0)
		return -1;
	return (double)f->ui_ns > 2 * expected;
}

static int period(const struct jank_input *f, struct jank_state *s)
{
	(void)s;
	return f->ns == FRAME_NO_TIME || f->period <= 0 ? -1 : (double)f->ns > f->period;
}

static int jankbench16(const struct jank_input *f, struct jank_state *s)
{
	int64_t limit = s->buffered ? 32000000 : 16000000;

	if (f->ns == FRAME_NO_TIME)
		return -1;
	if (f->ns <= limit)
		return 0;
	s->buffered = !s->buffered;
	return 1;
}

static int bad16(const struct jank_input *f, struct jank_state *s)
{
	(void)s;
	return f->ns == FRAME_NO_TIME ? -1 : f->ns >= 16000000;
}

/* Longer than twice the mean of the three before, and than `films` frames of 24 per second. */
static int perfdog_of(const struct jank_input *f, struct jank_state *s, double films)
{
	double ms = (double)f->ns / 1e6, mean = (s->last[0] + s->last[1] + s->last[2]) / 3;
	int janky;

	if (f->ns == FRAME_NO_TIME)
		return -1;
	janky = s->n_last >= 3 && ms > 2 * mean && ms > films * 1000 / 24;
	s->last[2] = s->last[1];
	s->last[1] = s->last[0];
	s->last[0] = ms;
	s->n_last++;
	return janky;
}

static int perfdog(const struct jank_input *f, struct jank_state *s)
{
	return perfdog_of(f, s, 2);
}

static int perfdog_big(const struct jank_input *f, struct jank_state *s)
{
	return perfdog_of(f, s, 3);
}

/* THE list: X(judge, id, text, is of 60 Hz). */
#define RULES(X)                                                                                   \
	X(ft_missed, "jank.ft_missed",                                                             \
	  "FrameTimeline blames the application or SurfaceFlinger, or the frame was dropped",      \
	  false)                                                                                   \
	X(ft_app, "jank.ft_app", "FrameTimeline blames the application", false)                    \
	X(ft_sf, "jank.ft_sf", "FrameTimeline blames SurfaceFlinger or the display", false)        \
	X(overrun, "jank.overrun", "ready after its deadline", false)                              \
	X(macro_overrun, "jank.macro_overrun", "ready, or drawn, after its deadline", false)       \
	X(jankstats, "jank.jankstats",                                                             \
	  "doFrame takes more than twice the time that is expected of the frame", false)           \
	X(period, "atrace.period", "longer than the refresh period of its time", false)            \
	X(jankbench16, "jank.jankbench16",                                                         \
	  "Jankbench: longer than 16 ms, or than 32 ms when a buffer is already late", true)       \
	X(bad16, "jank.bad16", "16 ms or longer", true)                                            \
	X(perfdog, "jank.perfdog", "longer than twice the mean of three before and than 83.33 ms", \
	  true)                                                                                    \
	X(perfdog_big, "jank.perfdog_big",                                                         \
	  "longer than twice the mean of three before and than 125 ms", true)

#define X(judge, id, text, fixed_60)                                                               \
	static const struct jank_rule rule_##judge = {id, text, fixed_60, judge};
RULES(X)
#undef X

#define X(judge, ...) &rule_##judge,
const struct jank_rule *const jank_rules[] = {RULES(X) NULL};
#undef X

const struct jank_rule *jank_rule_of(const char *id, size_t n)
{
	static const char group[] = "jank.";

	for (size_t i = 0; jank_rules[i]; i++) {
		const char *x = jank_rules[i]->id;

		if (strlen(x) == n && !memcmp(x, id, n))
			return jank_rules[i];
		if (!strncmp(x, group, sizeof group - 1) && strlen(x) == n + sizeof group - 1 &&
		    !memcmp(x + sizeof group - 1, id, n))
			return jank_rules[i];
	}
	return NULL;
}

const struct jank_rule *jank_rule_at(const char *list, size_t i)
{
	while (list && i--) {
		list = strchr(list, ',');
		list += list != NULL;
	}
	return list ? jank_rule_of(list, strcspn(list, ",")) : NULL;
}

const struct jank_rule *jank_default(enum frame_source s)
{
	return s == SOURCE_TIMELINE  ? &rule_ft_missed
	       : s == SOURCE_MARKERS ? &rule_period
	                             : &rule_overrun;
}

/* ---- hwui ---- */

bool jank_hwui_deadline(double intended, double deadline, double gpu_done, double vsync,
                        double interval, double *next_unstuffed, bool *late_input)
{
	bool tripled = *next_unstuffed - intended > .1 * interval;

	*late_input = false;
	if (tripled)
		deadline += interval;
	if (gpu_done < deadline) {
		if (tripled) {
			*late_input = true;
			*next_unstuffed += interval;
		}
		return false;
	}
	*next_unstuffed = gpu_done - fmod(gpu_done - vsync, interval) + interval;
	return true;
}

bool jank_hwui_legacy(double total, double period_ms, double offset_difference, double vsync,
                      double issue_draw, double dequeue)
{
	if (offset_difference >= 0 && offset_difference <= 4 && dequeue > .5) {
		double forgiven = offset_difference + 4 + vsync - issue_draw;

		forgiven = forgiven < dequeue ? forgiven : dequeue;
		total -= forgiven > 0 ? forgiven : 0;
	}
	return total > period_ms;
}
