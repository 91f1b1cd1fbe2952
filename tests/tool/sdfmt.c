/* Formats a file to standard output; a second round must give the same bytes, or it says so and fails. */
#include <stdio.h>

#include "compiler/fmt/fmt.h"
#include "grammar/grammar.h"
#include "runtime/base/file.h"

static Str format(Compiler *c, const char *name, Str bytes)
{
	Source *src = source_add(&c->sources, &c->diags, str_from(name), bytes);
	return fmt_source(c, src, grammar_parse(c, src));
}

int main(int argc, char **argv)
{
	Compiler c;
	Str bytes, why;
	int rc = 0;
	compiler_init(&c);
	for (int i = 1; i < argc; i++) {
		if (!file_read(&c.arena, argv[i], &bytes, &why))
			return 3;
		Str once = format(&c, argv[i], bytes);
		fwrite(once.p, 1, once.n, stdout);
		if (!str_eq(once, format(&c, "again", once))) {
			fprintf(stderr, "%s: not idempotent\n", argv[i]);
			rc = 1;
		}
	}
	compiler_free(&c);
	return rc;
}
