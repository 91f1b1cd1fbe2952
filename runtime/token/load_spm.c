/*
 * SentencePiece .model: a protobuf of pieces, trainer_spec and normalizer_spec. The reader here knows
 * just what these need: fields of a message one after the other, none of it nested deeper than two.
 *
 * Only BPE models without a normalization map are known; a unigram model is another algorithm, and
 * what a map does to a text stands in no table here. Refused by name.
 */
#include <math.h>

#include "runtime/token/load_each.h"

enum SpmModel { SPM_UNIGRAM = 1, SPM_BPE = 2 };
enum SpmType { SPM_NORMAL = 1, SPM_UNKNOWN, SPM_CONTROL, SPM_USER, SPM_UNUSED, SPM_BYTE };

static const uint8_t type_of_piece[] = {
	[SPM_NORMAL] = TOKEN_NORMAL, [SPM_UNKNOWN] = TOKEN_UNKNOWN, [SPM_CONTROL] = TOKEN_SPECIAL, [SPM_USER] = TOKEN_USER,
	[SPM_UNUSED] = TOKEN_UNUSED, [SPM_BYTE] = TOKEN_BYTE,
};

/* ---- protobuf ------------------------------------------------------------------------------------ */

typedef enum Wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 } Wire;

typedef struct Field {
	uint32_t number;
	Wire wire;
	uint64_t value;  /* of a number, little-endian where fixed */
	Str bytes;       /* WIRE_BYTES */
	size_t offset;
} Field;

static bool take_varint(Load *l, Str *rest, uint64_t *v)
{
	*v = 0;
	for (unsigned i = 0; i < 10 && i < rest->n; i++) {
		*v |= (uint64_t)(rest->p[i] & 0x7f) << (7 * i);
		if (!(rest->p[i] & 0x80)) {
			*rest = str_sub(*rest, i + 1, rest->n);
			return true;
		}
	}
	return load_fail(l, (size_t)(rest->p - l->bytes.p), "a number that does not end");
}

static bool take_fixed(Load *l, Str *rest, size_t n, uint64_t *v)
{
	*v = 0;
	if (rest->n < n)
		return load_fail(l, (size_t)(rest->p - l->bytes.p), "the message ends inside a number");
	for (size_t i = 0; i < n; i++)
		*v |= (uint64_t)(unsigned char)rest->p[i] << (8 * i);
	*rest = str_sub(*rest, n, rest->n);
	return true;
}

/* The next field of a message that is not empty. */
static bool take_field(Load *l, Str *rest, Field *f)
{
	uint64_t tag;
	f->offset = (size_t)(rest->p - l->bytes.p);
	if (!take_varint(l, rest, &tag))
		return false;
	if (tag >> 3 == 0 || tag > UINT32_MAX)
		return load_fail(l, f->offset, "field number %llu", (unsigned long long)(tag >> 3));
	f->number = (uint32_t)(tag >> 3);
	f->wire = (Wire)(tag & 7);
	switch (f->wire) {
	case WIRE_VARINT: return take_varint(l, rest, &f->value);
	case WIRE_FIXED64: return take_fixed(l, rest, 8, &f->value);
	case WIRE_FIXED32: return take_fixed(l, rest, 4, &f->value);
	case WIRE_BYTES: break;
	default: return load_fail(l, f->offset, "field %u has wire type %d", f->number, (int)f->wire);
	}
	uint64_t n;
	if (!take_varint(l, rest, &n))
		return false;
	if (n > rest->n)
		return load_fail(l, f->offset, "field %u is %llu bytes long, where %zu remain", f->number, (unsigned long long)n, rest->n);
	f->bytes = str_sub(*rest, 0, (size_t)n);
	*rest = str_sub(*rest, (size_t)n, rest->n);
	return true;
}

static bool need_wire(Load *l, const Field *f, Wire wire)
{
	return f->wire == wire || load_fail(l, f->offset, "field %u has wire type %d, not %d", f->number, (int)f->wire, (int)wire);
}

/* ---- pieces -------------------------------------------------------------------------------------- */

typedef struct Piece {
	Str text;
	float score;
	uint64_t type;
} Piece;

static bool read_piece(Load *l, Str message, Piece *p)
{
	Field f = { 0 };
	*p = (Piece){ .type = SPM_NORMAL };
	while (message.n) {
		if (!take_field(l, &message, &f))
			return false;
		if (f.number > 3)
			continue;
		if (!need_wire(l, &f, f.number == 1 ? WIRE_BYTES : f.number == 2 ? WIRE_FIXED32 : WIRE_VARINT))
			return false;
		if (f.number == 1)
			p->text = f.bytes;
		else if (f.number == 2)
			memcpy(&p->score, &(uint32_t){ (uint32_t)f.value }, sizeof p->score);
		else
			p->type = f.value;
	}
	return true;
}

