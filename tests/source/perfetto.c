/* The Perfetto reader on hand-made files (testdata/perfetto/craft) and recordings: times, states,
 * fields, slices. Wanted values: oracles/perfetto_craft.tsv, or worked out by hand. */
#include "test.h"

#include "source/source.h"

#define DIR "testdata/perfetto/"

static struct source *open_at(const char *name, bool early)
{
	struct source_opts o = {.early = early};
	struct err e = {0};
	char path[256];
	struct source *s;

	snprintf(path, sizeof path, DIR "%s.pftrace", name);
	s = source_open(path, &o, &e);
	if (!s)
		fail_msg("%s: %s", name, e.msg);
	return s;
}

static struct source *craft(const char *name)
{
	char path[128];

	snprintf(path, sizeof path, "craft/%s", name);
	return open_at(path, false);
}

/* The next event of that kind, or NULL. */
static const struct event *maybe_next(struct source *s, enum event_kind k)
{
	const struct event *ev;

	while ((ev = source_next(s)) && ev->kind != k)
		;
	return ev;
}

/* The same where there is one. */
static const struct event *next(struct source *s, enum event_kind k)
{
	const struct event *ev = maybe_next(s, k);

	if (!ev)
		abort();
	return ev;
}

static void note_says(struct source *s, const char *text)
{
	const struct trace_quality *q = source_quality(s);

	for (unsigned i = 0; i < q->n_notes; i++)
		if (strstr(q->notes[i], text))
			return;
	fail_msg("no note says \"%s\"", text);
}

/* ---- scheduling ---- */

static void a_switch_and_its_fields(void **state)
{
	struct source *s = craft("ok");
	const struct event *ev = next(s, EV_sched_switch);

	(void)state;
	assert_int_equal(ev->ts, 1000100000);
	assert_int_equal(ev->cpu, 0);
	assert_int_equal(ev->pid, 0);
	assert_int_equal(ev->sched_switch.prev_pid, 0);
	assert_int_equal(ev->sched_switch.next_pid, 100);
	assert_int_equal(ev->sched_switch.next_prio, 120);
	assert_memory_equal(ev->sched_switch.next_comm.p, "task_a", 6);
	assert_int_equal(ev->sched_switch.next_comm.n, 6);
	ev = next(s, EV_sched_switch);
	assert_int_equal(ev->ts, 1000101000);
	assert_int_equal(ev->sched_switch.prev_state, TS_INTERRUPTIBLE);
	assert_non_null(next(s, EV_sched_switch));
	assert_int_equal(next(s, EV_sched_switch)->sched_switch.prev_state, TS_PREEMPTED);
	assert_null(source_next(s));
	assert_string_equal(source_info(s)->kernel, "6.1.0");
	assert_string_equal(source_info(s)->machine, "aarch64");
	assert_string_equal(source_info(s)->clock, "boot");
	assert_false(source_quality(s)->partial);
	source_close(s);
}

static void a_compact_switch(void **state)
{
	struct source *s = craft("cs_ok");
	const struct event *ev = next(s, EV_sched_switch);

	(void)state;
	assert_int_equal(ev->ts, 1000100000);
	assert_int_equal(ev->pid, -1);
	assert_false(event_has(ev, sched_switch, prev_pid));
	assert_int_equal(ev->sched_switch.next_pid, 100);
	assert_memory_equal(ev->sched_switch.next_comm.p, "task_a", 6);
	ev = next(s, EV_sched_waking); /* between the switches, by time */
	assert_int_equal(ev->ts, 1000100500);
	assert_int_equal(ev->sched_waking.pid, 101);
	assert_int_equal(ev->sched_waking.target_cpu, 0);
	assert_int_equal(ev->flags, EVENT_HARDIRQ); /* flags 9 */
	assert_int_equal(next(s, EV_sched_switch)->sched_switch.prev_state, TS_INTERRUPTIBLE);
	source_close(s);
	s = craft("cs_index"); /* the third name lies beyond the table */
	for (int i = 0; i < 3; i++)
		ev = next(s, EV_sched_switch);
	assert_false(event_has(ev, sched_switch, next_comm));
	assert_int_equal(ev->sched_switch.next_pid, 101);
	source_close(s);
}

