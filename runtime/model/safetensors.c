/* See safetensors.h. */
#include "runtime/model/safetensors.h"

#include <stdlib.h>

#include "runtime/base/num.h"
#include "runtime/model/load.h"

enum { LENGTH_BYTES = 8, HEADER_BYTES_MAX = 100 << 20 };

/* The types of the format that a tensor of ours can have. */
static const struct { const char *name; GgufTensorType type; } dtype_row[] = {
	{ "F32", GGUF_TENSOR_F32 }, { "F16", GGUF_TENSOR_F16 }, { "BF16", GGUF_TENSOR_BF16 }, { "F64", GGUF_TENSOR_F64 },
	{ "I64", GGUF_TENSOR_I64 }, { "I32", GGUF_TENSOR_I32 }, { "I16", GGUF_TENSOR_I16 }, { "I8", GGUF_TENSOR_I8 },
};

typedef struct SafeReader {
	ModelLoad l;       /* what failed */
	Str header, data;
	Safetensors *s;
} SafeReader;

static bool find_dtype(SafeReader *r, const JsonNode *x, GgufTensorType *type)
{
	Str name = json_get_text(x, "dtype", STR(""));
	for (size_t i = 0; i < sizeof dtype_row / sizeof *dtype_row; i++)
		if (str_is(name, dtype_row[i].name))
			return *type = dtype_row[i].type, true;
	return model_fail(&r->l, x->lo, "dtype `%.*s` is not known", STR_ARG(model_shown(name)));
}

static bool to_u64(const JsonNode *x, uint64_t *out)
{
	Num n;
	int64_t v;
	if (x->kind != JSON_NUMBER || !num_parse(x->text, &n) || !num_to_i64(&n, &v) || v < 0)
		return false;
	*out = (uint64_t)v;
	return true;
}

static const JsonNode *need_array(SafeReader *r, const JsonNode *x, const char *name)
{
	const JsonNode *list = json_get(x, name);
	if (list && list->kind == JSON_ARRAY)
		return list;
	model_fail(&r->l, x->lo, "a tensor without an array %s", name);
	return NULL;
}

/* Slowest first in the file. *n_bytes is the size that follows. */
static bool read_shape(SafeReader *r, const JsonNode *x, GgufTensor *t, uint64_t *n_bytes)
{
	const JsonNode *shape = need_array(r, x, "shape");
	if (!shape)
		return false;
	if (shape->n > GGUF_DIMS_MAX)
		return model_fail(&r->l, shape->lo, "%u dimensions; up to %d are known", shape->n, GGUF_DIMS_MAX);
	t->n_dim = shape->n ? shape->n : 1;
	*n_bytes = gguf_block_bytes(t->type);
	for (uint32_t d = 0; d < GGUF_DIMS_MAX; d++) {
		t->dim[d] = 1;
		if (d < shape->n && (!to_u64(shape->item[shape->n - 1 - d], &t->dim[d]) || !t->dim[d]))
			return model_fail(&r->l, shape->lo, "a dimension is no whole number above 0");
		if (__builtin_mul_overflow(*n_bytes, t->dim[d], n_bytes))
			return model_fail(&r->l, shape->lo, "the product of the shape overflows");
	}
	return true;
}

static bool read_place(SafeReader *r, const JsonNode *x, uint64_t n_bytes, GgufTensor *t)
{
	const JsonNode *at = need_array(r, x, "data_offsets");
	uint64_t lo, hi;
	if (!at)
		return false;
	if (at->n != 2 || !to_u64(at->item[0], &lo) || !to_u64(at->item[1], &hi))
		return model_fail(&r->l, at->lo, "data_offsets are two whole numbers");
	if (lo > hi || hi > r->data.n)
		return model_fail(&r->l, at->lo, "bytes %llu to %llu are not inside the %zu behind the header", (unsigned long long)lo,
			(unsigned long long)hi, r->data.n);
	if (hi - lo != n_bytes)
		return model_fail(&r->l, at->lo, "%llu bytes for a shape of %llu", (unsigned long long)(hi - lo), (unsigned long long)n_bytes);
	t->data = str_sub(r->data, lo, hi);
	return true;
}

