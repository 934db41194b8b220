#include "analysis/timeline.h"

#include "analysis/load.h"
#include "analysis/request.h"
#include "analysis/speed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPECS_MAX = 32, TEXT_MAX = 64 };
enum { STEPS_MAX = 10000000 }; /* so many without any event: a hole that is left out */

enum signal { FREQ, IDLE, SPEED, UTIL, RUNNABLE, ESTIMATE, REQUEST, KERNEL, SIGNALS };

static const struct {
	const char *name;
	bool cpu, task, half_life; /* what it can be asked for */
} signals[SIGNALS] = {
        [FREQ] = {"freq", true, false, false},       [IDLE] = {"idle", true, false, false},
        [SPEED] = {"speed", true, true, false},      [UTIL] = {"util", true, true, true},
        [RUNNABLE] = {"runnable", true, true, true}, [ESTIMATE] = {"estimate", true, true, true},
        [REQUEST] = {"request", true, false, false}, [KERNEL] = {"kernel", true, true, false},
};

struct spec {
	enum signal signal;
	char text[TEXT_MAX];        /* as asked for, without task and cpu */
	char task[TEXT_MAX];        /* "": of CPUs */
	int64_t cpu;                /* -1: all, unless a task is asked for */
	unsigned half_life, set;    /* half_life 0: that of the run file, else 32 */
	enum kernel_signal kernel;  /* of those that were recorded */
	struct timeline_point last; /* told; of points to last_of */
	char last_of[80];
};

struct timeline {
	struct context *ctx;
	struct load load;
	struct paces paces;
	struct spec specs[SPECS_MAX];
	unsigned n;
	bool set_up;
	int64_t next; /* of a fixed step; NO_TIME: it has not begun */
};

/* ---- the list ---- */

/* One key=value of a spec; false when it makes no sense. */
static bool set_key(struct spec *s, const char *key, const char *value)
{
	char *end;
	long v = strtol(value, &end, 10);
	bool number = *value && !*end && v >= 0;

	if (!strcmp(key, "task") && signals[s->signal].task && *value &&
	    strlen(value) < sizeof s->task) {
		snprintf(s->task, sizeof s->task, "%s", value);
		return true;
	}
	if (!strcmp(key, "cpu") && signals[s->signal].cpu && number && v < 65536) {
		s->cpu = v;
		return true;
	}
	for (int i = 0; s->signal == KERNEL && !strcmp(key, "signal") && i < KERNEL_SIGNALS; i++)
		if (!strcmp(value, kernel_signal_name((enum kernel_signal)i))) {
			s->kernel = (enum kernel_signal)i;
			return true;
		}
	if (!strcmp(key, "h") && signals[s->signal].half_life && number && v >= 1 &&
	    v <= PELT_HALF_LIFE_MAX) {
		s->half_life = (unsigned)v;
		return true;
	}
	return false;
}

/* One item of the list, which is overwritten; what is wrong with it, or NULL. */
static const char *parse_spec(struct spec *s, char *item)
{
	char *save = NULL, *part = strtok_r(item, ":", &save);

	*s = (struct spec){.signal = SIGNALS, .cpu = -1};
	for (int i = 0; part && i < SIGNALS; i++)
		if (!strcmp(part, signals[i].name))
			s->signal = (enum signal)i;
	if (s->signal == SIGNALS)
		return "signals are freq, idle, speed, util, runnable, estimate, request, kernel";
	while ((part = strtok_r(NULL, ":", &save))) {
		char *value = strchr(part, '=');

		if (!value)
			return "after a signal: task=NAME|PID, cpu=N, h=HALF_LIFE or signal=NAME";
		*value++ = '\0';
		if (!set_key(s, part, value))
			return "this signal has no such task=, cpu=, h= or signal=, or its value "
			       "is bad";
	}
	if (*s->task && s->cpu >= 0)
		return "a task or a CPU, not both";
	return NULL;
}

static const char *parse(const char *list, struct spec *specs, unsigned *n)
{
	char text[2048], *save = NULL, *item;
	const char *wrong = NULL;

	*n = 0;
	if (strlen(list) >= sizeof text)
		return "the list is too long";
	snprintf(text, sizeof text, "%s", list);
	for (item = strtok_r(text, ",", &save); item && !wrong; item = strtok_r(NULL, ",", &save)) {
		if (*n == SPECS_MAX)
			return "at most 32 signals";
		wrong = parse_spec(&specs[(*n)++], item);
	}
	return *n || wrong ? wrong : "no signal";
}

