/*
 * Vocabulary: one tokenizer as a table that is mapped, never parsed.
 *
 * Loaders (load.h) turn each public format into a VocabSource; vocab_build turns that into the table's
 * bytes, which are the same on every machine; vocab_open maps a file and checks the header and the
 * bounds of its sections only, so that the first id comes in well under a millisecond. The checksum
 * over everything is vocab_verify's.
 *
 * Invariant: after vocab_open every section lies inside the file and is aligned; ids read from the
 * tables are checked against n_token where they index, so a damaged table gives wrong ids, never a
 * read outside the mapping. Numbers in these enums are the format: append only.
 */
#ifndef SEED_TOKEN_VOCAB_H
#define SEED_TOKEN_VOCAB_H

#include <stdint.h>

#include "runtime/base/buf.h"

#define VOCAB_MAGIC "SEEDVOC\x1a"
enum { VOCAB_VERSION = 2, VOCAB_ALIGN = 64, VOCAB_MAX_TOKENS = 1 << 18, VOCAB_HASH_BYTES = 32 };
#define TOKEN_NONE UINT32_MAX

typedef enum VocabModel {
	VOCAB_RANKS,     /* byte-level BPE of a rank file: any pair whose join is a token, lowest rank first */
	VOCAB_MERGES,    /* byte-level BPE of a merge list: listed pairs only */
	VOCAB_SPM,       /* SentencePiece BPE: any pair whose join is a piece, highest score first */
	VOCAB_WORDPIECE, /* BERT: longest match from the left within a word */
	VOCAB_MODEL_COUNT
} VocabModel;

typedef enum VocabSplit {  /* split.def: the pre-tokenizers that are known; any other is refused */
#define SPLIT(id, name, ...) SPLIT_##id,
#include "runtime/token/split.def"
#undef SPLIT
	SPLIT_COUNT
} VocabSplit;

typedef enum VocabNorm {  /* what a text goes through before it is split */
	NORM_NONE,
	NORM_NFC,            /* Qwen */
	NORM_NFKC,           /* old Claude */
	NORM_BERT,           /* clean, CJK apart, lower case, accents off */
	NORM_COUNT
} VocabNorm;

typedef enum TokenType {
	TOKEN_NORMAL,
	TOKEN_SPECIAL,       /* control: only framing makes it, never a text */
	TOKEN_USER,          /* user-defined: matched in a text before the split */
	TOKEN_BYTE,          /* byte fallback <0x00> .. <0xFF> */
	TOKEN_UNKNOWN,
	TOKEN_UNUSED,        /* an id without a text, or one that no text gives */
	TOKEN_TYPE_COUNT
} TokenType;

enum VocabFlag {
	VOCAB_WHOLE_PIECE_FIRST = 1, /* a piece that is a token is that token (rank files; ignore_merges) */
	VOCAB_DUMMY_PREFIX = 2,      /* SentencePiece: a space before the text */
	VOCAB_BYTE_FALLBACK = 4,     /* what has no piece becomes its bytes */
	VOCAB_ADD_BOS = 8,           /* framing starts with bos */
	VOCAB_ADD_EOS = 16,
	VOCAB_TRIM_SPACES = 32,      /* SentencePiece remove_extra_whitespaces */
	VOCAB_ESTIMATE = 64,         /* not the model's own tokenizer: counts are estimates */
	VOCAB_FUSE_UNKNOWN = 128,    /* a run of unknown characters is one unknown token */
};

typedef struct VocabMerge { uint32_t left, right, joined; } VocabMerge;

/* What a loader gives. Everything borrows from the loader's arena or its input. */
typedef struct VocabSource {
	Str name;               /* the split's, whatever a shelf calls the table: the fingerprint covers it */
	VocabModel model;
	VocabSplit split;
	VocabNorm norm;
	unsigned flags;         /* VocabFlag */
	uint32_t n_token;       /* ids are 0 .. n_token-1; VOCAB_MAX_TOKENS at most */
	Str *token;             /* raw bytes (byte level undone, U+2581 as it is); n = 0: no such id */
	uint8_t *type;          /* TokenType */
	float *score;           /* VOCAB_SPM; else NULL */
	VocabMerge *merge;      /* VOCAB_MERGES, lowest rank first; else NULL */
	uint32_t n_merge;
	uint32_t bos, eos, unk; /* or TOKEN_NONE */
	float margin;           /* VOCAB_ESTIMATE: measured relative error, 0.12 for 12 % */
	uint32_t max_word;      /* VOCAB_WORDPIECE: characters of a word; a longer one is unknown */
} VocabSource;

