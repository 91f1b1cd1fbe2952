/* `seedc inspect`: what a .bin is made of; with --align-check the addresses that attention reads for it, against a
 * boundary. */
#include "compiler/cmd/cmd.h"

#include <stdlib.h>

#include "runtime/base/file.h"
#include "runtime/cpu/cpu_engine.h"
#include "runtime/kv/kv_file.h"
#include "runtime/plan/align.h"

enum { CONTEXT_MAX = 8192, BOUNDARY_MAX = 4096 };

#define NCU "ncu --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum," \
	"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct --kernel-name attn_decode seedc run "

typedef struct Inspect {
	Invocation *iv;
	const char *path;
	Str mapped;
	Bin bin;
	/* of the baked cache, where there is one */
	KvShape baked;
	KvFileLayout layout;
	uint32_t n_baked;      /* blocks; 0: none */
} Inspect;

/* ---- the file --------------------------------------------------------------------------------- */

static int open_bin(Inspect *k)
{
	BinError err;
	Str why;
	if (!file_map(&k->iv->arena, k->path, &k->mapped, &why))
		return cmd_io_error(k->iv, k->path, why);
	if (bin_open(&k->bin, k->mapped.p, k->mapped.n, &err) != BIN_OK)
		return cmd_io_error(k->iv, k->path, str_fmt(&k->iv->arena, "byte %llu: %s", (unsigned long long)err.off, err.message));
	if (!k->bin.kv.n)
		return EXIT_DONE;
	if (kv_file_peek(k->bin.kv, &k->baked, &k->n_baked, &k->layout) && k->n_baked)
		return EXIT_DONE;
	k->n_baked = 0;
	if (kv_file_is_other_version(k->bin.kv)) {
		buf_printf(&k->iv->err, "seedc: note: %s: the KV cache was baked by another version of seedc: bake it again\n", k->path);
		return EXIT_DONE;
	}
	return cmd_io_error(k->iv, k->path, str_fmt(&k->iv->arena, "byte %llu: the baked KV cache is damaged",
	                                            (unsigned long long)(k->bin.kv.p - k->mapped.p)));
}

static const char *section_name(Arena *a, uint32_t kind)
{
	switch (kind) {
	case SECTION_STR: return "strings";
	case SECTION_KV: return "kv";
#define TABLE(section, T, field, n_bytes) case section: return #field;
#include "runtime/bin/bin_sections.def"
#undef TABLE
	default: return str_z(a, str_fmt(a, "kind %u", kind));
	}
}

static const BinSection *sections(const Inspect *k)
{
	return (const BinSection *)(const void *)(k->bin.bytes + k->bin.header->section_off);
}

static void print_summary(const Inspect *k)
{
	Buf *out = &k->iv->out;
	buf_printf(out, "seedc binary %u.%u, %zu bytes\n", k->bin.header->version_major, k->bin.header->version_minor, k->mapped.n);
	for (uint32_t i = 0; i < k->bin.header->n_section; i++) {
		const BinSection *s = &sections(k)[i];
		buf_printf(out, "section %-14s at %8llu: %8llu bytes, records %u\n", section_name(&k->iv->arena, s->kind), (unsigned long long)s->off,
		           (unsigned long long)s->size, s->n_record);
	}
	for (uint32_t i = 0; i < k->bin.n_prompt; i++) {
		const BinPrompt *p = &k->bin.prompt[i];
		buf_lit(out, "prompt ");
		render_put_shown(out, bin_str(&k->bin, p->name));
		buf_printf(out, ": inputs %u, stages %u, segments %u\n", p->input.n, p->stage.n, p->seg.n);
	}
	if (k->n_baked)
		buf_printf(out, "baked: %u tokens, blocks of %d: %u, %s, layers %u, KV heads %u, channels %u\n", k->n_baked * KV_BLOCK, KV_BLOCK, k->n_baked,
		           kv_format_name(k->baked.format), k->baked.n_layer, k->baked.n_head, k->baked.head_len);
}

