/* What schedutil would ask for, rebuilt from util: for those who want to know why a clock was low.
 */
#ifndef PELTIER_ANALYSIS_REQUEST_H
#define PELTIER_ANALYSIS_REQUEST_H

#include "analysis/analysis.h"

/* The clock asked for the CPU in the segment that is being told, kHz; 0: not known. */
int64_t request_khz(const struct context *c, uint32_t cpu);
/* Why the model of requests is not to be trusted, or NULL. `out` gets the words. */
const char *request_withheld(const struct context *c, char out[160]);

#endif
