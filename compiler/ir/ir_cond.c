/*
 * References and conditions: from the tree to what the binary evaluates.
 *
 * A condition becomes a postfix program. The operand that needs more of the stack goes first, and a
 * long `in` becomes comparisons joined by `or`, so that no condition the grammar takes needs more
 * than BIN_STACK_MAX values.
 */
#include "compiler/ir/builder.h"
#include "runtime/base/num.h"

enum { IN_VALUES_MAX = 8 };

/* ---- references ---- */

static Str ref_root_name(const Builder *b, const Ref *r, const Node *ref)
{
	if (r->kind == REF_INPUT)
		return b->p->input.v[r->index].name;
	return r->kind == REF_STAGE ? b->p->stage.v[r->index].name : ref->name;
}

IrRef *ref_make(Builder *b, const Node *ref, const Scope *scope, const Node **bound)
{
	Ref r;
	*bound = NULL;
	if (!ref)
		return NULL;
	IrRef *out = arena_new(b->a, IrRef);
	*out = (IrRef){ .index = BIN_NONE, .name = ref->name, .field = ref->aux };
	if (!sema_resolve(b->u, b->p, scope, ref, &r)) {
		out->kind = b->is_test && str_is(ref->name, "reply") ? REF_REPLY : REF_TARGET;
		return out->kind == REF_REPLY || sema_is_target(ref) ? out : NULL;
	}
	*bound = r.bound;
	if (r.bound)
		return NULL;
	out->kind = r.kind;
	out->name = ref_root_name(b, &r, ref);
	out->index = r.kind == REF_STAGE ? b->stage_at[r.index] : r.index;
	out->loop = r.loop;
	out->type = r.type;
	return out;
}

/* ---- programs ---- */

typedef VEC(IrCond) CondList;

static void put_op(Builder *b, CondList *out, IrCond op)
{
	vec_push(b->a, out, op);
}

/* One value, or the values of a list. */
static uint32_t put_value(Builder *b, CondList *out, const Node *v)
{
	uint32_t n = 0;
	if (v->kind == N_LIST) {
		for (const Node *k = v->first; k; k = k->next)
			n += put_value(b, out, k);
		return n;
	}
	CondOp op = v->kind == N_NUM ? COND_NUM : v->kind == N_NAME ? COND_NAME : COND_STR;
	put_op(b, out, (IrCond){ .op = op, .s = v->name });
	return 1;
}

static void put_ref(Builder *b, CondList *out, CondOp op, const Node *ref, const Scope *scope)
{
	const Node *bound;
	IrRef *r = ref_make(b, ref, scope, &bound);
	if (op == COND_REF && b->is_test && !r && !bound && (str_is(ref->name, "tokens") || str_is(ref->name, "messages")))
		put_op(b, out, (IrCond){ .op = str_is(ref->name, "tokens") ? COND_TOKENS : COND_MESSAGES });
	else if (r)
		put_op(b, out, (IrCond){ .op = op, .ref = r });
	else if (bound && op == COND_REF && bound->kind != N_LIST)
		put_value(b, out, bound);
	else if (bound && op == COND_COUNT)
		put_op(b, out, (IrCond){ .op = COND_NUM, .s = bound->kind == N_LIST && bound->first ? STR("2") : STR("1") });
	else
		put_op(b, out, (IrCond){ .op = COND_NAME, .s = bound ? STR("true") : STR("false") });
}

static void put_cond(Builder *b, CondList *out, const Node *n, const Scope *scope);

/* How many values the program of n needs at once, both operands weighed. */
static uint32_t stack_need(const Node *n)
{
	if (n->kind == N_NOT)
		return n->first ? stack_need(n->first) : 1;
	if (n->kind != N_AND && n->kind != N_OR)
		return n->kind == N_IN_SET ? IN_VALUES_MAX + 2 : 2;
	uint32_t need = 0;
	for (const Node *k = n->first; k; k = k->next) {
		uint32_t kid = stack_need(k);
		need = kid == need ? need + 1 : kid > need ? kid : need;
	}
	return need;
}

