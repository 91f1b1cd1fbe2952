/* Pattern -> automaton. ECMA-262's syntax as the `u` flag reads it, except that an escaped ASCII
 * punctuation mark is itself outside classes too, and a lone ']' or '}' is itself: both are
 * unambiguous and common in schemas. Everything else that is not understood is refused by name.
 *
 * Two steps: a tree (groups nest at most REGEX_DEPTH_MAX deep), then instructions; a counted repeat
 * writes its body out that many times, up to REGEX_STATES_MAX instructions in all. */
#include "runtime/base/regex_prog.h"

#include <utf8proc.h>

#include "runtime/base/utf8.h"

typedef enum ReKind { RE_CHAR, RE_CLASS, RE_ASSERT, RE_CAT, RE_ALT, RE_REPEAT } ReKind;

typedef struct ReNode ReNode;
typedef VEC(ReNode *) ReNodes;

struct ReNode {
	ReKind kind;
	uint32_t at;        /* offset in the pattern, for errors */
	uint32_t value;     /* RE_CHAR code point, RE_CLASS index, RE_ASSERT kind */
	uint32_t min, max;  /* RE_REPEAT; max may be NO_MAX */
	ReNodes kid;
};

#define NO_MAX UINT32_MAX

typedef struct Parser {
	Arena *a;
	Str s;
	size_t at;
	uint32_t depth;
	uint32_t n_visit;  /* nodes emitted so far, counted apart since an empty one has no instruction */
	Regex *re;
	RegexError *err;
} Parser;

static void *fail(Parser *p, size_t at, Str message)
{
	if (!p->err->message.p)
		*p->err = (RegexError){ message, (uint32_t)at };
	return NULL;
}

static bool is_failed(const Parser *p)
{
	return p->err->message.p != NULL;
}

static int peek(const Parser *p, size_t ahead)
{
	return p->at + ahead < p->s.n ? (unsigned char)p->s.p[p->at + ahead] : -1;
}

static bool take(Parser *p, const char *z)
{
	size_t n = strlen(z);
	if (p->s.n - p->at < n || memcmp(p->s.p + p->at, z, n))
		return false;
	p->at += n;
	return true;
}

static ReNode *new_node(Parser *p, ReKind kind, size_t at, uint32_t value)
{
	ReNode *x = arena_new(p->a, ReNode);
	x->kind = kind;
	x->at = (uint32_t)at;
	x->value = value;
	return x;
}

/* ---- classes ---- */

static const RegexRange digit_range[] = { { '0', '9' } };
static const RegexRange word_range[] = { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } };
/* WhiteSpace and LineTerminator of ECMA-262. */
static const RegexRange space_range[] = {
	{ 9, 13 }, { ' ', ' ' }, { 0xA0, 0xA0 }, { 0x1680, 0x1680 }, { 0x2000, 0x200A }, { 0x2028, 0x2029 },
	{ 0x202F, 0x202F }, { 0x205F, 0x205F }, { 0x3000, 0x3000 }, { 0xFEFF, 0xFEFF },
};
static const RegexRange line_end_range[] = { { '\n', '\n' }, { '\r', '\r' }, { 0x2028, 0x2029 } };
/* PropList.txt White_Space. */
static const RegexRange white_space_range[] = {
	{ 9, 13 }, { ' ', ' ' }, { 0x85, 0x85 }, { 0xA0, 0xA0 }, { 0x1680, 0x1680 }, { 0x2000, 0x200A },
	{ 0x2028, 0x2029 }, { 0x202F, 0x202F }, { 0x205F, 0x205F }, { 0x3000, 0x3000 },
};
static const RegexRange ascii_range[] = { { 0, 127 } };
static const RegexRange any_range[] = { { 0, 0x10FFFF } };
static const RegexRange hex_range[] = { { '0', '9' }, { 'A', 'F' }, { 'a', 'f' } };

#define LEN(t) (sizeof(t) / sizeof(t)[0])

