/* What the bodies of all forms share: ordered members, settings, tools, the reply's schema. */
#ifndef SEED_WIRE_BODY_H
#define SEED_WIRE_BODY_H

#include "runtime/wire/frame.h"
#include "runtime/wire/lower.h"

typedef struct Body {
	const WireInput *in;
	const Request *request;
	WireReport *report;
	Arena *arena;
	JsonNode *root;  /* members in the order put; body_write orders them */
} Body;

/* Puts at a dotted path, making objects on the way; replaces what is there. */
void body_put(Body *b, Str path, JsonNode *value);
void body_put_text(Body *b, const char *path, Str text);
/* Prompt settings: known names by the target's table, the provider's own verbatim. */
void body_put_settings(Body *b);
/* reply max, where the target wants it; its own limit where the form cannot do without. */
void body_put_max(Body *b, bool required);
/* One line: the target table's keys in its order, then the rest by name. */
void body_write(Buf *out, const Body *b);

JsonNode *body_text(Arena *a, Str text);  /* {"type":"text","text":…} */

/* A JSON text of the binary; NULL if it is empty. */
JsonNode *body_read(Arena *a, Str json);

typedef struct LoweredTool {
	Str name, doc;
	JsonNode *params;
	bool strict;
} LoweredTool;

/* Tools sorted by name, parameters lowered where the target is strict. */
uint32_t body_tools(Body *b, LoweredTool **out);

typedef struct LoweredReply {
	Str name, doc;
	JsonNode *schema;  /* NULL: no schema */
	bool json;         /* any JSON is wanted */
	bool strict;
} LoweredReply;

/* The request's reply as the target enforces it; an error is noted when it cannot be lowered. */
LoweredReply body_reply(Body *b);

/* The cache group and the start of the prompt's hash; empty where the prompt names no group. */
Str body_cache_key(Body *b);

void wire_write_openai(Buf *out, Body *b, Lowered *l);
void wire_write_anthropic(Buf *out, Body *b, Lowered *l);
void wire_write_gemini(Buf *out, Body *b, Lowered *l);
void wire_write_chat(Buf *out, Body *b, Lowered *l);
void wire_write_neutral(Buf *out, Body *b);
/* Appends the template's special tokens and text, and the messages between. */
void wire_frame_chat(WireFrame *f, Body *b, const Lowered *l);

#endif
