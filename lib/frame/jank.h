/* Rules of what makes a frame janky, each with an id; reference frames.md 1.4, 3.9, 5.4, 5.6. */
#ifndef PELTIER_FRAME_JANK_H
#define PELTIER_FRAME_JANK_H

#include "frame/frame.h"

/* What is known of a frame, ns; FRAME_NO_TIME: not that. */
struct jank_input {
	const struct frame *frame;
	int64_t ns, overrun, ui_ns; /* duration, past the deadline, doFrame alone */
	double period;              /* 0: not known */
};

/* What a rule remembers from frame to frame; zero-initialise for each run of frames. */
struct jank_state {
	bool buffered;  /* jankbench16 */
	double last[3]; /* perfdog: durations, ms; newest first */
	unsigned n_last;
};

struct jank_rule {
	const char *id, *text;
	bool fixed_60; /* its threshold is that of a 60 Hz panel */
	/* 1: janky, 0: not, -1: cannot be told. Frames are judged in the order they began. */
	int (*judge)(const struct jank_input *f, struct jank_state *s);
};

/* NULL-terminated. */
extern const struct jank_rule *const jank_rules[];
/* The rule with that id, with or without "jank." before it; NULL: none. */
const struct jank_rule *jank_rule_of(const char *id, size_t n);
/* The i-th rule of a list "a,b"; NULL: it has no more, or there is no such rule. */
const struct jank_rule *jank_rule_at(const char *list, size_t i);
/* The default of a source. */
const struct jank_rule *jank_default(enum frame_source s);

/* ---- rules of hwui's own statistics, for dumps of gfxinfo; all in ms ---- */

/* "Janky frames" of Android 12 and later; state: next-unstuffed-start, 0 at first. True: janky.
 * `late_input`: the other thing that it counts. */
bool jank_hwui_deadline(double intended, double deadline, double gpu_done, double vsync,
                        double interval, double *next_unstuffed, bool *late_input);
/* Before, and as "legacy" since: swap: SF offset minus app offset; dequeue: DequeueBufferDuration,
 * ms. */
bool jank_hwui_legacy(double total, double period, double offset_difference, double vsync,
                      double issue_draw, double dequeue);

#endif
