/*
 * From a loader's VocabSource to the table's bytes. Everything the encoders look up at run time is
 * derived here, from the vocabulary alone: the hash table of whole pieces, the hash table of pairs
 * with the rank of their join, and the two small direct tables for single bytes.
 */
#include <stdlib.h>

#include "runtime/base/vec.h"
#include "runtime/token/bpe.h"
#include "runtime/token/piece_hash.h"
#include "runtime/token/spm.h"
#include "runtime/token/vocab_char.h"
#include "runtime/token/wordpiece.h"

typedef struct Pair { uint64_t key; uint32_t rank; } Pair;

typedef struct Builder {
	Arena *arena;
	const VocabSource *source;
	Vocab view;              /* what is built so far, for look-ups */
	uint32_t byte[256], n_rank, max_token_bytes;
	VEC(Pair) pair;
	Str section[VSEC_COUNT];
} Builder;

static uint64_t table_slots(uint64_t n)
{
	uint64_t slots = PAIR_ROW;
	while (slots * 5 < n * 8)  /* at most five eighths full */
		slots *= 2;
	return slots;
}

static uint64_t *table_new(Arena *a, uint64_t n_slot)
{
	uint64_t *t = arena_array(a, uint64_t, n_slot);
	memset(t, 0xff, n_slot * sizeof *t);
	return t;
}

/* Tokens that a text can give. */
static bool is_text(const Builder *b, uint32_t id)
{
	uint8_t type = b->source->type[id];
	bool in_spm = b->source->model == VOCAB_SPM && (type == TOKEN_USER || type == TOKEN_UNUSED);
	return b->source->token[id].n && (type == TOKEN_NORMAL || in_spm);
}

static bool put_tokens(Builder *b, Str *why)
{
	const VocabSource *s = b->source;
	uint32_t *off = arena_array(b->arena, uint32_t, s->n_token + 1);
	uint64_t n = 0;
	for (uint32_t i = 0; i < s->n_token; i++) {
		off[i] = (uint32_t)n;
		n += s->token[i].n;
		if (s->token[i].n > b->max_token_bytes)
			b->max_token_bytes = (uint32_t)s->token[i].n;
		if (n > UINT32_MAX / 4) {
			*why = STR("the tokens' bytes are too many for a table");
			return false;
		}
	}
	off[s->n_token] = (uint32_t)n;
	char *bytes = arena_alloc(b->arena, n);
	for (uint32_t i = 0; i < s->n_token; i++)
		if (s->token[i].n)
			memcpy(bytes + off[i], s->token[i].p, s->token[i].n);
	b->section[VSEC_TOKEN_OFF] = (Str){ (char *)off, 4 * ((size_t)s->n_token + 1) };
	b->section[VSEC_TOKEN_BYTES] = (Str){ bytes, n };
	b->section[VSEC_TOKEN_TYPE] = (Str){ (char *)s->type, s->n_token };
	b->view.token_off = off;
	b->view.token_bytes = bytes;
	b->view.n_token = s->n_token;
	b->view.n_token_bytes = (uint32_t)n;
	return true;
}

static void put_pieces(Builder *b)
{
	const VocabSource *s = b->source;
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n_token; i++)
		n += is_text(b, i);
	uint64_t n_slot = table_slots(n), *table = table_new(b->arena, n_slot);
	b->view.piece = table;
	b->view.piece_mask = n_slot - 1;
	memset(b->byte, 0xff, sizeof b->byte);
	for (uint32_t i = 0; i < s->n_token; i++) {
		Str t = s->token[i];
		if (s->type[i] == TOKEN_BYTE && t.n == 1)
			b->byte[(uint8_t)t.p[0]] = i;
		if (!is_text(b, i) || vocab_find(&b->view, t) != TOKEN_NONE)
			continue;
		if (t.n == 1 && b->byte[(uint8_t)t.p[0]] == TOKEN_NONE)
			b->byte[(uint8_t)t.p[0]] = i;
		uint64_t hash = piece_hash(t.p, t.n), at = hash >> 40 & (n_slot - 1);
		while (table[at] != PIECE_EMPTY)
			at = (at + 1) & (n_slot - 1);
		table[at] = piece_tag(hash) | i;
	}
	b->section[VSEC_PIECE] = (Str){ (char *)table, n_slot * sizeof *table };
	b->section[VSEC_BYTE] = (Str){ (char *)b->byte, sizeof b->byte };
}

