/* See run_plan.h. */
#include "runtime/run/run_plan.h"

enum { REPLY_TOK = 128 };  /* where the prompt does not say */

/* Ids of the frame's first n stretches. */
static bool count_front(Arena *a, WireFrame f, uint32_t n, const ChatTemplate *chat, Encoder *e, uint32_t *n_tok, Str *why)
{
	FrameIds ids = { 0 };
	FrameCoder coder = frame_coder(a, e, NULL);
	f.stretch.n = n;
	bool ok = frame_ids(&coder, &f, chat, &ids, why);
	*n_tok = ids.n;
	return ok;
}

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

static bool segments_of(Arena *a, const WireFrame *f, const ChatTemplate *chat, Encoder *e, PlanSegment segment[2], Str *why)
{
	uint32_t front, all;
	if (!count_front(a, *f, n_fixed(f), chat, e, &front, why) || !count_front(a, *f, f->stretch.n, chat, e, &all, why))
		return false;
	segment[0] = (PlanSegment){ front < all ? front : all, STAB_STATIC };
	segment[1] = (PlanSegment){ all - segment[0].n_tok, STAB_TURN };
	return true;
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

/* The first request as its target reads it. */
static bool frame_of(RunPrompt *p, WireFrame *f, BinReply *reply, WireReport *report)
{
	Rendering g;
	if (!render_prompt(p->bin, p->prompt, p->values, &p->render, report->arena, &g)) {
		wire_note(report, WIRE_ERROR, NULL, "%.*s", STR_ARG(g.error));
		return false;
	}
	mark_unknown(p, &g.request.v[0]);
	WireInput in = { .bin = p->bin, .prompt = p->prompt, .rendering = &g, .target = p->target, .unbound = UNBOUND_SHOW };
	*reply = g.request.v[0].reply;
	return wire_frame(&in, &g.request.v[0], report, f);
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
	WireFrame f;
	BinReply reply;
	Str why;
	if (!frame_of(p, &f, &reply, report))
		return false;
	cut_fixed(encoder, &f);
	FrameCoder coder = frame_coder(report->arena, encoder, NULL);
	if (frame_ids(&coder, &f, p->target->chat, out, &why))
		return true;
	wire_note(report, WIRE_ERROR, NULL, "%.*s", STR_ARG(why));
	return false;
}

bool run_plan(const Model *m, Encoder *encoder, RunPrompt *p, KvFormat kv, const PlanProfile *profile, Plan *out, WireReport *report)
{
	WireFrame f;
	BinReply reply;
	PlanSegment segment[2];
	Str why;
	if (!frame_of(p, &f, &reply, report))
		return false;
	if (!segments_of(report->arena, &f, p->target->chat, encoder, segment, &why)) {
		wire_note(report, WIRE_ERROR, NULL, "%.*s", STR_ARG(why));
		return false;
	}
	uint32_t n_reply = p->rules.max_tok ? p->rules.max_tok : reply.max_tok ? reply.max_tok : REPLY_TOK;
	PlanModel model = plan_model(m, kv);
	PlanRequest request = { segment, 2, 0, n_reply };
	plan_make(report->arena, &model, &request, profile, out);
	return true;
}
