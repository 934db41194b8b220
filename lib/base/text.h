/* Numbers and names as text, the same in every locale. */
#ifndef PELTIER_BASE_TEXT_H
#define PELTIER_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* v with `decimals` digits behind the point. Returns the length. */
size_t text_real(char *out, size_t room, double v, int decimals);
/* v with at most `digits` significant digits, shortest form that JSON accepts. */
size_t text_general(char *out, size_t room, double v, int digits);
/* Decimal seconds, "-12.000000345", to ns; false when it is not that or does not fit. */
bool text_to_ns(const char *s, int64_t *ns);
/* An unsigned decimal number that ends the string; false otherwise. */
bool text_to_u64(const char *s, uint64_t *v);
/* The first two numbers of a release, "6.1.0-rc3"; false when it has none, or s is NULL. */
bool text_release(const char *s, unsigned *major, unsigned *minor);
/* Copy s[0..n) with control and invalid UTF-8 bytes as \xNN (\t, \n as such), so that a terminal
 * cannot be driven by it. Always NUL-terminated; returns out. */
char *text_escape(char *out, size_t room, const char *s, size_t n);
/* Length of the valid UTF-8 sequence at s (n bytes there), 0 when invalid. */
size_t text_utf8(const char *s, size_t n);

/* FNV-1a of n bytes. */
uint64_t text_hash(const char *s, size_t n);

#endif
