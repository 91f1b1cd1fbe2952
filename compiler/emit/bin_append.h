/*
 * More sections behind those of a written file: what is derived from a prompt and can be left out, such as
 * the automata of its replies. They are optional, not hashed, and stand in the order of their kinds.
 */
#ifndef SEED_EMIT_BIN_APPEND_H
#define SEED_EMIT_BIN_APPEND_H

#include "runtime/base/buf.h"
#include "runtime/bin/bin.h"

typedef struct BinMore {
	SectionKind kind;      /* above every kind that the file has */
	uint32_t record_size;  /* of data's records */
	Str data;
} BinMore;

enum { BIN_MORE_ALIGN = 64 };  /* of a section's start in the file */

/* bytes is a file of bin_writer; it is replaced, *bin views the new one. Not BIN_OK: a bug in the caller. */
BinStatus bin_append(Buf *bytes, const BinMore *more, uint32_t n, Bin *bin, BinError *err);

/* The automata of all replies that can be held to their schema, for `seedc run`. */
BinStatus bin_append_automata(Arena *a, Buf *bytes, Bin *bin, BinError *err);

#endif
