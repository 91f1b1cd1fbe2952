/*
 * What fields of a file mean together: records of a prompt are its own, segments nest and stand
 * where they may, partners point at each other, references name what is in scope, conditions leave
 * one value.
 *
 * One idea: one walk over each prompt's segments with a fixed stack of open ones.
 */
#include "runtime/bin/bin_check.h"

const SegInfo seg_info[SEG_KIND_COUNT] = {
#define SEG(kind, printed, shape, end, where, holds) [kind] = { printed, shape, end, where, holds },
#include "runtime/bin/segs.def"
#undef SEG
};

/* What is open, outermost first. arm is the last arm of an IF, else the begin itself. */
typedef struct Walk {
	const Bin *b;
	const BinPrompt *p;
	BinScope scope;
	uint32_t n_open;
	uint32_t begin[BIN_DEPTH_MAX], arm[BIN_DEPTH_MAX];
} Walk;

BinStatus bin_check_ref(const Bin *b, uint32_t ref, const BinScope *scope, BinError *err)
{
	const BinRef *r = &b->ref[ref];
	bool ok = false;
	switch (r->kind) {
	case REF_INPUT:
		ok = bin_in(scope->input, r->index);
		break;
	case REF_STAGE:
		ok = bin_in(scope->stage, r->index);
		break;
	case REF_LOOP:
	case REF_LOOP_INDEX:
		if (scope->seg != BIN_NONE && r->index < scope->seg && r->index < b->n_seg) {
			const BinSeg *loop = &b->seg[r->index];
			bool is_loop = loop->kind == SEG_FOR || (loop->kind == SEG_CONTEXT && r->kind == REF_LOOP);
			ok = is_loop && loop->partner != BIN_NONE && scope->seg < loop->partner;
		}
		break;
	case REF_TARGET:
		ok = r->index == BIN_NONE;
		break;
	}
	return ok ? BIN_OK : bin_fault(b, r, "a reference names nothing in its scope", err);
}

/* How many values an operation takes off the stack; every operation then leaves one. */
static uint32_t cond_pops(const BinCond *c)
{
	switch (c->op) {
	case COND_CMP: case COND_AND: case COND_OR:
		return 2;
	case COND_MATCH: case COND_NOT:
		return 1;
	case COND_IN:
		return c->n_arg + 1u;
	default:
		return 0;
	}
}

static bool cond_has_ref(const BinCond *c)
{
	return c->op == COND_REF || c->op == COND_HAS || c->op == COND_COUNT || c->op == COND_REPEATS;
}

BinStatus bin_check_cond(const Bin *b, BinRange program, const BinScope *scope, BinError *err)
{
	uint32_t depth = 0;
	for (uint32_t i = 0; i < program.n; i++) {
		const BinCond *c = &b->cond[program.first + i];
		if (c->op == COND_TOKENS || c->op == COND_MESSAGES)
			return bin_fault(b, c, "a condition asks for what only tests know", err);
		if (c->op != COND_IN && c->n_arg)
			return bin_fault(b, c, "only `in` takes a count", err);
		if (cond_has_ref(c) != (c->ref != BIN_NONE))
			return bin_fault(b, c, "a condition lacks its reference, or has one too many", err);
		BinStatus status = c->ref == BIN_NONE ? BIN_OK : bin_check_ref(b, c->ref, scope, err);
		if (status)
			return status;
		if (cond_pops(c) > depth)
			return bin_fault(b, c, "a condition takes a value that is not there", err);
		depth += 1 - cond_pops(c);
		if (depth > BIN_STACK_MAX)
			return bin_fault(b, c, "a condition is too deep", err);
	}
	if (program.n && depth != 1)
		return bin_fault(b, &b->cond[program.first], "a condition does not leave one value", err);
	return BIN_OK;
}

static const char *open_seg(Walk *w, uint32_t i)
{
	const BinSeg *s = &w->b->seg[i];
	if (w->n_open == BIN_DEPTH_MAX)
		return "segments nest too deeply";
	if (s->partner == BIN_NONE || s->partner <= i)
		return "a segment's partner does not follow it";
	w->begin[w->n_open] = w->arm[w->n_open] = i;
	w->n_open++;
	return NULL;
}

static const char *close_seg(Walk *w, uint32_t i, SegShape shape)
{
	const BinSeg *seg = w->b->seg;
	if (!w->n_open)
		return "a segment closes nothing";
	uint32_t begin = w->begin[w->n_open - 1], arm = w->arm[w->n_open - 1];
	if (seg_info[seg[begin].kind].end != (SegKind)seg_info[seg[i].kind].end)
		return "begin and end do not match";
	if (seg[arm].partner != i)
		return "a partner is not the next arm or the end";
	if (shape == SEG_ARM) {
		if (seg[arm].kind == SEG_ELSE)
			return "an arm follows ELSE";
		if (seg[i].partner == BIN_NONE || seg[i].partner <= i)
			return "a segment's partner does not follow it";
		w->arm[w->n_open - 1] = i;
		return NULL;
	}
	w->n_open--;
	return seg[i].partner == begin ? NULL : "an end's partner is not its begin";
}

