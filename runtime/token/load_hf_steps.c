/*
 * The normalizer and the pre_tokenizer of a tokenizer.json, recognised by structure: each step becomes
 * a letter, and the word of letters is looked up in hf_steps.def. A step, a pattern or a word that is
 * not in the table is refused with its path; so is a member that a step should not have.
 */
#include "runtime/token/load_each.h"

static bool is_named(const char *names, Str name)
{
	for (const char *p = names; *p;) {
		size_t n = strcspn(p, " ");
		if (str_eq((Str){ p, n }, name))
			return true;
		p += n + (p[n] == ' ');
	}
	return false;
}

/* x has its type and no members but these. */
static bool only_has(Load *l, const JsonNode *x, const char *names)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (!is_named(names, x->member[i].key->text)) {
			Str shown = load_shown(l, x->member[i].key->text);
			return load_fail_at(l, x->member[i].key, "%.*s is not known here", STR_ARG(shown));
		}
	return true;
}

static bool is_true(const JsonNode *obj, const char *name)
{
	const JsonNode *x = json_get(obj, name);
	return x && x->kind == JSON_BOOL && x->truth;
}

static bool is_false(const JsonNode *obj, const char *name)
{
	const JsonNode *x = json_get(obj, name);
	return x && x->kind == JSON_BOOL && !x->truth;
}

static bool refuse(Load *l, const JsonNode *x, const char *what)
{
	Str type = load_shown(l, json_get_text(x, "type", STR("")));
	return load_fail_at(l, x, "%s %.*s is not known in this form", what, STR_ARG(type));
}

/* ---- pre_tokenizer ------------------------------------------------------------------------------- */

/* "Isolated", or "Removed" of what does not match: the same for the patterns that match everything. */
static bool cuts_at_matches(const JsonNode *x, char letter)
{
	Str behavior = json_get_text(x, "behavior", STR(""));
	if (str_is(behavior, "Isolated"))
		return is_false(x, "invert");
	return str_is(behavior, "Removed") && is_true(x, "invert") && !strchr("123", letter);
}

static char letter_of_split(Load *l, const JsonNode *x)
{
	static const struct { char letter; const char *regex; } row[] = {
#define HF_PATTERN(letter, regex) { letter, regex },
#include "runtime/token/hf_steps.def"
	};
	const JsonNode *pattern = load_member(l, x, "pattern", JSON_OBJECT);
	const JsonNode *regex = pattern ? load_member(l, pattern, "Regex", JSON_STRING) : NULL;
	if (!regex || !only_has(l, pattern, "Regex") || !only_has(l, x, "type pattern behavior invert"))
		return 0;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (str_is(regex->text, row[i].regex)) {
			if (cuts_at_matches(x, row[i].letter))
				return row[i].letter;
			refuse(l, x, "pre-tokenizer");
			return 0;
		}
	Str shown = load_shown(l, regex->text);
	load_fail_at(l, regex, "pattern %.*s is not known", STR_ARG(shown));
	return 0;
}

static char letter_of_step(Load *l, const JsonNode *x)
{
	Str type = json_get_text(x, "type", STR(""));
	char letter = 0;
	if (str_is(type, "Split"))
		return letter_of_split(l, x);
	if (str_is(type, "ByteLevel")) {
		if (!only_has(l, x, "type add_prefix_space trim_offsets use_regex"))
			return 0;
		letter = !is_false(x, "add_prefix_space") ? 0 : is_false(x, "use_regex") ? 'b' : 'B';
	} else if (str_is(type, "Digits")) {
		if (!only_has(l, x, "type individual_digits"))
			return 0;
		letter = is_true(x, "individual_digits") ? 'D' : 0;
	} else if (str_is(type, "BertPreTokenizer")) {
		if (!only_has(l, x, "type"))
			return 0;
		letter = 'T';
	}
	if (!letter)
		refuse(l, x, "pre-tokenizer");
	return letter;
}

enum { STEPS_MAX = 7 };

/* The steps of x, which may be a Sequence of them, as letters. */
static bool spell_steps(Load *l, const JsonNode *x, char word[STEPS_MAX + 1])
{
	if (!str_is(json_get_text(x, "type", STR("")), "Sequence"))
		return (word[0] = letter_of_step(l, x)) != 0;
	const JsonNode *list = load_member(l, x, "pretokenizers", JSON_ARRAY);
	if (!list || !only_has(l, x, "type pretokenizers"))
		return false;
	if (list->n > STEPS_MAX)
		return load_fail_at(l, list, "%u steps; no known pre-tokenizer has so many", list->n);
	for (uint32_t i = 0; i < list->n; i++)
		if (!(word[i] = letter_of_step(l, list->item[i])))
			return false;
	return true;
}

