/*
 * The content hash: SHA-256 over a canonical stream of tagged, length-prefixed fields that covers
 * what a prompt can send and what binds it, and nothing else (docs/bin-format.md, "Content hash").
 *
 * One idea: the stream follows meaning, not layout. Neighbouring texts are one text, blocks leave no
 * trace, references go by name, loops by their distance outwards; so two binaries that send the same
 * have the same hash whatever their pools, indices, spans and file names.
 */
#include "runtime/base/sha256.h"
#include "runtime/bin/bin.h"

_Static_assert((int)BIN_HASH_BYTES == (int)SHA256_BYTES, "content hashes are SHA-256");

enum { HASHED_FLAGS = SEG_EXACT | SEG_HOISTABLE | SEG_GUARDRAIL | SEG_INLINE | SEG_LIST_HOLE | SEG_CONTINUATION };

typedef struct Hasher {
	const Bin *b;
	Sha256 sha;
	uint32_t n_loop;
	uint32_t loop[BIN_DEPTH_MAX];  /* open loops, outermost first */
} Hasher;

static void put_head(Hasher *h, char tag, uint32_t n_bytes)
{
	uint8_t head[5] = { (uint8_t)tag };
	memcpy(head + 1, &n_bytes, sizeof n_bytes);
	sha256_put(&h->sha, head, sizeof head);
}

static void put_num(Hasher *h, char tag, uint32_t n)
{
	put_head(h, tag, sizeof n);
	sha256_put(&h->sha, &n, sizeof n);
}

static void put_u64(Hasher *h, char tag, uint64_t n)
{
	put_head(h, tag, sizeof n);
	sha256_put(&h->sha, &n, sizeof n);
}

static void put_float(Hasher *h, char tag, float x)
{
	put_head(h, tag, sizeof x);
	sha256_put(&h->sha, &x, sizeof x);
}

static void put_str(Hasher *h, char tag, BinStr s)
{
	put_head(h, tag, s.len);
	sha256_put(&h->sha, h->b->pool.p + s.off, s.len);
}

static void put_names(Hasher *h, char tag, BinRange r)
{
	put_num(h, tag, r.n);
	for (uint32_t i = 0; i < r.n; i++)
		put_str(h, 'n', h->b->name[r.first + i].s);
}

/* A loop by how many loops stand between; an input or stage by its name. */
static void put_ref(Hasher *h, uint32_t ref)
{
	if (ref == BIN_NONE)
		return;
	const BinRef *r = &h->b->ref[ref];
	put_num(h, 'r', r->kind);
	if (r->kind == REF_LOOP || r->kind == REF_LOOP_INDEX) {
		uint32_t out = 0;
		while (out < h->n_loop && h->loop[h->n_loop - 1 - out] != r->index)
			out++;
		put_num(h, 'o', out);
	} else if (r->kind == REF_INPUT) {
		put_str(h, 'n', h->b->input[r->index].name);
	} else if (r->kind == REF_STAGE) {
		put_str(h, 'n', h->b->stage[r->index].name);
	}
	put_str(h, 'f', r->field);
}

static void put_cond(Hasher *h, BinRange program)
{
	put_num(h, 'c', program.n);
	for (uint32_t i = 0; i < program.n; i++) {
		const BinCond *c = &h->b->cond[program.first + i];
		put_num(h, 'O', c->op | (uint32_t)c->cmp << 8 | (uint32_t)c->n_arg << 16);
		put_ref(h, c->ref);
		put_str(h, 's', c->s);
	}
}

static bool is_transparent(const Bin *b, uint32_t i)
{
	const BinSeg *s = &b->seg[i];
	return (s->kind == SEG_BLOCK && !s->cond.n) || (s->kind == SEG_BLOCK_END && !b->seg[s->partner].cond.n);
}

static bool is_plain_text(const BinSeg *s)
{
	return s->kind == SEG_TEXT && !(s->flags & SEG_CONTINUATION);
}

/* The run of plain texts that starts at i is one text; gives the segment after it. */
static uint32_t put_text_run(Hasher *h, uint32_t i, uint32_t end)
{
	const Bin *b = h->b;
	uint32_t n_bytes = 0, to = i;
	for (; to < end && (is_plain_text(&b->seg[to]) || is_transparent(b, to)); to++)
		n_bytes += is_plain_text(&b->seg[to]) ? b->seg[to].text.len : 0;
	if (n_bytes)
		put_head(h, 'T', n_bytes);
	for (; i < to; i++)
		if (is_plain_text(&b->seg[i]))
			sha256_put(&h->sha, b->pool.p + b->seg[i].text.off, b->seg[i].text.len);
	return to;
}

