/*
 * The content of one message: parts, text, holes, branches, loops, documents and constraints become
 * runs. The one idea: a unit (part, document, constraint) is rendered behind its join; if nothing
 * came of it the runs are cut back to before the join.
 */
#include "runtime/render/filter.h"
#include "runtime/render/walk.h"

static void put_run(Renderer *r, RunKind kind, uint32_t seg, uint32_t off, Str text)
{
	if (!text.n)
		return;
	RenderMessage *m = r->message;
	uint8_t stability = seg == BIN_NONE ? (uint8_t)STAB_STATIC : r->bin->seg[seg].stability;
	vec_push(r->arena, &m->run, (RenderRun){ (uint8_t)kind, stability, seg, off, m->part.n ? m->part.n - 1 : 0, text });
}

/* Drops the LF that ends the last line, if template text ends in one. */
static void trim_last_lf(Renderer *r, uint32_t from)
{
	RenderMessage *m = r->message;
	if (m->run.n > from && r->trimmed_at != m->run.n) {
		RenderRun *last = &m->run.v[m->run.n - 1];
		bool ours = last->kind == RUN_TEXT || last->kind == RUN_UNBOUND;
		if (ours && last->text.p[last->text.n - 1] == '\n' && !--last->text.n)
			m->run.n--;
	}
	r->trimmed_at = m->run.n;
}

bool message_is_empty(const RenderMessage *m, uint32_t from_run)
{
	for (uint32_t i = from_run; i < m->run.n; i++)
		if (m->run.v[i].kind != RUN_JOIN)
			return false;
	return !m->call.n && !m->content_json.n;
}

/* True when a constraint says something beyond its generated label. */
static bool has_own_text(const Renderer *r, uint32_t from)
{
	const RenderMessage *m = r->message;
	for (uint32_t i = from; i < m->run.n; i++) {
		uint32_t seg = m->run.v[i].seg;
		if (seg != BIN_NONE && !(r->bin->seg[seg].flags & SEG_GENERATED))
			return true;
	}
	return false;
}

/* ---- holes ----------------------------------------------------------------------------------- */

static void put_images(Renderer *r, uint32_t at, Value v)
{
	for (uint32_t i = 0; v.json && v.json->kind == JSON_ARRAY && i < v.json->n; i++)
		put_run(r, RUN_IMAGE, at, 0, json_get_text(v.json->item[i], "url", (Str){ 0 }));
}

static void walk_hole(Renderer *r, uint32_t at)
{
	const BinSeg *s = &r->bin->seg[at];
	Value v = ref_value(&r->env, s->ref);
	bool absent;
	if (v.state == VALUE_UNBOUND) {
		walk_note_unbound(r, s->ref);
		put_run(r, RUN_UNBOUND, at, 0, bin_str(r->bin, s->text));
		return;
	}
	if (s->kind == SEG_IMAGE)
		put_images(r, at, v);
	else
		put_run(r, RUN_VALUE, at, 0, filter_apply(r->bin, r->arena, s->filter, v, &absent));
}

/* ---- branches and loops ---------------------------------------------------------------------- */

static void put_directive(Renderer *r, uint32_t at, const char *fallback)
{
	Str line = bin_str(r->bin, r->bin->seg[at].text);
	if (!line.n)
		line = str_from(fallback);
	if (line.n && line.p[line.n - 1] != '\n')
		line = str_fmt(r->arena, "%.*s\n", STR_ARG(line));
	put_run(r, RUN_UNBOUND, at, 0, line);
}

static uint32_t walk_every_branch(Renderer *r, uint32_t at)
{
	const BinSeg *seg = r->bin->seg;
	for (; seg[at].kind != SEG_IF_END; at = seg[at].partner) {
		put_directive(r, at, seg[at].kind == SEG_ELSE ? "!ELSE\n" : "");
		walk_content(r, at + 1, seg[at].partner);
	}
	put_directive(r, at, "!END\n");
	return at + 1;
}

static uint32_t if_end(const Bin *b, uint32_t at)
{
	while (b->seg[at].kind != SEG_IF_END)
		at = b->seg[at].partner;
	return at;
}

static uint32_t walk_if(Renderer *r, uint32_t at)
{
	const BinSeg *seg = r->bin->seg;
	for (uint32_t arm = at; seg[arm].kind != SEG_IF_END; arm = seg[arm].partner) {
		Truth t = seg[arm].kind == SEG_ELSE ? TRUTH_TRUE : walk_cond(r, seg[arm].cond);
		if (t == TRUTH_UNKNOWN)
			return walk_every_branch(r, at);
		if (t == TRUTH_TRUE) {
			walk_content(r, arm + 1, seg[arm].partner);
			break;
		}
	}
	return if_end(r->bin, at) + 1;
}

