/* GGUF: see gguf.h. One reader with a cursor that never passes the end; the first failure stands. */
#include "runtime/gguf/gguf.h"

#include <stdarg.h>

#include "runtime/base/utf8.h"
#include "runtime/base/vec.h"

enum { NAME_BYTES_MAX = 65535, SHOWN_BYTES = 64 };

typedef struct Reader {
	Arena *a;
	Str s;
	size_t at;
	bool failed;
	Str why;
	size_t offset;
} Reader;

static bool fail(Reader *r, size_t offset, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static bool fail(Reader *r, size_t offset, const char *fmt, ...)
{
	va_list ap;
	if (r->failed)
		return false;
	va_start(ap, fmt);
	r->why = str_vfmt(r->a, fmt, ap);
	va_end(ap);
	r->offset = offset;
	r->failed = true;
	return false;
}

/* ---- numbers ------------------------------------------------------------------------------------- */

static uint64_t load_le(const char *p, size_t n)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)(unsigned char)p[i] << (8 * i);
	return v;
}

static size_t left_bytes(const Reader *r)
{
	return r->s.n - r->at;
}

/* 0 after a failure. */
static uint64_t take_int(Reader *r, size_t n)
{
	if (left_bytes(r) < n) {
		fail(r, r->s.n, "the file ends inside a number");
		r->at = r->s.n;
		return 0;
	}
	r->at += n;
	return load_le(r->s.p + r->at - n, n);
}

static const uint8_t type_bytes[GGUF_TYPE_COUNT] = {
	[GGUF_U8] = 1, [GGUF_I8] = 1, [GGUF_U16] = 2, [GGUF_I16] = 2, [GGUF_U32] = 4, [GGUF_I32] = 4, [GGUF_F32] = 4,
	[GGUF_BOOL] = 1, [GGUF_U64] = 8, [GGUF_I64] = 8, [GGUF_F64] = 8,
};

const char *gguf_type_name(GgufType t)
{
	static const char *const name[GGUF_TYPE_COUNT] = {
		"u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "string", "array", "u64", "i64", "f64",
	};
	return t < GGUF_TYPE_COUNT ? name[t] : "unknown";
}

typedef struct TensorRow { const char *name; uint32_t number, len, bytes; } TensorRow;

static const TensorRow tensor_row[] = {
#define GGUF_TENSOR(name, number, len, bytes) { #name, number, len, bytes },
#include "runtime/gguf/gguf_types.def"
#undef GGUF_TENSOR
};

static const TensorRow *find_row(uint32_t number)
{
	for (size_t i = 0; i < sizeof tensor_row / sizeof *tensor_row; i++)
		if (tensor_row[i].number == number)
			return &tensor_row[i];
	return NULL;
}

const char *gguf_tensor_type_name(GgufTensorType t)
{
	return find_row(t)->name;
}

uint32_t gguf_block_len(GgufTensorType t)
{
	return find_row(t)->len;
}

uint32_t gguf_block_bytes(GgufTensorType t)
{
	return find_row(t)->bytes;
}

/* ---- names --------------------------------------------------------------------------------------- */

static bool take_string(Reader *r, uint64_t max, Str *s)
{
	size_t at = r->at;
	uint64_t n = take_int(r, 8);
	if (r->failed)
		return false;
	if (n > left_bytes(r) || n > max)
		return fail(r, at, "a string of %llu bytes, where %zu remain", (unsigned long long)n, left_bytes(r));
	*s = (Str){ r->s.p + r->at, (size_t)n };
	r->at += (size_t)n;
	return true;
}

/* Names are printed: they must be text without control characters. */
static bool take_name(Reader *r, Str *name)
{
	size_t at = r->at;
	if (!take_string(r, NAME_BYTES_MAX, name))
		return false;
	if (!name->n || utf8_find_bad(*name) < name->n)
		return fail(r, at, "a name that is %s", name->n ? "not UTF-8" : "empty");
	for (size_t i = 0; i < name->n; i++)
		if ((unsigned char)name->p[i] < 0x20 || name->p[i] == 0x7f)
			return fail(r, at, "a name with a control character");
	return true;
}

/* For messages: the first bytes. */
static Str shown(Str name)
{
	size_t n = name.n < SHOWN_BYTES ? name.n : SHOWN_BYTES;
	while (n < name.n && ((unsigned char)name.p[n] & 0xc0) == 0x80)
		n--;
	return str_sub(name, 0, n);
}

