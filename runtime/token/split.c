/*
 * The splitters, a piece at a time. The patterns of the GPT family differ in a handful of facts
 * (SplitFacts); piece_end is written once over them and compiled once a pattern, with the facts known.
 * Each step below names the branch of the pattern that it is; branches are tried in the pattern's order.
 */
#include "runtime/token/split_facts.h"

typedef struct Char { uint32_t cp; unsigned n; TokenClass class; } Char;

/* Of valid UTF-8. */
static inline Char char_at(const char *t, size_t i)
{
	const unsigned char *p = (const unsigned char *)t + i;
	Char c = { p[0], 1, CLASS_OTHER };
	if (p[0] >= 0xf0) {
		c.cp = (p[0] & 7u) << 18 | (p[1] & 63u) << 12 | (p[2] & 63u) << 6 | (p[3] & 63u);
		c.n = 4;
	} else if (p[0] >= 0xe0) {
		c.cp = (p[0] & 15u) << 12 | (p[1] & 63u) << 6 | (p[2] & 63u);
		c.n = 3;
	} else if (p[0] >= 0x80) {
		c.cp = (p[0] & 31u) << 6 | (p[1] & 63u);
		c.n = 2;
	}
	c.class = token_class(c.cp);
	return c;
}

enum ClassSet {
	SET_LETTER = 1 << CLASS_UPPER | 1 << CLASS_LOWER | 1 << CLASS_LETTER,
	SET_MARK = 1 << CLASS_MARK,
	SET_UPPER = 1 << CLASS_UPPER | 1 << CLASS_LETTER | 1 << CLASS_MARK,  /* [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] */
	SET_LOWER = 1 << CLASS_LOWER | 1 << CLASS_LETTER | 1 << CLASS_MARK,  /* [\p{Ll}\p{Lm}\p{Lo}\p{M}] */
	SET_NUMBER = 1 << CLASS_NUMBER,
	SET_SPACE = 1 << CLASS_SPACE | 1 << CLASS_NEWLINE,                   /* \s */
	SET_SIGN = 1 << CLASS_OTHER | 1 << CLASS_PUNCT | 1 << CLASS_MARK,    /* [^\s\p{L}\p{N}] */
	SET_BEFORE = SET_SIGN | 1 << CLASS_SPACE,                            /* [^\r\n\p{L}\p{N}] */
};

static inline bool is_in(Char c, unsigned set) { return set >> c.class & 1; }

/* Past the Han characters from U+5000 to U+9FFF, which all are CLASS_LETTER: their first byte tells them. */
static inline size_t skip_han(const char *t, size_t n, size_t i)
{
	while (i < n && (unsigned char)t[i] >= 0xe5 && (unsigned char)t[i] <= 0xe9)
		i += 3;
	return i;
}

static inline size_t skip(const char *t, size_t n, size_t i, unsigned set)
{
	while (i < n) {
		if (set >> CLASS_LETTER & 1 && (i = skip_han(t, n, i)) == n)
			break;
		Char c = char_at(t, i);
		if (!is_in(c, set))
			break;
		i += c.n;
	}
	return i;
}

/* 's 'd 'm 't 'll 've 're at i: their end, or i. U+017F folds to s. */
static inline size_t contraction_end(const char *t, size_t n, size_t i, unsigned fold)
{
	if (i + 1 >= n || t[i] != '\'')
		return i;
	unsigned char a = (unsigned char)t[i + 1] | fold;
	if (a == 's' || a == 'd' || a == 'm' || a == 't')
		return i + 2;
	if (i + 2 >= n)
		return i;
	unsigned char b = (unsigned char)t[i + 2] | fold;
	if ((a == 'l' && b == 'l') || (a == 'v' && b == 'e') || (a == 'r' && b == 'e'))
		return i + 3;
	return fold && (unsigned char)t[i + 1] == 0xc5 && (unsigned char)t[i + 2] == 0xbf ? i + 3 : i;
}

