/* pelt-analyze: one report per trace. */
#include "known.h"
#include "opt.h"
#include "output.h"
#include "plot.h"
#include "pool.h"

#include "analysis/analysis.h"
#include "base/text.h"
#include "frame/jank.h"
#include "frame/user.h"
#include "import/platform_builtin.h"
#include "import/platform_file.h"
#include "report/text.h"
#include "source/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char name[] = "pelt-analyze";

struct options {
	const char *format, *output, *from, *to, *task, *process, *cpu, *buffer, *platform, *run,
	        *list, *pelt, *head, *timeline, *walt, *frames, *jank, *profile;
	uint64_t top, jobs, clock_hz;
	double max_unknown, every, hz, rest, refresh;
	bool strict, quiet, early, full, why, frame_list;
};

#define AT(field) offsetof(struct options, field)

static const struct opt opts[] = {
        {"format", 'f', "FORMAT", OPT_TEXT, AT(format), "text (default) or json"},
        {"output", 'o', "FILE", OPT_TEXT, AT(output), "Write to FILE instead of standard output"},
        {"full", 0, NULL, OPT_FLAG, AT(full),
         "All tables (CPUs, clocks, idle states, tasks, signals) instead of the first page"},
        {"why", 0, NULL, OPT_FLAG, AT(why),
         "Instead of a report where the time of each frame went, a row per frame"},
        {"frame-list", 0, NULL, OPT_FLAG, AT(frame_list),
         "Instead of a report all frames and their parts as TSV, in ns"},
        {"from", 0, "TIME", OPT_TEXT, AT(from),
         "Begin at TIME: 5.2 (seconds from the start), @2241.01 (trace clock), text:STR (first "
         "marker that "
         "contains STR)"},
        {"to", 0, "TIME", OPT_TEXT, AT(to), "End at TIME, in the same forms"},
        {"top", 'n', "N", OPT_COUNT, AT(top),
         "Rows of the longer lists in the report (default 12)"},
        {"task", 't', "NAME|PID", OPT_TEXT, AT(task),
         "Only tasks with this name (15 bytes count) or pid"},
        {"process", 'p', "NAME|PID", OPT_TEXT, AT(process), "Only tasks of this process"},
        {"cpu", 'c', "LIST", OPT_TEXT, AT(cpu),
         "Tables of CPUs, clocks and idle states, and waits that end there: only these CPUs "
         "(0-3,7)"},
        {"buffer", 'b', "NAME", OPT_TEXT, AT(buffer),
         "Read this instance (default: the top buffer)"},
        {"platform", 0, "NAME|FILE", OPT_TEXT, AT(platform),
         "Capacities, frequency domains and powers of the CPUs: a built-in platform (--list "
         "platforms), or a YAML file (default: what the run file names, or platform.yaml beside "
         "the trace; none: no file)"},
        {"run", 0, "FILE", OPT_TEXT, AT(run),
         "How the run was made (default: run.yaml beside the trace; none: no file)"},
        {"pelt", 0, "LIST", OPT_TEXT, AT(pelt),
         "Rebuild the util of tasks under these PELT half-lives (32,16,8)"},
        {"walt", 0, "LIST", OPT_TEXT, AT(walt),
         "Rebuild WALT's demand of tasks for these windows in ms (20,16,8)"},
        {"frames", 0, "SOURCE", OPT_TEXT, AT(frames),
         "Which frames: timeline, markers, rtapp, or a definition such as \"begin=REGEX "
         "end=REGEX\", "
         "slice=NAME, event=NAME[,NAME] (default: the best source of each process)"},
        {"jank", 0, "RULE[,RULE]", OPT_TEXT, AT(jank),
         "What makes a frame janky; the first rule is in force, others are told beside it (--list "
         "jank)"},
        {"profile", 0, "NAME", OPT_TEXT, AT(profile),
         "perfetto: JSON has the numbers of trace_processor's frame timeline metric beside ours"},
        {"refresh", 0, "HZ", OPT_REAL, AT(refresh),
         "Refresh rate of the panel, to judge frames that markers tell (default: that of the run "
         "file)"},
        {"rest", 0, "MS", OPT_REAL, AT(rest),
         "So long asleep separates bursts of a task (default 100); a short one, such as 0.5, makes "
         "each activation of a periodic task a burst"},
        {"hz", 0, "HZ", OPT_REAL, AT(hz),
         "Rebuilt util as the kernel shows it, brought up to date at events and so many ticks a "
         "second (default: live values)"},
        {"timeline", 0, "LIST", OPT_TEXT, AT(timeline),
         "Instead of a report signals over time as CSV (or JSON): freq, idle, speed, util, "
         "runnable, estimate, request, kernel, each with :task=NAME|PID, :cpu=N, :h=HALF_LIFE, "
         ":signal=NAME (util:task=RenderThread:h=8,freq,kernel:signal=rt)"},
        {"every", 0, "MS", OPT_REAL, AT(every),
         "Points of --timeline at this step instead of at every change"},
        {"clock-hz", 0, "HZ", OPT_COUNT, AT(clock_hz),
         "Rate of a trace clock that counts ticks (counter, x86-tsc)"},
        {"early", 0, NULL, OPT_FLAG, AT(early),
         "Perfetto: keep events from before the recording began"},
        {"head", 0, "FILE", OPT_TEXT, AT(head),
         "trace.dat of the same boot that has the formats for raw .cpuN files"},
        {"list", 'l', "WHAT", OPT_TEXT, AT(list),
         "List events, frames (which processes, told by what), frame-rows (of FrameTimeline), jank "
         "(rules), metrics, analyses, "
         "platforms, buffers or clocks instead of a report"},
        {"jobs", 'j', "N", OPT_COUNT, AT(jobs), "Traces analysed at once (default 1)"},
        {"strict", 0, NULL, OPT_FLAG, AT(strict), "Exit 3 when more than --max-unknown is unknown"},
        {"max-unknown", 0, "PCT", OPT_REAL, AT(max_unknown),
         "Limit of unknown CPU time for --strict, percent of the window (default 1)"},
        {"quiet", 'q', NULL, OPT_FLAG, AT(quiet), "No notes and no progress on standard error"},
};

