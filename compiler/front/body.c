/*
 * Messages JSON and request bodies of OpenAI and Anthropic.
 *
 * Messages, tool calls, function tools and the reply's schema become nodes, for the linter, the differ and
 * other providers; content that is no text keeps its JSON (an N_JSON kid). Every other field of the body
 * becomes `set PROVIDER.FIELD json`. Tools, the reply's format, and messages where the nodes alone would
 * not give the same array again, stand in a `set` too, which wins on the wire: so nothing is dropped, and
 * emitting for the same provider gives the same canonical JSON.
 */
#include "compiler/front/parts.h"
#include "runtime/base/json.h"
#include "runtime/schema/schema.h"

typedef struct Body {
	Compiler *c;
	Source *src;
	Node *file;
	Str provider;  /* "openai", "anthropic" */
} Body;

static const Str role_names[] = {
	[ROLE_SYSTEM] = STR_INIT("system"), [ROLE_DEVELOPER] = STR_INIT("developer"),
	[ROLE_USER] = STR_INIT("user"), [ROLE_ASSISTANT] = STR_INIT("assistant"), [ROLE_TOOL] = STR_INIT("tool"),
};

static Span span_of(const JsonNode *j)
{
	return (Span){ j->lo, j->hi };
}

static Str canonical(Arena *a, const JsonNode *j)
{
	Buf b = { 0 };
	json_write(&b, j, JSON_AS_IS);
	Str s = str_dup(a, buf_str(&b));
	buf_free(&b);
	return s;
}

static Node *json_leaf(Body *b, const JsonNode *j)
{
	return front_leaf(&b->c->arena, N_JSON, canonical(&b->c->arena, j), span_of(j));
}

int front_role(Compiler *c, Str name, Span at)
{
	for (int i = 0; i < ROLE_COUNT; i++)
		if (str_eq(name, role_names[i]))
			return i;
	if (str_is(name, "function"))
		return ROLE_TOOL;
	Diag *g = diag_add(&c->diags, SD056, at, "unknown role `%.*s`", STR_ARG(name));
	diag_did_you_mean(&c->diags, g, source_unquoted(&c->sources, at), name, role_names, ROLE_COUNT);
	diag_note(&c->diags, g, "roles are system, developer, user, assistant, tool");
	return -1;
}

static void wrong_kind(Body *b, const JsonNode *j, const char *what, const char *want)
{
	diag_add(&b->c->diags, SD054, span_of(j), "%s is %s %s; it must be %s", what,
	         j->kind == JSON_ARRAY || j->kind == JSON_OBJECT ? "an" : "a", json_kind_name(j->kind), want);
}

static Text *text_of(Body *b, const JsonNode *s)
{
	Text *t = arena_new(&b->c->arena, Text);
	t->s = s->text;
	t->n_run = json_text_runs(&b->c->arena, s, &t->run);
	return front_checked_text(b->c, t, span_of(s), CR_KEEP);
}

/* {"id": …, "type": "function", "function": {"name": …, "arguments": "…"}} */
static void add_calls(Body *b, Node *message, const JsonNode *calls)
{
	Arena *a = &b->c->arena;
	for (uint32_t i = 0; calls && calls->kind == JSON_ARRAY && i < calls->n; i++) {
		const JsonNode *f = json_get(calls->item[i], "function"), *args = json_get(f, "arguments");
		if (!f || !args || args->kind != JSON_STRING)
			continue;
		Node *call = front_leaf(a, N_CALL, json_get_text(f, "name", (Str){ 0 }), span_of(f));
		call->aux = json_get_text(calls->item[i], "id", (Str){ 0 });
		node_add(call, front_body(a, text_of(b, args), span_of(args)));
		node_add(message, call);
	}
}

static void add_content(Body *b, Node *message, const JsonNode *content)
{
	if (content && content->kind == JSON_STRING)
		node_add(message, front_body(&b->c->arena, text_of(b, content), span_of(content)));
	else if (content && (content->kind == JSON_ARRAY || content->kind == JSON_OBJECT))
		node_add(message, json_leaf(b, content));
	else if (content && content->kind != JSON_NULL)
		wrong_kind(b, content, "`content`", "a string or an array of parts");
}

/* What one item of `messages` is. */
static void read_message(Body *b, const JsonNode *m)
{
	if (m->kind != JSON_OBJECT) {
		wrong_kind(b, m, "this message", "an object with `role` and `content`");
		return;
	}
	const JsonNode *role = json_get(m, "role");
	if (!role || role->kind != JSON_STRING) {
		diag_add(&b->c->diags, SD064, role ? span_of(role) : span_of(m), "this message has no `role`");
		return;
	}
	int r = front_role(b->c, role->text, span_of(role));
	if (r < 0)
		return;
	if (!json_get(m, "content") && !json_get(m, "tool_calls") && !json_get(m, "function_call") && !json_get(m, "audio"))
		diag_add(&b->c->diags, SD064, span_of(m), "this message has no `content`");
	Node *n = front_leaf(&b->c->arena, N_MESSAGE, json_get_text(m, "name", (Str){ 0 }), span_of(m));
	n->op = r;
	add_content(b, n, json_get(m, "content"));
	add_calls(b, n, json_get(m, "tool_calls"));
	node_add(b->file, n);
}

