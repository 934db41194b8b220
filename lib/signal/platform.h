/* What is known about the machine besides the trace: plain data. */
#ifndef PELTIER_SIGNAL_PLATFORM_H
#define PELTIER_SIGNAL_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

/* CPUs that share one clock. */
struct platform_domain {
	const char *name; /* or NULL */
	const uint32_t *cpus;
	size_t n_cpus;
	const int64_t *khz; /* ascending; none: not told */
	size_t n_khz;
	const int64_t *power_uw; /* of one busy CPU, [n_khz]; NULL: not told */
	const int64_t *idle_uw;  /* of one idle CPU by number of the idle state; none: not told */
	size_t n_idle;
	int64_t cluster_uw; /* while any CPU is out of its deepest idle state; 0: not told */
};

struct platform {
	const char *name;        /* or NULL */
	const char *source;      /* of the figures; or NULL */
	const char *kernel;      /* release it ran; or NULL */
	const int32_t *capacity; /* by CPU, 1..1024; 0: not told */
	size_t n_cpus;
	const struct platform_domain *domains;
	size_t n_domains;
};

static inline int32_t platform_capacity(const struct platform *p, uint32_t cpu)
{
	return p && cpu < p->n_cpus ? p->capacity[cpu] : 0;
}

/* The domain of a CPU, or NULL. */
static inline const struct platform_domain *platform_domain_of(const struct platform *p,
                                                               uint32_t cpu)
{
	for (size_t i = 0; p && i < p->n_domains; i++)
		for (size_t k = 0; k < p->domains[i].n_cpus; k++)
			if (p->domains[i].cpus[k] == cpu)
				return &p->domains[i];
	return NULL;
}

#endif
