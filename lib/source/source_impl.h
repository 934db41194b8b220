/* What the readers of the formats share; not for users of source.h. */
#ifndef PELTIER_SOURCE_SOURCE_IMPL_H
#define PELTIER_SOURCE_SOURCE_IMPL_H

#include "base/ahead.h"
#include "base/input.h"
#include "base/mem.h"
#include "source/merge.h"
#include "source/source.h"

struct source {
	struct arena arena; /* lives as long as the source */
	struct input *in;
	struct source_opts opts;
	struct trace_info info;
	struct trace_quality quality;
	VEC(const char *) notes;
	VEC(struct event_type) types;
	struct ahead *ahead; /* reads ahead for the lanes; NULL: they read for themselves */
	struct merge merge;
	bool want[EVENT_KINDS]; /* decode the fields of these */
	struct event event;
	void (*close)(struct source *s); /* what the format holds beyond this */
};

/* A format: `open` takes over a source whose `in` is set. */
struct source_format {
	const char *name;
	bool (*probe)(const uint8_t *head, size_t n);
	struct source *(*open)(struct input *in, const struct source_opts *o, struct err *e);
};
extern const struct source_format source_trace_dat, source_perfetto, source_text;

/* Add a note (printf-like). Damage also sets quality.partial. */
void source_note(struct source *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void source_damage(struct source *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The names saved with the trace, which the format keeps; sorted here. */
void source_set_names(struct source *s, struct trace_name *names, size_t n);

/* Whether the bytes look like pages of a ring buffer (a .cpuN file). */
bool source_looks_like_pages(const uint8_t *head, size_t n);

#endif
