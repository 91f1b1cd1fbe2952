/* Masks against trying every token; what random walks along them write must satisfy the schema, and be complete before the
 * tokens run out. */
#include "runtime/automaton/mask.h"

#include <stdlib.h>

#include "tests/unit/automaton_sample.h"
#include "tests/unit/check.h"

enum { WALKS = 6, STEPS = 60 };

typedef struct Walker {
	Arena a;
	const char *text;
	const SchemaNode *schema;
	Buf flat, out;
	Automaton m;
	AutomatonMasks *masks;
	SampleVocab *v;
	uint64_t seed;
	uint32_t n_wrong, n_mask;
} Walker;

static bool walker_init(Walker *w, SampleVocab *v, const char *schema, uint64_t seed)
{
	SchemaErrors errs = { 0 };
	Str why = { 0 };
	*w = (Walker){ .text = schema, .v = v, .seed = seed };
	w->schema = schema_import_text(&w->a, str_from(schema), 0, &errs);
	if (!w->schema || !automaton_compile(&w->a, w->schema, (AutomatonOptions){ AUTOMATON_JSON, AUTOMATON_COMPACT }, &w->flat, &errs)
		|| !automaton_open(buf_str(&w->flat), &w->m, &why)) {
		Str said = errs.n ? errs.v[0].message : why;
		printf("\t%s: %.*s\n", schema, STR_ARG(said));
		return false;
	}
	w->masks = automaton_masks_new(&w->m, &v->trie, &v->end, 1);
	return true;
}

static void walker_free(Walker *w)
{
	automaton_masks_free(w->masks);
	buf_free(&w->flat);
	buf_free(&w->out);
	arena_free(&w->a);
}

static bool may_come(const Walker *w, const AutomatonState *s, uint32_t id, uint32_t left)
{
	AutomatonState next;
	if (id == w->v->end)
		return automaton_is_complete(s);
	automaton_copy(&next, s);
	return automaton_accept_bytes(&next, vocab_token(&w->v->vocab, id))
		&& (left == AUTOMATON_NO_LIMIT || automaton_closing_tokens(w->masks, &next) < left);
}

/* Counts where the mask differs from trying; the ids it has are gathered in allowed. */
static uint32_t check_mask(Walker *w, const AutomatonState *s, uint32_t left, uint32_t *allowed)
{
	const uint64_t *mask = automaton_mask(w->masks, s, left);
	uint32_t n = 0;
	w->n_mask++;
	for (uint32_t id = 0; id < w->v->vocab.n_token; id++) {
		bool got = mask[id >> 6] >> (id & 63) & 1, want = may_come(w, s, id, left);
		if (got)
			allowed[n++] = id;
		if (got != want && w->n_wrong++ < 3)
			printf("\t%s\n\tbehind %.*s (left %u) token \"%.*s\" is %s\n", w->text, STR_ARG(buf_str(&w->out)), left,
				STR_ARG(vocab_token(&w->v->vocab, id)), got ? "allowed" : "refused");
	}
	return n;
}

/* What was written is JSON, has no name twice and satisfies the schema. */
static bool is_valid(Walker *w)
{
	Arena a = { 0 };
	JsonDoc doc;
	bool ok = json_read(&a, buf_str(&w->out), 0, &doc) && !doc.n_dup
		&& schema_validate(&a, w->schema, doc.root, SCHEMA_FORMATS, NULL);
	arena_free(&a);
	return ok;
}

/* left tokens at the start; the walk ends where it picks the end, which it likes. False if something was wrong. */
static bool walk(Walker *w, uint32_t left)
{
	AutomatonState s;
	uint32_t *allowed = malloc(w->v->vocab.n_token * sizeof *allowed), n_wrong = w->n_wrong, n;
	bool ended = false;
	w->out.n = 0;
	for (automaton_start(&s, &w->m); !ended; left--) {
		n = check_mask(w, &s, left, allowed);
		if (!n)
			break;
		bool is_end = allowed[n - 1] == w->v->end && (n == 1 || sample_random(&w->seed) % 4 == 0);
		uint32_t id = allowed[is_end ? n - 1 : sample_random(&w->seed) % n];
		ended = id == w->v->end;
		buf_put(&w->out, ended ? STR("") : vocab_token(&w->v->vocab, id));
		if (!ended && !automaton_accept(w->masks, &s, id))
			break;
		if (check_mask(w, &s, AUTOMATON_NO_LIMIT, allowed) == 0 && !ended)
			break;
	}
	free(allowed);
	bool ok = ended && is_valid(w);
	if (!ok)
		printf("\t%s\n\twrote %.*s%s\n", w->text, STR_ARG(buf_str(&w->out)), ended ? "" : " and had no way on");
	return ok && n_wrong == w->n_wrong;
}

