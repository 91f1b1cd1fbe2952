/* Any bytes as a text for a small vocabulary, which the first byte chooses: the laws of token_law.h hold. */
#include "tests/fuzz/token_law.h"

#include "tests/fuzz/law_vocabs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each vocabulary is made once: that takes longer than most texts. */
static Encoder *encoder_of(unsigned which)
{
	static Sample sample[LAW_VOCABS];
	static Encoder *encoder[LAW_VOCABS];
	if (encoder[which])
		return encoder[which];
	law_make(&sample[which], which);
	if (!sample[which].is_built)
		abort();
	return encoder[which] = encoder_new(&sample[which].vocab);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && law_check(encoder_of(data[0] % LAW_VOCABS), (Str){ (const char *)data + 1, size - 1 }).n_wrong)
		abort();
	return 0;
}