static void put_logic(Builder *b, CondList *out, const Node *n, const Scope *scope)
{
	const Node *x = n->first, *y = x ? x->next : NULL;
	if (!y) {
		if (x)
			put_cond(b, out, x, scope);
		return;
	}
	Known neutral = n->kind == N_AND ? KNOWN_TRUE : KNOWN_FALSE;
	bool swap = stack_need(y) > stack_need(x);
	if (cond_fold(b, x, scope) == neutral) {
		put_cond(b, out, y, scope);
	} else if (cond_fold(b, y, scope) == neutral) {
		put_cond(b, out, x, scope);
	} else {
		put_cond(b, out, swap ? y : x, scope);
		put_cond(b, out, swap ? x : y, scope);
		put_op(b, out, (IrCond){ .op = n->kind == N_AND ? COND_AND : COND_OR });
	}
}

/* x in (a, b, …): in runs of IN_VALUES_MAX, joined by `or`. */
static void put_in_set(Builder *b, CondList *out, const Node *n, const Scope *scope)
{
	const Node *v = n->first ? n->first->next : NULL;
	for (bool is_first = true; is_first || v; is_first = false) {
		uint32_t n_value = 0;
		put_cond(b, out, n->first, scope);
		for (; v && n_value < IN_VALUES_MAX; v = v->next)
			n_value += put_value(b, out, v);
		put_op(b, out, (IrCond){ .op = COND_IN, .n_arg = (uint16_t)n_value });
		if (!is_first)
			put_op(b, out, (IrCond){ .op = COND_OR });
	}
}

static void put_cond(Builder *b, CondList *out, const Node *n, const Scope *scope)
{
	switch (n->kind) {
	case N_OR: case N_AND:
		put_logic(b, out, n, scope);
		break;
	case N_NOT:
		put_cond(b, out, n->first, scope);
		put_op(b, out, (IrCond){ .op = COND_NOT });
		break;
	case N_HAS:
		put_ref(b, out, COND_HAS, n->first, scope);
		break;
	case N_COUNT:
		put_ref(b, out, COND_COUNT, n->first, scope);
		break;
	case N_REPEATS:
		put_ref(b, out, COND_REPEATS, n->first, scope);
		break;
	case N_CMP:
		put_cond(b, out, n->first, scope);
		put_value(b, out, n->last);
		put_op(b, out, (IrCond){ .op = COND_CMP, .cmp = (CmpOp)n->op });
		break;
	case N_MATCH:
		put_cond(b, out, n->first, scope);
		put_op(b, out, (IrCond){ .op = COND_MATCH, .s = n->name });
		break;
	case N_IN_SET:
		put_in_set(b, out, n, scope);
		break;
	case N_REF:
		put_ref(b, out, COND_REF, n, scope);
		break;
	default:
		put_op(b, out, (IrCond){ .op = COND_NAME, .s = STR("false") });  /* N_ERROR: reported */
	}
}

IrProgram cond_make(Builder *b, const Node *cond, const Scope *scope)
{
	CondList out = { 0 };
	put_cond(b, &out, cond, scope);
	return (IrProgram){ out.v, out.n };
}

/* ---- what is known when compiled ---- */

static const Node *bound_literal(Builder *b, const Node *operand, const Scope *scope)
{
	const Node *bound = NULL;
	if (operand && operand->kind == N_REF)
		ref_make(b, operand, scope, &bound);
	return bound && (bound->kind == N_STR || bound->kind == N_NUM || bound->kind == N_NAME) ? bound : NULL;
}

/* As the runtime compares: numbers by value, all else by bytes. */
static bool compare(const Node *x, const Node *y, CmpOp op)
{
	Num a, b;
	bool is_number = (x->kind == N_NUM || y->kind == N_NUM) && num_parse(x->name, &a) && num_parse(y->name, &b);
	int order = is_number ? num_cmp(&a, &b) : str_cmp(x->name, y->name);
	switch (op) {
	case CMP_EQ: return order == 0;
	case CMP_NE: return order != 0;
	case CMP_LT: return order < 0;
	case CMP_LE: return order <= 0;
	case CMP_GT: return order > 0;
	default: return order >= 0;
	}
}

static Known known_of(bool truth)
{
	return truth ? KNOWN_TRUE : KNOWN_FALSE;
}

static Known fold_logic(Builder *b, const Node *n, const Scope *scope)
{
	Known decides = n->kind == N_AND ? KNOWN_FALSE : KNOWN_TRUE, all = n->kind == N_AND ? KNOWN_TRUE : KNOWN_FALSE;
	for (const Node *k = n->first; k; k = k->next) {
		Known one = cond_fold(b, k, scope);
		if (one == decides)
			return decides;
		if (one == KNOWN_NOT)
			all = KNOWN_NOT;
	}
	return all;
}

