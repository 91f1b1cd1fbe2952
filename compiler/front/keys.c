/*
 * Whose file is it? YAML and JSON carry everything, so a look at the top-level keys decides before a
 * front end reads the file: lines for YAML, the value itself for JSON.
 */
#include "compiler/front/parts.h"
#include "runtime/base/json.h"

typedef enum KeyWeight { WEAK, MARK } KeyWeight;

static const struct { Str name; KeyWeight weight; } keys[] = {
#define KEY(name, reader, weight, place) { STR_INIT(name), weight },
#include "compiler/front/keys.def"
#undef KEY
};

typedef struct KeyCount {
	uint32_t n_mark, n_weak, n_other;
} KeyCount;

static void count_key(KeyCount *k, Str name)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (str_eq(keys[i].name, name)) {
			*(keys[i].weight == MARK ? &k->n_mark : &k->n_weak) += 1;
			return;
		}
	k->n_other++;
}

static TopKeys judge(KeyCount k)
{
	return k.n_mark || (k.n_weak && !k.n_other) ? TOP_PROMPT : TOP_NONE;
}

/* The key of a line `key:` at column 0, unquoted; empty if the line has none. */
static Str yaml_key(Str line)
{
	size_t lo = 0, hi = 0;
	if (line.n && (line.p[0] == '"' || line.p[0] == '\'')) {
		lo = 1;
		hi = str_find(line, str_sub(line, 0, 1), 1);
		return hi + 1 < line.n && line.p[hi + 1] == ':' ? str_sub(line, lo, hi) : (Str){ 0 };
	}
	while (hi < line.n && line.p[hi] != ':' && line.p[hi] != '#')
		hi++;
	bool ends = hi < line.n && line.p[hi] == ':' &&
	            (hi + 1 == line.n || line.p[hi + 1] == ' ' || line.p[hi + 1] == '\t' || line.p[hi + 1] == '\r');
	return ends && !strchr(" \t-", line.p[0]) ? str_trim(str_sub(line, lo, hi)) : (Str){ 0 };
}

TopKeys keys_of_yaml(Str bytes)
{
	KeyCount k = { 0 };
	Str line;
	if (str_starts(bytes, STR("\xEF\xBB\xBF")))
		bytes = str_sub(bytes, 3, bytes.n);
	while (str_line(&bytes, &line)) {
		Str key = yaml_key(line);
		if (key.n)
			count_key(&k, key);
	}
	return judge(k);
}

/* A message of ours has `text`, a provider's has `content`. */
static bool is_our_messages(const JsonNode *messages)
{
	for (uint32_t i = 0; messages && messages->kind == JSON_ARRAY && i < messages->n; i++)
		if (json_get(messages->item[i], "content"))
			return false;
	return messages && messages->n && json_get(messages->item[0], "text");
}

TopKeys keys_of_value(const JsonNode *root)
{
	if (root->kind == JSON_ARRAY)
		return root->n && json_get(root->item[0], "role") ? TOP_BODY : TOP_NONE;
	if (root->kind != JSON_OBJECT)
		return TOP_NONE;
	const JsonNode *messages = json_get(root, "messages");
	if (messages && !is_our_messages(messages))
		return TOP_BODY;
	KeyCount k = { 0 };
	for (uint32_t i = 0; i < root->n; i++)
		count_key(&k, root->member[i].key->text);
	return judge(k);
}

TopKeys keys_of_json(Str bytes)
{
	Arena a = { 0 };
	JsonDoc doc;
	if (str_starts(bytes, STR("\xEF\xBB\xBF")))
		bytes = str_sub(bytes, 3, bytes.n);
	TopKeys found;
	if (bytes.n < UINT32_MAX && json_read(&a, bytes, 0, &doc))
		found = keys_of_value(doc.root);
	else  /* broken: ours if it looks like messages, so that the error is told */
		found = str_find(bytes, STR("\"role\""), 0) < bytes.n &&
		        str_find(bytes, STR("\"content\""), 0) < bytes.n ? TOP_BODY : TOP_NONE;
	arena_free(&a);
	return found;
}
