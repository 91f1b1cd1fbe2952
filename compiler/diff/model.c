/* Flattening a prompt for the differ: see model.h. One walk over its segments with a stack of open parts. */
#include "compiler/diff/model.h"

#include "runtime/base/map.h"
#include "runtime/base/utf8.h"

enum { OPEN_MAX = 32 };

typedef struct Walk {
	Arena *arena;
	DiffModel *m;
	Buf *text;                 /* one per part, by index */
	uint32_t open[OPEN_MAX];   /* indices of open parts, innermost last */
	uint32_t n_open;
	Role role;                 /* of the message that is open */
	uint32_t n_example;        /* parts inside an example belong to it */
} Walk;

static const char *const kind_names[BNODE_KIND_COUNT] = {
	[BNODE_ROLE] = "role", [BNODE_BLOCK] = "block", [BNODE_MESSAGE] = "message", [BNODE_CONSTRAINT] = "constraint",
	[BNODE_CONTEXT] = "context", [BNODE_HISTORY] = "history", [BNODE_EXAMPLE] = "example", [BNODE_STAGE] = "stage",
};
static const char *const role_names[ROLE_COUNT] = { "system", "developer", "user", "assistant", "tool" };
static const char *const filter_names[FILTER_KIND_COUNT] = { "json", "xml", "fence", "lines", "bullets", "join", "default" };

static Str owned(Arena *a, Buf *b)
{
	Str s = str_dup(a, buf_str(b));
	buf_free(b);
	return s;
}

static DiffPart *part_at(Walk *w)
{
	return w->n_open ? &w->m->part.v[w->open[w->n_open - 1]] : NULL;
}

static void put_text(Walk *w, Str s, uint32_t seg)
{
	if (!w->n_open)
		return;
	uint32_t i = w->open[w->n_open - 1];
	DiffPart *part = &w->m->part.v[i];
	vec_push(w->arena, &part->run, (PartRun){ (uint32_t)w->text[i].n, seg, 0 });
	buf_put(&w->text[i], s);
}

static void put_line(Walk *w, Str s, uint32_t seg)
{
	put_text(w, s, seg);
	if (!str_ends(s, STR("\n")))
		put_text(w, STR("\n"), seg);
}

static Str filters_text(Arena *a, const Bin *b, const BinSeg *s, bool *is_fenced)
{
	Buf all = { 0 };
	for (uint32_t i = 0; i < s->filter.n; i++) {
		const BinFilter *f = &b->filter[s->filter.first + i];
		*is_fenced |= f->kind == FILTER_JSON || f->kind == FILTER_XML || f->kind == FILTER_FENCE;
		Str arg = bin_str(b, f->arg);
		buf_printf(&all, "%s%s", i ? " | " : "", filter_names[f->kind]);
		if (arg.n)
			buf_printf(&all, "(\"%.*s\")", STR_ARG(arg));
	}
	return owned(a, &all);
}

Str model_name_now(const DiffModel *m, Str name)
{
	for (uint32_t i = 0; i < m->renamed.n; i++)
		if (str_eq(m->renamed.v[i].was, name))
			return m->renamed.v[i].is;
	return name;
}

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (unsigned char)c >= 0x80;
}

/* A directive line as written, its names as they are now; strings in it stay. */
static Str line_now(Walk *w, Str line)
{
	Buf out = { 0 };
	bool in_string = false;
	if (!w->m->renamed.n)
		return line;
	for (size_t i = 0, n; i < line.n; i += n) {
		for (n = 0; i + n < line.n && is_name_byte(line.p[i + n]);)
			n++;
		bool is_word = n && !in_string && !(i && line.p[i - 1] == '.');
		if (!n)
			in_string ^= line.p[i + n++] == '"';
		Str piece = str_sub(line, i, i + n);
		buf_put(&out, is_word ? model_name_now(w->m, piece) : piece);
	}
	return owned(w->arena, &out);
}

