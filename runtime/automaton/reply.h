/* What holds a reply of a compiled prompt: its schema and its form, the same when it is built and when it is run. */
#ifndef SEED_AUTOMATON_REPLY_H
#define SEED_AUTOMATON_REPLY_H

#include "runtime/automaton/automaton.h"
#include "runtime/bin/bin.h"

/* The SCHEMA that a BinAutomaton of this reply names: BIN_NONE for any JSON. */
static inline uint32_t reply_schema_index(const BinReply *r) { return r->kind == REPLY_JSON ? BIN_NONE : r->schema; }
static inline AutomatonOptions reply_options(const BinReply *r)
{
	return (AutomatonOptions){ .form = r->kind == REPLY_BARE ? AUTOMATON_BARE : AUTOMATON_JSON };
}
/* NULL for a text. */
const SchemaNode *reply_schema(Arena *a, const Bin *b, const BinReply *r);

#endif