/* [UPPER]*[LOWER]+ from i; i where there is none. The greedy upper part gives back down to its last
 * letter without case. */
static inline size_t cased_end(const char *t, size_t n, size_t i)
{
	size_t back = i, at = i;
	while (at < n) {
		size_t han = skip_han(t, n, at);
		if (han > at) {
			back = at = han;
			continue;
		}
		Char c = char_at(t, at);
		if (!is_in(c, SET_UPPER))
			break;
		at += c.n;
		if (is_in(c, SET_LOWER))
			back = at;
	}
	size_t end = skip(t, n, at, SET_LOWER);
	return end > at ? end : back;
}

/* A word with what may stand before it; i where there is none. */
static inline size_t word_end(const SplitFacts *f, const char *t, size_t n, size_t i)
{
	Char c = char_at(t, i);
	bool before = f->any_before_word ? is_in(c, SET_BEFORE) : c.cp == ' ';
	size_t inner = before ? i + c.n : i;
	if (!f->cased_words) {
		size_t end = skip(t, n, inner, SET_LETTER);
		return end > inner ? end : i;
	}
	size_t end = cased_end(t, n, inner);
	if (end == inner && before && is_in(c, SET_MARK))
		end = cased_end(t, n, inner = i);
	if (end == inner)
		end = skip(t, n, inner, SET_UPPER);
	return end > inner ? end : i;
}

static inline size_t digits_end(const SplitFacts *f, const char *t, size_t n, size_t i)
{
	if (!f->max_digits) {
		size_t from = t[i] == ' ' ? i + 1 : i, end = skip(t, n, from, SET_NUMBER);
		return end > from ? end : i;
	}
	for (unsigned k = 0; k < f->max_digits && i < n; k++) {
		Char c = char_at(t, i);
		if (!is_in(c, SET_NUMBER))
			break;
		i += c.n;
	}
	return i;
}

/* ` ?[^\s\p{L}\p{N}]+` and the line ends behind it. */
static inline size_t signs_end(const SplitFacts *f, const char *t, size_t n, size_t i)
{
	size_t from = t[i] == ' ' ? i + 1 : i, end = skip(t, n, from, SET_SIGN);
	if (end == from)
		return i;
	while (f->lines && end < n && (t[end] == '\n' || t[end] == '\r' || (f->slash && t[end] == '/')))
		end++;
	return end;
}

/* White space from a place on: its end, where its last character starts, the end of its last line. */
typedef struct SpaceRun { size_t end, last, line; } SpaceRun;

static inline SpaceRun space_run(const char *t, size_t n, size_t i)
{
	SpaceRun r = { i, i, i };
	while (r.end < n) {
		Char c = char_at(t, r.end);
		if (!is_in(c, SET_SPACE))
			break;
		r.last = r.end;
		r.end += c.n;
		if (c.class == CLASS_NEWLINE)
			r.line = r.end;
	}
	return r;
}

/* The branches of white space; i is at some. */
static inline size_t space_end(const SplitFacts *f, const char *t, size_t n, size_t i)
{
	SpaceRun r = space_run(t, n, i);
	if (r.end == n ? f->end_takes_spaces : f->digits_apart && is_in(char_at(t, r.end), SET_NUMBER))
		return r.end;
	if (f->lines && r.line > i)
		return r.line;
	return r.end == n || r.last == i ? r.end : r.last;
}

static inline __attribute__((always_inline)) size_t
piece_end(const SplitFacts *f, const char *t, size_t n, size_t i)
{
	size_t end;
	if (f->contraction == CONTRACTION_LOWER || f->contraction == CONTRACTION_ANY) {
		end = contraction_end(t, n, i, f->contraction == CONTRACTION_ANY ? 32 : 0);
		if (end > i)
			return end;
	}
	end = word_end(f, t, n, i);
	if (end > i)
		return f->contraction == CONTRACTION_BEHIND ? contraction_end(t, n, end, 32) : end;
	end = digits_end(f, t, n, i);
	if (end > i)
		return end;
	end = signs_end(f, t, n, i);
	return end > i ? end : space_end(f, t, n, i);
}

