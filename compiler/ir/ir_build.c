/*
 * The builder's outer half: prompts, messages, parts, stages and routes, in the order sent.
 * Bodies are ir_body.c's, text ir_text.c's, conditions ir_cond.c's.
 *
 * Order: the messages as sema assembled them, then one SEG_STAGE per stage in chain order.
 */
#include "compiler/ir/builder.h"

/* ---- segments and nodes ---- */

IrSeg *seg_add(Builder *b, SegKind kind, const Node *decl)
{
	if (kind != SEG_TEXT)
		text_flush(b);
	IrSeg *s = vec_add(b->a, &b->out->seg);
	s->kind = kind;
	s->stability = b->stability;
	s->flags = b->flags;
	s->partner = s->node = s->aux = BIN_NONE;
	s->weight = s->squash = -1;
	s->decl = decl;
	if (decl)
		s->span = decl->span;
	return s;
}

uint32_t seg_open(Builder *b, SegKind kind, const Node *decl)
{
	seg_add(b, kind, decl);
	b->depth++;
	return b->out->seg.n - 1;
}

void seg_close(Builder *b, uint32_t begin)
{
	seg_add(b, seg_info[b->out->seg.v[begin].kind].end, b->out->seg.v[begin].decl);
	b->depth--;
}

bool depth_allows(Builder *b, Span at)
{
	if (b->depth + 8 < BIN_DEPTH_MAX)  /* a constraints hole opens three more, an item's body its own */
		return true;
	if (!b->is_too_deep) {
		Diag *g = diag_add(&b->c->diags, SD801, at, "nested too deeply: more than %d parts, blocks, branches and loops are open here", BIN_DEPTH_MAX - 8);
		diag_help(&b->c->diags, g, "include fewer blocks within blocks");
	}
	b->is_too_deep = true;
	return false;
}

static double weight_of(const Prompt *p, Str name)
{
	for (uint32_t i = 0; name.n && i < p->cut.n; i++)
		if (str_eq(p->cut.v[i].name, name))
			return p->cut.v[i].weight;
	return -1;
}

uint32_t node_of(Builder *b, BinNodeKind kind, const Node *decl)
{
	Str key = { (const char *)arena_dup(b->a, &decl, sizeof decl), sizeof decl };
	uintptr_t had = (uintptr_t)map_get(&b->node_at, key);
	if (had)
		return (uint32_t)had - 1;
	IrNode *n = vec_add(b->a, &b->out->node);
	*n = (IrNode){ .kind = kind, .stability = b->stability, .flags = b->flags, .name = decl->name, .decl = decl, .weight = -1 };
	n->seg = BIN_NONE;
	if (kind == BNODE_MESSAGE)
		n->role = (Role)decl->op;
	map_add(b->a, &b->node_at, key, (void *)((uintptr_t)b->out->node.n));
	return b->out->node.n - 1;
}

IrProgram when_of(Builder *b, const Node *decl, const Scope *scope)
{
	const Node *when = decl ? node_clause(decl, CL_WHEN) : NULL;
	return when && when->first ? cond_make(b, when->first, scope) : (IrProgram){ 0 };
}

static uint32_t head_flags(const Node *decl)
{
	uint32_t flags = 0;
	const Node *body = decl ? node_body(decl) : NULL;
	if (!decl)
		return 0;
	flags |= node_clause(decl, CL_EXACT) || (body && body->flags & NF_EXACT) ? SEG_EXACT : 0;
	flags |= node_clause(decl, CL_RAW) || (body && body->flags & NF_RAW) ? SEG_RAW : 0;
	flags |= node_clause(decl, CL_HOISTABLE) ? SEG_HOISTABLE : 0;
	flags |= body && body->flags & NF_INLINE ? SEG_INLINE : 0;
	return flags;
}

/* A body of its own: nothing of the text before it carries over. */
static void put_own_body(Builder *b, const Node *body, const Scope *scope)
{
	b->at_line_start = true;
	put_body(b, body, scope);
	text_flush(b);
}

/* ---- constraints ---- */

