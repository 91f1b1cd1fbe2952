/*
 * Sources: the files of one unit (the file asked for, and what it includes), in one offset space.
 *
 * A Source's text is normalised on loading: one leading BOM dropped, CRLF and CR made LF, nothing
 * else. Spans are offsets into the normalised texts laid end to end with one unused offset after
 * each, so a Span names a file as well as a place and CRLF never shifts a line or a column.
 * source_raw_offset gives the byte in the file as it is on disk, for fixes.
 *
 * Invariant: text is valid UTF-8 without NUL once source_add returned it with ok set; otherwise the
 * first bad byte has been reported (SD101) and the text is not to be parsed.
 */
#ifndef SEED_SOURCE_H
#define SEED_SOURCE_H

#include "runtime/base/run.h"
#include "runtime/base/str.h"
#include "runtime/base/vec.h"

typedef struct Span {
	uint32_t lo, hi;  /* [lo, hi) in the unit's space */
} Span;

static inline Span span_join(Span a, Span b)
{
	return (Span){ a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi };
}

/* Text made from many source runs (dedent, escapes, folded scalars). src_off is in the unit's space. */
typedef struct Text {
	Str s;
	TextRun *run;  /* sorted by text_off; a byte in no run was generated */
	uint32_t n_run;
} Text;

/* The source span that text bytes [lo, hi) came from. */
Span text_span(const Text *t, size_t lo, size_t hi);

/* note [column marks]: the columns at the starts of some clusters of one line, some bytes apart.
 * A position is counted from the mark before it, so that many findings on one long line cost one walk. */
typedef struct ColumnMark {
	uint32_t at;                         /* in the file */
	uint32_t code_points, utf16, cells;  /* from the line's start to there */
} ColumnMark;

typedef struct Source {
	Str name;       /* as shown to people: the path as given, "<stdin>", "std/voice" */
	Str text;       /* normalised */
	uint32_t base;  /* offset of text.p[0] in the unit's space */
	VEC(uint32_t) cr;    /* normalised offsets in front of which one CR byte was dropped */
	VEC(uint32_t) line;  /* offset of each line's first byte, made on demand */
	VEC(ColumnMark) mark;        /* of the line asked about last; the first is its start */
	uint32_t bom_bytes;  /* 3 or 0 */
	bool ok;
} Source;

typedef struct Sources {
	Arena *arena;
	VEC(Source *) file;
	uint32_t end;  /* next free offset */
} Sources;

struct Diags;

/* bytes are borrowed where nothing had to be normalised. Never NULL; NULL only when the unit's space
 * (4 GiB) is full, reported as SD002. Reports SD101 at the first bad byte. */
Source *source_add(Sources *ss, struct Diags *d, Str name, Str bytes);
Source *source_of(const Sources *ss, uint32_t off);

typedef struct Position {
	const Source *source;
	uint32_t line;         /* from 1 */
	uint32_t col_byte;     /* all columns from 1 */
	uint32_t col_code_point;
	uint32_t col_utf16;
	uint32_t col_display;  /* UAX #11 cells of grapheme clusters; a tab goes to the next multiple of 4 */
} Position;

Position source_position(const Sources *ss, uint32_t off);
/* Line number only: cheap. */
uint32_t source_line(const Sources *ss, uint32_t off);
/* Display cells of a line's beginning; tabs as in Position. */
uint32_t source_cells(Str line);
/* The line that holds off, without its LF; *line_lo gets its first offset. */
Str source_line_text(const Sources *ss, uint32_t off, uint32_t *line_lo);
/* The byte in the file on disk; of a CRLF, its CR. */
size_t source_raw_offset(const Source *s, uint32_t off);
Str source_slice(const Sources *ss, Span sp);

#endif
