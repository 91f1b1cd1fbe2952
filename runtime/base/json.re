/* The JSON reader. Its one idea: a re2c lexer feeds a loop with an explicit stack, and children wait
 * on a scratch stack until their parent closes, so arrays have their exact size and depth costs no
 * machine stack. Writers, look-ups and equality are in json_tree.c.
 *
 * Invariant: the lexer never reads at or past lim (YYPEEK checks), so src needs no terminator. */
#include "runtime/base/json.h"

#include <stdlib.h>

#include "runtime/base/map.h"
#include "runtime/base/utf8.h"
#include "runtime/base/vec.h"

typedef enum Token {
	TOK_END, TOK_OPEN_OBJECT, TOK_CLOSE_OBJECT, TOK_OPEN_ARRAY, TOK_CLOSE_ARRAY, TOK_COMMA, TOK_COLON,
	TOK_STRING, TOK_NUMBER, TOK_TRUE, TOK_FALSE, TOK_NULL, TOK_ERROR,
} Token;

typedef struct Frame {
	JsonNode *node;
	JsonNode *key;     /* the member being read */
	size_t child_lo;   /* its first child on the scratch stack */
} Frame;

typedef struct Reader {
	Arena *a;
	Str src;
	uint32_t base;
	const unsigned char *cur, *lim, *mar, *tok;
	JsonDoc *doc;
	Frame *frame;
	uint32_t n_frame;
	JsonNode **child;  /* heap; values, or key and value in turn */
	size_t n_child, cap_child;
	Buf text;          /* the string being decoded, and its runs */
	VEC(TextRun) run;
	Arena scratch;
	VEC(JsonDup) dup;
} Reader;

/*!re2c
re2c:api = custom;
re2c:api:style = free-form;
re2c:define:YYCTYPE = "unsigned char";
re2c:define:YYPEEK = "(r->cur < r->lim ? *r->cur : 0)";
re2c:define:YYSKIP = "++r->cur;";
re2c:define:YYBACKUP = "r->mar = r->cur;";
re2c:define:YYRESTORE = "r->cur = r->mar;";
re2c:define:YYLESSTHAN = "r->cur >= r->lim";
re2c:yyfill:enable = 0;
re2c:eof = 0;
re2c:flags:computed-gotos = 0;

digit  = [0-9];
int    = "-"? ("0" | [1-9] digit*);
frac   = "." digit+;
exp    = [eE] [-+]? digit+;
number = int frac? exp?;
hex    = [0-9a-fA-F];
tail   = [\x80-\xbf];
wide   = [\xc2-\xdf] tail
       | "\xe0" [\xa0-\xbf] tail | [\xe1-\xec\xee\xef] tail{2} | "\xed" [\x80-\x9f] tail
       | "\xf0" [\x90-\xbf] tail{2} | [\xf1-\xf3] tail{3} | "\xf4" [\x80-\x8f] tail{2};
wordy  = [A-Za-z0-9_.+] | "-";
*/

static uint32_t offset_of(const Reader *r, const unsigned char *p)
{
	return r->base + (uint32_t)(p - (const unsigned char *)r->src.p);
}

static Token fail_at(Reader *r, const unsigned char *p, Str message)
{
	if (!r->doc->err.message.p)
		r->doc->err = (JsonError){ message, offset_of(r, p) };
	return TOK_ERROR;
}

static Token fail(Reader *r, const char *message)
{
	return fail_at(r, r->tok, str_from(message));
}

/* Why a run of word characters that starts like a number or a word is no JSON. */
static Token fail_word(Reader *r)
{
	Str w = str_range((const char *)r->tok, (const char *)r->cur);
	if (w.p[0] == '+')
		return fail(r, "a number may not start with '+'");
	if (w.p[0] == '.')
		return fail(r, "a number needs a digit before '.'");
	size_t at = w.p[0] == '-';
	if (w.n == at || w.p[at] < '0' || w.p[at] > '9') {
		if (w.n > 40)
			w.n = 40;
		if (utf8_find_bad(w) < w.n)
			return fail(r, "expected a value");
		return fail_at(r, r->tok, str_fmt(r->a, "'%.*s' is no JSON value (a string takes double quotes)", STR_ARG(w)));
	}
	if (w.p[at] == '0' && at + 1 < w.n && w.p[at + 1] >= '0' && w.p[at + 1] <= '9')
		return fail(r, "a number may not have a leading zero");
	return fail(r, "malformed number (digits must stand on both sides of '.' and after 'e')");
}

