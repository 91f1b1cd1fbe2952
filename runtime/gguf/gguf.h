/*
 * GGUF, versions 2 and 3, little-endian: keys with values, and where each tensor lies. Nothing is
 * copied: names, texts and arrays point into the caller's bytes, which may be a mapping.
 *
 * The file is hostile. gguf_open checks all of it before it hands anything out: every count and length
 * against the bytes that remain, names unique, alignment a power of two, dimensions and sizes without
 * overflow, tensors known, aligned, in order and inside the file. Invariant: after it, every pointer
 * and range here lies inside bytes. What the values mean is the caller's to check.
 */
#ifndef SEED_GGUF_GGUF_H
#define SEED_GGUF_GGUF_H

#include <stdint.h>

#include "runtime/base/map.h"

typedef enum GgufType {  /* of a value; numbers are the format's */
	GGUF_U8, GGUF_I8, GGUF_U16, GGUF_I16, GGUF_U32, GGUF_I32, GGUF_F32, GGUF_BOOL, GGUF_STRING, GGUF_ARRAY,
	GGUF_U64, GGUF_I64, GGUF_F64, GGUF_TYPE_COUNT
} GgufType;

typedef enum GgufTensorType {
#define GGUF_TENSOR(name, number, n_block, n_bytes) GGUF_TENSOR_##name = number,
#include "runtime/gguf/gguf_types.def"
#undef GGUF_TENSOR
} GgufTensorType;

enum { GGUF_DIMS_MAX = 4, GGUF_ALIGNMENT = 32 };

typedef struct GgufKey {
	Str name;
	GgufType type;     /* GGUF_ARRAY: of n values of type item, no array of arrays */
	GgufType item;     /* else the same as type */
	uint64_t n;        /* values; 1 outside an array */
	Str value;         /* their bytes; a lone string's are its text */
	size_t offset;     /* of the name in the file, for messages */
} GgufKey;

typedef struct GgufTensor {
	Str name;
	GgufTensorType type;
	uint32_t n_dim;
	uint64_t dim[GGUF_DIMS_MAX];  /* fastest first; 1 behind n_dim */
	Str data;
	size_t offset;     /* of the name in the file */
} GgufTensor;

typedef struct Gguf {
	uint32_t version, alignment;
	uint32_t n_key, n_tensor;
	GgufKey *key;
	GgufTensor *tensor;
	Map by_key, by_tensor;  /* name -> index + 1 */
} Gguf;

/* bytes must outlive g. False with *why and the byte it is about. */
bool gguf_open(Arena *a, Str bytes, Gguf *g, Str *why, size_t *offset);

/* NULL when absent. */
const GgufKey *gguf_find(const Gguf *g, const char *name);
const GgufTensor *gguf_find_tensor(const Gguf *g, Str name);

const char *gguf_type_name(GgufType t);
const char *gguf_tensor_type_name(GgufTensorType t);
/* Elements and bytes of a block of that type. */
uint32_t gguf_block_len(GgufTensorType t);
uint32_t gguf_block_bytes(GgufTensorType t);

/* The value's text; empty for NULL and for other types. */
Str gguf_text(const GgufKey *k);
/* A whole number of any integer type that fits; false for NULL, other types and arrays. */
bool gguf_to_u32(const GgufKey *k, uint32_t *out);
bool gguf_to_bool(const GgufKey *k, bool *out);
bool gguf_to_f32(const GgufKey *k, float *out);
/* Value i < n of an array of whole numbers, or of F32. */
int64_t gguf_item_int(const GgufKey *k, uint64_t i);
float gguf_item_f32(const GgufKey *k, uint64_t i);

/* The strings of an array, in order. */
typedef struct GgufStrings { Str rest; uint64_t left; } GgufStrings;
GgufStrings gguf_strings(const GgufKey *k);
bool gguf_next_string(GgufStrings *it, Str *s);

#endif
