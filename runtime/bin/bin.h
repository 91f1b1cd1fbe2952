/*
 * The binary prompt, version 1: what `seedc prompt.sd -o prompt.bin` writes and everything after the
 * compiler reads (emit, diff, run). The reader owns this header; docs/bin-format.md is normative.
 *
 * A file is a 64-byte header, a section table, and aligned little-endian sections of fixed-size
 * records. Text lives in one string pool. A prompt's body is a flat list of segments; structure is
 * begin/end segments that hold the index of their partner.
 *
 * Invariant: after bin_open returned BIN_OK every index, range, string and partner in every known
 * section is in bounds, begin/end nest, condition programs are well formed and all strings are UTF-8
 * without NUL, so readers index without further checks. The reader allocates nothing and hands out
 * pointers into the bytes it was given. Unknown sections marked optional are skipped; any other is
 * refused.
 */
#ifndef SEED_BIN_H
#define SEED_BIN_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/str.h"

#define BIN_MAGIC "SEEDBIN\x1a"
enum {
	BIN_VERSION_MAJOR = 1, BIN_VERSION_MINOR = 2, BIN_HASH_BYTES = 32, BIN_ALIGN = 16,
	BIN_DEPTH_MAX = 192,  /* open segments at once: readers keep a stack of this size */
	BIN_STACK_MAX = 64,   /* values on a condition's stack */
};
#define BIN_NONE UINT32_MAX

/* Numbers in these enums are the format: append only. */
typedef enum Role { ROLE_SYSTEM, ROLE_DEVELOPER, ROLE_USER, ROLE_ASSISTANT, ROLE_TOOL, ROLE_COUNT } Role;
typedef enum Modality { MOD_NONE, MOD_MUST, MOD_SHOULD, MOD_MAY, MOD_NEVER, MOD_COUNT } Modality;
typedef enum Stability { STAB_STATIC, STAB_SESSION, STAB_TURN, STAB_COUNT } Stability;
typedef enum CmpOp { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_COUNT } CmpOp;

typedef enum SegKind {
	/* text and holes */
	SEG_TEXT,           /* text */
	SEG_HOLE,           /* ref, filters; text: the hole as written, printed when unbound */
	SEG_SCHEMA,         /* a shown schema: text is its rendering, aux the schema, node name */
	/* structure: begin and end are partners; `when` is cond on the begin: false skips to the end */
	SEG_MESSAGE, SEG_MESSAGE_END,        /* role, name; EXACT keeps it when empty */
	SEG_PART, SEG_PART_END,              /* what one declaration gives; parts of a message are joined by a blank line */
	SEG_CONSTRAINTS, SEG_CONSTRAINTS_END, /* the list of constraints: non-empty items are joined by one LF */
	SEG_CONSTRAINT, SEG_CONSTRAINT_END,  /* modality, name; its label is generated text inside */
	SEG_BLOCK, SEG_BLOCK_END,            /* an included block, for provenance and matching; transparent */
	SEG_IF, SEG_ELIF, SEG_ELSE, SEG_IF_END, /* partner: next arm or end; END's partner is the IF. text: directive line as written */
	SEG_FOR, SEG_FOR_END,                /* ref: the list; text: directive line as written */
	SEG_CONTEXT, SEG_CONTEXT_END,        /* in a PART: once per document of ref; documents joined by a blank line; top in aux, squash */
	SEG_HISTORY,                         /* at top level: the turns of ref, one message each; cond: `when` */
	SEG_EXAMPLE, SEG_EXAMPLE_END,        /* name; holds messages, calls, results */
	SEG_CALL, SEG_CALL_END,              /* a tool call of the assistant: aux the tool (or NONE), name; text: its id or empty; inner text is JSON */
	SEG_RESULT, SEG_RESULT_END,          /* a tool's result: role TOOL; text: the id of its call or empty */
	SEG_STAGE, SEG_STAGE_END,            /* aux: stage index; its text is the stage's own user message */
	SEG_CONTENT,                         /* a message's content given as JSON (front end messages JSON): text is canonical JSON */
	SEG_IMAGE,                           /* ref: image or file input alone on a line: becomes a content part */
	SEG_KIND_COUNT
} SegKind;

/* What a segment may stand in, and what it opens. */
enum SegPlace { IN_TOP = 1, IN_EXAMPLE = 2, IN_MESSAGE = 4, IN_TEXT = 8, IN_LIST = 16 };
typedef enum SegShape { SEG_LEAF, SEG_BEGIN, SEG_ARM, SEG_END } SegShape;

typedef struct SegInfo {
	const char *printed;
	SegShape shape;
	SegKind end;           /* what closes it */
	uint8_t where, holds;  /* SegPlace */
} SegInfo;

