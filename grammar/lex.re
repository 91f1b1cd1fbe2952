/*
 * The scanner: one token of a head, a directive or a hole, and the few shapes that bodies know.
 * It never reads past the limit it is given: the end of the text reads as NUL, which no source has.
 */
#include "grammar/lex.h"

#include "grammar/parse.h"
#include "runtime/base/utf8.h"

#define YYPEEK() (cur < lim ? *cur : 0)
#define YYSKIP() ++cur
#define YYBACKUP() mark = cur
#define YYRESTORE() cur = mark

/*!re2c
	re2c:api = custom;
	re2c:yyfill:enable = 0;
	re2c:define:YYCTYPE = "unsigned char";

	blank   = [ \t];
	start   = [A-Za-z_\x80-\xff];
	name    = start [A-Za-z0-9_\x80-\xff]*;
	int     = [0-9]+;
	exp     = [eE] [+-]? int;
	num     = int "." int exp? | int exp;
	str     = ["] ([^"\x00\n] | ["]["])* ["];
*/

size_t lex_name_len(Str s)
{
	size_t at = 0;
	while (at < s.n) {
		unsigned char b = (unsigned char)s.p[at];
		uint32_t cp, len = 1;
		if (b < 0x80) {
			bool alpha = (b | 32) >= 'a' && (b | 32) <= 'z';
			if (!alpha && b != '_' && !(at && b >= '0' && b <= '9'))
				break;
		} else {
			len = utf8_decode(s, at, &cp);
			if (cp == UTF8_BAD || !(at ? utf8_is_xid_continue(cp) : utf8_is_xid_start(cp)))
				break;
		}
		at += len;
	}
	return at;
}

/* A quoted string's value: `""` is one quote. */
static Str string_value(Lex *lx, Str s)
{
	if (!memchr(s.p, '"', s.n))
		return s;
	char *to = arena_alloc(&lx->c->arena, s.n);
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++) {
		to[n++] = s.p[i];
		if (s.p[i] == '"')
			i++;
	}
	return (Str){ to, n };
}

static int scan_word(Lex *lx, Str s, LexToken *tok)
{
	const WordRow *row = word_find(s);
	tok->val.str = utf8_normal(&lx->c->arena, s, UTF8_NFC);
	return row ? row->token : T_NAME;
}

/* Bytes past ASCII: the start of a name, an arrow, or nothing that a head knows. */
static int scan_high(Lex *lx, size_t lo, size_t hi, size_t *end, LexToken *tok)
{
	Str rest = { lx->in.s.p + lo, hi - lo };
	size_t n = lex_name_len(rest);
	if (n) {
		*end = lo + n;
		return scan_word(lx, (Str){ rest.p, n }, tok);
	}
	if (str_starts(rest, STR("→"))) {
		*end = lo + strlen("→");
		return T_ARROW;
	}
	uint32_t cp;
	*end = lo + utf8_decode(rest, 0, &cp);
	return T_BAD;
}

static int scan_stability(Str s, LexToken *tok)
{
	static const char *const word[STAB_COUNT] = { "@static", "@session", "@turn" };
	for (int i = 0; i < STAB_COUNT; i++) {
		if (str_is(s, word[i])) {
			tok->val.num = i;
			return T_STABILITY;
		}
	}
	return T_BAD;
}

int lex_scan(Lex *lx, size_t *at, size_t hi, LexToken *tok)
{
	const char *base = lx->in.s.p;
	const unsigned char *cur = (const unsigned char *)base + *at, *mark = cur;
	const unsigned char *lim = (const unsigned char *)base + hi;
	const unsigned char *lo;
	size_t end;
	int kind;
	while (cur < lim && (*cur == ' ' || *cur == '\t'))
		cur++;
	lo = cur;
	memset(&tok->val, 0, sizeof tok->val);
#define LEXEME ((Str){ (const char *)lo, (size_t)(cur - lo) })
#define TAKE(token) do { kind = (token); goto taken; } while (0)
	/*!re2c
	name {
		/* past ASCII the name's end is Unicode's to say; an ASCII name is whole already */
		size_t n = (size_t)(cur - lo);
		size_t ascii = 0;
		while (ascii < n && lo[ascii] < 0x80)
			ascii++;
		if (ascii == n)
			TAKE(scan_word(lx, LEXEME, tok));
		kind = scan_high(lx, (size_t)((const char *)lo - base), (size_t)((const char *)cur - base), &end, tok);
		cur = (const unsigned char *)base + end;
		goto taken;
	}
	"v" int ("." int){1,2} { tok->val.str = (Str){ (const char *)lo + 1, (size_t)(cur - lo) - 1 }; TAKE(T_VERSION); }
	int               { tok->val.str = LEXEME; TAKE(T_INT); }
	num               { tok->val.str = LEXEME; TAKE(T_NUM); }
	int ("ms" | [smhd]) { tok->val.str = LEXEME; TAKE(T_DUR); }
	int name          { tok->val.str = LEXEME; TAKE(T_BAD_NUM); }
	int "." int "." int { tok->val.str = LEXEME; TAKE(T_BAD_NUM); }
	str               { tok->val.str = string_value(lx, (Str){ (const char *)lo + 1, (size_t)(cur - lo) - 2 }); TAKE(T_STR); }
	["]               { tok->val.str = str_trim((Str){ (const char *)cur, (size_t)(lim - cur) }); cur = lim; TAKE(T_BAD_STR); }
	"@" name          { TAKE(scan_stability(LEXEME, tok)); }
	".."              { TAKE(T_DOTDOT); }
	"->"              { TAKE(T_ARROW); }
	"=="              { tok->val.num = CMP_EQ; TAKE(T_CMP); }
	"!="              { tok->val.num = CMP_NE; TAKE(T_CMP); }
	"<"               { tok->val.num = CMP_LT; TAKE(T_CMP); }
	"<="              { tok->val.num = CMP_LE; TAKE(T_CMP); }
	">"               { tok->val.num = CMP_GT; TAKE(T_CMP); }
	">="              { tok->val.num = CMP_GE; TAKE(T_CMP); }
	[:,.?=|~()[\]-]  { TAKE(*lo); }
	"\x00"            { *at = hi; return 0; }
	*                 { TAKE(T_BAD); }
	*/
taken:
	tok->kind = kind;
	*at = (size_t)((const char *)cur - base);
	tok->lo = (size_t)((const char *)lo - base);
	tok->hi = *at;
	return kind;
}

