#include "import/results_csv.h"

#include "base/mem.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 64, LINE_MAX_BYTES = 1 << 20 };
enum { COL_CONFIG, COL_ITERATION, COL_METRIC, COL_VALUE, COL_UNIT, COL_SCOPE, COL_DIRECTION, COLS };

static const struct {
	int col;
	const char *name;
} names[] = {{COL_CONFIG, "configuration"}, {COL_CONFIG, "config"}, {COL_CONFIG, "kernel"},
             {COL_ITERATION, "iteration"},  {COL_ITERATION, "run"}, {COL_METRIC, "metric"},
             {COL_METRIC, "variable"},      {COL_VALUE, "value"},   {COL_UNIT, "unit"},
             {COL_UNIT, "units"},           {COL_SCOPE, "scope"},   {COL_DIRECTION, "direction"},
             {COL_DIRECTION, "better"}};

/* Cut a line into cells, in place; quotes are taken off. How many; COLUMNS_MAX + 1: too many, or a
 * quote that does not end. */
static size_t cells(char *line, char separator, char *out[COLUMNS_MAX])
{
	size_t n = 0;
	char *from = line, *to = line;

	for (;;) {
		bool quoted = *from == '"';

		if (n == COLUMNS_MAX)
			return COLUMNS_MAX + 1;
		out[n++] = to;
		from += quoted;
		for (; *from && (quoted || *from != separator); from++) {
			if (quoted && *from == '"' && from[1] != '"') {
				quoted = false;
				continue;
			}
			if (quoted && *from == '"')
				from++;
			*to++ = *from;
		}
		if (quoted)
			return COLUMNS_MAX + 1;
		if (!*from) {
			*to = '\0';
			return n;
		}
		from++;
		*to++ = '\0';
	}
}

struct csv {
	const char *path;
	size_t line;
	char separator;
	size_t at[COLS]; /* 1 + index of the column; 0: it is not there */
};

static bool header(struct csv *c, char *line, struct err *e)
{
	char *cell[COLUMNS_MAX];
	size_t n;

	c->separator = strchr(line, '\t') ? '\t' : strchr(line, ',') ? ',' : ';';
	n = cells(line, c->separator, cell);
	for (size_t i = 0; i < n && n <= COLUMNS_MAX; i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (!strcasecmp(cell[i], names[k].name) && !c->at[names[k].col])
				c->at[names[k].col] = i + 1;
	for (int k = COL_CONFIG; k <= COL_VALUE; k++)
		if (!c->at[k])
			return err_input(
			        e,
			        "%s:1: not a table of results: no column \"%s\" (columns: "
			        "configuration, iteration, metric, value, and unit, scope, "
			        "direction)",
			        c->path,
			        names[k == COL_CONFIG      ? 0
			              : k == COL_ITERATION ? 3
			              : k == COL_METRIC    ? 5
			                                   : 7]
			                .name);
	return true;
}

static bool is_score(const char *unit)
{
	return !strcasecmp(unit, "score") || !strcasecmp(unit, "points");
}

/* A whole cell as a number; a comma may be the decimal sign where it does not separate cells. */
static double number(const struct csv *c, const char *cell)
{
	char text[64], *end, *comma;
	double v;

	if (strlen(cell) >= sizeof text)
		return (double)NAN;
	snprintf(text, sizeof text, "%s", cell);
	comma = c->separator == ',' ? NULL : strchr(text, ',');
	if (comma)
		*comma = '.';
	v = strtod(text, &end);
	return end == text || *end || !isfinite(v) ? (double)NAN : v;
}

static const char *at(const struct csv *c, char *const *cell, int col)
{
	return c->at[col] ? cell[c->at[col] - 1] : "";
}

static bool one_row(const struct csv *c, char *line,
                    void (*row)(void *arg, const struct result_row *r), void *arg, struct err *e)
{
	char *cell[COLUMNS_MAX];
	size_t n = cells(line, c->separator, cell);
	struct result_row r = {.path = c->path};
	const char *value, *direction;

	for (int k = 0; k < COLS; k++)
		if (n > COLUMNS_MAX || c->at[k] > n)
			return err_input(e, "%s:%zu: %s", c->path, c->line,
			                 n > COLUMNS_MAX
			                         ? "a quote without an end, or too many cells"
			                         : "fewer cells than the header has");
	r.config = at(c, cell, COL_CONFIG);
	r.iteration = at(c, cell, COL_ITERATION);
	r.metric = at(c, cell, COL_METRIC);
	r.scope = c->at[COL_SCOPE] ? at(c, cell, COL_SCOPE) : "all";
	r.unit = at(c, cell, COL_UNIT);
	if (!*r.config || !*r.metric)
		return err_input(e, "%s:%zu: no configuration, or no metric", c->path, c->line);
	value = at(c, cell, COL_VALUE);
	r.value = number(c, value);
	if (isnan(r.value))
		r.text = *value ? value : "empty";
	if (is_score(r.unit) && r.value == 0) { /* no benchmark scores 0: the run failed */
		r.value = (double)NAN;
		r.text = "failed";
	}
	direction = at(c, cell, COL_DIRECTION);
	r.direction = !strcasecmp(direction, "higher") || !strcasecmp(direction, "more") ||
	                              (!*direction && is_score(r.unit))
	                      ? 1
	              : !strcasecmp(direction, "lower") || !strcasecmp(direction, "less") ? -1
	                                                                                  : 0;
	row(arg, &r);
	return true;
}

bool results_csv_read(const char *path, void (*row)(void *arg, const struct result_row *r),
                      void *arg, struct err *e)
{
	struct csv c = {.path = path};
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	bool good = true;

	if (!in)
		return err_input(e, "%s: %s", path, strerror(errno));
	while (good && (n = getline(&line, &room, in)) >= 0) {
		char *text = line;

		if (c.line++ == 0 && !strncmp(text, "\xef\xbb\xbf", 3))
			text += 3;
		if (n > LINE_MAX_BYTES || strlen(line) != (size_t)n) {
			good = err_input(e, "%s:%zu: not text, or a line without an end", path,
			                 c.line);
			break;
		}
		text[strcspn(text, "\r\n")] = '\0';
		if (c.line == 1)
			good = header(&c, text, e);
		else if (*text && *text != '#')
			good = one_row(&c, text, row, arg, e);
	}
	if (good && ferror(in))
		good = err_input(e, "%s: %s", path, strerror(errno));
	else if (good && c.line < 2)
		good = err_input(e, "%s: no results in it", path);
	free(line);
	fclose(in);
	return good;
}
