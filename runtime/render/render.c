/* Render: see render.h. This file makes requests and their messages; content.c fills one message. */
#include "runtime/render/render.h"

#include "runtime/bin/seg_print.h"
#include "runtime/render/walk.h"

const char *role_name(Role role) { return role < ROLE_COUNT ? role_names[role] : "?"; }

Role role_find(Str name)
{
	for (int i = 0; i < ROLE_COUNT; i++)
		if (str_is(name, role_names[i]))
			return (Role)i;
	return ROLE_COUNT;
}

Str message_text(Arena *arena, const RenderMessage *m)
{
	size_t n = 0;
	for (uint32_t i = 0; i < m->run.n; i++)
		n += m->run.v[i].text.n;
	char *p = arena_alloc(arena, n ? n : 1);
	Str s = { p, n };
	for (uint32_t i = 0; i < m->run.n; i++) {
		memcpy(p, m->run.v[i].text.p, m->run.v[i].text.n);
		p += m->run.v[i].text.n;
	}
	return s;
}

/* ---- what the walk reports ------------------------------------------------------------------- */

void walk_remark(Renderer *r, RenderRemarkKind kind, uint32_t seg, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	Str message = str_vfmt(r->arena, fmt, ap);
	va_end(ap);
	for (uint32_t i = 0; i < r->out->remark.n; i++)
		if (r->out->remark.v[i].seg == seg && str_eq(r->out->remark.v[i].message, message))
			return;
	vec_push(r->arena, &r->out->remark, (RenderRemark){ kind, message, seg });
}

void walk_fail(Renderer *r, uint32_t seg, const char *message)
{
	if (r->out->error.n)
		return;
	r->out->error = str_from(message);
	r->out->error_seg = seg;
}

void walk_note_unbound(Renderer *r, uint32_t ref)
{
	const BinRef *f = &r->bin->ref[ref];
	Str name = bin_str(r->bin, f->name);
	if (f->kind == REF_INPUT)
		name = bin_str(r->bin, r->bin->input[f->index].name);
	else if (f->kind == REF_STAGE)
		name = bin_str(r->bin, r->bin->stage[f->index].name);
	else if (f->kind != REF_REPLY)
		return; /* a loop's item: its list is noted where the loop opens */
	for (uint32_t i = 0; i < r->out->unbound.n; i++)
		if (str_eq(r->out->unbound.v[i], name))
			return;
	vec_push(r->arena, &r->out->unbound, name);
}

Truth walk_cond(Renderer *r, BinRange cond)
{
	Truth t = cond_eval(&r->env, cond);
	for (uint32_t i = 0; t == TRUTH_UNKNOWN && i < cond.n; i++) {
		const BinCond *c = &r->bin->cond[cond.first + i];
		bool reads = c->op == COND_REF || c->op == COND_HAS || c->op == COND_COUNT || c->op == COND_REPEATS;
		if (reads && ref_value(&r->env, c->ref).state == VALUE_UNBOUND)
			walk_note_unbound(r, c->ref);
	}
	return t;
}

/* ---- messages -------------------------------------------------------------------------------- */

void message_open(Renderer *r, RenderMessage *m, Role role, Str name)
{
	*m = (RenderMessage){ .role = role, .name = name };
	r->message = m;
	r->trimmed_at = BIN_NONE;
}

void message_close(Renderer *r, uint32_t seg)
{
	RenderMessage *m = r->message;
	r->message = NULL;
	if (message_is_empty(m, 0) && !m->exact) {
		walk_remark(r, RENDER_EMPTY_MESSAGE, seg, "the %s message rendered to nothing and was left out", role_name(m->role));
		return;
	}
	vec_push(r->arena, &r->request->message, *m);
}

/* The unanswered call that a result belongs to: by id if it has one, else by name, else the oldest. */
static PendingCall *pending_find(Renderer *r, Str id, Str name)
{
	PendingCall *oldest = NULL, *by_name = NULL;
	for (uint32_t i = r->pending.n; i-- > 0;) {
		PendingCall *p = &r->pending.v[i];
		if (p->answered)
			continue;
		if (id.n && str_eq(p->id, id))
			return p;
		oldest = p;
		by_name = str_eq(p->name, name) ? p : by_name;
	}
	return id.n ? NULL : by_name ? by_name : oldest;
}

