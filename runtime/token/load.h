/*
 * Loaders: the public vocabulary formats, one file each, to a VocabSource (vocab.h).
 *
 * All of it is hostile input: counts are bounded by the bytes that remain, offsets by checked
 * arithmetic, ids and types by the format's own rules. A pre-tokenizer that split.def does not have is
 * refused by name, never guessed.
 */
#ifndef SEED_TOKEN_LOAD_H
#define SEED_TOKEN_LOAD_H

#include "runtime/token/vocab.h"

typedef enum VocabFormat {
	FORMAT_TIKTOKEN,   /* lines of base64 and rank; the split must be named */
	FORMAT_HF_JSON,    /* Hugging Face tokenizer.json */
	FORMAT_TEKKEN,     /* Mistral's tekken JSON */
	FORMAT_SPM,        /* SentencePiece .model (protobuf) */
	FORMAT_GGUF,       /* the tokenizer inside a GGUF */
	FORMAT_WORDPIECE,  /* vocab.txt of BERT, one piece a line */
	FORMAT_COUNT
} VocabFormat;

/* What the first bytes say it is; FORMAT_COUNT if nothing known. */
VocabFormat vocab_format_of(Str bytes);

/* bytes must outlive *out. split: NULL, or the name of split.def for formats that do not carry it.
 * False with *why and the byte it is about in *offset. */
bool vocab_load(Arena *a, VocabFormat format, Str bytes, const char *split, VocabSource *out, Str *why, size_t *offset);

/* "ranks", "cl100k", "nfc": the words of these enums; "unknown" past their end. */
const char *vocab_model_name(uint32_t model);
const char *vocab_split_name(uint32_t split);
const char *vocab_norm_name(uint32_t norm);

#endif
