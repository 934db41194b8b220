#include "compare/table.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

static int decimals_of(double v)
{
	double a = fabs(v);

	return a >= 1000 ? 0 : a >= 100 ? 1 : 2;
}

const char *table_number(double v, char out[32])
{
	text_real(out, 32, v, decimals_of(v));
	return out;
}

static const char *better(enum metric_direction d)
{
	return d == METRIC_LESS ? "v" : d == METRIC_MORE ? "^" : "=";
}

static bool is_points(const struct comparison *c, const struct compare_row *row)
{
	return !strcmp(c->set->keys.at[row->key].unit, "%");
}

static int decimals_of_change(const struct compare_cell *x)
{
	double a = fabs(x->change);

	return x->kind == CHANGE_PERCENT ? a < 100 : a >= 100 ? 0 : a >= 10 ? 1 : 2;
}

const char *table_change(const struct comparison *c, const struct compare_row *row, size_t config,
                         char out[32])
{
	const struct compare_cell *x = &row->cells[config];
	char number[24];

	*out = '\0';
	if (!config || x->kind == CHANGE_NONE)
		return out;
	text_real(number, sizeof number, x->change, decimals_of_change(x));
	snprintf(out, 32, "%s%s%s", x->change > 0 ? "+" : "", number,
	         x->kind == CHANGE_PERCENT ? "%"
	         : is_points(c, row)       ? "pp"
	                                   : "");
	return out;
}

/* "[-1.2,+3.4]", with a star when it does not reach 0. */
static const char *interval_text(const struct compare_cell *x, char out[48])
{
	char low[20], high[20];
	int n = decimals_of_change(x);

	*out = '\0';
	if (!x->compared)
		return out;
	text_real(low, sizeof low, x->at.low, n);
	text_real(high, sizeof high, x->at.high, n);
	snprintf(out, 48, "[%s%s,%s%s]%s", x->at.low > 0 ? "+" : "", low, x->at.high > 0 ? "+" : "",
	         high, x->at.low > 0 || x->at.high < 0 ? "*" : "");
	return out;
}

/* The mean; when iterations have none, how many have. */
static void mean_text(const struct compare_cell *x, char out[48])
{
	char number[32];

	if (!x->n)
		snprintf(out, 48, "%.20s", x->text && !x->reason ? x->text : "-");
	else if (x->missing)
		snprintf(out, 48, "%.24s (%u)", table_number(x->mean, number), (unsigned)x->n);
	else
		snprintf(out, 48, "%s", table_number(x->mean, number));
}

static void rsd_text(const struct compare_cell *x, char out[32])
{
	*out = '\0';
	if (x->n > 1 && x->mean > 0)
		snprintf(out, 32, "%.1f%%", 100 * x->sd / x->mean);
}

/* "mean_ms", and the scope where a metric has several. */
static const char *row_label(const struct comparison *c, const struct compare_row *row,
                             char out[80])
{
	const struct set_key *k = &c->set->keys.at[row->key];
	size_t n = c->process ? strlen(c->process) : 0;
	const char *scope = k->scope;

	if (n && !strncmp(scope, c->process, n) && (!scope[n] || scope[n] == ' '))
		scope += n + (scope[n] == ' ');
	if (!strcmp(scope, "all"))
		scope = "";
	snprintf(out, 80, "%.48s%s%.28s", k->name, *scope ? " " : "", scope);
	return out;
}

/* ---- document ---- */

enum { FIXED = 5, PER_CONFIG = 3 }; /* FIXED: label, unit, direction, baseline, its RSD */

static const char *keep(struct doc *d, const char *text)
{
	return arena_str(&d->arena, text, strlen(text));
}

/* They live in the document. */
static const struct column *columns_of(const struct comparison *c, struct doc *d, unsigned *n)
{
	size_t configs = c->set->configs.n, k = 0;
	struct column *col = arena_alloc(&d->arena, (FIXED + PER_CONFIG * configs) * sizeof *col);
	char text[160];

	col[k++] = (struct column){"", NULL, true};
	col[k++] = (struct column){"", NULL, true};
	col[k++] = (struct column){"", NULL, true};
	for (size_t i = 0; i < configs; i++) {
		char name[128];

		text_escape(name, sizeof name, c->set->configs.at[i].name,
		            strlen(c->set->configs.at[i].name));
		snprintf(text, sizeof text, "%.40s", name);
		col[k++] = (struct column){keep(d, text), NULL, false};
		if (!i) {
			col[k++] = (struct column){"RSD", NULL, false};
			continue;
		}
		col[k++] = (struct column){"change", NULL, false};
		snprintf(text, sizeof text, "%.3g %%", 100 * c->opts.level);
		col[k++] = (struct column){keep(d, text), NULL, true};
	}
	*n = (unsigned)k;
	return col;
}

