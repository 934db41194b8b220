#include "source/text_field.h"

#include <string.h>

/* Keys of texts that are not the names of fields (the print fmt of the kernel differs from its
 * record). `hex`: printed without 0x. */
static const struct {
	enum event_kind kind;
	const char *field, *key;
	bool hex;
} also[] = {
        {EV_sched_process_fork, "parent_pid", "pid", false},
        {EV_cpu_frequency_limits, "min_khz", "min", false},
        {EV_cpu_frequency_limits, "max_khz", "max", false},
        {EV_task_newtask, "clone_flags", "clone_flags", true},
        {EV_sched_blocked_reason, "caller", "caller", true},
        {EV_gpu_frequency, "khz", "frequency", false},
        {EV_binder_transaction, "debug_id", "transaction", false},
        {EV_binder_transaction, "to_proc", "dest_proc", false},
        {EV_binder_transaction, "to_thread", "dest_thread", false},
        {EV_binder_transaction_received, "debug_id", "transaction", false},
};

static void add_key(struct text_plan *p, const char *name, size_t len, unsigned field,
                    unsigned rank, bool hex)
{
	if (p->n == TEXT_KEYS_MAX || !len || len > UINT8_MAX)
		return;
	p->keys[p->n++] = (struct text_key){name, (uint8_t)len, (uint8_t)rank, (uint8_t)field, hex};
}

void text_plan_init(struct text_plan *p, enum event_kind kind)
{
	const struct event_desc *d = &event_desc[kind];

	*p = (struct text_plan){.kind = kind};
	for (unsigned i = 0; i < d->n_fields; i++) {
		const char *s = d->fields[i].names;

		for (size_t k = 0; k < sizeof also / sizeof *also; k++)
			if (also[k].kind == kind && !strcmp(also[k].field, d->fields[i].name))
				add_key(p, also[k].key, strlen(also[k].key), i, 0, also[k].hex);
		for (unsigned rank = 0; *s; rank++) {
			size_t len = strcspn(s, "|");

			add_key(p, s, len, i, rank, false);
			s += len + (s[len] == '|');
		}
	}
}

/* ---- values ---- */

static int digit(char c, unsigned base)
{
	int v = c >= '0' && c <= '9'   ? c - '0'
	        : c >= 'a' && c <= 'f' ? c - 'a' + 10
	        : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                               : 99;

	return v < (int)base ? v : -1;
}

/* The number at p, which may be negative or 0x; false when there is none. */
static bool integer(const char *p, const char *end, bool hex, int64_t *out)
{
	bool negative = p < end && *p == '-';
	unsigned base = hex ? 16 : 10;
	uint64_t v = 0;
	const char *s;
	int d;

	p += negative;
	if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	}
	for (s = p; s < end && s - p < 20 && (d = digit(*s, base)) >= 0; s++)
		v = v * base + (unsigned)d;
	*out = (int64_t)(negative ? -v : v);
	return s > p;
}

/* Digits only; what follows begins at the return. NULL: there are none, or too many. */
static inline const char *decimal(const char *p, const char *end, int64_t *out)
{
	const char *s = p;
	int64_t v = 0;

	while (s < end && (unsigned char)(*s - '0') < 10 && s - p < 18)
		v = v * 10 + (*s++ - '0');
	*out = v;
	return s > p ? s : NULL;
}

static int64_t state(const char *p, const char *end, const struct state_bits *b)
{
	int64_t v, out = 0;

	if (p < end && *p >= '0' && *p <= '9' && integer(p, end, false, &v))
		return state_bits_normalise(b, v);
	if (end - p == 1 && *p == 'W')
		return TS_IDLE; /* trace-cmd's letter for that */
	for (; p < end && *p != ' '; p++) {
		if (*p == '+')
			return TS_PREEMPTED;
		out |= state_bits_letter(*p);
	}
	return out;
}

static void set_int(struct event *ev, const struct event_desc *d, unsigned field, int64_t v)
{
	memcpy((char *)ev + d->fields[field].offset, &v, sizeof v);
	ev->has |= 1u << field;
}

static void set_str(struct event *ev, const struct event_desc *d, unsigned field, const char *p,
                    const char *end)
{
	struct str s = {p, (size_t)(end - p)};

	memcpy((char *)ev + d->fields[field].offset, &s, sizeof s);
	ev->has |= 1u << field;
}

/* ---- key=value ---- */

