/* A forward pass on the CPU from tokens to logits, and the engine around it. */
#define _GNU_SOURCE
#include "runtime/cpu/forward.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

/* ---- tokens in ---- */

static void embed_item(void *user, unsigned thread, uint32_t token)
{
	CpuEngine *e = user;
	const ModelShape *s = &e->engine.model->shape;
	const StepToken *t = &e->step.token[token];
	float *x = e->x + (size_t)token * s->n_embd;
	(void)thread;
	cpu_weights_embed(&e->w, e->k->matmul, t->id, x);
	if (s->embd_scale != 1)
		e->k->op->scale(s->embd_scale, s->n_embd, x);
	uint32_t half = s->head_len / 2;
	for (int i = 0; i < 2; i++)
		if (e->frequency[i]) {
			float *angle = e->angle[i] + (size_t)token * s->head_len;
			e->k->op->angles(e->frequency[i], half, t->position, angle, angle + half);
		}
}

/* ---- logits out ---- */

static uint32_t head_items(const CpuEngine *e)
{
	return (e->w.head.n_tile + HEAD_TILES - 1) / HEAD_TILES;
}

static uint32_t logit_panels(const CpuEngine *e)
{
	return (e->batch->n_logit + PANEL_WIDTH - 1) / PANEL_WIDTH;
}

static StepPanel logit_panel(const CpuEngine *e, uint32_t i)
{
	uint32_t first = i * PANEL_WIDTH, left = e->batch->n_logit - first, n = left < PANEL_WIDTH ? left : PANEL_WIDTH;
	return (StepPanel){ first, n, panel_width(n), first };
}

/* note [terms] in matmul.h */
static void head_row_put(const CpuEngine *e, const StepPanel *panel, uint32_t t, const float *row)
{
	const PackedMatrix *w = &e->w.head;
	if (pack_is_float(w->kind))
		cpu_row_put(e, &e->in, panel, t, 2, row, 0, w->n_col, w->n_col);
	else
		e->k->matmul->quantise(row, w->n_col, panel->width, w->n_term,
		                       (PanelGroup *)(void *)e->in.of[0] + (size_t)panel->at * w->n_group * w->n_term + t);
}

/* Rows of logits that are wanted, normed, into panels of their own. */
static void head_row_item(void *user, unsigned thread, uint32_t item)
{
	CpuEngine *e = user;
	const ModelShape *s = &e->engine.model->shape;
	const CpuLayer *last = &e->w.layer[s->n_layer - 1];
	CpuRows r = { .post_norm = last->ffn_post_norm, .norm = e->w.output_norm, .from = e->x, .n_col = s->n_embd };
	StepPanel panel = logit_panel(e, item);
	for (uint32_t t = 0; t < panel.n; t++) {
		const float *row = cpu_row_make(e, thread, &r, e->batch->logit_row[panel.token + t]);
		head_row_put(e, &panel, t, row);
	}
}

/* Whether any of ids lo .. hi - 1, lo and hi multiples of 16, may come in any row of the panel. */
static bool some_allowed(const CpuEngine *e, const StepPanel *panel, uint32_t lo)
{
	size_t n_word = ((size_t)e->engine.model->shape.n_vocab + 63) / 64;
	for (uint32_t t = 0; t < panel->n; t++) {
		const uint64_t *row = e->batch->allowed + (panel->token + t) * n_word;
		if (row[lo / 64] >> lo % 64 & 0xffff)
			return true;
	}
	return false;
}

static void tiles_fill(const CpuEngine *e, const StepPanel *panel, uint32_t first, uint32_t n)
{
	for (uint32_t t = 0; t < panel->n; t++) {
		float *to = e->batch->logits + (size_t)(panel->token + t) * e->engine.model->shape.n_vocab + first;
		for (uint32_t i = 0; i < n; i++)
			to[i] = -INFINITY;
	}
}

