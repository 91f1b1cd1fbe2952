/*
 * The lexer's state, shared by the scanner (lex.re), layout (layout.c, head.c) and bodies (body.c).
 *
 * One idea: the parser sees no white space. Layout turns lines and indents into tokens: BODY, FIELDS
 * and DECLS open what END closes, EOL ends a head. The first word of a line, by its row in decl.def,
 * decides what its body is. A step function reads one line or one token and queues what it found.
 *
 * Offsets (size_t) are into `in`, the text being read; lex_span turns them into places in sources.
 * Invariant: brackets, branches and blocks nest at most LEX_DEPTH_MAX deep and are balanced in the
 * token stream: what the text leaves open is reported and closed here, so the parser's stack is bounded.
 */
#ifndef SEED_GRAMMAR_LEX_H
#define SEED_GRAMMAR_LEX_H

#include "compiler/source/compiler.h"
#include "grammar/table.h"

enum { LEX_DEPTH_MAX = 64 };

typedef struct NodeList {
	Node *first, *last;
} NodeList;

typedef union LexVal {
	Str str;         /* names in NFC, strings unquoted, numbers as spelled */
	Text *text;
	Node *node;
	NodeList list;
	int num;
	const DeclRow *row;  /* head words */
} LexVal;

typedef struct LexToken {
	int kind;
	LexVal val;
	size_t lo, hi;  /* in the text being read */
} LexToken;

typedef struct LexLine {
	size_t lo, ws, hi, next;  /* first byte, first non-blank (hi if none), its LF or the end, next line */
} LexLine;

typedef enum LexState { LEX_LINE, LEX_TOKENS, LEX_BODY, LEX_TEXT, LEX_DONE } LexState;

/* A body of entries (fields or declarations) that is open. */
typedef struct LexBlock {
	BodyKind kind;
	DeclPlace place;
	Str head_ws, ws;  /* indent of the head and of the first entry */
	Span head;
	bool may_nest;    /* the line before was a field: a deeper line starts its fields */
} LexBlock;

/* What is being read token by token. */
typedef enum LexWhat { LEX_HEAD, LEX_FIELD, LEX_SETTING, LEX_DIRECTIVE, LEX_HOLE, LEX_FRAGMENT } LexWhat;

typedef struct LexHead {
	LexWhat what;
	const DeclRow *row;     /* LEX_HEAD */
	Str ws;                 /* its line's indent: a bracket goes on over deeper lines */
	size_t lo, at, hi;      /* first byte; next byte; end of the line (or of the hole) */
	size_t open[LEX_DEPTH_MAX];
	uint32_t n_open;
	uint32_t n_logic;       /* and, or: the tree nests once for each */
	uint32_t n_token;
	int prev;               /* token before */
	unsigned flags;         /* NF_RAW, NF_EXACT seen */
	bool unclosed;          /* the open bracket never closes: it ends with the line */
	bool has_file;          /* a path stands for the body */
	bool reported;          /* an error in this head was reported: the parser adds none */
} LexHead;

typedef struct LexBranch {
	Str ws;          /* indent of the directive, beyond the body's */
	Str extra;       /* what the first line has beyond it */
	bool has_extra, is_for, has_else;
	Span opener;
} LexBranch;

typedef struct LexBody {
	Str head_ws, ws;
	unsigned flags;           /* NF_RAW, NF_EXACT, NF_INLINE */
	bool whole;               /* a fragment: no head, nothing trimmed */
	bool any;                 /* a line was seen */
	size_t blank_lo;          /* blank lines not yet taken; SIZE_MAX: none */
	size_t next;              /* where the text line ends */
	uint32_t n_branch, n_over;
	LexBranch branch[LEX_DEPTH_MAX];
	char fence;               /* '`' or '~' while one is open */
	size_t fence_len;
	Span fence_at;
	uint32_t fence_branch;    /* branches open where the fence opened */
	Span swallowed;           /* an !END inside the fence */
	Span head;                /* of the head, for messages */
} LexBody;

typedef struct Lex {
	Compiler *c;
	Text in;
	LexState state;
	size_t at;
	VEC(LexToken) queue;  /* on the heap */
	uint32_t queue_at;

	uint32_t n_block;
	LexBlock block[LEX_DEPTH_MAX];
	LexHead head;
	LexBody body;

	Buf text;                                   /* the text node being made */
	struct { TextRun *v; size_t n, cap; } run;  /* its runs */
	size_t text_lo, text_hi;
	size_t content_hi;                          /* end of the last line that said something: where an END stands */

	const DeclRow *last;      /* the last head at column 0 */
	Span last_at;
	bool last_inline;         /* its body was the text behind its colon */
	Str last_ws;              /* indent of its body; for fixes */
	size_t comment_lo, comment_hi; /* the comment line above; hi 0: none */
	size_t cache_lo, cache_hi;     /* a `# cache_domain:` comment above; hi 0: none */
	uint32_t n_stray_if;
	size_t bad_line_next;     /* next line after one with a bad indent: one error per run */
	Diag *bad_indent;         /* that error; its fix takes in the run */
	uint32_t n_bad_line;
	Node *root;
} Lex;

