/*
 * Conditions of tests: each operand has a value, is absent, or cannot be known; comparisons follow in
 * three-valued logic. A condition that fails is explained with what its operands are.
 */
#include "compiler/test/case.h"
#include "runtime/base/num.h"
#include "runtime/base/regex.h"

typedef enum Known { KNOWN_NO, KNOWN_YES, KNOWN_NOT } Known;
typedef enum OperandState { OPERAND_ABSENT, OPERAND_IS, OPERAND_UNKNOWN } OperandState;

typedef struct Operand {
	OperandState state;
	Str text;
	const JsonNode *json;  /* NULL for a plain text */
	const char *why;       /* OPERAND_UNKNOWN */
} Operand;

enum { SHOWN_BYTES = 80 };

/* ---- operands ---- */

static Operand operand_text(Str s)
{
	return (Operand){ .state = OPERAND_IS, .text = s };
}

static Operand operand_json(Arena *a, const JsonNode *x)
{
	Operand o = { .state = x ? OPERAND_IS : OPERAND_ABSENT, .json = x };
	if (!x || x->kind == JSON_NULL) {
		o.state = OPERAND_ABSENT;
	} else if (x->kind == JSON_STRING || x->kind == JSON_NUMBER) {
		o.text = x->text;
	} else if (x->kind == JSON_BOOL) {
		o.text = x->truth ? STR("true") : STR("false");
	} else {
		Buf b = { 0 };
		json_write(&b, x, JSON_AS_IS);
		o.text = str_dup(a, buf_str(&b));
		buf_free(&b);
	}
	return o;
}

static const JsonNode *json_through(const JsonNode *x, Str fields)
{
	while (x && fields.n) {
		size_t dot = str_find(fields, STR("."), 0);
		x = json_find(x, str_sub(fields, 0, dot));
		fields = str_sub(fields, dot + 1, fields.n);
	}
	return x;
}

static const Request *last_request(const TestCase *t)
{
	return t->shown.request.n ? &t->shown.request.v[t->shown.request.n - 1] : NULL;
}

/* All text of a role: the shared messages once, then each stage's own. */
static Str role_text(TestCase *t, Role role)
{
	Buf b = { 0 };
	for (uint32_t i = 0; i < t->shown.request.n; i++) {
		const Request *r = &t->shown.request.v[i];
		for (uint32_t j = i ? r->n_shared : 0; j < r->message.n; j++) {
			if (r->message.v[j].role != role)
				continue;
			if (b.n)
				buf_lit(&b, "\n\n");
			buf_put(&b, message_text(t->a, &r->message.v[j]));
		}
	}
	Str s = str_dup(t->a, buf_str(&b));
	buf_free(&b);
	return s;
}

/* Template text in front of the first value and of the first part that is not @static. */
static Str prefix_text(TestCase *t)
{
	Buf b = { 0 };
	const Request *r = last_request(t);
	bool open = r != NULL;
	for (uint32_t i = 0; open && i < r->message.n; i++) {
		for (uint32_t j = 0; open && j < r->message.v[i].run.n; j++) {
			const RenderRun *run = &r->message.v[i].run.v[j];
			open = run->stability == STAB_STATIC && run->kind != RUN_UNBOUND;
			if (open)
				buf_put(&b, run->text);
		}
		if (open)
			buf_lit(&b, "\n");
	}
	Str s = str_dup(t->a, buf_str(&b));
	buf_free(&b);
	return s;
}

static Operand count_tokens(TestCase *t)
{
	uint64_t sum = 0;
	const Request *r = last_request(t);
	TokenCounter counter = test_counter(t);
	if (!r || !counter_encoder(&counter))
		return (Operand){ .state = OPERAND_UNKNOWN, .why = "not counted: no vocabulary" };
	for (uint32_t i = 0; i < r->message.n; i++) {
		uint64_t n = 0;
		counter_count(&counter, message_text(t->a, &r->message.v[i]), &n);
		sum += n;
	}
	return operand_text(str_fmt(t->a, "%llu", (unsigned long long)sum));
}

