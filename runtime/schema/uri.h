/*
 * URI references as `$id` and `$ref` use them: RFC 3986 resolution (5.2) on borrowed parts. Nothing is
 * fetched; a URI here is a name.
 */
#ifndef SEED_SCHEMA_URI_H
#define SEED_SCHEMA_URI_H

#include "runtime/base/buf.h"

/* ref against base, dot segments removed; the fragment is ref's. */
Str uri_resolve(Arena *a, Str base, Str ref);
/* Without "#…"; *fragment gets what follows '#', p == NULL when there is none. */
Str uri_split(Str uri, Str *fragment);
/* False on a bad %XX. */
bool uri_decode(Arena *a, Str s, Str *out);
/* Appends s with every byte that may not stand in a fragment as %XX. */
void uri_put_fragment(Buf *b, Str s);

#endif
