/* A trace as one stream of events in time order, whatever its format.
 *
 *   struct source *s = source_open(path, &(struct source_opts){0}, &err);
 *   for (const struct event *ev; (ev = source_next(s));)
 *           use ev ...
 *   source_quality(s) now says what was lost or damaged.
 *   source_close(s);
 */
#ifndef PELTIER_SOURCE_SOURCE_H
#define PELTIER_SOURCE_SOURCE_H

#include "base/err.h"
#include "event/event.h"
#include "event/trace.h"

struct source;

struct source_opts {
	const char *buffer; /* instance to read; NULL: the top buffer, or the only one with data */
	uint64_t clock_hz;  /* ticks per second for a clock that does not count ns; 0: not given */
	bool early;         /* Perfetto: also events from before the recording began */
	const char *head;   /* trace.dat head for the .cpuN pages of a killed recording, or NULL */
};

struct source *source_open(const char *path, const struct source_opts *opts, struct err *e);
/* A trace held in memory (kept by the caller), for tests and fuzzing. */
struct source *source_open_mem(const void *bytes, size_t n, const char *name,
                               const struct source_opts *opts, struct err *e);
void source_close(struct source *s);

const struct trace_info *source_info(const struct source *s);
/* What was found out about the input so far; the pointer stays good. */
const struct trace_quality *source_quality(const struct source *s);
/* Types described by the trace or seen in it so far; event.type < *n. */
const struct event_type *source_types(const struct source *s, unsigned *n);

/* Say whose fields are read from the next event on. Of other kinds only time, CPU, pid, kind and
 * type are decoded. Without this call, and with NULL, all are. */
void source_want(struct source *s, bool (*wants)(enum event_kind k));
/* The next event in time order, NULL at the end. Good until the next call. */
const struct event *source_next(struct source *s);

#endif