static void doc_row(const struct comparison *c, struct doc *d, const struct compare_row *row)
{
	const struct set_key *key = &c->set->keys.at[row->key];
	char text[80];

	doc_text(d, row_label(c, row, text));
	doc_text(d, key->unit);
	doc_text(d, better(key->direction));
	for (size_t i = 0; i < c->set->configs.n; i++) {
		mean_text(&row->cells[i], text);
		doc_text(d, text);
		if (!i) {
			rsd_text(&row->cells[i], text);
			doc_text(d, text);
			continue;
		}
		doc_text(d, table_change(c, row, i, text));
		doc_text(d, interval_text(&row->cells[i], text));
	}
}

static void doc_facts(struct doc *d, const char *label, const char *const *facts, size_t n)
{
	char line[1200] = "";
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		if (at + strlen(facts[i]) + 4 < sizeof line)
			at += (size_t)snprintf(line + at, sizeof line - at, "%s%s", at ? "; " : "",
			                       facts[i]);
	if (at)
		doc_section(d, label, "%s", line);
}

static void doc_head(const struct comparison *c, struct doc *d)
{
	const struct run_set *s = c->set;
	size_t least = SIZE_MAX, most = 0;
	char n[64];

	for (size_t i = 0; i < s->configs.n; i++) {
		size_t runs = s->configs.at[i].runs.n;

		least = runs < least ? runs : least;
		most = runs > most ? runs : most;
	}
	if (least == most)
		snprintf(n, sizeof n, "%zu", most);
	else
		snprintf(n, sizeof n, "%zu to %zu", least, most);
	doc_section(d, "runs",
	            "%zu configurations x %s iterations; baseline %s; means over iterations; RSD: "
	            "sd (n - 1) / mean; change: %s, [%.3g %% interval], * does not reach 0; v: "
	            "less is better, ^: more, =: neither",
	            s->configs.n, n, s->configs.at[0].name,
	            c->opts.paired ? "of iterations in pairs by name"
	                           : "of geometric means, or of means in the unit (pp: points)",
	            100 * c->opts.level);
	if (c->process)
		doc_section(d, "frames", "of %s", c->process);
	doc_facts(d, "same", c->same.at, c->same.n);
	doc_facts(d, "differ", c->differ.at, c->differ.n);
}

static void doc_why(const struct comparison *c, struct doc *d)
{
	size_t n = c->set->configs.n;
	struct why_split *w = mem_calloc(n + 1, sizeof *w);
	struct column *col = arena_alloc(&d->arena, (1 + 2 * n) * sizeof *col);
	const char *reason = NULL;
	char text[64];
	unsigned k = 0;

	col[k++] = (struct column){"ms per frame", NULL, true};
	for (size_t i = 1; i < n && !reason; i++) {
		if (!why_split(&c->set->configs.at[0], &c->set->configs.at[i], c->process,
		               c->opts.level, &w[i], &reason))
			break;
		reason = NULL;
		col[k++] = (struct column){keep(d, c->set->configs.at[i].name), NULL, false};
		col[k++] = (struct column){"", NULL, true};
	}
	if (reason) {
		doc_section(d, "WHY", "%s", reason);
		free(w);
		return;
	}
	doc_section(d, "WHY",
	            "the mean moved, against %s (%.2f ms, pooled); rows add up; [%.3g %%, "
	            "jackknife over iterations]",
	            c->set->configs.at[0].name, n > 1 ? w[1].from : (double)NAN,
	            100 * c->opts.level);
	doc_table(d, col, k);
	for (int r = 0; r < WHY_ROWS; r++) {
		doc_text(d, why_text[r]);
		for (size_t i = 1; i < n; i++) {
			snprintf(text, sizeof text, "%+.2f", w[i].ms[r]);
			doc_text(d, text);
			*text = '\0';
			if (!isnan(w[i].at[r].low))
				snprintf(text, sizeof text, "[%+.2f,%+.2f]", w[i].at[r].low,
				         w[i].at[r].high);
			doc_text(d, text);
		}
	}
	free(w);
}

double table_share(const struct compare_row *row, size_t config, size_t ceiling)
{
	double from = row->cells[0].mean, to = row->cells[ceiling].mean;

	return to != from ? 100 * (row->cells[config].mean - from) / (to - from) : (double)NAN;
}

