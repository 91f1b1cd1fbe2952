/* The renderer's state while it walks a prompt's segments. Shared by the files of this folder only. */
#ifndef SEED_RENDER_WALK_H
#define SEED_RENDER_WALK_H

#include "runtime/render/render.h"

enum { WALK_DEPTH_MAX = 200 };

typedef struct PendingCall {
	Str id, name;
	bool answered;
} PendingCall;

typedef struct Renderer {
	const Bin *bin;
	const BinPrompt *prompt;
	const RenderOptions *options;
	Arena *arena;
	Rendering *out;
	CondEnv env;
	RenderMessage *message;      /* being filled; not yet in the request */
	uint32_t trimmed_at;   /* runs of the message when a unit's last LF was dropped */
	uint32_t item_at;      /* first run of the constraint being filled */
	uint32_t depth;
	Request *request;
	VEC(PendingCall) pending;
	uint32_t n_call;
} Renderer;

/* Content: appends the runs of segments [lo, hi) to the message being filled. */
void walk_content(Renderer *r, uint32_t lo, uint32_t hi);
/* One part: its runs, its join in front, its last LF gone; nothing at all if it renders to nothing. */
void walk_part(Renderer *r, uint32_t lo, uint32_t hi, const BinSeg *head);
/* The parts of a message body; text outside any part is a part of its own. */
void walk_parts(Renderer *r, uint32_t lo, uint32_t hi, const BinSeg *head);

/* Messages: appends those of segments [lo, hi) to the request. */
void walk_messages(Renderer *r, uint32_t lo, uint32_t hi);
void walk_history(Renderer *r, uint32_t at);
void walk_call(Renderer *r, uint32_t at, RenderMessage *into);

void message_open(Renderer *r, RenderMessage *m, Role role, Str name);
void message_close(Renderer *r, uint32_t seg);
bool message_is_empty(const RenderMessage *m, uint32_t from_run);

/* The condition of a segment; records the names it waits for when it is unknown. */
Truth walk_cond(Renderer *r, BinRange cond);
void walk_note_unbound(Renderer *r, uint32_t ref);
void walk_remark(Renderer *r, RenderRemarkKind kind, uint32_t seg, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void walk_fail(Renderer *r, uint32_t seg, const char *message);

#endif
