/* Loaders: what a file is, the dispatch, and what all of them share. See load.h and load_each.h. */
#include "runtime/token/load.h"

#include <stdarg.h>
#include <stdio.h>

#include "runtime/base/utf8.h"
#include "runtime/token/load_each.h"

/* ---- what it is ---------------------------------------------------------------------------------- */

static bool is_base64(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/' || c == '=';
}

static bool is_rank_line(Str rest)
{
	Str line;
	if (!str_line(&rest, &line))
		return false;
	size_t at = 0, digit = 0;
	while (at < line.n && is_base64(line.p[at]))
		at++;
	if (!at || at == line.n || line.p[at++] != ' ')
		return false;
	while (at + digit < line.n && line.p[at + digit] >= '0' && line.p[at + digit] <= '9')
		digit++;
	return digit && (at + digit == line.n || (at + digit + 1 == line.n && line.p[at + digit] == '\r'));
}

/* Which of the two JSON formats, by the first name of the outermost object that only one of them has. */
static VocabFormat format_of_json(Str s)
{
	static const struct { const char *name; VocabFormat format; } key[] = {
		{ "added_tokens", FORMAT_HF_JSON }, { "model", FORMAT_HF_JSON }, { "pre_tokenizer", FORMAT_HF_JSON },
		{ "config", FORMAT_TEKKEN }, { "vocab", FORMAT_TEKKEN }, { "special_tokens", FORMAT_TEKKEN },
	};
	int depth = 0;
	for (size_t at = 0; at < s.n; at++) {
		char c = s.p[at];
		depth += (c == '{' || c == '[') - (c == '}' || c == ']');
		if (c != '"')
			continue;
		size_t from = ++at;
		while (at < s.n && s.p[at] != '"')
			at += s.p[at] == '\\' ? 2 : 1;
		Str name = str_sub(s, from, at), behind = str_trim(str_sub(s, at + 1, at + 17));
		for (size_t k = 0; depth == 1 && str_starts(behind, STR(":")) && k < sizeof key / sizeof *key; k++)
			if (str_is(name, key[k].name))
				return key[k].format;
	}
	return FORMAT_COUNT;
}

/* A line "[UNK]" stands in every vocab.txt. */
static bool is_wordpiece(Str s)
{
	size_t at = str_find(s, STR("[UNK]"), 0);
	return at < s.n && (!at || s.p[at - 1] == '\n') && (at + 5 == s.n || s.p[at + 5] == '\n' || s.p[at + 5] == '\r');
}

/* A first field 1 that is a message whose first field is 1 too: a piece and its text. */
static bool is_spm(Str s)
{
	return s.n > 4 && s.p[0] == 0x0a && s.p[1] > 2 && s.p[2] == 0x0a && s.p[3] > 0 && s.p[3] <= s.p[1] - 2;
}

VocabFormat vocab_format_of(Str bytes)
{
	if (str_starts(bytes, STR("GGUF")))
		return FORMAT_GGUF;
	if (is_rank_line(bytes))
		return FORMAT_TIKTOKEN;
	if (str_starts(str_trim(str_sub(bytes, 0, 64)), STR("{")))
		return format_of_json(bytes);
	if (is_spm(bytes))
		return FORMAT_SPM;
	return is_wordpiece(bytes) ? FORMAT_WORDPIECE : FORMAT_COUNT;
}

/* ---- failing ------------------------------------------------------------------------------------- */

bool load_fail(Load *l, size_t offset, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	l->why = str_vfmt(l->a, fmt, ap);
	va_end(ap);
	l->offset = offset;
	return false;
}

bool load_fail_at(Load *l, const JsonNode *x, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	Str what = str_vfmt(l->a, fmt, ap), path = json_pointer_at(l->a, l->json, x->lo);
	va_end(ap);
	l->why = path.n ? str_fmt(l->a, "%.*s: %.*s", STR_ARG(path), STR_ARG(what)) : what;
	l->offset = x->lo;
	return false;
}

