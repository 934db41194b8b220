/* Print the frequency timeline of a CPU: frequency TRACE CPU */
#include <inttypes.h>
#include <peltier.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	char why[PEL_ERROR_MAX];
	pel_trace *t;
	const struct pel_step *step;
	int64_t start, end;
	size_t n;

	if (argc < 3) {
		fprintf(stderr, "usage: frequency TRACE CPU\n");
		return 2;
	}
	t = pel_open(argv[1], NULL, why);
	if (!t) {
		fprintf(stderr, "%s\n", why);
		return 2;
	}
	step = pel_timeline(t, PEL_CPU_FREQUENCY, (uint32_t)atoi(argv[2]), &n);
	pel_span(t, &start, &end);
	for (size_t i = 0; i < n; i++) {
		printf("%.6f\t", (double)(step[i].t_ns - start) / 1e9);
		if (step[i].value == PEL_UNKNOWN)
			printf("unknown\n");
		else
			printf("%" PRId64 "\n", step[i].value);
	}
	pel_close(t);
	return 0;
}
