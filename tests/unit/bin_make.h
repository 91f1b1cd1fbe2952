/*
 * Bins made by hand, for tests of what stands behind the compiler: a segment list is written as calls,
 * begin and end find their partner by nesting.
 */
#ifndef SEED_TESTS_BIN_MAKE_H
#define SEED_TESTS_BIN_MAKE_H

#include "runtime/base/buf.h"
#include "runtime/base/vec.h"
#include "runtime/bin/bin.h"

typedef struct BinMake {
	Arena arena;
	Buf pool;
	VEC(BinSeg) seg;
	VEC(BinInput) input;
	VEC(BinRef) ref;
	VEC(BinFilter) filter;
	VEC(BinCond) cond;
	VEC(BinStage) stage;
	VEC(BinTool) tool;
	VEC(BinSchema) schema;
	VEC(BinSet) set;
	VEC(BinMeta) meta;
	VEC(BinName) name;
	VEC(BinCache) cache;
	VEC(BinPrompt) prompt;
	uint32_t open[64], n_open;
	Bin bin;
} BinMake;

static inline BinStr make_str(BinMake *m, const char *z)
{
	BinStr s = { (uint32_t)m->pool.n, (uint32_t)strlen(z) };
	buf_putz(&m->pool, z);
	return s;
}

static inline uint32_t make_input(BinMake *m, const char *name, InputType type, unsigned flags)
{
	vec_push(&m->arena, &m->input, (BinInput){ .type = (uint8_t)type, .stability = STAB_TURN, .flags = (uint16_t)flags,
	         .name = make_str(m, name), .schema = BIN_NONE });
	return m->input.n - 1;
}

static inline uint32_t make_ref(BinMake *m, RefKind kind, uint32_t index, const char *name, const char *field)
{
	vec_push(&m->arena, &m->ref, (BinRef){ (uint32_t)kind, index, make_str(m, name), make_str(m, field) });
	return m->ref.n - 1;
}

static inline BinSeg *make_seg(BinMake *m, SegKind kind)
{
	BinSeg s = { .kind = (uint8_t)kind, .role = ROLE_USER, .stability = STAB_TURN, .partner = BIN_NONE, .node = BIN_NONE,
	             .ref = BIN_NONE, .aux = BIN_NONE, .weight = -1, .squash = -1 };
	vec_push(&m->arena, &m->seg, s);
	return &m->seg.v[m->seg.n - 1];
}

static inline BinSeg *make_begin(BinMake *m, SegKind kind)
{
	m->open[m->n_open++] = m->seg.n;
	return make_seg(m, kind);
}

/* The end of the innermost open segment; END is its kind + 1, except where given. */
static inline void make_end(BinMake *m, SegKind kind)
{
	uint32_t at = m->open[--m->n_open];
	make_seg(m, kind)->partner = at;
	m->seg.v[at].partner = m->seg.n - 1;
}

static inline BinSeg *make_message(BinMake *m, Role role)
{
	BinSeg *s = make_begin(m, SEG_MESSAGE);
	s->role = (uint8_t)role;
	return s;
}

static inline BinSeg *make_text(BinMake *m, const char *text)
{
	BinStr s = make_str(m, text);
	BinSeg *t = make_seg(m, SEG_TEXT);
	t->text = s;
	t->stability = STAB_STATIC;
	return t;
}

static inline void make_hole(BinMake *m, uint32_t ref, const char *written, int filter, const char *arg)
{
	BinStr s = make_str(m, written), a = make_str(m, arg);
	BinSeg *h = make_seg(m, SEG_HOLE);
	h->ref = ref;
	h->text = s;
	h->filter.first = m->filter.n;
	if (filter >= 0) {
		vec_push(&m->arena, &m->filter, (BinFilter){ (uint32_t)filter, a });
		h->filter.n = 1;
	}
}

static inline BinRange make_cond(BinMake *m, BinCond c)
{
	vec_push(&m->arena, &m->cond, c);
	return (BinRange){ m->cond.n - 1, 1 };
}

static inline BinRange make_cond_cmp(BinMake *m, uint32_t ref, CmpOp cmp, const char *name)
{
	uint32_t first = m->cond.n;
	make_cond(m, (BinCond){ .op = COND_REF, .ref = ref });
	make_cond(m, (BinCond){ .op = COND_NAME, .ref = BIN_NONE, .s = make_str(m, name) });
	make_cond(m, (BinCond){ .op = COND_CMP, .cmp = (uint8_t)cmp, .ref = BIN_NONE });
	return (BinRange){ first, 3 };
}

/* One prompt over everything made so far; may be called once. */
static inline const BinPrompt *make_done(BinMake *m)
{
	BinPrompt p = { .name = make_str(m, "p"), .cache = BIN_NONE };
	p.reply.schema = BIN_NONE;
	p.input.n = m->input.n;
	p.seg.n = m->seg.n;
	p.stage.n = m->stage.n;
	p.tool.n = m->tool.n;
	p.schema.n = m->schema.n;
	p.set.n = m->set.n;
	p.meta.n = m->meta.n;
	if (m->cache.n)
		p.cache = 0;
	vec_push(&m->arena, &m->prompt, p);
	Bin *b = &m->bin;
	b->pool = buf_str(&m->pool);
#define MAKE_TABLE(f) b->f = m->f.v; b->n_##f = m->f.n
	MAKE_TABLE(seg);
	MAKE_TABLE(input);
	MAKE_TABLE(ref);
	MAKE_TABLE(filter);
	MAKE_TABLE(cond);
	MAKE_TABLE(stage);
	MAKE_TABLE(tool);
	MAKE_TABLE(schema);
	MAKE_TABLE(set);
	MAKE_TABLE(meta);
	MAKE_TABLE(name);
	MAKE_TABLE(cache);
	MAKE_TABLE(prompt);
#undef MAKE_TABLE
	return &m->prompt.v[0];
}

static inline void make_free(BinMake *m)
{
	buf_free(&m->pool);
	arena_free(&m->arena);
}

#endif
