/*
 * Sema: the tree of one file and what it uses, made into a Unit: every name resolved, every type a
 * schema node, every prompt assembled into the messages it sends. Read by the AST passes (lints)
 * and by the IR builder; written only by sema_build.
 *
 * A block may stand in several prompts and bind differently in each, so references are resolved per
 * prompt and scope (sema_resolve), never stored in the tree.
 *
 * Invariant: a Unit is always returned, however broken the source; what failed is absent from the
 * lists or flagged NF_BAD and has been reported. Order in every list is source order unless said.
 */
#ifndef SEED_SEMA_H
#define SEED_SEMA_H

#include "compiler/ast/ast.h"
#include "compiler/source/compiler.h"
#include "runtime/base/map.h"
#include "runtime/schema/schema.h"
#include "runtime/target/target.h"

typedef struct Type Type;

typedef struct TypeField {
	Str name;
	const Type *type;     /* NULL: reported as unknown */
	bool is_optional;
	Str doc;
	const Node *decl;     /* N_FIELD; NULL if imported */
} TypeField;

struct Type {
	InputType kind;
	SchemaNode *schema;   /* NULL for text, docs, turns, image, file without constraints */
	Str spelled;          /* canonical spelling */
	const Type *item;     /* of a list or map */
	Str schema_name;      /* INPUT_OBJECT by name */
	VEC(TypeField) field; /* INPUT_OBJECT; docs and turns: of one document or turn */
	VEC(const Type *) alt; /* INPUT_UNION, without null */
	VEC(const Node *) value; /* INPUT_ENUM: N_STR, N_NUM, N_NAME; their names are the texts */
	Str lo, hi;           /* range as spelled, or empty: of the number, the code points or the items */
	Str pattern;          /* of text, or empty */
	bool is_nullable;
	bool is_open;         /* fields are not known: json, an imported object that takes more */
	bool is_finite;
	double n_value;       /* how many values a finite type has (a double: the product may be large) */
	bool holds_text;      /* text, docs, turns, json, image, file, or contains one: untrusted unless said */
	bool is_constrained;  /* text with a range or a pattern */
};

typedef struct Input {
	Str name;
	const Node *decl;     /* N_IN; NULL for one made from a Markdown variable */
	const Type *type;
	bool is_optional, is_key, is_trusted, trust_unknown, stability_written;
	Stability stability;
	uint32_t max_tok;     /* 0: unbounded */
	const Node *default_value;
	Str doc;
	uint32_t n_use;       /* set while the passes run */
} Input;

typedef struct Schema {
	Str name, doc;
	const Node *decl;
	Type *type;           /* INPUT_OBJECT; type->schema is node */
	SchemaNode *node;     /* $refs into the prompt's other schemas by name */
	uint32_t n_use;
} Schema;

typedef struct Tool {
	Str name, doc;
	const Node *decl;
	const Type *type;     /* INPUT_OBJECT of its parameters */
	SchemaNode *params;
} Tool;

typedef struct Reply {
	ReplyKind kind;
	const Type *type;     /* NULL: plain text */
	uint32_t max_tok;
	const Node *decl;     /* N_REPLY or the stage's clause; NULL if none was written */
} Reply;

typedef struct Constraint {
	Str name;
	const Node *decl;
	Modality modality;
	double weight;        /* -1: none */
	bool is_guardrail;
	VEC(Str) on;          /* stages; empty: the whole prompt */
} Constraint;

/* What one declaration puts into a message, in the order sent (language.md 3.1, 3.2). */
typedef enum PartKind { PART_ROLE, PART_MESSAGE, PART_INCLUDE, PART_CONSTRAINTS, PART_CONTEXT, PART_HISTORY, PART_EXAMPLE } PartKind;

