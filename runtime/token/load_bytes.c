/* The ways in which vocabulary files spell bytes: base64, GPT-2's alphabet, <0xNN>. */
#include "runtime/base/utf8.h"
#include "runtime/token/load_each.h"

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

size_t load_base64(Str s, char *out, size_t *bad)
{
	size_t n_digit = s.n, n = 0;
	while (n_digit && s.n - n_digit < 2 && s.p[n_digit - 1] == '=')
		n_digit--;
	uint32_t bits = 0;
	for (size_t i = 0; i < n_digit; i++) {
		int d = base64_digit(s.p[i]);
		if (d < 0) {
			*bad = i;
			return SIZE_MAX;
		}
		bits = bits << 6 | (uint32_t)d;
		if (i % 4)
			out[n++] = (char)(bits >> (6 - 2 * (i % 4)) & 255);
	}
	/* One digit alone is no byte, the padding fills four, and bits that no byte has must be zero. */
	uint32_t rest = n_digit % 4 == 2 ? bits & 15 : n_digit % 4 == 3 ? bits & 3 : 0;
	if (s.n % 4 || n_digit % 4 == 1 || rest) {
		*bad = n_digit ? n_digit - 1 : 0;
		return SIZE_MAX;
	}
	return n;
}

/* Bytes that print as themselves in Latin-1 stand for themselves; the other 68, in order, are
 * U+0100 and on. */
static int byte_of_letter(uint32_t cp)
{
	if ((cp >= 33 && cp <= 126) || (cp >= 161 && cp <= 172) || (cp >= 174 && cp <= 255))
		return (int)cp;
	if (cp >= 256 && cp <= 288)
		return (int)cp - 256;
	if (cp >= 289 && cp <= 322)
		return (int)cp - 289 + 127;
	return cp == 323 ? 173 : -1;
}

bool load_byte_level(Arena *a, Str s, Str *out)
{
	size_t n = 0;
	for (size_t at = 0; at < s.n; n++) {
		uint32_t cp;
		at += utf8_decode(s, at, &cp);
		if (byte_of_letter(cp) < 0)
			return false;
	}
	if (n == s.n) {  /* ASCII that prints is itself */
		*out = s;
		return true;
	}
	char *p = arena_alloc(a, n);
	*out = (Str){ p, n };
	for (size_t at = 0; at < s.n;) {
		uint32_t cp;
		at += utf8_decode(s, at, &cp);
		*p++ = (char)byte_of_letter(cp);
	}
	return true;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int load_byte_token(Str s)
{
	if (s.n != 6 || memcmp(s.p, "<0x", 3) || s.p[5] != '>')
		return -1;
	int hi = hex_digit(s.p[3]), lo = hex_digit(s.p[4]);
	return hi < 0 || lo < 0 ? -1 : hi * 16 + lo;
}
