/*
 * Writes a unit's IR as records: one prompt after the other, then the routes. Indices of a prompt's
 * own lists become indices of the file's sections by adding where the prompt's records begin.
 */
#include "compiler/emit/emit_bin.h"

#include <stdlib.h>

#include "compiler/emit/bin_writer.h"
#include "runtime/base/utf8.h"

typedef struct Emit {
	BinWriter w;
	const Ir *ir;
	const Prompt *p;       /* being written */
	BinPrompt *out;
	uint32_t *tool_at;     /* place of p->tool[i] among the sorted ones */
	Map ref_at;            /* a BinRef's bytes -> its index + 1 */
	BinDebug debug;
} Emit;

static BinStr put_str(Emit *e, Str s)
{
	return bin_put_str(&e->w, s);
}

/* A text made here; it must outlive the writer. */
static BinStr put_buf(Emit *e, Buf *b)
{
	BinStr s = put_str(e, str_dup(e->w.arena, buf_str(b)));
	buf_free(b);
	return s;
}

static float put_float(double x)
{
	return x < 0 ? -1 : x > 1 ? 1 : (float)x;
}

/* ---- references, conditions, filters ---- */

static uint32_t put_ref(Emit *e, const IrRef *r)
{
	if (!r)
		return BIN_NONE;
	BinRef ref = { r->kind, r->index, put_str(e, r->name), put_str(e, r->field) };
	if (r->kind == REF_INPUT)
		ref.index += e->out->input.first;
	else if (r->kind == REF_STAGE)
		ref.index += e->out->stage.first;
	else if (r->kind == REF_LOOP || r->kind == REF_LOOP_INDEX)
		ref.index += e->out->seg.first;
	Str key = { arena_dup(e->w.arena, &ref, sizeof ref), sizeof ref };
	uintptr_t had = (uintptr_t)map_get(&e->ref_at, key);
	if (had)
		return (uint32_t)had - 1;
	vec_push(e->w.arena, &e->w.ref, ref);
	map_add(e->w.arena, &e->ref_at, key, (void *)(uintptr_t)e->w.ref.n);
	return e->w.ref.n - 1;
}

static BinRange put_program(Emit *e, const IrProgram *p)
{
	BinRange r = { e->w.cond.n, p->n };
	for (uint32_t i = 0; i < p->n; i++) {
		const IrCond *c = &p->op[i];
		BinCond op = { (uint8_t)c->op, (uint8_t)c->cmp, c->n_arg, put_ref(e, c->ref), put_str(e, c->s) };
		vec_push(e->w.arena, &e->w.cond, op);
	}
	return r;
}

static BinRange put_filters(Emit *e, const IrSeg *s)
{
	BinRange r = { e->w.filter.n, s->kind == SEG_HOLE ? s->n_filter : 0 };
	for (uint32_t i = 0; i < r.n; i++)
		vec_push(e->w.arena, &e->w.filter, (BinFilter){ s->filter[i].kind, put_str(e, s->filter[i].arg) });
	return r;
}

/* ---- segments ---- */

static uint32_t aux_of(const Emit *e, const IrSeg *s)
{
	if (s->aux == BIN_NONE)
		return BIN_NONE;
	switch (s->kind) {
	case SEG_SCHEMA:
		return e->out->schema.first + s->aux;
	case SEG_CALL: case SEG_RESULT:
		return e->out->tool.first + e->tool_at[s->aux];
	case SEG_STAGE:
		return e->out->stage.first + s->aux;
	default:
		return s->aux;
	}
}

static void put_seg(Emit *e, const IrSeg *s)
{
	BinSeg out = bin_blank_seg(s->kind);
	out.role = (uint8_t)s->role;
	out.stability = (uint8_t)s->stability;
	out.modality = (uint8_t)s->modality;
	out.flags = s->flags;
	out.partner = s->partner == BIN_NONE ? BIN_NONE : e->out->seg.first + s->partner;
	out.node = s->node == BIN_NONE ? BIN_NONE : e->out->node.first + s->node;
	out.text = put_str(e, s->text.s);
	out.name = put_str(e, s->name);
	out.ref = put_ref(e, s->ref);
	out.aux = aux_of(e, s);
	out.cond = put_program(e, &s->cond);
	out.filter = put_filters(e, s);
	out.weight = put_float(s->weight);
	out.squash = put_float(s->squash);
	vec_push(e->w.arena, &e->w.seg, out);
}

