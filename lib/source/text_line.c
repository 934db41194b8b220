#include "source/text_line.h"

#include <string.h>

static bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* A decimal number at *p, which moves behind it; false when there is none, or it is longer than 18
 * digits. */
static inline bool number(const char **p, const char *end, int64_t *out)
{
	const char *s = *p;
	int64_t v = 0;

	while (s < end && is_digit(*s))
		v = (int64_t)((uint64_t)v * 10 + (uint64_t)(*s++ - '0'));
	if (s == *p || s - *p > 18)
		return false;
	*p = s;
	*out = v;
	return true;
}

static inline const char *blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* SECONDS.FRACTION: or TICKS: */
static inline bool stamp(const char **p, const char *end, struct text_line *l)
{
	static const int64_t unit[] = {1000000000, 100000000, 10000000, 1000000, 100000,
	                               10000,      1000,      100,      10,      1};
	const char *s = *p, *fraction;
	int64_t seconds, part = 0;

	if (!number(&s, end, &seconds))
		return false;
	l->decimals = 0;
	if (s < end && *s == '.') {
		fraction = ++s;
		if (!number(&s, end, &part) || s - fraction > 9 || seconds > INT64_MAX / 2000000000)
			return false;
		l->decimals = (unsigned)(s - fraction);
	}
	if (s == end || *s != ':')
		return false;
	l->ts = l->decimals ? seconds * 1000000000 + part * unit[l->decimals] : seconds;
	*p = s + 1;
	return true;
}

static uint8_t context_of(const char *p, const char *end)
{
	uint8_t f = 0;

	for (; p < end; p++)
		f |= *p == 'h'                ? EVENT_HARDIRQ
		     : *p == 's'              ? EVENT_SOFTIRQ
		     : *p == 'H'              ? EVENT_HARDIRQ | EVENT_SOFTIRQ
		     : *p == 'z' || *p == 'Z' ? EVENT_NMI
		                              : 0;
	return f;
}

/* Before the bracket of the CPU: comm-PID, and (TGID) or (-----). */
static inline bool who(const char *p, const char *end, struct text_line *l)
{
	const char *digits;
	int64_t v;

	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	l->tgid = -1;
	if (end > p && end[-1] == ')') {
		const char *close = end - 1;

		for (end = close; end > p && *end != '('; end--)
			;
		if (*end != '(')
			return false;
		digits = blanks(end + 1, close);
		if (number(&digits, close, &v) && digits == close && v <= INT32_MAX)
			l->tgid = (int32_t)v;
		while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
			end--;
	}
	for (digits = end; digits > p && is_digit(digits[-1]); digits--)
		;
	if (digits == end || digits - p < 2 || digits[-1] != '-')
		return false;
	l->comm = (struct str){p, (size_t)(digits - 1 - p)};
	if (!number(&digits, end, &v) || v > INT32_MAX)
		return false;
	l->pid = (int32_t)v;
	return true;
}

/* Behind the bracket of the CPU: flags if any, time, the rest. */
static inline bool when(const char *p, const char *end, struct text_line *l)
{
	const char *flags = p = blanks(p, end);

	l->flags = 0;
	if (!stamp(&p, end, l)) {
		while (p < end && *p != ' ' && *p != '\t')
			p++;
		l->flags = context_of(flags, p);
		p = blanks(p, end);
		if (!stamp(&p, end, l))
			return false;
	}
	p = blanks(p, end);
	l->body = (struct str){p, (size_t)(end - p)};
	return true;
}

void text_line_split(struct text_line *l)
{
	const char *p = l->body.p, *end = p + l->body.n;

	/* trace-cmd report --ts-diff puts the time since the event before here */
	if (end - p > 2 && p[0] == '(' && p[1] == '+') {
		while (p < end && *p != ')')
			p++;
		p = blanks(p < end ? p + 1 : p, end);
		l->body = (struct str){p, (size_t)(end - p)};
	}
	l->name = (struct str){p, 0};
	while (p < end && *p != ':' && *p != ' ')
		p++;
	if (p == end || *p == ' ' || p == l->body.p)
		return;
	l->name.n = (size_t)(p - l->body.p);
	p = blanks(p + 1, end);
	l->body = (struct str){p, (size_t)(end - p)};
}

static bool begins(const char *p, size_t n, const char *with)
{
	return n >= strlen(with) && !memcmp(p, with, strlen(with));
}

/* `CPU:1 [LOST 12 EVENTS]`, `CPU:1 [12 EVENTS DROPPED]`, `CPU:1 [EVENTS DROPPED]` */
static bool lost(const char *p, const char *end, struct text_line *l)
{
	int64_t cpu;

	p += 4;
	p = blanks(p, end);
	if (!number(&p, end, &cpu) || cpu >= TEXT_CPU_MAX || !memchr(p, '[', (size_t)(end - p)))
		return false;
	l->cpu = (uint32_t)cpu;
	l->lost = -1;
	while (p < end && !is_digit(*p))
		p++;
	number(&p, end, &l->lost);
	return true;
}

static enum text_line_kind comment(const char *p, size_t n, struct text_line *l)
{
	static const char started[] = "##### CPU ",
	                  entries[] = "# entries-in-buffer/entries-written:";
	const char *end = p + n, *s;
	int64_t a, b;

	if (begins(p, n, started) && (s = p + sizeof started - 1, number(&s, end, &a)) &&
	    a < TEXT_CPU_MAX && begins(blanks(s, end), (size_t)(end - blanks(s, end)), "buffer")) {
		l->cpu = (uint32_t)a;
		return TEXT_STARTED;
	}
	if (begins(p, n, entries) &&
	    (s = blanks(p + sizeof entries - 1, end), number(&s, end, &a)) && s < end &&
	    *s++ == '/' && number(&s, end, &b) && b >= a) {
		l->lost = b - a;
		return TEXT_ENTRIES;
	}
	return TEXT_COMMENT;
}

static enum text_line_kind parse(const char *p, size_t n, struct text_line *l)
{
	const char *end = p + n, *s = p;
	int64_t cpu;

	if (!n || *p == '#')
		return n ? comment(p, n, l) : TEXT_COMMENT;
	while ((s = memchr(s, '[', (size_t)(end - s)))) {
		const char *open = s++;

		if (number(&s, end, &cpu) && s < end && *s == ']' && cpu < TEXT_CPU_MAX &&
		    who(p, open, l) && when(s + 1, end, l)) {
			l->cpu = (uint32_t)cpu;
			return TEXT_EVENT;
		}
	}
	s = blanks(p, end);
	if (begins(s, (size_t)(end - s), "CPU:") && lost(s, end, l))
		return TEXT_LOST;
	if (begins(p, n, "cpus=") && (s = p + 5, number(&s, end, &cpu)) && cpu <= TEXT_CPU_MAX) {
		l->cpu = (uint32_t)cpu;
		return TEXT_CPUS;
	}
	return s == end ? TEXT_COMMENT : TEXT_OTHER;
}

enum text_line_kind text_line_parse(const char *p, size_t n, struct text_line *l)
{
	while (n && (p[n - 1] == '\r' || p[n - 1] == '\n'))
		n--;
	/* a trace in a string of a script: each line ends with \n\ */
	if (n >= 3 && !memcmp(p + n - 3, "\\n\\", 3))
		n -= 3;
	return l->kind = parse(p, n, l);
}
