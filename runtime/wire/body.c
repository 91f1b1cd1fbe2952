/* Body: see body.h. */
#include "runtime/wire/body.h"

#include <stdlib.h>

#include "runtime/schema/lower.h"

JsonNode *body_read(Arena *a, Str json)
{
	JsonDoc doc;
	return json.n && json_read(a, json, 0, &doc) ? doc.root : NULL;
}

JsonNode *body_text(Arena *a, Str text)
{
	JsonNode *x = json_new(a, JSON_OBJECT);
	json_add_member(a, x, STR("type"), json_new_text(a, STR("text")));
	json_add_member(a, x, STR("text"), json_new_text(a, text));
	return x;
}

void body_put(Body *b, Str path, JsonNode *value)
{
	JsonNode *at = b->root;
	for (;;) {
		size_t dot = str_find(path, STR("."), 0);
		Str name = str_sub(path, 0, dot);
		JsonMember *m = NULL;
		for (uint32_t i = 0; i < at->n && !m; i++)
			if (str_eq(at->member[i].key->text, name))
				m = &at->member[i];
		if (dot == path.n) {
			if (m)
				m->value = value;
			else
				json_add_member(b->arena, at, name, value);
			return;
		}
		path = str_sub(path, dot + 1, path.n);
		if (!m) {
			json_add_member(b->arena, at, name, json_new(b->arena, JSON_OBJECT));
			m = &at->member[at->n - 1];
		}
		if (m->value->kind != JSON_OBJECT)
			m->value = json_new(b->arena, JSON_OBJECT);
		at = m->value;
	}
}

void body_put_text(Body *b, const char *path, Str text)
{
	body_put(b, str_from(path), json_new_text(b->arena, text));
}

static int by_key(const void *x, const void *y)
{
	return str_cmp(((const JsonMember *)x)->key->text, ((const JsonMember *)y)->key->text);
}

static int rank_of(const Target *t, Str name)
{
	for (uint32_t i = 0; i < t->body.n; i++)
		if (str_eq(t->body.v[i], name))
			return (int)i;
	return -1;
}

void body_write(Buf *out, const Body *b)
{
	const Target *t = b->in->target;
	JsonNode *sorted = json_new(b->arena, JSON_OBJECT);
	for (uint32_t i = 0; i < t->body.n; i++)
		for (uint32_t j = 0; j < b->root->n; j++)
			if (str_eq(b->root->member[j].key->text, t->body.v[i]))
				json_add_member(b->arena, sorted, t->body.v[i], b->root->member[j].value);
	uint32_t n_own = sorted->n;
	for (uint32_t j = 0; j < b->root->n; j++)
		if (rank_of(t, b->root->member[j].key->text) < 0)
			json_add_member(b->arena, sorted, b->root->member[j].key->text, b->root->member[j].value);
	if (sorted->n > n_own)
		qsort(sorted->member + n_own, sorted->n - n_own, sizeof *sorted->member, by_key);
	json_write(out, sorted, JSON_AS_IS);
	buf_byte(out, '\n');
}

/* ---- settings -------------------------------------------------------------------------------- */

static bool is_provider(const Target *t, Str provider)
{
	static const char *const forms[] = { "openai", "anthropic", "gemini" };
	return str_eq(provider, t->provider) || str_eq(provider, t->family) || str_is(provider, forms[t->wire]);
}

static void put_setting(Body *b, Str name, JsonNode *value)
{
	const Target *t = b->in->target;
	const TargetSet *s = target_find_set(t, name);
	Str why;
	if (!s) {
		wire_note(b->report, WIRE_WARNING, NULL, "%.*s has no setting `%.*s`: left out", STR_ARG(t->name), STR_ARG(name));
	} else if (s->sampling && !t->sampling) {
		wire_note(b->report, WIRE_WARNING, NULL, "%.*s takes no sampling parameters: `set %.*s` is left out", STR_ARG(t->name),
		          STR_ARG(name));
	} else if (!target_check_set(b->arena, s, value, &why)) {
		wire_note(b->report, WIRE_ERROR, NULL, "`set %.*s` for %.*s %.*s", STR_ARG(name), STR_ARG(t->name), STR_ARG(why));
	} else {
		if (str_starts(s->type, STR("[")) && value->kind == JSON_STRING) {
			JsonNode *list = json_new(b->arena, JSON_ARRAY);
			json_add_item(b->arena, list, value);
			value = list;
		}
		body_put(b, s->key, value);
	}
}