extern const SegInfo seg_info[SEG_KIND_COUNT];  /* segs.def */

enum SegFlag {
	SEG_PROTECTED = 1,   /* guardrail, must, never, or @static: no pass may alter it */
	SEG_EXACT = 2,
	SEG_RAW = 4,
	SEG_HOISTABLE = 8,
	SEG_GUARDRAIL = 16,
	SEG_STABILITY_WRITTEN = 32,
	SEG_INLINE = 64,     /* a whole part without a final LF of its own */
	SEG_GENERATED = 128, /* text the compiler wrote (labels) */
	SEG_LIST_HOLE = 256, /* the value is a list, docs or turns: a joining filter is present */
	SEG_CONTINUATION = 512, /* generated indent of a constraint's further lines: left out while the item has no text yet */
	SEG_FLAG_MASK = 1023,
};

typedef struct BinStr { uint32_t off, len; } BinStr;      /* bytes in the string pool */
typedef struct BinRange { uint32_t first, n; } BinRange;  /* records in the section the field names */

typedef struct BinSeg {
	uint8_t kind, role, stability, modality;
	uint32_t flags;
	uint32_t partner;   /* BIN_NONE where the kind has none */
	uint32_t node;      /* NODE record that it came from, or BIN_NONE */
	BinStr text;
	BinStr name;        /* the declaration's or block's name */
	uint32_t ref;       /* REF, or BIN_NONE */
	uint32_t aux;       /* by kind, or BIN_NONE */
	BinRange cond;      /* COND program (postfix); n = 0: always */
	BinRange filter;    /* FILTER */
	float weight;       /* 0..1; -1 when none was given */
	float squash;       /* similarity threshold; -1 when none */
} BinSeg;

typedef enum RefKind {
	REF_INPUT,  /* index: INPUT */
	REF_LOOP,   /* index: the SEG_FOR or SEG_CONTEXT segment; the item */
	REF_LOOP_INDEX, /* index: the SEG_FOR; its counter from 1 */
	REF_STAGE,  /* index: STAGE; its reply (field: a member of it) */
	REF_REPLY,  /* tests: the reply under test; never in a file */
	REF_TARGET, /* `target.family`: of the target rendered for; index BIN_NONE */
	REF_KIND_COUNT
} RefKind;

typedef struct BinRef {
	uint32_t kind, index;
	BinStr name;   /* root as written */
	BinStr field;  /* empty: the whole value */
} BinRef;

typedef enum FilterKind {
	FILTER_JSON, FILTER_XML, FILTER_FENCE, FILTER_LINES, FILTER_BULLETS, FILTER_JOIN, FILTER_DEFAULT, FILTER_KIND_COUNT
} FilterKind;

typedef struct BinFilter {
	uint32_t kind;
	BinStr arg;  /* info of fence, separator of join, text of default */
} BinFilter;

/* Postfix programs over a stack of at most BIN_STACK_MAX. */
typedef enum CondOp {
	COND_REF,     /* push the value of ref (bare: its truth) */
	COND_STR, COND_NUM, COND_NAME, /* push literal s; NAME: an enum value, true, false */
	COND_HAS, COND_COUNT, COND_REPEATS, /* of ref: push */
	COND_CMP,     /* pop 2, push; cmp */
	COND_MATCH,   /* pop 1; s: regex, search semantics */
	COND_IN,      /* pop n_arg values and the operand below them */
	COND_NOT, COND_AND, COND_OR,
	COND_TOKENS, COND_MESSAGES, /* tests: of the rendered request */
	COND_OP_COUNT
} CondOp;

typedef struct BinCond {
	uint8_t op, cmp;
	uint16_t n_arg;
	uint32_t ref;
	BinStr s;
} BinCond;

typedef enum InputType {
	INPUT_TEXT, INPUT_BOOL, INPUT_INT, INPUT_NUMBER, INPUT_ENUM, INPUT_JSON, INPUT_DOCS, INPUT_TURNS,
	INPUT_IMAGE, INPUT_FILE, INPUT_LIST, INPUT_MAP, INPUT_OBJECT, INPUT_UNION, INPUT_TYPE_COUNT
} InputType;

enum InputFlag { INPUT_OPTIONAL = 1, INPUT_TRUSTED = 2, INPUT_KEY = 4, INPUT_HAS_DEFAULT = 8, INPUT_TRUST_UNKNOWN = 16 };

typedef struct BinInput {
	uint8_t type, stability;
	uint16_t flags;
	uint32_t max_tok;    /* 0: unbounded */
	BinStr name, doc;
	BinStr type_text;    /* canonical spelling: `enum(web, ios)`, `[Term] 0..200` */
	BinStr default_json; /* JSON value */
	uint32_t schema;     /* SCHEMA of the value, or BIN_NONE for text docs turns image file */
} BinInput;

