/* Inside the text layer: its steps, in order. */
#ifndef SEED_TEXT_SCAN_H
#define SEED_TEXT_SCAN_H

#include "compiler/text/text_layer.h"

void text_scan_blocks(Arena *a, TextLayer *t);     /* blocks, sections */
void text_scan_regions(Arena *a, TextLayer *t);    /* code spans, URLs, quoted literals, holes */
void text_scan_sentences(Arena *a, TextLayer *t);  /* sentences */
void text_scan_facts(Arena *a, TextLayer *t);      /* statements, numbers, formats, language */

/* Length of the fence run that this line opens, 0 if none (language.md 2.3). */
uint32_t text_fence_open(Str line);

#endif