static Operand input_operand(TestCase *t, const Node *ref)
{
	for (uint32_t i = 0; i < t->values.bin->n_input; i++) {
		if (!str_eq(bin_str(t->values.bin, t->values.bin->input[i].name), ref->name))
			continue;
		const Value *v = &t->values.input[i];
		if (v->state != VALUE_BOUND)
			continue;
		return v->json ? operand_json(t->a, json_through(v->json, ref->aux)) : operand_text(v->text);
	}
	return (Operand){ .state = OPERAND_ABSENT };
}

static Operand operand_of(TestCase *t, const Node *ref)
{
	if (str_is(ref->name, "reply") && t->is_reply_owed)
		return (Operand){ .state = OPERAND_UNKNOWN, .why = "not known: no model answered" };
	if (str_is(ref->name, "reply"))
		return !t->has_reply ? (Operand){ .state = OPERAND_ABSENT }
			: t->reply ? operand_json(t->a, json_through(t->reply, ref->aux)) : operand_text(t->reply_text);
	if (str_is(ref->name, "messages"))
		return operand_text(str_fmt(t->a, "%u", last_request(t) ? last_request(t)->message.n : 0));
	if (str_is(ref->name, "tokens"))
		return count_tokens(t);
	if (str_is(ref->name, "prefix"))
		return operand_text(prefix_text(t));
	Role role = role_find(ref->name);
	return role < ROLE_COUNT ? operand_text(role_text(t, role)) : input_operand(t, ref);
}

/* ---- conditions ---- */

static Known known(bool truth)
{
	return truth ? KNOWN_YES : KNOWN_NO;
}

static Known compare_text(Str x, CmpOp op, Str y)
{
	Num a, b;
	bool numbers = num_parse(x, &a) && num_parse(y, &b);
	int d = numbers ? num_cmp(&a, &b) : str_cmp(x, y);
	switch (op) {
	case CMP_EQ:
		return known(d == 0);
	case CMP_NE:
		return known(d != 0);
	case CMP_LT:
		return known(numbers && d < 0);
	case CMP_LE:
		return known(numbers && d <= 0);
	case CMP_GT:
		return known(numbers && d > 0);
	default:
		return known(numbers && d >= 0);
	}
}

static Operand counted(TestCase *t, const Node *n)
{
	Operand o = n->first ? operand_of(t, n->first) : (Operand){ 0 };
	if (o.state != OPERAND_IS)
		return operand_text(STR("0"));
	if (n->kind == N_REPEATS)
		return operand_text(str_fmt(t->a, "%u", o.json ? turns_count_repeats(t->a, o.json) : 0));
	bool holds = o.json && (o.json->kind == JSON_ARRAY || o.json->kind == JSON_OBJECT);
	return operand_text(str_fmt(t->a, "%u", holds ? o.json->n : 1));
}

static Operand left_of(TestCase *t, const Node *n)
{
	if (!n)
		return (Operand){ 0 };
	return n->kind == N_COUNT || n->kind == N_REPEATS ? counted(t, n) : operand_of(t, n);
}

static Known holds(TestCase *t, const Node *n);

static Known holds_both(TestCase *t, const Node *n)
{
	Known decides = n->kind == N_AND ? KNOWN_NO : KNOWN_YES, all = n->kind == N_AND ? KNOWN_YES : KNOWN_NO;
	for (const Node *k = n->first; k; k = k->next) {
		Known one = holds(t, k);
		if (one == decides)
			return decides;
		if (one == KNOWN_NOT)
			all = KNOWN_NOT;
	}
	return all;
}

