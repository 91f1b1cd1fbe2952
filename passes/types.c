/*
 * Types (SD304, SD307, SD308, SD309): can each hole become text, does each filter take what it is given,
 * may each condition be asked.
 *
 * One idea: what a branch hangs on must be countable. Text may be asked for presence only; finite values
 * and counts may be compared.
 */
#include "compiler/sema/walk.h"
#include "passes/pass_loop.h"
#include "runtime/base/regex.h"

typedef enum Takes { TAKES_ANY, TAKES_LIST } Takes;

static const struct { const char *name; Takes takes; uint8_t min_arg, max_arg; bool makes_text; } FILTER[] = {
	{ "json", TAKES_ANY, 0, 0, true },    { "xml", TAKES_ANY, 0, 0, false },  { "fence", TAKES_ANY, 0, 1, true },
	{ "lines", TAKES_LIST, 0, 0, true },  { "bullets", TAKES_LIST, 0, 0, true }, { "join", TAKES_LIST, 1, 1, true },
	{ "default", TAKES_ANY, 1, 1, false },
};
enum { FILTER_N = sizeof FILTER / sizeof *FILTER };

typedef VEC(Str) Names;

typedef struct Types {
	Compiler *c;
	Unit *u;
	const Prompt *p;
	bool is_test;  /* routes and tests may match and compare text */
} Types;

static bool is_list(const Type *t)
{
	return t && (t->kind == INPUT_LIST || t->kind == INPUT_DOCS || t->kind == INPUT_TURNS);
}

static bool is_media(const Type *t)
{
	return t && (t->kind == INPUT_IMAGE || t->kind == INPUT_FILE || (t->kind == INPUT_LIST && is_media(t->item)));
}

/* ---- holes ---- */

static int find_filter(Str name)
{
	for (int i = 0; i < FILTER_N; i++)
		if (str_is(name, FILTER[i].name))
			return i;
	return -1;
}

static void report_filter(Types *k, const Node *f)
{
	Span at = f->name_span.hi ? f->name_span : f->span;
	Diag *g = diag_add(&k->c->diags, SD304, at, "there is no filter `%.*s`", STR_ARG(f->name));
	Str cand[FILTER_N];
	for (int i = 0; i < FILTER_N; i++)
		cand[i] = str_from(FILTER[i].name);
	diag_did_you_mean(&k->c->diags, g, at, f->name, cand, FILTER_N);
	if (!g->help.n)
		diag_help(&k->c->diags, g, "filters are json xml fence(info) lines bullets join(\", \") default(\"…\")");
}

static uint32_t count_args(const Node *f)
{
	uint32_t n = 0;
	for (const Node *v = f->first; v; v = v->next)
		n++;
	return n;
}

static void check_args(Types *k, const Node *f, int i)
{
	uint32_t n = count_args(f);
	if (n < FILTER[i].min_arg)
		diag_add(&k->c->diags, SD307, f->span, "`%s` needs an argument: `%s(\"…\")`", FILTER[i].name, FILTER[i].name);
	else if (n > FILTER[i].max_arg)
		diag_add(&k->c->diags, SD307, f->span, "`%s` takes %s", FILTER[i].name, FILTER[i].max_arg ? "one argument" : "no argument");
}

/* True when the filters leave one text. */
static bool check_filters(Types *k, const Node *hole, const Type *t, bool known)
{
	bool list = is_list(t), text = !list;
	for (const Node *f = hole->first; f; f = f->next) {
		if (f->kind != N_FILTER)
			continue;
		int i = find_filter(f->name);
		if (i < 0) {
			report_filter(k, f);
			return true;
		}
		check_args(k, f, i);
		if (FILTER[i].takes == TAKES_LIST && known && !list) {
			diag_add(&k->c->diags, SD309, f->span, "`%s` joins a list, and this is no list", FILTER[i].name);
			return true;
		}
		list &= !FILTER[i].makes_text;
		text |= FILTER[i].makes_text;
	}
	return text;
}

static bool ends_line(const Node *before)
{
	return !before || before->kind != N_TEXT || !before->text || !before->text->s.n ||
		before->text->s.p[before->text->s.n - 1] == '\n';
}

static bool starts_line(const Node *after)
{
	return !after || after->kind != N_TEXT || !after->text || !after->text->s.n || after->text->s.p[0] == '\n';
}

