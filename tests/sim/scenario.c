/* Scenario files: see README.md for the keys. */
#include "sim/sim.h"

#include "import/platform_builtin.h"
#include "import/yaml_file.h"

#include <stdlib.h>
#include <string.h>

/* ---- platforms that nobody built ---- */

static const uint32_t phone_cpus[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const int32_t phone_capacity[] = {284, 284, 284, 284, 871, 871, 871, 1024};
static const int64_t little_khz[] = {300000, 691200, 940800, 1209600, 1516800, 1804800};
static const int64_t little_uw[] = {12000, 30000, 45000, 66000, 98000, 140000};
static const int64_t little_idle_uw[] = {6000, 800};
static const int64_t middle_idle_uw[] = {22000, 2500};
static const int64_t prime_idle_uw[] = {40000, 4000};
static const int64_t middle_khz[] = {480000, 844800, 1209600, 1574400, 1939200, 2419200};
static const int64_t middle_uw[] = {60000, 118000, 195000, 300000, 440000, 720000};
static const int64_t prime_khz[] = {480000, 960000, 1440000, 1920000, 2400000, 2841600};
static const int64_t prime_uw[] = {110000, 250000, 440000, 720000, 1150000, 1900000};
static const struct platform_domain phone_domains[] = {
        {.name = "little",
         .cpus = phone_cpus,
         .n_cpus = 4,
         .khz = little_khz,
         .n_khz = 6,
         .power_uw = little_uw,
         .idle_uw = little_idle_uw,
         .n_idle = 2,
         .cluster_uw = 15000},
        {.name = "middle",
         .cpus = phone_cpus + 4,
         .n_cpus = 3,
         .khz = middle_khz,
         .n_khz = 6,
         .power_uw = middle_uw,
         .idle_uw = middle_idle_uw,
         .n_idle = 2,
         .cluster_uw = 30000},
        {.name = "prime",
         .cpus = phone_cpus + 7,
         .n_cpus = 1,
         .khz = prime_khz,
         .n_khz = 6,
         .power_uw = prime_uw,
         .idle_uw = prime_idle_uw,
         .n_idle = 2,
         .cluster_uw = 25000},
};
static const struct platform phone = {.name = "phone",
                                      .capacity = phone_capacity,
                                      .n_cpus = 8,
                                      .domains = phone_domains,
                                      .n_domains = 3};

enum { SERVER_CPUS = 64 };
static uint32_t server_cpus[SERVER_CPUS];
static int32_t server_capacity[SERVER_CPUS];
static const int64_t server_khz[] = {1200000, 2000000, 3000000};
static const int64_t server_uw[] = {900000, 2000000, 4500000};
static const struct platform_domain server_domain = {.cpus = server_cpus,
                                                     .n_cpus = SERVER_CPUS,
                                                     .khz = server_khz,
                                                     .n_khz = 3,
                                                     .power_uw = server_uw};
static const struct platform server = {.name = "server",
                                       .capacity = server_capacity,
                                       .n_cpus = SERVER_CPUS,
                                       .domains = &server_domain,
                                       .n_domains = 1};

const struct platform *sim_platform(const char *name)
{
	for (uint32_t i = 0; i < SERVER_CPUS; i++) {
		server_cpus[i] = i;
		server_capacity[i] = 1024;
	}
	if (!strcmp(name, "phone"))
		return &phone;
	return !strcmp(name, "server") ? &server : platform_builtin(name);
}

/* ---- reading ---- */

struct load {
	struct scenario *s;
	const struct yaml_file *f;
	struct err *e;
};

static bool real(struct load *l, const struct yaml_value *v, double *out)
{
	char *end;

	if (!v)
		return true; /* as it was */
	*out = strtod(v->text, &end);
	return (v->kind == YAML_TEXT && end > v->text && !*end && *out >= 0) ||
	       yaml_fail(l->f, v, "a number is wanted here", l->e);
}

/* A key that is none of the list ("a b c") is a mistake. */
static bool keys_are(struct load *l, const struct yaml_value *map, const char *list)
{
	for (size_t i = 0; map && map->kind == YAML_MAP && i < map->n; i++) {
		const char *at = strstr(list, map->key[i]->text);
		size_t n = strlen(map->key[i]->text);

		while (at && ((at > list && at[-1] != ' ') || (at[n] && at[n] != ' ')))
			at = strstr(at + 1, map->key[i]->text);
		if (!at)
			return yaml_fail(l->f, map->key[i], list, l->e);
	}
	return true;
}

static bool within(struct load *l, const struct yaml_value *at, double v, double min, double max,
                   const char *what)
{
	return (v >= min && v <= max) || yaml_fail(l->f, at, what, l->e);
}

const char *const walt_policy_name[WALT_POLICIES] = {"recent", "max", "mean", "max_recent_mean"};

static bool key_real(struct load *l, const struct yaml_value *map, const char *key, double *out)
{
	return real(l, yaml_find(map, key), out);
}

static int channel_of(struct scenario *s, const char *name)
{
	for (int i = 0; i < s->n_channels; i++)
		if (!strcmp(s->channel[i], name))
			return i;
	if (s->n_channels == SIM_CHANNELS_MAX)
		return 0;
	s->channel[s->n_channels] = arena_str(&s->arena, name, strlen(name));
	return s->n_channels++;
}

/* "0-3,7" */
static uint64_t cpus_of(const char *text, size_t n_cpus)
{
	uint64_t set = 0;

	while (*text) {
		char *end;
		unsigned long a = strtoul(text, &end, 10), b = a;

		if (end == text)
			return 0;
		if (*end == '-')
			b = strtoul(end + 1, &end, 10);
		for (; a <= b && a < n_cpus; a++)
			set |= UINT64_C(1) << a;
		text = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			return 0;
	}
	return set;
}

static void add_step(struct task_spec *t, const struct step *st)
{
	t->steps[t->n_steps++] = *st;
}

/* A binder transaction in simple steps: the caller sends, and waits for the reply; the server
 * waits, and sends the reply. */
static void add_binder(struct load *l, struct task_spec *t, const char *what, const char *name)
{
	char reply[64];
	int there = channel_of(l->s, name), back;

	snprintf(reply, sizeof reply, "%.50s.reply", name);
	back = channel_of(l->s, reply);
	if (!strcmp(what, "serve")) {
		add_step(t, &(struct step){.kind = STEP_WAIT, .channel = there});
		add_step(t, &(struct step){.kind = STEP_RECEIVE, .channel = there});
	} else {
		bool is_reply = !strcmp(what, "reply");

		add_step(t, &(struct step){.kind = STEP_SEND,
		                           .channel = is_reply ? back : there,
		                           .reply = is_reply});
		add_step(t, &(struct step){.kind = STEP_POST, .channel = is_reply ? back : there});
		if (is_reply)
			return;
		add_step(t, &(struct step){.kind = STEP_WAIT, .channel = back});
		add_step(t, &(struct step){.kind = STEP_RECEIVE, .channel = back});
	}
}

/* [run, us, spread], [sleep, us], [period, us], [wait, ch], [post, ch], [mark, text], ... */
static bool read_step(struct load *l, const struct yaml_value *v, struct step *st)
{
	static const char *const kinds[] = {
	        [STEP_RUN] = "run",     [STEP_SLEEP] = "sleep",  [STEP_PERIOD] = "period",
	        [STEP_WAIT] = "wait",   [STEP_POST] = "post",    [STEP_MARK] = "mark",
	        [STEP_FRAME] = "frame", [STEP_EXIT] = "exit",    [STEP_GPU] = "gpu",
	        [STEP_FENCE] = "-",     [STEP_RENAME] = "rename"};
	int k = 0;

	if (v->kind != YAML_LIST || v->n < 2)
		return yaml_fail(l->f, v, "a step is a list: [run, us, spread], [wait, channel]",
		                 l->e);
	while (k <= STEP_RENAME && strcmp(kinds[k], v->item[0]->text))
		k++;
	if (k > STEP_RENAME)
		return yaml_fail(
		        l->f, v,
		        "steps are run, sleep, period, wait, post, mark, frame, exit, gpu, "
		        "rename, call, serve, reply",
		        l->e);
	st->kind = (enum step_kind)k;
	st->begin = !strcmp(v->item[1]->text, "begin") || (k == STEP_GPU && v->n > 3);
	if (k == STEP_FRAME || k == STEP_EXIT)
		return true;
	if (k == STEP_GPU) {
		if (v->n < 3)
			return yaml_fail(l->f, v, "[gpu, us, channel]", l->e);
		st->channel = channel_of(l->s, v->item[2]->text);
		return real(l, v->item[1], &st->us);
	}
	if (k == STEP_WAIT || k == STEP_POST) {
		st->channel = channel_of(l->s, v->item[1]->text);
		return true;
	}
	if (k == STEP_MARK || k == STEP_RENAME) {
		st->text = arena_str(&l->s->arena, v->item[1]->text, strlen(v->item[1]->text));
		return true;
	}
	if (!real(l, v->item[1], &st->us) || (v->n > 2 && !real(l, v->item[2], &st->spread)))
		return false;
	return st->us >= .001 || yaml_fail(l->f, v, "at least 0.001 us", l->e);
}

/* Whether the GPU posts to the channel: one that begins with "fence". */
static bool is_fence(const struct scenario *s, int channel)
{
	return !strncmp(s->channel[channel], "fence", 5);
}

static bool read_steps(struct load *l, const struct yaml_value *v, struct task_spec *t)
{
	static const char *const binder[] = {"call", "serve", "reply"};
	struct step st = {.kind = STEP_RUN};
	bool fence;

	if (t->n_steps + 4 > SIM_STEPS_MAX)
		return yaml_fail(l->f, v, "too many steps", l->e);
	for (size_t i = 0; i < sizeof binder / sizeof *binder; i++)
		if (v->kind == YAML_LIST && v->n == 2 && !strcmp(v->item[0]->text, binder[i])) {
			add_binder(l, t, binder[i], v->item[1]->text);
			return true;
		}
	if (!read_step(l, v, &st))
		return false;
	fence = st.kind == STEP_WAIT && is_fence(l->s, st.channel);
	if (fence)
		add_step(t, &(struct step){.kind = STEP_FENCE, .begin = true});
	add_step(t, &st);
	if (fence)
		add_step(t, &(struct step){.kind = STEP_FENCE});
	return true;
}

static bool takes_time(const struct task_spec *t)
{
	for (int i = 0; i < t->n_steps; i++)
		if (t->steps[i].kind <= STEP_WAIT || t->steps[i].kind == STEP_EXIT)
			return true;
	return false;
}

static bool read_task(struct load *l, const struct yaml_value *v, const struct yaml_value *next)
{
	const struct yaml_value *steps = yaml_find(v, "steps"), *x;
	double count = 1, prio = 120, pid = 0, tgid = 0;
	char label[32];
	struct task_spec t = {.prio = 120};

	(void)next;
	if (!keys_are(l, v, "name pid tgid prio cpus count start_ms steps"))
		return false;
	if (!steps || steps->kind != YAML_LIST || !steps->n || steps->n > SIM_STEPS_MAX)
		return yaml_fail(l->f, v, "a task needs 1 to 32 steps", l->e);
	for (size_t i = 0; i < steps->n; i++)
		if (!read_steps(l, steps->item[i], &t))
			return false;
	if (!key_real(l, v, "count", &count) || !key_real(l, v, "prio", &prio) ||
	    !key_real(l, v, "pid", &pid) || !key_real(l, v, "start_ms", &t.start_ms) ||
	    !key_real(l, v, "tgid", &tgid))
		return false;
	if (!takes_time(&t))
		return yaml_fail(l->f, steps,
		                 "a step of a task must take time: run, sleep, period or wait",
		                 l->e);
	if (!within(l, v, count, 1, 1000, "count is 1 to 1000") ||
	    !within(l, v, prio, 0, 139, "prio is 0 to 139"))
		return false;
	x = yaml_find(v, "cpus");
	t.cpus = x                              ? cpus_of(x->text, l->s->platform->n_cpus)
	         : l->s->platform->n_cpus == 64 ? UINT64_MAX
	                                        : (UINT64_C(1) << l->s->platform->n_cpus) - 1;
	if (!t.cpus)
		return yaml_fail(l->f, x, "CPUs are a list such as 0-3,7 of those there are", l->e);
	t.prio = (int)prio;
	x = yaml_find(v, "name");
	for (int i = 0; i < (int)count; i++) {
		t.pid = pid > 0 ? (int)pid + i : 100 + (int)l->s->tasks.n;
		t.tgid = tgid > 0 ? (int)tgid : t.pid;
		snprintf(label, sizeof label, "%.12s%u", x ? x->text : "task", (unsigned)i);
		snprintf(t.name, sizeof t.name, "%.15s", count > 1 || !x ? label : x->text);
		*vec_add(&l->s->tasks) = t;
	}
	return true;
}

static bool read_timer(struct load *l, const struct yaml_value *v)
{
	const struct yaml_value *to = yaml_find(v, "post");
	struct timer_spec t = {.period_us = 16667, .on_ms = 1};

	if (!keys_are(l, v, "post period_us on_ms off_ms from_ms to_ms"))
		return false;
	if (!to)
		return yaml_fail(l->f, v, "a timer posts to a channel: {post: NAME, ...}", l->e);
	t.channel = channel_of(l->s, to->text);
	if (!key_real(l, v, "period_us", &t.period_us) || !key_real(l, v, "on_ms", &t.on_ms) ||
	    !key_real(l, v, "off_ms", &t.off_ms) || !key_real(l, v, "from_ms", &t.from_ms) ||
	    !key_real(l, v, "to_ms", &t.to_ms))
		return false;
	*vec_add(&l->s->timers) = t;
	return t.period_us >= 1 || yaml_fail(l->f, v, "at least 1 us", l->e);
}

static bool read_cap(struct load *l, const struct yaml_value *v)
{
	double domain = 0, khz = 0;
	struct cap_spec c = {.at_ms = 0};

	if (!key_real(l, v, "at_ms", &c.at_ms) || !key_real(l, v, "domain", &domain) ||
	    !key_real(l, v, "khz", &khz))
		return false;
	if (domain >= (double)l->s->platform->n_domains)
		return yaml_fail(l->f, v, "no such domain", l->e);
	c.at_ms += 1000; /* the clock of a trace begins at 1 s */
	c.domain = (int)domain;
	c.khz = (int64_t)khz;
	*vec_add(&l->s->caps) = c;
	return true;
}

static bool read_irq(struct load *l, const struct yaml_value *v)
{
	const struct yaml_value *name = yaml_find(v, "name");
	double cpu = 0, number = 45;
	struct irq_spec q = {.period_us = 10000, .us = 50, .name = "simulated"};

	if (!keys_are(l, v, "cpu number name period_us us spread") ||
	    !key_real(l, v, "cpu", &cpu) || !key_real(l, v, "number", &number) ||
	    !key_real(l, v, "period_us", &q.period_us) || !key_real(l, v, "us", &q.us) ||
	    !key_real(l, v, "spread", &q.spread) ||
	    !within(l, v, cpu, 0, (double)l->s->platform->n_cpus - 1, "no such CPU") ||
	    !within(l, v, q.us, 1, q.period_us / 2, "us is 1 to half of the period"))
		return false;
	q.cpu = (uint32_t)cpu;
	q.number = (int)number;
	if (name)
		q.name = arena_str(&l->s->arena, name->text, strlen(name->text));
	*vec_add(&l->s->irqs) = q;
	return true;
}

static bool read_absence(struct load *l, const struct yaml_value *v, struct absence_spec *a)
{
	double cpu = 0;

	if (!keys_are(l, v, "cpu from_ms to_ms") || !key_real(l, v, "from_ms", &a->from_ms) ||
	    !key_real(l, v, "to_ms", &a->to_ms) || !key_real(l, v, "cpu", &cpu) ||
	    !within(l, v, a->to_ms, a->from_ms + 1, 3.6e6, "to_ms is at least from_ms + 1") ||
	    !within(l, v, cpu, 1, (double)l->s->platform->n_cpus - 1, "CPUs from 1 on"))
		return false;
	a->cpu = (uint32_t)cpu;
	return true;
}

/* {channel: posts, ...} */
static bool read_channels(struct load *l, const struct yaml_value *map)
{
	for (size_t i = 0; map && map->kind == YAML_MAP && i < map->n; i++) {
		double n = 0;

		if (!real(l, map->item[i], &n))
			return false;
		l->s->posted[channel_of(l->s, map->key[i]->text)] = (int)n;
	}
	return true;
}

static bool read_walt_policy(struct load *l, const struct yaml_value *v)
{
	for (int i = 0; v && i < WALT_POLICIES; i++)
		if (!strcmp(v->text, walt_policy_name[i])) {
			l->s->walt_policy = (enum walt_policy)i;
			return true;
		}
	return !v || yaml_fail(l->f, v, "recent, max, mean or max_recent_mean", l->e);
}

static bool read_scheduler(struct load *l, const struct yaml_value *v)
{
	struct scenario *s = l->s;
	const struct yaml_value *signal = v ? yaml_find(v, "signal") : NULL;

	if (!v)
		return true;
	if (!keys_are(l, v,
	              "signal half_life_ms walt_window_ms walt_policy hz slice_ms rate_limit_us "
	              "fit_margin dvfs_latency_us"))
		return false;
	if (signal && strcmp(signal->text, "walt") && strcmp(signal->text, "pelt"))
		return yaml_fail(l->f, signal, "signal is pelt or walt", l->e);
	s->walt = signal && !strcmp(signal->text, "walt");
	return key_real(l, v, "half_life_ms", &s->half_life_ms) &&
	       key_real(l, v, "walt_window_ms", &s->walt_window_ms) &&
	       key_real(l, v, "hz", &s->hz) && key_real(l, v, "slice_ms", &s->slice_ms) &&
	       key_real(l, v, "rate_limit_us", &s->rate_limit_us) &&
	       key_real(l, v, "fit_margin", &s->fit_margin) &&
	       key_real(l, v, "dvfs_latency_us", &s->dvfs_latency_us) &&
	       read_walt_policy(l, yaml_find(v, "walt_policy")) &&
	       within(l, v, s->fit_margin, 1, 2, "fit_margin is 1 to 2") &&
	       within(l, v, s->dvfs_latency_us, 0, 100000, "dvfs_latency_us is 0 to 100000") &&
	       within(l, v, s->half_life_ms, 1, 64, "half_life_ms is 1 to 64") &&
	       within(l, v, s->walt_window_ms, 1, 1000, "walt_window_ms is 1 to 1000") &&
	       within(l, v, s->hz, 10, 10000, "hz is 10 to 10000") &&
	       within(l, v, s->slice_ms, .1, 1000, "slice_ms is 0.1 to 1000");
}

/* Each item of a list that may not be there. */
#define EACH(list, x, call)                                                                        \
	for (size_t i_ = 0; (list) && i_ < (list)->n; i_++) {                                      \
		const struct yaml_value *x = (list)->item[i_];                                     \
		if (!(call))                                                                       \
			return false;                                                              \
	}

static bool read_all(struct load *l, const struct yaml_value *root)
{
	const struct yaml_value *name = yaml_find(root, "name"), *p = yaml_find(root, "platform"),
	                        *tasks = yaml_find(root, "tasks");
	struct scenario *s = l->s;
	double seed = 1;

	if (!keys_are(l, root,
	              "name platform length_ms seed scheduler tasks timers caps irqs unplugged "
	              "channels drift boot_sigma iteration_sigma"))
		return false;
	if (!name || !p || !tasks || tasks->kind != YAML_LIST || !tasks->n)
		return yaml_fail(l->f, root, "a scenario has name, platform and tasks", l->e);
	snprintf(s->name, sizeof s->name, "%s", name->text);
	snprintf(s->platform_name, sizeof s->platform_name, "%s", p->text);
	s->platform = sim_platform(p->text);
	if (!s->platform || s->platform->n_cpus > SIM_CPUS_MAX)
		return yaml_fail(l->f, p, "no such platform (phone, server, or a built-in one)",
		                 l->e);
	if (!key_real(l, root, "length_ms", &s->length_ms) || !key_real(l, root, "seed", &seed) ||
	    !key_real(l, root, "drift", &s->drift) ||
	    !key_real(l, root, "boot_sigma", &s->boot_sigma) ||
	    !key_real(l, root, "iteration_sigma", &s->iteration_sigma) ||
	    !read_scheduler(l, yaml_find(root, "scheduler")))
		return false;
	if (!within(l, root, s->length_ms, 1, 3.6e6, "length_ms is 1 to 3600000"))
		return false;
	s->seed = (uint64_t)seed;
	EACH(tasks, t, read_task(l, t, NULL))
	EACH(yaml_find(root, "timers"), t, read_timer(l, t))
	EACH(yaml_find(root, "caps"), c, read_cap(l, c))
	EACH(yaml_find(root, "irqs"), q, read_irq(l, q))
	EACH(yaml_find(root, "unplugged"), a, read_absence(l, a, vec_add(&s->unplugged)))
	return read_channels(l, yaml_find(root, "channels"));
}

struct scenario *scenario_load(const char *path, struct err *e)
{
	struct yaml_file *f = yaml_file_load(path, "a scenario", e);
	struct scenario *s;
	struct load l;

	if (!f)
		return NULL;
	s = mem_calloc(1, sizeof *s);
	s->half_life_ms = 32;
	s->walt_window_ms = 20;
	s->hz = 250;
	s->rate_limit_us = 500;
	s->fit_margin = 1.25;
	s->walt_policy = WALT_MAX_RECENT_MEAN;
	s->slice_ms = 3;
	s->length_ms = 3000;
	l = (struct load){s, f, e};
	if (!read_all(&l, f->root)) {
		scenario_free(s);
		s = NULL;
	}
	yaml_file_free(f);
	return s;
}

void scenario_free(struct scenario *s)
{
	vec_free(&s->tasks);
	vec_free(&s->timers);
	vec_free(&s->caps);
	vec_free(&s->irqs);
	vec_free(&s->unplugged);
	arena_free(&s->arena);
	free(s);
}
