/* Sorting a vocabulary; see trie.h. Half a hundred thousand tokens in about a millisecond: most have eight bytes at
 * the most, so a key holds them, in order and aligned high, and their text is not looked at again. A radix sort by
 * the keys' first bits, then the few that share those. */
#include "runtime/automaton/trie.h"

#include <stdlib.h>

#include "runtime/base/utf8.h"

enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS, PASSES = 4, HEAD_BYTES = 8, SHARED_MAX = UINT16_MAX, CHARS_MAX = 255 };

typedef struct Key {
	uint64_t head;       /* the first eight bytes, the first one highest, zeros behind the end */
	uint32_t id;
	uint16_t n;          /* bytes */
	uint8_t chars;       /* code points if it is plain, else 0 */
	uint8_t zero;
} Key;

typedef struct Sorting {
	Arena scratch;
	TokenTrie *t;
	Key *key;
	uint32_t n, count[PASSES][RADIX + 1];
} Sorting;

static unsigned shift_of(int pass) { return 64 - RADIX_BITS * (unsigned)(PASSES - pass); }

static Str text_of(const TokenTrie *t, uint32_t id) { return str_range(t->text + t->off[id], t->text + t->off[id + 1]); }

static bool is_text(const Vocab *v, uint32_t id)
{
	return v->token_type[id] == TOKEN_NORMAL || v->token_type[id] == TOKEN_USER || v->token_type[id] == TOKEN_BYTE;
}

/* ---- keys ---- */

static uint64_t turn_bytes(uint64_t x) { return __builtin_bswap64(x); }

static uint64_t head_of(Str t, bool is_inside)
{
	uint64_t h = 0;
	if (t.n >= HEAD_BYTES || is_inside) {
		memcpy(&h, t.p, HEAD_BYTES);
		return t.n >= HEAD_BYTES ? turn_bytes(h) : turn_bytes(h) & ~(UINT64_MAX >> 8 * t.n);
	}
	memcpy(&h, t.p, t.n);
	return turn_bytes(h);
}