/* Images and files stand alone on a line of a user body. */
static void check_media(Types *k, const Walk *w, const Node *hole, const Node *ref)
{
	const Node *before = w->before;
	bool alone = ends_line(before) && starts_line(hole->next);
	bool user = w->part ? w->part->kind == PART_MESSAGE && w->part->decl->op == ROLE_USER : true;
	if (alone && user && !node_kid(hole, N_FILTER) && !(before && before->kind == N_HOLE) && !(hole->next && hole->next->kind == N_HOLE))
		return;
	Diag *g = diag_add(&k->c->diags, SD309, hole->span, "`%.*s` is an image or a file: it stands alone on a line of a user message",
		STR_ARG(ref->name));
	diag_help(&k->c->diags, g, "give {{%.*s}} a line of its own, with no filter, in `user:`", STR_ARG(ref->name));
}

static void report_shape(Types *k, const Node *hole, const Node *ref, const Type *t)
{
	Diag *g = diag_add(&k->c->diags, SD309, hole->span, "`%.*s%s%.*s` is `%.*s`: it needs a filter to become text", STR_ARG(ref->name),
		ref->aux.n ? "." : "", STR_ARG(ref->aux), STR_ARG(t->spelled));
	Str name = ref->aux.n ? str_fmt(&k->c->arena, "%.*s.%.*s", STR_ARG(ref->name), STR_ARG(ref->aux)) : ref->name;
	if (is_list(t))
		diag_help(&k->c->diags, g, "write {{%.*s | bullets}}, {{%.*s | join(\", \")}} or {{%.*s | json}}", STR_ARG(name), STR_ARG(name), STR_ARG(name));
	else
		diag_help(&k->c->diags, g, "write {{%.*s | json}}, or name a field", STR_ARG(name));
}

/* What is shown as it is takes no filter; a schema can be shown as JSON Schema. */
static void check_shown(Types *k, const Node *hole, const Node *ref)
{
	const Node *first = node_kid(hole, N_FILTER);
	bool schema = sema_schema(k->p, ref->name) != NULL;
	if (!first || !(schema || str_is(ref->name, "constraints")) || (schema && str_is(first->name, "json") && !first->next))
		return;
	Diag *g = diag_add(&k->c->diags, SD309, hole->span, "`%.*s` is shown as it is and takes no filter", STR_ARG(ref->name));
	if (schema)
		diag_help(&k->c->diags, g, "{{%.*s}} is TypeScript-like, {{%.*s | json}} JSON Schema", STR_ARG(ref->name), STR_ARG(ref->name));
}

static void on_hole(Walk *w, const Node *hole, const Scope *s)
{
	Types *k = w->ctx;
	const Node *ref = node_kid(hole, N_REF);
	Ref r = { 0 };
	bool known = ref && sema_resolve(k->u, k->p, s, ref, &r);
	if (ref && !known)
		check_shown(k, hole, ref);
	if (known && is_media(r.type)) {
		check_media(k, w, hole, ref);
		return;
	}
	bool text = check_filters(k, hole, r.type, known && r.type);
	bool structured = r.type && (r.type->kind == INPUT_OBJECT || r.type->kind == INPUT_MAP) && !node_kid(hole, N_FILTER);
	if (known && r.type && (!text || structured))
		report_shape(k, hole, ref, r.type);
}

static void on_for(Walk *w, const Node *loop, const Scope *s)
{
	Types *k = w->ctx;
	const Node *ref = node_kid(loop, N_REF);
	Ref r;
	if (!ref || !sema_resolve(k->u, k->p, s, ref, &r) || !r.type || is_list(r.type) || r.type->is_open)
		return;
	Diag *g = diag_add(&k->c->diags, SD309, ref->span, "`%.*s` is `%.*s`, no list: there is nothing to loop over", STR_ARG(ref->name),
		STR_ARG(r.type->spelled));
	diag_help(&k->c->diags, g, "loops take `[T]`, docs and turns");
}

/* ---- conditions ---- */

static bool is_number(const Type *t)
{
	return t && (t->kind == INPUT_INT || t->kind == INPUT_NUMBER);
}

static bool resolve(Types *k, const Node *ref, const Scope *s, Ref *r)
{
	return ref->kind == N_REF && !sema_is_target(ref) && sema_resolve(k->u, k->p, s, ref, r);
}

static const char *order_of(CmpOp op)
{
	static const char *const OP[CMP_COUNT] = { "==", "!=", "<", "<=", ">", ">=" };
	return op < CMP_COUNT ? OP[op] : "?";
}

