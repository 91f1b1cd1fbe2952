/* The two blocks of a layer: attention and feed-forward. Every product is a phase of items: rows by tokens. */
#include <string.h>

#include "runtime/cpu/forward.h"

/* ---- items: some rows of a product, for some groups of tokens ---- */

enum { ITEMS_PER_THREAD = 24 };

typedef struct Grid { uint32_t n_rows, n_cols; } Grid;  /* items: pieces of rows, pieces of tokens */
typedef struct Range { uint32_t lo, hi; } Range;

/* Enough items that threads can share them out, few enough that weights are read once for many tokens. */
static Grid grid_make(const CpuEngine *e, uint32_t n_rows)
{
	uint32_t want = ITEMS_PER_THREAD * cpu_threads_of(e->threads), n = (want + n_rows - 1) / n_rows;
	return (Grid){ n_rows, n < e->step.n_group ? n : e->step.n_group };
}

static uint32_t grid_row(Grid g, uint32_t item) { return item / g.n_cols; }

static Range grid_groups(const CpuEngine *e, Grid g, uint32_t item)
{
	uint32_t i = item % g.n_cols, n = e->step.n_group;
	return (Range){ n * i / g.n_cols, n * (i + 1) / g.n_cols };
}

static Range grid_panels(const CpuEngine *e, Grid g, uint32_t item)
{
	Range r = grid_groups(e, g, item);
	const StepGroup *last = &e->step.group[r.hi - 1];
	return (Range){ e->step.group[r.lo].panel, last->panel + last->n_panel };
}

typedef struct ProductCall {
	CpuPass *p;
	const CpuPanels *in;
	Grid grid;
	const CpuProduct *w;   /* of a branch's last product */
	uint32_t tiles;        /* to an item */
	float *y;              /* results go there, else they are added to the stream */
} ProductCall;

/* Rows of tiles tile .. tile + n_tile - 1 for one panel: [width][n_tile * TILE_ROWS]. */
static float *product_make(const ProductCall *c, unsigned thread, unsigned which, const CpuProduct *w, uint32_t tile, uint32_t n_tile,
                           const StepPanel *panel)
{
	CpuEngine *e = c->p->e;
	float *out = e->seat[thread].product[which];
	uint32_t n = n_tile * TILE_ROWS;
	e->k->matmul->product(&w->w, tile, n_tile, cpu_panel_at(c->in, panel, &w->w), panel->width, out, n, false);
	for (uint32_t t = 0; w->bias && t < panel->n; t++)
		e->k->op->add(w->bias + tile * TILE_ROWS, n, out + t * n);
	return out;
}

/* ---- q, k, v ---- */

static void head_turn(const CpuPass *p, uint32_t token, const float *norm, float *x)
{
	const CpuEngine *e = p->e;
	const ModelShape *s = &e->engine.model->shape;
	if (norm)
		e->k->op->rms_norm(x, norm, s->head_len, s->norm_eps, x);
	if (e->engine.model->arch->rope == MODEL_ROPE_NONE)
		return;
	uint32_t half = s->head_len / 2;
	const float *cosines = e->angle[model_layer_is_local(s, p->layer)] + (size_t)token * s->head_len;
	e->k->op->rotate(cosines, cosines + half, half, x);
}

static void query_head(const ProductCall *c, unsigned thread, uint32_t head, Range panels)
{
	CpuEngine *e = c->p->e;
	uint32_t len = e->kv.head_len, tiles = len / TILE_ROWS;
	for (uint32_t i = panels.lo; i < panels.hi; i++) {
		const StepPanel *panel = &e->step.panel[i];
		float *q = product_make(c, thread, 0, &c->p->w->q, head * tiles, tiles, panel);
		for (uint32_t t = 0; t < panel->n; t++, q += len) {
			uint32_t token = panel->token + t;
			size_t row = (size_t)(head / e->n_group_q) * e->engine.chunk_tok + token;
			head_turn(c->p, token, c->p->w->q_norm, q);
			cpu_check_finite(e, q, len);
			memcpy(e->q + (row * e->n_group_q + head % e->n_group_q) * len, q, len * sizeof *q);
		}
	}
}

/* The part of a span's block that the sequence has from before. */
static void slot_begin(const CpuPass *p, const StepSpan *s, uint32_t head)
{
	const CpuEngine *e = p->e;
	if (s->slot != STEP_NO_SLOT && s->position % KV_BLOCK)
		memcpy(cpu_open_block(e, s, p->layer, head), kv_tail_at(s->sequence, p->layer, head), kv_open_halves(&e->kv) * sizeof(uint16_t));
}

