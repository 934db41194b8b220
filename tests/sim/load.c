/* The signals of the model: floating closed forms of geometric averages (PELT of 5.1 and later,
 * whose clock is slowed down by the CPU's speed). They differ from the kernel's integers by less
 * than a unit per update; from period to period the kernel rounds down, which is up to 2 units in
 * all. */
#include "sim/sim.h"

#include <math.h>

void sim_clock_advance(struct sim_clock *c, double ns, double speed)
{
	c->wall += ns;
	if (c->idle)
		c->pelt = c->wall;
	else
		c->pelt += ns * speed;
}

void sim_clock_idle(struct sim_clock *c, double util, double half_life_ns)
{
	/* the sum that the kernel compares, from the util and the part of the period that is over
	 */
	double max = 1024 / (1 - exp2(-1048576 / half_life_ns));
	double part = fmod(sim_clock_now(c) / 1024, 1024);

	/* a CPU that had no time to spare does not get back what its slowness cost */
	if (util * (max - 1024 + part) >= (max - 1024) * 1024 - max)
		c->lost += c->wall - c->pelt;
	c->pelt = c->wall;
	c->idle = true;
}

double sim_clock_now(const struct sim_clock *c)
{
	return c->pelt - c->lost;
}

void sim_signal_update(struct sim_signal *s, double now, bool running, double half_life_ns)
{
	double left = exp2(-(now - s->at) / half_life_ns);

	s->util = running ? 1024 - (1024 - s->util) * left : s->util * left;
	s->at = now;
}
