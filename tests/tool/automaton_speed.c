/* automaton_speed VOCAB FILE RUNS [PEER]: FILE holds [{schema, texts: [string…]}]. Times in nanoseconds of the thread, one line
 * each: trie N | compile N | open N | cold N | warm N. cold: each mask of the texts' own tokens with nothing kept, texts in
 * turn; warm: the same once more. Schemas that are refused and texts that are not read to the end are left out, and
 * counted by a line `left N`. PEER is written: what another program needs to do the same, as JSON. tests/bench/masks.py
 * reads both. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/automaton/mask.h"
#include "runtime/base/file.h"
#include "runtime/token/token.h"

typedef struct Speed {
	Arena a;
	Vocab v;
	TokenTrie trie;
	Encoder *e;
	uint32_t end, n_left;
	uint64_t sum;  /* of masks, so that none is left out */
} Speed;

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool reads(const Automaton *m, Str text)
{
	AutomatonState s;
	automaton_start(&s, m);
	return automaton_accept_bytes(&s, text) && automaton_is_complete(&s);
}

static void time_text(Speed *s, AutomatonMasks *masks, const Automaton *m, Str text, const char *what)
{
	uint32_t *ids = malloc(token_bound(&s->v, text.n) * sizeof *ids);
	size_t n = token_encode(s->e, text, ids);
	AutomatonState at;
	automaton_start(&at, m);
	for (size_t i = 0; i <= n; i++) {
		uint64_t from = now_ns();
		const uint64_t *mask = automaton_mask(masks, &at, AUTOMATON_NO_LIMIT);
		printf("%s %llu\n", what, (unsigned long long)(now_ns() - from));
		s->sum += mask[i % s->trie.n_word];
		if (i < n && (!(mask[ids[i] >> 6] >> (ids[i] & 63) & 1) || !automaton_accept(masks, &at, ids[i])))
			break;
	}
	free(ids);
}

static void time_schema(Speed *s, const JsonNode *group, int runs)
{
	Buf flat = { 0 };
	Automaton m;
	Str why;
	const JsonNode *texts = json_get(group, "texts");
	for (int i = 0; i < runs; i++) {
		Arena a = { 0 };
		SchemaErrors errs = { 0 };
		flat.n = 0;
		const SchemaNode *schema = schema_import(&a, json_get(group, "schema"), &errs);
		uint64_t from = now_ns();
		bool ok = schema && automaton_compile(&a, schema, (AutomatonOptions){ 0 }, &flat, &errs);
		uint64_t compiled = now_ns();
		AutomatonMasks *masks = ok && automaton_open(buf_str(&flat), &m, &why) ? automaton_masks_new(&m, &s->trie, &s->end, 1) : NULL;
		uint64_t opened = now_ns();
		arena_free(&a);
		if (!masks) {
			s->n_left++;
			break;
		}
		printf("compile %llu\nopen %llu\n", (unsigned long long)(compiled - from), (unsigned long long)(opened - compiled));
		for (int warm = 0; warm < 2 && i + 1 == runs; warm++)
			for (uint32_t t = 0; t < texts->n; t++)
				if (reads(&m, texts->item[t]->text))
					time_text(s, masks, &m, texts->item[t]->text, warm ? "warm" : "cold");
		automaton_masks_free(masks);
	}
	buf_free(&flat);
}

/* {"eos", "special": [id…], "tokens": [hex…], "groups": [{schema, ids: [[id…]…]}]} */
static void write_peer(Speed *s, const JsonNode *groups, const char *path)
{
	Buf b = { 0 };
	Str why;
	buf_printf(&b, "{\"eos\":%u,\"special\":[%u", s->end, s->end);
	for (uint32_t id = 0; id < s->v.n_token; id++)
		if (!token_trie_text(&s->trie, id).n)
			buf_printf(&b, ",%u", id);
	buf_lit(&b, "],\"tokens\":[\"");
	for (uint32_t id = 0; id < s->v.n_token; id++, buf_putz(&b, id < s->v.n_token ? "\",\"" : "\""))
		for (size_t i = 0; i < vocab_token(&s->v, id).n; i++)
			buf_printf(&b, "%02x", (unsigned char)vocab_token(&s->v, id).p[i]);
	buf_lit(&b, "],\"groups\":[");
	for (uint32_t g = 0; g < groups->n; g++) {
		const JsonNode *texts = json_get(groups->item[g], "texts");
		buf_putz(&b, g ? ",{\"schema\":" : "{\"schema\":");
		json_write(&b, json_get(groups->item[g], "schema"), JSON_AS_IS);
		buf_lit(&b, ",\"ids\":[");
		for (uint32_t t = 0; t < texts->n; t++) {
			uint32_t *ids = malloc(token_bound(&s->v, texts->item[t]->text.n) * sizeof *ids);
			size_t n = token_encode(s->e, texts->item[t]->text, ids);
			buf_putz(&b, t ? ",[" : "[");
			for (size_t i = 0; i < n; i++)
				buf_printf(&b, "%s%u", i ? "," : "", ids[i]);
			buf_byte(&b, ']');
			free(ids);
		}
		buf_lit(&b, "]}");
	}
	buf_lit(&b, "]}");
	if (!file_write(&s->a, path, buf_str(&b), &why))
		exit(2);
	buf_free(&b);
}

int main(int argc, char **argv)
{
	Speed s = { 0 };
	Str text, why;
	JsonDoc doc;
	if (argc < 4 || argc > 5 || !vocab_open(&s.a, argv[1], &s.v, &why) || !file_read(&s.a, argv[2], &text, &why)
		|| !json_read(&s.a, text, 0, &doc))
		return 2;
	int runs = atoi(argv[3]);
	for (int i = 0; i < runs; i++) {
		Arena a = { 0 };
		uint64_t from = now_ns();
		bool ok = token_trie_init(i + 1 < runs ? &a : &s.a, &s.v, &s.trie, &why);
		printf("trie %llu\n", (unsigned long long)(now_ns() - from));
		arena_free(&a);
		if (!ok)
			return 2;
	}
	s.end = s.v.header->eos;
	s.e = encoder_new(&s.v);
	if (argc == 5)
		write_peer(&s, doc.root, argv[4]);
	for (uint32_t i = 0; i < doc.root->n; i++)
		time_schema(&s, doc.root->item[i], runs);
	printf("left %u\nsum %llu\n", s.n_left, (unsigned long long)s.sum);
	encoder_free(s.e);
	vocab_close(&s.v);
	arena_free(&s.a);
	return 0;
}
