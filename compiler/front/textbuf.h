/*
 * TextBuf: a text under construction that remembers where its bytes came from. Bytes that stand in
 * the source get a run; bytes written by a front end get an anchor, the place to blame for them.
 *
 * Invariant: runs and anchors are sorted by text_off; a byte is in one run or belongs to the last
 * anchor before it. The owner frees it; texts made from it live in the arena.
 */
#ifndef SEED_FRONT_TEXTBUF_H
#define SEED_FRONT_TEXTBUF_H

#include "compiler/ast/ast.h"

typedef struct TextAnchor {
	uint32_t text_off;
	Span span;
} TextAnchor;

typedef struct TextBuf {
	Arena *arena;   /* of the tables */
	Buf bytes;
	VEC(TextRun) run;
	VEC(TextAnchor) anchor;
	Span blame;     /* of what is written from now on */
} TextBuf;

void textbuf_free(TextBuf *b);
/* Bytes of the source at src_off, unchanged. */
void textbuf_source(TextBuf *b, Str bytes, uint32_t src_off);
/* Bytes that stand nowhere. */
void textbuf_made(TextBuf *b, Str bytes);
void textbuf_made_fmt(TextBuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* [lo, hi) of a text, with its runs. */
void textbuf_text(TextBuf *b, const Text *t, size_t lo, size_t hi);
Text *textbuf_finish(const TextBuf *b, Arena *a);
/* The source place of text bytes [lo, hi). */
Span textbuf_span(const TextBuf *b, size_t lo, size_t hi);

#endif
