/* The frames of each process in the window: which count, how long they took, which were janky by
 * which rule, and where their time went. A frame counts where its start lies. */
#ifndef PELTIER_ANALYSIS_FRAME_TABLE_H
#define PELTIER_ANALYSIS_FRAME_TABLE_H

#include "analysis/frame_why.h"
#include "frame/jank.h"
#include "frame/refresh.h"

enum { EARLY_MS = 100, BURST_GAP_MS = 100 };

struct used_frame {
	const struct frame *frame;
	const struct frame_parts *parts; /* NULL: not known */
	int64_t start, ns; /* ns FRAME_NO_TIME: it has no duration (dropped, expired, incomplete) */
	int64_t overrun;   /* past its deadline; FRAME_NO_TIME: not known */
	double period;     /* of the panel then; 0: not known */
	int8_t janky;      /* by the default rule of its source; -1: cannot be told */
	bool early;        /* it begins in the first EARLY_MS of its burst */
	uint32_t missed; /* vsyncs: how late a janky frame is, in periods, rounded up; 1 when it was
	                    dropped */
};

/* Frames with less than BURST_GAP_MS between the end of one and the start of the next. */
struct frame_burst {
	int64_t from, to;
	uint64_t n, janky, early, early_janky;
};

/* Sums of parts over some frames. */
struct parts_sum {
	uint64_t n;
	struct frame_parts parts;
};

enum which_frames {
	FRAMES_ALL,
	FRAMES_ON_TIME,
	FRAMES_JANKY,
	FRAMES_EARLY,
	FRAMES_LATER,
	WHICH_FRAMES
};

struct frame_process {
	int32_t pid;
	bool display; /* of the compositor itself */
	enum frame_source source;
	const struct jank_rule *rule;
	const struct task *task; /* its main thread, or NULL */
	char name[COMM_LEN + 12];
	VEC(struct used_frame) used; /* by start */
	VEC(int64_t) ns, overrun;    /* that are known, ascending */
	VEC(struct frame_burst) bursts;
	int64_t frame_time;          /* of all bursts */
	uint64_t early, early_janky; /* frames in their first EARLY_MS */
	uint64_t rows;               /* of FrameTimeline, layers apart */
	uint64_t incomplete, dropped, expired;
	uint64_t ui_only, draw_only,
	        unresolved; /* not counted: no drawing, no doFrame, rows not told yet */
	uint64_t far;       /* rows so far from the kernel's events that they are damage */
	uint64_t suspended; /* not counted: the machine slept within */
	uint64_t judged, janky, app, sf, dropped_janky, late_on_time, runs, longest_run;
	uint64_t missed, most_missed; /* vsyncs */
	bool has_period;
	struct parts_sum sum[WHICH_FRAMES];
	double total; /* of durations */
	const struct used_frame *longest;
	int64_t ui_sum, ui_max; /* of doFrame alone */
	uint64_t n_ui;
};

struct frame_table {
	VEC(struct frame_process) at; /* most frames first */
	struct map by_pid;            /* (pid, display): 1 + index */
};

struct frame_table_in {
	const struct context *ctx;
	const struct frames *frames;
	const struct frame_why *why;
	const struct refresh *refresh;
	enum frame_source forced; /* SOURCE_NONE: the best of each process */
	const struct suspended *slept;
	size_t n_slept;
};

/* Free with frame_table_free(). */
struct frame_table frame_table_of(const struct frame_table_in *in);
void frame_table_free(struct frame_table *t);
/* The process that the page is about: of those with frames the one with most, the display apart.
 * NULL: none. */
const struct frame_process *frame_table_main(const struct frame_table *t);
double frame_mean(const struct frame_process *p); /* ns; there must be a duration */
double frame_sd(const struct frame_process *p);   /* n - 1; NAN for fewer than two */
/* Mean, and standard deviation (n - 1; NAN for fewer than two), of n numbers. */
double values_mean(const int64_t *v, size_t n);
double values_sd(const int64_t *v, size_t n);
/* For qsort() of int64_t. */
int frame_by_value(const void *a, const void *b);
/* Type 7, of n ascending numbers, n > 0. */
double quantile_of(const int64_t *ascending, size_t n, double q);
/* How many frames another rule finds janky, and of how many it can tell. */
void frame_judge(const struct frame_process *p, const struct jank_rule *rule, uint64_t *janky,
                 uint64_t *judged);
/* Missed vsyncs x period, ms per s of frame time; NAN: no period, no frames. */
double frame_hitch(const struct frame_process *p);

#endif
