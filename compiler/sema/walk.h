/*
 * Walk: one body with everything it includes, in the order rendered, with the names in scope and the
 * conditions that hold at each place. Passes hang functions on it; each may be NULL.
 *
 * Invariant: a walk ends. An include cycle is entered once; includes nest at most WALK_DEPTH_MAX deep
 * and one walk enters at most WALK_INCLUDES_MAX, whatever blocks that double each other would ask for.
 */
#ifndef SEED_SEMA_WALK_H
#define SEED_SEMA_WALK_H

#include "compiler/sema/sema.h"

enum { WALK_DEPTH_MAX = 64, WALK_INCLUDES_MAX = 20000 };

typedef enum WalkStop { WALK_CYCLE, WALK_TOO_DEEP, WALK_TOO_MANY } WalkStop;

/* A condition that holds (or fails) where the walker stands. */
typedef struct Guard {
	const struct Guard *outer;
	const Node *cond;
	bool holds;
	const Scope *scope;
} Guard;

typedef struct WalkFrame {
	const struct WalkFrame *outer;
	const Node *block, *include;
	uint32_t depth;
} WalkFrame;

typedef struct Walk Walk;
struct Walk {
	const Unit *u;
	const Prompt *p;
	void *ctx;
	void (*on_text)(Walk *w, const Node *text, const Scope *s);
	void (*on_hole)(Walk *w, const Node *hole, const Scope *s);
	void (*on_cond)(Walk *w, const Node *cond, const Scope *s);
	void (*on_if)(Walk *w, const Node *cond_if, const Scope *s);   /* before its branches */
	void (*on_for)(Walk *w, const Node *loop, const Scope *s);
	/* Before the block is entered; block is NULL when there is none of that name. */
	void (*on_include)(Walk *w, const Node *include, const Node *block, const Scope *s);
	/* An include that was not entered; w->frame leads back to where it came from. */
	void (*on_stop)(Walk *w, const Node *include, const Node *block, WalkStop why);
	const Guard *guard;      /* innermost first */
	const Node *body;        /* the innermost N_BODY */
	const Node *before;      /* what stands in it right before the node at hand; NULL: nothing */
	const Part *part;        /* set by sema_walk_part; NULL in stages and stage constraints */
	const WalkFrame *frame;  /* blocks being walked, innermost first */
	uint32_t n_include;
};

void sema_walk_body(Walk *w, const Node *body, const Scope *scope);
/* A whole declaration: its `when`, then its body with the loop name of a context in scope. */
void sema_walk_decl(Walk *w, const Node *decl, const Scope *scope);
void sema_walk_include(Walk *w, const Node *include, const Scope *scope);
/* Everything a part sends (constraints without `on` for PART_CONSTRAINTS). */
void sema_walk_part(Walk *w, const Part *part);
/* Everything the prompt sends: its parts, its stages, constraints of stages. */
void sema_walk_prompt(Walk *w);

/* For a library: every block too, as it stands. */
void sema_walk_library(Walk *w);

typedef void WalkRef(void *ctx, const Node *ref, const Scope *s);
/* Each reference in a condition. */
void sema_walk_cond_refs(const Node *cond, const Scope *s, WalkRef *fn, void *ctx);

#endif
