/* The text layer: blocks tile, fences and spans as CommonMark has them, sentences, statements, numbers. */
#include "tests/unit/check.h"

#include <dirent.h>
#include <stdlib.h>

#include "compiler/text/text_layer.h"
#include "runtime/base/file.h"

static const char *const block_names[] = { "blank", "heading", "title", "paragraph", "item", "fence", "table", "rule", "comment" };

typedef struct Scan {
	Arena arena;
	TextLayer t;
} Scan;

static Scan scan(const char *z)
{
	Scan s = { 0 };
	text_layer_build(&s.arena, &s.t, str_from(z));
	return s;
}

static Str kinds(Scan *s)
{
	Str all = { 0 };
	for (uint32_t i = 0; i < s->t.block.n; i++)
		all = str_fmt(&s->arena, "%.*s%s%s", STR_ARG(all), i ? " " : "", block_names[s->t.block.v[i].kind]);
	return all;
}

static Str sentences(Scan *s)
{
	Str all = { 0 };
	for (uint32_t i = 0; i < s->t.sentence.n; i++)
		all = str_fmt(&s->arena, "%.*s%s%.*s", STR_ARG(all), i ? "|" : "",
			STR_ARG(text_at(&s->t, s->t.sentence.v[i].lo, s->t.sentence.v[i].hi)));
	return all;
}

static bool blocks_tile(const TextLayer *t)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < t->block.n; i++) {
		const TextBlock *k = &t->block.v[i];
		if (k->lo != at || k->hi < k->body_hi || k->body_lo > k->body_hi || k->section >= t->section.n)
			return false;
		at = k->hi;
	}
	for (uint32_t i = 1; i < t->sentence.n; i++)
		if (t->sentence.v[i].lo < t->sentence.v[i - 1].hi)
			return false;
	for (uint32_t i = 1; i < t->region.n; i++)
		if (t->region.v[i].lo < t->region.v[i - 1].hi)
			return false;
	return at == t->text.n;
}

TEST(finds_blocks)
{
	Scan s = scan("# Role\nYou edit.\n\n \n\nRules:\n- one\n  goes on\n  - nested\n1. first\n\n***\n| a | b |\n<!-- no -->\nName\n====\n");
	CHECK_STR(kinds(&s), "heading paragraph blank title item item item blank rule table comment heading");
	CHECK_INT(s.t.block.v[5].level, 2);
	CHECK_INT(s.t.block.v[6].is_ordered, 1);
	CHECK(blocks_tile(&s.t));
	CHECK_INT(s.t.section.n, 4);
	arena_free(&s.arena);
}

TEST(ends_fences_as_commonmark)
{
	Scan s = scan("a ``` b\n```py\n# not a heading\n``\n~~~\n```\nafter\n````\nopen\n```\n");
	CHECK_STR(kinds(&s), "paragraph fence paragraph fence");
	CHECK_INT(s.t.block.v[1].is_open, 0);
	CHECK_INT(s.t.block.v[3].is_open, 1);
	CHECK_INT(s.t.section.n, 1);
	arena_free(&s.arena);
}

TEST(cuts_sentences)
{
	Scan s = scan("Use e.g. this one. Is it 3.5 or 4? Yes! See https://a.b/c.d. Run `a. B` now.\nDr. Who wrote\nit in one line.\nNew rule\n");
	CHECK_STR(sentences(&s), "Use e.g. this one.|Is it 3.5 or 4?|Yes!|See https://a.b/c.d.|Run `a. B` now.|Dr. Who wrote\nit in one line.|New rule");
	arena_free(&s.arena);
	s = scan("你是翻译。把原文译成英文！好吗？\n");
	CHECK_STR(sentences(&s), "你是翻译。|把原文译成英文！|好吗？");
	CHECK_INT(s.t.language, LANGUAGE_CJK);
	arena_free(&s.arena);
}

static void check_modal(Check *check_, const char *text, Modality want, int negative)
{
	Scan s = scan(text);
	CHECK_INT(s.t.statement.n, want != MOD_NONE);
	if (s.t.statement.n) {
		CHECK_INT(s.t.statement.v[0].modality, want);
		CHECK_INT(s.t.statement.v[0].is_negative, negative);
	}
	arena_free(&s.arena);
}

