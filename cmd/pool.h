/* Numbered pieces of work on several threads. */
#ifndef PELTIER_CMD_POOL_H
#define PELTIER_CMD_POOL_H

#include <stddef.h>

/* Call one(arg, i) for each i below n, on at most `jobs` threads. `done`, which may be NULL, is
 * called after each with how many are done; never by two threads at once. */
void pool_run(size_t jobs, size_t n, void (*one)(void *arg, size_t i),
              void (*done)(void *arg, size_t n_done), void *arg);

#endif
