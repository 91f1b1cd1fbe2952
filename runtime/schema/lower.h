/*
 * Lowering: a schema made into what one target's strict mode takes, changing as little as it can. What
 * the target cannot enforce is moved into the description in a stable form, or refused with its path;
 * every change is a remark. SchemaCaps is a target's dated facts, loadable from its data file:
 *
 *	{
 *	  "keywords": ["type", "properties", "$ref", …],  taken as they are; the rest is moved to text
 *	  "formats": ["date-time", …],    values of `format`, if it is a keyword; absent: every format
 *	  "typed": true,                  every schema must say `type`, or be a union or $ref
 *	  "booleans": true,               may true and false stand as schemas (besides additionalProperties)?
 *	  "type_lists": true,             may `type` be a list? else a union is written
 *	  "enum_strings": false,          enum holds strings only
 *	  "all_required": true,           every property must be required: optional -> nullable + required
 *	  "closed_objects": true,         additionalProperties: false on every object, in $defs too
 *	  "root_object": true,            a root that is no object is wrapped: {"value": …}
 *	  "root_any_of": false,           may the root be anyOf?
 *	  "ref_siblings": false,          may keywords stand beside $ref?
 *	  "recursion": true,              may $ref lead back to an outer schema?
 *	  "nullable": "union",            or "keyword": {"nullable": true}, as OpenAPI 3.0 has it
 *	  "type_case": "lower",           or "upper": "STRING"
 *	  "property_ordering": false,     write propertyOrdering beside properties
 *	  "unsupported": "describe",      or "refuse"
 *	  "max_depth": 10, "max_properties": 5000, "max_enum": 1000, "max_optional": 24,
 *	  "max_min_items": 1              highest minItems taken. Absent: no limit
 *	}
 *
 * An absent boolean is what full JSON Schema allows (all_required false, root_any_of true, …).
 */
#ifndef SEED_SCHEMA_LOWER_H
#define SEED_SCHEMA_LOWER_H

#include "runtime/schema/schema.h"

typedef enum NullableStyle { NULLABLE_UNION, NULLABLE_KEYWORD } NullableStyle;
typedef enum TypeCase { TYPE_LOWER, TYPE_UPPER } TypeCase;
typedef enum Unsupported { UNSUPPORTED_DESCRIBE, UNSUPPORTED_REFUSE } Unsupported;

typedef struct SchemaCaps {
	uint64_t keywords;      /* bit per Keyword */
	bool any_format;
	VEC(Str) format;        /* when not any_format */
	bool typed, booleans, type_lists, enum_strings, all_required, closed_objects, root_object, root_any_of, ref_siblings;
	bool recursion, property_ordering;
	NullableStyle nullable;
	TypeCase type_case;
	Unsupported unsupported;
	uint32_t max_depth, max_properties, max_enum, max_optional, max_min_items;  /* 0: no limit */
} SchemaCaps;

/* Everything 2020-12: lowering with it changes nothing. */
SchemaCaps schema_caps_full(void);
/* False and err on an unknown key or keyword, or a value of the wrong kind. */
bool schema_caps_read(Arena *a, const JsonNode *json, SchemaCaps *caps, SchemaError *err);

typedef enum RemarkKind {
	REMARK_MOVED,     /* to the description */
	REMARK_DROPPED,   /* an annotation the target does not take */
	REMARK_NULLABLE,  /* optional became nullable + required */
	REMARK_CLOSED,    /* additionalProperties: false was added */
	REMARK_WRAPPED,   /* the root stands in {"value": …} */
	REMARK_REWRITTEN, /* same meaning in other keywords (const -> enum, oneOf -> anyOf where disjoint) */
	REMARK_REFUSED,   /* no form of it is possible: the schema cannot be sent */
} RemarkKind;

typedef struct SchemaRemark {
	RemarkKind kind;
	Str pointer;      /* into the original schema as exported */
	Str what;         /* one sentence, names the keyword */
	uint32_t lo, hi;  /* where the node was written */
} SchemaRemark;

typedef VEC(SchemaRemark) SchemaRemarks;

/* A new schema in a, self-contained; NULL when something was refused (all refusals are listed). */
SchemaNode *schema_lower(Arena *a, const SchemaNode *root, const SchemaCaps *caps, SchemaRemarks *remarks);
/* The lowered schema as the target spells it (type_case, nullable, propertyOrdering). */
JsonNode *schema_lowered_json(Arena *a, const SchemaNode *lowered, const SchemaCaps *caps);
/* Undoes the root's wrapping in a reply: the value inside {"value": …}, or reply itself. */
const JsonNode *schema_unwrap(const SchemaNode *original, const SchemaCaps *caps, const JsonNode *reply);

#endif