/* Each half-life is a set of parameters, of which there are few. */
static bool assign_sets(struct spec *specs, unsigned n, unsigned sets[LOAD_SETS_MAX],
                        unsigned *n_sets)
{
	*n_sets = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned k = 0;

		snprintf(specs[i].text, TEXT_MAX,
		         signals[specs[i].signal].half_life ? "%s:h=%u" : "%s",
		         signals[specs[i].signal].name, specs[i].half_life);
		if (specs[i].kernel != SIGNAL_UTIL)
			snprintf(specs[i].text, TEXT_MAX, "kernel:%s",
			         kernel_signal_name(specs[i].kernel));
		if (!signals[specs[i].signal].half_life)
			continue;
		while (k < *n_sets && sets[k] != specs[i].half_life)
			k++;
		if (k == LOAD_SETS_MAX)
			return false;
		if (k == *n_sets)
			sets[(*n_sets)++] = specs[i].half_life;
		specs[i].set = k;
	}
	return true;
}

const char *timeline_wrong(const char *list)
{
	struct spec specs[SPECS_MAX];
	unsigned sets[LOAD_SETS_MAX], n, n_sets;
	const char *wrong = parse(list, specs, &n);

	return wrong                                  ? wrong
	       : assign_sets(specs, n, sets, &n_sets) ? NULL
	                                              : "at most four half-lives";
}

/* What nobody asked for is the half-life of the run, by its run file. */
static unsigned usual_half_life(const struct run *r)
{
	double ms = r ? run_half_life_ms(r) : (double)NAN;

	return ms >= 1 && ms <= PELT_HALF_LIFE_MAX ? (unsigned)lround(ms) : 32;
}

static void set_up(struct timeline *s)
{
	unsigned sets[LOAD_SETS_MAX], n = 0;

	s->set_up = true;
	s->next = NO_TIME;
	if (!s->ctx->opts.timeline.list || parse(s->ctx->opts.timeline.list, s->specs, &s->n)) {
		s->n = 0;
		return;
	}
	for (unsigned i = 0; i < s->n; i++)
		if (!s->specs[i].half_life)
			s->specs[i].half_life = usual_half_life(s->ctx->opts.run);
	if (!assign_sets(s->specs, s->n, sets, &n))
		s->n = 0;
	s->load.ctx = s->ctx;
	load_set_hz(&s->load, s->ctx->opts.hz);
	for (unsigned i = 0; i < n; i++)
		load_add_set(&s->load, sets[i]);
}

static bool on(struct timeline *s)
{
	if (__builtin_expect(!s->set_up, 0))
		set_up(s);
	return s->n != 0;
}

/* ---- values ---- */

/* A point; the same one again (several facts at one time) is told once. */
static void tell(struct timeline *s, struct spec *spec, const char *of, int64_t t, bool known,
                 double value)
{
	const struct timeline_point p = {t, spec->text, of, known ? value : 0, known};

	if (!s->ctx->window_open || t < s->ctx->from ||
	    (spec->last.signal && spec->last.t == t && spec->last.value == p.value &&
	     spec->last.known == known && !strcmp(spec->last_of, of)))
		return;
	s->ctx->opts.timeline.tell(s->ctx->opts.timeline.arg, &p);
	spec->last = p;
	snprintf(spec->last_of, sizeof spec->last_of, "%s", of);
}

static double part_of(const struct load_value *v, enum signal signal)
{
	return signal == UTIL ? v->util : signal == RUNNABLE ? v->runnable : v->est;
}

static void tell_cpu(struct timeline *s, struct spec *spec, uint32_t cpu, int64_t t)
{
	struct cpu_seg open = replay_cpu_open(s->ctx->replay, cpu);
	struct load_value v;
	const struct pace *p;
	char of[24];

	snprintf(of, sizeof of, "cpu%u", cpu);
	switch (spec->signal) {
	case FREQ:
		tell(s, spec, of, t, open.khz != 0, (double)open.khz);
		break;
	case IDLE: /* -1: in none */
		tell(s, spec, of, t, open.idle_state != IDLE_UNKNOWN,
		     open.idle_state >= 0 ? open.idle_state : -1);
		break;
	case SPEED:
		p = open.state == CPU_BUSY ? pace_of(&s->paces, s->ctx, &open) : NULL;
		tell(s, spec, of, t, open.state == CPU_IDLE || p, p ? p->work : 0);
		break;
	case REQUEST:
		tell(s, spec, of, t, request_khz(s->ctx, cpu) != 0,
		     (double)request_khz(s->ctx, cpu));
		break;
	case KERNEL:
		break;
	default:
		if (load_of_cpu(&s->load, cpu, spec->set, t, &v))
			tell(s, spec, of, t, v.unsure <= LOAD_UNSURE_MAX,
			     part_of(&v, spec->signal));
	}
}