static const struct opt_program program = {
        name, "TRACE...",
        "What a Linux scheduler trace says: CPUs, clocks, idle states, tasks, latencies, "
        "migrations.\v"
        "TRACE is a trace.dat of trace-cmd (version 6 or 7), a Perfetto trace, with any "
        "compression, or ftrace text (trace-cmd report, atrace, systrace); - is standard input. "
        "Exit status: 0 good; 2 usage, or input that cannot be analysed; 3 cut or damaged "
        "input analysed in part, or too much unknown with --strict; 4 internal error.",
        opts, sizeof opts / sizeof *opts};

/* ---- messages ---- */

static void complain(const char *msg)
{
	output_complain(name, msg);
}

/* ---- progress ---- */

enum { PROGRESS_EVENTS = 1 << 22 };

struct progress {
	bool on;
	time_t begun;
	uint64_t events;
};

static void progress_step(struct progress *p, const struct options *o, const char *path)
{
	if (!p->on) {
		p->on = true;
		p->begun = time(NULL);
	}
	if (o->quiet || o->jobs > 1 || !isatty(STDERR_FILENO) || time(NULL) - p->begun < 1)
		return;
	fprintf(stderr, "\r%s: %s: %.1f M events\033[K", name, path, (double)p->events / 1e6);
}

