/* bprint: a printk format and its arguments as the kernel packs them (vbin_printf): integers
 * aligned to 4 bytes, 8-byte values in two words, strings inline with their NUL. */
#include "source/trace_dat.h"

#include <stdio.h>
#include <stdlib.h>

struct packed {
	const uint8_t *p, *end;
	const uint8_t *base;
	bool big;
};

static bool align4(struct packed *a)
{
	size_t pos = (size_t)(a->p - a->base);

	pos = (pos + 3) & ~(size_t)3;
	if (pos > (size_t)(a->end - a->base))
		return false;
	a->p = a->base + pos;
	return true;
}

static bool take_int(struct packed *a, unsigned size, uint64_t *v)
{
	if (!align4(a) || (size_t)(a->end - a->p) < (size > 4 ? 8u : 4u))
		return false;
	*v = size > 4 ? load64(a->p, a->big) : load32(a->p, a->big);
	a->p += size > 4 ? 8 : 4;
	return true;
}

/* Bytes of one `%...` conversion's argument. */
struct conversion {
	char spec[24]; /* flags, width, precision as written */
	char type;
	unsigned size;
};

/* Parse the conversion after '%'; the character behind it. */
static const char *parse_conversion(const char *f, unsigned long_size, struct conversion *c)
{
	size_t n = 0;

	c->size = 4;
	c->spec[n++] = '%';
	for (int digits = 0; *f && strchr("-+ #0123456789.", *f); f++) {
		digits = *f >= '0' && *f <= '9' ? digits + 1 : 0;
		if (digits <= 3 && n < 12) /* no text is padded to a million */
			c->spec[n++] = *f;
	}
	while (*f && strchr("lhzjtLq", *f)) {
		if (*f == 'l' && c->size == 4)
			c->size = f[1] == 'l' ? 8 : long_size;
		else if (*f == 'L' || *f == 'q' || *f == 'j')
			c->size = 8;
		else if (*f == 'z' || *f == 't')
			c->size = long_size;
		f++;
	}
	c->spec[n] = '\0';
	c->type = *f;
	return *f ? f + 1 : f;
}

static int put_int(const struct conversion *c, uint64_t v, char *out, size_t room)
{
	char spec[32];
	bool is_signed = c->type == 'd' || c->type == 'i';
	long long s = c->size > 4 ? (long long)v : (int32_t)v;

	snprintf(spec, sizeof spec, "%sll%c", c->spec, c->type == 'i' ? 'd' : c->type);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	return is_signed ? snprintf(out, room, spec, s)
	                 : snprintf(out, room, spec, (unsigned long long)v);
#pragma GCC diagnostic pop
}

/* One conversion with its argument from the record; -1 when the arguments have run out. */
static int convert(const struct conversion *c, struct packed *a, unsigned long_size, char *out,
                   size_t room)
{
	const uint8_t *nul;
	uint64_t v;
	int n;

	switch (c->type) {
	case '%':
		return snprintf(out, room, "%%");
	case 's':
		nul = a->p < a->end ? memchr(a->p, 0, (size_t)(a->end - a->p)) : NULL;
		if (!nul)
			return -1;
		n = snprintf(out, room, "%s", (const char *)a->p);
		a->p = nul + 1;
		return n;
	case 'p':
		return take_int(a, long_size, &v)
		               ? snprintf(out, room, "0x%llx", (unsigned long long)v)
		               : -1;
	case 'c':
		return take_int(a, 4, &v) ? snprintf(out, room, "%c", (char)v) : -1;
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		return take_int(a, c->size, &v) ? put_int(c, v, out, room) : -1;
	default:
		return -1;
	}
}

size_t dat_bprint(const char *f, const uint8_t *args, size_t n, const struct dat *d, char *out,
                  size_t room)
{
	struct packed a = {args, args + n, args, d->big};
	size_t len = 0;

	while (*f && len + 1 < room) {
		struct conversion c;
		int k;

		if (*f != '%') {
			out[len++] = *f++;
			continue;
		}
		f = parse_conversion(f + 1, d->ring.commit_size, &c);
		k = convert(&c, &a, d->ring.commit_size, out + len, room - len);
		if (k < 0)
			break;
		len += (size_t)k < room - len ? (size_t)k : room - len - 1;
	}
	return len;
}

const char *dat_printk_find(const struct dat *d, uint64_t address)
{
	size_t lo = 0, hi = d->printk.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (d->printk.at[mid].address < address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < d->printk.n && d->printk.at[lo].address == address ? d->printk.at[lo].text
	                                                               : NULL;
}
