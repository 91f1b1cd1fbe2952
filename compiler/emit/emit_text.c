/*
 * --emit=text and its map. Both walk the same headings and runs, so the map's offsets are those of the
 * text, byte for byte.
 */
#include "compiler/emit/emit.h"

#include "compiler/source/render.h"

/* ---- the text -------------------------------------------------------------------------------- */

static uint32_t count_messages(const Rendering *r)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->request.n; i++)
		n += r->request.v[i].message.n;
	return n;
}

static Str stage_heading(Arena *arena, const Request *q)
{
	return q->stage.n ? str_fmt(arena, "=== STAGE %.*s ===\n", STR_ARG(q->stage)) : (Str){ 0 };
}

static Str role_heading(Arena *arena, const RenderMessage *m)
{
	char *role = str_z(arena, str_from(role_name(m->role)));
	for (char *c = role; *c; c++)
		if (*c >= 'a' && *c <= 'z')
			*c = (char)(*c - 'a' + 'A');
	return str_fmt(arena, "=== %s ===\n", role);
}

/* A call as people read it: `name {"json": …}`, one a line. */
static Str call_line(Arena *arena, const ToolCall *c)
{
	return str_fmt(arena, "call %.*s %.*s\n", STR_ARG(c->name), STR_ARG(c->args_json));
}

void emit_text(Buf *out, Arena *arena, const Rendering *r)
{
	bool heads = count_messages(r) != 1;
	for (uint32_t i = 0; i < r->request.n; i++) {
		const Request *q = &r->request.v[i];
		buf_put(out, stage_heading(arena, q));
		for (uint32_t j = 0; j < q->message.n; j++) {
			const RenderMessage *m = &q->message.v[j];
			if (heads)
				buf_put(out, role_heading(arena, m));
			for (uint32_t k = 0; k < m->run.n; k++)
				buf_put(out, m->run.v[k].text);
			buf_put(out, m->content_json);
			if (m->run.n || m->content_json.n || !m->call.n)
				buf_byte(out, '\n');
			for (uint32_t k = 0; k < m->call.n; k++)
				buf_put(out, call_line(arena, &m->call.v[k]));
		}
	}
}

/* ---- the map --------------------------------------------------------------------------------- */

enum { PLACE_CELLS = 24 };

typedef struct Mapper {
	Buf *out;
	Arena *arena;
	const Bin *bin;
	const Sources *sources;
	size_t at;  /* byte of the text */
} Mapper;

/* The bytes up to the next ASCII one: with what cannot be seen spelled out. */
static size_t put_foreign(Buf *out, Str s)
{
	size_t n = 0;
	while (n < s.n && (unsigned char)s.p[n] >= 0x80)
		n++;
	render_put_shown(out, str_sub(s, 0, n));
	return n;
}

static void put_visible(Buf *out, Str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if (c == ' ')
			buf_lit(out, "\xc2\xb7");
		else if (c == '\t')
			buf_lit(out, "\xe2\x86\x92");
		else if (c == '\n')
			buf_lit(out, "\xe2\x8f\x8e");
		else if (c == '\r')
			buf_lit(out, "\xe2\x90\x8d");
		else if (c < 0x80)
			render_put_shown(out, str_sub(s, i, i + 1));
		else
			i += put_foreign(out, str_sub(s, i, s.n)) - 1;
	}
}

/* One row per line of the text; place says where its first byte comes from. */
static void put_row(Mapper *m, Str place, Str text)
{
	buf_printf(m->out, "%7zu  ", m->at);
	render_put_shown(m->out, place);
	buf_fill(m->out, ' ', place.n < PLACE_CELLS ? PLACE_CELLS - place.n : 0);
	buf_lit(m->out, "  ");
	put_visible(m->out, text);
	buf_byte(m->out, '\n');
	m->at += text.n;
}

static void put_rows(Mapper *m, Str place, Str text)
{
	while (text.n) {
		size_t n = str_find(text, STR("\n"), 0);
		n = n < text.n ? n + 1 : n;
		put_row(m, place, str_sub(text, 0, n));
		text = str_sub(text, n, text.n);
	}
}

/* The binary names files from the first one's folder on; a source may have a longer path. */
static const Source *find_source(const Sources *ss, Str name)
{
	for (uint32_t i = 0; ss && i < ss->file.n; i++) {
		Str path = ss->file.v[i]->name;
		bool whole = path.n == name.n || (path.n > name.n && path.p[path.n - name.n - 1] == '/');
		if (whole && str_ends(path, name))
			return ss->file.v[i];
	}
	return NULL;
}

