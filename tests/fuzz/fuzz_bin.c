/* The binary reader: whatever it accepts must be safe to hash and to print. */
#include <stdlib.h>

#include "runtime/bin/bin_dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *bytes = malloc(n ? n : 1);  /* aligned, and exactly as long */
	if (n)
		memcpy(bytes, data, n);
	Bin b;
	BinError err;
	if (bin_open(&b, bytes, n, &err) == BIN_OK) {
		Buf out = { 0 };
		bin_dump(&b, &out);
		buf_free(&out);
		bin_verify(&b, &err);
	}
	free(bytes);
	return 0;
}
