/*
 * A text before its words are joined: its prepared form, the user-defined tokens in it, and where it
 * can be cut; see spm.h. Only ordinary copies and table look-ups, a few bytes read twice at most.
 */
#include <stdlib.h>

#include "runtime/base/utf8.h"
#include "runtime/token/spm.h"

#define SPM_SPACE "\xe2\x96\x81"

/* ---- prepared form ------------------------------------------------------------------------------ */

/* Offset of the first byte that cannot stay: ill-formed, or the start of U+2581. */
static size_t find_change(Str t)
{
	for (size_t at = 0; at < t.n;) {
		uint64_t eight;
		uint32_t cp = 0;
		if (t.n - at >= sizeof eight) {
			memcpy(&eight, t.p + at, sizeof eight);
			if (!(eight & 0x8080808080808080u)) {
				at += sizeof eight;
				continue;
			}
		}
		uint32_t n = utf8_decode(t, at, &cp);
		if (cp == UTF8_BAD || cp == 0x2581)
			return at;
		at += n;
	}
	return t.n;
}

static char *text_reserve(SpmScratch *s, size_t n)
{
	if (s->text_cap < n)
		s->text = mem_must_grow(s->text, s->text_cap = n);
	return s->text;
}

/* Copies t to out; with VOCAB_TRIM_SPACES no space goes behind another or to the start. */
static char *copy_changed(Str t, char *out, unsigned flags)
{
	unsigned trim = flags & VOCAB_TRIM_SPACES;
	bool behind_space = trim;
	for (size_t at = 0; at < t.n;) {
		uint32_t cp, n = utf8_decode(t, at, &cp);
		Str c = cp == UTF8_BAD ? STR("\xef\xbf\xbd") : cp == 0x2581 ? STR(" ") : str_sub(t, at, at + n);
		if (cp != ' ' || !behind_space) {
			memcpy(out, c.p, c.n);
			out += c.n;
		}
		behind_space = trim && cp == ' ';
		at += n;
	}
	return out;
}

Str spm_prepare(SpmScratch *s, unsigned flags, Str text)
{
	size_t same = flags & VOCAB_TRIM_SPACES ? 0 : find_change(text);
	if (!text.n || (same == text.n && !(flags & VOCAB_DUMMY_PREFIX)))
		return text;
	char *start = text_reserve(s, 1 + same + 3 * (text.n - same)), *out = start;
	if (flags & VOCAB_DUMMY_PREFIX)
		*out++ = ' ';
	memcpy(out, text.p, same);
	out = copy_changed(str_sub(text, same, text.n), out + same, flags);
	while (flags & VOCAB_TRIM_SPACES && out > start && out[-1] == ' ')
		out--;
	return str_range(start, out);
}

/* ---- user-defined tokens ------------------------------------------------------------------------ */

static int by_bytes(const void *x, const void *y)
{
	const SpmUser *p = x, *q = y;
	return str_cmp((Str){ p->p, p->n }, (Str){ q->p, q->n });
}

static void mark_start(SpmScratch *s, Str t)
{
	uint32_t first = (uint8_t)t.p[0], lo = t.n > 1 ? (uint8_t)t.p[1] : 0, hi = t.n > 1 ? lo : 255;
	for (uint32_t second = lo; second <= hi; second++) {
		uint32_t bit = second << 8 | first;
		s->starts[bit / 64] |= (uint64_t)1 << bit % 64;
	}
}

void spm_init_user(const Vocab *v, SpmScratch *s)
{
	size_t n_bytes = 0;
	for (uint32_t i = 0; i < v->n_user; i++)
		n_bytes += vocab_token(v, v->user[i]).n;
	char *at = s->user_bytes = mem_must_alloc(n_bytes + 1);
	s->user = mem_must_alloc((v->n_user + 1) * sizeof *s->user);
	for (uint32_t i = 0; i < v->n_user; i++) {
		Str token = vocab_token(v, v->user[i]);
		char *end = v->header->model == VOCAB_SPM ? copy_changed(token, at, 0) : at + token.n;
		if (v->header->model != VOCAB_SPM)
			memcpy(at, token.p, token.n);
		if (end > at) {
			s->user_most = (size_t)(end - at) > s->user_most ? (size_t)(end - at) : s->user_most;
			s->user[s->n_user++] = (SpmUser){ at, (uint32_t)(end - at), v->user[i] };
			mark_start(s, str_range(at, end));
		}
		at = end;
	}
	qsort(s->user, s->n_user, sizeof *s->user, by_bytes);
}