static bool name_once(Reader *r, Map *seen, Str name, uint32_t index, size_t offset)
{
	if (map_add(r->a, seen, name, (void *)((uintptr_t)index + 1)))
		return fail(r, offset, "%.*s stands twice", STR_ARG(shown(name)));
	return true;
}

static uint32_t index_of(const Map *m, Str name)
{
	return (uint32_t)((uintptr_t)map_get(m, name) - 1);
}

/* ---- keys ---------------------------------------------------------------------------------------- */

static bool take_type(Reader *r, const GgufKey *k, GgufType *type)
{
	uint64_t t = take_int(r, 4);
	*type = (GgufType)t;
	if (r->failed || t < GGUF_TYPE_COUNT)
		return !r->failed;
	return fail(r, r->at - 4, "%.*s: value type %llu is not known", STR_ARG(shown(k->name)), (unsigned long long)t);
}

static bool check_bools(Reader *r, const GgufKey *k)
{
	for (size_t i = 0; k->item == GGUF_BOOL && i < k->value.n; i++)
		if ((unsigned char)k->value.p[i] > 1)
			return fail(r, (size_t)(k->value.p - r->s.p) + i, "%.*s: a bool is 0 or 1", STR_ARG(shown(k->name)));
	return true;
}

/* k->n values of k->item, from the cursor. */
static bool take_values(Reader *r, GgufKey *k)
{
	size_t from = r->at, each = k->item == GGUF_STRING ? 8 : type_bytes[k->item];
	if (k->n > left_bytes(r) / each)
		return fail(r, from, "%.*s: %llu values, where %zu bytes remain", STR_ARG(shown(k->name)), (unsigned long long)k->n,
			left_bytes(r));
	Str s;
	if (k->item != GGUF_STRING)
		r->at += (size_t)k->n * each;
	else
		for (uint64_t i = 0; i < k->n; i++)
			if (!take_string(r, UINT64_MAX, &s))
				return false;
	k->value = str_sub(r->s, from, r->at);
	return check_bools(r, k);
}

static bool take_key(Reader *r, GgufKey *k)
{
	k->offset = r->at;
	if (!take_name(r, &k->name) || !take_type(r, k, &k->type))
		return false;
	k->item = k->type;
	k->n = 1;
	if (k->type == GGUF_STRING)
		return take_string(r, UINT64_MAX, &k->value);
	if (k->type == GGUF_ARRAY) {
		if (!take_type(r, k, &k->item))
			return false;
		k->n = take_int(r, 8);
		if (k->item == GGUF_ARRAY)
			return fail(r, k->offset, "%.*s: an array of arrays", STR_ARG(shown(k->name)));
	}
	return !r->failed && take_values(r, k);
}

static bool take_keys(Reader *r, Gguf *g, uint64_t n)
{
	VEC(GgufKey) key = { 0 };
	enum { LEAST_BYTES = 8 + 1 + 4 + 1 };
	if (n > left_bytes(r) / LEAST_BYTES)
		return fail(r, 16, "%llu keys, where %zu bytes remain", (unsigned long long)n, left_bytes(r));
	for (uint64_t i = 0; i < n; i++) {
		GgufKey k = { 0 };
		if (!take_key(r, &k) || !name_once(r, &g->by_key, k.name, (uint32_t)i, k.offset))
			return false;
		vec_push(r->a, &key, k);
	}
	g->key = key.v;
	g->n_key = key.n;
	return true;
}

/* ---- tensors ------------------------------------------------------------------------------------- */

static bool read_alignment(Reader *r, Gguf *g)
{
	const GgufKey *k = gguf_find(g, "general.alignment");
	g->alignment = GGUF_ALIGNMENT;
	if (!k)
		return true;
	if (k->type != GGUF_U32)
		return fail(r, k->offset, "general.alignment is a u32, not %s", gguf_type_name(k->type));
	gguf_to_u32(k, &g->alignment);
	if (!g->alignment || g->alignment & (g->alignment - 1))
		return fail(r, k->offset, "general.alignment %u is no power of two", g->alignment);
	return true;
}

