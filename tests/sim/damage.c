/* What happens to recordings. */
#include "sim/sim.h"

#include <string.h>

/* Count what is gone up to the next event of the CPU. */
static void count_lost(struct result *r)
{
	int64_t lost[SIM_CPUS_MAX] = {0};

	for (size_t i = 0; i < r->events.n; i++) {
		struct sim_event *e = &r->events.at[i];

		if (e->gone) {
			lost[e->cpu]++;
		} else {
			e->lost = lost[e->cpu];
			lost[e->cpu] = 0;
		}
	}
}

static void lose(struct result *r, uint32_t cpu, double from_ms, double to_ms)
{
	for (size_t i = 0; i < r->events.n; i++) {
		struct sim_event *e = &r->events.at[i];
		double ms = (double)(e->ts - r->ledger.start) / 1e6;

		e->gone |= e->cpu == cpu && ms >= from_ms && ms < to_ms;
	}
	count_lost(r);
}

static void skip_switches(struct result *r, unsigned every)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->events.n; i++)
		if (r->events.at[i].kind == SIM_SWITCH && ++n % every == 0)
			r->events.at[i].gone = true;
}

static void skip_first_clocks(struct result *r)
{
	bool seen[SIM_CPUS_MAX] = {false};

	for (size_t i = 0; i < r->events.n; i++) {
		struct sim_event *e = &r->events.at[i];

		if (e->kind != SIM_FREQ)
			continue;
		e->gone |= !seen[e->v[1]];
		seen[e->v[1]] = true;
	}
}

/* Who runs on the CPU after the first n events. */
static int running_on(const struct result *r, size_t n, uint32_t cpu, const char **comm)
{
	while (n-- > 0) {
		const struct sim_event *e = &r->events.at[n];

		if (e->cpu != cpu)
			continue;
		if (e->kind == SIM_SWITCH) {
			*comm = e->v[3] ? e->s[1] : "<idle>";
			return (int)e->v[3];
		}
		*comm = e->comm;
		return e->pid;
	}
	return 0;
}

static void step_clock(struct result *r, double at_ms, double by_ms)
{
	size_t i = 0;

	while (i < r->events.n && (double)(r->events.at[i].ts - r->ledger.start) / 1e6 < at_ms)
		i++;
	for (; i < r->events.n; i++)
		r->events.at[i].ts += (int64_t)(by_ms * 1e6);
}

/* Its two events at the CPU that goes to sleep last. */
static void suspend(struct result *r, double at_ms, double for_ms)
{
	int64_t ns = (int64_t)(for_ms * 1e6), at = r->ledger.start + (int64_t)(at_ms * 1e6);
	size_t i = 0;
	struct sim_event *e;

	while (i < r->events.n && r->events.at[i].ts < at)
		i++;
	if (!i || i == r->events.n)
		return;
	vec_add(&r->events);
	vec_add(&r->events);
	e = r->events.at + i;
	memmove(e + 2, e, (r->events.n - 2 - i) * sizeof *e);
	/* written by whoever wrote last there */
	e[0] = e[-1];
	e[0].ts++;
	e[0].kind = SIM_SUSPEND;
	e[0].pid = running_on(r, i, e[-1].cpu, &e[0].comm);
	e[0].s[0] = "timekeeping_freeze";
	e[0].v[0] = e[0].cpu;
	e[0].v[1] = 1;
	e[1] = e[0];
	e[1].ts += ns;
	e[1].v[1] = 0;
	for (i += 2; i < r->events.n; i++)
		r->events.at[i].ts += ns;
}

bool sim_damage(struct result *r, const char *what)
{
	unsigned a;
	double from, to;

	if (sscanf(what, "lost:%u:%lf:%lf", &a, &from, &to) == 3)
		lose(r, a, from, to);
	else if (sscanf(what, "noswitch:%u", &a) == 1 && a)
		skip_switches(r, a);
	else if (sscanf(what, "clock:%lf:%lf", &from, &to) == 2)
		step_clock(r, from, to);
	else if (sscanf(what, "suspend:%lf:%lf", &from, &to) == 2)
		suspend(r, from, to);
	else if (!strcmp(what, "nofreq"))
		skip_first_clocks(r);
	else
		return false;
	return true;
}
