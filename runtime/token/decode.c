/*
 * Ids back to bytes, as each family's own library has it. A byte-level vocabulary's tokens are the bytes; the others
 * lost some on the way in, and put back what they can: the dummy prefix goes, "##" is joined, words get their spaces.
 */
#include "runtime/base/utf8.h"
#include "runtime/token/token.h"

#define SPM_SPACE "\xe2\x96\x81"
#define BAD_CHAR "\xef\xbf\xbd"

static void put_byte_level(const Vocab *v, const uint32_t *ids, size_t n, Buf *out)
{
	for (size_t i = 0; i < n; i++)
		buf_put(out, vocab_token(v, ids[i]));
}

/* ---- SentencePiece, as `sentencepiece` 0.2 ------------------------------------------------------ */

static TokenType type_of(const Vocab *v, uint32_t id)
{
	return id < v->n_token ? (TokenType)v->token_type[id] : TOKEN_UNUSED;
}

/* The bytes that byte tokens stand for from ids[i] on; a sequence of them that is no UTF-8 has lost its meaning. */
static size_t put_fallback(const Vocab *v, const uint32_t *ids, size_t i, size_t n, Buf *out)
{
	Buf run = { 0 };
	for (; i < n && type_of(v, ids[i]) == TOKEN_BYTE; i++)
		buf_put(&run, vocab_token(v, ids[i]));
	Str bytes = buf_str(&run);
	for (size_t at = 0; at < bytes.n;) {
		uint32_t cp, len = utf8_decode(bytes, at, &cp);
		buf_put(out, cp == UTF8_BAD ? STR(BAD_CHAR) : str_sub(bytes, at, at + len));
		at += len;
	}
	buf_free(&run);
	return i;
}

static void put_piece(Buf *out, Str piece)
{
	for (size_t at = 0, end; at < piece.n; at = end + sizeof SPM_SPACE - 1) {
		end = str_find(piece, STR(SPM_SPACE), at);
		buf_put(out, str_sub(piece, at, end));
		if (end < piece.n)
			buf_byte(out, ' ');
	}
}

/* A space goes from the first piece that has any text, if the vocabulary put it there. */
static void put_spm(const Vocab *v, const uint32_t *ids, size_t n, Buf *out)
{
	unsigned flags = v->header->flags;
	bool may_drop = flags & (VOCAB_DUMMY_PREFIX | VOCAB_TRIM_SPACES);
	size_t start = out->n;
	for (size_t i = 0; i < n;) {
		Str piece = vocab_token(v, ids[i]);
		TokenType type = type_of(v, ids[i]);
		if (type == TOKEN_BYTE) {
			i = put_fallback(v, ids, i, n, out);
			continue;
		}
		may_drop &= out->n == start;
		if (ids[i++] == v->header->unk || type == TOKEN_UNKNOWN) {
			buf_lit(out, " \xe2\x81\x87 ");
		} else if (type != TOKEN_SPECIAL) {
			bool drops = may_drop && str_starts(piece, STR(SPM_SPACE));
			put_piece(out, str_sub(piece, drops ? sizeof SPM_SPACE - 1 : 0, piece.n));
			may_drop &= !drops || flags & VOCAB_TRIM_SPACES;
		}
	}
}

/* ---- WordPiece, as `tokenizers` 0.23 ------------------------------------------------------------ */

/* What English writes without the space before it, or around it, and one word that it shortens. */
static const struct { const char *from, *to; } tidy[] = {
	{ " .", "." }, { " ?", "?" }, { " !", "!" }, { " ,", "," }, { " ' ", "'" }, { " n't", "n't" }, { " 'm", "'m" },
	{ " do not", " don't" }, { " 's", "'s" }, { " 've", "'ve" }, { " 're", "'re" },
};

static void put_tidy(Buf *out, Str t)
{
	for (size_t at = 0; at < t.n;) {
		size_t k = 0, n_row = sizeof tidy / sizeof *tidy;
		Str rest = str_sub(t, at, t.n);
		while (k < n_row && !str_starts(rest, str_from(tidy[k].from)))
			k++;
		buf_put(out, k < n_row ? str_from(tidy[k].to) : str_sub(t, at, at + 1));
		at += k < n_row ? strlen(tidy[k].from) : 1;
	}
}

/* Each token is tidied with the space before it and nothing else. */
static void put_wordpiece(const Vocab *v, const uint32_t *ids, size_t n, Buf *out)
{
	Buf word = { 0 };
	bool is_first = true;
	for (size_t i = 0; i < n; i++) {
		Str t = vocab_token(v, ids[i]);
		TokenType type = type_of(v, ids[i]);
		if (type == TOKEN_SPECIAL || type == TOKEN_UNKNOWN)
			continue;
		bool joins = !is_first && str_starts(t, STR("##"));
		word.n = 0;
		if (!is_first && !joins)
			buf_byte(&word, ' ');
		buf_put(&word, str_sub(t, joins ? 2 : 0, t.n));
		put_tidy(out, buf_str(&word));
		is_first = false;
	}
	buf_free(&word);
}

/* ---- all ---------------------------------------------------------------------------------------- */

bool token_decode(const Vocab *v, const uint32_t *ids, size_t n, Buf *out, size_t *bad)
{
	for (size_t i = 0; i < n; i++)
		if (!vocab_token(v, ids[i]).n && (ids[i] >= v->n_token || v->token_type[ids[i]] != TOKEN_UNUSED)) {
			*bad = i;
			return false;
		}
	if (v->header->model == VOCAB_SPM)
		put_spm(v, ids, n, out);
	else if (v->header->model == VOCAB_WORDPIECE)
		put_wordpiece(v, ids, n, out);
	else
		put_byte_level(v, ids, n, out);
	return true;
}