void lex_init(Lex *lx, Compiler *c, Text in);
void lex_free(Lex *lx);
/* The parser's yylex. 0 at the end, for ever. */
int lex_next(Lex *lx, LexVal *val, Span *span);

/* ---- places and text ---- */
Span lex_span(const Lex *lx, size_t lo, size_t hi);
void lex_push(Lex *lx, int kind, size_t lo, size_t hi);
void lex_push_val(Lex *lx, int kind, LexVal val, size_t lo, size_t hi);
LexLine lex_line(const Lex *lx, size_t at);
/* The first line at or after that is not blank; lo == in.s.n where there is none. */
LexLine lex_line_filled(const Lex *lx, size_t at);
Str lex_line_ws(const Lex *lx, LexLine ln);
/* a compared with b as prefixes. */
typedef enum WsOrder { WS_EQUAL, WS_DEEPER, WS_SHALLOWER, WS_MIXED } WsOrder;
WsOrder lex_ws_order(Str a, Str b);
size_t lex_ws_common(Str a, Str b);
/* Diagnostics with exact fixes only where text is the source's own bytes. */
Diag *lex_report(Lex *lx, DiagId id, size_t lo, size_t hi, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* A line whose indent should be `want`; first_line names what wants it. One message per run of lines. */
void lex_bad_indent(Lex *lx, LexLine ln, Str want, Span owner, const char *first_line);
void lex_fix(Lex *lx, Diag *g, FixLevel level, size_t lo, size_t hi, Str put, const char *title);

/* ---- lex.re ---- */
/* The next token in [*at, hi); 0 at its end. Names, strings and numbers are in tok->val.str. */
int lex_scan(Lex *lx, size_t *at, size_t hi, LexToken *tok);
int lex_scan_path(Lex *lx, size_t *at, size_t hi, LexToken *tok);
int lex_scan_profile(Lex *lx, size_t *at, size_t hi, LexToken *tok);
/* Bytes of the live hole that s starts with, or 0. */
size_t lex_hole_len(Str s);
typedef struct LexMark {
	enum { MARK_NONE, MARK_COMMENT, MARK_DIRECTIVE, MARK_ESCAPE, MARK_UNKNOWN } kind;
	Str word;                 /* without the marks */
	const DirectiveRow *row;
} LexMark;
/* What a line that starts with `!` is. s starts at its first non-blank byte. */
LexMark lex_mark(Str s);
/* Length of the fence that s opens, or 0; and whether s closes the one that is open. */
size_t lex_fence_open(Str s);
bool lex_fence_closes(Str s, char fence, size_t len);
/* Bytes of the XID name that s starts with. */
size_t lex_name_len(Str s);

/* ---- head.c ---- */
void lex_head_begin(Lex *lx, LexWhat what, const DeclRow *row, LexLine ln, size_t at);
void lex_head_step(Lex *lx);

/* ---- layout.c ---- */
void lex_line_step(Lex *lx);
void lex_block_open(Lex *lx, BodyKind kind, DeclPlace place, Str head_ws, size_t from, Span head);
void lex_skip_deeper(Lex *lx, Str ws);

/* ---- column.c: lines at column 0 that are no declaration, and stray indents ---- */
void lex_stray(Lex *lx, LexLine ln);
void lex_unknown(Lex *lx, LexLine ln);
bool lex_is_head(const Lex *lx, LexLine ln, DeclPlace place, const DeclRow **row);
void lex_stray_directive(Lex *lx, LexLine ln, const DirectiveRow *row);

/* ---- body.c, directive.c ---- */
void lex_body_begin(Lex *lx, Str head_ws, size_t colon, LexLine ln, unsigned flags);
void lex_body_fragment(Lex *lx, unsigned flags);
void lex_body_step(Lex *lx);
void lex_text_step(Lex *lx);
void lex_text_add(Lex *lx, size_t lo, size_t hi);
void lex_text_flush(Lex *lx);
/* Adds the line's indent less the body's and the branches'; lx->body's branch takes its extra here. */
Str lex_body_indent(Lex *lx, LexLine ln, bool add);
/* true: the line was a directive and has been dealt with. */
bool lex_directive_line(Lex *lx, LexLine ln, LexMark mark);
void lex_body_close_branches(Lex *lx);

#endif
