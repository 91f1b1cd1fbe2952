/*
 * Normal forms before the split: NFC (Qwen) and NFKC (the old Claude), as `tokenizers` 0.23 has them.
 *
 * utf8proc composes; norm.def says where it is asked. A character that a form neither changes nor joins
 * to what stands before costs one look. What is left is short: the character before, and all that follows up to
 * the next that stays. Characters that only a later Unicode than the one of `tokenizers` changes stay as
 * they are and stand between the others like any that stays.
 */
#ifndef SEED_TOKEN_NORM_H
#define SEED_TOKEN_NORM_H

#include "runtime/token/vocab.h"

/* Bytes that the form of n bytes can take at the most (Unicode's own bounds for UTF-8). */
static inline size_t norm_bound(VocabNorm form, size_t n_bytes)
{
	return form == NORM_NFC ? 3 * n_bytes : form == NORM_NFKC ? 11 * n_bytes : n_bytes;
}

/* The text in the form of NORM_NFC or NORM_NFKC: itself where nothing changes (always for the others), else in
 * *out, which is emptied first. Ill-formed bytes stay. */
Str norm_text(VocabNorm form, Str text, Buf *out);

#endif
