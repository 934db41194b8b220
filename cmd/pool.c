#include "pool.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>

struct pool {
	size_t n, next, n_done;
	void (*one)(void *arg, size_t i);
	void (*done)(void *arg, size_t n_done);
	void *arg;
	pthread_mutex_t lock;
};

static void *worker(void *pool)
{
	struct pool *p = pool;

	for (;;) {
		size_t i;

		pthread_mutex_lock(&p->lock);
		i = p->next++;
		pthread_mutex_unlock(&p->lock);
		if (i >= p->n)
			return NULL;
		p->one(p->arg, i);
		pthread_mutex_lock(&p->lock);
		p->n_done++;
		if (p->done)
			p->done(p->arg, p->n_done);
		pthread_mutex_unlock(&p->lock);
	}
}

void pool_run(size_t jobs, size_t n, void (*one)(void *arg, size_t i),
              void (*done)(void *arg, size_t n_done), void *arg)
{
	struct pool p = {
	        .n = n, .one = one, .done = done, .arg = arg, .lock = PTHREAD_MUTEX_INITIALIZER};
	pthread_t *threads;
	size_t started = 0;

	jobs = jobs < n ? jobs : n;
	threads = mem_calloc(jobs + 1, sizeof *threads);
	while (started + 1 < jobs && !pthread_create(&threads[started], NULL, worker, &p))
		started++;
	worker(&p);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}