/* The file. All numbers little-endian; off from the start of the file, VOCAB_ALIGN aligned. */
typedef enum VocabSection {
	VSEC_TOKEN_OFF,   /* u32[n_token + 1] into TOKEN_BYTES */
	VSEC_TOKEN_BYTES,
	VSEC_TOKEN_TYPE,  /* u8[n_token] */
	VSEC_PIECE,       /* u64[2^k]: whole pieces, open addressing; see vocab_find */
	VSEC_PAIR,        /* u64[2^k]: (left, right) -> rank, open addressing; see vocab_find_pair */
	VSEC_JOIN,        /* u32[n_rank]: rank -> joined token; empty where it is the rank itself */
	VSEC_BYTE,        /* u32[256]: token of a single byte, or TOKEN_NONE */
	VSEC_BYTE_PAIR,   /* u32[65536]: rank of the pair of two single bytes (first byte high), or TOKEN_NONE */
	VSEC_SCORE,       /* u32[n_token], VOCAB_SPM: order of the score, 0 best, equal scores equal */
	VSEC_USER,        /* u32[]: ids matched before the split, longest first */
	VSEC_NAME,        /* the name's bytes */
	VSEC_CROSS,       /* u64[], VOCAB_SPM: characters that stand side by side in a piece; see spm.h */
	VSEC_CHAR,        /* u32[65536]: characters of three bytes to start with as one symbol, or empty; see vocab_char.h */
	VSEC_COUNT
} VocabSection;

typedef struct VocabRange { uint32_t off, n_bytes; } VocabRange;

typedef struct VocabHeader {
	char magic[8];
	uint32_t version, n_bytes;             /* of the whole file */
	uint32_t model, split, norm, flags;
	uint32_t n_token, n_rank, max_token_bytes, max_word;
	uint32_t bos, eos, unk;
	float margin;
	VocabRange section[VSEC_COUNT];
	uint8_t fingerprint[VOCAB_HASH_BYTES]; /* SHA-256 over all after the header and what the header says: names the tokenizer */
} VocabHeader;

typedef struct Vocab {
	const VocabHeader *header;
	const uint32_t *token_off, *join, *byte, *byte_pair, *score, *user, *chars;
	const char *token_bytes;
	const uint8_t *token_type;
	const uint64_t *piece, *pair, *cross;
	uint64_t piece_mask, pair_mask;        /* slots - 1; pair_mask 0 and pair NULL: none */
	uint64_t cross_mask;                   /* bits - 1 */
	uint32_t n_token, n_token_bytes, n_rank, n_user;
	Str name;
	void *map;
	size_t map_bytes;
} Vocab;

/* The table of a source. False with *why in the arena: what makes it unusable. */
bool vocab_build(Arena *a, const VocabSource *source, Buf *out, Str *why);

/* Maps a table file. False with *why. The owner closes. */
bool vocab_open(Arena *a, const char *path, Vocab *v, Str *why);
/* The same over bytes in memory, VOCAB_ALIGN aligned, which must outlive v. */
bool vocab_init(Arena *a, Str bytes, Vocab *v, Str *why);
void vocab_close(Vocab *v);
/* The header without its fingerprint, and all that follows it. */
void vocab_fingerprint(const VocabHeader *h, Str body, uint8_t out[VOCAB_HASH_BYTES]);
/* Recomputes the fingerprint and checks every table. */
bool vocab_verify(Arena *a, const Vocab *v, Str *why);

/* A token's bytes; empty for an id that has none. */
static inline Str vocab_token(const Vocab *v, uint32_t id)
{
	if (id >= v->n_token)
		return (Str){ "", 0 };
	uint32_t lo = v->token_off[id], hi = v->token_off[id + 1];
	return lo <= hi && hi <= v->n_token_bytes ? (Str){ v->token_bytes + lo, hi - lo } : (Str){ "", 0 };
}

/* The token of exactly these bytes, or TOKEN_NONE. Special and unused tokens are never found. */
uint32_t vocab_find(const Vocab *v, Str bytes);
uint32_t vocab_find_hashed(const Vocab *v, Str bytes, uint64_t hash); /* hash: piece_hash of bytes */
/* The rank of the join of two tokens, or TOKEN_NONE. */
uint32_t vocab_find_pair(const Vocab *v, uint32_t left, uint32_t right);
/* A special token by its text, or one that the file calls user-defined: for framing. */
uint32_t vocab_find_special(const Vocab *v, Str text);

#endif