static Known fold_in_set(const Node *n, const Node *x)
{
	for (const Node *v = n->first->next; v; v = v->next)
		if (compare(x, v, CMP_EQ))
			return KNOWN_TRUE;
	return KNOWN_FALSE;
}

Known cond_fold(Builder *b, const Node *n, const Scope *scope)
{
	const Node *x = n->first ? bound_literal(b, n->first, scope) : NULL;
	switch (n->kind) {
	case N_OR: case N_AND:
		return fold_logic(b, n, scope);
	case N_NOT: {
		Known one = cond_fold(b, n->first, scope);
		return one == KNOWN_NOT ? one : known_of(one == KNOWN_FALSE);
	}
	case N_HAS: {
		const Node *bound;
		ref_make(b, n->first, scope, &bound);
		return bound ? KNOWN_TRUE : KNOWN_NOT;
	}
	case N_CMP:
		return x ? known_of(compare(x, n->last, (CmpOp)n->op)) : KNOWN_NOT;
	case N_IN_SET:
		return x ? fold_in_set(n, x) : KNOWN_NOT;
	case N_REF:
		x = bound_literal(b, n, scope);
		return x && x->kind == N_NAME ? known_of(str_is(x->name, "true")) : KNOWN_NOT;
	default:
		return KNOWN_NOT;
	}
}

/* ---- as written ---- */

static void print_value(Buf *out, const Node *v)
{
	if (v->kind == N_LIST) {
		buf_byte(out, '[');
		for (const Node *k = v->first; k; k = k->next) {
			print_value(out, k);
			buf_putz(out, k->next ? ", " : "");
		}
		buf_byte(out, ']');
	} else if (v->kind != N_STR) {
		buf_put(out, v->name);
	} else {
		buf_byte(out, '"');
		for (size_t i = 0; i < v->name.n; i++)
			buf_putz(out, (char[]){ v->name.p[i], v->name.p[i] == '"' ? '"' : 0, 0 });
		buf_byte(out, '"');
	}
}

static void print_kid(Buf *out, const Node *parent, const Node *kid)
{
	bool paren = kid->kind == N_OR && parent->kind != N_OR;
	paren |= kid->kind == N_AND && parent->kind == N_NOT;
	buf_putz(out, paren ? "(" : "");
	cond_print(out, kid);
	buf_putz(out, paren ? ")" : "");
}

static void print_logic(Buf *out, const Node *n)
{
	for (const Node *k = n->first; k; k = k->next) {
		print_kid(out, n, k);
		if (k->next)
			buf_putz(out, n->kind == N_OR ? " or " : " and ");
	}
}

static void print_in_set(Buf *out, const Node *n)
{
	cond_print(out, n->first);
	buf_putz(out, " in (");
	for (const Node *v = n->first->next; v; v = v->next) {
		print_value(out, v);
		buf_putz(out, v->next ? ", " : "");
	}
	buf_byte(out, ')');
}

void cond_print(Buf *out, const Node *n)
{
	static const char *const cmp[CMP_COUNT] = { "==", "!=", "<", "<=", ">", ">=" };
	Node match = { .kind = N_STR, .name = n->name };
	switch (n->kind) {
	case N_OR: case N_AND:
		print_logic(out, n);
		break;
	case N_NOT:
		buf_putz(out, "not ");
		print_kid(out, n, n->first);
		break;
	case N_HAS:
		buf_putz(out, "has ");
		cond_print(out, n->first);
		break;
	case N_COUNT: case N_REPEATS:
		buf_putz(out, n->kind == N_COUNT ? "count(" : "repeats(");
		cond_print(out, n->first);
		buf_byte(out, ')');
		break;
	case N_CMP:
		cond_print(out, n->first);
		buf_printf(out, " %s ", cmp[n->op]);
		print_value(out, n->last);
		break;
	case N_MATCH:
		cond_print(out, n->first);
		buf_putz(out, " ~ ");
		print_value(out, &match);
		break;
	case N_IN_SET:
		print_in_set(out, n);
		break;
	case N_REF:
		buf_put(out, n->name);
		if (n->aux.n)
			buf_printf(out, ".%.*s", STR_ARG(n->aux));
		break;
	default:
		buf_putz(out, "?");
	}
}