/* The ranges or, complemented, what they leave out. Ranges are sorted and disjoint. */
static void add_ranges(Parser *p, RegexClass *c, const RegexRange *r, size_t n, bool complement)
{
	uint32_t lo = 0;
	for (size_t i = 0; i < n; i++) {
		if (!complement)
			vec_push(p->a, &c->range, r[i]);
		else if (r[i].lo > lo)
			vec_push(p->a, &c->range, (RegexRange){ lo, r[i].lo - 1 });
		lo = r[i].hi + 1;
	}
	if (complement && lo <= 0x10FFFF)
		vec_push(p->a, &c->range, (RegexRange){ lo, 0x10FFFF });
}

bool regex_class_has(const RegexClass *c, uint32_t cp)
{
	bool has = false;
	if (cp > 0x10FFFF)
		return false;
	for (uint32_t i = 0; i < c->range.n && !has; i++)
		has = cp >= c->range.v[i].lo && cp <= c->range.v[i].hi;
	if (!has && c->categories)
		has = c->categories >> utf8proc_category((utf8proc_int32_t)cp) & 1;
	return has != c->negated;
}

typedef struct Property {
	const char *name;
	uint32_t categories;
	const RegexRange *range;
	size_t n_range;
} Property;

#define CAT(x) (1u << UTF8PROC_CATEGORY_##x)
#define LETTERS_CASED (CAT(LU) | CAT(LL) | CAT(LT))
#define LETTERS (LETTERS_CASED | CAT(LM) | CAT(LO))
#define MARKS (CAT(MN) | CAT(MC) | CAT(ME))
#define NUMBERS (CAT(ND) | CAT(NL) | CAT(NO))
#define PUNCTUATION (CAT(PC) | CAT(PD) | CAT(PS) | CAT(PE) | CAT(PI) | CAT(PF) | CAT(PO))
#define SYMBOLS (CAT(SM) | CAT(SC) | CAT(SK) | CAT(SO))
#define SEPARATORS (CAT(ZS) | CAT(ZL) | CAT(ZP))
#define OTHERS (CAT(CC) | CAT(CF) | CAT(CS) | CAT(CO) | CAT(CN))

static const Property properties[] = {
#define P(name, cat) { name, cat, NULL, 0 }
	P("L", LETTERS), P("Letter", LETTERS), P("LC", LETTERS_CASED), P("Cased_Letter", LETTERS_CASED),
	P("Lu", CAT(LU)), P("Uppercase_Letter", CAT(LU)), P("Ll", CAT(LL)), P("Lowercase_Letter", CAT(LL)),
	P("Lt", CAT(LT)), P("Titlecase_Letter", CAT(LT)), P("Lm", CAT(LM)), P("Modifier_Letter", CAT(LM)),
	P("Lo", CAT(LO)), P("Other_Letter", CAT(LO)),
	P("M", MARKS), P("Mark", MARKS), P("Combining_Mark", MARKS),
	P("Mn", CAT(MN)), P("Nonspacing_Mark", CAT(MN)), P("Mc", CAT(MC)), P("Spacing_Mark", CAT(MC)),
	P("Me", CAT(ME)), P("Enclosing_Mark", CAT(ME)),
	P("N", NUMBERS), P("Number", NUMBERS), P("Nd", CAT(ND)), P("Decimal_Number", CAT(ND)), P("digit", CAT(ND)),
	P("Nl", CAT(NL)), P("Letter_Number", CAT(NL)), P("No", CAT(NO)), P("Other_Number", CAT(NO)),
	P("P", PUNCTUATION), P("Punctuation", PUNCTUATION), P("punct", PUNCTUATION),
	P("Pc", CAT(PC)), P("Connector_Punctuation", CAT(PC)), P("Pd", CAT(PD)), P("Dash_Punctuation", CAT(PD)),
	P("Ps", CAT(PS)), P("Open_Punctuation", CAT(PS)), P("Pe", CAT(PE)), P("Close_Punctuation", CAT(PE)),
	P("Pi", CAT(PI)), P("Initial_Punctuation", CAT(PI)), P("Pf", CAT(PF)), P("Final_Punctuation", CAT(PF)),
	P("Po", CAT(PO)), P("Other_Punctuation", CAT(PO)),
	P("S", SYMBOLS), P("Symbol", SYMBOLS), P("Sm", CAT(SM)), P("Math_Symbol", CAT(SM)),
	P("Sc", CAT(SC)), P("Currency_Symbol", CAT(SC)), P("Sk", CAT(SK)), P("Modifier_Symbol", CAT(SK)),
	P("So", CAT(SO)), P("Other_Symbol", CAT(SO)),
	P("Z", SEPARATORS), P("Separator", SEPARATORS), P("Zs", CAT(ZS)), P("Space_Separator", CAT(ZS)),
	P("Zl", CAT(ZL)), P("Line_Separator", CAT(ZL)), P("Zp", CAT(ZP)), P("Paragraph_Separator", CAT(ZP)),
	P("C", OTHERS), P("Other", OTHERS), P("Cc", CAT(CC)), P("Control", CAT(CC)), P("cntrl", CAT(CC)),
	P("Cf", CAT(CF)), P("Format", CAT(CF)), P("Cs", CAT(CS)), P("Surrogate", CAT(CS)),
	P("Co", CAT(CO)), P("Private_Use", CAT(CO)), P("Cn", CAT(CN)), P("Unassigned", CAT(CN)),
	P("Assigned", ~CAT(CN)),
#undef P
	{ "Any", 0, any_range, LEN(any_range) }, { "ASCII", 0, ascii_range, LEN(ascii_range) },
	{ "ASCII_Hex_Digit", 0, hex_range, LEN(hex_range) }, { "AHex", 0, hex_range, LEN(hex_range) },
	{ "White_Space", 0, white_space_range, LEN(white_space_range) },
	{ "space", 0, white_space_range, LEN(white_space_range) },
};

