/* From IR to the bytes of a binary prompt. Bad IR (a bug) is refused by the reader's own checks. */
#ifndef SEED_EMIT_BIN_H
#define SEED_EMIT_BIN_H

#include "compiler/ir/ir.h"
#include "runtime/base/buf.h"

/* The debug map leads from text bytes to file and line; names are relative to the first file's folder. */
typedef enum BinDebug { BIN_DEBUG_NONE, BIN_DEBUG_MAP } BinDebug;

/* out is replaced; *bin views its bytes. Not BIN_OK: err says what the IR breaks. */
BinStatus emit_bin(const Ir *ir, BinDebug debug, Buf *out, Bin *bin, BinError *err);

#endif
