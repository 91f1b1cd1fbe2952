/* A BERT in the files of its makers: model.safetensors, config.json and vocab.txt in one folder. */
#include "runtime/base/file.h"
#include "runtime/model/load.h"
#include "runtime/model/safetensors.h"

static bool read_beside(ModelLoad *l, const char *path, const char *name, Str *out)
{
	const char *slash = strrchr(path, '/');
	int n_dir = slash ? (int)(slash - path) + 1 : 0;
	Str why;
	if (file_read(l->a, str_z(l->a, str_fmt(l->a, "%.*s%s", n_dir, path, name)), out, &why))
		return true;
	return model_fail(l, 0, "%s beside a safetensors file: %.*s", name, STR_ARG(why));
}

static bool read_config(ModelLoad *l, Str text)
{
	JsonDoc doc;
	if (!json_read(l->a, text, 0, &doc))
		return model_fail(l, doc.err.offset, "config.json: %.*s", STR_ARG(doc.err.message));
	return model_shape_of_config(l, doc.root);
}

/* Of the three hashes, each of one length. */
static void hash_all(ModelLoad *l, Str bytes, const char *path, Str config)
{
	uint8_t hash[3][SHA256_BYTES];
	model_hash_file(l->a, path, bytes, hash[0]);
	sha256_of(config, hash[1]);
	sha256_of(l->m->tokenizer, hash[2]);
	sha256_of((Str){ (const char *)hash, sizeof hash }, l->m->fingerprint);
}

bool model_load_safetensors(ModelLoad *l, Str bytes, const char *path)
{
	Safetensors s;
	Str config;
	if (!safetensors_open(l->a, bytes, &s, &l->why, &l->offset) || !read_beside(l, path, "config.json", &config)
		|| !read_config(l, config) || !read_beside(l, path, "vocab.txt", &l->m->tokenizer))
		return false;
	TensorTable t = { CONTAINER_SAFETENSORS, s.tensor, s.n_tensor, &s.by_tensor };
	if (!model_bind(l, &t))
		return false;
	hash_all(l, bytes, path, config);
	return true;
}
