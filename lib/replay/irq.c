/* When a CPU is in an interrupt: hard ones, and soft ones unless ksoftirqd runs them as a task. */
#include "replay/replay_impl.h"

#include <string.h>

enum { HARD = 1, SOFT = 2 };

void irq_over(struct replay *r, uint32_t id, int64_t t)
{
	r->cpus.at[id].irq = 0;
	tell(r, irq_change, {id, t, false});
}

static bool is_ksoftirqd(const struct task *t)
{
	return t && !strncmp(t->comm, "ksoftirqd/", 10);
}

void irq_event(struct replay *r, const struct event *ev)
{
	struct cpu *c = cpu_get(r, ev->cpu);
	bool in = ev->kind == EV_irq_handler_entry || ev->kind == EV_softirq_entry;
	unsigned what = ev->kind == EV_softirq_entry || ev->kind == EV_softirq_exit ? SOFT : HARD;
	unsigned was = c->irq;

	if (in && what == SOFT && is_ksoftirqd(c->cur))
		return;
	c->irq = (uint8_t)(in ? was | what : was & ~what);
	if (!was != !c->irq)
		tell(r, irq_change, {ev->cpu, ev->ts, c->irq != 0});
}