static void put_node(Emit *e, const IrNode *n)
{
	BinNode out = { .kind = (uint8_t)n->kind, .role = (uint8_t)n->role, .modality = (uint8_t)n->modality,
	                .stability = (uint8_t)n->stability, .flags = n->flags, .name = put_str(e, n->name) };
	if (n->n_seg)
		out.seg = (BinRange){ e->out->seg.first + n->seg, n->n_seg };
	out.on = bin_put_names(&e->w, n->on, n->n_on);
	out.weight = put_float(n->weight);
	vec_push(e->w.arena, &e->w.node, out);
}

/* ---- what a prompt declares ---- */

static void put_input(Emit *e, const Input *in, uint32_t schema)
{
	uint32_t flags = (in->is_optional ? INPUT_OPTIONAL : 0) | (in->is_trusted ? INPUT_TRUSTED : 0) |
	                 (in->is_key ? INPUT_KEY : 0) | (in->default_value ? INPUT_HAS_DEFAULT : 0) |
	                 (in->trust_unknown ? INPUT_TRUST_UNKNOWN : 0);
	BinInput out = { .type = (uint8_t)(in->type ? in->type->kind : INPUT_TEXT), .stability = (uint8_t)in->stability,
	                 .flags = (uint16_t)flags, .max_tok = in->max_tok, .name = put_str(e, in->name),
	                 .doc = put_str(e, in->doc), .schema = schema };
	out.type_text = put_str(e, in->type ? in->type->spelled : STR("text"));
	if (in->default_value) {
		Buf json = { 0 };
		sema_value_json(&json, in->type, in->default_value);
		out.default_json = put_buf(e, &json);
	}
	vec_push(e->w.arena, &e->w.input, out);
}

static uint32_t schema_index(const Emit *e, uint32_t schema)
{
	return schema == BIN_NONE ? BIN_NONE : e->out->schema.first + schema;
}

static BinReply reply_of(Emit *e, const Reply *r, uint32_t schema)
{
	return (BinReply){ r->kind, schema_index(e, schema), r->max_tok, put_str(e, r->type ? r->type->spelled : (Str){ 0 }) };
}

static int by_name(const void *a, const void *b)
{
	return str_cmp((*(const Tool *const *)a)->name, (*(const Tool *const *)b)->name);
}

static void put_tools(Emit *e)
{
	const Prompt *p = e->p;
	const Tool **sorted = arena_array(e->w.arena, const Tool *, p->tool.n + 1);
	e->tool_at = arena_array(e->w.arena, uint32_t, p->tool.n + 1);
	for (uint32_t i = 0; i < p->tool.n; i++)
		sorted[i] = &p->tool.v[i];
	qsort(sorted, p->tool.n, sizeof *sorted, by_name);
	e->out->tool = (BinRange){ e->w.tool.n, p->tool.n };
	for (uint32_t i = 0; i < p->tool.n; i++) {
		Buf json = { 0 };
		e->tool_at[sorted[i] - p->tool.v] = i;
		if (sorted[i]->params)
			schema_write_minified(&json, sorted[i]->params);
		BinTool t = { put_str(e, sorted[i]->name), put_str(e, sorted[i]->doc), put_buf(e, &json) };
		vec_push(e->w.arena, &e->w.tool, t);
	}
}

static void put_schemas(Emit *e, const IrPrompt *p)
{
	e->out->schema = (BinRange){ e->w.schema.n, p->schema.n };
	for (uint32_t i = 0; i < p->schema.n; i++) {
		const IrSchema *s = &p->schema.v[i];
		vec_push(e->w.arena, &e->w.schema, (BinSchema){ put_str(e, s->name), put_str(e, s->doc), put_str(e, s->json), put_str(e, s->ts) });
	}
}

static void put_stages(Emit *e, const IrPrompt *p)
{
	e->out->stage = (BinRange){ e->w.stage.n, p->stage.n };
	for (uint32_t i = 0; i < p->stage.n; i++) {
		const Stage *s = &e->p->stage.v[p->stage.v[i]];
		BinStage out = { .name = put_str(e, s->name), .from = bin_put_names(&e->w, s->from.v, s->from.n),
		                 .reply = reply_of(e, &s->reply, p->stage_schema.v[i]), .weight = put_float(s->weight) };
		vec_push(e->w.arena, &e->w.stage, out);
	}
	for (uint32_t i = 0; i < p->seg.n; i++)
		if (p->seg.v[i].kind == SEG_STAGE)
			e->w.stage.v[e->out->stage.first + p->seg.v[i].aux].seg = e->out->seg.first + i;
}

