/* WALT: window-assisted load tracking. Busy time per task and CPU in fixed windows, scaled by the
 * CPU's speed.
 *
 * Demand of a task is running and waiting time of its last active windows; load of a CPU is running
 * time of its last window. Sources: AOSP 4.4/4.9 kernels and the vendor line of 4.9 to 5.15, in our
 * own words (reference signals.md 2); times are ns, speeds 0..1024. */
#ifndef PELTIER_SIGNAL_WALT_H
#define PELTIER_SIGNAL_WALT_H

#include <stdbool.h>
#include <stdint.h>

enum { WALT_HISTORY = 5, WALT_SCALE = 1024, WALT_BUCKETS_MAX = 16 };

enum walt_policy { WALT_RECENT, WALT_MAX, WALT_MAX_RECENT_AVG, WALT_AVG };

/* Why time is accounted: the kernel's numbers. */
enum walt_event {
	WALT_PUT_PREV,     /* it stops running */
	WALT_PICK_NEXT,    /* it waited and starts to run */
	WALT_TASK_WAKE,    /* it slept */
	WALT_TASK_MIGRATE, /* it waited and is moved */
	WALT_TASK_UPDATE,  /* it runs */
	WALT_IRQ_UPDATE,
};

struct walt {
	int64_t window; /* ns, at least 1024 */
	enum walt_policy policy;
	bool demand_counts_wait; /* the default */
	bool load_counts_wait;   /* not the default */
};

struct walt_task {
	bool idle;                     /* the idle task: has no demand */
	int64_t mark;                  /* accounted up to here; 0: never */
	int64_t sum;                   /* of the window under way */
	int64_t curr, prev;            /* its part in the sums of its CPU */
	int64_t demand;                /* ns of a window at full speed */
	int64_t history[WALT_HISTORY]; /* active windows, newest first */
};

struct walt_cpu {
	int64_t start;      /* of the current window */
	int64_t curr, prev; /* busy time of this window so far, and of the one before */
	uint32_t speed;     /* capacity * frequency, now */
	const struct walt_task *current;
};

/* A new task: history and demand are 15 % of a window. */
void walt_task_init(const struct walt *w, struct walt_task *t, int64_t now);
/* Account what the task did since its mark, at the CPU's present speed; windows move on. */
void walt_account(const struct walt *w, struct walt_cpu *c, struct walt_task *t, enum walt_event ev,
                  int64_t now);

/* `samples` windows of that length become history; those of length 0 leave none. */
void walt_push(const struct walt *w, struct walt_task *t, int64_t runtime, int64_t samples);
/* ns of a window as util, 0..1024. */
uint32_t walt_util(const struct walt *w, int64_t ns);

/* ---- prediction (vendor) ---- */

/* 10 buckets of ns up to 5.10, 16 of util from 5.15 on. */
struct walt_buckets {
	unsigned n;
	int64_t full; /* ns of a window, or 1024 for util */
	uint8_t weight[WALT_BUCKETS_MAX];
};

/* What the next window may need: the first value of the history in the lowest bucket that was used
 * at or above `runtime`, or the middle of that bucket; never less than runtime. */
int64_t walt_predict(const struct walt_buckets *b, int64_t runtime,
                     const int64_t history[WALT_HISTORY]);
/* Strengthen the bucket of that runtime, weaken the others. */
void walt_learn(struct walt_buckets *b, int64_t runtime);

#endif