/* Text counts where it is sent; a hole and a directive as written are not. */
static bool sends_text(uint32_t kind)
{
	return kind == SEG_TEXT || kind == SEG_SCHEMA || kind == SEG_CONTENT || kind == SEG_CALL || kind == SEG_RESULT;
}

static bool is_loop(const BinSeg *s)
{
	return s->kind == SEG_FOR || s->kind == SEG_CONTEXT;
}

static void put_seg(Hasher *h, uint32_t i)
{
	const BinSeg *s = &h->b->seg[i];
	put_num(h, 'S', s->kind);
	if (s->kind == SEG_FOR_END || s->kind == SEG_CONTEXT_END)
		h->n_loop--;
	if (seg_info[s->kind].shape == SEG_END)
		return;
	put_num(h, 'a', s->role | (uint32_t)s->stability << 8 | (uint32_t)s->modality << 16);
	put_num(h, 'g', s->flags & HASHED_FLAGS);
	put_ref(h, s->ref);
	put_cond(h, s->cond);
	if (is_loop(s))
		h->loop[h->n_loop++] = i;
	else
		put_str(h, 'n', s->name);
	put_num(h, 'F', s->filter.n);
	for (uint32_t k = 0; k < s->filter.n; k++) {
		put_num(h, 'k', h->b->filter[s->filter.first + k].kind);
		put_str(h, 's', h->b->filter[s->filter.first + k].arg);
	}
	if (s->kind == SEG_CONTEXT || s->kind == SEG_EXAMPLE)
		put_num(h, 'K', s->aux);
	put_float(h, 'w', s->weight);
	put_float(h, 'q', s->squash);
	if (sends_text(s->kind))
		put_str(h, 'T', s->text);
}

static void put_segs(Hasher *h, BinRange r)
{
	uint32_t end = r.first + r.n;
	for (uint32_t i = r.first; i < end;) {
		if (is_plain_text(&h->b->seg[i]) || is_transparent(h->b, i))
			i = put_text_run(h, i, end);
		else
			put_seg(h, i++);
	}
}

static void put_schema_index(Hasher *h, const BinPrompt *p, uint32_t schema)
{
	put_num(h, 'J', schema == BIN_NONE ? BIN_NONE : schema - p->schema.first);
}

static void put_reply(Hasher *h, const BinPrompt *p, const BinReply *r)
{
	put_num(h, 'R', r->kind);
	put_schema_index(h, p, r->schema);
	put_num(h, 'm', r->max_tok);
	put_str(h, 't', r->type_text);
}

static void put_inputs(Hasher *h, const BinPrompt *p, BinRange r)
{
	put_num(h, 'I', r.n);
	for (uint32_t i = 0; i < r.n; i++) {
		const BinInput *in = &h->b->input[r.first + i];
		put_str(h, 'n', in->name);
		put_num(h, 'a', in->type | (uint32_t)in->stability << 8 | (uint32_t)in->flags << 16);
		put_num(h, 'm', in->max_tok);
		put_str(h, 't', in->type_text);
		put_str(h, 'd', in->default_json);
		if (p)
			put_schema_index(h, p, in->schema);
	}
}

static void put_data(Hasher *h, const BinPrompt *p)
{
	const Bin *b = h->b;
	put_num(h, 'j', p->schema.n);
	for (uint32_t i = 0; i < p->schema.n; i++) {
		const BinSchema *s = &b->schema[p->schema.first + i];
		put_str(h, 'n', s->name);
		put_str(h, 'D', s->doc);
		put_str(h, 's', s->json);
		put_str(h, 's', s->ts);
	}
	put_num(h, 'u', p->tool.n);
	for (uint32_t i = 0; i < p->tool.n; i++) {
		const BinTool *t = &b->tool[p->tool.first + i];
		put_str(h, 'n', t->name);
		put_str(h, 'D', t->doc);
		put_str(h, 's', t->params_json);
	}
	put_num(h, 'e', p->set.n);
	for (uint32_t i = 0; i < p->set.n; i++) {
		const BinSet *s = &b->set[p->set.first + i];
		put_str(h, 'n', s->provider);
		put_str(h, 'n', s->name);
		put_str(h, 's', s->json);
	}
}

