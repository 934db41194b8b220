/* Migrations: how many, of which kind, to larger or smaller CPUs; per task and in all. */
#include "analysis/analysis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct moves {
	uint64_t explicit,
	        implicit; /* announced by sched_migrate_task; seen when it ran elsewhere */
	uint64_t kind[MIGRATE_KINDS];
	uint64_t up, down; /* in capacity, when it is known */
};

struct migration {
	struct context *ctx;
	struct moves all;
	VEC(struct moves) tasks; /* by task id */
};

static const char *const kind_names[MIGRATE_KINDS] = {
        [MIGRATE_WAKEUP] = "wakeup", [MIGRATE_QUEUED] = "queued",   [MIGRATE_RUNNING] = "running",
        [MIGRATE_FORK] = "fork",     [MIGRATE_UNKNOWN] = "unknown",
};

static void add(struct moves *m, const struct migrated *f, int32_t from, int32_t to)
{
	m->explicit += f->announced;
	m->implicit += !f->announced;
	m->kind[f->kind]++;
	m->up += from && to > from;
	m->down += to && to < from;
}

void migration_hears_migrated(void *self, const struct migrated *f)
{
	struct migration *s = self;
	int32_t from = context_capacity(s->ctx, f->from), to = context_capacity(s->ctx, f->to);

	vec_fit(&s->tasks, (size_t)f->task->id + 1);
	add(&s->tasks.at[f->task->id], f, from, to);
	if (context_has_task(s->ctx, f->task))
		add(&s->all, f, from, to);
}

static void begin(void *self)
{
	struct migration *s = self;

	s->all = (struct moves){0};
	vec_zero(&s->tasks);
}

static const char no_capacity[] = "capacities are not known; give --platform";

/* Without both, a task is only seen where it wrote something. */
static const char *not_known(const struct migration *s)
{
	return context_no_sched(s->ctx) && !s->all.explicit
	               ? "no sched_switch or sched_migrate_task event in what was read"
	               : NULL;
}

static void json_moves(const struct migration *s, const struct moves *m, struct json *j)
{
	if (not_known(s)) {
		json_missing(j, "migrations", not_known(s));
		return;
	}
	json_object_line(j, "migrations");
	json_int(j, "explicit", (int64_t)m->explicit);
	json_int(j, "implicit", (int64_t)m->implicit);
	for (int k = 0; k < MIGRATE_KINDS; k++)
		json_int(j, kind_names[k], (int64_t)m->kind[k]);
	if (context_has_capacities(s->ctx)) {
		json_int(j, "up", (int64_t)m->up);
		json_int(j, "down", (int64_t)m->down);
	} else {
		json_missing(j, "up", no_capacity);
		json_missing(j, "down", no_capacity);
	}
	json_end(j);
}

static void json(void *self, struct json *j)
{
	struct migration *s = self;

	json_moves(s, &s->all, j);
}

static void json_task(void *self, const struct task *t, struct json *j)
{
	struct migration *s = self;

	vec_fit(&s->tasks, (size_t)t->id + 1);
	json_moves(s, &s->tasks.at[t->id], j);
}

static void measure(void *self, struct metric_rows *m)
{
	struct migration *s = self;
	double seconds = (double)window_ns(s->ctx) / 1e9;

	if (seconds <= 0 || context_no_sched(s->ctx)) {
		metric_add_missing(m, METRIC_ID_migrations_per_s, "all",
		                   seconds <= 0 ? "empty window" : context_no_sched(s->ctx));
		return;
	}
	metric_add(m, METRIC_ID_migrations_per_s, "all",
	           (double)(s->all.explicit + s->all.implicit) / seconds);
	if (context_has_capacities(s->ctx)) {
		metric_add(m, METRIC_ID_migrations_up_per_s, "all", (double)s->all.up / seconds);
		metric_add(m, METRIC_ID_migrations_down_per_s, "all",
		           (double)s->all.down / seconds);
	} else {
		metric_add_missing(m, METRIC_ID_migrations_up_per_s, "all", no_capacity);
		metric_add_missing(m, METRIC_ID_migrations_down_per_s, "all", no_capacity);
	}
}

struct row {
	const struct task *task;
	const struct moves *moves;
};

static uint64_t sum(const struct moves *m)
{
	return m->explicit + m->implicit;
}

static int by_moves(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (sum(x->moves) != sum(y->moves))
		return sum(x->moves) < sum(y->moves) ? 1 : -1;
	return x->task->id < y->task->id ? -1 : x->task->id > y->task->id;
}

