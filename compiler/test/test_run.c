/* See test_run.h. */
#include "compiler/test/case.h"

void test_note(TestCase *t, TestOutcome outcome, Span at, const char *fmt, ...)
{
	TestNote *n = vec_add(t->a, &t->result->note);
	va_list ap;
	va_start(ap, fmt);
	n->message = str_vfmt(t->a, fmt, ap);
	va_end(ap);
	n->outcome = outcome;
	n->at = at;
	if (outcome > t->result->outcome)
		t->result->outcome = outcome;
}

/* ---- given and reply ---- */

/* A body as data: its lines as they stand, holes as written, without the last line's LF. */
static Str body_text(TestCase *t, const Node *body)
{
	Buf b = { 0 };
	for (const Node *n = body->first; n; n = n->next) {
		if (n->kind == N_TEXT && n->text)
			buf_put(&b, n->text->s);
		else
			buf_put(&b, source_slice(&t->u->c->sources, n->span));
	}
	if (b.n && b.p[b.n - 1] == '\n' && !(body->flags & (NF_INLINE | NF_EXACT)))
		b.n--;
	Str s = str_dup(t->a, buf_str(&b));
	buf_free(&b);
	return s;
}

static const Type *type_of(const Prompt *p, Str name)
{
	const Symbol *s = map_get(&p->by_name, name);
	if (!s || s->kind == SYM_SCHEMA)
		return NULL;
	return s->kind == SYM_INPUT ? p->input.v[s->index].type : p->stage.v[s->index].reply.type;
}

static bool is_plain(const Type *t)
{
	return !t || t->kind == INPUT_TEXT || t->kind == INPUT_ENUM || t->kind == INPUT_BOOL || t->kind == INPUT_INT || t->kind == INPUT_NUMBER ||
		t->kind == INPUT_IMAGE || t->kind == INPUT_FILE || (t->kind == INPUT_UNION && t->alt.n == 1 && is_plain(t->alt.v[0]));
}

static Str given_bytes(TestCase *t, const Node *given)
{
	const Node *v = given->first, *body = node_kid(given, N_BODY);
	const Type *type = type_of(t->p, given->name);
	if (body)
		return body_text(t, body);
	if (!v)
		return (Str){ 0 };
	if (v->kind != N_LIST && is_plain(type))
		return v->name;
	Buf b = { 0 };
	sema_value_json(&b, type, v);
	Str s = str_dup(t->a, buf_str(&b));
	buf_free(&b);
	return s;
}

static void bind(TestCase *t, const BinPrompt *bp)
{
	for (const Node *n = t->result->decl->first; n; n = n->next) {
		ValueError err = { 0 };
		if (n->kind == N_GIVEN && !values_set(&t->values, bp, n->name, given_bytes(t, n), VALUE_WRITTEN, &err))
			test_note(t, TEST_FAILED, n->name_span.hi ? n->name_span : n->span, "%.*s", STR_ARG(err.message));
	}
}

void test_take_reply(TestCase *t, Str text)
{
	JsonDoc doc;
	t->has_reply = true;
	t->reply_text = text;
	if (t->p->reply.kind != REPLY_TEXT && json_read(t->a, text, 0, &doc))
		t->reply = doc.root;
}

static void read_reply(TestCase *t, const Bin *bin, const BinPrompt *bp)
{
	const Node *n = node_kid(t->result->decl, N_REPLY_TEXT), *body = n ? node_kid(n, N_BODY) : NULL;
	if (body)
		test_take_reply(t, body_text(t, body));
	else
		test_ask_model(t, bin, bp);
}

/* ---- reply against its schema ---- */

