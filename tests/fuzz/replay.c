/* A fuzz target without a fuzzer: run it on every file given. Prints TAP. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		uint8_t *bytes;
		long n;

		if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
			printf("not ok %d - %s\n", i, argv[i]);
			if (f)
				fclose(f);
			continue;
		}
		bytes = malloc((size_t)n + 1);
		if (!bytes || fread(bytes, 1, (size_t)n, f) != (size_t)n)
			abort();
		fclose(f);
		LLVMFuzzerTestOneInput(bytes, (size_t)n);
		free(bytes);
		printf("ok %d - %s\n", i, argv[i]);
	}
	printf("1..%d\n", argc - 1);
	return 0;
}
