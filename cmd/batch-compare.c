/* batch-compare: runs against runs. */
#include "jankbench.h"
#include "known.h"
#include "measure.h"
#include "opt.h"
#include "output.h"
#include "pool.h"
#include "runs.h"

#include "base/text.h"
#include "compare/seed.h"
#include "compare/table.h"
#include "frame/jank.h"
#include "import/results_csv.h"
#include "report/markdown.h"
#include "report/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char name[] = "batch-compare";

struct options {
	const char *format, *output, *baseline, *pattern, *metrics, *process, *ceiling, *platform,
	        *jank, *profile;
	uint64_t jobs;
	double level, refresh;
	bool why, full, paired, dry_run, quiet, force;
};

#define AT(field) offsetof(struct options, field)

static const struct opt opts[] = {
        {"format", 'f', "FORMAT", OPT_TEXT, AT(format),
         "text (default), list (72 columns, for mail), markdown, csv (every iteration) or json"},
        {"output", 'o', "FILE", OPT_TEXT, AT(output), "Write to FILE instead of standard output"},
        {"baseline", 0, "NAME", OPT_TEXT, AT(baseline),
         "The configuration that the others are compared with (default: the first)"},
        {"metrics", 'm', "LIST", OPT_TEXT, AT(metrics),
         "Only these metrics: frame.mean_ms,latency.* (pelt-analyze --list metrics)"},
        {"full", 0, NULL, OPT_FLAG, AT(full), "All metrics of all scopes"},
        {"process", 'p', "NAME", OPT_TEXT, AT(process),
         "Frames of this process (default: that with most)"},
        {"why", 'w', NULL, OPT_FLAG, AT(why),
         "Split the change of the mean frame duration: work, placement, clock, waiting, ..."},
        {"ceiling", 0, "NAME", OPT_TEXT, AT(ceiling),
         "Tell how much of the way from the baseline to this configuration the others went"},
        {"paired", 0, NULL, OPT_FLAG, AT(paired),
         "Iterations of the same name belong together (the same work, or interleaved): compare "
         "pair by pair"},
        {"level", 0, "PCT", OPT_REAL, AT(level), "Level of intervals (default 95)"},
        {"pattern", 0, "PATTERN", OPT_TEXT, AT(pattern),
         "Names of files in flat folders: \"{config}_{iter}.dat\""},
        {"platform", 0, "NAME|FILE", OPT_TEXT, AT(platform),
         "Of all traces (default: what their run files name, or platform.yaml beside them)"},
        {"refresh", 0, "HZ", OPT_REAL, AT(refresh),
         "Refresh rate of the panel, where neither trace nor run file tells it"},
        {"jank", 0, "RULE", OPT_TEXT, AT(jank),
         "What makes a frame janky (pelt-analyze --list jank)"},
        {"profile", 0, "NAME", OPT_TEXT, AT(profile),
         "seed-2022: of databases of Jankbench the tables of that year (geometric means, the last "
         "frame left out)"},
        {"dry-run", 0, NULL, OPT_FLAG, AT(dry_run),
         "Only tell which runs were found, and how they are understood"},
        {"force", 0, NULL, OPT_FLAG, AT(force),
         "Compare runs of different devices or workloads all the same"},
        {"jobs", 'j', "N", OPT_COUNT, AT(jobs), "Traces analysed at once (default: CPUs)"},
        {"quiet", 'q', NULL, OPT_FLAG, AT(quiet), "No progress and no notes on standard error"},
};

static const struct opt_program program = {
        name, "DIR...",
        "Compares runs of configurations: frame durations, jank, energy, speed, placement; with "
        "intervals over iterations.\v"
        "DIR is a folder of traces (a configuration; each trace an iteration), a folder of such "
        "folders, or a CSV file of results (configuration,iteration,metric,value,unit); databases "
        "of "
        "Jankbench (BenchmarkResults) count as runs, too. The first "
        "configuration is the baseline. Exit status: 0 good; 2 usage, or nothing that can be "
        "compared; 3 runs were left out; 4 internal error.",
        opts, sizeof opts / sizeof *opts};

static void complain(const char *msg)
{
	output_complain(name, msg);
}

/* ---- traces, several at once ---- */

struct work {
	const struct options *o;
	const struct found *found;
	struct measure_opts measure;
	struct measured *results;
	time_t begun;
};

static void progress(void *arg, size_t done)
{
	struct work *w = arg;
	size_t n = w->found->runs.n;
	double spent = (double)(time(NULL) - w->begun);

	if (w->o->quiet || !isatty(STDERR_FILENO))
		return;
	if (done == n)
		fputs("\r\033[K", stderr);
	else
		fprintf(stderr, "\r%s: %zu of %zu traces, %.0f s left\033[K", name, done, n,
		        spent * (double)(n - done) / (double)done);
}

static void measure_one(void *arg, size_t i)
{
	struct work *w = arg;

	if (!w->found->runs.at[i].database)
		measure(w->found->runs.at[i].path, &w->measure, &w->results[i]);
}

