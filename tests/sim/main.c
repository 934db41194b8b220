/* peltier-sim: see README.md. */
#include "sim/sim.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
        "usage: peltier-sim [options] SCENARIO.yaml\n"
        "Simulate a scheduler and write a trace of it. Everything written says that it is "
        "simulated.\n"
        "  -o FILE        the trace (default: none)\n"
        "  -f FORMAT      text, dat6, dat7, dat7-zlib, dat7-zstd, perfetto, perfetto-compact,\n"
        "                 perfetto-deflate (default: .dat dat7-zstd, .pftrace perfetto, else "
        "text)\n"
        "  -l FILE        the ledger (JSON)\n"
        "  -r FILE        a run file; -c NAME: its configuration\n"
        "  -u FILE        util of tasks at every sleep (CSV: t_ns,task,util)\n"
        "  -F FILE        the frames (CSV)\n"
        "  -i N, -b N     number of the iteration, of the boot\n"
        "  -p FILE        a platform file\n"
        "  -d DAMAGE      lost:CPU:FROM_MS:TO_MS, noswitch:N, nofreq, clock:AT_MS:BY_MS or\n"
        "                 suspend:AT_MS:FOR_MS: of the trace, not of the ledger; may be repeated\n"
        "  -s SEED        instead of the scenario's\n"
        "  -S SIGNAL      pelt:HALF_LIFE_MS or walt:WINDOW_MS instead of the scenario's\n"
        "  -L MS          length instead of the scenario's\n";

struct options {
	const char *trace, *format, *ledger, *run, *platform, *utils, *frames, *configuration,
	        *signal;
	const char *damage[8];
	int n_damage;
	double length;
	long seed;
	int iteration, boot;
};

static bool write_trace(const struct result *r, FILE *out, const char *format)
{
	if (!strcmp(format, "text"))
		return write_text(r, out);
	if (!strcmp(format, "dat6"))
		return write_dat(r, out, 6, "none");
	if (!strncmp(format, "dat7", 4))
		return write_dat(r, out, 7, format[4] ? format + 5 : "none");
	if (!strncmp(format, "perfetto", 8))
		return write_perfetto(r, out, !strcmp(format + 8, "-compact"),
		                      !strcmp(format + 8, "-deflate"));
	errno = EINVAL;
	return false;
}

static const char *format_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	return !dot                       ? "text"
	       : !strcmp(dot, ".dat")     ? "dat7-zstd"
	       : !strcmp(dot, ".pftrace") ? "perfetto"
	                                  : "text";
}

/* One output file; `what` writes it. */
#define OUTPUT(path, what)                                                                         \
	do {                                                                                       \
		FILE *out = (path) ? fopen((path), "wb") : NULL;                                   \
		if ((path) && (!out || !(what) || fclose(out))) {                                  \
			fprintf(stderr, "peltier-sim: %s: %s\n", (path), strerror(errno));         \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

static int write_all(const struct result *r, const struct options *o)
{
	const char *format = o->format ? o->format : o->trace ? format_of(o->trace) : "";

	OUTPUT(o->trace, write_trace(r, out, format));
	OUTPUT(o->ledger, write_ledger(r, out));
	OUTPUT(o->run, write_run(r, out, o->configuration ? o->configuration : "simulated"));
	OUTPUT(o->utils, write_utils(r, out));
	OUTPUT(o->frames, write_frames(r, out));
	OUTPUT(o->platform, write_platform(r, out));
	return 0;
}

static bool set_signal(struct scenario *s, const char *text)
{
	if (!text)
		return true;
	s->walt = !strncmp(text, "walt:", 5);
	if (!s->walt && strncmp(text, "pelt:", 5) != 0)
		return false;
	*(s->walt ? &s->walt_window_ms : &s->half_life_ms) = strtod(text + 5, NULL);
	return s->half_life_ms >= 1 && s->half_life_ms <= 64 && s->walt_window_ms >= 1 &&
	       s->walt_window_ms <= 1000;
}

static int play(struct scenario *s, const struct options *o)
{
	struct result *r;
	int code = 0;

	if (!set_signal(s, o->signal)) {
		fputs("peltier-sim: -S: pelt:HALF_LIFE_MS or walt:WINDOW_MS\n", stderr);
		return 2;
	}
	if (o->length > 3.6e6) {
		fputs("peltier-sim: -L: at most 3600000 ms\n", stderr);
		return 2;
	}
	s->seed = o->seed >= 0 ? (uint64_t)o->seed : s->seed;
	s->iteration = o->iteration;
	s->boot = o->boot;
	s->length_ms = o->length > 0 ? o->length : s->length_ms;
	r = sim_run(s);
	for (int i = 0; i < o->n_damage && !code; i++)
		if (!sim_damage(r, o->damage[i])) {
			fprintf(stderr, "peltier-sim: -d %s: no such damage\n", o->damage[i]);
			code = 2;
		}
	code = code ? code : write_all(r, o);
	result_free(r);
	return code;
}

int main(int argc, char **argv)
{
	struct options o = {.seed = -1};
	struct scenario *s;
	struct err e;
	int c, code;

	while ((c = getopt(argc, argv, "o:f:l:r:c:p:u:F:i:b:d:s:S:L:h")) != -1)
		switch (c) {
		case 'o':
			o.trace = optarg;
			break;
		case 'f':
			o.format = optarg;
			break;
		case 'l':
			o.ledger = optarg;
			break;
		case 'r':
			o.run = optarg;
			break;
		case 'd':
			if (o.n_damage < 8)
				o.damage[o.n_damage++] = optarg;
			break;
		case 'u':
			o.utils = optarg;
			break;
		case 'F':
			o.frames = optarg;
			break;
		case 'i':
			o.iteration = atoi(optarg);
			break;
		case 'b':
			o.boot = atoi(optarg);
			break;
		case 'p':
			o.platform = optarg;
			break;
		case 'c':
			o.configuration = optarg;
			break;
		case 's':
			o.seed = strtol(optarg, NULL, 10);
			break;
		case 'S':
			o.signal = optarg;
			break;
		case 'L':
			o.length = strtod(optarg, NULL);
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return 2;
		}
	if (optind + 1 != argc) {
		fputs(usage, stderr);
		return 2;
	}
	s = scenario_load(argv[optind], &e);
	if (!s) {
		fprintf(stderr, "peltier-sim: %s\n", e.msg);
		return 2;
	}
	code = play(s, &o);
	scenario_free(s);
	return code;
}
