/* The ledger as JSON, with the keys of peltier/analysis/1 where it has them; run files. */
#include "sim/sim.h"

#include "report/json.h"

#include <stdlib.h>

static int by_khz(const void *a, const void *b)
{
	const struct residency *x = a, *y = b;

	return (x->khz > y->khz) - (x->khz < y->khz);
}

static void cpu(struct json *j, uint32_t id, const struct ledger_cpu *c)
{
	struct residency *r = mem_calloc(c->clocks.n + 1, sizeof *r);

	for (size_t i = 0; i < c->clocks.n; i++)
		r[i] = c->clocks.at[i];
	qsort(r, c->clocks.n, sizeof *r, by_khz);
	json_object_line(j, NULL);
	json_int(j, "cpu", id);
	json_int(j, "busy_ns", c->busy_ns);
	json_int(j, "idle_ns", c->idle_ns);
	json_int(j, "offline_ns", c->offline_ns);
	json_int(j, "interrupt_ns", c->interrupt_ns);
	json_int(j, "switches", (int64_t)c->switches);
	json_array(j, "residency");
	for (size_t i = 0; i < c->clocks.n; i++) {
		json_object(j, NULL);
		json_int(j, "khz", r[i].khz);
		json_int(j, "total_ns", r[i].total_ns);
		json_int(j, "busy_ns", r[i].busy_ns);
		json_end(j);
	}
	json_end(j);
	json_end(j);
	free(r);
}

static void bursts(struct json *j, const struct ledger_task *t)
{
	static const char *const goals[GOALS] = {"to_50_pct", "to_80_pct", "to_top",
	                                         "to_larger_cpu"};
	int64_t run = 0;

	json_int(j, "bursts", (int64_t)t->bursts.n);
	for (int g = 0; g < GOALS; g++) {
		int64_t n = 0;

		for (size_t i = 0; i < t->bursts.n; i++)
			n += t->bursts.at[i].reached[g];
		json_int(j, goals[g], n);
	}
	for (size_t i = 0; i < t->bursts.n; i++)
		run += t->bursts.at[i].run_ns;
	json_int(j, "burst_run_ns", run);
	json_int(j, "woken", (int64_t)t->woken);
	json_int(j, "woken_larger", (int64_t)t->woken_larger);
}

static void task(struct json *j, const struct ledger_task *t, size_t n_cpus)
{
	char id[16];

	json_object_line(j, NULL);
	json_int(j, "pid", t->pid);
	json_text(j, "comm", t->name);
	json_int(j, "run_ns", t->run_ns);
	json_int(j, "runnable_ns", t->wait_ns);
	json_int(j, "blocked_ns", t->blocked_ns);
	json_int(j, "switch_in", (int64_t)t->switch_in);
	json_int(j, "preempted", (int64_t)t->preempted);
	json_int(j, "wakeups", (int64_t)t->wakeups);
	json_object(j, "cpu_ns");
	for (uint32_t i = 0; i < n_cpus; i++)
		if (t->cpu_ns[i]) {
			snprintf(id, sizeof id, "%u", i);
			json_int(j, id, t->cpu_ns[i]);
		}
	json_end(j);
	json_int(j, "moved_wakeup", (int64_t)t->moved_wakeup);
	json_int(j, "moved_queued", (int64_t)t->moved_queued);
	json_int(j, "moved_fork", (int64_t)t->moved_fork);
	json_int(j, "work_ns", t->work_ns);
	bursts(j, t);
	json_int(j, "sleeps", (int64_t)t->sleeps);
	json_real(j, "util_mean", t->sleeps ? t->util_sum / (double)t->sleeps : 0);
	json_real(j, "util_max", t->util_max);
	json_end(j);
}

/* From vsync to ready, ms; late: after more than a period. */
static void frames(struct json *j, const struct ledger *l)
{
	double sum = 0, max = 0;
	int64_t n = 0, late = 0;

	for (size_t i = 0; i < l->frames.n; i++) {
		const struct frame *f = &l->frames.at[i];
		double ms = (double)(f->end - f->vsync) / 1e6;

		if (!f->end)
			continue;
		n++;
		sum += ms;
		max = ms > max ? ms : max;
		late += frame_is_late(f);
	}
	json_object_line(j, "frames");
	json_int(j, "n", n);
	json_real(j, "mean_ms", n ? sum / (double)n : 0);
	json_real(j, "max_ms", max);
	json_int(j, "late", late);
	json_end(j);
}

