/*
 * The keys of an entry of prompt.yaml that are clauses of its head, and its text.
 */
#include "compiler/front/yaml_put.h"
#include "grammar/grammar.h"

typedef void PutClause(YamlWriter *f, const YNode *y);

static bool is_true(YamlWriter *f, const YNode *y)
{
	if (y->kind == Y_SCALAR && str_is(y->text->s, "true"))
		return true;
	if (y->kind != Y_SCALAR || !str_is(y->text->s, "false"))
		diag_add(&f->c->diags, SD054, y->span, "this is true or false");
	return false;
}

static void clause_flag(YamlWriter *f, const YNode *y)
{
	if (is_true(f, y)) {
		yput(f, " ");
		yput_key(f, y);
	}
}

static void clause_stability(YamlWriter *f, const YNode *y)
{
	yput(f, y->kind == Y_SCALAR && str_starts(y->text->s, STR("@")) ? " " : " @");
	yput_plain(f, y);
}

static void clause_word(YamlWriter *f, const YNode *y)
{
	yput(f, " ");
	yput_key(f, y);
	yput(f, " ");
	yput_names(f, y);
}

static void clause_max(YamlWriter *f, const YNode *y)
{
	yput(f, " max ");
	yput_plain(f, y);
	if (y->kind == Y_SCALAR && yaml_is_number(y->text->s))
		yput(f, " tok");
}

static void clause_trusted(YamlWriter *f, const YNode *y)
{
	f->out.blame = y->span;
	yput(f, is_true(f, y) ? " trusted" : " untrusted");
}

static void clause_trust(YamlWriter *f, const YNode *y)
{
	yput(f, " ");
	yput_plain(f, y);
}

/* A plain word is a name (a value of an enum) unless the input is text. */
static void clause_default(YamlWriter *f, const YNode *y)
{
	const YNode *type = yaml_get(f->entry, "type");
	bool is_text = type && type->kind == Y_SCALAR && str_starts(type->text->s, STR("text"));
	yput(f, " = ");
	if (!is_text && y->kind == Y_SCALAR && y->style == Y_PLAIN && grammar_is_name(y->text->s))
		yput_plain(f, y);
	else
		yput_value(f, y);
}

static const struct {
	Str key;
	ClauseKind kind;
	PutClause *put;
} clauses[] = {
	{ STR_INIT("stability"), CL_STABILITY, clause_stability },
	{ STR_INIT("raw"), CL_RAW, clause_flag },
	{ STR_INIT("hoistable"), CL_HOISTABLE, clause_flag },
	{ STR_INIT("guardrail"), CL_GUARDRAIL, clause_flag },
	{ STR_INIT("key"), CL_KEY, clause_flag },
	{ STR_INIT("when"), CL_WHEN, clause_word },
	{ STR_INIT("weight"), CL_WEIGHT, clause_word },
	{ STR_INIT("on"), CL_ON, clause_word },
	{ STR_INIT("as"), CL_AS_SYSTEM, clause_word },
	{ STR_INIT("top"), CL_TOP, clause_word },
	{ STR_INIT("squash"), CL_SQUASH, clause_word },
	{ STR_INIT("by"), CL_BY, clause_word },
	{ STR_INIT("from"), CL_FROM, clause_word },
	{ STR_INIT("reply"), CL_REPLY, clause_word },
	{ STR_INIT("max"), CL_MAX, clause_max },
	{ STR_INIT("trust"), CL_TRUST, clause_trust },
	{ STR_INIT("trusted"), CL_TRUST, clause_trusted },
	{ STR_INIT("default"), CL_DEFAULT, clause_default },
	{ STR_INIT("slots"), CL_SLOTS, clause_word },
	{ STR_INIT("ttl"), CL_TTL, clause_word },
	{ STR_INIT("evict"), CL_EVICT, clause_word },
};
enum { N_CLAUSES = sizeof clauses / sizeof *clauses, N_OWN_MAX = 8 };

