#include "import/yaml_file.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

enum { FILE_MAX = 16 << 20, LIST_MAX = 65536 };

/* ---- the document as plain data ---- */

/* Values by node id - 1: a node that several places refer to is one value. */
struct tree {
	struct arena *arena;
	yaml_document_t *doc;
	struct yaml_value *values;
};

static const struct yaml_value *value_of(const struct tree *t, int id)
{
	return &t->values[id - 1];
}

static void fill_list(const struct tree *t, struct yaml_value *v, const yaml_node_t *n)
{
	v->kind = YAML_LIST;
	v->n = (size_t)(n->data.sequence.items.top - n->data.sequence.items.start);
	v->item = arena_alloc(t->arena, v->n * sizeof(*v->item));
	for (size_t i = 0; i < v->n; i++)
		v->item[i] = value_of(t, n->data.sequence.items.start[i]);
}

static void fill_map(const struct tree *t, struct yaml_value *v, const yaml_node_t *n)
{
	v->kind = YAML_MAP;
	v->n = (size_t)(n->data.mapping.pairs.top - n->data.mapping.pairs.start);
	v->item = arena_alloc(t->arena, v->n * sizeof(*v->item));
	v->key = arena_alloc(t->arena, v->n * sizeof(*v->key));
	for (size_t i = 0; i < v->n; i++) {
		v->key[i] = value_of(t, n->data.mapping.pairs.start[i].key);
		v->item[i] = value_of(t, n->data.mapping.pairs.start[i].value);
	}
}

/* The root, or NULL when the document is empty. */
static const struct yaml_value *tree_of(struct arena *arena, yaml_document_t *doc)
{
	size_t n = (size_t)(doc->nodes.top - doc->nodes.start);
	struct tree t = {arena, doc, arena_alloc(arena, n * sizeof *t.values)};

	for (size_t i = 0; i < n; i++) {
		const yaml_node_t *from = &doc->nodes.start[i];
		struct yaml_value *v = &t.values[i];

		v->line = from->start_mark.line + 1;
		v->column = from->start_mark.column + 1;
		v->text = "";
		if (from->type == YAML_SEQUENCE_NODE)
			fill_list(&t, v, from);
		else if (from->type == YAML_MAPPING_NODE)
			fill_map(&t, v, from);
		else
			v->text = arena_str(arena, (const char *)from->data.scalar.value,
			                    from->data.scalar.length);
	}
	return n ? t.values : NULL;
}

/* ---- reading ---- */

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

static bool yaml_error(const struct yaml_file *f, const yaml_parser_t *y, FILE *in, struct err *e)
{
	size_t line = y->problem_mark.line + 1, column = y->problem_mark.column + 1;

	if (y->error == YAML_READER_ERROR)
		place_of(in, y->problem_offset, &line, &column);
	return err_input(e, "%s:%zu:%zu: %s", f->path, line, column,
	                 y->problem ? y->problem : "not YAML");
}

/* The next document of the file; *root NULL behind the last one. */
static bool document(struct yaml_file *f, yaml_parser_t *y, FILE *in,
                     const struct yaml_value **root, struct err *e)
{
	yaml_document_t doc;

	if (!yaml_parser_load(y, &doc))
		return yaml_error(f, y, in, e);
	*root = tree_of(&f->arena, &doc);
	yaml_document_delete(&doc);
	return true;
}

static bool parse(struct yaml_file *f, FILE *in, struct err *e)
{
	const struct yaml_value *more = NULL;
	yaml_parser_t y;
	bool ok;

	if (!yaml_parser_initialize(&y))
		return err_internal(e, "libyaml: out of memory");
	yaml_parser_set_input_file(&y, in);
	ok = document(f, &y, in, &f->root, e);
	if (ok && !f->root)
		ok = err_input(e, "%s:1:1: the file is empty", f->path);
	else if (ok)
		ok = document(f, &y, in, &more, e);
	if (ok && more)
		ok = yaml_fail(f, more, "a second document; one is read", e);
	yaml_parser_delete(&y);
	return ok;
}

struct yaml_file *yaml_file_load(const char *path, const char *what, struct err *e)
{
	FILE *in = fopen(path, "re");
	struct yaml_file *f;
	bool ok;

	if (!in) {
		err_input(e, "%s: %s", path, strerror(errno));
		return NULL;
	}
	f = mem_calloc(1, sizeof *f);
	f->path = arena_str(&f->arena, path, strlen(path));
	if (fseek(in, 0, SEEK_END) || ftell(in) > FILE_MAX || fseek(in, 0, SEEK_SET))
		ok = err_input(e, "%s: not %s: more than 16 MiB, or not a file", path, what);
	else
		ok = parse(f, in, e);
	fclose(in);
	if (ok)
		return f;
	yaml_file_free(f);
	return NULL;
}

void yaml_file_free(struct yaml_file *f)
{
	if (!f)
		return;
	arena_free(&f->arena);
	free(f);
}

bool yaml_beside(const char *trace, const char *name, char *path, size_t room)
{
	const char *slash = strrchr(trace, '/');

	for (int up = 0; up < 2; up++) {
		int n = snprintf(path, room, "%.*s%s%s", slash ? (int)(slash + 1 - trace) : 0,
		                 trace, up ? "../" : "", name);

		if (n < (int)room && !access(path, F_OK))
			return true;
	}
	return false;
}

/* ---- looking at it ---- */

const struct yaml_value *yaml_find(const struct yaml_value *map, const char *key)
{
	if (map->kind != YAML_MAP)
		return NULL;
	for (size_t i = 0; i < map->n; i++)
		if (map->key[i]->kind == YAML_TEXT && !strcmp(map->key[i]->text, key))
			return map->item[i];
	return NULL;
}

bool yaml_fail(const struct yaml_file *f, const struct yaml_value *at, const char *what,
               struct err *e)
{
	return err_input(e, "%s:%zu:%zu: %s", f->path, at->line, at->column, what);
}

bool yaml_number(const struct yaml_file *f, const struct yaml_value *v, uint64_t min, uint64_t max,
                 const char *what, uint64_t *out, struct err *e)
{
	return (v->kind == YAML_TEXT && text_to_u64(v->text, out) && *out >= min && *out <= max) ||
	       yaml_fail(f, v, what, e);
}

bool yaml_is_list(const struct yaml_file *f, const struct yaml_value *v, const char *what,
                  struct err *e)
{
	return (v->kind == YAML_LIST && v->n && v->n <= LIST_MAX) || yaml_fail(f, v, what, e);
}
