/* Schemas of all kinds and a vocabulary of short tokens that cross their borders, for the tests of masks. */
#ifndef SEED_TESTS_AUTOMATON_SAMPLE_H
#define SEED_TESTS_AUTOMATON_SAMPLE_H

#include "runtime/automaton/automaton.h"
#include "runtime/automaton/trie.h"

static const char *const sample_schema[] = {
	"{\"type\":\"object\",\"properties\":{\"severity\":{\"enum\":[\"low\",\"high\",\"critical\"]},\"owner\":{\"type\":\"string\"},"
		"\"quotes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":1,\"maxItems\":3}},"
		"\"required\":[\"severity\",\"quotes\"],\"additionalProperties\":false}",
	"{}",
	"{\"type\":\"object\"}",
	"{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"},\"minProperties\":2,\"maxProperties\":4}",
	"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"null\"},\"ab\":{\"type\":\"boolean\"}},\"required\":[\"ab\"]}",
	"{\"type\":\"string\"}",
	"{\"type\":\"string\",\"minLength\":3,\"maxLength\":9}",
	"{\"type\":\"string\",\"pattern\":\"^[a-c\\u00e9]+$\",\"minLength\":2,\"maxLength\":6}",
	"{\"type\":\"string\",\"pattern\":\"b.b\"}",
	"{\"type\":\"string\",\"pattern\":\"^(ab|a\\\\n|\\\"){1,3}$\"}",
	"{\"type\":\"string\",\"pattern\":\"\\\\bab\\\\b\"}",
	"{\"type\":\"string\",\"pattern\":\"^\\\\p{Lu}\\\\P{L}$\"}",
	"{\"type\":\"number\"}",
	"{\"type\":\"integer\",\"minimum\":-12,\"maximum\":130}",
	"{\"type\":\"number\",\"exclusiveMinimum\":0.5,\"maximum\":12.25}",
	"{\"type\":\"integer\",\"multipleOf\":7}",
	"{\"type\":\"number\",\"multipleOf\":0.05,\"minimum\":-1,\"maximum\":1}",
	"{\"enum\":[1,1.5,12,\"1\",\"a\",null,true,[1,{\"a\":1}]]}",
	"{\"type\":\"array\",\"prefixItems\":[{\"type\":\"integer\"},{\"type\":\"string\"}],\"items\":false,\"minItems\":1}",
	"{\"type\":\"array\",\"items\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":9},\"minItems\":66,\"maxItems\":70}",
	"{\"$ref\":\"#/$defs/tree\",\"$defs\":{\"tree\":{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"integer\"},\"kids\":{\"type\":"
		"\"array\",\"items\":{\"$ref\":\"#/$defs/tree\"}}},\"required\":[\"v\"],\"additionalProperties\":false}}}",
	"{\"anyOf\":[{\"type\":\"object\",\"properties\":{\"kind\":{\"const\":\"a\"},\"x\":{\"type\":\"integer\"}},\"required\":[\"kind\",\"x\"],"
		"\"additionalProperties\":false},{\"type\":\"object\",\"properties\":{\"kind\":{\"enum\":[\"b\",\"a\"]},\"y\":{\"type\":\"string\"}},"
		"\"required\":[\"kind\"],\"additionalProperties\":false}]}",
	"{\"oneOf\":[{\"type\":\"integer\"},{\"minimum\":2}]}",
	"{\"oneOf\":[{\"type\":\"string\",\"maxLength\":4},{\"type\":\"string\",\"minLength\":2}]}",
	"{\"anyOf\":[{\"type\":\"array\",\"items\":{\"type\":\"integer\"}},{\"type\":\"array\",\"items\":{\"enum\":[1,\"a\"]},\"maxItems\":2}]}",
	"{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"]},{\"properties\":{\"a\":{\"maximum\":20},\"b\":{}},"
		"\"maxProperties\":2}],\"type\":\"object\"}",
	"{\"type\":\"object\",\"patternProperties\":{\"^a\":{\"type\":\"integer\"},\"b$\":{\"maximum\":5}},\"additionalProperties\":{\"type\":\"null\"}}",
	"{\"type\":\"object\",\"propertyNames\":{\"pattern\":\"^(x|[a\u00e9]|b+)$\"},\"additionalProperties\":{\"type\":\"null\"},\"minProperties\":2}",
	"{\"type\":\"object\",\"propertyNames\":{\"maxLength\":1},\"patternProperties\":{\"a\":{\"type\":\"null\"}},\"additionalProperties\":false}",
	"{\"type\":\"object\",\"propertyNames\":{\"pattern\":\"^[ab]{1,2}$\"},\"minProperties\":4,\"additionalProperties\":{\"type\":\"boolean\"}}",
	"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"integer\"}},\"dependentRequired\":{\"a\":[\"b\"]},"
		"\"additionalProperties\":false}",
	"{\"type\":\"string\",\"format\":\"date\"}", "{\"type\":\"string\",\"format\":\"date-time\"}", "{\"type\":\"string\",\"format\":\"time\"}",
	"{\"type\":\"string\",\"format\":\"email\"}", "{\"type\":\"string\",\"format\":\"uri\"}", "{\"type\":\"string\",\"format\":\"uuid\"}",
	"{\"type\":\"string\",\"format\":\"ipv4\"}", "{\"type\":\"string\",\"format\":\"ipv6\"}",
	"{\"not\":{\"enum\":[1,\"a\",null]},\"type\":[\"integer\",\"string\",\"null\"]}",
	"{\"if\":{\"type\":\"integer\"},\"then\":{\"maximum\":3},\"else\":{\"type\":\"string\"}}",
};
enum { N_SAMPLE_SCHEMA = sizeof sample_schema / sizeof *sample_schema };

