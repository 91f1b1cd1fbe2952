/*
 * Splitting 64 ASCII bytes at once. Bit i of every mask is byte i of a window that starts at a piece's
 * start; window_starts says at which bits pieces start, with some fifty operations on words.
 *
 * note [certain starts]: what stands behind the window could move a start near its end, so only starts
 * up to `certain` count, and the next window begins at the last of them. A form that needs a loop (two
 * contractions in a row, a line of white space between line ends) cuts the window short before it.
 */
#ifndef SEED_TOKEN_SPLIT_BITS_H
#define SEED_TOKEN_SPLIT_BITS_H

#include "runtime/token/split_facts.h"

typedef struct WindowMasks {
	uint64_t wide;   /* bytes that are not ASCII */
	uint64_t letter, upper, digit, space, tab, line, quote, slash;  /* tab: HT VT FF; line: LF CR */
} WindowMasks;

/* Masks of the letters that end contractions, by the fold: asked for only where a quote stands. */
typedef struct ContractionMasks { uint64_t single, l, v, r, e; } ContractionMasks;

static inline unsigned bit_first(uint64_t x) { return x ? (unsigned)__builtin_ctzll(x) : 64; }
static inline uint64_t bits_below(unsigned n) { return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1; }

static inline void cut_at(unsigned *n, uint64_t where)
{
	unsigned at = bit_first(where);
	if (at < *n)
		*n = at;
}

/* Bit i: a contraction's quote, by the letters that follow. single: one letter, else two. */
static inline void contractions(const ContractionMasks *c, uint64_t quote, uint64_t *one, uint64_t *two)
{
	*one = quote & c->single >> 1;
	*two = quote & ~*one & ((c->l >> 1 & c->l >> 2) | (c->v >> 1 & c->e >> 2) | (c->r >> 1 & c->e >> 2));
}

/* n: bytes of the window (<= 64). Bit 0 is always set. */
static inline __attribute__((always_inline)) uint64_t
window_starts(const SplitFacts *f, const WindowMasks *m, const ContractionMasks *c, unsigned n)
{
	cut_at(&n, m->wide);
	uint64_t valid = bits_below(n), white = m->space | m->tab | m->line;
	uint64_t sign = ~(m->letter | m->digit | white) & valid, letter = m->letter;
	uint64_t inside = 0, start = 1;

	if (f->contraction != CONTRACTION_NONE && m->quote) {
		uint64_t one, two, quote = m->quote;
		quote &= f->contraction == CONTRACTION_BEHIND ? letter << 1 : sign & ~(sign << 1) & ~(m->space << 1);
		contractions(c, quote, &one, &two);
		inside = one | one << 1 | two | two << 1 | two << 2;
		if (f->contraction == CONTRACTION_BEHIND)
			cut_at(&n, (one << 2 | two << 3) & (one | two));
		else
			start |= one | two;
		start |= one << 2 | two << 3;
		sign &= ~inside;
		letter &= ~inside;
	}

	uint64_t sign_start = sign & ~(sign << 1) & ~(m->space << 1);
	uint64_t word_first = letter & ~(letter << 1), before = m->space;
	if (f->any_before_word)
		before |= m->tab | (sign_start & ~(sign >> 1));
	start |= sign_start | (word_first & ~(before << 1));
	if (f->cased_words)
		start |= m->upper & letter & (letter & ~m->upper) << 1;

	uint64_t digit_first = m->digit & ~(m->digit << 1);
	if (f->max_digits == 1) {
		start |= m->digit;
	} else if (!f->max_digits) {
		start |= digit_first & ~(m->space << 1);
	} else {
		uint64_t whole = m->digit & m->digit << 1 & m->digit << 2;
		for (uint64_t at = digit_first; at; at = at << 3 & whole)
			start |= at;
	}

	/* White space: a run starts a piece; its last line end ends one; its last blank starts one. */
	uint64_t line = f->lines ? m->line : 0, blank = f->lines ? m->space | m->tab : white, run = white;
	if (f->lines) {
		uint64_t behind = sign << 1 & line;
		run &= ~(line & ~(line + behind));
		line &= run;
		if (f->slash)
			cut_at(&n, m->slash >> 1 & m->line);
	}
	uint64_t blank_first = blank & ~(blank << 1) & line << 1;
	cut_at(&n, (blank + blank_first) & ~blank & line);
	uint64_t blank_last = blank & ~(white >> 1);
	if (f->digits_apart)
		blank_last &= ~(m->digit >> 1);
	start |= (run & ~(run << 1)) | blank_first | blank_last;

	/* note [certain starts] */
	uint64_t open = ~white & bits_below(n);
	unsigned certain = open ? 64 - (unsigned)__builtin_clzll(open) : 0;
	if (certain + 3 > n)
		certain = n > 3 ? n - 3 : 0;
	return start & bits_below(certain + 1);
}

/* Whether bits would find nothing, for a byte that is not ASCII stands so near. */
static inline bool starts_wide(const char *p)
{
	uint32_t w;
	memcpy(&w, p, sizeof w);
	return w & 0x80808080;
}

/*
 * A SplitBatch of one pattern for one machine: the two readers fill their masks from 64 bytes.
 */
#define SPLIT_WINDOW(name, attribute, facts, read_masks, read_contractions) \
	attribute static size_t name(const Vocab *v, Str t, size_t at, uint32_t *end, size_t cap) \
	{ \
		(void)v; \
		SplitNext *next = split_next(facts.id); \
		size_t k = 0; \
		while (at < t.n && k + SPLIT_ROOM <= cap) { \
			uint64_t start = 1; \
			if (t.n - at >= 64 && !starts_wide(t.p + at)) { \
				WindowMasks m; \
				ContractionMasks c = { 0 }; \
				read_masks(t.p + at, &m); \
				if (facts.contraction != CONTRACTION_NONE && m.quote) \
					read_contractions(t.p + at, facts.contraction == CONTRACTION_LOWER ? 0 : 32, &c); \
				start = window_starts(&facts, &m, &c, 64); \
			} \
			if (start == 1) { \
				end[k++] = (uint32_t)(at = next(t.p, t.n, at)); \
				continue; \
			} \
			for (start &= start - 1; start; start &= start - 1) \
				end[k++] = (uint32_t)(at + (unsigned)__builtin_ctzll(start)); \
			at = end[k - 1]; \
		} \
		return k; \
	}

#endif