#define GPT_SPLIT(id, ...) \
	static size_t next_##id(const char *t, size_t n, size_t at) \
	{ \
		static const SplitFacts facts = __VA_ARGS__; \
		return piece_end(&facts, t, n, at); \
	}
#include "runtime/token/split_facts.def"
#undef GPT_SPLIT

/* DeepSeek V3: digits by three are apart first, then runs of CJK and kana, then what is between them. */
enum { CLASS_CJK = CLASS_NEWLINE + 1, SET_CJK = 1 << CLASS_CJK, SET_WORD = SET_LETTER | SET_MARK, SET_APART = SET_NUMBER | SET_CJK };

static Char deep_at(const char *t, size_t i)
{
	Char c = char_at(t, i);
	if ((c.cp >= 0x4e00 && c.cp <= 0x9fa5) || (c.cp >= 0x3040 && c.cp <= 0x30ff))
		c.class = (TokenClass)CLASS_CJK;
	return c;
}

static size_t deep_skip(const char *t, size_t n, size_t i, unsigned set)
{
	while (i < n) {
		Char c = deep_at(t, i);
		if (!is_in(c, set))
			break;
		i += c.n;
	}
	return i;
}

static bool is_ascii_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

static size_t deep_space_end(const char *t, size_t n, size_t i)
{
	SpaceRun r = space_run(t, n, i);
	if (r.line > i)
		return r.line;
	return r.last == i || r.end == n || is_in(deep_at(t, r.end), SET_APART) ? r.end : r.last;
}

/* What no branch matches is a piece up to where one does. */
static size_t deep_gap_end(const char *t, size_t n, size_t i)
{
	while (i < n) {
		Char c = deep_at(t, i);
		size_t next = i + c.n;
		if (!is_in(c, 1 << CLASS_OTHER) || (next < n && is_in(deep_at(t, next), SET_WORD)))
			break;
		i = next;
	}
	return i;
}

static size_t next_deepseek3(const char *t, size_t n, size_t at)
{
	Char c = deep_at(t, at);
	size_t end = at + c.n, inner;
	if (c.class == CLASS_NUMBER) {
		for (int k = 1; k < 3 && end < n && is_in(c = deep_at(t, end), SET_NUMBER); k++)
			end += c.n;
		return end;
	}
	if (is_in(c, SET_CJK))
		return deep_skip(t, n, at, SET_CJK);
	if (c.cp < 128 && c.class == CLASS_PUNCT && end < n && is_ascii_letter(t[end])) {
		while (end < n && is_ascii_letter(t[end]))
			end++;
		return end;
	}
	inner = is_in(c, SET_WORD | 1 << CLASS_SPACE | 1 << CLASS_OTHER) ? end : at;
	end = deep_skip(t, n, inner, SET_WORD);
	if (end > inner || is_in(c, SET_WORD))
		return end;
	inner = c.cp == ' ' ? at + 1 : at;
	end = deep_skip(t, n, inner, 1 << CLASS_PUNCT);
	if (end > inner) {
		while (end < n && (t[end] == '\n' || t[end] == '\r'))
			end++;
		return end;
	}
	return is_in(c, SET_SPACE) ? deep_space_end(t, n, at) : deep_gap_end(t, n, at + c.n);
}

static size_t next_none(const char *t, size_t n, size_t at)
{
	(void)t;
	(void)at;
	return n;
}

SplitNext *split_next(VocabSplit split)
{
	static SplitNext *const of[SPLIT_COUNT] = {
#define GPT_SPLIT(id, ...) [SPLIT_##id] = next_##id,
#include "runtime/token/split_facts.def"
#undef GPT_SPLIT
		[SPLIT_NONE] = next_none, [SPLIT_DEEPSEEK3] = next_deepseek3,
	};
	return of[split];
}
