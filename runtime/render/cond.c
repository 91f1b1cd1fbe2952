/* Conditions: see cond.h. The stack is bounded by the format; every pop is checked all the same. */
#include "runtime/render/cond.h"

#include "runtime/base/num.h"
#include "runtime/base/regex.h"
#include "runtime/base/utf8.h"

enum { STACK_MAX = 64 };

/* An operand: a value, or a truth that an operator left. */
typedef struct Operand {
	Value value;
	Truth truth;
	bool is_truth;
} Operand;

typedef struct Machine {
	const CondEnv *env;
	Operand stack[STACK_MAX];
	uint32_t n;
} Machine;

static Value value_absent(void) { return (Value){ .state = VALUE_ABSENT }; }

static Value value_of_json(const JsonNode *x)
{
	if (!x || x->kind == JSON_NULL)
		return value_absent();
	Value v = { .state = VALUE_BOUND, .json = x, .text = x->text };
	if (x->kind == JSON_BOOL)
		v.text = x->truth ? STR("true") : STR("false");
	return v;
}

static Value value_of_count(Arena *a, uint64_t n) { return value_of_json(json_new_count(a, n)); }

/* One field of a value; documents that are plain strings have only their text. */
static Value value_field(Value v, Str field)
{
	if (!field.n || v.state != VALUE_BOUND)
		return v;
	while (field.n) {
		size_t dot = str_find(field, STR("."), 0);
		const JsonNode *x = v.json;
		Str name = str_sub(field, 0, dot);
		field = dot < field.n ? str_sub(field, dot + 1, field.n) : (Str){ 0 };
		if (x && x->kind == JSON_STRING && str_is(name, "text"))
			v = value_of_json(x);
		else
			v = value_of_json(json_find(x, name));
		if (v.state != VALUE_BOUND)
			break;
	}
	return v;
}

static const LoopItem *loop_find(const LoopItem *l, uint32_t seg)
{
	while (l && l->seg != seg)
		l = l->outer;
	return l;
}

static Value loop_value(const CondEnv *env, const BinRef *r, Str field)
{
	const LoopItem *l = loop_find(env->loop, r->index);
	if (!l || !l->item)
		return (Value){ .state = VALUE_UNBOUND };
	bool is_doc = env->bin->seg[r->index].kind == SEG_CONTEXT;
	if (r->kind == REF_LOOP_INDEX || (is_doc && str_is(field, "n")))
		return value_of_count(env->arena, l->n);
	return value_field(value_of_json(l->item), field);
}

Value ref_value(const CondEnv *env, uint32_t ref)
{
	const BinRef *r = &env->bin->ref[ref];
	Str field = bin_str(env->bin, r->field);
	switch (r->kind) {
	case REF_INPUT: return value_field(env->values->input[r->index], field);
	case REF_STAGE: return value_field(env->values->stage[r->index], field);
	case REF_REPLY: return value_field(env->values->reply, field);
	case REF_TARGET:
		if (!env->family.n || !str_is(field, "family"))
			return (Value){ .state = VALUE_UNBOUND };
		return value_of_json(json_new_text(env->arena, env->family));
	default: return loop_value(env, r, field);
	}
}

uint32_t turns_count_repeats(Arena *arena, const JsonNode *turns)
{
	Str last = { 0 };
	uint32_t count = 0;
	for (uint32_t i = turns && turns->kind == JSON_ARRAY ? turns->n : 0; i-- > 0;) {
		if (!str_is(json_get_text(turns->item[i], "role", STR("")), "user"))
			continue;
		Str said = utf8_normal(arena, json_get_text(turns->item[i], "content", STR("")), UTF8_NFKC_CASEFOLD);
		if (count && !str_eq(said, last))
			break;
		last = said;
		count++;
	}
	return count;
}

/* ---- operands -------------------------------------------------------------------------------- */

static void push(Machine *m, Operand x)
{
	if (m->n < STACK_MAX)
		m->stack[m->n++] = x;
}

