/*
 * SHA-256 over bytes that arrive in pieces. libcrypto's one-shot interface of version 3 costs 1.5 ms
 * at its first call (it fetches a provider); its low-level functions cost none, so these wrap them.
 */
#ifndef SEED_BASE_SHA256_H
#define SEED_BASE_SHA256_H

#include <stdint.h>

#include "runtime/base/str.h"

enum { SHA256_BYTES = 32 };

typedef struct Sha256 {
	uint64_t state[14];  /* libcrypto's, opaque here */
} Sha256;

void sha256_init(Sha256 *h);
void sha256_put(Sha256 *h, const void *bytes, size_t n_bytes);
/* h needs sha256_init before further use. */
void sha256_end(Sha256 *h, uint8_t out[SHA256_BYTES]);
void sha256_of(Str s, uint8_t out[SHA256_BYTES]);
/* 64 hex digits, no NUL. */
void sha256_hex(const uint8_t hash[SHA256_BYTES], char out[2 * SHA256_BYTES]);

#endif