static void show_moves(struct migration *s, struct doc *d, const char *name, const struct moves *m)
{
	doc_text(d, name);
	doc_int(d, (int64_t)sum(m));
	if (window_ns(s->ctx) > 0)
		doc_real(d, (double)sum(m) * 1e9 / (double)window_ns(s->ctx), 2);
	else
		doc_missing(d);
	for (int k = 0; k < MIGRATE_KINDS; k++)
		doc_int(d, (int64_t)m->kind[k]);
	if (context_has_capacities(s->ctx)) {
		doc_int(d, (int64_t)m->up);
		doc_int(d, (int64_t)m->down);
	} else {
		doc_missing(d);
		doc_missing(d);
	}
	doc_int(d, (int64_t)m->implicit);
}

/* Those with moves, most first; free them. */
static struct row *sorted(const struct migration *s, size_t *n)
{
	struct row *rows = mem_calloc(s->tasks.n, sizeof *rows);

	*n = 0;
	for (size_t i = 0; i < s->tasks.n; i++) {
		const struct task *t = replay_task(s->ctx->replay, (uint32_t)i);

		if (sum(&s->tasks.at[i]) && context_has_task(s->ctx, t))
			rows[(*n)++] = (struct row){t, &s->tasks.at[i]};
	}
	if (*n)
		qsort(rows, *n, sizeof *rows, by_moves);
	return rows;
}

static void show(void *self, struct doc *d)
{
	static const struct column columns[] = {
	        {"task", NULL, true},     {"moves", NULL, false},         {"per s", NULL, false},
	        {"wake-up", NULL, false}, {"queued", NULL, false},        {"running", NULL, false},
	        {"fork", NULL, false},    {"unknown", NULL, false},       {"up", NULL, false},
	        {"down", NULL, false},    {"not announced", NULL, false},
	};
	struct migration *s = self;
	struct row *rows;
	size_t n, top = s->ctx->opts.top < 5 ? s->ctx->opts.top : 5;
	char label[80];

	if (not_known(s)) {
		doc_section(d, "MIGRATE", "%s: moves are not known", not_known(s));
		return;
	}
	rows = sorted(s, &n);
	doc_section(d, "MIGRATE",
	            "wake-up: another CPU was chosen at wake-up; queued: moved while waiting; up, "
	            "down: in capacity; not announced: no sched_migrate_task told");
	doc_table(d, columns, sizeof columns / sizeof *columns);
	show_moves(s, d, "all tasks", &s->all);
	for (size_t i = 0; i < n && i < top; i++)
		show_moves(s, d, task_label(rows[i].task, label), rows[i].moves);
	free(rows);
}

static void page(void *self, struct doc *d)
{
	struct migration *s = self;
	double seconds = (double)window_ns(s->ctx) / 1e9;
	const struct moves *m = &s->all;
	char line[300] = "", updown[64] = "", label[80];
	struct row *rows;
	size_t n, len = 0;

	if (not_known(s) || seconds <= 0) {
		doc_section(d, "MIGRATE", "%s",
		            not_known(s) ? not_known(s) : "the window is empty");
		return;
	}
	rows = sorted(s, &n);
	for (size_t i = 0; i < n && i < 3; i++)
		len += (size_t)snprintf(line + len, sizeof line - len, "; %s %.1f",
		                        task_label(rows[i].task, label),
		                        (double)sum(rows[i].moves) / seconds);
	free(rows);
	if (context_has_capacities(s->ctx))
		snprintf(updown, sizeof updown, ", up %" PRIu64 ", down %" PRIu64, m->up, m->down);
	doc_section(d, "MIGRATE",
	            "all tasks %.1f per s: wake-up %" PRIu64 ", queued %" PRIu64
	            ", running %" PRIu64 ", fork %" PRIu64 "%s%s",
	            (double)sum(m) / seconds, m->kind[MIGRATE_WAKEUP], m->kind[MIGRATE_QUEUED],
	            m->kind[MIGRATE_RUNNING], m->kind[MIGRATE_FORK], updown, line);
}

static void free_migration(void *self)
{
	struct migration *s = self;

	vec_free(&s->tasks);
}

const struct analysis analysis_migration = {
        .name = "migration",
        .question = "how often did tasks move between CPUs, how, and to larger or smaller ones",
        .size = sizeof(struct migration),
        .begin = begin,
        .json = json,
        .json_task = json_task,
        .measure = measure,
        .show = show,
        .page = page,
        .free = free_migration,
};
