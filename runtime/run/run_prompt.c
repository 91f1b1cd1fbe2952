/* See run_prompt.h. */
#include "runtime/run/run_prompt.h"

#include <stdlib.h>

#include "runtime/automaton/reply.h"

typedef struct Running {
	RunSession *s;
	RunPrompt *p;
	const RunSink *sink;
	RunStages *out;
	WireReport *report;
	Arena *arena;
} Running;

/* ---- what is sent ----------------------------------------------------------------------------- */

static bool is_stage(const RunPrompt *p, Str name)
{
	for (uint32_t i = 0; i < p->prompt->stage.n; i++)
		if (str_eq(bin_str(p->bin, p->bin->stage[p->prompt->stage.first + i].name), name))
			return true;
	return false;
}

/* Every name without a value in one error. Stages get theirs as they are run. */
static bool all_are_bound(Running *r, const Rendering *g)
{
	Buf names = { 0 };
	Str first = { 0 };
	uint32_t n = 0;
	for (uint32_t i = 0; i < g->unbound.n; i++)
		if (!is_stage(r->p, g->unbound.v[i])) {
			first = n ? first : g->unbound.v[i];
			buf_printf(&names, "%s`%.*s`", n++ ? ", " : "", STR_ARG(g->unbound.v[i]));
		}
	if (n) {
		wire_note(r->report, WIRE_ERROR, NULL, "%.*s %s no value", STR_ARG(buf_str(&names)), n == 1 ? "has" : "have");
		r->report->note.v[r->report->note.n - 1].help = str_fmt(r->arena, "give it: --set %.*s=TEXT, or --set %.*s=@FILE", STR_ARG(first), STR_ARG(first));
	}
	buf_free(&names);
	return !n;
}

bool run_render(const RunPrompt *p, Rendering *g, WireReport *report)
{
	if (!render_prompt(p->bin, p->prompt, p->values, &p->render, report->arena, g))
		return wire_refuse(report, g->error);
	for (uint32_t i = 0; i < g->remark.n; i++)
		if (g->remark.v[i].kind == RENDER_UNCUT)
			wire_note(report, WIRE_WARNING, NULL, "%.*s", STR_ARG(g->remark.v[i].message));
	return true;
}

static bool render_request(Running *r, uint32_t at, Rendering *g, FrameIds *ids, FrameCounts *counts)
{
	RunPrompt *p = r->p;
	FrameCoder coder = frame_coder(r->arena, r->s->encoder, p->bin);
	WireInput in = { .bin = p->bin, .prompt = p->prompt, .rendering = g, .target = p->target, .unbound = UNBOUND_REFUSE };
	WireFrame frame;
	Str why;
	if (!run_render(p, g, r->report))
		return false;
	const Request *q = &g->request.v[at];
	if (!all_are_bound(r, g) || !wire_frame(&in, q, r->report, &frame))
		return false;
	bool ok = frame_ids(&coder, &frame, p->target->chat, ids, &why) || wire_refuse(r->report, why);
	*counts = coder.counts;
	return ok;
}

/* ---- the reply's schema ----------------------------------------------------------------------- */

/* The bytes that the compiler put into the file, where they lie; empty: none. */
static Str shipped_automaton(const Bin *b, uint32_t schema, uint32_t form)
{
	for (uint32_t i = 0; i < b->n_automaton; i++) {
		const BinAutomaton *a = &b->automaton[i];
		if (a->schema == schema && a->form == form)
			return (Str){ (const char *)&b->automaton_word[a->word.first], 4 * (size_t)a->word.n };
	}
	return STR("");
}

/* Into *m; false with an error noted. */
static bool open_automaton(Arena *a, const Bin *bin, const SchemaNode *schema, const BinReply *reply, Automaton *m, WireReport *report)
{
	Buf flat = { 0 };
	Str why;
	SchemaErrors errs = { 0 };
	AutomatonOptions o = reply_options(reply);
	Str bytes = shipped_automaton(bin, reply_schema_index(reply), o.form);
	bool ok = true;
	if (!bytes.n) {
		ok = automaton_compile(a, schema, o, &flat, &errs);
		bytes = ok ? (Str){ arena_dup(a, flat.p, flat.n), flat.n } : STR("");
		buf_free(&flat);
	}
	for (uint32_t i = 0; i < errs.n; i++)
		wire_note(report, WIRE_ERROR, NULL, "the reply cannot be held to its schema: %.*s: %.*s",
		          STR_ARG(errs.v[i].pointer.n ? errs.v[i].pointer : STR("root")), STR_ARG(errs.v[i].message));
	return ok && (automaton_open(bytes, m, &why) || wire_refuse(report, why));
}

bool run_hold(Arena *a, const RunPrompt *p, const BinReply *reply, RunHold *h, WireReport *report)
{
	*h = (RunHold){ .reply = *reply, .rules = p->rules, .schema = reply_schema(a, p->bin, reply) };
	if (!h->rules.max_tok)
		h->rules.max_tok = reply->max_tok;
	if (!h->schema || p->schema != RUN_SCHEMA_HELD)
		return true;
	if (h->rules.n_stop)
		wire_note(report, WIRE_WARNING, NULL, "stop strings are left out: a reply with a schema ends where the schema does");
	h->rules.n_stop = 0;
	h->rules.schema = &h->machine;
	return open_automaton(a, p->bin, h->schema, reply, &h->machine, report);
}

