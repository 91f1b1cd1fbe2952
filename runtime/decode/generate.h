/*
 * One reply: prefill of what the cache does not have, then a token at a time until the model ends, a stop
 * string comes, the schema is complete or the length is reached.
 *
 * Under a schema every token keeps the reply valid and leaves room to finish it within max_tok; a reply that would have
 * gone on without that limit ends by length. Bytes that are the only way on are not asked of the model: notes [cut] and
 * [forced tokens] in generate.c.
 */
#ifndef SEED_DECODE_GENERATE_H
#define SEED_DECODE_GENERATE_H

#include "runtime/automaton/automaton.h"
#include "runtime/automaton/mask.h"
#include "runtime/decode/sample.h"
#include "runtime/decode/stream.h"
#include "runtime/engine/engine.h"
#include "runtime/token/token.h"

typedef struct GenerateRules {
	SampleRules sample;
	uint32_t max_tok;          /* 0: as many as the context takes */
	bool ignore_end;           /* the model's end tokens end nothing but what a schema holds */
	bool wants_confidence;     /* Generated.confidence */
	const Str *stop;
	uint32_t n_stop;
	const Automaton *schema;   /* or NULL */
} GenerateRules;

/* GIVEN: never by generate; a reply that was there already. */
typedef enum GenerateEnd { END_MODEL, END_STOP, END_SCHEMA, END_LENGTH, END_CANCELLED, END_GIVEN, GENERATE_END_COUNT } GenerateEnd;

/* Called while a reply comes. Either may be NULL. */
typedef struct GenerateSink {
	void *user;
	/* Whole characters; false cancels. */
	bool (*text)(void *user, Str text);
	void (*prefill)(void *user, uint32_t n_done, uint32_t n_all);
} GenerateSink;

typedef struct Generated {
	Buf text;
	GenerateEnd end;
	uint32_t n_prompt, n_hit;      /* tokens of the prompt; of these, found in the cache */
	uint32_t n_token, n_forced;    /* generated; of these, without asking the model */
	uint64_t first_ns, total_ns;   /* from the call: to the first token, to the end */
	uint64_t prefill_ns, mask_ns;
	double confidence;             /* mean probability of the tokens that the model chose, where it was wanted */
} Generated;

typedef struct Generator Generator;

/* encoder and trie: of the model's vocabulary. All must outlive it. */
Generator *generator_new(Engine *engine, Encoder *encoder, const TokenTrie *trie);
void generator_free(Generator *g);

/* Continues the sequence: ids are all its tokens, those that it has committed included (so a turn of a talk
 * is the talk so far). Afterwards the sequence has committed all but the last token. False with *why. */
bool generate(Generator *g, KvSequence *s, const uint32_t *ids, uint32_t n, const GenerateRules *rules,
              const GenerateSink *sink, Generated *reply, Str *why);
void generated_free(Generated *r);

/* Its ids, of the reply alone; good until the next call of generate. */
const uint32_t *generator_ids(const Generator *g, uint32_t *n);

#endif
