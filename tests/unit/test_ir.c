/* The IR: what the builder makes of declarations, and the hash of what is sent. */
#include "compiler/emit/emit.h"
#include "compiler/emit/emit_bin.h"
#include "grammar/grammar.h"
#include "passes/pass_loop.h"
#include "tests/unit/check.h"

typedef struct Built {
	Compiler c;
	PassRun run;
	Ir *ir;
	Buf dump, bytes;
	Bin bin;
	BinStatus status;
	BinError err;
} Built;

static void build(Built *b, const char *text, int opt_level)
{
	*b = (Built){ 0 };
	compiler_init(&b->c);
	b->c.opt_level = opt_level;
	Source *s = source_add(&b->c.sources, &b->c.diags, STR("t.sd"), str_from(text));
	Unit *u = sema_build(&b->c, grammar_parse(&b->c, s), FRONT_SD);
	pass_run_init(&b->run, &b->c);
	pass_run_ast(&b->run, &b->c, u);
	b->ir = pass_run_ir(&b->run, &b->c, u);
	ir_dump(&b->dump, b->ir);
	b->status = emit_bin(b->ir, BIN_DEBUG_MAP, &b->bytes, &b->bin, &b->err);
	if (!b->status)
		b->status = bin_verify(&b->bin, &b->err);
	if (b->status || b->run.fault || b->c.diags.n_error)
		printf("%s / %s / %s\n", b->err.message, b->run.fault ? b->run.fault : "",
		       b->c.diags.n_error ? str_z(&b->c.arena, b->c.diags.list.v[0]->message) : "");
}

static void drop(Built *b)
{
	buf_free(&b->dump);
	buf_free(&b->bytes);
	compiler_free(&b->c);
}

/* True if the dump of text has all the lines (leading blanks count), in that order. */
static int dumps(const char *text, const char *lines)
{
	Built b;
	build(&b, text, 1);
	Str rest = str_from(lines), line, dump = buf_str(&b.dump);
	size_t at = 0;
	int ok = b.status == BIN_OK && !b.run.fault;
	while (ok && str_line(&rest, &line)) {
		Str want = str_fmt(&b.c.arena, "\n%.*s\n", STR_ARG(line));
		at = str_find(dump, want, at);
		ok = at < dump.n;
		if (ok)
			at += want.n - 1;
		else
			printf("missing: %.*s\nin:\n%.*s", STR_ARG(line), STR_ARG(dump));
	}
	drop(&b);
	return ok;
}

/* L2.7: an included block gets the directive's extra indent on each non-blank line. */
TEST(includes_are_indented)
{
	CHECK(dumps("block b:\n  one\n\n  two {{x}}\nprompt p\nin x: text\nuser:\n  List:\n    !INCLUDE[b]\n  end\n",
		"      text \"List:\\n\"\n"
		"      block b\n"
		"        text \"  one\\n\\n  two \"\n"
		"        hole {x} \"{{x}}\"\n"
		"        text \"\\n\"\n"
		"      text \"end\\n\"\n"));
	CHECK(dumps("block a: inline text\nprompt p\nin q: text\nuser:\n  {{q}}\n  !INCLUDE[a]\n  end\n",
		"        text \"inline text\\n\"\n"));
}

TEST(nested_includes_add_up)
{
	CHECK(dumps("block a:\n  x\nblock b:\n  y\n    !INCLUDE[a]\nprompt p\nin q: text\nuser:\n  {{q}}\n    !INCLUDE[b]\n",
		"        text \"  y\\n\"\n"
		"        block a\n"
		"          text \"    x\\n\"\n"));
}

/* L3.2: labels, further lines indented two blanks, empty lines not. */
TEST(constraints_are_items)
{
	CHECK(dumps("prompt p\nconstraint c should:\n  one\n  two\n\n  three\nuser: hi\n",
		"          text protected generated \"- Should: \"\n"
		"          text protected \"one\\n\"\n"
		"          text protected generated continuation \"  \"\n"
		"          text protected \"two\\n\\n\"\n"
		"          text protected generated continuation \"  \"\n"
		"          text protected \"three\\n\"\n"));
	CHECK(dumps("prompt p\nlang zh\nconstraint c never:\n  one\nuser: hi\n",
		"          text protected generated \"- 禁止：\"\n"));
}

TEST(constraints_of_a_stage_open_it)
{
	CHECK(dumps("prompt p\nrole: R\nconstraint a must: every\nconstraint b must on s: here\nin q: text\nuser: {{q}}\nstage s:\n  do\n!CHAIN[s]\n",
		"        constraint must a @static protected inline\n"
		"  stage user s @turn\n"
		"    part @turn inline\n"
		"      constraints @turn\n"
		"        constraint must b @turn protected inline\n"
		"    part @turn\n"
		"      text \"do\\n\"\n"));
}

