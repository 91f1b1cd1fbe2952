/* See flatten.h. */
#include "compiler/sema/flatten.h"

typedef struct Flat {
	Arena *a;
	Buf text;
	VEC(TextRun) run;
} Flat;

static void on_text(Walk *w, const Node *text, const Scope *s)
{
	Flat *f = w->ctx;
	(void)s;
	if (!text->text)
		return;
	uint32_t base = (uint32_t)f->text.n;
	for (uint32_t i = 0; i < text->text->n_run; i++) {
		TextRun r = text->text->run[i];
		r.text_off += base;
		vec_push(f->a, &f->run, r);
	}
	buf_put(&f->text, text->text->s);
}

static void on_hole(Walk *w, const Node *hole, const Scope *s)
{
	Flat *f = w->ctx;
	const Node *ref = node_kid(hole, N_REF);
	(void)s;
	buf_printf(&f->text, "{{%.*s}}", STR_ARG(ref ? ref->name : STR("x")));
}

Text sema_flatten(const Unit *u, const Prompt *p, const Part *part, const Node *decl)
{
	Flat f = { .a = &u->c->arena };
	Walk w = { .u = u, .p = p, .ctx = &f, .on_text = on_text, .on_hole = on_hole };
	if (part)
		sema_walk_part(&w, part);
	else
		sema_walk_decl(&w, decl, NULL);
	Text t = { str_dup(f.a, buf_str(&f.text)), f.run.v, f.run.n };
	buf_free(&f.text);
	return t;
}
