#include "import/platform_file.h"

#include "import/yaml_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPUS_MAX = 65536, CAPACITY_MAX = 1024 };
enum { KHZ_MAX = 100000000, UW_MAX = 1000000000 };

static const char a_clock[] = "a clock is a number of kHz";
static const char a_power[] = "a power is a number of uW";

struct platform_file {
	struct yaml_file *yaml; /* owns all memory */
	struct platform data;
	struct platform_domain *domains; /* the same, to fill */
};

/* What a parse needs at every step. */
struct parse {
	struct yaml_file *yaml;
	struct platform_file *file;
	struct err *e;
};

static bool fail(struct parse *p, const struct yaml_value *at, const char *what)
{
	return yaml_fail(p->yaml, at, what, p->e);
}

static void *alloc(struct parse *p, size_t n, size_t size)
{
	return arena_alloc(&p->yaml->arena, n * size);
}

/* Numbers of a list, in an array of the arena. */
static bool numbers(struct parse *p, const struct yaml_value *list, uint64_t max,
                    const char *is_list, const char *is_number, const int64_t **out, size_t *n)
{
	int64_t *v;

	if (!yaml_is_list(p->yaml, list, is_list, p->e))
		return false;
	v = alloc(p, list->n, sizeof *v);
	for (size_t i = 0; i < list->n; i++) {
		uint64_t x = 0;

		if (!yaml_number(p->yaml, list->item[i], 0, max, is_number, &x, p->e))
			return false;
		v[i] = (int64_t)x;
	}
	*out = v;
	*n = list->n;
	return true;
}

/* ---- capacities ---- */

static bool capacity(struct parse *p, const struct yaml_value *v, int32_t *out)
{
	uint64_t x = 0;

	if (!yaml_number(p->yaml, v, 1, CAPACITY_MAX, "a capacity is a number from 1 to 1024", &x,
	                 p->e))
		return false;
	*out = (int32_t)x;
	return true;
}

/* `list` of numbers, or of mappings with `capacity`. */
static bool capacity_list(struct parse *p, const struct yaml_value *list)
{
	int32_t *out;

	if (!yaml_is_list(p->yaml, list, "capacities are a list with one entry per CPU", p->e))
		return false;
	out = alloc(p, list->n, sizeof *out);
	for (size_t i = 0; i < list->n; i++) {
		const struct yaml_value *v = list->item[i], *c = yaml_find(v, "capacity");

		if (v->kind == YAML_MAP && !c)
			return fail(p, v, "this CPU has no capacity");
		if (!capacity(p, c ? c : v, &out[i]))
			return false;
	}
	p->file->data.capacity = out;
	p->file->data.n_cpus = list->n;
	return true;
}

static bool cpu_number(struct parse *p, const struct yaml_value *v, uint64_t *cpu)
{
	return yaml_number(p->yaml, v, 0, CPUS_MAX - 1, "a CPU is a number", cpu, p->e);
}

/* `{0: 446, 1: 1024, ..}` */
static bool capacity_map(struct parse *p, const struct yaml_value *map)
{
	int32_t *out;
	uint64_t cpu = 0;
	size_t n = 0;

	if (map->kind != YAML_MAP)
		return fail(p, map, "capacities are a mapping from CPUs to numbers");
	for (size_t i = 0; i < map->n; i++) {
		if (!cpu_number(p, map->key[i], &cpu))
			return false;
		n = cpu >= n ? cpu + 1 : n;
	}
	out = alloc(p, n, sizeof *out);
	for (size_t i = 0; i < map->n; i++)
		if (!cpu_number(p, map->key[i], &cpu) || !capacity(p, map->item[i], &out[cpu]))
			return false;
	p->file->data.capacity = out;
	p->file->data.n_cpus = n;
	return true;
}

/* ---- domains ---- */