static void put_hole(Walk *w, const BinSeg *s, uint32_t seg)
{
	DiffPart *part = part_at(w);
	if (!part || s->ref == BIN_NONE)
		return;
	const Bin *b = w->m->bin;
	const BinRef *r = &b->ref[s->ref];
	PartHole *h = vec_add(w->arena, &part->hole);
	Str field = bin_str(b, r->field), root = model_name_now(w->m, bin_str(b, r->name));
	h->name = field.n ? str_fmt(w->arena, "%.*s.%.*s", STR_ARG(root), STR_ARG(field)) : root;
	h->filters = filters_text(w->arena, b, s, &h->is_fenced);
	put_text(w, str_fmt(w->arena, "{{%.*s}}", STR_ARG(h->name)), seg);
}

Str model_condition(Arena *a, const DiffModel *m, BinRange cond)
{
	const Bin *b = m->bin;
	static const char *const op[COND_OP_COUNT] = {
		"ref", "str", "num", "name", "has", "count", "repeats", "cmp", "~", "in", "not", "and", "or", "tokens", "messages",
	};
	static const char *const cmp[CMP_COUNT] = { "==", "!=", "<", "<=", ">", ">=" };
	Buf all = { 0 };
	for (uint32_t i = 0; i < cond.n; i++) {
		const BinCond *c = &b->cond[cond.first + i];
		Str s = bin_str(b, c->s);
		if (c->op <= COND_REPEATS && (c->op == COND_REF || c->op >= COND_HAS) && c->ref != BIN_NONE)
			s = str_fmt(a, "%.*s.%.*s", STR_ARG(model_name_now(m, bin_str(b, b->ref[c->ref].name))), STR_ARG(bin_str(b, b->ref[c->ref].field)));
		buf_printf(&all, "%s%s %.*s", i ? "; " : "", c->op == COND_CMP ? cmp[c->cmp] : op[c->op], STR_ARG(s));
	}
	return owned(a, &all);
}

Str model_names(Arena *a, const Bin *b, BinRange r)
{
	Buf all = { 0 };
	for (uint32_t i = 0; i < r.n; i++)
		buf_printf(&all, "%s%.*s", i ? ", " : "", STR_ARG(bin_name(b, r.first + i)));
	return owned(a, &all);
}

static void open_part(Walk *w, BinNodeKind kind, const BinSeg *s)
{
	const Bin *b = w->m->bin;
	DiffPart *part = vec_add(w->arena, &w->m->part);
	const BinNode *n = s->node == BIN_NONE ? NULL : &b->node[s->node];
	part->kind = n && kind == BNODE_MESSAGE ? (BinNodeKind)n->kind : kind;
	part->name = bin_str(b, s->name);
	part->role = kind == BNODE_MESSAGE || kind == BNODE_CONSTRAINT ? w->role : (Role)s->role;
	part->modality = (Modality)s->modality;
	part->stability = (Stability)s->stability;
	part->flags = s->flags | (n ? n->flags & SEG_GUARDRAIL : 0);
	part->weight = (double)s->weight;
	part->condition = model_condition(w->arena, w->m, s->cond);
	part->mate = PART_NONE;
	if (n)
		part->on = model_names(w->arena, b, n->on);
	if (kind == BNODE_CONTEXT || kind == BNODE_HISTORY) {
		part->name = model_name_now(w->m, part->name);
		Str input = s->ref == BIN_NONE ? STR("") : model_name_now(w->m, bin_str(b, b->ref[s->ref].name));
		part->facts = str_fmt(w->arena, "%.*s top %u squash %.3f", STR_ARG(input),
			kind == BNODE_CONTEXT && s->aux != BIN_NONE ? s->aux : 0, (double)s->squash);
	}
	if (w->n_open < OPEN_MAX)
		w->open[w->n_open++] = w->m->part.n - 1;
}

static void close_part(Walk *w)
{
	if (w->n_open)
		w->n_open--;
}

