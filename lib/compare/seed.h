/* The tables of the posts that this tool grew out of (reference frames.md 1.6): geometric means
 * over iterations, the last frame of each left out, percent differences from unrounded values, and
 * the maximum beside the highest number of an iteration. The profile `seed-2022`. */
#ifndef PELTIER_COMPARE_SEED_H
#define PELTIER_COMPARE_SEED_H

#include "compare/set.h"

#include <stdio.h>

/* False: the set has no database of Jankbench. */
bool seed_tables(const struct run_set *s, FILE *out);

#endif