TEST(constraints_can_be_placed)
{
	CHECK(dumps("prompt p\nconstraint a may: be\nsystem:\n  Rules:\n  {{constraints}}\n  End.\nuser: hi\n",
		"      text protected \"Rules:\\n\"\n"
		"      constraints @static protected\n"
		"        constraint may a @static protected inline\n"
		"      text protected \"\\nEnd.\\n\"\n"));
}

/* A bound name is a literal; what it decides is decided when compiled. */
TEST(bound_names_fold)
{
	const char *text = "block b:\n  !IF style == dry\n  dry {{style}}\n  !ELSE\n  wet\n  !END\nprompt p\nin q: text\n"
	                   "user:\n  {{q}}\n  !INCLUDE[b: style = \"dry\"]\n";
	CHECK(dumps(text, "      block b\n        text \"dry dry\\n\"\n"));
	Built b;
	build(&b, text, 1);
	CHECK(str_find(buf_str(&b.dump), STR("wet"), 0) == b.dump.n);
	CHECK(str_find(buf_str(&b.dump), STR(" if "), 0) == b.dump.n);
	drop(&b);
}

TEST(bound_literals_take_filters)
{
	CHECK(dumps("block b:\n  {{s | json}} {{l | join(\", \")}}\nprompt p\nin q: text\nuser:\n  {{q}}\n  !INCLUDE[b: s = \"a \"\"b\"\"\", l = [x, y]]\n",
		"        text \"\\\"a \\\\\\\"b\\\\\\\"\\\" x, y\\n\"\n"));
}

TEST(images_alone_take_their_line)
{
	CHECK(dumps("prompt p\nin pic: image\nuser:\n  Look:\n  {{pic}}\n  What is it?\n",
		"      text \"Look:\\n\"\n"
		"      image {pic} \"{{pic}}\"\n"
		"      text \"What is it?\\n\"\n"));
}

TEST(loops_and_conditions)
{
	CHECK(dumps("prompt p\nin xs: [text]\nin n: int 1..9\nuser:\n  !FOR i, x IN xs\n  {{i}}. {{x}}\n  !END\n"
	            "  !IF n in (1, 2, 3, 4, 5, 6, 7, 8, 9) and not (has xs or n > 3)\n  a\n  !END\n",
		"      for x {xs} \"!FOR i, x IN xs\"\n"
		"        hole {index i} \"{{i}}\"\n"
		"        text \". \"\n"
		"        hole {loop x} \"{{x}}\"\n"
		"      if [n 1 2 3 4 5 6 7 8 in/8 n 9 in/1 or has(xs) n 3 > or not and] \"!IF n in (1, 2, 3, 4, 5, 6, 7, 8, 9) and not (has xs or n > 3)\"\n"));
}

TEST(target_family_is_asked_when_rendered)
{
	CHECK(dumps("prompt p\nin q: text\nuser:\n  {{q}}\n  !IF target.family == openai\n  a\n  !ELSE\n  b\n  !END\n",
		"      if [target target.family openai ==] \"!IF target.family == openai\"\n"
		"        text \"a\\n\"\n"
		"      else \"!ELSE\"\n"));
}

/* ---- rendered ---- */

/* What --emit=text prints with one value set, for a target of that family. */
static int renders(const char *text, const char *name, const char *value, const char *family, const char *want)
{
	Built b;
	build(&b, text, 1);
	Arena *a = &b.c.arena;
	Values values;
	ValueError err;
	Rendering r;
	RenderOptions o = { .family = str_from(family) };
	Buf out = { 0 };
	values_init(&values, a, &b.bin);
	int ok = !*name || values_set(&values, &b.bin.prompt[0], str_from(name), str_from(value), VALUE_WRITTEN, &err);
	ok = ok && render_prompt(&b.bin, &b.bin.prompt[0], &values, &o, a, &r);
	if (ok)
		emit_text(&out, a, &r);
	ok = ok && str_eq(buf_str(&out), str_from(want));
	if (!ok)
		printf("rendered:\n%.*s", STR_ARG(buf_str(&out)));
	buf_free(&out);
	drop(&b);
	return ok;
}

/* L3.2: only further lines are indented, whichever line comes first. */
TEST(the_first_line_of_an_item_is_the_first_rendered)
{
	const char *text = "prompt p\nin a: bool\nconstraint c may:\n  !IF a\n  one\n  !END\n  two\n\n  three\nuser: hi\n";
	CHECK(renders(text, "a", "true", "", "=== SYSTEM ===\n- May: one\n  two\n\n  three\n=== USER ===\nhi\n"));
	CHECK(renders(text, "a", "false", "", "=== SYSTEM ===\n- May: two\n\n  three\n=== USER ===\nhi\n"));
}

TEST(family_is_that_of_the_target)
{
	const char *text = "prompt p\ntarget gpt-4o, claude-sonnet\nuser:\n  !IF target.family == anthropic\n  a\n  !ELSE\n  b\n  !END\n";
	CHECK(renders(text, "", "", "openai", "b\n"));
	CHECK(renders(text, "", "", "anthropic", "a\n"));
}

/* ---- the hash ---- */

