/*
 * tokenizer.json of Hugging Face: BPE over bytes (listed merges), BPE that was converted from
 * SentencePiece, and WordPiece. Its steps are load_hf_steps.c's; here are the model, the added tokens
 * and what the post-processor puts around a text.
 *
 * Ignored, because no id of a text depends on it: truncation, padding, decoder.
 */
#include "runtime/token/load_each.h"

/* The member's text as the id of a token of the vocabulary; TOKEN_NONE if it is null or absent. */
static bool read_token_name(Load *l, const JsonNode *obj, const char *name, uint32_t *id)
{
	const JsonNode *x = json_get(obj, name);
	*id = TOKEN_NONE;
	if (!x || x->kind == JSON_NULL)
		return true;
	if (x->kind == JSON_STRING)
		*id = load_id_of(l, x->text);
	return *id != TOKEN_NONE || load_fail_at(l, x, "no token of the vocabulary");
}

static bool read_unknown(Load *l, const JsonNode *model)
{
	VocabSource *v = l->out;
	if (!read_token_name(l, model, "unk_token", &v->unk))
		return false;
	if (v->unk != TOKEN_NONE)
		v->type[v->unk] = TOKEN_UNKNOWN;
	return true;
}

/* ---- vocabulary ---------------------------------------------------------------------------------- */

/* What a piece stands for. A byte-level piece with a letter that no byte has is no text's. */
static TokenType read_piece(Load *l, Str text, Str *bytes)
{
	*bytes = text;
	if (l->out->model == VOCAB_MERGES)
		return load_byte_level(l->a, text, bytes) ? TOKEN_NORMAL : TOKEN_UNUSED;
	int byte = l->out->model == VOCAB_SPM ? load_byte_token(text) : -1;
	if (byte < 0)
		return TOKEN_NORMAL;
	*bytes = (Str){ arena_dup(l->a, &(char){ (char)byte }, 1), 1 };
	return TOKEN_BYTE;
}

static bool read_vocab(Load *l, const JsonNode *model)
{
	const JsonNode *vocab = load_member(l, model, "vocab", JSON_OBJECT);
	if (!vocab)
		return false;
	for (uint32_t i = 0; i < vocab->n; i++) {
		const JsonNode *key = vocab->member[i].key, *value = vocab->member[i].value;
		uint32_t id;
		Str bytes;
		if (!json_to_count(value, &id))
			return load_fail_at(l, value, "an id is a whole number");
		TokenType type = read_piece(l, key->text, &bytes);
		if (!load_put(l, value->lo, id, bytes, type) || !load_text_once(l, key->lo, key->text, id))
			return false;
	}
	return true;
}

/* ---- added tokens -------------------------------------------------------------------------------- */

static bool is_set(const JsonNode *x, const char *name)
{
	return !load_is_off(x, name);
}

/* A token that a text may give must be matched as it stands, before anything else happens. */
static bool check_user(Load *l, const JsonNode *x, Str text)
{
	bool is_spm = l->out->model == VOCAB_SPM;
	if (is_set(x, "single_word") || is_set(x, "lstrip") || is_set(x, "rstrip"))
		return load_fail_at(l, x, "an added token that looks at its neighbours is not known here");
	if (is_set(x, "normalized") && l->out->norm != NORM_NONE)
		return load_fail_at(l, x, "an added token that is matched after the normalizer is not known here");
	/* There tokenizers and SentencePiece part: what is matched when, and where a prefix is put. */
	if (is_spm && (l->out->flags & VOCAB_DUMMY_PREFIX || memchr(text.p, ' ', text.n) || str_find(text, STR("\u2581"), 0) < text.n))
		return load_fail_at(l, x, "an added token of this kind is not known beside SentencePiece's steps");
	return true;
}

static bool read_added(Load *l, const JsonNode *x)
{
	const JsonNode *content = load_member(l, x, "content", JSON_STRING);
	const JsonNode *number = content ? load_member(l, x, "id", JSON_NUMBER) : NULL;
	uint32_t id;
	if (!number)
		return false;
	if (!json_to_count(number, &id))
		return load_fail_at(l, number, "an id is a whole number");
	TokenType type = is_set(x, "special") ? TOKEN_SPECIAL : TOKEN_USER;
	if (!content->text.n)
		return load_fail_at(l, content, "an added token without a text");
	if (type == TOKEN_USER && !check_user(l, x, content->text))
		return false;
	uint32_t known = load_id_of(l, content->text);
	if (known == TOKEN_NONE)
		return load_put(l, number->lo, id, content->text, type) && load_text_once(l, content->lo, content->text, id);
	if (known != id)
		return load_fail_at(l, number, "the vocabulary has this token as %u", known);
	l->out->token[id] = content->text;
	l->out->type[id] = (uint8_t)type;
	return true;
}

static bool read_added_tokens(Load *l)
{
	if (load_is_off(l->json, "added_tokens"))
		return true;
	const JsonNode *list = load_member(l, l->json, "added_tokens", JSON_ARRAY);
	if (!list)
		return false;
	for (uint32_t i = 0; i < list->n; i++)
		if (!read_added(l, list->item[i]))
			return false;
	return true;
}

/* ---- merges -------------------------------------------------------------------------------------- */

/* "a b" or ["a", "b"]; pieces in the file's own spelling. */
static bool split_merge(const JsonNode *x, Str *left, Str *right)
{
	if (x->kind == JSON_ARRAY && x->n == 2 && x->item[0]->kind == JSON_STRING && x->item[1]->kind == JSON_STRING) {
		*left = x->item[0]->text;
		*right = x->item[1]->text;
		return true;
	}
	if (x->kind != JSON_STRING)
		return false;
	return load_split_merge(x->text, left, right);
}