/* prev_state of the switches after the first, by kernel. -1: none is known. */
static void states_by_kernel(void **state)
{
	static const struct {
		const char *name;
		int want[3];
	} cases[] = {
	        {"st_318", {TS_PREEMPTED, TS_DEAD}},
	        {"st_44", {TS_PREEMPTED, TS_IDLE, TS_UNINTERRUPTIBLE}},
	        {"st_61", {TS_PREEMPTED, TS_IDLE, -1}},
	        {"st_none", {TS_PREEMPTED, TS_IDLE}},
	        {"st_late", {TS_PREEMPTED}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct source *s = craft(cases[i].name);

		next(s, EV_sched_switch);
		for (int k = 0; k < 3 && cases[i].want[k]; k++) {
			const struct event *ev = next(s, EV_sched_switch);
			bool has = event_has(ev, sched_switch, prev_state);

			assert_int_equal(has ? ev->sched_switch.prev_state : -1, cases[i].want[k]);
		}
		source_close(s);
	}
}

static void order_of_fields(void **state)
{
	struct source *s = craft("ev_order");
	const struct event *ev = next(s, EV_sched_switch);

	(void)state;
	assert_int_equal(ev->ts, 1000100000);
	assert_int_equal(ev->sched_switch.next_pid, 100);
	ev = next(s, EV_sched_switch);
	assert_int_equal(ev->pid, 100);
	assert_int_equal(ev->ts, 1000101000);
	source_close(s);
}

/* A fork that moved the numbers: a payload stands at field 5, where the format has none, and what
 * is called sched_switch has no next task. */
static void numbers_that_do_not_fit(void **state)
{
	static const uint8_t fork[] = {
	        0x0a, 0x1d,                                     /* packet */
	        0x0a, 0x19,                                     /* bundle */
	        0x08, 0x00,                                     /* cpu 0 */
	        0x12, 0x09, 0x08, 0x64, 0x10, 0x07, 0x2a, 0x03, /* ts 100, pid 7, field 5 */
	        0x0a, 0x01, 0x78,                               /* { 1: "x" } */
	        0x12, 0x0a, 0x08, 0x65, 0x10, 0x07, 0x22, 0x04, /* ts 101, pid 7, sched_switch */
	        0x08, 0x01, 0x10, 0x02,                         /* { 1: 1, 2: 2 } */
	        0x50, 0x02,                                     /* sequence 2 */
	};
	struct err e = {0};
	struct source *s = source_open_mem(fork, sizeof fork, "fork", &(struct source_opts){0}, &e);
	const struct event *ev;

	(void)state;
	if (!s)
		fail_msg("%s", e.msg);
	while ((ev = source_next(s)))
		assert_int_equal(ev->kind, EV_other);
	note_says(s, "do not fit the public schema");
	assert_true(source_quality(s)->partial);
	source_close(s);
}

/* ---- clocks ---- */

static void ftrace_clocks(void **state)
{
	static const int64_t global[] = {6000000000, 7000000000, 8000001000};
	struct source *s = craft("bu_clkglobal");

	(void)state;
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 4; k++) {
			const struct event *ev = next(s, EV_sched_switch);

			if (!k)
				assert_int_equal(ev->ts, global[i]);
		}
	source_close(s);
	s = craft("bu_clkmonoraw");
	assert_int_equal(next(s, EV_sched_switch)->ts, 1500000000);
	source_close(s);
}

static void before_the_recording(void **state)
{
	struct source *s = craft("before_start");

	(void)state;
	assert_int_equal(next(s, EV_sched_switch)->ts, 1000105000);
	assert_non_null(next(s, EV_sched_switch));
	assert_null(maybe_next(s, EV_sched_switch));
	assert_int_equal(source_quality(s)->early_events, 2);
	source_close(s);
	s = open_at("craft/before_start", true);
	assert_int_equal(next(s, EV_sched_switch)->ts, 1000100000);
	source_close(s);
}

/* Slices and instants: "name time+length ..." in order of their begin. */
static void slices(struct source *s, char *out, size_t room)
{
	const struct event *ev;
	int64_t open = 0;
	size_t n = 0;
	char name[64] = "";

	*out = '\0';
	while ((ev = maybe_next(s, EV_track_event)) && n + 100 < room) {
		const struct ev_track_event *t = &ev->track_event;

		assert_int_equal(ev->cpu, EVENT_NO_CPU);
		if (event_has(ev, track_event, name))
			snprintf(name, sizeof name, "%.*s", (int)t->name.n, t->name.p);
		if (t->type == TRACK_BEGIN)
			open = ev->ts;
		else if (t->type == TRACK_END)
			n += (size_t)snprintf(out + n, room - n, "%s %lld+%lld ", name,
			                      (long long)open, (long long)(ev->ts - open));
		else if (t->type == TRACK_INSTANT)
			n += (size_t)snprintf(out + n, room - n, "%lld ", (long long)ev->ts);
		else
			n += (size_t)snprintf(out + n, room - n, "%.*s=%g ", (int)t->track_name.n,
			                      t->track_name.p, t->value);
	}
}

