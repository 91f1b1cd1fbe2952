/* Sorting a vocabulary; see trie.h. A radix sort by the first eight bytes, then the few that share those. */
#include "runtime/automaton/trie.h"

#include <stdlib.h>

#include "runtime/base/utf8.h"

enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS, SHARED_MAX = UINT16_MAX };

typedef struct Key {
	uint64_t head;       /* the first eight bytes, the first one highest */
	uint32_t id, is_plain;
} Key;

typedef struct Sorting {
	Arena scratch;
	const Vocab *v;
	char *text;          /* NULL: the vocabulary's own */
	const uint32_t *off;
	Key *key;
	uint32_t n;
} Sorting;

/* ---- what a token adds to a text ---- */

/* SentencePiece has U+2581 for a space. */
static void undo_spaces(Sorting *s)
{
	uint32_t *off = arena_array(&s->scratch, uint32_t, s->v->n_token + 1), n = 0;
	s->text = arena_alloc(&s->scratch, s->v->n_token_bytes + 1);
	for (uint32_t id = 0; id < s->v->n_token; id++) {
		Str t = vocab_token(s->v, id);
		off[id] = n;
		for (size_t i = 0; i < t.n;) {
			bool is_space = s->v->token_type[id] != TOKEN_BYTE && t.n - i >= 3 && !memcmp(t.p + i, "\xe2\x96\x81", 3);
			s->text[n++] = is_space ? ' ' : t.p[i];
			i += is_space ? 3 : 1;
		}
	}
	off[s->v->n_token] = n;
	s->off = off;
}

static Str text_of(const Sorting *s, uint32_t id)
{
	return s->text ? (Str){ s->text + s->off[id], s->off[id + 1] - s->off[id] } : vocab_token(s->v, id);
}

static bool is_text(const Vocab *v, uint32_t id)
{
	return v->token_type[id] == TOKEN_NORMAL || v->token_type[id] == TOKEN_USER || v->token_type[id] == TOKEN_BYTE;
}

static bool is_plain(Str t)
{
	bool ascii = true;
	for (size_t i = 0; i < t.n; i++) {
		unsigned char c = (unsigned char)t.p[i];
		if (c < 0x20 || c == '"' || c == '\\')
			return false;
		ascii &= c < 0x80;
	}
	return ascii || utf8_find_bad(t) == t.n;
}

/* ---- sorting ---- */

static uint64_t head_of(Str t)
{
	uint64_t h = 0;
	for (size_t i = 0; i < 8; i++)
		h = h << 8 | (i < t.n ? (unsigned char)t.p[i] : 0);
	return h;
}

static void sort_heads(Sorting *s)
{
	Key *from = s->key, *to = arena_array(&s->scratch, Key, s->n);
	for (unsigned shift = 0; shift < 64; shift += RADIX_BITS) {
		uint32_t count[RADIX + 1] = { 0 };
		for (uint32_t i = 0; i < s->n; i++)
			count[(from[i].head >> shift & (RADIX - 1)) + 1]++;
		for (uint32_t i = 1; i <= RADIX; i++)
			count[i] += count[i - 1];
		for (uint32_t i = 0; i < s->n; i++)
			to[count[from[i].head >> shift & (RADIX - 1)]++] = from[i];
		Key *swap = from;
		from = to;
		to = swap;
	}
	s->key = from;
}

/* A token whose first eight bytes others have too. */
typedef struct Tie { Str text; Key key; } Tie;

static int cmp_tie(const void *x, const void *y)
{
	const Tie *a = x, *b = y;
	int c = str_cmp(a->text, b->text);
	return c ? c : a->key.id < b->key.id ? -1 : a->key.id > b->key.id;
}

static void sort_ties(Sorting *s)
{
	for (uint32_t lo = 0, hi; lo < s->n; lo = hi) {
		for (hi = lo + 1; hi < s->n && s->key[hi].head == s->key[lo].head; hi++)
			;
		if (hi == lo + 1)
			continue;
		Tie *tie = arena_array(&s->scratch, Tie, hi - lo);
		for (uint32_t i = lo; i < hi; i++)
			tie[i - lo] = (Tie){ text_of(s, s->key[i].id), s->key[i] };
		qsort(tie, hi - lo, sizeof *tie, cmp_tie);
		for (uint32_t i = lo; i < hi; i++)
			s->key[i] = tie[i - lo].key;
	}
}

/* ---- lists ---- */