static void print_summary_json(const Inspect *k)
{
	Buf *out = &k->iv->out;
	buf_lit(out, "{\"file\":");
	buf_json_str(out, str_from(k->path));
	buf_printf(out, ",\"version\":\"%u.%u\",\"bytes\":%zu,\"sections\":[", k->bin.header->version_major, k->bin.header->version_minor, k->mapped.n);
	for (uint32_t i = 0; i < k->bin.header->n_section; i++) {
		const BinSection *s = &sections(k)[i];
		buf_printf(out, "%s{\"kind\":\"%s\",\"offset\":%llu,\"bytes\":%llu,\"records\":%u}", i ? "," : "", section_name(&k->iv->arena, s->kind),
		           (unsigned long long)s->off, (unsigned long long)s->size, s->n_record);
	}
	buf_lit(out, "],\"prompts\":[");
	for (uint32_t i = 0; i < k->bin.n_prompt; i++) {
		const BinPrompt *p = &k->bin.prompt[i];
		buf_printf(out, "%s{\"name\":", i ? "," : "");
		buf_json_str(out, bin_str(&k->bin, p->name));
		buf_printf(out, ",\"inputs\":%u,\"stages\":%u,\"segments\":%u}", p->input.n, p->stage.n, p->seg.n);
	}
	buf_lit(out, "],\"baked\":");
	if (k->n_baked)
		buf_printf(out, "{\"tok\":%u,\"blocks\":%u,\"kv\":\"%s\",\"layers\":%u,\"kv_heads\":%u,\"head_len\":%u}}\n", k->n_baked * KV_BLOCK, k->n_baked,
		           kv_format_name(k->baked.format), k->baked.n_layer, k->baked.n_head, k->baked.head_len);
	else
		buf_lit(out, "null}\n");
}

/* ---- alignment -------------------------------------------------------------------------------- */

static int boundary_read(Inspect *k, uint32_t *boundary)
{
	const char *z = args_value(k->iv->args, FLAG_BOUNDARY);
	char *end = "";
	unsigned long n = z ? strtoul(z, &end, 10) : *boundary;
	if (z && (*z < '0' || *z > '9' || *end || !n || n > BOUNDARY_MAX || n & (n - 1)))
		return cmd_usage_error(k->iv, "--boundary takes a power of two up to %d, in bytes; `%s` is none", BOUNDARY_MAX, z);
	*boundary = (uint32_t)n;
	return EXIT_DONE;
}

/* The cache that a run would have: of --model's shape and context; without a model that of the baked cache, and a block
 * more, since the first may be of another format. */
static int shape_find(Inspect *k, KvShape *shape, uint32_t *n_tok)
{
	const Args *args = k->iv->args;
	const char *path;
	Model m;
	Str why;
	size_t offset;
	*shape = k->baked;
	*n_tok = (k->n_baked + 1) * KV_BLOCK;
	if (!k->n_baked || args_has(args, FLAG_MODEL)) {
		int status = cmd_find_model(k->iv, &path);
		if (status)
			return status;
		if (!model_open(&k->iv->arena, path, &m, &why, &offset))
			return cmd_io_error(k->iv, path, offset ? str_fmt(&k->iv->arena, "byte %zu: %.*s", offset, STR_ARG(why)) : why);
		bool is_causal = model_has(&m, MODEL_CAUSAL);
		*shape = cpu_engine_kv_shape(&m, KV_K8V4);
		*n_tok = m.shape.n_ctx < CONTEXT_MAX ? m.shape.n_ctx : CONTEXT_MAX;
		model_close(&m);
		if (!is_causal)
			return cmd_usage_error(k->iv, "`%s` is an encoder: it keeps no keys and values", path);
	}
	if (args_has(args, FLAG_KV))
		shape->format = cmd_kv_format(args);
	return EXIT_DONE;
}