static const char *check_place(const Walk *w, uint32_t i)
{
	const BinSeg *seg = w->b->seg;
	uint32_t holds = w->n_open ? seg_info[seg[w->begin[w->n_open - 1]].kind].holds : (uint32_t)IN_TOP;
	return seg_info[seg[i].kind].where & holds ? NULL : "a segment stands where it may not";
}

static const char *check_nesting(Walk *w, uint32_t i)
{
	SegShape shape = seg_info[w->b->seg[i].kind].shape;
	if (shape == SEG_ARM || shape == SEG_END)
		return close_seg(w, i, shape);
	const char *message = check_place(w, i);
	if (message)
		return message;
	if (shape == SEG_BEGIN)
		return open_seg(w, i);
	return w->b->seg[i].partner == BIN_NONE ? NULL : "a segment has a partner that it cannot have";
}

static bool needs_ref(uint32_t kind)
{
	return kind == SEG_HOLE || kind == SEG_FOR || kind == SEG_CONTEXT || kind == SEG_HISTORY || kind == SEG_IMAGE;
}

/* A condition stands on every IF and ELIF, on no ELSE, and may stand on what a declaration made. */
static const char *check_has_cond(const BinSeg *s)
{
	SegShape shape = seg_info[s->kind].shape;
	if (s->kind == SEG_IF || s->kind == SEG_ELIF)
		return s->cond.n ? NULL : "IF without a condition";
	bool may = shape == SEG_BEGIN || s->kind == SEG_HISTORY;
	return may || !s->cond.n ? NULL : "a condition stands where it may not";
}

static const char *check_aux(const Walk *w, uint32_t i)
{
	const BinSeg *s = &w->b->seg[i];
	switch (s->kind) {
	case SEG_SCHEMA:
		return s->aux == BIN_NONE || bin_in(w->p->schema, s->aux) ? NULL : "a schema of another prompt";
	case SEG_CALL: case SEG_RESULT:
		return s->aux == BIN_NONE || bin_in(w->p->tool, s->aux) ? NULL : "a tool of another prompt";
	case SEG_STAGE:
		return bin_in(w->p->stage, s->aux) && w->b->stage[s->aux].seg == i ? NULL : "a stage's segment is not its own";
	case SEG_CONTEXT: case SEG_EXAMPLE:
		return NULL;
	default:
		return s->aux == BIN_NONE ? NULL : "an aux where the kind has none";
	}
}

static const char *check_seg(Walk *w, uint32_t i)
{
	const BinSeg *s = &w->b->seg[i];
	const char *message = check_nesting(w, i);
	if (!message)
		message = check_has_cond(s);
	if (!message)
		message = check_aux(w, i);
	if (!message && needs_ref(s->kind) != (s->ref != BIN_NONE))
		message = "a segment lacks its reference, or has one too many";
	if (!message && s->filter.n && s->kind != SEG_HOLE)
		message = "filters where there is no hole";
	if (!message && s->node != BIN_NONE && !bin_in(w->p->node, s->node))
		message = "a node of another prompt";
	return message;
}

static BinStatus check_segs(Walk *w, BinError *err)
{
	const Bin *b = w->b;
	BinRange r = w->p->seg;
	for (uint32_t i = r.first; i - r.first < r.n; i++) {
		const char *message = check_seg(w, i);
		if (message)
			return bin_fault(b, &b->seg[i], message, err);
		w->scope.seg = i;
		BinStatus status = b->seg[i].ref == BIN_NONE ? BIN_OK : bin_check_ref(b, b->seg[i].ref, &w->scope, err);
		if (!status)
			status = bin_check_cond(b, b->seg[i].cond, &w->scope, err);
		if (status)
			return status;
	}
	if (w->n_open)
		return bin_fault(b, &b->seg[w->begin[w->n_open - 1]], "a segment is never closed", err);
	return BIN_OK;
}

