#include "compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rows of the default table, in groups. A name may end with *. */
static const struct {
	const char *group, *name;
} usual[] = {
        {"FRAMES", "frame.used_count"},
        {"FRAMES", "frame.mean_ms"},
        {"FRAMES", "frame.p95_ms"},
        {"FRAMES", "frame.p99_ms"},
        {"FRAMES", "frame.max_ms"},
        {"JANK", "frame.jank_pct"},
        {"JANK", "frame.hitch_ms_per_s"},
        {"JANKBENCH", "jankbench.frames_count"},
        {"JANKBENCH", "jankbench.mean_ms"},
        {"JANKBENCH", "jankbench.max_ms"},
        {"JANKBENCH", "jankbench.jank_pct"},
        {"JANKBENCH", "jankbench.bad_pct"},
        {"ENERGY", "energy.frame_mj"},
        {"ENERGY", "energy.em.L0_mw"},
        {"ENERGY", "energy.em.L1_mw"},
        {"ENERGY", "energy.rail_mw"},
        {"SPEED", "frame.speed_pct"},
        {"SPEED", "frame.small_work_pct"},
        {"SPEED", "frame.clock_pct"},
        {"SPEED", "speed.mean_pct"},
        {"BURSTS", "frame.early_janky_count"},
        {"BURSTS", "frame.early_speed_pct"},
        {"BURSTS", "burst.to50_p50_ms"},
        {"PLACEMENT", "placement.woken_larger_pct"},
        {"PLACEMENT", "migration.up_per_s"},
        {"LATENCY", "latency.wakeup_p99_us"},
        {"CHECK", "frame.work_ms"},
};

/* ---- which rows ---- */

static bool fits(const char *pattern, size_t n, const char *name)
{
	if (n && pattern[n - 1] == '*')
		return !strncmp(pattern, name, n - 1);
	return strlen(name) == n && !memcmp(pattern, name, n);
}

static bool in_list(const char *list, const char *name)
{
	for (;; list++) {
		size_t n = strcspn(list, ",");

		if (n && fits(list, n, name))
			return true;
		list += n;
		if (!*list)
			return false;
	}
}

/* Of frames those of the process; what is imported has the scope that it came with. */
static bool scope_counts(const struct comparison *c, const struct set_key *k)
{
	size_t n = c->process ? strlen(c->process) : 0;

	if (c->opts.full || strncmp(k->name, "frame.", 6))
		return true;
	return n && !strncmp(k->scope, c->process, n) && (!k->scope[n] || k->scope[n] == ' ');
}

static bool is_known(const char *name)
{
	for (int i = 0; i < METRICS; i++)
		if (!strcmp(metrics[i].name, name))
			return true;
	return false;
}

static void add_row(struct comparison *c, size_t key, const char *group)
{
	*vec_add(&c->rows) = (struct compare_row){.key = key, .group = group};
}

static void pick_usual(struct comparison *c)
{
	for (size_t u = 0; u < sizeof usual / sizeof *usual; u++)
		for (size_t k = 0; k < c->set->keys.n; k++)
			if (!strcmp(c->set->keys.at[k].name, usual[u].name) &&
			    scope_counts(c, &c->set->keys.at[k]))
				add_row(c, k, usual[u].group);
	for (size_t k = 0; k < c->set->keys.n; k++)
		if (!is_known(c->set->keys.at[k].name))
			add_row(c, k, "RESULTS");
}

static int by_key(const void *a, const void *b, void *set)
{
	const struct set_key *keys = ((const struct run_set *)set)->keys.at;
	const struct set_key *x = &keys[((const struct compare_row *)a)->key],
	                     *y = &keys[((const struct compare_row *)b)->key];
	int d = strcmp(x->name, y->name);

	return d ? d : set_natural(x->scope, y->scope);
}

static void pick(struct comparison *c)
{
	const char *list = c->opts.metrics;

	if (!list && !c->opts.full) {
		pick_usual(c);
		return;
	}
	for (size_t k = 0; k < c->set->keys.n; k++)
		if (scope_counts(c, &c->set->keys.at[k]) &&
		    (!list || in_list(list, c->set->keys.at[k].name)))
			add_row(c, k, "METRICS");
	if (c->rows.n)
		qsort_r(c->rows.at, c->rows.n, sizeof *c->rows.at, by_key,
		        (void *)(uintptr_t)c->set);
}

/* ---- cells ---- */

