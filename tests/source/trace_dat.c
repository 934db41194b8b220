/* The reader on bundled files: what it says of a trace, times, losses, fields in all byte orders.
 */
#include "test.h"

#include "source/source.h"

#define DIR "testdata/tracedat/"

static struct source *open_file(const char *name, const char *buffer)
{
	struct source_opts o = {.buffer = buffer};
	struct err e = {0};
	char path[256];
	struct source *s;

	snprintf(path, sizeof path, DIR "%s", name);
	s = source_open(path, &o, &e);
	if (!s)
		fail_msg("%s", e.msg);
	return s;
}

/* The next event of that kind, with its fields. */
static const struct event *next(struct source *s, enum event_kind k)
{
	const struct event *ev;

	while ((ev = source_next(s)) && ev->kind != k)
		;
	if (!ev)
		abort();
	return ev;
}

static void byte_orders_and_word_sizes(void **state)
{
	static const char *const names[] = {"craft_v6_be64.dat",      "craft_v7_be32.dat",
	                                    "craft_v7z_be64.dat",     "craft_v6_le32.dat",
	                                    "craft_v7_le_u32k64.dat", "craft_v7z_be32.dat"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct source *s = open_file(names[i], NULL);
		const struct event *ev = next(s, EV_sched_switch);

		assert_int_equal(ev->ts, 1000000000000);
		assert_int_equal(ev->pid, 101);
		assert_int_equal(ev->sched_switch.prev_pid, 101);
		assert_int_equal(ev->sched_switch.next_pid, 100);
		assert_int_equal(ev->sched_switch.next_prio, 120);
		assert_int_equal(ev->sched_switch.prev_state, 0);
		assert_memory_equal(ev->sched_switch.next_comm.p, "app main", 9);
		assert_int_equal(next(s, EV_cpu_frequency)->cpu_frequency.khz, 604000);
		ev = next(s, EV_sched_migrate_task);
		assert_int_equal(str_len(ev->sched_migrate_task.comm), 8);
		assert_int_equal(ev->sched_migrate_task.dest_cpu, 1);
		ev = next(s, EV_print);
		assert_int_equal(ev->print.buf.n, strlen("B|100|frame 7"));
		assert_memory_equal(ev->print.buf.p, "B|100|frame 7", ev->print.buf.n);
		assert_false(source_quality(s)->partial);
		source_close(s);
	}
}

static void lost_events(void **state)
{
	static const struct {
		const char *name;
		uint64_t known, gaps;
	} cases[] = {
	        {"craft_lost.dat", 8589934598, 3}, {"craft_lost_extend.dat", 7, 1},
	        {"craft_lost_empty.dat", 5, 1},    {"v7_overrun.dat", 10953, 4},
	        {"craft_empty_pages.dat", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct source *s = open_file(cases[i].name, NULL);
		uint64_t gaps = 0;

		for (const struct event *ev; (ev = source_next(s));)
			gaps += ev->kind == EV_lost;
		assert_int_equal(gaps, cases[i].gaps);
		assert_int_equal(source_quality(s)->lost_gaps, cases[i].gaps);
		assert_int_equal(source_quality(s)->lost_known, cases[i].known);
		source_close(s);
	}
}

static void gap_stands_at_the_last_event_before(void **state)
{
	struct source *s = open_file("craft_lost_empty.dat", NULL);
	const struct event *ev;

	(void)state;
	assert_int_equal(next(s, EV_cpu_idle)->ts, 999999999900);
	ev = next(s, EV_lost);
	assert_int_equal(ev->ts, 999999999900);
	assert_int_equal(ev->lost.count, 5);
	assert_int_equal(next(s, EV_cpu_idle)->ts, 1000000000100);
	source_close(s);
}

static void backward_steps(void **state)
{
	struct source *s = open_file("craft_back.dat", NULL);
	int64_t last = INT64_MIN;

	(void)state;
	for (const struct event *ev; (ev = source_next(s)); last = ev->ts)
		assert_true(ev->ts >= last);
	assert_true(source_quality(s)->backward_steps > 0);
	assert_false(source_quality(s)->partial);
	source_close(s);
}

static void what_is_known(void **state)
{
	struct source *s = open_file("v7_zlib.dat", NULL);
	const struct trace_info *i = source_info(s);

	(void)state;
	assert_string_equal(i->format, "trace.dat");
	assert_int_equal(i->version, 7);
	assert_string_equal(i->compression, "zlib");
	assert_string_equal(i->endian, "little");
	assert_string_equal(i->machine, "x86_64");
	assert_non_null(strstr(i->kernel, "6.18"));
	assert_string_equal(i->clock, "local");
	assert_int_equal(i->n_cpu_rows, 2);
	assert_int_equal(i->cpus[0].overrun, 0);
	source_close(s);
	s = open_file("clk_counter.dat", NULL);
	assert_false(source_info(s)->clock_is_ns);
	source_close(s);
	s = open_file("craft_sparse_cpus.dat", NULL);
	assert_int_equal(source_info(s)->n_cpu_rows, 201);
	assert_true(source_info(s)->cpus[200].has_data);
	assert_false(source_info(s)->cpus[4].has_data);
	source_close(s);
}

static void ticks_with_a_rate(void **state)
{
	struct source_opts o = {.clock_hz = 500000000}; /* 2 ns each */
	struct err e;
	struct source *raw = open_file("clk_counter.dat", NULL),
	              *s = source_open(DIR "clk_counter.dat", &o, &e);
	const struct event *a, *b;

	(void)state;
	assert_true(source_info(s)->clock_is_ns);
	while ((a = source_next(raw)) && (b = source_next(s)))
		assert_int_equal(b->ts, 2 * a->ts);
	source_close(raw);
	source_close(s);
}

static void buffers(void **state)
{
	struct source_opts o = {.buffer = "nowhere"};
	struct source *s = open_file("craft_inst_only.dat", NULL);
	struct err e;

	(void)state;
	assert_true(*source_info(s)->buffers[source_info(s)->buffer].name != '\0');
	source_close(s);
	assert_null(source_open(DIR "craft_insts.dat", &o, &e));
	assert_non_null(strstr(e.msg, "no buffer called \"nowhere\"; it has: (top), "));
}

/* A page stamp with bit 60 set is years off: that page is lost, and the times after it are not. */
static void one_bad_stamp_does_not_drag_the_rest(void **state)
{
	static const size_t page_at[] = {8192,
	                                 12288}; /* the second page of cpu0, and its last one */
	static uint8_t bytes[1 << 16];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		FILE *f = fopen(DIR "craft_v6_le32.dat", "rb");
		size_t n = fread(bytes, 1, sizeof bytes, f);
		struct source *s;
		struct err e;
		int64_t last = 0;

		fclose(f);
		bytes[page_at[i] + 7] ^= 0x10;
		s = source_open_mem(bytes, n, "flipped", &(struct source_opts){0}, &e);
		assert_non_null(s);
		for (const struct event *ev; (ev = source_next(s));)
			last = ev->ts;
		assert_true(last < 1100000000000);
		assert_true(source_quality(s)->partial);
		source_close(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(byte_orders_and_word_sizes),
	        cmocka_unit_test(lost_events),
	        cmocka_unit_test(gap_stands_at_the_last_event_before),
	        cmocka_unit_test(backward_steps),
	        cmocka_unit_test(what_is_known),
	        cmocka_unit_test(ticks_with_a_rate),
	        cmocka_unit_test(buffers),
	        cmocka_unit_test(one_bad_stamp_does_not_drag_the_rest),
	};

	return run(tests);
}
