/* The binary: golden bytes of version 1, truncation, damage, hashes. */
#include <stdlib.h>

#include "compiler/emit/bin_append.h"
#include "runtime/bin/bin_dump.h"
#include "tests/unit/bin_sample.h"
#include "tests/unit/check.h"

typedef struct Sample {
	Arena arena;
	Buf bytes;
	Bin bin;
	BinStatus status;
	BinError err;
} Sample;

static void sample_make(Sample *s, void (*edit)(BinWriter *w))
{
	*s = (Sample){ 0 };
	BinWriter w;
	bin_writer_init(&w, &s->arena);
	sample_fill(&w);
	if (edit)
		edit(&w);
	s->status = bin_writer_finish(&w, &s->bytes, &s->bin, &s->err);
	bin_writer_free(&w);
	if (s->status)
		printf("at %llu: %s\n", (unsigned long long)s->err.off, s->err.message);
}

static void sample_free(Sample *s)
{
	buf_free(&s->bytes);
	arena_free(&s->arena);
}

/* Reads every record by printing it: whatever bin_open accepts must be safe to walk. */
static BinStatus open_and_walk(const void *bytes, size_t n)
{
	Bin b;
	BinError err;
	BinStatus status = bin_open(&b, bytes, n, &err);
	if (status)
		return status;
	Buf out = { 0 };
	bin_dump(&b, &out);
	buf_free(&out);
	return bin_verify(&b, &err);
}

/* The damage of one who can write checksums. */
static void reseal(uint8_t *bytes, size_t n)
{
	((BinHeader *)(void *)bytes)->checksum = bin_checksum(bytes, n);
}

/* One of each record, made by hand; a whole prompt as the first release compiled it; the first again with the
 * sections of 1.1, and with those of 1.2 too. */
static const char *const golden_names[] = { "bin_v1.bin", "bin_v1_triage.bin", "bin_v1_1.bin", "bin_v1_2.bin" };
enum { GOLDEN_COUNT = 4, GOLDEN_NEWEST = 3 };

static Buf read_golden(int which)
{
	Buf b = { 0 };
	char path[4096];
	const char *root = getenv("ROOT");
	snprintf(path, sizeof path, "%s/tests/unit/data/%s", root ? root : ".", golden_names[which]);
	FILE *f = fopen(path, "rb");
	if (!f)
		return b;
	char chunk[4096];
	for (size_t n; (n = fread(chunk, 1, sizeof chunk, f));)
		buf_put(&b, (Str){ chunk, n });
	fclose(f);
	return b;
}

TEST(opens_what_it_writes)
{
	Sample s;
	sample_make(&s, NULL);
	CHECK_INT(s.status, BIN_OK);
	CHECK_INT(open_and_walk(s.bytes.p, s.bytes.n), BIN_OK);
	CHECK_STR(bin_str(&s.bin, s.bin.prompt[0].name), "triage");
	sample_free(&s);
}

/* BLESS_BIN=path writes the bytes; done once per version, then they are kept for ever. */
TEST(golden_bytes_of_version_1)
{
	Sample s;
	sample_make(&s, NULL);
	BinAutomaton record[] = { { 0, 0, { 0, 3 } }, { BIN_NONE, 0, { 3, 1 } } };
	BinWord word[] = { { 1 }, { 2 }, { 3 }, { 4 } };
	BinTokenizer tokenizer[] = { { { 1 }, { 0, 2 } }, { { 1, 2 }, { 2, 1 } } };
	BinTokenText text[] = { { { 1, 6 }, { 0, 2 } }, { { 8, 3 }, { 2, 1 } }, { { 0, 60 }, { 3, 1 } } };
	BinMore more[] = {
		{ SECTION_AUTOMATON, sizeof *record, { (const char *)record, sizeof record } },
		{ SECTION_AUTOMATON_WORD, sizeof *word, { (const char *)word, sizeof word } },
		{ SECTION_TOKENIZER, sizeof *tokenizer, { (const char *)tokenizer, sizeof tokenizer } },
		{ SECTION_TOKEN_TEXT, sizeof *text, { (const char *)text, sizeof text } },
		{ SECTION_TOKEN_ID, sizeof *word, { (const char *)word, sizeof word } },
	};
	CHECK_INT(bin_append(&s.bytes, more, 5, &s.bin, &s.err), BIN_OK);
	CHECK(s.bin.n_automaton == 2 && s.bin.automaton_word[3].w == 4);
	CHECK(s.bin.n_tokenizer == 2 && s.bin.token_text[2].text.len == 60 && s.bin.token_id[3].w == 4);
	const char *bless = getenv("BLESS_BIN");
	if (bless) {
		FILE *f = fopen(bless, "wb");
		fwrite(s.bytes.p, 1, s.bytes.n, f);
		fclose(f);
	}
	for (int i = 0; i < GOLDEN_COUNT; i++) {
		Buf golden = read_golden(i);
		CHECK_INT(open_and_walk(golden.p, golden.n), BIN_OK);
		CHECK(i != GOLDEN_NEWEST || str_eq(buf_str(&s.bytes), buf_str(&golden)));
		buf_free(&golden);
	}
	sample_free(&s);
}

