/* Lines of ftrace text in all their forms. */
#include "test.h"

#include "source/text_line.h"

#include <string.h>

static struct text_line parsed(const char *text)
{
	struct text_line l = {.kind = TEXT_OTHER};

	text_line_parse(text, strlen(text), &l);
	if (l.kind == TEXT_EVENT)
		text_line_split(&l);
	return l;
}

static void assert_str(struct str s, const char *text)
{
	assert_int_equal(s.n, strlen(text));
	assert_memory_equal(s.p, text, s.n);
}

/* The same event with every kind of column between CPU and time. */
static void columns(void **state)
{
	static const char *const forms[] = {
	        "  kworker/0:1-17 [003] 12.000345: sched_x: a=1 b=2",
	        "kworker/0:1-17    [003] d..2 12.000345: sched_x: a=1 b=2",
	        "kworker/0:1-17    [003] d...2.. 12.000345: sched_x: a=1 b=2\r",
	        "kworker/0:1-17    (-----) [003] dNh2. 12.000345: sched_x: a=1 b=2",
	        "kworker/0:1-17    (   22) [003] ..a. 12.000345: sched_x:  a=1 b=2",
	        "     kworker/0:1-17 [003]    12.000345000: sched_x:              a=1 b=2",
	        "kworker/0:1-17 [003] ...2 12.000345: sched_x: a=1 b=2\\n\\",
	};

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct text_line l = parsed(forms[i]);

		assert_int_equal(l.kind, TEXT_EVENT);
		assert_int_equal(l.cpu, 3);
		assert_int_equal(l.pid, 17);
		assert_int_equal(l.ts, INT64_C(12000345000));
		assert_int_equal(l.tgid, i == 4 ? 22 : -1);
		assert_int_equal(l.flags & EVENT_HARDIRQ, i == 3 ? EVENT_HARDIRQ : 0);
		assert_str(l.name, "sched_x");
		assert_str(l.body, "a=1 b=2");
	}
}

/* Names with what else marks columns. */
static void names(void **state)
{
	struct text_line l = parsed("  a-1 [7] b:c-42 [001] ...1 5.5: print: x [002] 1.0: y: z");

	(void)state;
	assert_int_equal(l.kind, TEXT_EVENT);
	assert_int_equal(l.pid, 42);
	assert_int_equal(l.cpu, 1);
	assert_int_equal(l.ts, INT64_C(5500000000));
	assert_str(l.comm, "  a-1 [7] b:c");
	assert_str(l.body, "x [002] 1.0: y: z");
	l = parsed("          <idle>-0     [000] d..4  1212.465074: cpu_idle: state=1 cpu_id=0");
	assert_int_equal(l.pid, 0);
	l = parsed("x-1 [000] .... 123456: tick: a=1"); /* a clock that counts */
	assert_int_equal(l.decimals, 0);
	assert_int_equal(l.ts, 123456);
	l = parsed("x-1 [000] 1.5: (+18) cpu_idle: state=1"); /* --ts-diff */
	assert_str(l.name, "cpu_idle");
	assert_str(l.body, "state=1");
	l = parsed("x-1 [000] .... 1.5: vfs_read <-ksys_read"); /* the function tracer */
	assert_int_equal(l.kind, TEXT_EVENT);
	assert_int_equal(l.name.n, 0);
}

static void other_lines(void **state)
{
	struct text_line l;

	(void)state;
	assert_int_equal(parsed("").kind, TEXT_COMMENT);
	assert_int_equal(parsed("   ").kind, TEXT_COMMENT);
	assert_int_equal(parsed("# tracer: nop").kind, TEXT_COMMENT);
	l = parsed("##### CPU 2 buffer started ####");
	assert_int_equal(l.kind, TEXT_STARTED);
	assert_int_equal(l.cpu, 2);
	l = parsed("# entries-in-buffer/entries-written: 116/200   #P:1");
	assert_int_equal(l.kind, TEXT_ENTRIES);
	assert_int_equal(l.lost, 84);
	l = parsed("CPU:3 [LOST 12 EVENTS]");
	assert_int_equal(l.kind, TEXT_LOST);
	assert_int_equal(l.cpu, 3);
	assert_int_equal(l.lost, 12);
	l = parsed("CPU:1 [EVENTS DROPPED]");
	assert_int_equal(l.kind, TEXT_LOST);
	assert_int_equal(l.lost, -1);
	l = parsed("cpus=6");
	assert_int_equal(l.kind, TEXT_CPUS);
	assert_int_equal(l.cpu, 6);
}

/* What looks nearly like an event. */
static void nearly(void **state)
{
	static const char *const texts[] = {
	        "x-1 [000] 1.5",
	        "x-1 [000]",
	        "x [000] 1.5: e: f",
	        "x-1 [0x0] 1.5: e: f",
	        "-1 [000 1.5: e: f",
	        "x-1 [99999] 1.5: e: f",
	        "x-1 [000] 1.: e: f",
	        "[000] 1.5: e: f",
	        "x-99999999999 [000] 1.5: e: f",
	        "x-1 [000] a b 1.5: e",
	        "x-1 [000] 9999999999999999999.5: e: f",
	        "x-1 [000] 1.0123456789: e: f",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (parsed(texts[i]).kind != TEXT_OTHER)
			fail_msg("taken for an event: %s", texts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(columns),
	        cmocka_unit_test(names),
	        cmocka_unit_test(other_lines),
	        cmocka_unit_test(nearly),
	};

	return run(tests);
}
