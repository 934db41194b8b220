#include "tools/feed.h"

#include "report/text.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t two_cpus[] = {0, 1};
static const int64_t little_khz[] = {500, 1000}, big_khz[] = {1000, 2000};
static const int32_t two_capacity[] = {512, 1024};
static const struct platform_domain two_domains[] = {
        {.cpus = two_cpus, .n_cpus = 1, .khz = little_khz, .n_khz = 2},
        {.cpus = two_cpus + 1, .n_cpus = 1, .khz = big_khz, .n_khz = 2}};
const struct platform feed_two = {
        .capacity = two_capacity, .n_cpus = 2, .domains = two_domains, .n_domains = 2};

static struct event head(enum event_kind k, int64_t ts, uint32_t cpu, int pid)
{
	return (struct event){
	        .ts = ts, .cpu = cpu, .pid = pid, .kind = (uint16_t)k, .type = (uint16_t)k};
}

struct event ev_switch(int64_t ts, uint32_t cpu, int prev, int state, int next)
{
	struct event e = head(EV_sched_switch, ts, cpu, prev);

	e.has = 1u << EVB_sched_switch_prev_pid | 1u << EVB_sched_switch_next_pid |
	        1u << EVB_sched_switch_prev_state;
	e.sched_switch.prev_pid = prev;
	e.sched_switch.prev_state = state;
	e.sched_switch.next_pid = next;
	return e;
}

struct event ev_wake(enum event_kind k, int64_t ts, uint32_t cpu, int by, int pid, uint32_t target)
{
	struct event e = head(k, ts, cpu, by);

	e.has = 1u << EVB_sched_waking_pid | 1u << EVB_sched_waking_target_cpu;
	e.sched_waking.pid = pid;
	e.sched_waking.target_cpu = target;
	return e;
}

struct event ev_migrate(int64_t ts, uint32_t cpu, int by, int pid, uint32_t from, uint32_t to)
{
	struct event e = head(EV_sched_migrate_task, ts, cpu, by);

	e.has = 1u << EVB_sched_migrate_task_pid | 1u << EVB_sched_migrate_task_orig_cpu |
	        1u << EVB_sched_migrate_task_dest_cpu;
	e.sched_migrate_task.pid = pid;
	e.sched_migrate_task.orig_cpu = from;
	e.sched_migrate_task.dest_cpu = to;
	return e;
}

struct event ev_freq(int64_t ts, uint32_t cpu, int by, uint32_t of, int64_t khz)
{
	struct event e = head(EV_cpu_frequency, ts, cpu, by);

	e.has = 1u << EVB_cpu_frequency_khz | 1u << EVB_cpu_frequency_cpu_id;
	e.cpu_frequency.khz = khz;
	e.cpu_frequency.cpu_id = of;
	return e;
}

struct event ev_pelt(int64_t ts, uint32_t cpu, int by, int pid, int64_t util, int64_t update_time)
{
	struct event e = head(EV_sched_pelt_se, ts, cpu, by);

	e.has = 1u << EVB_sched_pelt_se_cpu | 1u << EVB_sched_pelt_se_pid |
	        1u << EVB_sched_pelt_se_util;
	if (update_time)
		e.has |= 1u << EVB_sched_pelt_se_update_time;
	e.sched_pelt_se.cpu = cpu;
	e.sched_pelt_se.pid = pid;
	e.sched_pelt_se.util = util;
	e.sched_pelt_se.update_time = update_time;
	return e;
}

struct event ev_limits(int64_t ts, uint32_t cpu, int by, uint32_t of, int64_t min, int64_t max)
{
	struct event e = head(EV_cpu_frequency_limits, ts, cpu, by);

	e.has = 7;
	e.cpu_frequency_limits.min_khz = min;
	e.cpu_frequency_limits.max_khz = max;
	e.cpu_frequency_limits.cpu_id = of;
	return e;
}

struct event ev_idle(int64_t ts, uint32_t cpu, int64_t state)
{
	struct event e = head(EV_cpu_idle, ts, cpu, 0);

	e.has = 1u << EVB_cpu_idle_state | 1u << EVB_cpu_idle_cpu_id;
	e.cpu_idle.state = state;
	e.cpu_idle.cpu_id = cpu;
	return e;
}

struct event ev_lost_at(int64_t ts, uint32_t cpu, int64_t count, bool at_start)
{
	struct event e = head(EV_lost, ts, cpu, -1);

	e.flags = at_start ? EVENT_AT_START : 0;
	e.lost.count = count;
	return e;
}

static struct str text(const char *s)
{
	return (struct str){s, strlen(s)};
}

struct event ev_fork(int64_t ts, uint32_t cpu, int parent, int child, const char *comm)
{
	struct event e = head(EV_sched_process_fork, ts, cpu, parent);