static void tiles_multiply(CpuEngine *e, unsigned thread, const StepPanel *panel, uint32_t tile, uint32_t n_tile)
{
	uint32_t n_vocab = e->engine.model->shape.n_vocab, first = tile * TILE_ROWS, n = n_tile * TILE_ROWS;
	float *out = e->seat[thread].product[0];
	e->k->matmul->product(&e->w.head, tile, n_tile, cpu_panel_at(&e->in, panel, &e->w.head), panel->width, out, n, false);
	uint32_t n_real = n_vocab - first < n ? n_vocab - first : n;
	for (uint32_t t = 0; t < panel->n; t++, out += n) {
		cpu_check_finite(e, out, n_real);
		memcpy(e->batch->logits + (size_t)(panel->token + t) * n_vocab + first, out, n_real * sizeof *out);
	}
}

/* Only the tiles that hold an allowed id: where few are allowed, few weights are read. */
static void allowed_multiply(CpuEngine *e, unsigned thread, const StepPanel *panel, uint32_t tile, uint32_t n_tile)
{
	uint32_t n_vocab = e->engine.model->shape.n_vocab;
	for (uint32_t i = tile; i < tile + n_tile; i++) {
		uint32_t first = i * TILE_ROWS, n = n_vocab - first < TILE_ROWS ? n_vocab - first : TILE_ROWS;
		if (some_allowed(e, panel, first))
			tiles_multiply(e, thread, panel, i, 1);
		else
			tiles_fill(e, panel, first, n);
	}
}

static void head_item(void *user, unsigned thread, uint32_t item)
{
	CpuEngine *e = user;
	uint32_t tile = item * HEAD_TILES, left = e->w.head.n_tile - tile, n_tile = left < HEAD_TILES ? left : HEAD_TILES;
	for (uint32_t i = 0; i < logit_panels(e); i++) {
		StepPanel panel = logit_panel(e, i);
		if (e->batch->allowed)
			allowed_multiply(e, thread, &panel, tile, n_tile);
		else
			tiles_multiply(e, thread, &panel, tile, n_tile);
	}
}

/* ---- the pass ---- */

static void pass(void *user, unsigned thread)
{
	CpuEngine *e = user;
	cpu_phase(e->threads, thread, e->step.n_token, embed_item, e);
	for (uint32_t i = 0; i < e->engine.model->shape.n_layer; i++) {
		CpuPass p = { e, i, &e->w.layer[i] };
		if (!cpu_attention_block(&p, thread))
			return;
		cpu_ffn_block(&p, thread);
	}
	if (!e->batch->n_logit)
		return;
	cpu_phase(e->threads, thread, logit_panels(e), head_row_item, e);
	cpu_phase(e->threads, thread, head_items(e), head_item, e);
}

static bool batch_check(const CpuEngine *e, const EngineBatch *b, Str *why)
{
	uint32_t n = 0, n_vocab = e->engine.model->shape.n_vocab;
	if (b->tap) {
		*why = STR("this engine has no taps: the f32 one has");
		return false;
	}
	for (uint32_t i = 0; i < b->n_run; i++) {
		const EngineRun *r = &b->run[i];
		n = r->n && r->n <= e->engine.chunk_tok - n ? n + r->n : UINT32_MAX;
		if (n > e->engine.chunk_tok) {
			*why = STR("a batch must hold 1 token of each run at the least and the engine's chunk at the most");
			return false;
		}
		for (uint32_t k = 0; k < r->n; k++)
			if (r->ids[k] >= n_vocab) {
				*why = STR("a token id is not in the model's vocabulary");
				return false;
			}
		if ((r->sequence->n_token + r->n) / KV_BLOCK > r->sequence->n_block) {
			*why = STR("a sequence has no block reserved for its next tokens");
			return false;
		}
	}
	for (uint32_t i = 0; i < b->n_logit; i++)
		if (b->logit_row[i] >= n) {
			*why = STR("logits are wanted of a token that is not in the batch");
			return false;
		}
	return true;
}

static bool forward(Engine *engine, const EngineBatch *b, Str *why)
{
	CpuEngine *e = (CpuEngine *)engine;
	if (!batch_check(e, b, why))
		return false;
	e->batch = b;
	atomic_store(&e->is_bad, false);
	step_cut(b, &e->step);
	cpu_threads_run(e->threads, pass, e);
	if (atomic_load(&e->is_bad)) {
		*why = STR("the model computed a number that is not finite: its weights are damaged, or the arithmetic is broken");
		return false;
	}
	for (uint32_t i = 0; i < b->n_run; i++)
		kv_sequence_commit(b->run[i].sequence, b->run[i].ids, b->run[i].n);
	return true;
}