/* Elements, or false where the product would overflow. */
static bool count_elements(const GgufTensor *t, uint64_t *n)
{
	*n = 1;
	for (uint32_t d = 0; d < t->n_dim; d++)
		if (__builtin_mul_overflow(*n, t->dim[d], n) || *n > INT64_MAX)
			return false;
	return true;
}

/* What it says of its shape and type; *n_bytes is the size that follows. */
static bool take_shape(Reader *r, GgufTensor *t, uint64_t *n_bytes)
{
	Str name = shown(t->name);
	uint64_t n_dim = take_int(r, 4), n;
	if (!r->failed && (!n_dim || n_dim > GGUF_DIMS_MAX))
		return fail(r, t->offset, "tensor %.*s has %llu dimensions; 1 to %d are known", STR_ARG(name), (unsigned long long)n_dim,
			GGUF_DIMS_MAX);
	for (uint32_t d = 0; d < GGUF_DIMS_MAX; d++)
		t->dim[d] = d < n_dim ? take_int(r, 8) : 1;
	t->n_dim = (uint32_t)n_dim;
	uint32_t type = (uint32_t)take_int(r, 4);
	const TensorRow *row = find_row(type);
	for (uint32_t d = 0; !r->failed && d < n_dim; d++)
		if (!t->dim[d])
			return fail(r, t->offset, "tensor %.*s: dimension %u is zero", STR_ARG(name), d);
	if (!r->failed && !row)
		return fail(r, t->offset, "tensor %.*s has type %u, which is not known", STR_ARG(name), type);
	if (r->failed)
		return false;
	t->type = (GgufTensorType)type;
	if (t->dim[0] % row->len)
		return fail(r, t->offset, "tensor %.*s: rows of %llu are no whole blocks of %s", STR_ARG(name),
			(unsigned long long)t->dim[0], row->name);
	if (!count_elements(t, &n) || __builtin_mul_overflow(n / row->len, (uint64_t)row->bytes, n_bytes))
		return fail(r, t->offset, "tensor %.*s: its size overflows", STR_ARG(name));
	return true;
}

typedef struct Place { uint64_t off, n_bytes; } Place;

static bool take_tensor(Reader *r, GgufTensor *t, Place *p)
{
	t->offset = r->at;
	if (!take_name(r, &t->name) || !take_shape(r, t, &p->n_bytes))
		return false;
	p->off = take_int(r, 8);
	return !r->failed;
}

/* Each lies behind the one before, aligned, inside what is left of the file. */
static bool place_tensors(Reader *r, Gguf *g, const Place *place)
{
	uint64_t pad = (g->alignment - r->at % g->alignment) % g->alignment, end = 0;
	if (g->n_tensor && pad > left_bytes(r))
		return fail(r, r->s.n, "the file ends before its tensors");
	for (uint32_t i = 0; i < g->n_tensor; i++) {
		GgufTensor *t = &g->tensor[i];
		uint64_t room = left_bytes(r) - pad, off = place[i].off;
		Str name = shown(t->name);
		if (off % g->alignment)
			return fail(r, t->offset, "tensor %.*s: offset %llu is not aligned to %u", STR_ARG(name), (unsigned long long)off,
				g->alignment);
		if (off < end)
			return fail(r, t->offset, "tensor %.*s: offset %llu is inside the tensor before it", STR_ARG(name),
				(unsigned long long)off);
		if (off > room || place[i].n_bytes > room - off)
			return fail(r, t->offset, "tensor %.*s: %llu bytes at %llu are not inside the file", STR_ARG(name),
				(unsigned long long)place[i].n_bytes, (unsigned long long)off);
		end = off + place[i].n_bytes;
		t->data = (Str){ r->s.p + r->at + pad + off, (size_t)place[i].n_bytes };
	}
	return true;
}

static bool take_tensors(Reader *r, Gguf *g, uint64_t n)
{
	VEC(GgufTensor) tensor = { 0 };
	VEC(Place) place = { 0 };
	enum { LEAST_BYTES = 8 + 1 + 4 + 8 + 4 + 8 };
	if (n > left_bytes(r) / LEAST_BYTES)
		return fail(r, 8, "%llu tensors, where %zu bytes remain", (unsigned long long)n, left_bytes(r));
	for (uint64_t i = 0; i < n; i++) {
		GgufTensor t = { 0 };
		Place p = { 0 };
		if (!take_tensor(r, &t, &p) || !name_once(r, &g->by_tensor, t.name, (uint32_t)i, t.offset))
			return false;
		vec_push(r->a, &tensor, t);
		vec_push(r->a, &place, p);
	}
	g->tensor = tensor.v;
	g->n_tensor = tensor.n;
	return place_tensors(r, g, place.v);
}

