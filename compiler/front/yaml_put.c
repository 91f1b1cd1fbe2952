/*
 * Pieces of heads of the language, written from YAML values with their places; and YAML as JSON.
 */
#include "compiler/front/yaml_put.h"

#include "grammar/grammar.h"


void yput(YamlWriter *f, const char *text)
{
	textbuf_made(&f->out, str_from(text));
}

static const char *const kind_names[] = { [Y_SCALAR] = "a single value", [Y_LIST] = "a list", [Y_MAP] = "a map" };

/* Reports and says false unless y is of that kind. */
bool yaml_want(YamlWriter *f, const YNode *y, YKind kind, const char *what)
{
	if (y->kind == kind)
		return true;
	Span at = y->key ? y->key->span : (Span){ y->span.lo, y->span.lo + 1 };
	diag_add(&f->c->diags, SD054, at, "%s takes %s, not %s", what, kind_names[kind], kind_names[y->kind]);
	return false;
}

/* A scalar that can stand in a head: one line, not empty. Ends of block scalars are trimmed. */
Str yaml_head_text(YamlWriter *f, const YNode *y)
{
	if (!yaml_want(f, y, Y_SCALAR, "this place"))
		return (Str){ 0 };
	Str s = str_trim(y->text->s);
	if (!s.n)
		diag_add(&f->c->diags, SD054, y->key ? y->key->span : y->span, "a value is missing here");
	if (str_find(s, STR("\n"), 0) < s.n) {
		diag_add(&f->c->diags, SD054, y->span, "this must be on one line");
		return (Str){ 0 };
	}
	return s;
}

static void yput_part(YamlWriter *f, const YNode *y, Str part)
{
	if (part.n) {
		size_t lo = (size_t)(part.p - y->text->s.p);
		textbuf_text(&f->out, y->text, lo, lo + part.n);
	}
}

/* The scalar as it is: a type, a condition, a number. */
void yput_plain(YamlWriter *f, const YNode *y)
{
	f->out.blame = y->span;
	yput_part(f, y, yaml_head_text(f, y));
}

void yput_name(YamlWriter *f, const YNode *y)
{
	f->out.blame = y->span;
	Str s = yaml_head_text(f, y);
	if (s.n && !grammar_is_name(s)) {
		diag_add(&f->c->diags, SD054, y->span, "`%.*s` is not a name: letters, digits and _ only", STR_ARG(s));
		return;
	}
	yput_part(f, y, s);
}

void yput_quoted(YamlWriter *f, const YNode *y)
{
	f->out.blame = y->span;
	if (y->kind == Y_SCALAR && y->style != Y_PLAIN && !y->text->s.n) {
		yput(f, "\"\"");
		return;
	}
	Str s = yaml_head_text(f, y);
	if (!s.n)
		return;
	size_t lo = (size_t)(s.p - y->text->s.p);
	sd_put_string(&f->out, front_text_sub(&f->c->arena, y->text, lo, lo + s.n));
}

void yput_key(YamlWriter *f, const YNode *y)
{
	f->out.blame = y->key->span;
	yput_part(f, y->key, y->key->text->s);
}

void yput_names(YamlWriter *f, const YNode *y)
{
	if (y->kind != Y_LIST) {
		yput_plain(f, y);
		return;
	}
	for (const YNode *v = y->first; v; v = v->next) {
		yput_name(f, v);
		if (v->next)
			yput(f, ", ");
	}
}

bool yaml_is_number(Str s)
{
	size_t i = s.n && s.p[0] == '-';
	size_t start = i;
	while (i < s.n && ((s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == '.'))
		i++;
	return i > start && i == s.n && s.p[s.n - 1] != '.';
}

/* A plain number or name stands as it is, any other scalar as a string, a list in brackets. */
void yput_value(YamlWriter *f, const YNode *y)
{
	if (y->kind == Y_LIST) {
		yput(f, "[");
		for (const YNode *v = y->first; v; v = v->next) {
			yput_value(f, v);
			if (v->next)
				yput(f, ", ");
		}
		yput(f, "]");
	} else if (yaml_want(f, y, Y_SCALAR, "this value")) {
		bool bare = y->style == Y_PLAIN && (yaml_is_number(y->text->s) || str_is(y->text->s, "true") || str_is(y->text->s, "false"));
		(bare ? yput_plain : yput_quoted)(f, y);
	}
}

/* ---- YAML as JSON ---- */

static void json_scalar(Buf *b, const YNode *y)
{
	Str s = y->text->s;
	if (y->style == Y_PLAIN && (yaml_is_number(s) || str_is(s, "true") || str_is(s, "false")))
		buf_put(b, s);
	else if (yaml_is_null(y))
		buf_lit(b, "null");
	else
		buf_json_str(b, s);
}

/* Recursion is bounded by FRONT_DEPTH_MAX, which the tree reader enforces. */
static void json_value(Buf *b, const YNode *y)
{
	if (y->kind == Y_SCALAR) {
		json_scalar(b, y);
		return;
	}
	buf_byte(b, y->kind == Y_LIST ? '[' : '{');
	for (const YNode *v = y->first; v; v = v->next) {
		if (y->kind == Y_MAP) {
			buf_json_str(b, v->key->text->s);
			buf_byte(b, ':');
		}
		json_value(b, v);
		if (v->next)
			buf_byte(b, ',');
	}
	buf_byte(b, y->kind == Y_LIST ? ']' : '}');
}

Text *yput_json_text(YamlWriter *f, const YNode *y)
{
	Buf b = { 0 };
	json_value(&b, y);
	Text *t = arena_new(&f->c->arena, Text);
	t->s = str_dup(&f->c->arena, buf_str(&b));
	t->run = arena_array(&f->c->arena, TextRun, 1);
	buf_free(&b);
	return t;
}

/* json "…" */
void yput_json(YamlWriter *f, const YNode *y)
{
	f->out.blame = y->span;
	yput(f, " json ");
	sd_put_string(&f->out, yput_json_text(f, y));
}
