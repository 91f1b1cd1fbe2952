/*
 * Any bytes as a file, a body, a type, a condition and clauses. Every byte of every text node stands
 * in its runs or was generated, and says the same as the source there; spans lie in the source. Then the
 * whole way: checks, lint, binary, text sent, and the formatter's promise.
 */
#include "compiler/fmt/fmt.h"
#include "grammar/grammar.h"
#include "tests/fuzz/whole.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const Source *src, const Text *t)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < t->n_run; i++) {
		TextRun r = t->run[i];
		uint32_t off = r.src_off - src->base;
		if (r.text_off < at || r.text_off + (size_t)r.len > t->s.n || off + (size_t)r.len > src->text.n
			|| memcmp(t->s.p + r.text_off, src->text.p + off, r.len))
			abort();
		at = r.text_off + r.len;
	}
}

static void check_tree(const Source *src, const Node *n, int depth)
{
	if (n->span.lo > n->span.hi || n->span.hi > src->base + src->text.n || depth > 1000)
		abort();
	if (n->text)
		check_text(src, n->text);
	for (const Node *k = n->first; k; k = k->next)
		check_tree(src, k, depth + 1);
}

/* The source compiles, lints and reports; formatted once it comes to the same, formatted twice to itself. */
static void try_whole(Compiler *c, const Source *src, const Node *file, bool is_clean)
{
	Whole one = { 0 }, two = { 0 };
	WholeInput in = { src->name, src->text, FRONT_SD, VARS_NONE };
	whole_lint(in);
	whole_of(&one, in);
	if (is_clean) {
		Str text = fmt_source(c, src, file);
		in.text = text;
		whole_of(&two, in);
		if (one.n_error != two.n_error || one.is_sent != two.is_sent || !str_eq(buf_str(&one.tree), buf_str(&two.tree))
			|| !str_eq(buf_str(&one.bin), buf_str(&two.bin)) || !str_eq(buf_str(&one.text), buf_str(&two.text)))
			abort();
		Source *again = source_add(&c->sources, &c->diags, src->name, text);
		if (!str_eq(fmt_source(c, again, grammar_parse(c, again)), text))
			abort();
	}
	whole_free(&one);
	whole_free(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Compiler c;
	compiler_init(&c);
	Source *src = source_add(&c.sources, &c.diags, STR("fuzz.sd"), (Str){ (const char *)data, size });
	if (src->ok) {
		Buf out = { 0 };
		Node *file = grammar_parse(&c, src);
		check_tree(src, file, 0);
		ast_dump(&out, file, AST_DUMP_SPANS);
		try_whole(&c, src, file, !c.diags.n_error);
		const Text *t = grammar_text(&c, src->text, src->base);
		check_tree(src, grammar_parse_body(&c, t, 0), 0);
		check_tree(src, grammar_parse_type(&c, t), 0);
		check_tree(src, grammar_parse_cond(&c, t), 0);
		check_tree(src, grammar_parse_value(&c, t), 0);
		check_tree(src, grammar_parse_clauses(&c, t, N_STAGE), 0);
		buf_free(&out);
	}
	diag_finish(&c.diags);
	compiler_free(&c);
	return 0;
}