static void doc_ceiling(const struct comparison *c, size_t ceiling, struct doc *d)
{
	size_t n = c->set->configs.n;
	struct column *col = arena_alloc(&d->arena, (1 + n) * sizeof *col);
	char text[80];
	unsigned k = 0;

	col[k++] = (struct column){"% of it", NULL, true};
	for (size_t i = 1; i < n; i++)
		if (i != ceiling)
			col[k++] =
			        (struct column){keep(d, c->set->configs.at[i].name), NULL, false};
	if (k == 1) {
		doc_section(d, "CEILING", "no configuration besides the baseline and it");
		return;
	}
	doc_section(d, "CEILING", "how much of the way from %s to %s each configuration went",
	            c->set->configs.at[0].name, c->set->configs.at[ceiling].name);
	doc_table(d, col, k);
	for (size_t r = 0; r < c->rows.n; r++) {
		const struct compare_row *row = &c->rows.at[r];

		if (c->set->keys.at[row->key].direction == METRIC_EQUAL ||
		    isnan(table_share(row, ceiling, ceiling)))
			continue;
		doc_text(d, row_label(c, row, text));
		for (size_t i = 1; i < n; i++)
			if (i != ceiling && !isnan(table_share(row, i, ceiling)))
				doc_real(d, table_share(row, i, ceiling), 1);
			else if (i != ceiling)
				doc_missing(d);
	}
}

/* Of energy and jank: which configuration is worse in both, surely. */
static void doc_dominated(const struct comparison *c, struct doc *d)
{
	const struct compare_row *energy = NULL, *jank = NULL;
	size_t n = 0;

	for (size_t r = 0; r < c->rows.n; r++) {
		const char *name = c->set->keys.at[c->rows.at[r].key].name;

		if (!strcmp(name, "energy.frame_mj"))
			energy = &c->rows.at[r];
		else if (!strcmp(name, "frame.jank_pct"))
			jank = &c->rows.at[r];
	}
	if (c->set->configs.n < 2)
		return;
	for (size_t a = 0; a < c->set->configs.n && energy && jank; a++)
		for (size_t b = 0; b < c->set->configs.n; b++) {
			struct difference e, j;

			if (a == b ||
			    !stat_welch(stat_moments(energy->cells[a].v, energy->cells[a].n),
			                stat_moments(energy->cells[b].v, energy->cells[b].n),
			                c->opts.level, &e) ||
			    !stat_welch(stat_moments(jank->cells[a].v, jank->cells[a].n),
			                stat_moments(jank->cells[b].v, jank->cells[b].n),
			                c->opts.level, &j) ||
			    e.at.low <= 0 || j.at.low <= 0)
				continue;
			doc_note(d, "energy against jank: %s is worse than %s in both",
			         c->set->configs.at[b].name, c->set->configs.at[a].name);
			n++;
		}
	if (energy && jank && !n)
		doc_note(d,
		         "energy against jank: no configuration is worse than another in both "
		         "(%.3g %%)",
		         100 * c->opts.level);
}

static void doc_warnings(const struct comparison *c, struct doc *d)
{
	enum { MOST = 12 };

	doc_section(d, "notes", "%s",
	            c->warnings.n ? c->warnings.at[0] : "nothing unusual in the runs");
	for (size_t i = 1; i < c->warnings.n && i < MOST; i++)
		doc_note(d, "%s", c->warnings.at[i]);
	if (c->warnings.n > MOST)
		doc_note(d, "%zu more (-f json)", c->warnings.n - MOST);
	doc_dominated(c, d);
}

void table_doc(const struct comparison *c, bool why, size_t ceiling, struct doc *d)
{
	const char *group = NULL;

	d->compact = true;
	doc_head(c, d);
	for (size_t i = 0; i < c->rows.n; i++) {
		const struct compare_row *row = &c->rows.at[i];

		if (!group) {
			unsigned n;
			const struct column *col = columns_of(c, d, &n);

			doc_section(d, "TABLE", "%s",
			            c->opts.metrics ? c->opts.metrics
			            : c->opts.full  ? "all metrics"
			                            : "the usual metrics");
			doc_table(d, col, n);
		}
		if (!group || strcmp(group, row->group)) {
			doc_text(d, row->group);
			for (size_t k = 1; k < FIXED + PER_CONFIG * (c->set->configs.n - 1); k++)
				doc_text(d, "");
		}
		group = row->group;
		doc_row(c, d, row);
	}
	if (!c->rows.n)
		doc_section(d, "TABLE", "no value to compare");
	if (why)
		doc_why(c, d);
	if (ceiling)
		doc_ceiling(c, ceiling, d);
	doc_warnings(c, d);
}

