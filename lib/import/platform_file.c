/* YAML through libyaml's documents. libcyaml cannot read the short form: it refuses sequences of
 * sequences (freq_domains) and a key that is a number in one file and a list in another (cpus). */
#include "import/platform_file.h"

#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { FILE_MAX = 16 << 20, CPUS_MAX = 65536, CAPACITY_MAX = 1024 };

struct platform_file {
	struct arena arena;
	struct platform data;
};

/* What a parse needs at every step. */
struct parse {
	const char *path;
	yaml_document_t doc;
	struct platform_file *file;
	struct platform_domain *domains; /* of the file, to fill */
	struct err *e;
};

static bool fail(struct parse *p, const yaml_node_t *at, const char *what)
{
	return err_input(p->e, "%s:%zu:%zu: %s", p->path, at->start_mark.line + 1,
	                 at->start_mark.column + 1, what);
}

/* A node by the id that another node of the document has: it is there. */
static yaml_node_t *node(struct parse *p, int id)
{
	yaml_node_t *n = yaml_document_get_node(&p->doc, id);

	if (!n)
		abort();
	return n;
}

/* The value of a key, or NULL. */
static yaml_node_t *find(struct parse *p, yaml_node_t *map, const char *key)
{
	if (map->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *i = map->data.mapping.pairs.start; i < map->data.mapping.pairs.top;
	     i++) {
		yaml_node_t *k = node(p, i->key);

		if (k->type == YAML_SCALAR_NODE && !strcmp((char *)k->data.scalar.value, key))
			return node(p, i->value);
	}
	return NULL;
}

