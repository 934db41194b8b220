#include "tools/csv.h"

#include <stdlib.h>
#include <string.h>

struct csv csv_open(const char *name)
{
	struct csv c = {0};
	char path[128];

	snprintf(path, sizeof path, "testdata/signals/%s.csv", name);
	c.f = fopen(path, "r");
	if (!c.f || !fgets(c.line, sizeof c.line, c.f))
		abort();
	return c;
}

bool csv_row(struct csv *c)
{
	char *p = c->line;

	if (!c->f || !fgets(c->line, sizeof c->line, c->f)) {
		csv_close(c);
		return false;
	}
	c->line[strcspn(c->line, "\r\n")] = '\0';
	for (int i = 0; i < CSV_COLUMNS; i++) {
		c->at[i] = p;
		p += strcspn(p, ",");
		if (*p)
			*p++ = '\0';
	}
	return true;
}

void csv_close(struct csv *c)
{
	if (c->f)
		fclose(c->f);
	c->f = NULL;
}

int64_t csv_int(const struct csv *c, int column)
{
	return strtoll(c->at[column], NULL, 10);
}

double csv_real(const struct csv *c, int column)
{
	return strtod(c->at[column], NULL);
}
