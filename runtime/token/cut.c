/*
 * Cut points of byte-level vocabularies.
 *
 * note [cut at safe points]: between two characters a cut is safe when every pattern ends a piece there
 * and neither side's pieces depend on the other: a word or number before a line end; anything but white
 * space before a space; a word before a sign that is not an apostrophe (which may begin a contraction).
 * The left text then ends in no white space, so that the branches which look at the end of a text see
 * the same; the right text starts at a piece. A user-defined token must not span the place. Where a
 * normal form comes first, both characters are ASCII: no form changes these or joins them.
 */
#include "runtime/token/encoder.h"

static uint32_t char_before(Str t, size_t at, size_t *from)
{
	uint32_t cp;
	*from = at - 1;
	while (*from && at - *from < 4 && (t.p[*from] & 0xc0) == 0x80)
		--*from;
	return utf8_decode(t, *from, &cp) == at - *from ? cp : UTF8_BAD;
}

static bool is_pair_safe(TokenClass before, TokenClass after, uint32_t cp)
{
	bool word = before == CLASS_UPPER || before == CLASS_LOWER || before == CLASS_LETTER;
	if (cp == ' ')
		return before != CLASS_SPACE && before != CLASS_NEWLINE;
	if (after == CLASS_NEWLINE)
		return word || before == CLASS_NUMBER;
	return word && after == CLASS_PUNCT && cp != '\'';
}

/* Does a token that is matched before the split stand across the place? */
static bool is_in_user_token(const Vocab *v, Str t, size_t at)
{
	for (uint32_t i = 0; i < v->n_user; i++) {
		Str user = vocab_token(v, v->user[i]);
		for (size_t k = 1; k < user.n && k <= at; k++)
			if (str_starts(str_sub(t, at - k, t.n), user))
				return true;
	}
	return false;
}

size_t bytes_cut(const Vocab *v, Str t, size_t from)
{
	for (size_t at = from ? from : 1; at < t.n; at++) {
		uint32_t after, before;
		size_t left;
		if ((t.p[at] & 0xc0) == 0x80)
			continue;
		utf8_decode(t, at, &after);
		before = char_before(t, at, &left);
		if (after == UTF8_BAD || before == UTF8_BAD)
			return t.n;
		if (v->header->norm != NORM_NONE && (before >= 0x80 || after >= 0x80))
			continue;
		if (is_pair_safe(token_class(before), token_class(after), after) && !is_in_user_token(v, t, at))
			return at;
	}
	return t.n;
}