static Token lex_token(Reader *r)
{
	for (;;) {
		r->tok = r->cur;
		/*!re2c
		[ \t\n\r]+ { continue; }
		"{"        { return TOK_OPEN_OBJECT; }
		"}"        { return TOK_CLOSE_OBJECT; }
		"["        { return TOK_OPEN_ARRAY; }
		"]"        { return TOK_CLOSE_ARRAY; }
		","        { return TOK_COMMA; }
		":"        { return TOK_COLON; }
		"\""       { return TOK_STRING; }
		"true"     { return TOK_TRUE; }
		"false"    { return TOK_FALSE; }
		"null"     { return TOK_NULL; }
		number     { return TOK_NUMBER; }
		wordy+     { return fail_word(r); }
		"'"        { return fail(r, "a string takes double quotes"); }
		"/" [/*]   { return fail(r, "JSON has no comments"); }
		"\xef\xbb\xbf" { return fail(r, "byte order mark"); }
		"\x00"     { return fail(r, "NUL byte"); }
		wide       { return fail(r, "expected a value"); }
		[\x80-\xff] { return fail(r, "invalid UTF-8"); }
		*          { return fail(r, "unexpected character"); }
		$          { return TOK_END; }
		*/
	}
}

static uint32_t hex4(const unsigned char *p)
{
	uint32_t v = 0;
	for (int i = 0; i < 4; i++) {
		unsigned c = p[i];
		v = v * 16 + (c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
	}
	return v;
}

static uint32_t simple_escape(unsigned char c)
{
	switch (c) {
	case 'b': return '\b';
	case 'f': return '\f';
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	default: return c;
	}
}

static Token fail_control(Reader *r)
{
	unsigned c = *r->tok;
	if (!c)
		return fail(r, "NUL byte in a string");
	const char *how = c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : NULL;
	if (how)
		return fail_at(r, r->tok, str_fmt(r->a, "raw control byte 0x%02X in a string; write %s", c, how));
	return fail_at(r, r->tok, str_fmt(r->a, "raw control byte 0x%02X in a string; write \\u%04X", c, c));
}

/* The lexer cuts a stretch where ASCII ends: its pieces make one run. */
static void add_text(Reader *r)
{
	uint32_t n = (uint32_t)(r->cur - r->tok), at = offset_of(r, r->tok);
	TextRun *last = r->run.n ? &r->run.v[r->run.n - 1] : NULL;
	if (last && last->len && last->src_off + last->len == at)
		last->len += n;
	else
		vec_push(&r->scratch, &r->run, (TextRun){ (uint32_t)r->text.n, at, n });
	buf_put(&r->text, (Str){ (const char *)r->tok, n });
}

/* What an escape decodes to is no unchanged byte: an empty run marks where it came from. */
static void add_escape(Reader *r, uint32_t cp)
{
	char out[4];
	vec_push(&r->scratch, &r->run, (TextRun){ (uint32_t)r->text.n, offset_of(r, r->tok), 0 });
	buf_put(&r->text, (Str){ out, utf8_encode(cp, out) });
}

static void end_runs(Reader *r, const unsigned char *close)
{
	if (r->run.n && !r->run.v[r->run.n - 1].len)
		vec_push(&r->scratch, &r->run, (TextRun){ (uint32_t)r->text.n, offset_of(r, close), 0 });
}

/* Past the bytes that stand for themselves, eight at a time. */
static const unsigned char *skip_plain(const unsigned char *p, const unsigned char *lim)
{
	const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
	uint64_t w;
	for (; (size_t)(lim - p) >= sizeof w; p += sizeof w) {
		memcpy(&w, p, sizeof w);
		uint64_t quote = w ^ ones * '"', slash = w ^ ones * '\\';
		if ((w | (w - ones * ' ') | (quote - ones) | (slash - ones)) & high)
			break;
	}
	while (p < lim && *p >= ' ' && *p < 0x80 && *p != '"' && *p != '\\')
		p++;
	return p;
}

/* From just after the opening quote to just after the closing one. */
static bool lex_string(Reader *r, const unsigned char *open)
{
	for (;;) {
		r->tok = r->cur;
		r->cur = skip_plain(r->cur, r->lim);
		if (r->cur > r->tok) {
			add_text(r);
			continue;
		}
		/*!re2c
		"\""  { end_runs(r, r->tok); return true; }
		wide+ { add_text(r); continue; }
		"\\" ["\\/bfnrt] { add_escape(r, simple_escape(r->tok[1])); continue; }
		"\\u" [dD] [89abAB] hex{2} "\\u" [dD] [c-fC-F] hex{2} {
			uint32_t hi = hex4(r->tok + 2), lo = hex4(r->tok + 8);
			add_escape(r, 0x10000 + ((hi - 0xD800) << 10) + (lo - 0xDC00));
			continue;
		}
		"\\u" [dD] [89a-fA-F] hex{2} {
			fail_at(r, r->tok, str_fmt(r->a, "lone surrogate %.*s", 6, (const char *)r->tok));
			return false;
		}
		"\\u" hex{4} { add_escape(r, hex4(r->tok + 2)); continue; }
		"\\u"      { fail(r, "\\u takes four hexadecimal digits"); return false; }
		"\\"       { fail(r, "unknown escape (JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX)"); return false; }
		[\x00-\x1f] { fail_control(r); return false; }
		*          { fail(r, "invalid UTF-8 in a string"); return false; }
		$          { fail_at(r, open, STR("string is never closed")); return false; }
		*/
	}
}

static JsonNode *new_node(Reader *r, JsonKind kind)
{
	JsonNode *x = arena_new(r->a, JsonNode);
	x->kind = kind;
	x->lo = offset_of(r, r->tok);
	x->hi = offset_of(r, r->cur);
	return x;
}

static JsonNode *read_string(Reader *r)
{
	const unsigned char *open = r->tok;
	JsonNode *x = new_node(r, JSON_STRING);
	const unsigned char *end = skip_plain(r->cur, r->lim);
	if (end < r->lim && *end == '"') {
		r->cur = end + 1;
	} else {
		r->text.n = 0;
		r->run.n = 0;
		if (!lex_string(r, open))
			return NULL;
	}
	x->hi = offset_of(r, r->cur);
	x->text = str_range((const char *)open + 1, (const char *)r->cur - 1);
	if (*end == '"' || r->text.n == x->text.n)
		return x;
	x->text = str_dup(r->a, buf_str(&r->text));
	x->n_run = r->run.n;
	x->run = arena_dup(r->a, r->run.v, sizeof(TextRun) * r->run.n);
	return x;
}

static void push_child(Reader *r, JsonNode *x)
{
	if (r->n_child == r->cap_child) {
		r->cap_child = r->cap_child ? r->cap_child * 2 : 64;
		r->child = mem_must_grow(r->child, r->cap_child * sizeof *r->child);
	}
	r->child[r->n_child++] = x;
}

static void note_duplicate(Reader *r, JsonNode *obj, const JsonNode *first, const JsonNode *again)
{
	obj->has_dup = true;
	vec_push(&r->scratch, &r->dup, (JsonDup){ again->text, first, again });
}

enum { PAIRWISE_MAX = 8 };

static void find_duplicates(Reader *r, JsonNode *obj)
{
	Map seen = { 0 };
	for (uint32_t i = 1; obj->n <= PAIRWISE_MAX && i < obj->n; i++)
		for (uint32_t j = 0; j < i; j++)
			if (str_eq(obj->member[i].key->text, obj->member[j].key->text)) {
				note_duplicate(r, obj, obj->member[j].key, obj->member[i].key);
				break;
			}
	for (uint32_t i = 0; obj->n > PAIRWISE_MAX && i < obj->n; i++) {
		JsonNode *key = obj->member[i].key;
		const JsonNode *first = map_add(&r->scratch, &seen, key->text, key);
		if (first)
			note_duplicate(r, obj, first, key);
	}
}

static void close_frame(Reader *r)
{
	Frame *f = &r->frame[--r->n_frame];
	JsonNode *x = f->node;
	JsonNode **kid = r->child ? r->child + f->child_lo : NULL;
	size_t n = r->n_child - f->child_lo;
	x->hi = offset_of(r, r->cur);
	if (x->kind == JSON_ARRAY) {
		x->n = (uint32_t)n;
		x->item = n ? arena_dup(r->a, kid, n * sizeof *kid) : NULL;
	} else {
		x->n = (uint32_t)(n / 2);
		x->member = arena_array(r->a, JsonMember, x->n);
		for (uint32_t i = 0; i < x->n; i++)
			x->member[i] = (JsonMember){ kid[2 * i], kid[2 * i + 1] };
		find_duplicates(r, x);
	}
	r->n_child = f->child_lo;
}

static bool open_frame(Reader *r, JsonNode *x)
{
	if (r->n_frame == JSON_DEPTH_MAX) {
		fail_at(r, r->tok, str_fmt(r->a, "nested deeper than %d", JSON_DEPTH_MAX));
		return false;
	}
	r->frame[r->n_frame++] = (Frame){ x, NULL, r->n_child };
	return true;
}

/* The node for a scalar or an opening token; NULL after an error. */
static JsonNode *read_value_start(Reader *r, Token t)
{
	JsonNode *x;
	switch (t) {
	case TOK_OPEN_OBJECT: return new_node(r, JSON_OBJECT);
	case TOK_OPEN_ARRAY: return new_node(r, JSON_ARRAY);
	case TOK_STRING: return read_string(r);
	case TOK_NULL: return new_node(r, JSON_NULL);
	case TOK_TRUE:
	case TOK_FALSE:
		x = new_node(r, JSON_BOOL);
		x->truth = t == TOK_TRUE;
		return x;
	case TOK_NUMBER:
		x = new_node(r, JSON_NUMBER);
		x->text = str_range((const char *)r->tok, (const char *)r->cur);
		return x;
	case TOK_ERROR: return NULL;
	case TOK_END: fail(r, "expected a value, found the end"); return NULL;
	default: fail(r, "expected a value"); return NULL;
	}
}

static bool read_key(Reader *r, Token t)
{
	Frame *f = &r->frame[r->n_frame - 1];
	if (t != TOK_STRING) {
		if (t != TOK_ERROR)
			fail(r, t == TOK_END ? "object is never closed" : "expected a member name in double quotes");
		return false;
	}
	if (!(f->key = read_string(r)))
		return false;
	t = lex_token(r);
	if (t != TOK_COLON && t != TOK_ERROR)
		fail(r, "expected ':' after the member name");
	return t == TOK_COLON;
}

/* After a value: pop closed frames. 1 = read another value, 0 = the root is complete, -1 = error. */
static int read_after_value(Reader *r, JsonNode *x)
{
	for (;;) {
		if (!r->n_frame) {
			r->doc->root = x;
			return 0;
		}
		Frame *f = &r->frame[r->n_frame - 1];
		bool object = f->node->kind == JSON_OBJECT;
		if (object)
			push_child(r, f->key);
		push_child(r, x);
		Token t = lex_token(r);
		if (t == TOK_COMMA) {
			const unsigned char *comma = r->tok;
			t = lex_token(r);
			if (t == (object ? TOK_CLOSE_OBJECT : TOK_CLOSE_ARRAY)) {
				fail_at(r, comma, STR("trailing comma"));
				return -1;
			}
			if (object)
				return read_key(r, t) ? 1 : -1;
			r->cur = r->tok;
			return t == TOK_ERROR ? -1 : 1;
		}
		if (t != (object ? TOK_CLOSE_OBJECT : TOK_CLOSE_ARRAY)) {
			if (t == TOK_END)
				fail_at(r, (const unsigned char *)r->src.p + (f->node->lo - r->base),
					object ? STR("object is never closed") : STR("array is never closed"));
			else if (t != TOK_ERROR)
				fail(r, object ? "expected ',' or '}'" : "expected ',' or ']'");
			return -1;
		}
		x = f->node;
		close_frame(r);
	}
}

static bool read_document(Reader *r)
{
	for (;;) {
		JsonNode *x = read_value_start(r, lex_token(r));
		if (!x)
			return false;
		if (x->kind == JSON_ARRAY || x->kind == JSON_OBJECT) {
			if (!open_frame(r, x))
				return false;
			Token t = lex_token(r);
			if (t == (x->kind == JSON_ARRAY ? TOK_CLOSE_ARRAY : TOK_CLOSE_OBJECT)) {
				close_frame(r);
			} else if (x->kind == JSON_OBJECT) {
				if (!read_key(r, t))
					return false;
				continue;
			} else if (t == TOK_ERROR) {
				return false;
			} else if (t == TOK_END) {
				fail_at(r, (const unsigned char *)r->src.p + (x->lo - r->base), STR("array is never closed"));
				return false;
			} else {
				r->cur = r->tok;
				continue;
			}
		}
		int more = read_after_value(r, x);
		if (more <= 0)
			return more == 0;
	}
}

static int cmp_dup(const void *x, const void *y)
{
	uint32_t a = ((const JsonDup *)x)->again->lo, b = ((const JsonDup *)y)->again->lo;
	return a < b ? -1 : a > b;
}

static void take_duplicates(Reader *r)
{
	r->doc->n_dup = r->dup.n;
	if (!r->dup.n)
		return;
	r->doc->dup = arena_dup(r->a, r->dup.v, sizeof(JsonDup) * r->dup.n);
	qsort(r->doc->dup, r->dup.n, sizeof(JsonDup), cmp_dup);
}

bool json_read(Arena *a, Str src, uint32_t base, JsonDoc *doc)
{
	static const char nothing[1];
	*doc = (JsonDoc){ 0 };
	if (!src.p)
		src.p = nothing;
	if (src.n > UINT32_MAX - 1 - base) {
		doc->err = (JsonError){ STR("larger than 4 GiB"), base };
		return false;
	}
	Reader r = { .a = a, .src = src, .base = base, .doc = doc };
	r.cur = r.tok = r.mar = (const unsigned char *)src.p;
	r.lim = r.cur + src.n;
	r.frame = mem_must_alloc(sizeof(Frame) * JSON_DEPTH_MAX);
	bool ok = read_document(&r);
	if (ok) {
		Token t = lex_token(&r);
		if (t != TOK_END && t != TOK_ERROR)
			fail(&r, "something follows the value");
		ok = t == TOK_END;
	}
	if (ok)
		take_duplicates(&r);
	else
		doc->root = NULL;
	free(r.frame);
	free(r.child);
	buf_free(&r.text);
	arena_free(&r.scratch);
	return ok;
}