enum { SHOWN_BYTES = 60 };

Str load_shown(Load *l, Str s)
{
	Buf b = { 0 };
	size_t at = 0;
	buf_byte(&b, '"');
	while (at < s.n && at < SHOWN_BYTES) {
		uint32_t cp, n = utf8_decode(s, at, &cp);
		if (cp == UTF8_BAD || cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
			buf_printf(&b, "\\x%02X", (unsigned char)s.p[at]), n = 1;
		else
			buf_put(&b, str_sub(s, at, at + n));
		at += n;
	}
	buf_putz(&b, at < s.n ? "...\"" : "\"");
	Str shown = str_dup(l->a, buf_str(&b));
	buf_free(&b);
	return shown;
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

bool load_json(Load *l)
{
	JsonDoc doc;
	if (!json_read(l->a, l->bytes, 0, &doc))
		return load_fail(l, doc.err.offset, "%.*s", STR_ARG(doc.err.message));
	l->json = doc.root;
	if (doc.n_dup) {
		Str shown = load_shown(l, doc.dup[0].name);
		return load_fail_at(l, doc.dup[0].again, "%.*s stands twice", STR_ARG(shown));
	}
	return true;
}

const JsonNode *load_member(Load *l, const JsonNode *obj, const char *name, JsonKind kind)
{
	const JsonNode *x = json_get(obj, name);
	if (!x)
		load_fail_at(l, obj, "no member %s", name);
	else if (x->kind != kind)
		load_fail_at(l, x, "expected %s, found %s", json_kind_name(kind), json_kind_name(x->kind));
	return x && x->kind == kind ? x : NULL;
}

bool load_is_off(const JsonNode *obj, const char *name)
{
	const JsonNode *x = json_get(obj, name);
	if (!x)
		return true;
	switch (x->kind) {
	case JSON_NULL: return true;
	case JSON_BOOL: return !x->truth;
	case JSON_STRING: return !x->text.n;
	case JSON_ARRAY:
	case JSON_OBJECT: return !x->n;
	default: return false;
	}
}

/* ---- tokens -------------------------------------------------------------------------------------- */

static void widen(Load *l, uint32_t want)
{
	VocabSource *v = l->out;
	uint32_t cap = l->cap ? l->cap : 1024;
	while (cap < want)
		cap *= 2;
	if (cap != l->cap) {
		v->token = arena_grow(l->a, v->token, l->cap * sizeof *v->token, cap * sizeof *v->token);
		v->type = arena_grow(l->a, v->type, l->cap, cap);
		l->cap = cap;
	}
	for (; v->n_token < want; v->n_token++) {
		v->token[v->n_token] = (Str){ "", 0 };
		v->type[v->n_token] = TOKEN_UNUSED;
	}
}

bool load_put(Load *l, size_t offset, uint64_t id, Str bytes, TokenType type)
{
	VocabSource *v = l->out;
	if (id >= VOCAB_MAX_TOKENS)
		return load_fail(l, offset, "an id above %d", VOCAB_MAX_TOKENS - 1);
	if (bytes.n > LOAD_TOKEN_BYTES_MAX)
		return load_fail(l, offset, "a token of %zu bytes; %d are the most", bytes.n, LOAD_TOKEN_BYTES_MAX);
	if (id < v->n_token && (v->token[id].n || v->type[id] != TOKEN_UNUSED))
		return load_fail(l, offset, "id %llu stands twice", (unsigned long long)id);
	if (id >= v->n_token)
		widen(l, (uint32_t)id + 1);
	v->token[id] = bytes;
	v->type[id] = (uint8_t)type;
	return true;
}

bool load_text_once(Load *l, size_t offset, Str text, uint32_t id)
{
	void *before = map_add(l->a, &l->by_text, text, (void *)((uintptr_t)id + 1));
	if (!before)
		return true;
	Str shown = load_shown(l, text);
	return load_fail(l, offset, "%.*s stands twice", STR_ARG(shown));
}

uint32_t load_id_of(const Load *l, Str text)
{
	uintptr_t id_1 = (uintptr_t)map_get(&l->by_text, text);
	return id_1 ? (uint32_t)(id_1 - 1) : TOKEN_NONE;
}

/* ---- names --------------------------------------------------------------------------------------- */

static const char *const split_name[SPLIT_COUNT] = {
#define SPLIT(id, name, ...) name,
#include "runtime/token/split.def"
#undef SPLIT
};

const char *vocab_split_name(uint32_t split)
{
	return split < SPLIT_COUNT ? split_name[split] : "unknown";
}

const char *vocab_model_name(uint32_t model)
{
	static const char *const name[VOCAB_MODEL_COUNT] = { "ranks", "merges", "spm", "wordpiece" };
	return model < VOCAB_MODEL_COUNT ? name[model] : "unknown";
}

const char *vocab_norm_name(uint32_t norm)
{
	static const char *const name[NORM_COUNT] = { "none", "nfc", "nfkc", "bert" };
	return norm < NORM_COUNT ? name[norm] : "unknown";
}

bool load_need_split(Load *l, const char *format)
{
	if (l->split == SPLIT_COUNT)
		return load_fail(l, 0, "a %s file does not say how a text is split: name the pre-tokenizer", format);
	if (l->split == SPLIT_SPM || l->split == SPLIT_BERT)
		return load_fail(l, 0, "a %s file is BPE over bytes, and %s is not for those", format, split_name[l->split]);
	l->out->split = l->split;
	return true;
}

bool load_own_split(Load *l)
{
	return l->split == SPLIT_COUNT || l->split == l->out->split
		|| load_fail(l, 0, "the file says how a text is split: as %s", split_name[l->out->split]);
}

static bool find_split(const char *name, VocabSplit *split)
{
	for (*split = 0; *split < SPLIT_COUNT; ++*split)
		if (!name || !strcmp(name, split_name[*split])) {
			*split = name ? *split : SPLIT_COUNT;
			return true;
		}
	return false;
}

/* ---- dispatch ------------------------------------------------------------------------------------ */

static const struct { const char *name; bool (*load)(Load *l); } format_row[FORMAT_COUNT] = {
	[FORMAT_TIKTOKEN] = { "tiktoken", load_tiktoken },
	[FORMAT_HF_JSON] = { "tokenizer.json", load_hf },
	[FORMAT_TEKKEN] = { "tekken", load_tekken },
	[FORMAT_SPM] = { "SentencePiece", load_spm },
	[FORMAT_GGUF] = { "GGUF", load_gguf },
	[FORMAT_WORDPIECE] = { "vocab.txt", load_wordpiece },
};

static bool load_as(Load *l, VocabFormat format, const char *split)
{
	if (format >= FORMAT_COUNT || !format_row[format].load)
		return load_fail(l, 0, "not a vocabulary format that is known");
	if (!find_split(split, &l->split)) {
		Str shown = load_shown(l, str_from(split));
		Buf known = { 0 };
		for (uint32_t i = 0; i < SPLIT_COUNT; i++)
			buf_printf(&known, " %s", split_name[i]);
		load_fail(l, 0, "no pre-tokenizer is named %.*s; known are%.*s", STR_ARG(shown), STR_ARG(known));
		buf_free(&known);
		return false;
	}
	if (!format_row[format].load(l))
		return false;
	return l->out->n_token || load_fail(l, 0, "a vocabulary without a token");
}

bool vocab_load(Arena *a, VocabFormat format, Str bytes, const char *split, VocabSource *out, Str *why, size_t *offset)
{
	*out = (VocabSource){ .bos = TOKEN_NONE, .eos = TOKEN_NONE, .unk = TOKEN_NONE };
	Load l = { .a = a, .bytes = bytes, .out = out };
	bool ok = load_as(&l, format, split);
	buf_free(&l.join);
	*why = l.why;
	*offset = l.offset;
	return ok;
}