static void list_init(Arena *a, TokenList *l, uint32_t n, size_t n_byte)
{
	l->id = arena_array(a, uint32_t, n);
	l->off = arena_array(a, uint32_t, n + 1);
	l->shared = arena_array(a, uint16_t, n);
	l->chars = arena_alloc(a, n);
	l->text = arena_alloc(a, n_byte + 1);
}

static uint16_t shared_bytes(Str x, Str y)
{
	size_t n = 0, max = x.n < y.n ? x.n : y.n;
	while (n < max && x.p[n] == y.p[n])
		n++;
	return (uint16_t)n;
}

static void list_add(TokenList *l, uint32_t id, Str text)
{
	uint32_t at = l->off[l->n];
	Str before = l->n ? (Str){ l->text + l->off[l->n - 1], at - l->off[l->n - 1] } : (Str){ "", 0 };
	l->id[l->n] = id;
	memcpy(l->text + at, text.p, text.n);
	l->shared[l->n] = shared_bytes(before, text);
	l->off[++l->n] = at + (uint32_t)text.n;
	l->lead[(unsigned char)text.p[0] + 1] = l->n;
}

static void list_finish(TokenList *l)
{
	for (int i = 1; i < 257; i++)
		if (l->lead[i] < l->lead[i - 1])
			l->lead[i] = l->lead[i - 1];
}

static void add_plain(TokenTrie *t, uint32_t id, Str text)
{
	size_t chars = 0;
	for (size_t i = 0; i < text.n; i++)
		chars += ((unsigned char)text.p[i] & 0xC0) != 0x80;
	t->plain.chars[t->plain.n] = (uint8_t)(chars > 255 ? 255 : chars);
	t->max_chars = chars > t->max_chars ? (uint32_t)chars : t->max_chars;
	t->plain_mask[id >> 6] |= (uint64_t)1 << (id & 63);
	t->place[id] = t->plain.n;
	list_add(&t->plain, id, text);
}

static void make_lists(Arena *a, TokenTrie *t, const Sorting *s)
{
	size_t n_byte[2] = { 0 };
	uint32_t n[2] = { 0 };
	for (uint32_t i = 0; i < s->n; i++) {
		n[s->key[i].is_plain]++;
		n_byte[s->key[i].is_plain] += text_of(s, s->key[i].id).n;
	}
	list_init(a, &t->other, n[0], n_byte[0]);
	list_init(a, &t->plain, n[1], n_byte[1]);
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t id = s->key[i].id;
		Str text = text_of(s, id);
		t->max_bytes = text.n > t->max_bytes ? (uint32_t)text.n : t->max_bytes;
		if (s->key[i].is_plain) {
			add_plain(t, id, text);
		} else {
			t->place[id] = ~t->other.n;
			list_add(&t->other, id, text);
		}
	}
	list_finish(&t->plain);
	list_finish(&t->other);
}

bool token_trie_init(Arena *a, const Vocab *v, TokenTrie *t, Str *why)
{
	Sorting s = { .v = v };
	*t = (TokenTrie){ .vocab = v, .n_word = (v->n_token + 63) / 64 };
	if (v->header->model == VOCAB_WORDPIECE) {
		*why = STR("a WordPiece vocabulary does not generate text");
		return false;
	}
	if (v->header->model == VOCAB_SPM)
		undo_spaces(&s);
	s.key = arena_array(&s.scratch, Key, v->n_token);
	t->plain_mask = arena_array(a, uint64_t, t->n_word);
	t->place = arena_array(a, uint32_t, v->n_token);
	memset(t->place, 0xFF, v->n_token * sizeof *t->place);
	for (uint32_t id = 0; id < v->n_token; id++) {
		Str text = text_of(&s, id);
		if (text.n && text.n <= SHARED_MAX && is_text(v, id))
			s.key[s.n++] = (Key){ head_of(text), id, is_plain(text) };
	}
	sort_heads(&s);
	sort_ties(&s);
	make_lists(a, t, &s);
	arena_free(&s.scratch);
	return true;
}

Str token_trie_text(const TokenTrie *t, uint32_t id)
{
	uint32_t place = id < t->vocab->n_token ? t->place[id] : TOKEN_NONE;
	if (place < t->plain.n)
		return str_range(t->plain.text + t->plain.off[place], t->plain.text + t->plain.off[place + 1]);
	place = ~place;
	if (place < t->other.n)
		return str_range(t->other.text + t->other.off[place], t->other.text + t->other.off[place + 1]);
	return (Str){ "", 0 };
}