static void engine_free(Engine *engine)
{
	CpuEngine *e = (CpuEngine *)engine;
	cpu_threads_free(e->threads);
	cpu_weights_free(&e->w);
	if (e->mapping)
		munmap(e->mapping, e->mapping_bytes);
	e->mapping = NULL;
}

static const EngineOps ops = { forward, engine_free };

/* ---- opening ---- */

/* Arrays out of one mapping: counted first, then laid out. Pages that no step needs are never touched. */
typedef struct Room { uint8_t *at; size_t n_bytes; } Room;

static void *room_take(Room *r, size_t n_bytes)
{
	uint8_t *p = r->at ? r->at + r->n_bytes : NULL;
	r->n_bytes += (n_bytes + 63) / 64 * 64;
	return p;
}

#define TAKE(room, to, n) ((to) = room_take((room), sizeof *(to) * (size_t)(n)))

static void panels_take(Room *r, size_t n_row, uint32_t n_col, CpuPanels *p)
{
	TAKE(r, p->of[0], n_row * (n_col / GROUP_COLS) * sizeof(PanelGroup));
	TAKE(r, p->of[1], n_row * (n_col / GROUP_COLS) * PANEL_FLOAT_BYTES);
}

static void arrays_take(CpuEngine *e, Room *r)
{
	const ModelShape *s = &e->engine.model->shape;
	size_t chunk = e->engine.chunk_tok, rows = step_rows_max(e->engine.chunk_tok), n_q = (size_t)s->n_head * s->head_len;
	size_t part = attend_part_floats(s->head_len) * e->n_group_q * e->n_part_max;
	uint32_t wide = s->n_embd > n_q ? s->n_embd : (uint32_t)n_q;
	TAKE(r, e->x, chunk * s->n_embd);
	TAKE(r, e->y, chunk * s->n_embd);
	TAKE(r, e->q, chunk * n_q);
	TAKE(r, e->attended, chunk * n_q);
	panels_take(r, rows, wide, &e->in);
	panels_take(r, rows, s->n_ffn, &e->hidden);
	TAKE(r, e->slot, chunk * s->n_kv_head * kv_open_halves(&e->kv));
	TAKE(r, e->parts, SPLIT_TOKENS * s->n_kv_head * part);
	TAKE(r, e->parts_done, chunk * s->n_kv_head);
	for (int i = 0; i < 2; i++) {
		TAKE(r, e->frequency[i], s->head_len / 2);
		TAKE(r, e->angle[i], chunk * s->head_len);
	}
	for (unsigned i = 0; i < cpu_threads_of(e->threads); i++) {
		CpuSeat *seat = &e->seat[i];
		TAKE(r, seat->product[0], PANEL_WIDTH * e->product_rows);
		TAKE(r, seat->product[1], PANEL_WIDTH * e->product_rows);
		TAKE(r, seat->row, wide);
		panels_take(r, step_rows_max(OWN_TOKENS), wide, &seat->own);
		TAKE(r, seat->sealed, e->n_part_max * (KV_PARTITION / KV_BLOCK));
		TAKE(r, seat->parts, KV_BLOCK * part);
		seat->attend = room_take(r, attend_scratch_bytes(s->head_len, KV_BLOCK * e->n_group_q));
	}
}

