/* Traces as text: fields, order, what is around them. */
#include "test.h"

#include "source/source.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define HEAD "# tracer: nop\n#\n# entries-in-buffer/entries-written: 3/3   #P:2\n#\n"

static struct source *opened(const char *text)
{
	struct err e = {0};
	struct source *s = source_open_mem(text, strlen(text), "t", &(struct source_opts){0}, &e);

	if (!s)
		fail_msg("%s", e.msg);
	return s;
}

static void assert_str(struct str s, const char *text)
{
	assert_int_equal(s.n, strlen(text));
	assert_memory_equal(s.p, text, s.n);
}

/* Both layouts of a switch say the same. */
static void switches(void **state)
{
	static const char *const bodies[] = {
	        "prev_comm=a b prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=c=d next_pid=9 "
	        "next_prio=98",
	        "a b:7 [120] S ==> c=d:9 [98]",
	        "prev_comm=a b prev_pid=7 prev_prio=120 prev_state=1 next_comm=c=d next_pid=9 "
	        "next_prio=98",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		char text[400];
		struct source *s;
		const struct event *ev;

		snprintf(text, sizeof text, HEAD "a b-7 [001] d..3 1.000002: sched_switch: %s\n",
		         bodies[i]);
		s = opened(text);
		ev = source_next(s);
		assert_non_null(ev);
		assert_int_equal(ev->kind, EV_sched_switch);
		assert_int_equal(ev->cpu, 1);
		assert_int_equal(ev->pid, 7);
		assert_int_equal(ev->ts, 1000002000);
		assert_int_equal(ev->sched_switch.prev_pid, 7);
		assert_int_equal(ev->sched_switch.prev_prio, 120);
		assert_int_equal(ev->sched_switch.prev_state, TS_INTERRUPTIBLE);
		assert_int_equal(ev->sched_switch.next_pid, 9);
		assert_int_equal(ev->sched_switch.next_prio, 98);
		assert_str(ev->sched_switch.prev_comm, "a b");
		assert_str(ev->sched_switch.next_comm, "c=d");
		assert_null(source_next(s));
		source_close(s);
	}
}

static int64_t state_of(const char *text)
{
	char all[300];
	struct source *s;
	int64_t v;

	snprintf(all, sizeof all,
	         HEAD "a-7 [001] 1.0: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 "
	              "prev_state=%s ==> next_comm=b next_pid=8 next_prio=120\n",
	         text);
	s = opened(all);
	v = source_next(s)->sched_switch.prev_state;
	source_close(s);
	return v;
}

static void states(void **state)
{
	(void)state;
	assert_int_equal(state_of("R"), TS_RUNNABLE);
	assert_int_equal(state_of("R+"), TS_PREEMPTED);
	assert_int_equal(state_of("D"), TS_UNINTERRUPTIBLE);
	assert_int_equal(state_of("D|K"), TS_UNINTERRUPTIBLE);
	assert_int_equal(state_of("I"), TS_IDLE);
	assert_int_equal(state_of("W"), TS_IDLE); /* of trace-cmd report */
	assert_int_equal(state_of("X"), TS_DEAD);
	assert_int_equal(state_of("256"), TS_PREEMPTED);
	assert_int_equal(state_of("4096"), TS_PREEMPTED); /* kernels before 4.14 */
	assert_int_equal(state_of("2"), TS_UNINTERRUPTIBLE);
}

static void other_events(void **state)
{
	struct source *s = opened(
	        HEAD
	        "a-7 [000] 1.000001: sched_wakeup: b:8 [98] success=1 CPU:001\n"
	        "a-7 [000] 1.000002: sched_waking: comm=b pid=8 prio=98 target_cpu=001\n"
	        "a-7 [000] 1.000003: sched_process_fork: comm=a pid=7 child_comm=c child_pid=9\n"
	        "a-7 [000] 1.000004: cpu_frequency_limits: min=500 max=1000 cpu_id=1\n"
	        "a-7 [000] 1.000005: cpu_idle: state=4294967295 cpu_id=1\n"
	        "a-7 [000] 1.000006: tracing_mark_write: B|7|do: it\n"
	        "a-7 [000] 1.000007: print: tracing_mark_write: E|7\n"
	        "a-7 [000] 1.000008: workqueue_execute_start: work struct=0xff function=f\n"
	        "a-7 [000] 1.000009: task_newtask: pid=10 comm=d clone_flags=3d0f00 x=1\n");
	const struct event *ev = source_next(s);

	(void)state;
	assert_int_equal(ev->sched_wakeup.pid, 8);
	assert_int_equal(ev->sched_wakeup.prio, 98);
	assert_int_equal(ev->sched_wakeup.target_cpu, 1);
	assert_str(ev->sched_wakeup.comm, "b");
	ev = source_next(s);
	assert_int_equal(ev->sched_waking.target_cpu, 1);
	ev = source_next(s);
	assert_int_equal(ev->sched_process_fork.parent_pid, 7);
	assert_int_equal(ev->sched_process_fork.child_pid, 9);
	ev = source_next(s);
	assert_int_equal(ev->cpu_frequency_limits.max_khz, 1000);
	ev = source_next(s);
	assert_int_equal(ev->cpu_idle.state, 4294967295);
	ev = source_next(s);
	assert_int_equal(ev->kind, EV_print);
	assert_str(ev->print.buf, "B|7|do: it");
	ev = source_next(s);
	assert_int_equal(ev->kind, EV_print);
	assert_str(ev->print.buf, "E|7");
	ev = source_next(s);
	assert_int_equal(ev->kind, EV_other);
	ev = source_next(s);
	assert_int_equal(ev->task_newtask.clone_flags, 0x3d0f00);
	assert_str(ev->task_newtask.comm, "d");
	assert_true(source_info(s)->has_waking);
	source_close(s);
}

