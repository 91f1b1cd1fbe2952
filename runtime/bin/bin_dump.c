/* See bin_dump.h. One line a record, two spaces a level; a field that says nothing is left out. */
#include "runtime/bin/bin_dump.h"

#include "runtime/base/sha256.h"
#include "runtime/bin/seg_print.h"

static const char *const input_type_names[INPUT_TYPE_COUNT] = {
	"text", "bool", "int", "number", "enum", "json", "docs", "turns", "image", "file", "list", "map", "object", "union",
};
static const char *const reply_names[REPLY_KIND_COUNT] = { "text", "json", "schema", "bare" };
static const char *const cut_names[CUT_HOW_COUNT] = { "auto", "oldest", "tail", "head", "middle", "decay" };
static const char *const node_names[BNODE_KIND_COUNT] = {
	"role", "block", "message", "constraint", "context", "history", "example", "stage",
};

enum { SHOWN_BYTES = 40, SHOWN_HASH = 6 };  /* of a text that stands above in full; of a fingerprint, as `vocab list` shows it */

static void put_hash(Buf *out, const uint8_t hash[BIN_HASH_BYTES])
{
	char hex[2 * SHA256_BYTES];
	sha256_hex(hash, hex);
	buf_putz(out, "hash ");
	buf_put(out, (Str){ hex, sizeof hex });
	buf_byte(out, '\n');
}

/* ` label "text"` where there is a text. */
static void put_text(const Bin *b, Buf *out, const char *label, BinStr s)
{
	if (!s.len)
		return;
	buf_putz(out, label);
	buf_json_str(out, bin_str(b, s));
}

static void put_name(const Bin *b, Buf *out, const char *label, BinStr s)
{
	buf_putz(out, label);
	seg_print_name(out, bin_str(b, s));
}

static void put_names(const Bin *b, Buf *out, const char *label, BinRange r, const char *between)
{
	for (uint32_t i = 0; i < r.n; i++)
		put_name(b, out, i ? between : label, b->name[r.first + i].s);
}

static void put_reply(const Bin *b, Buf *out, const BinReply *r)
{
	buf_printf(out, " reply %s", reply_names[r->kind]);
	put_text(b, out, " ", r->type_text);
	if (r->max_tok)
		buf_printf(out, " max %u tok", r->max_tok);
}

static void put_input(const Bin *b, Buf *out, const BinInput *in)
{
	put_name(b, out, "input ", in->name);
	buf_printf(out, "%s: %s", in->flags & INPUT_OPTIONAL ? "?" : "", input_type_names[in->type]);
	put_text(b, out, " ", in->type_text);
	buf_putz(out, in->flags & INPUT_TRUSTED ? " trusted" : in->flags & INPUT_TRUST_UNKNOWN ? "" : " untrusted");
	buf_printf(out, "%s @%s", in->flags & INPUT_KEY ? " key" : "", stability_names[in->stability]);
	if (in->max_tok)
		buf_printf(out, " max %u tok", in->max_tok);
	if (in->flags & INPUT_HAS_DEFAULT)
		buf_printf(out, " = %.*s", STR_ARG(bin_str(b, in->default_json)));
	put_text(b, out, " doc ", in->doc);
	buf_byte(out, '\n');
}

static void put_schema(const Bin *b, Buf *out, const BinSchema *s)
{
	put_name(b, out, "  schema ", s->name);
	put_text(b, out, " doc ", s->doc);
	put_text(b, out, "\n    json ", s->json);
	put_text(b, out, "\n    ts ", s->ts);
	buf_byte(out, '\n');
}

static void put_stage(const Bin *b, Buf *out, const BinStage *s)
{
	put_name(b, out, "  stage ", s->name);
	put_names(b, out, " from ", s->from, ", ");
	put_reply(b, out, &s->reply);
	if (s->weight >= 0)
		buf_printf(out, " weight %.6g", (double)s->weight);
	buf_byte(out, '\n');
}

static void put_cut(const Bin *b, Buf *out, const BinCut *c)
{
	put_name(b, out, "  cut ", c->name);
	buf_printf(out, " %s", cut_names[c->how]);
	if (c->keep)
		buf_printf(out, " keep %u", c->keep);
	if (c->how == CUT_DECAY)
		buf_printf(out, " %.6g", (double)c->decay);
	put_text(b, out, " mark ", c->mark);
	if (c->weight >= 0)
		buf_printf(out, " weight %.6g", (double)c->weight);
	buf_byte(out, '\n');
}

