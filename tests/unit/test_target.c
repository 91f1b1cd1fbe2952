/* The table of targets: built-in data loads, names resolve, a project's file adds and replaces. */
#include "runtime/target/target.h"
#include "runtime/token/known.h"
#include "runtime/token/shelf.h"
#include "tests/unit/check.h"

TEST(built_in)
{
	Arena a = { 0 };
	TargetTable t;
	TargetError err = { 0 };
	targets_init(&t, &a);
	CHECK(targets_read_all(&t, &err));
	CHECK_STR(err.message, "");
	CHECK(t.built_in.target.n > 30);
	for (uint32_t i = 0; i < t.built_in.target.n; i++) {
		const Target *x = t.built_in.target.v[i];
		CHECK(x->date.n == 10);
		CHECK(x->source.n > 0);
		CHECK(x->max_key.n > 0);
		CHECK(x->body.n > 0);
		CHECK(target_find(&t, x->name) == x);
	}
	const Target *gpt = target_find(&t, STR("gpt-4o")), *claude = target_find(&t, STR("claude-sonnet-4-5"));
	CHECK_INT(gpt->window_tok, 128000);
	CHECK_INT(gpt->max_output_tok, 16384);
	CHECK_INT(claude->window_tok, 200000);
	CHECK_INT(claude->max_output_tok, 64000);
	CHECK_INT(claude->cache.min_tok, 1024);
	CHECK_INT(claude->cache.max_breakpoints, 4);
	CHECK(claude->prefill);
	arena_free(&a);
}

TEST(names)
{
	Arena a = { 0 };
	TargetTable t;
	Buf list = { 0 };
	targets_init(&t, &a);
	CHECK_STR(target_find(&t, STR("smollm2"))->name, "smollm2-135m-instruct");
	CHECK_STR(target_find(&t, STR("anthropic"))->name, "claude-sonnet-5-5");
	CHECK_STR(target_find(&t, STR("claude-sonnet"))->family, "anthropic");
	CHECK_STR(target_find(&t, STR("generic"))->name, "generic");
	CHECK(!target_find(&t, STR("gpt-4p")));
	CHECK_STR(target_suggest(&t, STR("gpt-4p")), "gpt-4o");
	for (int w = 0; w < TARGET_WIRE_COUNT; w++)
		CHECK(target_find_default(&t, (TargetWire)w)->wire == (TargetWire)w);
	targets_list(&t, &list);
	CHECK(list.n > 1000);
	buf_free(&list);
	arena_free(&a);
}

/* So that `vocab add` can tell another's file. */
TEST(tokenizers_are_known)
{
	Arena a = { 0 };
	TargetTable t;
	TargetNames all = { 0 };
	Str why;
	targets_init(&t, &a);
	targets_tokenizers(&t, &all);
	CHECK(all.n > 8);
	for (uint32_t i = 0; i < all.n; i++)
		CHECK(known_has(all.v[i]) != tokenizer_is_closed(all.v[i]));
	VocabHeader gemma = { .split = SPLIT_SPM, .n_token = 262144 }, llama2 = { .split = SPLIT_SPM, .n_token = 32000 };
	CHECK(known_allows(&a, STR("gemma3"), &gemma, &why) && known_allows(&a, STR("mine"), &llama2, &why));
	CHECK(!known_allows(&a, STR("gemma3"), &llama2, &why) && !known_allows(&a, STR("mistral-v3"), &llama2, &why));
	CHECK_STR(why, "not the vocabulary mistral-v3: that has 32768 tokens, split as spm; this one has 32000, split as spm");
	arena_free(&a);
}

/* A name reads the file it stands in and no other; what a project adds stands before it all the same. */
TEST(read_when_named)
{
	Arena a = { 0 };
	TargetTable t;
	TargetError err;
	targets_init(&t, &a);
	CHECK_INT(t.is_read, 0);
	CHECK(!target_find(&t, STR("gpt-4p")));
	CHECK_INT(t.is_read, 0);
	CHECK(targets_add(&t, STR("mine.json"), STR("{\"extends\": \"generic\", \"models\": [{\"name\": \"gpt-4o\", \"window\": 9}]}"), &err));
	CHECK_INT(target_find(&t, STR("gpt-4o"))->window_tok, 9);
	uint32_t before = t.built_in.target.n;
	CHECK(target_find(&t, STR("claude-sonnet-4-5")));
	CHECK(t.built_in.target.n > before && t.built_in.target.n < 20);
	CHECK_INT(target_find(&t, STR("gpt-4o"))->window_tok, 9);
	arena_free(&a);
}

/* Families whose defaults name each other have none. */
TEST(circle)
{
	Arena a = { 0 };
	TargetTable t;
	TargetError err;
	targets_init(&t, &a);
	CHECK(targets_add(&t, STR("x.json"), STR("{\"family\": \"x\", \"default\": \"y\", \"models\": []}"), &err));
	CHECK(targets_add(&t, STR("y.json"), STR("{\"family\": \"y\", \"default\": \"x\", \"models\": []}"), &err));
	CHECK(!target_find(&t, STR("x")));
	arena_free(&a);
}

TEST(project)
{
	Arena a = { 0 };
	TargetTable t;
	TargetError err;
	targets_init(&t, &a);
	CHECK(targets_add(&t, STR("mine.json"), STR("{\"extends\": \"gpt-4o\", \"models\": [{\"name\": \"house\", \"window\": 9}]}"), &err));
	CHECK_INT(target_find(&t, STR("house"))->window_tok, 9);
	CHECK_STR(target_find(&t, STR("house"))->max_key, "max_completion_tokens");
	CHECK(!targets_add(&t, STR("bad.json"), STR("{\"models\": [{\"name\": \"x\", \"windw\": 9}]}"), &err));
	CHECK_STR(err.message, "unknown key `windw`");
	CHECK_INT(err.offset, 26);
	CHECK(!targets_add(&t, STR("bad.json"), STR("{\"models\": [{\"window\": 9}]}"), &err));
	CHECK(!targets_add(&t, STR("bad.json"), STR("{\"extends\": \"nope\", \"models\": []}"), &err));
	arena_free(&a);
}

static bool fits(Arena *a, const char *type, const char *json)
{
	JsonDoc doc;
	Str why;
	TargetSet s = { .type = str_from(type) };
	return json_read(a, str_from(json), 0, &doc) && target_check_set(a, &s, doc.root, &why);
}

TEST(settings)
{
	Arena a = { 0 };
	CHECK(fits(&a, "number 0..2", "0.2"));
	CHECK(!fits(&a, "number 0..2", "2.01"));
	CHECK(!fits(&a, "int 1..", "1.5"));
	CHECK(fits(&a, "int 1..", "100"));
	CHECK(fits(&a, "number -2..2", "-2"));
	CHECK(fits(&a, "enum(low, high)", "\"high\""));
	CHECK(!fits(&a, "enum(low, high)", "\"hig\""));
	CHECK(fits(&a, "[text] 1..4", "[\"###\"]"));
	CHECK(!fits(&a, "[text] 1..4", "[]"));
	CHECK(!fits(&a, "[text]", "[1]"));
	CHECK(fits(&a, "bool", "true"));
	CHECK(fits(&a, "json", "{}"));
	arena_free(&a);
}

CHECK_MAIN(built_in, names, tokenizers_are_known, read_when_named, circle, project, settings)