static void push_truth(Machine *m, Truth t) { push(m, (Operand){ .truth = t, .is_truth = true }); }
static void push_value(Machine *m, Value v) { push(m, (Operand){ .value = v }); }

static Operand pop(Machine *m)
{
	if (!m->n)
		return (Operand){ .truth = TRUTH_UNKNOWN, .is_truth = true };
	return m->stack[--m->n];
}

/* Bare: a bool is itself; anything else is true when it is there and not empty. */
static Truth operand_truth(const Operand *x)
{
	if (x->is_truth)
		return x->truth;
	if (x->value.state == VALUE_UNBOUND)
		return TRUTH_UNKNOWN;
	const JsonNode *j = x->value.json;
	if (x->value.state == VALUE_ABSENT || !j)
		return TRUTH_FALSE;
	Num n;
	switch (j->kind) {
	case JSON_BOOL: return j->truth ? TRUTH_TRUE : TRUTH_FALSE;
	case JSON_NUMBER: return num_parse(j->text, &n) && !num_is_zero(&n) ? TRUTH_TRUE : TRUTH_FALSE;
	case JSON_STRING: return j->text.n ? TRUTH_TRUE : TRUTH_FALSE;
	default: return j->n ? TRUTH_TRUE : TRUTH_FALSE;
	}
}

/* Numbers by value, everything else by its bytes. False when the two cannot be ordered. */
static bool value_order(Value x, Value y, int *order)
{
	Num a, b;
	bool numeric = x.json && y.json && (x.json->kind == JSON_NUMBER || y.json->kind == JSON_NUMBER);
	if (numeric && num_parse(x.text, &a) && num_parse(y.text, &b)) {
		*order = num_cmp(&a, &b);
		return true;
	}
	if (x.json && (x.json->kind == JSON_ARRAY || x.json->kind == JSON_OBJECT))
		return false;
	*order = str_cmp(x.text, y.text);
	return !numeric || *order != 0;
}

static Truth value_compare(Value x, Value y, CmpOp cmp)
{
	if (x.state == VALUE_UNBOUND || y.state == VALUE_UNBOUND)
		return TRUTH_UNKNOWN;
	int order = 1;
	bool ordered = x.state == VALUE_BOUND && y.state == VALUE_BOUND && value_order(x, y, &order);
	bool holds = false;
	switch (cmp) {
	case CMP_EQ: holds = ordered && order == 0; break;
	case CMP_NE: holds = !ordered || order != 0; break;
	case CMP_LT: holds = ordered && order < 0; break;
	case CMP_LE: holds = ordered && order <= 0; break;
	case CMP_GT: holds = ordered && order > 0; break;
	case CMP_GE: holds = ordered && order >= 0; break;
	default: break;
	}
	return holds ? TRUTH_TRUE : TRUTH_FALSE;
}

static uint64_t value_count(Value v)
{
	if (!v.json || (v.json->kind != JSON_ARRAY && v.json->kind != JSON_OBJECT))
		return v.state == VALUE_BOUND;
	return v.json->n;
}

/* ---- operators ------------------------------------------------------------------------------- */

static Truth truth_not(Truth t) { return t == TRUTH_UNKNOWN ? t : t == TRUTH_TRUE ? TRUTH_FALSE : TRUTH_TRUE; }

static Truth truth_and(Truth a, Truth b)
{
	if (a == TRUTH_FALSE || b == TRUTH_FALSE)
		return TRUTH_FALSE;
	return a == TRUTH_UNKNOWN || b == TRUTH_UNKNOWN ? TRUTH_UNKNOWN : TRUTH_TRUE;
}

static void eval_match(Machine *m, Str pattern)
{
	Operand x = pop(m);
	if (x.value.state == VALUE_UNBOUND || x.is_truth) {
		push_truth(m, TRUTH_UNKNOWN);
		return;
	}
	RegexError err;
	Regex *re = regex_new(m->env->arena, pattern, &err);
	push_truth(m, x.value.state == VALUE_BOUND && re && regex_search(re, x.value.text) ? TRUTH_TRUE : TRUTH_FALSE);
}

