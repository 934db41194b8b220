#include "import/run_file.h"

#include "import/yaml_file.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct run_file {
	struct yaml_file *yaml; /* owns all memory */
	struct run data;
};

struct field {
	const char *key, *also;
	size_t at;
	bool real;
	double min, max;
};

#define TEXT(field, key, also) {key, also, offsetof(struct run, field), false, 0, 0},
#define REAL(field, key, also, min, max) {key, also, offsetof(struct run, field), true, min, max},
static const struct field fields[] = {RUN_FIELDS(TEXT, REAL)};
#undef TEXT
#undef REAL

/* A text, or of a map the one that names the thing: release of a kernel, program of a workload. */
static const char *text_of(const struct yaml_value *v)
{
	static const char *const names[] = {"release", "program", "name", "model"};

	for (size_t i = 0; v->kind == YAML_MAP && i < sizeof names / sizeof *names; i++) {
		const struct yaml_value *in = yaml_find(v, names[i]);

		if (in && in->kind == YAML_TEXT)
			return in->text;
	}
	return v->kind == YAML_TEXT && *v->text ? v->text : NULL;
}

static bool real(const struct yaml_file *f, const struct field *d, const struct yaml_value *v,
                 double *out, struct err *e)
{
	char *end, what[80];

	*out = strtod(v->text, &end);
	if (end != v->text && !*end && isfinite(*out) && *out >= d->min && *out <= d->max)
		return true;
	snprintf(what, sizeof what, "%s must be a number from %g to %g", d->key, d->min, d->max);
	return yaml_fail(f, v, what, e);
}

static bool text(const struct yaml_file *f, const struct field *d, const struct yaml_value *v,
                 const char **out, struct err *e)
{
	char what[80];

	*out = text_of(v);
	snprintf(what, sizeof what, "%s must be a text", d->key);
	return *out || yaml_fail(f, v, what, e);
}

static bool read_field(struct run_file *f, const struct field *d, const struct yaml_value *v,
                       struct err *e)
{
	void *to = (char *)&f->data + d->at;

	return d->real ? real(f->yaml, d, v, to, e) : text(f->yaml, d, v, to, e);
}

/* All fields that the map has. */
static bool read_map(struct run_file *f, const struct yaml_value *map, struct err *e)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const struct yaml_value *v = yaml_find(map, fields[i].key);

		if (!v && fields[i].also)
			v = yaml_find(map, fields[i].also);
		if (v && !read_field(f, &fields[i], v, e))
			return false;
	}
	if (f->data.signal && strcmp(f->data.signal, "pelt") != 0 &&
	    strcmp(f->data.signal, "walt") != 0)
		return yaml_fail(f->yaml, yaml_find(map, "signal") ? yaml_find(map, "signal") : map,
		                 "signal must be pelt or walt", e);
	return true;
}

/* Whether a path element (up to its extension) is the name. */
static bool is_called(const char *at, size_t n, const char *name)
{
	size_t stem = 0;

	while (stem < n && at[stem] != '.')
		stem++;
	return (strlen(name) == n && !memcmp(at, name, n)) ||
	       (strlen(name) == stem && !memcmp(at, name, stem));
}

/* Whether the trace is that iteration: by its own name, or by the folder it is in. */
static bool is_iteration(const char *trace, const char *name)
{
	const char *slash = strrchr(trace, '/'), *folder = slash;

	if (is_called(slash ? slash + 1 : trace, strlen(slash ? slash + 1 : trace), name))
		return true;
	if (!slash)
		return false;
	while (folder > trace && folder[-1] != '/')
		folder--;
	return is_called(folder, (size_t)(slash - folder), name);
}

/* `iterations: [{name: iter-01, ..}, ..]`: what the trace's own entry says counts before the rest.
 */
static bool read_iteration(struct run_file *f, const char *trace, struct err *e)
{
	const struct yaml_value *list = yaml_find(f->yaml->root, "iterations");

	if (!list)
		return true;
	if (list->kind != YAML_LIST)
		return yaml_fail(f->yaml, list, "iterations are a list", e);
	for (size_t i = 0; i < list->n; i++) {
		const struct yaml_value *name = yaml_find(list->item[i], "name");

		if (!name || name->kind != YAML_TEXT)
			return yaml_fail(f->yaml, list->item[i], "this iteration has no name", e);
		if (is_iteration(trace, name->text))
			return read_map(f, list->item[i], e);
	}
	return true;
}

struct run_file *run_file_load(const char *path, const char *trace, struct err *e)
{
	struct run_file *f;
	struct yaml_file *yaml = yaml_file_load(path, "a run file", e);

	if (!yaml)
		return NULL;
	f = mem_calloc(1, sizeof *f);
	f->yaml = yaml;
	f->data.path = yaml->path;
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (fields[i].real)
			*(double *)(void *)((char *)&f->data + fields[i].at) = NAN;
	if (yaml->root->kind != YAML_MAP)
		yaml_fail(yaml, yaml->root, "a run file is a mapping", e);
	else if (read_map(f, yaml->root, e) && read_iteration(f, trace, e))
		return f;
	run_file_free(f);
	return NULL;
}

struct run_file *run_file_find(const char *trace, struct err *e)
{
	char path[PATH_MAX];

	return yaml_beside(trace, "run.yaml", path, sizeof path) ? run_file_load(path, trace, e)
	                                                         : NULL;
}

const struct run *run_file_data(const struct run_file *f)
{
	return &f->data;
}

void run_file_free(struct run_file *f)
{
	if (!f)
		return;
	yaml_file_free(f->yaml);
	free(f);
}
