#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* printf uses the decimal point of the locale; commands never set one, a caller of the library may
 */
static size_t point(char *out, size_t room, int n)
{
	size_t len = n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;

	for (size_t i = 0; i < len; i++)
		if (out[i] == ',')
			out[i] = '.';
	return len;
}

size_t text_real(char *out, size_t room, double v, int decimals)
{
	return point(out, room, snprintf(out, room, "%.*f", decimals, v));
}

size_t text_general(char *out, size_t room, double v, int digits)
{
	return point(out, room, snprintf(out, room, "%.*g", digits, v));
}

bool text_to_u64(const char *s, uint64_t *v)
{
	uint64_t x = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || __builtin_mul_overflow(x, 10, &x) ||
		    __builtin_add_overflow(x, (uint64_t)(*s - '0'), &x))
			return false;
	}
	*v = x;
	return true;
}

bool text_to_ns(const char *s, int64_t *ns)
{
	bool minus = *s == '-';
	int64_t v = 0;
	int digits = 0;

	s += minus;
	if (*s < '0' || *s > '9')
		return false;
	/* added up below zero, where there is room for one more */
	for (; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, *s - '0', &v))
			return false;
	if (*s == '.')
		s++;
	else if (*s)
		return false;
	for (; digits < 9; digits++, s += *s >= '0' && *s <= '9')
		if (__builtin_mul_overflow(v, 10, &v) ||
		    (*s >= '0' && *s <= '9' && __builtin_sub_overflow(v, *s - '0', &v)))
			return false;
	while (*s >= '0' && *s <= '9') /* finer than ns */
		s++;
	if (*s || (!minus && v == INT64_MIN))
		return false;
	*ns = minus ? v : -v;
	return true;
}

size_t text_utf8(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	uint32_t c;
	size_t len;

	if (!n)
		return 0;
	if (p[0] < 0x80)
		return 1;
	len = p[0] >= 0xf0 && p[0] < 0xf5   ? 4
	      : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
	      : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
	                                    : 0;
	if (!len || len > n)
		return 0;
	c = p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3fu);
	}
	if ((len == 3 && c < 0x800) || (len == 4 && c < 0x10000) || c > 0x10ffff ||
	    (c >= 0xd800 && c < 0xe000))
		return 0;
	return len;
}

bool text_release(const char *s, unsigned *major, unsigned *minor)
{
	return s && sscanf(s, "%u.%u", major, minor) == 2;
}

char *text_escape(char *out, size_t room, const char *s, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n && k + 5 < room;) {
		unsigned char c = (unsigned char)s[i];
		size_t len = text_utf8(s + i, n - i);
		/* C1 controls (U+0080 to U+009f) drive terminals, too */
		bool control = c < 0x20 || c == 0x7f ||
		               (len == 2 && c == 0xc2 && (unsigned char)s[i + 1] < 0xa0);

		if (len && !control) {
			memcpy(out + k, s + i, len);
			k += len;
			i += len;
		} else if (c == '\n' || c == '\t') {
			k += (size_t)snprintf(out + k, room - k, "\\%c", c == '\n' ? 'n' : 't');
			i++;
		} else {
			k += (size_t)snprintf(out + k, room - k, "\\x%02x", c);
			i++;
		}
	}
	out[k] = '\0';
	return out;
}

uint64_t text_hash(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	return h;
}