TEST(reads_modality)
{
	check_modal(check_, "You must cite.", MOD_MUST, 0);
	check_modal(check_, "You must not guess.", MOD_NEVER, 1);
	check_modal(check_, "Don’t guess.", MOD_NEVER, 1);
	check_modal(check_, "If you can, you should always cite.", MOD_MUST, 0);
	check_modal(check_, "Avoid jargon.", MOD_SHOULD, 1);
	check_modal(check_, "You may stop.", MOD_MAY, 0);
	check_modal(check_, "Mayor of a mustard town.", MOD_NONE, 0);
	check_modal(check_, "Print `must never` here.", MOD_NONE, 0);
	check_modal(check_, "不得编造。", MOD_NEVER, 1);
	check_modal(check_, "必须引用。", MOD_MUST, 0);
}

TEST(reads_numbers)
{
	Scan s = scan("Use at most 40 words, under 5 lines, more than 2, exactly 7 items, v2 and utf8.");
	CHECK_INT(s.t.number.n, 4);
	CHECK_INT(s.t.number.v[0].direction, NUMBER_AT_MOST);
	CHECK_STR(text_at(&s.t, s.t.number.v[0].unit_lo, s.t.number.v[0].unit_hi), "words");
	CHECK_INT(s.t.number.v[1].is_strict, 1);
	CHECK_INT(s.t.number.v[2].direction, NUMBER_AT_LEAST);
	CHECK_INT(s.t.number.v[3].direction, NUMBER_EXACT);
	arena_free(&s.arena);
}

TEST(reduces_predicates)
{
	Scan s = scan("You must never share the data. Please share data.");
	CHECK_STR(text_predicate(&s.arena, &s.t, 0), "share data");
	CHECK_STR(text_predicate(&s.arena, &s.t, 1), "share data");
	arena_free(&s.arena);
}

TEST(marks_code_and_urls)
{
	const char *z = "Say ``a ` b`` and \"quoted text\" and {{hole}} at http://x.y/z.";
	Scan s = scan(z);
	CHECK_INT(s.t.region.n, 4);
	CHECK(text_is_code(&s.t, 6));
	CHECK(!text_is_code(&s.t, (uint32_t)(strstr(z, "quoted") - z)));
	CHECK(text_is_code(&s.t, (uint32_t)(strstr(z, "http") - z)));
	arena_free(&s.arena);
}

TEST(survives_odd_text)
{
	static const char *const odd[] = { "", "\n", "#", "-", "`", "``` `", "> > >", "1.", "\xe2\x80\x9c", "|", "<!--", "\t\n \n", "a.", "." };
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		Scan s = scan(odd[i]);
		CHECK(blocks_tile(&s.t));
		arena_free(&s.arena);
	}
}

static int tile_folder(Arena *a, const char *folder)
{
	int n_bad = 0;
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));) {
		Str bytes, why;
		TextLayer t;
		if (!file_read(a, str_z(a, str_fmt(a, "%s/%s", folder, e->d_name)), &bytes, &why))
			continue;
		text_layer_build(a, &t, bytes);
		n_bad += !blocks_tile(&t);
	}
	if (d)
		closedir(d);
	return n_bad;
}

TEST(tiles_real_prompts)
{
	const char *corpus = getenv("SEEDC_CORPUS") ? getenv("SEEDC_CORPUS") : "../shared/corpus";
	static const char *const folders[] = { "prompts/fabric", "prompts/copilot", "prompts/cursorrules", "pairs" };
	Arena a = { 0 };
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		CHECK_INT(tile_folder(&a, str_z(&a, str_fmt(&a, "%s/%s", corpus, folders[i]))), 0);
	arena_free(&a);
}

CHECK_MAIN(finds_blocks, ends_fences_as_commonmark, cuts_sentences, reads_modality, reads_numbers, reduces_predicates,
	marks_code_and_urls, survives_odd_text, tiles_real_prompts)
