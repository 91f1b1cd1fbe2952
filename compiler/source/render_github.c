/*
 * GitHub workflow commands. A step shows ten annotations and drops the rest without a word, so the
 * worst findings come first, the others are printed as plain lines, and the last line counts them.
 */
#include "compiler/source/render.h"

enum { ANNOTATIONS_MAX = 10 };

/* Properties may hold no raw ':' or ','; data may. */
static void github_escaped(Buf *out, Str s, const char *also)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (c == '%' || c == '\r' || c == '\n' || (c && strchr(also, c)))
			buf_printf(out, "%%%02X", (unsigned char)c);
		else
			buf_byte(out, c);
	}
}

static void github_annotation(Buf *out, const Finding *f)
{
	const Diag *g = f->diag;
	static const char *const command[] = { "", "notice", "warning", "error" };
	buf_printf(out, "::%s file=", command[g->severity]);
	github_escaped(out, f->path, ":,");
	buf_printf(out, ",line=%u,endLine=%u,col=%u", f->lo.line, f->hi.line, f->lo.col_code_point);
	if (f->lo.line == f->hi.line)
		buf_printf(out, ",endColumn=%u", f->hi.col_code_point);
	buf_printf(out, ",title=%s %s::", diag_rules[g->id].code, diag_rules[g->id].slug);
	github_escaped(out, g->message, "");
	if (g->help.n) {
		buf_lit(out, "%0A");
		github_escaped(out, g->help, "");
	}
	buf_byte(out, '\n');
}

void render_github(Buf *out, const Findings *f)
{
	uint32_t n = 0;
	for (int severity = SEV_ERROR; severity >= SEV_INFO; severity--)
		for (uint32_t i = 0; i < f->n_shown; i++) {
			const Finding *x = &f->list.v[i];
			if ((int)x->diag->severity != severity)
				continue;
			if (n++ < ANNOTATIONS_MAX) {
				github_annotation(out, x);
				continue;
			}
			render_concise_line(out, x, COLOUR_OFF);
			buf_byte(out, '\n');
		}
	if (n > ANNOTATIONS_MAX)
		buf_printf(out, "%u more not annotated (a step shows %d): they are the lines above\n", n - ANNOTATIONS_MAX,
		           ANNOTATIONS_MAX);
}
