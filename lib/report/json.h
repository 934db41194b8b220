/* A streaming JSON writer. Commas, nesting and escapes are its business; numbers are written the
 * same in every locale. Keys are NULL inside arrays. */
#ifndef PELTIER_REPORT_JSON_H
#define PELTIER_REPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 32 };

struct json {
	FILE *out;
	int depth;
	bool has_item[JSON_DEPTH];
	char closer[JSON_DEPTH];
	int compact; /* > 0: items on one line, from the depth where it was set */
};

void json_init(struct json *j, FILE *out);
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
/* An object or array whose items stand on one line. */
void json_object_line(struct json *j, const char *key);
void json_array_line(struct json *j, const char *key);
void json_end(struct json *j); /* of the innermost object or array */
void json_int(struct json *j, const char *key, int64_t v);
/* 6 significant digits; not finite: null with a reason. */
void json_real(struct json *j, const char *key, double v);
void json_bool(struct json *j, const char *key, bool v);
/* Text up to its NUL; bytes that are not UTF-8 become U+FFFD. NULL: null. */
void json_text(struct json *j, const char *key, const char *v);
/* A value that does not exist: `key: null` and `key_reason: reason`. */
void json_missing(struct json *j, const char *key, const char *reason);

#endif
