/*
 * Pass schema: writes the fixed forms of every schema (language.md 3.4). `{{Verdict}}` is TypeScript-like,
 * `{{Verdict | json}}` minified JSON Schema, below -O2 whatever vocabularies are installed.
 *
 * Needs: the IR. Makes: IrSchema.json and ts, the text of every SEG_SCHEMA. At -O2 a form that nobody asked
 * for by a filter becomes JSON where that takes fewer tokens for certain, with the vocabulary of the first
 * target; without one it stays with the fixed form and says so.
 */
#include "compiler/sema/budget.h"
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

/* Whatever stands beside it: the most that JSON can take against the least that the other form does. */
static void choose_form(Compiler *c, const Prompt *p, IrSeg *s, const IrSchema *of, Remarks *r)
{
	TokenCounter counter = budget_counter(c, p);
	Encoder *e = counter_encoder(&counter);
	if (!e) {
		remark_add(r, REMARK_MISSED, s->span, "schema `%.*s` keeps its fixed form (%zu bytes; as JSON %zu): no vocabulary counts which is cheapest",
		           STR_ARG(of->name), s->text.s.n, of->json.n);
		return;
	}
	TokenRange ts = budget_text(e, of->ts), json = budget_text(e, of->json);
	if (wants_json(s) || json.hi >= ts.lo) {
		remark_add(r, REMARK_NOTE, s->span, "schema `%.*s` keeps its form: TypeScript-like it takes %llu to %llu tokens, as JSON %llu to %llu",
		           STR_ARG(of->name), (unsigned long long)ts.lo, (unsigned long long)ts.hi, (unsigned long long)json.lo, (unsigned long long)json.hi);
		return;
	}
	if (remark_change(r, s->span, (int64_t)of->ts.n - (int64_t)of->json.n, (int64_t)(ts.lo - json.hi), "schema `%.*s` is shown as JSON", STR_ARG(of->name)))
		s->text = (Text){ .s = of->json };
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
				choose_form(c, p->p, s, of, r);
		}
	}
}