static inline unsigned sample_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33);
}

typedef struct SampleVocab { Arena arena; Buf table; Vocab vocab; TokenTrie trie; Str why; uint32_t end; } SampleVocab;

/* The 256 bytes, n joined of random bits, then an end token. */
static inline bool sample_vocab_make(SampleVocab *s, uint64_t seed, uint32_t n)
{
	static const char *const bit[] = {
		"{", "}", "[", "]", ",", ":", "\"", "\\", "\\n", "\\u00", "e9", "a", "ab", "b", "x", "kind", "kids", "v", "y", "1", "2", "12", "0", ".",
		"-", "e", "+", "true", "null", " ", "\xc3", "\xa9", "\xc3\xa9", "\xf0\x9f\x98\x80", "\x9f", "\n", "low", "crit", "ical", "quotes",
		"2026", "-0", "T", "Z", "@", "::", "Q", "owner", "severity", "\"}", "\":", "\",\"", "{\"", "[\"", "\"]", "]}", "},{",
	};
	*s = (SampleVocab){ 0 };
	VocabSource v = { .name = STR("sample"), .model = VOCAB_RANKS, .split = SPLIT_O200K, .n_token = 256 + n + 1, .bos = TOKEN_NONE,
	                  .eos = TOKEN_NONE, .unk = TOKEN_NONE };
	v.token = arena_array(&s->arena, Str, v.n_token);
	v.type = arena_alloc(&s->arena, v.n_token);
	for (uint32_t i = 0; i < 256; i++) {
		char byte = (char)i;
		v.token[i] = str_dup(&s->arena, (Str){ &byte, 1 });
	}
	for (uint32_t i = 0; i < n; i++) {
		Buf b = { 0 };
		for (unsigned k = 2 + sample_random(&seed) % 3; k > 0; k--)
			buf_putz(&b, bit[sample_random(&seed) % (sizeof bit / sizeof *bit)]);
		v.token[256 + i] = str_dup(&s->arena, buf_str(&b));
		buf_free(&b);
	}
	s->end = 256 + n;
	v.token[s->end] = STR("<end>");
	v.type[s->end] = TOKEN_SPECIAL;
	return vocab_build(&s->arena, &v, &s->table, &s->why) && vocab_init(&s->arena, buf_str(&s->table), &s->vocab, &s->why)
		&& token_trie_init(&s->arena, &s->vocab, &s->trie, &s->why);
}

static inline void sample_vocab_free(SampleVocab *s)
{
	buf_free(&s->table);
	arena_free(&s->arena);
}

#endif
