/* A prompt file: each request as the column's target reads it. */
#include "compiler/count/worker.h"
#include "runtime/wire/frame.h"

typedef struct PromptCount {
	Counting c;
	Str label;                /* of the request, before its rows' names; empty where the file has one */
	Buf text;                 /* since the last special token */
	VEC(RowStart) row;
	VEC(Str) unbound;         /* names without a value, each once */
	bool is_behind_special;
	bool is_frame_exact;
} PromptCount;

/* ---- names of rows --------------------------------------------------------------------------- */

static Str row_name(PromptCount *p, const WireStretch *s)
{
	static const char *const STABILITY[STAB_COUNT] = { "@static", "@session", "@turn" };
	Arena *a = &p->c.w->scratch;
	CountBy by = p->c.w->run->set->by;
	if (by == COUNT_BY_FILE)
		return STR("");
	if (s->kind == STRETCH_TOOL)
		return str_fmt(a, "%.*stools", STR_ARG(p->label));
	if (s->kind == STRETCH_SCHEMA)
		return str_fmt(a, "%.*sreply schema", STR_ARG(p->label));
	if (s->message == FRAME_OUTSIDE)
		return str_fmt(a, "%.*sframing", STR_ARG(p->label));
	if (by == COUNT_BY_SECTION)
		return str_fmt(a, "%.*s%u %s", STR_ARG(p->label), s->message + 1, role_name(s->role));
	return str_fmt(a, "%.*s%u %s %s %s", STR_ARG(p->label), s->message + 1, role_name(s->role),
	               s->kind == STRETCH_TEXT ? "text" : "value", STABILITY[s->stability]);
}

/* ---- stretches ------------------------------------------------------------------------------- */

/* What stands between two special tokens is one text to the tokenizer, whoever wrote it. */
static void flush(PromptCount *p)
{
	Str text = buf_str(&p->text);
	bool has_prefix = p->c.vocab && p->c.vocab->header->flags & VOCAB_DUMMY_PREFIX;
	/* note [prefix behind a special token]: the space that such a vocabulary puts before a text is the one
	 * that its template writes there. */
	if (has_prefix && p->is_behind_special && text.n && text.p[0] == ' ') {
		text = str_sub(text, 1, text.n);
		for (uint32_t i = 1; i < p->row.n; i++)
			p->row.v[i].lo--;
	} else if (has_prefix && p->is_behind_special && text.n) {
		p->is_frame_exact = false;
	}
	if (p->row.n)
		counting_text(&p->c, text, p->row.v, p->row.n);
	p->row.n = 0;
	p->text.n = 0;
	p->is_behind_special = false;
}

static void put_special(PromptCount *p, const WireStretch *s)
{
	Buf *ids = p->c.w->run->set->ids;
	uint32_t id = ids && p->c.vocab ? vocab_find_special(p->c.vocab, s->text) : TOKEN_NONE;
	flush(p);
	counting_add(&p->c, row_name(p, s), 1, !p->c.is_exact);
	p->is_behind_special = true;
	if (ids && id != TOKEN_NONE)
		buf_printf(ids, "%u\n", id);
	else if (ids)
		p->c.w->run->has_ids_fault = true;
}

static void put_text(PromptCount *p, const WireStretch *s)
{
	Str row = row_name(p, s);
	if (s->is_apart)
		flush(p);
	if (!p->row.n || !str_eq(p->row.v[p->row.n - 1].row, row))
		vec_push(&p->c.w->scratch, &p->row, (RowStart){ p->text.n, row });
	buf_put(&p->text, s->text);
}

/* How the model reads a definition is not public: its JSON's count is an estimate, however it is counted. */
static void put_definition(PromptCount *p, const WireStretch *s)
{
	bool was = p->c.is_exact;
	flush(p);
	p->c.is_exact = false;
	put_text(p, s);
	flush(p);
	p->c.is_exact = was;
	p->c.file->total[p->c.at].is_frame_guessed = true;
}

/* A BOS that the template does not write is the tokenizer's own to add, once. */
static void put_bos(PromptCount *p, const WireFrame *f)
{
	const VocabHeader *h = p->c.vocab ? p->c.vocab->header : NULL;
	if (!f->is_public || !h || !(h->flags & VOCAB_ADD_BOS) || h->bos == TOKEN_NONE || p->c.column->target->chat->bos.n)
		return;
	WireStretch bos = { .kind = STRETCH_SPECIAL, .message = FRAME_OUTSIDE, .text = vocab_token(p->c.vocab, h->bos) };
	put_special(p, &bos);
}

