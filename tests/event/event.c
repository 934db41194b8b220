#include "event/event.h"

#include "test.h"

static enum event_kind kind(const char *name)
{
	return event_kind_find(name, strlen(name));
}

static void find_by_name_and_alias(void **state)
{
	static const struct {
		const char *name;
		enum event_kind want;
	} cases[] = {
	        {"sched_switch", EV_sched_switch},
	        {"sched_wakeup", EV_sched_wakeup},
	        {"sched_wakeup_new", EV_sched_wakeup_new},
	        {"print", EV_print},
	        {"bprint", EV_print},
	        {"bputs", EV_print},
	        {"cpuhp_multi_enter", EV_cpuhp_enter},
	        {"clk_set_rate", EV_clock_set_rate},
	        {"fence_init", EV_dma_fence_init},
	        {"lisa__sched_pelt_se", EV_sched_pelt_se},
	        {"sched_load_avg_task", EV_sched_pelt_se},
	        {"lisa__sched_util_est_se_unified", EV_sched_util_est_se},
	        {"waltgov_next_freq", EV_sugov_next_freq},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (kind(cases[i].name) != cases[i].want)
			fail_msg("%s", cases[i].name);
}

static void find_nothing(void **state)
{
	static const char *const names[] = {"",
	                                    "other",
	                                    "lost",
	                                    "sched",
	                                    "sched_switc",
	                                    "sched_switch2",
	                                    "SCHED_WAKEUP",
	                                    "print|bprint",
	                                    "|",
	                                    "xprint",
	                                    "prev_pid",
	                                    "sched_switch "};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (kind(names[i]) != EV_other)
			fail_msg("%s", names[i]);
	assert_int_equal(event_kind_find("sched_switch", 5), EV_other);
	assert_int_equal(event_kind_find("sched_wakeup_new", 12), EV_sched_wakeup);
}

static void alias_ranks(void **state)
{
	static const struct {
		const char *names, *name;
		int want;
	} cases[] = {
	        {"a", "a", 0},          {"a|bb|ccc", "a", 0},  {"a|bb|ccc", "bb", 1},
	        {"a|bb|ccc", "ccc", 2}, {"a|bb|ccc", "b", -1}, {"a|bb|ccc", "cc", -1},
	        {"a|bb|ccc", "", -1},   {"a|bb", "a|bb", -1},  {"util|util_avg", "util_avg", 1},
	        {"", "a", -1},          {"", "", -1},          {"abc", "ab", -1},
	        {"ab", "abc", -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (event_alias(cases[i].names, cases[i].name, strlen(cases[i].name)) !=
		    cases[i].want)
			fail_msg("%s in %s", cases[i].name, cases[i].names);
	assert_int_equal(event_alias("a|bb", "bbx", 2), 1);
}

/* Call `see` for each name of a '|' list. */
static void each_name(const char *names, void (*see)(const char *, size_t, void *), void *arg)
{
	while (*names) {
		size_t len = strcspn(names, "|");

		see(names, len, arg);
		names += len;
		names += *names == '|';
	}
}

static void leads_to_kind(const char *name, size_t n, void *arg)
{
	assert_true(n > 0);
	assert_int_equal(event_kind_find(name, n), *(const unsigned *)arg);
}

/* A name that two kinds share would lead to the first of them only. */
static void every_name_leads_to_its_kind(void **state)
{
	(void)state;
	for (unsigned k = EV_lost + 1; k < EVENT_KINDS; k++) {
		const struct event_desc *d = &event_desc[k];

		assert_true(*d->names != '\0');
		assert_true(d->names[strlen(d->names) - 1] != '|');
		each_name(d->names, leads_to_kind, &k);
		assert_int_equal(event_alias(d->names, d->kind, strlen(d->kind)), 0);
	}
	assert_string_equal(event_desc[EV_other].kind, "other");
	assert_string_equal(event_desc[EV_lost].kind, "lost");
	assert_int_equal(event_desc[EV_other].n_fields, 0);
	assert_int_equal(event_desc[EV_lost].n_fields, 0);
}

struct place {
	unsigned kind, field;
};

static void is_of_one_field(const char *name, size_t n, void *arg)
{
	const struct place *p = arg;
	const struct event_desc *d = &event_desc[p->kind];
	unsigned seen = 0;

	assert_true(n > 0);
	for (unsigned f = 0; f < d->n_fields; f++)
		seen += event_alias(d->fields[f].names, name, n) >= 0;
	if (seen != 1)
		fail_msg("%s: %.*s is in %u fields", d->kind, (int)n, name, seen);
}

static void every_field_has_its_names_and_place(void **state)
{
	(void)state;
	for (unsigned k = EV_lost + 1; k < EVENT_KINDS; k++) {
		const struct event_desc *d = &event_desc[k];
		size_t end = offsetof(struct event, lost);

		assert_true(d->n_fields >= 1 && d->n_fields <= 32);
		for (unsigned f = 0; f < d->n_fields; f++) {
			bool is_number = d->fields[f].type == EVENT_FIELD_INT ||
			                 d->fields[f].type == EVENT_FIELD_REAL;

			assert_true(*d->fields[f].names != '\0');
			each_name(d->fields[f].names, is_of_one_field, &(struct place){k, f});
			assert_int_equal(d->fields[f].offset, end);
			end += is_number ? sizeof(int64_t) : sizeof(struct str);
		}
		assert_true(end <= sizeof(struct event));
	}
}

static void bits_are_the_order_of_fields(void **state)
{
	const struct event_field *f = event_desc[EV_sched_switch].fields;
	struct event ev = {0};

	(void)state;
	assert_string_equal(f[EVB_sched_switch_prev_state].name, "prev_state");
	assert_int_equal(f[EVB_sched_switch_prev_state].type, EVENT_FIELD_INT);
	assert_string_equal(f[EVB_sched_switch_next_comm].name, "next_comm");
	assert_int_equal(f[EVB_sched_switch_next_comm].type, EVENT_FIELD_STR);
	assert_int_equal(event_desc[EV_policy_frequency].fields[EVB_policy_frequency_cpus].type,
	                 EVENT_FIELD_RAW);
	assert_int_equal(f[EVB_sched_switch_next_pid].offset,
	                 offsetof(struct event, sched_switch.next_pid));
	ev.has = 1u << EVB_sched_switch_next_pid;
	assert_true(event_has(&ev, sched_switch, next_pid));
	assert_false(event_has(&ev, sched_switch, prev_pid));
}

static void absent_fields_are_empty(void **state)
{
	struct event ev = {.kind = EV_sched_waking, .has = 1u << EVB_sched_waking_prio};

	(void)state;
	ev.sched_waking = (struct ev_sched_waking){7, 120, 3, {"left over", 9}};
	event_clear_absent(&ev);
	assert_int_equal(ev.sched_waking.pid, 0);
	assert_int_equal(ev.sched_waking.prio, 120);
	assert_int_equal(ev.sched_waking.target_cpu, 0);
	assert_null(ev.sched_waking.comm.p);
	assert_int_equal(str_len(ev.sched_waking.comm), 0);
}

static void length_of_a_text(void **state)
{
	(void)state;
	assert_int_equal(str_len((struct str){"abc\0def", 7}), 3);
	assert_int_equal(str_len((struct str){"abcdef", 4}), 4);
	assert_int_equal(str_len((struct str){"", 1}), 0);
	assert_int_equal(str_len((struct str){NULL, 0}), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(find_by_name_and_alias),
	        cmocka_unit_test(find_nothing),
	        cmocka_unit_test(alias_ranks),
	        cmocka_unit_test(every_name_leads_to_its_kind),
	        cmocka_unit_test(every_field_has_its_names_and_place),
	        cmocka_unit_test(bits_are_the_order_of_fields),
	        cmocka_unit_test(absent_fields_are_empty),
	        cmocka_unit_test(length_of_a_text),
	};

	return run(tests);
}
