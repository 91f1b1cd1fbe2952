/*
 * SchemaNode: one JSON Schema 2020-12 schema as the project holds it, whether it was written in the
 * language or imported. It has every keyword of keyword.def; a keyword binds only values of its type.
 *
 * A graph, not a tree: `$ref` is a pointer to its target, which may stand in another root (a schema of
 * the same prompt). Export gathers such targets under `$defs`, so what is written is self-contained.
 * Invariant: everything lives in one arena; nodes are built once and then only read; import and
 * schema_check leave no `$ref` that leads back to itself without entering the value.
 */
#ifndef SEED_SCHEMA_SCHEMA_H
#define SEED_SCHEMA_SCHEMA_H

#include "runtime/base/json.h"
#include "runtime/base/num.h"
#include "runtime/base/regex.h"
#include "runtime/base/vec.h"

typedef enum Keyword {
#define KEYWORD(id, spelling, shape, slot) KW_##id,
#include "runtime/schema/keyword.def"
	KW_COUNT
} Keyword;

typedef enum SchemaType {
	SCHEMA_NULL = 1, SCHEMA_BOOLEAN = 2, SCHEMA_INTEGER = 4, SCHEMA_NUMBER = 8, SCHEMA_STRING = 16,
	SCHEMA_ARRAY = 32, SCHEMA_OBJECT = 64,
} SchemaType;

enum { TEXT_ID, TEXT_ANCHOR, TEXT_TITLE, TEXT_DESCRIPTION, TEXT_FORMAT, TEXT_COUNT };
enum { VALUE_CONST, VALUE_DEFAULT, VALUE_EXAMPLES, VALUE_COUNT };
enum {
	COUNT_MIN_LENGTH, COUNT_MAX_LENGTH, COUNT_MIN_ITEMS, COUNT_MAX_ITEMS, COUNT_MIN_CONTAINS, COUNT_MAX_CONTAINS,
	COUNT_MIN_PROPERTIES, COUNT_MAX_PROPERTIES, COUNT_COUNT
};
enum {
	NUMBER_MINIMUM, NUMBER_MAXIMUM, NUMBER_EXCLUSIVE_MINIMUM, NUMBER_EXCLUSIVE_MAXIMUM, NUMBER_MULTIPLE_OF,
	NUMBER_COUNT
};
enum {
	SUB_ITEMS, SUB_CONTAINS, SUB_ADDITIONAL, SUB_PROPERTY_NAMES, SUB_NOT, SUB_IF, SUB_THEN, SUB_ELSE, SUB_COUNT
};
enum { LIST_PREFIX_ITEMS, LIST_ANY_OF, LIST_ONE_OF, LIST_ALL_OF, LIST_COUNT };
enum { MAP_PROPERTIES, MAP_PATTERN_PROPERTIES, MAP_DEPENDENT_SCHEMAS, MAP_DEFS, MAP_COUNT };

typedef struct SchemaNode SchemaNode;

typedef struct SchemaNumber {
	Str spelled;
	Num num;
} SchemaNumber;

typedef struct SchemaEntry {
	Str name;      /* property, pattern or definition */
	SchemaNode *schema;
	Regex *regex;  /* patternProperties only */
} SchemaEntry;

typedef struct SchemaDependent {
	Str name;
	VEC(Str) need;
} SchemaDependent;

typedef enum SchemaKind { SCHEMA_RULES, SCHEMA_TRUE, SCHEMA_FALSE } SchemaKind;

struct SchemaNode {
	SchemaKind kind;         /* SCHEMA_TRUE and SCHEMA_FALSE have no keywords */
	uint64_t present;        /* bit per Keyword: what was said; an absent one binds nothing */
	uint32_t lo, hi;         /* where it was written, for diagnostics; 0, 0 if nowhere */
	Str name;                /* of a named schema (`schema NAME`, a `$defs` entry); else p == NULL */
	unsigned types;          /* SchemaType bits */
	Str text[TEXT_COUNT];
	JsonNode *value[VALUE_COUNT];
	VEC(JsonNode *) enum_value;
	uint64_t count[COUNT_COUNT];
	SchemaNumber number[NUMBER_COUNT];
	Str pattern;
	Regex *regex;
	bool unique;
	SchemaNode *sub[SUB_COUNT];
	VEC(SchemaNode *) list[LIST_COUNT];
	VEC(SchemaEntry) map[MAP_COUNT];  /* in declared order */
	VEC(Str) required;
	VEC(SchemaDependent) dependent;
	Str ref;                 /* as written: a name of the language, or a URI reference */
	SchemaNode *target;      /* of ref; NULL until bound */
	VEC(JsonMember) note;    /* annotations kept as they are */
};

static inline bool schema_has(const SchemaNode *s, Keyword k) { return s->present >> k & 1; }
const char *schema_keyword_name(Keyword k);
/* "string", "integer", … of one bit. */
const char *schema_type_name(SchemaType t);

/* ---- building (language types, hand-made schemas) ---- */