static void check_every_truncated_prefix(Check *check_, int which)
{
	Buf golden = read_golden(which);
	for (size_t n = 0; n < golden.n; n++) {
		uint8_t *exact = malloc(n ? n : 1);
		memcpy(exact, golden.p, n);
		BinStatus status = open_and_walk(exact, n);
		if (status != BIN_TRUNCATED)
			CHECK_INT(status, BIN_TRUNCATED);
		free(exact);
	}
	buf_free(&golden);
}

TEST(every_truncated_prefix)
{
	for (int i = 0; i < GOLDEN_COUNT; i++)
		check_every_truncated_prefix(check_, i);
}

static void check_every_byte_damaged(Check *check_, int which)
{
	static const uint8_t damage[] = { 0x01, 0x80, 0xFF };
	Buf golden = read_golden(which);
	uint8_t *bytes = malloc(golden.n + 1);
	size_t n_refused = 0;
	for (size_t i = 0; i < golden.n; i++) {
		for (size_t k = 0; k < sizeof damage; k++) {
			memcpy(bytes, golden.p, golden.n);
			bytes[i] ^= damage[k];
			n_refused += open_and_walk(bytes, golden.n) != BIN_OK;
			reseal(bytes, golden.n);
			open_and_walk(bytes, golden.n);
		}
	}
	CHECK_INT(n_refused, 3 * golden.n);
	free(bytes);
	buf_free(&golden);
}

TEST(every_byte_damaged)
{
	for (int i = 0; i < GOLDEN_COUNT; i++)
		check_every_byte_damaged(check_, i);
}

/* 32-bit words replaced by numbers near the limits, where sums overflow. */
static void check_every_word_at_its_limits(Check *check_, int which)
{
	static const uint32_t limit[] = { UINT32_MAX, UINT32_MAX - 1, 0x80000000u, 0x7FFFFFFFu, 0, 1 };
	Buf golden = read_golden(which);
	uint8_t *bytes = malloc(golden.n + 1);
	for (size_t i = 0; i + 4 <= golden.n; i += 4) {
		for (size_t k = 0; k < sizeof limit / sizeof *limit; k++) {
			memcpy(bytes, golden.p, golden.n);
			memcpy(bytes + i, &limit[k], 4);
			reseal(bytes, golden.n);
			open_and_walk(bytes, golden.n);
		}
	}
	CHECK(golden.n > 0);
	free(bytes);
	buf_free(&golden);
}

TEST(every_word_at_its_limits)
{
	for (int i = 0; i < GOLDEN_COUNT; i++)
		check_every_word_at_its_limits(check_, i);
}

TEST(unaligned_and_foreign_bytes_are_refused)
{
	_Alignas(16) uint8_t bytes[256] = { 0 };
	CHECK_INT(open_and_walk(bytes + 1, 128), BIN_NOT_BIN);
	CHECK_INT(open_and_walk(bytes, sizeof bytes), BIN_NOT_BIN);
	CHECK_INT(open_and_walk(memcpy(bytes, "SEEDBIN\x1a\x02", 9), sizeof bytes), BIN_VERSION);
}

/* ---- the content hash ---- */

static int same_hash(void (*edit)(BinWriter *w))
{
	Sample a, b;
	sample_make(&a, NULL);
	sample_make(&b, edit);
	int same = !a.status && !b.status && !memcmp(a.bin.prompt[0].hash, b.bin.prompt[0].hash, BIN_HASH_BYTES);
	sample_free(&a);
	sample_free(&b);
	return same;
}