static bool read_tensor(SafeReader *r, const JsonMember *m, GgufTensor *t)
{
	uint64_t n_bytes = 0;
	t->name = m->key->text;
	t->offset = m->key->lo;
	if (m->value->kind != JSON_OBJECT)
		return model_fail(&r->l, m->value->lo, "a tensor is no object");
	return find_dtype(r, m->value, &t->type) && read_shape(r, m->value, t, &n_bytes) && read_place(r, m->value, n_bytes, t);
}

static int by_place(const void *x, const void *y)
{
	const GgufTensor *const *a = x, *const *b = y;
	return (*a)->data.p < (*b)->data.p ? -1 : (*a)->data.p > (*b)->data.p;
}

/* Side by side from the header's end to the file's. */
static bool check_cover(SafeReader *r)
{
	uint32_t n = r->s->n_tensor;
	const GgufTensor **order = arena_array(r->l.a, const GgufTensor *, n);
	const char *end = r->data.p;
	for (uint32_t i = 0; i < n; i++)
		order[i] = &r->s->tensor[i];
	qsort(order, n, sizeof *order, by_place);
	for (uint32_t i = 0; i < n; end = order[i]->data.p + order[i]->data.n, i++)
		if (order[i]->data.p != end)
			return model_fail(&r->l, order[i]->offset, "tensor %.*s does not start where the one before it ends",
				STR_ARG(model_shown(order[i]->name)));
	return end == r->data.p + r->data.n || model_fail(&r->l, 0, "bytes behind the last tensor");
}

static bool read_header(SafeReader *r, const JsonNode *root)
{
	r->s->tensor = arena_array(r->l.a, GgufTensor, root->n);
	for (uint32_t i = 0; i < root->n; i++) {
		const JsonMember *m = &root->member[i];
		if (str_is(m->key->text, "__metadata__"))
			continue;
		GgufTensor *t = &r->s->tensor[r->s->n_tensor];
		if (!read_tensor(r, m, t))
			return false;
		map_add(r->l.a, &r->s->by_tensor, t->name, (void *)(uintptr_t)++r->s->n_tensor);
	}
	return check_cover(r);
}

static bool open_bytes(SafeReader *r, Str bytes)
{
	uint64_t n = 0;
	JsonDoc doc;
	for (int i = 0; i < LENGTH_BYTES && bytes.n > LENGTH_BYTES; i++)
		n |= (uint64_t)(unsigned char)bytes.p[i] << (8 * i);
	if (bytes.n <= LENGTH_BYTES || bytes.p[LENGTH_BYTES] != '{')
		return model_fail(&r->l, 0, "neither a GGUF nor a safetensors file");
	if (n > bytes.n - LENGTH_BYTES || n > HEADER_BYTES_MAX)
		return model_fail(&r->l, 0, "a header of %llu bytes, where %zu remain", (unsigned long long)n, bytes.n - LENGTH_BYTES);
	r->header = str_sub(bytes, LENGTH_BYTES, LENGTH_BYTES + n);
	r->data = str_sub(bytes, LENGTH_BYTES + n, bytes.n);
	if (!json_read(r->l.a, r->header, LENGTH_BYTES, &doc))
		return model_fail(&r->l, doc.err.offset, "%.*s", STR_ARG(doc.err.message));
	if (doc.n_dup)
		return model_fail(&r->l, doc.dup[0].again->lo, "%.*s stands twice", STR_ARG(model_shown(doc.dup[0].name)));
	return doc.root->kind == JSON_OBJECT ? read_header(r, doc.root) : model_fail(&r->l, LENGTH_BYTES, "the header is no object");
}

bool safetensors_open(Arena *a, Str bytes, Safetensors *s, Str *why, size_t *offset)
{
	SafeReader r = { .l.a = a, .s = s };
	*s = (Safetensors){ 0 };
	bool ok = open_bytes(&r, bytes);
	*why = r.l.why;
	*offset = r.l.offset;
	return ok;
}
