/*
 * Files that bodies and examples come from: `file "path"` becomes the text it holds (front matter
 * dropped), `example … from "shots.jsonl"` becomes its messages, one line a pair.
 */
#include "compiler/sema/build.h"
#include "grammar/grammar.h"
#include "runtime/base/json.h"

/* The first byte after front matter: a file that opens with a line `---` up to the next one. */
static size_t after_front_matter(Str s)
{
	Str rest = s, line;
	if (!str_line(&rest, &line) || !str_is(str_trim(line), "---") || line.p[0] != '-')
		return 0;
	Str first = rest;
	if (!str_line(&first, &line) || str_find(line, STR(":"), 0) == line.n)
		return 0;
	while (str_line(&rest, &line)) {
		if (!str_is(line, "---") && !str_is(line, "..."))
			continue;
		while (rest.n && rest.p[0] == '\n')
			rest = str_sub(rest, 1, rest.n);
		return (size_t)(rest.p - s.p);
	}
	return 0;
}

/* note [file bodies]: a file stands for the body's lines, so what is live in a body is live in it,
 * and blank lines at its start and end go, unless the head says raw or exact. */
static Str body_lines(const Source *src, bool exact)
{
	Str s = str_sub(src->text, after_front_matter(src->text), src->text.n), rest = s, line;
	if (exact)
		return s;
	while (str_line(&rest, &line) && !str_trim(line).n)
		s = rest;
	size_t end = s.n;
	for (size_t i = s.n; i > 0 && strchr(" \t\n", s.p[i - 1]); i--)
		if (s.p[i - 1] == '\n')
			end = i - 1;
	if (end == s.n)
		return s;
	return str_sub(s, 0, end + 1);
}

static void fill_raw(Build *b, Node *body, Text *t)
{
	body->flags |= NF_RAW;
	if (!t->s.n)
		return;
	Node *text = node_new(b->a, N_TEXT, text_span(t, 0, t->s.n));
	text->text = t;
	node_add(body, text);
}

static void fill_body(Build *b, Node *head, Node *body)
{
	Str bytes, shown;
	Span at = body->name_span.hi ? body->name_span : body->span;
	Source *src = NULL;
	body->kind = N_BODY;
	if (build_read(b, at, body->name, &bytes, &shown))
		src = source_add(&b->c->sources, b->d, shown, bytes);
	if (!src || !src->ok) {
		body->flags |= NF_BAD;
		return;
	}
	Str lines = body_lines(src, node_clause(head, CL_EXACT) != NULL);
	bool raw = node_clause(head, CL_RAW) != NULL;
	if (!raw && str_ends(lines, STR("\n")))
		lines.n--; /* a fragment ends its last line itself */
	Text *t = grammar_text(b->c, lines, src->base + (uint32_t)(lines.p - src->text.p));
	if (raw) {
		fill_raw(b, body, t);
		return;
	}
	Node *parsed = grammar_parse_body(b->c, t, 0);
	body->first = parsed->first;
	body->last = parsed->last;
}

static void fill_bodies(Build *b, Node *n, int depth)
{
	for (Node *k = n->first; k; k = k->next) {
		if (k->kind == N_FILE_BODY)
			fill_body(b, n, k);
		else if (depth > 0 && (k->kind == N_MESSAGE || k->kind == N_CALL || k->kind == N_RESULT))
			fill_bodies(b, k, depth - 1);
	}
}

static void add_shot(Build *b, Node *example, const JsonNode *value, const char *key, Role role)
{
	const JsonNode *text = json_get(value, key);
	if (!text)
		return;
	Span sp = { text->lo, text->hi };
	Node *m = node_new(b->a, N_MESSAGE, sp), *body = node_new(b->a, N_BODY, sp), *leaf = node_new(b->a, N_TEXT, sp);
	Text *t = arena_new(b->a, Text);
	if (text->kind == JSON_STRING) {
		*t = (Text){ text->text, (TextRun *)text->run, text->n_run };
	} else {
		Buf out = { 0 };
		json_write(&out, text, JSON_AS_IS);
		t->s = str_dup(b->a, buf_str(&out));
		buf_free(&out);
	}
	m->op = (int32_t)role;
	body->flags = NF_RAW | NF_EXACT | NF_INLINE;
	leaf->text = t;
	if (t->s.n)
		node_add(body, leaf);
	node_add(m, body);
	node_add(example, m);
}

static bool read_shot(Build *b, Node *example, const Source *src, Str line)
{
	JsonDoc doc;
	uint32_t base = src->base + (uint32_t)(line.p - src->text.p);
	if (!json_read(b->a, line, base, &doc)) {
		diag_add(b->d, SD402, (Span){ doc.err.offset, doc.err.offset }, "this line is no JSON: %.*s", STR_ARG(doc.err.message));
		return false;
	}
	if (!json_get(doc.root, "user") || !json_get(doc.root, "assistant")) {
		Diag *g = diag_add(b->d, SD402, (Span){ base, base + (uint32_t)line.n }, "an example line needs `user` and `assistant`");
		diag_help(b->d, g, "{\"user\": \"…\", \"assistant\": \"…\"}");
		return false;
	}
	add_shot(b, example, doc.root, "user", ROLE_USER);
	add_shot(b, example, doc.root, "assistant", ROLE_ASSISTANT);
	return true;
}

static void fill_example(Build *b, Node *n)
{
	Str bytes, shown, rest, line;
	const Node *top = node_clause(n, CL_TOP);
	if (!build_read(b, n->aux_span.hi ? n->aux_span : n->span, n->aux, &bytes, &shown))
		return;
	Source *src = source_add(&b->c->sources, b->d, shown, bytes);
	if (!src || !src->ok)
		return;
	rest = src->text;
	for (int64_t n_shot = 0; str_line(&rest, &line) && (!top || n_shot < top->val);)
		if (str_trim(line).n)
			n_shot += read_shot(b, n, src, line);
}

void build_files(Build *b, Prompt *p)
{
	for (uint32_t i = 0; i < p->decls.n; i++) {
		Node *n = p->decls.v[i].node;
		fill_bodies(b, n, 2);
		if (n->kind == N_EXAMPLE && n->aux.n && !node_kid(n, N_MESSAGE))
			fill_example(b, n);
	}
}