static bool read_merges(Load *l, const JsonNode *model)
{
	const JsonNode *list = load_member(l, model, "merges", JSON_ARRAY);
	if (!list)
		return false;
	load_merge_room(l, list->n);
	for (uint32_t i = 0; i < list->n; i++) {
		Str left, right;
		if (!split_merge(list->item[i], &left, &right))
			return load_fail_at(l, list->item[i], "a merge is two pieces");
		if (!load_merge(l, list->item[i]->lo, left, right))
			return false;
	}
	return true;
}

/* ---- models -------------------------------------------------------------------------------------- */

static bool refuse_member(Load *l, const JsonNode *model, const char *name)
{
	return load_fail_at(l, json_get(model, name), "%s is not known here", name);
}

static bool read_bpe(Load *l, const JsonNode *model)
{
	static const char *const off[] = { "dropout", "continuing_subword_prefix", "end_of_word_suffix" };
	VocabSource *v = l->out;
	bool is_spm = v->model == VOCAB_SPM;
	for (size_t i = 0; i < sizeof off / sizeof *off; i++)
		if (!load_is_off(model, off[i]))
			return refuse_member(l, model, off[i]);
	if (!is_spm && v->split == SPLIT_BERT)
		return load_fail_at(l, model, "BPE behind BERT's pre-tokenizer is not known here");
	if (!is_spm)
		v->model = VOCAB_MERGES;
	if (is_set(model, "byte_fallback") != is_spm)
		return load_fail_at(l, model, is_spm ? "SentencePiece's steps without byte_fallback are not known here"
			: "byte_fallback is known for SentencePiece's steps only");
	if (is_set(model, "ignore_merges"))
		v->flags |= VOCAB_WHOLE_PIECE_FIRST;
	if (is_spm)
		v->flags |= VOCAB_BYTE_FALLBACK;
	if (is_set(model, "fuse_unk"))
		v->flags |= VOCAB_FUSE_UNKNOWN;
	return read_vocab(l, model) && read_added_tokens(l) && read_unknown(l, model)
		&& read_merges(l, model) && (!is_spm || load_scores(l, model->lo));
}

static bool read_wordpiece(Load *l, const JsonNode *model)
{
	VocabSource *v = l->out;
	if (v->split != SPLIT_BERT || v->norm != NORM_BERT)
		return load_fail_at(l, model, "WordPiece is known behind BERT's normalizer and pre-tokenizer only");
	v->model = VOCAB_WORDPIECE;
	if (!str_is(json_get_text(model, "continuing_subword_prefix", STR("")), "##"))
		return load_fail_at(l, model, "continuing_subword_prefix is \"##\" in every WordPiece that is known");
	const JsonNode *max = load_member(l, model, "max_input_chars_per_word", JSON_NUMBER);
	if (!max)
		return false;
	if (!json_to_count(max, &v->max_word))
		return load_fail_at(l, max, "expected a count");
	if (!read_vocab(l, model) || !read_added_tokens(l) || !read_unknown(l, model))
		return false;
	return v->unk != TOKEN_NONE || load_fail_at(l, model, "no unk_token");
}

/* ---- what stands around a text ------------------------------------------------------------------- */

static bool read_template(Load *l, const JsonNode *x)
{
	const JsonNode *single = load_member(l, x, "single", JSON_ARRAY);
	bool behind = false;
	for (uint32_t i = 0; single && i < single->n; i++) {
		const JsonNode *special = json_get(single->item[i], "SpecialToken");
		uint32_t *id = behind ? &l->out->eos : &l->out->bos;
		if (json_get(single->item[i], "Sequence") && !behind) {
			behind = true;
			continue;
		}
		if (!special || *id != TOKEN_NONE || !read_token_name(l, special, "id", id) || *id == TOKEN_NONE)
			return load_fail_at(l, single->item[i], "one token before the text and one behind it are known here");
		l->out->flags |= behind ? VOCAB_ADD_EOS : VOCAB_ADD_BOS;
	}
	return single != NULL;
}

static bool read_post_processor(Load *l, const JsonNode *x)
{
	Str type = json_get_text(x, "type", STR(""));
	if (!x || x->kind == JSON_NULL || str_is(type, "ByteLevel"))
		return true;
	if (str_is(type, "TemplateProcessing"))
		return read_template(l, x);
	Str shown = load_shown(l, type);
	return load_fail_at(l, x, "post-processor %.*s is not known", STR_ARG(shown));
}

static bool read_post_processors(Load *l)
{
	const JsonNode *x = json_get(l->json, "post_processor");
	const JsonNode *list = json_get(x, "processors");
	if (!list || list->kind != JSON_ARRAY)
		return read_post_processor(l, x);
	for (uint32_t i = 0; i < list->n; i++)
		if (!read_post_processor(l, list->item[i]))
			return false;
	return true;
}

bool load_hf(Load *l)
{
	if (!load_json(l) || !load_hf_steps(l) || !load_own_split(l))
		return false;
	const JsonNode *model = load_member(l, l->json, "model", JSON_OBJECT);
	if (!model)
		return false;
	Str type = json_get_text(model, "type", STR(""));
	bool known = str_is(type, "BPE") || str_is(type, "WordPiece");
	if (!known) {
		Str shown = load_shown(l, type);
		return load_fail_at(l, model, "model %.*s is not known", STR_ARG(shown));
	}
	return (type.n == 3 ? read_bpe(l, model) : read_wordpiece(l, model)) && read_post_processors(l);
}