static void walk_seg(Walk *w, uint32_t i)
{
	const Bin *b = w->m->bin;
	const BinSeg *s = &b->seg[i];
	bool inside_example = w->n_example > 0;
	switch ((SegKind)s->kind) {
	case SEG_PART:
		if (!inside_example)
			open_part(w, BNODE_MESSAGE, s);
		break;
	case SEG_PART_END:
		if (!inside_example)
			close_part(w);
		break;
	case SEG_CONSTRAINT: open_part(w, BNODE_CONSTRAINT, s); break;
	case SEG_CONTEXT: open_part(w, BNODE_CONTEXT, s); break;
	case SEG_EXAMPLE:
		open_part(w, BNODE_EXAMPLE, s);
		w->n_example++;
		break;
	case SEG_EXAMPLE_END:
		w->n_example--;
		close_part(w);
		break;
	case SEG_STAGE: open_part(w, BNODE_STAGE, s); break;
	case SEG_HISTORY: open_part(w, BNODE_HISTORY, s); close_part(w); break;
	case SEG_CONSTRAINT_END: case SEG_CONTEXT_END: case SEG_STAGE_END:
		close_part(w);
		break;
	case SEG_MESSAGE: case SEG_CALL: case SEG_RESULT:
		w->role = (Role)s->role;
		if (inside_example)
			put_text(w, str_fmt(w->arena, "%s%.*s: ", s->kind == SEG_CALL ? "call " : s->kind == SEG_RESULT ? "result " : role_names[s->role],
				STR_ARG(bin_str(b, s->name))), i);
		break;
	case SEG_MESSAGE_END: case SEG_CALL_END: case SEG_RESULT_END:
		if (inside_example)
			put_text(w, STR("\n"), i);
		break;
	case SEG_TEXT:
		if (!(s->flags & SEG_GENERATED))
			put_text(w, bin_str(b, s->text), i);
		break;
	case SEG_SCHEMA: put_text(w, str_fmt(w->arena, "{{%.*s}}", STR_ARG(bin_str(b, s->name))), i); break;
	case SEG_CONTENT: put_text(w, bin_str(b, s->text), i); break;
	case SEG_HOLE: case SEG_IMAGE: put_hole(w, s, i); break;
	case SEG_IF: case SEG_ELIF: case SEG_FOR: put_line(w, line_now(w, bin_str(b, s->text)), i); break;
	case SEG_ELSE: put_line(w, STR("!ELSE"), i); break;
	case SEG_IF_END: case SEG_FOR_END: put_line(w, STR("!END"), i); break;
	default: break;
	}
}

static void key_parts(Arena *a, DiffModel *m)
{
	Map seen = { 0 }, last = { 0 };  /* last: the part that had a base last, whose number goes on */
	for (uint32_t i = 0; i < m->part.n; i++) {
		DiffPart *p = &m->part.v[i];
		Str base = p->kind == BNODE_MESSAGE ? str_from(role_names[p->role]) : str_from(kind_names[p->kind]);
		if (p->name.n)
			base = str_fmt(a, "%.*s %.*s", STR_ARG(base), STR_ARG(p->name));
		const DiffPart *before = map_get(&last, base);
		p->number = before ? before->number : 0;
		do {
			p->number++;
			p->key = p->number == 1 ? base : str_fmt(a, "%.*s#%u", STR_ARG(base), p->number);
		} while (map_add(a, &seen, p->key, p));
		map_set(a, &last, base, p);
		p->hash = hash_bytes(p->text) ^ hash_bytes(p->condition) * 3;
	}
}

/* A part that only held others (the list of constraints) says nothing of its own. */
static void drop_empty(DiffModel *m)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->part.n; i++) {
		const DiffPart *p = &m->part.v[i];
		bool wrapper = p->kind == BNODE_MESSAGE || p->kind == BNODE_ROLE || p->kind == BNODE_CONSTRAINT;
		if (p->text.n || !wrapper || p->flags & SEG_EXACT)
			m->part.v[n++] = *p;
	}
	m->part.n = n;
}