/* A node's range is one whole segment that names it, so ranges of different nodes only nest. */
static BinStatus check_nodes(const Bin *b, const BinPrompt *p, BinError *err)
{
	for (uint32_t i = p->node.first; i - p->node.first < p->node.n; i++) {
		BinRange r = b->node[i].seg;
		if (!r.n)
			continue;
		if (!bin_in(p->seg, r.first) || b->seg[r.first].node != i)
			return bin_fault(b, &b->node[i], "a node's segment is not its own", err);
		const BinSeg *s = &b->seg[r.first];
		uint32_t n = seg_info[s->kind].shape == SEG_LEAF ? 1 : s->partner - r.first + 1;
		if (seg_info[s->kind].shape > SEG_BEGIN || s->kind == SEG_IF || r.n != n)
			return bin_fault(b, &b->node[i], "a node's range is not one whole segment", err);
	}
	return BIN_OK;
}

/* Prompts' segments follow each other without gap. Other tables: no shared records (bin_fields.def). */
static BinStatus check_prompt(const Bin *b, const BinPrompt *p, uint32_t *next_seg, BinError *err)
{
	if (p->seg.first != *next_seg)
		return bin_fault(b, &p->seg, "segments that belong to no prompt, or to two", err);
	*next_seg += p->seg.n;
	for (uint32_t i = p->stage.first; i - p->stage.first < p->stage.n; i++) {
		uint32_t seg = b->stage[i].seg;
		if (!bin_in(p->seg, seg) || b->seg[seg].kind != SEG_STAGE || b->seg[seg].aux != i)
			return bin_fault(b, &b->stage[i], "a stage's segment is not its own", err);
	}
	Walk w = { .b = b, .p = p, .scope = { p->input, p->stage, BIN_NONE } };
	BinStatus status = check_segs(&w, err);
	return status ? status : check_nodes(b, p, err);
}

static BinStatus check_debug(const Bin *b, BinError *err)
{
	for (uint32_t i = 0; i < b->n_debug_run; i++) {
		const BinDebugRun *r = &b->debug_run[i], *last = i ? r - 1 : NULL;
		if (r->seg == BIN_NONE || r->file == BIN_NONE || (uint64_t)r->text_off + r->len > b->seg[r->seg].text.len)
			return bin_fault(b, r, "a debug run leaves its text", err);
		if (last && (last->seg > r->seg || (last->seg == r->seg && (uint64_t)last->text_off + last->len > r->text_off)))
			return bin_fault(b, r, "debug runs are not in order", err);
	}
	return BIN_OK;
}

BinStatus bin_check_prompts(const Bin *b, BinError *err)
{
	uint32_t next_seg = 0;
	for (uint32_t i = 0; i < b->n_prompt; i++) {
		BinStatus status = check_prompt(b, &b->prompt[i], &next_seg, err);
		if (status)
			return status;
	}
	if (next_seg != b->n_seg)
		return bin_fault(b, &b->seg[next_seg], "segments that belong to no prompt, or to two", err);
	return check_debug(b, err);
}

/* First match wins; the last rule, and only it, has no condition, so a rule is always found. */
BinStatus bin_check_routes(const Bin *b, BinError *err)
{
	for (uint32_t i = 0; i < b->n_route; i++) {
		const BinRoute *r = &b->route[i];
		BinScope scope = { r->input, { 0, 0 }, BIN_NONE };
		for (uint32_t k = 0; k < r->rule.n; k++) {
			const BinRouteRule *rule = &b->route_rule[r->rule.first + k];
			if (rule->index == BIN_NONE)
				return bin_fault(b, rule, "a route leads to no prompt", err);
			if ((k + 1 == r->rule.n) != !rule->cond.n)
				return bin_fault(b, rule, "a route has no else, or one too many", err);
			BinStatus status = bin_check_cond(b, rule->cond, &scope, err);
			if (status)
				return status;
		}
		if (!r->rule.n)
			return bin_fault(b, r, "a route has no else, or one too many", err);
	}
	return BIN_OK;
}

static BinStatus check_texts(const Bin *b, BinRange r, BinError *err)
{
	uint64_t end = 0;  /* of the text before */
	for (uint32_t i = 0; i < r.n; i++) {
		const BinTokenText *t = &b->token_text[r.first + i];
		if (!t->text.len || t->text.off < end)
			return bin_fault(b, t, "texts of a tokenizer are empty, overlap or are not in order", err);
		end = (uint64_t)t->text.off + t->text.len;
	}
	return BIN_OK;
}

BinStatus bin_check_tokens(const Bin *b, BinError *err)
{
	BinStatus status = BIN_OK;
	for (uint32_t i = 0; !status && i < b->n_tokenizer; i++) {
		const BinTokenizer *t = &b->tokenizer[i];
		if (i && memcmp(t[-1].fingerprint, t->fingerprint, sizeof t->fingerprint) >= 0)
			return bin_fault(b, t, "tokenizers are not in the order of their fingerprints", err);
		status = check_texts(b, t->text, err);
	}
	return status;
}
