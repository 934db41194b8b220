#include "source/state_bits.h"

#include "base/text.h"

#include "event/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a letter means. K (wake-kill), W (waking), n (new) say nothing on their own; x is the old
 * TASK_DEAD. N (no load) turns uninterruptible into idle. */
uint16_t state_bits_letter(char c)
{
	switch (c) {
	case 'S':
		return TS_INTERRUPTIBLE;
	case 'D':
		return TS_UNINTERRUPTIBLE;
	case 'T':
		return TS_STOPPED;
	case 't':
		return TS_TRACED;
	case 'X':
	case 'x':
		return TS_DEAD;
	case 'Z':
		return TS_ZOMBIE;
	case 'P':
		return TS_PARKED;
	case 'I':
		return TS_IDLE;
	default:
		return 0;
	}
}

static void add_bit(struct state_bits *b, uint64_t value, char letter)
{
	int bit = __builtin_ctzll(value);

	if (bit >= 32 || value & (value - 1))
		return;
	b->map[bit] = state_bits_letter(letter);
	if (letter == 'N')
		b->noload = value;
}

/* One `{ 0x1, "S" }` at p; the value, or 0. */
static uint64_t pair(const char *p, const char *end, char *letter)
{
	char num[24];
	size_t n = 0;
	uint64_t v;

	for (p++; p < end && *p == ' '; p++)
		;
	while (p < end && n < sizeof num - 1 && *p != ',' && *p != ' ')
		num[n++] = *p++;
	num[n] = '\0';
	v = strtoull(num, NULL, 0);
	while (p < end && (*p == ',' || *p == ' '))
		p++;
	if (end - p < 3 || p[0] != '"' || p[2] != '"')
		return 0;
	*letter = p[1];
	return v;
}

bool state_bits_parse(const char *text, size_t n, struct state_bits *b)
{
	const char *end = text + n, *p = memmem(text, n, "prev_state", 10);
	struct state_bits out = {0};
	uint64_t top = 0;

	while (p && p < end && (p = memchr(p, '{', (size_t)(end - p)))) {
		char letter = 0;
		uint64_t v = pair(p, end, &letter);

		if (v && v < 1ull << 31) {
			add_bit(&out, v, letter);
			top = v > top ? v : top;
		}
		p++;
	}
	if (!top)
		return false;
	out.preempted = 1ull << (64 - __builtin_clzll(top));
	*b = out;
	return true;
}

void state_bits_by_release(const char *release, struct state_bits *b)
{
	static const char oldest[] = "SDTtZXxKWPNn", old[] = "SDTtXZxKWPNn", now[] = "SDTtXZPI";
	unsigned major = 0, minor = 0, v;
	const char *letters = now;
	unsigned bits = 8;

	*b = (struct state_bits){0};
	if (text_release(release, &major, &minor) && (v = major * 100 + minor) < 414) {
		letters = v < 314 ? oldest : old;
		bits = v >= 408 ? 12 : v >= 402 ? 11 : v >= 309 ? 10 : 9;
	}
	for (unsigned i = 0; i < bits; i++)
		add_bit(b, 1ull << i, letters[i]);
	b->preempted = 1ull << bits;
}

bool state_bits_maybe_shifted(const char *release)
{
	unsigned major, minor;

	return text_release(release, &major, &minor) && major == 4 && minor >= 14 && minor <= 19;
}

void state_votes_switch(struct state_votes *v, int32_t prev, int64_t raw, int32_t next)
{
	uint32_t out = (uint32_t)prev % STATE_VOTERS, in = (uint32_t)next % STATE_VOTERS;

	if (next > 0 && v->task[in].pid == next && v->task[in].reads_1) {
		v->shifted += !v->task[in].woken;
		v->sound += v->task[in].woken;
		v->task[in].reads_1 = false;
	}
	v->task[out].pid = prev;
	v->task[out].reads_1 = raw == 1;
	v->task[out].woken = false;
}

void state_votes_wake(struct state_votes *v, int32_t pid)
{
	uint32_t i = (uint32_t)pid % STATE_VOTERS;

	if (v->task[i].pid == pid)
		v->task[i].woken = true;
}

bool state_votes_shifted(const struct state_votes *v)
{
	return v->shifted >= 8 && v->shifted > 4 * v->sound;
}

int64_t state_bits_normalise(const struct state_bits *b, int64_t raw)
{
	uint64_t v = (uint64_t)raw;
	uint64_t out = 0;

	if (v & b->preempted)
		return TS_PREEMPTED;
	v >>= b->shift;
	if ((v & b->noload) && (v & TS_UNINTERRUPTIBLE))
		return TS_IDLE;
	for (v &= 0xffffffff; v; v &= v - 1)
		out |= b->map[__builtin_ctzll(v)];
	return (int64_t)out;
}

void state_bits_tabulate(struct state_bits *b)
{
	for (int v = 0; v < STATE_BITS_TABLE; v++)
		b->table[v] = (uint16_t)state_bits_normalise(b, v);
}