/* The first of user[lo, hi), which share i bytes, whose byte i is at least c. */
static uint32_t first_byte(const SpmUser *user, uint32_t lo, uint32_t hi, uint32_t i, uint32_t c)
{
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (user[mid].n <= i || (uint8_t)user[mid].p[i] < c)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The longest user-defined token at the start of t, or NULL. */
static const SpmUser *longest_user(const SpmScratch *s, Str t)
{
	const SpmUser *found = NULL;
	uint32_t lo = 0, hi = s->n_user;
	for (uint32_t i = 0; i < t.n; i++) {
		uint32_t c = (uint8_t)t.p[i];
		lo = first_byte(s->user, lo, hi, i, c);
		hi = first_byte(s->user, lo, hi, i, c + 1);
		if (lo == hi)
			break;
		if (s->user[lo].n == i + 1)
			found = &s->user[lo];
	}
	return found;
}

static inline const SpmUser *user_at(const SpmScratch *s, Str text, size_t at)
{
	uint32_t second = at + 1 < text.n ? (uint8_t)text.p[at + 1] : 0;
	uint32_t bit = second << 8 | (uint8_t)text.p[at];
	return s->starts[bit / 64] >> bit % 64 & 1 ? longest_user(s, str_sub(text, at, text.n)) : NULL;
}

size_t spm_find_user(const SpmScratch *s, Str text, size_t from, const SpmUser **user)
{
	*user = NULL;
	if (!s->n_user)
		return text.n;
	for (size_t at = from; at < text.n; at++)
		if ((*user = user_at(s, text, at)))
			return at;
	return text.n;
}

/* The text between the two, to the ends of characters. */
static Str window(Str t, size_t lo, size_t hi)
{
	while (lo && (t.p[lo] & 0xc0) == 0x80)
		lo--;
	while (hi < t.n && (t.p[hi] & 0xc0) == 0x80)
		hi++;
	return str_sub(t, lo, hi);
}

bool spm_crosses_user(const Vocab *v, const SpmScratch *s, Str t, size_t at)
{
	size_t most = s->user_most, far = at < most ? at : most;
	if (most < 2)
		return false;
	if (v->header->model == VOCAB_SPM) {
		/* The dummy prefix may belong to one too. */
		Str near = window(t, at - far, most < t.n - at ? at + most : t.n);
		if (find_change(near) < near.n || (v->header->flags & VOCAB_DUMMY_PREFIX && at < most))
			return true;
	}
	for (size_t k = 1; k < most && k <= at; k++) {
		const SpmUser *user = user_at(s, t, at - k);
		if (user && user->n > k)
			return true;
	}
	return false;
}

/* ---- words -------------------------------------------------------------------------------------- */

static inline bool may_cross(const Vocab *v, uint32_t a, uint32_t b)
{
	if ((a | b) < SPM_ASCII)
		return v->cross[2 * a + b / 64] >> b % 64 & 1;
	uint64_t bit = spm_cross_hash(a, b) & v->cross_mask;
	return v->cross[SPM_CROSS_ROWS + bit / 64] >> bit % 64 & 1;
}

bool spm_may_cross(const Vocab *v, uint32_t a, uint32_t b)
{
	return may_cross(v, a == 0x2581 ? ' ' : a, b == 0x2581 ? ' ' : b);
}

size_t spm_next_word(const Vocab *v, const char *text, size_t n, size_t at)
{
	uint32_t before = 0, cp, len;
	for (size_t i = at; i < n; i += len, before = cp) {
		len = 1;
		if ((cp = (uint8_t)text[i]) >= SPM_ASCII)
			len = utf8_decode((Str){ text, n }, i, &cp);
		if (i > at && !may_cross(v, before, cp))
			return i;
	}
	return n;
}
