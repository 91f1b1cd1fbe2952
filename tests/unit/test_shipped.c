/* Shipped ids: with vocabularies of every family, whatever stands around a compiled text, a request's ids are the same
 * with those that the file brings and without. */
#include "compiler/emit/bin_tokens.h"

#include "compiler/emit/bin_writer.h"
#include "runtime/wire/frame_ids.h"
#include "tests/fuzz/law_vocabs.h"
#include "tests/unit/check.h"

enum { N_TEXT = 40, TEXT_BYTES = 100, ROUNDS = 150, STRETCHES = 12, VALUE_BYTES = 12, NEAR_BYTES = 16 };

static const char *const bit[] = {
	"a", "the", " ", " the", "  ", "\n", "e", "t", "th", "1", "12", "'s", ".", " a", "a b", "a the", "\n\n", "THE", "\xc3\xa9", "e\xcc\x81",
	"\xe6\x97\xa5", S1, "\t", "\r\n", "'", "ing", "\xcc\x81", "\xf0\x9f\x98\x80", "\xe3\x80\x80", "\xe2\x84\x80", "\xff", "\xe2\x96",
};
enum { BITS_ASCII = 18, BITS_WELL = 30, BITS_ALL = sizeof bit / sizeof *bit };

static unsigned next_random(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 16) % below;
}

static Str random_text(Arena *a, unsigned *seed, size_t n, unsigned n_bit)
{
	Buf b = { 0 };
	while (b.n < n)
		buf_putz(&b, bit[next_random(seed, 4) ? next_random(seed, BITS_ASCII) : next_random(seed, n_bit)]);
	Str text = str_dup(a, buf_str(&b));
	buf_free(&b);
	return text;
}

/* ---- a file of some texts ---- */

typedef struct File {
	Arena arena;
	Buf bytes;
	Bin bin;
	BinStatus status;
	BinError err;
	uint32_t n_id;
} File;

static uint32_t put_seg(BinWriter *w, SegKind kind, uint32_t partner)
{
	BinSeg s = bin_blank_seg(kind);
	s.partner = partner;
	vec_push(w->arena, &w->seg, s);
	return w->seg.n - 1;
}

static void file_make(File *f, unsigned seed)
{
	BinWriter w;
	*f = (File){ 0 };
	bin_writer_init(&w, &f->arena);
	put_seg(&w, SEG_MESSAGE, N_TEXT + 3);
	put_seg(&w, SEG_PART, N_TEXT + 2);
	for (int i = 0; i < N_TEXT; i++) {
		Str text = random_text(&f->arena, &seed, i ? TEXT_BYTES : 20, BITS_WELL);
		uint32_t at = put_seg(&w, i % 2 ? SEG_TEXT : SEG_SCHEMA, BIN_NONE);
		w.seg.v[at].text = bin_put_str(&w, text);
	}
	put_seg(&w, SEG_PART_END, 1);
	put_seg(&w, SEG_MESSAGE_END, 0);
	vec_push(&f->arena, &w.prompt, (BinPrompt){ .seg = { 0, w.seg.n }, .reply.schema = BIN_NONE, .cache = BIN_NONE });
	f->status = bin_writer_finish(&w, &f->bytes, &f->bin, &f->err);
	bin_writer_free(&w);
}

static void file_tokenise(File *f, Encoder *const *e, uint32_t n)
{
	Encoders encoders = { 0 };
	for (uint32_t i = 0; i < n; i++)
		vec_push(&f->arena, &encoders, e[i]);
	if (!f->status)
		f->status = bin_append_tokens(&f->arena, &encoders, &f->bytes, &f->bin, &f->n_id, &f->err);
}

static void file_free(File *f)
{
	buf_free(&f->bytes);
	arena_free(&f->arena);
}

/* ---- requests ---- */

/* A user-defined token, for want of special ones; empty: the vocabulary has none. */
static Str any_special(const Vocab *v)
{
	return v->n_user ? vocab_token(v, v->user[0]) : STR("");
}

static size_t to_char(Str text, size_t at)
{
	while (at < text.n && (text.p[at] & 0xc0) == 0x80)
		at++;
	return at;
}

/* A text of the file as render gives it: whole, or without its last line end; now and then without what stands near its
 * ends, where ids are the file's no more. */
