/* See sha256.h. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "runtime/base/sha256.h"

#include <openssl/sha.h>

_Static_assert(sizeof(Sha256) == sizeof(SHA256_CTX), "room for libcrypto's state, exactly");

void sha256_init(Sha256 *h)
{
	SHA256_Init((SHA256_CTX *)h);
}

void sha256_put(Sha256 *h, const void *bytes, size_t n_bytes)
{
	if (n_bytes)
		SHA256_Update((SHA256_CTX *)h, bytes, n_bytes);
}

void sha256_end(Sha256 *h, uint8_t out[SHA256_BYTES])
{
	SHA256_Final(out, (SHA256_CTX *)h);
}

void sha256_of(Str s, uint8_t out[SHA256_BYTES])
{
	Sha256 h;
	sha256_init(&h);
	sha256_put(&h, s.p, s.n);
	sha256_end(&h, out);
}

void sha256_hex(const uint8_t hash[SHA256_BYTES], char out[2 * SHA256_BYTES])
{
	for (int i = 0; i < SHA256_BYTES; i++) {
		out[2 * i] = "0123456789abcdef"[hash[i] >> 4];
		out[2 * i + 1] = "0123456789abcdef"[hash[i] & 15];
	}
}
