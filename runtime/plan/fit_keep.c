/* fit.h: a fit in the cache folder, and the whole of it. */
#include "runtime/plan/fit.h"

#include <math.h>

#include "runtime/base/clock.h"
#include "runtime/base/file.h"
#include "runtime/base/json.h"
#include "runtime/base/num.h"
#include "runtime/model/load.h"
#include "runtime/token/vocab_store.h"

enum { FIT_VERSION = 1, HEX_BYTES = 2 * SHA256_BYTES, NAME_HEX_BYTES = 32 };

/* What a kept fit holds: each a number above 0, or from 0 on where it may be 0. */
typedef struct FitField { const char *name; size_t at; bool may_be_zero; } FitField;
static const FitField fields[] = {
	{ "bytes_per_s", offsetof(PlanProfile, bytes_per_s), false }, { "flop_per_s", offsetof(PlanProfile, flop_per_s), false },
	{ "e_bw", offsetof(PlanProfile, fit.e_bw), false }, { "e_f", offsetof(PlanProfile, fit.e_f), false },
	{ "e_attend", offsetof(PlanProfile, fit.e_attend), false }, { "sync_s", offsetof(PlanProfile, fit.sync_s), true },
	{ "take_s", offsetof(PlanProfile, fit.take_s), true },
};
enum { N_FIELD = sizeof fields / sizeof *fields };

/* ---- the key ---------------------------------------------------------------------------------- */

/* The line that names the processor, where the system has one: a cache folder may be seen from several machines. */
static Str processor(Arena *a)
{
	Str text, line, why;
	if (!file_read(a, "/proc/cpuinfo", &text, &why))
		return STR("");
	while (str_line(&text, &line))
		if (str_starts(line, STR("model name")) || str_starts(line, STR("CPU part")))
			return line;
	return STR("");
}

static bool is_zero(const uint8_t hash[SHA256_BYTES])
{
	int any = 0;
	for (int i = 0; i < SHA256_BYTES; i++)
		any |= hash[i];
	return !any;
}

const char *fit_path(Arena *a, const PlanFitting *f, Str *key, Str *not_kept)
{
	uint8_t hash[SHA256_BYTES];
	char model[HEX_BYTES], hex[HEX_BYTES];
	const char *isa = cpu_config_isa(&f->cpu);
	Str cache = model_cache_folder(a);
	*not_kept = !cache.n ? STR("no cache folder is named: $SEEDC_CACHE_DIR") : is_zero(f->model->fingerprint) ? STR("the model is no file") : STR("");
	if (not_kept->n)
		return NULL;
	sha256_hex(f->model->fingerprint, model);
	sha256_of(str_fmt(a, "%d " SEED_VERSION " " CPU_ENGINE_BITS "|%.*s|%s|%u|%s|%.*s", FIT_VERSION, HEX_BYTES, model, isa ? isa : "",
	          cpu_config_threads(&f->cpu), kv_format_name(f->kv), STR_ARG(processor(a))), hash);
	sha256_hex(hash, hex);
	*key = str_dup(a, (Str){ hex, HEX_BYTES });
	return str_z(a, str_fmt(a, "%.*s/fit/%.*s.json", STR_ARG(cache), NAME_HEX_BYTES, hex));
}

/* ---- reading and writing ---------------------------------------------------------------------- */

static bool read_field(const JsonNode *root, const FitField *field, PlanProfile *p)
{
	const JsonNode *x = json_get(root, field->name);
	double value = x && x->kind == JSON_NUMBER ? num_to_double(x->text) : -1;
	memcpy((char *)p + field->at, &value, sizeof value);
	return isfinite(value) && (value > 0 || (field->may_be_zero && value == 0));
}

bool fit_read(Arena *a, const char *path, Str key, PlanProfile *p)
{
	Str text, why;
	JsonDoc doc;
	PlanProfile read = *p;
	if (!file_read(a, path, &text, &why) || !json_read(a, text, 0, &doc) || !str_eq(json_get_text(doc.root, "key", STR("")), key))
		return false;
	for (int i = 0; i < N_FIELD; i++)
		if (!read_field(doc.root, &fields[i], &read))
			return false;
	read.is_fitted = true;
	*p = read;
	return true;
}

bool fit_write(Arena *a, const char *path, Str key, const PlanProfile *p, Str *why)
{
	Buf out = { 0 };
	const char *slash = strrchr(path, '/');
	buf_printf(&out, "{\"key\":\"%.*s\"", STR_ARG(key));
	for (int i = 0; i < N_FIELD; i++) {
		double value;
		memcpy(&value, (const char *)p + fields[i].at, sizeof value);
		buf_printf(&out, ",\"%s\":%.17g", fields[i].name, value);
	}
	buf_lit(&out, "}\n");
	bool ok = vocab_store_make(a, str_range(path, slash), why) && file_write(a, path, buf_str(&out), why);
	buf_free(&out);
	return ok;
}

/* ---- all of it -------------------------------------------------------------------------------- */

bool plan_fit(Arena *a, PlanFitting *f, PlanProfile *p, Str *why)
{
	Str key;
	FitTimes times;
	const char *path = fit_path(a, f, &key, &f->not_kept);
	f->took_s = 0;
	f->kept_at = path;
	if (path && f->how == FIT_KEPT_OR_NEW && fit_read(a, path, key, p))
		return true;
	if (f->begin)
		f->begin();
	uint64_t from = clock_now_ns();
	if (!fit_measure(a, f, &times, why))
		return false;
	PlanModel m = plan_model(f->model, f->kv);
	fit_solve(&m, &times, p);
	f->took_s = (double)(clock_now_ns() - from) * 1e-9;
	if (path && !fit_write(a, path, key, p, &f->not_kept))
		f->kept_at = NULL;
	return true;
}
