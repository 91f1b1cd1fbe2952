/*
 * Filters: from a value to the text that stands in the message. A closed table; json, xml and fence
 * put a boundary around what they print.
 */
#ifndef SEED_RENDER_FILTER_H
#define SEED_RENDER_FILTER_H

#include "runtime/render/values.h"

/* The text of a value after its filters. Sets *absent when the value is absent and no default stands
 * in. The result is in the arena or borrowed from the value. */
Str filter_apply(const Bin *bin, Arena *arena, BinRange filters, Value value, bool *absent);
bool filter_has(const Bin *bin, BinRange filters, FilterKind kind);

/* Number of the longest run of c in s. */
uint32_t text_longest_run(Str s, char c);

#endif
