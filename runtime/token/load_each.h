/*
 * What the loaders share: the Load they are given, how they fail, how they put a token, and the three
 * ways in which files spell bytes. One loader a file, each a row of load.c.
 *
 * Invariant: ids below n_token have a token and a type; what no line of the file named is TOKEN_UNUSED
 * without bytes.
 */
#ifndef SEED_TOKEN_LOAD_EACH_H
#define SEED_TOKEN_LOAD_EACH_H

#include "runtime/base/json.h"
#include "runtime/base/map.h"
#include "runtime/token/load.h"

typedef struct Load {
	Arena *a;
	Str bytes;
	VocabSplit split;     /* the one that was named; SPLIT_COUNT if none was */
	VocabSource *out;
	uint32_t cap;         /* room in out->token and out->type */
	Map by_text;          /* what load_text_once saw: text -> id + 1 */
	uint64_t *pair;       /* the pairs of the merges so far, open addressing; 0 is free */
	uint32_t pair_mask;
	Buf join;             /* freed by vocab_load */
	const JsonNode *json; /* the root, for loaders of JSON */
	Str why;
	size_t offset;
} Load;

bool load_tiktoken(Load *l);
bool load_hf(Load *l);
bool load_tekken(Load *l);
bool load_spm(Load *l);
bool load_gguf(Load *l);
bool load_wordpiece(Load *l);

/* load_hf_steps.c: the normalizer and the pre_tokenizer of a tokenizer.json into out->norm, split and
 * flags; out->model becomes VOCAB_SPM for the steps that SentencePiece's converter writes. */
bool load_hf_steps(Load *l);

/* All return false, so that a loader can return them. Texts of the file go through load_shown. */
bool load_fail(Load *l, size_t offset, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Names the JSON path of x and its first byte. */
bool load_fail_at(Load *l, const JsonNode *x, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The JSON file into l->json. A member that stands twice is refused. */
bool load_json(Load *l);
/* The member, which must be there and of that kind; else fails and gives NULL. */
const JsonNode *load_member(Load *l, const JsonNode *obj, const char *name, JsonKind kind);
/* The member is absent, null, false or an empty string or list. */
bool load_is_off(const JsonNode *obj, const char *name);
/* In double quotes, short, with nothing a terminal obeys. */
Str load_shown(Load *l, Str s);

/* Token id is these bytes. Fails for an id that is taken or out of range, and for a token that is too
 * long, with the offset given. */
bool load_put(Load *l, size_t offset, uint64_t id, Str bytes, TokenType type);
/* Remembers that the file spells id so; fails if it spelled another one so before. */
bool load_text_once(Load *l, size_t offset, Str text, uint32_t id);
/* The id that load_text_once was given, or TOKEN_NONE. */
uint32_t load_id_of(const Load *l, Str text);
/* Takes the split that was named and must have been. */
bool load_need_split(Load *l, const char *format);
/* Fails if another split was named than the one in the file. */
bool load_own_split(Load *l);

enum { LOAD_TOKEN_BYTES_MAX = 4096 };  /* the longest published has 1,024; what looks at every cut of a token stays linear */
enum { LOAD_WORD_MAX = 100 };  /* characters of a word that WordPiece looks into, where the file does not say */
/* Fails for a WordPiece vocabulary with capitals, which has another normalizer. */
bool load_need_uncased(Load *l);

/* Room for n merges: once, before the first load_merge. */
void load_merge_room(Load *l, uint32_t n);
/* Appends the merge of two texts that load_text_once saw; fails, at offset, where it does not resolve
 * or stands twice. */
bool load_merge(Load *l, size_t offset, Str left, Str right);
/* "left right", cut at the first space that is not the first byte. */
bool load_split_merge(Str s, Str *left, Str *right);
/* Scores that make SentencePiece join as the merges say; fails, at offset, where none can. */
bool load_scores(Load *l, size_t offset);

/* Strict base64 (RFC 4648, padded) into out, which has room for 3/4 of s. The bytes' number, or
 * SIZE_MAX with *bad: the first character that does not fit. */
size_t load_base64(Str s, char *out, size_t *bad);
/* Undoes GPT-2's alphabet of 256 printable characters. False if s has any other character. */
bool load_byte_level(Arena *a, Str s, Str *out);
/* "<0x0A>" is byte 10; -1 for any other text. */
int load_byte_token(Str s);

#endif
