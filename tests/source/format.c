/* Event formats: the field table against libtraceevent's, and the loads. */
#include "test.h"

#include "source/format.h"

#include <event-parse.h>

#define COMMON                                                                                     \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"            \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char sched_switch[] =
        "name: sched_switch\nID: 316\n" COMMON
        "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
        "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
        "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
        "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
        "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
        "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
        "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\nprint fmt: \"x\", "
        "REC->prev_pid\n";
static const char migrate[] =
        "name: sched_migrate_task\nID: 318\n" COMMON
        "\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"
        "\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
        "\tfield:int prio;\toffset:16;\tsize:4;\tsigned:1;\n"
        "\tfield:int orig_cpu;\toffset:20;\tsize:4;\tsigned:1;\n"
        "\tfield:int dest_cpu;\toffset:24;\tsize:4;\tsigned:1;\n\nprint fmt: \"x\", REC->pid\n";
static const char odd[] =
        "name: odd\nID: 400\n" COMMON "\tfield:const char * p;\toffset:8;\tsize:8;\tsigned:0;\n"
        "\tfield:__data_loc cpumask_t mask;\toffset:16;\tsize:4;\tsigned:0;\n"
        "\tfield:long caller[8];\toffset:24;\tsize:64;\tsigned:1;\n"
        "\tfield:u8 flag;\toffset:88;\tsize:1;\tsigned:0;\n"
        "\tfield:enum x kind;\toffset:92;\tsize:4;\tsigned:0;\n"
        "\tfield:char buf[];\toffset:96;\tsize:0;\tsigned:0;\n\nprint fmt: \"x\", REC->flag\n";

static struct format parse(const char *text)
{
	struct format f;

	assert_true(format_head(text, strlen(text), &f));
	format_fields(text, strlen(text), &f);
	return f;
}

static unsigned long form_flags(const struct format_field *x)
{
	return x->form == FIELD_DATA_LOC ? (unsigned long)TEP_FIELD_IS_DYNAMIC : 0;
}

static void same_as_libtraceevent(void **state)
{
	static const char *const texts[] = {sched_switch, migrate, odd};
	struct tep_handle *tep = tep_alloc();

	(void)state;
	tep_set_long_size(tep, 8);
	for (size_t i = 0; i < 3; i++) {
		struct format f = parse(texts[i]);
		struct tep_event *ev;
		unsigned n = 0;

		assert_int_equal(tep_parse_event(tep, texts[i], strlen(texts[i]), "sched"), 0);
		ev = tep_find_event(tep, (int)f.id);
		assert_non_null(ev);
		assert_int_equal(strlen(ev->name), f.name_len);
		for (int common = 0; common < 2; common++)
			for (struct tep_format_field *x = common ? ev->format.common_fields
			                                         : ev->format.fields;
			     x; x = x->next, n++) {
				const struct format_field *mine = format_find(&f, x->name);

				assert_non_null(mine);
				assert_int_equal(mine->offset, x->offset);
				assert_int_equal(mine->size, x->size);
				assert_int_equal(mine->is_signed,
				                 (x->flags & TEP_FIELD_IS_SIGNED) != 0);
				assert_int_equal(form_flags(mine), x->flags & TEP_FIELD_IS_DYNAMIC);
			}
		assert_int_equal(n, f.n_fields);
	}
	tep_free(tep);
}

static void what_others_cannot_read(void **state)
{
	static const char text[] =
	        "name: x\nID: 7\nformat:\n"
	        "\tfield:__typeof__(int) a; offset:8; size:4; signed:1;\n"
	        "\tfield:const char __attribute__((user)) * p;\toffset:16;\tsize:8;\tsigned:0;\n"
	        "\tfield:unsigned int old;\toffset:24;\tsize:4;\n"
	        "\tfield:nonsense without numbers;\n"
	        "\tfield:int far;\toffset:70000;\tsize:4;\tsigned:1;\n"
	        "\tfield:int after;\toffset:28;\tsize:4;\tsigned:1;\n"
	        "print fmt: \"\\\001 no end field:int not; offset:1; size:1;";
	struct format f = parse(text);

	(void)state;
	assert_int_equal(format_find(&f, "a")->offset, 8);
	assert_int_equal(format_find(&f, "p")->size, 8);
	assert_false(format_find(&f, "old")->is_signed);
	assert_null(format_find(&f, "far"));
	assert_null(format_find(&f, "not"));
	assert_int_equal(format_find(&f, "after")->offset, 28);
}

static void heads(void **state)
{
	struct format f;

	(void)state;
	assert_false(format_head("", 0, &f));
	assert_false(format_head("name: x\n", 8, &f));
	assert_false(format_head("name: x\nID: 65536\n", 18, &f));
	assert_false(format_head("name: \nID: 5\n", 13, &f));
	assert_true(format_head("name: x\nID: 65535", 17, &f));
}