Diag *yaml_unknown_key(YamlWriter *f, const YNode *v, const Str *known, size_t n_known)
{
	Str word = v->key->text->s;
	Diag *g = diag_add(&f->c->diags, SD050, v->key->span, "unknown key `%.*s`", STR_ARG(word));
	diag_did_you_mean(&f->c->diags, g, source_unquoted(&f->c->sources, v->key->span), word, known, n_known);
	if (str_is(word, "content"))
		diag_help(&f->c->diags, g, "the text of a message is called `text` here; other tools call it `content`");
	/* What is known is said once, not with each key of another tool's file. */
	if (!n_known || str_eq(f->told_key, known[0]))
		return g;
	f->told_key = known[0];
	Buf list = { 0 };
	for (size_t i = 0; i < n_known; i++)
		buf_printf(&list, "%s%.*s", i ? ", " : "", STR_ARG(known[i]));
	diag_note(&f->c->diags, g, "keys here: %.*s", STR_ARG(buf_str(&list)));
	buf_free(&list);
	return g;
}

static bool is_listed(const char *const *own, Str key)
{
	for (; *own; own++)
		if (str_is(key, *own))
			return true;
	return false;
}

static int find_clause(uint32_t allowed, Str key)
{
	for (int i = 0; i < N_CLAUSES; i++)
		if (allowed >> clauses[i].kind & 1 && str_eq(clauses[i].key, key))
			return i;
	return -1;
}

static void unknown_clause(YamlWriter *f, uint32_t allowed, const YNode *v, const char *const *own)
{
	Str known[N_CLAUSES + N_OWN_MAX];
	size_t n = 0;
	for (; *own && n < N_OWN_MAX; own++)
		known[n++] = str_from(*own);
	for (int i = 0; i < N_CLAUSES; i++)
		if (allowed >> clauses[i].kind & 1)
			known[n++] = clauses[i].key;
	yaml_unknown_key(f, v, known, n);
}

void yput_clauses(YamlWriter *f, const DeclRow *row, const YNode *entry, const char *const *own)
{
	if (entry->kind != Y_MAP)
		return;
	f->entry = entry;
	for (const YNode *v = entry->first; v; v = v->next) {
		if (is_listed(own, v->key->text->s))
			continue;
		int i = find_clause(row->clauses, v->key->text->s);
		f->out.blame = v->key->span;
		if (i < 0)
			unknown_clause(f, row->clauses, v, own);
		else
			clauses[i].put(f, v);
	}
}

/* One last LF ends the text's last line, as the LF of a body does; more are blank lines. */
static const Text *text_of(YamlWriter *f, const YNode *y)
{
	Str s = y->text->s;
	return s.n && s.p[s.n - 1] == '\n' ? front_text_sub(&f->c->arena, y->text, 0, s.n - 1) : y->text;
}

static void warn_dead_directive(YamlWriter *f, const Text *t, SdNeeds need)
{
	if (need.directive)
		diag_add(&f->c->diags, SD063, text_span(t, need.directive_at, need.directive_at + 1),
		         "this line is sent as text: the text starts or ends with white space and is kept exactly");
}

void yput_text(YamlWriter *f, const YNode *entry, int indent)
{
	const YNode *file = yaml_get(entry, "file"), *text = entry->kind == Y_MAP ? yaml_get(entry, "text") : entry;
	if (file && !text) {
		yput(f, " file ");
		yput_quoted(f, file);
		yput(f, "\n");
		return;
	}
	f->out.blame = entry->key ? entry->key->span : entry->span;
	if (!text && entry->kind == Y_MAP && yaml_get(entry, "content"))
		return;
	if (!text) {
		diag_add(&f->c->diags, SD064, f->out.blame, "a `text` is missing here");
		return;
	}
	if (!yaml_want(f, text, Y_SCALAR, "a text"))
		return;
	if (yaml_is_null(text)) {
		diag_add(&f->c->diags, SD054, f->out.blame, "a text is missing here; the empty text is \"\"");
		return;
	}
	const Text *t = text_of(f, text);
	const YNode *exact = yaml_get(entry, "exact"), *raw = yaml_get(entry, "raw");
	SdNeeds need = sd_text_needs(t->s);
	bool wants = exact && is_true(f, exact);
	if (need.exact && !wants && !raw)
		warn_dead_directive(f, t, need);
	if (need.exact || wants)
		yput(f, " exact");
	sd_put_body(&f->out, t, need.exact || wants, indent);
}