static bool arrays_new(CpuEngine *e, Str *why)
{
	Room count = { 0 };
	arrays_take(e, &count);
	e->mapping = mmap(NULL, count.n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (e->mapping == MAP_FAILED) {
		e->mapping = NULL;
		*why = STR("no memory for the engine's buffers");
		return false;
	}
	e->mapping_bytes = count.n_bytes;
	Room room = { e->mapping, 0 };
	arrays_take(e, &room);
	return true;
}

/* Angles at position 1, of global layers with what the file says about them. */
static void frequencies_make(CpuEngine *e)
{
	const Model *m = e->engine.model;
	const ModelShape *s = &m->shape;
	uint32_t half = s->head_len / 2;
	if (m->arch->rope == MODEL_ROPE_NONE) {
		e->frequency[0] = e->frequency[1] = NULL;
		return;
	}
	e->k->op->frequencies(s->rope_base, half, e->frequency[0]);
	if (s->global_every > 1)
		e->k->op->frequencies(s->rope_base_local, half, e->frequency[1]);
	else
		e->frequency[1] = NULL;
	for (uint32_t i = 0; i < half; i++)
		e->frequency[0][i] *= (double)s->rope_scale;
	if (!m->rope_factor.data)
		return;
	float factor[MODEL_HEAD_MAX / 2];
	model_dequant_row(&m->rope_factor, 0, factor);
	for (uint32_t i = 0; i < half; i++)
		e->frequency[0][i] /= (double)factor[i];
}

static const CpuKernels *kernels_pick(const char *name)
{
	const CpuKernels *k;
	for (unsigned i = 0; (k = cpu_kernels_at(i)); i++)
		if (!name || !*name || !strcmp(k->name, name))
			return k;
	return NULL;
}

static bool reads_alike(const ModelShape *s, const KvShape *kv)
{
	for (uint32_t i = 0; i < s->n_layer; i++)
		if (model_layer_window(s, i) != (kv_layer_is_local(kv, i) ? kv->window : 0))
			return false;
	return true;
}

static bool model_check(Arena *a, const Model *m, const KvPool *pool, Str *why)
{
	const ModelShape *s = &m->shape;
	const KvShape *kv = kv_pool_shape(pool);
	if (!model_has(m, MODEL_CAUSAL))
		*why = str_fmt(a, "the CPU engine runs no encoder (%s)", m->arch->name);
	else if (s->n_embd % GROUP_COLS || s->n_ffn % GROUP_COLS || s->n_head * s->head_len % GROUP_COLS || s->head_len % TILE_ROWS)
		*why = str_fmt(a, "the CPU engine needs rows of multiples of %d and heads of multiples of %d", GROUP_COLS, TILE_ROWS);
	else if (kv->n_layer != s->n_layer || kv->n_head != s->n_kv_head || kv->head_len != s->head_len || !reads_alike(s, kv))
		*why = STR("the KV pool has not the model's shape");
	else
		return true;
	return false;
}

Engine *cpu_engine_open(Arena *a, const Model *m, KvPool *pool, const CpuEngineConfig *config, Str *why)
{
	if (!model_check(a, m, pool, why))
		return NULL;
	char *at = arena_alloc(a, sizeof(CpuEngine) + 64);
	CpuEngine *e = (void *)(at + 63 - ((uintptr_t)at + 63) % 64);
	e->engine = (Engine){ &ops, m, pool, config->chunk_tok ? config->chunk_tok : CPU_CHUNK_TOK };
	e->kv = *kv_pool_shape(pool);
	e->k = kernels_pick(config->isa);
	if (!e->k) {
		*why = str_fmt(a, "this machine or this build has no instruction set \"%s\"", config->isa);
		return NULL;
	}
	e->n_group_q = m->shape.n_head / m->shape.n_kv_head;
	e->n_part_max = kv_pool_max_tok(pool) / KV_PARTITION + 1;
	e->product_rows = m->shape.head_len > PRODUCT_ROWS ? m->shape.head_len : PRODUCT_ROWS;
	e->threads = cpu_threads_new(a, cpu_config_threads(config));
	e->seat = arena_array(a, CpuSeat, cpu_threads_of(e->threads));
	step_init(a, e->engine.chunk_tok, &e->step);
	if (cpu_weights_load(a, m, e->threads, &e->w, why) && arrays_new(e, why)) {
		frequencies_make(e);
		return &e->engine;
	}
	engine_free(&e->engine);
	return NULL;
}

const char *cpu_config_isa(const CpuEngineConfig *config)
{
	const CpuKernels *k = kernels_pick(config->isa);
	return k ? k->name : NULL;
}

unsigned cpu_config_threads(const CpuEngineConfig *config)
{
	return config->n_thread ? config->n_thread : cpu_threads_count();
}

size_t cpu_engine_weight_bytes(const Engine *e) { return ((const CpuEngine *)e)->w.n_bytes; }
const char *cpu_engine_isa(const Engine *e) { return ((const CpuEngine *)e)->k->name; }
unsigned cpu_engine_threads(const Engine *e) { return cpu_threads_of(((const CpuEngine *)e)->threads); }