SchemaNode *schema_new(Arena *a);                       /* {}: any value (json) */
SchemaNode *schema_new_never(Arena *a);                 /* false */
SchemaNode *schema_new_type(Arena *a, unsigned types);  /* text, int, number, bool, null */
/* Values are scalars (enum(a, "b c", 3)); `type` is set to their kinds. */
SchemaNode *schema_new_enum(Arena *a, JsonNode *const *value, uint32_t n);
SchemaNode *schema_new_const(Arena *a, JsonNode *value);
SchemaNode *schema_new_array(Arena *a, SchemaNode *item);
SchemaNode *schema_new_map(Arena *a, SchemaNode *value);  /* map(T): any names */
/* A closed object: additionalProperties false. */
SchemaNode *schema_new_object(Arena *a);
typedef enum FieldNeed { FIELD_REQUIRED, FIELD_OPTIONAL } FieldNeed;
/* doc.p == NULL: none. It is put on the field's schema (beside $ref too). False if the name is taken. */
bool schema_add_field(Arena *a, SchemaNode *object, Str name, SchemaNode *type, FieldNeed need, Str doc);
SchemaNode *schema_get_field(const SchemaNode *object, Str name);  /* follows $ref; NULL if none */
bool schema_is_required(const SchemaNode *object, Str name);
/* T | null, in the plainest form that says it. */
SchemaNode *schema_new_nullable(Arena *a, SchemaNode *t);
SchemaNode *schema_new_union(Arena *a, SchemaNode *const *alternative, uint32_t n);  /* anyOf */
/* A name to be bound with schema_bind once every schema exists. */
SchemaNode *schema_new_ref(Arena *a, Str name);
void schema_bind(SchemaNode *ref, SchemaNode *target);
SchemaNode *schema_new_docs(Arena *a);   /* [{title?, text, …}] of language.md 3.3 */
SchemaNode *schema_new_turns(Arena *a);  /* [{role, content}] */

void schema_set_doc(SchemaNode *s, Str doc);
void schema_set_default(SchemaNode *s, JsonNode *value);
void schema_set_count(SchemaNode *s, Keyword k, uint64_t n);      /* KW_MIN_LENGTH, KW_MAX_ITEMS, … */
/* False if spelled is no JSON number, or a multipleOf that is not > 0 or has more than 64 digits. */
bool schema_set_number(SchemaNode *s, Keyword k, Str spelled);    /* KW_MINIMUM, … */
/* False and *err on a bad pattern. */
bool schema_set_pattern(Arena *a, SchemaNode *s, Str pattern, RegexError *err);

/* Through `$ref`s to the first node that says more than where to look. */
const SchemaNode *schema_follow(const SchemaNode *s);
/* SchemaType bits that s can accept at all, as far as type, enum, const, $ref and unions tell. */
unsigned schema_possible_types(const SchemaNode *s);

/* ---- JSON Schema 2020-12 ---- */

typedef struct SchemaError {
	Str message;      /* names the keyword */
	Str pointer;      /* JSON pointer into the schema */
	uint32_t offset;  /* of the offending JSON */
} SchemaError;

typedef VEC(SchemaError) SchemaErrors;

/* NULL and at least one error when a keyword is malformed, outside the subset (named), or a `$ref` is
 * remote, dangling or circular. json and its source must outlive the arena's use. */
SchemaNode *schema_import(Arena *a, const JsonNode *json, SchemaErrors *errs);
/* Read and import; JSON errors and duplicate keys are errors too. base as in json_read. */
SchemaNode *schema_import_text(Arena *a, Str src, uint32_t base, SchemaErrors *errs);
/* For a root built by hand: unbound or circular `$ref`s. True when there is none. */
bool schema_check(Arena *a, const SchemaNode *root, SchemaErrors *errs);
/* Self-contained; keywords in keyword.def's order, properties as declared; targets outside root under
 * `$defs` by their name. Export then import gives the same schema, docs and order included. */
JsonNode *schema_export(Arena *a, const SchemaNode *root);
void schema_write_minified(Buf *b, const SchemaNode *root);
void schema_write_indented(Buf *b, const SchemaNode *root);

/* ---- validation ---- */

enum SchemaMode {
	SCHEMA_STRICT = 0,
	SCHEMA_NULL_IS_ABSENT = 1,  /* null for an optional field counts as absent (strict targets send it) */
	SCHEMA_FORMATS = 2,         /* `format` binds: date, time, date-time, email, uri, uuid, ipv4, ipv6 */
};

typedef struct SchemaIssue {
	Str message;               /* "must be one of "low", "high"; it is "medium"" */
	Str instance, schema;      /* JSON pointers; schema goes through $ref */
	uint32_t lo, hi;           /* span of the offending JSON */
	const SchemaNode *node;
	Keyword keyword;
} SchemaIssue;

typedef VEC(SchemaIssue) SchemaIssues;

/* True if the value is accepted. issues may be NULL; else what is wrong, in the value's order. mode is
 * SCHEMA_STRICT or the sum of others. */
bool schema_validate(Arena *a, const SchemaNode *s, const JsonNode *value, unsigned mode, SchemaIssues *issues);

/* ---- text for the model ---- */

/* TypeScript-like: docs as // lines, ranges and patterns as comments, named schemas as types after
 * the expression. No newline at the end. */
void schema_write_ts(Buf *b, const SchemaNode *root);

#endif