static bool is_of_schema(Arena *a, const SchemaNode *schema, Str json)
{
	JsonDoc doc;
	return json_read(a, str_dup(a, json), 0, &doc) && schema_validate(a, schema, doc.root, SCHEMA_FORMATS, NULL);
}

/* Bare text is a number, true, false, null, or a string without its quotes. */
bool run_hold_allows(Arena *a, const RunHold *h, Str text)
{
	if (!h->schema || h->reply.kind != REPLY_BARE)
		return !h->schema || is_of_schema(a, h->schema, text);
	Buf quoted = { 0 };
	buf_json_str(&quoted, str_trim(text));
	bool ok = is_of_schema(a, h->schema, str_trim(text)) || is_of_schema(a, h->schema, buf_str(&quoted));
	buf_free(&quoted);
	return ok;
}

/* ---- one request ------------------------------------------------------------------------------ */

static bool generate_reply(Running *r, const FrameIds *ids, const GenerateRules *rules, RunStage *stage)
{
	Str why;
	const GenerateSink *sink = r->sink ? &r->sink->generate : NULL;
	KvSequence *seq = kv_sequence_new(r->s->pool, r->s->group);
	if (!seq)
		return wire_refuse(r->report, STR("every slot of the cache group is taken"));
	bool ok = generate(r->s->generator, seq, ids->v, ids->n, rules, sink, &stage->reply, &why);
	if (ok && r->p->save) {
		r->p->save->n = 0;
		kv_sequence_save(seq, r->p->save);
	}
	kv_sequence_free(seq);
	if (!ok)
		return wire_refuse(r->report, why);
	uint32_t n;
	const uint32_t *more = generator_ids(r->s->generator, &n);
	stage->ids = arena_array(r->arena, uint32_t, ids->n + n);
	memcpy(stage->ids, ids->v, ids->n * sizeof *ids->v);
	memcpy(stage->ids + ids->n, more, n * sizeof *more);
	stage->n_id = ids->n + n;
	return true;
}

/* Those behind a stage need room: its reply has a limit, declared or not. */
static uint32_t stage_limit(const Running *r, uint32_t n_prompt)
{
	uint32_t n_ctx = engine_max_tok(r->s->engine), left = n_prompt < n_ctx ? (n_ctx - n_prompt) / 2 : 1;
	return left < STAGE_REPLY_TOK ? left : STAGE_REPLY_TOK;
}

static Str stage_words(const Running *r, Str name)
{
	return name.n ? str_fmt(r->arena, "stage %.*s: ", STR_ARG(name)) : STR("");
}

static bool check_length(Running *r, Str stage, uint32_t n)
{
	uint32_t n_ctx = engine_max_tok(r->s->engine);
	return n < n_ctx || wire_refuse(r->report, str_fmt(r->arena, "%.*sthe prompt has %u tokens, the context takes %u and one more for the reply",
	                                      STR_ARG(stage_words(r, stage)), n, n_ctx - 1));
}

static bool run_request(Running *r, uint32_t at, uint32_t *n)
{
	Rendering g;
	FrameIds ids = { 0 };
	RunStage stage = { .name = STR("") };
	RunHold *hold = arena_new(r->arena, RunHold);
	if (!render_request(r, at, &g, &ids, &stage.counts))
		return false;
	*n = g.request.n;
	const Request *q = &g.request.v[at];
	bool is_last = at + 1 == g.request.n, is_bounded = is_last;
	stage.name = q->stage;
	stage.hold = hold;
	if (!check_length(r, q->stage, ids.n) || !run_hold(r->arena, r->p, &q->reply, hold, r->report))
		return false;
	stage.has_schema = hold->schema != NULL;
	if (!hold->rules.max_tok && !is_last)
		hold->rules.max_tok = stage_limit(r, ids.n);
	else
		is_bounded = true;
	if (r->sink && r->sink->stage)
		r->sink->stage(r->sink->generate.user, q->stage, is_last);
	bool ok = generate_reply(r, &ids, &hold->rules, &stage);
	stage.is_valid = ok && hold->schema && run_hold_allows(r->arena, hold, buf_str(&stage.reply.text));
	if (ok && !is_bounded && stage.reply.end == END_LENGTH)
		wire_note(r->report, WIRE_WARNING, NULL, "%.*sits reply was cut at %u tokens: declare its max, or it takes the room of the stages behind it",
		          STR_ARG(stage_words(r, q->stage)), hold->rules.max_tok);
	vec_push(r->arena, r->out, stage);
	return ok;
}

const Value *run_given_stage(const RunPrompt *p, uint32_t at)
{
	const Value *v = at < p->prompt->stage.n ? &p->values->stage[p->prompt->stage.first + at] : NULL;
	return v && v->state == VALUE_BOUND ? v : NULL;
}