static bool domain_cpus(struct parse *p, const struct yaml_value *list, struct platform_domain *d,
                        uint8_t *taken)
{
	uint32_t *cpus;

	if (!yaml_is_list(p->yaml, list, "a domain is a list of CPUs", p->e))
		return false;
	cpus = alloc(p, list->n, sizeof *cpus);
	for (size_t i = 0; i < list->n; i++) {
		uint64_t v = 0;

		if (!cpu_number(p, list->item[i], &v))
			return false;
		if (taken[v]++)
			return fail(p, list->item[i], "this CPU is in two domains");
		cpus[i] = (uint32_t)v;
	}
	d->cpus = cpus;
	d->n_cpus = list->n;
	return true;
}

static bool domain_clocks(struct parse *p, const struct yaml_value *list, struct platform_domain *d)
{
	if (!numbers(p, list, KHZ_MAX, "freqs_khz is a list of clocks in kHz", a_clock, &d->khz,
	             &d->n_khz))
		return false;
	for (size_t i = 0; i < d->n_khz; i++)
		if (d->khz[i] <= (i ? d->khz[i - 1] : 0))
			return fail(p, list->item[i], i ? "clocks must ascend" : a_clock);
	return true;
}

/* What a long form tells of the power of a domain. */
static bool domain_power(struct parse *p, const struct yaml_value *v, struct platform_domain *d)
{
	const struct yaml_value *busy = yaml_find(v, "power_uw"), *idle = yaml_find(v, "idle_uw"),
	                        *cluster = yaml_find(v, "cluster_uw");
	uint64_t x = 0;
	size_t n = 0;

	if (busy && !numbers(p, busy, UW_MAX, "power_uw is a list with one power per clock",
	                     a_power, &d->power_uw, &n))
		return false;
	if (busy && n != d->n_khz)
		return fail(p, busy, "power_uw and freqs_khz have different lengths");
	if (idle && !numbers(p, idle, UW_MAX, "idle_uw is a list with one power per idle state",
	                     a_power, &d->idle_uw, &d->n_idle))
		return false;
	if (cluster && !yaml_number(p->yaml, cluster, 1, UW_MAX, a_power, &x, p->e))
		return false;
	d->cluster_uw = (int64_t)x;
	return true;
}

/* `list` of lists of CPUs, or of mappings with `cpus` and what else is known. */
static bool domains(struct parse *p, const struct yaml_value *list)
{
	struct platform_domain *out;
	uint8_t *taken = alloc(p, CPUS_MAX, 1);

	if (!yaml_is_list(p->yaml, list, "domains are a list", p->e))
		return false;
	out = alloc(p, list->n, sizeof *out);
	for (size_t i = 0; i < list->n; i++) {
		const struct yaml_value *v = list->item[i], *cpus = yaml_find(v, "cpus"),
		                        *clocks = yaml_find(v, "freqs_khz"),
		                        *name = yaml_find(v, "name");

		if (v->kind == YAML_MAP && !cpus)
			return fail(p, v, "this domain has no cpus");
		if (!domain_cpus(p, cpus ? cpus : v, &out[i], taken) ||
		    (clocks && !domain_clocks(p, clocks, &out[i])) || !domain_power(p, v, &out[i]))
			return false;
		out[i].name = name && name->kind == YAML_TEXT ? name->text : NULL;
	}
	p->file->data.domains = p->file->domains = out;
	p->file->data.n_domains = list->n;
	return true;
}

static struct platform_domain *domain_with(struct parse *p, uint32_t cpu)
{
	for (size_t i = 0; i < p->file->data.n_domains; i++)
		for (size_t k = 0; k < p->file->domains[i].n_cpus; k++)
			if (p->file->domains[i].cpus[k] == cpu)
				return &p->file->domains[i];
	return NULL;
}

/* ---- the short form of operating points ---- */

struct opp {
	int64_t khz, uw;
};

static int by_khz(const void *a, const void *b)
{
	const struct opp *x = a, *y = b;

	return (x->khz > y->khz) - (x->khz < y->khz);
}