static void check_bare(TestCase *t, const Node *at)
{
	InputType kind = t->p->reply.type->kind;
	Node value = { .kind = kind == INPUT_INT || kind == INPUT_NUMBER ? N_NUM : kind == INPUT_TEXT ? N_STR : N_NAME };
	value.name = kind == INPUT_TEXT ? t->reply_text : str_trim(t->reply_text);
	Str why = sema_value_misfit(t->a, t->p->reply.type, &value);
	if (why.n)
		test_note(t, TEST_FAILED, at->span, "the reply is not valid: %.*s", STR_ARG(why));
}

static void check_reply(TestCase *t, const Node *at)
{
	SchemaIssues issues = { 0 };
	JsonDoc doc;
	if (!t->has_reply || t->p->reply.kind == REPLY_TEXT)
		return;
	if (t->p->reply.kind == REPLY_BARE) {
		check_bare(t, at);
		return;
	}
	if (!json_read(t->a, t->reply_text, 0, &doc)) {
		test_note(t, TEST_FAILED, at->span, "the reply is no JSON: %.*s", STR_ARG(doc.err.message));
		return;
	}
	if (!t->p->reply.type || !t->p->reply.type->schema ||
	    schema_validate(t->a, t->p->reply.type->schema, doc.root, SCHEMA_NULL_IS_ABSENT, &issues))
		return;
	for (uint32_t i = 0; i < issues.n && i < 8; i++)
		test_note(t, TEST_FAILED, at->span, "the reply is not valid: %.*s%s%.*s", STR_ARG(issues.v[i].instance),
			issues.v[i].instance.n ? " " : "", STR_ARG(issues.v[i].message));
}

/* ---- one test ---- */

static bool is_stage(const Prompt *p, Str name)
{
	const Symbol *s = map_get(&p->by_name, name);
	return s && s->kind == SYM_STAGE;
}

TokenCounter test_counter(const TestCase *t)
{
	return (TokenCounter){ .shelf = t->o->shelf, .tokenizer = t->target ? t->target->tokenizer : STR("") };
}

static bool render(TestCase *t, const Bin *bin, const BinPrompt *bp)
{
	RenderOptions ro = { .tokens = test_counter(t), .family = t->target ? t->target->family : STR("generic") };
	const Node *decl = t->result->decl;
	Span at = decl->name_span.hi ? decl->name_span : decl->span;
	if (!render_prompt(bin, bp, &t->values, &ro, t->a, &t->shown)) {
		test_note(t, TEST_FAILED, at, "%.*s", STR_ARG(t->shown.error));
		return false;
	}
	for (uint32_t i = 0; i < t->shown.unbound.n; i++)
		if (!is_stage(t->p, t->shown.unbound.v[i]))
			test_note(t, TEST_FAILED, at, "nothing is given for `%.*s`", STR_ARG(t->shown.unbound.v[i]));
	return true;
}

static void run_one(TestCase *t, const Bin *bin, const BinPrompt *bp)
{
	const Node *decl = t->result->decl, *reply = node_kid(decl, N_REPLY_TEXT), *valid = node_kid(decl, N_EXPECT_VALID);
	values_init(&t->values, t->a, bin);
	bind(t, bp);
	read_reply(t, bin, bp);
	if (valid || reply)
		check_reply(t, valid ? valid : reply);
	if (!render(t, bin, bp))
		return;
	for (const Node *n = decl->first; n; n = n->next)
		if (n->kind == N_EXPECT && n->first)
			expect_check(t, n->first);
}

void test_run(Arena *a, const Unit *u, const Bin *bin, const TestOptions *o, TestResults *out)
{
	for (uint32_t i = 0; i < u->prompt.n && i < bin->n_prompt; i++) {
		const Prompt *p = u->prompt.v[i];
		for (uint32_t j = 0; j < p->test.n; j++) {
			TestResult *r = vec_add(a, out);
			r->prompt = p;
			r->decl = p->test.v[j];
			TestCase t = { .a = a, .u = u, .p = p, .o = o, .result = r, .target = o->target };
			if (!t.target && p->profile.n)
				t.target = p->profile.v[0];
			run_one(&t, bin, &bin->prompt[i]);
		}
	}
}
