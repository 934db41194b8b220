/* Work done ahead of its use: one thread that runs jobs in the order they were given, so that
 * reading and inflating go on while what is already there is analysed. */
#ifndef PELTIER_BASE_AHEAD_H
#define PELTIER_BASE_AHEAD_H

#include <stdbool.h>

struct ahead;

/* Kept by the caller from ahead_start() to ahead_wait(). */
struct ahead_job {
	void (*run)(void *arg);
	void *arg;
	struct ahead_job *next;
	bool done;
};

/* NULL when the system gives no thread: then there is no ahead, and jobs are run when needed. */
struct ahead *ahead_new(void);
/* No job may be under way. */
void ahead_free(struct ahead *a);
void ahead_start(struct ahead *a, struct ahead_job *job);
/* Until the job has run. */
void ahead_wait(struct ahead *a, struct ahead_job *job);

/* Two blocks in turn: one is used while the other is fetched. */
struct turns {
	bool (*fetch)(void *arg, unsigned block); /* fill it; whether another will follow */
	void *arg;
	unsigned current; /* the block in use */
	bool more;        /* one follows it */
	bool after;       /* of the last fetch */
	struct ahead *ahead;
	struct ahead_job job;
};

/* The first block is not there before turns_next(). */
void turns_init(struct turns *t, bool (*fetch)(void *arg, unsigned block), void *arg);
/* Let `a` do the fetching, from now on; *t must stay where it is. */
void turns_ahead(struct turns *t, struct ahead *a);
/* Make the next block the current one; false when there is none. */
bool turns_next(struct turns *t);
/* Wait for what is under way. */
void turns_end(struct turns *t);

#endif
