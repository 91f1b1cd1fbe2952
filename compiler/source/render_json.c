/*
 * JSON and JSON lines. Columns count code points and UTF-16 units; offsets are bytes of the file as it
 * is on disk, so that an editor or a script can apply the edits without knowing our normalisation.
 */
#include "compiler/source/render.h"

static void json_field(Buf *out, const char *name, Str value)
{
	if (!value.n)
		return;
	buf_printf(out, ",\"%s\":", name);
	buf_json_str(out, value);
}

static void json_place(Buf *out, const Sources *ss, Span span)
{
	Position lo = source_position(ss, span.lo), hi = source_position(ss, span.hi);
	buf_lit(out, "\"path\":");
	buf_json_str(out, lo.source ? lo.source->name : STR(""));
	buf_printf(out, ",\"line\":%u,\"column\":%u,\"column_utf16\":%u", lo.line, lo.col_code_point, lo.col_utf16);
	buf_printf(out, ",\"end_line\":%u,\"end_column\":%u,\"end_column_utf16\":%u", hi.line, hi.col_code_point,
	           hi.col_utf16);
	if (lo.source)
		buf_printf(out, ",\"offset\":%zu,\"end_offset\":%zu", source_raw_offset(lo.source, span.lo),
		           source_raw_offset(lo.source, span.hi));
}

static void json_fix(Buf *out, const Sources *ss, const Diag *g)
{
	if (!g->fix)
		return;
	buf_printf(out, ",\"fix\":{\"level\":\"%s\",\"title\":", g->fix_level == FIX_SAFE ? "safe" : "unsafe");
	buf_json_str(out, g->fix_title);
	buf_lit(out, ",\"edits\":[");
	for (const DiagEdit *e = g->fix; e; e = e->next) {
		buf_putz(out, e == g->fix ? "{" : ",{");
		json_place(out, ss, e->span);
		buf_lit(out, ",\"text\":");
		buf_json_str(out, e->text);
		buf_byte(out, '}');
	}
	buf_lit(out, "]}");
}

static void json_labels(Buf *out, const Sources *ss, const Diag *g)
{
	if (!g->label)
		return;
	buf_lit(out, ",\"labels\":[");
	for (const DiagLabel *l = g->label; l; l = l->next) {
		buf_putz(out, l == g->label ? "{" : ",{");
		json_place(out, ss, l->span);
		buf_lit(out, ",\"text\":");
		buf_json_str(out, l->text);
		buf_byte(out, '}');
	}
	buf_byte(out, ']');
}

static void json_finding(Buf *out, const Finding *f)
{
	const Diag *g = f->diag;
	const RuleInfo *r = &diag_rules[g->id];
	buf_printf(out, "{\"code\":\"%s\",\"slug\":\"%s\",\"severity\":\"%s\",", r->code, r->slug,
	           severity_name(g->severity));
	json_place(out, f->sources, g->span);
	buf_lit(out, ",\"message\":");
	buf_json_str(out, g->message);
	json_field(out, "help", g->help);
	json_field(out, "note", g->note);
	json_labels(out, f->sources, g);
	json_fix(out, f->sources, g);
	buf_byte(out, '}');
}

void render_jsonl(Buf *out, const Findings *f)
{
	for (uint32_t i = 0; i < f->n_shown; i++) {
		json_finding(out, &f->list.v[i]);
		buf_byte(out, '\n');
	}
}

void render_json(Buf *out, const Findings *f)
{
	buf_lit(out, "{\"version\":1,\"findings\":[");
	for (uint32_t i = 0; i < f->n_shown; i++) {
		buf_putz(out, i ? ",\n" : "\n");
		json_finding(out, &f->list.v[i]);
	}
	buf_printf(out, "%s],\"errors\":%u,\"warnings\":%u,\"infos\":%u,\"suppressed\":%u}\n", f->n_shown ? "\n" : "",
	           f->n_error, f->n_warning, f->n_info, f->n_suppressed);
}