static int same_hash(const char *x, const char *y, int *same_file)
{
	Built a, b;
	build(&a, x, 1);
	build(&b, y, 1);
	int same = !a.status && !b.status && !memcmp(a.bin.prompt[0].hash, b.bin.prompt[0].hash, BIN_HASH_BYTES);
	*same_file = same && !memcmp(a.bin.header->hash, b.bin.header->hash, BIN_HASH_BYTES);
	drop(&a);
	drop(&b);
	return same;
}

#define CHECK_SAME(x, y) do { int f_; CHECK(same_hash(x, y, &f_)); CHECK(f_); } while (0)
#define CHECK_OTHER(x, y) do { int f_; CHECK(!same_hash(x, y, &f_)); } while (0)

TEST(hash_is_of_what_is_sent)
{
	const char *text = "prompt p\nin q: text\nuser:\n  Say {{q}}\n  now.\n";
	CHECK_SAME(text, "prompt p\r\nin q: text\r\nuser:\r\n  Say {{q}}\r\n  now.\r\n");
	CHECK_SAME(text, "prompt p\rin q: text\ruser:\r  Say {{q}}\r  now.\r");
	CHECK_SAME(text, "\xEF\xBB\xBFprompt p\nin q: text\nuser:\n  Say {{q}}\n  now.\n");
	CHECK_SAME(text, "# a comment\nprompt p\nin q: text\n# another\nuser:\n  Say {{ q }}\n  !# and one\n  now.");
	CHECK_SAME(text, "block b:\n  now.\nprompt p\nin q: text\nuser:\n  Say {{q}}\n  !INCLUDE[b]\n");
	CHECK_SAME(text, "prompt p\nin q: text \"what to say\"\nmeta owner \"me\"\nuser:\n     Say {{q}}\n     now.\n");
	CHECK_OTHER(text, "prompt p\nin q: text\nuser:\n  Say {{q}}\n  later.\n");
	CHECK_OTHER(text, "prompt p\nin q: text max 9 tok\nuser:\n  Say {{q}}\n  now.\n");
	CHECK_OTHER(text, "prompt p\nin q: text\nuser:\n  Say {{q | xml}}\n  now.\n");
	CHECK_OTHER(text, "prompt p\nin q: text\nset temperature 0.2\nuser:\n  Say {{q}}\n  now.\n");
}

TEST(debug_map_leads_back)
{
	Built b;
	build(&b, "prompt p\nin q: text\nuser:\n  Say {{q}}\n    !INCLUDE[b]\nblock b:\n  now.\n", 1);
	CHECK_INT(b.bin.n_debug_run, 4);
	for (uint32_t i = 0; i < b.bin.n_debug_run; i++) {
		const BinDebugRun *r = &b.bin.debug_run[i];
		Str text = bin_str(&b.bin, b.bin.seg[r->seg].text);
		CHECK(str_eq(str_sub(text, r->text_off, r->text_off + r->len), str_sub(b.c.sources.file.v[0]->text, r->src_off, r->src_off + r->len)));
	}
	drop(&b);
}

/* ---- the loop ---- */

TEST(every_need_is_made_before)
{
	uint32_t facts = FACT_UNIT;
	for (int stage = 0; stage < 2; stage++) {
		for (int i = 0; i < PASS_COUNT; i++) {
			if ((pass_table[i].on_ast != NULL) != (stage == 0))
				continue;
			CHECK(!(pass_table[i].needs & ~facts));
			facts = (facts & ~pass_table[i].breaks) | pass_table[i].makes;
		}
		facts |= FACT_IR | FACT_PROTECTED;
	}
	CHECK_INT(pass_find(STR("schema")), PASS_schema);
	CHECK_INT(pass_find(STR("nope")), -1);
}

TEST(normalize_drops_what_cannot_be_seen)
{
	const char *text = "prompt p\nin q: text\nuser:\n  a\xE2\x80\x8B b\xEF\xBB\xBF c {{q}}\n";
	Built b;
	build(&b, text, 2);
	CHECK(str_find(buf_str(&b.dump), STR("\"a b c \""), 0) < b.dump.n);
	CHECK_INT(b.run.remarks.list.n, 2);
	CHECK_STR(b.run.remarks.list.v[1].id, "normalize.2");
	drop(&b);
	build(&b, text, 1);
	CHECK(str_find(buf_str(&b.dump), STR("\"a b c \""), 0) == b.dump.n);
	drop(&b);
}

CHECK_MAIN(includes_are_indented, nested_includes_add_up, constraints_are_items, constraints_of_a_stage_open_it,
           constraints_can_be_placed, bound_names_fold, bound_literals_take_filters, images_alone_take_their_line,
           loops_and_conditions, target_family_is_asked_when_rendered,
           the_first_line_of_an_item_is_the_first_rendered, family_is_that_of_the_target, hash_is_of_what_is_sent, debug_map_leads_back,
           every_need_is_made_before, normalize_drops_what_cannot_be_seen)