static void put_cache(const Bin *b, Buf *out, const BinCache *c)
{
	put_name(b, out, "  cache ", c->group);
	buf_printf(out, " slots %u-%u ttl %llus", c->slot_lo, c->slot_hi, (unsigned long long)c->ttl_s);
	if (c->evict.len)
		put_name(b, out, " evict ", c->evict);
	buf_byte(out, '\n');
}

/* What the prompt declares beside its text. */
static void put_settings(const Bin *b, Buf *out, const BinPrompt *p)
{
	for (uint32_t i = 0; i < p->schema.n; i++)
		put_schema(b, out, &b->schema[p->schema.first + i]);
	for (uint32_t i = 0; i < p->tool.n; i++) {
		const BinTool *t = &b->tool[p->tool.first + i];
		put_name(b, out, "  tool ", t->name);
		put_text(b, out, " doc ", t->doc);
		put_text(b, out, "\n    params ", t->params_json);
		buf_byte(out, '\n');
	}
	for (uint32_t i = 0; i < p->stage.n; i++)
		put_stage(b, out, &b->stage[p->stage.first + i]);
	for (uint32_t i = 0; i < p->set.n; i++) {
		const BinSet *s = &b->set[p->set.first + i];
		buf_putz(out, "  set ");
		if (s->provider.len)
			buf_printf(out, "%.*s.", STR_ARG(bin_str(b, s->provider)));
		put_name(b, out, "", s->name);
		buf_printf(out, " %.*s\n", STR_ARG(bin_str(b, s->json)));
	}
	for (uint32_t i = 0; i < p->meta.n; i++) {
		put_name(b, out, "  meta ", b->meta[p->meta.first + i].name);
		buf_printf(out, " %.*s\n", STR_ARG(bin_str(b, b->meta[p->meta.first + i].json)));
	}
	for (uint32_t i = 0; i < p->cut.n; i++)
		put_cut(b, out, &b->cut[p->cut.first + i]);
	if (p->cache != BIN_NONE)
		put_cache(b, out, &b->cache[p->cache]);
}

static void put_head(const Bin *b, Buf *out, const BinPrompt *p)
{
	put_name(b, out, "prompt ", p->name);
	if (p->version.len)
		buf_printf(out, " v%.*s", STR_ARG(bin_str(b, p->version)));
	put_text(b, out, " doc ", p->doc);
	if (p->lang.len)
		put_name(b, out, " lang ", p->lang);
	buf_putz(out, "\n  ");
	put_hash(out, p->hash);
	put_names(b, out, "  target ", p->target, ", ");
	buf_putz(out, p->target.n ? "\n " : " ");
	put_reply(b, out, &p->reply);
	if (p->budget_tok)
		buf_printf(out, " budget %u tok", p->budget_tok);
	if (p->anchor_every)
		buf_printf(out, " anchor every %u", p->anchor_every);
	put_names(b, out, " chain ", p->chain, " -> ");
	buf_byte(out, '\n');
}

static Str ref_text(const Bin *b, Buf *tmp, uint32_t ref)
{
	tmp->n = 0;
	if (ref != BIN_NONE)
		seg_print_ref(tmp, b->ref[ref].kind, bin_str(b, b->ref[ref].name), bin_str(b, b->ref[ref].field));
	return buf_str(tmp);
}

static Str cond_text(const Bin *b, Buf *tmp, Buf *ref, BinRange r)
{
	tmp->n = 0;
	for (uint32_t i = 0; i < r.n; i++) {
		const BinCond *c = &b->cond[r.first + i];
		seg_print_cond(tmp, !i, c->op, c->cmp, c->n_arg, ref_text(b, ref, c->ref), bin_str(b, c->s));
	}
	return buf_str(tmp);
}

static void put_segs(const Bin *b, Buf *out, BinRange r)
{
	Buf cond = { 0 }, ref = { 0 }, filter = { 0 };
	uint32_t depth = 2, at;
	for (uint32_t i = r.first; i - r.first < r.n; i++) {
		const BinSeg *s = &b->seg[i];
		SegView v = { .kind = s->kind, .role = s->role, .stability = s->stability, .modality = s->modality,
		              .flags = s->flags, .aux = s->aux, .text = bin_str(b, s->text), .name = bin_str(b, s->name),
		              .weight = s->weight, .squash = s->squash };
		filter.n = 0;
		for (uint32_t k = 0; k < s->filter.n; k++)
			seg_print_filter(&filter, b->filter[s->filter.first + k].kind, bin_str(b, b->filter[s->filter.first + k].arg));
		v.cond = cond_text(b, &cond, &ref, s->cond);
		v.ref = ref_text(b, &ref, s->ref);
		v.filter = buf_str(&filter);
		depth = seg_depth(v.kind, depth, &at);
		seg_print(out, at, &v);
	}
	buf_free(&cond);
	buf_free(&ref);
	buf_free(&filter);
}

