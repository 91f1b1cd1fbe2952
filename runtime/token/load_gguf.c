/*
 * The tokenizer inside a GGUF: gpt2 (BPE over bytes, a merge list, a named pre-tokenizer), llama
 * (SentencePiece BPE) and bert (WordPiece). tokenizer.ggml.pre counts for gpt2 alone, and a name that
 * gguf_pre.def does not have is refused: a default would count wrong without a word.
 */
#include <math.h>

#include "runtime/gguf/gguf.h"
#include "runtime/token/load_each.h"

/* tokenizer.ggml.token_type */
enum GgufTokenType { PIECE_NORMAL = 1, PIECE_UNKNOWN, PIECE_CONTROL, PIECE_USER, PIECE_UNUSED, PIECE_BYTE };

static const uint8_t type_of_piece[] = {
	[PIECE_NORMAL] = TOKEN_NORMAL, [PIECE_UNKNOWN] = TOKEN_UNKNOWN, [PIECE_CONTROL] = TOKEN_SPECIAL,
	[PIECE_USER] = TOKEN_USER, [PIECE_UNUSED] = TOKEN_UNUSED, [PIECE_BYTE] = TOKEN_BYTE,
};

static bool fail_key(Load *l, const char *key, const char *what)
{
	return load_fail(l, 0, "%s %s", key, what);
}

/* The array of n values (any number where n is UINT64_MAX) of that type under key, or NULL. */
static const GgufKey *need_array(Load *l, const Gguf *g, const char *key, GgufType item, uint64_t n)
{
	const GgufKey *k = gguf_find(g, key);
	if (!k)
		return fail_key(l, key, "is not there"), NULL;
	if (k->type != GGUF_ARRAY || k->item != item)
		return load_fail(l, k->offset, "%s is no array of %s", key, gguf_type_name(item)), NULL;
	if (n != UINT64_MAX && k->n != n)
		return load_fail(l, k->offset, "%s has %llu values for %llu tokens", key, (unsigned long long)k->n, (unsigned long long)n), NULL;
	return k;
}

static bool read_id(Load *l, const Gguf *g, const char *key, uint32_t *id)
{
	const GgufKey *k = gguf_find(g, key);
	if (!k)
		return true;
	if (gguf_to_u32(k, id) && *id < l->out->n_token)
		return true;
	return load_fail(l, k->offset, "%s is no token of the vocabulary", key);
}

static bool read_flag(Load *l, const Gguf *g, const char *key, enum VocabFlag flag)
{
	const GgufKey *k = gguf_find(g, key);
	bool on;
	if (!k)
		return true;
	if (!gguf_to_bool(k, &on))
		return load_fail(l, k->offset, "%s is no bool", key);
	l->out->flags = on ? l->out->flags | (unsigned)flag : l->out->flags & ~(unsigned)flag;
	return true;
}

/* ---- tokens -------------------------------------------------------------------------------------- */

/* SentencePiece's own U+2581 for the spaces that a converter put into a user-defined piece. */
static Str with_marks(Load *l, Str s)
{
	l->join.n = 0;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == ' ')
			buf_lit(&l->join, "\u2581");
		else
			buf_byte(&l->join, s.p[i]);
	return str_dup(l->a, buf_str(&l->join));
}

/* BERT's pieces are turned around in a GGUF: U+2581 before what starts a word, nothing before the rest. */
static Str wordpiece_of(Load *l, Str s)
{
	Str mark = STR("\u2581");
	if (str_starts(s, mark))
		return str_sub(s, mark.n, s.n);
	if (str_starts(s, STR("[")) && str_ends(s, STR("]")))
		return s;
	return str_fmt(l->a, "##%.*s", STR_ARG(s));
}

/* The bytes that the piece stands for; its type may change. */
static Str bytes_of(Load *l, Str s, TokenType *type)
{
	Str bytes = s;
	if (*type == TOKEN_BYTE)
		bytes = (Str){ arena_dup(l->a, &(char){ (char)load_byte_token(s) }, 1), 1 };
	else if (*type == TOKEN_USER && l->out->model == VOCAB_SPM)
		bytes = memchr(s.p, ' ', s.n) ? with_marks(l, s) : s;
	else if (*type == TOKEN_NORMAL && l->out->model == VOCAB_WORDPIECE)
		bytes = wordpiece_of(l, s);
	else if (*type == TOKEN_NORMAL && l->out->model == VOCAB_MERGES && !load_byte_level(l->a, s, &bytes))
		*type = TOKEN_UNUSED;
	return bytes;
}