/* True if the nodes alone give this array again: a role and a content each, and no two messages that a
 * target would join or send under another role. */
static bool messages_are_plain(const Body *b, const JsonNode *list)
{
	bool anthropic = str_is(b->provider, "anthropic");
	Str before = STR("assistant");
	for (uint32_t i = 0; i < list->n; i++) {
		const JsonNode *m = list->item[i], *content = json_get(m, "content");
		Str role = json_get_text(m, "role", (Str){ 0 });
		bool speaker = str_is(role, "user") || str_is(role, "assistant");
		if (m->n != 2 || !content || content->kind == JSON_NULL || (!speaker && !str_is(role, "system")))
			return false;
		if (anthropic && (!speaker || str_eq(role, before)))
			return false;
		before = role;
	}
	return true;
}

static void add_set(Body *b, Str name, Span at, const JsonNode *value)
{
	Node *n = front_leaf(&b->c->arena, N_SET, name, at);
	n->span = span_join(at, span_of(value));
	n->aux = b->provider;
	n->aux_span = at;
	node_add(n, json_leaf(b, value));
	node_add(b->file, n);
}

static void read_messages(Body *b, const JsonNode *list)
{
	if (list->kind != JSON_ARRAY) {
		wrong_kind(b, list, "`messages`", "an array");
		return;
	}
	for (uint32_t i = 0; i < list->n; i++)
		read_message(b, list->item[i]);
	if (!messages_are_plain(b, list))
		add_set(b, STR("messages"), span_of(list), list);
}

/* Anthropic's top-level system: a text or blocks. */
static void read_system(Body *b, const JsonNode *s)
{
	if (s->kind != JSON_STRING && s->kind != JSON_ARRAY) {
		wrong_kind(b, s, "`system`", "a string or an array of blocks");
		return;
	}
	Node *n = node_new(&b->c->arena, N_MESSAGE, span_of(s));
	n->op = ROLE_SYSTEM;
	if (s->kind == JSON_STRING)
		node_add(n, front_body(&b->c->arena, text_of(b, s), span_of(s)));
	else
		node_add(n, json_leaf(b, s));
	node_add(b->file, n);
}

/* The object with name, description and schema of one tool; NULL if it is no function tool. */
static const JsonNode *tool_function(Str provider, const JsonNode *tool)
{
	if (str_is(provider, "anthropic"))
		return json_get(tool, "input_schema") ? tool : NULL;
	return str_is(json_get_text(tool, "type", (Str){ 0 }), "function") ? json_get(tool, "function") : NULL;
}

static void add_tool(Body *b, const JsonNode *f)
{
	Arena *a = &b->c->arena;
	const JsonNode *name = json_get(f, "name"), *doc = json_get(f, "description");
	const JsonNode *params = json_get(f, str_is(b->provider, "anthropic") ? "input_schema" : "parameters");
	if (!name || name->kind != JSON_STRING) {
		diag_add(&b->c->diags, SD064, span_of(f), "this tool has no `name`");
		return;
	}
	Node *n = front_leaf(a, N_TOOL, name->text, span_of(name));
	n->span = span_of(f);
	if (doc && doc->kind == JSON_STRING)
		node_add(n, front_leaf(a, N_DOC, doc->text, span_of(doc)));
	if (params)
		node_add(n, json_leaf(b, params));
	node_add(b->file, n);
}

bool body_tools_are_plain(Str provider, const JsonNode *list)
{
	bool anthropic = str_is(provider, "anthropic");
	for (uint32_t i = 0; i < list->n; i++) {
		const JsonNode *f = tool_function(provider, list->item[i]);
		if (!f || (!anthropic && list->item[i]->n != 2))
			return false;
		const JsonNode *strict = json_get(f, "strict");
		if (strict && !(strict->kind == JSON_BOOL && strict->truth))
			return false;
		uint32_t known = 1 + (strict != NULL) + (json_get(f, "description") != NULL) +
		                 (json_get(f, anthropic ? "input_schema" : "parameters") != NULL);
		if (f->n != known)
			return false;
	}
	return true;
}

static bool is_schema_read(Body *b, const JsonNode *schema)
{
	SchemaErrors errs = { 0 };
	return schema && schema_import(&b->c->arena, schema, &errs) && !errs.n;
}

/* One schema outside the subset, and all tools stay in the set: a part of them would be another request. */
static bool tools_are_read(Body *b, const JsonNode *list)
{
	for (uint32_t i = 0; i < list->n; i++) {
		const JsonNode *f = tool_function(b->provider, list->item[i]);
		const JsonNode *params = json_get(f, str_is(b->provider, "anthropic") ? "input_schema" : "parameters");
		if (params && !is_schema_read(b, params))
			return false;
	}
	return true;
}

/* Function tools are nodes, for the differ, the linter and other providers; the array itself stands in a
 * set, since a target adds to tools (`strict`, lowered schemas) and sends them by name. */