/* The start's own closing cost, and room for more. */
static void check_walks(Check *check_, SampleVocab *v, uint64_t seed)
{
	uint32_t n_mask = 0;
	for (uint32_t i = 0; i < N_SAMPLE_SCHEMA; i++) {
		Walker w;
		AutomatonState s;
		if (!CHECK(walker_init(&w, v, sample_schema[i], seed + i)))
			continue;
		automaton_start(&s, &w.m);
		for (uint32_t k = 0; k < WALKS; k++)
			CHECK(walk(&w, automaton_closing_tokens(w.masks, &s) + 1 + k * (STEPS / WALKS)));
		n_mask += w.n_mask;
		walker_free(&w);
	}
	printf("\t%u masks of %u tokens\n", n_mask, v->vocab.n_token);
}

TEST(masks_are_what_trying_says)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		SampleVocab v;
		if (CHECK(sample_vocab_make(&v, seed, (uint32_t)(200 * seed))))
			check_walks(check_, &v, seed * 1000);
		sample_vocab_free(&v);
	}
}

/* A completion exists wherever a walk stands, and is as long as was said. */
TEST(closes_from_everywhere)
{
	SampleVocab v;
	CHECK(sample_vocab_make(&v, 9, 300));
	for (uint32_t i = 0; i < N_SAMPLE_SCHEMA; i++) {
		Walker w;
		AutomatonState s;
		if (!CHECK(walker_init(&w, &v, sample_schema[i], i)))
			continue;
		automaton_start(&s, &w.m);
		for (uint32_t step = 0; step < 40; step++) {
			uint64_t set[4];
			size_t before = w.out.n;
			uint32_t bound = automaton_closing_bytes(&s);
			automaton_close(&s, &w.out);
			if (!CHECK(w.out.n - before <= bound && is_valid(&w)))
				printf("\t%s\n\twrote %.*s, at %zu, %u were to suffice\n", w.text, STR_ARG(buf_str(&w.out)), before, bound);
			w.out.n = before;
			automaton_next_bytes(&s, set);
			unsigned b = sample_random(&w.seed) % 256, tries = 0;
			while (!(set[b >> 6] >> (b & 63) & 1) && tries++ < 256)
				b = (b + 1) % 256;
			char byte = (char)b;
			if (tries > 256 || !automaton_accept_bytes(&s, (Str){ &byte, 1 }))
				break;
			buf_byte(&w.out, byte);
		}
		walker_free(&w);
	}
	sample_vocab_free(&v);
}

/* Appends up to n bytes that may come, by chance. */
static void write_on(Walker *w, AutomatonState *s, uint32_t n)
{
	while (n-- > 0) {
		uint64_t set[4];
		automaton_next_bytes(s, set);
		unsigned b = sample_random(&w->seed) % 256, tries = 0;
		while (!(set[b >> 6] >> (b & 63) & 1) && tries++ < 256)
			b = (b + 1) % 256;
		char byte = (char)b;
		if (tries > 256 || !automaton_accept_bytes(s, (Str){ &byte, 1 }))
			return;
		buf_byte(&w->out, byte);
	}
}

/* Forced tokens are those of the text that then is written, whatever that is. */
TEST(forces_tokens_that_stay)
{
	SampleVocab v;
	uint32_t n_forced = 0;
	CHECK(sample_vocab_make(&v, 5, 400));
	Encoder *e = encoder_new(&v.vocab);
	for (uint32_t i = 0; i < N_SAMPLE_SCHEMA; i++) {
		Walker w;
		if (!CHECK(walker_init(&w, &v, sample_schema[i], i)))
			continue;
		for (uint32_t round = 0; round < 20; round++) {
			AutomatonState s;
			uint32_t ids[64], all[1024];
			automaton_start(&s, &w.m);
			write_on(&w, &s, round);
			w.out.n = 0;
			size_t n = automaton_forced_tokens(&s, e, ids, 64);
			n_forced += (uint32_t)n;
			write_on(&w, &s, 100);
			CHECK(token_encode(e, buf_str(&w.out), all) >= n && !memcmp(ids, all, n * sizeof *ids));
		}
		walker_free(&w);
	}
	CHECK(n_forced > 20);
	encoder_free(e);
	sample_vocab_free(&v);
}

CHECK_MAIN(masks_are_what_trying_says, forces_tokens_that_stay, closes_from_everywhere)
