#include "plot.h"

#include <inttypes.h>
#include <string.h>

static void begin(struct plot *p)
{
	if (p->json) {
		json_init(&p->j, p->out);
		json_object(&p->j, NULL);
		json_text(&p->j, "schema", "peltier/timeline/1");
		json_array(&p->j, "points");
	} else {
		fputs("t_ns,signal,of,value\n", p->out);
	}
}

/* A text of a CSV file: in quotes when it has any, commas or line ends; a spreadsheet takes what
 * begins with one of =+-@ for a formula. */
static void csv_text(FILE *out, const char *text)
{
	bool quote = strpbrk(text, ",\"\r\n") || strchr("=+-@", *text);

	if (!quote) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	if (strchr("=+-@", *text))
		fputc('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

void plot_point(void *arg, const struct timeline_point *t)
{
	struct plot *p = arg;

	if (!p->n++)
		begin(p);
	if (p->json) {
		json_object_line(&p->j, NULL);
		json_int(&p->j, "t_ns", t->t);
		json_text(&p->j, "signal", t->signal);
		json_text(&p->j, "of", t->of);
		if (t->known && t->value == (double)(int64_t)t->value)
			json_int(&p->j, "value", (int64_t)t->value); /* all digits of a clock */
		else if (t->known)
			json_real(&p->j, "value", t->value);
		else
			json_text(&p->j, "value", NULL);
		json_end(&p->j);
		return;
	}
	fprintf(p->out, "%" PRId64 ",%s,", t->t, t->signal);
	csv_text(p->out, t->of);
	if (t->known)
		fprintf(p->out, ",%.9g\n", t->value);
	else
		fputs(",\n", p->out);
}

void plot_end(struct plot *p)
{
	if (!p->n)
		begin(p);
	if (p->json) {
		json_end(&p->j);
		json_end(&p->j);
		fputc('\n', p->out);
	}
}