static void progress_end(const struct progress *p, const struct options *o)
{
	if (p->on && !o->quiet && o->jobs <= 1 && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* ---- one trace ---- */

static bool parse_edge(const char *text, const char *what, struct edge *out, struct err *e)
{
	*out = (struct edge){EDGE_NONE, 0, NULL};
	if (!text)
		return true;
	if (!strncmp(text, "text:", 5) && text[5]) {
		*out = (struct edge){EDGE_MARKER, 0, text + 5};
		return true;
	}
	out->kind = *text == '@' ? EDGE_ABSOLUTE : EDGE_RELATIVE;
	if (text_to_ns(text + (*text == '@'), &out->ns) &&
	    (out->kind == EDGE_ABSOLUTE || out->ns >= 0))
		return true;
	return err_input(e, "--%s %s: not a time; write 5.2, @2241.01 or text:STR", what, text);
}

enum { LIST_MAX = HALF_LIVES_MAX };
_Static_assert((int)HALF_LIVES_MAX == (int)WALT_WINDOWS_MAX, "one length of lists");

/* "32,16,8", each from 1 to max; how many, 0 when it is no such list. */
static unsigned parse_numbers(const char *list, unsigned max, unsigned out[LIST_MAX])
{
	unsigned n = 0;

	while (list && n < LIST_MAX) {
		char *end;
		unsigned long v = strtoul(list, &end, 10);

		if (end == list || v < 1 || v > max || (*end && *end != ','))
			return 0;
		out[n++] = (unsigned)v;
		if (!*end)
			return n;
		list = end + 1;
	}
	return 0;
}

static void list_buffers(const struct trace_info *t, FILE *out)
{
	char text[256];

	fputs("buffer\tclock\tcpus with data\tread\n", out);
	for (unsigned i = 0; i < t->n_buffers; i++) {
		const struct trace_buffer *b = &t->buffers[i];

		fprintf(out, "%s\t%s\t%u\t%s\n",
		        *b->name ? text_escape(text, sizeof text, b->name, strlen(b->name)) : "-",
		        b->clock ? b->clock : "-", b->n_cpus, (int)i == t->buffer ? "yes" : "no");
	}
}

static void list_clocks(const struct trace_info *t, FILE *out)
{
	fputs("clock\tid\tsequence\tsnapshots\tused\tjoined\n", out);
	for (unsigned i = 0; i < t->n_clocks; i++) {
		const struct trace_clock *c = &t->clocks[i];

		fprintf(out, "%s\t%u\t%u\t%u\t%llu\t%s\n", c->name, c->id, c->sequence,
		        c->snapshots, (unsigned long long)c->used,
		        c->is_trace ? "trace clock"
		        : c->joined ? "yes"
		                    : "no");
	}
	if (!t->n_clocks)
		fprintf(out, "%s\t-\t-\t0\t-\ttrace clock\n", t->clock ? t->clock : "unknown");
}

static void write_report(struct session *s, const struct options *o, FILE *out, bool colour,
                         int width)
{
	struct doc d = {0};
	struct json j;

	if (o->frame_list) {
		session_frame_list(s, out);
	} else if (o->list) {
		if (!strcmp(o->list, "frames"))
			session_list_frames(s, out);
		else if (!strcmp(o->list, "frame-rows"))
			session_list_frame_rows(s, out);
		else
			session_list_events(s, out);
	} else if (!strcmp(o->format, "json")) {
		json_init(&j, out);
		session_json(s, &j);
	} else {
		if (o->why)
			session_why(s, &d);
		else if (o->full)
			session_doc(s, &d);
		else
			session_page(s, &d);
		text_render(&d, out, width, colour);
		doc_free(&d);
	}
}

/* Whether a list takes the place of the report. */
static bool is_list(const struct options *o)
{
	return o->list || o->frame_list;
}

/* The exit code that a finished analysis deserves, with its reasons on standard error. */
static int judge(struct session *s, struct source *src, const struct options *o)
{
	const struct trace_quality *q = source_quality(src);
	const struct trace_info *t = source_info(src);
	char msg[512];
	int code = OK;

	/* the text report has the notes itself */
	for (unsigned i = 0; i < q->n_notes && !o->quiet && strcmp(o->format, "text"); i++) {
		snprintf(msg, sizeof msg, "%s: %s", t->path, q->notes[i]);
		complain(msg);
	}
	if (q->partial) {
		snprintf(msg, sizeof msg, "%s: cut or damaged; what could be read was analysed",
		         t->path);
		complain(msg);
		code = PARTIAL;
	}
	if (o->strict && session_unknown_pct(s) > o->max_unknown) {
		snprintf(msg, sizeof msg,
		         "%s: %.3g %% of CPU time is unknown, more than --max-unknown %.3g",
		         t->path, session_unknown_pct(s), o->max_unknown);
		complain(msg);
		code = PARTIAL;
	}
	if (!t->clock_is_ns && !is_list(o)) {
		snprintf(msg, sizeof msg,
		         "%s: clock %s counts ticks of unknown length; only events were counted; "
		         "give --clock-hz HZ",
		         t->path, t->clock);
		complain(msg);
		code = worse(code, USAGE);
	}
	return code;
}

static struct session_opts session_options(struct source *src, const struct options *o,
                                           const struct known *k)
{
	return (struct session_opts){.trace = source_info(src),
	                             .platform = k->platform,
	                             .run = k->run ? run_file_data(k->run) : NULL,
	                             .no_run = k->bad_run.msg[0] ? k->bad_run.msg : NULL,
	                             .top = (unsigned)o->top,
	                             .task = o->task,
	                             .process = o->process,
	                             .cpus = o->cpu,
	                             .hz = o->hz,
	                             .rest_ms = o->rest,
	                             .refresh_hz = o->refresh,
	                             .frames = o->frames,
	                             .jank = o->jank,
	                             .frame_rows = o->profile ||
	                                           (o->list && !strcmp(o->list, "frame-rows")),
	                             .types = source_types,
	                             .types_of = src};
}

static int analyse(struct source *src, const struct options *o, const struct known *k, FILE *out,
                   bool colour, int width, struct err *e)
{
	const struct platform *platform = k->platform;
	struct session_opts so = session_options(src, o, k);
	struct plot plot = {.out = out, .json = !strcmp(o->format, "json")};
	struct progress p = {0};
	const struct event_type *types;
	const struct event *ev;
	struct session *s;
	unsigned n_types;
	int code = USAGE;

	if (o->timeline)
		so.timeline = (struct timeline_opts){o->timeline, (int64_t)(o->every * 1e6),
		                                     plot_point, &plot};
	so.n_half_lives = parse_numbers(o->pelt, 64, so.half_lives);
	so.n_walt_windows = parse_numbers(o->walt, 1000, so.walt_windows_ms);
	if (!parse_edge(o->from, "from", &so.from, e) || !parse_edge(o->to, "to", &so.to, e))
		return USAGE;
	if (platform && platform->n_cpus && platform->n_cpus != so.trace->n_cpu_rows && !o->quiet)
		fprintf(stderr, "%s: %s: has %u CPUs, the platform file %zu\n", name,
		        so.trace->path, so.trace->n_cpu_rows, platform->n_cpus);
	s = session_new(&so);
	source_want(src, session_wants);
	while ((ev = source_next(src))) {
		if (!session_event(s, ev))
			break;
		if (__builtin_expect(++p.events % PROGRESS_EVENTS == 0, 0))
			progress_step(&p, o, so.trace->path);
	}
	progress_end(&p, o);
	types = source_types(src, &n_types);
	if (session_finish(s, source_quality(src), types, n_types, e)) {
		if (o->timeline)
			plot_end(&plot);
		else
			write_report(s, o, out, colour, width);
		code = judge(s, src, o);
		if (o->timeline && !plot.n) {
			err_input(e, "%s: no point: no such task, CPU or event in it",
			          so.trace->path);
			code = USAGE;
		}
		if (o->timeline && !o->quiet && !context_knows_speed(s))
			complain("timeline: capacities or top clocks are not known: full speed is "
			         "assumed (--platform)");
	} else {
		code = e->kind == ERR_INTERNAL ? INTERNAL : USAGE;
	}
	session_free(s);
	return code;
}

static int one_trace(const char *path, const struct options *o, const struct platform *platform,
                     FILE *out, bool colour, int width)
{
	struct source_opts so = {
	        .buffer = o->buffer, .clock_hz = o->clock_hz, .early = o->early, .head = o->head};
	struct err e = {0};
	struct source *src = source_open(path, &so, &e);
	struct known known;
	int code;

	if (!src) {
		complain(e.msg);
		return e.kind == ERR_INTERNAL ? INTERNAL : USAGE;
	}
	e.msg[0] = '\0';
	if (o->list && !strcmp(o->list, "buffers")) {
		list_buffers(source_info(src), out);
		code = OK;
	} else if (o->list && !strcmp(o->list, "clocks")) {
		list_clocks(source_info(src), out);
		code = OK;
	} else {
		code = USAGE;
		if (known_of(&known, path, o->run, !o->platform, platform, &e))
			code = analyse(src, o, &known, out, colour, width, &e);
		if (known.bad_run.msg[0])
			complain(known.bad_run.msg);
		if (known.bad_platform.msg[0])
			complain(known.bad_platform.msg);
		known_free(&known);
		if (e.msg[0])
			complain(e.msg);
	}
	source_close(src);
	return code;
}

/* ---- several traces, several at once ---- */

struct result {
	char *text;
	size_t n;
	int code;
};

struct work {
	const struct options *o;
	const struct platform *platform;
	const char **paths;
	size_t n;
	struct result *results;
	bool colour;
	int width;
};

static void report_one(void *arg, size_t i)
{
	struct work *w = arg;
	struct result *r = &w->results[i];
	FILE *out = open_memstream(&r->text, &r->n);

	if (!out)
		abort();
	r->code = one_trace(w->paths[i], w->o, w->platform, out, w->colour, w->width);
	fclose(out);
}

/* Reports in the order of the arguments; several in JSON make an array. */
static int write_results(const struct work *w, FILE *out)
{
	bool array = !strcmp(w->o->format, "json") && !is_list(w->o) && w->n > 1;
	bool first = true;
	int code = OK;

	fputs(array ? "[" : "", out);
	for (size_t i = 0; i < w->n; i++) {
		struct result *r = &w->results[i];

		code = worse(code, r->code);
		if (r->n) {
			if (!first)
				fputs(array ? "," : is_list(w->o) ? "" : "\n", out);
			if (array)
				fputc('\n', out);
			fwrite(r->text, 1, r->n, out);
			first = false;
		}
		free(r->text);
	}
	fputs(array ? "]\n" : "", out);
	return code;
}

/* ---- command line ---- */

static void list_metrics(void)
{
	static const char *const better[] = {"less", "more", "-"};

	puts("metric\tunit\tbetter\tdefinition\tneeds");
	for (int i = 0; i < METRICS; i++)
		printf("%s\t%s\t%s\t%s\t%s\n", metrics[i].name, metrics[i].unit,
		       better[metrics[i].direction], metrics[i].definition, metrics[i].needs);
}

static void list_analyses(void)
{
	puts("analysis\tquestion");
	for (int i = 0; analyses[i]; i++)
		printf("%s\t%s\n", analyses[i]->name, analyses[i]->question);
}

static void list_platforms(void)
{
	const struct platform *p;

	puts("platform\tdomain\tcpus\tcapacity\tkhz\tpower_uw\tsource");
	for (size_t i = 0; (p = platform_builtin_at(i)); i++)
		for (size_t k = 0; k < p->n_domains; k++) {
			const struct platform_domain *d = &p->domains[k];

			for (size_t o = 0; o < d->n_khz; o++)
				printf("%s\t%s\t%u-%u\t%d\t%lld\t%lld\t%s\n", p->name, d->name,
				       d->cpus[0], d->cpus[d->n_cpus - 1], p->capacity[d->cpus[0]],
				       (long long)d->khz[o], (long long)d->power_uw[o], p->source);
		}
}

static void list_jank(void)
{
	puts("rule\tdefinition");
	for (size_t i = 0; jank_rules[i]; i++)
		printf("%s\t%s\n", jank_rules[i]->id, jank_rules[i]->text);
}

/* Lists that need no trace. */
static const struct {
	const char *name;
	void (*print)(void);
} lists[] = {{"metrics", list_metrics},
             {"analyses", list_analyses},
             {"platforms", list_platforms},
             {"jank", list_jank}};

static bool are_rules(const char *list)
{
	size_t n = 1;

	for (const char *p = list; *p; p++)
		n += *p == ',';
	for (size_t i = 0; i < n; i++)
		if (!jank_rule_at(list, i))
			return false;
	return true;
}

static const char *check_frames(const struct options *o)
{
	static char text[200];
	struct err e;

	if (o->frames && strcmp(o->frames, "timeline") && strcmp(o->frames, "markers") &&
	    !frame_user_check(o->frames, &e)) {
		snprintf(text, sizeof text, "--frames: %.180s", e.msg);
		return text;
	}
	if (o->jank && !are_rules(o->jank))
		return "--jank: rules such as ft_app,bad16; see --list jank";
	if (o->refresh && (o->refresh < 1 || o->refresh > 1000))
		return "--refresh: 1 to 1000 Hz";
	return o->profile && strcmp(o->profile, "perfetto") ? "--profile: perfetto" : NULL;
}

/* Those of rebuilt signals. */
static const char *check_signals(const struct options *o, size_t n_files)
{
	unsigned numbers[LIST_MAX];
	static char text[200];

	if (o->pelt && !parse_numbers(o->pelt, 64, numbers))
		return "--pelt: up to four half-lives of 1 to 64 periods, such as 32,16,8";
	if (o->walt && !parse_numbers(o->walt, 1000, numbers))
		return "--walt: up to four windows of 1 to 1000 ms, such as 20,8";
	if (o->timeline && timeline_wrong(o->timeline)) {
		snprintf(text, sizeof text, "--timeline %.80s: %s", o->timeline,
		         timeline_wrong(o->timeline));
		return text;
	}
	if (o->timeline && (o->list || n_files > 1))
		return "--timeline: of one trace, and without --list";
	if (o->every && !o->timeline)
		return "--every: needs --timeline";
	if (o->every && (o->every < 0.001 || o->every > 1e6))
		return "--every: a step of --timeline, 0.001 to 1000000 ms";
	if (o->rest && (o->rest < 0.001 || o->rest > 1e6))
		return "--rest: 0.001 to 1000000 ms";
	if (o->hz && (o->hz < 1 || o->hz > 10000))
		return "--hz: 1 to 10000 ticks a second";
	return o->hz && !o->pelt && !o->timeline ? "--hz: needs --pelt or --timeline" : NULL;
}

static const char *check_options(const struct options *o, size_t n_files)
{
	const char *wrong;
	struct edge edge;
	static struct err e;

	if (strcmp(o->format, "text") && strcmp(o->format, "json"))
		return "--format: text or json";
	if (o->list && strcmp(o->list, "events") && strcmp(o->list, "frames") &&
	    strcmp(o->list, "frame-rows") && strcmp(o->list, "buffers") &&
	    strcmp(o->list, "clocks"))
		return "--list: events, frames, frame-rows, jank, metrics, analyses, platforms, "
		       "buffers or "
		       "clocks";
	if (o->full + o->why + o->frame_list + (o->list != NULL) + (o->timeline != NULL) > 1)
		return "one of --full, --why, --frame-list, --list and --timeline";
	if (o->cpu && cpu_list_has(o->cpu, 0) < 0)
		return "--cpu: a list such as 0-3,7";
	if (o->top > 1000000)
		return "--top: at most 1000000";
	if (o->jobs > 1024 || !o->jobs)
		return "--jobs: 1 to 1024";
	if (!parse_edge(o->from, "from", &edge, &e) || !parse_edge(o->to, "to", &edge, &e))
		return e.msg;
	if (!n_files)
		return "no trace given; see --help";
	wrong = check_frames(o);
	return wrong ? wrong : check_signals(o, n_files);
}

static int run(const struct options *o, const char **files, size_t n, FILE *out, bool colour,
               int width)
{
	struct work w = {.o = o, .paths = files, .n = n, .colour = colour, .width = width};
	struct platform_file *platform = NULL;
	struct err e;
	int code;

	if (o->platform && strcmp(o->platform, "none") &&
	    !known_platform(o->platform, &w.platform, &platform, &e)) {
		complain(e.msg);
		if (!strpbrk(o->platform, "/."))
			complain("built-in platforms: --list platforms");
		return USAGE;
	}
	w.results = mem_calloc(n, sizeof *w.results);
	pool_run((size_t)o->jobs, n, report_one, NULL, &w);
	code = write_results(&w, out);
	free(w.results);
	platform_file_free(platform);
	return code;
}

static int analyse_files(const struct options *o, const char **files, size_t n)
{
	const char *wrong = check_options(o, n);
	bool colour = !o->output && isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	struct output out;

	if (wrong) {
		complain(wrong);
		return USAGE;
	}
	if (!output_open(&out, o->output)) {
		fprintf(stderr, "%s: %s: %s\n", name, o->output, strerror(errno));
		return USAGE;
	}
	return output_close(&out, name, run(o, files, n, out.file, colour, output_width(&out)));
}

int main(int argc, char **argv)
{
	struct options o = {.format = "text", .top = 12, .jobs = 1, .max_unknown = 1};
	const char **files;
	size_t n;
	int code;

	opt_parse(&program, argc, argv, &o, &files, &n);
	for (size_t i = 0; o.list && i < sizeof lists / sizeof *lists; i++)
		if (!strcmp(o.list, lists[i].name)) {
			lists[i].print();
			free(files);
			return OK;
		}
	code = analyse_files(&o, files, n);
	free(files);
	return code;
}
