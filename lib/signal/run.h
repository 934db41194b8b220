/* What is known about a run besides its trace: plain data, as somebody wrote it down. */
#ifndef PELTIER_SIGNAL_RUN_H
#define PELTIER_SIGNAL_RUN_H

#include <math.h>

/* THE list of what a run file may tell: X_TEXT(field, key, also) and X_REAL(field, key, also),
 * `also` another key for the same, or NULL. */
#define RUN_FIELDS(X_TEXT, X_REAL)                                                                 \
	X_TEXT(configuration, "configuration", "config")                                           \
	X_TEXT(iteration, "iteration", "name")                                                     \
	X_TEXT(device, "device", 0)                                                                \
	X_TEXT(kernel, "kernel", 0)                                                                \
	X_TEXT(workload, "workload", 0)                                                            \
	X_TEXT(boot, "boot", "boot_id")                                                            \
	X_TEXT(signal, "signal", 0)                                                                \
	X_REAL(pelt_half_life_ms, "pelt_half_life_ms", 0, 1, 64)                                   \
	X_TEXT(pelt_mechanism, "pelt_mechanism", 0)                                                \
	X_REAL(pelt_multiplier, "pelt_multiplier", 0, 1, 4)                                        \
	X_REAL(walt_window_ms, "walt_window_ms", 0, 1, 1000)                                       \
	X_TEXT(governor, "governor", 0)                                                            \
	X_REAL(rate_limit_us, "rate_limit_us", 0, 0, 1e6)                                          \
	X_REAL(up_rate_limit_us, "up_rate_limit_us", 0, 0, 1e6)                                    \
	X_REAL(down_rate_limit_us, "down_rate_limit_us", 0, 0, 1e6)                                \
	X_REAL(uclamp_rt_default, "uclamp_rt_default", "sched_util_clamp_min_rt_default", 0, 1024) \
	X_REAL(hz, "hz", "HZ", 1, 10000)                                                           \
	X_REAL(refresh_hz, "refresh_hz", 0, 1, 1000)                                               \
	X_REAL(start_temperature_c, "start_temperature_c", 0, 0, 200)                              \
	X_TEXT(charging, "charging", 0)                                                            \
	X_TEXT(platform, "platform", 0) /* a built-in one, or a file beside the run file */

struct run {
	const char *path;                              /* of the file */
#define TEXT(field, key, also) const char *field;      /* NULL: not told */
#define REAL(field, key, also, min, max) double field; /* NAN: not told */
	RUN_FIELDS(TEXT, REAL)
#undef TEXT
#undef REAL
};

/* The half-life in force: as told, else that of the usual tables (32 ms) divided by the multiplier;
 * NAN: neither is told. */
static inline double run_half_life_ms(const struct run *r)
{
	return isnan(r->pelt_half_life_ms) && r->pelt_multiplier >= 1 ? 32 / r->pelt_multiplier
	                                                              : r->pelt_half_life_ms;
}

#endif
