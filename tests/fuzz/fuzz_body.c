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

/* What is read without errors, a JSON Schema too, comes out in the language; what it says may still be wrong
 * (a range without values), as it was. */
static void try_import(Str text)
{
	Compiler c;
	Buf sd = { 0 };
	Whole whole = { 0 };
	compiler_init(&c);
	Source *src = source_add(&c.sources, &c.diags, STR("f.json"), text);
	front_parse(&c, src, FRONT_AUTO);
	if (!c.diags.n_error && front_import(&c, src, FRONT_AUTO, &sd)) {
		Source *again = source_add(&c.sources, &c.diags, STR("f.sd"), str_dup(&c.arena, buf_str(&sd)));
		front_parse(&c, again, FRONT_SD);
		if (c.diags.n_error)
			abort();
		whole_of(&whole, (WholeInput){ again->name, buf_str(&sd), FRONT_SD, VARS_NONE });
	}
	whole_free(&whole);
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
	try_import(bytes);
	buf_free(&sd);
	compiler_free(&c);
	return 0;
}