/* `{300000: 9918, ..}`: kHz, and uW of one busy CPU where it is a number. */
static bool domain_opps(struct parse *p, const struct yaml_value *map, struct platform_domain *d)
{
	struct opp *opps = alloc(p, map->n, sizeof *opps);
	int64_t *khz = alloc(p, map->n, sizeof *khz), *uw = alloc(p, map->n, sizeof *uw);
	bool has_power = true;

	for (size_t i = 0; i < map->n; i++) {
		const struct yaml_value *v = map->item[i];
		uint64_t clock = 0, power = 0;
		bool none = v->kind != YAML_TEXT || !*v->text || !strcmp(v->text, "null") ||
		            !strcmp(v->text, "~");

		if (!yaml_number(p->yaml, map->key[i], 1, KHZ_MAX, a_clock, &clock, p->e) ||
		    (!none && !yaml_number(p->yaml, v, 0, UW_MAX, a_power, &power, p->e)))
			return false;
		has_power &= !none;
		opps[i] = (struct opp){(int64_t)clock, (int64_t)power};
	}
	qsort(opps, map->n, sizeof *opps, by_khz);
	for (size_t i = 0; i < map->n; i++) {
		khz[i] = opps[i].khz;
		uw[i] = opps[i].uw;
		if (i && khz[i] == khz[i - 1])
			return fail(p, map, "a clock is there twice");
	}
	d->khz = khz;
	d->n_khz = map->n;
	d->power_uw = has_power ? uw : NULL;
	return true;
}

/* `opps: {0-2: {300000: 9918, ..}, ..}`, by the first CPU of the domain. */
static bool opps(struct parse *p, const struct yaml_value *map)
{
	if (map->kind != YAML_MAP)
		return fail(p, map, "opps are a mapping from CPUs to clocks");
	for (size_t i = 0; i < map->n; i++) {
		const struct yaml_value *k = map->key[i], *v = map->item[i];
		unsigned long cpu =
		        *k->text >= '0' && *k->text <= '9' ? strtoul(k->text, NULL, 10) : CPUS_MAX;
		struct platform_domain *d = cpu < CPUS_MAX ? domain_with(p, (uint32_t)cpu) : NULL;

		if (!d)
			return fail(p, k, "these CPUs are in no domain");
		if (v->kind != YAML_MAP || !v->n)
			return fail(p, v, "the clocks are a mapping from kHz to power");
		if (!domain_opps(p, v, d))
			return false;
	}
	return true;
}

/* ---- LISA's plat_info ---- */

/* The keys of `freqs` are CPUs, at least one of each domain; in some files they are numbers of
 * domains. */
static bool keys_are_cpus(struct parse *p, const struct yaml_value *map)
{
	for (size_t d = 0; d < p->file->data.n_domains; d++) {
		bool any = false;

		for (size_t i = 0; i < map->n; i++)
			any |= domain_with(p, (uint32_t)strtoul(map->key[i]->text, NULL, 10)) ==
			       &p->file->domains[d];
		if (!any)
			return false;
	}
	return true;
}

/* `freqs: {0: [450000, ..], ..}` */
static bool lisa_clocks(struct parse *p, const struct yaml_value *map)
{
	bool cpus;

	if (map->kind != YAML_MAP)
		return fail(p, map, "freqs are a mapping from CPUs to clocks");
	cpus = keys_are_cpus(p, map) || map->n != p->file->data.n_domains;
	for (size_t i = 0; i < map->n; i++) {
		struct platform_domain *d;
		uint64_t k = 0;

		if (!cpu_number(p, map->key[i], &k))
			return false;
		d = cpus                          ? domain_with(p, (uint32_t)k)
		    : k < p->file->data.n_domains ? &p->file->domains[k]
		                                  : NULL;
		if (!d)
			return fail(p, map->key[i], "this CPU is in no domain");
		if (!domain_clocks(p, map->item[i], d))
			return false;
	}
	return true;
}

