/* The text layer: what sentences claim: modality, numbers with a direction, formats; and the language. */
#include "compiler/text/text_scan.h"
#include "runtime/base/buf.h"
#include "runtime/base/utf8.h"

typedef struct ModalPhrase {
	Str phrase;
	Modality modality;
	bool is_negative;
} ModalPhrase;

#define MODAL(p, m, neg) { STR_INIT(p), m, neg },
static const ModalPhrase modals[] = {
#include "compiler/text/modal.def"
#include "compiler/text/modal_cjk.def"
};
#undef MODAL

enum { MODALS = sizeof modals / sizeof *modals };
_Static_assert(MODALS < UINT8_MAX, "a ModalIndex holds one byte per phrase");

/* Phrases by their first byte, so that a word looks at those only: first[byte] and then next[], each an
 * index + 1 into modals; 0 ends. */
typedef struct ModalIndex {
	uint8_t first[256], next[MODALS + 1];
} ModalIndex;

typedef struct DirectionPhrase {
	Str phrase;
	NumberDirection direction;
	bool is_strict;
} DirectionPhrase;

static const DirectionPhrase directions[] = {
	{ STR_INIT("at most"), NUMBER_AT_MOST, false }, { STR_INIT("no more than"), NUMBER_AT_MOST, false },
	{ STR_INIT("not more than"), NUMBER_AT_MOST, false }, { STR_INIT("up to"), NUMBER_AT_MOST, false },
	{ STR_INIT("maximum of"), NUMBER_AT_MOST, false }, { STR_INIT("max"), NUMBER_AT_MOST, false },
	{ STR_INIT("maximum"), NUMBER_AT_MOST, false }, { STR_INIT("exceed"), NUMBER_AT_MOST, false },
	{ STR_INIT("within"), NUMBER_AT_MOST, false }, { STR_INIT("limit of"), NUMBER_AT_MOST, false },
	{ STR_INIT("limited to"), NUMBER_AT_MOST, false }, { STR_INIT("limit to"), NUMBER_AT_MOST, false },
	{ STR_INIT("longer than"), NUMBER_AT_MOST, false }, { STR_INIT("under"), NUMBER_AT_MOST, true },
	{ STR_INIT("less than"), NUMBER_AT_MOST, true }, { STR_INIT("fewer than"), NUMBER_AT_MOST, true },
	{ STR_INIT("below"), NUMBER_AT_MOST, true }, { STR_INIT("shorter than"), NUMBER_AT_MOST, true },
	{ STR_INIT("≤"), NUMBER_AT_MOST, false }, { STR_INIT("<="), NUMBER_AT_MOST, false }, { STR_INIT("<"), NUMBER_AT_MOST, true },
	{ STR_INIT("不超过"), NUMBER_AT_MOST, false }, { STR_INIT("最多"), NUMBER_AT_MOST, false }, { STR_INIT("至多"), NUMBER_AT_MOST, false },
	{ STR_INIT("少于"), NUMBER_AT_MOST, true }, { STR_INIT("at least"), NUMBER_AT_LEAST, false },
	{ STR_INIT("no less than"), NUMBER_AT_LEAST, false }, { STR_INIT("no fewer than"), NUMBER_AT_LEAST, false },
	{ STR_INIT("minimum of"), NUMBER_AT_LEAST, false }, { STR_INIT("minimum"), NUMBER_AT_LEAST, false },
	{ STR_INIT("min"), NUMBER_AT_LEAST, false }, { STR_INIT("more than"), NUMBER_AT_LEAST, true },
	{ STR_INIT("over"), NUMBER_AT_LEAST, true }, { STR_INIT("above"), NUMBER_AT_LEAST, true },
	{ STR_INIT("≥"), NUMBER_AT_LEAST, false }, { STR_INIT(">="), NUMBER_AT_LEAST, false }, { STR_INIT(">"), NUMBER_AT_LEAST, true },
	{ STR_INIT("至少"), NUMBER_AT_LEAST, false }, { STR_INIT("不少于"), NUMBER_AT_LEAST, false },
};

static const Str formats[] = {
	STR_INIT("json"), STR_INIT("jsonl"), STR_INIT("yaml"), STR_INIT("xml"), STR_INIT("csv"), STR_INIT("tsv"), STR_INIT("markdown"),
	STR_INIT("html"), STR_INIT("toml"), STR_INIT("latex"), STR_INIT("table"), STR_INIT("tables"), STR_INIT("mermaid"),
	STR_INIT("svg"), STR_INIT("sql"), STR_INIT("plaintext"),
};

enum { DIRECTION_REACH_BYTES = 24, WORD_BYTES_MAX = 24 };

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }
static bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_high(char c) { return (unsigned char)c >= 0x80; }
static bool in_word(char c) { return is_alpha(c) || is_digit(c) || c == '_' || c == '\''; }

typedef struct Facts {
	Arena *arena;
	TextLayer *t;
	const char *p;
	uint32_t region;
	ModalIndex modal;
	uint32_t n_latin, n_cjk, n_cyrillic, n_other;
} Facts;

