/*
 * vocab.txt of BERT: a piece a line, the line's number is its id. The file does not say whether text
 * is lower-cased first; a vocabulary without a capital is one that needs it, and any other is refused.
 */
#include "runtime/token/load_each.h"

static bool is_bracketed(Str s)
{
	return s.n > 2 && s.p[0] == '[' && s.p[s.n - 1] == ']';
}

bool load_need_uncased(Load *l)
{
	const VocabSource *v = l->out;
	for (uint32_t id = 0; id < v->n_token; id++)
		for (size_t i = 0; v->type[id] == TOKEN_NORMAL && !is_bracketed(v->token[id]) && i < v->token[id].n; i++)
			if (v->token[id].p[i] >= 'A' && v->token[id].p[i] <= 'Z') {
				Str shown = load_shown(l, v->token[id]);
				return load_fail(l, 0, "token %u, %.*s, has a capital: the normalizer of cased vocabularies is not known", id,
					STR_ARG(shown));
			}
	return true;
}

static uint32_t special(Load *l, const char *text, TokenType type)
{
	uint32_t id = load_id_of(l, str_from(text));
	if (id != TOKEN_NONE)
		l->out->type[id] = (uint8_t)type;
	return id;
}

bool load_wordpiece(Load *l)
{
	VocabSource *v = l->out;
	Str rest = l->bytes, line;
	v->model = VOCAB_WORDPIECE;
	v->split = SPLIT_BERT;
	v->norm = NORM_BERT;
	v->max_word = LOAD_WORD_MAX;
	v->flags = VOCAB_ADD_BOS | VOCAB_ADD_EOS;
	for (uint32_t id = 0; str_line(&rest, &line); id++) {
		size_t at = (size_t)(line.p - l->bytes.p);
		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		if (!load_put(l, at, id, line, line.n ? TOKEN_NORMAL : TOKEN_UNUSED) || !load_text_once(l, at, line, id))
			return false;
	}
	v->bos = special(l, "[CLS]", TOKEN_SPECIAL);
	v->eos = special(l, "[SEP]", TOKEN_SPECIAL);
	v->unk = special(l, "[UNK]", TOKEN_UNKNOWN);
	special(l, "[PAD]", TOKEN_SPECIAL);
	special(l, "[MASK]", TOKEN_SPECIAL);
	if (v->bos == TOKEN_NONE || v->eos == TOKEN_NONE || v->unk == TOKEN_NONE)
		return load_fail(l, 0, "no [CLS], [SEP] and [UNK]: this is no vocabulary of BERT");
	return load_own_split(l) && load_need_uncased(l);
}
