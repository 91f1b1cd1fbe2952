/*
 * Pass schema: writes the fixed forms of every schema (language.md 3.4). `{{Verdict}}` is TypeScript-like,
 * `{{Verdict | json}}` minified JSON Schema, whatever vocabularies are installed.
 *
 * Needs: the IR. Makes: IrSchema.json and ts, the text of every SEG_SCHEMA. The choice of the cheapest
 * form at -O2 needs token counts: without them it stays with the fixed form and says so.
 */
#include "passes/pass_loop.h"

static void write_forms(Compiler *c, IrSchema *s)
{
	Buf out = { 0 };
	if (!s->node)
		return;
	schema_write_minified(&out, s->node);
	s->json = str_dup(&c->arena, buf_str(&out));
	out.n = 0;
	schema_write_ts(&out, s->node);
	s->ts = str_dup(&c->arena, buf_str(&out));
	buf_free(&out);
}

static bool wants_json(const IrSeg *s)
{
	for (uint32_t i = 0; i < s->n_filter; i++)
		if (s->filter[i].kind == FILTER_JSON)
			return true;
	return false;
}

void pass_schema(Compiler *c, Ir *ir, Remarks *r)
{
	for (uint32_t i = 0; i < ir->prompt.n; i++) {
		IrPrompt *p = ir->prompt.v[i];
		for (uint32_t k = 0; k < p->schema.n; k++)
			write_forms(c, &p->schema.v[k]);
		for (uint32_t k = 0; k < p->seg.n; k++) {
			IrSeg *s = &p->seg.v[k];
			if (s->kind != SEG_SCHEMA)
				continue;
			const IrSchema *of = &p->schema.v[s->aux];
			s->text = (Text){ .s = wants_json(s) ? of->json : of->ts };
			if (c->opt_level >= 2)
				remark_add(r, REMARK_MISSED, s->span, "schema `%.*s` keeps its fixed form (%zu bytes; as JSON %zu): no vocabulary counts which is cheapest",
				           STR_ARG(of->name), s->text.s.n, of->json.n);
		}
	}
}