static void fill_cell(const struct set_config *config, size_t key, struct compare_cell *x,
                      double level, bool reasons)
{
	x->v = mem_calloc(config->runs.n + 1, sizeof *x->v);
	x->rsd = (struct interval){(double)NAN, (double)NAN};
	x->reason = reasons;
	for (size_t i = 0; i < config->runs.n; i++) {
		const struct set_value *v = set_find(&config->runs.at[i], key);

		if (v && isfinite(v->value)) {
			x->v[x->n++] = v->value;
			continue;
		}
		x->missing++;
		if (!x->text)
			x->text = v && v->text                ? v->text
			          : config->runs.at[i].failed ? "failed"
			                                      : "-";
	}
	x->mean = stat_mean(x->v, x->n);
	x->sd = stat_sd(x->v, x->n);
	x->median = stat_median(x->v, x->n);
	x->min = x->max = x->n ? x->v[0] : (double)NAN;
	for (size_t i = 1; i < x->n; i++) {
		x->min = x->v[i] < x->min ? x->v[i] : x->min;
		x->max = x->v[i] > x->max ? x->v[i] : x->max;
	}
	if (x->n > 1 && x->mean > 0)
		x->rsd = stat_rsd_interval(x->sd / x->mean, x->n, level);
}

static bool all_positive(const struct compare_cell *x)
{
	return x->n && x->min > 0;
}

/* Numbers of iterations that both have, by name. */
static size_t pairs(size_t key, const struct set_config *a, const struct set_config *b, double *x,
                    double *y)
{
	size_t n = 0;

	for (size_t i = 0; i < a->runs.n; i++)
		for (size_t k = 0; k < b->runs.n; k++) {
			const struct set_value *v = set_find(&a->runs.at[i], key),
			                       *w = set_find(&b->runs.at[k], key);

			if (strcmp(a->runs.at[i].iteration, b->runs.at[k].iteration) || !v || !w ||
			    !isfinite(v->value) || !isfinite(w->value))
				continue;
			x[n] = v->value;
			y[n++] = w->value;
			break;
		}
	return n;
}

static void as_change(struct compare_cell *y)
{
	if (y->kind == CHANGE_RAW) {
		y->change = y->d.diff;
		y->at = y->d.at;
		return;
	}
	y->change = 100 * expm1(y->d.diff);
	y->at = (struct interval){100 * expm1(y->d.at.low), 100 * expm1(y->d.at.high)};
}

static void compare_cells(const struct comparison *c, const struct compare_row *row, size_t k)
{
	const struct set_key *key = &c->set->keys.at[row->key];
	const struct compare_cell *x = &row->cells[0];
	struct compare_cell *y = &row->cells[k];
	double level = c->opts.level;

	y->bh = (double)NAN;
	if (!x->n || !y->n)
		return;
	y->kind = key->class == METRIC_RATIO && all_positive(x) && all_positive(y) ? CHANGE_PERCENT
	                                                                           : CHANGE_RAW;
	if (c->opts.paired) {
		const struct set_config *configs = c->set->configs.at;
		double *a = mem_calloc(x->n + 1, sizeof *a), *b = mem_calloc(x->n + 1, sizeof *b);

		y->pairs = pairs(row->key, &configs[0], &configs[k], a, b);
		y->compared = stat_paired(a, b, y->pairs, y->kind == CHANGE_PERCENT, level, &y->d);
		free(a);
		free(b);
	} else if (y->kind == CHANGE_PERCENT) {
		y->compared = stat_welch_log(x->v, x->n, y->v, y->n, level, &y->d);
		if (!y->compared)
			y->d.diff = log(y->mean / x->mean);
	} else {
		y->compared = stat_welch(stat_moments(x->v, x->n), stat_moments(y->v, y->n), level,
		                         &y->d);
	}
	as_change(y);
}

/* Benjamini-Hochberg over the rows of one configuration. */
static void adjust(struct comparison *c, size_t k)
{
	double *p = mem_calloc(c->rows.n + 1, sizeof *p), *q = mem_calloc(c->rows.n + 1, sizeof *q);
	size_t n = 0;

	for (size_t i = 0; i < c->rows.n; i++)
		if (c->rows.at[i].cells[k].compared)
			p[n++] = c->rows.at[i].cells[k].d.p;
	stat_bh(p, n, q);
	for (size_t i = n = 0; i < c->rows.n; i++)
		if (c->rows.at[i].cells[k].compared)
			c->rows.at[i].cells[k].bh = q[n++];
	free(p);
	free(q);
}

/* A row that no configuration has a number or a text for tells nothing. */
static bool is_empty(const struct compare_row *row, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (row->cells[k].n || (row->cells[k].text && !row->cells[k].reason))
			return false;
	return true;
}

static void drop_row(const struct comparison *c, struct compare_row *row)
{
	for (size_t k = 0; k < c->set->configs.n; k++)
		free(row->cells[k].v);
	free(row->cells);
}