static void loads_little_endian(void **state)
{
	struct arena a = {0};
	struct format f = parse(sched_switch);
	struct load_plan p = format_bind(&f, EV_sched_switch, &a);
	uint8_t payload[64 + LOAD_SLACK] = {0};
	struct event ev = {.kind = EV_sched_switch};

	(void)state;
	memcpy(payload + 8, "prev", 5);
	payload[24] = 0xfe; /* prev_pid = -2 */
	memset(payload + 25, 0xff, 3);
	payload[32] = 0x00;
	payload[33] = 0x01;                           /* prev_state = 0x100 */
	memcpy(payload + 40, "0123456789abcdef", 16); /* no NUL */
	payload[56] = 7;
	assert_int_equal(p.min_len, 64);
	format_load(&p, payload, false, &ev);
	assert_int_equal(ev.sched_switch.prev_pid, -2);
	assert_int_equal(ev.sched_switch.prev_state, 0x100);
	assert_int_equal(ev.sched_switch.next_pid, 7);
	assert_int_equal(str_len(ev.sched_switch.prev_comm), 4);
	assert_int_equal(str_len(ev.sched_switch.next_comm), 16);
	assert_true(event_has(&ev, sched_switch, next_prio));
	format_load_short(&p, payload, 60, false, &ev); /* next_prio is cut off */
	assert_false(event_has(&ev, sched_switch, next_prio));
	assert_true(event_has(&ev, sched_switch, next_pid));
	format_load_short(&p, payload, 20, false, &ev);
	assert_int_equal(ev.has, 0);
	arena_free(&a);
}

static void loads_big_endian(void **state)
{
	struct arena a = {0};
	struct format f = parse(migrate);
	struct load_plan p = format_bind(&f, EV_sched_migrate_task, &a);
	uint8_t payload[36 + LOAD_SLACK] = {0};
	struct event ev = {.kind = EV_sched_migrate_task};

	(void)state;
	memcpy(payload + 8, "\0\5\0\x1c", 4);        /* 5 bytes at 28 */
	memcpy(payload + 12, "\0\0\1\2", 4);         /* pid 258 */
	memcpy(payload + 24, "\xff\xff\xff\xff", 4); /* dest_cpu -1 */
	memcpy(payload + 28, "name", 5);
	format_load(&p, payload, true, &ev);
	format_load_others(&p, payload, 36, true, &ev);
	assert_int_equal(ev.sched_migrate_task.pid, 258);
	assert_int_equal(ev.sched_migrate_task.dest_cpu, -1);
	assert_true(event_has(&ev, sched_migrate_task, comm));
	assert_memory_equal(ev.sched_migrate_task.comm.p, "name", 5);
	memcpy(payload + 8, "\0\x09\0\x1c", 4); /* reaches past the payload */
	format_load(&p, payload, true, &ev);
	format_load_others(&p, payload, 36, true, &ev);
	assert_false(event_has(&ev, sched_migrate_task, comm));
	arena_free(&a);
}

static void locators(void **state)
{
	static const char text[] =
	        "name: print\nID: 5\n" COMMON
	        "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	        "\tfield:__rel_loc char[] buf;\toffset:16;\tsize:4;\tsigned:0;\n";
	static const char old[] = "name: print\nID: 5\n" COMMON
	                          "\tfield:__data_loc char[] buf;\toffset:8;\tsize:2;\tsigned:0;\n";
	struct arena a = {0};
	struct format f = parse(text), g = parse(old);
	struct load_plan p = format_bind(&f, EV_print, &a), q = format_bind(&g, EV_print, &a);
	uint8_t payload[32 + LOAD_SLACK] = {[16] = 2, [18] = 3, [22] = 'a', 'b'};
	struct event ev = {.kind = EV_print};

	(void)state;
	format_load(&p, payload, false, &ev);
	format_load_others(&p, payload, 32, false, &ev); /* 3 bytes at 20 + 2 */
	assert_true(event_has(&ev, print, buf));
	assert_int_equal(str_len(ev.print.buf), 2);
	payload[8] = 22;
	payload[9] = 0;
	format_load(&q, payload, false, &ev);
	format_load_others(&q, payload, 32, false, &ev);
	assert_int_equal(ev.print.buf.n, 10);
	payload[8] = 33;
	ev.has = 0;
	format_load_others(&q, payload, 32, false, &ev);
	assert_false(event_has(&ev, print, buf));
	arena_free(&a);
}

static void common_of_12_bytes(void **state)
{
	static const char rt[] =
	        "name: x\nID: 1\nformat:\n"
	        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	        "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	        "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	        "\tfield:unsigned char "
	        "common_preempt_lazy_count;\toffset:8;\tsize:1;\tsigned:0;\n\n"
	        "\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n";
	struct format f = parse(rt);
	struct common_fields c = format_common(&f);

	(void)state;
	assert_int_equal(c.pid_off, 4);
	assert_int_equal(c.len, 8);
	assert_true(c.has_pid && c.has_flags);
	assert_int_equal(format_find(&f, "pid")->offset, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(same_as_libtraceevent),
	        cmocka_unit_test(what_others_cannot_read),
	        cmocka_unit_test(heads),
	        cmocka_unit_test(loads_little_endian),
	        cmocka_unit_test(loads_big_endian),
	        cmocka_unit_test(locators),
	        cmocka_unit_test(common_of_12_bytes),
	};

	return run(tests);
}