/* ---- list ---- */

static const char rule[] =
        "+------------------+-----------+--------+-----------+-----------------+\n";

void table_list(const struct comparison *c, FILE *out)
{
	char name[80], text[80], change[32], at[48], rsd[32], config[80];

	fprintf(out, "baseline %.40s; n %zu; %.3g %% intervals\n", c->set->configs.at[0].name,
	        c->set->configs.at[0].runs.n, 100 * c->opts.level);
	fputs(rule, out);
	fprintf(out, "| %-16s | %9s | %6s | %9s | %-15s |\n", "", "mean", "RSD", "change",
	        "interval");
	fputs(rule, out);
	for (size_t r = 0; r < c->rows.n; r++) {
		const struct compare_row *row = &c->rows.at[r];
		const char *unit = c->set->keys.at[row->key].unit;

		row_label(c, row, name);
		snprintf(text, sizeof text, "%.56s%s%s", name, *unit ? ", " : "", unit);
		fprintf(out, "| %-67.67s |\n", text);
		for (size_t i = 0; i < c->set->configs.n; i++) {
			const char *who = c->set->configs.at[i].name;

			mean_text(&row->cells[i], text);
			rsd_text(&row->cells[i], rsd);
			fprintf(out, "|   %-14.14s | %9.9s | %6.6s | %9.9s | %-15.15s |\n",
			        text_escape(config, sizeof config, who, strlen(who)), text, rsd,
			        table_change(c, row, i, change),
			        i ? interval_text(&row->cells[i], at) : "");
		}
		fputs(rule, out);
	}
	fputs("mean: of iterations. RSD: sd (n - 1) / mean. change: of geometric means\n"
	      "(%), or of means, pp: points. *: the interval does not reach 0.\n",
	      out);
	if (c->warnings.n)
		fprintf(out, "%zu notes on these runs: see -f text.\n", c->warnings.n);
}

/* ---- CSV ---- */

/* A field; quoted when it must be, and never a formula to a spreadsheet. */
static void csv_text(FILE *out, const char *s)
{
	bool quote = strpbrk(s, ",\"\r\n") != NULL, formula = *s && strchr("=+-@\t", *s);

	if (quote || formula)
		putc('"', out);
	if (formula)
		putc('\'', out);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', out);
		putc(*s, out);
	}
	if (quote || formula)
		putc('"', out);
}

void table_csv(const struct comparison *c, FILE *out)
{
	char number[40];

	fputs("configuration,iteration,metric,scope,unit,value,text\n", out);
	for (size_t i = 0; i < c->set->configs.n; i++)
		for (size_t k = 0; k < c->set->configs.at[i].runs.n; k++)
			for (size_t r = 0; r < c->rows.n; r++) {
				const struct set_run *run = &c->set->configs.at[i].runs.at[k];
				const struct set_key *key = &c->set->keys.at[c->rows.at[r].key];
				const struct set_value *v = set_find(run, c->rows.at[r].key);
				bool number_is = v && isfinite(v->value);

				csv_text(out, c->set->configs.at[i].name);
				putc(',', out);
				csv_text(out, run->iteration);
				putc(',', out);
				csv_text(out, key->name);
				putc(',', out);
				csv_text(out, key->scope);
				putc(',', out);
				csv_text(out, key->unit);
				putc(',', out);
				if (number_is) {
					text_general(number, sizeof number, v->value, 15);
					fputs(number, out);
				}
				putc(',', out);
				csv_text(out, number_is      ? ""
				              : v && v->text ? v->text
				              : run->failed  ? run->failed
				                             : "missing");
				putc('\n', out);
			}
}

/* ---- JSON ---- */

