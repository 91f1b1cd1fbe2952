/* See bin_tokens.h. A record is kept only where it is proven: its text's ids, whole, are those of its parts. */
#include "compiler/emit/bin_tokens.h"

#include <stdlib.h>

enum { TEXT_LEAST_BYTES = 32 };  /* below that a record holds few ids, or none */

typedef VEC(BinStr) Texts;

typedef struct Tokens {
	Arena *arena;
	const Bin *bin;
	VEC(BinTokenizer) tokenizer;
	VEC(BinTokenText) text;
	VEC(BinWord) id;
} Tokens;

/* ---- texts ------------------------------------------------------------------------------------ */

static int by_place(const void *x, const void *y)
{
	const BinStr *p = x, *q = y;
	return p->off != q->off ? (p->off > q->off) - (p->off < q->off) : (p->len < q->len) - (p->len > q->len);
}

/* The texts of the file that are long enough, in the pool's order, none across another. */
static Texts find_texts(Arena *a, const Bin *b)
{
	Texts t = { 0 };
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->n_seg; i++)
		if ((b->seg[i].kind == SEG_TEXT || b->seg[i].kind == SEG_SCHEMA) && b->seg[i].text.len >= TEXT_LEAST_BYTES)
			vec_push(a, &t, b->seg[i].text);
	if (t.n)
		qsort(t.v, t.n, sizeof *t.v, by_place);
	for (uint32_t i = 0; i < t.n; i++)
		if (!n || t.v[i].off - t.v[n - 1].off >= t.v[n - 1].len)
			t.v[n++] = t.v[i];
	t.n = n;
	return t;
}

/* ---- ids -------------------------------------------------------------------------------------- */

/* note [shipped ids] (shipped.h): the part of a text between its first cut and its last that hold whatever stands
 * around the text, with a byte to spare on both sides. */
static bool find_part(const Encoder *e, Str text, size_t *lo, size_t *hi)
{
	*lo = token_cut(e, text, token_cut_reach(e) + 1);
	*hi = token_cut_last(e, str_sub(text, 0, text.n - 1), *lo + 1);
	return *hi > *lo;
}

/* The ids of the text, each part encoded apart; *first and *n are those between the cuts. */
static size_t encode_parts(Encoder *e, Str text, size_t lo, size_t hi, uint32_t *ids, size_t *first, size_t *n)
{
	*first = token_encode(e, str_sub(text, 0, lo), ids);
	*n = token_encode_behind(e, str_sub(text, lo, hi), ids + *first);
	return *first + *n + token_encode_behind(e, str_sub(text, hi, text.n), ids + *first + *n);
}

static void add_record(Tokens *t, BinStr text, const uint32_t *ids, size_t n)
{
	BinTokenText record = { text, { t->id.n, (uint32_t)n } };
	vec_push(t->arena, &t->text, record);
	for (size_t i = 0; i < n; i++)
		vec_push(t->arena, &t->id, (BinWord){ ids[i] });
}

static void add_text(Tokens *t, Encoder *e, BinStr at)
{
	Str text = bin_str(t->bin, at);
	size_t lo, hi, first, n, room = token_bound(encoder_vocab(e), text.n) + 3 * TOKEN_PART_ROOM;
	if (!find_part(e, text, &lo, &hi))
		return;
	uint32_t *whole = token_ids_new(room), *part = token_ids_new(room);
	size_t n_whole = token_encode(e, text, whole), n_part = encode_parts(e, text, lo, hi, part, &first, &n);
	if (n && n_whole == n_part && !memcmp(whole, part, n_whole * sizeof *whole))
		add_record(t, (BinStr){ at.off + (uint32_t)lo, (uint32_t)(hi - lo) }, part + first, n);
	free(whole);
	free(part);
}

static int by_fingerprint(const void *x, const void *y)
{
	Encoder *const *p = x, *const *q = y;
	return memcmp(encoder_vocab(*p)->header->fingerprint, encoder_vocab(*q)->header->fingerprint, BIN_HASH_BYTES);
}

static void add_tokenizer(Tokens *t, Encoder *e, const Texts *texts)
{
	BinTokenizer tokenizer = { .text.first = t->text.n };
	memcpy(tokenizer.fingerprint, encoder_vocab(e)->header->fingerprint, BIN_HASH_BYTES);
	for (uint32_t i = 0; i < texts->n; i++)
		add_text(t, e, texts->v[i]);
	tokenizer.text.n = t->text.n - tokenizer.text.first;
	if (tokenizer.text.n)
		vec_push(t->arena, &t->tokenizer, tokenizer);
}

BinStatus bin_append_tokens(Arena *a, const Encoders *encoders, Buf *bytes, Bin *bin, uint32_t *n_id, BinError *err)
{
	Tokens t = { .arena = a, .bin = bin };
	*n_id = 0;
	if (!encoders->n)
		return BIN_OK;
	Texts texts = find_texts(a, bin);
	Encoder **e = arena_array(a, Encoder *, encoders->n);
	memcpy(e, encoders->v, encoders->n * sizeof *e);
	qsort(e, encoders->n, sizeof *e, by_fingerprint);
	for (uint32_t i = 0; i < encoders->n; i++)
		if (!i || by_fingerprint(&e[i - 1], &e[i]))
			add_tokenizer(&t, e[i], &texts);
	BinMore more[] = {
		{ SECTION_TOKENIZER, sizeof *t.tokenizer.v, { (const char *)t.tokenizer.v, t.tokenizer.n * sizeof *t.tokenizer.v } },
		{ SECTION_TOKEN_TEXT, sizeof *t.text.v, { (const char *)t.text.v, t.text.n * sizeof *t.text.v } },
		{ SECTION_TOKEN_ID, sizeof *t.id.v, { (const char *)t.id.v, t.id.n * sizeof *t.id.v } },
	};
	*n_id = t.id.n;
	return bin_append(bytes, more, t.id.n ? 3 : 0, bin, err);
}