/* Under kernel, version: the release as text, or numbers. */
static const char *lisa_kernel(struct parse *p, const struct yaml_value *conf)
{
	const struct yaml_value *k = yaml_find(conf, "kernel"),
	                        *v = k ? yaml_find(k, "version") : NULL;
	const struct yaml_value *text = v ? yaml_find(v, "release") : NULL, *parts;
	char out[64];

	if (v && !text)
		text = yaml_find(v, "version_string");
	parts = v ? yaml_find(v, "parts") : NULL;
	if (text && text->kind == YAML_TEXT)
		return text->text;
	if (!parts || parts->kind != YAML_LIST || parts->n < 2)
		return NULL;
	snprintf(out, sizeof out, "%.20s.%.20s", parts->item[0]->text, parts->item[1]->text);
	return arena_str(&p->yaml->arena, out, strlen(out));
}

/* Its energy model has no unit, so its powers are not taken. */
static bool lisa(struct parse *p, const struct yaml_value *info)
{
	const struct yaml_value *conf = yaml_find(info, "conf"), *caps, *orig, *doms, *freqs, *name;

	if (!conf)
		return fail(p, info, "platform-info has no conf");
	caps = yaml_find(conf, "cpu-capacities");
	orig = caps ? yaml_find(caps, "orig") : NULL;
	doms = yaml_find(conf, "freq-domains");
	freqs = yaml_find(conf, "freqs");
	name = yaml_find(conf, "name");
	if (!caps && !doms)
		return fail(p, conf, "neither cpu-capacities nor freq-domains");
	p->file->data.name = name && name->kind == YAML_TEXT ? name->text : NULL;
	p->file->data.source = "LISA platform info";
	p->file->data.kernel = lisa_kernel(p, conf);
	return (!caps || capacity_map(p, orig ? orig : caps)) && (!doms || domains(p, doms)) &&
	       (!freqs || !doms || lisa_clocks(p, freqs));
}

/* ---- the file ---- */

static bool own(struct parse *p, const struct yaml_value *root)
{
	const struct yaml_value *name = yaml_find(root, "name"),
	                        *source = yaml_find(root, "source"),
	                        *caps = yaml_find(root, "cpu_capacity"),
	                        *cpus = yaml_find(root, "cpus"), *doms = yaml_find(root, "domains"),
	                        *ops = yaml_find(root, "opps");

	if (root->kind != YAML_MAP)
		return fail(p, root, "a platform file is a mapping with cpu_capacity or cpus");
	p->file->data.name = name && name->kind == YAML_TEXT ? name->text : NULL;
	p->file->data.source = source && source->kind == YAML_TEXT ? source->text : NULL;
	if (!caps && cpus && cpus->kind == YAML_LIST)
		caps = cpus;
	if (!doms)
		doms = yaml_find(root, "freq_domains");
	if (!caps && !doms)
		return fail(p, root,
		            "neither capacities (cpu_capacity, cpus) nor domains (domains, "
		            "freq_domains)");
	return (!caps || capacity_list(p, caps)) && (!doms || domains(p, doms)) &&
	       (!ops || !doms || opps(p, ops));
}

struct platform_file *platform_file_load(const char *path, struct err *e)
{
	struct parse p = {.e = e};
	const struct yaml_value *info;

	p.yaml = yaml_file_load(path, "a platform file", e);
	if (!p.yaml)
		return NULL;
	p.file = mem_calloc(1, sizeof *p.file);
	p.file->yaml = p.yaml;
	info = yaml_find(p.yaml->root, "platform-info");
	if (info ? lisa(&p, info) : own(&p, p.yaml->root))
		return p.file;
	platform_file_free(p.file);
	return NULL;
}

struct platform_file *platform_file_find(const char *trace, struct err *e)
{
	char path[PATH_MAX];

	return yaml_beside(trace, "platform.yaml", path, sizeof path) ? platform_file_load(path, e)
	                                                              : NULL;
}

const struct platform *platform_file_data(const struct platform_file *f)
{
	return &f->data;
}

void platform_file_free(struct platform_file *f)
{
	if (!f)
		return;
	yaml_file_free(f->yaml);
	free(f);
}
