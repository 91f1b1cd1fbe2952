#include "runtime/token/wordpiece.h"

#include "runtime/base/utf8.h"

/* ---- what a code point becomes ------------------------------------------------------------------ */

typedef enum BertKind { BERT_KEEP, BERT_MAP, BERT_APART, BERT_SEQ, BERT_DROP, BERT_SPACE, BERT_PUNCT, BERT_ORDER } BertKind;

typedef struct BertRow {
	uint32_t lo, hi, to[3];
	uint8_t kind, step, class;
} BertRow;

static const BertRow bert_row[] = {
#define MAP_STEP(lo, hi, to, kind, step) { lo, hi, { to }, kind, step, 0 },
#define MAP(cp, to) MAP_STEP(cp, cp, to, BERT_MAP, 1)
#define MAP_RUN(lo, hi, to) MAP_STEP(lo, hi, to, BERT_MAP, 1)
#define MAP_PAIRS(lo, hi, to) MAP_STEP(lo, hi, to, BERT_MAP, 2)
#define APART(cp, to) MAP_STEP(cp, cp, to, BERT_APART, 1)
#define APART_RUN(lo, hi, to) MAP_STEP(lo, hi, to, BERT_APART, 1)
#define SEQ(cp, a, b, c) { cp, cp, { a, b, c }, BERT_SEQ, 1, 0 },
#define DROP_RUN(lo, hi) { lo, hi, { 0 }, BERT_DROP, 1, 0 },
#define SPACE_RUN(lo, hi) { lo, hi, { 0 }, BERT_SPACE, 1, 0 },
#define PUNCT(lo, hi) { lo, hi, { 0 }, BERT_PUNCT, 1, 0 },
#define ORDER(cp, class) { cp, cp, { 0 }, BERT_ORDER, 1, class },
#include "runtime/token/bert.def"
};

/* The row that says something about cp, or one that keeps it. */
static const BertRow *row_of(uint32_t cp)
{
	static const BertRow keep = { .kind = BERT_KEEP };
	size_t lo = 0, hi = sizeof bert_row / sizeof *bert_row;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (bert_row[mid].hi < cp)
			lo = mid + 1;
		else
			hi = mid;
	}
	const BertRow *r = &bert_row[lo];
	return lo < sizeof bert_row / sizeof *bert_row && r->lo <= cp && (cp - r->lo) % r->step == 0 ? r : &keep;
}

/* ---- words -------------------------------------------------------------------------------------- */

typedef struct Word {
	const Vocab *v;
	uint32_t *ids;
	size_t n_id;
	uint32_t n_char, max_char;
	size_t n;
	char text[2 + 4 * WORDPIECE_MAX_WORD];   /* the first two bytes are for "##" */
} Word;

static inline bool is_start(char c) { return (c & 0xC0) != 0x80; }

/* Longest piece of the word from `at`, its end in *end. What stands before at is used up, so "##" may take its place. */
static uint32_t longest(Word *w, size_t at, size_t *end)
{
	size_t sharps = at ? 2 : 0, most = at + w->v->header->max_token_bytes - sharps;
	char *p = w->text + 2 + at - sharps;
	memcpy(p, "##", sharps);
	for (*end = most < w->n ? most : w->n; *end > at; --*end) {
		if (*end < w->n && !is_start(w->text[2 + *end]))
			continue;
		uint32_t id = vocab_find(w->v, (Str){ p, *end - at + sharps });
		if (id != TOKEN_NONE)
			return id;
	}
	return TOKEN_NONE;
}

static void end_word(Word *w)
{
	size_t first = w->n_id;
	bool is_known = w->n_char <= w->max_char;
	for (size_t at = 0, end; is_known && at < w->n; at = end) {
		uint32_t id = longest(w, at, &end);
		is_known = id != TOKEN_NONE;
		w->ids[w->n_id++] = id;
	}
	if (!is_known) {
		w->ids[first] = w->v->header->unk;
		w->n_id = first + (w->v->header->unk != TOKEN_NONE);
	}
	w->n = w->n_char = 0;
}

static inline void put_ascii(Word *w, char c)
{
	if (w->n_char++ < w->max_char)
		w->text[2 + w->n++] = c;
}

static void put_bytes(Word *w, uint32_t cp, size_t at)
{
	char c[4];
	uint32_t n = utf8_encode(cp, c);
	if (w->n_char++ >= w->max_char)
		return;
	memmove(w->text + 2 + at + n, w->text + 2 + at, w->n - at);
	memcpy(w->text + 2 + at, c, n);
	w->n += n;
}

/* A mark goes before marks of a higher class. */
static void put_mark(Word *w, uint32_t cp, uint32_t class)
{
	size_t at = w->n;
	for (size_t before = at; before; at = before) {
		uint32_t last;
		while (!is_start(w->text[2 + --before]))
			;
		utf8_decode((Str){ w->text + 2, w->n }, before, &last);
		if (row_of(last)->class <= class)
			break;
	}
	put_bytes(w, cp, at);
}

/* What the normaliser has made. */
static void put_made(Word *w, uint32_t cp)
{
	const BertRow *r = row_of(cp);
	if (r->kind == BERT_PUNCT) {
		end_word(w);
		put_bytes(w, cp, w->n);
		end_word(w);
	} else if (r->kind == BERT_ORDER) {
		put_mark(w, cp, r->class);
	} else {
		put_bytes(w, cp, w->n);
	}
}

/* The letters of a Hangul syllable. */
static void put_hangul(Word *w, uint32_t cp)
{
	uint32_t at = cp - 0xAC00;
	put_made(w, 0x1100 + at / 588);
	put_made(w, 0x1161 + at % 588 / 28);
	if (at % 28)
		put_made(w, 0x11A7 + at % 28);
}

static void put_char(Word *w, uint32_t cp)
{
	if (cp >= 0xAC00 && cp <= 0xD7A3) {
		put_hangul(w, cp);
		return;
	}
	const BertRow *r = row_of(cp);
	switch ((BertKind)r->kind) {
	case BERT_DROP:
		break;
	case BERT_SPACE:
		end_word(w);
		break;
	case BERT_APART:
		end_word(w);
		put_made(w, r->to[0] + (cp - r->lo));
		end_word(w);
		break;
	case BERT_MAP:
		put_made(w, r->to[0] + (cp - r->lo));
		break;
	case BERT_SEQ:
		for (int i = 0; i < 3 && r->to[i]; i++)
			put_made(w, r->to[i]);
		break;
	case BERT_KEEP: case BERT_PUNCT: case BERT_ORDER:
		put_made(w, cp);
		break;
	}
}

size_t wordpiece_encode(const Vocab *v, Str text, uint32_t *ids)
{
	Word w = { .v = v, .ids = ids, .max_char = v->header->max_word };
	if (w.max_char > WORDPIECE_MAX_WORD)
		w.max_char = WORDPIECE_MAX_WORD;
	for (size_t at = 0; at < text.n;) {
		char c = text.p[at];
		uint32_t cp;
		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
			put_ascii(&w, c);
			at++;
		} else if (c >= 'A' && c <= 'Z') {
			put_ascii(&w, c | 32);
			at++;
		} else if (c == ' ') {
			end_word(&w);
			at++;
		} else {
			at += utf8_decode(text, at, &cp);
			put_char(&w, cp == UTF8_BAD ? 0xFFFD : cp);
		}
	}
	end_word(&w);
	return w.n_id;
}