/* ---- facts ---- */

/* The value of a fact in a configuration: the one of all its runs, or "several". */
static const char *fact_of(const struct set_config *c, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < c->runs.n; i++)
		for (size_t k = 0; k < c->runs.at[i].facts.n; k++) {
			const struct set_fact *f = &c->runs.at[i].facts.at[k];

			if (strcmp(f->name, name))
				continue;
			if (found && strcmp(found, f->value))
				return "several";
			found = f->value;
		}
	return found ? found : "-";
}

static bool is_same(const struct run_set *s, const char *name)
{
	for (size_t c = 1; c < s->configs.n; c++)
		if (strcmp(fact_of(&s->configs.at[c], name), fact_of(&s->configs.at[0], name)))
			return false;
	return true;
}

static void fact_text(const struct run_set *s, const char *name, bool same, char *out, size_t room)
{
	size_t n = (size_t)snprintf(out, room, "%s ", name);

	for (size_t c = 0; c < (same ? 1 : s->configs.n) && n < room; c++)
		n += (size_t)snprintf(out + n, room - n, "%s%.60s", c ? " | " : "",
		                      fact_of(&s->configs.at[c], name));
}

static void find_facts(struct comparison *c)
{
	const struct run_set *s = c->set;
	VEC(const char *) names = {NULL, 0, 0};
	char text[400];

	for (size_t k = 0; k < s->configs.n; k++)
		for (size_t r = 0; r < s->configs.at[k].runs.n; r++)
			for (size_t f = 0; f < s->configs.at[k].runs.at[r].facts.n; f++) {
				const char *name = s->configs.at[k].runs.at[r].facts.at[f].name;
				bool seen = false;

				for (size_t i = 0; i < names.n && !seen; i++)
					seen = !strcmp(names.at[i], name);
				if (!seen)
					*vec_add(&names) = name;
			}
	for (size_t i = 0; i < names.n; i++) {
		bool same = is_same(s, names.at[i]);

		fact_text(s, names.at[i], same, text, sizeof text);
		if (same)
			*vec_add(&c->same) = arena_str(&c->arena, text, strlen(text));
		else
			*vec_add(&c->differ) = arena_str(&c->arena, text, strlen(text));
	}
	vec_free(&names);
}

/* ---- warnings ---- */

static size_t boots(const struct set_config *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->runs.n; i++) {
		bool seen = !c->runs.at[i].boot;

		for (size_t k = 0; k < i && !seen; k++)
			seen = c->runs.at[k].boot &&
			       !strcmp(c->runs.at[k].boot, c->runs.at[i].boot);
		n += !seen;
	}
	return n;
}

static bool shares_boot(const struct set_config *a, const struct set_config *b)
{
	for (size_t i = 0; i < a->runs.n; i++)
		for (size_t k = 0; k < b->runs.n; k++)
			if (a->runs.at[i].boot && b->runs.at[k].boot &&
			    !strcmp(a->runs.at[i].boot, b->runs.at[k].boot))
				return true;
	return false;
}

static bool warn_boots(const struct comparison *c, size_t k, char *out, size_t room)
{
	const struct set_config *a = &c->set->configs.at[0], *b = &c->set->configs.at[k];

	if (!k || boots(b) != 1 || shares_boot(a, b))
		return false;
	snprintf(out, room,
	         "(!) %s ran in a boot of its own: its change and a boot effect cannot be told "
	         "apart; add boots, not iterations",
	         b->name);
	return true;
}

static bool warn_partial(const struct comparison *c, size_t k, char *out, size_t room)
{
	const struct set_config *b = &c->set->configs.at[k];
	const char *why = NULL;
	size_t n = 0;

	for (size_t i = 0; i < b->runs.n; i++)
		if (b->runs.at[i].partial) {
			n++;
			why = why ? why : b->runs.at[i].partial;
		}
	if (n)
		snprintf(out, room, "%s: %zu of %zu iterations are cut or damaged, and count: %s",
		         b->name, n, b->runs.n, why);
	return n > 0;
}

static bool warn_failed(const struct comparison *c, size_t k, char *out, size_t room)
{
	const struct set_config *b = &c->set->configs.at[k];
	size_t n = 0;
	const char *why = NULL;

	for (size_t i = 0; i < b->runs.n; i++)
		if (b->runs.at[i].failed) {
			n++;
			why = why ? why : b->runs.at[i].failed;
		}
	if (n)
		snprintf(out, room, "%s: %zu of %zu iterations left out: %s", b->name, n, b->runs.n,
		         why);
	return n > 0;
}