/* `set openai.NAME json` for a target of that provider. */
static bool has_own_setting(const Body *b, const char *name)
{
	const Bin *bin = b->in->bin;
	const BinPrompt *p = b->request->prompt;
	for (uint32_t i = 0; i < p->set.n; i++) {
		const BinSet *s = &bin->set[p->set.first + i];
		Str provider = bin_str(bin, s->provider);
		if (provider.n && str_is(bin_str(bin, s->name), name) && is_provider(b->in->target, provider))
			return true;
	}
	return false;
}

/* The reply's schema has a node: its field is made anew for another provider, if it says nothing else. */
static bool is_reply_format(Body *b, const BinSet *s)
{
	Str name = bin_str(b->in->bin, s->name);
	const JsonNode *value = body_read(b->arena, bin_str(b->in->bin, s->json));
	return b->request->reply.kind == REPLY_SCHEMA &&
	       (str_is(name, "response_format") || (str_is(name, "output_config") && value && value->n == 1));
}

/* A request body (it names its model) sent to another provider: what it asked for that has no node is lost, and said. */
static void note_foreign_settings(Body *b)
{
	const Bin *bin = b->in->bin;
	const BinPrompt *p = b->request->prompt;
	Str from = { 0 };
	for (uint32_t i = 0; i < p->set.n; i++)
		if (str_is(bin_str(bin, bin->set[p->set.first + i].name), "model"))
			from = bin_str(bin, bin->set[p->set.first + i].provider);
	if (!from.n || is_provider(b->in->target, from))
		return;
	Buf list = { 0 };
	for (uint32_t i = 0; i < p->set.n; i++) {
		const BinSet *s = &bin->set[p->set.first + i];
		Str name = bin_str(bin, s->name);
		bool is_made_anew = str_is(name, "model") || (str_is(name, "tools") && p->tool.n) || is_reply_format(b, s);
		if (str_eq(bin_str(bin, s->provider), from) && !is_made_anew)
			buf_printf(&list, "%s`%.*s`", list.n ? ", " : "", STR_ARG(name));
	}
	if (list.n)
		wire_note(b->report, WIRE_WARNING, NULL, "the body was written for %.*s: left out for %.*s: %.*s", STR_ARG(from),
		          STR_ARG(b->in->target->name), STR_ARG(buf_str(&list)));
	buf_free(&list);
}

void body_put_settings(Body *b)
{
	note_foreign_settings(b);
	const Bin *bin = b->in->bin;
	const BinPrompt *p = b->request->prompt;
	for (int own = 0; own < 2; own++) /* the provider's own come last: they win */
		for (uint32_t i = 0; i < p->set.n; i++) {
			const BinSet *s = &bin->set[p->set.first + i];
			Str provider = bin_str(bin, s->provider);
			JsonNode *value = body_read(b->arena, bin_str(bin, s->json));
			if (!value || (provider.n != 0) != own)
				continue;
			if (!own)
				put_setting(b, bin_str(bin, s->name), value);
			else if (is_provider(b->in->target, provider))
				body_put(b, bin_str(bin, s->name), value);
		}
}

void body_put_max(Body *b, bool required)
{
	const Target *t = b->in->target;
	uint32_t max = b->request->reply.max_tok;
	if (max && t->max_output_tok && max > t->max_output_tok)
		wire_note(b->report, WIRE_WARNING, NULL, "reply max %u tok is more than %.*s gives (%u)", max, STR_ARG(t->name), t->max_output_tok);
	if (!max && required)
		max = t->max_output_tok ? t->max_output_tok : 4096;
	if (max)
		body_put(b, t->max_key, json_new_count(b->arena, max));
}

Str body_cache_key(Body *b)
{
	const BinPrompt *p = b->request->prompt;
	if (p->cache == BIN_NONE)
		return (Str){ 0 };
	Buf hex = { 0 };
	for (int i = 0; i < 8; i++)
		buf_printf(&hex, "%02x", p->hash[i]);
	Str key = str_fmt(b->arena, "%.*s-%.*s", STR_ARG(bin_str(b->in->bin, b->in->bin->cache[p->cache].group)), STR_ARG(buf_str(&hex)));
	buf_free(&hex);
	return key;
}

/* ---- schemas --------------------------------------------------------------------------------- */