static void read_tools(Body *b, const JsonNode *key, const JsonNode *list)
{
	if (list->kind != JSON_ARRAY) {
		wrong_kind(b, list, "`tools`", "an array");
		return;
	}
	bool is_read = tools_are_read(b, list);
	for (uint32_t i = 0; is_read && i < list->n; i++) {
		const JsonNode *f = tool_function(b->provider, list->item[i]);
		if (f && f->kind == JSON_OBJECT)
			add_tool(b, f);
	}
	add_set(b, key->text, span_of(key), list);
}

/* A schema outside the subset stays in its set alone. */
static void read_reply(Body *b, const JsonNode *key, const JsonNode *value)
{
	const JsonNode *schema = body_reply_schema(b->provider, key->text, value);
	if (!is_schema_read(b, schema))
		return;
	Arena *a = &b->c->arena;
	Str name = body_reply_name(b->provider, key->text, value);
	Node *decl = front_leaf(a, N_SCHEMA, name, span_of(key));
	decl->span = span_of(schema);
	node_add(decl, json_leaf(b, schema));
	node_add(b->file, decl);
	Node *reply = node_new(a, N_REPLY, span_of(key));
	node_add(reply, front_leaf(a, N_TYPE, name, span_of(key)));
	node_add(b->file, reply);
}

static void read_field(Body *b, const JsonNode *key, const JsonNode *value)
{
	if (str_is(key->text, "messages")) {
		read_messages(b, value);
	} else if (str_is(key->text, "system") && str_is(b->provider, "anthropic")) {
		read_system(b, value);
	} else if (str_is(key->text, "tools")) {
		read_tools(b, key, value);
	} else {
		read_reply(b, key, value);
		add_set(b, key->text, span_of(key), value);
	}
}

/* Content blocks of a type that only Anthropic has. */
static bool has_anthropic_block(const JsonNode *messages)
{
	for (uint32_t i = 0; messages && messages->kind == JSON_ARRAY && i < messages->n; i++) {
		const JsonNode *content = json_get(messages->item[i], "content");
		for (uint32_t k = 0; content && content->kind == JSON_ARRAY && k < content->n; k++) {
			Str type = json_get_text(content->item[k], "type", (Str){ 0 });
			if (str_is(type, "tool_use") || str_is(type, "tool_result") || str_is(type, "image") ||
			    str_is(type, "thinking") || json_get(content->item[k], "cache_control"))
				return true;
		}
	}
	return false;
}

static Str provider_of(const JsonNode *root)
{
	static const char *const marks[] = {
		"system", "anthropic_version", "stop_sequences", "top_k", "thinking", "mcp_servers", "output_config",
	};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (json_get(root, marks[i]))
			return STR("anthropic");
	const JsonNode *tools = json_get(root, "tools");
	bool claude = str_starts(json_get_text(root, "model", (Str){ 0 }), STR("claude"));
	bool schema = tools && tools->kind == JSON_ARRAY && tools->n && json_get(tools->item[0], "input_schema");
	return claude || schema || has_anthropic_block(json_get(root, "messages")) ? STR("anthropic") : STR("openai");
}

/* A system text is sent before the messages, wherever it stands in the body. */
static void read_object(Body *b, const JsonNode *root)
{
	if (!json_get(root, "messages"))
		diag_add(&b->c->diags, SD064, span_of(root), "this body has no `messages`");
	for (uint32_t i = 0; i < root->n; i++)
		if (str_is(root->member[i].key->text, "system"))
			read_field(b, root->member[i].key, root->member[i].value);
	for (uint32_t i = 0; i < root->n; i++)
		if (!str_is(root->member[i].key->text, "system"))
			read_field(b, root->member[i].key, root->member[i].value);
}

static void report_duplicates(Body *b, const JsonDoc *doc)
{
	for (uint32_t i = 0; i < doc->n_dup; i++) {
		const JsonDup *d = &doc->dup[i];
		Diag *g = diag_add(&b->c->diags, SD051, span_of(d->again), "`%.*s` stands twice in this object", STR_ARG(d->name));
		diag_label(&b->c->diags, g, span_of(d->first), "first here");
	}
}

bool body_parse(Compiler *c, Source *src, Node *file)
{
	Body b = { .c = c, .src = src, .file = file, .provider = STR("openai") };
	JsonDoc doc;
	if (!json_read(&c->arena, src->text, src->base, &doc)) {
		Span at = { doc.err.offset, doc.err.offset + (doc.err.offset < src->base + src->text.n) };
		diag_add(&c->diags, SD055, at, "not valid JSON: %.*s", STR_ARG(doc.err.message));
		return true;
	}
	if (keys_of_value(doc.root) == TOP_PROMPT)
		return false;
	report_duplicates(&b, &doc);
	if (doc.n_dup)
		return true;
	if (doc.root->kind == JSON_ARRAY) {
		read_messages(&b, doc.root);
	} else if (doc.root->kind == JSON_OBJECT) {
		b.provider = provider_of(doc.root);
		read_object(&b, doc.root);
	} else {
		wrong_kind(&b, doc.root, "this file", "an array of messages or a request body");
	}
	return true;
}
