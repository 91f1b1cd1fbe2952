/* What every loader must give for any bytes; aborts where it does not. Shared by the fuzz targets of
 * the formats and by tests/unit/test_load.c. */
#ifndef SEED_TESTS_VOCAB_LOAD_H
#define SEED_TESTS_VOCAB_LOAD_H

#include <math.h>
#include <stdlib.h>

#include "runtime/token/load.h"

static inline void fuzz_must(bool ok)
{
	if (!ok)
		abort();
}

static inline void fuzz_check_id(const VocabSource *v, uint32_t id)
{
	fuzz_must(id == TOKEN_NONE || id < v->n_token);
}

/* Reads every byte that the source lends, so that a sanitizer sees a wrong one. */
static inline void fuzz_check_source(const VocabSource *v)
{
	uint32_t sum = 0;
	fuzz_must(v->n_token && v->n_token <= VOCAB_MAX_TOKENS && v->model < VOCAB_MODEL_COUNT && v->split < SPLIT_COUNT);
	for (uint32_t i = 0; i < v->n_token; i++) {
		fuzz_must(v->type[i] < TOKEN_TYPE_COUNT && (v->token[i].n || v->type[i] == TOKEN_UNUSED));
		fuzz_must(!v->score || isfinite(v->score[i]));
		for (size_t k = 0; k < v->token[i].n; k++)
			sum += (unsigned char)v->token[i].p[k];
	}
	fuzz_must(sum + 1 != 0 || v->n_token);
	for (uint32_t i = 0; i < v->n_merge; i++)
		fuzz_must(v->merge[i].left < v->n_token && v->merge[i].right < v->n_token && v->merge[i].joined < v->n_token);
	fuzz_check_id(v, v->bos);
	fuzz_check_id(v, v->eos);
	fuzz_check_id(v, v->unk);
	fuzz_must((v->model == VOCAB_SPM) == (v->score != NULL));
}

/* True if it loaded. */
static inline bool fuzz_vocab_load(VocabFormat format, Str bytes)
{
	Arena a = { 0 };
	VocabSource v;
	Str why;
	size_t offset;
	vocab_format_of(bytes);
	bool ok = vocab_load(&a, format, bytes, format == FORMAT_TIKTOKEN ? "r50k" : NULL, &v, &why, &offset);
	if (ok)
		fuzz_check_source(&v);
	else
		fuzz_must(why.n && offset <= bytes.n);
	arena_free(&a);
	return ok;
}

#endif
