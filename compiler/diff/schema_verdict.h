/* Whether every value of one schema is a value of another, both ways. */
#ifndef SEED_DIFF_SCHEMA_VERDICT_H
#define SEED_DIFF_SCHEMA_VERDICT_H

#include "runtime/base/json.h"

typedef enum Verdict { VERDICT_NO, VERDICT_YES, VERDICT_UNKNOWN } Verdict;

typedef struct SchemaVerdict {
	Verdict old_in_new, new_in_old;
	Str reason;  /* why not, or why unknown */
} SchemaVerdict;

/* x and y are nodes inside the roots, whose $defs their references name. */
SchemaVerdict schema_verdict(Arena *a, const JsonNode *old_root, const JsonNode *x, const JsonNode *new_root, const JsonNode *y);

#endif
