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

#endif
