/* Wire: see wire.h. Refuses what has no value, lowers each request, hands it to its form. */
#include "runtime/wire/body.h"

void wire_note(WireReport *report, WireSeverity severity, const char *code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	Str message = str_vfmt(report->arena, fmt, ap);
	va_end(ap);
	report->n_error += severity == WIRE_ERROR;
	/* Errors are kept each time: their help is set on the last one. */
	for (uint32_t i = 0; severity != WIRE_ERROR && i < report->note.n; i++)
		if (str_eq(report->note.v[i].message, message))
			return;
	vec_push(report->arena, &report->note, (WireNote){ severity, code, message, (Str){ 0 } });
}

bool wire_refuse(WireReport *report, Str why)
{
	wire_note(report, WIRE_ERROR, NULL, "%.*s", STR_ARG(why));
	return false;
}

static void refuse_unbound(const WireInput *in, WireReport *report)
{
	Buf names = { 0 };
	const Rendering *r = in->rendering;
	for (uint32_t i = 0; i < r->unbound.n; i++)
		buf_printf(&names, "%s`%.*s`", i ? ", " : "", STR_ARG(r->unbound.v[i]));
	wire_note(report, WIRE_ERROR, NULL, "no value for %.*s", STR_ARG(buf_str(&names)));
	report->note.v[report->note.n - 1].help = str_fmt(report->arena, "give --set %.*s=VALUE, or --unbound=show to print {{%.*s}}",
	                                                  STR_ARG(r->unbound.v[0]), STR_ARG(r->unbound.v[0]));
	buf_free(&names);
}

static bool write_request(Buf *out, const WireInput *in, const Request *q, WireReport *report)
{
	Lowered l;
	Body b = { in, q, report, report->arena, json_new(report->arena, JSON_OBJECT) };
	if (in->form == FORM_JSON) {
		wire_write_neutral(out, &b);
		return true;
	}
	LowerRules rules = lower_rules_of(in, report->arena);
	if (!lower_request(in, &rules, q, report, &l))
		return false;
	switch (in->form) {
	case FORM_OPENAI: wire_write_openai(out, &b, &l); break;
	case FORM_ANTHROPIC: wire_write_anthropic(out, &b, &l); break;
	case FORM_GEMINI: wire_write_gemini(out, &b, &l); break;
	default: wire_write_chat(out, &b, &l); break;
	}
	return !report->n_error;
}

bool wire_write(Buf *out, const WireInput *in, WireReport *report)
{
	size_t before = out->n;
	WireInput full = *in;
	if (in->form == FORM_CHAT && !full.chat)
		full.chat = in->target->chat;
	if (in->form == FORM_CHAT && !full.chat)
		wire_note(report, WIRE_ERROR, NULL, "the chat template of %.*s is not known", STR_ARG(in->target->name));
	if (in->rendering->unbound.n && in->unbound == UNBOUND_REFUSE)
		refuse_unbound(in, report);
	if (report->n_error)
		return false;
	bool many = in->rendering->request.n > 1;
	for (uint32_t i = 0; i < in->rendering->request.n; i++) {
		const Request *q = &in->rendering->request.v[i];
		if (in->form == FORM_CHAT && many)
			buf_printf(out, "%s=== STAGE %.*s ===\n", i ? "\n" : "", STR_ARG(q->stage));
		write_request(out, &full, q, report);
	}
	if (report->n_error)
		out->n = before;
	return !report->n_error;
}

/* ---- which target ---------------------------------------------------------------------------- */

static const char *const form_names[WIRE_FORM_COUNT] = { "openai", "anthropic", "gemini", "chat", "json" };

static bool fits(const Target *t, WireForm form)
{
	if (form == FORM_CHAT)
		return t->chat != NULL;
	return form == FORM_JSON || (int)t->wire == (int)form;
}

const Target *wire_find_target(TargetTable *table, Str name, WireReport *report)
{
	const Target *t = target_find(table, name);
	if (t)
		return t;
	Str near = target_suggest(table, name);
	wire_note(report, WIRE_ERROR, NULL, "unknown target `%.*s`", STR_ARG(name));
	if (near.n)
		report->note.v[report->note.n - 1].help = str_fmt(report->arena, "did you mean `%.*s`?", STR_ARG(near));
	return NULL;
}

static const Target *named_target(TargetTable *table, WireForm form, Str name, WireReport *report)
{
	const Target *t = wire_find_target(table, name, report);
	if (!t || fits(t, form))
		return t;
	if (form == FORM_CHAT)
		wire_note(report, WIRE_ERROR, NULL, "the chat template of %.*s is not known", STR_ARG(t->name));
	else
		wire_note(report, WIRE_ERROR, NULL, "%.*s takes %s bodies, not %s", STR_ARG(t->name), form_names[t->wire], form_names[form]);
	return NULL;
}

/* A request body names its model: `set openai.model json`. */
static const Target *target_of_body(TargetTable *table, WireForm form, const Bin *bin, const BinPrompt *p, Arena *arena)
{
	for (uint32_t i = 0; i < p->set.n; i++) {
		const BinSet *s = &bin->set[p->set.first + i];
		JsonNode *model = str_is(bin_str(bin, s->name), "model") ? body_read(arena, bin_str(bin, s->json)) : NULL;
		const Target *t = model && model->kind == JSON_STRING ? target_find(table, model->text) : NULL;
		if (t && fits(t, form))
			return t;
	}
	return NULL;
}

const Target *wire_choose_target(TargetTable *table, WireForm form, const Bin *bin, const BinPrompt *prompt,
                                 Str name, WireReport *report)
{
	if (name.n)
		return named_target(table, form, name, report);
	for (uint32_t i = 0; i < prompt->target.n; i++) {
		const Target *t = target_find(table, bin_name(bin, prompt->target.first + i));
		if (t && fits(t, form))
			return t;
	}
	const Target *named = target_of_body(table, form, bin, prompt, report->arena);
	if (named)
		return named;
	if (form == FORM_JSON)
		return target_find(table, STR("generic"));
	const Target *t = form == FORM_CHAT ? target_find(table, STR("generic")) : target_find_default(table, (TargetWire)form);
	wire_note(report, WIRE_REMARK, NULL, "the file names no target for %s: compiled for %.*s", form_names[form], STR_ARG(t->name));
	return t;
}
