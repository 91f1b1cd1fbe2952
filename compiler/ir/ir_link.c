/*
 * Links the IR after it was built or changed (partners, loops, node ranges), and checks it.
 *
 * One idea: what the builder and the passes say in pointers is turned into indices by one walk with
 * a stack of what is open; the verifier asks for the same rules that the binary's reader asks for.
 */
#include "compiler/ir/ir.h"

typedef struct Linker {
	IrPrompt *p;
	uint32_t n_open;
	uint32_t begin[BIN_DEPTH_MAX], arm[BIN_DEPTH_MAX];
} Linker;

static bool link_end(Linker *l, uint32_t i, SegShape shape)
{
	IrSeg *seg = l->p->seg.v;
	if (!l->n_open)
		return false;
	uint32_t begin = l->begin[l->n_open - 1];
	if (seg_info[seg[begin].kind].end != seg_info[seg[i].kind].end)
		return false;
	seg[l->arm[l->n_open - 1]].partner = i;
	if (shape == SEG_ARM) {
		l->arm[l->n_open - 1] = i;
		return true;
	}
	seg[i].partner = begin;
	l->n_open--;
	return true;
}

static bool link_seg(Linker *l, uint32_t i)
{
	IrSeg *s = &l->p->seg.v[i];
	SegShape shape = seg_info[s->kind].shape;
	if (shape == SEG_END || shape == SEG_ARM)
		return link_end(l, i, shape);
	s->partner = BIN_NONE;
	if (shape != SEG_BEGIN)
		return true;
	if (l->n_open == BIN_DEPTH_MAX)
		return false;
	l->begin[l->n_open] = l->arm[l->n_open] = i;
	l->n_open++;
	return true;
}

/* The innermost open loop that came from the reference's node; i itself is not inside itself. */
static void link_ref(const Linker *l, IrRef *r, uint32_t i)
{
	if (!r || (r->kind != REF_LOOP && r->kind != REF_LOOP_INDEX))
		return;
	r->index = BIN_NONE;
	for (uint32_t k = l->n_open; k > 0 && r->index == BIN_NONE; k--)
		if (l->begin[k - 1] != i && l->p->seg.v[l->begin[k - 1]].decl == r->loop)
			r->index = l->begin[k - 1];
}

static void link_refs(const Linker *l, uint32_t i)
{
	IrSeg *s = &l->p->seg.v[i];
	link_ref(l, s->ref, i);
	for (uint32_t k = 0; k < s->cond.n; k++)
		link_ref(l, s->cond.op[k].ref, i);
}

static void link_nodes(IrPrompt *p)
{
	for (uint32_t i = 0; i < p->node.n; i++) {
		p->node.v[i].seg = BIN_NONE;
		p->node.v[i].n_seg = 0;
	}
	for (uint32_t i = 0; i < p->seg.n; i++) {
		const IrSeg *s = &p->seg.v[i];
		if (s->node == BIN_NONE || p->node.v[s->node].n_seg)
			continue;
		p->node.v[s->node].seg = i;
		p->node.v[s->node].n_seg = s->partner == BIN_NONE ? 1 : s->partner - i + 1;
	}
}

bool ir_link(IrPrompt *p, Arena *scratch)
{
	Linker *l = arena_new(scratch, Linker);
	l->p = p;
	for (uint32_t i = 0; i < p->seg.n; i++) {
		if (!link_seg(l, i))
			return false;
		link_refs(l, i);
	}
	link_nodes(p);
	return !l->n_open;
}

/* ---- verify ---- */

static const char *verify_text(const IrSeg *s)
{
	size_t end = 0;
	for (uint32_t i = 0; i < s->text.n_run; i++) {
		TextRun r = s->text.run[i];
		if (r.text_off < end || (size_t)r.text_off + r.len > s->text.s.n)
			return "a run leaves its text";
		end = (size_t)r.text_off + r.len;
	}
	return memchr(s->text.s.n ? s->text.s.p : "", 0, s->text.s.n) ? "a text holds a NUL" : NULL;
}

static bool is_ref_linked(const IrRef *r, uint32_t i)
{
	bool is_loop = r && (r->kind == REF_LOOP || r->kind == REF_LOOP_INDEX);
	return !is_loop || r->index < i;
}

static const char *verify_seg(const IrPrompt *p, uint32_t i, SegKind parent)
{
	const IrSeg *s = &p->seg.v[i];
	SegShape shape = seg_info[s->kind].shape;
	uint32_t holds = parent == SEG_KIND_COUNT ? (uint32_t)IN_TOP : seg_info[parent].holds;
	if (shape <= SEG_BEGIN && !(seg_info[s->kind].where & holds))
		return "a segment stands where it may not";
	if (s->node != BIN_NONE && s->node >= p->node.n)
		return "a segment's node is not there";
	if ((s->kind == SEG_IF || s->kind == SEG_ELIF) && !s->cond.n)
		return "IF without a condition";
	bool needs_ref = s->kind == SEG_HOLE || s->kind == SEG_FOR || s->kind == SEG_CONTEXT || s->kind == SEG_HISTORY || s->kind == SEG_IMAGE;
	if (needs_ref != (s->ref != NULL))
		return "a segment lacks its reference, or has one too many";
	if (!is_ref_linked(s->ref, i))
		return "a loop's name is used outside of it";
	for (uint32_t k = 0; k < s->cond.n; k++)
		if (!is_ref_linked(s->cond.op[k].ref, i))
			return "a loop's name is used outside of it";
	return verify_text(s);
}

static const char *verify_prompt(IrPrompt *p, Arena *scratch)
{
	SegKind *open = arena_array(scratch, SegKind, BIN_DEPTH_MAX + 1);
	uint32_t n_open = 0;
	if (!ir_link(p, scratch))
		return "begin and end do not nest";
	for (uint32_t i = 0; i < p->seg.n; i++) {
		SegShape shape = seg_info[p->seg.v[i].kind].shape;
		if (shape == SEG_END)
			n_open--;
		const char *fault = verify_seg(p, i, n_open ? open[n_open - 1] : SEG_KIND_COUNT);
		if (fault)
			return fault;
		if (shape == SEG_BEGIN)
			open[n_open++] = p->seg.v[i].kind;
	}
	return NULL;
}

const char *ir_verify(const Ir *ir, Arena *scratch)
{
	for (uint32_t i = 0; i < ir->prompt.n; i++) {
		const char *fault = verify_prompt(ir->prompt.v[i], scratch);
		if (fault)
			return fault;
	}
	return NULL;
}

static uint64_t hash_mix(uint64_t h, Str s)
{
	return (h ^ hash_bytes(s)) * 0x9E3779B97F4A7C15u + s.n;
}

uint64_t ir_protected_hash(const Ir *ir)
{
	uint64_t h = 0;
	for (uint32_t i = 0; i < ir->prompt.n; i++) {
		const IrPrompt *p = ir->prompt.v[i];
		for (uint32_t k = 0; k < p->seg.n; k++)
			if (p->seg.v[k].flags & SEG_PROTECTED && p->seg.v[k].kind == SEG_TEXT)
				h = hash_mix(h, p->seg.v[k].text.s);
	}
	return h;
}
