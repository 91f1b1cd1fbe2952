/*
 * Writes a binary prompt from records: the string pool, a growable table per section, and the layout.
 * What the records say is emit_bin's; this only guarantees the form.
 *
 * Invariant: equal calls give equal bytes. Strings are interned in the order first put; sections
 * without records are left out; gaps are zero.
 */
#ifndef SEED_EMIT_BIN_WRITER_H
#define SEED_EMIT_BIN_WRITER_H

#include "runtime/base/buf.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"
#include "runtime/bin/bin.h"

typedef struct BinWriter {
	Arena *arena;
	Buf pool;
	Map at;  /* string -> its offset in the pool + 1, as a pointer */
#define TABLE(section, T, field, n_bytes) VEC(T) field;
#include "runtime/bin/bin_sections.def"
#undef TABLE
} BinWriter;

/* Strings put must live as long as the writer: they are the interning table's keys. */
void bin_writer_init(BinWriter *w, Arena *arena);
void bin_writer_free(BinWriter *w);
BinStr bin_put_str(BinWriter *w, Str s);
/* Appends name records; gives their range. */
BinRange bin_put_names(BinWriter *w, const Str *names, uint32_t n);
/* Lays the file out, fills in the hashes and opens it: BIN_OK, or what the records break (a bug in
 * the caller). out is replaced; bin, if not NULL, views out's bytes. */
BinStatus bin_writer_finish(BinWriter *w, Buf *out, Bin *bin, BinError *err);

/* A segment or node with nothing said: no partner, no references, weight -1. */
BinSeg bin_blank_seg(SegKind kind);

#endif
