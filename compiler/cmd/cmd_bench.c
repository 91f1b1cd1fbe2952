/* `seedc bench`: the flags, the engine, the printed figures. What is measured is bench.h's. */
#include "compiler/cmd/bench.h"
#include "compiler/cmd/cmd.h"
#include "runtime/cpu/bandwidth.h"
#include "runtime/cpu/cpu_engine.h"

#include <stdlib.h>

enum { BENCH_TOKENS_MAX = 1 << 20, BANDWIDTH_ROUNDS = 6 };

typedef struct BenchCommand {
	Invocation *iv;
	const char *path;
	Model model;
	KvFormat kv;
	BenchPlan plan;
	CpuEngineConfig config;
	KvPool *pool;
	Engine *engine;
	BenchResult result;
	double bandwidth;   /* bytes a second */
} BenchCommand;

static int fail(BenchCommand *k, Str why)
{
	cmd_io_error(k->iv, k->path, why);
	return EXIT_FAILED;
}

/* ---- flags --------------------------------------------------------------------------------------------- */

typedef struct CountFlag { FlagId id; uint32_t least, most, otherwise; uint32_t *to; } CountFlag;

static int count_read(BenchCommand *k, const CountFlag *f)
{
	const char *z = args_value(k->iv->args, f->id);
	char *end = "";
	unsigned long long n = z ? strtoull(z, &end, 10) : f->otherwise;
	if (z && (*z < '0' || *z > '9' || *end || n < f->least || n > f->most))
		return cmd_usage_error(k->iv, "`%s` takes a number from %u to %u; `%s` is none", cli_flags[f->id].long_name, f->least, f->most, z);
	*f->to = (uint32_t)n;
	return EXIT_DONE;
}

static int flags_read(BenchCommand *k)
{
	uint32_t threads = 0;
	const CountFlag flag[] = {
		{ FLAG_PREFILL, 0, BENCH_TOKENS_MAX, 512, &k->plan.prefill },
		{ FLAG_DECODE, 0, BENCH_TOKENS_MAX, 64, &k->plan.decode },
		{ FLAG_DEPTH, 0, BENCH_TOKENS_MAX, 0, &k->plan.depth },
		{ FLAG_BATCH, 1, BENCH_BATCH_MAX, 1, &k->plan.batch },
		{ FLAG_CHUNK, 1, BENCH_TOKENS_MAX, CPU_CHUNK_TOK, &k->config.chunk_tok },
		{ FLAG_THREADS, 1, 256, 0, &threads },
	};
	for (size_t i = 0; i < sizeof flag / sizeof *flag; i++) {
		int status = count_read(k, &flag[i]);
		if (status)
			return status;
	}
	if (!k->plan.prefill && !k->plan.decode)
		return cmd_usage_error(k->iv, "`--prefill 0` and `--decode 0` together leave nothing to measure");
	k->config.n_thread = threads;
	k->config.isa = getenv("SEEDC_ISA");
	if (k->config.chunk_tok < k->plan.batch)
		return cmd_usage_error(k->iv, "`--chunk` %u is less than `--batch` %u", k->config.chunk_tok, k->plan.batch);
	k->kv = cmd_kv_format(k->iv->args);
	return EXIT_DONE;
}

/* ---- printing ------------------------------------------------------------------------------------------ */

/* What a step of decoding reads: the weights once, and every sequence's keys and values, at the middle of the run. */
static double step_bytes(const BenchCommand *k)
{
	KvShape shape = cpu_engine_kv_shape(&k->model, k->kv);
	double each = kv_sequence_bytes(&shape, k->plan.depth + k->plan.decode / 2, kv_window_blocks(&shape));
	return (double)cpu_engine_weight_bytes(k->engine) + each * k->plan.batch;
}

static double decode_bandwidth(const BenchCommand *k)
{
	return bench_median(&k->result.decode) / k->plan.batch * step_bytes(k);
}

static void print_row(Buf *out, const char *name, const BenchSpeed *s)
{
	buf_printf(out, "%-10s %9.1f tokens/s   %.1f to %.1f\n", name, bench_median(s), s->v[0], s->v[BENCH_ROUNDS - 1]);
}

static void print_text(const BenchCommand *k)
{
	Buf *out = &k->iv->out;
	const BenchPlan *p = &k->plan;
	buf_printf(out, "%u tokens prefilled, %u steps decoded behind %u tokens in %u sequence%s; keys and values %s; %u thread%s, %s\n",
	           p->prefill, p->decode, p->depth, p->batch, p->batch == 1 ? "" : "s", kv_format_name(k->kv),
	           cpu_engine_threads(k->engine), cpu_engine_threads(k->engine) == 1 ? "" : "s", cpu_engine_isa(k->engine));
	if (p->prefill)
		print_row(out, "prefill", &k->result.prefill);
	if (!p->decode)
		return;
	print_row(out, "decode", &k->result.decode);
	buf_printf(out, "memory     %9.1f GB/s while decoding, %.0f %% of the %.1f that the threads can read\n", decode_bandwidth(k) / 1e9,
	           100 * decode_bandwidth(k) / k->bandwidth, k->bandwidth / 1e9);
}

