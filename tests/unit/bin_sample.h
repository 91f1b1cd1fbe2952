/* A binary with a record in every section, made by hand: what test_bin.c and the golden bytes of version 1 hold. */
#ifndef SEED_TESTS_BIN_SAMPLE_H
#define SEED_TESTS_BIN_SAMPLE_H

#include "compiler/emit/bin_writer.h"

static inline uint32_t sample_open(BinWriter *w, SegKind kind)
{
	vec_push(w->arena, &w->seg, bin_blank_seg(kind));
	return w->seg.n - 1;
}

static inline void sample_close(BinWriter *w, uint32_t begin)
{
	uint32_t end = sample_open(w, seg_info[w->seg.v[begin].kind].end);
	w->seg.v[begin].partner = end;
	w->seg.v[end].partner = begin;
}

static inline uint32_t sample_text(BinWriter *w, const char *z)
{
	uint32_t at = sample_open(w, SEG_TEXT);
	w->seg.v[at].text = bin_put_str(w, str_from(z));
	return at;
}

static inline uint32_t sample_ref(BinWriter *w, RefKind kind, uint32_t index, const char *name, const char *field)
{
	vec_push(w->arena, &w->ref, (BinRef){ kind, index, bin_put_str(w, str_from(name)), bin_put_str(w, str_from(field)) });
	return w->ref.n - 1;
}

static inline uint32_t sample_hole(BinWriter *w, uint32_t ref, const char *text, FilterKind filter)
{
	uint32_t at = sample_open(w, SEG_HOLE);
	w->seg.v[at].ref = ref;
	w->seg.v[at].text = bin_put_str(w, str_from(text));
	w->seg.v[at].filter = (BinRange){ w->filter.n, 1 };
	vec_push(w->arena, &w->filter, (BinFilter){ filter, bin_put_str(w, STR("info")) });
	return at;
}

static inline BinCond sample_cond(BinWriter *w, CondOp op, uint32_t ref, const char *s)
{
	return (BinCond){ .op = (uint8_t)op, .ref = ref, .s = bin_put_str(w, str_from(s)) };
}

/* product == ios */
static inline BinRange sample_program(BinWriter *w, uint32_t ref)
{
	BinRange r = { w->cond.n, 3 };
	vec_push(w->arena, &w->cond, sample_cond(w, COND_REF, ref, ""));
	vec_push(w->arena, &w->cond, sample_cond(w, COND_NAME, BIN_NONE, "ios"));
	vec_push(w->arena, &w->cond, sample_cond(w, COND_CMP, BIN_NONE, ""));
	return r;
}

static inline BinInput sample_input(BinWriter *w, const char *name, InputType type, const char *spelled)
{
	return (BinInput){ .type = (uint8_t)type, .stability = STAB_TURN, .name = bin_put_str(w, str_from(name)),
	                   .type_text = bin_put_str(w, str_from(spelled)), .schema = BIN_NONE };
}

static inline void sample_system(BinWriter *w)
{
	uint32_t message = sample_open(w, SEG_MESSAGE), part = sample_open(w, SEG_PART);
	w->seg.v[part].node = 0;
	sample_text(w, "You triage for ");
	sample_hole(w, sample_ref(w, REF_INPUT, 0, "product", ""), "{{product}}", FILTER_JSON);
	sample_text(w, ".\n");
	uint32_t block = sample_open(w, SEG_BLOCK);
	w->seg.v[block].name = bin_put_str(w, STR("plain"));
	sample_text(w, "Plain words.\n");
	sample_close(w, block);
	uint32_t branch = sample_open(w, SEG_IF);
	w->seg.v[branch].cond = sample_program(w, sample_ref(w, REF_INPUT, 0, "product", ""));
	w->seg.v[branch].text = bin_put_str(w, STR("!IF product == ios\n"));
	sample_text(w, "On a phone.\n");
	uint32_t other = sample_open(w, SEG_ELSE);
	w->seg.v[branch].partner = other;
	sample_text(w, "Anywhere: \xE2\x86\x92 \xF0\x9F\x8C\xB1\n");
	uint32_t end = sample_open(w, SEG_IF_END);
	w->seg.v[other].partner = end;
	w->seg.v[end].partner = branch;
	sample_close(w, part);
	part = sample_open(w, SEG_PART);
	uint32_t list = sample_open(w, SEG_CONSTRAINTS), item = sample_open(w, SEG_CONSTRAINT);
	w->seg.v[item].modality = MOD_MUST;
	w->seg.v[item].flags = SEG_PROTECTED | SEG_GUARDRAIL;
	w->seg.v[item].weight = 0.5f;
	w->seg.v[item].name = bin_put_str(w, STR("quotes"));
	uint32_t label = sample_text(w, "- Must: ");
	w->seg.v[label].flags = SEG_GENERATED;
	sample_text(w, "Quote.\n");
	sample_close(w, item);
	sample_close(w, list);
	uint32_t schema = sample_open(w, SEG_SCHEMA);
	w->seg.v[schema].aux = 0;
	w->seg.v[schema].text = bin_put_str(w, STR("{ ok: boolean }"));
	sample_close(w, part);
	sample_close(w, message);
}