static int add_database(const struct found_run *x, struct run_set *s)
{
	char note[700];
	bool good = jankbench_add(x->path, s, x->config, x->iteration, note, sizeof note);

	if (*note)
		complain(note);
	return good ? OK : PARTIAL;
}

static int measure_all(const struct options *o, const struct found *f,
                       const struct platform *platform, struct run_set *s)
{
	struct work w = {.o = o,
	                 .found = f,
	                 .measure = {o->jank, o->refresh, platform},
	                 .results = mem_calloc(f->runs.n + 1, sizeof *w.results),
	                 .begun = time(NULL)};
	int code = OK;

	pool_run((size_t)o->jobs, f->runs.n, measure_one, progress, &w);
	for (size_t i = 0; i < f->runs.n; i++) {
		const struct found_run *x = &f->runs.at[i];
		const struct measured *m = &w.results[i];

		if (x->database) {
			code = worse(code, add_database(x, s));
			continue;
		}
		measured_add(m, s, set_run(s, set_config(s, x->config), x->iteration, x->path));
		if (!m->good || m->partial[0])
			code = PARTIAL;
		if (!m->good) {
			complain(m->why);
		} else if (m->partial[0]) {
			char msg[1200];

			snprintf(msg, sizeof msg, "%s: analysed in part: %s", x->path, m->partial);
			complain(msg);
		}
		measured_free(&w.results[i]);
	}
	free(w.results);
	return code;
}

/* ---- results of others ---- */

static void add_result(void *arg, const struct result_row *x)
{
	struct run_set *s = arg;
	struct set_config *c = set_config(s, x->config);
	struct set_run *r = NULL;
	size_t key = set_key(s, x->metric, x->scope, x->unit,
	                     x->direction > 0   ? METRIC_MORE
	                     : x->direction < 0 ? METRIC_LESS
	                                        : METRIC_EQUAL,
	                     !strcmp(x->unit, "%") ? METRIC_SHARE : METRIC_RATIO);

	for (size_t i = 0; i < c->runs.n && !r; i++)
		if (!strcmp(c->runs.at[i].iteration, x->iteration))
			r = &c->runs.at[i];
	if (!r)
		r = set_run(s, c, x->iteration, x->path);
	set_add(s, r, key, x->value, x->text);
}

/* ---- the set ---- */

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool gather(const struct options *o, const char **files, size_t n, struct found *f,
                   struct run_set *s)
{
	struct err e;

	for (size_t i = 0; i < n; i++)
		if (is_dir(files[i])) {
			size_t before = f->runs.n;

			if (!found_add(f, files[i], o->pattern, &e)) {
				complain(e.msg);
				return false;
			}
			if (f->runs.n == before) {
				fprintf(stderr, "%s: %s: no trace in it%s\n", name, files[i],
				        o->pattern ? " whose name fits --pattern"
				        : before   ? " that is not in an earlier folder"
				                   : "");
				return false;
			}
		} else if (!results_csv_read(files[i], add_result, s, &e)) {
			complain(e.msg);
			return false;
		}
	return true;
}

/* The configuration of that name first. */
static bool put_first(struct run_set *s, const char *baseline)
{
	for (size_t i = 0; baseline && i < s->configs.n; i++)
		if (!strcmp(s->configs.at[i].name, baseline)) {
			struct set_config c = s->configs.at[i];

			memmove(&s->configs.at[1], &s->configs.at[0], i * sizeof c);
			s->configs.at[0] = c;
			return true;
		}
	return !baseline;
}

static size_t config_index(const struct run_set *s, const char *of)
{
	for (size_t i = 1; of && i < s->configs.n; i++)
		if (!strcmp(s->configs.at[i].name, of))
			return i;
	return 0;
}

static void dry_run(const struct found *f, const struct run_set *s, FILE *out)
{
	fputs("configuration\titeration\tpath\n", out);
	for (size_t i = 0; i < f->runs.n; i++)
		fprintf(out, "%s\t%s\t%s\n", f->runs.at[i].config, f->runs.at[i].iteration,
		        f->runs.at[i].path);
	for (size_t i = 0; i < s->configs.n; i++)
		for (size_t k = 0; k < s->configs.at[i].runs.n; k++)
			fprintf(out, "%s\t%s\t%s\n", s->configs.at[i].name,
			        s->configs.at[i].runs.at[k].iteration,
			        s->configs.at[i].runs.at[k].path);
	for (size_t i = 0; i < f->skipped.n; i++)
		fprintf(out, "-\t-\t%s\n", f->skipped.at[i]);
}

/* Different devices or workloads are no comparison. */
static bool are_comparable(const struct comparison *c)
{
	for (size_t i = 0; i < c->differ.n; i++) {
		const char *text = c->differ.at[i];

		if (!strncmp(text, "device ", 7) || !strncmp(text, "workload ", 9) ||
		    !strncmp(text, "refresh Hz ", 11)) {
			fprintf(stderr, "%s: not comparable: %s (--force compares all the same)\n",
			        name, text);
			return false;
		}
	}
	return true;
}