static void print_speed(Buf *out, const char *name, const BenchSpeed *s)
{
	buf_printf(out, ",\"%s_tok_s\":%.6g,\"%s_spread\":[%.6g,%.6g]", name, bench_median(s), name, s->v[0], s->v[BENCH_ROUNDS - 1]);
}

static void print_json(const BenchCommand *k)
{
	Buf *out = &k->iv->out;
	const BenchPlan *p = &k->plan;
	buf_lit(out, "{\"model\":");
	buf_json_str(out, str_from(k->path));
	buf_printf(out, ",\"engine\":\"cpu\",\"isa\":\"%s\",\"threads\":%u,\"kv\":\"%s\",\"prefill\":%u,\"decode\":%u,\"depth\":%u,\"batch\":%u,"
	           "\"chunk\":%u", cpu_engine_isa(k->engine), cpu_engine_threads(k->engine), kv_format_name(k->kv), p->prefill, p->decode,
	           p->depth, p->batch, k->engine->chunk_tok);
	if (p->prefill)
		print_speed(out, "prefill", &k->result.prefill);
	if (p->decode) {
		print_speed(out, "decode", &k->result.decode);
		buf_printf(out, ",\"read_gb_s\":%.4g,\"decode_gb_s\":%.4g,\"decode_share\":%.4g", k->bandwidth / 1e9, decode_bandwidth(k) / 1e9,
		           decode_bandwidth(k) / k->bandwidth);
	}
	buf_lit(out, "}\n");
}

/* ---- the command --------------------------------------------------------------------------------------- */

static bool engine_open(BenchCommand *k, Str *why)
{
	KvConfig config = { .shape = cpu_engine_kv_shape(&k->model, k->kv), .n_block = bench_blocks(&k->plan), .n_sequence = k->plan.batch };
	config.n_local = k->plan.batch * kv_local_blocks(&config.shape, 1, k->config.chunk_tok);
	k->pool = kv_pool_new(&k->iv->arena, &config, why);
	k->engine = k->pool ? cpu_engine_open(&k->iv->arena, &k->model, k->pool, &k->config, why) : NULL;
	return k->engine != NULL;
}

static int bench_model(BenchCommand *k)
{
	Str why;
	int status = EXIT_DONE;
	if (!model_has(&k->model, MODEL_CAUSAL))
		return fail(k, STR("an encoder predicts no text: there is nothing to prefill or to decode"));
	uint32_t n_ctx = k->model.shape.n_ctx;
	if (!args_has(k->iv->args, FLAG_PREFILL) && k->plan.prefill > n_ctx)
		k->plan.prefill = n_ctx;
	if (k->plan.prefill > n_ctx || (uint64_t)k->plan.depth + k->plan.decode > n_ctx)
		return cmd_usage_error(k->iv, "the model's context is %u tokens: `--prefill`, and `--depth` with `--decode`, go up to that", n_ctx);
	if (!engine_open(k, &why) || !bench_run(k->engine, &k->plan, &k->result, &why))
		status = fail(k, why);
	if (!status && k->plan.decode)
		k->bandwidth = cpu_read_bandwidth(&k->iv->arena, cpu_engine_threads(k->engine), BANDWIDTH_ROUNDS);
	if (!status)
		(args_has(k->iv->args, FLAG_JSON) ? print_json : print_text)(k);
	if (k->engine)
		k->engine->ops->free(k->engine);
	if (k->pool)
		kv_pool_free(k->pool);
	return status;
}

int cmd_bench(Invocation *iv)
{
	Str why;
	size_t offset;
	BenchCommand k = { .iv = iv };
	if (args_has(iv->args, FLAG_BASELINE) || args_has(iv->args, FLAG_CANDIDATE) || args_has(iv->args, FLAG_QPS))
		return cmd_usage_error(iv, "`bench` does not compare versions under load yet: leave --baseline, --candidate and --qps out");
	if (iv->args->operand.n)
		return cmd_usage_error(iv, "`bench` takes no file but --model's, a GGUF: seedc bench --model %s", iv->args->operand.v[0]);
	int status = flags_read(&k);
	if (!status)
		status = cmd_find_model(iv, &k.path);
	if (status)
		return status;
	if (!model_open(&iv->arena, k.path, &k.model, &why, &offset))
		return fail(&k, offset ? str_fmt(&iv->arena, "byte %zu: %.*s", offset, STR_ARG(why)) : why);
	status = bench_model(&k);
	model_close(&k.model);
	return status;
}