static Str any_part(const File *f, unsigned *seed)
{
	Str text = bin_str(&f->bin, f->bin.seg[2 + next_random(seed, N_TEXT)].text);
	if (text.p[text.n - 1] == '\n')
		text.n--;
	if (next_random(seed, 3))
		return text;
	return str_sub(text, to_char(text, next_random(seed, NEAR_BYTES)), to_char(text, text.n - next_random(seed, NEAR_BYTES)));
}

static WireStretch any_stretch(const File *f, const Vocab *v, Arena *a, unsigned *seed)
{
	WireStretch s = { .kind = STRETCH_TEXT, .is_apart = !next_random(seed, 8) };
	switch (next_random(seed, 8)) {
	case 0:
		s.kind = any_special(v).n ? STRETCH_SPECIAL : STRETCH_TEMPLATE;
		s.text = any_special(v);
		return s;
	case 1:
		s.kind = STRETCH_TEMPLATE;
		s.text = str_from(bit[next_random(seed, BITS_ASCII)]);
		return s;
	case 2: case 3:
		s.kind = STRETCH_VALUE;
		s.text = random_text(a, seed, next_random(seed, VALUE_BYTES), next_random(seed, 4) ? BITS_WELL : BITS_ALL);
		return s;
	default:
		s.text = any_part(f, seed);
		return s;
	}
}

static FrameCounts check_request(Check *check_, const File *f, Encoder *e, unsigned *seed)
{
	Arena a = { 0 };
	WireFrame frame = { .is_public = true };
	FrameCoder with = frame_coder(&a, e, &f->bin), without = frame_coder(&a, e, NULL);
	FrameIds x = { 0 }, y = { 0 };
	Str why;
	for (int i = 0; i < STRETCHES; i++)
		vec_push(&a, &frame.stretch, any_stretch(f, encoder_vocab(e), &a, seed));
	CHECK(frame_ids_more(&with, &frame, &x, &why) && frame_ids_more(&without, &frame, &y, &why));
	CHECK(x.n == y.n && x.n && !memcmp(x.v, y.v, x.n * sizeof *x.v));
	CHECK_INT(with.counts.n_shipped + with.counts.n_made, without.counts.n_made);
	CHECK_INT(without.counts.n_shipped, 0);
	arena_free(&a);
	return with.counts;
}

TEST(ids_are_those_of_the_whole)
{
	unsigned seed = 23;
	for (unsigned which = 0; which < LAW_VOCABS; which++) {
		Sample s;
		File f;
		uint32_t n_shipped = 0, n_made = 0;
		law_make(&s, which);
		if (!CHECK(s.is_built))
			break;
		Encoder *e = encoder_new(&s.vocab);
		file_make(&f, 100 + which);
		file_tokenise(&f, &e, 1);
		CHECK_INT(f.status, BIN_OK);
		CHECK(f.n_id > 0);
		for (unsigned round = 0; round < ROUNDS; round++) {
			FrameCounts c = check_request(check_, &f, e, &seed);
			n_shipped += c.n_shipped;
			n_made += c.n_made;
		}
		/* Ids are taken where they spell their text: a normal form may change it, WordPiece always does. */
		bool is_bert = s.vocab.header->model == VOCAB_WORDPIECE, is_normal = s.vocab.header->norm != NORM_NONE;
		CHECK(is_bert ? !n_shipped : n_shipped > n_made / (is_normal ? 8 : 2));
		file_free(&f);
		encoder_free(e);
		sample_free(&s);
	}
}

/* ---- what a file may hold ---- */

static Encoder *make_few(Check *check_, Sample *s, unsigned flags)
{
	static const Piece few[] = { { "a", 0, -1 }, { "b", 0, -1 }, { S1, 0, -1 } };
	VocabSource source = { .model = VOCAB_SPM, .split = SPLIT_SPM, .unk = TOKEN_NONE, .flags = VOCAB_BYTE_FALLBACK | flags };
	sample_make(s, &source, few, LAW_COUNT(few));
	CHECK(s->is_built);
	return encoder_new(&s->vocab);
}

TEST(nothing_without_cuts)
{
	Sample s;
	File f;
	Encoder *e = make_few(check_, &s, VOCAB_TRIM_SPACES);
	file_make(&f, 1);
	size_t n = f.bytes.n;
	file_tokenise(&f, &e, 1);
	CHECK_INT(f.status, BIN_OK);
	CHECK(f.n_id == 0 && f.bytes.n == n && f.bin.n_tokenizer == 0);
	file_free(&f);
	encoder_free(e);
	sample_free(&s);
}