static void report_content(Types *k, const Node *cond, const Node *ref, const Type *t)
{
	Diag *g = diag_add(&k->c->diags, SD308, cond->span, "`%.*s` is `%.*s`: its content may not decide what is sent", STR_ARG(ref->name),
		STR_ARG(t->spelled));
	if (t->holds_text)
		diag_help(&k->c->diags, g, "ask `has %.*s`, declare an input of type enum(…) for the case, or choose the prompt with a `route`", STR_ARG(ref->name));
	else
		diag_help(&k->c->diags, g, "name one of its fields, or count it with `count(%.*s)`", STR_ARG(ref->name));
}

static void check_literal(Types *k, const Node *ref, const Type *t, const Node *value)
{
	Arena *a = &k->c->arena;
	Str why = sema_value_misfit(a, t, value);
	if (!why.n)
		return;
	Diag *g = diag_add(&k->c->diags, SD307, value->span, "`%.*s` is never this: %.*s", STR_ARG(ref->name), STR_ARG(why));
	if (t->kind != INPUT_ENUM)
		return;
	VEC(Str) cand = { 0 };
	for (uint32_t i = 0; i < t->value.n; i++)
		vec_push(a, &cand, t->value.v[i]->name);
	diag_did_you_mean(&k->c->diags, g, value->span, value->name, cand.v, cand.n);
}

static void add_families(Types *k, const TargetList *list, Str *shown, Names *cand)
{
	for (uint32_t i = 0; i < list->family.n; i++) {
		vec_push(&k->c->arena, cand, list->family.v[i].name);
		*shown = str_fmt(&k->c->arena, "%.*s %.*s", STR_ARG(*shown), STR_ARG(list->family.v[i].name));
	}
}

/* Which family a target is of is known when compiling; one that no target file has is never the case. */
static void check_family(Types *k, const Node *value)
{
	TargetTable *t = sema_targets(k->u);
	TargetError err;
	const Target *found = t ? target_find(t, value->name) : NULL;
	if (!t || (found && str_eq(found->family, value->name)) || !targets_read_all(t, &err))
		return;
	Names cand = { 0 };
	Str shown = { 0 };
	add_families(k, &t->project, &shown, &cand);
	add_families(k, &t->built_in, &shown, &cand);
	Diag *g = diag_add(&k->c->diags, SD307, value->span, "there is no target family `%.*s`", STR_ARG(value->name));
	if (!diag_did_you_mean(&k->c->diags, g, value->span, value->name, cand.v, cand.n))
		diag_help(&k->c->diags, g, "families are%.*s", STR_ARG(shown));
}

static void check_cmp(Types *k, const Node *cond, const Scope *s)
{
	const Node *operand = cond->first, *value = operand ? operand->next : NULL;
	Ref r;
	bool ordered = cond->op != CMP_EQ && cond->op != CMP_NE;
	if (!operand || !value)
		return;
	if (operand->kind == N_COUNT || operand->kind == N_REPEATS) {
		if (value->kind != N_NUM)
			diag_add(&k->c->diags, SD307, value->span, "a count is compared with a number");
		return;
	}
	if (operand->kind == N_REF && sema_is_target(operand) && str_is(operand->aux, "family")) {
		check_family(k, value);
		return;
	}
	if (!resolve(k, operand, s, &r) || r.kind == REF_LOOP_INDEX || r.bound)
		return;
	if (!r.type && r.kind != REF_STAGE)
		return;
	bool text = !r.type || !(r.type->is_finite || is_number(r.type));
	if (text && k->is_test)
		return;
	static const Type plain = { .kind = INPUT_TEXT, .spelled = STR_INIT("text"), .holds_text = true };
	if (text) {
		report_content(k, cond, operand, r.type ? r.type : &plain);
		return;
	}
	if (ordered && !is_number(r.type))
		diag_add(&k->c->diags, SD308, cond->span, "`%.*s` has no order: `%s` compares numbers", STR_ARG(operand->name), order_of((CmpOp)cond->op));
	else
		check_literal(k, operand, r.type, value);
}

static void check_in_set(Types *k, const Node *cond, const Scope *s)
{
	const Node *operand = cond->first;
	Ref r;
	bool family = operand && operand->kind == N_REF && sema_is_target(operand) && str_is(operand->aux, "family");
	for (const Node *v = family ? operand->next : NULL; v; v = v->next)
		check_family(k, v);
	if (!operand || !resolve(k, operand, s, &r) || !r.type || r.bound)
		return;
	if (!r.type->is_finite && !is_number(r.type)) {
		if (!k->is_test)
			report_content(k, cond, operand, r.type);
		return;
	}
	for (const Node *v = operand->next; v; v = v->next)
		check_literal(k, operand, r.type, v);
}