static void tell_task(struct timeline *s, struct spec *spec, const struct task *task, int64_t t)
{
	struct cpu_seg open;
	struct load_value v;
	const struct pace *p = NULL;
	char of[80];

	task_label(task, of);
	if (spec->signal == SPEED && task->on == NO_CPU) {
		tell(s, spec, of, t, task->state != TASK_UNKNOWN, 0);
	} else if (spec->signal == SPEED) {
		open = replay_cpu_open(s->ctx->replay, task->on);
		p = pace_of(&s->paces, s->ctx, &open);
		tell(s, spec, of, t, p != NULL, p ? p->work : 0);
	} else if (spec->signal != KERNEL && load_of_task(&s->load, task, spec->set, t, &v)) {
		tell(s, spec, of, t, v.unsure <= LOAD_UNSURE_MAX, part_of(&v, spec->signal));
	}
}

/* ---- at a fixed step ---- */

static void tell_all(struct timeline *s, struct spec *spec, int64_t t)
{
	if (*spec->task) {
		for (uint32_t i = 0; i < replay_n_tasks(s->ctx->replay); i++) {
			const struct task *task = replay_task(s->ctx->replay, i);

			if (context_task_is(task, spec->task) && task->died == NO_TIME)
				tell_task(s, spec, task, t);
		}
		return;
	}
	for (uint32_t i = 0; i < replay_n_cpus(s->ctx->replay); i++)
		if (replay_cpu_exists(s->ctx->replay, i) && (spec->cpu < 0 || spec->cpu == i))
			tell_cpu(s, spec, i, t);
}

static __attribute__((noinline)) void step(struct timeline *s, int64_t t)
{
	int64_t every = s->ctx->opts.timeline.every_ns;

	if (s->next == NO_TIME || (t - s->next) / every > STEPS_MAX)
		s->next = s->next == NO_TIME ? s->ctx->from : t - t % every;
	for (; s->next < t; s->next += every)
		for (unsigned i = 0; i < s->n; i++)
			tell_all(s, &s->specs[i], s->next);
}

void timeline_hears_event(void *self, const struct event *ev)
{
	struct timeline *s = self;

	if (__builtin_expect(s->ctx->opts.timeline.every_ns != 0, 0) && on(s) &&
	    s->ctx->window_open)
		step(s, ev->ts);
}

/* The window begins: what holds then is the first point. */
static void begin(void *self)
{
	struct timeline *s = self;

	for (unsigned i = 0; on(s) && !s->ctx->opts.timeline.every_ns && i < s->n; i++)
		tell_all(s, &s->specs[i], s->ctx->from);
}

/* The steps behind the last event. */
static void end(void *self)
{
	struct timeline *s = self;

	if (s->ctx->opts.timeline.every_ns && on(s))
		step(s, s->ctx->to + 1);
}

/* ---- at changes ---- */

static bool at_changes(const struct timeline *s)
{
	return s->ctx->opts.timeline.every_ns == 0;
}

static bool is_of_cpu(const struct spec *p, uint32_t cpu)
{
	return !*p->task && (p->cpu < 0 || p->cpu == cpu);
}

/* Tell the signals of the CPU that are in the set. */
static void change_of_cpu(struct timeline *s, uint32_t cpu, int64_t t, unsigned set)
{
	for (unsigned i = 0; at_changes(s) && i < s->n; i++)
		if (set & 1u << s->specs[i].signal && is_of_cpu(&s->specs[i], cpu))
			tell_cpu(s, &s->specs[i], cpu, t);
}

