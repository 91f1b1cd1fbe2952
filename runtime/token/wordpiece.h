/*
 * WordPiece (VOCAB_WORDPIECE): BERT's normaliser and split, then the longest piece from the left, "##"
 * before all but the first. As `tokenizers` 0.23 does it with BertNormalizer and BertPreTokenizer;
 * what it makes of each code point is in bert.def.
 */
#ifndef SEED_TOKEN_WORDPIECE_H
#define SEED_TOKEN_WORDPIECE_H

#include "runtime/token/vocab.h"

/* A vocabulary with a longer max_word is refused when its table is built. */
enum { WORDPIECE_MAX_WORD = 1024 };

/* The ids of a text, no more than its bytes. An ill-formed byte is U+FFFD, which the normaliser drops. A word of
 * more than max_word characters, or with no way through, is the unknown token. */
size_t wordpiece_encode(const Vocab *v, Str text, uint32_t *ids);

#endif
