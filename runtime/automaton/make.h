/*
 * Make: from norms to the machine's states (flat.h). A value is read for a list of norms at once, its
 * groups: alternatives of an object that are still open each have an opinion of the next property. The
 * label it returns says which of the groups took it, as an index into the value's list of such sets.
 *
 * States that read arrays and objects are sets of items, each an alternative and how far it is; they are
 * made from a worklist, as are the states behind a site for each label that its value turns out to have.
 */
#ifndef SEED_AUTOMATON_MAKE_H
#define SEED_AUTOMATON_MAKE_H

#include "runtime/automaton/norm.h"

enum { GROUPS_MAX = 32, UNROLLED_MAX = 64, MACHINE_STATES_MAX = 300000 };

typedef VEC(AutoEdge) Edges;

typedef struct MakeState {
	AutoState s;
	Edges edge;
	uint32_t value;      /* whose first bytes are edges too, or NORM_NONE */
} MakeState;

/* An alternative that reads arrays or objects, for one group. */
typedef struct Item { uint32_t group; const NormAlt *alt; } Item;

typedef struct Value {
	Words group;         /* norms */
	VEC(Item) item;
	Words label;         /* sets of groups, a bit each */
	Words site;          /* where values of this kind are called */
	Edges first;         /* by the value's first byte */
} Value;

/* Items behind a value: which one, how far it then is, what it has counted, which group of the value it needs. */
typedef struct Follow { uint32_t item, at, count, group; } Follow;

typedef enum Phase { PHASE_FIRST, PHASE_AFTER, PHASE_COMMA, PHASE_NAMES } Phase;

typedef struct Site {
	uint32_t owner;      /* value that the items belong to; NORM_NONE: the whole text */
	unsigned type;       /* SCHEMA_ARRAY or SCHEMA_OBJECT */
	uint32_t value;      /* that is called */
	VEC(Follow) follow;
	Words next;          /* states, by label */
} Site;

typedef struct Make {
	Arena *a;
	AutomatonOptions options;
	Norms *norms;
	VEC(MakeState) state;
	VEC(Site) site;
	VEC(AutoLimit) limit;
	Words limit_comma;   /* of an array's limit: the state behind a comma, whose value a tick costs; else 0 */
	Interner value_key;
	VEC(Value *) value;
	Interner set_key;    /* phase, type, value, items */
	Words set_state;     /* of a set, or NORM_NONE where there is none */
	Interner same;       /* inner states of characters, by content */
	Words same_state;
	uint32_t last;       /* the state where the text is complete */
	bool too_large;
} Make;

/* make.c */
uint32_t make_state(Make *m);
void make_edge(Make *m, uint32_t state, uint8_t lo, uint8_t hi, uint32_t go);
/* By mark, and a space where the options want one, to next; the space is under the state's limit. */
void make_separator(Make *m, uint32_t state, uint8_t mark, uint32_t next);
/* The state with these edges and these flags, limit and tail; an existing one where there is one. */
uint32_t make_same(Make *m, const AutoState *s, const Edges *edge);
uint32_t make_limit(Make *m, uint32_t min, uint32_t max, uint32_t comma);
uint32_t make_value(Make *m, const Words *groups);
uint32_t make_label(Make *m, uint32_t value, uint32_t groups);
uint32_t make_site(Make *m, const Site *site);
/* A state for a set of items, made later if it is new: words of (item, at, count). */
uint32_t make_set(Make *m, Phase phase, unsigned type, uint32_t value, const Words *items);
/* All that root leads to. The start's state. */
uint32_t make_all(Make *m, uint32_t root);

/* make_string.c: states that read what d accepts as a JSON string's inside. ends[label - 1] is what its closing quote
 * does. flags, limit: of all these states; distances: by state, the ticks to an end; NULL without a limit. */
typedef struct StringPlan {
	const Dfa *dfa;
	const uint32_t *ends;
	uint8_t flags;
	uint16_t limit;
	const uint32_t *distance;
	const uint32_t *scarce;  /* of names: by state, how many may still become of it; NULL: many */
} StringPlan;
uint32_t make_string(Make *m, const StringPlan *plan);
/* Any JSON string, in any spelling. */
uint32_t make_free_string(Make *m, uint32_t end, uint16_t limit);
/* States of a Dfa over bytes, whose ends return labels; where: the state of its start. */
uint32_t make_bytes(Make *m, const Dfa *d);

/* make_scalar.c, make_array.c, make_object.c: a value's first bytes; a set's state. */
void make_scalars(Make *m, uint32_t value);
void make_bare(Make *m, uint32_t value);
void make_array(Make *m, uint32_t state, Phase phase, uint32_t value, const Words *items);
void make_object(Make *m, uint32_t state, Phase phase, uint32_t value, const Words *items);
/* The set in which a value of the type begins; false if none of its alternatives is of that type. */
bool make_array_start(Make *m, uint32_t value, uint32_t *state);
bool make_object_start(Make *m, uint32_t value, uint32_t *state);

/* make_flat.c: costs, classes, bytes. False if nothing reaches the end. */
bool make_flat(Make *m, uint32_t start, Buf *out);

#endif
