/* Opening and closing: which container a file is, what failed first, architectures by name. See model.h. */
#include "runtime/model/load.h"

#include <stdarg.h>

#include "runtime/base/file.h"

static const ModelArch arch_row[] = {
#define RMS MODEL_NORM_RMS
#define LAYER MODEL_NORM_LAYER
#define CAUSAL MODEL_CAUSAL
#define PRE_NORM MODEL_PRE_NORM
#define BRANCH_NORM MODEL_BRANCH_NORM
#define SUM_NORM MODEL_SUM_NORM
#define GATED MODEL_GATED
#define QKV_BIAS MODEL_QKV_BIAS
#define BIAS MODEL_BIAS
#define QK_NORM MODEL_QK_NORM
#define EMBD_SCALE MODEL_EMBD_SCALE
#define WINDOW MODEL_WINDOW
#define POSITIONS MODEL_POSITIONS
#define MODEL_ARCH(name, norm, rope, act, features) { #name, norm, MODEL_ROPE_##rope, MODEL_ACT_##act, features },
#include "runtime/model/arch.def"
#undef MODEL_ARCH
};

enum { SHOWN_BYTES = 60 };

bool model_fail(ModelLoad *l, size_t offset, const char *fmt, ...)
{
	va_list ap;
	if (l->why.n)
		return false;
	va_start(ap, fmt);
	l->why = str_vfmt(l->a, fmt, ap);
	va_end(ap);
	l->offset = offset;
	return false;
}

Str model_shown(Str name)
{
	size_t n = name.n < SHOWN_BYTES ? name.n : SHOWN_BYTES;
	while (n && n < name.n && ((unsigned char)name.p[n] & 0xc0) == 0x80)
		n--;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)name.p[i] < 0x20 || name.p[i] == 0x7f)
			return STR("(a name with control characters)");
	return str_sub(name, 0, n);
}

const ModelArch *model_find_arch(ModelLoad *l, Str name, size_t offset)
{
	Buf known = { 0 };
	for (size_t i = 0; i < sizeof arch_row / sizeof *arch_row; i++) {
		if (str_is(name, arch_row[i].name))
			return buf_free(&known), &arch_row[i];
		buf_printf(&known, "%s%s", i ? ", " : "", arch_row[i].name);
	}
	model_fail(l, offset, "the architecture `%.*s` is not known; known are %.*s", STR_ARG(model_shown(name)), STR_ARG(buf_str(&known)));
	buf_free(&known);
	return NULL;
}

bool model_load_gguf(ModelLoad *l, Str bytes)
{
	Gguf g;
	if (!gguf_open(l->a, bytes, &g, &l->why, &l->offset))
		return false;
	l->m->tokenizer = bytes;
	TensorTable t = { CONTAINER_GGUF, g.tensor, g.n_tensor, &g.by_tensor };
	return model_shape_of_gguf(l, &g) && model_bind(l, &t) && model_read_special(l, &g);
}

static bool end_load(const ModelLoad *l, bool ok, Str *why, size_t *offset)
{
	*why = l->why;
	*offset = l->offset;
	return ok;
}

bool model_init(Arena *a, Str bytes, Model *m, Str *why, size_t *offset)
{
	ModelLoad l = { .a = a, .m = m };
	*m = (Model){ .bos = TOKEN_NONE, .eos = TOKEN_NONE, .eot = TOKEN_NONE };
	return end_load(&l, model_load_gguf(&l, bytes), why, offset);
}

static bool open_file(ModelLoad *l, const char *path)
{
	Str bytes;
	if (!file_map(l->a, path, &bytes, &l->why))
		return false;
	l->m->file = bytes;
	if (!str_starts(bytes, STR("GGUF")))
		return model_load_safetensors(l, bytes, path);
	if (!model_load_gguf(l, bytes))
		return false;
	model_hash_file(l->a, path, bytes, l->m->fingerprint);
	return true;
}

bool model_open(Arena *a, const char *path, Model *m, Str *why, size_t *offset)
{
	ModelLoad l = { .a = a, .m = m };
	*m = (Model){ .bos = TOKEN_NONE, .eos = TOKEN_NONE, .eot = TOKEN_NONE };
	bool ok = open_file(&l, path);
	if (!ok)
		model_close(m);
	return end_load(&l, ok, why, offset);
}

void model_close(Model *m)
{
	file_unmap(m->file);
	*m = (Model){ 0 };
}
