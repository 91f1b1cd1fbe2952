/*
 * Bodies: text, holes, includes, branches and loops of one head become segments, with every name
 * resolved where it stands and what is known when compiled decided here.
 */
#include "compiler/ir/builder.h"
#include "runtime/render/filter.h"

/* ---- as written: what stands there when a value is missing ---- */

/* The directive's line, if the node's span leads to one in the source; else as it would be written. */
static Str directive_text(Builder *b, Span at, const char *word, const char *middle, const Node *cond)
{
	uint32_t lo;
	Str line = at.hi ? str_trim(source_line_text(&b->c->sources, at.lo, &lo)) : (Str){ 0 };
	if (str_starts(line, str_from(word)))
		return line;
	Buf out = { 0 };
	buf_printf(&out, "%s%s", word, middle);
	if (cond)
		cond_print(&out, cond);
	Str s = str_dup(b->a, buf_str(&out));
	buf_free(&out);
	return s;
}

static Str hole_text(Builder *b, const Node *hole)
{
	const Node *ref = node_kid(hole, N_REF);
	if (hole->span.hi > hole->span.lo)
		return source_slice(&b->c->sources, hole->span);
	if (!ref)
		return STR("{{}}");
	return str_fmt(b->a, ref->aux.n ? "{{%.*s.%.*s}}" : "{{%.*s}}", STR_ARG(ref->name), STR_ARG(ref->aux));
}

/* ---- holes ---- */

static const char *const filter_names[FILTER_KIND_COUNT] = { "json", "xml", "fence", "lines", "bullets", "join", "default" };

static void add_filters(Builder *b, IrSeg *s, const Node *hole)
{
	for (const Node *k = hole->first; k; k = k->next)
		s->n_filter += k->kind == N_FILTER;
	s->filter = arena_array(b->a, IrFilter, s->n_filter + 1);
	s->n_filter = 0;
	for (const Node *k = hole->first; k; k = k->next)
		for (int i = 0; k->kind == N_FILTER && i < FILTER_KIND_COUNT; i++)
			if (str_is(k->name, filter_names[i]))
				s->filter[s->n_filter++] = (IrFilter){ (FilterKind)i, k->first ? k->first->name : (Str){ 0 } };
}

static bool is_list_kind(InputType kind)
{
	return kind == INPUT_LIST || kind == INPUT_DOCS || kind == INPUT_TURNS || kind == INPUT_MAP;
}

static bool is_picture(const Type *t)
{
	if (t && t->kind == INPUT_LIST)
		t = t->item;
	return t && (t->kind == INPUT_IMAGE || t->kind == INPUT_FILE);
}

static void literal_json(Buf *out, const Node *v)
{
	if (v->kind == N_LIST) {
		buf_byte(out, '[');
		for (const Node *k = v->first; k; k = k->next) {
			literal_json(out, k);
			buf_putz(out, k->next ? "," : "");
		}
		buf_byte(out, ']');
	} else if (v->kind == N_NUM || (v->kind == N_NAME && (str_is(v->name, "true") || str_is(v->name, "false")))) {
		buf_put(out, v->name);
	} else {
		buf_json_str(out, v->name);
	}
}

/* A literal bound by !INCLUDE, through the hole's filters as the runtime would apply them. */
static Str literal_text(Builder *b, const Node *hole, const Node *v)
{
	IrSeg tmp = { 0 };
	Buf pool = { 0 }, json = { 0 };
	JsonDoc doc;
	bool absent = false;
	add_filters(b, &tmp, hole);
	BinFilter *filter = arena_array(b->a, BinFilter, tmp.n_filter + 1);
	for (uint32_t i = 0; i < tmp.n_filter; i++) {
		filter[i] = (BinFilter){ tmp.filter[i].kind, { (uint32_t)pool.n, (uint32_t)tmp.filter[i].arg.n } };
		buf_put(&pool, tmp.filter[i].arg);
	}
	literal_json(&json, v);
	Str src = str_dup(b->a, buf_str(&json));
	Value value = { .state = VALUE_BOUND, .text = v->kind == N_LIST ? src : v->name };
	if (json_read(b->a, src, 0, &doc))
		value.json = doc.root;
	Bin bin = { .pool = buf_str(&pool), .filter = filter, .n_filter = tmp.n_filter };
	Str s = str_dup(b->a, filter_apply(&bin, b->a, (BinRange){ 0, tmp.n_filter }, value, &absent));
	buf_free(&pool);
	buf_free(&json);
	return s;
}

/* {{Name}} of a schema: its rendering is written by pass schema. */
static bool put_schema(Builder *b, const Node *hole, const Node *ref)
{
	for (uint32_t i = 0; i < b->out->schema.n; i++) {
		if (!ref->name.n || !str_eq(b->out->schema.v[i].name, ref->name) || ref->aux.n)
			continue;
		text_begin_line(b);
		text_flush(b);
		IrSeg *s = seg_add(b, SEG_SCHEMA, hole);
		s->name = ref->name;
		s->aux = i;
		add_filters(b, s, hole);
		return true;
	}
	return false;
}

static bool is_alone(const Builder *b, const Node *hole)
{
	const Node *next = hole->next;
	return b->at_line_start && (!next || (next->kind == N_TEXT && next->text && next->text->s.n && next->text->s.p[0] == '\n'));
}

