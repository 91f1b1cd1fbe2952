/*
 * Front matter of a Markdown file, read leniently: much of what people write there is not YAML
 * (a glob that starts with two stars), so this is a reader of lines, not of YAML, and nothing in it is an error.
 *
 * A key at column 0 starts a `meta`; what it holds is a line, a flow list, a block of `- items`, or
 * deeper lines taken as they are. `vars:` names the style of the file's variables instead.
 */
#include "compiler/front/parts.h"
#include "runtime/base/map.h"

typedef struct Matter {
	Compiler *c;
	Source *src;
	Node *file;
	Node *meta;       /* the key whose lines are being read */
	Map by_key;       /* its name -> Node */
	Buf deep;         /* deeper lines of it that are no list items */
	Span deep_span;
	VarStyle *vars;
} Matter;

static bool is_blank(Str line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != ' ' && line.p[i] != '\t')
			return false;
	return true;
}

static bool is_rule(Str line)
{
	return str_starts(line, STR("---")) && is_blank(str_sub(line, 3, line.n));
}

static bool is_comment(Str line)
{
	Str t = str_trim(line);
	return t.n && t.p[0] == '#';
}

static bool is_key_byte(char b)
{
	return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '_' ||
	       b == '-' || b == '.' || (b & 0x80);
}

/* Bytes of the key that starts the line, without the colon; 0 if it is no `key:`. */
static size_t key_len(Str line)
{
	size_t n = 0;
	if (line.n && (line.p[0] == '"' || line.p[0] == '\'')) {
		n = str_find(line, str_sub(line, 0, 1), 1);
		n += n < line.n;
	} else {
		while (n < line.n && is_key_byte(line.p[n]))
			n++;
	}
	if (!n || line.p[0] == '-' || n >= line.n || line.p[n] != ':')
		return 0;
	return n + 1 == line.n || line.p[n + 1] == ' ' || line.p[n + 1] == '\t' ? n : 0;
}

static Span span_of(const Matter *m, Str part)
{
	size_t lo = (size_t)(part.p - m->src->text.p);
	return front_span(m->src, lo, lo + part.n);
}

static Str unquote(Str s)
{
	if (s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0])
		return str_sub(s, 1, s.n - 1);
	return s;
}

/* Without a ` # comment`, where the value is not quoted. */
static Str drop_comment(Str s)
{
	if (!s.n || s.p[0] == '"' || s.p[0] == '\'')
		return s;
	return str_trim(str_sub(s, 0, str_find(s, STR(" #"), 0)));
}

static void add_value(Matter *m, Str raw)
{
	Str v = unquote(str_trim(drop_comment(str_trim(raw))));
	if (!m->meta)
		return;
	Node *n = front_leaf(&m->c->arena, N_STR, v, span_of(m, v));
	node_add(m->meta, n);
}

/* `[a, 'b, c', d]`: commas outside quotes and brackets separate. */
static void add_flow_list(Matter *m, Str inner)
{
	size_t start = 0;
	int depth = 0;
	char quote = 0;
	for (size_t i = 0; i <= inner.n; i++) {
		char b = i < inner.n ? inner.p[i] : ',';
		if (quote && i < inner.n)
			quote = b == quote ? 0 : quote;
		else if (b == '"' || (b == '\'' && is_blank(str_sub(inner, start, i))))
			quote = b;
		else if (b == '[' || b == '{')
			depth++;
		else if (b == ']' || b == '}')
			depth--;
		if (i < inner.n && (b != ',' || quote || depth > 0))
			continue;
		if (str_trim(str_sub(inner, start, i)).n)
			add_value(m, str_sub(inner, start, i));
		start = i + 1;
	}
}

static void flush_deep(Matter *m)
{
	if (m->meta && m->deep.n)
		node_add(m->meta, front_leaf(&m->c->arena, N_STR, str_dup(&m->c->arena, buf_str(&m->deep)), m->deep_span));
	m->deep.n = 0;
}

