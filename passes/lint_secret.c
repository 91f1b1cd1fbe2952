/*
 * SD603: secrets written into a prompt. A shape of secret.def must match to its last byte, carry as
 * much variety as random bytes do, pass its provider's checksum where there is one, and not be a
 * placeholder; else it is silent.
 *
 * A finding never repeats the secret.
 */
#include "passes/lint_view.h"
#include "passes/pass_loop.h"

#include <stdio.h>

typedef enum SecretClass { CLASS_ALNUM, CLASS_ALPHA, CLASS_HEX, CLASS_BASE32, CLASS_WORD, CLASS_URL64, CLASS_DASHED, CLASS_DOTTED } SecretClass;
typedef enum SecretCheck { CHECK_NONE, CHECK_CRC32, CHECK_JWT } SecretCheck;

typedef struct SecretShape {
	const char *what, *prefix;
	SecretClass class;
	size_t least, most;
	SecretCheck check;
} SecretShape;

static const SecretShape secret_shape[] = {
#define SECRET(what, prefix, class, least, most, check) { what, prefix, CLASS_##class, least, most, CHECK_##check },
#include "passes/secret.def"
#undef SECRET
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_alnum(char c) { return is_digit(c) || is_upper(c) || is_lower(c); }

static bool in_class(char c, SecretClass class)
{
	switch (class) {
	case CLASS_ALNUM: return is_alnum(c);
	case CLASS_ALPHA: return is_upper(c) || is_lower(c);
	case CLASS_HEX: return is_digit(c) || (c >= 'a' && c <= 'f');
	case CLASS_BASE32: return is_upper(c) || (c >= '2' && c <= '7');
	case CLASS_WORD: return is_alnum(c) || c == '_';
	case CLASS_URL64: return is_alnum(c) || c == '_' || c == '-';
	case CLASS_DASHED: return is_alnum(c) || c == '-';
	case CLASS_DOTTED: return is_alnum(c) || c == '_' || c == '-' || c == '.';
	}
	return false;
}

/* ---- is it one? ------------------------------------------------------------------------------- */

/* A random key of n characters shows about this many different ones; names and dummies show fewer. */
static bool has_variety(Str s)
{
	bool seen[256] = { false };
	size_t n = 0, run = 1, longest = 1;
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		n += !seen[c];
		seen[c] = true;
		run = i && s.p[i] == s.p[i - 1] ? run + 1 : 1;
		longest = run > longest ? run : longest;
	}
	return n >= (s.n < 20 ? 8 : 10) && longest < 5;
}

static char lower(char c)
{
	return is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

static bool contains(Str s, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= s.n; i++) {
		size_t k = 0;
		while (k < n && lower(s.p[i + k]) == word[k])
			k++;
		if (k == n)
			return true;
	}
	return false;
}

static bool is_placeholder(Str s)
{
	static const char *const dummy[] = { "example", "xxxx", "your", "dummy", "placeholder", "redacted", "abcdefgh",
	                                     "12345678", "changeme", "sample", "0123456", "fake" };
	for (size_t i = 0; i < sizeof dummy / sizeof *dummy; i++)
		if (contains(s, dummy[i]))
			return true;
	/* The token of jwt.io, quoted everywhere. */
	return contains(s, "sflkxwrjsmekkf2qt4fwpmejf36pok6yjv_adqssw5c");
}

