/*
 * Targets: what is known about each model, as dated data. One JSON file per family
 * (runtime/target/NAME.json, built in) holds what its models share and a list of models that say what
 * differs; a project adds or replaces models with files of the same form in its targets/ folder.
 *
 * Invariant: an unknown key, a value of the wrong kind or an unknown name is an error with its place;
 * built-in files have none (a test loads them all). A Target never changes once it is in the table.
 */
#ifndef SEED_TARGET_H
#define SEED_TARGET_H

#include "runtime/base/json.h"
#include "runtime/base/vec.h"
#include "runtime/bin/bin.h"

typedef enum TargetWire { WIRE_OPENAI, WIRE_ANTHROPIC, WIRE_GEMINI, TARGET_WIRE_COUNT } TargetWire;
typedef enum SystemPlace {
	SYSTEM_MESSAGE,  /* a message like the others */
	SYSTEM_FIELD,    /* a field of the body */
	SYSTEM_IN_USER,  /* opens the first user message */
	SYSTEM_IN_LAST_USER,
	SYSTEM_PLACE_COUNT
} SystemPlace;
typedef enum CacheKind { CACHE_NONE, CACHE_IMPLICIT, CACHE_PROMPT_KEY, CACHE_CONTROL, CACHE_KIND_COUNT } CacheKind;
typedef enum NativeReply {
	NATIVE_NONE,
	NATIVE_JSON_OBJECT,    /* JSON, but no schema */
	NATIVE_JSON_SCHEMA,    /* response_format: json_schema */
	NATIVE_OUTPUT_CONFIG,  /* output_config.format */
	NATIVE_RESPONSE_JSON_SCHEMA, /* generationConfig.responseJsonSchema */
	NATIVE_REPLY_COUNT
} NativeReply;

typedef VEC(Str) TargetNames;

typedef struct TargetCache {
	CacheKind kind;
	uint32_t min_tok, max_breakpoints, lookback_blocks;
	VEC(uint32_t) ttl_s;
} TargetCache;

/* US dollars per million tokens, as spelled; empty: not known. */
typedef struct TargetPrices {
	Str input, output, cache_read, cache_write, cache_write_1h;
} TargetPrices;

typedef struct TargetSet {
	Str name, key;   /* `set name`; where it stands in the body, dots descend */
	Str type;        /* the language's spelling: "number 0..2", "[text] 1..4", "enum(low, high)" */
	bool sampling;   /* dropped, with a remark, where the model takes no sampling parameters */
	uint32_t lo;     /* place in its file */
} TargetSet;

typedef struct ChatRole {
	Str before, after;
	bool known;
} ChatRole;

/* How messages become one text: special tokens come from here only. */
typedef struct ChatTemplate {
	Str name, bos, generate;
	ChatRole role[ROLE_COUNT];
	SystemPlace system;  /* of a template without that role: SYSTEM_IN_USER unless it says otherwise */
	TargetNames special;
} ChatTemplate;

typedef struct Target {
	Str name, id;       /* id: what the body's model says */
	Str family, provider, date, source, deprecated, tokenizer, default_system, litellm;
	TargetNames alias;
	TargetWire wire;
	uint32_t window_tok, max_output_tok;  /* 0: not known */
	unsigned roles;     /* bit per Role */
	SystemPlace system;
	bool alternates, needs_user, prefill, images, sampling, mid_system;
	TargetCache cache;
	TargetPrices prices;
	NativeReply native;
	bool strict_tools;
	Str max_key;
	TargetNames body;     /* the body's own keys, in order */
	VEC(TargetSet) set;
	const JsonNode *schema;      /* SchemaCaps as JSON (runtime/schema/lower.h); NULL: none enforced */
	const ChatTemplate *chat;    /* NULL: unknown */
	Str chat_name;
} Target;

typedef struct TargetError {
	Str message, file;
	uint32_t offset;  /* byte in the file */
} TargetError;

typedef struct TargetFamily {
	Str name, default_name;
} TargetFamily;

typedef struct TargetList {
	VEC(Target *) target;  /* later ones of a name replace earlier ones */
	VEC(TargetFamily) family;
	VEC(ChatTemplate *) chat;
} TargetList;

/* note [read when named]: a run knows one target or two, so a built-in file is read when a name is asked
 * for that stands in it. What a project adds is read at once: its mistakes must be told. */
typedef struct TargetTable {
	Arena *arena;
	TargetList project;    /* before the built-in ones of the same name */
	TargetList built_in;
	uint32_t is_read;      /* bit per built-in file */
} TargetTable;

void targets_init(TargetTable *t, Arena *arena);
/* Reads every built-in file that has not been read. False, which no build that passed its tests gives, with err. */
bool targets_read_all(TargetTable *t, TargetError *err);
/* One more file of the project; file is for messages. text must outlive the table. */
bool targets_add(TargetTable *t, Str file, Str text, TargetError *err);
/* targets/ *.json under the project's root, by name. True when there is none. */
bool targets_add_folder(TargetTable *t, Str root, TargetError *err);

/* By name, alias or family; NULL if unknown. */
const Target *target_find(TargetTable *t, Str name);
/* What the name might have meant; empty if nothing is near. */
Str target_suggest(TargetTable *t, Str name);
/* The tokenizers that targets name, each once; added to *all. */
void targets_tokenizers(TargetTable *t, TargetNames *all);
/* The default of the first family with that wire. NULL never for built-in wires. */
const Target *target_find_default(TargetTable *t, TargetWire wire);
const ChatTemplate *target_find_chat(TargetTable *t, Str name);
/* One line per target: name, window, aliases. */
void targets_list(TargetTable *t, Buf *out);

/* NULL if the target has no such setting. */
const TargetSet *target_find_set(const Target *t, Str name);
/* Whether a value is of the setting's type (one value will do for a list); *why otherwise ("is 3, not within 0..2"). */
bool target_check_set(Arena *arena, const TargetSet *set, const JsonNode *value, Str *why);

static inline bool target_knows_role(const Target *t, Role r) { return t->roles >> r & 1; }

#endif
