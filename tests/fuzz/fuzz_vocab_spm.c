/* Any bytes as a vocabulary of this format: a VocabSource that keeps its promises, or a message. */
#include "tests/fuzz/vocab_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_vocab_load(FORMAT_SPM, (Str){ (const char *)data, size });
	return 0;
}
