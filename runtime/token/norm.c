#include "runtime/token/norm.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "runtime/base/utf8.h"

typedef enum NormKind { NORM_STAYS, NORM_BOTH, NORM_NFKC_ONLY, NORM_LATER } NormKind;

typedef struct NormRow { uint32_t lo, hi; NormKind kind; } NormRow;

static const NormRow norm_row[] = {
#define BOTH NORM_BOTH
#define NFKC NORM_NFKC_ONLY
#define LATER NORM_LATER
#define NORM(lo, hi, kind) { lo, hi, kind },
#include "runtime/token/norm.def"
#undef NORM
#undef BOTH
#undef NFKC
#undef LATER
};
enum { N_ROW = sizeof norm_row / sizeof *norm_row };

/* Texts stay in one script for long: the row that was found last, and where the gap before it starts. */
typedef struct Normer {
	VocabNorm form;
	uint32_t gap_lo, gap_hi;
	Str text;
	Buf *out;
	size_t done;   /* bytes of the text that are in out */
} Normer;

static NormKind kind_of(Normer *n, uint32_t cp)
{
	if (cp >= n->gap_lo && cp <= n->gap_hi)
		return NORM_STAYS;
	size_t lo = 0, hi = N_ROW;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (norm_row[mid].hi < cp)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < N_ROW && norm_row[lo].lo <= cp)
		return norm_row[lo].kind;
	n->gap_lo = lo ? norm_row[lo - 1].hi + 1 : 0;
	n->gap_hi = lo < N_ROW ? norm_row[lo].lo - 1 : UINT32_MAX - 1;
	return NORM_STAYS;
}

/* The form changes this code point, or may join it to what stands before. */
static bool may_change(Normer *n, uint32_t cp)
{
	NormKind kind = cp == UTF8_BAD ? NORM_STAYS : kind_of(n, cp);
	return kind == NORM_BOTH || (kind == NORM_NFKC_ONLY && n->form == NORM_NFKC);
}

static int by_value(const void *x, const void *y)
{
	const uint64_t *p = x, *q = y;
	return *p < *q ? -1 : *p > *q;
}

/* Runs of marks by combining class, equal ones in their order. utf8proc's own ordering is quadratic. */
static void order_marks(utf8proc_int32_t *cp, size_t n, uint64_t *key)
{
	for (size_t lo = 0, hi; lo < n; lo = hi + 1) {
		for (hi = lo; hi < n && utf8proc_get_property(cp[hi])->combining_class; hi++)
			key[hi] = (uint64_t)utf8proc_get_property(cp[hi])->combining_class << 48 | (hi - lo);
		if (hi - lo < 2)
			continue;
		qsort(key + lo, hi - lo, sizeof *key, by_value);
		for (size_t i = lo; i < hi; i++)
			key[i] = (uint64_t)cp[lo + (key[i] & 0xffffffffffff)];
		for (size_t i = lo; i < hi; i++)
			cp[i] = (utf8proc_int32_t)key[i];
	}
}

/* Appends the form of text [lo, hi). */
static void put_form(Normer *n, size_t lo, size_t hi)
{
	enum { MOST = 6 };  /* code points that a byte may become: U+FDFA, three bytes, becomes 18 */
	size_t cap = MOST * (hi - lo), n_cp = 0;
	utf8proc_option_t how = UTF8PROC_STABLE | UTF8PROC_COMPOSE | (n->form == NORM_NFKC ? UTF8PROC_COMPAT : 0);
	utf8proc_option_t apart = (how & ~UTF8PROC_COMPOSE) | UTF8PROC_DECOMPOSE;
	utf8proc_int32_t *cp = mem_must_alloc(cap * sizeof *cp);
	uint64_t *key = mem_must_alloc(cap * sizeof *key);
	for (size_t at = lo; at < hi && n_cp < cap;) {
		uint32_t c;
		at += utf8_decode(n->text, at, &c);
		utf8proc_ssize_t k = utf8proc_decompose_char((utf8proc_int32_t)c, cp + n_cp, (utf8proc_ssize_t)(cap - n_cp), apart, NULL);
		n_cp += k > 0 ? (size_t)k : 0;
	}
	order_marks(cp, n_cp, key);
	utf8proc_ssize_t left = utf8proc_normalize_utf32(cp, (utf8proc_ssize_t)n_cp, how);
	for (utf8proc_ssize_t i = 0; i < left; i++) {
		char c[4];
		buf_put(n->out, (Str){ c, utf8_encode((uint32_t)cp[i], c) });
	}
	free(cp);
	free(key);
}

/* The end of what changes together with the character at at. */
static size_t change_end(Normer *n, size_t at)
{
	while (at < n->text.n) {
		uint32_t cp, len = utf8_decode(n->text, at, &cp);
		if (!may_change(n, cp))
			break;
		at += len;
	}
	return at;
}

/* Where the character before at starts, if it may join: it is well-formed and known to the reference. */
static size_t change_start(Normer *n, size_t at)
{
	size_t lo = at;
	uint32_t cp;
	while (lo > n->done && at - lo < 4) {
		lo--;
		if ((n->text.p[lo] & 0xC0) != 0x80)
			return utf8_decode(n->text, lo, &cp) == at - lo && cp != UTF8_BAD && kind_of(n, cp) != NORM_LATER ? lo : at;
	}
	return at;
}

Str norm_text(VocabNorm form, Str text, Buf *out)
{
	Normer n = { .form = form, .gap_lo = 1, .text = text, .out = out };
	out->n = 0;
	if (form != NORM_NFC && form != NORM_NFKC)
		return text;
	for (size_t at = 0; at < text.n;) {
		uint64_t eight;
		uint32_t cp;
		if (text.n - at >= sizeof eight && (memcpy(&eight, text.p + at, sizeof eight), !(eight & 0x8080808080808080u))) {
			at += sizeof eight;
			continue;
		}
		uint32_t len = utf8_decode(text, at, &cp);
		if (cp < 0x80 || !may_change(&n, cp)) {
			at += len;
			continue;
		}
		size_t lo = change_start(&n, at), hi = change_end(&n, at);
		buf_put(out, str_sub(text, n.done, lo));
		put_form(&n, lo, hi);
		n.done = at = hi;
	}
	if (!n.done)
		return text;
	buf_put(out, str_sub(text, n.done, text.n));
	return buf_str(out);
}
