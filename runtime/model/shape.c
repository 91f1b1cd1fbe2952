/*
 * The shape of a model out of its file's keys: counts, then what follows from them, then what the forward pass
 * here cannot do and therefore refuses by name.
 */
#include "runtime/model/load.h"

#include <math.h>
#include <stddef.h>

#include "runtime/base/num.h"

/* A count: its key in a GGUF behind the architecture's name, in a config.json ("": it has none). */
typedef struct CountRow { const char *gguf, *hf; size_t field; enum { COUNT_NEEDED, COUNT_OPTIONAL } need; } CountRow;

static const CountRow count_row[] = {
	{ "block_count", "num_hidden_layers", offsetof(ModelShape, n_layer), COUNT_NEEDED },
	{ "embedding_length", "hidden_size", offsetof(ModelShape, n_embd), COUNT_NEEDED },
	{ "attention.head_count", "num_attention_heads", offsetof(ModelShape, n_head), COUNT_NEEDED },
	{ "feed_forward_length", "intermediate_size", offsetof(ModelShape, n_ffn), COUNT_NEEDED },
	{ "context_length", "max_position_embeddings", offsetof(ModelShape, n_ctx), COUNT_NEEDED },
	{ "attention.head_count_kv", "", offsetof(ModelShape, n_kv_head), COUNT_OPTIONAL },
	{ "attention.key_length", "", offsetof(ModelShape, head_len), COUNT_OPTIONAL },
	{ "attention.sliding_window", "", offsetof(ModelShape, window), COUNT_OPTIONAL },
};
enum { N_COUNT = sizeof count_row / sizeof *count_row };

/* What no file says: the pattern of gemma3's layers, the base of its local ones, and which of its sizes
 * scales the scores by the embedding's share of a head. */
enum { GEMMA_GLOBAL_EVERY = 6, GEMMA_27B_LAYERS = 62 };
#define GEMMA_LOCAL_BASE 10000.0f
#define ROPE_BASE_DEFAULT 10000.0f

static uint32_t *count_field(ModelShape *s, const CountRow *r)
{
	return (uint32_t *)(void *)((char *)s + r->field);
}

/* ---- what follows -------------------------------------------------------------------------------- */

static bool check_counts(ModelLoad *l)
{
	ModelShape *s = &l->m->shape;
	if (!s->n_layer || s->n_layer > MODEL_LAYERS_MAX)
		return model_fail(l, 0, "%u blocks; 1 to %d are known", s->n_layer, MODEL_LAYERS_MAX);
	for (int i = 0; i < N_COUNT; i++) {
		uint32_t v = *count_field(s, &count_row[i]);
		if (v > MODEL_DIM_MAX || (!v && count_row[i].need == COUNT_NEEDED))
			return model_fail(l, 0, "%s is %u; 1 to %d are known", count_row[i].gguf, v, MODEL_DIM_MAX);
	}
	return true;
}

static bool settle_heads(ModelLoad *l)
{
	ModelShape *s = &l->m->shape;
	s->n_kv_head = s->n_kv_head ? s->n_kv_head : s->n_head;
	if (s->n_kv_head > s->n_head || s->n_head % s->n_kv_head)
		return model_fail(l, 0, "%u heads over %u heads of keys: they do not divide", s->n_head, s->n_kv_head);
	if (!s->head_len && s->n_embd % s->n_head)
		return model_fail(l, 0, "an embedding of %u over %u heads: they do not divide", s->n_embd, s->n_head);
	s->head_len = s->head_len ? s->head_len : s->n_embd / s->n_head;
	if (s->head_len > MODEL_HEAD_MAX || s->head_len % 2)
		return model_fail(l, 0, "heads of %u; even ones up to %d are known", s->head_len, MODEL_HEAD_MAX);
	if ((uint64_t)s->n_head * s->head_len > MODEL_DIM_MAX)
		return model_fail(l, 0, "%u heads of %u are too many", s->n_head, s->head_len);
	return true;
}

