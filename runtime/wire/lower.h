/*
 * Lowering of messages: what a target's rules (roles, system text, alternation, prefill) make of a
 * request, as pieces. Shared by the files of this folder only.
 */
#ifndef SEED_WIRE_LOWER_H
#define SEED_WIRE_LOWER_H

#include "runtime/wire/wire.h"

typedef enum PieceKind {
	PIECE_TEXT,    /* text */
	PIECE_IMAGE,   /* text: URL or data URI */
	PIECE_CALL,    /* id, name; text: canonical JSON of the arguments */
	PIECE_RESULT,  /* id, name; text: what the tool said */
	PIECE_JSON,    /* text: the whole content as it was given, canonical JSON */
} PieceKind;

typedef struct Piece {
	PieceKind kind;
	uint8_t stability;
	bool stability_written;
	bool opens_part;   /* first of what one declaration gave */
	bool value;        /* PIECE_TEXT that came from a value: never template text */
	bool breakpoint;   /* a cache breakpoint stands behind it */
	Str text, id, name;
} Piece;

typedef struct WireMessage {
	Role role;
	Str name;
	VEC(Piece) piece;
} WireMessage;

typedef struct Lowered {
	VEC(Piece) system;         /* SYSTEM_FIELD: what goes into the body's own field */
	VEC(WireMessage) message;
} Lowered;

typedef struct LowerRules {
	const char *target;        /* for messages */
	unsigned roles;
	SystemPlace system;
	bool alternates, needs_user, prefill, mid_system, images;
	bool results_in_user;      /* a tool's result is a piece of a user message */
} LowerRules;

LowerRules lower_rules_of(const WireInput *in, Arena *arena);
/* False when an error was noted. */
bool lower_request(const WireInput *in, const LowerRules *rules, const Request *q, WireReport *report, Lowered *out);
/* Chooses at most max pieces after which the target is to cache, on stable prefixes only. */
void lower_breakpoints(const WireInput *in, WireReport *report, Lowered *l);

/* Content that was given as JSON, as pieces: verbatim (one PIECE_JSON) where every part is native to the
 * form, else part by part; a part that has no form is an error. */
void given_pieces(Arena *arena, WireForm form, Str json, Role role, WireReport *report, WireMessage *out);

/* Adjacent texts of a message joined wherever no breakpoint stands between. */
void pieces_join_texts(Arena *arena, const Piece *v, uint32_t n, Piece **out, uint32_t *n_out);
bool pieces_are_one_text(const Piece *v, uint32_t n, Str *text);

#endif
