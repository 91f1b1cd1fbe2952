/*
 * Render: a prompt of a binary and its values become requests, lists of messages whose content is a
 * list of typed runs. There is no string that is split later: what a value holds can never open a
 * message, close one or become a special token (docs/language.md, section 3).
 *
 * A prompt without stages is one request; with stages it is one per stage, in chain order, and each
 * is the prompt's messages and then the stage's own user message.
 */
#ifndef SEED_RUNTIME_RENDER_H
#define SEED_RUNTIME_RENDER_H

#include "runtime/base/vec.h"
#include "runtime/render/cond.h"
#include "runtime/token/shelf.h"

typedef enum RunKind {
	RUN_TEXT,     /* template text: seg and off say where it stands */
	RUN_JOIN,     /* generated between parts, documents and items */
	RUN_VALUE,    /* what a hole gave: seg is the hole */
	RUN_UNBOUND,  /* a hole or a directive line as written, for want of a value */
	RUN_IMAGE,    /* one image or file; text: its URL or data URI */
} RunKind;

typedef struct RenderRun {
	uint8_t kind, stability;
	uint32_t seg;   /* SEG record, or BIN_NONE */
	uint32_t off;   /* RUN_TEXT: offset in the segment's text */
	uint32_t part;  /* index into the message's parts */
	Str text;
} RenderRun;

/* What one declaration put into a message; a cache breakpoint can stand behind it. */
typedef struct RenderPart {
	uint32_t first, n;  /* runs */
	uint8_t stability;
	bool stability_written;
	bool boundary;      /* begins after a blank line */
} RenderPart;

typedef struct ToolCall {
	Str id, name;
	Str args_json;  /* canonical JSON object */
} ToolCall;

typedef struct RenderMessage {
	Role role;
	Str name;            /* a turn's, or the tool's of a tool message */
	bool exact;
	VEC(RenderRun) run;
	VEC(RenderPart) part;
	VEC(ToolCall) call;  /* of an assistant message */
	Str call_id;         /* of a tool message: which call it answers; name is the tool's */
	Str content_json;    /* given as JSON: the content, or the whole message where it is an object with a role */
} RenderMessage;

typedef enum RenderRemarkKind {
	RENDER_EMPTY_MESSAGE, RENDER_TOP, RENDER_SQUASH, RENDER_NO_VOCABULARY, RENDER_UNCUT
} RenderRemarkKind;

typedef struct RenderRemark {
	RenderRemarkKind kind;
	Str message;
	uint32_t seg;  /* or BIN_NONE */
} RenderRemark;

typedef struct Request {
	const BinPrompt *prompt;
	Str stage;              /* empty: the prompt itself */
	BinReply reply;
	uint32_t n_shared;      /* messages before the stage's own */
	VEC(RenderMessage) message;
} Request;

typedef struct Rendering {
	VEC(Request) request;
	VEC(RenderRemark) remark;
	VEC(Str) unbound;       /* names that have no value and are printed as holes, each once */
	Str error;              /* not empty: rendering stopped (a value over its max, nesting) */
	uint32_t error_seg;
} Rendering;

typedef struct RenderOptions {
	TokenCounter tokens; /* of the target's vocabulary; asked only where bytes decide nothing */
	Str family;     /* of the target rendered for; empty: `target.family` is unbound */
	Str user;       /* --user: a last user message of this text; has_user says it was given */
	bool has_user;
} RenderOptions;

/* False when out->error says why. Everything is in the arena; texts may borrow from bin and values. */
bool render_prompt(const Bin *bin, const BinPrompt *prompt, const Values *values,
                   const RenderOptions *options, Arena *arena, Rendering *out);

/* The text of a message, runs joined. */
Str message_text(Arena *arena, const RenderMessage *m);
const char *role_name(Role role);
/* ROLE_COUNT if unknown. */
Role role_find(Str name);

#endif
