/*
 * Tokens: exact ids and counts of texts, special tokens off. The examples are compiled and run by
 * tests/token/examples.py.
 *
 * Encode and decode:
 *
 *     Vocab v;
 *     Str why;
 *     size_t bad;
 *     Buf back = { 0 };
 *     if (!vocab_open(arena, path, &v, &why))
 *         return fail(why);
 *     Encoder *e = encoder_new(&v);
 *     uint32_t *ids = token_ids_new(token_bound(&v, text.n));
 *     size_t n = token_encode(e, text, ids);
 *     if (token_decode(&v, ids, n, &back, &bad))
 *         printf("%zu tokens of \"%.*s\"\n", n, STR_ARG(buf_str(&back)));
 *
 * Count, with no room for ids:
 *
 *     printf("%zu tokens\n", token_count(e, text));
 *
 * Cut a text where that changes no token, here into parts of about 1000 bytes:
 *
 *     for (size_t at = 0, end; at < text.n; at = end) {
 *         end = token_cut(e, text, at + 1000);
 *         Str part = str_sub(text, at, end);
 *         printf("%zu\n", at ? token_count_behind(e, part) : token_count(e, part));
 *     }
 *
 * Encode a text that arrives in pieces:
 *
 *     TokenStream s = { .e = e };
 *     while ((n_read = read(fd, piece, sizeof piece)) > 0)
 *         use(s.ids, token_stream_put(&s, (Str){ piece, (size_t)n_read }));
 *     use(s.ids, token_stream_end(&s));
 *     token_stream_free(&s);
 *
 * Ask for parts of a text, and edit it: index.h.
 *
 * An Encoder belongs to one thread; any number of them share a Vocab. What an encoder remembers of the
 * pieces it has seen changes its speed, never its ids.
 *
 * Ill-formed UTF-8 in a byte-level vocabulary follows tiktoken: the valid text before the first bad
 * byte is encoded as it is, its last piece taken back, and that piece with all bytes that follow is
 * one piece. Other vocabularies read each bad byte as U+FFFD.
 */
#ifndef SEED_TOKEN_TOKEN_H
#define SEED_TOKEN_TOKEN_H

#include "runtime/token/vocab.h"

typedef struct Encoder Encoder;

/* v must outlive it. Freed with encoder_free. */
Encoder *encoder_new(const Vocab *v);
void encoder_free(Encoder *e);
const Vocab *encoder_vocab(const Encoder *e);

/* Ids that a text of n bytes can take at the most. */
size_t token_bound(const Vocab *v, size_t n_bytes);
/* Memory for so many ids, for free(). Of megabytes it is in large pages where the system has them, which are
 * touched in a tenth of the time. */
uint32_t *token_ids_new(size_t n_id);
/* Writes the ids of text and returns their number; room for token_bound(text.n) ids. */
size_t token_encode(Encoder *e, Str text, uint32_t *ids);
/* Their number alone. */
size_t token_count(Encoder *e, Str text);

/* The same by n_encoder threads (TOKEN_THREADS_MAX at the most), the caller's one of them, each with an
 * encoder of the one vocabulary: for texts of megabytes. Room for token_bound(text.n) ids and
 * TOKEN_PART_ROOM more for each encoder. One encoder does it all where the vocabulary offers no cuts, and
 * again where a byte-level one meets ill-formed bytes. */
enum { TOKEN_THREADS_MAX = 64, TOKEN_PART_ROOM = 8 };
size_t token_encode_parallel(Encoder *const *e, unsigned n_encoder, Str text, uint32_t *ids);
size_t token_count_parallel(Encoder *const *e, unsigned n_encoder, Str text);

/* Appends the bytes that the ids stand for, as the family's own library decodes them. Byte-level vocabularies give
 * every byte back (in the normal form, where there is one) but for bytes that have no token and so no id, as six
 * control characters of SmolLM2; SentencePiece without the space that it put before a text; WordPiece with a space
 * between words. Of these two special tokens give nothing. False, and nothing appended, at an id that the vocabulary
 * does not have (*bad). */
bool token_decode(const Vocab *v, const uint32_t *ids, size_t n, Buf *out, size_t *bad);

/* ---- cut points -------------------------------------------------------------------------------------
 *
 * Offsets where the two sides can be encoded apart: the ids of the left side, then those of the right side as a text
 * that stands behind a cut, are the ids of the whole; and so for any number of cuts. Most are at spaces and line ends.
 * In a byte-level vocabulary this is so of cuts in the well-formed start of a text, token_cut_well; in the others
 * everywhere. A few SentencePiece vocabularies offer none: those that drop spaces at the ends of a text or have pieces
 * of type TOKEN_UNUSED. */

/* The first cut at or behind `from`, or text.n if there is none before the end. */
size_t token_cut(const Encoder *e, Str text, size_t from);
/* The last cut at or behind `from` that stays one whatever bytes follow the text, or 0. */
size_t token_cut_last(const Encoder *e, Str text, size_t from);
/* Where the start of the text ends in which cuts are cuts. */
size_t token_cut_well(const Encoder *e, Str text);
/* Bytes on each side of a cut that decide whether it is one. */
size_t token_cut_reach(const Encoder *e);

/* token_encode and token_count of a text that stands behind a cut: without the space that some SentencePiece
 * vocabularies put before a text. For all others the same. */
size_t token_encode_behind(Encoder *e, Str text, uint32_t *ids);
size_t token_count_behind(Encoder *e, Str text);

/* A text that arrives in pieces, of any size and cut anywhere. Zeroed but for e; another text may follow an end. */
typedef struct TokenStream {
	Encoder *e;
	uint32_t *ids;    /* what the last call returned, that many */
	size_t ids_cap, n_seen;
	Buf held;         /* bytes that what follows may still change */
	bool is_behind;
} TokenStream;

/* The ids that the piece makes certain. */
size_t token_stream_put(TokenStream *s, Str piece);
/* The last ones. */
size_t token_stream_end(TokenStream *s);
void token_stream_free(TokenStream *s);

#endif
