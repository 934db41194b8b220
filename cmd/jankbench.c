#include "jankbench.h"

#include "compare/stats.h"
#include "frame/jank.h"
#include "import/jankbench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct row {
	int64_t run_id, iteration;
	char name[48];
	double ms;
	int jank;
};

struct all {
	VEC(struct row) rows;
};

static void take(void *arg, const struct jankbench_frame *f)
{
	struct all *a = arg;
	struct row *r = vec_add(&a->rows);

	r->run_id = f->run_id;
	r->iteration = f->iteration;
	r->ms = f->total_ms;
	r->jank = f->jank;
	snprintf(r->name, sizeof r->name, "%s", f->name);
}

/* Jankbench counts anew for each sub-test and iteration. */
static bool same_group(const struct row *a, const struct row *b)
{
	return a->run_id == b->run_id && a->iteration == b->iteration && !strcmp(a->name, b->name);
}

struct sums {
	size_t n, jank, bad, odd; /* odd: the flag stored is not what the rule says */
	double sum, but_last, max;
};

static struct sums add_up(const struct row *r, size_t n)
{
	const struct jank_rule *jank = jank_rule_of("jankbench16", strlen("jankbench16"));
	struct jank_state state = {.buffered = false};
	struct sums s = {.n = n};

	for (size_t i = 0; i < n; i++) {
		struct jank_input x = {.ns = llround(r[i].ms * 1e6),
		                       .overrun = FRAME_NO_TIME,
		                       .ui_ns = FRAME_NO_TIME};
		int janky;

		if (i && !same_group(&r[i - 1], &r[i]))
			state = (struct jank_state){.buffered = false};
		janky = jank->judge(&x, &state);
		s.jank += janky == 1;
		s.odd += r[i].jank >= 0 && r[i].jank != janky;
		s.bad += r[i].ms >= 16;
		s.sum += r[i].ms;
		s.but_last += i + 1 < n || n == 1 ? r[i].ms : 0;
		s.max = r[i].ms > s.max ? r[i].ms : s.max;
	}
	return s;
}

static void add_run(struct run_set *s, struct set_run *r, const struct sums *x)
{
	double n = (double)x->n;

	set_add(s, r, set_metric(s, METRIC_ID_jankbench_mean_ms, "all"), x->sum / n, NULL);
	set_add(s, r, set_metric(s, METRIC_ID_jankbench_max_ms, "all"), x->max, NULL);
	set_add(s, r, set_metric(s, METRIC_ID_jankbench_jank_pct, "all"), 100 * (double)x->jank / n,
	        NULL);
	set_add(s, r, set_metric(s, METRIC_ID_jankbench_bad_pct, "all"), 100 * (double)x->bad / n,
	        NULL);
	set_add(s, r, set_metric(s, METRIC_ID_jankbench_frames_count, "all"), n, NULL);
	set_add(s, r, set_metric(s, METRIC_ID_jankbench_seed_mean_ms, "all"),
	        x->but_last / (x->n > 1 ? n - 1 : 1), NULL);
	set_add(s, r, set_metric(s, METRIC_ID_jankbench_seed_jank_pct, "all"),
	        round(100 * (100 * (double)x->jank / n)) / 100, NULL);
	set_fact(s, r, "workload", "jankbench");
}

bool jankbench_add(const char *path, struct run_set *s, const char *config, const char *iteration,
                   char *note, size_t room)
{
	struct all a = {.rows = {NULL, 0, 0}};
	uint64_t rejected;
	size_t odd = 0;
	struct err e;
	bool good = jankbench_read(path, take, &a, &rejected, &e);

	*note = '\0';
	if (good && !a.rows.n)
		good = err_input(&e, "%s: no frame in it", path);
	if (!good) {
		set_run(s, set_config(s, config), iteration, path)->failed = set_text(s, e.msg);
		snprintf(note, room, "%s", e.msg);
	}
	for (size_t i = 0, k; good && i < a.rows.n; i = k) {
		struct sums x;
		char name[300];

		for (k = i; k < a.rows.n && a.rows.at[k].run_id == a.rows.at[i].run_id; k++)
			;
		if (i || k < a.rows.n)
			snprintf(name, sizeof name, "%.200s run %lld", iteration,
			         (long long)a.rows.at[i].run_id);
		else
			snprintf(name, sizeof name, "%s", iteration);
		x = add_up(&a.rows.at[i], k - i);
		odd += x.odd;
		add_run(s, set_run(s, set_config(s, config), name, path), &x);
	}
	if (good && (rejected || odd))
		snprintf(note, room,
		         "%s: %llu rows without a duration are left out; the stored flag of %zu "
		         "frames is not what Jankbench's rule says (the rule counts)",
		         path, (unsigned long long)rejected, odd);
	vec_free(&a.rows);
	return good;
}