typedef struct BinSchema {
	BinStr name;  /* empty: anonymous */
	BinStr doc;
	BinStr json;  /* canonical JSON Schema, order as declared, self-contained ($defs) */
	BinStr ts;    /* the TypeScript-like form that {{Name}} shows */
} BinSchema;

typedef struct BinTool {
	BinStr name, doc;
	BinStr params_json;  /* JSON Schema of the arguments */
} BinTool;

typedef enum ReplyKind { REPLY_TEXT, REPLY_JSON, REPLY_SCHEMA, REPLY_BARE, REPLY_KIND_COUNT } ReplyKind; /* BARE: enum, bool, number as bare text */

typedef struct BinReply {
	uint32_t kind;     /* ReplyKind */
	uint32_t schema;   /* SCHEMA or BIN_NONE */
	uint32_t max_tok;  /* 0: not given */
	BinStr type_text;
} BinReply;

typedef struct BinStage {
	BinStr name;
	BinRange from;     /* NAME */
	BinReply reply;
	uint32_t seg;      /* its SEG_STAGE */
	float weight;      /* -1: none */
} BinStage;

typedef struct BinSet { BinStr provider, name, json; } BinSet;
typedef struct BinMeta { BinStr name, json; } BinMeta;
typedef struct BinName { BinStr s; } BinName;

typedef enum CutHow { CUT_AUTO, CUT_OLDEST, CUT_TAIL, CUT_HEAD, CUT_MIDDLE, CUT_DECAY, CUT_HOW_COUNT } CutHow;

typedef struct BinCut {
	BinStr name;      /* part, input or stage; empty: !CUT[] */
	uint32_t how, keep;
	float decay;
	BinStr mark;
	float weight;     /* of !WEIGHT; -1 none. how is CUT_AUTO where only a weight was given */
} BinCut;

typedef struct BinCache {
	BinStr group;
	uint32_t slot_lo, slot_hi;
	uint64_t ttl_s;
	BinStr evict;  /* lru, lfu or empty */
} BinCache;

typedef struct BinRouteRule {
	BinRange cond;    /* n = 0: else */
	BinStr prompt;
	uint32_t index;   /* PROMPT */
	BinStr text;      /* the condition as written, canonical spacing */
} BinRouteRule;

typedef struct BinRoute {
	BinStr name;
	BinRange input;   /* INPUT */
	BinRange rule;    /* ROUTE_RULE */
} BinRoute;

/* One per declaration that has text or a name: what diff matches. */
typedef enum BinNodeKind {
	BNODE_ROLE, BNODE_BLOCK, BNODE_MESSAGE, BNODE_CONSTRAINT, BNODE_CONTEXT, BNODE_HISTORY, BNODE_EXAMPLE,
	BNODE_STAGE, BNODE_KIND_COUNT
} BinNodeKind;

typedef struct BinNode {
	uint8_t kind, role, modality, stability;
	uint32_t flags;    /* SegFlag */
	BinStr name;
	BinRange seg;      /* SEG it placed first */
	BinRange on;       /* NAME: stages of a constraint */
	float weight;
} BinNode;

typedef struct BinPrompt {
	BinStr name, version, doc, lang;
	BinRange target;   /* NAME */
	BinRange input;    /* INPUT */
	BinRange seg;      /* SEG, whole messages at top level, then stages */
	BinRange node;     /* NODE */
	BinRange schema;   /* SCHEMA */
	BinRange tool;     /* TOOL, sorted by name */
	BinRange stage;    /* STAGE, in chain order */
	BinRange set;      /* SET, sorted by provider, name */
	BinRange meta;     /* META, sorted by name */
	BinRange cut;      /* CUT */
	BinRange chain;    /* NAME, as written in !CHAIN (stages or prompts of the file) */
	BinReply reply;
	uint32_t budget_tok;   /* 0: none */
	uint32_t anchor_every; /* 0: none */
	uint32_t cache;        /* CACHE or BIN_NONE */
	uint32_t front_end;    /* FrontEnd it came from; not hashed, nor are name, version, doc, lang, target, meta */
	uint8_t hash[BIN_HASH_BYTES]; /* SHA-256 of the canonical form */
} BinPrompt;

/* Optional debug sections: the map from text bytes to source. Not hashed. */
typedef struct BinDebugRun { uint32_t seg, text_off, file, src_off, len, line; } BinDebugRun;
typedef struct BinDebugFile { BinStr name; } BinDebugFile;

