/*
 * Inside the differ: one pair of prompts under comparison, and the calls its files make to each other.
 */
#ifndef SEED_DIFF_DIFFER_H
#define SEED_DIFF_DIFFER_H

#include "compiler/diff/model.h"

typedef struct Differ {
	Diff *d;
	Arena *arena;
	DiffModel old_model, new_model;
	Str prompt;            /* the new one's name */
} Differ;

/* What one change is about; absent texts and places stay empty. */
typedef struct ChangeArgs {
	Str key, old_text, new_text, detail;
	DiffPlace old_at, new_at;
} ChangeArgs;

Change *differ_add(Differ *df, ChangeKind kind, ChangeArgs args);
/* Counts words of a change towards Δ: the larger of both sides. */
void differ_count(Differ *df, DeltaClass cls, Str old_text, Str new_text);

/* Declarations with names: inputs, tools, schemas, reply, stages, settings, targets, cuts, cache, meta. */
void differ_compare_tables(Differ *df);
/* Parts: role, messages, constraints, contexts, examples, stages. */
void differ_compare_parts(Differ *df);
/* Two texts of one part, by sentences. */
void differ_compare_text(Differ *df, const DiffPart *old_part, const DiffPart *new_part);
/* A whole text that is new or gone, by sentences, each judged by what it says. */
void differ_text_gone(Differ *df, const DiffPart *part);
void differ_text_new(Differ *df, const DiffPart *part);
/* Two JSON Schemas by direction. An output may not widen, an input may not narrow. */
typedef enum SchemaDirection { SCHEMA_INPUT, SCHEMA_OUTPUT, SCHEMA_TOOL } SchemaDirection;
void differ_compare_schema(Differ *df, Str key, SchemaDirection dir, Str old_json, Str new_json);

#endif
