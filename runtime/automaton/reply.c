/* See reply.h. */
#include "runtime/automaton/reply.h"

const SchemaNode *reply_schema(Arena *a, const Bin *b, const BinReply *r)
{
	SchemaErrors errs = { 0 };
	if (r->kind == REPLY_JSON)
		return schema_new(a);
	if (r->kind == REPLY_TEXT || r->schema == BIN_NONE)
		return NULL;
	return schema_import_text(a, bin_str(b, b->schema[r->schema].json), 0, &errs);
}
