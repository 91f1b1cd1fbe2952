/*
 * Running a compiled prompt: each of its requests in chain order, a stage's reply bound for those behind
 * it. A reply with a schema is held to it while it is generated, so it is always valid.
 *
 * What requests have in common is computed once: a request's blocks stay in the KV cache, and the next
 * one finds them there.
 */
#ifndef SEED_RUN_PROMPT_H
#define SEED_RUN_PROMPT_H

#include "runtime/run/session.h"
#include "runtime/wire/frame_ids.h"

typedef enum RunSchema { RUN_SCHEMA_HELD, RUN_SCHEMA_LOOSE } RunSchema;  /* LOOSE: the reply may be anything */

typedef struct RunPrompt {
	const Bin *bin;
	const BinPrompt *prompt;
	Values *values;        /* stages are bound into it */
	RenderOptions render;
	const Target *target;  /* has a chat template */
	GenerateRules rules;   /* max_tok 0: the reply's own; the schema is the reply's own */
	RunSchema schema;
	Buf *save;             /* gets the last request's cache, for a later session; or NULL */
} RunPrompt;

/* How one reply is held: its limit, its schema. */
typedef struct RunHold {
	BinReply reply;
	GenerateRules rules;   /* point to machine */
	Automaton machine;
	const SchemaNode *schema;  /* NULL: the reply has none */
} RunHold;

/* The prompt's requests with the values that there are; the report warns of what may be cut and is not. False when it holds
 * an error. */
bool run_render(const RunPrompt *p, Rendering *g, WireReport *report);

/* Into *h, which must stay where it is. False when the report holds an error. */
bool run_hold(Arena *a, const RunPrompt *p, const BinReply *reply, RunHold *h, WireReport *report);
/* Whether the text is of the schema that is held; true where there is none. */
bool run_hold_allows(Arena *a, const RunHold *h, Str text);

typedef struct RunStage {
	Str name;              /* empty: the prompt itself */
	const RunHold *hold;   /* NULL: nothing was declared, as of plain text */
	Generated reply;
	bool is_given;         /* its text was bound by the caller: nothing was run */
	bool has_schema;
	bool is_valid;         /* of a reply with a schema: what schema_validate says of it */
	uint32_t *ids;         /* of the request and its reply */
	uint32_t n_id;
	FrameCounts counts;    /* where the request's came from */
} RunStage;

typedef VEC(RunStage) RunStages;

enum { STAGE_REPLY_TOK = 1024 };  /* of a stage that declares no limit and has others behind it */

/* The value that the caller bound for stage `at`: it is its reply, and the stage is not run. NULL: it has none. */
const Value *run_given_stage(const RunPrompt *p, uint32_t at);

/* Told when a stage begins; then its text comes through the sink. */
typedef struct RunSink {
	GenerateSink generate;
	void (*stage)(void *user, Str name, bool is_last);
} RunSink;

/* False when the report holds an error: a value that is missing or over its max, a message the model cannot be sent, a
 * schema that cannot be held. A stage that has a value is not run: that is its reply. Stages that were run are in *out;
 * run_stages_free. */
bool run_prompt(RunSession *s, RunPrompt *p, const RunSink *sink, RunStages *out, WireReport *report);
void run_stages_free(RunStages *stages);

/* The sampling rules that a prompt's own settings give (temperature, top_p, top_k, min_p, seed, stop); what
 * is not set is greedy. */
void run_rules_of_prompt(Arena *a, const Bin *bin, const BinPrompt *p, GenerateRules *rules);

/* Appends the ids of one more turn behind a reply: its end, a user's text, the head of the next reply. */
bool run_next_turn(Arena *a, RunSession *s, const Target *target, Str user, FrameIds *ids, FrameCounts *counts, Str *why);

#endif