/* One value, several as a list, JSON as it is. */
static BinStr put_values(Emit *e, const Node *n)
{
	Buf json = { 0 };
	bool is_list = n->first && n->first->next && n->kind == N_META;
	if (is_list)
		buf_byte(&json, '[');
	for (const Node *v = n->first; v; v = v->next) {
		sema_value_json(&json, NULL, v);
		buf_putz(&json, v->next && is_list ? "," : "");
	}
	if (is_list)
		buf_byte(&json, ']');
	return put_buf(e, &json);
}

static int by_aux_and_name(const void *a, const void *b)
{
	const Node *x = *(const Node *const *)a, *y = *(const Node *const *)b;
	int order = str_cmp(x->aux, y->aux);
	order = order ? order : str_cmp(x->name, y->name);
	return order ? order : (x->span.lo > y->span.lo) - (x->span.lo < y->span.lo);
}

static const Node **sorted_nodes(Emit *e, const Node *const *v, uint32_t n)
{
	const Node **sorted = arena_array(e->w.arena, const Node *, n + 1);
	if (n)
		memcpy(sorted, v, n * sizeof *v);
	qsort(sorted, n, sizeof *sorted, by_aux_and_name);
	return sorted;
}

static void put_settings(Emit *e)
{
	const Prompt *p = e->p;
	BinPrompt *out = e->out;
	const Node **set = sorted_nodes(e, (const Node *const *)p->set.v, p->set.n);
	const Node **meta = sorted_nodes(e, (const Node *const *)p->meta.v, p->meta.n);
	out->set = (BinRange){ e->w.set.n, p->set.n };
	for (uint32_t i = 0; i < p->set.n; i++)
		vec_push(e->w.arena, &e->w.set, (BinSet){ put_str(e, set[i]->aux), put_str(e, set[i]->name), put_values(e, set[i]) });
	out->meta = (BinRange){ e->w.meta.n, p->meta.n };
	for (uint32_t i = 0; i < p->meta.n; i++)
		vec_push(e->w.arena, &e->w.meta, (BinMeta){ put_str(e, meta[i]->name), put_values(e, meta[i]) });
	out->cut = (BinRange){ e->w.cut.n, p->cut.n };
	for (uint32_t i = 0; i < p->cut.n; i++) {
		const Cut *c = &p->cut.v[i];
		BinCut cut = { put_str(e, c->name), c->how, c->keep, c->how == CUT_DECAY ? put_float(c->decay) : -1, put_str(e, c->mark), put_float(c->weight) };
		vec_push(e->w.arena, &e->w.cut, cut);
	}
	out->cache = BIN_NONE;
	if (p->cache) {
		out->cache = e->w.cache.n;
		vec_push(e->w.arena, &e->w.cache, (BinCache){ put_str(e, p->cache->group), p->cache->slot_lo, p->cache->slot_hi, p->cache->ttl_s, put_str(e, p->cache->evict) });
	}
}

/* ---- the debug map ---- */

/* A name that does not depend on where the tree stands. */
static Str local_name(const Sources *ss, Str name)
{
	Str first = ss->file.n ? ss->file.v[0]->name : (Str){ 0 };
	size_t dir = first.n;
	while (dir && first.p[dir - 1] != '/')
		dir--;
	if (dir && str_starts(name, str_sub(first, 0, dir)))
		return str_sub(name, dir, name.n);
	if (!name.n || name.p[0] != '/')
		return name;
	size_t at = name.n;
	while (name.p[at - 1] != '/')
		at--;
	return str_sub(name, at, name.n);
}

static void put_debug_run(Emit *e, uint32_t seg, TextRun r)
{
	const Sources *ss = &e->ir->c->sources;
	const Source *s = source_of(ss, r.src_off);
	uint32_t file = 0;
	while (s && file < ss->file.n && ss->file.v[file] != s)
		file++;
	if (!s || file == ss->file.n)
		return;
	BinDebugRun run = { seg, r.text_off, file, r.src_off - s->base, r.len, source_line(ss, r.src_off) };
	vec_push(e->w.arena, &e->w.debug_run, run);
}

