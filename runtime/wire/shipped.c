/* See shipped.h. */
#include "runtime/wire/shipped.h"

ShippedIds shipped_find(const Bin *bin, const Encoder *e)
{
	ShippedIds s = { .bin = bin, .encoder = e };
	const uint8_t *fingerprint = encoder_vocab(e)->header->fingerprint;
	for (uint32_t i = 0; bin && i < bin->n_tokenizer; i++)
		if (!memcmp(bin->tokenizer[i].fingerprint, fingerprint, BIN_HASH_BYTES))
			s.text = bin->tokenizer[i].text;
	return s;
}

bool shipped_has(const ShippedIds *s, Str text)
{
	if (!s->bin || !s->bin->pool.n)
		return false;
	uintptr_t pool = (uintptr_t)s->bin->pool.p, at = (uintptr_t)text.p;
	return at >= pool && at - pool <= s->bin->pool.n && text.n <= s->bin->pool.n - (at - pool);
}

/* The bytes of the text from `at` on that a token spells: its own, where SentencePiece writes its mark for a space.
 * 0: the text goes on otherwise. */
static size_t spelled(const Vocab *v, uint32_t id, Str text, size_t at)
{
	static const Str mark = STR("\xe2\x96\x81");
	Str token = vocab_token(v, id);
	size_t from = at;
	bool has_marks = v->header->model == VOCAB_SPM && v->token_type[id] != TOKEN_BYTE;
	for (size_t i = 0; i < token.n; at++) {
		bool is_space = has_marks && str_starts(str_sub(token, i, token.n), mark);
		if (at == text.n || text.p[at] != (is_space ? ' ' : token.p[i]))
			return 0;
		i += is_space ? mark.n : 1;
	}
	return at - from;
}

/* Only framing makes special tokens, and no text gives unused ones. */
static bool are_of_text(const Vocab *v, const BinWord *id, uint32_t n, Str text)
{
	size_t at = 0, len;
	for (uint32_t i = 0; i < n; i++, at += len)
		if (id[i].w >= v->n_token || v->token_type[id[i].w] == TOKEN_SPECIAL || v->token_type[id[i].w] == TOKEN_UNUSED ||
		    !(len = spelled(v, id[i].w, text, at)))
			return false;
	return at == text.n;
}

/* The first record at or behind a place of the pool. */
static uint32_t first_at(const ShippedIds *s, uint64_t place)
{
	const BinTokenText *t = s->bin->token_text + s->text.first;
	uint32_t lo = 0, hi = s->text.n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (t[mid].text.off < place)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool shipped_next(const ShippedIds *s, Str text, size_t from, ShippedPart *out)
{
	if (!s->text.n || !shipped_has(s, text))
		return false;
	size_t reach = token_cut_reach(s->encoder);
	uint64_t lo = (uint64_t)(text.p - s->bin->pool.p), hi = lo + text.n;
	for (uint32_t i = first_at(s, lo + (from > reach ? from : reach + 1)); i < s->text.n; i++) {
		const BinTokenText *t = &s->bin->token_text[s->text.first + i];
		uint64_t end = (uint64_t)t->text.off + t->text.len;
		if (end + reach > hi)
			return false;
		const BinWord *id = s->bin->token_id + t->id.first;
		if (!are_of_text(encoder_vocab(s->encoder), id, t->id.n, bin_str(s->bin, t->text)))
			continue;
		*out = (ShippedPart){ t->text.off - lo, end - lo, id, t->id.n };
		return true;
	}
	return false;
}