/* `first`: the cell that it is compared with, or NULL. */
static void json_cell(const struct compare_cell *x, const struct compare_cell *first,
                      struct json *j)
{
	json_int(j, "n", (int64_t)x->n);
	json_int(j, "missing", (int64_t)x->missing);
	if (!x->n) {
		json_missing(j, "mean", x->text ? x->text : "no iteration has a number");
		return;
	}
	json_array_line(j, "values");
	for (size_t i = 0; i < x->n; i++)
		json_real(j, NULL, x->v[i]);
	json_end(j);
	json_real(j, "mean", x->mean);
	json_real(j, "median", x->median);
	json_real(j, "min", x->min);
	json_real(j, "max", x->max);
	json_real(j, "sd", x->sd);
	json_real(j, "rsd_low_pct", 100 * x->rsd.low);
	json_real(j, "rsd_high_pct", 100 * x->rsd.high);
	if (!first || x->kind == CHANGE_NONE)
		return;
	json_text(j, "change_of",
	          x->kind == CHANGE_PERCENT ? "geometric means, percent" : "means, in the unit");
	json_real(j, "change", x->change);
	if (!x->compared) {
		json_missing(j, "low", "fewer than two iterations on a side");
		return;
	}
	json_real(j, "low", x->at.low);
	json_real(j, "high", x->at.high);
	json_real(j, "p", x->d.p);
	json_real(j, "p_bh", x->bh);
	json_real(j, "p_rank", stat_rank_p(first->v, first->n, x->v, x->n));
	json_real(j, "cliff_delta", stat_cliff(first->v, first->n, x->v, x->n));
	if (first->sd + x->sd > 0)
		json_real(
		        j, "hedges_g",
		        stat_hedges_g(stat_moments(first->v, first->n), stat_moments(x->v, x->n)));
	else
		json_missing(j, "hedges_g", "no spread");
	if (x->pairs)
		json_int(j, "pairs", (int64_t)x->pairs);
}

static void json_why(const struct comparison *c, struct json *j)
{
	json_array(j, "why");
	for (size_t i = 1; i < c->set->configs.n; i++) {
		struct why_split w;
		const char *reason;

		json_object(j, NULL);
		json_text(j, "configuration", c->set->configs.at[i].name);
		if (!why_split(&c->set->configs.at[0], &c->set->configs.at[i], c->process,
		               c->opts.level, &w, &reason)) {
			json_missing(j, "rows", reason);
			json_end(j);
			continue;
		}
		json_real(j, "from_ms", w.from);
		json_real(j, "to_ms", w.to);
		json_array(j, "rows");
		for (int r = 0; r < WHY_ROWS; r++) {
			json_object_line(j, NULL);
			json_text(j, "what", why_text[r]);
			json_real(j, "ms", w.ms[r]);
			json_real(j, "low", w.at[r].low);
			json_real(j, "high", w.at[r].high);
			json_end(j);
		}
		json_end(j);
		json_end(j);
	}
	json_end(j);
}

static void json_runs(const struct comparison *c, struct json *j)
{
	json_array(j, "configurations");
	for (size_t i = 0; i < c->set->configs.n; i++) {
		const struct set_config *x = &c->set->configs.at[i];

		json_object(j, NULL);
		json_text(j, "name", x->name);
		json_array(j, "runs");
		for (size_t k = 0; k < x->runs.n; k++) {
			const struct set_run *r = &x->runs.at[k];

			json_object_line(j, NULL);
			json_text(j, "iteration", r->iteration);
			json_text(j, "path", r->path);
			json_text(j, "boot", r->boot);
			json_text(j, "failed", r->failed);
			for (size_t f = 0; f < r->facts.n; f++)
				json_text(j, r->facts.at[f].name, r->facts.at[f].value);
			json_end(j);
		}
		json_end(j);
		json_end(j);
	}
	json_end(j);
}

void table_json(const struct comparison *c, bool why, size_t ceiling, struct json *j)
{
	static const char *const directions[] = {"less", "more", "-"};

	json_object(j, NULL);
	json_text(j, "schema", "peltier/compare/1");
	json_text(j, "baseline", c->set->configs.at[0].name);
	json_text(j, "process", c->process);
	json_real(j, "level", c->opts.level);
	json_bool(j, "paired", c->opts.paired);
	json_runs(c, j);
	json_array(j, "rows");
	for (size_t r = 0; r < c->rows.n; r++) {
		const struct compare_row *row = &c->rows.at[r];
		const struct set_key *k = &c->set->keys.at[row->key];

		json_object(j, NULL);
		json_text(j, "metric", k->name);
		json_text(j, "scope", k->scope);
		json_text(j, "unit", k->unit);
		json_text(j, "better", directions[k->direction]);
		json_array(j, "cells");
		for (size_t i = 0; i < c->set->configs.n; i++) {
			json_object(j, NULL);
			json_text(j, "configuration", c->set->configs.at[i].name);
			json_cell(&row->cells[i], i ? &row->cells[0] : NULL, j);
			if (ceiling && i)
				json_real(j, "of_ceiling_pct", table_share(row, i, ceiling));
			json_end(j);
		}
		json_end(j);
		json_end(j);
	}
	json_end(j);
	if (why)
		json_why(c, j);
	json_array(j, "notes");
	for (size_t i = 0; i < c->warnings.n; i++)
		json_text(j, NULL, c->warnings.at[i]);
	json_end(j);
	json_end(j);
}