typedef struct Part {
	PartKind kind;
	const Node *decl;     /* NULL for PART_CONSTRAINTS */
	Stability stability;  /* written, or inferred from what it contains */
	bool stability_written;
	double n_variant;     /* of its static text: product of finite inputs and conditions */
	Str name;
} Part;

/* A message the prompt sends: joined parts. A context, history or example stands alone as one part. */
typedef struct MessagePlan {
	Role role;
	Str name;
	bool is_exact;
	VEC(Part) part;
} MessagePlan;

typedef struct Stage {
	Str name;
	const Node *decl;
	VEC(Str) from;        /* stages and inputs, as resolved (the one before it when none was written) */
	Reply reply;
	double weight;        /* -1: none */
	int order;            /* place in the chain; -1: not in it */
} Stage;

typedef struct Cut {
	Str name;             /* empty: !CUT[] */
	CutHow how;
	uint32_t keep;
	double decay;
	Str mark;
	double weight;        /* -1: none */
	const Node *decl;
} Cut;

typedef struct CacheGroup {
	Str group, evict;
	uint32_t slot_lo, slot_hi;
	uint64_t ttl_s;
	const Node *decl;
} CacheGroup;

typedef enum SymbolKind { SYM_INPUT, SYM_STAGE, SYM_SCHEMA } SymbolKind;

/* What a name in a hole or condition may mean; one namespace. index is into the prompt's list. */
typedef struct Symbol {
	SymbolKind kind;
	uint32_t index;
	const Node *decl;
} Symbol;

/* One declaration as a prompt sees it. */
typedef struct Decl {
	Node *node;
	Str name;             /* here: `use a (b as c)` makes it c; empty where the kind has none */
	const struct Library *from;  /* NULL: the file asked for */
	const Node *use;      /* N_USE or N_USE_NAME that brought it, or NULL */
} Decl;

/* A file brought in by `use`, and the blocks its own texts see (private ones too). */
typedef struct Library {
	Node *file;
	const Source *source;
	Str path;             /* real path, or std/NAME */
	VEC(Decl) decl;       /* its shared declarations: what `use` sees */
	Map block, schema;    /* Str -> const Node * */
	const struct Library *used_by;  /* who asked first; NULL: the file asked for */
	uint32_t n_named;     /* how often a `use` named something of it */
} Library;

typedef struct Prompt {
	Str name, version, doc, lang;
	const Node *decl;     /* N_PROMPT; NULL for front ends without one */
	VEC(Str) target;
	VEC(const Node *) target_decl;
	VEC(const Target *) profile;  /* beside target; NULL where it is unknown and reported */
	VEC(Input) input;
	VEC(Schema) schema;
	VEC(Tool) tool;
	VEC(Constraint) constraint;
	VEC(const Node *) block;
	VEC(const Node *) example;
	VEC(MessagePlan) message;
	VEC(Stage) stage;     /* source order; Stage.order is the chain's */
	VEC(Str) chain;
	const Node *chain_decl;
	VEC(Cut) cut;
	VEC(const Node *) set, meta, test;
	VEC(Decl) decls;      /* everything it is made of: shared ones first, in source order */
	Map block_by_name;    /* Str -> const Node *, as the file asked for sees them */
	CacheGroup *cache;
	Reply reply;
	uint32_t budget_tok, anchor_every;
	bool constraints_placed;  /* by {{constraints}} */
	Map by_name;          /* Str -> Symbol */
} Prompt;

typedef struct Route {
	Str name;
	const Node *decl;
	VEC(const Node *) rule;   /* N_ROUTE_WHEN, N_ROUTE_ELSE */
	VEC(Input) input;         /* by the names its conditions use */
} Route;

typedef struct Unit {
	Compiler *c;
	Node *file;           /* N_FILE of the file asked for */
	FrontEnd front;
	VEC(Prompt *) prompt; /* a library has none */
	Prompt *self;         /* a library's declarations as if they were a prompt: checked, never sent; else NULL */
	VEC(Route *) route;
	VEC(Node *) used;     /* N_FILE of each file that `use` brought in, in order of first use */
	VEC(Library *) library;  /* the same files with their names */
	bool is_target_told;  /* that a target file was refused */
	VEC(Decl) shared;     /* before the first prompt: a library's own declarations */
} Unit;