bool write_ledger(const struct result *r, FILE *out)
{
	const struct ledger *l = &r->ledger;
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_text(&j, "schema", "peltier/simulated/1");
	json_text(&j, "scenario", r->scenario->name);
	json_text(&j, "platform", r->scenario->platform_name);
	json_int(&j, "seed", (int64_t)r->scenario->seed);
	json_int(&j, "start_ns", l->start);
	json_int(&j, "end_ns", l->end);
	json_int(&j, "energy_em_L0_nj", (int64_t)(l->energy / 1000000));
	json_int(&j, "energy_em_L1_nj", (int64_t)((l->energy + l->rest) / 1000000));
	frames(&j, l);
	json_object_line(&j, "events");
	for (int k = 0; k < SIM_KINDS; k++)
		if (l->events[k])
			json_int(&j, sim_desc[k].name, (int64_t)l->events[k]);
	json_end(&j);
	json_array(&j, "cpus");
	for (uint32_t i = 0; i < r->scenario->platform->n_cpus; i++)
		cpu(&j, i, &l->cpu[i]);
	json_end(&j);
	json_array(&j, "tasks");
	for (size_t i = 0; i < l->tasks.n; i++)
		task(&j, &l->tasks.at[i], r->scenario->platform->n_cpus);
	json_end(&j);
	json_end(&j);
	putc('\n', out);
	return !ferror(out);
}

bool write_utils(const struct result *r, FILE *out)
{
	for (size_t i = 0; i < r->ledger.tasks.n; i++) {
		const struct ledger_task *t = &r->ledger.tasks.at[i];

		for (size_t k = 0; k < t->asleep.n; k++)
			fprintf(out, "%lld,%s-%d,%.3f\n", (long long)t->asleep.at[k].t, t->name,
			        t->pid, t->asleep.at[k].util);
	}
	return !ferror(out);
}

/* A platform file (docs/platform-files.md). */
bool write_platform(const struct result *r, FILE *out)
{
	const struct platform *p = r->scenario->platform;

	fprintf(out, "# simulated by peltier\nname: %s\ncpus:\n", r->scenario->platform_name);
	for (size_t i = 0; i < p->n_cpus; i++)
		fprintf(out, "  - {capacity: %d}\n", p->capacity[i]);
	fprintf(out, "domains:\n");
	for (size_t i = 0; i < p->n_domains; i++) {
		const struct platform_domain *d = &p->domains[i];

		fprintf(out, "  - cpus: [");
		for (size_t k = 0; k < d->n_cpus; k++)
			fprintf(out, "%s%u", k ? ", " : "", d->cpus[k]);
		fprintf(out, "]\n    freqs_khz: [");
		for (size_t k = 0; k < d->n_khz; k++)
			fprintf(out, "%s%lld", k ? ", " : "", (long long)d->khz[k]);
		fprintf(out, "]\n    power_uw: [");
		for (size_t k = 0; d->power_uw && k < d->n_khz; k++)
			fprintf(out, "%s%lld", k ? ", " : "", (long long)d->power_uw[k]);
		if (d->n_idle)
			fprintf(out, "]\n    idle_uw: [");
		for (size_t k = 0; k < d->n_idle; k++)
			fprintf(out, "%s%lld", k ? ", " : "", (long long)d->idle_uw[k]);
		fprintf(out, "]\n");
		if (d->cluster_uw)
			fprintf(out, "    cluster_uw: %lld\n", (long long)d->cluster_uw);
	}
	return !ferror(out);
}

bool write_run(const struct result *r, FILE *out, const char *configuration)
{
	const struct scenario *s = r->scenario;

	fprintf(out,
	        "# simulated by peltier, not recorded\nconfiguration: %s\nworkload: %s\n"
	        "device: simulated %s\nkernel: 6.1.0-simulated\ngovernor: schedutil\n"
	        "rate_limit_us: %g\nhz: %g\n",
	        configuration, s->name, s->platform_name, s->rate_limit_us, s->hz);
	if (s->walt)
		fprintf(out, "signal: walt\nwalt_window_ms: %g\n", s->walt_window_ms);
	else
		fprintf(out, "signal: pelt\npelt_half_life_ms: %g\n", s->half_life_ms);
	return !ferror(out);
}
