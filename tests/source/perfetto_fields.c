/* The hand-written decoder against protobuf-c on the same bytes, field by field. */
#include "test.h"

#include "base/mem.h"
#include "source/source.h"
#include "source/wire.h"

#include "ftrace.pb-c.h"

#define FILE_NAME "testdata/perfetto/small.pftrace"

enum { CPUS = 2 };

struct wanted {
	VEC(Pfb__FtraceEventBundle *) bundles;
	VEC(const Pfb__FtraceEvent *) events[CPUS];
	size_t at[CPUS];
};

static uint8_t *read_all(size_t *n)
{
	FILE *f = fopen(FILE_NAME, "rb");
	uint8_t *b;

	if (!f || fseek(f, 0, SEEK_END))
		abort();
	*n = (size_t)ftell(f);
	rewind(f);
	b = malloc(*n);
	if (!b || fread(b, 1, *n, f) != *n)
		abort();
	fclose(f);
	return b;
}

static void unpack(struct wanted *w, const uint8_t *b, size_t n)
{
	struct wire file = wire_on(b, n), packet;
	struct wire_field f, in;

	while (wire_next(&file, &f))
		for (packet = wire_on(f.p, f.n); wire_next(&packet, &in);) {
			Pfb__FtraceEventBundle *m;

			if (in.num != 1)
				continue;
			m = pfb__ftrace_event_bundle__unpack(NULL, in.n, in.p);
			assert_non_null(m);
			assert_in_range(m->cpu, 0, CPUS - 1);
			*vec_add(&w->bundles) = m;
			for (size_t i = 0; i < m->n_event; i++)
				*vec_add(&w->events[m->cpu]) = m->event[i];
		}
}

static void same_text(bool has, struct str got, const char *want)
{
	assert_int_equal(has, want != NULL);
	if (!want)
		return;
	assert_int_equal(got.n, strlen(want));
	assert_memory_equal(got.p, want, got.n);
}

#define number(ev, k, f, m, name)                                                                  \
	do {                                                                                       \
		assert_int_equal(event_has(ev, k, f), (m)->has_##name);                            \
		assert_true((ev)->k.f == (int64_t)(m)->name);                                      \
	} while (0)
#define name_of(ev, k, f, m, name) same_text(event_has(ev, k, f), (ev)->k.f, (m)->name)

#define wakeup(ev, k, m)                                                                           \
	do {                                                                                       \
		number(ev, k, pid, m, pid);                                                        \
		number(ev, k, prio, m, prio);                                                      \
		number(ev, k, target_cpu, m, target_cpu);                                          \
		name_of(ev, k, comm, m, comm);                                                     \
	} while (0)

/* Compares the event; false when it is of a kind that is not compared. */
static bool compare(const struct event *ev, const Pfb__FtraceEvent *m)
{
	if (m->sched_switch) {
		static const int64_t states[] = {0, 1, 2, 4, 8, 16, 32, 64, 128, 256};

		assert_int_equal(ev->kind, EV_sched_switch);
		number(ev, sched_switch, prev_pid, m->sched_switch, prev_pid);
		number(ev, sched_switch, prev_prio, m->sched_switch, prev_prio);
		number(ev, sched_switch, next_pid, m->sched_switch, next_pid);
		number(ev, sched_switch, next_prio, m->sched_switch, next_prio);
		name_of(ev, sched_switch, prev_comm, m->sched_switch, prev_comm);
		name_of(ev, sched_switch, next_comm, m->sched_switch, next_comm);
		for (size_t i = 0; i < sizeof states / sizeof *states; i++) /* kernel 6.18 */
			if (m->sched_switch->prev_state == states[i])
				assert_int_equal(ev->sched_switch.prev_state, states[i]);
	} else if (m->sched_waking) {
		wakeup(ev, sched_waking, m->sched_waking);
	} else if (m->sched_wakeup) {
		wakeup(ev, sched_wakeup, m->sched_wakeup);
	} else if (m->sched_wakeup_new) {
		wakeup(ev, sched_wakeup_new, m->sched_wakeup_new);
	} else if (m->sched_migrate_task) {
		number(ev, sched_migrate_task, pid, m->sched_migrate_task, pid);
		number(ev, sched_migrate_task, orig_cpu, m->sched_migrate_task, orig_cpu);
		number(ev, sched_migrate_task, dest_cpu, m->sched_migrate_task, dest_cpu);
		name_of(ev, sched_migrate_task, comm, m->sched_migrate_task, comm);
	} else if (m->cpu_idle) {
		number(ev, cpu_idle, state, m->cpu_idle, state);
		number(ev, cpu_idle, cpu_id, m->cpu_idle, cpu_id);
	} else if (m->sched_process_fork) {
		number(ev, sched_process_fork, parent_pid, m->sched_process_fork, parent_pid);
		number(ev, sched_process_fork, child_pid, m->sched_process_fork, child_pid);
		name_of(ev, sched_process_fork, child_comm, m->sched_process_fork, child_comm);
	} else if (m->sched_process_exec) {
		number(ev, sched_process_exec, pid, m->sched_process_exec, pid);
		number(ev, sched_process_exec, old_pid, m->sched_process_exec, old_pid);
		name_of(ev, sched_process_exec, filename, m->sched_process_exec, filename);
	} else if (m->sched_process_exit) {
		number(ev, sched_process_exit, pid, m->sched_process_exit, pid);
	} else if (m->sched_process_free) {
		number(ev, sched_process_free, pid, m->sched_process_free, pid);
	} else if (m->task_newtask) {
		number(ev, task_newtask, pid, m->task_newtask, pid);
		number(ev, task_newtask, clone_flags, m->task_newtask, clone_flags);
		name_of(ev, task_newtask, comm, m->task_newtask, comm);
	} else if (m->task_rename) {
		number(ev, task_rename, pid, m->task_rename, pid);
		name_of(ev, task_rename, newcomm, m->task_rename, newcomm);
	} else if (m->print) {
		size_t n = strlen(m->print->buf);

		n -= n && m->print->buf[n - 1] == '\n'; /* not part of the text */
		assert_int_equal(ev->print.buf.n, n);
		assert_memory_equal(ev->print.buf.p, m->print->buf, n);
	} else {
		return false;
	}
	return true;
}

static void same_as_protobuf_c(void **state)
{
	struct wanted w = {0};
	size_t n, compared = 0, total = 0;
	uint8_t *bytes = read_all(&n);
	struct err e;
	struct source *s = source_open(FILE_NAME, &(struct source_opts){0}, &e);
	const struct event *ev;

	(void)state;
	assert_non_null(s);
	unpack(&w, bytes, n);
	while ((ev = source_next(s))) {
		const Pfb__FtraceEvent *m;

		if (ev->cpu == EVENT_NO_CPU)
			continue;
		assert_true(w.at[ev->cpu] < w.events[ev->cpu].n);
		m = w.events[ev->cpu].at[w.at[ev->cpu]++];
		assert_true(ev->ts == (int64_t)m->timestamp);
		assert_int_equal(ev->pid, (int32_t)m->pid);
		compared += compare(ev, m);
		total++;
	}
	assert_int_equal(total, 8048); /* perfetto-peer.md */
	assert_int_equal(compared, total);
	for (int c = 0; c < CPUS; c++) {
		assert_int_equal(w.at[c], w.events[c].n);
		vec_free(&w.events[c]);
	}
	for (size_t i = 0; i < w.bundles.n; i++)
		pfb__ftrace_event_bundle__free_unpacked(w.bundles.at[i], NULL);
	vec_free(&w.bundles);
	source_close(s);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_protobuf_c)};

	return run(tests);
}