static bool take_split(Load *l, const JsonNode *x)
{
	static const struct { const char *word; VocabSplit split; } row[] = {
#define HF_SPLIT(word, split) { word, SPLIT_##split },
#include "runtime/token/hf_steps.def"
	};
	char word[STEPS_MAX + 1] = "";
	if (!spell_steps(l, x, word))
		return false;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (!strcmp(word, row[i].word)) {
			l->out->split = row[i].split;
			return true;
		}
	return load_fail_at(l, x, "these steps are no pre-tokenizer that is known");
}

/* ---- normalizer ---------------------------------------------------------------------------------- */

static bool is_off(const JsonNode *obj, const char *name)
{
	const JsonNode *x = json_get(obj, name);
	return !x || x->kind == JSON_NULL;
}

static bool take_normalizer(Load *l, const JsonNode *x)
{
	Str type = json_get_text(x, "type", STR(""));
	bool known = false;
	if (str_is(type, "NFC") || str_is(type, "NFKC")) {
		l->out->norm = type.n == 3 ? NORM_NFC : NORM_NFKC;
		known = only_has(l, x, "type");
	} else if (str_is(type, "BertNormalizer")) {
		if (!only_has(l, x, "type clean_text handle_chinese_chars strip_accents lowercase"))
			return false;
		l->out->norm = NORM_BERT;
		/* Accents go with the lower case unless strip_accents says otherwise. */
		known = is_true(x, "clean_text") && is_true(x, "handle_chinese_chars") && is_true(x, "lowercase")
			&& (is_off(x, "strip_accents") || is_true(x, "strip_accents"));
	}
	return known || (!l->why.n && refuse(l, x, "normalizer"));
}

/* {"type": "Prepend", "prepend": "▁"} */
static bool is_prepend(const JsonNode *x)
{
	return str_is(json_get_text(x, "type", STR("")), "Prepend") && x->n == 2
		&& str_is(json_get_text(x, "prepend", STR("")), "\u2581");
}

/* {"type": "Replace", "pattern": {"String": " "}, "content": "▁"} */
static bool is_replace(const JsonNode *x)
{
	const JsonNode *pattern = json_get(x, "pattern");
	return str_is(json_get_text(x, "type", STR("")), "Replace") && x->n == 3 && pattern && pattern->n == 1
		&& str_is(json_get_text(pattern, "String", STR("")), " ") && str_is(json_get_text(x, "content", STR("")), "\u2581");
}

/* {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": false}: Gemma's,
 * which finds nothing, for the normalizer has left no space. */
static bool is_idle_split(const JsonNode *x)
{
	const JsonNode *pattern = json_get(x, "pattern");
	return str_is(json_get_text(x, "type", STR("")), "Split") && x->n == 4 && pattern && pattern->n == 1
		&& str_is(json_get_text(pattern, "String", STR("")), " ") && is_false(x, "invert")
		&& str_is(json_get_text(x, "behavior", STR("")), "MergedWithPrevious");
}

/* What converters from SentencePiece write. Metaspace is another thing: it adds no prefix to a text
 * that starts with a space. */
static bool is_sentencepiece(Load *l, const JsonNode *norm, const JsonNode *pre)
{
	const JsonNode *list = json_get(norm, "normalizers");
	bool prefix = list && list->kind == JSON_ARRAY && list->n == 2 && is_prepend(list->item[0]) && is_replace(list->item[1]);
	if (!prefix && !is_replace(norm))
		return false;
	if (pre && pre->kind != JSON_NULL && !is_idle_split(pre))
		return false;
	l->out->model = VOCAB_SPM;
	l->out->split = SPLIT_SPM;
	l->out->flags |= prefix ? VOCAB_DUMMY_PREFIX : 0;
	return true;
}

bool load_hf_steps(Load *l)
{
	const JsonNode *norm = json_get(l->json, "normalizer"), *pre = json_get(l->json, "pre_tokenizer");
	if (norm && is_sentencepiece(l, norm, pre))
		return true;
	const JsonNode *list = json_get(norm, "normalizers");
	if (list && list->kind == JSON_ARRAY && list->n <= 1 && norm->n == 2)
		norm = list->n ? list->item[0] : NULL;
	if (norm && norm->kind != JSON_NULL && !take_normalizer(l, norm))
		return false;
	if (!pre || pre->kind == JSON_NULL)
		return load_fail_at(l, pre ? pre : l->json, "no pre_tokenizer: what is not split is not known here");
	return take_split(l, pre);
}