static void put_chain(Hasher *h, const BinPrompt *p)
{
	put_names(h, 'H', p->chain);
	put_num(h, 'G', p->stage.n);
	for (uint32_t i = 0; i < p->stage.n; i++) {
		const BinStage *s = &h->b->stage[p->stage.first + i];
		put_str(h, 'n', s->name);
		put_names(h, 'N', s->from);
		put_reply(h, p, &s->reply);
		put_float(h, 'w', s->weight);
	}
}

static void put_settings(Hasher *h, const BinPrompt *p)
{
	put_num(h, 'x', p->cut.n);
	for (uint32_t i = 0; i < p->cut.n; i++) {
		const BinCut *c = &h->b->cut[p->cut.first + i];
		put_str(h, 'n', c->name);
		put_num(h, 'k', c->how);
		put_num(h, 'K', c->keep);
		put_float(h, 'y', c->decay);
		put_str(h, 's', c->mark);
		put_float(h, 'w', c->weight);
	}
	put_num(h, 'b', p->budget_tok);
	put_num(h, 'A', p->anchor_every);
	put_num(h, 'C', p->cache != BIN_NONE);
	if (p->cache != BIN_NONE) {
		const BinCache *c = &h->b->cache[p->cache];
		put_str(h, 'n', c->group);
		put_num(h, 'l', c->slot_lo);
		put_num(h, 'h', c->slot_hi);
		put_u64(h, 'L', c->ttl_s);
		put_str(h, 's', c->evict);
	}
}

static void begin(Hasher *h, const Bin *b, const char *domain)
{
	h->b = b;
	h->n_loop = 0;
	sha256_init(&h->sha);
	put_head(h, 'V', (uint32_t)strlen(domain));
	sha256_put(&h->sha, domain, strlen(domain));
}

void bin_hash_prompt(const Bin *b, uint32_t prompt, uint8_t out[BIN_HASH_BYTES])
{
	Hasher h;
	const BinPrompt *p = &b->prompt[prompt];
	begin(&h, b, "seedc prompt 1");
	put_inputs(&h, p, p->input);
	put_segs(&h, p->seg);
	put_data(&h, p);
	put_reply(&h, p, &p->reply);
	put_chain(&h, p);
	put_settings(&h, p);
	sha256_end(&h.sha, out);
}

static void put_routes(Hasher *h)
{
	const Bin *b = h->b;
	put_num(h, 'W', b->n_route);
	for (uint32_t i = 0; i < b->n_route; i++) {
		const BinRoute *r = &b->route[i];
		put_str(h, 'n', r->name);
		put_inputs(h, NULL, r->input);
		put_num(h, 'X', r->rule.n);
		for (uint32_t k = 0; k < r->rule.n; k++) {
			const BinRouteRule *rule = &b->route_rule[r->rule.first + k];
			put_cond(h, rule->cond);
			put_num(h, 'p', rule->index);
		}
	}
}

uint32_t bin_checksum(const uint8_t *bytes, size_t n_bytes)
{
	static const uint8_t zero[sizeof(uint32_t)];
	size_t at = offsetof(BinHeader, checksum), behind = at + sizeof zero;
	uint8_t hash[BIN_HASH_BYTES];
	uint32_t first;
	Sha256 sha;
	sha256_init(&sha);
	sha256_put(&sha, bytes, at);
	sha256_put(&sha, zero, sizeof zero);
	sha256_put(&sha, bytes + behind, n_bytes - behind);
	sha256_end(&sha, hash);
	memcpy(&first, hash, sizeof first);
	return first;
}

void bin_hash_file(const Bin *b, uint8_t out[BIN_HASH_BYTES])
{
	Hasher h;
	begin(&h, b, "seedc file 1");
	for (uint32_t i = 0; i < b->n_prompt; i++) {
		put_head(&h, 'P', BIN_HASH_BYTES);
		sha256_put(&h.sha, b->prompt[i].hash, BIN_HASH_BYTES);
	}
	put_routes(&h);
	sha256_end(&h.sha, out);
}