/* ---- modality ---------------------------------------------------------------------------------- */

/* Bytes of text that the phrase covers at at (a space in it takes any white space), 0 if none. */
static uint32_t phrase_at(const char *p, uint32_t at, uint32_t end, Str phrase)
{
	uint32_t i = at;
	for (size_t k = 0; k < phrase.n; k++) {
		if (phrase.p[k] == ' ') {
			uint32_t from = i;
			while (i < end && (p[i] == ' ' || p[i] == '\n' || p[i] == '\t' || p[i] == '*' || p[i] == '_'))
				i++;
			if (i == from)
				return 0;
		} else if (i == end || lower(p[i++]) != phrase.p[k]) {
			return 0;
		}
	}
	bool whole = i == end || !in_word(p[i]);
	return whole || is_high(phrase.p[0]) ? i - at : 0;
}

/* Backwards, so that a chain has the order of the table. */
static void modal_index_init(ModalIndex *x)
{
	for (int i = MODALS; i > 0; i--) {
		unsigned char c = (unsigned char)modals[i - 1].phrase.p[0];
		x->next[i] = x->first[c];
		x->first[c] = (uint8_t)i;
	}
}

static int strength(Modality m)
{
	return m == MOD_NEVER ? 4 : m == MOD_MUST ? 3 : m == MOD_SHOULD ? 2 : m == MOD_MAY ? 1 : 0;
}

static uint32_t longest_modal(const Facts *f, uint32_t at, uint32_t end, const ModalPhrase **best)
{
	uint32_t longest = 0;
	for (uint8_t i = f->modal.first[(unsigned char)lower(f->p[at])]; i; i = f->modal.next[i]) {
		uint32_t len = phrase_at(f->p, at, end, modals[i - 1].phrase);
		if (len > longest) {
			longest = len;
			*best = &modals[i - 1];
		}
	}
	return longest;
}

static void note_modal(Facts *f, uint32_t sentence, const ModalPhrase *m, uint32_t at, uint32_t len)
{
	TextSentence *s = &f->t->sentence.v[sentence];
	if (s->statement == TEXT_NONE) {
		s->statement = f->t->statement.n;
		vec_push(f->arena, &f->t->statement, (TextStatement){ .sentence = sentence });
	}
	TextStatement *st = &f->t->statement.v[s->statement];
	if (strength(m->modality) <= strength(st->modality))
		return;
	st->modality = m->modality;
	st->is_negative = m->is_negative;
	st->marker_lo = at;
	st->marker_hi = at + len;
}

/* ---- numbers, formats -------------------------------------------------------------------------- */

static void find_direction(const Facts *f, uint32_t from, TextNumber *n)
{
	char buf[DIRECTION_REACH_BYTES];
	uint32_t lo = n->lo - from > DIRECTION_REACH_BYTES ? n->lo - DIRECTION_REACH_BYTES : from, len = 0;
	for (uint32_t i = lo; i < n->lo; i++)
		buf[len++] = f->p[i] == '\n' ? ' ' : lower(f->p[i]);
	Str before = str_trim((Str){ buf, len });
	size_t longest = 0;
	for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
		Str ph = directions[i].phrase;
		bool whole = before.n == ph.n || !is_alpha(ph.p[0]) || (before.n > ph.n && !is_alpha(before.p[before.n - ph.n - 1]));
		if (ph.n > longest && str_ends(before, ph) && whole) {
			longest = ph.n;
			n->direction = directions[i].direction;
			n->is_strict = directions[i].is_strict;
		}
	}
}

static uint32_t take_number(Facts *f, uint32_t sentence, uint32_t at)
{
	const TextSentence *s = &f->t->sentence.v[sentence];
	uint32_t hi = at;
	while (hi < s->hi && (is_digit(f->p[hi]) || ((f->p[hi] == '.' || f->p[hi] == ',') && hi + 1 < s->hi && is_digit(f->p[hi + 1]))))
		hi++;
	bool part_of_name = (at > s->lo && (in_word(f->p[at - 1]) || f->p[at - 1] == '.' || f->p[at - 1] == '#')) ||
		(hi < s->hi && (is_alpha(f->p[hi]) || f->p[hi] == '_'));
	if (part_of_name)
		return hi;
	TextNumber n = { .lo = at, .hi = hi, .sentence = sentence };
	uint32_t u = hi;
	while (u < s->hi && (f->p[u] == ' ' || f->p[u] == '-' || f->p[u] == '\n'))
		u++;
	n.unit_lo = u;
	if (u < s->hi && f->p[u] == '%')
		u++;
	else
		while (u < s->hi && (is_alpha(f->p[u]) || is_high(f->p[u])))
			u++;
	n.unit_hi = u;
	find_direction(f, s->lo, &n);
	vec_push(f->arena, &f->t->number, n);
	return hi;
}

static void note_format(Facts *f, uint32_t lo, uint32_t hi)
{
	char w[WORD_BYTES_MAX];
	uint32_t n = hi - lo;
	if (n >= sizeof w)
		return;
	for (uint32_t i = 0; i < n; i++)
		w[i] = lower(f->p[lo + i]);
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (str_eq((Str){ w, n }, formats[i]))
			vec_push(f->arena, &f->t->format, (TextFormat){ formats[i].p, lo, hi });
}