static Known holds_value(TestCase *t, const Node *n)
{
	Operand o = left_of(t, n->kind == N_REF ? n : n->first);
	if (o.state == OPERAND_UNKNOWN)
		return KNOWN_NOT;
	if (o.state == OPERAND_ABSENT)
		return known(n->kind == N_CMP && n->op == CMP_NE);
	RegexError err;
	Regex *re;
	switch (n->kind) {
	case N_CMP:
		return n->first->next ? compare_text(o.text, (CmpOp)n->op, n->first->next->name) : KNOWN_NO;
	case N_MATCH:
		re = regex_new(t->a, n->name, &err);
		return known(re && regex_search(re, o.text));
	case N_IN_SET:
		for (const Node *v = n->first->next; v; v = v->next)
			if (compare_text(o.text, CMP_EQ, v->name) == KNOWN_YES)
				return KNOWN_YES;
		return KNOWN_NO;
	default:
		return known(str_is(o.text, "true"));
	}
}

static Known holds(TestCase *t, const Node *n)
{
	switch (n->kind) {
	case N_AND:
	case N_OR:
		return holds_both(t, n);
	case N_NOT: {
		Known one = n->first ? holds(t, n->first) : KNOWN_NO;
		return one == KNOWN_NOT ? one : known(one == KNOWN_NO);
	}
	case N_HAS: {
		Operand o = left_of(t, n->first);
		return known(o.state == OPERAND_IS && (o.text.n || o.json));
	}
	case N_COUNT:
	case N_REPEATS:
		return known(!str_is(counted(t, n).text, "0"));
	default:
		return holds_value(t, n);
	}
}

/* ---- what is said ---- */

static void say_text(Buf *b, Str s)
{
	if (s.n <= SHOWN_BYTES) {
		buf_json_str(b, s);
		return;
	}
	size_t cut = SHOWN_BYTES;
	while (cut > 0 && ((unsigned char)s.p[cut] & 0xc0) == 0x80)
		cut--;
	buf_json_str(b, str_sub(s, 0, cut));
	buf_printf(b, "… (%zu bytes)", s.n);
}

static void say_operand(TestCase *t, Buf *b, const Node *n)
{
	Num num;
	bool is_count = n->kind == N_COUNT || n->kind == N_REPEATS;
	const Node *ref = is_count ? n->first : n;
	Operand o = left_of(t, n);
	if (!ref)
		return;
	if (b->n)
		buf_lit(b, ", ");
	if (is_count)
		buf_printf(b, "%s(%.*s)", node_kind_name(n->kind), STR_ARG(ref->name));
	else
		buf_printf(b, "%.*s%s%.*s", STR_ARG(ref->name), ref->aux.n ? "." : "", STR_ARG(ref->aux));
	if (o.state == OPERAND_UNKNOWN) {
		buf_printf(b, " %s", o.why);
	} else if (o.state == OPERAND_ABSENT) {
		buf_lit(b, " is absent");
	} else {
		buf_lit(b, " is ");
		if (num_parse(o.text, &num) || (o.json && o.json->kind != JSON_STRING))
			buf_put(b, str_sub(o.text, 0, SHOWN_BYTES));
		else
			say_text(b, o.text);
	}
}

static void say_operands(TestCase *t, Buf *b, const Node *n)
{
	if (n->kind == N_REF || n->kind == N_COUNT || n->kind == N_REPEATS) {
		say_operand(t, b, n);
		return;
	}
	for (const Node *k = n->first; k; k = k->next)
		if (node_is_cond(k) || k->kind == N_REF)
			say_operands(t, b, k);
}

void expect_check(TestCase *t, const Node *cond)
{
	Known k = holds(t, cond);
	if (k == KNOWN_YES)
		return;
	Buf b = { 0 };
	say_operands(t, &b, cond);
	Str asked = source_slice(&t->u->c->sources, cond->span);
	test_note(t, k == KNOWN_NOT ? TEST_UNDECIDED : TEST_FAILED, cond->span, "`%.*s` %s: %.*s", STR_ARG(asked),
		k == KNOWN_NOT ? "is not decided" : "does not hold", STR_ARG(buf_str(&b)));
	buf_free(&b);
}