static size_t length(const yaml_node_t *list)
{
	return (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
}

static yaml_node_t *item(struct parse *p, yaml_node_t *list, size_t i)
{
	return node(p, list->data.sequence.items.start[i]);
}

static bool is_list(struct parse *p, yaml_node_t *n, const char *what)
{
	return (n->type == YAML_SEQUENCE_NODE && length(n) && length(n) <= CPUS_MAX) ||
	       fail(p, n, what);
}

static bool number(struct parse *p, const yaml_node_t *n, uint64_t min, uint64_t max,
                   const char *what, uint64_t *v)
{
	return (n->type == YAML_SCALAR_NODE && text_to_u64((char *)n->data.scalar.value, v) &&
	        *v >= min && *v <= max) ||
	       fail(p, n, what);
}

/* ---- capacities ---- */

/* `list` of numbers, or of mappings with `capacity`. */
static bool capacities(struct parse *p, yaml_node_t *list)
{
	int32_t *out;

	if (!is_list(p, list, "capacities are a list with one entry per CPU"))
		return false;
	out = arena_alloc(&p->file->arena, length(list) * sizeof *out);
	for (size_t i = 0; i < length(list); i++) {
		yaml_node_t *n = item(p, list, i), *c = find(p, n, "capacity");
		uint64_t v = 0;

		if (n->type == YAML_MAPPING_NODE && !c)
			return fail(p, n, "this CPU has no capacity");
		if (!number(p, c ? c : n, 1, CAPACITY_MAX, "a capacity is a number from 1 to 1024",
		            &v))
			return false;
		out[i] = (int32_t)v;
	}
	p->file->data.capacity = out;
	p->file->data.n_cpus = length(list);
	return true;
}

/* ---- domains ---- */

static bool domain_cpus(struct parse *p, yaml_node_t *list, struct platform_domain *d,
                        uint8_t *taken)
{
	uint32_t *cpus;

	if (!is_list(p, list, "a domain is a list of CPUs"))
		return false;
	cpus = arena_alloc(&p->file->arena, length(list) * sizeof *cpus);
	for (size_t i = 0; i < length(list); i++) {
		uint64_t v = 0;

		if (!number(p, item(p, list, i), 0, CPUS_MAX - 1, "a CPU is a number", &v))
			return false;
		if (taken[v]++)
			return fail(p, item(p, list, i), "this CPU is in two domains");
		cpus[i] = (uint32_t)v;
	}
	d->cpus = cpus;
	d->n_cpus = length(list);
	return true;
}

static bool domain_clocks(struct parse *p, yaml_node_t *list, struct platform_domain *d)
{
	int64_t *khz;

	if (!list)
		return true;
	if (!is_list(p, list, "freqs_khz is a list of clocks in kHz"))
		return false;
	khz = arena_alloc(&p->file->arena, length(list) * sizeof *khz);
	for (size_t i = 0; i < length(list); i++) {
		uint64_t v = 0;

		if (!number(p, item(p, list, i), 1, 100000000, "a clock is a number of kHz", &v))
			return false;
		khz[i] = (int64_t)v;
		if (i && khz[i] <= khz[i - 1])
			return fail(p, item(p, list, i), "clocks must ascend");
	}
	d->khz = khz;
	d->n_khz = length(list);
	return true;
}

/* `list` of lists of CPUs, or of mappings with `cpus` and `freqs_khz`. */
static bool domains(struct parse *p, yaml_node_t *list)
{
	struct platform_domain *out;
	uint8_t *taken = arena_alloc(&p->file->arena, CPUS_MAX);

	if (!is_list(p, list, "domains are a list"))
		return false;
	out = arena_alloc(&p->file->arena, length(list) * sizeof *out);
	for (size_t i = 0; i < length(list); i++) {
		yaml_node_t *n = item(p, list, i), *cpus = find(p, n, "cpus");

		if (n->type == YAML_MAPPING_NODE && !cpus)
			return fail(p, n, "this domain has no cpus");
		if (!domain_cpus(p, cpus ? cpus : n, &out[i], taken) ||
		    !domain_clocks(p, find(p, n, "freqs_khz"), &out[i]))
			return false;
	}
	p->file->data.domains = p->domains = out;
	p->file->data.n_domains = length(list);
	return true;
}

static struct platform_domain *domain_with(struct parse *p, uint32_t cpu)
{
	for (size_t i = 0; i < p->file->data.n_domains; i++)
		for (size_t k = 0; k < p->domains[i].n_cpus; k++)
			if (p->domains[i].cpus[k] == cpu)
				return &p->domains[i];
	return NULL;
}

static int by_khz(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* `opps: {0-2: {300000: 9918, ..}, ..}`: the clocks (kHz) of the domain with the first CPU of the
 * key. */
static bool opps(struct parse *p, yaml_node_t *map)
{
	if (map->type != YAML_MAPPING_NODE)
		return fail(p, map, "opps are a mapping from CPUs to clocks");
	for (yaml_node_pair_t *i = map->data.mapping.pairs.start; i < map->data.mapping.pairs.top;
	     i++) {
		yaml_node_t *k = node(p, i->key), *v = node(p, i->value);
		size_t n =
		        v->type == YAML_MAPPING_NODE
		                ? (size_t)(v->data.mapping.pairs.top - v->data.mapping.pairs.start)
		                : 0;
		char *end = k->type == YAML_SCALAR_NODE ? (char *)k->data.scalar.value : NULL;
		unsigned long cpu =
		        end && *end >= '0' && *end <= '9' ? strtoul(end, &end, 10) : CPUS_MAX;
		struct platform_domain *d = cpu < CPUS_MAX ? domain_with(p, (uint32_t)cpu) : NULL;
		int64_t *khz;

		if (!d)
			return fail(p, k, "these CPUs are in no domain");
		if (!n)
			return fail(p, v, "the clocks are a mapping from kHz to power");
		khz = arena_alloc(&p->file->arena, n * sizeof *khz);
		for (size_t c = 0; c < n; c++) {
			uint64_t hz = 0;

			if (!number(p, node(p, v->data.mapping.pairs.start[c].key), 1, 100000000,
			            "a clock is a number of kHz", &hz))
				return false;
			khz[c] = (int64_t)hz;
		}
		qsort(khz, n, sizeof *khz, by_khz);
		d->khz = khz;
		d->n_khz = n;
	}
	return true;
}

/* ---- the file ---- */

static bool platform(struct parse *p)
{
	yaml_node_t *root = yaml_document_get_root_node(&p->doc), *name, *cpus, *caps, *doms, *ops;

	if (!root)
		return err_input(p->e, "%s:1:1: the file is empty", p->path);
	if (root->type != YAML_MAPPING_NODE)
		return fail(p, root, "a platform file is a mapping with cpu_capacity or cpus");
	name = find(p, root, "name");
	if (name && name->type == YAML_SCALAR_NODE)
		p->file->data.name = arena_str(&p->file->arena, (char *)name->data.scalar.value,
		                               name->data.scalar.length);
	caps = find(p, root, "cpu_capacity");
	cpus = find(p, root, "cpus");
	if (!caps && cpus && cpus->type == YAML_SEQUENCE_NODE)
		caps = cpus;
	doms = find(p, root, "domains");
	if (!doms)
		doms = find(p, root, "freq_domains");
	if (!caps && !doms)
		return fail(p, root,
		            "neither capacities (cpu_capacity, cpus) nor domains (domains, "
		            "freq_domains)");
	ops = find(p, root, "opps");
	return (!caps || capacities(p, caps)) && (!doms || domains(p, doms)) &&
	       (!ops || !doms || opps(p, ops));
}

/* Line and column of a byte offset, from 1. */
static void place_of(FILE *in, size_t offset, size_t *line, size_t *column)
{
	int c;

	*line = *column = 1;
	rewind(in);
	for (size_t i = 0; i < offset && (c = getc(in)) != EOF; i++) {
		*column = c == '\n' ? 1 : *column + 1;
		*line += c == '\n';
	}
}

static bool yaml_error(struct parse *p, const yaml_parser_t *y, FILE *in)
{
	size_t line = y->problem_mark.line + 1, column = y->problem_mark.column + 1;

	if (y->error == YAML_READER_ERROR)
		place_of(in, y->problem_offset, &line, &column);
	return err_input(p->e, "%s:%zu:%zu: %s", p->path, line, column,
	                 y->problem ? y->problem : "not YAML");
}

/* One document, and nothing behind it. */
static bool parse_yaml(struct parse *p, FILE *in)
{
	yaml_parser_t yaml;
	yaml_document_t more;
	bool ok;

	if (!yaml_parser_initialize(&yaml))
		return err_internal(p->e, "libyaml: out of memory");
	yaml_parser_set_input_file(&yaml, in);
	ok = yaml_parser_load(&yaml, &p->doc);
	if (ok) {
		ok = platform(p);
		yaml_document_delete(&p->doc);
		if (ok && !yaml_parser_load(&yaml, &more)) {
			ok = yaml_error(p, &yaml, in);
		} else if (ok) {
			yaml_node_t *root = yaml_document_get_root_node(&more);

			if (root)
				ok = fail(p, root, "a second document; a platform file is one");
			yaml_document_delete(&more);
		}
	} else {
		ok = yaml_error(p, &yaml, in);
	}
	yaml_parser_delete(&yaml);
	return ok;
}

struct platform_file *platform_file_load(const char *path, struct err *e)
{
	struct parse p = {.path = path, .e = e};
	FILE *in = fopen(path, "re");
	bool ok;

	if (!in) {
		err_input(e, "%s: %s", path, strerror(errno));
		return NULL;
	}
	p.file = mem_calloc(1, sizeof *p.file);
	if (fseek(in, 0, SEEK_END) || ftell(in) > FILE_MAX || fseek(in, 0, SEEK_SET))
		ok = err_input(e, "%s: not a platform file: more than 16 MiB, or not a file", path);
	else
		ok = parse_yaml(&p, in);
	fclose(in);
	if (ok)
		return p.file;
	platform_file_free(p.file);
	return NULL;
}

const struct platform *platform_file_data(const struct platform_file *f)
{
	return &f->data;
}

void platform_file_free(struct platform_file *f)
{
	if (!f)
		return;
	arena_free(&f->arena);
	free(f);
}
