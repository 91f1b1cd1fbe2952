/* Any bytes as prompt.yaml: what import prints parses to the tree that the front end gives, and every
 * run of every text stands in the source; both send the same text. */
#include "compiler/front/import.h"
#include "tests/fuzz/whole.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_texts(const Compiler *c, const Node *n)
{
	for (uint32_t i = 0; n->text && i < n->text->n_run; i++) {
		TextRun r = n->text->run[i];
		Str from = source_slice(&c->sources, (Span){ r.src_off, r.src_off + r.len });
		if (!str_eq(from, str_sub(n->text->s, r.text_off, (size_t)r.text_off + r.len)))
			abort();
	}
	for (const Node *k = n->first; k; k = k->next)
		check_texts(c, k);
}

/* Whether a name was quoted is told by its place, where import has quotes and YAML may have none: the
 * flag is dropped at the end of each line. */
static void dump_unquoted(Buf *out, const Node *file)
{
	Buf all = { 0 };
	ast_dump(&all, file, AST_DUMP_PLAIN);
	Str rest = buf_str(&all), line;
	while (str_line(&rest, &line)) {
		buf_put(out, str_ends(line, STR(" quoted")) ? str_sub(line, 0, line.n - 7) : line);
		buf_byte(out, '\n');
	}
	buf_free(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Compiler c;
	Str bytes = { (const char *)data, size };
	compiler_init(&c);
	Source *src = source_add(&c.sources, &c.diags, STR("f.yaml"), bytes);
	Node *file = front_parse(&c, src, FRONT_YAML);
	check_texts(&c, file);
	Buf sd = { 0 }, one = { 0 }, two = { 0 };
	if (!c.diags.n_error && front_import(&c, src, FRONT_YAML, &sd)) {
		Source *again = source_add(&c.sources, &c.diags, STR("f.sd"), str_dup(&c.arena, buf_str(&sd)));
		Node *parsed = front_parse(&c, again, FRONT_SD);
		if (!node_kid(file, N_PROMPT) && parsed->first && parsed->first->kind == N_PROMPT)
			parsed->first = parsed->first->next;  /* import names what has no name */
		dump_unquoted(&one, file);
		dump_unquoted(&two, parsed);
		if (!str_eq(buf_str(&one), buf_str(&two)))
			abort();
		whole_imports((WholeInput){ src->name, bytes, FRONT_YAML, VARS_NONE }, IMPORT_EXACT, buf_str(&sd));
	}
	buf_free(&sd);
	buf_free(&one);
	buf_free(&two);
	compiler_free(&c);
	return 0;
}