/* ---- one sentence ------------------------------------------------------------------------------ */

static uint32_t count_script(Facts *f, uint32_t at)
{
	uint32_t cp, n = utf8_decode(f->t->text, at, &cp);
	bool cjk = (cp >= 0x3040 && cp <= 0x30ff) || (cp >= 0x3400 && cp <= 0x9fff) || (cp >= 0xac00 && cp <= 0xd7a3);
	if (cjk)
		f->n_cjk++;
	else if (cp >= 0x400 && cp <= 0x52f)
		f->n_cyrillic++;
	else if (cp < 0x250)
		f->n_latin++;
	else
		f->n_other++;
	return n;
}

static uint32_t take_word(Facts *f, uint32_t sentence, uint32_t at)
{
	uint32_t end = f->t->sentence.v[sentence].hi, hi = at;
	const ModalPhrase *m = NULL;
	uint32_t len = longest_modal(f, at, end, &m);
	if (len) {
		note_modal(f, sentence, m, at, len);
		return at + len;
	}
	while (hi < end && in_word(f->p[hi]))
		hi++;
	f->n_latin += hi - at;
	note_format(f, at, hi);
	return hi;
}

static void scan_sentence(Facts *f, uint32_t sentence)
{
	TextLayer *t = f->t;
	TextSentence s = t->sentence.v[sentence];
	for (uint32_t at = s.lo; at < s.hi;) {
		while (f->region < t->region.n && t->region.v[f->region].hi <= at)
			f->region++;
		if (f->region < t->region.n && t->region.v[f->region].lo <= at) {
			at = t->region.v[f->region].hi;
			continue;
		}
		char c = f->p[at];
		if (is_digit(c)) {
			at = take_number(f, sentence, at);
		} else if (is_alpha(c)) {
			at = take_word(f, sentence, at);
		} else if (is_high(c)) {
			const ModalPhrase *m = NULL;
			uint32_t len = longest_modal(f, at, s.hi, &m);
			if (len)
				note_modal(f, sentence, m, at, len);
			at += len ? len : count_script(f, at);
			f->n_cjk += len ? len / 3 : 0;
		} else {
			at++;
		}
	}
}

void text_scan_facts(Arena *a, TextLayer *t)
{
	Facts f = { .arena = a, .t = t, .p = t->text.p };
	modal_index_init(&f.modal);
	for (uint32_t i = 0; i < t->sentence.n; i++)
		scan_sentence(&f, i);
	/* One ideograph says about as much as three letters. */
	uint32_t cjk = f.n_cjk * 3, most = f.n_latin;
	t->language = f.n_latin ? LANGUAGE_LATIN : LANGUAGE_UNKNOWN;
	if (cjk > most)
		most = cjk, t->language = LANGUAGE_CJK;
	if (f.n_cyrillic > most)
		most = f.n_cyrillic, t->language = LANGUAGE_CYRILLIC;
	if (f.n_other > most)
		t->language = LANGUAGE_OTHER;
}

/* ---- predicates -------------------------------------------------------------------------------- */

static bool is_filler(Str w)
{
	static const char *const list[] = {
		"a", "an", "the", "you", "your", "please", "to", "it", "is", "are", "be", "that", "this", "and", "of", "in", "not", "any", "all",
		"ever", "just", "also", "then", "so",
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (str_is(w, list[i]))
			return true;
	return false;
}

Str text_predicate(Arena *a, const TextLayer *t, uint32_t sentence)
{
	TextSentence s = t->sentence.v[sentence];
	Str text = text_at(t, s.lo, s.hi);
	Buf b = { 0 }, word = { 0 };
	Facts f = { .arena = a, .t = (TextLayer *)t, .p = text.p };
	modal_index_init(&f.modal);
	for (uint32_t at = 0; at <= text.n;) {
		bool word_char = at < text.n && (in_word(text.p[at]) || is_high(text.p[at]));
		const ModalPhrase *m = NULL;
		uint32_t modal = word_char && !word.n ? longest_modal(&f, at, (uint32_t)text.n, &m) : 0;
		if (word_char && !modal) {
			buf_byte(&word, lower(text.p[at++]));
			continue;
		}
		if (word.n && !is_filler(buf_str(&word))) {
			if (b.n)
				buf_byte(&b, ' ');
			buf_put(&b, buf_str(&word));
		}
		word.n = 0;
		at += modal ? modal : 1;
	}
	Str out = str_dup(a, buf_str(&b));
	buf_free(&b);
	buf_free(&word);
	return out;
}

void text_layer_build_shape(Arena *a, TextLayer *out, Str text)
{
	*out = (TextLayer){ .text = text };
	text_scan_blocks(a, out);
	text_scan_regions(a, out);
}

void text_layer_build(Arena *a, TextLayer *out, Str text)
{
	text_layer_build_shape(a, out, text);
	text_scan_sentences(a, out);
	text_scan_facts(a, out);
}
