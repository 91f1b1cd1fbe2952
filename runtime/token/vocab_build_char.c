/*
 * Which characters of three bytes BPE may start with: note [whole characters].
 */
#include "runtime/base/vec.h"
#include "runtime/token/bpe.h"
#include "runtime/token/piece_hash.h"
#include "runtime/token/vocab_char.h"

/* A pair that could take the edge of a character away: of a proper part of some character, with a neighbour. */
typedef struct Thief {
	uint32_t part, rank;
	uint32_t feared;  /* the neighbour's place, or CHAR_COUNT: any */
} Thief;

typedef VEC(Thief) Thieves;

typedef struct CharBuilder {
	Arena *arena;
	const Vocab *v;
	BpeScratch bpe;
	Thieves before, behind;  /* whose neighbour is before the character, or behind it */
	uint32_t *out;
} CharBuilder;

static bool has_lead(Str t, size_t from)
{
	for (size_t i = from; i < t.n; i++)
		if (!char_is_next((unsigned char)t.p[i]))
			return true;
	return false;
}

/* The first one or two bytes of a character. */
static bool is_head(Str t)
{
	return t.n >= 1 && t.n <= 2 && (unsigned char)t.p[0] >> 4 == 0xe && !has_lead(t, 1);
}

/* The last one or two bytes. */
static bool is_tail(Str t)
{
	return t.n >= 1 && t.n <= 2 && !has_lead(t, 0);
}

/* left and a head. Only what can be the end of a character of three bytes stands before it. */
static void take_before(CharBuilder *b, Str left, uint32_t head, uint32_t rank)
{
	if (left.n >= 3 && char_is_3(left.p + left.n - 3, 3))
		vec_push(b->arena, &b->before, (Thief){ head, rank, char_place(left.p + left.n - 3) });
	else if (is_tail(left))
		vec_push(b->arena, &b->before, (Thief){ head, rank, CHAR_COUNT });
}

/* A tail and right. ASCII or the start of a character of three bytes stands behind it. */
static void take_behind(CharBuilder *b, uint32_t tail, Str right, uint32_t rank)
{
	if (char_is_3(right.p, right.n))
		vec_push(b->arena, &b->behind, (Thief){ tail, rank, char_place(right.p) });
	else if ((unsigned char)right.p[0] < 0x80 || is_head(right))
		vec_push(b->arena, &b->behind, (Thief){ tail, rank, CHAR_COUNT });
}

/* A character that is made no earlier than it joins on is never started with. */
static void drop_late(CharBuilder *b, Str t, uint32_t rank, const uint32_t *made)
{
	if (t.n == 3 && char_is_3(t.p, 3) && made[char_place(t.p)] >= rank)
		b->out[char_place(t.p)] |= CHAR_ID_MASK;
}

static void take_pairs(CharBuilder *b, const uint32_t *made)
{
	const Vocab *v = b->v;
	for (uint64_t i = 0; i <= v->pair_mask; i++) {
		uint64_t key = v->pair[i] >> PAIR_RANK_BITS;
		uint32_t rank = v->pair[i] & ((1u << PAIR_RANK_BITS) - 1), right_id = key & ((1u << PIECE_ID_BITS) - 1);
		uint32_t left_id = (uint32_t)(key >> PIECE_ID_BITS);
		Str left = vocab_token(v, left_id), right = vocab_token(v, right_id);
		if (v->pair[i] == PAIR_EMPTY || !left.n || !right.n)
			continue;
		if (is_head(right))
			take_before(b, left, right_id, rank);
		if (is_tail(left))
			take_behind(b, left_id, right, rank);
		drop_late(b, left, rank, made);
		drop_late(b, right, rank, made);
	}
}

/* The last join of a token and its rank. The two are shorter than it. */
static bool last_join(CharBuilder *b, uint32_t id, uint32_t *left, uint32_t *right, uint32_t *rank)
{
	Str t = vocab_token(b->v, id);
	if (!bpe_last_join(b->v, &b->bpe, t, left, right))
		return false;
	*rank = vocab_find_pair(b->v, *left, *right);
	return vocab_token(b->v, *left).n + vocab_token(b->v, *right).n == t.n;
}

/* Whether each join of a token comes after the joins that make its parts. */
static bool is_ordered(CharBuilder *b, uint32_t id, uint32_t below)
{
	uint32_t left, right, rank;
	if (vocab_token(b->v, id).n == 1)
		return true;
	return last_join(b, id, &left, &right, &rank) && rank < below && is_ordered(b, left, rank) &&
	       is_ordered(b, right, rank);
}

/* Takes the thieves of one symbol that lives until `rank` into account. False: any neighbour is one. */
static bool take_fears(CharBuilder *b, const Thieves *thief, uint32_t part, uint32_t rank, uint32_t fears,
                       uint32_t feared, uint32_t *entry)
{
	for (uint32_t i = 0; i < thief->n; i++) {
		const Thief *t = &thief->v[i];
		if (t->part != part || t->rank > rank)
			continue;
		if (t->feared == CHAR_COUNT)
			return false;
		*entry |= fears;
		b->out[t->feared] |= feared;
	}
	return true;
}

/* Follows the symbols at both edges of a character as it is made. */
static bool is_safe(CharBuilder *b, uint32_t id, uint32_t *entry)
{
	uint32_t left, right, rank;
	for (uint32_t at = id; vocab_token(b->v, at).n > 1; at = left)
		if (!last_join(b, at, &left, &right, &rank) ||
		    !take_fears(b, &b->before, left, rank, CHAR_FEARS_BEFORE, CHAR_FEARED_BEFORE, entry))
			return false;
	for (uint32_t at = id; vocab_token(b->v, at).n > 1; at = right)
		if (!last_join(b, at, &left, &right, &rank) ||
		    !take_fears(b, &b->behind, right, rank, CHAR_FEARS_BEHIND, CHAR_FEARED_BEHIND, entry))
			return false;
	return true;
}

/* The token of each character and the rank of the join that makes it. */
static void find_tokens(CharBuilder *b, uint32_t *made)
{
	for (uint32_t i = 0; i < CHAR_COUNT; i++) {
		const char c[3] = { (char)(0xe0 | i >> 12), (char)(0x80 | (i >> 6 & 63)), (char)(0x80 | (i & 63)) };
		uint32_t id = vocab_find(b->v, (Str){ c, 3 }), left, right;
		bool is_made = id != TOKEN_NONE && last_join(b, id, &left, &right, &made[i]) && is_ordered(b, id, TOKEN_NONE);
		b->out[i] = is_made ? id : CHAR_ID_MASK;
	}
}

Str char_build(Arena *a, const Vocab *v)
{
	CharBuilder b = { .arena = a, .v = v, .out = arena_array(a, uint32_t, CHAR_COUNT) };
	uint32_t *made = arena_array(a, uint32_t, CHAR_COUNT), n = 0;
	memset(made, 0, CHAR_COUNT * sizeof *made);
	find_tokens(&b, made);
	take_pairs(&b, made);
	for (uint32_t i = 0; i < CHAR_COUNT; i++) {
		uint32_t id = b.out[i] & CHAR_ID_MASK, entry = 0;
		if (id == CHAR_ID_MASK)
			continue;
		if (is_safe(&b, id, &entry))
			b.out[i] |= entry;
		else
			b.out[i] |= CHAR_ID_MASK;
		n += (b.out[i] & CHAR_ID_MASK) != CHAR_ID_MASK;
	}
	bpe_free(&b.bpe);
	return n ? (Str){ (char *)b.out, CHAR_COUNT * sizeof *b.out } : (Str){ "", 0 };
}
