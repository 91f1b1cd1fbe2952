/* Any bytes as a text for a small vocabulary, which the first byte chooses: the laws of token_law.h hold. */
#include "tests/fuzz/token_law.h"

#include "tests/fuzz/law_vocabs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Sample s;
	if (!size)
		return 0;
	law_make(&s, data[0] % LAW_VOCABS);
	if (!s.is_built)
		abort();
	Encoder *e = encoder_new(&s.vocab);
	if (law_check(e, (Str){ (const char *)data + 1, size - 1 }).n_wrong)
		abort();
	encoder_free(e);
	sample_free(&s);
	return 0;
}