static uint32_t find_seg(BinWriter *w, SegKind kind)
{
	uint32_t i = 0;
	while (w->seg.v[i].kind != kind)
		i++;
	return i;
}

static void edit_text(BinWriter *w) { w->seg.v[find_seg(w, SEG_TEXT)].text = bin_put_str(w, STR("You repair for ")); }
static void edit_file(BinWriter *w) { w->debug_file.v[0].name = bin_put_str(w, STR("elsewhere.sd")); }
static void edit_meta(BinWriter *w) { w->meta.v[0].json = bin_put_str(w, STR("\"ops\"")); }
static void edit_name(BinWriter *w) { w->prompt.v[0].name = bin_put_str(w, STR("other")); }
static void edit_set(BinWriter *w) { w->set.v[0].json = bin_put_str(w, STR("8")); }
static void edit_tool(BinWriter *w) { w->tool.v[0].doc = bin_put_str(w, STR("seeks")); }
static void edit_cache(BinWriter *w) { w->cache.v[0].ttl_s = 60; }
static void edit_reply(BinWriter *w) { w->prompt.v[0].reply.max_tok = 1; }
static void edit_default(BinWriter *w) { w->input.v[0].default_json = bin_put_str(w, STR("\"ios\"")); }
static void edit_hole_spelling(BinWriter *w) { w->seg.v[find_seg(w, SEG_HOLE)].text = bin_put_str(w, STR("{{ product }}")); }
static void edit_loop_name(BinWriter *w) { w->ref.v[3].name = bin_put_str(w, STR("d")); }

/* The same text in a block, or not. */
static void edit_block(BinWriter *w)
{
	uint32_t block = find_seg(w, SEG_BLOCK);
	w->seg.v[block].kind = w->seg.v[block + 2].kind = SEG_TEXT;
	w->seg.v[block].partner = w->seg.v[block + 2].partner = BIN_NONE;
	w->seg.v[block].name = (BinStr){ 0, 0 };
}

TEST(hash_covers_what_is_sent)
{
	CHECK(!same_hash(edit_text));
	CHECK(!same_hash(edit_set));
	CHECK(!same_hash(edit_tool));
	CHECK(!same_hash(edit_cache));
	CHECK(!same_hash(edit_reply));
	CHECK(!same_hash(edit_default));
}

TEST(hash_leaves_out_what_is_not)
{
	CHECK(same_hash(NULL));
	CHECK(same_hash(edit_file));
	CHECK(same_hash(edit_meta));
	CHECK(same_hash(edit_name));
	CHECK(same_hash(edit_hole_spelling));
	CHECK(same_hash(edit_loop_name));
	CHECK(same_hash(edit_block));
}

static void edit_rule(BinWriter *w) { w->cond.v[w->cond.n - 2].s = bin_put_str(w, STR("web")); }

TEST(file_hash_covers_routes)
{
	Sample a, b;
	sample_make(&a, NULL);
	sample_make(&b, edit_rule);
	CHECK(!memcmp(a.bin.prompt[0].hash, b.bin.prompt[0].hash, BIN_HASH_BYTES));
	CHECK(memcmp(a.bin.header->hash, b.bin.header->hash, BIN_HASH_BYTES) != 0);
	sample_free(&a);
	sample_free(&b);
}

/* ---- what only hand-made records get wrong ---- */

static int refused(void (*edit)(BinWriter *w), const char *message)
{
	Arena arena = { 0 };
	Buf bytes = { 0 };
	BinError err = { 0, "" };
	BinWriter w;
	bin_writer_init(&w, &arena);
	sample_fill(&w);
	edit(&w);
	BinStatus status = bin_writer_finish(&w, &bytes, NULL, &err);
	int ok = status == BIN_CORRUPT && !strcmp(err.message, message);
	if (!ok)
		printf("got: %s\n", err.message);
	bin_writer_free(&w);
	buf_free(&bytes);
	arena_free(&arena);
	return ok;
}