/* Unlike the rest of its configuration, or slower the longer it ran. */
static bool warn_cell(const struct comparison *c, const struct compare_row *row, size_t k,
                      char *out, size_t room)
{
	const struct compare_cell *x = &row->cells[k];
	const char *metric = c->set->keys.at[row->key].name, *name = c->set->configs.at[k].name;
	struct trend t;

	if (x->n < 5)
		return false;
	for (size_t i = 0; i < x->n; i++)
		if (fabs(stat_modified_z(x->v, x->n, i)) > 3.5) {
			snprintf(out, room,
			         "%s: %s of iteration %zu of %zu is far from the others (%.4g, "
			         "median "
			         "%.4g); it counts",
			         name, metric, i + 1, x->n, x->v[i], x->median);
			return true;
		}
	t = stat_trend(x->v, x->n);
	if (t.p >= .05)
		return false;
	snprintf(out, room, "%s: %s drifts over the iterations (Kendall p %.2g, %+.3g each)", name,
	         metric, t.p, t.slope);
	return true;
}

static bool warn_counts(const struct comparison *c, size_t k, char *out, size_t room)
{
	for (size_t i = 0; i < c->rows.n && k; i++) {
		const struct compare_row *row = &c->rows.at[i];
		double a = row->cells[0].mean, b = row->cells[k].mean;

		if (strcmp(c->set->keys.at[row->key].name, "frame.used_count") ||
		    !(fabs(b - a) > .1 * a))
			continue;
		snprintf(out, room,
		         "%s has %.0f frames per iteration, %s %.0f: the largest of more frames is "
		         "larger; frame.max_ms is not comparable",
		         c->set->configs.at[0].name, a, c->set->configs.at[k].name, b);
		return true;
	}
	return false;
}

static void find_warnings(struct comparison *c)
{
	static bool (*const whole[])(const struct comparison *, size_t, char *,
	                             size_t) = {warn_failed, warn_partial, warn_boots, warn_counts};
	char text[400];

	for (size_t w = 0; w < sizeof whole / sizeof *whole; w++)
		for (size_t k = 0; k < c->set->configs.n; k++)
			if (whole[w](c, k, text, sizeof text))
				*vec_add(&c->warnings) = arena_str(&c->arena, text, strlen(text));
	for (size_t r = 0; r < c->rows.n; r++)
		for (size_t k = 0; k < c->set->configs.n; k++)
			if (!strcmp(c->rows.at[r].group, "FRAMES") &&
			    warn_cell(c, &c->rows.at[r], k, text, sizeof text))
				*vec_add(&c->warnings) = arena_str(&c->arena, text, strlen(text));
}

/* ---- all ---- */

/* Why a row of the usual ones is not there: energy, jank and speed need more than a trace. */
static void tell_missing(struct comparison *c, const struct compare_row *row)
{
	const char *why = row->cells[0].text;
	char text[300];

	if (!why || !strcmp(why, "-") || !strcmp(why, "failed"))
		return;
	snprintf(text, sizeof text, "no %s: %s", c->set->keys.at[row->key].name, why);
	*vec_add(&c->untold) = arena_str(&c->arena, text, strlen(text));
}

struct comparison compare(const struct run_set *s, const struct compare_opts *o)
{
	struct comparison c = {.set = s, .opts = *o};
	size_t kept = 0;

	c.process = o->process ? o->process : set_process(s);
	pick(&c);
	for (size_t i = 0; i < c.rows.n; i++) {
		struct compare_row *row = &c.rows.at[i];

		row->cells = mem_calloc(s->configs.n + 1, sizeof *row->cells);
		for (size_t k = 0; k < s->configs.n; k++)
			fill_cell(&s->configs.at[k], row->key, &row->cells[k], o->level,
			          is_known(s->keys.at[row->key].name));
		for (size_t k = 1; k < s->configs.n; k++)
			compare_cells(&c, row, k);
		if (is_empty(row, s->configs.n) && !o->full && !o->metrics) {
			tell_missing(&c, row);
			drop_row(&c, row);
		} else {
			c.rows.at[kept++] = *row;
		}
	}
	c.rows.n = kept;
	for (size_t k = 1; k < s->configs.n; k++)
		adjust(&c, k);
	find_facts(&c);
	find_warnings(&c);
	for (size_t i = 0; i < c.untold.n; i++)
		*vec_add(&c.warnings) = c.untold.at[i];
	return c;
}

void compare_free(struct comparison *c)
{
	for (size_t i = 0; i < c->rows.n; i++)
		drop_row(c, &c->rows.at[i]);
	vec_free(&c->rows);
	vec_free(&c->warnings);
	vec_free(&c->untold);
	vec_free(&c->same);
	vec_free(&c->differ);
	arena_free(&c->arena);
}