static void settle_scales(ModelLoad *l)
{
	ModelShape *s = &l->m->shape;
	bool is_windowed = model_has(l->m, MODEL_WINDOW) && s->window;
	s->window = is_windowed ? s->window : 0;
	s->global_every = is_windowed ? GEMMA_GLOBAL_EVERY : 1;
	s->rope_base_local = is_windowed ? GEMMA_LOCAL_BASE : s->rope_base;
	bool is_27b = model_has(l->m, MODEL_WINDOW) && s->n_layer == GEMMA_27B_LAYERS;
	s->query_scale = 1.0f / sqrtf((float)(is_27b ? s->n_embd / s->n_head : s->head_len));
	s->embd_scale = model_has(l->m, MODEL_EMBD_SCALE) ? sqrtf((float)s->n_embd) : 1.0f;
}

static bool settle(ModelLoad *l)
{
	ModelShape *s = &l->m->shape;
	if (!check_counts(l) || !settle_heads(l))
		return false;
	if (!(s->norm_eps > 0 && s->norm_eps < 1))
		return model_fail(l, 0, "the norms' epsilon is not between 0 and 1");
	if (!(s->rope_base >= 1 && s->rope_base < 1e12f))
		return model_fail(l, 0, "the rotary base is not between 1 and 1e12");
	settle_scales(l);
	return true;
}

/* ---- GGUF ---------------------------------------------------------------------------------------- */

static const GgufKey *find_key(ModelLoad *l, const Gguf *g, const char *name)
{
	return gguf_find(g, str_z(l->a, str_fmt(l->a, "%s.%s", l->m->arch->name, name)));
}

static bool read_count(ModelLoad *l, const Gguf *g, const char *name, uint32_t *out)
{
	const GgufKey *k = find_key(l, g, name);
	if (!k)
		return true;
	if (k->type == GGUF_ARRAY)
		return model_fail(l, k->offset, "%s.%s differs by layer, which is not known", l->m->arch->name, name);
	return gguf_to_u32(k, out) || model_fail(l, k->offset, "%s.%s is no whole number", l->m->arch->name, name);
}

static bool read_float(ModelLoad *l, const Gguf *g, const char *name, float *out)
{
	const GgufKey *k = find_key(l, g, name);
	return !k || gguf_to_f32(k, out) || model_fail(l, k->offset, "%s.%s is no f32", l->m->arch->name, name);
}

/* Keys whose value, when there, must be the one that the forward pass has. */
static bool check_same(ModelLoad *l, const Gguf *g, const char *name, uint32_t want)
{
	uint32_t v = want;
	if (!read_count(l, g, name, &v))
		return false;
	return v == want || model_fail(l, find_key(l, g, name)->offset, "%s.%s is %u; only %u is known", l->m->arch->name, name, v, want);
}

static bool check_zero_float(ModelLoad *l, const Gguf *g, const char *name)
{
	float v = 0;
	if (!read_float(l, g, name, &v))
		return false;
	return v == 0 || model_fail(l, find_key(l, g, name)->offset, "%s.%s: soft-capping is not known", l->m->arch->name, name);
}

static bool check_causal(ModelLoad *l, const Gguf *g)
{
	const GgufKey *k = find_key(l, g, "attention.causal");
	bool on, want = model_has(l->m, MODEL_CAUSAL);
	if (!k)
		return true;
	if (!gguf_to_bool(k, &on))
		return model_fail(l, k->offset, "%s.attention.causal is no bool", l->m->arch->name);
	return on == want || model_fail(l, k->offset, "%s.attention.causal is %s", l->m->arch->name, on ? "true" : "false");
}