static bool put_piece(Load *l, const Field *f, uint32_t *cap)
{
	VocabSource *v = l->out;
	uint32_t id = v->n_token;
	Piece p;
	if (!need_wire(l, f, WIRE_BYTES) || !read_piece(l, f->bytes, &p))
		return false;
	if (p.type < SPM_NORMAL || p.type > SPM_BYTE || !p.text.n)
		return load_fail(l, f->offset, "piece %u has %s", id, p.text.n ? "no type that is known" : "no text");
	if (!isfinite(p.score))
		return load_fail(l, f->offset, "piece %u has no finite score", id);
	Str bytes = p.text;
	int byte = load_byte_token(p.text);
	if (p.type == SPM_BYTE) {
		if (byte < 0)
			return load_fail(l, f->offset, "piece %u is a byte, and not spelled <0xNN>", id);
		bytes = (Str){ arena_dup(l->a, &(char){ (char)byte }, 1), 1 };
	}
	if (!load_put(l, f->offset, id, bytes, type_of_piece[p.type]) || !load_text_once(l, f->offset, p.text, id))
		return false;
	if (id >= *cap) {
		v->score = arena_grow(l->a, v->score, *cap * sizeof *v->score, l->cap * sizeof *v->score);
		*cap = l->cap;
	}
	v->score[id] = p.score;
	if (p.type == SPM_UNKNOWN) {
		if (v->unk != TOKEN_NONE)
			return load_fail(l, f->offset, "piece %u is unknown as piece %u is", id, v->unk);
		v->unk = id;
	}
	return true;
}

/* ---- specs --------------------------------------------------------------------------------------- */

typedef struct Trainer { uint64_t model; bool byte_fallback; int64_t bos, eos; } Trainer;

static bool read_trainer(Load *l, Str message, Trainer *t)
{
	Field f = { 0 };
	while (message.n) {
		if (!take_field(l, &message, &f))
			return false;
		bool known = f.number == 3 || f.number == 24 || f.number == 35 || f.number == 41 || f.number == 42;
		if (known && !need_wire(l, &f, WIRE_VARINT))
			return false;
		switch (f.number) {
		case 3: t->model = f.value; break;
		case 24:
			if (f.value)
				return load_fail(l, f.offset, "treat_whitespace_as_suffix is not known here");
			break;
		case 35: t->byte_fallback = f.value; break;
		case 41: t->bos = (int64_t)f.value; break;
		case 42: t->eos = (int64_t)f.value; break;
		default: break;
		}
	}
	return true;
}

static void set_flag(Load *l, unsigned flag, uint64_t on)
{
	l->out->flags = on ? l->out->flags | flag : l->out->flags & ~flag;
}

static bool read_normalizer(Load *l, Str message)
{
	Field f = { 0 };
	Str name = STR("");
	while (message.n) {
		if (!take_field(l, &message, &f))
			return false;
		bool is_text = f.number == 1 || f.number == 2 || f.number == 6;
		if (f.number <= 6 && !need_wire(l, &f, is_text ? WIRE_BYTES : WIRE_VARINT))
			return false;
		if (f.number == 1)
			name = f.bytes;
		if (f.number == 3)
			set_flag(l, VOCAB_DUMMY_PREFIX, f.value);
		if (f.number == 4)
			set_flag(l, VOCAB_TRIM_SPACES, f.value);
		if (f.number == 5 && !f.value)
			return load_fail(l, f.offset, "a normalizer that leaves spaces as they are is not known here");
		if ((f.number == 2 || f.number == 6) && f.bytes.n) {
			Str shown = load_shown(l, name);
			return load_fail(l, f.offset, "normalizer %.*s has a map of its own, which is not known", STR_ARG(shown));
		}
	}
	return true;
}

/* ---- the file ------------------------------------------------------------------------------------ */

static bool need_bytes(Load *l)
{
	const VocabSource *v = l->out;
	uint32_t n = 0;
	for (uint32_t id = 0; id < v->n_token; id++)
		n += v->type[id] == TOKEN_BYTE;
	bool on = v->flags & VOCAB_BYTE_FALLBACK;
	return n == (on ? 256 : 0) || load_fail(l, 0, "%u byte pieces, and byte_fallback is %s", n, on ? "on" : "off");
}

/* The piece that trainer_spec names as bos or eos, if it is one that only framing makes. */
static uint32_t control(const VocabSource *v, int64_t id)
{
	return id >= 0 && id < v->n_token && v->type[id] == TOKEN_SPECIAL ? (uint32_t)id : TOKEN_NONE;
}

/* Absent fields have the format's defaults: unigram, bos 1, eos 2, a prefix, white space trimmed. */
bool load_spm(Load *l)
{
	VocabSource *v = l->out;
	Trainer t = { .model = SPM_UNIGRAM, .bos = 1, .eos = 2 };
	Str rest = l->bytes;
	Field f = { 0 };
	uint32_t cap = 0;
	v->model = VOCAB_SPM;
	v->split = SPLIT_SPM;
	v->flags = VOCAB_DUMMY_PREFIX | VOCAB_TRIM_SPACES | VOCAB_FUSE_UNKNOWN;
	while (rest.n) {
		if (!take_field(l, &rest, &f))
			return false;
		if ((f.number == 2 || f.number == 3) && !need_wire(l, &f, WIRE_BYTES))
			return false;
		if (f.number == 1 ? !put_piece(l, &f, &cap) : f.number == 2 ? !read_trainer(l, f.bytes, &t)
			: f.number == 3 && !read_normalizer(l, f.bytes))
			return false;
	}
	if (t.model != SPM_BPE)
		return load_fail(l, 0, "a model of type %llu; BPE (2) is known", (unsigned long long)t.model);
	set_flag(l, VOCAB_BYTE_FALLBACK, t.byte_fallback);
	v->bos = control(v, t.bos);
	v->eos = control(v, t.eos);
	/* The file does not say it; every model that ships one starts with its bos. */
	set_flag(l, VOCAB_ADD_BOS, v->bos != TOKEN_NONE);
	return load_own_split(l) && need_bytes(l);
}