static Str place_of(Mapper *m, const BinDebugRun *d, uint32_t off)
{
	Str file = bin_str(m->bin, m->bin->debug_file[d->file].name);
	const Source *s = find_source(m->sources, file);
	uint32_t src = d->src_off + off;
	if (!s || src > s->text.n)
		return str_fmt(m->arena, "%.*s:%u", STR_ARG(file), d->line);
	Position p = source_position(m->sources, s->base + src);
	return str_fmt(m->arena, "%.*s:%u:%u", STR_ARG(file), p.line, p.col_code_point);
}

/* The first debug run of a segment; runs are sorted by segment, then offset. */
static uint32_t first_debug(const Bin *b, uint32_t seg)
{
	uint32_t lo = 0, hi = b->n_debug_run;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (b->debug_run[mid].seg < seg)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void map_template(Mapper *m, const RenderRun *r)
{
	const Bin *b = m->bin;
	uint32_t at = 0;
	for (uint32_t i = first_debug(b, r->seg); i < b->n_debug_run && b->debug_run[i].seg == r->seg; i++) {
		const BinDebugRun *d = &b->debug_run[i];
		uint32_t lo = d->text_off > r->off ? d->text_off - r->off : 0;
		uint32_t hi = d->text_off + d->len > r->off ? d->text_off + d->len - r->off : 0;
		hi = hi < r->text.n ? hi : (uint32_t)r->text.n;
		if (hi <= lo || lo < at)
			continue;
		put_rows(m, STR("(generated)"), str_sub(r->text, at, lo));
		while (lo < hi) {
			size_t line = str_find(r->text, STR("\n"), lo);
			uint32_t to = line < hi ? (uint32_t)line + 1 : hi;
			put_row(m, place_of(m, d, lo + r->off - d->text_off), str_sub(r->text, lo, to));
			lo = to;
		}
		at = hi;
	}
	put_rows(m, STR("(generated)"), str_sub(r->text, at, r->text.n));
}

static void map_value(Mapper *m, const RenderRun *r)
{
	const BinSeg *s = r->seg == BIN_NONE ? NULL : &m->bin->seg[r->seg];
	Str place = STR("(value)");
	uint32_t i = r->seg == BIN_NONE ? m->bin->n_debug_run : first_debug(m->bin, r->seg);
	if (i < m->bin->n_debug_run && m->bin->debug_run[i].seg == r->seg)
		place = place_of(m, &m->bin->debug_run[i], 0);
	if (s && s->ref != BIN_NONE) {
		const BinRef *ref = &m->bin->ref[s->ref];
		Str name = bin_str(m->bin, ref->name), field = bin_str(m->bin, ref->field);
		place = str_fmt(m->arena, "%.*s {%.*s%s%.*s}", STR_ARG(place), STR_ARG(name), field.n ? "." : "", STR_ARG(field));
	}
	put_rows(m, place, r->text);
}

static void map_message(Mapper *m, const RenderMessage *msg)
{
	for (uint32_t i = 0; i < msg->run.n; i++) {
		const RenderRun *r = &msg->run.v[i];
		if (r->kind == RUN_TEXT && r->seg != BIN_NONE)
			map_template(m, r);
		else if (r->kind == RUN_JOIN)
			put_rows(m, STR("(join)"), r->text);
		else
			map_value(m, r);
	}
	put_rows(m, STR("(content)"), msg->content_json);
	if (msg->run.n || msg->content_json.n || !msg->call.n)
		put_row(m, STR("(end)"), STR("\n"));
	for (uint32_t i = 0; i < msg->call.n; i++)
		put_rows(m, STR("(call)"), call_line(m->arena, &msg->call.v[i]));
}

void emit_map(Buf *out, Arena *arena, const Bin *bin, const Rendering *r, const Sources *sources)
{
	Mapper m = { out, arena, bin, sources, 0 };
	bool heads = count_messages(r) != 1;
	for (uint32_t i = 0; i < r->request.n; i++) {
		const Request *q = &r->request.v[i];
		put_rows(&m, STR("(heading)"), stage_heading(arena, q));
		for (uint32_t j = 0; j < q->message.n; j++) {
			if (heads)
				put_rows(&m, STR("(heading)"), role_heading(arena, &q->message.v[j]));
			map_message(&m, &q->message.v[j]);
		}
	}
}