static void count_frame(PromptCount *p, const WireFrame *f)
{
	p->is_frame_exact = f->is_public;
	put_bos(p, f);
	for (uint32_t i = 0; i < f->stretch.n; i++) {
		const WireStretch *s = &f->stretch.v[i];
		switch (s->kind) {
		case STRETCH_SPECIAL: put_special(p, s); break;
		case STRETCH_TOOL: case STRETCH_SCHEMA: put_definition(p, s); break;
		case STRETCH_IMAGE: p->c.file->n_image++; break;
		case STRETCH_FRAMED: counting_add(&p->c, row_name(p, s), s->n_token, true); break;
		default: put_text(p, s); break;
		}
	}
	flush(p);
	p->c.file->total[p->c.at].is_frame_guessed |= !p->is_frame_exact;
	if (!p->is_frame_exact || p->c.file->n_image)
		counting_add(&p->c, STR(""), 0, true);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void say(PromptCount *p, const char *what, Str text)
{
	buf_lit(&p->c.file->said, "seedc: ");
	render_put_shown(&p->c.file->said, p->c.path);
	buf_printf(&p->c.file->said, ": %s", what);
	render_put_shown(&p->c.file->said, text);
	buf_byte(&p->c.file->said, '\n');
}

static bool fail(PromptCount *p, const WireReport *report)
{
	for (uint32_t i = 0; i < report->note.n; i++)
		if (report->note.v[i].severity == WIRE_ERROR)
			say(p, "", report->note.v[i].message);
	p->c.file->kind = COUNT_FAILED;
	return false;
}

/* Each name once, however many prompts and columns ask for it. */
static void note_unbound(PromptCount *p, const Rendering *r)
{
	for (uint32_t i = 0; i < r->unbound.n; i++) {
		bool is_new = true;
		for (uint32_t k = 0; k < p->unbound.n; k++)
			is_new &= !str_eq(p->unbound.v[k], r->unbound.v[i]);
		if (is_new)
			vec_push(&p->c.w->scratch, &p->unbound, r->unbound.v[i]);
	}
}

static void say_unbound(PromptCount *p)
{
	Buf names = { 0 };
	for (uint32_t i = 0; i < p->unbound.n; i++)
		buf_printf(&names, "%s{{%.*s}}", i ? ", " : "", STR_ARG(p->unbound.v[i]));
	if (names.n)
		say(p, "counted as written, for want of a --set: ", buf_str(&names));
	buf_free(&names);
}

static Str request_label(PromptCount *p, const Bin *bin, const BinPrompt *prompt, const Rendering *r, const Request *q)
{
	Arena *a = &p->c.w->scratch;
	Str name = bin_str(bin, prompt->name);
	if (r->request.n > 1)
		name = bin->n_prompt > 1 ? str_fmt(a, "%.*s/%.*s", STR_ARG(name), STR_ARG(q->stage)) : q->stage;
	return bin->n_prompt > 1 || r->request.n > 1 ? str_fmt(a, "%.*s: ", STR_ARG(name)) : STR("");
}

static bool count_prompt(PromptCount *p, const Bin *bin, const BinPrompt *prompt)
{
	const CountSettings *set = p->c.w->run->set;
	WireReport report = { .arena = &p->c.w->scratch };
	EmitOptions o = { .set = set->set, .n_set = set->n_set };
	RenderOptions render;
	Values values;
	Rendering r;
	values_init(&values, report.arena, bin);
	if (emit_bind(&values, prompt, &o, &render, &report) != EMIT_DONE)
		return fail(p, &report);
	render.family = p->c.column->target->family;
	render.tokens = (TokenCounter){ .shelf = &p->c.w->shelf, .tokenizer = p->c.column->tokenizer };
	if (!render_prompt(bin, prompt, &values, &render, report.arena, &r)) {
		wire_note(&report, WIRE_ERROR, NULL, "%.*s", STR_ARG(r.error));
		return fail(p, &report);
	}
	note_unbound(p, &r);
	WireInput in = { .bin = bin, .prompt = prompt, .rendering = &r, .target = p->c.column->target, .unbound = UNBOUND_SHOW };
	for (uint32_t i = 0; i < r.request.n; i++) {
		WireFrame f;
		if (!wire_frame(&in, &r.request.v[i], &report, &f))
			return fail(p, &report);
		p->label = request_label(p, bin, prompt, &r, &r.request.v[i]);
		count_frame(p, &f);
	}
	return true;
}

static void count_column(PromptCount *p, const Bin *bin, Str source)
{
	static const RowStart whole;
	if (!p->c.column->target) {
		counting_text(&p->c, source, &whole, 1);
		return;
	}
	p->c.file->n_image = 0;
	for (uint32_t i = 0; i < bin->n_prompt; i++)
		if (!count_prompt(p, bin, &bin->prompt[i]))
			return;
}

void count_prompts(CountWorker *w, CountedFile *file, Str path, const Bin *bin, Str source)
{
	PromptCount p = { .c = { .w = w, .file = file, .path = path } };
	for (uint32_t i = 0; i < w->run->set->column.n && file->kind != COUNT_FAILED; i++) {
		counting_begin(&p.c, i);
		count_column(&p, bin, source);
	}
	say_unbound(&p);
	buf_free(&p.text);
}
