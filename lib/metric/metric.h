/* The registry of metrics, and rows of results. */
#ifndef PELTIER_METRIC_METRIC_H
#define PELTIER_METRIC_METRIC_H

#include "base/mem.h"

enum metric_direction { METRIC_LESS, METRIC_MORE, METRIC_EQUAL };
enum metric_class { METRIC_RATIO, METRIC_SHARE, METRIC_COUNT };

enum metric_id {
#define METRIC(id, name, unit, direction, class, definition, needs) METRIC_ID_##id,
#include "metric/metric.def"
	METRICS
};

struct metric {
	const char *name, *unit;
	enum metric_direction direction;
	enum metric_class class;
	const char *definition, *needs;
	int version; /* of the definition; values of different versions are not compared */
};

/* By enum metric_id. */
extern const struct metric metrics[METRICS];

/* One value, or the reason why there is none. */
struct metric_row {
	enum metric_id id;
	const char *scope;
	double value;
	const char *reason; /* not NULL: there is no value */
};

struct metric_rows {
	struct arena arena;
	VEC(struct metric_row) rows;
};

/* `scope` is copied. */
void metric_add(struct metric_rows *m, enum metric_id id, const char *scope, double value);
void metric_add_missing(struct metric_rows *m, enum metric_id id, const char *scope,
                        const char *reason);
void metric_rows_free(struct metric_rows *m);

#endif