/* Optional: the automaton that holds a reply to its schema (runtime/automaton/flat.h), as words. Not hashed: it is
 * made from the schema, and a reader without it makes it again. */
typedef struct BinAutomaton {
	uint32_t schema;   /* SCHEMA, or BIN_NONE for any JSON */
	uint32_t form;     /* 0 JSON, 1 bare text */
	BinRange word;     /* AUTOMATON_WORD */
} BinAutomaton;
typedef struct BinWord { uint32_t w; } BinWord;

/* Optional: ids of the file's texts, made ahead by one vocabulary; wire/shipped.h says what a record promises. Not
 * hashed: they are made from the texts, and a reader that has another vocabulary makes its own. */
typedef struct BinTokenizer {
	uint8_t fingerprint[BIN_HASH_BYTES];  /* of the vocabulary (token/vocab.h); tokenizers ascend by it */
	BinRange text;            /* TOKEN_TEXT */
} BinTokenizer;

typedef struct BinTokenText {
	BinStr text;       /* a part of some text; those of one tokenizer ascend and do not overlap */
	BinRange id;       /* TOKEN_ID */
} BinTokenText;

typedef enum SectionKind {
	SECTION_STR = 1, SECTION_PROMPT, SECTION_INPUT, SECTION_SEG, SECTION_REF, SECTION_FILTER, SECTION_COND,
	SECTION_SCHEMA, SECTION_TOOL, SECTION_STAGE, SECTION_SET, SECTION_META, SECTION_NAME, SECTION_CUT,
	SECTION_CACHE, SECTION_ROUTE, SECTION_ROUTE_RULE, SECTION_NODE,
	SECTION_DEBUG_FILE = 64, SECTION_DEBUG_RUN, SECTION_AUTOMATON, SECTION_AUTOMATON_WORD,
	/* 128 and above: per tokenizer or model, optional */
	SECTION_KV = 128,  /* bytes: a saved KV cache of the prompt's beginning (runtime/kv/kv_file.h) */
	SECTION_TOKENIZER, SECTION_TOKEN_TEXT, SECTION_TOKEN_ID,
	SECTION_KIND_MAX = 256
} SectionKind;

enum SectionFlag { SECTION_OPTIONAL = 1 };

typedef struct BinSection {
	uint32_t kind, flags;
	uint64_t off, size;         /* bytes from the file's start; off is a multiple of BIN_ALIGN */
	uint32_t record_size, n_record;
} BinSection;

typedef struct BinHeader {
	uint8_t magic[8];
	uint16_t version_major, version_minor;
	uint32_t n_section;
	uint64_t file_size;
	uint32_t section_off, checksum;  /* checksum: bin_checksum */
	uint8_t hash[BIN_HASH_BYTES];  /* SHA-256 over the prompts' hashes and the routes */
} BinHeader;

_Static_assert(sizeof(BinHeader) == 64, "header is 64 bytes");

typedef enum BinStatus { BIN_OK, BIN_TRUNCATED, BIN_NOT_BIN, BIN_VERSION, BIN_CORRUPT } BinStatus;

typedef struct BinError {
	uint64_t off;         /* byte in the file */
	const char *message;  /* static */
} BinError;

/* A checked view; borrows the bytes. Arrays are records of their section, n_* their counts. */
typedef struct Bin {
	const uint8_t *bytes;
	size_t n_bytes;
	const BinHeader *header;
	Str pool;
	Str kv;            /* empty: nothing was baked in */
#define TABLE(section, T, field, n_bytes) const T *field; uint32_t n_##field;
#include "runtime/bin/bin_sections.def"
#undef TABLE
} Bin;

/* bytes must be 16-byte aligned (mmap and malloc are) and outlive the view. */
BinStatus bin_open(Bin *out, const void *bytes, size_t n_bytes, BinError *err);
/* The content hash of one prompt and of the file: SHA-256 of the canonical forms of docs/bin-format.md. */
void bin_hash_prompt(const Bin *b, uint32_t prompt, uint8_t out[BIN_HASH_BYTES]);
/* The first four bytes of the SHA-256 of all bytes, the header's checksum taken as zero. */
uint32_t bin_checksum(const uint8_t *bytes, size_t n_bytes);
void bin_hash_file(const Bin *b, uint8_t out[BIN_HASH_BYTES]);
/* Recomputes every content hash, and wants zeros between sections: BIN_OK or BIN_CORRUPT with the place. */
BinStatus bin_verify(const Bin *b, BinError *err);

static inline Str bin_str(const Bin *b, BinStr s) { return (Str){ b->pool.p + s.off, s.len }; }
static inline Str bin_name(const Bin *b, uint32_t i) { return bin_str(b, b->name[i].s); }

#endif
