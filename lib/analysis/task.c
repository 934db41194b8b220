/* Tasks: where their time went, on which CPUs, how often they were switched in, preempted, woken.
 */
#include "analysis/analysis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct share {
	uint32_t cpu;
	int64_t ns;
};

struct account {
	int64_t ns[TASK_STATES];
	int64_t io_ns; /* part of the blocked time */
	VEC(struct share) cpus;
	size_t last; /* the share used last */
	uint64_t switch_in, preempted, wakeups;
};

struct tasks {
	struct context *ctx;
	VEC(struct account) tasks; /* by task id */
};

static struct account *account_of(struct tasks *s, const struct task *t)
{
	if (__builtin_expect(t->id >= s->tasks.n, 0))
		vec_fit(&s->tasks, (size_t)t->id + 1);
	return &s->tasks.at[t->id];
}

static void run_on(struct account *a, uint32_t cpu, int64_t ns)
{
	if (a->last >= a->cpus.n || a->cpus.at[a->last].cpu != cpu) {
		for (a->last = 0; a->last < a->cpus.n; a->last++)
			if (a->cpus.at[a->last].cpu == cpu)
				break;
		if (a->last == a->cpus.n)
			vec_add(&a->cpus)->cpu = cpu;
	}
	a->cpus.at[a->last].ns += ns;
}

void task_hears_task_seg(void *self, const struct task_seg *f)
{
	struct account *a = account_of(self, f->task);

	a->ns[f->state] += f->t1 - f->t0;
	if (f->state == TASK_RUNNING) {
		run_on(a, f->cpu, f->t1 - f->t0);
		a->preempted += f->next == TASK_RUNNABLE;
	}
}

void task_hears_switch_in(void *self, const struct switch_in *f)
{
	account_of(self, f->task)->switch_in++;
}

void task_hears_woke(void *self, const struct woke *f)
{
	account_of(self, f->task)->wakeups++;
}

void task_hears_io_wait(void *self, const struct io_wait *f)
{
	account_of(self, f->task)->io_ns += f->ns;
}

static void begin(void *self)
{
	struct tasks *s = self;

	for (size_t i = 0; i < s->tasks.n; i++) {
		vec_free(&s->tasks.at[i].cpus);
		s->tasks.at[i] = (struct account){0};
	}
}

static int64_t blocked_ns(const struct account *a)
{
	return a->ns[TASK_SLEEPING] + a->ns[TASK_DISK] + a->ns[TASK_STOPPED] + a->ns[TASK_IDLING];
}

static const char *class_of(int32_t prio)
{
	return prio == INT32_MIN ? NULL : prio < 0 ? "deadline" : prio < 100 ? "rt" : "fair";
}

/* ---- order: by run time, then pid ---- */

struct row {
	const struct task *task;
	int64_t run_ns;
};

static int by_run(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->run_ns != y->run_ns)
		return x->run_ns < y->run_ns ? 1 : -1;
	if (x->task->pid != y->task->pid)
		return x->task->pid < y->task->pid ? -1 : 1;
	return x->task->id < y->task->id ? -1 : 1;
}

/* Whether the task lived in the window. */
static bool in_window(const struct context *c, const struct task *t)
{
	return (t->died == NO_TIME || t->died >= c->from) &&
	       (t->born == NO_TIME || t->born <= c->to);
}

/* Its time in the window: from its birth or the begin to its death or the end. */
static int64_t lifetime_ns(const struct context *c, const struct task *t)
{
	int64_t from = t->born > c->from ? t->born : c->from; /* NO_TIME is before everything */
	int64_t to = t->died != NO_TIME && t->died < c->to ? t->died : c->to;

	return to - from;
}

static struct row *sorted(struct tasks *s, size_t *n)
{
	uint32_t all = replay_n_tasks(s->ctx->replay);
	struct row *rows = mem_calloc(all, sizeof *rows);

	*n = 0;
	for (uint32_t i = 0; i < all; i++) {
		const struct task *t = replay_task(s->ctx->replay, i);

		if (in_window(s->ctx, t) && context_has_task(s->ctx, t))
			rows[(*n)++] = (struct row){t, account_of(s, t)->ns[TASK_RUNNING]};
	}
	qsort(rows, *n, sizeof *rows, by_run);
	return rows;
}

/* ---- JSON ---- */

static void json_blocked(const struct account *a, struct json *j)
{
	json_object_line(j, "blocked");
	json_int(j, "interruptible_ns", a->ns[TASK_SLEEPING]);
	json_int(j, "uninterruptible_ns", a->ns[TASK_DISK]);
	json_int(j, "io_ns", a->io_ns);
	json_int(j, "stopped_ns", a->ns[TASK_STOPPED]);
	json_int(j, "idle_ns", a->ns[TASK_IDLING]);
	json_end(j);
}

static void json_identity(const struct task *t, struct json *j)
{
	json_int(j, "pid", t->pid);
	if (t->tgid != NO_PID)
		json_int(j, "tgid", t->tgid);
	else
		json_missing(j, "tgid", "no event tells");
	if (t->comm[0])
		json_text(j, "comm", t->comm);
	else
		json_missing(j, "comm", "no event or saved table names it");
	if (t->process)
		json_text(j, "process", t->process);
	else
		json_missing(j, "process", "no process tree in the trace tells");
	json_int(j, "incarnation", t->incarnation);
	json_text(j, "class", class_of(t->prio));
	if (t->prio == INT32_MIN)
		json_missing(j, "prio", "no event tells");
	else
		json_int(j, "prio", t->prio);
}