/* The same, where the fact has the value. */
static void value_of_cpu(struct timeline *s, uint32_t cpu, int64_t t, enum signal signal,
                         bool known, double value)
{
	char of[24];

	snprintf(of, sizeof of, "cpu%u", cpu);
	for (unsigned i = 0; at_changes(s) && i < s->n; i++)
		if (s->specs[i].signal == signal && is_of_cpu(&s->specs[i], cpu))
			tell(s, &s->specs[i], of, t, known, value);
}

static void change_of_task(struct timeline *s, const struct task *task, int64_t t, unsigned set)
{
	for (unsigned i = 0; at_changes(s) && i < s->n; i++)
		if (set & 1u << s->specs[i].signal && *s->specs[i].task &&
		    context_task_is(task, s->specs[i].task))
			tell_task(s, &s->specs[i], task, t);
}

/* Speed changes with every segment: of the CPU, and of the task that runs in it. */
static void speed_of(struct timeline *s, const struct cpu_seg *f)
{
	const struct pace *p = f->state == CPU_BUSY ? pace_of(&s->paces, s->ctx, f) : NULL;
	char of[80];

	value_of_cpu(s, f->cpu, f->t0, SPEED, p || f->state == CPU_IDLE, p ? p->work : 0);
	for (unsigned i = 0; f->task && at_changes(s) && i < s->n; i++) {
		struct spec *spec = &s->specs[i];

		if (spec->signal != SPEED || !*spec->task || !context_task_is(f->task, spec->task))
			continue;
		tell(s, spec, task_label(f->task, of), f->t0, p != NULL, p ? p->work : 0);
		if (f->switched)
			tell(s, spec, of, f->t1, true, 0);
	}
}

void timeline_hears_cpu_seg(void *self, const struct cpu_seg *f)
{
	struct timeline *s = self;

	if (!on(s))
		return;
	load_cpu_seg(&s->load, f);
	if (f->t1 > f->t0)
		speed_of(s, f);
}

void timeline_hears_migrated(void *self, const struct migrated *f)
{
	struct timeline *s = self;

	if (on(s))
		load_migrated(&s->load, f);
}

void timeline_hears_woke(void *self, const struct woke *f)
{
	struct timeline *s = self;

	if (on(s))
		load_woke(&s->load, f);
}

void timeline_hears_irq_change(void *self, const struct irq_change *f)
{
	struct timeline *s = self;

	if (on(s))
		load_irq_change(&s->load, f);
}

void timeline_hears_task_seg(void *self, const struct task_seg *f)
{
	const unsigned set = 1u << UTIL | 1u << RUNNABLE | 1u << ESTIMATE;
	struct timeline *s = self;

	if (!on(s))
		return;
	load_task_seg(&s->load, f);
	change_of_task(s, f->task, f->t1, set);
	if (f->task->cpu != NO_CPU)
		change_of_cpu(s, f->task->cpu, f->t1, set | 1u << REQUEST);
}

void timeline_hears_freq_change(void *self, const struct freq_change *f)
{
	struct timeline *s = self;

	if (on(s))
		value_of_cpu(s, f->cpu, f->t, FREQ, true, (double)f->to_khz);
}

void timeline_hears_idle_change(void *self, const struct idle_change *f)
{
	struct timeline *s = self;

	if (on(s))
		value_of_cpu(s, f->cpu, f->t, IDLE, f->to != IDLE_UNKNOWN, f->to >= 0 ? f->to : -1);
}

/* What the kernel recorded is told as it is. */
void timeline_hears_kernel_util(void *self, const struct kernel_util *f)
{
	struct timeline *s = self;
	char of[80];

	for (unsigned i = 0; on(s) && at_changes(s) && i < s->n; i++) {
		struct spec *p = &s->specs[i];

		if (p->signal != KERNEL || p->kernel != f->signal)
			continue;
		if (!f->task)
			snprintf(of, sizeof of, "cpu%u", f->cpu);
		else if (*p->task && context_task_is(f->task, p->task))
			task_label(f->task, of);
		if (f->task ? *p->task && context_task_is(f->task, p->task) : is_of_cpu(p, f->cpu))
			tell(s, p, of, f->t, true, (double)f->util);
	}
}

static void free_timeline(void *self)
{
	struct timeline *s = self;

	load_free(&s->load);
	vec_free(&s->paces.cpus);
}

const struct analysis analysis_timeline = {
        .name = "timeline",
        .question = "signals of tasks and CPUs over time (--timeline)",
        .size = sizeof(struct timeline),
        .begin = begin,
        .end = end,
        .free = free_timeline,
};