static const Property *find_property(Str name)
{
	Str value = name;
	if (str_starts(name, STR("General_Category=")))
		value = str_sub(name, 17, name.n);
	else if (str_starts(name, STR("gc=")))
		value = str_sub(name, 3, name.n);
	for (size_t i = 0; i < LEN(properties); i++)
		if (str_is(value, properties[i].name) && (value.n == name.n || properties[i].categories))
			return &properties[i];
	return NULL;
}

/* After "\p" or "\P" at start. */
static bool parse_property(Parser *p, size_t start, RegexClass *c, bool complement)
{
	size_t close = str_find(p->s, STR("}"), p->at);
	if (peek(p, 0) != '{' || close == p->s.n) {
		fail(p, start, STR("\\p takes a property in braces, as in \\p{L}"));
		return false;
	}
	Str name = str_sub(p->s, p->at + 1, close);
	const Property *prop = find_property(name);
	if (!prop) {
		fail(p, start, str_fmt(p->a, "the Unicode property '%.*s' is not supported (general categories are)",
			STR_ARG(name)));
		return false;
	}
	if (prop->range)
		add_ranges(p, c, prop->range, prop->n_range, complement);
	else
		c->categories |= complement ? ~prop->categories : prop->categories;
	p->at = close + 1;
	return true;
}

/* A class escape (\d \D \w \W \s \S \p \P) at the backslash, added to c; false if it is none. */
static bool take_class_escape(Parser *p, RegexClass *c)
{
	int e = peek(p, 1);
	bool complement = e == 'D' || e == 'W' || e == 'S' || e == 'P';
	size_t start = p->at;
	if (e < 0 || !strchr("dDwWsSpP", e))
		return false;
	p->at += 2;
	switch (e | 32) {
	case 'd': add_ranges(p, c, digit_range, LEN(digit_range), complement); break;
	case 'w': add_ranges(p, c, word_range, LEN(word_range), complement); break;
	case 's': add_ranges(p, c, space_range, LEN(space_range), complement); break;
	default: parse_property(p, start, c, complement);
	}
	return true;
}

static ReNode *finish_class(Parser *p, size_t start, RegexClass c)
{
	for (uint32_t cp = 0; cp < 128; cp++)
		if (regex_class_has(&c, cp))
			c.ascii[cp >> 6] |= (uint64_t)1 << (cp & 63);
	vec_push(p->a, &p->re->class, c);
	return new_node(p, RE_CLASS, start, p->re->class.n - 1);
}

