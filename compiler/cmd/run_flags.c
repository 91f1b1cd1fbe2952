/* The flags of `seedc run`: numbers, and which go together. */
#include "compiler/cmd/run_command.h"

#include <errno.h>
#include <stdlib.h>

#include "runtime/kv/kv_file.h"

#define DECAY_DEFAULT 0.618

typedef struct FlagPair { FlagId flag, other; } FlagPair;

static const FlagPair needs[] = {
	{ FLAG_DECAY, FLAG_INTERACTIVE }, { FLAG_PROFILE, FLAG_PLAN_ONLY }, { FLAG_REFIT, FLAG_PLAN_ONLY },
};

static const FlagPair excludes[] = {
	{ FLAG_RAW, FLAG_SET }, { FLAG_RAW, FLAG_USER }, { FLAG_RAW, FLAG_PROMPT }, { FLAG_RAW, FLAG_TARGET },
	{ FLAG_RAW, FLAG_INTERACTIVE }, { FLAG_RAW, FLAG_PLAN_ONLY }, { FLAG_RAW, FLAG_SAVE_KV }, { FLAG_RAW, FLAG_LOAD_KV },
	{ FLAG_RAW, FLAG_NO_SCHEMA }, { FLAG_PLAN_ONLY, FLAG_INTERACTIVE }, { FLAG_PLAN_ONLY, FLAG_SAVE_KV },
	{ FLAG_PLAN_ONLY, FLAG_LOAD_KV }, { FLAG_PLAN_ONLY, FLAG_STATS }, { FLAG_ORACLE, FLAG_KV },
	{ FLAG_INTERACTIVE, FLAG_SAVE_KV },
};

int run_check_flags(const RunCommand *k)
{
	const Args *args = k->iv->args;
	const char *raw = args_value(args, FLAG_RAW), *kv = args_value(args, FLAG_KV);
	if (args->operand.n != (raw ? 0 : 1))
		return cmd_usage_error(k->iv, raw ? "`run --raw FILE` takes no other file" : args->operand.n ? "`run` takes one file" : "`run` needs a file");
	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
		if (args_has(args, needs[i].flag) && !args_has(args, needs[i].other))
			return cmd_usage_error(k->iv, "%s does nothing without %s", cli_flags[needs[i].flag].long_name, cli_flags[needs[i].other].long_name);
	for (size_t i = 0; i < sizeof excludes / sizeof *excludes; i++)
		if (args_has(args, excludes[i].flag) && args_has(args, excludes[i].other))
			return cmd_usage_error(k->iv, "%s and %s do not go together", cli_flags[excludes[i].flag].long_name, cli_flags[excludes[i].other].long_name);
	const char *save = args_value(args, FLAG_SAVE_KV);
	if (save && !strcmp(save, "-"))
		return cmd_usage_error(k->iv, "--save-kv takes a file: standard output holds the answer alone");
	if (kv && !strcmp(kv, "seed4"))
		return cmd_usage_error(k->iv, "--kv=seed4 is for `score` and `bench`: what it stores depends on when a prompt ends");
	return EXIT_DONE;
}

KvFormat run_kv_format(const RunCommand *k)
{
	Str cache = k->bin.kv.n ? k->bin.kv : k->loaded;
	KvShape shape;
	KvFileLayout layout;
	uint32_t n_block;
	bool is_free = !args_has(k->iv->args, FLAG_KV) && !args_has(k->iv->args, FLAG_ORACLE);
	return is_free && kv_file_peek(cache, &shape, &n_block, &layout) ? shape.format : cmd_kv_format(k->iv->args);
}

static bool number_flag(RunCommand *k, FlagId id, double lo, double hi, double *out)
{
	const char *written = args_value(k->iv->args, id);
	char *end;
	if (!written)
		return true;
	double x = strtod(written, &end);
	if (end != written && !*end && x >= lo && x <= hi) {
		*out = x;
		return true;
	}
	cmd_usage_error(k->iv, "%s takes a number from %g to %g, not `%s`", cli_flags[id].long_name, lo, hi, written);
	return false;
}

static bool whole_flag(RunCommand *k, FlagId id, uint64_t lo, uint64_t hi, uint64_t *out)
{
	const char *written = args_value(k->iv->args, id);
	char *end;
	if (!written)
		return true;
	errno = 0;
	unsigned long long x = strtoull(written, &end, 10);
	if (*written >= '0' && *written <= '9' && !*end && !errno && x >= lo && x <= hi) {
		*out = x;
		return true;
	}
	cmd_usage_error(k->iv, "%s takes a whole number from %llu to %llu, not `%s`", cli_flags[id].long_name, (unsigned long long)lo,
	                (unsigned long long)hi, written);
	return false;
}

bool run_read_threads(RunCommand *k, uint32_t *n)
{
	uint64_t n_thread = 0;
	bool ok = whole_flag(k, FLAG_THREADS, 1, 256, &n_thread);
	*n = (uint32_t)n_thread;
	return ok;
}

bool run_read_rules(RunCommand *k)
{
	SampleRules *r = &k->rules.sample;
	double temperature = r->temperature, top_p = r->top_p, min_p = r->min_p, penalty = r->repetition_penalty;
	uint64_t top_k = r->top_k, seed = r->seed, max_tok = k->rules.max_tok;
	const char *decay = args_value(k->iv->args, FLAG_DECAY);
	k->decay = args_has(k->iv->args, FLAG_DECAY) ? DECAY_DEFAULT : 0;
	if (!number_flag(k, FLAG_TEMPERATURE, 0, 100, &temperature) || !whole_flag(k, FLAG_TOP_K, 0, 1000000, &top_k) ||
	    !number_flag(k, FLAG_TOP_P, 0, 1, &top_p) || !number_flag(k, FLAG_MIN_P, 0, 1, &min_p) ||
	    !number_flag(k, FLAG_PENALTY, 0.01, 100, &penalty) || !whole_flag(k, FLAG_SEED, 0, UINT64_MAX, &seed) ||
	    !whole_flag(k, FLAG_MAX_TOKENS, 1, 10000000, &max_tok) ||
	    (decay && *decay && !number_flag(k, FLAG_DECAY, 0.001, 1, &k->decay)))
		return false;
	*r = (SampleRules){ (float)temperature, (uint32_t)top_k, (float)top_p, (float)min_p, (float)penalty, seed };
	if (args_has(k->iv->args, FLAG_GREEDY))
		r->temperature = 0;
	k->rules.wants_confidence = k->decay > 0;
	k->rules.max_tok = (uint32_t)max_tok;
	k->rules.ignore_end = args_has(k->iv->args, FLAG_IGNORE_EOS);
	return true;
}