static void write_out(const struct options *o, const struct comparison *c, size_t ceiling,
                      FILE *out, bool colour)
{
	struct doc d = {.compact = false};
	struct json j;

	if (!strcmp(o->format, "json")) {
		json_init(&j, out);
		table_json(c, o->why, ceiling, &j);
	} else if (!strcmp(o->format, "csv")) {
		table_csv(c, out);
	} else if (!strcmp(o->format, "list")) {
		table_list(c, out);
	} else {
		table_doc(c, o->why, ceiling, &d);
		if (!strcmp(o->format, "markdown"))
			markdown_render(&d, out);
		else
			text_render(&d, out, 120, colour);
		doc_free(&d);
	}
}

static bool has_process(const struct run_set *s, const char *process)
{
	for (size_t i = 0; i < s->configs.n; i++)
		for (size_t k = 0; k < s->configs.at[i].runs.n; k++)
			if (set_parts_of(&s->configs.at[i].runs.at[k], process))
				return true;
	return false;
}

static int compare_set(const struct options *o, struct run_set *s, int code, struct output *out)
{
	struct compare_opts co = {.metrics = o->metrics,
	                          .full = o->full,
	                          .process = o->process,
	                          .paired = o->paired,
	                          .level = o->level / 100};
	struct comparison c;
	size_t ceiling;

	set_sort(s);
	if (!put_first(s, o->baseline)) {
		fprintf(stderr, "%s: --baseline %s: no such configuration\n", name, o->baseline);
		return USAGE;
	}
	ceiling = config_index(s, o->ceiling);
	if (o->ceiling && !ceiling) {
		fprintf(stderr, "%s: --ceiling %s: no such configuration besides the baseline\n",
		        name, o->ceiling);
		return USAGE;
	}
	if (o->profile) {
		if (seed_tables(s, out->file))
			return code;
		complain("--profile seed-2022: no database of Jankbench (BenchmarkResults) in it");
		return USAGE;
	}
	if (o->process && !has_process(s, o->process)) {
		fprintf(stderr, "%s: --process %s: no run has frames of it\n", name, o->process);
		return USAGE;
	}
	c = compare(s, &co);
	if (!o->force && !are_comparable(&c)) {
		code = USAGE;
	} else if (!c.rows.n) {
		complain("no run has a value to compare");
		code = USAGE;
	} else {
		write_out(o, &c, ceiling, out->file,
		          !o->output && isatty(STDOUT_FILENO) && !getenv("NO_COLOR"));
	}
	compare_free(&c);
	return code;
}

static int run(const struct options *o, const char **files, size_t n, struct output *out)
{
	struct platform_file *file = NULL;
	const struct platform *platform = NULL;
	struct found f = {.arena = {NULL}};
	struct run_set s = {.arena = {NULL}};
	struct err e;
	int code = USAGE;

	if (o->platform && !known_platform(o->platform, &platform, &file, &e)) {
		complain(e.msg);
		return USAGE;
	}
	if (gather(o, files, n, &f, &s)) {
		if (o->dry_run) {
			dry_run(&f, &s, out->file);
			code = OK;
		} else {
			code = compare_set(o, &s, measure_all(o, &f, platform, &s), out);
		}
	}
	set_free(&s);
	found_free(&f);
	platform_file_free(file);
	return code;
}

static const char *check_options(const struct options *o, size_t n)
{
	static const char *const formats[] = {"text", "list", "markdown", "csv", "json"};
	bool known = false;

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		known |= !strcmp(o->format, formats[i]);
	if (!known)
		return "--format: text, list, markdown, csv or json";
	if (!(o->level > 0 && o->level < 100))
		return "--level: percent, more than 0 and less than 100";
	if (o->profile && strcmp(o->profile, "seed-2022"))
		return "--profile: seed-2022";
	if (o->jank && (strchr(o->jank, ',') || !jank_rule_at(o->jank, 0)))
		return "--jank: one rule of pelt-analyze --list jank";
	if (o->refresh && (o->refresh < 1 || o->refresh > 1000))
		return "--refresh: 1 to 1000 Hz";
	if (o->jobs > 1024 || !o->jobs)
		return "--jobs: 1 to 1024";
	return n ? NULL : "no folder given; see --help";
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct options o = {.format = "text", .level = 95, .jobs = cpus > 0 ? (uint64_t)cpus : 1};
	const char **files, *wrong;
	struct output out;
	int code = USAGE;
	size_t n;

	opt_parse(&program, argc, argv, &o, &files, &n);
	wrong = check_options(&o, n);
	if (wrong)
		complain(wrong);
	else if (!output_open(&out, o.output))
		fprintf(stderr, "%s: %s: %s\n", name, o.output, strerror(errno));
	else
		code = output_close(&out, name, run(&o, files, n, &out));
	free((void *)files);
	return code;
}
