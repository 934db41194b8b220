/* prev_state of sched_switch: what each bit means differs from kernel to kernel, and the print fmt
 * of the event tells. This turns it into enum task_state_bits. */
#ifndef PELTIER_SOURCE_STATE_BITS_H
#define PELTIER_SOURCE_STATE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATE_BITS_TABLE = 1024 };

struct state_bits {
	uint16_t map[32];   /* by bit: enum task_state_bits */
	uint64_t preempted; /* the bit that marks a preempted task; 0: this kernel has none */
	uint64_t noload;    /* with uninterruptible: an idle kernel thread */
	unsigned shift;     /* bits stand this many places too high (4.15 to 4.19, unfixed) */
	uint16_t table[STATE_BITS_TABLE]; /* of the usual values; see state_bits_tabulate() */
};

/* A letter by which a state is printed; 0 for R and for those that say nothing on their own. */
uint16_t state_bits_letter(char c);
/* From a print fmt: the `{ value, "L" }` pairs after prev_state; the preempted mark is the next
 * power of two above the largest. False when there are none (then *b is untouched). */
bool state_bits_parse(const char *print_fmt, size_t n, struct state_bits *b);
/* By kernel release ("4.9.65-gabc"; NULL: a current one), for formats without pairs. */
void state_bits_by_release(const char *release, struct state_bits *b);
/* Whether kernels of this release may have stored the bits one place too high. */
bool state_bits_maybe_shifted(const char *release);
/* Whether a trace of such a kernel has the fault. A task that was switched out and is switched in
 * again without a waking in between was runnable; when the state it was switched out in reads 1,
 * runnable is stored as 1: one place too high. A waking in between says the opposite. */
enum { STATE_VOTERS = 1024 };

struct state_votes {
	struct {
		int32_t pid;
		bool reads_1, woken;
	} task[STATE_VOTERS];
	unsigned shifted, sound;
};

/* A sched_switch with the state as recorded, and a waking of any kind. */
void state_votes_switch(struct state_votes *v, int32_t prev, int64_t raw, int32_t next);
void state_votes_wake(struct state_votes *v, int32_t pid);
bool state_votes_shifted(const struct state_votes *v);

/* Fill the table, when the rest is final. */
void state_bits_tabulate(struct state_bits *b);
int64_t state_bits_normalise(const struct state_bits *b, int64_t raw);

#endif