static Str label_of(Str lang, Modality m)
{
	static const struct { Str lang, label[MOD_COUNT]; } row[] = {
#define LABELS(lang, must, should, may, never) \
	{ STR_INIT(lang), { STR_INIT(""), STR_INIT(must), STR_INIT(should), STR_INIT(may), STR_INIT(never) } },
#include "compiler/ir/labels.def"
#undef LABELS
	};
	size_t at = 0;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (str_eq(lang, row[i].lang) || (str_starts(lang, row[i].lang) && lang.p[row[i].lang.n] == '-'))
			at = i;
	return row[at].label[m];
}

static bool is_on(const Constraint *k, Str stage)
{
	for (uint32_t i = 0; i < k->on.n; i++)
		if (str_eq(k->on.v[i], stage))
			return true;
	return !stage.n && !k->on.n;
}

static void put_constraint(Builder *b, const Constraint *k)
{
	uint32_t flags = b->flags;
	bool is_protected = k->is_guardrail || k->modality == MOD_MUST || k->modality == MOD_NEVER;
	b->flags |= is_protected ? SEG_PROTECTED : 0;
	uint32_t begin = seg_open(b, SEG_CONSTRAINT, k->decl), node = node_of(b, BNODE_CONSTRAINT, k->decl);
	IrSeg *s = &b->out->seg.v[begin];
	IrNode *n = &b->out->node.v[node];
	s->modality = n->modality = k->modality;
	s->name = k->name;
	s->node = node;
	s->weight = n->weight = k->weight;
	s->flags |= head_flags(k->decl) | (k->is_guardrail ? SEG_GUARDRAIL : 0);
	s->cond = when_of(b, k->decl, NULL);
	n->flags = s->flags;
	n->on = k->on.v;
	n->n_on = k->on.n;
	IrSeg *label = seg_add(b, SEG_TEXT, NULL);
	label->text.s = label_of(b->p->lang, k->modality);
	label->flags |= SEG_GENERATED;
	b->in_item = true;
	b->item_started = false;
	put_own_body(b, node_body(k->decl), NULL);
	b->in_item = false;
	seg_close(b, begin);
	b->flags = flags;
}

void put_constraints(Builder *b, Str stage)
{
	Str indent = b->indent;
	if (b->in_item)
		return;  /* {{constraints}} in a constraint would not end */
	text_flush(b);
	uint32_t begin = seg_open(b, SEG_CONSTRAINTS, NULL);
	b->indent = (Str){ 0 };
	for (uint32_t i = 0; i < b->p->constraint.n; i++)
		if (is_on(&b->p->constraint.v[i], stage))
			put_constraint(b, &b->p->constraint.v[i]);
	seg_close(b, begin);
	b->indent = indent;
	b->at_line_start = false;
}

static bool has_constraints(const Prompt *p, Str stage)
{
	for (uint32_t i = 0; i < p->constraint.n; i++)
		if (is_on(&p->constraint.v[i], stage))
			return true;
	return false;
}

/* ---- parts ---- */

static uint32_t part_open(Builder *b, const Part *part, const Node *decl)
{
	uint32_t begin = seg_open(b, SEG_PART, decl);
	IrSeg *s = &b->out->seg.v[begin];
	s->name = part->name;
	s->weight = weight_of(b->p, part->name);
	s->flags |= head_flags(decl) | (part->stability_written ? SEG_STABILITY_WRITTEN : 0);
	return begin;
}

static void put_context(Builder *b, const Node *decl)
{
	const Node *bound, *top = node_clause(decl, CL_TOP), *squash = node_clause(decl, CL_SQUASH);
	Node list = { .kind = N_REF, .name = decl->name };
	IrRef *ref = ref_make(b, &list, NULL, &bound);
	Scope in = { .item = STR("doc"), .loop = decl };
	if (!ref)
		return;
	uint32_t begin = seg_open(b, SEG_CONTEXT, decl), node = node_of(b, BNODE_CONTEXT, decl);
	IrSeg *s = &b->out->seg.v[begin];
	s->ref = ref;
	s->name = decl->name;
	s->node = node;
	s->flags |= head_flags(decl);
	s->aux = top ? (uint32_t)top->val : BIN_NONE;
	s->squash = squash ? squash->num : -1;
	s->weight = b->out->node.v[node].weight = weight_of(b->p, decl->name);
	put_own_body(b, node_body(decl), &in);
	seg_close(b, begin);
}