/* The line end of a part's last line is not sent, unless the part is `exact`: see docs/language.md, assembly. */
static Str part_text(const DiffPart *part, Str flat)
{
	bool drops = !(part->flags & SEG_EXACT) && str_ends(flat, STR("\n"));
	return str_sub(flat, 0, flat.n - drops);
}

void model_build(Arena *a, DiffModel *m)
{
	const BinPrompt *p = m->prompt;
	uint32_t n_seg = p->seg.n;
	Walk w = { .arena = a, .m = m, .text = arena_array(a, Buf, n_seg + 1) };
	for (uint32_t i = 0; i < n_seg; i++)
		walk_seg(&w, p->seg.first + i);
	for (uint32_t i = 0; i < m->part.n; i++) {
		m->part.v[i].text = str_dup(a, part_text(&m->part.v[i], buf_str(&w.text[i])));
		buf_free(&w.text[i]);
	}
	drop_empty(m);
	key_parts(a, m);
}

DiffPlace model_place(const DiffModel *m, const DiffPart *part, uint32_t text_off)
{
	uint32_t lo = 0, hi = part->run.n;
	while (lo + 1 < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (part->run.v[mid].text_off <= text_off)
			lo = mid;
		else
			hi = mid;
	}
	if (!part->run.n)
		return (DiffPlace){ 0 };
	const PartRun *r = &part->run.v[lo];
	uint32_t seg_off = text_off - r->text_off;
	const Bin *b = m->bin;
	/* Runs stand in the order of their segments. */
	uint32_t first = 0, past = b->n_debug_run;
	while (first < past) {
		uint32_t mid = first + (past - first) / 2;
		const BinDebugRun *g = &b->debug_run[mid];
		if (g->seg < r->seg || (g->seg == r->seg && g->text_off <= seg_off))
			first = mid + 1;
		else
			past = mid;
	}
	const BinDebugRun *best = first && b->debug_run[first - 1].seg == r->seg ? &b->debug_run[first - 1] : NULL;
	if (!best && first < b->n_debug_run && b->debug_run[first].seg == r->seg)
		best = &b->debug_run[first];
	if (!best)
		return (DiffPlace){ 0 };
	uint32_t line = best->line;
	Str text = bin_str(b, b->seg[r->seg].text);
	for (uint32_t i = best->text_off; i < seg_off && i < text.n; i++)
		line += text.p[i] == '\n';
	return (DiffPlace){ bin_str(b, b->debug_file[best->file].name), line };
}

DeltaClass model_class(const DiffPart *part)
{
	switch (part->kind) {
	case BNODE_CONSTRAINT: return DELTA_CONSTRAINT;
	case BNODE_EXAMPLE: return DELTA_EXAMPLE;
	default: return DELTA_PROSE;
	}
}

static bool is_ideograph(uint32_t cp)
{
	return (cp >= 0x2e80 && cp <= 0x9fff) || (cp >= 0xac00 && cp <= 0xd7a3) || (cp >= 0xf900 && cp <= 0xfaff) ||
		(cp >= 0x20000 && cp <= 0x3ffff);
}

static bool is_word(uint32_t cp)
{
	if (cp < 0x80)
		return (cp >= '0' && cp <= '9') || (cp >= 'a' && cp <= 'z') || (cp >= 'A' && cp <= 'Z') || cp == '_';
	const char *cat = utf8_category(cp);
	return cat[0] == 'L' || cat[0] == 'M' || cat[0] == 'N';
}

uint64_t model_count_words(Str s)
{
	uint64_t n = 0;
	bool in_word = false;
	for (size_t i = 0; i < s.n;) {
		uint32_t cp;
		i += utf8_decode(s, i, &cp);
		bool word = is_word(cp) && !is_ideograph(cp);
		bool space = cp == ' ' || cp == '\n' || cp == '\t' || cp == 0xa0 || cp == 0x3000;
		n += word ? !in_word : !space;
		in_word = word;
	}
	return n;
}