/* An image alone on its line takes the line's LF along: *skip_lf. */
static void put_hole(Builder *b, const Node *hole, const Scope *scope, bool *skip_lf)
{
	const Node *ref = node_kid(hole, N_REF), *bound;
	IrRef *r = ref_make(b, ref, scope, &bound);
	if (bound) {
		text_begin_line(b);
		text_put_generated(b, literal_text(b, hole, bound));
		b->at_line_start = false;
		return;
	}
	if (!r && ref && str_is(ref->name, "constraints")) {
		put_constraints(b, (Str){ 0 });
		return;
	}
	if (!r && ref && put_schema(b, hole, ref))
		return;
	bool is_image = r && is_picture(r->type) && is_alone(b, hole);
	if (!is_image)
		text_begin_line(b);
	if (!r) {
		text_put_generated(b, hole_text(b, hole));
		return;
	}
	text_flush(b);
	IrSeg *s = seg_add(b, is_image ? SEG_IMAGE : SEG_HOLE, hole);
	s->ref = r;
	s->text.s = hole_text(b, hole);
	*skip_lf = is_image;
	if (is_image)
		return;
	add_filters(b, s, hole);
	if (r->type && is_list_kind(r->type->kind))
		s->flags |= SEG_LIST_HOLE;
	b->at_line_start = false;
}

/* ---- branches and loops ---- */

static const Node *branch_cond(const Node *branch)
{
	return branch->first && node_is_cond(branch->first) ? branch->first : NULL;
}

/* Opens an arm: the first is the IF, a known or missing condition makes the ELSE. */
static void put_arm(Builder *b, const Node *branch, const Node *cond, const Scope *scope, bool is_first)
{
	IrProgram program = cond ? cond_make(b, cond, scope) : (IrProgram){ 0 };
	text_flush(b);
	IrSeg *s = seg_add(b, is_first ? SEG_IF : cond ? SEG_ELIF : SEG_ELSE, branch);
	s->cond = program;
	s->text.s = !cond ? STR("!ELSE")
	            : directive_text(b, cond->span, is_first ? "!IF" : "!ELSE", is_first ? " " : " IF ", cond);
}

static void put_if(Builder *b, const Node *n, const Scope *scope)
{
	bool is_open = false, starts_line = b->at_line_start, all_start_line = true, is_decided = false;
	for (const Node *br = n->first; br && !is_decided; br = br->next) {
		const Node *cond = branch_cond(br);
		Known known = cond ? cond_fold(b, cond, scope) : KNOWN_TRUE;
		if (known == KNOWN_FALSE)
			continue;
		is_decided = known == KNOWN_TRUE;
		if (!is_open && is_decided) {
			put_body(b, node_kid(br, N_BODY), scope);
			return;
		}
		if (!is_open && !depth_allows(b, n->span))
			return;
		put_arm(b, br, is_decided ? NULL : cond, scope, !is_open);
		b->depth += !is_open;
		is_open = true;
		b->at_line_start = starts_line;
		put_body(b, node_kid(br, N_BODY), scope);
		text_flush(b);
		all_start_line &= b->at_line_start;
	}
	if (!is_open)
		return;
	seg_add(b, SEG_IF_END, n);
	b->depth--;
	b->at_line_start = all_start_line;
}

static void put_for(Builder *b, const Node *n, const Scope *scope)
{
	const Node *bound, *list = node_kid(n, N_REF);
	IrRef *ref = ref_make(b, list, scope, &bound);
	Scope in = { .outer = scope, .item = n->name, .index = n->aux, .loop = n };
	if (!ref || !depth_allows(b, n->span))
		return;
	text_flush(b);
	uint32_t begin = seg_open(b, SEG_FOR, n);
	IrSeg *s = &b->out->seg.v[begin];
	s->ref = ref;
	s->name = n->name;
	s->text.s = directive_text(b, n->span, "!FOR", " ", NULL);
	put_body(b, node_kid(n, N_BODY), &in);
	seg_close(b, begin);
}

/* ---- includes ---- */

static bool may_enter(const Builder *b, const Node *block)
{
	for (const BlockFrame *f = b->frame; f; f = f->outer)
		if (f->block == block)
			return false;
	return b->n_include < INCLUDES_MAX && !(b->frame && b->frame->depth >= INCLUDE_DEPTH_MAX);
}

void put_include(Builder *b, const Node *include, const Scope *scope)
{
	const Node *block = sema_block(b->u, b->p, include);
	if (!block || !may_enter(b, block) || !depth_allows(b, include->span))
		return;
	b->n_include++;
	BlockFrame frame = { b->frame, block, b->frame ? b->frame->depth + 1 : 1 };
	Scope in = { .outer = scope, .binds = include };
	Str indent = b->indent;
	uint32_t begin = seg_open(b, SEG_BLOCK, block);
	b->out->seg.v[begin].name = block->name;
	b->out->seg.v[begin].node = node_of(b, BNODE_BLOCK, block);
	b->out->seg.v[begin].cond = when_of(b, block, &in);
	b->frame = &frame;
	if (include->aux.n)
		b->indent = indent.n ? str_fmt(b->a, "%.*s%.*s", STR_ARG(indent), STR_ARG(include->aux)) : include->aux;
	put_body(b, node_body(block), &in);
	if (!b->at_line_start)
		text_put_generated(b, STR("\n"));  /* `block x: text` is a line all the same */
	seg_close(b, begin);
	b->indent = indent;
	b->frame = frame.outer;
}

void put_body(Builder *b, const Node *body, const Scope *scope)
{
	bool skip_lf = false;
	for (const Node *n = body ? body->first : NULL; n; n = n->next) {
		switch (n->kind) {
		case N_TEXT:
			text_put(b, skip_lf ? text_drop_first(b->a, n->text) : n->text);
			skip_lf = false;
			break;
		case N_HOLE:
			put_hole(b, n, scope, &skip_lf);
			break;
		case N_INCLUDE:
			put_include(b, n, scope);
			break;
		case N_IF:
			put_if(b, n, scope);
			break;
		case N_FOR:
			put_for(b, n, scope);
			break;
		default:
			break;
		}
	}
}
