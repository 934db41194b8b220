/* One line of ftrace text, as the kernel (trace, trace_pipe), atrace and `trace-cmd report` print
 * it:
 *
 *   comm-PID  (TGID)  [CPU] FLAGS  SECONDS.FRACTION: event: fields
 *
 * A comm may hold blanks, brackets and dashes; tgid and flags need not be there. */
#ifndef PELTIER_SOURCE_TEXT_LINE_H
#define PELTIER_SOURCE_TEXT_LINE_H

#include "event/event.h"

enum text_line_kind {
	TEXT_OTHER,   /* nothing of a trace */
	TEXT_COMMENT, /* empty, or begins with # */
	TEXT_EVENT,
	TEXT_LOST,    /* cpu, lost */
	TEXT_STARTED, /* cpu: what it wrote before was overwritten */
	TEXT_ENTRIES, /* lost: written, but overwritten before they were read */
	TEXT_CPUS,    /* cpu: number of CPUs */
};

struct text_line {
	enum text_line_kind kind;
	int64_t ts;        /* ns */
	unsigned decimals; /* of the seconds; 0: a clock that counts */
	uint32_t cpu;
	int32_t pid, tgid;           /* tgid -1: not told */
	uint8_t flags;               /* enum event_flags */
	int64_t lost;                /* -1: how many is not told */
	struct str comm, name, body; /* comm: blanks may be before it */
};

enum { TEXT_LINE_MAX = 1 << 16, TEXT_CPU_MAX = 4096 };

/* The line p[0..n), without its end. Of an event the name is not told yet: `body` is all that
 * follows the time. */
enum text_line_kind text_line_parse(const char *p, size_t n, struct text_line *l);
/* Name and body of an event; a name of length 0: a function, no event. */
void text_line_split(struct text_line *l);

#endif
