#include "report/json.h"

#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

void json_init(struct json *j, FILE *out)
{
	*j = (struct json){.out = out};
}

static void quoted(struct json *j, const char *s)
{
	size_t n = strlen(s);

	fputc('"', j->out);
	for (size_t i = 0; i < n;) {
		unsigned char c = (unsigned char)s[i];
		size_t len = text_utf8(s + i, n - i);

		if (c == '"' || c == '\\')
			fprintf(j->out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(j->out, "\\u%04x", c);
		else if (len)
			fwrite(s + i, 1, len, j->out);
		else
			fputs("\\ufffd", j->out);
		i += len ? len : 1;
	}
	fputc('"', j->out);
}

static void separate(struct json *j)
{
	if (!j->depth)
		return;
	if (j->has_item[j->depth])
		fputs(j->compact ? ", " : ",", j->out);
	j->has_item[j->depth] = true;
	if (!j->compact)
		fprintf(j->out, "\n%*s", 2 * j->depth, "");
}

static void key_of(struct json *j, const char *key)
{
	separate(j);
	if (key) {
		quoted(j, key);
		fputs(": ", j->out);
	}
}

static void nest(struct json *j, const char *key, char begin, char end, bool line)
{
	key_of(j, key);
	assert(j->depth + 1 < JSON_DEPTH);
	fputc(begin, j->out);
	j->depth++;
	j->has_item[j->depth] = false;
	j->closer[j->depth] = end;
	if (line && !j->compact)
		j->compact = j->depth;
}

void json_object(struct json *j, const char *key)
{
	nest(j, key, '{', '}', false);
}

void json_array(struct json *j, const char *key)
{
	nest(j, key, '[', ']', false);
}

void json_object_line(struct json *j, const char *key)
{
	nest(j, key, '{', '}', true);
}

void json_array_line(struct json *j, const char *key)
{
	nest(j, key, '[', ']', true);
}

void json_end(struct json *j)
{
	bool had = j->has_item[j->depth], line = j->compact != 0;

	assert(j->depth);
	if (had && !line)
		fprintf(j->out, "\n%*s", 2 * (j->depth - 1), "");
	fputc(j->closer[j->depth], j->out);
	if (j->compact == j->depth)
		j->compact = 0;
	j->depth--;
	if (!j->depth)
		fputc('\n', j->out);
}

void json_int(struct json *j, const char *key, int64_t v)
{
	key_of(j, key);
	fprintf(j->out, "%" PRId64, v);
}

void json_real(struct json *j, const char *key, double v)
{
	char text[64];

	if (!isfinite(v)) {
		json_missing(j, key, "not a finite number");
		return;
	}
	key_of(j, key);
	text_general(text, sizeof text, v, 6);
	fputs(text, j->out);
}

void json_bool(struct json *j, const char *key, bool v)
{
	key_of(j, key);
	fputs(v ? "true" : "false", j->out);
}

void json_text(struct json *j, const char *key, const char *v)
{
	key_of(j, key);
	if (v)
		quoted(j, v);
	else
		fputs("null", j->out);
}

void json_missing(struct json *j, const char *key, const char *reason)
{
	char name[80];

	json_text(j, key, NULL);
	if (!key)
		return;
	snprintf(name, sizeof name, "%s_reason", key);
	json_text(j, name, reason);
}
