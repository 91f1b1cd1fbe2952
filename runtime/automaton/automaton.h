/*
 * Schema-constrained decoding. A schema is compiled once, at build time, into flat bytes (flat.h); at run
 * time they are opened where they lie, and a state, one per text, says which tokens may come next.
 *
 *     Buf flat = { 0 };                                          // build time
 *     if (!automaton_compile(a, schema, (AutomatonOptions){ 0 }, &flat, &errs)) …
 *
 *     Automaton m;  TokenTrie trie;  AutomatonState s;          // run time; trie.h, mask.h
 *     if (!automaton_open(bytes, &m, &why) || !token_trie_init(a, vocab, &trie, &why)) …
 *     AutomatonMasks *masks = automaton_masks_new(&m, &trie, end, n_end);
 *     for (automaton_start(&s, &m); …;) {
 *         const uint64_t *bits = automaton_mask(masks, &s, tokens_left);
 *         …choose a token whose bit is set; end at an end id…
 *         automaton_accept(masks, &s, token);
 *     }
 *
 * What is accepted is a part of what the schema accepts, never more, with one spelling for what has
 * several: no white space (but see AutomatonSpacing), properties in declared order and other names behind
 * them, each name once, integers without fraction and exponent, strings under a pattern, format or enum
 * with the shortest escapes, numbers of at most AUTOMATON_DIGITS digits before and behind the point.
 * What cannot be held is refused when it is compiled, with its place, and never weakened.
 */
#ifndef SEED_AUTOMATON_AUTOMATON_H
#define SEED_AUTOMATON_AUTOMATON_H

#include "runtime/automaton/flat.h"
#include "runtime/schema/schema.h"

enum {
	AUTOMATON_DEPTH_MAX = 128,  /* values within values; recursion ends there */
	AUTOMATON_NAMES_MAX = 256,  /* undeclared names of all objects that are open at a time */
	AUTOMATON_DIGITS = 20,
};

/* ---- build time ---- */

typedef enum AutomatonForm {
	AUTOMATON_JSON,
	AUTOMATON_BARE,             /* enum, bool, number and null as bare text: low, true, 3 */
} AutomatonForm;

typedef enum AutomatonSpacing {
	AUTOMATON_COMPACT,          /* {"a":[1,2]} */
	AUTOMATON_SPACED,           /* {"a": [1, 2]} */
} AutomatonSpacing;

typedef struct AutomatonOptions {
	AutomatonForm form;
	AutomatonSpacing spacing;
} AutomatonOptions;

/* Appends the flat bytes to out, the same for the same schema. False with errors, each with the JSON pointer of
 * what cannot be held. Any JSON value: schema_new(a). */
bool automaton_compile(Arena *a, const SchemaNode *root, AutomatonOptions options, Buf *out, SchemaErrors *errs);

/* ---- run time ---- */

typedef struct Automaton {
	const AutoHeader *header;
	const AutoState *state;
	const AutoEdge *edge;
	const AutoSite *site;
	const uint32_t *next;
	const AutoLimit *limit;
	const uint32_t *row;
	uint32_t n_state;
} Automaton;

/* Over bytes that are 4-aligned and outlive m; allocates nothing. False with *why: what is wrong with them. */
bool automaton_open(Str bytes, Automaton *m, Str *why);

#define AUTOMATON_NONE UINT32_MAX

typedef struct AutomatonFrame {
	uint32_t site, n;           /* of the caller: where to go on, its counter */
	uint32_t up, name;          /* the frame below, the caller's last name; or AUTOMATON_NONE */
} AutomatonFrame;

typedef struct AutomatonName {
	uint64_t hash;
	uint32_t prev, zero;        /* the same object's name before it, or AUTOMATON_NONE */
} AutomatonName;

/* Where the machine stands. top and n_name are where the next frame and name are put. */
typedef struct AutomatonCursor {
	uint32_t at, n;             /* state and counter */
	uint32_t frame, depth;
	uint32_t name, top, n_name;
	uint64_t hash;              /* of the name that is being read */
} AutomatonCursor;

/* Where one text stands. A plain value: copy it to come back to it. */
typedef struct AutomatonState {
	const Automaton *m;
	AutomatonCursor cursor;
	AutomatonFrame frame[AUTOMATON_DEPTH_MAX + 1];
	AutomatonName name[AUTOMATON_NAMES_MAX + 1];
} AutomatonState;

void automaton_start(AutomatonState *s, const Automaton *m);
/* The same as *to = *from, without what is not in use. */
void automaton_copy(AutomatonState *to, const AutomatonState *from);
/* False at the first byte that cannot come; s is then of no use. */
bool automaton_accept_bytes(AutomatonState *s, Str bytes);
/* The text may end here. */
bool automaton_is_complete(const AutomatonState *s);
/* The bytes that may come next, a bit each. */
void automaton_next_bytes(const AutomatonState *s, uint64_t set[4]);
/* Bytes that are the only way on, up to room; s stays. */
size_t automaton_forced(const AutomatonState *s, char *bytes, size_t room);
/* Bytes that surely suffice to complete the text from here. */
uint32_t automaton_closing_bytes(const AutomatonState *s);
/* Such a completion itself, appended: what to write when nothing more may be generated. */
void automaton_close(const AutomatonState *s, Buf *out);

#endif