/* True if one of the bytes is a control, '"', '\\' or not ASCII. */
static bool has_odd_byte(uint64_t x)
{
	const uint64_t ones = UINT64_MAX / 255, high = ones << 7;
	uint64_t quote = x ^ ones * '"', slash = x ^ ones * '\\';
	return (x | (x - ones * 0x20) | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & high;
}

/* Code points of a plain token, or 0. */
static uint8_t plain_chars(Str t, uint64_t head)
{
	size_t n = 0;
	bool is_ascii = true;
	uint64_t spaces = t.n >= HEAD_BYTES ? 0 : UINT64_MAX / 255 * ' ' & UINT64_MAX >> 8 * t.n;
	if (t.n <= HEAD_BYTES && !has_odd_byte(head | spaces))
		return (uint8_t)t.n;
	for (size_t i = 0; i < t.n; i++) {
		unsigned char c = (unsigned char)t.p[i];
		if (c < 0x20 || c == '"' || c == '\\')
			return 0;
		n += (c & 0xC0) != 0x80;
		is_ascii &= c < 0x80;
	}
	if (!is_ascii && utf8_find_bad(t) < t.n)
		return 0;
	return (uint8_t)(n < CHARS_MAX ? n : CHARS_MAX);
}

static void make_keys(Sorting *s)
{
	const TokenTrie *t = s->t;
	uint32_t n_token = t->vocab->n_token, n_byte = t->off[n_token];
	s->key = arena_array(&s->scratch, Key, n_token);
	for (uint32_t id = 0; id < n_token; id++) {
		Str text = text_of(t, id);
		if (!text.n || text.n > SHARED_MAX || !is_text(t->vocab, id))
			continue;
		uint64_t head = head_of(text, t->off[id] + HEAD_BYTES <= n_byte);
		s->key[s->n++] = (Key){ head, id, (uint16_t)text.n, plain_chars(text, head), 0 };
		for (int p = 0; p < PASSES; p++)
			s->count[p][(head >> shift_of(p) & (RADIX - 1)) + 1]++;
	}
}

/* ---- order ---- */

static void sort_heads(Sorting *s)
{
	Key *from = s->key, *to = arena_array(&s->scratch, Key, s->n);
	for (int p = 0; p < PASSES; p++) {
		uint32_t *at = s->count[p];
		for (uint32_t i = 1; i <= RADIX; i++)
			at[i] += at[i - 1];
		for (uint32_t i = 0; i < s->n; i++)
			to[at[from[i].head >> shift_of(p) & (RADIX - 1)]++] = from[i];
		Key *swap = from;
		from = to;
		to = swap;
	}
	s->key = from;
}

static bool is_before(const TokenTrie *t, const Key *x, const Key *y)
{
	if (x->head != y->head)
		return x->head < y->head;
	int c = x->n > HEAD_BYTES && y->n > HEAD_BYTES ? str_cmp(text_of(t, x->id), text_of(t, y->id)) : (int)x->n - (int)y->n;
	return c ? c < 0 : x->id < y->id;
}

/* Merges the halves of key[0, n), through room. */
static void merge_sort(const TokenTrie *t, Key *key, uint32_t n, Key *room)
{
	uint32_t half = n / 2, i = 0, j = half, at = 0;
	if (n < 2)
		return;
	merge_sort(t, key, half, room);
	merge_sort(t, key + half, n - half, room);
	memcpy(room, key, half * sizeof *key);
	while (i < half && j < n)
		key[at++] = is_before(t, &key[j], &room[i]) ? key[j++] : room[i++];
	while (i < half)
		key[at++] = room[i++];
}

static void sort_ties(Sorting *s)
{
	Key *room = arena_array(&s->scratch, Key, s->n);
	unsigned shift = shift_of(0);
	for (uint32_t lo = 0, hi; lo < s->n; lo = hi) {
		for (hi = lo + 1; hi < s->n && s->key[hi].head >> shift == s->key[lo].head >> shift; hi++)
			;
		if (hi > lo + 1)
			merge_sort(s->t, s->key + lo, hi - lo, room);
	}
}

/* ---- lists ---- */

static void list_init(Arena *a, TokenList *l, uint32_t n, size_t n_byte)
{
	l->id = arena_array(a, uint32_t, n);
	l->off = arena_array(a, uint32_t, n + 1);
	l->shared = arena_array(a, uint16_t, n);
	l->chars = arena_alloc(a, n);
	l->text = arena_alloc(a, n_byte + HEAD_BYTES);
}

static uint32_t shared_bytes(const TokenTrie *t, const Key *x, const Key *y)
{
	uint32_t n = 0, max = x->n < y->n ? x->n : y->n, head = max < HEAD_BYTES ? max : HEAD_BYTES;
	uint64_t differ = x->head ^ y->head;
	n = differ ? (uint32_t)__builtin_clzll(differ) / 8 : HEAD_BYTES;
	if (n < HEAD_BYTES || head < HEAD_BYTES)
		return n < head ? n : head;
	Str a = text_of(t, x->id), b = text_of(t, y->id);
	while (n < max && a.p[n] == b.p[n])
		n++;
	return n;
}

static void list_add(const TokenTrie *t, TokenList *l, const Key *k, const Key *before)
{
	uint32_t at = l->off[l->n];
	uint64_t head = turn_bytes(k->head);
	memcpy(l->text + at, &head, HEAD_BYTES);  /* what is too much is written over */
	if (k->n > HEAD_BYTES)
		memcpy(l->text + at + HEAD_BYTES, text_of(t, k->id).p + HEAD_BYTES, k->n - HEAD_BYTES);
	l->id[l->n] = k->id;
	l->chars[l->n] = k->chars;
	l->shared[l->n] = before ? (uint16_t)shared_bytes(t, before, k) : 0;
	l->off[++l->n] = at + k->n;
	l->lead[(k->head >> 56) + 1] = l->n;
}

static void list_finish(TokenList *l)
{
	for (int i = 1; i < 257; i++)
		if (l->lead[i] < l->lead[i - 1])
			l->lead[i] = l->lead[i - 1];
}

static void make_lists(Arena *a, TokenTrie *t, const Sorting *s)
{
	size_t n_byte[2] = { 0 };
	uint32_t n[2] = { 0 };
	const Key *before[2] = { NULL, NULL };
	for (uint32_t i = 0; i < s->n; i++) {
		n[s->key[i].chars != 0]++;
		n_byte[s->key[i].chars != 0] += s->key[i].n;
	}
	list_init(a, &t->other, n[0], n_byte[0]);
	list_init(a, &t->plain, n[1], n_byte[1]);
	for (uint32_t i = 0; i < s->n; i++) {
		const Key *k = &s->key[i];
		bool plain = k->chars != 0;
		list_add(t, plain ? &t->plain : &t->other, k, before[plain]);
		before[plain] = k;
		t->max_bytes = k->n > t->max_bytes ? k->n : t->max_bytes;
		if (plain) {
			t->max_chars = k->chars > t->max_chars ? k->chars : t->max_chars;
			t->plain_mask[k->id >> 6] |= (uint64_t)1 << (k->id & 63);
		}
	}
	list_finish(&t->plain);
	list_finish(&t->other);
}

/* ---- the vocabulary ---- */

/* SentencePiece has U+2581 for a space. */
static void undo_spaces(Arena *a, TokenTrie *t)
{
	const Vocab *v = t->vocab;
	uint32_t *off = arena_array(a, uint32_t, v->n_token + 1), n = 0;
	char *text = arena_alloc(a, v->n_token_bytes + HEAD_BYTES);
	for (uint32_t id = 0; id < v->n_token; id++) {
		Str s = vocab_token(v, id);
		off[id] = n;
		for (size_t i = 0; i < s.n;) {
			bool is_space = v->token_type[id] != TOKEN_BYTE && s.n - i >= 3 && !memcmp(s.p + i, "\xe2\x96\x81", 3);
			text[n++] = is_space ? ' ' : s.p[i];
			i += is_space ? 3 : 1;
		}
	}
	off[v->n_token] = n;
	t->off = off;
	t->text = text;
}

/* vocab_open has not looked at every offset. */
static bool has_good_offsets(const Vocab *v)
{
	bool good = v->token_off[v->n_token] <= v->n_token_bytes;
	for (uint32_t i = 0; i < v->n_token; i++)
		good &= v->token_off[i] <= v->token_off[i + 1];
	return good;
}

bool token_trie_init(Arena *a, const Vocab *v, TokenTrie *t, Str *why)
{
	Sorting *s = mem_must_alloc(sizeof *s);
	memset(s, 0, sizeof *s);
	*t = (TokenTrie){ .vocab = v, .n_word = (v->n_token + 63) / 64, .off = v->token_off, .text = v->token_bytes };
	bool generates = v->header->model != VOCAB_WORDPIECE, good = has_good_offsets(v);
	if (!generates || !good) {
		*why = generates ? STR("the vocabulary's tokens are damaged") : STR("a WordPiece vocabulary does not generate text");
		free(s);
		return false;
	}
	if (v->header->model == VOCAB_SPM)
		undo_spaces(a, t);
	t->plain_mask = arena_array(a, uint64_t, t->n_word);
	s->t = t;
	make_keys(s);
	sort_heads(s);
	sort_ties(s);
	make_lists(a, t, s);
	arena_free(&s->scratch);
	free(s);
	return true;
}

Str token_trie_text(const TokenTrie *t, uint32_t id)
{
	return id < t->vocab->n_token && is_text(t->vocab, id) ? text_of(t, id) : (Str){ "", 0 };
}
