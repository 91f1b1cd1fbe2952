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

/* Only framing makes special tokens, and no text gives unused ones. */
static bool are_of_text(const Vocab *v, const BinWord *id, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (id[i].w >= v->n_token || v->token_type[id[i].w] == TOKEN_SPECIAL || v->token_type[id[i].w] == TOKEN_UNUSED)
			return false;
	return true;
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
		if (!are_of_text(encoder_vocab(s->encoder), id, t->id.n))
			continue;
		*out = (ShippedPart){ t->text.off - lo, end - lo, id, t->id.n };
		return true;
	}
	return false;
}