static void key_write(const CpuPass *p, const StepSpan *s, uint32_t token, uint32_t head, float *k, const float *v)
{
	CpuEngine *e = p->e;
	uint32_t at = (s->position + (token - s->token)) % KV_BLOCK;
	head_turn(p, token, p->w->k_norm, k);
	cpu_check_finite(e, k, e->kv.head_len);
	cpu_check_finite(e, v, e->kv.head_len);
	e->k->attend->write(e->kv.format, e->kv.head_len, k, v, at, cpu_open_block(e, s, p->layer, head));
}

static void span_seal(const CpuPass *p, const StepSpan *s, uint32_t head)
{
	const CpuEngine *e = p->e;
	if (s->is_full)
		e->k->attend->seal(kv_block_format(e->kv.format, s->block), e->kv.head_len, cpu_open_block(e, s, p->layer, head),
		                   kv_block_at(s->sequence, s->block, p->layer, head));
}

static void key_head_group(const ProductCall *c, unsigned thread, uint32_t head, const StepGroup *g)
{
	const CpuPass *p = c->p;
	CpuEngine *e = p->e;
	uint32_t len = e->kv.head_len, tiles = len / TILE_ROWS;
	const StepSpan *span = &e->step.span[g->span];
	for (uint32_t i = 0; i < g->n_span; i++)
		slot_begin(p, &span[i], head);
	for (uint32_t i = g->panel, s = 0; i < g->panel + g->n_panel; i++) {
		const StepPanel *panel = &e->step.panel[i];
		float *k = product_make(c, thread, 0, &p->w->k, head * tiles, tiles, panel);
		const float *v = product_make(c, thread, 1, &p->w->v, head * tiles, tiles, panel);
		for (uint32_t t = 0; t < panel->n; t++, k += len, v += len) {
			uint32_t token = panel->token + t;
			s += token == span[s].token + span[s].n;
			key_write(p, &span[s], token, head, k, v);
		}
	}
	for (uint32_t i = 0; i < g->n_span; i++)
		span_seal(p, &span[i], head);
}

static void qkv_item(void *user, unsigned thread, uint32_t item)
{
	const ProductCall *c = user;
	CpuEngine *e = c->p->e;
	uint32_t head = grid_row(c->grid, item), n_kv = e->kv.n_head;
	Range groups = grid_groups(e, c->grid, item);
	if (head >= n_kv)
		query_head(c, thread, head - n_kv, grid_panels(e, c->grid, item));
	else
		for (uint32_t g = groups.lo; g < groups.hi; g++)
			key_head_group(c, thread, head, &e->step.group[g]);
}

/* ---- the last product of a branch ---- */

static void branch_item(void *user, unsigned thread, uint32_t item)
{
	const ProductCall *c = user;
	CpuEngine *e = c->p->e;
	uint32_t n_embd = e->engine.model->shape.n_embd, tile = grid_row(c->grid, item) * c->tiles;
	uint32_t n_tile = c->w->w.n_tile - tile < c->tiles ? c->w->w.n_tile - tile : c->tiles, n = n_tile * TILE_ROWS;
	Range panels = grid_panels(e, c->grid, item);
	float *to = c->y ? c->y : e->x;
	for (uint32_t i = panels.lo; i < panels.hi; i++) {
		const StepPanel *panel = &e->step.panel[i];
		float *at = to + (size_t)panel->token * n_embd + tile * TILE_ROWS;
		if (panel->n == panel->width && !c->w->bias) {
			e->k->matmul->product(&c->w->w, tile, n_tile, cpu_panel_at(c->in, panel, &c->w->w), panel->width, at, n_embd, !c->y);
			continue;
		}
		const float *out = product_make(c, thread, 0, c->w, tile, n_tile, panel);
		for (uint32_t t = 0; t < panel->n; t++, out += n, at += n_embd) {
			if (c->y)
				memcpy(at, out, n * sizeof *out);
			else
				e->k->op->add(out, n, at);
		}
	}
}

void cpu_weights_ask(const CpuEngine *e, unsigned thread, const PackedMatrix *w)
{
	if (e->step.n_token > FEW_TOKENS || !w->data)
		return;
	const uint8_t *at = packed_tile(w, w->n_tile * thread / cpu_threads_of(e->threads));
	for (size_t i = 0; i < ASK_BYTES; i += 64)
		__builtin_prefetch(at + i, 0, 2);
}

static void branch_end(ProductCall *c, unsigned thread, const CpuProduct *w, const float *post_norm, const PackedMatrix *next)
{
	CpuEngine *e = c->p->e;
	c->w = w;
	c->tiles = e->step.n_token <= SHORT_TOKENS ? 2 : 4;
	c->y = post_norm ? e->y : NULL;
	c->grid = grid_make(e, (w->w.n_tile + c->tiles - 1) / c->tiles);
	cpu_phase_work(e->threads, thread, c->grid.n_rows * c->grid.n_cols, branch_item, c);
	cpu_weights_ask(e, thread, next);
	cpu_phase_wait(e->threads, thread);
}