static void walk_for(Renderer *r, uint32_t at)
{
	const BinSeg *s = &r->bin->seg[at];
	Value list = ref_value(&r->env, s->ref);
	LoopItem loop = { .seg = at, .n = 1, .outer = r->env.loop };
	r->env.loop = &loop;
	if (list.state == VALUE_UNBOUND) {
		walk_note_unbound(r, s->ref);
		walk_content(r, at + 1, s->partner);
	}
	for (uint32_t i = 0; list.state == VALUE_BOUND && list.json && i < list.json->n; i++) {
		bool is_map = list.json->kind == JSON_OBJECT;
		if (!is_map && list.json->kind != JSON_ARRAY)
			break;
		loop.item = is_map ? list.json->member[i].value : list.json->item[i];
		loop.n = i + 1;
		walk_content(r, at + 1, s->partner);
	}
	r->env.loop = loop.outer;
}

/* ---- units: rendered behind their join, or not at all ---------------------------------------- */

typedef struct Unit {
	uint32_t mark;     /* runs before the join */
	uint32_t content;  /* runs before the content */
} Unit;

static Unit unit_open(Renderer *r, bool joined, Str between)
{
	Unit u = { r->message->run.n, 0 };
	if (joined)
		put_run(r, RUN_JOIN, BIN_NONE, 0, between);
	u.content = r->message->run.n;
	return u;
}

static bool unit_close(Renderer *r, Unit u)
{
	if (r->message->run.n > u.content)
		return true;
	r->message->run.n = u.mark;
	r->trimmed_at = BIN_NONE;
	return false;
}

static bool is_same_doc(const JsonNode *x, const JsonNode *y)
{
	Str a = x->kind == JSON_STRING ? x->text : json_get_text(x, "text", (Str){ 0 });
	Str b = y->kind == JSON_STRING ? y->text : json_get_text(y, "text", (Str){ 0 });
	return str_eq(a, b);
}

static bool is_repeat(const JsonNode *list, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (is_same_doc(list->item[i], list->item[at]))
			return true;
	return false;
}

/* One document as a unit; false when it rendered to nothing. */
static bool walk_doc(Renderer *r, uint32_t at, LoopItem *loop, bool joined)
{
	const BinSeg *s = &r->bin->seg[at];
	Unit u = unit_open(r, joined, STR("\n\n"));
	if (s->partner == at + 1 && loop->item)
		put_run(r, RUN_VALUE, at, 0, loop->item->kind == JSON_STRING ? loop->item->text
		                                                             : json_get_text(loop->item, "text", (Str){ 0 }));
	else if (s->partner == at + 1)
		put_run(r, RUN_UNBOUND, at, 0, str_fmt(r->arena, "{{%.*s}}", STR_ARG(bin_str(r->bin, r->bin->ref[s->ref].name))));
	else
		walk_content(r, at + 1, s->partner);
	if (!(s->flags & SEG_INLINE))
		trim_last_lf(r, u.content);
	return unit_close(r, u);
}

static void walk_docs(Renderer *r, uint32_t at, const JsonNode *list, LoopItem *loop)
{
	const BinSeg *s = &r->bin->seg[at];
	uint32_t n_kept = 0, n_squashed = 0, top = s->aux;
	bool joined = false;
	for (uint32_t i = 0; i < list->n && n_kept < top; i++) {
		if (s->squash >= 0 && is_repeat(list, i)) {
			n_squashed++;
			continue;
		}
		loop->item = list->item[i];
		loop->n = ++n_kept;
		joined |= walk_doc(r, at, loop, joined);
	}
	Str name = bin_str(r->bin, r->bin->ref[s->ref].name);
	if (n_squashed)
		walk_remark(r, RENDER_SQUASH, at, "context `%.*s`: %u document%s dropped as exact repeat%s; no embedding model compares the rest",
		            STR_ARG(name), n_squashed, n_squashed > 1 ? "s" : "", n_squashed > 1 ? "s" : "");
	if (top != BIN_NONE && n_kept + n_squashed < list->n)
		walk_remark(r, RENDER_TOP, at, "context `%.*s`: the first %u of %u documents; no embedding model ranks them",
		            STR_ARG(name), n_kept, list->n);
}

static void walk_context(Renderer *r, uint32_t at)
{
	const BinSeg *s = &r->bin->seg[at];
	Value list = ref_value(&r->env, s->ref);
	LoopItem loop = { .seg = at, .n = 1, .outer = r->env.loop };
	r->env.loop = &loop;
	if (list.state == VALUE_UNBOUND) {
		walk_note_unbound(r, s->ref);
		walk_doc(r, at, &loop, false);
	} else if (list.json && list.json->kind == JSON_ARRAY) {
		walk_docs(r, at, list.json, &loop);
	}
	r->env.loop = loop.outer;
}