static void answer_call(Renderer *r, RenderMessage *m, Str id)
{
	PendingCall *call = pending_find(r, id, m->name);
	m->call_id = call ? call->id : id;
	if (!call)
		return;
	call->answered = true;
	m->name = call->name;
}

static void walk_message(Renderer *r, uint32_t at)
{
	const BinSeg *s = &r->bin->seg[at];
	RenderMessage m;
	message_open(r, &m, (Role)s->role, (Str){ 0 });
	m.exact = (s->flags & SEG_EXACT) != 0;
	walk_parts(r, at + 1, s->partner, s);
	if (m.role == ROLE_TOOL)
		answer_call(r, &m, (Str){ 0 });
	message_close(r, at);
}

static void walk_result(Renderer *r, uint32_t at)
{
	const BinSeg *s = &r->bin->seg[at];
	RenderMessage m;
	message_open(r, &m, ROLE_TOOL, bin_str(r->bin, s->name));
	m.exact = true;
	answer_call(r, &m, bin_str(r->bin, s->text));
	walk_parts(r, at + 1, s->partner, s);
	message_close(r, at);
}

/* A call outside a message belongs to the assistant message right before it, or makes one. */
static void walk_lone_call(Renderer *r, uint32_t at, uint32_t n_before)
{
	RenderMessage m;
	uint32_t n = r->request->message.n;
	RenderMessage *last = n > n_before ? &r->request->message.v[n - 1] : NULL;
	if (last && last->role == ROLE_ASSISTANT) {
		walk_call(r, at, last);
		return;
	}
	message_open(r, &m, ROLE_ASSISTANT, (Str){ 0 });
	walk_call(r, at, &m);
	r->message = &m;
	message_close(r, at);
}

void walk_messages(Renderer *r, uint32_t lo, uint32_t hi)
{
	const BinSeg *seg = r->bin->seg;
	uint32_t n_before = r->request->message.n;
	if (++r->depth > WALK_DEPTH_MAX)
		walk_fail(r, lo, "nesting too deep");
	for (uint32_t i = lo; i < hi && !r->out->error.n;) {
		const BinSeg *s = &seg[i];
		bool nests = s->partner != BIN_NONE && s->partner > i;
		if (walk_cond(r, s->cond) != TRUTH_FALSE) {
			switch (s->kind) {
			case SEG_MESSAGE: walk_message(r, i); break;
			case SEG_HISTORY: walk_history(r, i); break;
			case SEG_EXAMPLE: case SEG_BLOCK: walk_messages(r, i + 1, s->partner); break;
			case SEG_CALL: walk_lone_call(r, i, n_before); break;
			case SEG_RESULT: walk_result(r, i); break;
			default: break; /* stages are rendered by their own request */
			}
		}
		i = nests ? s->partner + 1 : i + 1;
	}
	r->depth--;
}

/* ---- requests -------------------------------------------------------------------------------- */

static void add_user_text(Renderer *r, Str text)
{
	RenderMessage m;
	message_open(r, &m, ROLE_USER, (Str){ 0 });
	m.exact = true;
	vec_push(r->arena, &m.part, (RenderPart){ .n = 1, .stability = STAB_TURN });
	vec_push(r->arena, &m.run, (RenderRun){ RUN_VALUE, STAB_TURN, BIN_NONE, 0, 0, text });
	message_close(r, BIN_NONE);
}

static void request_open(Renderer *r, Str stage, BinReply reply)
{
	r->request = vec_add(r->arena, &r->out->request);
	r->request->prompt = r->prompt;
	r->request->stage = stage;
	r->request->reply = reply;
	r->pending.n = 0;
	r->n_call = 0;
	walk_messages(r, r->prompt->seg.first, r->prompt->seg.first + r->prompt->seg.n);
	if (r->options->has_user)
		add_user_text(r, r->options->user);
	r->request->n_shared = r->request->message.n;
}

