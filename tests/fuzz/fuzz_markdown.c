/* Any bytes as Markdown: the message is the source after its front matter, byte for byte, and is so
 * again after import and in what is sent. The first byte chooses the style of variables. */
#include "compiler/front/import.h"
#include "tests/fuzz/whole.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Text and holes of the only message, as they would be sent with nothing bound. */
static Str only_text(Compiler *c, const Node *file)
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
	Str text = only_text(c, file), want = src->text;
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
	Str bytes = { (const char *)data + 1, size - 1 };
	compiler_init(&c);
	c.vars = (VarStyle)(data[0] % 4);
	Source *src = source_add(&c.sources, &c.diags, STR("f.md"), bytes);
	Node *file = front_parse(&c, src, FRONT_AUTO);
	if (src->ok)
		check_promise(&c, src, file);
	Buf sd = { 0 };
	if (front_import(&c, src, FRONT_AUTO, &sd)) {
		Source *again = source_add(&c.sources, &c.diags, STR("f.sd"), str_dup(&c.arena, buf_str(&sd)));
		Node *parsed = front_parse(&c, again, FRONT_SD);
		bool is_plain = c.vars == VARS_NONE && !node_kid(file, N_VARS);
		if (c.diags.n_error || (is_plain && !str_eq(only_text(&c, file), only_text(&c, parsed))))
			abort();
		/* Variables become inputs, whose trust the author must settle before the import compiles. */
		whole_imports((WholeInput){ src->name, bytes, FRONT_AUTO, c.vars }, is_plain ? IMPORT_EXACT : IMPORT_OPEN, buf_str(&sd));
	}
	buf_free(&sd);
	compiler_free(&c);
	return 0;
}
