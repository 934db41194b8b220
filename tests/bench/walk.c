/* Read every event and do nothing: decode and merge alone. walk TRACE */
#include "source/source.h"

#include <stdio.h>

static bool none(enum event_kind k)
{
	(void)k;
	return false;
}

int main(int argc, char **argv)
{
	struct err e;
	struct source *s = argc > 1 ? source_open(argv[1], &(struct source_opts){0}, &e) : NULL;
	unsigned long n = 0;

	if (!s)
		return 2;
	source_want(s, none);
	while (source_next(s))
		n++;
	printf("%lu events\n", n);
	source_close(s);
	return 0;
}
