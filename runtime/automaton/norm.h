/*
 * Norm: what a set of schemas demands of one value together, as alternatives that no longer combine: each
 * is a list of schemas whose own keywords all hold (`allOf`, `$ref` and a chosen branch of every union are in
 * it), and of schemas that must not hold. `oneOf` becomes its branches, each without the others; `if` becomes
 * two alternatives; `dependentRequired` too.
 *
 * The set of all norms that a schema leads to is finite, whatever `$ref`s it has: a norm is known by its
 * schemas, and what it says of a property or an item is a norm again.
 */
#ifndef SEED_AUTOMATON_NORM_H
#define SEED_AUTOMATON_NORM_H

#include "runtime/automaton/automaton.h"
#include "runtime/automaton/dfa_number.h"
#include "runtime/schema/node.h"

enum { NORMS_MAX = 20000, NORM_ALTS_MAX = 256, NORM_LITERAL_MAX = 2000 };
#define NORM_NONE UINT32_MAX

/* A schema that must not hold, and whose keyword says so. */
typedef struct Denial { const SchemaNode *node, *owner; Keyword keyword; } Denial;

typedef struct NameRule {
	Str name;
	uint32_t norm;       /* of its value */
	bool required;
} NameRule;

/* What an alternative says of objects. */
typedef struct ObjectRule {
	VEC(NameRule) name;  /* in the order in which they are written */
	Words further;       /* norms of other names, by kind */
	Dfa *names;          /* every name: label i + 1 is name i, label name.n + 1 + k is a further one of kind k */
	uint32_t n_further;  /* further names, as dfa_counts has it */
	uint64_t min, max;   /* properties */
} ObjectRule;

typedef struct ArrayRule {
	Words prefix;        /* norms of the first items */
	uint32_t rest;       /* norm of those behind them */
	uint64_t min, max;
} ArrayRule;

/* Strings: of dfa (NULL: any) with min to max code points. */
typedef struct StringRule {
	Dfa *dfa;
	uint32_t min, max;
} StringRule;

typedef struct NormAlt {
	unsigned types;      /* as schema_type_set: a whole number is SCHEMA_INTEGER */
	SchemaNodes node;
	VEC(Denial) deny;
	bool has_values;     /* of an enum or const: only these, all scalars, all allowed */
	VEC(const JsonNode *) value;
	bool is_false_ok, is_true_ok;
	StringRule string;   /* if SCHEMA_STRING */
	NumberRule number_rule;
	Dfa *number;         /* if SCHEMA_INTEGER or SCHEMA_NUMBER */
	bool scalars_read;
	ObjectRule object;
	ArrayRule array;
	unsigned lives;      /* the types of which some value exists */
} NormAlt;

typedef struct Norm {
	VEC(NormAlt *) alt;
} Norm;

/* A norm that must have no value of a type: else the denial cannot be held. */
typedef struct NormDoubt { uint32_t norm; unsigned type; Denial deny; } NormDoubt;

typedef struct Norms {
	Arena *a;
	const SchemaNode *root;
	SchemaErrors *errs;
	PairMap number;      /* schema -> its number + 1 */
	uint32_t n_number;
	Interner key;
	VEC(Norm *) norm;
	VEC(NormDoubt) doubt;
	Dfa *any_number, *any_integer;
	Dfa *format[8];
	PairMap regex;       /* Regex -> Dfa */
} Norms;

/* The norm of root, with all it leads to, and what of it can exist. NORM_NONE after errors. */
uint32_t norms_build(Norms *n);
/* The norm of a set of schemas; sorts it. */
uint32_t norm_of(Norms *n, SchemaNodes *set);
/* Every schema of the alternative takes the value, and no denied one does. */
bool norm_allows(Norms *n, const NormAlt *alt, const JsonNode *value);
bool norm_lives(const Norms *n, uint32_t norm);
void norm_refuse(Norms *n, const SchemaNode *at, Keyword k, Str message);

/* norm_rules.c: what an alternative says of arrays and objects; norms it leads to are made. */
void norm_read_rules(Norms *n, NormAlt *alt);
/* norm_scalar.c: of scalars; takes a type out of which it leaves nothing. */
void norm_read_scalars(Norms *n, NormAlt *alt);
Dfa *norm_regex_dfa(Norms *n, const SchemaNode *at, Keyword k, const Regex *re);
/* Strings that the norm accepts. NULL after an error. */
Dfa *norm_string_dfa(Norms *n, const SchemaNode *at, Keyword k, uint32_t norm);
/* The rule's strings as one Dfa. NULL: too many states. */
Dfa *string_rule_dfa(Arena *a, const StringRule *r);

#endif
