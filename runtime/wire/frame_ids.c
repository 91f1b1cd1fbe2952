/* See frame_ids.h. What waits to be tokenised is the seam: the text since the last special token, or since the last ids
 * that the file shipped. */
#include "runtime/wire/frame_ids.h"

typedef struct Framer {
	FrameCoder *c;
	const Vocab *vocab;
	FrameIds *out;
	Buf seam;
	bool is_behind_special, is_behind_cut;
} Framer;

FrameCoder frame_coder(Arena *a, Encoder *e, const Bin *bin)
{
	return (FrameCoder){ .arena = a, .encoder = e, .shipped = shipped_find(bin, e) };
}

static void put_ids(Framer *f, const void *ids, uint32_t n)
{
	if (!n)
		return;
	vec_reserve(f->c->arena, f->out, f->out->n + n);
	memcpy(f->out->v + f->out->n, ids, n * sizeof *f->out->v);
	f->out->n += n;
}

/* note [prefix behind a special token] in count_prompt.c: the space that such a vocabulary puts before a
 * text is the one that its template writes there. */
static void code_seam(Framer *f)
{
	Str text = buf_str(&f->seam);
	bool is_first = f->is_behind_special && !f->is_behind_cut;
	if (is_first && f->vocab->header->flags & VOCAB_DUMMY_PREFIX && text.n && text.p[0] == ' ')
		text = str_sub(text, 1, text.n);
	if (text.n) {
		uint32_t *ids = arena_array(f->c->arena, uint32_t, token_bound(f->vocab, text.n));
		uint32_t n = (uint32_t)(f->is_behind_cut ? token_encode_behind : token_encode)(f->c->encoder, text, ids);
		put_ids(f, ids, n);
		f->c->counts.n_made += n;
	}
	f->seam.n = 0;
}

static void flush(Framer *f)
{
	code_seam(f);
	f->is_behind_special = f->is_behind_cut = false;
}

static void put_special_id(Framer *f, uint32_t id)
{
	flush(f);
	vec_push(f->c->arena, f->out, id);
	f->is_behind_special = true;
}

static void put_seam(Framer *f, Str text)
{
	buf_put(&f->seam, text);
	if (shipped_has(&f->c->shipped, text))
		f->c->counts.n_copied += text.n;
}

/* Behind ill-formed bytes there are no cuts, so none of the file's ids either until a special token. */
static void put_text(Framer *f, Str text)
{
	ShippedPart part;
	size_t at = 0;
	while (shipped_next(&f->c->shipped, text, at, &part)) {
		put_seam(f, str_sub(text, at, part.lo));
		at = part.lo;
		if (token_cut_well(f->c->encoder, buf_str(&f->seam)) < f->seam.n)
			break;
		code_seam(f);
		put_ids(f, part.id, part.n_id);
		f->c->counts.n_shipped += part.n_id;
		f->is_behind_cut = true;
		at = part.hi;
	}
	put_seam(f, str_sub(text, at, text.n));
}

static bool put_special(Framer *f, Str text, Str *why)
{
	uint32_t id = vocab_find_special(f->vocab, text);
	if (id == TOKEN_NONE) {
		*why = str_fmt(f->c->arena, "the chat template writes %.*s, which the model's vocabulary does not have", STR_ARG(text));
		return false;
	}
	put_special_id(f, id);
	return true;
}

static bool put_stretch(Framer *f, const WireStretch *s, Str *why)
{
	switch (s->kind) {
	case STRETCH_SPECIAL: return put_special(f, s->text, why);
	case STRETCH_TEMPLATE: case STRETCH_TEXT: case STRETCH_VALUE:
		if (s->is_apart)
			flush(f);
		put_text(f, s->text);
		return true;
	case STRETCH_IMAGE:
		*why = STR("the prompt holds an image or a file, which this model does not read");
		return false;
	case STRETCH_TOOL:
		*why = STR("the prompt declares tools: how this model would read them is not known");
		return false;
	default:
		*why = STR("how the target frames messages is not public");
		return false;
	}
}

static bool put_stretches(Framer *f, const WireFrame *frame, Str *why)
{
	bool ok = true;
	for (uint32_t i = 0; i < frame->stretch.n && ok; i++)
		ok = put_stretch(f, &frame->stretch.v[i], why);
	if (ok)
		flush(f);
	buf_free(&f->seam);
	return ok;
}

bool frame_ids(FrameCoder *c, const WireFrame *frame, const ChatTemplate *chat, FrameIds *out, Str *why)
{
	Framer f = { .c = c, .vocab = encoder_vocab(c->encoder), .out = out };
	if (f.vocab->header->flags & VOCAB_ADD_BOS && f.vocab->header->bos != TOKEN_NONE && !chat->bos.n)
		put_special_id(&f, f.vocab->header->bos);
	return put_stretches(&f, frame, why);
}

bool frame_ids_more(FrameCoder *c, const WireFrame *frame, FrameIds *out, Str *why)
{
	Framer f = { .c = c, .vocab = encoder_vocab(c->encoder), .out = out };
	return put_stretches(&f, frame, why);
}
