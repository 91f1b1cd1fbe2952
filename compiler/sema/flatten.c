/* See flatten.h. */
#include "compiler/sema/flatten.h"

void flat_add_text(Flat *f, const Node *text)
{
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

void flat_add_hole(Flat *f, const Node *hole)
{
	const Node *ref = node_kid(hole, N_REF);
	buf_printf(&f->text, "{{%.*s}}", STR_ARG(ref ? ref->name : STR("x")));
}

Text flat_end(Flat *f)
{
	Text t = { str_dup(f->a, buf_str(&f->text)), f->run.v, f->run.n };
	buf_free(&f->text);
	return t;
}

static void on_text(Walk *w, const Node *text, const Scope *s)
{
	(void)s;
	flat_add_text(w->ctx, text);
}

static void on_hole(Walk *w, const Node *hole, const Scope *s)
{
	(void)s;
	flat_add_hole(w->ctx, hole);
}

Text sema_flatten(const Unit *u, const Prompt *p, const Part *part, const Node *decl)
{
	Flat f = { .a = &u->c->arena };
	Walk w = { .u = u, .p = p, .ctx = &f, .on_text = on_text, .on_hole = on_hole };
	if (part)
		sema_walk_part(&w, part);
	else
		sema_walk_decl(&w, decl, NULL);
	return flat_end(&f);
}
