/*
 * The tree's basics and its dump. What a node's fields mean is its row in ast.def.
 *
 * The dump walks with a stack of its own: a tree made by any front end may be deep, never the C stack.
 */
#include "compiler/ast/ast.h"

#include <stdlib.h>

static const char *const kind_name[NODE_KIND_COUNT] = {
#define NODE(kind, printed, name, aux, kids) [kind] = printed,
#include "compiler/ast/ast.def"
#undef NODE
};

static const char *const clause_name[CLAUSE_KIND_COUNT] = {
	[CL_STABILITY] = "stability", [CL_TRUST] = "trust", [CL_KEY] = "key", [CL_MAX] = "max",
	[CL_DEFAULT] = "default", [CL_RAW] = "raw", [CL_EXACT] = "exact", [CL_HOISTABLE] = "hoistable",
	[CL_WHEN] = "when", [CL_WEIGHT] = "weight", [CL_GUARDRAIL] = "guardrail", [CL_ON] = "on",
	[CL_AS_SYSTEM] = "as system", [CL_TOP] = "top", [CL_SQUASH] = "squash", [CL_BY] = "by",
	[CL_FROM] = "from", [CL_REPLY] = "reply", [CL_SLOTS] = "slots", [CL_TTL] = "ttl", [CL_EVICT] = "evict",
};

static const char *const role_name[ROLE_COUNT] = { "system", "developer", "user", "assistant", "tool" };
static const char *const modality_name[MOD_COUNT] = { "", "must", "should", "may", "never" };
static const char *const stability_name[STAB_COUNT] = { "@static", "@session", "@turn" };
static const char *const cmp_name[CMP_COUNT] = { "==", "!=", "<", "<=", ">", ">=" };

Node *node_new(Arena *a, NodeKind kind, Span span)
{
	Node *n = arena_new(a, Node);
	n->kind = (uint16_t)kind;
	n->span = span;
	return n;
}

void node_add(Node *parent, Node *kid)
{
	if (parent->last)
		parent->last->next = kid;
	else
		parent->first = kid;
	parent->last = kid;
}

Node *node_kid(const Node *n, NodeKind kind)
{
	for (Node *k = n->first; k; k = k->next)
		if (k->kind == kind)
			return k;
	return NULL;
}

Node *node_clause(const Node *n, ClauseKind kind)
{
	for (Node *k = n->first; k; k = k->next)
		if (k->kind == N_CLAUSE && k->op == (int32_t)kind)
			return k;
	return NULL;
}

Node *node_body(const Node *n)
{
	for (Node *k = n->first; k; k = k->next)
		if (k->kind == N_BODY || k->kind == N_FILE_BODY)
			return k;
	return NULL;
}

const char *node_kind_name(NodeKind kind) { return kind_name[kind]; }

bool node_is_type(const Node *n) { return n->kind >= N_TYPE && n->kind <= N_TYPE_UNION; }

bool node_is_value(const Node *n)
{
	return n->kind == N_STR || n->kind == N_NUM || n->kind == N_LIST || n->kind == N_NAME;
}

bool node_is_cond(const Node *n) { return n->kind == N_REF || (n->kind >= N_OR && n->kind <= N_IN_SET); }

/* ---- dump ---- */

static const char *enum_name(const char *const *names, int32_t n, int32_t op)
{
	return op >= 0 && op < n ? names[op] : "?";
}

static void dump_clause(Buf *out, const Node *n)
{
	buf_printf(out, " %s", enum_name(clause_name, CLAUSE_KIND_COUNT, n->op));
	switch (n->op) {
	case CL_STABILITY:
		buf_printf(out, " %s", enum_name(stability_name, STAB_COUNT, (int32_t)n->val));
		break;
	case CL_TRUST:
		buf_putz(out, n->val > 0 ? " trusted" : n->val < 0 ? " unknown" : " untrusted");
		break;
	case CL_MAX: case CL_TOP: case CL_SLOTS:
		if (!n->name.n)
			buf_printf(out, " %lld", (long long)n->val);
		break;
	case CL_SQUASH: case CL_TTL:
		if (!n->name.n)
			buf_printf(out, " %.17g", n->num);
		break;
	}
}

static void dump_op(Buf *out, const Node *n)
{
	switch (n->kind) {
	case N_CLAUSE: dump_clause(out, n); break;
	case N_MESSAGE: buf_printf(out, " %s", enum_name(role_name, ROLE_COUNT, n->op)); break;
	case N_CONSTRAINT: buf_printf(out, " %s", enum_name(modality_name, MOD_COUNT, n->op)); break;
	case N_CMP: buf_printf(out, " %s", enum_name(cmp_name, CMP_COUNT, n->op)); break;
	default: break;
	}
}

static void dump_flags(Buf *out, unsigned flags)
{
	static const struct { unsigned bit; const char *name; } row[] = {
		{ NF_OPTIONAL, " optional" }, { NF_RAW, " raw" }, { NF_EXACT, " exact" },
		{ NF_INLINE, " inline" }, { NF_QUOTED, " quoted" }, { NF_BAD, " bad" },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (flags & row[i].bit)
			buf_putz(out, row[i].name);
}

static void dump_line(Buf *out, const Node *n, uint32_t depth, AstDump how)
{
	buf_fill(out, ' ', (size_t)depth * 2);
	buf_putz(out, kind_name[n->kind]);
	dump_op(out, n);
	if (n->name.n || n->kind == N_STR || n->kind == N_DOC) {
		buf_byte(out, ' ');
		buf_json_str(out, n->name);
	}
	if (n->aux.n) {
		buf_lit(out, " / ");
		buf_json_str(out, n->aux);
	}
	if (n->text) {
		buf_byte(out, ' ');
		buf_json_str(out, n->text->s);
	}
	dump_flags(out, n->flags);
	if (how == AST_DUMP_SPANS)
		buf_printf(out, " [%u,%u)", n->span.lo, n->span.hi);
	buf_byte(out, '\n');
}

void ast_dump(Buf *out, const Node *root, AstDump how)
{
	const Node **up = NULL;
	uint32_t depth = 0, cap = 0;
	const Node *n = root;
	while (n) {
		dump_line(out, n, depth, how);
		if (n->first) {
			if (depth == cap)
				up = mem_must_grow((void *)up, (cap = cap ? cap * 2 : 64) * sizeof *up);
			up[depth++] = n;
			n = n->first;
			continue;
		}
		while (depth && !n->next)
			n = up[--depth];
		n = depth ? n->next : NULL;
	}
	free((void *)up);
}