static void json_task(void *self, const struct task *t, struct json *j)
{
	const struct account *a = account_of(self, t);
	static const char none[] = "no sched_switch event in what was read";

	json_identity(t, j);
	if (!((struct tasks *)self)->ctx->has_switch) {
		static const char *const keys[] = {"run_ns",     "runnable_ns", "blocked_ns",
		                                   "unknown_ns", "switch_in",   "preempted"};

		for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
			json_missing(j, keys[i], none);
		json_int(j, "wakeups", (int64_t)a->wakeups);
		return;
	}
	json_int(j, "lifetime_ns", lifetime_ns(((struct tasks *)self)->ctx, t));
	json_int(j, "run_ns", a->ns[TASK_RUNNING]);
	json_int(j, "runnable_ns", a->ns[TASK_RUNNABLE]);
	json_int(j, "blocked_ns", blocked_ns(a));
	json_int(j, "unknown_ns", a->ns[TASK_UNKNOWN]);
	json_blocked(a, j);
	json_int(j, "switch_in", (int64_t)a->switch_in);
	json_int(j, "preempted", (int64_t)a->preempted);
	json_int(j, "wakeups", (int64_t)a->wakeups);
	json_object_line(j, "cpu_ns");
	for (uint32_t cpu = 0; cpu < replay_n_cpus(((struct tasks *)self)->ctx->replay); cpu++)
		for (size_t i = 0; i < a->cpus.n; i++)
			if (a->cpus.at[i].cpu == cpu) {
				char key[16];

				snprintf(key, sizeof key, "%u", cpu);
				json_int(j, key, a->cpus.at[i].ns);
			}
	json_end(j);
}

static void json(void *self, struct json *j)
{
	struct tasks *s = self;
	size_t n;
	struct row *rows = sorted(s, &n);

	json_array(j, "tasks");
	for (size_t i = 0; i < n; i++) {
		json_object(j, NULL);
		session_json_task(s->ctx, rows[i].task, j);
		json_end(j);
	}
	json_end(j);
	free(rows);
}

/* ---- report ---- */

/* "0 62%, 3 38%": the CPUs with the largest shares of its run time. */
static void cpu_shares(const struct account *a, char *out, size_t room)
{
	bool used[64] = {false};
	size_t n = 0;

	out[0] = '\0';
	for (int k = 0; k < 3; k++) {
		const struct share *top = NULL;
		size_t at = 0;

		for (size_t i = 0; i < a->cpus.n && i < 64; i++)
			if (!used[i] && a->cpus.at[i].ns && (!top || a->cpus.at[i].ns > top->ns)) {
				top = &a->cpus.at[i];
				at = i;
			}
		if (!top || n + 24 > room)
			break;
		used[at] = true;
		n += (size_t)snprintf(out + n, room - n, "%s%u:%.0f", k ? " " : "", top->cpu,
		                      100.0 * (double)top->ns / (double)a->ns[TASK_RUNNING]);
	}
}

static void show_row(struct tasks *s, struct doc *d, const struct task *t)
{
	const struct account *a = account_of(s, t);
	char text[80];

	doc_text(d, task_label(t, text));
	if (t->prio == INT32_MIN)
		doc_missing(d);
	else
		doc_int(d, t->prio);
	doc_ms(d, a->ns[TASK_RUNNING], 2);
	doc_pct(d, a->ns[TASK_RUNNING], window_ns(s->ctx), 2);
	doc_ms(d, a->ns[TASK_RUNNABLE], 2);
	doc_ms(d, blocked_ns(a), 0);
	doc_ms(d, a->ns[TASK_UNKNOWN], 1);
	doc_int(d, (int64_t)a->switch_in);
	doc_int(d, (int64_t)a->preempted);
	doc_int(d, (int64_t)a->wakeups);
	cpu_shares(a, text, sizeof text);
	doc_text(d, *text ? text : "-");
}

static void show_some(struct tasks *s, struct doc *d, size_t most)
{
	static const struct column columns[] = {
	        {"task", NULL, true},     {"prio", NULL, false},      {"run", "ms", false},
	        {"%", NULL, false},       {"wait", "ms", false},      {"blocked", "ms", false},
	        {"unknown", "ms", false}, {"in", NULL, false},        {"preempt", NULL, false},
	        {"woken", NULL, false},   {"top cpus:%", NULL, true},
	};
	size_t n, shown;
	struct row *rows;

	if (context_no_sched(s->ctx)) {
		doc_section(d, "TASKS", "%s: run times are not known", context_no_sched(s->ctx));
		return;
	}
	rows = sorted(s, &n);
	shown = n < most ? n : most;
	doc_section(d, "TASKS",
	            "%zu of %zu, by run time; %% of the window; unknown: before its first event, "
	            "after gaps, and blocked or waiting where no wake-up tells which; wait: "
	            "runnable, not running; in: "
	            "switched in; preempt: lost the CPU while runnable",
	            shown, n);
	doc_table(d, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < shown; i++)
		show_row(s, d, rows[i].task);
	free(rows);
}

static void show(void *self, struct doc *d)
{
	struct tasks *s = self;

	show_some(s, d, s->ctx->opts.top);
}

/* Where frames are, they matter more. */
static void page(void *self, struct doc *d)
{
	struct tasks *s = self;

	if (!s->ctx->has_frames)
		show_some(s, d, page_rows(s->ctx));
}

static void free_tasks(void *self)
{
	struct tasks *s = self;

	for (size_t i = 0; i < s->tasks.n; i++)
		vec_free(&s->tasks.at[i].cpus);
	vec_free(&s->tasks);
}

const struct analysis analysis_task = {
        .name = "task",
        .question = "where did each task's time go: running, waiting, blocked; on which CPUs",
        .size = sizeof(struct tasks),
        .begin = begin,
        .json = json,
        .json_task = json_task,
        .show = show,
        .page = page,
        .free = free_tasks,
};
