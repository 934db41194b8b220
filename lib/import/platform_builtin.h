/* Platforms that are built in: boards whose figures are in public device trees. */
#ifndef PELTIER_IMPORT_PLATFORM_BUILTIN_H
#define PELTIER_IMPORT_PLATFORM_BUILTIN_H

#include "signal/platform.h"

/* The platform of that name, or NULL. */
const struct platform *platform_builtin(const char *name);
/* The i-th, in alphabetical order, or NULL behind the last. */
const struct platform *platform_builtin_at(size_t i);

#endif
