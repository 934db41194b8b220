/* Count the events of a trace by name: count-events TRACE */
#include <peltier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct count {
	char name[64];
	long n;
};

int main(int argc, char **argv)
{
	char why[PEL_ERROR_MAX];
	pel_trace *t = pel_open(argc > 1 ? argv[1] : "-", NULL, why);
	struct count *counts = NULL;
	size_t n = 0;

	if (!t) {
		fprintf(stderr, "%s\n", why);
		return 2;
	}
	for (const struct pel_event *ev; (ev = pel_next(t));) {
		size_t i = 0;

		if (ev->is_gap)
			continue;
		while (i < n && strcmp(counts[i].name, ev->name))
			i++;
		if (i == n) {
			counts = realloc(counts, ++n * sizeof *counts);
			if (!counts)
				return 4;
			snprintf(counts[i].name, sizeof counts[i].name, "%s", ev->name);
			counts[i].n = 0;
		}
		counts[i].n++;
	}
	for (size_t i = 0; i < n; i++)
		printf("%s\t%ld\n", counts[i].name, counts[i].n);
	if (pel_quality(t).partial)
		fprintf(stderr,
		        "the trace is cut or damaged: these are the events that are left\n");
	free(counts);
	pel_close(t);
	return 0;
}