/* VOCAB_RANKS and VOCAB_SPM: every way to join two tokens to a third. */
static void find_joins(Builder *b)
{
	const VocabSource *s = b->source;
	for (uint32_t i = 0; i < s->n_token; i++) {
		Str t = s->token[i];
		if (!is_text(b, i) || vocab_find(&b->view, t) != i)
			continue;
		for (size_t cut = 1; cut < t.n; cut++) {
			uint32_t left = vocab_find(&b->view, str_sub(t, 0, cut));
			uint32_t right = left == TOKEN_NONE ? left : vocab_find(&b->view, str_sub(t, cut, t.n));
			if (right != TOKEN_NONE)
				vec_push(b->arena, &b->pair, (Pair){ pair_key(left, right), i });
		}
	}
	b->n_rank = s->n_token;
}

/* Of VOCAB_RANKS only the joins that BPE can make: note [canonical joins]. */
static void keep_canonical(Builder *b)
{
	const VocabSource *s = b->source;
	BpeScratch scratch = { 0 };
	b->view.header = &(VocabHeader){ .unk = TOKEN_NONE };
	b->view.n_rank = b->n_rank;
	b->pair.n = 0;
	for (uint32_t i = 0; i < s->n_token; i++) {
		uint32_t left, right;
		if (s->token[i].n > 1 && is_text(b, i) && bpe_last_join(&b->view, &scratch, s->token[i], &left, &right))
			vec_push(b->arena, &b->pair, (Pair){ pair_key(left, right), i });
	}
	bpe_free(&scratch);
}

static bool take_merges(Builder *b, Str *why)
{
	const VocabSource *s = b->source;
	uint32_t *join = arena_array(b->arena, uint32_t, s->n_merge);
	if (s->n_merge >= 1u << PAIR_RANK_BITS) {
		*why = STR("too many merges for a table");
		return false;
	}
	for (uint32_t i = 0; i < s->n_merge; i++) {
		VocabMerge m = s->merge[i];
		if (m.left >= s->n_token || m.right >= s->n_token || m.joined >= s->n_token) {
			*why = str_fmt(b->arena, "merge %u names a token that is not there", i);
			return false;
		}
		join[i] = m.joined;
		vec_push(b->arena, &b->pair, (Pair){ pair_key(m.left, m.right), i });
	}
	b->section[VSEC_JOIN] = (Str){ (char *)join, (size_t)s->n_merge * sizeof *join };
	b->n_rank = s->n_merge;
	return true;
}

static void put_pairs(Builder *b)
{
	uint64_t n_slot = table_slots(b->pair.n), *table = table_new(b->arena, n_slot);
	uint32_t *direct = arena_array(b->arena, uint32_t, 1 << 16);
	memset(direct, 0xff, sizeof *direct << 16);
	for (uint32_t i = 0; i < b->pair.n; i++) {
		Pair p = b->pair.v[i];
		uint64_t at = pair_start(p.key, n_slot - 1);
		while (table[at] != PAIR_EMPTY && table[at] >> PAIR_RANK_BITS != p.key)
			at = (at + 1) & (n_slot - 1);
		if (table[at] == PAIR_EMPTY)
			table[at] = p.key << PAIR_RANK_BITS | p.rank;
	}
	b->view.pair = table;
	b->view.byte = b->byte;
	b->view.pair_mask = n_slot - 1;
	for (uint32_t i = 0; i < 1 << 16; i++) {
		uint32_t l = b->byte[i >> 8], r = b->byte[i & 255];
		if (l != TOKEN_NONE && r != TOKEN_NONE)
			direct[i] = vocab_find_pair(&b->view, l, r);
	}
	b->section[VSEC_PAIR] = (Str){ (char *)table, n_slot * sizeof *table };
	b->section[VSEC_BYTE_PAIR] = (Str){ (char *)direct, sizeof *direct << 16 };
}

static void put_chars(Builder *b)
{
	Vocab v = b->view;
	v.header = &(VocabHeader){ .unk = TOKEN_NONE };
	v.n_rank = b->n_rank;
	v.join = b->section[VSEC_JOIN].n ? (const uint32_t *)(const void *)b->section[VSEC_JOIN].p : NULL;
	b->section[VSEC_CHAR] = char_build(b->arena, &v);
}

typedef struct Scored { float score; uint32_t id; } Scored;

static int by_score(const void *x, const void *y)
{
	const Scored *p = x, *q = y;
	return p->score > q->score ? -1 : p->score < q->score ? 1 : p->id < q->id ? -1 : p->id > q->id;
}