static void walk_constraints(Renderer *r, uint32_t at)
{
	const BinSeg *seg = r->bin->seg;
	bool joined = false;
	for (uint32_t i = at + 1; i < seg[at].partner;) {
		uint32_t next = seg[i].kind == SEG_CONSTRAINT ? seg[i].partner + 1 : i + 1;
		if (seg[i].kind == SEG_CONSTRAINT && walk_cond(r, seg[i].cond) != TRUTH_FALSE) {
			Unit u = unit_open(r, joined, STR("\n"));
			r->item_at = u.content;
			walk_content(r, i + 1, seg[i].partner);
			if (!(seg[i].flags & SEG_INLINE))
				trim_last_lf(r, u.content);
			if (!has_own_text(r, u.content))
				r->message->run.n = u.content;
			joined |= unit_close(r, u);
		}
		i = next;
	}
}

/* ---- the walk -------------------------------------------------------------------------------- */

static bool has_partner(SegKind k)
{
	return k == SEG_PART || k == SEG_BLOCK || k == SEG_CONSTRAINT || k == SEG_CONSTRAINTS || k == SEG_CONTEXT ||
	       k == SEG_FOR || k == SEG_CALL || k == SEG_RESULT || k == SEG_EXAMPLE || k == SEG_STAGE || k == SEG_MESSAGE;
}

/* Returns the index behind what was rendered. */
static uint32_t walk_one(Renderer *r, uint32_t at)
{
	const BinSeg *s = &r->bin->seg[at];
	uint32_t next = has_partner((SegKind)s->kind) ? s->partner + 1 : at + 1;
	if (s->kind == SEG_IF)
		return walk_if(r, at);
	if (walk_cond(r, s->cond) == TRUTH_FALSE)
		return next;
	switch (s->kind) {
	case SEG_TEXT:
		if (s->flags & SEG_CONTINUATION && !has_own_text(r, r->item_at))
			break; /* the lines before it were not taken: this one is the item's first */
		/* fall through */
	case SEG_SCHEMA: put_run(r, RUN_TEXT, at, 0, bin_str(r->bin, s->text)); break;
	case SEG_HOLE: case SEG_IMAGE: walk_hole(r, at); break;
	case SEG_FOR: walk_for(r, at); break;
	case SEG_CONTEXT: walk_context(r, at); break;
	case SEG_CONSTRAINTS: walk_constraints(r, at); break;
	case SEG_CALL: walk_call(r, at, r->message); break;
	case SEG_CONTENT: r->message->content_json = bin_str(r->bin, s->text); break;
	case SEG_PART: case SEG_BLOCK: case SEG_CONSTRAINT: walk_content(r, at + 1, s->partner); break;
	default: break;
	}
	return next;
}

void walk_content(Renderer *r, uint32_t lo, uint32_t hi)
{
	if (++r->depth > WALK_DEPTH_MAX)
		walk_fail(r, lo, "nesting too deep");
	else
		for (uint32_t i = lo; i < hi && i < r->bin->n_seg;)
			i = walk_one(r, i);
	r->depth--;
}

void walk_part(Renderer *r, uint32_t lo, uint32_t hi, const BinSeg *head)
{
	RenderMessage *m = r->message;
	bool joined = m->run.n > 0;
	RenderPart part = { .stability = head->stability, .boundary = joined,
	                    .stability_written = (head->flags & SEG_STABILITY_WRITTEN) != 0 };
	vec_push(r->arena, &m->part, part);
	Unit u = unit_open(r, joined, STR("\n\n"));
	r->trimmed_at = BIN_NONE;
	walk_content(r, lo, hi);
	if (!(head->flags & SEG_INLINE))
		trim_last_lf(r, u.content);
	if (!unit_close(r, u)) {
		m->part.n--;
		return;
	}
	m->part.v[m->part.n - 1].first = u.mark;
	m->part.v[m->part.n - 1].n = m->run.n - u.mark;
}

void walk_parts(Renderer *r, uint32_t lo, uint32_t hi, const BinSeg *head)
{
	const BinSeg *seg = r->bin->seg;
	for (uint32_t i = lo; i < hi;) {
		if (seg[i].kind == SEG_PART) {
			if (walk_cond(r, seg[i].cond) != TRUTH_FALSE)
				walk_part(r, i + 1, seg[i].partner, &seg[i]);
			i = seg[i].partner + 1;
			continue;
		}
		uint32_t end = i;
		while (end < hi && seg[end].kind != SEG_PART)
			end = seg[end].kind == SEG_IF ? if_end(r->bin, end) + 1
			      : has_partner((SegKind)seg[end].kind) ? seg[end].partner + 1 : end + 1;
		walk_part(r, i, end, head);
		i = end;
	}
}
