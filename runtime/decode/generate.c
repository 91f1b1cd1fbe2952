/*
 * See generate.h.
 *
 * note [forced tokens]. Where a schema leaves one way on, say `,"quotes":["` behind a value, the bytes
 * are encoded and their tokens ride in the next pass as a short prefill; no logits are computed for them.
 * The last piece that they are split into is left to the model: what follows may change its tokens, those
 * of the pieces before it are what encoding the reply gives there.
 *
 * note [cut]. Near its limit a reply under a schema may only go where it can still be closed. It is cut by the limit if
 * the likeliest token that the schema allows is refused for that reason: it ends by length then, though it is valid.
 */
#include "runtime/decode/generate.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/base/clock.h"
#include "runtime/base/utf8.h"
#include "runtime/token/encoder.h"

enum { FORCED_BYTES = 256 };

struct Generator {
	Engine *engine;
	Encoder *encoder;
	const TokenTrie *trie;
	Sampler *sampler;
	float *logits;
	uint32_t *ids;          /* of the whole text; ids[n_fed ..) are still to be computed */
	size_t n, n_fed, cap;
	size_t n_prompt;
	uint32_t *forced;       /* room for the tokens of FORCED_BYTES bytes */
	AutomatonMasks *masks;   /* of the schema at hand; or NULL */
	AutomatonState state;
	const uint64_t *allowed; /* what may come next; NULL: all */
	uint64_t *within;        /* what of it leaves room to close the reply within its limit */
	bool is_near_limit;      /* within is less than allowed */
};

Generator *generator_new(Engine *engine, Encoder *encoder, const TokenTrie *trie)
{
	Generator *g = mem_must_alloc(sizeof *g);
	*g = (Generator){ .engine = engine, .encoder = encoder, .trie = trie };
	g->sampler = sampler_new(engine->model->shape.n_vocab);
	g->logits = mem_must_alloc(engine->model->shape.n_vocab * sizeof *g->logits);
	g->within = mem_must_alloc(trie->n_word * sizeof *g->within);
	g->forced = mem_must_alloc(token_bound(encoder_vocab(encoder), FORCED_BYTES) * sizeof *g->forced);
	return g;
}

void generator_free(Generator *g)
{
	if (!g)
		return;
	sampler_free(g->sampler);
	automaton_masks_free(g->masks);
	free(g->forced);
	free(g->within);
	free(g->logits);
	free(g->ids);
	free(g);
}

const uint32_t *generator_ids(const Generator *g, uint32_t *n)
{
	*n = (uint32_t)(g->n - g->n_prompt);
	return g->ids + g->n_prompt;
}

void generated_free(Generated *r)
{
	buf_free(&r->text);
	*r = (Generated){ 0 };
}

/* ---- one request ------------------------------------------------------------------------------ */

typedef struct Request {
	Generator *g;
	KvSequence *sequence;
	const GenerateRules *rules;
	const GenerateSink *sink;
	Generated *reply;
	TextStream stream;
	uint64_t start_ns;
	uint32_t max_tok;
	bool is_cancelled;
	bool is_cut;          /* note [cut] */
	double share;         /* sum of the probabilities of chosen tokens */
	uint32_t n_share;
	Str *why;
} Request;

static void put_id(Generator *g, uint32_t id)
{
	if (g->n == g->cap) {
		g->cap = g->cap ? 2 * g->cap : 1024;
		g->ids = mem_must_grow(g->ids, g->cap * sizeof *g->ids);
	}
	g->ids[g->n++] = id;
}

static bool fail(Request *q, const char *why)
{
	*q->why = str_from(why);
	return false;
}