static inline void sample_context(BinWriter *w)
{
	uint32_t message = sample_open(w, SEG_MESSAGE), part = sample_open(w, SEG_PART), context = sample_open(w, SEG_CONTEXT);
	w->seg.v[message].role = ROLE_USER;
	w->seg.v[context].ref = sample_ref(w, REF_INPUT, 1, "policy", "");
	w->seg.v[context].aux = 6;
	w->seg.v[context].squash = 0.75f;
	sample_hole(w, sample_ref(w, REF_LOOP, context, "doc", "text"), "{{doc.text | xml}}", FILTER_XML);
	sample_close(w, context);
	sample_close(w, part);
	sample_close(w, message);
}

static inline void sample_stage(BinWriter *w)
{
	uint32_t stage = sample_open(w, SEG_STAGE), part = sample_open(w, SEG_PART);
	w->seg.v[stage].role = ROLE_USER;
	w->seg.v[stage].aux = 0;
	sample_text(w, "Judge.");
	sample_close(w, part);
	sample_close(w, stage);
	vec_push(w->arena, &w->stage, (BinStage){ .name = bin_put_str(w, STR("verify")),
		.from = bin_put_names(w, (Str[]){ STR("policy") }, 1),
		.reply = { REPLY_SCHEMA, 0, 80, bin_put_str(w, STR("Verdict")) }, .seg = stage, .weight = -1 });
}

static inline void sample_data(BinWriter *w)
{
	Str ok = STR("{\"type\":\"object\"}");
	vec_push(w->arena, &w->schema, (BinSchema){ bin_put_str(w, STR("Verdict")), { 0, 0 }, bin_put_str(w, ok), bin_put_str(w, STR("{ ok: boolean }")) });
	vec_push(w->arena, &w->tool, (BinTool){ bin_put_str(w, STR("search")), bin_put_str(w, STR("finds")), bin_put_str(w, ok) });
	vec_push(w->arena, &w->set, (BinSet){ bin_put_str(w, STR("openai")), bin_put_str(w, STR("seed")), bin_put_str(w, STR("7")) });
	vec_push(w->arena, &w->meta, (BinMeta){ bin_put_str(w, STR("owner")), bin_put_str(w, STR("\"pay\"")) });
	vec_push(w->arena, &w->cut, (BinCut){ bin_put_str(w, STR("policy")), CUT_OLDEST, 2, -1, bin_put_str(w, STR("(cut)")), 0.25f });
	vec_push(w->arena, &w->cache, (BinCache){ bin_put_str(w, STR("user")), 0, 3, 3600, bin_put_str(w, STR("lru")) });
	vec_push(w->arena, &w->node, (BinNode){ .kind = BNODE_ROLE, .name = bin_put_str(w, STR("triager")), .seg = { 1, w->seg.v[1].partner }, .weight = -1 });
	vec_push(w->arena, &w->debug_file, (BinDebugFile){ bin_put_str(w, STR("triage.sd")) });
	vec_push(w->arena, &w->debug_run, (BinDebugRun){ 2, 0, 0, 40, 15, 3 });
}

static inline void sample_route(BinWriter *w)
{
	BinRouteRule rule = { .prompt = bin_put_str(w, STR("triage")), .index = 0, .text = bin_put_str(w, STR("product == ios")) };
	vec_push(w->arena, &w->input, sample_input(w, "product", INPUT_ENUM, "enum(web, ios)"));
	rule.cond = sample_program(w, sample_ref(w, REF_INPUT, 2, "product", ""));
	vec_push(w->arena, &w->route_rule, rule);
	vec_push(w->arena, &w->route_rule, (BinRouteRule){ .prompt = rule.prompt, .index = 0 });
	vec_push(w->arena, &w->route, (BinRoute){ bin_put_str(w, STR("front")), { 2, 1 }, { 0, 2 } });
}

/* w is inited; the caller finishes and frees it. */
static inline void sample_fill(BinWriter *w)
{
	vec_push(w->arena, &w->input, sample_input(w, "product", INPUT_ENUM, "enum(web, ios)"));
	vec_push(w->arena, &w->input, sample_input(w, "policy", INPUT_DOCS, "docs"));
	w->input.v[0].flags = INPUT_TRUSTED | INPUT_HAS_DEFAULT;
	w->input.v[0].default_json = bin_put_str(w, STR("\"web\""));
	sample_system(w);
	sample_context(w);
	vec_push(w->arena, &w->seg, bin_blank_seg(SEG_HISTORY));
	w->seg.v[w->seg.n - 1].ref = sample_ref(w, REF_INPUT, 1, "policy", "");
	sample_stage(w);
	BinPrompt p = { .name = bin_put_str(w, STR("triage")), .version = bin_put_str(w, STR("2.3")),
	                .doc = bin_put_str(w, STR("Triage one ticket")), .lang = bin_put_str(w, STR("en")) };
	p.target = bin_put_names(w, (Str[]){ STR("gpt-4o"), STR("smollm2") }, 2);
	p.chain = bin_put_names(w, (Str[]){ STR("verify") }, 1);
	p.reply = (BinReply){ REPLY_SCHEMA, 0, 300, bin_put_str(w, STR("Verdict")) };
	p.budget_tok = 4000;
	p.seg = (BinRange){ 0, w->seg.n };
	sample_data(w);
	p.input = (BinRange){ 0, 2 };
	p.schema = p.tool = p.stage = p.set = p.meta = p.cut = p.node = (BinRange){ 0, 1 };
	vec_push(w->arena, &w->prompt, p);
	sample_route(w);
}

#endif