static void break_partner(BinWriter *w) { w->seg.v[0].partner--; }
static void break_place(BinWriter *w) { w->seg.v[find_seg(w, SEG_HISTORY)].kind = SEG_IMAGE; }
static void break_loop(BinWriter *w) { w->ref.v[3].index = 0; }
static void break_cond(BinWriter *w) { w->cond.v[0].op = COND_NOT; w->cond.v[0].ref = BIN_NONE; }
static void break_else(BinWriter *w) { w->route_rule.v[1].cond = w->route_rule.v[0].cond; w->route_rule.v[0].cond.n = 0; }
static void break_weight(BinWriter *w) { w->seg.v[3].weight = 2; }
static void break_text(BinWriter *w) { w->seg.v[2].text = bin_put_str(w, STR("\xC0\x80")); }
static void break_node(BinWriter *w) { w->node.v[0].seg.n--; }
static void break_stage(BinWriter *w) { w->stage.v[0].seg = 0; }
static void break_debug(BinWriter *w) { w->debug_run.v[0].len = 99; }

TEST(broken_records_are_refused)
{
	CHECK(refused(break_partner, "a partner is not the next arm or the end"));
	CHECK(refused(break_place, "a segment stands where it may not"));
	CHECK(refused(break_loop, "a reference names nothing in its scope"));
	CHECK(refused(break_cond, "a condition takes a value that is not there"));
	CHECK(refused(break_else, "a route has no else, or one too many"));
	CHECK(refused(break_weight, "a weight or threshold is neither 0..1 nor -1"));
	CHECK(refused(break_text, "a string is not UTF-8, or holds a NUL"));
	CHECK(refused(break_node, "a node's range is not one whole segment"));
	CHECK(refused(break_stage, "a stage's segment is not its own"));
	CHECK(refused(break_debug, "a debug run leaves its text"));
}

static void put_tokenizer(BinWriter *w, uint8_t print, BinStr first, BinStr second)
{
	vec_push(w->arena, &w->tokenizer, (BinTokenizer){ { print }, { w->token_text.n, 2 } });
	vec_push(w->arena, &w->token_text, (BinTokenText){ first, { w->token_id.n, 0 } });
	vec_push(w->arena, &w->token_text, (BinTokenText){ second, { w->token_id.n, 0 } });
}
static void break_tokenizers(BinWriter *w) { for (int i = 0; i < 2; i++) put_tokenizer(w, 7, (BinStr){ 0, 2 }, (BinStr){ 2, 2 }); }
static void break_overlap(BinWriter *w) { put_tokenizer(w, 7, (BinStr){ 0, 3 }, (BinStr){ 2, 2 }); }
static void break_order(BinWriter *w) { put_tokenizer(w, 7, (BinStr){ 2, 2 }, (BinStr){ 0, 1 }); }
static void break_empty(BinWriter *w) { put_tokenizer(w, 7, (BinStr){ 0, 2 }, (BinStr){ 2, 0 }); }
static void break_ids(BinWriter *w) { put_tokenizer(w, 7, (BinStr){ 0, 2 }, (BinStr){ 2, 2 }); w->token_text.v[1].id.n = 1; }

TEST(broken_ids_are_refused)
{
	const char *texts = "texts of a tokenizer are empty, overlap or are not in order";
	CHECK(refused(break_tokenizers, "tokenizers are not in the order of their fingerprints"));
	CHECK(refused(break_overlap, texts));
	CHECK(refused(break_order, texts));
	CHECK(refused(break_empty, texts));
	CHECK(refused(break_ids, "a range runs past its section"));
}

static void break_depth(BinWriter *w)
{
	uint32_t open[BIN_DEPTH_MAX + 1];
	uint32_t first = w->seg.n;
	open[0] = sample_open(w, SEG_MESSAGE);
	open[1] = sample_open(w, SEG_PART);
	for (uint32_t i = 2; i <= BIN_DEPTH_MAX; i++)
		open[i] = sample_open(w, SEG_BLOCK);
	for (uint32_t i = BIN_DEPTH_MAX + 1; i--;)
		sample_close(w, open[i]);
	vec_push(w->arena, &w->prompt, (BinPrompt){ .reply.schema = BIN_NONE, .cache = BIN_NONE, .seg = { first, w->seg.n - first } });
}

TEST(nesting_is_capped)
{
	CHECK(refused(break_depth, "segments nest too deeply"));
}

CHECK_MAIN(opens_what_it_writes, golden_bytes_of_version_1, every_truncated_prefix, every_byte_damaged,
           every_word_at_its_limits, unaligned_and_foreign_bytes_are_refused, hash_covers_what_is_sent,
           hash_leaves_out_what_is_not, file_hash_covers_routes, broken_records_are_refused, broken_ids_are_refused,
           nesting_is_capped)