static void check_match(Types *k, const Node *cond, const Scope *s)
{
	Ref r;
	RegexError err;
	if (!regex_new(&k->c->arena, cond->name, &err)) {
		diag_add(&k->c->diags, SD312, cond->name_span.hi ? cond->name_span : cond->span, "bad regex: %.*s at byte %u", STR_ARG(err.message),
			err.offset);
		return;
	}
	if (k->is_test || !cond->first || !resolve(k, cond->first, s, &r))
		return;
	Diag *g = diag_add(&k->c->diags, SD308, cond->span, "`~` stands in routes and tests, not in what is sent");
	diag_help(&k->c->diags, g, "ask `has %.*s`, or choose the prompt with a `route`", STR_ARG(cond->first->name));
}

static void check_counted(Types *k, const Node *cond, const Scope *s)
{
	Ref r;
	if (!cond->first || !resolve(k, cond->first, s, &r) || !r.type || r.type->is_open)
		return;
	if (cond->kind == N_REPEATS ? r.type->kind == INPUT_TURNS : is_list(r.type) || r.type->kind == INPUT_MAP)
		return;
	diag_add(&k->c->diags, SD308, cond->span, "`%s` takes %s; `%.*s` is `%.*s`", node_kind_name(cond->kind),
		cond->kind == N_REPEATS ? "turns" : "a list", STR_ARG(cond->first->name), STR_ARG(r.type->spelled));
}

static void check_bare(Types *k, const Node *ref, const Scope *s)
{
	Ref r;
	if (!resolve(k, ref, s, &r) || !r.type || r.type->kind == INPUT_BOOL || r.bound)
		return;
	Diag *g = diag_add(&k->c->diags, SD308, ref->span, "`%.*s` is `%.*s`, not true or false", STR_ARG(ref->name), STR_ARG(r.type->spelled));
	if (r.type->is_finite || is_number(r.type))
		diag_help(&k->c->diags, g, "compare it: `%.*s == …`", STR_ARG(ref->name));
	else
		diag_help(&k->c->diags, g, "ask for presence: `has %.*s`", STR_ARG(ref->name));
}

static void check_cond(Types *k, const Node *cond, const Scope *s)
{
	switch (cond->kind) {
	case N_OR:
	case N_AND:
	case N_NOT:
		for (const Node *kid = cond->first; kid; kid = kid->next)
			check_cond(k, kid, s);
		break;
	case N_CMP:
		check_cmp(k, cond, s);
		if (cond->first && (cond->first->kind == N_COUNT || cond->first->kind == N_REPEATS))
			check_counted(k, cond->first, s);
		break;
	case N_IN_SET:
		check_in_set(k, cond, s);
		break;
	case N_MATCH:
		check_match(k, cond, s);
		break;
	case N_COUNT:
	case N_REPEATS:
		check_counted(k, cond, s);
		break;
	case N_REF:
		check_bare(k, cond, s);
		break;
	default:
		break;
	}
}

static void on_cond(Walk *w, const Node *cond, const Scope *s)
{
	Types *k = w->ctx;
	uint32_t before = k->c->diags.list.n;
	check_cond(k, cond, s);
	if (k->c->diags.list.n != before)
		((Node *)cond)->flags |= NF_BAD; /* pass branches stays silent about it */
}

static void check_routes(Types *k)
{
	k->is_test = true;
	for (uint32_t i = 0; i < k->u->route.n; i++)
		for (uint32_t j = 0; j < k->u->route.v[i]->rule.n; j++)
			if (k->u->route.v[i]->rule.v[j]->first && node_is_cond(k->u->route.v[i]->rule.v[j]->first))
				check_cond(k, k->u->route.v[i]->rule.v[j]->first, NULL);
	k->is_test = false;
}

void pass_types(Compiler *c, Unit *u)
{
	for (uint32_t i = 0; i < u->prompt.n + (u->self != NULL); i++) {
		bool library = i == u->prompt.n;
		Types k = { .c = c, .u = u, .p = library ? u->self : u->prompt.v[i] };
		Walk w = { .u = u, .p = k.p, .ctx = &k, .on_hole = on_hole, .on_for = on_for, .on_cond = on_cond };
		if (library)
			sema_walk_library(&w);
		else
			sema_walk_prompt(&w);
		check_routes(&k);
	}
}