/* Lines out of order are put in order, those of one time stay as they are. */
/* Hotplug has blanks behind its keys, suspend a form of its own. */
static void forms_of_power(void **state)
{
	struct source *s = opened(
	        HEAD
	        "a-7 [001] .... 1.000001: cpuhp_enter: cpu: 0003 target: 229 step:  77 (f)\n"
	        "a-7 [001] .... 1.000002: cpuhp_exit:  cpu: 0003  state:   0 step:  77 ret: -5\n"
	        "a-7 [001] .... 1.000003: suspend_resume: timekeeping_freeze[2] begin\n"
	        "a-7 [001] .... 1.000004: suspend_resume: timekeeping_freeze[2] end\n"
	        "a-7 [001] .... 1.000005: suspend_resume_minimal: end\n");
	const struct event *ev = source_next(s);

	(void)state;
	assert_int_equal(ev->kind, EV_cpuhp_enter);
	assert_int_equal(ev->cpuhp_enter.cpu, 3);
	assert_int_equal(ev->cpuhp_enter.target, 229);
	assert_int_equal(ev->cpuhp_enter.idx, 77);
	ev = source_next(s);
	assert_int_equal(ev->kind, EV_cpuhp_exit);
	assert_int_equal(ev->cpuhp_exit.cpu, 3);
	assert_true(event_has(ev, cpuhp_exit, state));
	assert_int_equal(ev->cpuhp_exit.state, 0);
	assert_int_equal(ev->cpuhp_exit.ret, -5);
	ev = source_next(s);
	assert_int_equal(ev->kind, EV_suspend_resume);
	assert_str(ev->suspend_resume.action, "timekeeping_freeze");
	assert_int_equal(ev->suspend_resume.val, 2);
	assert_int_equal(ev->suspend_resume.start, 1);
	ev = source_next(s);
	assert_true(event_has(ev, suspend_resume, start));
	assert_int_equal(ev->suspend_resume.start, 0);
	ev = source_next(s);
	assert_int_equal(ev->kind, EV_suspend_resume);
	assert_true(event_has(ev, suspend_resume, start));
	assert_false(event_has(ev, suspend_resume, action));
	source_close(s);
}

static void unsorted(void **state)
{
	struct source *s = opened(HEAD "a-7 [000] 1.000003: x: n=1\n"
	                               "a-7 [000] 1.000001: y: n=2\n"
	                               "a-7 [001] 1.000003: z: n=3\n");
	const struct event_type *types;
	const struct event *ev;
	unsigned n;
	char order[4] = "";

	(void)state;
	for (int i = 0; i < 3; i++) {
		ev = source_next(s);
		assert_non_null(ev);
		types = source_types(s, &n);
		order[i] = types[ev->type].name[0];
	}
	assert_string_equal(order, "yxz");
	assert_int_equal(source_quality(s)->backward_steps, 1);
	assert_int_equal(source_quality(s)->backward_max_ns, 2000);
	source_close(s);
}

