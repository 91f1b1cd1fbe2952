/* See remark.h. */
#include "passes/remark.h"

static Remark *remark_push(Remarks *r, RemarkState state, Span at, const char *fmt, va_list ap)
{
	Remark *m = vec_add(r->arena, &r->list);
	m->state = state;
	m->pass = r->pass;
	m->span = at;
	m->what = str_vfmt(r->arena, fmt, ap);
	m->tokens = REMARK_NO_TOKENS;
	return m;
}

bool remark_change(Remarks *r, Span at, int64_t bytes, int64_t tokens, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	Remark *m = remark_push(r, REMARK_MADE, at, fmt, ap);
	va_end(ap);
	m->id = str_fmt(r->arena, "%s.%u", r->pass, ++r->n_change);
	m->bytes = bytes;
	m->tokens = tokens;
	for (uint32_t i = 0; i < r->n_disabled; i++)
		if (str_eq(r->disabled[i], m->id))
			m->state = REMARK_OFF;
	return m->state == REMARK_MADE;
}

void remark_add(Remarks *r, RemarkState state, Span at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	remark_push(r, state, at, fmt, ap);
	va_end(ap);
}

static const char *const state_text[] = { "changed", "disabled", "missed", "note" };

static void put_gain(Buf *out, int64_t n, const char *unit)
{
	if (n)
		buf_printf(out, ", %+lld %s", (long long)-n, unit);
}

void remark_print(Buf *out, const Remarks *r, const Sources *ss)
{
	for (uint32_t i = 0; i < r->list.n; i++) {
		const Remark *m = &r->list.v[i];
		Position at = source_position(ss, m->span.lo);
		if (at.source)
			buf_printf(out, "%.*s:%u:%u: ", STR_ARG(at.source->name), at.line, at.col_display);
		Str id = m->id.n ? m->id : str_from(m->pass);
		buf_printf(out, "remark: [%.*s] %.*s", STR_ARG(id), STR_ARG(m->what));
		put_gain(out, m->bytes, "bytes");
		if (m->tokens != REMARK_NO_TOKENS)
			put_gain(out, m->tokens, "tokens");
		buf_putz(out, m->state == REMARK_OFF ? " (switched off)\n" : "\n");
	}
}

void remark_print_json(Buf *out, const Remarks *r, const Sources *ss)
{
	buf_byte(out, '[');
	for (uint32_t i = 0; i < r->list.n; i++) {
		const Remark *m = &r->list.v[i];
		Position at = source_position(ss, m->span.lo);
		buf_printf(out, "%s{\"state\":\"%s\",\"pass\":\"%s\"", i ? "," : "", state_text[m->state], m->pass);
		if (m->id.n)
			buf_printf(out, ",\"id\":\"%.*s\"", STR_ARG(m->id));
		if (at.source) {
			buf_putz(out, ",\"file\":");
			buf_json_str(out, at.source->name);
			buf_printf(out, ",\"line\":%u,\"column\":%u", at.line, at.col_code_point);
		}
		buf_putz(out, ",\"what\":");
		buf_json_str(out, m->what);
		buf_printf(out, ",\"bytes\":%lld", (long long)m->bytes);
		if (m->tokens != REMARK_NO_TOKENS)
			buf_printf(out, ",\"tokens\":%lld", (long long)m->tokens);
		buf_byte(out, '}');
	}
	buf_putz(out, "]\n");
}
