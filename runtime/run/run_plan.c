/* See run_plan.h. */
#include "runtime/run/run_plan.h"

enum { REPLY_TOK = 128 };  /* where the prompt does not say */

/* Where text that may change begins: a template's own text never does. */
static bool is_fixed(const WireStretch *s)
{
	return s->kind == STRETCH_SPECIAL || s->kind == STRETCH_TEMPLATE || s->stability == STAB_STATIC;
}

static uint32_t n_fixed(const WireFrame *f)
{
	uint32_t n = 0;
	while (n < f->stretch.n && is_fixed(&f->stretch.v[n]))
		n++;
	return n;
}

static bool ref_varies(const Bin *b, uint32_t ref)
{
	return ref != BIN_NONE && b->ref[ref].kind != REF_TARGET;
}

static bool seg_varies(const Bin *b, const BinSeg *s)
{
	bool varies = ref_varies(b, s->ref);
	for (uint32_t i = 0; i < s->cond.n; i++)
		varies |= ref_varies(b, b->cond[s->cond.first + i].ref);
	return varies;
}

/* Behind the first segment that a value decides nothing is known to be static, whatever it was declared: here no value
 * is bound, and what stands there, or does not, is another thing where one is. */
static void mark_unknown(const RunPrompt *p, Request *q)
{
	const BinRange seg = p->prompt->seg;
	uint32_t first = seg.first;
	while (first < seg.first + seg.n && !seg_varies(p->bin, &p->bin->seg[first]))
		first++;
	bool is_unknown = false;
	for (uint32_t i = 0; i < q->message.n; i++)
		for (uint32_t k = 0; k < q->message.v[i].run.n; k++) {
			RenderRun *run = &q->message.v[i].run.v[k];
			is_unknown |= run->seg != BIN_NONE && run->seg >= first;
			run->stability = is_unknown ? STAB_TURN : run->stability;
		}
}

/* What is not known before a run is marked. */
static bool render_all(RunPrompt *p, Rendering *g, WireReport *report)
{
	if (!run_render(p, g, report))
		return false;
	for (uint32_t i = 0; i < g->request.n; i++)
		mark_unknown(p, &g->request.v[i]);
	return true;
}

/* A request as its target reads it. */
static bool frame_of(const RunPrompt *p, const Rendering *g, const Request *q, WireFrame *f, WireReport *report)
{
	WireInput in = { .bin = p->bin, .prompt = p->prompt, .rendering = g, .target = p->target, .unbound = UNBOUND_SHOW };
	return wire_frame(&in, q, report, f);
}

/* What follows may change the tokens behind the last cut of the text in front of it. */
static void cut_fixed(const Encoder *e, WireFrame *f)
{
	uint32_t n_all = f->stretch.n;
	for (f->stretch.n = n_fixed(f); f->stretch.n && f->stretch.n < n_all; f->stretch.n--) {
		WireStretch *last = &f->stretch.v[f->stretch.n - 1];
		if (last->kind == STRETCH_SPECIAL || f->stretch.v[f->stretch.n].is_apart)
			return;
		last->text.n = token_cut_last(e, last->text, 0);
		if (last->text.n)
			return;
	}
}

bool run_static_ids(Encoder *encoder, RunPrompt *p, FrameIds *out, WireReport *report)
{
	Rendering g;
	WireFrame f;
	Str why;
	if (!render_all(p, &g, report) || !frame_of(p, &g, &g.request.v[0], &f, report))
		return false;
	cut_fixed(encoder, &f);
	FrameCoder coder = frame_coder(report->arena, encoder, NULL);
	return frame_ids(&coder, &f, p->target->chat, out, &why) || wire_refuse(report, why);
}

/* ---- plans ------------------------------------------------------------------------------------ */

typedef struct Planning {
	RunPrompt *p;
	Encoder *encoder;
	const PlanModel *model;
	const PlanProfile *profile;
	WireReport *report;
	Rendering g;
	uint32_t *n_reply;     /* by request: tokens that its reply may take */
	FrameIds before;       /* of the request before */
} Planning;

static bool ids_of(Planning *k, const WireFrame *f, FrameIds *ids)
{
	FrameCoder coder = frame_coder(k->report->arena, k->encoder, NULL);
	Str why;
	return frame_ids(&coder, f, k->p->target->chat, ids, &why) || wire_refuse(k->report, why);
}

/* The request whose reply has this name, or how many there are. */
static uint32_t stage_named(const Planning *k, Str name)
{
	uint32_t i = 0;
	while (i < k->g.request.n && !str_eq(k->g.request.v[i].stage, name))
		i++;
	return i;
}