static void put_json_content(Builder *b, const Node *json)
{
	JsonDoc doc;
	Buf out = { 0 };
	IrSeg *s = seg_add(b, SEG_CONTENT, json);
	s->text.s = json->name;
	if (!json_read(b->a, json->name, 0, &doc))
		return;
	json_write(&out, doc.root, JSON_AS_IS);
	s->text.s = str_dup(b->a, buf_str(&out));
	buf_free(&out);
}

static uint32_t tool_at(const Prompt *p, Str name)
{
	for (uint32_t i = 0; i < p->tool.n; i++)
		if (str_eq(p->tool.v[i].name, name))
			return i;
	return BIN_NONE;
}

static void put_call(Builder *b, const Node *n)
{
	uint32_t begin = seg_open(b, n->kind == N_CALL ? SEG_CALL : SEG_RESULT, n);
	IrSeg *s = &b->out->seg.v[begin];
	s->role = n->kind == N_CALL ? ROLE_ASSISTANT : ROLE_TOOL;
	s->name = n->name;
	s->text.s = n->aux;
	s->aux = tool_at(b->p, n->name);
	s->flags |= head_flags(n);
	put_own_body(b, node_body(n), NULL);
	seg_close(b, begin);
}

/* The text of a role or message, or what a front end gave as JSON and calls. */
static void put_head_content(Builder *b, const Part *part, const Node *decl)
{
	bool is_role = decl->kind == N_ROLE;
	const Node *body = node_body(decl), *json = node_kid(decl, N_JSON);
	if (body || !(json || node_kid(decl, N_CALL))) {
		uint32_t begin = part_open(b, part, decl), node = node_of(b, is_role ? BNODE_ROLE : BNODE_MESSAGE, decl);
		IrSeg *s = &b->out->seg.v[begin];
		s->node = node;
		s->cond = when_of(b, decl, NULL);
		b->out->node.v[node].weight = s->weight;
		b->out->node.v[node].flags = s->flags;
		put_own_body(b, body, NULL);
		seg_close(b, begin);
	}
	if (json)
		put_json_content(b, json);
	for (const Node *k = decl->first; k; k = k->next)
		if (k->kind == N_CALL)
			put_call(b, k);
}

/* What one declaration gives, inside a message. */
static void put_part(Builder *b, const Part *part)
{
	b->stability = part->stability;
	b->flags = part->stability == STAB_STATIC ? SEG_PROTECTED : 0;
	if (part->kind == PART_ROLE || part->kind == PART_MESSAGE) {
		put_head_content(b, part, part->decl);
	} else {
		uint32_t begin = part_open(b, part, NULL);
		b->out->seg.v[begin].flags |= part->kind == PART_INCLUDE ? 0 : SEG_INLINE;
		b->at_line_start = true;
		if (part->kind == PART_CONTEXT) {
			b->out->seg.v[begin].cond = when_of(b, part->decl, NULL);
			put_context(b, part->decl);
		} else if (part->kind == PART_INCLUDE) {
			put_include(b, part->decl, NULL);
		} else {
			put_constraints(b, (Str){ 0 });
		}
		seg_close(b, begin);
	}
	b->flags = 0;
}

/* ---- what stands at the top of a prompt ---- */

static void put_history(Builder *b, const Part *part)
{
	const Node *bound;
	Node turns = { .kind = N_REF, .name = part->decl->name };
	IrRef *ref = ref_make(b, &turns, NULL, &bound);
	if (!ref)
		return;
	b->stability = part->stability;
	IrSeg *s = seg_add(b, SEG_HISTORY, part->decl);
	s->ref = ref;
	s->name = part->decl->name;
	s->role = ROLE_USER;
	s->cond = when_of(b, part->decl, NULL);
	s->flags |= part->stability_written ? SEG_STABILITY_WRITTEN : 0;
	uint32_t node = node_of(b, BNODE_HISTORY, part->decl), at = b->out->seg.n - 1;
	b->out->seg.v[at].node = node;
	b->out->seg.v[at].weight = b->out->node.v[node].weight = weight_of(b->p, part->decl->name);
}

