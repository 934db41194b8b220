/* What a comparison of runs takes from one: its metrics, and where the time of its frames went. */
#ifndef PELTIER_ANALYSIS_SUMMARY_H
#define PELTIER_ANALYSIS_SUMMARY_H

#include "analysis/analysis.h"

enum { SUMMARY_SIZES = 4, SUMMARY_NAME = 48 };

/* Of the frames of a process: ms per frame, which add up to the mean duration (run + no_speed +
 * waiting + blocked + behind + gpu + unknown), and ms of its threads by size of CPU. */
struct frame_sums {
	char process[SUMMARY_NAME];
	uint64_t frames, n; /* n: with parts */
	bool speeds;        /* work, run and sizes are known */
	unsigned n_sizes;   /* smallest first */
	double capacity[SUMMARY_SIZES], size_run[SUMMARY_SIZES], size_work[SUMMARY_SIZES];
	double work, run, no_speed, waiting, blocked, behind, gpu, unknown;
};

/* After session_finish(). How many processes have frames, most frames first; at most `room`. */
size_t session_frame_sums(struct session *s, struct frame_sums *out, size_t room);
/* Metrics of the whole session; free with metric_rows_free(). */
struct metric_rows session_metrics(struct session *s);
/* Refresh period at the start of the window, ns; 0: not known. */
double session_period_ns(struct session *s);

#endif
