/* Any bytes as messages JSON or a request body: read without errors, then imported, it parses again and
 * has as many messages. */
#include <stdlib.h>

#include "compiler/front/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count_messages(const Node *file)
{
	int n = 0;
	for (const Node *k = file->first; k; k = k->next)
		n += k->kind == N_MESSAGE;
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Compiler c;
	compiler_init(&c);
	Source *src = source_add(&c.sources, &c.diags, STR("f.json"), (Str){ (const char *)data, size });
	front_detect(src->name, src->text, NULL);
	Node *file = front_parse(&c, src, FRONT_JSON);
	Buf sd = { 0 };
	if (!c.diags.n_error && front_import(&c, src, FRONT_JSON, &sd)) {
		Source *again = source_add(&c.sources, &c.diags, STR("f.sd"), str_dup(&c.arena, buf_str(&sd)));
		if (count_messages(front_parse(&c, again, FRONT_SD)) != count_messages(file) || c.diags.n_error)
			abort();
	}
	front_import(&c, src, FRONT_AUTO, &sd);
	buf_free(&sd);
	compiler_free(&c);
	return 0;
}
