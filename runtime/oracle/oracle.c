/* The forward pass as a list of operators: see oracle.h. */
#include "runtime/oracle/oracle.h"

#include <stdlib.h>

#include "runtime/oracle/ops.h"
#include "runtime/oracle/weights.h"

struct Oracle {
	Arena arena;         /* weights, keys and values, itself */
	Arena scratch;       /* of one forward */
	const Model *m;
	ModelFloats w;
	EngineTap taps;
	uint32_t n_position;
	CpuThreads *threads;
	float **k, **v;      /* by layer: n_position rows of n_kv_head * head_len */
	float *x;            /* of the last forward: n rows of n_embd */
	uint32_t n;
};

/* n tokens on their way through the layers. */
typedef struct Pass {
	Oracle *o;
	uint32_t n, position;
	float *x;            /* the residual stream */
	float *h;            /* what a branch reads, then what it gives */
	float *q, *mixed;    /* n rows of n_head * head_len */
	float *gate, *up;    /* n rows of n_ffn */
} Pass;

Oracle *oracle_new(const Model *m, uint32_t n_position, unsigned n_thread)
{
	Arena arena = { 0 };
	Oracle *o = arena_new(&arena, Oracle);
	const ModelShape *s = &m->shape;
	size_t row = (size_t)s->n_kv_head * s->head_len;
	*o = (Oracle){ .m = m, .n_position = n_position, .threads = cpu_threads_new(&arena, n_thread) };
	weights_read(&arena, m, &o->w);
	o->k = arena_array(&arena, float *, s->n_layer);
	o->v = arena_array(&arena, float *, s->n_layer);
	for (uint32_t i = 0; i < s->n_layer; i++) {
		o->k[i] = arena_array(&arena, float, row * n_position);
		o->v[i] = arena_array(&arena, float, row * n_position);
	}
	o->arena = arena;
	return o;
}

void oracle_free(Oracle *o)
{
	Arena arena = o->arena;
	cpu_threads_free(o->threads);
	arena_free(&o->scratch);
	arena_free(&arena);
}

const ModelShape *oracle_shape(const Oracle *o)
{
	return &o->m->shape;
}

uint32_t oracle_room(const Oracle *o)
{
	return o->n_position;
}

void oracle_set_taps(Oracle *o, const EngineTap *taps)
{
	o->taps = taps ? *taps : (EngineTap){ 0 };
}

static void norm(const Pass *p, const float *weight, const float *bias, float *x)
{
	const ModelShape *s = &p->o->m->shape;
	if (weight)
		op_norm(p->o->m->arch->norm, weight, bias, s->norm_eps, x, p->n, s->n_embd);
}

static void product(const Pass *p, const float *w, const float *bias, uint32_t n_out, uint32_t n_in, const float *x, float *out)
{
	op_product((OpMatrix){ w, n_out, n_in }, bias, x, p->n, out, p->o->threads);
}

/* ---- attention ------------------------------------------------------------------------------------------ */

typedef struct Heads { const Pass *p; uint32_t layer; } Heads;

/* One head of one token over the keys that it reads. */
static void attend(const Heads *job, uint32_t t, uint32_t head, float *score)
{
	const Pass *p = job->p;
	const Oracle *o = p->o;
	const ModelShape *s = &o->m->shape;
	uint32_t at = p->position + t, window = model_layer_window(s, job->layer);
	uint32_t last = model_has(o->m, MODEL_CAUSAL) ? at : p->position + p->n - 1;
	uint32_t first = window && at >= window ? at - window + 1 : 0;
	size_t row = (size_t)s->n_kv_head * s->head_len, kv_head = head / (s->n_head / s->n_kv_head);
	const float *q = p->q + ((size_t)t * s->n_head + head) * s->head_len;
	const float *k = o->k[job->layer] + kv_head * s->head_len, *v = o->v[job->layer] + kv_head * s->head_len;
	float *out = p->mixed + ((size_t)t * s->n_head + head) * s->head_len;
	for (uint32_t j = first; j <= last; j++)
		score[j - first] = op_dot(q, k + j * row, s->head_len) * s->query_scale;
	op_softmax(score, last - first + 1);
	op_mix(score, v + first * row, row, last - first + 1, s->head_len, out);
	if (o->taps.attention)
		o->taps.attention(o->taps.user, job->layer, head, at, first, score, last - first + 1);
}

static void attend_tokens(void *job, uint32_t lo, uint32_t hi)
{
	const Heads *h = job;
	float *score = mem_must_alloc(h->p->o->n_position * sizeof *score);
	for (uint32_t t = lo; t < hi; t++)
		for (uint32_t head = 0; head < h->p->o->m->shape.n_head; head++)
			attend(h, t, head, score);
	free(score);
}

