/*
 * A talk: the first request and its reply, then turns. What the model reads is the ids of all of them.
 *
 * note [decay]. A turn weighs decay^step · (floor + (1 − floor) · confidence): step is 0 for the newest, confidence
 * the mean probability of its reply's tokens, floor what a turn is worth whose reply the model did not believe. Where the
 * talk and one more reply do not go into the context, the lightest turns leave it, the older of equals first; the first
 * request stays.
 */
#ifndef SEED_RUN_TALK_H
#define SEED_RUN_TALK_H

#include "runtime/run/run_prompt.h"

#define TALK_FLOOR 0.3
enum { TALK_REPLY_TOK = 256 };  /* of room that a reply is sure to have; less where its max is less */

typedef struct TalkTurn {
	FrameIds ids;        /* the end of the reply before it, the user's text, its own reply */
	double confidence;   /* 0 .. 1 */
} TalkTurn;

typedef struct Talk {
	Arena *arena;
	FrameIds first;
	VEC(TalkTurn) turn;  /* the oldest first */
	const RunHold *hold; /* of each reply */
	double decay;        /* 0: no turn ever leaves */
	uint32_t n_left;     /* turns that have left */
} Talk;

double talk_weight(double decay, uint32_t step, double floor, double confidence);
/* Lets turns go until n_more tokens go into n_room beside it. False when they do not. */
bool talk_make_room(Talk *t, size_t n_more, size_t n_room);
/* Appends the ids of all that is left. */
void talk_ids(const Talk *t, Arena *a, FrameIds *out);
/* One more turn: what the user says, and the reply, held as the talk's replies are; the caller frees it. What the talk had
 * before is found in the cache, up to a turn that has left. False with *why: the talk has no such turn then. */
bool talk_turn(Talk *t, RunSession *s, const Target *target, Str user, const GenerateSink *sink, RunStage *out, Str *why);

#endif