/* ---- the file ------------------------------------------------------------------------------------ */

static bool read_file(Reader *r, Gguf *g)
{
	if (!str_starts(r->s, STR("GGUF")))
		return fail(r, 0, "not a GGUF file");
	r->at = 4;
	g->version = (uint32_t)take_int(r, 4);
	if (r->failed)
		return false;
	if (g->version && !(g->version & 0xffff))
		return fail(r, 4, "a big-endian GGUF; little-endian ones are known");
	if (g->version != 2 && g->version != 3)
		return fail(r, 4, "GGUF version %u; 2 and 3 are known", g->version);
	uint64_t n_tensor = take_int(r, 8), n_key = take_int(r, 8);
	return !r->failed && take_keys(r, g, n_key) && read_alignment(r, g) && take_tensors(r, g, n_tensor);
}

bool gguf_open(Arena *a, Str bytes, Gguf *g, Str *why, size_t *offset)
{
	Reader r = { .a = a, .s = bytes };
	*g = (Gguf){ 0 };
	bool ok = read_file(&r, g);
	*why = r.why;
	*offset = r.offset;
	return ok;
}

const GgufKey *gguf_find(const Gguf *g, const char *name)
{
	uint32_t i = index_of(&g->by_key, str_from(name));
	return i == UINT32_MAX ? NULL : &g->key[i];
}

const GgufTensor *gguf_find_tensor(const Gguf *g, Str name)
{
	uint32_t i = index_of(&g->by_tensor, name);
	return i == UINT32_MAX ? NULL : &g->tensor[i];
}

/* ---- values -------------------------------------------------------------------------------------- */

Str gguf_text(const GgufKey *k)
{
	return k && k->type == GGUF_STRING ? k->value : (Str){ "", 0 };
}

static bool is_whole(GgufType t)
{
	return t < GGUF_TYPE_COUNT && type_bytes[t] && t != GGUF_F32 && t != GGUF_F64 && t != GGUF_BOOL;
}

static bool is_signed(GgufType t)
{
	return t == GGUF_I8 || t == GGUF_I16 || t == GGUF_I32 || t == GGUF_I64;
}

int64_t gguf_item_int(const GgufKey *k, uint64_t i)
{
	size_t n = type_bytes[k->item];
	uint64_t v = load_le(k->value.p + i * n, n), sign = (uint64_t)1 << (8 * n - 1);
	return (int64_t)(is_signed(k->item) ? (v ^ sign) - sign : v);
}

float gguf_item_f32(const GgufKey *k, uint64_t i)
{
	uint32_t bits = (uint32_t)load_le(k->value.p + i * 4, 4);
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
}

bool gguf_to_u32(const GgufKey *k, uint32_t *out)
{
	if (!k || !is_whole(k->type))
		return false;
	int64_t v = gguf_item_int(k, 0);
	*out = (uint32_t)v;
	return v >= 0 && v <= UINT32_MAX;
}

bool gguf_to_bool(const GgufKey *k, bool *out)
{
	if (!k || k->type != GGUF_BOOL)
		return false;
	*out = k->value.p[0] != 0;
	return true;
}

bool gguf_to_f32(const GgufKey *k, float *out)
{
	if (!k || k->type != GGUF_F32)
		return false;
	*out = gguf_item_f32(k, 0);
	return true;
}

GgufStrings gguf_strings(const GgufKey *k)
{
	bool is_list = k && k->type == GGUF_ARRAY && k->item == GGUF_STRING;
	return (GgufStrings){ is_list ? k->value : (Str){ "", 0 }, is_list ? k->n : 0 };
}

bool gguf_next_string(GgufStrings *it, Str *s)
{
	if (!it->left)
		return false;
	it->left--;
	*s = str_sub(it->rest, 8, 8 + (size_t)load_le(it->rest.p, 8));
	it->rest = str_sub(it->rest, 8 + s->n, it->rest.n);
	return true;
}