/* Tokens of what a run will put into a hole: of an earlier stage its reply, else nothing. */
static uint32_t tokens_of_hole(const Planning *k, const RenderRun *hole)
{
	const Bin *b = k->p->bin;
	uint32_t ref = hole->seg == BIN_NONE ? BIN_NONE : b->seg[hole->seg].ref;
	if (ref == BIN_NONE || b->ref[ref].kind != REF_STAGE)
		return 0;
	uint32_t stage = stage_named(k, bin_str(b, b->stage[b->ref[ref].index].name));
	return stage < k->g.request.n ? k->n_reply[stage] : 0;
}

/* What is printed for want of a value is never sent: the tokens of what will be, instead. */
static uint32_t empty_holes(const Planning *k, Request *q)
{
	uint32_t n_tok = 0;
	for (uint32_t i = 0; i < q->message.n; i++)
		for (uint32_t r = 0; r < q->message.v[i].run.n; r++) {
			RenderRun *run = &q->message.v[i].run.v[r];
			if (run->kind != RUN_UNBOUND)
				continue;
			n_tok += tokens_of_hole(k, run);
			run->text = STR("");
		}
	return n_tok;
}

/* Whole blocks that the request before has put into the cache; the last token is always computed. */
static uint32_t n_in_cache(const Planning *k, const FrameIds *ids)
{
	uint32_t n = 0;
	while (n < k->before.n && n + 1 < ids->n && k->before.v[n] == ids->v[n])
		n++;
	return n - n % KV_BLOCK;
}

static bool plan_request(Planning *k, uint32_t at, Plan *out)
{
	Request *q = &k->g.request.v[at];
	uint32_t n_earlier = empty_holes(k, q);
	WireFrame f;
	FrameIds front = { 0 }, all = { 0 };
	if (!frame_of(k->p, &k->g, q, &f, k->report) || !ids_of(k, &f, &all))
		return false;
	f.stretch.n = n_fixed(&f);
	if (!ids_of(k, &f, &front))
		return false;
	uint32_t n_front = front.n < all.n ? front.n : all.n;
	PlanSegment segment[] = { { n_front, STAB_STATIC }, { all.n - n_front + n_earlier, STAB_TURN } };
	PlanRequest request = { segment, 2, n_in_cache(k, &all), k->n_reply[at] };
	plan_make(k->report->arena, k->model, &request, k->profile, out);
	out->stage = q->stage;
	out->n_earlier = n_earlier;
	k->before = all;
	return true;
}

static uint32_t reply_most(const Planning *k, const BinReply *reply)
{
	uint32_t flag = k->p->rules.max_tok;
	return flag ? flag : reply->max_tok ? reply->max_tok : REPLY_TOK;
}

/* A plan goes on without values, and says what it took for them. */
static void note_unbound(const Planning *k)
{
	const Rendering *g = &k->g;
	Buf names = { 0 };
	uint32_t n = 0;
	for (uint32_t i = 0; i < g->unbound.n; i++)
		if (stage_named(k, g->unbound.v[i]) == g->request.n)
			buf_printf(&names, "%s`%.*s`", n++ ? ", " : "", STR_ARG(g->unbound.v[i]));
	if (n)
		wire_note(k->report, WIRE_WARNING, NULL, "%.*s %s no value: the plan counts %s as empty", STR_ARG(buf_str(&names)), n == 1 ? "has" : "have",
		          n == 1 ? "it" : "them");
	buf_free(&names);
}

bool run_plan(const Model *m, Encoder *encoder, RunPrompt *p, KvFormat kv, const PlanProfile *profile, Plan *out, WireReport *report)
{
	PlanModel model = plan_model(m, kv);
	Planning k = { .p = p, .encoder = encoder, .model = &model, .profile = profile, .report = report };
	p->render.tokens.encoder = encoder;
	if (!render_all(p, &k.g, report))
		return false;
	uint32_t n = k.g.request.n, n_plan = 0;
	Plan *plan = arena_array(report->arena, Plan, n);
	k.n_reply = arena_array(report->arena, uint32_t, n);
	for (uint32_t i = 0; i < n; i++) {
		k.n_reply[i] = reply_most(&k, &k.g.request.v[i].reply);
		if (run_given_stage(p, i))
			continue;
		if (!plan_request(&k, i, &plan[n_plan]))
			return false;
		if (n_plan++)
			plan[n_plan - 2].next = &plan[n_plan - 1];
	}
	if (!n_plan)
		return wire_refuse(report, STR("there is nothing to plan: every stage is given"));
	note_unbound(&k);
	*out = plan[0];
	return true;
}
