/* What somebody wrote down about the run, and where the trace contradicts it. */
#include "analysis/analysis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct run_state {
	struct context *ctx;
};

enum { TEXT_MAX = 160 };

static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

/* The i-th contradiction, in words; false behind the last. What the trace says counts. */
static bool conflict(const struct context *c, unsigned i, char out[TEXT_MAX])
{
	const struct run *r = c->opts.run;
	const struct trace_info *t = c->opts.trace;

	if (differ(r->kernel, t->kernel) && !i--) {
		snprintf(out, TEXT_MAX, "kernel %.50s; the trace says %.50s", r->kernel, t->kernel);
		return true;
	}
	if (differ(r->device, t->device) && !i--) {
		snprintf(out, TEXT_MAX, "device %.50s; the trace says %.50s", r->device, t->device);
		return true;
	}
	return false;
}

static void json_real_or(struct json *j, const char *key, double v)
{
	if (isnan(v))
		return;
	json_real(j, key, v);
}

static void json_text_or(struct json *j, const char *key, const char *v)
{
	if (v)
		json_text(j, key, v);
}

static void json(void *self, struct json *j)
{
	const struct context *c = ((struct run_state *)self)->ctx;
	const struct run *r = c->opts.run;
	char text[TEXT_MAX];

	if (!r) {
		json_missing(j, "run",
		             c->opts.no_run ? c->opts.no_run : "no run.yaml beside the trace");
		return;
	}
	json_object(j, "run");
	json_text(j, "path", r->path);
#define TEXT(field, key, also) json_text_or(j, #field, r->field);
#define REAL(field, key, also, min, max) json_real_or(j, #field, r->field);
	RUN_FIELDS(TEXT, REAL)
#undef TEXT
#undef REAL
	json_array(j, "conflicts");
	for (unsigned i = 0; conflict(c, i, text); i++)
		json_text(j, NULL, text);
	json_end(j);
	json_end(j);
}

static void add_text(char *out, size_t room, const char *what, const char *v)
{
	size_t n = strlen(out);

	if (v && n < room)
		snprintf(out + n, room - n, "%s%s%s%.60s", n ? ", " : "", what, *what ? " " : "",
		         v);
}

static void add_real(char *out, size_t room, const char *what, double v, const char *unit)
{
	size_t n = strlen(out);

	if (!isnan(v) && n < room)
		snprintf(out + n, room - n, "%s%s %.6g%s", n ? ", " : "", what, v, unit);
}

static void show_some(const struct context *c, struct doc *d, bool brief)
{
	const char *slash = c->opts.run ? strrchr(c->opts.run->path, '/') : NULL;
	const struct run *r = c->opts.run;
	char text[TEXT_MAX], line[1000] = "";

	if (!r) {
		if (c->opts.no_run)
			doc_section(d, "run", "not used: %s", c->opts.no_run);
		return;
	}
	add_text(line, sizeof line, "configuration", r->configuration);
	add_text(line, sizeof line, "iteration", r->iteration);
	add_text(line, sizeof line, "workload", r->workload);
	add_text(line, sizeof line, "signal", r->signal);
	add_real(line, sizeof line, "PELT half-life", r->pelt_half_life_ms, " ms");
	add_text(line, sizeof line, "by", r->pelt_mechanism);
	add_real(line, sizeof line, "multiplier", r->pelt_multiplier, "");
	add_real(line, sizeof line, "WALT window", r->walt_window_ms, " ms");
	add_text(line, sizeof line, "governor", r->governor);
	add_real(line, sizeof line, "refresh", r->refresh_hz, " Hz");
	add_real(line, sizeof line, "start temperature", r->start_temperature_c, " C");
	add_text(line, sizeof line, "charging", r->charging);
	if (!brief)
		add_text(line, sizeof line, "boot", r->boot);
	doc_section(d, "run", "%s: %s", brief && slash ? slash + 1 : r->path,
	            *line ? line : "tells nothing that is known");
	for (unsigned i = 0; conflict(c, i, text); i++)
		doc_note(d, "CONFLICT: the run file says %s, which counts", text);
}

static void show(void *self, struct doc *d)
{
	show_some(((struct run_state *)self)->ctx, d, false);
}

static void page(void *self, struct doc *d)
{
	show_some(((struct run_state *)self)->ctx, d, true);
}

const struct analysis analysis_run = {
        .name = "run",
        .question = "how was the run made, by its run.yaml, and does the trace contradict it",
        .size = sizeof(struct run_state),
        .any_clock = true,
        .json = json,
        .show = show,
        .page = page,
};