/* Everything that has not been computed, in chunks; the logits of the last token. */
static bool feed(Request *q, bool tells_progress)
{
	Generator *g = q->g;
	size_t first = g->n_fed;
	while (g->n_fed < g->n) {
		size_t n = g->n - g->n_fed < g->engine->chunk_tok ? g->n - g->n_fed : g->engine->chunk_tok;
		uint32_t last = (uint32_t)n - 1;
		EngineRun run = { q->sequence, g->ids + g->n_fed, (uint32_t)n };
		EngineBatch batch = { .run = &run, .n_run = 1, .logit_row = &last, .logits = g->logits, .allowed = g->allowed };
		batch.n_logit = g->n_fed + n == g->n;
		if (!kv_sequence_reserve(q->sequence, (uint32_t)n))
			return fail(q, "the KV cache is full: the prompt and its reply take more than it was made for");
		if (!g->engine->ops->forward(g->engine, &batch, q->why))
			return false;
		g->n_fed += n;
		if (tells_progress && q->sink && q->sink->prefill)
			q->sink->prefill(q->sink->user, (uint32_t)(g->n_fed - first), (uint32_t)(g->n - first));
	}
	return true;
}

static bool is_end(const Model *m, uint32_t id)
{
	for (uint32_t i = 0; i < m->n_eog; i++)
		if (m->eog[i] == id)
			return true;
	return false;
}

static void show(Request *q, Str text)
{
	if (text.n && q->sink && q->sink->text)
		q->is_cancelled |= !q->sink->text(q->sink->user, text);
}

/* A token of the reply, chosen or forced. */
static void take(Request *q, uint32_t id)
{
	put_id(q->g, id);
	sampler_saw(q->g->sampler, id);
	q->reply->n_token++;
	show(q, stream_put(&q->stream, token_trie_text(q->g->trie, id)));
}

static void take_forced(Request *q)
{
	Generator *g = q->g;
	char bytes[FORCED_BYTES];
	Str text = { bytes, automaton_forced(&g->state, bytes, sizeof bytes) };
	size_t last, n;
	if (utf8_find_bad(text) < text.n)
		return;
	n = encoder_put(g->encoder, text, g->forced, &last);
	for (size_t i = 0; i + last < n && q->reply->n_token < q->max_tok; i++) {
		if (!automaton_accept(g->masks, &g->state, g->forced[i]))
			return;
		take(q, g->forced[i]);
		q->reply->n_forced++;
	}
}

static void mask(Request *q)
{
	if (!q->rules->schema)
		return;
	Generator *g = q->g;
	uint64_t start = clock_now_ns();
	size_t n_bytes = g->trie->n_word * sizeof *g->within;
	g->allowed = automaton_mask(g->masks, &g->state, q->max_tok - q->reply->n_token);
	g->is_near_limit = automaton_mask_was_near_limit(g->masks) && !q->is_cut;
	if (g->is_near_limit) {
		memcpy(g->within, g->allowed, n_bytes);
		g->allowed = automaton_mask(g->masks, &g->state, AUTOMATON_NO_LIMIT);
		g->is_near_limit = memcmp(g->within, g->allowed, n_bytes);
	}
	q->reply->mask_ns += clock_now_ns() - start;
}

/* note [cut] */
static void see_limit(Request *q)
{
	Generator *g = q->g;
	uint32_t best = TOKEN_NONE;
	for (uint32_t i = 0; i < g->engine->model->shape.n_vocab; i++)
		if (g->allowed[i / 64] >> i % 64 & 1 && (best == TOKEN_NONE || g->logits[i] > g->logits[best]))
			best = i;
	q->is_cut = best != TOKEN_NONE && !(g->within[best / 64] >> best % 64 & 1);
	g->allowed = g->within;
}

/* Nothing may follow: the one thing left to do is to end. */
static bool is_closed(const AutomatonState *s)
{
	uint64_t next[4];
	automaton_next_bytes(s, next);
	return automaton_is_complete(s) && !(next[0] | next[1] | next[2] | next[3]);
}

/* The end that the reply has come to, or GENERATE_END_COUNT. */
static GenerateEnd reached(const Request *q)
{
	if (q->is_cancelled)
		return END_CANCELLED;
	if (q->stream.is_stopped)
		return END_STOP;
	if (q->rules->schema && is_closed(&q->g->state))
		return END_SCHEMA;
	return q->reply->n_token >= q->max_tok ? END_LENGTH : GENERATE_END_COUNT;
}