/* Any order and number of the same vocabularies is one file; each finds its own ids, any other none. */
TEST(vocabularies_are_kept_apart)
{
	enum { N = 3 };
	static const unsigned which[N] = { 0, 7, LAW_BYTE_LEVEL };
	Sample s[N], other;
	Encoder *e[N];
	File f, g;
	for (int i = 0; i < N; i++) {
		law_make(&s[i], which[i]);
		e[i] = encoder_new(&s[i].vocab);
	}
	Encoder *stranger = make_few(check_, &other, 0), *mixed[] = { e[2], e[0], e[2], e[1], e[0] };
	file_make(&f, 9);
	file_make(&g, 9);
	file_tokenise(&f, e, N);
	file_tokenise(&g, mixed, 5);
	CHECK(f.status == BIN_OK && f.bin.n_tokenizer == N && str_eq(buf_str(&f.bytes), buf_str(&g.bytes)));
	for (int i = 0; i < N; i++)
		CHECK(shipped_find(&f.bin, e[i]).text.n > 0);
	CHECK_INT(shipped_find(&f.bin, stranger).text.n, 0);
	unsigned seed = 3;
	CHECK_INT(check_request(check_, &f, stranger, &seed).n_shipped, 0);
	encoder_free(stranger);
	sample_free(&other);
	for (int i = 0; i < N; i++) {
		encoder_free(e[i]);
		sample_free(&s[i]);
	}
	file_free(&f);
	file_free(&g);
}

/* The whole of one text as a request's ids. */
static FrameCounts count_text(Check *check_, const File *f, Encoder *e, uint32_t seg)
{
	Arena a = { 0 };
	WireFrame frame = { .is_public = true };
	FrameCoder coder = frame_coder(&a, e, &f->bin);
	FrameIds ids = { 0 };
	Str why;
	vec_push(&a, &frame.stretch, (WireStretch){ .kind = STRETCH_TEXT, .text = bin_str(&f->bin, f->bin.seg[seg].text) });
	CHECK(frame_ids_more(&coder, &frame, &ids, &why));
	arena_free(&a);
	return coder.counts;
}

/* A forged id that only framing may make, that no text gives, that is not there or that is another text's: the text is
 * tokenised. */
TEST(forged_ids_are_not_taken)
{
	static const Piece row[] = { { "aa", 0, 0 }, { "<s>", TOKEN_SPECIAL, 0 }, { "bb", TOKEN_UNUSED, 0 } };
	Sample s;
	File f;
	VocabSource source = { .model = VOCAB_RANKS, .split = SPLIT_O200K, .unk = TOKEN_NONE };
	sample_make(&s, &source, row, LAW_COUNT(row));
	Encoder *e = encoder_new(&s.vocab);
	file_make(&f, 5);
	file_tokenise(&f, &e, 1);
	if (CHECK(f.status == BIN_OK && f.bin.n_token_text)) {
		uint32_t another = f.bin.token_id[f.bin.token_text[0].id.first].w == 'a' ? 'b' : 'a';
		const uint32_t forged[] = { vocab_find_special(&s.vocab, STR("<s>")), s.vocab.n_token - 1, s.vocab.n_token, UINT32_MAX, another };
		uint32_t seg = 3;
		FrameCounts sound = count_text(check_, &f, e, seg);
		BinWord *id = (BinWord *)(uintptr_t)f.bin.token_id;
		CHECK(sound.n_shipped > 0 && sound.n_copied < f.bin.seg[seg].text.len / 2);
		for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
			for (uint32_t k = 0; k < f.bin.n_token_text; k++)
				id[f.bin.token_text[k].id.first].w = forged[i];
			FrameCounts c = count_text(check_, &f, e, seg);
			CHECK(c.n_shipped == 0 && c.n_made == sound.n_shipped + sound.n_made && c.n_copied == f.bin.seg[seg].text.len);
		}
	}
	file_free(&f);
	encoder_free(e);
	sample_free(&s);
}

CHECK_MAIN(ids_are_those_of_the_whole, nothing_without_cuts, vocabularies_are_kept_apart, forged_ids_are_not_taken)