static void walk_stage(Renderer *r, const BinStage *stage)
{
	const BinSeg *s = &r->bin->seg[stage->seg];
	RenderMessage m;
	request_open(r, bin_str(r->bin, stage->name), stage->reply);
	message_open(r, &m, ROLE_USER, (Str){ 0 });
	walk_parts(r, stage->seg + 1, s->partner, s);
	message_close(r, stage->seg);
}

static const BinPrompt *find_prompt(const Bin *bin, Str name)
{
	for (uint32_t i = 0; i < bin->n_prompt; i++)
		if (str_eq(bin_str(bin, bin->prompt[i].name), name))
			return &bin->prompt[i];
	return NULL;
}

/* A chain of prompts: each is one request of its own. False when the chain names no prompt. */
static bool walk_chain(Renderer *r, const BinPrompt *prompt)
{
	bool any = false;
	for (uint32_t i = 0; i < prompt->chain.n; i++) {
		Str name = bin_name(r->bin, prompt->chain.first + i);
		r->prompt = find_prompt(r->bin, name);
		if (r->prompt)
			request_open(r, name, r->prompt->reply);
		any |= r->prompt != NULL;
	}
	r->prompt = prompt;
	return any;
}

static bool may_be_cut(const Renderer *r, Str name)
{
	const BinRange cut = r->prompt->cut;
	for (uint32_t i = cut.first; i < cut.first + cut.n; i++)
		if (!r->bin->cut[i].name.len || str_eq(bin_str(r->bin, r->bin->cut[i].name), name))
			return true;
	return false;
}

static void check_max(Renderer *r, const Values *values)
{
	for (uint32_t i = 0; i < r->prompt->input.n; i++) {
		uint32_t at = r->prompt->input.first + i;
		const BinInput *in = &r->bin->input[at];
		const Value *v = &values->input[at];
		if (!in->max_tok || v->state != VALUE_BOUND)
			continue;
		Buf b = { 0 };
		if (v->json && v->json->kind != JSON_STRING)
			json_write(&b, v->json, JSON_AS_IS);
		else
			buf_put(&b, v->text);
		uint64_t n = b.n;
		/* A token is one byte at least, so that few bytes are few tokens with any vocabulary. */
		bool counted = n <= in->max_tok || counter_count(&r->options->tokens, buf_str(&b), &n);
		buf_free(&b);
		Str name = bin_str(r->bin, in->name);
		if (!counted)
			walk_remark(r, RENDER_NO_VOCABULARY, BIN_NONE, "`%.*s` max %u tok is not checked: no vocabulary at hand (%zu bytes)",
			            STR_ARG(name), in->max_tok, (size_t)n);
		else if (n > in->max_tok && may_be_cut(r, name))
			walk_remark(r, RENDER_UNCUT, BIN_NONE, "`%.*s` has %zu tokens, its max is %u: it may be cut, but is sent whole", STR_ARG(name),
			            (size_t)n, in->max_tok);
		else if (n > in->max_tok)
			walk_fail(r, BIN_NONE, str_z(r->arena, str_fmt(r->arena, "value of `%.*s` has %zu tokens, its max is %u",
			                                               STR_ARG(name), (size_t)n, in->max_tok)));
	}
}

bool render_prompt(const Bin *bin, const BinPrompt *prompt, const Values *values,
                   const RenderOptions *options, Arena *arena, Rendering *out)
{
	Renderer r = { .bin = bin, .prompt = prompt, .options = options, .arena = arena, .out = out };
	r.env = (CondEnv){ .bin = bin, .values = values, .arena = arena, .family = options->family };
	*out = (Rendering){ .error_seg = BIN_NONE };
	check_max(&r, values);
	for (uint32_t i = 0; i < prompt->stage.n && !out->error.n; i++)
		walk_stage(&r, &bin->stage[prompt->stage.first + i]);
	if (!prompt->stage.n && !out->error.n && !walk_chain(&r, prompt))
		request_open(&r, (Str){ 0 }, prompt->reply);
	return !out->error.n;
}