static void attention(const Pass *p, uint32_t layer)
{
	const Oracle *o = p->o;
	const ModelShape *s = &o->m->shape;
	const LayerFloats *w = &o->w.layer[layer];
	uint32_t n_q = s->n_head * s->head_len, n_kv = s->n_kv_head * s->head_len;
	float *k = o->k[layer] + (size_t)p->position * n_kv, *v = o->v[layer] + (size_t)p->position * n_kv;
	OpRope rope = {
		o->m->arch->rope, model_layer_rope_base(s, layer), model_layer_rope_scale(s, layer), o->w.rope_factor, p->position,
	};
	product(p, w->attn_q, w->attn_q_bias, n_q, s->n_embd, p->h, p->q);
	product(p, w->attn_k, w->attn_k_bias, n_kv, s->n_embd, p->h, k);
	product(p, w->attn_v, w->attn_v_bias, n_kv, s->n_embd, p->h, v);
	if (w->attn_q_norm) {
		op_norm(o->m->arch->norm, w->attn_q_norm, NULL, s->norm_eps, p->q, p->n * s->n_head, s->head_len);
		op_norm(o->m->arch->norm, w->attn_k_norm, NULL, s->norm_eps, k, p->n * s->n_kv_head, s->head_len);
	}
	op_rotate(&rope, p->q, p->n, s->n_head, s->head_len);
	op_rotate(&rope, k, p->n, s->n_kv_head, s->head_len);
	op_split(o->threads, p->n, attend_tokens, &(Heads){ p, layer });
	product(p, w->attn_output, w->attn_output_bias, s->n_embd, n_q, p->mixed, p->h);
}

/* ---- layers ---------------------------------------------------------------------------------------------- */

static void feed_forward(const Pass *p, uint32_t layer)
{
	const ModelShape *s = &p->o->m->shape;
	const LayerFloats *w = &p->o->w.layer[layer];
	if (w->ffn_gate)
		product(p, w->ffn_gate, NULL, s->n_ffn, s->n_embd, p->h, p->gate);
	product(p, w->ffn_up, w->ffn_up_bias, s->n_ffn, s->n_embd, p->h, p->up);
	op_activate(p->o->m->arch->act, w->ffn_gate ? p->gate : NULL, p->up, p->n, s->n_ffn, p->o->threads);
	product(p, w->ffn_down, w->ffn_down_bias, s->n_embd, s->n_ffn, p->up, p->h);
}

/* x = sum_norm(x + branch_norm(branch(pre_norm(x)))); a norm that the model does not have is left out. */
static void run_layer(const Pass *p, uint32_t layer)
{
	const LayerFloats *w = &p->o->w.layer[layer];
	size_t n = (size_t)p->n * p->o->m->shape.n_embd;
	memcpy(p->h, p->x, n * sizeof *p->h);
	norm(p, w->attn_norm, NULL, p->h);
	attention(p, layer);
	norm(p, w->attn_post_norm, NULL, p->h);
	op_add(p->x, p->h, n);
	norm(p, w->attn_sum_norm, w->attn_sum_norm_bias, p->x);

	memcpy(p->h, p->x, n * sizeof *p->h);
	norm(p, w->ffn_norm, NULL, p->h);
	feed_forward(p, layer);
	norm(p, w->ffn_post_norm, NULL, p->h);
	op_add(p->x, p->h, n);
	norm(p, w->ffn_sum_norm, w->ffn_sum_norm_bias, p->x);
}

static void embed(const Pass *p, const uint32_t *ids)
{
	const Oracle *o = p->o;
	const ModelShape *s = &o->m->shape;
	for (uint32_t t = 0; t < p->n; t++) {
		float *x = p->x + (size_t)t * s->n_embd;
		memcpy(x, o->w.token_embd + (size_t)ids[t] * s->n_embd, s->n_embd * sizeof *x);
		op_scale(x, s->embd_scale, s->n_embd);
		if (o->w.position_embd) {
			op_add(x, o->w.token_types, s->n_embd);
			op_add(x, o->w.position_embd + (size_t)(p->position + t) * s->n_embd, s->n_embd);
		}
	}
	norm(p, o->w.embd_norm, o->w.embd_norm_bias, p->x);
}

static void tap_hidden(const Pass *p, uint32_t layer)
{
	const EngineTap *taps = &p->o->taps;
	for (uint32_t t = 0; taps->hidden && t < p->n; t++)
		taps->hidden(taps->user, layer, p->position + t, p->x + (size_t)t * p->o->m->shape.n_embd);
}

void oracle_forward(Oracle *o, const uint32_t *ids, uint32_t n, uint32_t position)
{
	const ModelShape *s = &o->m->shape;
	size_t n_q = (size_t)s->n_head * s->head_len;
	Arena *a = &o->scratch;
	arena_reset(a);
	Pass p = { .o = o, .n = n, .position = position };
	p.x = arena_array(a, float, (size_t)n * s->n_embd);
	p.h = arena_array(a, float, (size_t)n * s->n_embd);
	p.q = arena_array(a, float, n * n_q);
	p.mixed = arena_array(a, float, n * n_q);
	p.gate = arena_array(a, float, (size_t)n * s->n_ffn);
	p.up = arena_array(a, float, (size_t)n * s->n_ffn);
	embed(&p, ids);
	for (uint32_t layer = 0; layer < s->n_layer; layer++) {
		run_layer(&p, layer);
		tap_hidden(&p, layer);
	}
	norm(&p, o->w.output_norm, NULL, p.x);
	o->x = p.x;
	o->n = n;
}

const float *oracle_hidden(const Oracle *o)
{
	return o->x;
}

void oracle_logits(Oracle *o, uint32_t first, uint32_t n, float *logits)
{
	const ModelShape *s = &o->m->shape;
	op_product((OpMatrix){ o->w.output, s->n_vocab, s->n_embd }, NULL, o->x + (size_t)first * s->n_embd, n, logits, o->threads);
}
