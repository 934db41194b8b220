/* The kernel's utilization signals, rebuilt from who ran when and at which clock, under several
 * parameter sets side by side: of tasks, and of the fair and real-time queues of CPUs.
 *
 * Every CPU has a PELT clock per set; a signal is brought up to date when something changes that it
 * depends on. Values are live (as if brought up to date when asked for), or, with a tick, those
 * that the kernel would show: averages of the last update, at an event or a tick of a busy CPU, in
 * which a period ended. What is not known (the value at the start, and time in which nobody knows
 * whether a task ran) is carried along as a second signal that counts all such time as running: a
 * value is used when that one is small. */
#ifndef PELTIER_ANALYSIS_LOAD_H
#define PELTIER_ANALYSIS_LOAD_H

#include "analysis/analysis.h"
#include "signal/pelt.h"
#include "signal/util_est.h"

enum { LOAD_SETS_MAX = HALF_LIVES_MAX, LOAD_UNSURE_MAX = 8 };

struct load_queue {
	struct pelt_clock clock;
	struct pelt_signal cfs, rt, dl, irq, unsure;
	int64_t est; /* sum of the estimates of queued tasks */
};

struct load_cpu {
	bool known;
	int64_t t; /* up to date */
	uint32_t cap;
	int64_t top_khz; /* 0: not known */
	bool sized;      /* its capacity is known */
	int64_t queued;  /* fair tasks that run or wait here */
	/* which signals are not 0 in some set: others are not kept up to date */
	bool has_rt, has_dl, has_unsure;
	bool in_irq;
	int64_t irq_ns; /* in interrupts since the last update of their signal */
	struct load_queue set[LOAD_SETS_MAX];
};

struct load_entity {
	struct pelt_signal signal, unsure;
	struct util_est est;
	int64_t est_queued; /* its part in load_queue.est */
};

struct load_task {
	bool known, queued, has_unsure; /* as in load_cpu */
	uint32_t cpu; /* whose clock its signals are on, and whose queue they are in */
	struct load_entity set[LOAD_SETS_MAX];
};

struct load {
	struct context *ctx;
	unsigned n;     /* sets */
	bool est_early; /* the estimate is taken before the util is brought up to date */
	enum util_est_era est_era;
	bool est_sees_waits; /* the estimate of a task that had to wait is kept: from about 6.5 on
	                      */
	struct pelt pelt[LOAD_SETS_MAX];
	VEC(struct load_cpu) cpus;
	VEC(struct load_task) tasks; /* by id */
	int64_t tick;                /* ns between ticks; 0: values are live */
	int64_t busy_ns, guessed_ns; /* of the latter the speed is not known */
};

/* Values 0..1024. unsure: the width of the range in which util is, for lack of knowledge; util is
 * its middle. */
struct load_value {
	double util, runnable, unsure;
	double rt, dl, irq; /* of a CPU; irq 0 when interrupts are not accounted apart */
	double per_ms;      /* by how much util changes now, by the clock of the trace */
	double est;         /* of a CPU: of what is queued */
	double est_asleep;  /* of a task: if it went to sleep now */
};

/* Whether a kernel release is older than that; one that is not known (NULL) is the latest. */
bool load_before(const char *release, unsigned major, unsigned minor);
/* The rules of PELT in a release. */
enum pelt_era load_era(const char *release);
/* One more parameter set, by the rules of the trace's kernel. Zero-initialise a struct load, then
 * set ctx. */
void load_add_set(struct load *l, unsigned half_life);
/* Values as the kernel shows them with so many ticks a second; 0: live. */
void load_set_hz(struct load *l, double hz);
void load_free(struct load *l);

void load_cpu_seg(struct load *l, const struct cpu_seg *f);
void load_task_seg(struct load *l, const struct task_seg *f);
void load_migrated(struct load *l, const struct migrated *f);
/* The kernel recorded the signals of a task, or (task NULL) of a CPU: it brought them up to date.
 */
void load_refresh(struct load *l, const struct task *task, uint32_t cpu, int64_t t);
/* A new task joins its CPU when it is woken first. */
void load_woke(struct load *l, const struct woke *f);
void load_irq_change(struct load *l, const struct irq_change *f);

/* Util and unsure of a task as its last load_task_seg() left it; false when nothing is known. */
bool load_latest(const struct load *l, const struct task *task, unsigned set, struct load_value *v);
/* A task or CPU at time t, which is not before the last fact. False when nothing is known of it. */
bool load_of_task(struct load *l, const struct task *task, unsigned set, int64_t t,
                  struct load_value *v);
bool load_of_cpu(struct load *l, uint32_t cpu, unsigned set, int64_t t, struct load_value *v);

#endif