/* The key that begins at p and is followed by =, or -1; `guess` is tried first. */
static inline int key_at(const struct text_plan *p, const char *s, const char *end, unsigned guess)
{
	for (unsigned i = 0; i <= p->n; i++) {
		unsigned k = i ? i - 1 : guess;
		const struct text_key *x = &p->keys[k];

		if (k < p->n && end - s > x->len && s[x->len] == '=' && !memcmp(s, x->name, x->len))
			return (int)k;
	}
	return -1;
}

/* The end of a text that begins at s: before the next known key, or the end. */
static const char *text_end(const struct text_plan *p, const char *s, const char *end,
                            unsigned guess)
{
	for (const char *blank = s; (blank = memchr(blank, ' ', (size_t)(end - blank))); blank++) {
		const char *next = blank + 1;

		if (end - next > 4 && !memcmp(next, "==> ", 4))
			next += 4;
		if (key_at(p, next, end, guess) >= 0)
			return blank;
	}
	return end;
}

static inline const char *word_end(const char *s, const char *end)
{
	while (s < end && *s != ' ')
		s++;
	return s;
}

static void pairs(struct text_plan *p, const char *s, const char *end,
                  const struct state_bits *states, struct event *ev)
{
	const struct event_desc *d = &event_desc[p->kind];
	uint8_t ranks[32] = {0};
	unsigned last = p->n;

	while (s < end) {
		int k = key_at(p, s, end, p->next[last]);
		const char *stop;
		int64_t v;

		if (k < 0) {
			s = word_end(s, end) + 1;
			continue;
		}
		p->next[last] = (uint8_t)k;
		last = (unsigned)k;
		s += p->keys[k].len + 1;
		if (ev->has >> p->keys[k].field & 1 && ranks[p->keys[k].field] <= p->keys[k].rank) {
			s = word_end(s, end) + 1; /* a better name told it */
			continue;
		}
		ranks[p->keys[k].field] = p->keys[k].rank;
		if (d->fields[p->keys[k].field].type == EVENT_FIELD_STR) {
			stop = text_end(p, s, end, p->next[last]);
			set_str(ev, d, p->keys[k].field, s, stop);
		} else {
			stop = word_end(s, end);
			if (p->kind == EV_sched_switch &&
			    p->keys[k].field == EVB_sched_switch_prev_state)
				set_int(ev, d, p->keys[k].field, state(s, stop, states));
			else if (d->fields[p->keys[k].field].type == EVENT_FIELD_INT &&
			         ((!p->keys[k].hex && decimal(s, stop, &v) == stop) ||
			          integer(s, stop, p->keys[k].hex, &v)))
				set_int(ev, d, p->keys[k].field, v);
		}
		s = stop + 1;
	}
}

/* ---- other forms ---- */

struct who {
	const char *comm, *comm_end;
	int64_t pid, prio;
};

/* `comm:PID [PRIO]` from s on; what follows begins at the return. NULL: it is not that. */
static const char *who(const char *s, const char *end, struct who *w)
{
	const char *open = s, *close, *colon;

	/* the first ` [` digits `]` behind a :digits */
	for (; (open = memchr(open, '[', (size_t)(end - open))); open++) {
		if (open - s < 3 || open[-1] != ' ')
			continue;
		for (colon = open - 2; colon > s && *colon >= '0' && *colon <= '9'; colon--)
			;
		if (*colon != ':' || !decimal(colon + 1, open - 1, &w->pid))
			continue;
		close = decimal(open + 1, end, &w->prio);
		if (close && close < end && *close == ']') {
			w->comm = s;
			w->comm_end = colon;
			return close + 1;
		}
	}
	return NULL;
}

/* `a:1 [120] S ==> b:2 [120]` */
static bool arrow_switch(const char *s, const char *end, const struct state_bits *states,
                         struct event *ev)
{
	const struct event_desc *d = &event_desc[EV_sched_switch];
	struct who prev, next;
	const char *p = who(s, end, &prev), *to;

	if (!p || p == end)
		return false;
	p += *p == ' ';
	to = word_end(p, end);
	if (end - to < 5 || memcmp(to, " ==> ", 5) || !who(to + 5, end, &next))
		return false;
	set_str(ev, d, EVB_sched_switch_prev_comm, prev.comm, prev.comm_end);
	set_int(ev, d, EVB_sched_switch_prev_pid, prev.pid);
	set_int(ev, d, EVB_sched_switch_prev_prio, prev.prio);
	set_int(ev, d, EVB_sched_switch_prev_state, state(p, to, states));
	set_str(ev, d, EVB_sched_switch_next_comm, next.comm, next.comm_end);
	set_int(ev, d, EVB_sched_switch_next_pid, next.pid);
	set_int(ev, d, EVB_sched_switch_next_prio, next.prio);
	return true;
}