static void eval_in(Machine *m, uint32_t n_arg)
{
	if (n_arg >= m->n) {
		push_truth(m, TRUTH_UNKNOWN);
		return;
	}
	Operand *base = &m->stack[m->n - n_arg - 1];
	Truth t = TRUTH_FALSE;
	for (uint32_t i = 1; i <= n_arg; i++) {
		Truth one = value_compare(base->value, base[i].value, CMP_EQ);
		t = truth_not(truth_and(truth_not(t), truth_not(one)));
	}
	m->n -= n_arg + 1;
	push_truth(m, t);
}

static void eval_of_ref(Machine *m, const BinCond *c)
{
	Value v = ref_value(m->env, c->ref);
	if (c->op == COND_REF)
		push_value(m, v);
	else if (v.state == VALUE_UNBOUND)
		push_value(m, v);
	else if (c->op == COND_HAS)
		push_truth(m, v.state == VALUE_BOUND ? TRUTH_TRUE : TRUTH_FALSE);
	else if (c->op == COND_COUNT)
		push_value(m, value_of_count(m->env->arena, value_count(v)));
	else
		push_value(m, value_of_count(m->env->arena, turns_count_repeats(m->env->arena, v.json)));
}

static void eval_literal(Machine *m, const BinCond *c)
{
	Arena *a = m->env->arena;
	Str s = bin_str(m->env->bin, c->s);
	if (c->op == COND_NUM)
		push_value(m, value_of_json(json_new_number(a, s)));
	else if (c->op == COND_NAME && (str_is(s, "true") || str_is(s, "false")))
		push_value(m, value_of_json(json_new_bool(a, str_is(s, "true"))));
	else
		push_value(m, value_of_json(json_new_text(a, s)));
}

static void eval_request(Machine *m, bool known, uint64_t n)
{
	push_value(m, known ? value_of_count(m->env->arena, n) : (Value){ .state = VALUE_UNBOUND });
}

static void eval_one(Machine *m, const BinCond *c)
{
	Operand x, y;
	switch (c->op) {
	case COND_REF: case COND_HAS: case COND_COUNT: case COND_REPEATS:
		eval_of_ref(m, c);
		break;
	case COND_STR: case COND_NUM: case COND_NAME:
		eval_literal(m, c);
		break;
	case COND_CMP:
		y = pop(m);
		x = pop(m);
		push_truth(m, value_compare(x.value, y.value, (CmpOp)c->cmp));
		break;
	case COND_MATCH:
		eval_match(m, bin_str(m->env->bin, c->s));
		break;
	case COND_IN:
		eval_in(m, c->n_arg);
		break;
	case COND_NOT:
		x = pop(m);
		push_truth(m, truth_not(operand_truth(&x)));
		break;
	case COND_AND:
		y = pop(m);
		x = pop(m);
		push_truth(m, truth_and(operand_truth(&x), operand_truth(&y)));
		break;
	case COND_OR:
		y = pop(m);
		x = pop(m);
		push_truth(m, truth_not(truth_and(truth_not(operand_truth(&x)), truth_not(operand_truth(&y)))));
		break;
	case COND_TOKENS:
		eval_request(m, m->env->has_tokens, m->env->n_token);
		break;
	case COND_MESSAGES:
		eval_request(m, m->env->has_messages, m->env->n_message);
		break;
	default:
		break;
	}
}

Truth cond_eval(const CondEnv *env, BinRange program)
{
	if (!program.n)
		return TRUTH_TRUE;
	Machine m = { .env = env };
	for (uint32_t i = 0; i < program.n; i++)
		eval_one(&m, &env->bin->cond[program.first + i]);
	Operand top = pop(&m);
	return operand_truth(&top);
}
