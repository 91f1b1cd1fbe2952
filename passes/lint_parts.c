/*
 * Parts (SD411, SD412): does the prompt say who the model is, what it must keep to and what comes back?
 * In Markdown and messages, which have no words for these, nothing is missing.
 */
#include "compiler/sema/flatten.h"
#include "passes/pass_loop.h"
#include "runtime/base/utf8.h"

typedef struct Parts {
	Compiler *c;
	const Unit *u;
	const Prompt *p;
	bool uses_parts;   /* the file uses role, constraint or schema: what is missing is a warning */
} Parts;

static Span name_at(const Node *n)
{
	return n->name_span.hi ? n->name_span : n->span;
}

static bool file_uses_parts(const Unit *u)
{
	for (uint32_t i = 0; i < u->prompt.n; i++) {
		for (uint32_t j = 0; j < u->prompt.v[i]->decls.n; j++) {
			NodeKind kind = u->prompt.v[i]->decls.v[j].node->kind;
			if (kind == N_ROLE || kind == N_CONSTRAINT || kind == N_SCHEMA)
				return true;
		}
	}
	return false;
}

static bool has_reply(const Prompt *p)
{
	bool stages = p->reply.decl != NULL;
	for (uint32_t i = 0; i < p->stage.n; i++)
		stages |= p->stage.v[i].reply.decl != NULL;
	return stages;
}

static bool has_role(const Prompt *p)
{
	for (uint32_t i = 0; i < p->message.n; i++)
		if (p->message.v[i].role == ROLE_SYSTEM || p->message.v[i].role == ROLE_DEVELOPER)
			for (uint32_t j = 0; j < p->message.v[i].part.n; j++)
				if (p->message.v[i].part.v[j].kind != PART_CONSTRAINTS)
					return true;
	return false;
}

static void check_parts(Parts *k)
{
	const Prompt *p = k->p;
	bool role = has_role(p), rule = p->constraint.n > 0, reply = has_reply(p);
	if (!p->decl || (role && rule && reply))
		return;
	Str what = { 0 };
	const char *const name[] = { "role", "constraint", "reply" };
	const bool there[] = { role, rule, reply };
	for (int i = 0; i < 3; i++)
		if (!there[i])
			what = str_fmt(&k->c->arena, "%.*s%s`%s`", STR_ARG(what), what.n ? ", " : "", name[i]);
	Diag *g = diag_add(&k->c->diags, SD411, name_at(p->decl), "prompt `%.*s` has no %.*s", STR_ARG(p->name), STR_ARG(what));
	if (!k->uses_parts)
		diag_set_severity(&k->c->diags, g, SEV_INFO);
	if (!reply)
		diag_help(&k->c->diags, g, "say what comes back: `reply NAME` with a schema, or `reply text` if any text will do");
	else if (!rule)
		diag_help(&k->c->diags, g, "say what every answer must keep to: `constraint NAME must: …`");
	else
		diag_help(&k->c->diags, g, "say who the model is: `role: …`");
}

/* ---- SD412 ---- */

static bool is_word_of(Str w, const char *list)
{
	Str rest = str_from(list);
	while (rest.n) {
		size_t end = str_find(rest, STR(" "), 0);
		if (str_eq(str_sub(rest, 0, end), w))
			return true;
		rest = str_sub(rest, end + 1, rest.n);
	}
	return false;
}

/* Only verbs of answering and fillers, and at least one of the former? Holes count as nothing. */
static bool is_vague(Arena *a, Str s)
{
	static const char verbs[] = "answer respond reply help assist proceed 请回答 回答 请帮助 帮我 请处理 请回复 回复";
	static const char fillers[] = "please kindly now me us it this that the a to with can could you your and question request message query input user "
		"following below above here go ahead 请 谢谢";
	uint32_t cp, n_verb = 0;
	s = utf8_normal(a, s, UTF8_NFKC_CASEFOLD);
	for (size_t i = 0; i < s.n;) {
		if (s.p[i] == '{' && i + 1 < s.n && s.p[i + 1] == '{') {
			i = str_find(s, STR("}}"), i) + 2;
			continue;
		}
		if (s.p[i] == '<' && str_find(s, STR(">"), i) < s.n) { /* a tag */
			i = str_find(s, STR(">"), i) + 1;
			continue;
		}
		size_t lo = i, len = utf8_decode(s, i, &cp);
		if (cp == UTF8_BAD || !utf8_is_xid_continue(cp)) {
			i += len;
			continue;
		}
		while (i < s.n && (len = utf8_decode(s, i, &cp)) && cp != UTF8_BAD && utf8_is_xid_continue(cp))
			i += len;
		Str word = str_sub(s, lo, i);
		bool verb = is_word_of(word, verbs);
		n_verb += verb;
		if (!verb && !is_word_of(word, fillers))
			return false;
	}
	return n_verb > 0;
}

static const Node *request_of(const Prompt *p)
{
	const Node *last = NULL;
	if (p->stage.n)
		return p->stage.v[p->stage.n - 1].decl;
	for (uint32_t i = 0; i < p->message.n; i++)
		for (uint32_t j = 0; j < p->message.v[i].part.n; j++)
			if (p->message.v[i].role == ROLE_USER && p->message.v[i].part.v[j].kind == PART_MESSAGE)
				last = p->message.v[i].part.v[j].decl;
	return last;
}

static void check_request(Parts *k)
{
	const Node *ask = has_reply(k->p) ? NULL : request_of(k->p);
	if (!ask || !is_vague(&k->c->arena, sema_flatten(k->u, k->p, NULL, ask).s))
		return;
	const Node *body = node_kid(ask, N_BODY);
	Span at = body && body->first ? span_join(body->first->span, body->last->span) : ask->span;
	Diag *g = diag_add(&k->c->diags, SD412, at, "this asks for an answer and does not say for what");
	if (k->uses_parts)
		diag_set_severity(&k->c->diags, g, SEV_WARNING);
	diag_help(&k->c->diags, g, "name the output, as in {\"answer\": string, \"confidence\": 0..1}; `reply text` if any text will do");
	if (k->u->front == FRONT_SD)
		diag_fix(&k->c->diags, g, FIX_UNSAFE, (Span){ ask->span.hi, ask->span.hi },
			STR("\nschema Answer:\n  answer: text\n  confidence: number 0..1\nreply Answer"), "declare what comes back");
}

void pass_lint_parts(Compiler *c, Unit *u)
{
	bool uses_parts = file_uses_parts(u);
	for (uint32_t i = 0; i < u->prompt.n && (u->front == FRONT_SD || u->front == FRONT_YAML); i++) {
		Parts k = { .c = c, .u = u, .p = u->prompt.v[i], .uses_parts = uses_parts };
		if (!diag_reading_failed(&c->diags))
			check_parts(&k);
		check_request(&k);
	}
}
