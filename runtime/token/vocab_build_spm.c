/*
 * The part of a table that only SentencePiece needs: which characters stand side by side within some
 * piece (VSEC_CROSS, see spm.h). User-defined tokens do not count: they are taken out before the cut.
 */
#include <stdlib.h>

#include "runtime/base/utf8.h"
#include "runtime/base/vec.h"
#include "runtime/token/spm.h"

typedef struct Crossings {
	Arena *arena;
	const Vocab *view;
	VEC(uint64_t) other;  /* pairs of which one is not ASCII: the first character high */
	uint64_t ascii[SPM_CROSS_ROWS];
} Crossings;

static bool take_piece(Crossings *x, Str t)
{
	uint32_t before = 0, cp;
	for (size_t at = 0, len; at < t.n; at += len, before = cp) {
		len = utf8_decode(t, at, &cp);
		if (cp == UTF8_BAD || vocab_find(x->view, str_sub(t, at, at + len)) == TOKEN_NONE)
			return false;
		if (cp == 0x2581)
			cp = ' ';
		if (!at)
			continue;
		if ((before | cp) < SPM_ASCII)
			x->ascii[2 * before + cp / 64] |= (uint64_t)1 << cp % 64;
		else
			vec_push(x->arena, &x->other, (uint64_t)before << 32 | cp);
	}
	return true;
}

static int by_value(const void *x, const void *y)
{
	const uint64_t *p = x, *q = y;
	return *p < *q ? -1 : *p > *q;
}

/* The section's bytes: the rows of ASCII, then bits enough that few pairs share one by chance. */
static Str lay_out(Crossings *x)
{
	uint64_t n_bit = 64, n_pair = 0, *pair = x->other.v;
	if (x->other.n)
		qsort(pair, x->other.n, sizeof *pair, by_value);
	for (uint32_t i = 0; i < x->other.n; i++)
		if (!n_pair || pair[n_pair - 1] != pair[i])
			pair[n_pair++] = pair[i];
	while (n_bit < 128 || n_bit < 8 * n_pair)
		n_bit *= 2;
	size_t n_word = SPM_CROSS_ROWS + n_bit / 64;
	uint64_t *word = arena_array(x->arena, uint64_t, n_word);
	memcpy(word, x->ascii, sizeof x->ascii);
	for (uint64_t i = 0; i < n_pair; i++) {
		uint64_t bit = spm_cross_hash(pair[i] >> 32, (uint32_t)pair[i]) & (n_bit - 1);
		word[SPM_CROSS_ROWS + bit / 64] |= (uint64_t)1 << bit % 64;
	}
	return (Str){ (char *)word, n_word * sizeof *word };
}

static bool has_all_bytes(const VocabSource *source)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < source->n_token; i++)
		n += source->type[i] == TOKEN_BYTE && source->token[i].n == 1;
	return n == 256;
}

bool spm_cross_build(Arena *a, const VocabSource *source, const Vocab *view, Str *section, Str *why)
{
	Crossings x = { .arena = a, .view = view };
	if (!source->score) {
		*why = STR("the pieces have no scores");
		return false;
	}
	if (source->flags & VOCAB_BYTE_FALLBACK && !has_all_bytes(source)) {
		*why = STR("some of the 256 byte tokens are missing");
		return false;
	}
	for (uint32_t i = 0; i < source->n_token; i++) {
		uint8_t type = source->type[i];
		if ((type == TOKEN_NORMAL || type == TOKEN_UNUSED) && !take_piece(&x, source->token[i])) {
			*why = str_fmt(a, "piece %u holds a character that is no piece itself, or is not UTF-8", i);
			return false;
		}
	}
	*section = lay_out(&x);
	return true;
}