static Str given_text(Arena *a, const Value *v)
{
	Buf json = { 0 };
	if (v->json && v->json->kind != JSON_STRING)
		json_write(&json, v->json, JSON_AS_IS);
	Str text = json.n ? str_dup(a, buf_str(&json)) : v->text;
	buf_free(&json);
	return text;
}

static bool take_given(Running *r, uint32_t at, const Value *given)
{
	const BinStage *s = &r->p->bin->stage[r->p->prompt->stage.first + at];
	Str text = given_text(r->arena, given);
	RunStage stage = { .name = bin_str(r->p->bin, s->name), .is_given = true };
	RunHold *hold = arena_new(r->arena, RunHold);
	if (!run_hold(r->arena, r->p, &s->reply, hold, r->report))
		return false;
	stage.hold = hold;
	stage.has_schema = hold->schema != NULL;
	stage.is_valid = hold->schema && run_hold_allows(r->arena, hold, text);
	if (hold->schema && !stage.is_valid && r->p->schema == RUN_SCHEMA_HELD)
		return wire_refuse(r->report, str_fmt(r->arena, "%.*swhat is given is not of the schema of its reply", STR_ARG(stage_words(r, stage.name))));
	stage.reply.end = END_GIVEN;
	buf_put(&stage.reply.text, text);
	vec_push(r->arena, r->out, stage);
	return true;
}

/* A stage's reply is a value of those behind it. */
static bool bind_stage(Running *r, const RunStage *stage)
{
	ValueError err;
	return values_set(r->p->values, r->p->prompt, stage->name, buf_str(&stage->reply.text), VALUE_WRITTEN, &err) || wire_refuse(r->report, err.message);
}

bool run_prompt(RunSession *s, RunPrompt *p, const RunSink *sink, RunStages *out, WireReport *report)
{
	Running r = { s, p, sink, out, report, report->arena };
	bool is_cancelled = false;
	p->render.tokens.encoder = s->encoder;
	for (uint32_t i = 0, n = p->prompt->stage.n ? p->prompt->stage.n : 1; i < n && !is_cancelled; i++) {
		const Value *given = run_given_stage(p, i);
		if (given) {
			if (!take_given(&r, i, given))
				return false;
			continue;
		}
		if (!run_request(&r, i, &n))
			return false;
		const RunStage *done = &out->v[out->n - 1];
		is_cancelled = done->reply.end == END_CANCELLED;
		if (p->prompt->stage.n && !bind_stage(&r, done))
			return false;
	}
	return true;
}

void run_stages_free(RunStages *stages)
{
	for (uint32_t i = 0; i < stages->n; i++)
		generated_free(&stages->v[i].reply);
	stages->n = 0;
}

/* ---- settings and turns ----------------------------------------------------------------------- */

static double number_of(const JsonNode *value)
{
	const JsonNode *one = value->kind == JSON_ARRAY && value->n ? value->item[0] : value;
	return one->kind == JSON_NUMBER ? strtod(one->text.p, NULL) : 0;
}

static void set_stop(Arena *a, const JsonNode *value, GenerateRules *rules)
{
	uint32_t n = value->kind == JSON_ARRAY ? value->n : 1;
	Str *stop = arena_array(a, Str, n);
	rules->n_stop = 0;
	for (uint32_t i = 0; i < n; i++) {
		const JsonNode *one = value->kind == JSON_ARRAY ? value->item[i] : value;
		if (one->kind == JSON_STRING && one->text.n)
			stop[rules->n_stop++] = one->text;
	}
	rules->stop = stop;
}

void run_rules_of_prompt(Arena *a, const Bin *bin, const BinPrompt *p, GenerateRules *rules)
{
	SampleRules *r = &rules->sample;
	*rules = (GenerateRules){ .sample = SAMPLE_GREEDY };
	for (uint32_t i = 0; i < p->set.n; i++) {
		const BinSet *set = &bin->set[p->set.first + i];
		Str name = bin_str(bin, set->name);
		JsonDoc doc;
		if (set->provider.len || !json_read(a, bin_str(bin, set->json), 0, &doc))
			continue;
		if (str_is(name, "temperature"))
			r->temperature = (float)number_of(doc.root);
		else if (str_is(name, "top_p"))
			r->top_p = (float)number_of(doc.root);
		else if (str_is(name, "min_p"))
			r->min_p = (float)number_of(doc.root);
		else if (str_is(name, "top_k"))
			r->top_k = (uint32_t)number_of(doc.root);
		else if (str_is(name, "seed"))
			r->seed = (uint64_t)number_of(doc.root);
		else if (str_is(name, "stop"))
			set_stop(a, doc.root, rules);
	}
}

bool run_next_turn(Arena *a, RunSession *s, const Target *target, Str user, FrameIds *ids, FrameCounts *counts, Str *why)
{
	WireFrame f = { 0 };
	wire_frame_turn(&f, a, target->chat, user);
	FrameCoder coder = frame_coder(a, s->encoder, NULL);
	bool ok = frame_ids_more(&coder, &f, ids, why);
	*counts = coder.counts;
	return ok;
}
