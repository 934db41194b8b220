/* A platform file, and the same bytes as a run file. */
#include "fuzz/fuzz.h"

#include "import/platform_file.h"
#include "import/run_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("platform", 0);
	char path[64];
	struct err e;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	platform_file_free(platform_file_load(path, &e));
	run_file_free(run_file_load(path, "iter-01.dat", &e));
	close(fd);
	return 0;
}
