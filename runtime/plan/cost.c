/* See cost.h. */
#include "runtime/plan/cost.h"

#include <math.h>

enum { PHASES_OF_LAYER = 5 };

/* ---- what a model moves and computes ---------------------------------------------------------- */

static uint64_t weight_bytes(const ModelTensor *t)
{
	return t->data ? (uint64_t)t->n_row * model_row_bytes(t) : 0;
}

/* Of a product; a vector is not one. */
static uint64_t product_flop(const ModelTensor *t)
{
	return t->data && t->n_row > 1 ? 2 * (uint64_t)t->n_row * t->n_col : 0;
}

PlanModel plan_model(const Model *m, KvFormat kv)
{
	const ModelShape *s = &m->shape;
	PlanModel p = { .n_layer = s->n_layer,
	                .kv = { s->n_layer, s->n_kv_head, s->head_len, kv, s->window, s->global_every } };
	for (uint32_t i = 0; i < s->n_layer; i++) {
#define MODEL_TENSOR(field, gguf, hf, rows, cols, with)
#define LAYER_TENSOR(field, gguf, hf, rows, cols, with) \
		p.layer_bytes += weight_bytes(&m->layer[i].field); \
		p.layer_flop += product_flop(&m->layer[i].field);
#define UNREAD_TENSOR(name)
#include "runtime/model/tensors.def"
#undef MODEL_TENSOR
#undef LAYER_TENSOR
#undef UNREAD_TENSOR
	}
	p.head_bytes = weight_bytes(&m->output);
	p.head_flop = product_flop(&m->output);
	p.attention_flop = 4 * (uint64_t)s->n_layer * s->n_head * s->head_len;
	return p;
}

/* ---- a pass ----------------------------------------------------------------------------------- */

/* Positions that n tokens behind `first` read, summed; window 0: all. */
static double reads(uint32_t first, uint32_t n, uint32_t window)
{
	uint32_t whole = !window ? n : first >= window ? 0 : window - first < n ? window - first : n;  /* tokens that read all */
	return (double)whole * first + (double)whole * (whole + 1) / 2 + (double)(n - whole) * window;
}

/* Positions whose keys and values are brought in. */
static double positions(uint32_t first, uint32_t n, uint32_t window)
{
	return (double)n + (window && first > window ? window : first);
}

PlanPass plan_pass(const PlanModel *m, uint32_t first, uint32_t n, uint32_t n_head_row)
{
	double local = kv_n_layer(&m->kv, true) / (double)m->n_layer;
	double n_read = local * reads(first, n, m->kv.window) + (1 - local) * reads(first, n, 0);
	double n_position = local * positions(first, n, m->kv.window) + (1 - local) * positions(first, n, 0);
	uint32_t n_span = (first + n - 1) / KV_BLOCK - first / KV_BLOCK + 1;
	return (PlanPass){
		.taken_bytes = n_read / n * n_span * kv_token_bytes(&m->kv),
		.work = {
			[PLAN_PRODUCTS] = { (double)m->layer_bytes, (double)n * (double)m->layer_flop },
			[PLAN_ATTENTION] = { n_position * kv_token_bytes(&m->kv), n_read * (double)m->attention_flop },
			[PLAN_HEAD] = { n_head_row ? (double)m->head_bytes : 0, (double)n_head_row * (double)m->head_flop },
		},
		.n_phase = PHASES_OF_LAYER * m->n_layer + (n_head_row != 0),
	};
}

double plan_pass_s(const PlanPass *w, const PlanProfile *p)
{
	const PlanFit *fit = &p->fit;
	double s = w->n_phase * fit->sync_s;
	for (int i = 0; i < PLAN_KIND_COUNT; i++) {
		bool is_attention = i == PLAN_ATTENTION;
		double compute_s = w->work[i].flop / (p->flop_per_s * (is_attention ? fit->e_attend : fit->e_f));
		compute_s += is_attention ? w->taken_bytes * fit->take_s : 0;
		s += fmax(w->work[i].bytes / (p->bytes_per_s * fit->e_bw), compute_s);
	}
	return s;
}

double plan_pass_bytes(const PlanPass *w)
{
	double bytes = 0;
	for (int i = 0; i < PLAN_KIND_COUNT; i++)
		bytes += w->work[i].bytes;
	return bytes;
}

double plan_pass_flop(const PlanPass *w)
{
	double flop = 0;
	for (int i = 0; i < PLAN_KIND_COUNT; i++)
		flop += w->work[i].flop;
	return flop;
}
