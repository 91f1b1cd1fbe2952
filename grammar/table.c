/*
 * Rows of the language's tables. The words are few: a lookup compares lengths and first bytes.
 */
#include "grammar/table.h"

#include "grammar/parse.h"

#define C(kind) (1u << CL_##kind)
const DeclRow decl_rows[] = {
#define DECL(word, token, node, place, names, body, clauses, yaml, shape, completion, what) \
	{ STR_INIT(word), token, node, place, names, body, clauses, yaml, shape, completion, what },
#include "grammar/decl.def"
#undef DECL
};
const size_t decl_rows_n = sizeof decl_rows / sizeof *decl_rows;

const WordRow word_rows[] = {
#define WORD(word, token, completion, what) { STR_INIT(word), token, completion, what },
#include "grammar/clause.def"
#undef WORD
};
const size_t word_rows_n = sizeof word_rows / sizeof *word_rows;

const DirectiveRow directive_rows[] = {
#define DIRECTIVE(word, token, place, shape, completion, what) \
	{ STR_INIT(word), token, place, shape, completion, what },
#include "grammar/directive.def"
#undef DIRECTIVE
};
const size_t directive_rows_n = sizeof directive_rows / sizeof *directive_rows;

static bool same(Str row, Str word)
{
	return row.n == word.n && row.p[0] == word.p[0] && !memcmp(row.p, word.p, word.n);
}

const DeclRow *decl_find(Str word, DeclPlace place)
{
	for (size_t i = 0; i < decl_rows_n; i++)
		if (decl_rows[i].place == place && same(decl_rows[i].word, word))
			return &decl_rows[i];
	return NULL;
}

const DeclRow *decl_of_node(NodeKind node)
{
	for (size_t i = 0; i < decl_rows_n; i++)
		if (decl_rows[i].node == node)
			return &decl_rows[i];
	return NULL;
}

const WordRow *word_find(Str word)
{
	for (size_t i = 0; i < word_rows_n; i++)
		if (same(word_rows[i].word, word))
			return &word_rows[i];
	return NULL;
}

const DirectiveRow *directive_find(Str word)
{
	for (size_t i = 0; i < directive_rows_n; i++)
		if (same(directive_rows[i].word, word))
			return &directive_rows[i];
	return NULL;
}

DeclPlace decl_entries(const DeclRow *row)
{
	switch (row->node) {
	case N_EXAMPLE: return PLACE_EXAMPLE;
	case N_ROUTE: return PLACE_ROUTE;
	case N_TEST: return PLACE_TEST;
	default: return PLACE_TOP;
	}
}

static const DeclRow *nearest(Str word, DeclPlace place, unsigned bodies)
{
	Str cand[64];
	size_t n = 0;
	for (size_t i = 0; i < decl_rows_n && n < 64; i++)
		if (decl_rows[i].place == place && bodies & 1u << decl_rows[i].body)
			cand[n++] = decl_rows[i].word;
	const Str *near = str_nearest(word, cand, n);
	return near ? decl_find(*near, place) : NULL;
}

const DeclRow *decl_near(Str word, DeclPlace place) { return nearest(word, place, ~0u); }

const DeclRow *decl_near_with_body(Str word, DeclPlace place) { return nearest(word, place, ~(1u << BODY_NONE)); }