/* A stretch without blanks, up to one of the stop bytes; strings and stop bytes as everywhere. */
static int scan_tail(Lex *lx, size_t *at, size_t hi, LexToken *tok, int kind, const char *stop)
{
	const char *p = lx->in.s.p;
	size_t lo = *at;
	while (lo < hi && (p[lo] == ' ' || p[lo] == '\t'))
		lo++;
	size_t end = lo;
	while (end < hi && p[end] != ' ' && p[end] != '\t' && !strchr(stop, p[end]))
		end++;
	if (end == lo)
		return lex_scan(lx, at, hi, tok);
	*at = end;
	*tok = (LexToken){ .kind = kind, .val.str = { p + lo, end - lo }, .lo = lo, .hi = end };
	return kind;
}

int lex_scan_path(Lex *lx, size_t *at, size_t hi, LexToken *tok)
{
	return scan_tail(lx, at, hi, tok, T_PATH, "(),\"");
}

int lex_scan_profile(Lex *lx, size_t *at, size_t hi, LexToken *tok)
{
	return scan_tail(lx, at, hi, tok, T_PROFILE, ",\"");
}

/* Names in a hole are XID; the pattern took any byte past ASCII. */
static bool hole_names_ok(Str s)
{
	bool in_str = false;
	for (size_t i = 0; i < s.n;) {
		unsigned char b = (unsigned char)s.p[i];
		if (b == '"')
			in_str = !in_str;
		size_t n = !in_str && (b >= 0x80 || b == '_' || ((b | 32) >= 'a' && (b | 32) <= 'z'))
			? lex_name_len((Str){ s.p + i, s.n - i }) : 1;
		if (!n)
			return false;
		i += n;
	}
	return true;
}

size_t lex_hole_len(Str s)
{
	const unsigned char *lo = (const unsigned char *)s.p, *cur = lo, *mark = lo, *lim = lo + s.n;
	Str whole;
	/*!re2c
	arg  = str | "-"? (int | num) | name;
	args = "(" blank* (arg blank* ("," blank* arg blank*)*)? ")";
	"{{" blank* name ("." name)* blank* ("|" blank* name blank* (args blank*)?)* "}}" { goto hole; }
	*  { return 0; }
	*/
hole:
	whole = (Str){ s.p, (size_t)(cur - lo) };
	return hole_names_ok(whole) ? whole.n : 0;
}

LexMark lex_mark(Str s)
{
	const unsigned char *lo = (const unsigned char *)s.p, *cur = lo, *mark = lo, *lim = lo + s.n;
	LexMark m = { MARK_NONE, { NULL, 0 }, NULL };
	size_t marks = 0;
	/*!re2c
	"!#"         { m.kind = MARK_COMMENT; return m; }
	"!"+ [A-Z]+  { goto word; }
	*            { return m; }
	*/
word:
	if (cur < lim && *cur != ' ' && *cur != '[')
		return m;
	while (lo[marks] == '!')
		marks++;
	m.word = (Str){ s.p + marks, (size_t)(cur - lo) - marks };
	m.row = directive_find(m.word);
	if (m.row)
		m.kind = marks == 1 ? MARK_DIRECTIVE : MARK_ESCAPE;
	else if (marks == 1 && m.word.n > 1)
		m.kind = MARK_UNKNOWN;
	return m;
}

size_t lex_fence_open(Str s)
{
	const unsigned char *lo = (const unsigned char *)s.p, *cur = lo, *mark = lo, *lim = lo + s.n;
	size_t n = 0;
	/*!re2c
	[`]{3,}  { goto ticks; }
	[~]{3,}  { return (size_t)(cur - lo); }
	*        { return 0; }
	*/
ticks:
	n = (size_t)(cur - lo);
	return memchr(s.p + n, '`', s.n - n) ? 0 : n;
}

bool lex_fence_closes(Str s, char fence, size_t len)
{
	size_t n = 0;
	while (n < s.n && s.p[n] == fence)
		n++;
	return n >= len && !str_trim((Str){ s.p + n, s.n - n }).n;
}
