/*
 * safetensors: eight bytes of length, a JSON object of tensors (dtype, shape, where its bytes lie), the bytes.
 * Nothing is copied. The file is hostile: the header's length, every member's kind, products of shapes and the
 * bytes they ask for are checked; the tensors fill what is behind the header without overlap or hole, as the format
 * demands. Tensors come out as a GGUF's: dimensions fastest first.
 */
#ifndef SEED_MODEL_SAFETENSORS_H
#define SEED_MODEL_SAFETENSORS_H

#include "runtime/gguf/gguf.h"

typedef struct Safetensors {
	GgufTensor *tensor;   /* in the order of the header */
	uint32_t n_tensor;
	Map by_tensor;        /* name -> index + 1 */
} Safetensors;

bool safetensors_open(Arena *a, Str bytes, Safetensors *s, Str *why, size_t *offset);

#endif