static void put_scores(Builder *b)
{
	const VocabSource *s = b->source;
	Scored *order = arena_array(b->arena, Scored, s->n_token);
	uint32_t *place = arena_array(b->arena, uint32_t, s->n_token), at = 0;
	for (uint32_t i = 0; i < s->n_token; i++)
		order[i] = (Scored){ s->score[i], i };
	qsort(order, s->n_token, sizeof *order, by_score);
	for (uint32_t i = 0; i < s->n_token; i++) {
		if (i && order[i].score != order[i - 1].score)
			at = i;
		place[order[i].id] = at;
	}
	b->section[VSEC_SCORE] = (Str){ (char *)place, (size_t)s->n_token * sizeof *place };
}

typedef struct User { uint32_t id, n; } User;

static int by_length(const void *x, const void *y)
{
	const User *p = x, *q = y;
	return p->n > q->n ? -1 : p->n < q->n ? 1 : p->id < q->id ? -1 : p->id > q->id;
}

static void put_user(Builder *b)
{
	const VocabSource *s = b->source;
	VEC(User) user = { 0 };
	for (uint32_t i = 0; i < s->n_token; i++)
		if (s->type[i] == TOKEN_USER && s->token[i].n)
			vec_push(b->arena, &user, (User){ i, (uint32_t)s->token[i].n });
	if (user.n)
		qsort(user.v, user.n, sizeof *user.v, by_length);
	uint32_t *id = arena_array(b->arena, uint32_t, user.n);
	for (uint32_t i = 0; i < user.n; i++)
		id[i] = user.v[i].id;
	b->section[VSEC_USER] = (Str){ (char *)id, (size_t)user.n * sizeof *id };
}

static bool write_file(Builder *b, Buf *out, Str *why)
{
	const VocabSource *s = b->source;
	VocabHeader h = {
		.version = VOCAB_VERSION, .model = s->model, .split = s->split, .norm = s->norm, .flags = s->flags,
		.n_token = s->n_token, .n_rank = b->n_rank, .max_token_bytes = b->max_token_bytes,
		.max_word = s->max_word, .bos = s->bos, .eos = s->eos, .unk = s->unk, .margin = s->margin,
	};
	uint64_t at = sizeof h;
	memcpy(h.magic, VOCAB_MAGIC, sizeof h.magic);
	for (int i = 0; i < VSEC_COUNT; i++) {
		at = (at + VOCAB_ALIGN - 1) / VOCAB_ALIGN * VOCAB_ALIGN;
		h.section[i] = (VocabRange){ (uint32_t)at, (uint32_t)b->section[i].n };
		at += b->section[i].n;
		if (at > UINT32_MAX) {
			*why = STR("the table would be larger than 4 GiB");
			return false;
		}
	}
	h.n_bytes = (uint32_t)at;
	size_t start = out->n;
	buf_reserve(out, at);
	buf_put(out, (Str){ (const char *)&h, sizeof h });
	for (int i = 0; i < VSEC_COUNT; i++) {
		buf_fill(out, 0, start + h.section[i].off - out->n);
		buf_put(out, b->section[i]);
	}
	vocab_fingerprint(&h, (Str){ out->p + start + sizeof h, h.n_bytes - sizeof h }, h.fingerprint);
	memcpy(out->p + start, &h, sizeof h);
	return true;
}

bool vocab_build(Arena *a, const VocabSource *source, Buf *out, Str *why)
{
	Builder b = { .arena = a, .source = source };
	if (!source->n_token || source->n_token > VOCAB_MAX_TOKENS) {
		*why = str_fmt(a, "%u tokens; a table holds 1 to %d", source->n_token, VOCAB_MAX_TOKENS);
		return false;
	}
	if (source->model == VOCAB_WORDPIECE && (!source->max_word || source->max_word > WORDPIECE_MAX_WORD)) {
		*why = str_fmt(a, "words of %u characters; a table holds 1 to %d", source->max_word, WORDPIECE_MAX_WORD);
		return false;
	}
	if (!put_tokens(&b, why))
		return false;
	put_pieces(&b);
	if (source->model == VOCAB_MERGES) {
		if (!take_merges(&b, why))
			return false;
	} else if (source->model != VOCAB_WORDPIECE) {
		find_joins(&b);
	}
	if (b.pair.n)
		put_pairs(&b);
	if (b.pair.n && source->model == VOCAB_RANKS) {
		keep_canonical(&b);
		put_pairs(&b);
	}
	if (b.pair.n && (source->model == VOCAB_RANKS || source->model == VOCAB_MERGES))
		put_chars(&b);
	if (source->score)
		put_scores(&b);
	put_user(&b);
	if (source->model == VOCAB_SPM && !spm_cross_build(a, source, &b.view, &b.section[VSEC_CROSS], why))
		return false;
	b.section[VSEC_NAME] = source->name;
	return write_file(&b, out, why);
}
