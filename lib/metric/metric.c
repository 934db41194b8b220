#include "metric/metric.h"

#include <stdlib.h>
#include <string.h>

const struct metric metrics[METRICS] = {
#define METRIC(id, name, unit, direction, class, definition, needs)                                \
	[METRIC_ID_##id] = {name, unit, METRIC_##direction, METRIC_##class, definition, needs, 1},
#include "metric/metric.def"
};

static struct metric_row *add(struct metric_rows *m, enum metric_id id, const char *scope)
{
	struct metric_row *r = vec_add(&m->rows);

	r->id = id;
	r->scope = arena_str(&m->arena, scope, strlen(scope));
	return r;
}

void metric_add(struct metric_rows *m, enum metric_id id, const char *scope, double value)
{
	add(m, id, scope)->value = value;
}

void metric_add_missing(struct metric_rows *m, enum metric_id id, const char *scope,
                        const char *reason)
{
	add(m, id, scope)->reason = arena_str(&m->arena, reason, strlen(reason));
}

void metric_rows_free(struct metric_rows *m)
{
	vec_free(&m->rows);
	arena_free(&m->arena);
}