/* Text by its runs; a hole by its span, since its text is the source's. */
static void put_debug(Emit *e, const IrPrompt *p)
{
	for (uint32_t i = 0; i < p->seg.n; i++) {
		const IrSeg *s = &p->seg.v[i];
		uint32_t seg = e->out->seg.first + i, len = s->span.hi - s->span.lo;
		for (uint32_t k = 0; k < s->text.n_run; k++)
			put_debug_run(e, seg, s->text.run[k]);
		if ((s->kind == SEG_HOLE || s->kind == SEG_IMAGE) && len && len == s->text.s.n)
			put_debug_run(e, seg, (TextRun){ 0, s->span.lo, len });
	}
}

/* A file system takes any bytes for a name, the string pool takes text only. */
static Str text_name(Arena *a, Str name)
{
	size_t bad = utf8_find_bad(name);
	if (bad == name.n)
		return name;
	char *p = str_z(a, name);
	for (; bad < name.n; bad = utf8_find_bad((Str){ p, name.n }))
		p[bad] = '?';
	return (Str){ p, name.n };
}

static void put_debug_files(Emit *e)
{
	const Sources *ss = &e->ir->c->sources;
	for (uint32_t i = 0; i < ss->file.n; i++) {
		Str name = text_name(e->w.arena, local_name(ss, ss->file.v[i]->name));
		vec_push(e->w.arena, &e->w.debug_file, (BinDebugFile){ put_str(e, name) });
	}
}

/* ---- prompts and routes ---- */

static void put_prompt(Emit *e, const IrPrompt *p)
{
	BinPrompt out = { .budget_tok = p->p->budget_tok, .anchor_every = p->p->anchor_every, .front_end = e->ir->u->front };
	e->p = p->p;
	e->out = &out;
	out.name = put_str(e, p->p->name);
	out.version = put_str(e, p->p->version);
	out.doc = put_str(e, p->p->doc);
	out.lang = put_str(e, p->p->lang);
	out.target = bin_put_names(&e->w, p->p->target.v, p->p->target.n);
	out.chain = bin_put_names(&e->w, p->p->chain.v, p->p->chain.n);
	out.seg = (BinRange){ e->w.seg.n, p->seg.n };
	out.node = (BinRange){ e->w.node.n, p->node.n };
	put_schemas(e, p);
	out.input = (BinRange){ e->w.input.n, p->p->input.n };
	for (uint32_t i = 0; i < p->p->input.n; i++)
		put_input(e, &p->p->input.v[i], schema_index(e, p->input_schema.v[i]));
	put_tools(e);
	put_stages(e, p);
	put_settings(e);
	out.reply = reply_of(e, &p->p->reply, p->reply_schema);
	for (uint32_t i = 0; i < p->node.n; i++)
		put_node(e, &p->node.v[i]);
	for (uint32_t i = 0; i < p->seg.n; i++)
		put_seg(e, &p->seg.v[i]);
	if (e->debug == BIN_DEBUG_MAP)
		put_debug(e, p);
	vec_push(e->w.arena, &e->w.prompt, out);
}

static void put_route(Emit *e, const IrRoute *r)
{
	BinPrompt scope = { .input = { e->w.input.n, r->r->input.n } };
	e->out = &scope;
	BinRoute out = { put_str(e, r->r->name), scope.input, { e->w.route_rule.n, r->rule.n } };
	for (uint32_t i = 0; i < r->r->input.n; i++)
		put_input(e, &r->r->input.v[i], BIN_NONE);
	for (uint32_t i = 0; i < r->rule.n; i++) {
		BinRouteRule rule = { put_program(e, &r->rule.v[i]), put_str(e, r->r->rule.v[i]->name), r->target.v[i], put_str(e, r->text.v[i]) };
		vec_push(e->w.arena, &e->w.route_rule, rule);
	}
	vec_push(e->w.arena, &e->w.route, out);
}

BinStatus emit_bin(const Ir *ir, BinDebug debug, Buf *out, Bin *bin, BinError *err)
{
	Emit e = { .ir = ir, .debug = debug };
	bin_writer_init(&e.w, &ir->c->arena);
	for (uint32_t i = 0; i < ir->prompt.n; i++)
		put_prompt(&e, ir->prompt.v[i]);
	for (uint32_t i = 0; i < ir->route.n; i++)
		put_route(&e, ir->route.v[i]);
	if (debug == BIN_DEBUG_MAP)
		put_debug_files(&e);
	BinStatus status = bin_writer_finish(&e.w, out, bin, err);
	bin_writer_free(&e.w);
	return status;
}
