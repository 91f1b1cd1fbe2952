/*
 * tekken JSON of Mistral: config, and vocab as a list of base64 tokens by rank. Only the first
 * default_vocab_size - default_num_special_tokens of the list are the model's; a token's id is its
 * rank behind the special tokens.
 */
#include "runtime/token/load_each.h"

/* The pattern that is in every published file, as it stands there. */
static const char pattern_known[] =
	"[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
	"|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*"
	"|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

static bool read_count(Load *l, const JsonNode *obj, const char *name, uint32_t *n)
{
	const JsonNode *x = load_member(l, obj, name, JSON_NUMBER);
	return x && (json_to_count(x, n) || load_fail_at(l, x, "expected a count"));
}

static bool read_token(Load *l, const JsonNode *x, uint32_t i, uint32_t n_special)
{
	uint32_t rank;
	size_t bad;
	const JsonNode *text = load_member(l, x, "token_bytes", JSON_STRING);
	if (!text || !read_count(l, x, "rank", &rank))
		return false;
	if (rank != i)
		return load_fail_at(l, json_get(x, "rank"), "rank %u in place %u of the list", rank, i);
	char *out = arena_alloc(l->a, text->text.n);
	size_t n = load_base64(text->text, out, &bad);
	if (n == SIZE_MAX || !n)
		return load_fail(l, text->lo + (n ? 1 + bad : 0), n ? "malformed base64" : "a token of no bytes");
	return load_put(l, x->lo, (uint64_t)n_special + rank, (Str){ out, n }, TOKEN_NORMAL)
		&& load_text_once(l, text->lo, (Str){ out, n }, n_special + rank);
}

static bool read_special(Load *l, const JsonNode *x, uint32_t n_special)
{
	uint32_t rank;
	const JsonNode *text = load_member(l, x, "token_str", JSON_STRING);
	if (!text || !read_count(l, x, "rank", &rank))
		return false;
	if (!text->text.n)
		return load_fail_at(l, text, "a special token without a text");
	if (rank >= n_special)
		return load_fail_at(l, json_get(x, "rank"), "a special token's rank is below %u", n_special);
	return load_put(l, x->lo, rank, text->text, TOKEN_SPECIAL);
}

/* Files up to version v7 name no special token; mistral-common names these. */
static const char *const special_of_old[] = {
	"<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]",
	"[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]",
	"[/SYSTEM_PROMPT]", "[TOOL_CONTENT]",
};

/* Ids below n_special that the file leaves out: <SPECIAL_N>, as mistral-common calls them. */
static bool fill_specials(Load *l, uint32_t n_special)
{
	for (uint32_t i = 0; i < n_special; i++)
		if (!l->out->token[i].n && !load_put(l, 0, i, str_fmt(l->a, "<SPECIAL_%u>", i), TOKEN_SPECIAL))
			return false;
	return true;
}

static bool read_specials(Load *l, uint32_t n_special)
{
	const JsonNode *list = json_get(l->json, "special_tokens");
	if (!list || list->kind == JSON_NULL) {
		for (uint32_t i = 0; i < sizeof special_of_old / sizeof *special_of_old && i < n_special; i++)
			if (!load_put(l, 0, i, str_from(special_of_old[i]), TOKEN_SPECIAL))
				return false;
		return fill_specials(l, n_special);
	}
	list = load_member(l, l->json, "special_tokens", JSON_ARRAY);
	for (uint32_t i = 0; list && i < list->n; i++)
		if (!read_special(l, list->item[i], n_special))
			return false;
	return list && fill_specials(l, n_special);
}

static uint32_t find_special(const VocabSource *v, uint32_t n_special, const char *text)
{
	for (uint32_t i = 0; i < n_special && i < v->n_token; i++)
		if (v->type[i] == TOKEN_SPECIAL && str_is(v->token[i], text))
			return i;
	return TOKEN_NONE;
}

bool load_tekken(Load *l)
{
	VocabSource *v = l->out;
	uint32_t n, n_special;
	if (!load_json(l))
		return false;
	const JsonNode *config = load_member(l, l->json, "config", JSON_OBJECT);
	const JsonNode *pattern = config ? load_member(l, config, "pattern", JSON_STRING) : NULL;
	const JsonNode *vocab = pattern ? load_member(l, l->json, "vocab", JSON_ARRAY) : NULL;
	if (!vocab || !read_count(l, config, "default_vocab_size", &n) || !read_count(l, config, "default_num_special_tokens", &n_special))
		return false;
	if (!str_is(pattern->text, pattern_known)) {
		Str shown = load_shown(l, pattern->text);
		return load_fail_at(l, pattern, "pattern %.*s is not known", STR_ARG(shown));
	}
	if (n_special >= n || n - n_special > vocab->n)
		return load_fail_at(l, config, "%u tokens less %u special ones, of a list of %u", n, n_special, vocab->n);
	v->model = VOCAB_RANKS;
	v->split = SPLIT_TEKKEN;
	v->flags = VOCAB_WHOLE_PIECE_FIRST | VOCAB_ADD_BOS;
	if (!load_own_split(l))
		return false;
	for (uint32_t i = 0; i < n - n_special; i++)
		if (!read_token(l, vocab->item[i], i, n_special))
			return false;
	if (!read_specials(l, n_special))
		return false;
	v->bos = find_special(v, n_special, "<s>");
	v->eos = find_special(v, n_special, "</s>");
	v->unk = find_special(v, n_special, "<unk>");
	return true;
}
