/* A YAML document as a tree of plain data, with the place of each value in the file. Read by
 * libyaml: libcyaml refuses sequences of sequences, keys that are a number in one file and a list
 * in another, and the tags of LISA's files. */
#ifndef PELTIER_IMPORT_YAML_FILE_H
#define PELTIER_IMPORT_YAML_FILE_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

enum yaml_kind { YAML_TEXT, YAML_LIST, YAML_MAP };

struct yaml_value {
	enum yaml_kind kind;
	size_t line, column;            /* from 1 */
	const char *text;               /* of YAML_TEXT, else "" */
	size_t n;                       /* items, or pairs of a map */
	const struct yaml_value **item; /* a map's values */
	const struct yaml_value **key;  /* of a map */
};

struct yaml_file {
	struct arena arena;
	const char *path;
	const struct yaml_value *root;
};

/* Read a file that holds exactly one document. NULL with the error set: file, line, column and
 * reason; `what` is what it should have been ("a platform file"). */
struct yaml_file *yaml_file_load(const char *path, const char *what, struct err *e);
void yaml_file_free(struct yaml_file *f);

/* The path of a file of that name beside a trace, or, in folders of one iteration each, beside that
 * folder. False: there is none. */
bool yaml_beside(const char *trace, const char *name, char *path, size_t room);

/* The value of a key; NULL: there is none, or this is no map. */
const struct yaml_value *yaml_find(const struct yaml_value *map, const char *key);
/* Set "file:line:column: what"; always false. */
bool yaml_fail(const struct yaml_file *f, const struct yaml_value *at, const char *what,
               struct err *e);
/* A whole number from min to max, else fail with `what`. */
bool yaml_number(const struct yaml_file *f, const struct yaml_value *v, uint64_t min, uint64_t max,
                 const char *what, uint64_t *out, struct err *e);
/* A list of at least one item, else fail with `what`. */
bool yaml_is_list(const struct yaml_file *f, const struct yaml_value *v, const char *what,
                  struct err *e);

#endif
