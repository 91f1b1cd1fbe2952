/* schema_text FILE KIND: a JSON Schema file as ts, min or indent;
 * Golden files under tests/schema run it. */
#include <stdio.h>

#include "runtime/base/file.h"
#include "runtime/schema/schema.h"

static int fail(const SchemaErrors *errs)
{
	for (uint32_t i = 0; i < errs->n; i++)
		printf("%u: %.*s: %.*s\n", errs->v[i].offset, STR_ARG(errs->v[i].pointer), STR_ARG(errs->v[i].message));
	return 1;
}

int main(int argc, char **argv)
{
	Arena a = { 0 };
	Buf out = { 0 };
	Str text, why;
	SchemaErrors errs = { 0 };
	if (argc != 3 || !file_read(&a, argv[1], &text, &why))
		return 2;
	const SchemaNode *s = schema_import_text(&a, text, 0, &errs);
	if (!s)
		return fail(&errs);
	if (!strcmp(argv[2], "ts"))
		schema_write_ts(&out, s);
	else if (!strcmp(argv[2], "min"))
		schema_write_minified(&out, s);
	else
		schema_write_indented(&out, s);
	buf_byte(&out, '\n');
	fwrite(out.p, 1, out.n, stdout);
	buf_free(&out);
	arena_free(&a);
	return 0;
}
