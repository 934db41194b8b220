/* Events and sessions from literals. */
#ifndef PELTIER_TESTS_FEED_H
#define PELTIER_TESTS_FEED_H

#include "analysis/analysis.h"

/* Events with the fields that the replay reads; pid is the one that writes it. */
struct event ev_switch(int64_t ts, uint32_t cpu, int prev, int state, int next);
struct event ev_wake(enum event_kind k, int64_t ts, uint32_t cpu, int by, int pid, uint32_t target);
struct event ev_migrate(int64_t ts, uint32_t cpu, int by, int pid, uint32_t from, uint32_t to);
struct event ev_freq(int64_t ts, uint32_t cpu, int by, uint32_t of, int64_t khz);
struct event ev_limits(int64_t ts, uint32_t cpu, int by, uint32_t of, int64_t min, int64_t max);
struct event ev_idle(int64_t ts, uint32_t cpu, int64_t state);
struct event ev_lost_at(int64_t ts, uint32_t cpu, int64_t count, bool at_start);
struct event ev_fork(int64_t ts, uint32_t cpu, int parent, int child, const char *comm);
struct event ev_print(int64_t ts, uint32_t cpu, int by, const char *text);
/* The kernel's own util of a task; update_time 0: not recorded. */
struct event ev_pelt(int64_t ts, uint32_t cpu, int by, int pid, int64_t util, int64_t update_time);
struct event ev_other(int64_t ts, uint32_t cpu, int by);

/* CPU 0 of half the size at 500 or 1000 kHz, CPU 1 of full size at 1000 or 2000 kHz. */
extern const struct platform feed_two;

/* A session over literals: n_cpus CPUs, no losses. */
struct feed {
	struct trace_info info;
	struct trace_quality quality;
	struct session *session;
	char *json, *text, *page;
	struct err err;
	bool ok;
};

/* Run the events; options besides `trace` may be NULL. Fills json, text (all of the report) and
 * page (its first page) when ok. */
void feed(struct feed *f, const struct event *ev, size_t n, uint32_t n_cpus,
          const struct session_opts *o);
/* Four frames of task 7 by markers, 8, 8, 8 and 19 ms, 20 ms apart, on CPU 0 at half of its clock;
 * 60 Hz. Must be good. */
void feed_four_frames(struct feed *f, const struct platform *platform);
void feed_free(struct feed *f);
/* Whether the JSON has this text, blanks aside. */
bool feed_has(const struct feed *f, const char *text);

/* `struct feed f` of the events that follow; cmocka's asserts must be included before. */
#define FEED(f, cpus, ...)                                                                         \
	const struct event events_[] = {__VA_ARGS__};                                              \
	struct feed f;                                                                             \
	feed(&f, events_, sizeof events_ / sizeof *events_, cpus, NULL);                           \
	assert_true(f.ok)

#endif
