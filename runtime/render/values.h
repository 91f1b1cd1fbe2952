/*
 * Values: what the caller binds to a prompt's inputs and stages. A value is parsed once, by the type
 * of its input, when it is set; after that it is a leaf: nothing reads it as template text again.
 *
 * Text is kept byte for byte. Lists, documents, turns and objects are JSON. An input without a value
 * has its default, or is unbound. Everything lives in the caller's arena; the Bin is borrowed.
 */
#ifndef SEED_RENDER_VALUES_H
#define SEED_RENDER_VALUES_H

#include "runtime/base/json.h"
#include "runtime/bin/bin.h"
#include "runtime/render/image.h"

typedef enum ValueState { VALUE_UNBOUND, VALUE_ABSENT, VALUE_BOUND } ValueState;

/* ABSENT: an optional input that nobody set, or null. UNBOUND: a required one that nobody set. */
typedef struct Value {
	ValueState state;
	Str text;             /* the printed form of a text, enum, bool or number */
	const JsonNode *json; /* everything; a text is a JSON_STRING node */
} Value;

typedef struct Values {
	Arena *arena;
	const Bin *bin;
	Value *input;  /* one per record of bin->input */
	Value *stage;  /* one per record of bin->stage */
	Value reply;   /* tests: the reply under test */
} Values;

typedef struct ValueError {
	Str message;      /* one line, names the input */
	Str help;         /* empty if none */
	uint32_t offset;  /* byte of the value where it went wrong; BIN_NONE if the whole value did */
} ValueError;

/* Every input at its default. A default that does not fit its type is left unbound. */
void values_init(Values *v, Arena *arena, const Bin *bin);

/* Binds an input or a stage of the prompt by name. bytes are borrowed. False fills err. A second
 * value for an input that takes several images is added to the first. */
bool values_set(Values *v, const BinPrompt *prompt, Str name, Str bytes, ValueSource source, ValueError *err);

/* An input of that name keeps every value that it is given. */
bool values_takes_several(const Bin *bin, const BinPrompt *prompt, Str name);

/* The names that values_set knows, for messages and completion. */
uint32_t values_list_names(const Bin *bin, const BinPrompt *prompt, Arena *arena, Str **names);

#endif
