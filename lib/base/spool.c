#include "base/spool.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512 << 10 };

struct spool {
	struct input *in;
	uint8_t *block[2];
	unsigned current; /* filled; the other one may be on its way to the file */
	size_t n;         /* bytes in it */
	uint64_t at;
	struct ahead *ahead;
	struct ahead_job job;
	bool writing;
	size_t job_n;
	struct err err;
	bool failed;
};

static void write_block(void *arg)
{
	struct spool *s = arg;

	if (!s->failed && !input_append(s->in, s->block[!s->current], s->job_n, &s->err))
		s->failed = true;
}

struct spool *spool_open(const char *name, struct ahead *a, struct err *e)
{
	struct input *in = input_spool(name, e);
	struct spool *s;

	if (!in)
		return NULL;
	s = mem_calloc(1, sizeof *s);
	s->in = in;
	s->ahead = a;
	s->job = (struct ahead_job){.run = write_block, .arg = s};
	s->block[0] = mem_calloc(2, BLOCK);
	s->block[1] = s->block[0] + BLOCK;
	return s;
}

uint64_t spool_at(const struct spool *s)
{
	return s->at;
}

static void settle(struct spool *s)
{
	if (s->writing)
		ahead_wait(s->ahead, &s->job);
	s->writing = false;
}

static void send(struct spool *s)
{
	settle(s);
	s->current = !s->current;
	s->job_n = s->n;
	s->n = 0;
	s->writing = s->ahead != NULL;
	if (s->writing)
		ahead_start(s->ahead, &s->job);
	else
		write_block(s);
}

bool spool_add(struct spool *s, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	s->at += n;
	while (n) {
		size_t some = n < BLOCK - s->n ? n : BLOCK - s->n;

		memcpy(s->block[s->current] + s->n, p, some);
		s->n += some;
		p += some;
		n -= some;
		if (s->n == BLOCK)
			send(s);
	}
	if (s->writing)
		return true;
	return !s->failed;
}

bool spool_end(struct spool *s, struct err *e)
{
	if (s->n)
		send(s);
	settle(s);
	if (s->failed)
		*e = s->err;
	return !s->failed;
}

const struct input *spool_input(const struct spool *s)
{
	return s->in;
}

void spool_close(struct spool *s)
{
	if (!s)
		return;
	settle(s);
	input_close(s->in);
	free(s->block[0]);
	free(s);
}