/* The lowered form; NULL when it was refused, with every refusal as a note of that severity. */
static JsonNode *lower_schema(Body *b, Str json, const char *what, WireSeverity severity)
{
	const Target *t = b->in->target;
	SchemaErrors errs = { 0 };
	SchemaError err = { 0 };
	SchemaCaps caps = schema_caps_full();
	SchemaRemarks remarks = { 0 };
	if (t->schema && !schema_caps_read(b->arena, t->schema, &caps, &err)) {
		wire_note(b->report, WIRE_ERROR, NULL, "target %.*s: schema: %.*s", STR_ARG(t->name), STR_ARG(err.message));
		return NULL;
	}
	SchemaNode *s = schema_import_text(b->arena, json, 0, &errs);
	if (!s) {
		wire_note(b->report, severity, "SD405", "%s: %.*s", what, errs.n ? (int)errs.v[0].message.n : 0, errs.n ? errs.v[0].message.p : "");
		return NULL;
	}
	SchemaNode *low = schema_lower(b->arena, s, &caps, &remarks);
	for (uint32_t i = 0; i < remarks.n; i++) {
		bool refused = remarks.v[i].kind == REMARK_REFUSED;
		wire_note(b->report, refused ? severity : WIRE_REMARK, refused ? "SD405" : NULL, "%s, %.*s: %.*s", what,
		          STR_ARG(remarks.v[i].pointer.n ? remarks.v[i].pointer : STR("root")), STR_ARG(remarks.v[i].what));
	}
	return low ? schema_lowered_json(b->arena, low, &caps) : NULL;
}

uint32_t body_tools(Body *b, LoweredTool **out)
{
	const Bin *bin = b->in->bin;
	const BinPrompt *p = b->request->prompt;
	*out = arena_array(b->arena, LoweredTool, p->tool.n ? p->tool.n : 1);
	if (has_own_setting(b, "tools"))
		return 0; /* it wins, verbatim */
	for (uint32_t i = 0; i < p->tool.n; i++) {
		const BinTool *from = &bin->tool[p->tool.first + i];
		LoweredTool *t = &(*out)[i];
		Str json = bin_str(bin, from->params_json);
		*t = (LoweredTool){ .name = bin_str(bin, from->name), .doc = bin_str(bin, from->doc) };
		if (!json.n)
			json = STR("{\"type\":\"object\",\"properties\":{},\"required\":[],\"additionalProperties\":false}");
		if (b->in->target->strict_tools)
			t->params = lower_schema(b, json, str_z(b->arena, str_fmt(b->arena, "tool `%.*s`", STR_ARG(t->name))), WIRE_REMARK);
		t->strict = t->params != NULL;
		if (!t->params)
			t->params = body_read(b->arena, json);
	}
	return p->tool.n;
}

/* [A-Za-z0-9_-]{1,64}, as the providers want a name. */
static Str safe_name(Arena *a, Str name)
{
	Buf b = { 0 };
	for (size_t i = 0; i < name.n && b.n < 64; i++) {
		char c = name.p[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
		buf_byte(&b, plain ? c : '_');
	}
	Str s = b.n ? str_dup(a, buf_str(&b)) : STR("reply");
	buf_free(&b);
	return s;
}

LoweredReply body_reply(Body *b)
{
	const Bin *bin = b->in->bin;
	const Target *t = b->in->target;
	const BinReply *r = &b->request->reply;
	LoweredReply out = { .json = r->kind == REPLY_JSON };
	if (has_own_setting(b, t->wire == WIRE_ANTHROPIC ? "output_config" : "response_format"))
		return out; /* it wins, verbatim */
	if (r->kind != REPLY_SCHEMA || r->schema == BIN_NONE)
		return out;
	const BinSchema *s = &bin->schema[r->schema];
	out.json = true;
	if (t->native == NATIVE_NONE || t->native == NATIVE_JSON_OBJECT) {
		wire_note(b->report, WIRE_REMARK, NULL, "%.*s enforces no schema: the reply is checked, not constrained", STR_ARG(t->name));
		return out;
	}
	out.name = safe_name(b->arena, bin_str(bin, s->name));
	out.doc = bin_str(bin, s->doc);
	out.schema = lower_schema(b, bin_str(bin, s->json), "reply", WIRE_ERROR);
	out.strict = t->schema && json_get(t->schema, "closed_objects") && json_get(t->schema, "closed_objects")->truth;
	return out;
}
