/* Any bytes as messages JSON or a request body: read without errors, then imported, it parses again and
 * has as many messages and sends the same text. */
#include "compiler/front/import.h"
#include "tests/fuzz/whole.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count_messages(const Node *file)
{
	int n = 0;
	for (const Node *k = file->first; k; k = k->next)
		n += k->kind == N_MESSAGE;
	return n;
}

/* A JSON Schema imports to declarations that compile, or to one that names the file. */
static void try_schema(Str text)
{
	Compiler c;
	Buf sd = { 0 };
	Whole w = { 0 };
	compiler_init(&c);
	Source *src = source_add(&c.sources, &c.diags, STR("f.json"), text);
	if (front_import(&c, src, FRONT_AUTO, &sd)) {
		whole_of(&w, (WholeInput){ STR("f.sd"), buf_str(&sd), FRONT_SD, VARS_NONE });
		if (w.n_error && !str_starts(buf_str(&sd), STR("# The language cannot spell this")))
			abort();
	}
	whole_free(&w);
	buf_free(&sd);
	compiler_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Compiler c;
	Str bytes = { (const char *)data, size };
	compiler_init(&c);
	Source *src = source_add(&c.sources, &c.diags, STR("f.json"), bytes);
	front_detect(src->name, src->text, NULL);
	Node *file = front_parse(&c, src, FRONT_JSON);
	Buf sd = { 0 };
	if (!c.diags.n_error && front_import(&c, src, FRONT_JSON, &sd)) {
		Source *again = source_add(&c.sources, &c.diags, STR("f.sd"), str_dup(&c.arena, buf_str(&sd)));
		if (count_messages(front_parse(&c, again, FRONT_SD)) != count_messages(file) || c.diags.n_error)
			abort();
		whole_imports((WholeInput){ src->name, bytes, FRONT_JSON, VARS_NONE }, IMPORT_EXACT, buf_str(&sd));
	}
	try_schema(bytes);
	buf_free(&sd);
	compiler_free(&c);
	return 0;
}