static void what_is_known(void **state)
{
	struct source *s = opened("# tracer: nop\n"
	                          "# entries-in-buffer/entries-written: 3/10   #P:4\n"
	                          "##### CPU 1 buffer started ####\n"
	                          "  aa-7  (   5) [001] 1.000003: x: n=1\n"
	                          "CPU:1 [LOST 4 EVENTS]\n"
	                          "<...>-8  (-----) [001] 1.000004: x: n=1\n"
	                          "what is this?\n"
	                          "  bb-8  (    5) [001] 1.000005: x: n=1\n");
	const struct trace_info *i = source_info(s);
	const struct event *ev;

	(void)state;
	assert_int_equal(i->n_cpu_rows, 2);
	assert_true(i->cpus[1].late);
	assert_false(i->cpus[0].has_data);
	assert_int_equal(i->n_names, 2);
	assert_string_equal(i->names[0].comm, "aa");
	assert_int_equal(i->names[0].tgid, 5);
	source_next(s);
	ev = source_next(s);
	assert_int_equal(ev->kind, EV_lost);
	assert_int_equal(ev->cpu, 1);
	assert_int_equal(ev->lost.count, 4);
	while (source_next(s))
		;
	assert_int_equal(source_quality(s)->lost_known, 4);
	assert_int_equal(source_quality(s)->n_notes, 3);
	assert_string_equal(source_quality(s)->notes[1],
	                    "7 events were overwritten before they were read");
	assert_string_equal(source_quality(s)->notes[2],
	                    "1 lines are no events (the first: line 7)");
	source_close(s);
}

/* A page of systrace, with lines of other things before and behind. */
static void page(void **state)
{
	struct source *s = opened("<!DOCTYPE html>\n<html><script>var a = [0];</script>\n"
	                          "<script class=\"trace-data\" type=\"application/text\">\n"
	                          "a-7 [000] 1.000001: x: n=1\n"
	                          "a-7 [000] 1.000002: x: n=1\n</script></html>\n");

	(void)state;
	assert_string_equal(source_info(s)->format, "systrace");
	assert_non_null(source_next(s));
	assert_non_null(source_next(s));
	assert_null(source_next(s));
	source_close(s);
}

/* atrace -z: a line, then the text deflated; and cut. */
static void deflated(void **state)
{
	enum { LINES = 5000, ROOM = LINES * 64 };
	char *text = malloc(ROOM);
	unsigned char *buf = malloc(ROOM + 7);
	uLongf n = ROOM;
	struct err e = {0};
	struct source *s;
	size_t len = 0;
	int events = 0;

	(void)state;
	for (int i = 0; i < LINES; i++)
		len += (size_t)snprintf(text + len, ROOM - len, "a-7 [000] 1.%06d: x: n=%d\n", i,
		                        i * 7919 % 10007);
	memcpy(buf, "TRACE:\n", 7);
	assert_int_equal(compress(buf + 7, &n, (const Bytef *)text, len), Z_OK);
	s = source_open_mem(buf, n + 7, "t", &(struct source_opts){0}, &e);
	assert_non_null(s);
	assert_string_equal(source_info(s)->compression, "zlib");
	assert_false(source_quality(s)->partial);
	while (source_next(s))
		events++;
	assert_int_equal(events, LINES);
	source_close(s);
	s = source_open_mem(buf, n / 2, "t", &(struct source_opts){0}, &e);
	assert_non_null(s);
	assert_true(source_quality(s)->partial);
	assert_non_null(source_next(s));
	source_close(s);
	free(text);
	free(buf);
}

/* A line that is no line of a trace does not fill the memory; the ones behind it are read. */
static void long_lines(void **state)
{
	size_t n = 3 << 20;
	char *text = malloc(n);
	struct source *s;
	struct err e = {0};
	int events = 0;

	(void)state;
	memset(text, 'x', n);
	memcpy(text, HEAD "a-7 [000] 1.000001: x: n=1\n", sizeof HEAD + 26);
	memcpy(text + n - 28, "\na-7 [000] 1.000002: x: n=1\n", 28);
	s = source_open_mem(text, n, "t", &(struct source_opts){0}, &e);
	assert_non_null(s);
	while (source_next(s))
		events++;
	assert_int_equal(events, 2);
	source_close(s);
	free(text);
}

/* A cut in the last line is said; a text without any event is none. */
static void cut(void **state)
{
	struct source *s = opened(HEAD "a-7 [000] 1.000001: x: n=1\na-7 [000] 1.0");
	struct err e = {0};

	(void)state;
	assert_true(source_quality(s)->partial);
	source_close(s);
	assert_null(source_open_mem(HEAD, strlen(HEAD), "t", &(struct source_opts){0}, &e));
	assert_non_null(strstr(e.msg, "without a line that is an event"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(switches),     cmocka_unit_test(states),
	        cmocka_unit_test(other_events), cmocka_unit_test(forms_of_power),
	        cmocka_unit_test(unsorted),     cmocka_unit_test(what_is_known),
	        cmocka_unit_test(page),         cmocka_unit_test(deflated),
	        cmocka_unit_test(long_lines),   cmocka_unit_test(cut),
	};

	return run(tests);
}
