/* See frame_ids.h. */
#include "runtime/wire/frame_ids.h"

typedef struct Framer {
	Arena *arena;
	Encoder *encoder;
	const Vocab *vocab;
	FrameIds *out;
	Buf text;              /* since the last special token */
	bool is_behind_special;
} Framer;

/* note [prefix behind a special token] in count_prompt.c: the space that such a vocabulary puts before a
 * text is the one that its template writes there. */
static void flush(Framer *f)
{
	Str text = buf_str(&f->text);
	if (f->is_behind_special && f->vocab->header->flags & VOCAB_DUMMY_PREFIX && text.n && text.p[0] == ' ')
		text = str_sub(text, 1, text.n);
	if (text.n) {
		uint32_t *ids = arena_array(f->arena, uint32_t, token_bound(f->vocab, text.n));
		size_t n = token_encode(f->encoder, text, ids);
		for (size_t i = 0; i < n; i++)
			vec_push(f->arena, f->out, ids[i]);
	}
	f->text.n = 0;
	f->is_behind_special = false;
}

static bool put_special(Framer *f, Str text, Str *why)
{
	uint32_t id = vocab_find_special(f->vocab, text);
	if (id == TOKEN_NONE) {
		*why = str_fmt(f->arena, "the chat template writes %.*s, which the model's vocabulary does not have", STR_ARG(text));
		return false;
	}
	flush(f);
	vec_push(f->arena, f->out, id);
	f->is_behind_special = true;
	return true;
}

static bool put_stretch(Framer *f, const WireStretch *s, Str *why)
{
	switch (s->kind) {
	case STRETCH_SPECIAL: return put_special(f, s->text, why);
	case STRETCH_TEMPLATE: case STRETCH_TEXT: case STRETCH_VALUE:
		if (s->is_apart)
			flush(f);
		buf_put(&f->text, s->text);
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
	buf_free(&f->text);
	return ok;
}

bool frame_ids(Arena *a, const WireFrame *frame, const ChatTemplate *chat, Encoder *e, FrameIds *out, Str *why)
{
	const Vocab *v = encoder_vocab(e);
	Framer f = { .arena = a, .encoder = e, .vocab = v, .out = out };
	if (v->header->flags & VOCAB_ADD_BOS && v->header->bos != TOKEN_NONE && !chat->bos.n) {
		vec_push(a, out, v->header->bos);
		f.is_behind_special = true;
	}
	return put_stretches(&f, frame, why);
}

bool frame_ids_more(Arena *a, const WireFrame *frame, Encoder *e, FrameIds *out, Str *why)
{
	Framer f = { .arena = a, .encoder = e, .vocab = encoder_vocab(e), .out = out };
	return put_stretches(&f, frame, why);
}
