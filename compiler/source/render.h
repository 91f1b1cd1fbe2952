/*
 * Rendering: diagnostics of one or many units, in one order (path, offset, code), in the format asked
 * for. Nothing here decides anything: severities, suppressions and the exit code are settled before.
 *
 * A finding in a file that several units include is shown once.
 */
#ifndef SEED_RENDER_H
#define SEED_RENDER_H

#include "compiler/source/diag.h"
#include "runtime/base/buf.h"

typedef enum RenderFormat {
	RENDER_FULL,    /* source lines with carets, for people */
	RENDER_CONCISE, /* path:line:column: severity[CODE] message */
	RENDER_JSON,    /* one document */
	RENDER_JSONL,   /* one object a line */
	RENDER_SARIF,   /* 2.1.0 */
	RENDER_GITHUB,  /* workflow commands */
} RenderFormat;

typedef enum Colour { COLOUR_OFF, COLOUR_ON } Colour;

typedef struct Finding {
	const Sources *sources;
	const Diag *diag;
	Str path;
	Position lo, hi;
} Finding;

typedef struct Findings {
	VEC(Finding) list;  /* sorted, without duplicates, suppressed ones last */
	uint32_t n_shown;   /* in front of the suppressed ones and of those switched off */
	uint32_t n_error, n_warning, n_info, n_suppressed;
} Findings;

/* Collects; call findings_finish once after the last unit. */
void findings_add(Arena *a, Findings *f, const Diags *d);
void findings_finish(Findings *f);

void render_findings(Buf *out, const Findings *f, RenderFormat format, Colour colour);

/* One format each. */
void render_full(Buf *out, const Findings *f, Colour colour);
void render_concise(Buf *out, const Findings *f, Colour colour);
void render_json(Buf *out, const Findings *f);
void render_jsonl(Buf *out, const Findings *f);
void render_sarif(Buf *out, const Findings *f);
void render_github(Buf *out, const Findings *f);
/* path:line:column: severity[CODE] message, without a line end. */
void render_concise_line(Buf *out, const Finding *f, Colour colour);

/*
 * A source line as a terminal can show it: tabs filled with blanks, invisible and control characters
 * spelled <U+200B>, a long line cut around what matters.
 */
typedef struct LineView {
	Str line;
	size_t from, to;     /* bytes shown */
	uint32_t n_cells;    /* width of what is shown, marks of the cut included */
} LineView;

LineView line_view(Str line, size_t focus);
void line_view_put(Buf *out, const LineView *v);
/* Cells in front of the byte at offset at of the line, within the view. */
uint32_t line_view_cell(const LineView *v, size_t at);

/* The same for a name or a message inside a line of ours: it stays on that line. */
void render_put_shown(Buf *out, Str text);

typedef enum Paint { PAINT_RED, PAINT_YELLOW, PAINT_CYAN, PAINT_BLUE, PAINT_GREEN, PAINT_BOLD } Paint;
void paint_on(Buf *out, Colour colour, Paint paint);
void paint_off(Buf *out, Colour colour);
Paint paint_of(Severity s);

#endif