/* `comm:PID [PRIO] success=1 CPU:002`; fields of all wake-ups have the same places. */
static bool colon_wake(const char *s, const char *end, struct event *ev)
{
	const struct event_desc *d = &event_desc[ev->kind];
	struct who w;
	const char *p = who(s, end, &w);
	int64_t v;

	if (!p)
		return false;
	set_int(ev, d, EVB_sched_waking_pid, w.pid);
	set_int(ev, d, EVB_sched_waking_prio, w.prio);
	set_str(ev, d, EVB_sched_waking_comm, w.comm, w.comm_end);
	for (; p < end; p = word_end(p, end) + 1)
		if (end - p > 4 && !memcmp(p, "CPU:", 4) && decimal(p + 4, end, &v))
			set_int(ev, d, EVB_sched_waking_target_cpu, v);
	return true;
}

/* `function: text`, or the text alone. */
static void marker(const char *s, const char *end, bool function, struct event *ev)
{
	const struct event_desc *d = &event_desc[EV_print];
	const char *colon = function ? memchr(s, ':', (size_t)(end - s)) : NULL;

	if (colon && end - colon > 1 && colon[1] == ' ' && !memchr(s, ' ', (size_t)(colon - s)))
		s = colon + 2;
	set_str(ev, d, EVB_print_buf, s, end);
}

static bool is_wake(enum event_kind k)
{
	return k == EV_sched_waking || k == EV_sched_wakeup || k == EV_sched_wakeup_new;
}

/* The form of trace-cmd's plugins; false: it is not that. */
static bool colons(const struct text_plan *p, const char *s, const char *end,
                   const struct state_bits *states, struct event *ev)
{
	if (p->kind == EV_sched_switch)
		return arrow_switch(s, end, states, ev);
	return is_wake(p->kind) && colon_wake(s, end, ev);
}

/* `cpu: 0003 target: 229 step: 229 (function)` */
static void cpuhp(const char *s, const char *end, struct event *ev)
{
	static const struct {
		const char *word;
		unsigned enter, exit;
	} words[] = {{"cpu:", EVB_cpuhp_enter_cpu, EVB_cpuhp_exit_cpu},
	             {"target:", EVB_cpuhp_enter_target, 32},
	             {"state:", 32, EVB_cpuhp_exit_state},
	             {"step:", EVB_cpuhp_enter_idx, EVB_cpuhp_exit_idx},
	             {"ret:", 32, EVB_cpuhp_exit_ret}};

	while (s < end) {
		const char *stop = word_end(s, end), *value = stop;
		int64_t v;

		while (value < end && *value == ' ')
			value++;
		for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
			unsigned field =
			        ev->kind == EV_cpuhp_enter ? words[i].enter : words[i].exit;

			if ((size_t)(stop - s) == strlen(words[i].word) && field < 32 &&
			    !memcmp(s, words[i].word, (size_t)(stop - s)) &&
			    integer(value, end, false, &v))
				set_int(ev, &event_desc[ev->kind], field, v);
		}
		s = stop + 1;
	}
}

/* `timekeeping_freeze[0] begin`, or the last word alone. */
static void suspend(const char *s, const char *end, struct event *ev)
{
	const struct event_desc *d = &event_desc[EV_suspend_resume];
	const char *open = memchr(s, '[', (size_t)(end - s)), *word = end;
	int64_t v;

	while (word > s && word[-1] != ' ')
		word--;
	if (open && integer(open + 1, end, false, &v)) {
		set_str(ev, d, EVB_suspend_resume_action, s, open);
		set_int(ev, d, EVB_suspend_resume_val, v);
	}
	if (end - word >= 3 && (!memcmp(word, "end", 3) || !memcmp(word, "beg", 3)))
		set_int(ev, d, EVB_suspend_resume_start, *word == 'b');
}

void text_fields(struct text_plan *p, struct str body, const struct state_bits *states,
                 struct event *ev)
{
	const char *s = body.p, *end = body.p + body.n;

	ev->has = 0;
	if (p->kind == EV_print) {
		marker(s, end, p->function, ev);
	} else if (p->kind == EV_cpuhp_enter || p->kind == EV_cpuhp_exit) {
		cpuhp(s, end, ev);
	} else if (p->kind == EV_suspend_resume) {
		suspend(s, end, ev);
	} else if (!p->colons || !colons(p, s, end, states, ev)) {
		pairs(p, s, end, states, ev);
		if (!(ev->has & 1)) { /* the first field is the task, or its CPU */
			ev->has = 0;
			p->colons = colons(p, s, end, states, ev);
			if (!p->colons)
				pairs(p, s, end, states, ev);
		}
	}
	event_clear_absent(ev);
}