/* False if the value is no style: then the key is metadata like any other. */
static bool read_vars(Matter *m, Str value)
{
	Str v = unquote(value);
	VarStyle style = front_vars_from_name(v);
	if (style != VARS_NONE) {
		*m->vars = style;
		node_add(m->file, front_leaf(&m->c->arena, N_VARS, v, span_of(m, v)));
		return true;
	}
	static const Str styles[] = { STR_INIT("mustache"), STR_INIT("brace"), STR_INIT("dollar") };
	Diag *g = diag_add(&m->c->diags, SD060, span_of(m, v), "`vars: %.*s` names no style of variables", STR_ARG(v));
	diag_did_you_mean(&m->c->diags, g, span_of(m, v), v, styles, 3);
	diag_help(&m->c->diags, g, "styles are mustache {{x}}, brace {x} and dollar $x");
	return false;
}

/* A key that comes twice adds to the first: lenient, and nothing is lost. */
static void start_key(Matter *m, Str line, size_t n_key)
{
	flush_deep(m);
	Str key = unquote(str_sub(line, 0, n_key));
	Str value = drop_comment(str_trim(str_sub(line, n_key + 1, line.n)));
	m->meta = NULL;
	if (str_is(key, "vars") && value.n && read_vars(m, value))
		return;
	m->meta = map_get(&m->by_key, key);
	if (!m->meta) {
		m->meta = front_leaf(&m->c->arena, N_META, key, span_of(m, key));
		node_add(m->file, m->meta);
		map_add(&m->c->arena, &m->by_key, key, m->meta);
	}
	m->meta->span = span_of(m, str_trim(line));
	if (value.n >= 2 && value.p[0] == '[' && value.p[value.n - 1] == ']')
		add_flow_list(m, str_sub(value, 1, value.n - 1));
	else if (value.n && !(value.n <= 2 && (value.p[0] == '|' || value.p[0] == '>')))
		add_value(m, value);
}

static void read_line(Matter *m, Str line)
{
	size_t n_key = key_len(line);
	Str t = str_trim(line);
	if (n_key) {
		start_key(m, line, n_key);
	} else if (!t.n || (line.p[0] == '#')) {
		return;
	} else if (str_starts(t, STR("- ")) && !m->deep.n) {
		add_value(m, str_sub(t, 2, t.n));
	} else {
		m->deep_span = m->deep.n ? span_join(m->deep_span, span_of(m, t)) : span_of(m, t);
		if (m->deep.n)
			buf_byte(&m->deep, '\n');
		buf_put(&m->deep, t);
	}
}

/* The text between the two rules, if the source starts with front matter; *after: what follows it. */
static bool matter_find(Str text, Str *inner, Str *after)
{
	Str rest = text, line;
	if (!str_line(&rest, &line) || !is_rule(line))
		return false;
	Str start = rest;
	bool has_key = false;
	while (str_line(&rest, &line)) {
		if (is_rule(line)) {
			*inner = str_range(start.p, line.p);
			*after = rest;
			return has_key;
		}
		if (!has_key && !is_blank(line) && !is_comment(line)) {
			has_key = key_len(line) > 0;
			if (!has_key)
				return false;
		}
	}
	return false;
}

/* A first line `---`, then `key:`, and no second `---`: text, and likely a slip. */
static void warn_unclosed(Compiler *c, const Source *src)
{
	Str rest = src->text, line;
	if (!str_line(&rest, &line) || !is_rule(line))
		return;
	size_t n_rule = line.n;
	while (str_line(&rest, &line) && (is_blank(line) || is_comment(line)))
		;
	if (!key_len(line))
		return;
	while (str_line(&rest, &line))
		if (is_rule(line))
			return;
	Diag *g = diag_add(&c->diags, SD061, front_span(src, 0, n_rule),
	                   "this looks like front matter, but no `---` ends it: it is sent as text");
	diag_help(&c->diags, g, "put `---` on a line of its own after the last key");
}

size_t matter_read(Compiler *c, Source *src, Node *file, VarStyle *vars)
{
	Str inner, rest, line;
	if (!matter_find(src->text, &inner, &rest)) {
		warn_unclosed(c, src);
		return 0;
	}
	Matter m = { .c = c, .src = src, .file = file, .vars = vars };
	while (str_line(&inner, &line))
		read_line(&m, line);
	flush_deep(&m);
	buf_free(&m.deep);
	size_t at = (size_t)(rest.p - src->text.p);
	while (str_line(&rest, &line) && is_blank(line))
		at = (size_t)(rest.p - src->text.p);
	return at;
}