static uint32_t crc32(Str s)
{
	uint32_t crc = 0xffffffffu;
	for (size_t i = 0; i < s.n; i++) {
		crc ^= (unsigned char)s.p[i];
		for (int k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* The last six characters are the CRC-32 of those before them, in base 62. */
static bool crc32_holds(Str rest)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	uint32_t crc = crc32(str_sub(rest, 0, rest.n - 6));
	for (size_t i = 0; i < 6; i++, crc /= 62)
		if (rest.p[rest.n - 1 - i] != digit[crc % 62])
			return false;
	return true;
}

/* Three parts; the first is the base64url of a JSON object that names its algorithm. */
static bool jwt_holds(Str token)
{
	size_t dot = str_find(token, STR("."), 0), dot2 = str_find(token, STR("."), dot + 1);
	if (dot2 >= token.n || token.n - dot2 < 20 || str_find(token, STR("."), dot2 + 1) != token.n)
		return false;
	/* "alg" at each of the three alignments of base64. */
	Str head = str_sub(token, 0, dot);
	return str_find(head, STR("ImFsZyI"), 0) < head.n || str_find(head, STR("JhbGci"), 0) < head.n ||
	       str_find(head, STR("iYWxnI"), 0) < head.n;
}

static bool shape_holds(const SecretShape *sh, Str whole, Str rest)
{
	if (rest.n < sh->least || rest.n > sh->most || !has_variety(rest) || is_placeholder(rest))
		return false;
	switch (sh->check) {
	case CHECK_NONE: return true;
	case CHECK_CRC32: return crc32_holds(rest);
	case CHECK_JWT: return jwt_holds(whole);
	}
	return false;
}

/* ---- looking ---------------------------------------------------------------------------------- */

static void report_secret(Compiler *c, const LintText *t, size_t lo, size_t hi, const char *what)
{
	Diag *g = diag_add(&c->diags, SD603, lint_span(t, lo, hi), "%s stands in the prompt", what);
	diag_help(&c->diags, g, "revoke it, then take it out: whoever reads the prompt, the log or the cache has it");
}

/* Bytes of the secret at at; 0 if there is none. */
static size_t secret_at(Compiler *c, const LintText *t, size_t at)
{
	for (size_t i = 0; i < sizeof secret_shape / sizeof *secret_shape; i++) {
		const SecretShape *sh = &secret_shape[i];
		if (sh->prefix[1] != t->s.p[at + 1])
			continue;
		Str prefix = str_from(sh->prefix);
		if (!str_starts(str_sub(t->s, at, t->s.n), prefix))
			continue;
		size_t lo = at + prefix.n, hi = lo;
		while (hi < t->s.n && in_class(t->s.p[hi], sh->class))
			hi++;
		while (hi > lo && !is_alnum(t->s.p[hi - 1]) && sh->class != CLASS_URL64)
			hi--;
		/* A longer word is something else. */
		if (hi < t->s.n && is_alnum(t->s.p[hi]))
			continue;
		if (!shape_holds(sh, str_sub(t->s, at, hi), str_sub(t->s, lo, hi)))
			continue;
		report_secret(c, t, at, hi, sh->what);
		return hi - at;
	}
	return 0;
}

/* -----BEGIN … PRIVATE KEY----- with base64 under it. */
static void see_private_keys(Compiler *c, const LintText *t)
{
	static const Str begin = STR_INIT("-----BEGIN "), key = STR_INIT("PRIVATE KEY");
	for (size_t at = str_find(t->s, begin, 0); at < t->s.n; at = str_find(t->s, begin, at + begin.n)) {
		size_t lf = str_find(t->s, STR("\n"), at);
		Str head = str_sub(t->s, at, lf);
		if (head.n > 80 || str_find(head, key, 0) == head.n)
			continue;
		size_t hi = lf, n = 0;
		for (; hi < t->s.n && hi - lf < 200 && (is_alnum(t->s.p[hi]) || strchr("+/=\n \t", t->s.p[hi])); hi++)
			n += is_alnum(t->s.p[hi]);
		Str body = str_sub(t->s, lf, hi);
		if (n >= 60 && has_variety(str_trim(body)) && !is_placeholder(body))
			report_secret(c, t, at, at + head.n, "a private key");
	}
}

/* A secret is this long at least, all of it in CLASS_DOTTED: most texts hold no such word. */
enum { SECRET_BYTES_MIN = 20 };
#define SECRET(what, prefix, class, least, most, check) \
	_Static_assert(sizeof prefix - 1 + least >= SECRET_BYTES_MIN, "a shorter secret would be passed over");
#include "passes/secret.def"
#undef SECRET

/* Where the first word long enough starts, from `from` on; s.n if there is none. Looks at the far end of
 * the shortest secret first, so that most bytes are never read. */
static size_t next_long_word(Str s, size_t from)
{
	for (size_t at = from; at + SECRET_BYTES_MIN <= s.n;) {
		size_t i = at + SECRET_BYTES_MIN;
		while (i > at && in_class(s.p[i - 1], CLASS_DOTTED))
			i--;
		if (i == at)
			return at;
		at = i;
	}
	return s.n;
}

static void see_secrets(Compiler *c, const LintText *t)
{
	for (size_t at = 0; (at = next_long_word(t->s, at)) < t->s.n;) {
		for (size_t n; at + SECRET_BYTES_MIN <= t->s.n && in_class(t->s.p[at], CLASS_DOTTED); at += n ? n : 1)
			n = at && in_class(t->s.p[at - 1], CLASS_URL64) ? 0 : secret_at(c, t, at);
	}
	see_private_keys(c, t);
}

void pass_lint_secret(Compiler *c, Unit *u)
{
	lint_each_text(c, u, see_secrets);
}