static bool choose(Request *q, uint32_t *id)
{
	Generator *g = q->g;
	const Model *m = g->engine->model;
	if (q->rules->ignore_end && !q->rules->schema)
		for (uint32_t i = 0; i < m->n_eog; i++)
			g->logits[m->eog[i]] = -INFINITY;
	switch (sampler_choose(g->sampler, &q->rules->sample, g->logits, g->allowed, g->n, id)) {
	case SAMPLE_DONE:
		if (q->rules->wants_confidence) {
			q->share += sample_share(g->logits, m->shape.n_vocab, *id);
			q->n_share++;
		}
		return true;
	case SAMPLE_NAN: return fail(q, "the model computed a number that is not finite");
	default:
		return fail(q, "the reply's length leaves no room for what its schema demands: raise its max");
	}
}

static bool step(Request *q, GenerateEnd *end)
{
	Generator *g = q->g;
	uint32_t id;
	mask(q);
	if (!feed(q, !q->reply->n_token))
		return false;
	if (!q->reply->prefill_ns)
		q->reply->prefill_ns = clock_now_ns() - q->start_ns;
	if (g->is_near_limit)
		see_limit(q);
	if (!choose(q, &id))
		return false;
	if (!q->reply->first_ns)
		q->reply->first_ns = clock_now_ns() - q->start_ns;
	if (is_end(g->engine->model, id) && (!q->rules->ignore_end || q->rules->schema)) {
		*end = END_MODEL;
		return true;
	}
	if (q->rules->schema && !automaton_accept(g->masks, &g->state, id))
		return fail(q, "a token was chosen that the schema does not take");
	take(q, id);
	if (q->rules->schema)
		take_forced(q);
	*end = reached(q);
	return true;
}

/* ---- begin and end ---------------------------------------------------------------------------- */

static void begin_schema(Request *q)
{
	Generator *g = q->g;
	automaton_masks_free(g->masks);
	g->masks = NULL;
	g->allowed = NULL;
	g->is_near_limit = false;
	if (!q->rules->schema)
		return;
	const Model *m = g->engine->model;
	g->masks = automaton_masks_new(q->rules->schema, g->trie, m->eog, m->n_eog);
	automaton_start(&g->state, q->rules->schema);
}

static bool begin(Request *q, const uint32_t *ids, uint32_t n)
{
	Generator *g = q->g;
	uint32_t n_ctx = engine_max_tok(g->engine), done = q->sequence->n_token;
	if (!n)
		return fail(q, "the prompt is empty");
	if (n >= n_ctx)
		return fail(q, "the prompt is longer than the model's context");
	if (done >= n)
		return fail(q, "the sequence holds more than the prompt");
	q->max_tok = n_ctx - n;
	if (q->rules->max_tok && q->rules->max_tok < q->max_tok)
		q->max_tok = q->rules->max_tok;
	g->n = g->n_fed = 0;
	for (uint32_t i = 0; i < n; i++)
		put_id(g, ids[i]);
	g->n_prompt = n;
	g->n_fed = done ? done : kv_sequence_match(q->sequence, ids, n);
	q->reply->n_prompt = n;
	q->reply->n_hit = (uint32_t)g->n_fed;
	sampler_reset(g->sampler);
	begin_schema(q);
	return true;
}

bool generate(Generator *g, KvSequence *s, const uint32_t *ids, uint32_t n, const GenerateRules *rules,
              const GenerateSink *sink, Generated *reply, Str *why)
{
	Request q = { .g = g, .sequence = s, .rules = rules, .sink = sink, .reply = reply, .why = why,
	              .stream = { .stop = rules->stop, .n_stop = rules->n_stop }, .start_ns = clock_now_ns() };
	*reply = (Generated){ .end = GENERATE_END_COUNT };
	bool ok = begin(&q, ids, n);
	while (ok && reply->end == GENERATE_END_COUNT)
		ok = step(&q, &reply->end);
	if (ok)
		show(&q, stream_end(&q.stream));
	buf_move(&reply->text, &q.stream.text);
	if (q.is_cut && (reply->end == END_SCHEMA || reply->end == END_MODEL))
		reply->end = END_LENGTH;
	reply->confidence = q.n_share ? q.share / q.n_share : 0;
	stream_free(&q.stream);
	reply->total_ns = clock_now_ns() - q.start_ns;
	return ok;
}
