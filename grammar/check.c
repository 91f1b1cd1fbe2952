/*
 * Context rules after parsing: each clause once, and only those that its head's row allows. Heads
 * stand at most one level deep (in examples and tests), so the walk is flat.
 */
#include "grammar/check.h"

#include "grammar/parse.h"

static const char *const clause_word[CLAUSE_KIND_COUNT] = {
	[CL_STABILITY] = "a stability", [CL_TRUST] = "`trusted` or `untrusted`", [CL_KEY] = "`key`", [CL_MAX] = "`max`",
	[CL_DEFAULT] = "a default", [CL_RAW] = "`raw`", [CL_EXACT] = "`exact`", [CL_HOISTABLE] = "`hoistable`",
	[CL_WHEN] = "`when`", [CL_WEIGHT] = "`weight`", [CL_GUARDRAIL] = "`guardrail`", [CL_ON] = "`on`",
	[CL_AS_SYSTEM] = "`as system`", [CL_TOP] = "`top`", [CL_SQUASH] = "`squash`", [CL_BY] = "`by`",
	[CL_FROM] = "`from`", [CL_REPLY] = "`reply`", [CL_SLOTS] = "`slots`", [CL_TTL] = "`ttl`", [CL_EVICT] = "`evict`",
};

void gram_check_clauses(Compiler *c, const Node *n, const DeclRow *row)
{
	const Node *first[CLAUSE_KIND_COUNT] = { NULL };
	for (Node *k = n->first; k; k = k->next) {
		if (k->kind != N_CLAUSE)
			continue;
		if (!(row->clauses & 1u << k->op)) {
			Diag *g = diag_add(&c->diags, SD025, k->span, "`%.*s` takes no %s", STR_ARG(row->word),
				clause_word[k->op] + (clause_word[k->op][0] == 'a' ? 2 : 0));
			diag_help(&c->diags, g, "it is written `%s`", row->shape);
			k->flags |= NF_BAD;
		} else if (first[k->op]) {
			Diag *g = diag_add(&c->diags, SD024, k->span, "%s is given twice", clause_word[k->op]);
			diag_label(&c->diags, g, first[k->op]->span, "first here");
			diag_help(&c->diags, g, "keep one of them");
			k->flags |= NF_BAD;
		} else {
			first[k->op] = k;
		}
	}
}

/* Message words share a node kind; places tell an example's from a prompt's. */
static const DeclRow *row_of(const Node *n, DeclPlace place)
{
	for (size_t i = 0; i < decl_rows_n; i++)
		if (decl_rows[i].node == (NodeKind)n->kind && decl_rows[i].place == place
		    && (n->kind != N_MESSAGE || str_is(decl_rows[i].word, ((const char *const[]){ "system", "developer", "user", "assistant" })[n->op])))
			return &decl_rows[i];
	return NULL;
}

static void check_head(Compiler *c, const Node *n, DeclPlace place)
{
	const DeclRow *row = row_of(n, place);
	if (row)
		gram_check_clauses(c, n, row);
}

void gram_check_file(Compiler *c, const Node *file)
{
	for (const Node *n = file->first; n; n = n->next) {
		check_head(c, n, PLACE_TOP);
		DeclPlace inner = n->kind == N_EXAMPLE ? PLACE_EXAMPLE : n->kind == N_TEST ? PLACE_TEST : PLACE_TOP;
		if (inner == PLACE_TOP)
			continue;
		for (const Node *k = n->first; k; k = k->next)
			check_head(c, k, inner);
	}
}