static void put_example_message(Builder *b, const Node *n, const Part *part)
{
	Part own = { .kind = PART_MESSAGE, .decl = n, .stability = part->stability, .name = n->name };
	uint32_t begin = seg_open(b, SEG_MESSAGE, n);
	b->out->seg.v[begin].role = (Role)n->op;
	b->out->seg.v[begin].flags |= head_flags(n) & SEG_EXACT;
	uint32_t part_at = part_open(b, &own, n);
	b->out->seg.v[part_at].cond = when_of(b, n, NULL);
	put_own_body(b, node_body(n), NULL);
	seg_close(b, part_at);
	seg_close(b, begin);
}

static void put_example(Builder *b, const Part *part)
{
	b->stability = part->stability;
	b->flags = part->stability == STAB_STATIC ? SEG_PROTECTED : 0;
	uint32_t begin = seg_open(b, SEG_EXAMPLE, part->decl), node = node_of(b, BNODE_EXAMPLE, part->decl);
	IrSeg *s = &b->out->seg.v[begin];
	const Node *top = node_clause(part->decl, CL_TOP);
	s->name = part->decl->name;
	s->node = node;
	s->aux = top ? (uint32_t)top->val : BIN_NONE;
	s->flags |= part->stability_written ? SEG_STABILITY_WRITTEN : 0;
	s->cond = when_of(b, part->decl, NULL);
	s->weight = b->out->node.v[node].weight = weight_of(b->p, part->decl->name);
	for (const Node *k = part->decl->first; k; k = k->next) {
		if (k->kind == N_MESSAGE)
			put_example_message(b, k, part);
		else if (k->kind == N_CALL || k->kind == N_RESULT)
			put_call(b, k);
	}
	seg_close(b, begin);
	b->flags = 0;
}

static void put_message(Builder *b, const MessagePlan *m)
{
	const Part *first = &m->part.v[0], *last = &m->part.v[m->part.n - 1];
	if (first->kind == PART_HISTORY) {
		put_history(b, first);
		return;
	}
	if (first->kind == PART_EXAMPLE) {
		put_example(b, first);
		return;
	}
	b->stability = last->stability;
	uint32_t begin = seg_open(b, SEG_MESSAGE, first->decl);
	IrSeg *s = &b->out->seg.v[begin];
	s->role = m->role;
	s->name = m->name;
	s->flags |= m->is_exact ? SEG_EXACT : 0;
	if (m->is_exact && m->part.n == 1)
		s->cond = when_of(b, first->decl, NULL);  /* else the message would stand, empty */
	for (uint32_t i = 0; i < m->part.n; i++)
		put_part(b, &m->part.v[i]);
	b->stability = last->stability;
	seg_close(b, begin);
}

static void put_stage(Builder *b, uint32_t at)
{
	const Stage *st = &b->p->stage.v[b->out->stage.v[at]];
	b->stability = STAB_TURN;
	uint32_t begin = seg_open(b, SEG_STAGE, st->decl), node = node_of(b, BNODE_STAGE, st->decl);
	IrSeg *s = &b->out->seg.v[begin];
	s->role = ROLE_USER;
	s->name = st->name;
	s->node = node;
	s->aux = at;
	s->weight = b->out->node.v[node].weight = st->weight;
	s->cond = when_of(b, st->decl, NULL);
	if (has_constraints(b->p, st->name)) {
		uint32_t part = seg_open(b, SEG_PART, NULL);
		b->out->seg.v[part].flags |= SEG_INLINE;
		put_constraints(b, st->name);
		seg_close(b, part);
	}
	uint32_t part = seg_open(b, SEG_PART, st->decl);
	b->out->seg.v[part].flags |= head_flags(st->decl);
	put_own_body(b, node_body(st->decl), NULL);
	seg_close(b, part);
	seg_close(b, begin);
}

/* ---- a prompt ---- */

static uint32_t schema_of(Builder *b, const Type *t)
{
	if (!t || !t->schema)
		return BIN_NONE;
	for (uint32_t i = 0; t->schema_name.n && i < b->out->schema.n; i++)
		if (str_eq(b->out->schema.v[i].name, t->schema_name))
			return i;
	vec_push(b->a, &b->out->schema, (IrSchema){ .node = t->schema });
	return b->out->schema.n - 1;
}

