/* weights.h: which tensors there are, where each is packed to, and the packing, by all threads. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/vec.h"
#include "runtime/cpu/weights.h"

enum { TILES_PER_ITEM = 64, HUGE_BYTES = 2 << 20 };

typedef struct PackJob {
	PackedMatrix *to;
	const ModelTensor *from;
	uint32_t pair_len;
	uint32_t first_item;  /* of all jobs' items */
} PackJob;

typedef struct WeightsLoad {
	Arena *a;
	CpuWeights *w;
	CpuThreads *threads;
	VEC(PackJob) job;
	uint32_t n_item;
	Str *why;
} WeightsLoad;

static bool load_fail(WeightsLoad *l, const ModelTensor *t)
{
	*l->why = str_fmt(l->a, "the CPU engine has no kernel for a %s tensor of %u columns (it needs a multiple of %d)",
	                  gguf_tensor_type_name(t->type), t->n_col, GROUP_COLS);
	return false;
}

static bool matrix_add(WeightsLoad *l, const ModelTensor *t, uint32_t pair_len, PackedMatrix *to)
{
	if (!t->data)
		return true;
	if (!pack_plan(t->type, t->n_row, t->n_col, to))
		return load_fail(l, t);
	vec_push(l->a, &l->job, (PackJob){ to, t, pair_len, l->n_item });
	l->n_item += (to->n_tile + TILES_PER_ITEM - 1) / TILES_PER_ITEM;
	l->w->n_bytes += packed_bytes(to);
	return true;
}

static const float *vector_read(Arena *a, const ModelTensor *t)
{
	if (!t->data)
		return NULL;
	float *v = arena_array(a, float, t->n_col);
	model_dequant_row(t, 0, v);
	return v;
}

static bool layer_add(WeightsLoad *l, const ModelLayer *m, CpuLayer *to)
{
	const Model *model = l->w->model;
	uint32_t pair_len = model->arch->rope == MODEL_ROPE_PAIRS ? model->shape.head_len : 0;
#define VECTOR(field) to->field = vector_read(l->a, &m->field)
	VECTOR(attn_norm), VECTOR(attn_post_norm), VECTOR(attn_sum_norm), VECTOR(attn_sum_norm_bias);
	VECTOR(ffn_norm), VECTOR(ffn_post_norm), VECTOR(ffn_sum_norm), VECTOR(ffn_sum_norm_bias);
#undef VECTOR
	to->q_norm = vector_read(l->a, &m->attn_q_norm);
	to->k_norm = vector_read(l->a, &m->attn_k_norm);
	to->q.bias = vector_read(l->a, &m->attn_q_bias);
	to->k.bias = vector_read(l->a, &m->attn_k_bias);
	to->v.bias = vector_read(l->a, &m->attn_v_bias);
	to->out.bias = vector_read(l->a, &m->attn_output_bias);
	to->up.bias = vector_read(l->a, &m->ffn_up_bias);
	to->down.bias = vector_read(l->a, &m->ffn_down_bias);
	return matrix_add(l, &m->attn_k, pair_len, &to->k.w) && matrix_add(l, &m->attn_v, 0, &to->v.w) &&
	       matrix_add(l, &m->attn_q, pair_len, &to->q.w) && matrix_add(l, &m->attn_output, 0, &to->out.w) &&
	       matrix_add(l, &m->ffn_gate, 0, &to->gate.w) && matrix_add(l, &m->ffn_up, 0, &to->up.w) &&
	       matrix_add(l, &m->ffn_down, 0, &to->down.w);
}

static bool all_add(WeightsLoad *l)
{
	CpuWeights *w = l->w;
	const Model *m = w->model;
	w->layer = arena_array(l->a, CpuLayer, m->shape.n_layer);
	for (uint32_t i = 0; i < m->shape.n_layer; i++)
		if (!layer_add(l, &m->layer[i], &w->layer[i]))
			return false;
	w->output_norm = vector_read(l->a, &m->output_norm);
	w->embd_norm = vector_read(l->a, &m->embd_norm);
	w->embd_norm_bias = vector_read(l->a, &m->embd_norm_bias);
	w->is_tied = m->output.data && m->output.data == m->token_embd.data;
	if (!matrix_add(l, &m->output, 0, &w->head))
		return false;
	w->head.n_term = 2;
	return true;
}

/* ---- packing ---- */

/* Pages of the file that have been packed need not stay in memory: they can be read again. */
static void file_release(const Model *m, const uint8_t *from, size_t n)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), lo = (uintptr_t)from, hi = lo + n;
	lo = (lo + page - 1) / page * page;
	hi = hi / page * page;
	if (m->file.n && lo < hi)
		madvise((void *)lo, hi - lo, MADV_DONTNEED);
}

static void item_pack(void *user, unsigned thread, uint32_t item)
{
	WeightsLoad *l = user;
	(void)thread;
	uint32_t lo = 0, hi = l->job.n;  /* the last job that starts at or before the item */
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		*(l->job.v[mid].first_item <= item ? &lo : &hi) = mid;
	}
	const PackJob *j = &l->job.v[lo];
	uint32_t first = (item - j->first_item) * TILES_PER_ITEM, end = first + TILES_PER_ITEM;
	pack_tiles(j->to, j->from->type, j->from->data, j->pair_len, first, end < j->to->n_tile ? end : j->to->n_tile);
	uint32_t row = first * TILE_ROWS, left = j->from->n_row - row, n_row = TILES_PER_ITEM * TILE_ROWS;
	size_t row_bytes = model_row_bytes(j->from);
	file_release(l->w->model, j->from->data + row * row_bytes, (left < n_row ? left : n_row) * row_bytes);
}

static void all_pack(void *user, unsigned thread)
{
	WeightsLoad *l = user;
	cpu_phase(l->threads, thread, l->n_item, item_pack, l);
}

/* Large pages where there are any: fewer faults now, fewer misses in every pass. */
static bool mapping_new(WeightsLoad *l)
{
	CpuWeights *w = l->w;
	w->mapping_bytes = (w->n_bytes + 2 * (size_t)HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
	w->mapping = mmap(NULL, w->mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (w->mapping == MAP_FAILED) {
		w->mapping = NULL;
		*l->why = STR("no memory for the packed weights");
		return false;
	}
#ifdef MADV_HUGEPAGE
	madvise(w->mapping, w->mapping_bytes, MADV_HUGEPAGE);
#endif
	uint8_t *at = w->mapping + (HUGE_BYTES - (uintptr_t)w->mapping % HUGE_BYTES) % HUGE_BYTES;
	for (uint32_t i = 0; i < l->job.n; i++) {
		l->job.v[i].to->data = at;
		at += packed_bytes(l->job.v[i].to);
	}
	return true;
}

bool cpu_weights_load(Arena *a, const Model *m, CpuThreads *threads, CpuWeights *w, Str *why)
{
	*w = (CpuWeights){ .model = m };
	WeightsLoad l = { .a = a, .w = w, .threads = threads, .why = why };
	if (!all_add(&l) || !mapping_new(&l))
		return false;
	cpu_threads_run(threads, all_pack, &l);
	return true;
}

void cpu_weights_free(CpuWeights *w)
{
	if (w->mapping)
		munmap(w->mapping, w->mapping_bytes);
	w->mapping = NULL;
}

void cpu_weights_embed(const CpuWeights *w, const MatmulKernels *k, uint32_t id, float *out)
{
	if (w->is_tied)
		k->row(&w->head, id, out);
	else
		model_dequant_row(&w->model->token_embd, id, out);
}
