/* A Perfetto trace in memory, for the benchmarks. */
#ifndef PELTIER_TESTS_BENCH_FILE_H
#define PELTIER_TESTS_BENCH_FILE_H

#include "source/wire.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

static inline struct wire map_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	void *p;

	if (fd < 0 || fstat(fd, &st))
		exit(2);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (p == MAP_FAILED)
		exit(2);
	return wire_on(p, (size_t)st.st_size);
}

#endif