	e.has = 7;
	e.sched_process_fork.parent_pid = parent;
	e.sched_process_fork.child_pid = child;
	e.sched_process_fork.child_comm = text(comm);
	return e;
}

struct event ev_print(int64_t ts, uint32_t cpu, int by, const char *s)
{
	struct event e = head(EV_print, ts, cpu, by);

	e.has = 1u << EVB_print_buf;
	e.print.buf = text(s);
	return e;
}

struct event ev_other(int64_t ts, uint32_t cpu, int by)
{
	return head(EV_other, ts, cpu, by);
}

static void render(struct feed *f)
{
	size_t n;
	FILE *out = open_memstream(&f->json, &n);
	struct json j;
	struct doc d = {0};

	json_init(&j, out);
	session_json(f->session, &j);
	fclose(out);
	out = open_memstream(&f->text, &n);
	session_doc(f->session, &d);
	text_render(&d, out, 100, false);
	fclose(out);
	doc_free(&d);
	d = (struct doc){.compact = false};
	out = open_memstream(&f->page, &n);
	session_page(f->session, &d);
	text_render(&d, out, 100, false);
	fclose(out);
	doc_free(&d);
}

void feed(struct feed *f, const struct event *ev, size_t n, uint32_t n_cpus,
          const struct session_opts *o)
{
	static const struct trace_buffer buffer = {"", "mono", 1, true};
	static struct event_type types[EVENT_KINDS];
	static struct trace_cpu cpus[64];
	struct session_opts so = o ? *o : (struct session_opts){0};

	for (unsigned i = 0; i < EVENT_KINDS; i++)
		types[i] = (struct event_type){"", event_desc[i].kind, (enum event_kind)i, i};
	for (uint32_t i = 0; i < 64; i++)
		cpus[i] = (struct trace_cpu){
		        .cpu = i, .has_data = true, .overrun = -1, .dropped = -1};
	*f = (struct feed){.info = {.path = "literal",
	                            .format = "trace.dat",
	                            .version = 7,
	                            .compression = "none",
	                            .endian = "little",
	                            .clock = "mono",
	                            .clock_is_ns = true,
	                            .cpus = cpus,
	                            .n_cpu_rows = n_cpus,
	                            .buffers = &buffer,
	                            .n_buffers = 1}};
	so.trace = &f->info;
	so.top = so.top ? so.top : 10;
	f->session = session_new(&so);
	for (size_t i = 0; i < n && session_event(f->session, &ev[i]); i++)
		;
	f->ok = session_finish(f->session, &f->quality, types, EVENT_KINDS, &f->err);
	if (f->ok)
		render(f);
}

void feed_four_frames(struct feed *f, const struct platform *platform)
{
	enum { MS = 1000000, UI = 7 };
	struct event ev[64];
	static char text[8][48];
	struct session_opts o = {.platform = platform, .refresh_hz = 60, .top = 5};
	size_t k = 0;

	ev[k++] = ev_freq(0, 0, 0, 0, 500);
	ev[k++] = ev_freq(0, 1, 0, 1, 2000);
	ev[k++] = ev_switch(1, 0, 0, TS_RUNNABLE, UI);
	for (int i = 0; i < 4; i++) {
		int64_t t = (20 + 20 * i) * MS, ms = i == 3 ? 19 : 8;

		snprintf(text[2 * i], sizeof text[0], "B|7|Choreographer#doFrame %d", i);
		snprintf(text[2 * i + 1], sizeof text[0], "B|7|DrawFrames %d", i);
		ev[k++] = ev_print(t, 0, UI, text[2 * i]);
		ev[k++] = ev_print(t + MS, 0, UI, text[2 * i + 1]);
		ev[k++] = ev_print(t + ms * MS, 0, UI, "E|7");
		ev[k++] = ev_print(t + ms * MS, 0, UI, "E|7");
	}
	ev[k++] = ev_other(200 * MS, 0, UI);
	feed(f, ev, k, 2, &o);
	if (!f->ok)
		abort();
}

void feed_free(struct feed *f)
{
	session_free(f->session);
	free(f->json);
	free(f->text);
	free(f->page);
}

/* Without blanks and line ends. */
static char *squeeze(const char *s)
{
	char *out = malloc(strlen(s) + 1), *p = out;

	for (; *s; s++)
		if (*s != ' ' && *s != '\n')
			*p++ = *s;
	*p = '\0';
	return out;
}

bool feed_has(const struct feed *f, const char *want)
{
	char *have = squeeze(f->json), *w = squeeze(want);
	bool found = strstr(have, w) != NULL;

	if (!found)
		fprintf(stderr, "# not in the JSON: %s\n# %s\n", w, have);
	free(have);
	free(w);
	return found;
}