static bool read_tokens(Load *l, const Gguf *g)
{
	const GgufKey *k = need_array(l, g, "tokenizer.ggml.tokens", GGUF_STRING, UINT64_MAX);
	const GgufKey *type = k ? need_array(l, g, "tokenizer.ggml.token_type", GGUF_I32, k->n) : NULL;
	if (!type)
		return false;
	GgufStrings it = gguf_strings(k);
	Str s;
	for (uint32_t id = 0; gguf_next_string(&it, &s); id++) {
		int64_t piece = gguf_item_int(type, id);
		size_t offset = (size_t)(s.p - l->bytes.p);
		if (piece < PIECE_NORMAL || piece > PIECE_BYTE)
			return load_fail(l, type->offset, "tokenizer.ggml.token_type: token %u has type %d", id, (int)piece);
		TokenType is = type_of_piece[piece];
		if (is == TOKEN_BYTE && load_byte_token(s) < 0)
			return load_fail(l, offset, "token %u is a byte, and not spelled <0xNN>", id);
		Str bytes = bytes_of(l, s, &is);
		if (!load_put(l, offset, id, bytes, is) || (is != TOKEN_UNUSED && !load_text_once(l, offset, s, id)))
			return false;
		if (is == TOKEN_BYTE)
			l->out->flags |= VOCAB_BYTE_FALLBACK;
	}
	return true;
}

static bool read_ids(Load *l, const Gguf *g)
{
	VocabSource *v = l->out;
	return read_id(l, g, "tokenizer.ggml.cls_token_id", &v->bos)
		&& read_id(l, g, "tokenizer.ggml.seperator_token_id", &v->eos) /* as the format spells it */
		&& read_id(l, g, "tokenizer.ggml.bos_token_id", &v->bos) && read_id(l, g, "tokenizer.ggml.eos_token_id", &v->eos)
		&& read_flag(l, g, "tokenizer.ggml.add_bos_token", VOCAB_ADD_BOS)
		&& read_flag(l, g, "tokenizer.ggml.add_eos_token", VOCAB_ADD_EOS);
}

/* ---- models -------------------------------------------------------------------------------------- */

static bool take_pre(Load *l, const Gguf *g)
{
	static const struct { const char *name; VocabSplit split; VocabNorm norm; unsigned flags; } row[] = {
#define GGUF_PRE(name, split, norm, flags) { name, SPLIT_##split, NORM_##norm, flags },
#include "runtime/token/gguf_pre.def"
#undef GGUF_PRE
	};
	const GgufKey *k = gguf_find(g, "tokenizer.ggml.pre");
	if (!k)
		return load_fail(l, 0, "tokenizer.ggml.pre is not there: how gpt2 splits a text is not known");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (str_is(gguf_text(k), row[i].name)) {
			l->out->split = row[i].split;
			l->out->norm = row[i].norm;
			l->out->flags |= row[i].flags;
			return true;
		}
	Str shown = load_shown(l, gguf_text(k));
	return load_fail(l, k->offset, "tokenizer.ggml.pre %.*s is no pre-tokenizer that is known", STR_ARG(shown));
}

static bool read_merges(Load *l, const Gguf *g)
{
	const GgufKey *k = need_array(l, g, "tokenizer.ggml.merges", GGUF_STRING, UINT64_MAX);
	if (!k)
		return false;
	if (k->n >= UINT32_MAX / 4)
		return load_fail(l, k->offset, "too many merges");
	load_merge_room(l, (uint32_t)k->n);
	GgufStrings it = gguf_strings(k);
	Str s, left, right;
	while (gguf_next_string(&it, &s)) {
		size_t offset = (size_t)(s.p - l->bytes.p);
		if (!load_split_merge(s, &left, &right))
			return load_fail(l, offset, "merge %u is not two pieces", l->out->n_merge);
		if (!load_merge(l, offset, left, right))
			return false;
	}
	return true;
}