/* Target data of a project's root, read when first asked for. Units that one thread checks in turn may
 * share it through Compiler.targets; its arena then outlives them. */
typedef struct ProjectTargets {
	Arena *arena;
	TargetTable table;
	TargetError err;
	bool is_read, is_bad;
} ProjectTargets;

Unit *sema_build(Compiler *c, Node *file, FrontEnd front);

/* What a part's text depends on. */
typedef struct Dependency {
	Stability stability;   /* of the least stable thing in it */
	const Input *input;    /* that thing; both NULL: it is fixed text */
	const Stage *stage;
	const Node *at;        /* where it first stands */
	double n_variant;      /* product of finite inputs and of conditions on presence */
} Dependency;

Dependency sema_depends(const Unit *u, const Prompt *p, const Part *part);

/* Loop names in scope, innermost first; frames live on the walker's stack. */
typedef struct Scope {
	const struct Scope *outer;
	Str item, index;      /* index may be empty */
	const Node *loop;     /* N_FOR or N_CONTEXT */
	const Node *binds;    /* N_INCLUDE whose N_BIND kids are visible, or NULL */
} Scope;

typedef struct Ref {
	RefKind kind;
	uint32_t index;       /* input or stage of the prompt */
	const Node *loop;     /* REF_LOOP, REF_LOOP_INDEX */
	const Type *type;     /* of the whole reference with its field; NULL if unknown */
	const Node *bound;    /* value bound by !INCLUDE[...: name = value], else NULL */
} Ref;

/* Silent: false when the name is not there (reported once by pass names). */
bool sema_resolve(const Unit *u, const Prompt *p, const Scope *scope, const Node *ref, Ref *out);
/* Built-in profiles and the project's; NULL when a file of the project was refused (reported). */
TargetTable *sema_targets(Unit *u);

/* Reports (SD405) what of the prompt's reply schemas the target cannot enforce, under the name that
 * the prompt gives it at that place. */
void sema_check_strict(Compiler *c, const Prompt *p, const Target *t, Str name, Span at);

/* Every name that a reference could mean there (loops, bindings, inputs, stages, schemas), for did-you-mean. */
uint32_t sema_scope_names(Arena *a, const Prompt *p, const Scope *scope, Str **out);

/* Why a literal (N_STR, N_NUM, N_NAME, N_LIST, N_JSON) is no value of the type; empty when it is one. */
Str sema_value_misfit(Arena *a, const Type *t, const Node *value);
/* The literal as canonical JSON: a word is a string where the type takes text or is an enum. */
void sema_value_json(Buf *out, const Type *t, const Node *value);

/* The block that an N_INCLUDE places, seen from the file it stands in; NULL if there is none. */
const Node *sema_block(const Unit *u, const Prompt *p, const Node *include);
const Schema *sema_schema(const Prompt *p, Str name);
/* `target` in `target.family`: known when compiled, no input. */
bool sema_is_target(const Node *ref);
/* Something of that name was declared and could not be read, which has been reported. */
bool sema_is_lost(const Unit *u, Str name);

/* Where the value of a reference comes from, through loops and bindings: what taint and stability ask. */
typedef struct Origin {
	const Input *input;   /* NULL: not an input */
	const Stage *stage;   /* NULL: not a stage's reply */
	bool is_counter;      /* a loop's counter: trusted, as stable as its list */
} Origin;

/* The field of that name; NULL when the type has none or its fields are not known. */
const TypeField *sema_field(const Type *t, Str name);
bool sema_origin(const Unit *u, const Prompt *p, const Scope *scope, const Node *ref, Origin *out);

#endif