static void put_nodes(const Bin *b, Buf *out, BinRange r)
{
	for (uint32_t i = 0; i < r.n; i++) {
		const BinNode *n = &b->node[r.first + i];
		buf_printf(out, "  node %s", node_names[n->kind]);
		if (n->modality)
			buf_printf(out, " %s", modality_names[n->modality]);
		if (n->name.len)
			put_name(b, out, " ", n->name);
		put_names(b, out, " on ", n->on, ", ");
		buf_printf(out, " @%s", stability_names[n->stability]);
		if (n->weight >= 0)
			buf_printf(out, " weight %.6g", (double)n->weight);
		seg_print_flags(out, n->flags);
		buf_byte(out, '\n');
	}
}

static void put_route(const Bin *b, Buf *out, const BinRoute *r)
{
	Buf cond = { 0 }, ref = { 0 };
	put_name(b, out, "route ", r->name);
	buf_byte(out, '\n');
	for (uint32_t i = 0; i < r->input.n; i++) {
		buf_putz(out, "  ");
		put_input(b, out, &b->input[r->input.first + i]);
	}
	for (uint32_t i = 0; i < r->rule.n; i++) {
		const BinRouteRule *rule = &b->route_rule[r->rule.first + i];
		if (rule->cond.n)
			buf_printf(out, "  when [%.*s]", STR_ARG(cond_text(b, &cond, &ref, rule->cond)));
		else
			buf_putz(out, "  else");
		put_text(b, out, " ", rule->text);
		put_name(b, out, " -> ", rule->prompt);
		buf_byte(out, '\n');
	}
	buf_free(&cond);
	buf_free(&ref);
}

static void put_tokenizer(const Bin *b, Buf *out, const BinTokenizer *t)
{
	buf_lit(out, "tokenizer ");
	for (int i = 0; i < SHOWN_HASH; i++)
		buf_printf(out, "%02x", t->fingerprint[i]);
	buf_byte(out, '\n');
	for (uint32_t i = 0; i < t->text.n; i++) {
		const BinTokenText *x = &b->token_text[t->text.first + i];
		Str text = bin_str(b, x->text);
		size_t n = text.n < SHOWN_BYTES ? text.n : SHOWN_BYTES;
		while (n < text.n && (text.p[n] & 0xc0) == 0x80)
			n--;
		buf_printf(out, "  %u ids of %zu bytes: ", x->id.n, text.n);
		buf_json_str(out, str_sub(text, 0, n));
		buf_putz(out, n < text.n ? "...\n" : "\n");
	}
}

void bin_dump(const Bin *b, Buf *out)
{
	buf_printf(out, "seedc binary %u.%u\n", b->header->version_major, b->header->version_minor);
	put_hash(out, b->header->hash);
	for (uint32_t i = 0; i < b->n_prompt; i++) {
		const BinPrompt *p = &b->prompt[i];
		put_head(b, out, p);
		for (uint32_t k = 0; k < p->input.n; k++) {
			buf_putz(out, "  ");
			put_input(b, out, &b->input[p->input.first + k]);
		}
		put_settings(b, out, p);
		put_nodes(b, out, p->node);
		buf_putz(out, "  segments\n");
		put_segs(b, out, p->seg);
	}
	for (uint32_t i = 0; i < b->n_route; i++)
		put_route(b, out, &b->route[i]);
	if (b->n_debug_run)
		buf_printf(out, "debug map: %u runs of %u files\n", b->n_debug_run, b->n_debug_file);
	if (b->kv.n)
		buf_printf(out, "baked KV cache: %zu bytes\n", b->kv.n);
	if (b->n_automaton)
		buf_printf(out, "automata of replies: %u\n", b->n_automaton);
	for (uint32_t i = 0; i < b->n_tokenizer; i++)
		put_tokenizer(b, out, &b->tokenizer[i]);
}