/* ---- escapes that are one code point ---- */

static int hex_value(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* n hex digits at p->at; UTF8_BAD if they are not there. */
static uint32_t take_hex(Parser *p, int n)
{
	uint32_t v = 0;
	for (int i = 0; i < n; i++) {
		int d = p->at + (size_t)i < p->s.n ? hex_value(peek(p, (size_t)i)) : -1;
		if (d < 0)
			return UTF8_BAD;
		v = v * 16 + (uint32_t)d;
	}
	p->at += (size_t)n;
	return v;
}

static uint32_t take_braced_hex(Parser *p)
{
	uint32_t v = 0, n = 0;
	p->at++;
	for (int d; (d = peek(p, 0)) >= 0 && (d = hex_value(d)) >= 0; p->at++, n++) {
		v = v * 16 + (uint32_t)d;
		if (v > 0x10FFFF)
			return UTF8_BAD;
	}
	return n && take(p, "}") ? v : UTF8_BAD;
}

/* After "\u" at start. */
static uint32_t parse_unicode_escape(Parser *p, size_t start)
{
	uint32_t v = peek(p, 0) == '{' ? take_braced_hex(p) : take_hex(p, 4);
	if (v == UTF8_BAD) {
		fail(p, start, STR("\\u takes four hexadecimal digits, or {…} up to 10FFFF"));
		return 0;
	}
	if (v >= 0xD800 && v < 0xDC00 && take(p, "\\u")) {
		uint32_t low = take_hex(p, 4);
		if (low >= 0xDC00 && low < 0xE000)
			return 0x10000 + ((v - 0xD800) << 10) + (low - 0xDC00);
	}
	if (v >= 0xD800 && v < 0xE000)
		fail(p, start, STR("lone surrogate"));
	return v;
}

static uint32_t fail_escape(Parser *p, size_t start, int e)
{
	if (e >= '1' && e <= '9')
		fail(p, start, STR("backreferences are not supported"));
	else if (e == 'k')
		fail(p, start, STR("named backreferences are not supported"));
	else if (e == 'A' || e == 'Z' || e == 'z')
		fail(p, start, str_fmt(p->a, "\\%c is no ECMA-262 escape; use %c", e, e == 'A' ? '^' : '$'));
	else if (e > 32 && e < 127)
		fail(p, start, str_fmt(p->a, "\\%c is no ECMA-262 escape", e));
	else
		fail(p, start, STR("this character may not be escaped"));
	return 0;
}

/* The code point of the escape at p->at (a backslash). In a class \b is backspace. */
static uint32_t parse_char_escape(Parser *p, bool in_class)
{
	size_t start = p->at;
	int e = peek(p, 1);
	if (e < 0) {
		fail(p, start, STR("the pattern ends after '\\'"));
		return 0;
	}
	p->at += 2;
	switch (e) {
	case 't': return '\t';
	case 'n': return '\n';
	case 'v': return '\v';
	case 'f': return '\f';
	case 'r': return '\r';
	case '0':
		if (peek(p, 0) >= '0' && peek(p, 0) <= '9')
			fail(p, start, STR("octal escapes are not supported; use \\x or \\u"));
		return 0;
	case 'b':
		return in_class ? '\b' : fail_escape(p, start, e);
	case 'c': {
		int c = peek(p, 0);
		if ((c | 32) < 'a' || (c | 32) > 'z')
			return fail_escape(p, start, e);
		p->at++;
		return (uint32_t)c & 31;
	}
	case 'x': {
		uint32_t v = take_hex(p, 2);
		if (v == UTF8_BAD)
			fail(p, start, STR("\\x takes two hexadecimal digits"));
		return v;
	}
	case 'u': return parse_unicode_escape(p, start);
	}
	bool word = (e >= '0' && e <= '9') || ((e | 32) >= 'a' && (e | 32) <= 'z') || e == '_';
	return e <= 32 || e >= 127 || word ? fail_escape(p, start, e) : (uint32_t)e;
}

static uint32_t take_code_point(Parser *p)
{
	uint32_t cp;
	p->at += utf8_decode(p->s, p->at, &cp);
	return cp;
}

static uint32_t parse_class_char(Parser *p)
{
	return peek(p, 0) == '\\' ? parse_char_escape(p, true) : take_code_point(p);
}

static ReNode *parse_class(Parser *p)
{
	size_t start = p->at++;
	RegexClass c = { .negated = take(p, "^") };
	while (!is_failed(p) && peek(p, 0) != ']') {
		size_t at = p->at;
		if (peek(p, 0) < 0)
			return fail(p, start, STR("'[' is never closed"));
		bool is_set = take_class_escape(p, &c);
		uint32_t lo = is_set ? 0 : parse_class_char(p), hi = lo;
		if (peek(p, 0) == '-' && peek(p, 1) >= 0 && peek(p, 1) != ']') {
			p->at++;
			RegexClass ignored = { 0 };
			if (is_set || take_class_escape(p, &ignored))
				return fail(p, at, STR("a range needs one character at each end"));
			hi = parse_class_char(p);
			if (lo > hi)
				return fail(p, at, STR("this range runs backwards"));
		}
		if (!is_set)
			vec_push(p->a, &c.range, (RegexRange){ lo, hi });
	}
	p->at++;
	return is_failed(p) ? NULL : finish_class(p, start, c);
}

/* ---- atoms, repeats, alternatives ---- */

static ReNode *parse_alternatives(Parser *p);

static bool refuse_group(Parser *p, size_t start)
{
	static const struct {
		const char *head, *why;
	} refused[] = {
		{ "?=", "lookahead (?= is not supported" },
		{ "?!", "negative lookahead (?! is not supported" },
		{ "?<=", "lookbehind (?<= is not supported" },
		{ "?<!", "negative lookbehind (?<! is not supported" },
		{ "?>", "atomic groups (?> are not ECMA-262" },
		{ "?P", "(?P is not ECMA-262; write (?<name>…)" },
		{ "?#", "comments (?# are not ECMA-262" },
		{ "?|", "branch reset (?| is not ECMA-262" },
		{ "*", "verbs (* are not ECMA-262" },
	};
	for (size_t i = 0; i < LEN(refused); i++)
		if (take(p, refused[i].head)) {
			fail(p, start, str_from(refused[i].why));
			return true;
		}
	return false;
}

/* The name of (?<name>, after '<'. */
static bool take_group_name(Parser *p)
{
	size_t from = p->at;
	while (p->at < p->s.n && peek(p, 0) != '>') {
		size_t at = p->at;
		uint32_t cp = take_code_point(p);
		if (cp != '$' && cp != '_' && !(at == from ? utf8_is_xid_start(cp) : utf8_is_xid_continue(cp)))
			return false;
	}
	return p->at > from && take(p, ">");
}

static ReNode *parse_group(Parser *p)
{
	size_t start = p->at++;
	if (refuse_group(p, start))
		return NULL;
	if (take(p, "?<")) {
		if (!take_group_name(p))
			return fail(p, start, STR("malformed group name"));
	} else if (!take(p, "?:") && peek(p, 0) == '?') {
		return fail(p, start, STR("flags inside a pattern are not supported"));
	}
	if (++p->depth > REGEX_DEPTH_MAX)
		return fail(p, start, str_fmt(p->a, "groups nested deeper than %d", REGEX_DEPTH_MAX));
	ReNode *x = parse_alternatives(p);
	p->depth--;
	if (!is_failed(p) && !take(p, ")"))
		return fail(p, start, STR("'(' is never closed"));
	return x;
}

static ReNode *parse_escape(Parser *p)
{
	size_t start = p->at;
	RegexClass c = { 0 };
	if (take(p, "\\b"))
		return new_node(p, RE_ASSERT, start, ASSERT_WORD_EDGE);
	if (take(p, "\\B"))
		return new_node(p, RE_ASSERT, start, ASSERT_NO_WORD_EDGE);
	if (take_class_escape(p, &c))
		return is_failed(p) ? NULL : finish_class(p, start, c);
	return new_node(p, RE_CHAR, start, parse_char_escape(p, false));
}

/* A '{' opens a repeat if a digit or ',' follows, as in every dialect; else it is itself. */
static bool at_repeat_brace(const Parser *p)
{
	int c = peek(p, 1);
	return peek(p, 0) == '{' && ((c >= '0' && c <= '9') || c == ',');
}

static ReNode *parse_atom(Parser *p)
{
	size_t start = p->at;
	RegexClass c = { .negated = true };
	switch (peek(p, 0)) {
	case '(': return parse_group(p);
	case '[': return parse_class(p);
	case '\\': return parse_escape(p);
	case '^':
		p->at++;
		return new_node(p, RE_ASSERT, start, ASSERT_START);
	case '$':
		p->at++;
		return new_node(p, RE_ASSERT, start, ASSERT_END);
	case '.':
		p->at++;
		add_ranges(p, &c, line_end_range, LEN(line_end_range), false);
		return finish_class(p, start, c);
	case '*': case '+': case '?':
		return fail(p, start, str_fmt(p->a, "'%c' has nothing to repeat", peek(p, 0)));
	}
	if (at_repeat_brace(p))
		return fail(p, start, STR("'{' has nothing to repeat; write \\{ for a brace"));
	return new_node(p, RE_CHAR, start, take_code_point(p));
}

/* Saturates just past what fits an automaton. */
static uint32_t take_count(Parser *p)
{
	uint32_t v = 0;
	for (int c; (c = peek(p, 0)) >= '0' && c <= '9'; p->at++)
		if (v <= REGEX_STATES_MAX)
			v = v * 10 + (uint32_t)(c - '0');
	return v;
}

static bool parse_repeat_brace(Parser *p, uint32_t *min, uint32_t *max)
{
	size_t start = p->at++;
	if (peek(p, 0) == ',') {
		fail(p, start, STR("a repeat needs its lower bound: {0,n}"));
		return false;
	}
	*min = *max = take_count(p);
	if (take(p, ","))
		*max = peek(p, 0) == '}' ? NO_MAX : take_count(p);
	if (!take(p, "}")) {
		fail(p, start, STR("malformed repeat; it is {n}, {n,} or {n,m}"));
		return false;
	}
	if (*min > *max)
		fail(p, start, STR("the bounds of this repeat run backwards"));
	return !is_failed(p);
}

static ReNode *parse_term(Parser *p)
{
	ReNode *x = parse_atom(p);
	size_t at = p->at;
	uint32_t min = 0, max = NO_MAX;
	if (is_failed(p))
		return NULL;
	if (take(p, "*"))
		;
	else if (take(p, "+"))
		min = 1;
	else if (take(p, "?"))
		max = 1;
	else if (!at_repeat_brace(p) || !parse_repeat_brace(p, &min, &max))
		return x;
	take(p, "?");  /* lazy: the same strings match */
	if (x->kind == RE_ASSERT)
		return fail(p, at, STR("an assertion may not be repeated"));
	if (peek(p, 0) == '+')
		return fail(p, p->at, STR("possessive repeats are not ECMA-262"));
	if (peek(p, 0) == '*' || peek(p, 0) == '?' || at_repeat_brace(p))
		return fail(p, p->at, STR("a repeat may not be repeated; group it"));
	ReNode *rep = new_node(p, RE_REPEAT, at, 0);
	rep->min = min;
	rep->max = max;
	vec_push(p->a, &rep->kid, x);
	return rep;
}

static ReNode *parse_alternatives(Parser *p)
{
	ReNode *alt = new_node(p, RE_ALT, p->at, 0);
	do {
		ReNode *cat = new_node(p, RE_CAT, p->at, 0);
		while (p->at < p->s.n && peek(p, 0) != '|' && peek(p, 0) != ')') {
			ReNode *x = parse_term(p);
			if (is_failed(p))
				return NULL;
			vec_push(p->a, &cat->kid, x);
		}
		vec_push(p->a, &alt->kid, cat);
	} while (take(p, "|"));
	return alt;
}

/* ---- instructions ---- */

static void fail_size(Parser *p, const ReNode *x)
{
	fail(p, x->at, str_fmt(p->a, "the pattern needs more than %d states; use smaller repeats", REGEX_STATES_MAX));
}

static uint32_t emit(Parser *p, const ReNode *x, RegexOp op, uint32_t v)
{
	if (p->re->inst.n >= REGEX_STATES_MAX) {
		fail_size(p, x);
		return 0;
	}
	vec_push(p->a, &p->re->inst, (RegexInst){ op, v, 0 });
	return p->re->inst.n - 1;
}

static void emit_node(Parser *p, const ReNode *x);

static void emit_alternatives(Parser *p, const ReNode *x)
{
	VEC(uint32_t) jump = { 0 };
	for (uint32_t i = 0; i < x->kid.n && !is_failed(p); i++) {
		bool last = i + 1 == x->kid.n;
		uint32_t split = last ? 0 : emit(p, x, I_SPLIT, p->re->inst.n + 1);
		emit_node(p, x->kid.v[i]);
		if (last || is_failed(p))
			break;
		vec_push(p->a, &jump, emit(p, x, I_JUMP, 0));
		p->re->inst.v[split].y = p->re->inst.n;
	}
	for (uint32_t i = 0; i < jump.n; i++)
		p->re->inst.v[jump.v[i]].x = p->re->inst.n;
}

static void emit_repeat(Parser *p, const ReNode *x)
{
	const ReNode *body = x->kid.v[0];
	VEC(uint32_t) skip = { 0 };
	for (uint32_t i = 0; i < x->min && !is_failed(p); i++) {
		uint32_t from = p->re->inst.n;
		emit_node(p, body);
		if (p->re->inst.n == from)
			return;  /* the body is empty however often */
	}
	if (x->max == NO_MAX && !is_failed(p)) {
		uint32_t split = emit(p, x, I_SPLIT, p->re->inst.n + 1);
		emit_node(p, body);
		emit(p, x, I_JUMP, split);
		if (!is_failed(p))
			p->re->inst.v[split].y = p->re->inst.n;
		return;
	}
	for (uint32_t i = x->min; i < x->max && !is_failed(p); i++) {
		vec_push(p->a, &skip, emit(p, x, I_SPLIT, p->re->inst.n + 1));
		emit_node(p, body);
	}
	for (uint32_t i = 0; i < skip.n; i++)
		p->re->inst.v[skip.v[i]].y = p->re->inst.n;
}

static void emit_node(Parser *p, const ReNode *x)
{
	if (++p->n_visit > 8 * REGEX_STATES_MAX)
		fail_size(p, x);
	if (is_failed(p))
		return;
	switch (x->kind) {
	case RE_CHAR: emit(p, x, I_CHAR, x->value); break;
	case RE_CLASS: emit(p, x, I_CLASS, x->value); break;
	case RE_ASSERT: emit(p, x, I_ASSERT, x->value); break;
	case RE_CAT:
		for (uint32_t i = 0; i < x->kid.n; i++)
			emit_node(p, x->kid.v[i]);
		break;
	case RE_ALT: emit_alternatives(p, x); break;
	case RE_REPEAT: emit_repeat(p, x); break;
	}
}

Regex *regex_new(Arena *a, Str pattern, RegexError *err)
{
	Regex *re = arena_new(a, Regex);
	Parser p = { .a = a, .s = pattern, .re = re, .err = err };
	*err = (RegexError){ 0 };
	size_t bad = utf8_find_bad(pattern);
	if (bad < pattern.n)
		return fail(&p, bad, STR("invalid UTF-8"));
	ReNode *root = parse_alternatives(&p);
	if (!is_failed(&p) && p.at < pattern.n)
		return fail(&p, p.at, STR("')' closes nothing"));
	if (is_failed(&p))
		return NULL;
	emit_node(&p, root);
	emit(&p, root, I_MATCH, 0);
	return is_failed(&p) ? NULL : re;
}
