/*
 * Shared by the front ends: one reader per form, and the few tree shapes they all make.
 */
#ifndef SEED_FRONT_PARTS_H
#define SEED_FRONT_PARTS_H

#include "compiler/front/front.h"
#include "runtime/base/json.h"

enum { FRONT_DEPTH_MAX = 64, FRONT_NODES_MAX = 1 << 20 };

typedef enum MatterRule { MATTER_NONE, MATTER_READ } MatterRule;

/* Markdown and plain text: one system message. */
void markdown_parse(Compiler *c, Source *src, MatterRule matter, Node *file);
/* Messages JSON and request bodies. False: it is a prompt of ours, to be read as YAML. */
bool body_parse(Compiler *c, Source *src, Node *file);
/* True if name, description, schema and `strict: true` are all that each tool of a body's `tools` has. */
bool body_tools_are_plain(Str provider, const JsonNode *list);
/* The schema that a field of a body wants replies to match, an object's; NULL if it is no such field. */
const JsonNode *body_reply_schema(Str provider, Str field, const JsonNode *value);
/* A name for it that `reply` can say: the body's own, else the schema's title, else Reply. */
Str body_reply_name(Str provider, Str field, const JsonNode *value);
/* prompt.yaml, and the same keys in JSON. */
Node *yaml_parse(Compiler *c, Source *src);
/* The declarations that prompt.yaml stands for, as text of the language; NULL if it is no YAML. */
Text *yaml_to_sd(Compiler *c, Source *src);

/* Reads front matter at the start of the source into N_META nodes of file; *vars is set by `vars:`.
 * Returns the offset of the first byte of the text. */
size_t matter_read(Compiler *c, Source *src, Node *file, VarStyle *vars);

typedef enum TopKeys { TOP_NONE, TOP_PROMPT, TOP_BODY } TopKeys;
/* What the top-level keys of YAML or JSON bytes say, without reading the file. */
TopKeys keys_of_yaml(Str bytes);
TopKeys keys_of_json(Str bytes);
TopKeys keys_of_value(const JsonNode *root);

static inline Span front_span(const Source *src, size_t lo, size_t hi)
{
	return (Span){ src->base + (uint32_t)lo, src->base + (uint32_t)hi };
}

/* One run of the source as a text. */
Text *front_text(Arena *a, const Source *src, size_t lo, size_t hi);
/* [lo, hi) of a text as a text of its own. */
Text *front_text_sub(Arena *a, const Text *t, size_t lo, size_t hi);
/* An N_BODY that holds t as it is; its span is t's. */
Node *front_body(Arena *a, Text *t, Span span);
Node *front_leaf(Arena *a, NodeKind kind, Str name, Span span);

typedef enum CrRule { CR_KEEP, CR_REFUSE } CrRule;
/* t as it may stand in a prompt: a NUL is refused (SD058); a CR is read as LF by --normalize, else kept
 * (a JSON body, compiled as it is) or refused (SD057: where the text becomes text of the language). */
Text *front_checked_text(Compiler *c, Text *t, Span at, CrRule rule);
/* The Role of that name, or -1 after reporting SD056. */
int front_role(Compiler *c, Str name, Span at);

#endif
