/* A binary as stable text for people and golden tests: everything in it but its layout. */
#ifndef SEED_BIN_DUMP_H
#define SEED_BIN_DUMP_H

#include "runtime/base/buf.h"
#include "runtime/bin/bin.h"

/* b as bin_open left it. */
void bin_dump(const Bin *b, Buf *out);

#endif