static bool load_gpt2(Load *l, const Gguf *g)
{
	l->out->model = VOCAB_MERGES;
	return take_pre(l, g) && read_tokens(l, g) && read_ids(l, g) && read_merges(l, g);
}

static bool read_scores(Load *l, const Gguf *g)
{
	VocabSource *v = l->out;
	const GgufKey *k = need_array(l, g, "tokenizer.ggml.scores", GGUF_F32, v->n_token);
	if (!k)
		return false;
	v->score = arena_array(l->a, float, v->n_token);
	for (uint32_t i = 0; i < v->n_token; i++) {
		v->score[i] = gguf_item_f32(k, i);
		if (!isfinite(v->score[i]))
			return load_fail(l, k->offset, "tokenizer.ggml.scores: token %u has no finite score", i);
	}
	return true;
}

/* Files without unknown_token_id still have the piece. */
static void find_unknown(VocabSource *v)
{
	for (uint32_t id = 0; v->unk == TOKEN_NONE && id < v->n_token; id++)
		if (v->type[id] == TOKEN_UNKNOWN)
			v->unk = id;
}

/* What the file leaves out is as llama.cpp and the models have it: a prefix, bos, no eos. */
static bool load_llama(Load *l, const Gguf *g)
{
	VocabSource *v = l->out;
	const GgufKey *map = gguf_find(g, "tokenizer.ggml.precompiled_charsmap");
	if (map && map->n)
		return load_fail(l, map->offset, "tokenizer.ggml.precompiled_charsmap: a normalizer that is not known");
	v->model = VOCAB_SPM;
	v->split = SPLIT_SPM;
	v->flags = VOCAB_DUMMY_PREFIX | VOCAB_ADD_BOS | VOCAB_FUSE_UNKNOWN;
	if (!read_tokens(l, g) || !read_ids(l, g) || !read_scores(l, g)
		|| !read_id(l, g, "tokenizer.ggml.unknown_token_id", &v->unk)
		|| !read_flag(l, g, "tokenizer.ggml.add_space_prefix", VOCAB_DUMMY_PREFIX)
		|| !read_flag(l, g, "tokenizer.ggml.remove_extra_whitespaces", VOCAB_TRIM_SPACES))
		return false;
	find_unknown(v);
	return true;
}

static bool load_bert(Load *l, const Gguf *g)
{
	VocabSource *v = l->out;
	v->model = VOCAB_WORDPIECE;
	v->split = SPLIT_BERT;
	v->norm = NORM_BERT;
	v->max_word = LOAD_WORD_MAX;
	v->flags = VOCAB_ADD_BOS | VOCAB_ADD_EOS;
	if (!read_tokens(l, g) || !read_ids(l, g) || !read_id(l, g, "tokenizer.ggml.unknown_token_id", &v->unk))
		return false;
	if (v->unk == TOKEN_NONE)
		return fail_key(l, "tokenizer.ggml.unknown_token_id", "is not there");
	v->type[v->unk] = TOKEN_UNKNOWN;
	return load_need_uncased(l);
}

bool load_gguf(Load *l)
{
	static const struct { const char *name; bool (*load)(Load *l, const Gguf *g); } model[] = {
		{ "gpt2", load_gpt2 }, { "llama", load_llama }, { "bert", load_bert },
	};
	Gguf g;
	if (!gguf_open(l->a, l->bytes, &g, &l->why, &l->offset))
		return false;
	const GgufKey *k = gguf_find(&g, "tokenizer.ggml.model");
	if (!k)
		return fail_key(l, "tokenizer.ggml.model", "is not there: the file has no tokenizer");
	for (size_t i = 0; i < sizeof model / sizeof *model; i++)
		if (str_is(gguf_text(k), model[i].name))
			return model[i].load(l, &g) && load_own_split(l);
	Str shown = load_shown(l, gguf_text(k));
	return load_fail(l, k->offset, "tokenizer.ggml.model %.*s is not known", STR_ARG(shown));
}
