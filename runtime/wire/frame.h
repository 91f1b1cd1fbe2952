/*
 * Frame: one request as its model reads it, for counting tokens: stretches of text in the order read.
 *
 * Of a target whose chat template is known they are the whole of what is tokenised: the template's
 * special tokens (these alone are ever special), its own text, and between them the messages. Where the
 * provider keeps the framing to itself they are the texts sent, each apart, and FRAMED is what it is
 * said to add.
 */
#ifndef SEED_WIRE_FRAME_H
#define SEED_WIRE_FRAME_H

#include "runtime/wire/wire.h"

typedef enum StretchKind {
	STRETCH_SPECIAL,   /* one special token of the template */
	STRETCH_TEMPLATE,  /* the template's own text */
	STRETCH_TEXT,      /* the prompt's text */
	STRETCH_VALUE,     /* text that came from a value, a tool or its call */
	STRETCH_IMAGE,     /* an image or a file: takes tokens that no text tells */
	STRETCH_TOOL,      /* a tool's definition as JSON: how the model reads it is not known */
	STRETCH_SCHEMA,    /* the reply's schema as JSON: likewise */
	STRETCH_FRAMED,    /* n_token tokens that the provider adds */
} StretchKind;

#define FRAME_OUTSIDE UINT32_MAX

typedef struct WireStretch {
	StretchKind kind;
	uint8_t stability;
	bool is_apart;      /* tokenised without what stands before it */
	Role role;
	uint32_t message;   /* which of the request's, or FRAME_OUTSIDE */
	uint32_t n_token;   /* STRETCH_FRAMED */
	Str text;
} WireStretch;

typedef struct WireFrame {
	VEC(WireStretch) stretch;
	bool is_public;     /* the template is known: nothing of the framing is guessed */
} WireFrame;

/* in->form and in->chat are not looked at. False when the report holds an error. */
bool wire_frame(const WireInput *in, const Request *q, WireReport *report, WireFrame *out);

/* What goes on behind a reply: its end, one more message of the user, the head of the next reply. */
void wire_frame_turn(WireFrame *f, Arena *a, const ChatTemplate *chat, Str user);

#endif
