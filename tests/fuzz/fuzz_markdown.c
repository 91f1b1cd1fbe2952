/* Any bytes as Markdown: the message is the source after its front matter, byte for byte, and is so
 * again after import. The first byte chooses the style of variables. */
#include <stdlib.h>

#include "compiler/front/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Text and holes of the only message, as they would be sent with nothing bound. */
static Str message_text(Compiler *c, const Node *file)
{
	Buf b = { 0 };
	for (const Node *n = file->first; n; n = n->next) {
		const Node *body = n->kind == N_MESSAGE ? node_body(n) : NULL;
		for (const Node *k = body ? body->first : NULL; k; k = k->next)
			buf_put(&b, k->kind == N_TEXT ? k->text->s : source_slice(&c->sources, k->span));
		if (body && !(body->flags & NF_INLINE) && b.n && b.p[b.n - 1] == '\n')
			b.n--;
	}
	Str s = str_dup(&c->arena, buf_str(&b));
	buf_free(&b);
	return s;
}

static void check_promise(Compiler *c, const Source *src, const Node *file)
{
	Str text = message_text(c, file), want = src->text;
	if (str_ends(want, STR("\n")))
		want.n--;
	if (want.n < text.n || !str_ends(want, text))
		abort();
	if (file->first && file->first->kind == N_MESSAGE && !str_eq(want, text))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	Compiler c;
	compiler_init(&c);
	c.vars = (VarStyle)(data[0] % 4);
	Source *src = source_add(&c.sources, &c.diags, STR("f.md"), (Str){ (const char *)data + 1, size - 1 });
	Node *file = front_parse(&c, src, FRONT_AUTO);
	if (src->ok)
		check_promise(&c, src, file);
	Buf sd = { 0 };
	if (front_import(&c, src, FRONT_AUTO, &sd)) {
		Source *again = source_add(&c.sources, &c.diags, STR("f.sd"), str_dup(&c.arena, buf_str(&sd)));
		Node *parsed = front_parse(&c, again, FRONT_SD);
		if (c.diags.n_error || (c.vars == VARS_NONE && !node_kid(file, N_VARS) && !str_eq(message_text(&c, file), message_text(&c, parsed))))
			abort();
	}
	buf_free(&sd);
	compiler_free(&c);
	return 0;
}
