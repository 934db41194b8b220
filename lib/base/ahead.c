#include "base/ahead.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>

struct ahead {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t given, done;
	struct ahead_job *first, **last;
	bool stop;
};

static void *work(void *arg)
{
	struct ahead *a = arg;

	pthread_mutex_lock(&a->lock);
	for (;;) {
		struct ahead_job *job = a->first;

		if (!job && a->stop)
			break;
		if (!job) {
			pthread_cond_wait(&a->given, &a->lock);
			continue;
		}
		a->first = job->next;
		if (!a->first)
			a->last = &a->first;
		pthread_mutex_unlock(&a->lock);
		job->run(job->arg);
		pthread_mutex_lock(&a->lock);
		job->done = true;
		pthread_cond_signal(&a->done);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

struct ahead *ahead_new(void)
{
	struct ahead *a = mem_calloc(1, sizeof *a);

	a->last = &a->first;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->given, NULL);
	pthread_cond_init(&a->done, NULL);
	if (!pthread_create(&a->thread, NULL, work, a))
		return a;
	free(a);
	return NULL;
}

void ahead_free(struct ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->given);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	pthread_cond_destroy(&a->given);
	pthread_cond_destroy(&a->done);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

void ahead_start(struct ahead *a, struct ahead_job *job)
{
	job->next = NULL;
	job->done = false;
	pthread_mutex_lock(&a->lock);
	*a->last = job;
	a->last = &job->next;
	pthread_cond_signal(&a->given);
	pthread_mutex_unlock(&a->lock);
}

void ahead_wait(struct ahead *a, struct ahead_job *job)
{
	pthread_mutex_lock(&a->lock);
	while (!job->done)
		pthread_cond_wait(&a->done, &a->lock);
	pthread_mutex_unlock(&a->lock);
}

static void fetch(void *arg)
{
	struct turns *t = arg;

	t->after = t->fetch(t->arg, !t->current);
}

void turns_init(struct turns *t, bool (*fetch_block)(void *arg, unsigned block), void *arg)
{
	*t = (struct turns){.fetch = fetch_block, .arg = arg, .more = true};
}

void turns_ahead(struct turns *t, struct ahead *a)
{
	t->ahead = a;
	t->job = (struct ahead_job){.run = fetch, .arg = t};
	if (t->more)
		ahead_start(a, &t->job);
}

bool turns_next(struct turns *t)
{
	if (!t->more)
		return false;
	if (t->ahead)
		ahead_wait(t->ahead, &t->job);
	else
		fetch(t);
	t->current = !t->current;
	t->more = t->after;
	if (t->ahead && t->more)
		ahead_start(t->ahead, &t->job);
	return true;
}

void turns_end(struct turns *t)
{
	if (t->ahead && t->more)
		ahead_wait(t->ahead, &t->job);
}
