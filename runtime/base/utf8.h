/*
 * UTF-8: decode, check, encode, measure. One idea: a text is bytes; code points, UTF-16 units,
 * grapheme clusters and display cells are counted from the bytes when someone asks.
 *
 * utf8proc supplies the tables (categories, widths, normal forms, grapheme breaks); its memory is
 * copied into the arena and released in the function that received it.
 */
#ifndef SEED_BASE_UTF8_H
#define SEED_BASE_UTF8_H

#include "runtime/base/str.h"

#define UTF8_BAD UINT32_MAX

/* Bytes of the sequence at s.p[at] and its code point in *cp. An invalid sequence (overlong,
 * surrogate, past U+10FFFF, cut) gives UTF8_BAD and length 1. at < s.n. */
uint32_t utf8_decode(Str s, size_t at, uint32_t *cp);
/* Offset of the first byte at or after at that is not ASCII, or s.n. */
size_t utf8_skip_ascii(Str s, size_t at);
/* Offset of the first byte of the first invalid sequence, or s.n. */
size_t utf8_find_bad(Str s);
/* Bytes written to out (1..4); 0 for a surrogate or a value past U+10FFFF. */
uint32_t utf8_encode(uint32_t cp, char out[4]);

/* Invalid bytes count as one each. */
size_t utf8_count(Str s);
size_t utf8_count_utf16(Str s);
/* Bytes of the grapheme cluster that starts at at (> 0 while at < s.n). */
size_t utf8_cluster_len(Str s, size_t at);
/* Cells on a terminal (UAX #11): per grapheme cluster 0, 1 or 2. Tabs and controls are the caller's. */
size_t utf8_width(Str s);
size_t utf8_cluster_width(Str cluster);

bool utf8_is_xid_start(uint32_t cp);
bool utf8_is_xid_continue(uint32_t cp);
/* Two-letter general category, "Lu", "Zs" ("Cn" for unassigned). */
const char *utf8_category(uint32_t cp);

typedef enum Utf8Form { UTF8_NFC, UTF8_NFD, UTF8_NFKC, UTF8_NFKD, UTF8_NFKC_CASEFOLD, UTF8_NFC_CASEFOLD } Utf8Form;
/* s in that form; s itself when it is ASCII and unchanged, or not valid UTF-8. */
Str utf8_normal(Arena *a, Str s, Utf8Form form);

#endif