static void times_of_packets(void **state)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
	        {"clk_none", "a 1000+2000 "},
	        {"clk_mono", "a 1000500000+100000 "},
	        {"clk_before", "a 1000500000+100000 "},
	        {"clk_unknown", "a 1000500000+200000 "},
	        {"clk_incr", "a 1000500000+50000 "},
	        {"clk_seq0", ""},
	        {"clk_suspend", "1100000000 2999000000 5000000000 5100000000 "},
	        {"clk_mixedsets", "1100000000 2999000000 5000000000 5100000000 "},
	        {"clk_latesnap", "1100000000 5100000000 "},
	        {"clk_rtback", ""},
	        {"clk_dup", "1000500000 "},
	        {"inc_never", ""},
	        {"inc_loss", "named 1000500000+100000 "},
	        {"write_ok",
	         "cpu0 util=0.25 frame 1 1000100000+16000 cpu0 util=612.5 cpu0 util=0 "},
	};
	char text[1000];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct source *s = craft(cases[i].name);

		slices(s, text, sizeof text);
		if (strcmp(text, cases[i].want))
			fail_msg("%s: \"%s\", not \"%s\"", cases[i].name, text, cases[i].want);
		source_close(s);
	}
}

static void what_is_left_out_is_told(void **state)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
	        {"clk_unknown", "1 packets are on clock 99999"},
	        {"clk_rtback", "1 packets are on clock 1 (realtime)"},
	        {"clk_dup", "1 clock readings make no sense"},
	        {"inc_never", "2 packets of sequence 5 are unusable"},
	        {"inc_loss", "2 packets of sequence 5 are unusable"},
	        {"bu_clkunknown", "1 ftrace bundles are on a clock that cannot be converted"},
	        {"bu_nocpu", "do not say of which CPU they are"},
	        {"bu_prevend", "every CPU has data from 1.000150 s on"},
	        {"cut_tail", "cut at offset 262: of the packet at 107, 152 of 172 bytes are there"},
	        {"bad_hugelen", "of 1099511627776 bytes"},
	        {"mid_ff", "offset 282: not packets for 16 bytes; goes on at offset 298"},
	        {"tail_zero", "64 bytes of trailing zeros"},
	        {"nested_z", "another compressed packet"},
	        {"st_none", "read as those of 4.14 or later"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct source *s = craft(cases[i].name);

		while (source_next(s))
			;
		note_says(s, cases[i].want);
		source_close(s);
	}
}

/* ---- other events ---- */

static const char *type_of(struct source *s, const struct event *ev)
{
	unsigned n;

	return source_types(s, &n)[ev->type].name;
}

static void generic_events(void **state)
{
	static const char *const names[] = {"gen_old", "gen_new", "gen_late"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct source *s = craft(names[i]);
		const struct event *ev = next(s, EV_other);

		assert_string_equal(type_of(s, ev), "sched_util_est");
		assert_int_equal(ev->pid, 5);
		source_close(s);
	}
}

/* Names come by file, whatever the order: 101 by the tree, 100's process by its command line. */
static void saved_names(void **state)
{
	struct source *s = craft("proc");
	const struct trace_info *i = source_info(s);
	const struct trace_name *n = trace_name_find(i->names, i->n_names, 101);
	const struct trace_name *p = trace_name_find(i->names, i->n_names, 100);

	(void)state;
	if (!n || !p)
		abort();
	assert_string_equal(n->comm, "RenderThread");
	assert_int_equal(n->tgid, 100);
	assert_string_equal(p->process, "com.example.app");
	assert_null(trace_name_find(i->names, i->n_names, 99));
	source_close(s);
}

static void samples(void **state)
{
	struct source *s = open_at("small", false);
	int64_t busy[2] = {-1, -1}, grown[2] = {0, 0};
	const struct event *ev;

	(void)state;
	while ((ev = maybe_next(s, EV_cpu_times))) {
		int64_t cpu = ev->cpu_times.cpu_id;

		assert_in_range(cpu, 0, 1);
		if (busy[cpu] < 0)
			busy[cpu] = ev->cpu_times.busy_ns;
		grown[cpu] = ev->cpu_times.busy_ns - busy[cpu];
	}
	assert_int_equal(grown[0], 1640000000); /* perfetto_truth.tsv: user + system */
	assert_int_equal(grown[1], 320000000);
	source_close(s);
}

