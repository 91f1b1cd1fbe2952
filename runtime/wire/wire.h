/*
 * Wire: rendered requests and a target become what is sent: request bodies for OpenAI, Anthropic and
 * Gemini, the target's own chat template, or a neutral body of typed segments.
 *
 * Bodies are canonical JSON (docs/language.md L3.8), one line a request: the body's own keys in the
 * target table's order, then settings by name. Equal inputs give equal bytes. What a target cannot
 * take as it stands is changed with a remark, or refused with an error; never silently.
 */
#ifndef SEED_WIRE_H
#define SEED_WIRE_H

#include "runtime/render/render.h"
#include "runtime/target/target.h"

typedef enum WireForm { FORM_OPENAI, FORM_ANTHROPIC, FORM_GEMINI, FORM_CHAT, FORM_JSON, WIRE_FORM_COUNT } WireForm;

typedef enum WireSeverity { WIRE_REMARK, WIRE_WARNING, WIRE_ERROR } WireSeverity;

typedef struct WireNote {
	WireSeverity severity;
	const char *code;  /* "SD203", or NULL where no rule stands behind it */
	Str message, help;
} WireNote;

typedef struct WireReport {
	Arena *arena;
	VEC(WireNote) note;  /* each once */
	uint32_t n_error;
} WireReport;

typedef enum UnboundHow { UNBOUND_REFUSE, UNBOUND_SHOW } UnboundHow;

typedef struct WireInput {
	const Bin *bin;
	const BinPrompt *prompt;
	const Rendering *rendering;
	const Target *target;
	const ChatTemplate *chat;  /* FORM_CHAT: the template; NULL: the target's */
	WireForm form;
	UnboundHow unbound;
} WireInput;

/* Appends the requests, one line each (FORM_CHAT: the template's bytes, no line end added). False when
 * the report holds an error; out is then as it was. */
bool wire_write(Buf *out, const WireInput *in, WireReport *report);

/* The target to compile for: the name if one is given, else the prompt's first whose bodies have this
 * form, else the model that a request body named, else the form's default (noted). NULL with an error in the report. */
const Target *wire_choose_target(TargetTable *table, WireForm form, const Bin *bin, const BinPrompt *prompt,
                                 Str name, WireReport *report);

/* NULL, with an error in the report, if there is no target of that name. */
const Target *wire_find_target(TargetTable *table, Str name, WireReport *report);

/* An error; false. */
bool wire_refuse(WireReport *report, Str why);
void wire_note(WireReport *report, WireSeverity severity, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
