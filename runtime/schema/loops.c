/* Finds `$ref`s that return to themselves without entering the value: a validator would never end.
 *
 * A depth-first search with an explicit stack over "same value" edges from every node reachable from
 * the root; an edge to a node that is still open closes a loop. */
#include "runtime/schema/node.h"

typedef struct Open {
	const SchemaNode *node;
	SchemaNodes kid;
	uint32_t at;
} Open;

typedef struct Search {
	Arena scratch;
	Arena *a;
	SchemaErrors *errs;
	PairMap state;      /* node -> in_progress or done */
	SchemaNodes todo;   /* reachable, maybe not yet searched */
	PairMap seen;
} Search;

/* Two addresses that stand for states; nothing is stored in them. */
static const char in_progress, done;

static void add_todo(Search *s, const SchemaNode *n)
{
	if (pair_get(&s->seen, n, NULL))
		return;
	pair_set(&s->scratch, &s->seen, n, NULL, (void *)&done);
	vec_push(&s->scratch, &s->todo, n);
}

static void add_all_kids(Search *s, const SchemaNode *n)
{
	SchemaNodes kid = { 0 };
	schema_all_kids(&s->scratch, n, &kid);
	for (uint32_t i = 0; i < kid.n; i++)
		add_todo(s, kid.v[i]);
}

static void report(Search *s, const SchemaNode *n, Str message)
{
	vec_push(s->a, s->errs, (SchemaError){ message, STR(""), n->lo });
}

static void search_from(Search *s, const SchemaNode *root)
{
	VEC(Open) stack = { 0 };
	if (pair_get(&s->state, root, NULL))
		return;
	vec_push(&s->scratch, &stack, (Open){ .node = root });
	while (stack.n) {
		Open *top = &stack.v[stack.n - 1];
		if (!top->at) {
			pair_set(&s->scratch, &s->state, top->node, NULL, (void *)&in_progress);
			schema_same_value_kids(&s->scratch, top->node, &top->kid);
		}
		if (top->at == top->kid.n) {
			pair_set(&s->scratch, &s->state, top->node, NULL, (void *)&done);
			stack.n--;
			continue;
		}
		const SchemaNode *next = top->kid.v[top->at++];
		const void *state = pair_get(&s->state, next, NULL);
		if (state == &in_progress)
			report(s, top->node, STR("$ref leads back to itself without entering the value"));
		else if (!state)
			vec_push(&s->scratch, &stack, (Open){ .node = next });
	}
}

bool schema_check(Arena *a, const SchemaNode *root, SchemaErrors *errs)
{
	Search s = { .a = a, .errs = errs };
	uint32_t before = errs->n;
	add_todo(&s, root);
	for (uint32_t i = 0; i < s.todo.n; i++) {
		const SchemaNode *n = s.todo.v[i];
		add_all_kids(&s, n);
		if (schema_has(n, KW_REF) && !n->target)
			report(&s, n, str_fmt(a, "$ref names '%.*s', which does not exist", STR_ARG(n->ref)));
		search_from(&s, n);
	}
	arena_free(&s.scratch);
	return errs->n == before;
}
