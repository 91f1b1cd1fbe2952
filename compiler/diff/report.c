/* Reports of a Diff: for people, and one stable JSON object. */
#include <stdio.h>

#include "compiler/diff/diff.h"
#include "compiler/source/render.h"

enum { SNIPPET_BYTES = 160 };

static const char *colour_of(DiffSeverity s)
{
	return s == DIFF_BREAKING ? "\x1b[1;31m" : s == DIFF_RISKY ? "\x1b[1;33m" : "\x1b[32m";
}

static void put_colour(Buf *out, DiffStyle style, const char *code)
{
	if (style == DIFF_COLOUR)
		buf_putz(out, code);
}

static void count_severities(const Diff *d, uint32_t n[3])
{
	n[0] = n[1] = n[2] = 0;
	for (uint32_t i = 0; i < d->change.n; i++)
		n[d->change.v[i].severity]++;
}

/* One line, cut at a character's edge. */
static void put_snippet(Buf *out, Str s)
{
	size_t n = s.n < SNIPPET_BYTES ? s.n : SNIPPET_BYTES;
	while (n < s.n && n && ((unsigned char)s.p[n] & 0xc0) == 0x80)
		n--;
	for (Str rest = str_sub(s, 0, n), line; rest.n;) {
		bool more = str_find(rest, STR("\n"), 0) < rest.n;
		str_line(&rest, &line);
		render_put_shown(out, line);
		if (more)
			buf_lit(out, "\xe2\x8f\x8e");
	}
	if (n < s.n)
		buf_lit(out, " \xe2\x80\xa6");
}

static void put_place(Buf *out, DiffPlace at, Str fallback)
{
	if (!at.line)
		return;
	render_put_shown(out, at.file.n ? at.file : fallback);
	buf_printf(out, ":%u", at.line);
}

static void put_change(Buf *out, const Change *c, DiffNames names, DiffStyle style)
{
	const ChangeInfo *info = &change_info[c->kind];
	put_colour(out, style, colour_of(c->severity));
	buf_printf(out, "%-8s", diff_severity_name(c->severity));
	put_colour(out, style, "\x1b[0m");
	buf_printf(out, " %s: ", info->slug);
	if (c->prompt.n) {
		render_put_shown(out, c->prompt);
		buf_lit(out, " / ");
	}
	render_put_shown(out, c->key);
	DiffPlace at = c->new_at.line ? c->new_at : c->old_at;
	if (at.line) {
		buf_lit(out, "  (");
		put_place(out, at, c->new_at.line ? names.new_name : names.old_name);
		buf_lit(out, ")");
	}
	buf_lit(out, "\n");
	bool differ = !str_eq(c->old_text, c->new_text);
	if (c->old_text.n && differ) {
		buf_lit(out, "  - ");
		put_snippet(out, c->old_text);
		buf_lit(out, "\n");
	}
	if (c->new_text.n) {
		buf_putz(out, differ ? "  + " : "  = ");
		put_snippet(out, c->new_text);
		buf_lit(out, "\n");
	}
	buf_printf(out, "  %s: %s", info->party, info->meaning);
	if (c->detail.n) {
		buf_lit(out, " (");
		render_put_shown(out, c->detail);
		buf_byte(out, ')');
	}
	buf_lit(out, "\n");
}

void diff_report_text(const Diff *d, DiffNames names, DiffStyle style, Buf *out)
{
	uint32_t n[3];
	count_severities(d, n);
	for (uint32_t i = 0; i < d->change.n; i++)
		put_change(out, &d->change.v[i], names, style);
	if (d->note.n)
		buf_printf(out, "note: %.*s\n", STR_ARG(d->note));
	if (!d->change.n) {
		buf_lit(out, "no change in meaning\n");
		return;
	}
	buf_printf(out, "%s: %u breaking, %u risky, %u safe; \xce\x94 %.1f %% of weighted words, %u of %u nodes\n",
		diff_severity_name(diff_highest(d)), n[DIFF_BREAKING], n[DIFF_RISKY], n[DIFF_SAFE],
		100 * diff_delta(d), d->n_node_changed, d->n_node_old);
}

static void json_field(Buf *out, const char *name, Str value)
{
	buf_printf(out, ",\"%s\":", name);
	buf_json_str(out, value);
}

static void json_place(Buf *out, const char *name, DiffPlace at)
{
	if (!at.line)
		return;
	buf_printf(out, ",\"%s\":{\"file\":", name);
	buf_json_str(out, at.file);
	buf_printf(out, ",\"line\":%u}", at.line);
}

static void json_change(Buf *out, const Change *c)
{
	const ChangeInfo *info = &change_info[c->kind];
	buf_printf(out, "{\"kind\":\"%s\",\"severity\":\"%s\",\"party\":\"%s\"", info->slug, diff_severity_name(c->severity), info->party);
	json_field(out, "prompt", c->prompt);
	json_field(out, "key", c->key);
	json_field(out, "old", c->old_text);
	json_field(out, "new", c->new_text);
	json_field(out, "detail", c->detail);
	json_field(out, "meaning", str_from(info->meaning));
	json_place(out, "old_at", c->old_at);
	json_place(out, "new_at", c->new_at);
	buf_lit(out, ",\"fingerprint\":\"");
	for (size_t i = 0; i < sizeof c->fingerprint; i++)
		buf_printf(out, "%02x", c->fingerprint[i]);
	buf_lit(out, "\"}");
}

void diff_report_json(const Diff *d, DiffNames names, Buf *out)
{
	uint32_t n[3];
	count_severities(d, n);
	buf_lit(out, "{\"version\":1");
	json_field(out, "old", names.old_name);
	json_field(out, "new", names.new_name);
	buf_printf(out, ",\"highest\":\"%s\"", d->change.n ? diff_severity_name(diff_highest(d)) : "none");
	buf_printf(out, ",\"counts\":{\"breaking\":%u,\"risky\":%u,\"safe\":%u}", n[DIFF_BREAKING], n[DIFF_RISKY], n[DIFF_SAFE]);
	buf_printf(out, ",\"delta\":{\"unit\":\"words\",\"share\":%.6f,\"nodes_share\":%.6f,\"nodes_changed\":%u,\"nodes_old\":%u,\"nodes_new\":%u}",
		diff_delta(d), diff_delta_nodes(d), d->n_node_changed, d->n_node_old, d->n_node_new);
	if (d->note.n)
		json_field(out, "note", d->note);
	buf_lit(out, ",\"changes\":[");
	for (uint32_t i = 0; i < d->change.n; i++) {
		if (i)
			buf_byte(out, ',');
		json_change(out, &d->change.v[i]);
	}
	buf_lit(out, "]}\n");
}
