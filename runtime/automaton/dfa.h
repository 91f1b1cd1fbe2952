/*
 * Dfa: a deterministic automaton over symbols (code points of a string, or bytes of a number), with which
 * build time works: patterns, formats, literals and bounds become Dfas, and what keywords say together is
 * their product.
 *
 * A state's label is 0 where nothing ends, else what ends there: 1 for a plain Dfa; a product chooses its
 * own. Edges of a state are sorted, disjoint and never lead to a dead state; what has no edge is not taken.
 */
#ifndef SEED_AUTOMATON_DFA_H
#define SEED_AUTOMATON_DFA_H

#include "runtime/automaton/intern.h"
#include "runtime/base/regex.h"
#include "runtime/base/str.h"

enum { DFA_SYMBOL_MAX = 0x10FFFF, DFA_STATES_MAX = 20000, DFA_EDGES_MAX = 1000000 };
#define DFA_DEAD UINT32_MAX

typedef struct DfaEdge { uint32_t lo, hi, to; } DfaEdge;

typedef struct DfaState { uint32_t edge, n_edge, label; } DfaState;

typedef struct Dfa {
	VEC(DfaState) state;  /* 0 is the start; none: nothing is taken */
	VEC(DfaEdge) edge;
} Dfa;

/* Every text; texts of min to max symbols (max - min and min within DFA_STATES_MAX). */
Dfa *dfa_new_any(Arena *a);
Dfa *dfa_new_length(Arena *a, uint32_t min, uint32_t max);
/* The texts, code points (text.v[i] gets label i + 1) or bytes. Equal texts: the first's label. */
typedef enum DfaUnit { DFA_CODE_POINTS, DFA_BYTES } DfaUnit;
Dfa *dfa_new_literals(Arena *a, const Str *text, uint32_t n, DfaUnit unit);
/* What the pattern finds somewhere in a text. NULL: more than DFA_STATES_MAX states. */
Dfa *dfa_new_regex(Arena *a, const Regex *re);

/* A state's edges are appended between two dfa_begin_state. Neighbours that lead to the same state become one. */
uint32_t dfa_begin_state(Arena *a, Dfa *d, uint32_t label);
void dfa_add_edge(Arena *a, Dfa *d, uint32_t lo, uint32_t hi, uint32_t to);

/* The label of a product's state from its parts' labels; 0 if nothing ends. */
typedef uint32_t (*DfaChoose)(void *context, const uint32_t *label, uint32_t n);
/* Without dead states. What no part takes is still looked at (labels all 0), so that a complement can be chosen.
 * NULL: too many states. */
Dfa *dfa_product(Arena *a, Dfa *const *part, uint32_t n, DfaChoose choose, void *context);
Dfa *dfa_and(Arena *a, Dfa *x, Dfa *y);       /* plain */
Dfa *dfa_and_not(Arena *a, Dfa *x, Dfa *y);
/* Takes out states from which nothing ends. */
Dfa *dfa_prune(Arena *a, const Dfa *d);
/* The smallest that says the same. */
Dfa *dfa_minimise(Arena *a, Dfa *d);

static inline bool dfa_is_empty(const Dfa *d) { return !d->state.n; }
uint32_t dfa_next(const Dfa *d, uint32_t state, uint32_t symbol);
/* Everything, whatever label. */
bool dfa_is_any(const Dfa *d);
/* Symbols to the nearest end, by state. */
uint32_t *dfa_distances(Arena *a, const Dfa *d);
/* Texts that end in a state of the set, by the state they go on from: DFA_MANY for that many and more. */
#define DFA_MANY 10000u
uint32_t *dfa_counts(Arena *a, const Dfa *d, const bool *set);

#endif