/* One factor on all positions, or none; a table of factors is the tensor rope_freqs. */
static bool read_rope_scale(ModelLoad *l, const Gguf *g)
{
	const GgufKey *k = find_key(l, g, "rope.scaling.type");
	Str type = gguf_text(k);
	float factor = 1;
	bool is_none = k && str_is(type, "none");
	if (k && !is_none && !str_is(type, "linear"))
		return model_fail(l, k->offset, "%s.rope.scaling.type `%.*s` is not known; none and linear are", l->m->arch->name,
			STR_ARG(model_shown(type)));
	if (!read_float(l, g, "rope.scale_linear", &factor) || !read_float(l, g, "rope.scaling.factor", &factor))
		return false;
	factor = is_none || factor == 0 ? 1 : factor;
	if (!(factor >= 1 && factor < 1e6f))
		return model_fail(l, 0, "%s.rope.scaling.factor is not between 1 and 1e6", l->m->arch->name);
	l->m->shape.rope_scale = 1.0f / factor;
	return true;
}

enum { POOLING_MEAN = 1 };

static bool check_known(ModelLoad *l, const Gguf *g)
{
	const ModelShape *s = &l->m->shape;
	uint32_t rotated = l->m->arch->rope == MODEL_ROPE_NONE ? 0 : s->head_len;
	return check_same(l, g, "attention.value_length", s->head_len) && check_same(l, g, "expert_count", 0)
		&& (!rotated || check_same(l, g, "rope.dimension_count", rotated))
		&& (model_has(l->m, MODEL_CAUSAL) || check_same(l, g, "pooling_type", POOLING_MEAN))
		&& check_zero_float(l, g, "final_logit_softcapping") && check_zero_float(l, g, "attn_logit_softcapping")
		&& check_causal(l, g);
}

bool model_shape_of_gguf(ModelLoad *l, const Gguf *g)
{
	ModelShape *s = &l->m->shape;
	const GgufKey *k = gguf_find(g, "general.architecture");
	if (!k)
		return model_fail(l, 0, "general.architecture is not there: the file holds no model");
	if (!(l->m->arch = model_find_arch(l, gguf_text(k), k->offset)))
		return false;
	for (int i = 0; i < N_COUNT; i++) {
		const CountRow *r = &count_row[i];
		if (r->need == COUNT_NEEDED && !find_key(l, g, r->gguf))
			return model_fail(l, 0, "%s.%s is not there", l->m->arch->name, r->gguf);
		if (!read_count(l, g, r->gguf, count_field(s, r)))
			return false;
	}
	s->rope_base = ROPE_BASE_DEFAULT;
	const char *eps = l->m->arch->norm == MODEL_NORM_RMS ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon";
	return read_float(l, g, eps, &s->norm_eps) && read_float(l, g, "rope.freq_base", &s->rope_base)
		&& read_rope_scale(l, g) && settle(l) && check_known(l, g);
}

/* ---- config.json --------------------------------------------------------------------------------- */

bool model_shape_of_config(ModelLoad *l, const JsonNode *config)
{
	ModelShape *s = &l->m->shape;
	Str type = json_get_text(config, "model_type", STR("")), act = json_get_text(config, "hidden_act", STR("gelu"));
	Str positions = json_get_text(config, "position_embedding_type", STR("absolute"));
	if (!str_is(type, "bert"))
		return model_fail(l, 0, "config.json: model_type `%.*s`; of safetensors files only bert is known", STR_ARG(model_shown(type)));
	if (!str_is(act, "gelu") || !str_is(positions, "absolute"))
		return model_fail(l, 0, "config.json: hidden_act `%.*s` and position_embedding_type `%.*s`; gelu and absolute are known",
			STR_ARG(model_shown(act)), STR_ARG(model_shown(positions)));
	l->m->arch = model_find_arch(l, type, 0);
	for (int i = 0; i < N_COUNT; i++) {
		const JsonNode *x = *count_row[i].hf ? json_get(config, count_row[i].hf) : NULL;
		if (*count_row[i].hf && (!x || !json_to_count(x, count_field(s, &count_row[i]))))
			return model_fail(l, x ? x->lo : 0, "config.json: %s is no whole number", count_row[i].hf);
	}
	const JsonNode *eps = json_get(config, "layer_norm_eps");
	s->norm_eps = eps && eps->kind == JSON_NUMBER ? (float)num_to_double(eps->text) : 0;
	s->rope_base = ROPE_BASE_DEFAULT;
	s->rope_scale = 1;
	return settle(l);
}