static int report_make(Inspect *k, const KvShape *shape, uint32_t n_tok, AlignReport *r)
{
	Arena *a = &k->iv->arena;
	KvConfig config = { .shape = *shape, .n_block = n_tok / KV_BLOCK + 1, .n_local = n_tok / KV_BLOCK + 1, .n_sequence = 1 };
	Str why;
	KvPool *pool = kv_pool_new(a, &config, &why);
	if (!pool)
		return cmd_io_error(k->iv, k->path, why);
	KvSequence *s = kv_sequence_new(pool, 0);
	bool ok = kv_sequence_reserve(s, n_tok);
	if (ok)
		align_pool(r, s);
	kv_sequence_free(s);
	kv_pool_free(pool);
	if (ok && k->n_baked)
		align_file(r, k->bin.kv, (uint64_t)(k->bin.kv.p - k->mapped.p));
	return ok ? EXIT_DONE : cmd_io_error(k->iv, k->path, STR("the KV pool has no block left"));
}

static void print_check(const Inspect *k, const KvShape *shape, uint32_t n_tok, const AlignReport *r)
{
	Buf *out = &k->iv->out;
	uint64_t n = align_faults(r);
	buf_printf(out, "attn_decode, kv_cache_ptr: layers %u, KV heads %u of %u, %s, %u tokens; boundary %u B\n", shape->n_layer, shape->n_head,
	           shape->head_len, kv_format_name(shape->format), n_tok, r->boundary);
	align_print(out, r);
	if (n)
		buf_printf(out, "%llu misaligned\n", (unsigned long long)n);
	else
		buf_lit(out, "all aligned\n");
	buf_lit(out, "on a GPU, this counts the sectors: " NCU);
	render_put_shown(out, str_from(k->path));
	buf_byte(out, '\n');
}

static void print_check_json(const Inspect *k, const KvShape *shape, uint32_t n_tok, const AlignReport *r)
{
	Buf *out = &k->iv->out;
	buf_lit(out, "{\"file\":");
	buf_json_str(out, str_from(k->path));
	buf_printf(out, ",\"kernel\":\"attn_decode\",\"pattern\":\"kv_cache_ptr\",\"kv\":\"%s\",\"tok\":%u,\"boundary\":%u,\"aligned\":%s,",
	           kv_format_name(shape->format), n_tok, r->boundary, align_faults(r) ? "false" : "true");
	align_print_json(out, r);
	buf_lit(out, ",\"ncu\":");
	buf_json_str(out, str_fmt(&k->iv->arena, NCU "%s", k->path));
	buf_lit(out, "}\n");
}

static int check_alignment(Inspect *k)
{
	AlignReport r;
	KvShape shape;
	uint32_t boundary = ALIGN_BOUNDARY, n_tok;
	int status = boundary_read(k, &boundary);
	if (status || (status = shape_find(k, &shape, &n_tok)))
		return status;
	align_init(&k->iv->arena, boundary, &r);
	if ((status = report_make(k, &shape, n_tok, &r)))
		return status;
	(args_has(k->iv->args, FLAG_JSON) ? print_check_json : print_check)(k, &shape, n_tok, &r);
	return align_faults(&r) ? EXIT_FAILED : EXIT_DONE;
}

/* ---- the command ------------------------------------------------------------------------------ */

static int inspect(Inspect *k)
{
	static const FlagId of_check[] = { FLAG_BOUNDARY, FLAG_KERNEL, FLAG_PATTERN, FLAG_MODEL, FLAG_KV };
	const Args *args = k->iv->args;
	bool checks = args_has(args, FLAG_ALIGN_CHECK);
	for (size_t i = 0; !checks && i < sizeof of_check / sizeof *of_check; i++)
		if (args_has(args, of_check[i]))
			return cmd_usage_error(k->iv, "%s says what --align-check looks at: give both", cli_flags[of_check[i]].long_name);
	int status = open_bin(k);
	if (status)
		return status;
	if (checks)
		return check_alignment(k);
	(args_has(args, FLAG_JSON) ? print_summary_json : print_summary)(k);
	return EXIT_DONE;
}

int cmd_inspect(Invocation *iv)
{
	Inspect k = { .iv = iv };
	if (iv->args->operand.n != 1)
		return cmd_usage_error(iv, iv->args->operand.n ? "`inspect` takes one file" : "`inspect` needs a .bin file");
	k.path = iv->args->operand.v[0];
	int status = inspect(&k);
	file_unmap(k.mapped);
	return status;
}
