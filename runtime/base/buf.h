/*
 * Buf: a growable byte buffer on the heap, for outputs. The owner frees it.
 * A zeroed Buf is a valid empty one. buf.p is not NUL-terminated; buf_str borrows.
 */
#ifndef SEED_BASE_BUF_H
#define SEED_BASE_BUF_H

#include <stdint.h>

#include "runtime/base/str.h"

typedef struct Buf {
	char *p;
	size_t n, cap;
} Buf;

void buf_free(Buf *b);
void buf_reserve(Buf *b, size_t more);
void buf_put(Buf *b, Str s);
void buf_putz(Buf *b, const char *z);
void buf_byte(Buf *b, char c);
void buf_fill(Buf *b, char c, size_t n);
void buf_printf(Buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* s as a JSON string in quotes: shortest escapes, UTF-8 kept, U+007F kept (RFC 8259, canonical). Bytes
 * that are no UTF-8, as a file's name may hold, become U+FFFD each. */
void buf_json_str(Buf *b, Str s);

static inline Str buf_str(const Buf *b) { return (Str){ b->p, b->n }; }
#define buf_lit(b, lit) buf_put((b), STR(lit))

#endif