static void put_schemas(Builder *b)
{
	const Prompt *p = b->p;
	for (uint32_t i = 0; i < p->schema.n; i++)
		vec_push(b->a, &b->out->schema, (IrSchema){ .name = p->schema.v[i].name, .doc = p->schema.v[i].doc, .node = p->schema.v[i].node });
	for (uint32_t i = 0; i < p->input.n; i++)
		vec_push(b->a, &b->out->input_schema, schema_of(b, p->input.v[i].type));
	b->out->reply_schema = schema_of(b, p->reply.type);
	for (uint32_t i = 0; i < p->stage.n; i++)
		vec_push(b->a, &b->out->stage_schema, schema_of(b, p->stage.v[b->out->stage.v[i]].reply.type));
}

/* Chain order, then what no chain names, in source order. */
static void order_stages(Builder *b)
{
	uint32_t n = b->p->stage.n;
	b->stage_at = arena_array(b->a, uint32_t, n + 1);
	for (int order = 0; (uint32_t)order < n; order++)
		for (uint32_t i = 0; i < n; i++)
			if (b->p->stage.v[i].order == order)
				vec_push(b->a, &b->out->stage, i);
	for (uint32_t i = 0; i < n; i++)
		if (b->p->stage.v[i].order < 0)
			vec_push(b->a, &b->out->stage, i);
	for (uint32_t i = 0; i < b->out->stage.n; i++)
		b->stage_at[b->out->stage.v[i]] = i;
}

static IrPrompt *build_prompt(Ir *ir, const Prompt *p)
{
	Arena *a = &ir->c->arena;
	IrPrompt *out = arena_new(a, IrPrompt);
	Builder b = { .c = ir->c, .a = a, .u = ir->u, .p = p, .out = out };
	out->p = p;
	order_stages(&b);
	put_schemas(&b);
	for (uint32_t i = 0; i < p->message.n; i++)
		if (p->message.v[i].part.n)
			put_message(&b, &p->message.v[i]);
	for (uint32_t i = 0; i < out->stage.n; i++)
		put_stage(&b, i);
	ir_link(out, &ir->c->scratch);
	return out;
}

/* ---- routes ---- */

static uint32_t prompt_at(const Ir *ir, Str name)
{
	for (uint32_t i = 0; i < ir->prompt.n; i++)
		if (str_eq(ir->prompt.v[i]->p->name, name))
			return i;
	return BIN_NONE;
}

/* Conditions of a route see its inputs, and nothing else. */
static IrRoute *build_route(Ir *ir, const Route *r)
{
	Arena *a = &ir->c->arena;
	IrRoute *out = arena_new(a, IrRoute);
	Prompt names = { .name = r->name };
	Builder b = { .c = ir->c, .a = a, .u = ir->u, .p = &names };
	out->r = r;
	names.input.v = r->input.v;
	names.input.n = r->input.n;
	for (uint32_t i = 0; i < r->input.n; i++) {
		Symbol *s = arena_new(a, Symbol);
		*s = (Symbol){ SYM_INPUT, i, r->input.v[i].decl };
		map_add(a, &names.by_name, r->input.v[i].name, s);
	}
	for (uint32_t i = 0; i < r->rule.n; i++) {
		const Node *cond = r->rule.v[i]->first;
		Buf text = { 0 };
		if (cond)
			cond_print(&text, cond);
		vec_push(a, &out->rule, cond ? cond_make(&b, cond, NULL) : (IrProgram){ 0 });
		vec_push(a, &out->text, str_dup(a, buf_str(&text)));
		vec_push(a, &out->target, prompt_at(ir, r->rule.v[i]->name));
		buf_free(&text);
	}
	return out;
}

Ir *ir_build(Compiler *c, const Unit *u)
{
	Ir *ir = arena_new(&c->arena, Ir);
	ir->c = c;
	ir->u = u;
	for (uint32_t i = 0; i < u->prompt.n; i++)
		vec_push(&c->arena, &ir->prompt, build_prompt(ir, u->prompt.v[i]));
	for (uint32_t i = 0; i < u->route.n; i++)
		vec_push(&c->arena, &ir->route, build_route(ir, u->route.v[i]));
	return ir;
}
