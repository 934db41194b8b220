/* A CSV file of results, and the same bytes as a definition of frames with markers for it. */
#include "fuzz/fuzz.h"

#include "frame/user.h"
#include "import/results_csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void row(void *arg, const struct result_row *r)
{
	size_t *sum = arg;

	*sum += strlen(r->config) + strlen(r->iteration) + strlen(r->metric) + strlen(r->scope) +
	        strlen(r->unit) + (r->text ? strlen(r->text) : 0);
}

/* The lines are markers of two threads in turn. */
static void define(char *text)
{
	struct frames frames = {.left_out = 0};
	struct frame_user *u;
	char *line, *rest = strchr(text, '\n');
	struct err e;
	int64_t t = 0;

	if (rest)
		*rest++ = '\0';
	if (strlen(text) > 60 || !frame_user_check(text, &e)) /* what a long expression costs is
	                                                         its user's business */
		return;
	u = frame_user_new(text, &frames, (struct frame_hearer){NULL, NULL});
	while ((line = strsep(&rest, "\n"))) {
		struct event ev = {.ts = ++t,
		                   .pid = 7 + (int)(t & 1),
		                   .kind = EV_print,
		                   .has = 1u << EVB_print_buf};

		ev.print.buf = (struct str){line, strlen(line)};
		frame_user_event(u, &ev, "print", "app");
	}
	frame_user_free(u);
	frames_free(&frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("results", 0);
	char path[64], *text = malloc(size + 1);
	struct err e;
	size_t sum = 0;

	if (!text || fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	results_csv_read(path, row, &sum, &e);
	close(fd);
	memcpy(text, data, size);
	text[size] = '\0';
	define(text);
	free(text);
	return 0;
}
