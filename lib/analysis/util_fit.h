/* The self-check of rebuilt signals: a free run, never set right by what the kernel recorded. */
#ifndef PELTIER_ANALYSIS_UTIL_FIT_H
#define PELTIER_ANALYSIS_UTIL_FIT_H

#include "base/series.h"
#include "report/doc.h"
#include "report/json.h"

#include <stdbool.h>

/* Rebuilt values beside those that the kernel recorded. */
struct fit {
	struct series size;      /* of the difference, in 1/1000 */
	double sum;              /* of rebuilt minus recorded */
	double by_slope, slopes; /* sums of difference x slope, of slope^2: see lag_ms() */
};

/* Rebuilt minus recorded, and how fast the rebuilt one changes (units per ms). */
void fit_add(struct fit *x, double difference, double per_ms);
void fit_clear(struct fit *x);
void fit_free(struct fit *x);
/* An object of an array; signal may be NULL. */
void fit_json(struct json *j, unsigned half_life, const char *signal, struct fit *x);
/* A row of the table that the first of them begins; nothing without values. */
void fit_row(struct doc *d, bool *begun, const char *label, unsigned half_life, struct fit *x);

#endif