/* What is left to do of the branch before: of the layer before, or nothing at all. */
static void rows_after_ffn(const CpuEngine *e, uint32_t layer, CpuRows *r)
{
	if (!layer)
		return;
	const CpuLayer *w = &e->w.layer[layer - 1];
	r->post_norm = w->ffn_post_norm;
	r->sum_norm = w->ffn_sum_norm;
	r->sum_bias = w->ffn_sum_norm_bias;
}

bool cpu_attention_block(CpuPass *p, unsigned thread)
{
	CpuEngine *e = p->e;
	const ModelShape *s = &e->engine.model->shape;
	ProductCall c = { .p = p };
	CpuRows in = { .norm = p->w->attn_norm, .from = e->x, .n_col = s->n_embd,
	               .forms = cpu_forms_of(&p->w->q) | cpu_forms_of(&p->w->k) | cpu_forms_of(&p->w->v) };
	rows_after_ffn(e, p->layer, &in);
	c.in = cpu_rows_make(e, thread, &in);
	c.grid = grid_make(e, s->n_kv_head + s->n_head);
	cpu_phase_work(e->threads, thread, c.grid.n_rows * c.grid.n_cols, qkv_item, &c);
	cpu_weights_ask(e, thread, &p->w->out.w);
	cpu_phase_wait(e->threads, thread);
	if (atomic_load_explicit(&e->is_bad, memory_order_relaxed))
		return false;  /* all threads see the same: nobody writes it before the next barrier */

	cpu_attend(p, thread);

	CpuRows out = { .from = e->attended, .n_col = s->n_head * s->head_len, .forms = cpu_forms_of(&p->w->out) };
	c.in = cpu_rows_make(e, thread, &out);
	branch_end(&c, thread, &p->w->out, p->w->attn_post_norm, &p->w->up.w);
	return true;
}

/* ---- feed-forward ---- */

/* 32 rows of gate and of up become one group of the panels that down reads. */
static void hidden_item(void *user, unsigned thread, uint32_t item)
{
	const ProductCall *c = user;
	const CpuPass *p = c->p;
	CpuEngine *e = p->e;
	const Model *m = e->engine.model;
	uint32_t first = grid_row(c->grid, item) * GROUP_COLS, tile = first / TILE_ROWS, n_tile = GROUP_COLS / TILE_ROWS;
	unsigned forms = cpu_forms_of(&p->w->down);
	Range panels = grid_panels(e, c->grid, item);
	for (uint32_t i = panels.lo; i < panels.hi; i++) {
		const StepPanel *panel = &e->step.panel[i];
		float *up = product_make(c, thread, 0, &p->w->up, tile, n_tile, panel), *gate = NULL;
		if (p->w->gate.w.data)
			gate = product_make(c, thread, 1, &p->w->gate, tile, n_tile, panel);
		e->k->op->activate(m->arch->act, gate ? gate : up, gate ? up : NULL, panel->n * GROUP_COLS, up);
		for (uint32_t t = 0; t < panel->n; t++)
			cpu_row_put(e, &e->hidden, panel, t, forms, up + t * GROUP_COLS, first, GROUP_COLS, m->shape.n_ffn);
	}
}

static const PackedMatrix *next_matrix(const CpuPass *p)
{
	return p->layer + 1 < p->e->engine.model->shape.n_layer ? &p->w[1].q.w : &p->e->w.head;
}

void cpu_ffn_block(CpuPass *p, unsigned thread)
{
	CpuEngine *e = p->e;
	const ModelShape *s = &e->engine.model->shape;
	ProductCall c = { .p = p };
	CpuRows in = { .post_norm = p->w->attn_post_norm, .sum_norm = p->w->attn_sum_norm, .sum_bias = p->w->attn_sum_norm_bias,
	               .norm = p->w->ffn_norm, .from = e->x, .n_col = s->n_embd,
	               .forms = cpu_forms_of(&p->w->gate) | cpu_forms_of(&p->w->up) };
	c.in = cpu_rows_make(e, thread, &in);
	c.grid = grid_make(e, s->n_ffn / GROUP_COLS);
	cpu_phase_work(e->threads, thread, c.grid.n_rows * c.grid.n_cols, hidden_item, &c);
	cpu_weights_ask(e, thread, &p->w->down.w);
	cpu_phase_wait(e->threads, thread);
	c.in = &e->hidden;
	branch_end(&c, thread, &p->w->down, p->w->ffn_post_norm, next_matrix(p));
}