/* One packet of each kind (testdata/perfetto/craft/events), values as written. */
static void packets_that_are_events(void **state)
{
	struct source *s = craft("events");
	const struct event *ev = next(s, EV_frame_timeline);
	const struct ev_frame_timeline *f = &ev->frame_timeline;

	(void)state;
	assert_int_equal(ev->ts, 1000101000);
	assert_int_equal(f->shape, FRAME_EXPECTED_DISPLAY);
	assert_int_equal(f->token, 40);
	assert_int_equal(f->pid, 500);
	assert_false(event_has(ev, frame_timeline, jank_type));
	next(s, EV_frame_timeline);
	assert_int_equal(f->shape, FRAME_ACTUAL_DISPLAY);
	assert_int_equal(f->on_time_finish, 1);
	next(s, EV_frame_timeline);
	assert_int_equal(f->shape, FRAME_EXPECTED_SURFACE);
	assert_int_equal(f->display_token, 40);
	next(s, EV_frame_timeline);
	assert_int_equal(f->shape, FRAME_ACTUAL_SURFACE);
	assert_int_equal(f->jank_type, 64);
	assert_int_equal(f->present_type, 2);
	assert_int_equal(f->is_buffer, 1);
	assert_memory_equal(f->layer.p, "TX - app#0", 10);
	assert_int_equal(ev->ts, 1000104000);

	next(s, EV_power_rail); /* without a stamp of its own: the packet's */
	assert_int_equal(ev->ts, 1000110000);
	assert_int_equal(ev->power_rail.energy_uws, 700);
	assert_memory_equal(ev->power_rail.name.p, "S4M_VDD_CPUCL0", 14);
	next(s, EV_battery);
	assert_int_equal(ev->battery.current_ua, -250000);
	assert_int_equal(ev->battery.voltage_uv, 3900000);
	assert_true(ev->battery.percent == 55.5);
	next(s, EV_cpu_times);
	assert_int_equal(ev->cpu_times.busy_ns, 100 + 10 + 200 + 1 + 2 + 3);
	assert_int_equal(ev->cpu_times.idle_ns, 5050);
	next(s, EV_cpufreq_sample);
	assert_int_equal(ev->cpufreq_sample.cpu_id, 0);
	assert_int_equal(ev->cpufreq_sample.khz, 1800000);
	next(s, EV_track_event);
	assert_int_equal(ev->track_event.type, TRACK_BEGIN);
	assert_int_equal(ev->track_event.tid, 601); /* of the parent */
	assert_int_equal(ev->track_event.pid, 600);
	assert_memory_equal(ev->track_event.track_name.p, "child", 5);
	next(s, EV_track_event);
	for (int i = 0; i < 3; i++) { /* 3, 4, -2 times 10, added up */
		static const double want[] = {30, 70, 50};

		next(s, EV_track_event);
		assert_true(ev->track_event.value == want[i]);
	}
	next(s, EV_frame_timeline);
	assert_int_equal(f->shape, FRAME_END_OF);
	assert_int_equal(f->cookie, 4);
	next(s, EV_power_rail);
	assert_int_equal(ev->ts, 1001000000);
	assert_int_equal(ev->power_rail.energy_uws, 777);
	assert_null(maybe_next(s, EV_power_rail));
	source_close(s);
}

/* Packets of 66000 samples of rails, and of 70000 idle states of one CPU and one each of 40000. */
static void packets_of_many_events(void **state)
{
	struct source_opts o = {0};
	struct err e = {0};
	struct source *s = source_open("tests/fuzz/corpus/perfetto/many-rails", &o, &e);
	const struct event *ev = NULL;
	unsigned n = 0;

	(void)state;
	assert_non_null(s);
	while ((ev = maybe_next(s, EV_power_rail))) {
		assert_int_equal(ev->ts, 1000000000 + n / 1320 * 1000000);
		n++;
	}
	assert_int_equal(n, 66000); /* 1320 times the 50 ms from 1 s on */
	assert_int_equal(source_quality(s)->bad_events, 0);
	source_close(s);

	s = source_open("tests/fuzz/corpus/perfetto/many-states", &o, &e);
	assert_non_null(s);
	for (n = 0; (ev = maybe_next(s, EV_cpuidle_sample)); n++) {
		bool one = n < UINT16_MAX;

		assert_int_equal(ev->cpuidle_sample.cpu_id, one ? 3 : n - UINT16_MAX);
		assert_int_equal(ev->cpuidle_sample.residency_us, one ? 7 : 9);
	}
	assert_int_equal(n, UINT16_MAX + 40000);
	assert_int_equal(source_quality(s)->bad_events, 70000 - UINT16_MAX);
	source_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_switch_and_its_fields),
	        cmocka_unit_test(a_compact_switch),
	        cmocka_unit_test(states_by_kernel),
	        cmocka_unit_test(order_of_fields),
	        cmocka_unit_test(numbers_that_do_not_fit),
	        cmocka_unit_test(ftrace_clocks),
	        cmocka_unit_test(before_the_recording),
	        cmocka_unit_test(times_of_packets),
	        cmocka_unit_test(what_is_left_out_is_told),
	        cmocka_unit_test(generic_events),
	        cmocka_unit_test(saved_names),
	        cmocka_unit_test(samples),
	        cmocka_unit_test(packets_that_are_events),
	        cmocka_unit_test(packets_of_many_events),
	};

	return run(tests);
}
