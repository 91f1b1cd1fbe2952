/*
 * Cut points: where the two sides of a text can be encoded apart.
 *
 * note [cut at safe points]: whether a cut is safe is seen from the characters on both sides.
 * Byte-level: every pattern ends a piece there and neither side's pieces depend on the other: a word or
 * number before a line end; anything but white space before a space; a word before a sign that is not an
 * apostrophe (which may begin a contraction). The left text then ends in no white space, so that the
 * branches which look at the end of a text see the same; the right text starts at a piece. Where a normal
 * form comes first, both characters are ASCII: no form changes these or joins them.
 * SentencePiece: no piece holds the two side by side, so no join crosses. Not where the spaces at the ends of a
 * text are dropped, nor where ids depend on more than their neighbours (spm.h's unmerge, fused unknown tokens).
 * WordPiece: before white space.
 * In all, no user-defined token stands across the place.
 */
#include "runtime/token/encoder.h"

static bool is_byte_level(const Vocab *v)
{
	return v->header->model == VOCAB_RANKS || v->header->model == VOCAB_MERGES;
}

static bool offers_cuts(const Encoder *e)
{
	unsigned flags = e->v->header->flags;
	bool fuses = (flags & VOCAB_FUSE_UNKNOWN) && !(flags & VOCAB_BYTE_FALLBACK);
	return e->v->header->model != VOCAB_SPM || !(e->spm.unmerge || fuses || flags & VOCAB_TRIM_SPACES);
}

static uint32_t char_before(Str t, size_t at)
{
	uint32_t cp;
	size_t from = at - 1;
	while (from && at - from < 4 && (t.p[from] & 0xc0) == 0x80)
		from--;
	return utf8_decode(t, from, &cp) == at - from ? cp : UTF8_BAD;
}

static bool ends_piece(uint32_t before_cp, uint32_t cp)
{
	TokenClass before = token_class(before_cp), after = token_class(cp);
	bool word = before == CLASS_UPPER || before == CLASS_LOWER || before == CLASS_LETTER;
	if (cp == ' ')
		return before != CLASS_SPACE && before != CLASS_NEWLINE;
	if (after == CLASS_NEWLINE)
		return word || before == CLASS_NUMBER;
	return word && after == CLASS_PUNCT && cp != '\'';
}

static bool is_pair_safe(const Vocab *v, uint32_t before, uint32_t after)
{
	if (v->header->model == VOCAB_WORDPIECE)
		return after == ' ' || after == '\n' || after == '\t' || after == '\r';
	if (before == UTF8_BAD || after == UTF8_BAD)
		return false;
	if (v->header->model == VOCAB_SPM)
		return !spm_may_cross(v, before, after);
	return (v->header->norm == NORM_NONE || (before < 0x80 && after < 0x80)) && ends_piece(before, after);
}

/* 0 < at < t.n, and at starts a character. */
static bool is_cut(const Encoder *e, Str t, size_t at)
{
	uint32_t after;
	utf8_decode(t, at, &after);
	return is_pair_safe(e->v, char_before(t, at), after) && !spm_crosses_user(e->v, &e->spm, t, at);
}

static bool is_char_start(Str t, size_t at)
{
	return (t.p[at] & 0xc0) != 0x80;
}

size_t token_cut(const Encoder *e, Str t, size_t from)
{
	uint32_t cp;
	for (size_t at = from ? from : 1; at < t.n && offers_cuts(e); at++) {
		if (!is_char_start(t, at))
			continue;
		if (is_cut(e, t, at))
			return at;
		/* note [ill-formed bytes]: in a byte-level vocabulary the first ones end all pieces */
		if (is_byte_level(e->v) && (utf8_decode(t, at, &cp), cp == UTF8_BAD || char_before(t, at) == UTF8_BAD))
			break;
	}
	return t.n;
}

size_t token_cut_well(const Encoder *e, Str t)
{
	return is_byte_level(e->v) ? utf8_find_bad(t) : t.n;
}

size_t token_cut_reach(const Encoder *e)
{
	enum { CHAR_MOST = 4 };
	return CHAR_MOST + e->spm.user_most;
}

size_t token_cut_last(const Encoder *e, Str t, size_t from)
{
	size_t good = token_cut_well(e, t), reach = token_cut_reach(e);
	for (size_t at = good > reach && offers_cuts(e) ? good - reach : 0; at && at >= from; at--)
		if (is_char_start(t, at) && is_cut(e, t, at))
			return at;
	return 0;
}
