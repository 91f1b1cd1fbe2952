/* The IR as text: the same lines as `seedc dump` prints of a binary, before there is one. */
#include "compiler/ir/ir.h"
#include "runtime/bin/seg_print.h"

typedef struct Dump {
	Buf *out;
	Buf ref, cond, filter;
} Dump;

static Str ref_text(Dump *d, const IrRef *r)
{
	d->ref.n = 0;
	if (r)
		seg_print_ref(&d->ref, r->kind, r->name, r->field);
	return buf_str(&d->ref);
}

static Str cond_text(Dump *d, const IrProgram *p)
{
	d->cond.n = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const IrCond *c = &p->op[i];
		seg_print_cond(&d->cond, !i, c->op, c->cmp, c->n_arg, ref_text(d, c->ref), c->s);
	}
	return buf_str(&d->cond);
}

static void dump_seg(Dump *d, const IrSeg *s, uint32_t *depth)
{
	uint32_t at;
	SegView v = { .kind = s->kind, .role = s->role, .stability = s->stability, .modality = s->modality,
	              .flags = s->flags, .aux = s->aux, .text = s->text.s, .name = s->name,
	              .weight = s->weight, .squash = s->squash };
	d->filter.n = 0;
	for (uint32_t i = 0; i < s->n_filter; i++)
		seg_print_filter(&d->filter, s->filter[i].kind, s->filter[i].arg);
	v.filter = buf_str(&d->filter);
	v.cond = cond_text(d, &s->cond);
	v.ref = ref_text(d, s->ref);
	*depth = seg_depth(v.kind, *depth, &at);
	seg_print(d->out, at, &v);
}

static void dump_prompt(Dump *d, const IrPrompt *p)
{
	uint32_t depth = 1;
	buf_putz(d->out, "prompt ");
	seg_print_name(d->out, p->p->name);
	buf_byte(d->out, '\n');
	for (uint32_t i = 0; i < p->seg.n; i++)
		dump_seg(d, &p->seg.v[i], &depth);
}

static void dump_route(Dump *d, const IrRoute *r)
{
	buf_putz(d->out, "route ");
	seg_print_name(d->out, r->r->name);
	buf_byte(d->out, '\n');
	for (uint32_t i = 0; i < r->rule.n; i++) {
		if (r->rule.v[i].n)
			buf_printf(d->out, "  when [%.*s] -> ", STR_ARG(cond_text(d, &r->rule.v[i])));
		else
			buf_putz(d->out, "  else -> ");
		seg_print_name(d->out, r->r->rule.v[i]->name);
		buf_byte(d->out, '\n');
	}
}

void ir_dump(Buf *out, const Ir *ir)
{
	Dump d = { .out = out };
	for (uint32_t i = 0; i < ir->prompt.n; i++)
		dump_prompt(&d, ir->prompt.v[i]);
	for (uint32_t i = 0; i < ir->route.n; i++)
		dump_route(&d, ir->route.v[i]);
	buf_free(&d.ref);
	buf_free(&d.cond);
	buf_free(&d.filter);
}
