/*
 * Content that was given as JSON (messages JSON, request bodies, turns): kept verbatim for the form it
 * is native to, and read into pieces for any other, so that a body of one provider can be sent to another.
 */
#include "runtime/wire/lower.h"

typedef struct Given {
	Arena *arena;
	WireForm form;
	WireReport *report;
	WireMessage *out;
} Given;

static const char *const openai_parts[] = { "text", "image_url", "input_audio", "file", "refusal", NULL };
static const char *const anthropic_parts[] = {
	"text", "image", "document", "tool_use", "tool_result", "thinking", "redacted_thinking", "search_result",
	"server_tool_use", "web_search_tool_result", NULL
};

static bool is_in(const char *const *names, Str s)
{
	while (*names && !str_is(s, *names))
		names++;
	return *names != NULL;
}

static bool is_native(WireForm form, const JsonNode *content)
{
	const char *const *names = form == FORM_OPENAI ? openai_parts : anthropic_parts;
	if (form != FORM_OPENAI && form != FORM_ANTHROPIC)
		return false;
	for (uint32_t i = 0; content->kind == JSON_ARRAY && i < content->n; i++)
		if (!is_in(names, json_get_text(content->item[i], "type", (Str){ 0 })) ||
		    (form == FORM_OPENAI && json_get(content->item[i], "cache_control")))
			return false;
	return content->kind == JSON_ARRAY;
}

static Str canonical(Arena *arena, const JsonNode *x)
{
	Buf b = { 0 };
	json_write(&b, x, JSON_AS_IS);
	Str s = str_dup(arena, buf_str(&b));
	buf_free(&b);
	return s;
}

static void add(Given *g, PieceKind kind, Str text, Str id, Str name)
{
	vec_push(g->arena, &g->out->piece, (Piece){ .kind = kind, .stability = STAB_TURN, .value = true, .text = text, .id = id, .name = name });
}

/* Texts of a content joined: what a result says. */
static Str content_text(Given *g, const JsonNode *content)
{
	if (!content || content->kind == JSON_NULL)
		return (Str){ 0 };
	if (content->kind == JSON_STRING)
		return content->text;
	Buf b = { 0 };
	for (uint32_t i = 0; content->kind == JSON_ARRAY && i < content->n; i++)
		buf_put(&b, json_get_text(content->item[i], "text", (Str){ 0 }));
	Str s = str_dup(g->arena, buf_str(&b));
	buf_free(&b);
	return s;
}

static Str source_url(Given *g, const JsonNode *source)
{
	Str url = json_get_text(source, "url", (Str){ 0 });
	if (url.n)
		return url;
	return str_fmt(g->arena, "data:%.*s;base64,%.*s", STR_ARG(json_get_text(source, "media_type", STR("image/png"))),
	               STR_ARG(json_get_text(source, "data", (Str){ 0 })));
}

static void add_part(Given *g, const JsonNode *x)
{
	Str type = json_get_text(x, "type", STR("no type"));
	Str name = json_get_text(x, "name", (Str){ 0 });
	const JsonNode *input = json_get(x, "input");
	if (str_is(type, "text"))
		add(g, PIECE_TEXT, json_get_text(x, "text", (Str){ 0 }), (Str){ 0 }, (Str){ 0 });
	else if (str_is(type, "image_url"))
		add(g, PIECE_IMAGE, json_get_text(json_get(x, "image_url"), "url", (Str){ 0 }), (Str){ 0 }, (Str){ 0 });
	else if (str_is(type, "image") || str_is(type, "document"))
		add(g, PIECE_IMAGE, source_url(g, json_get(x, "source")), (Str){ 0 }, (Str){ 0 });
	else if (str_is(type, "tool_use"))
		add(g, PIECE_CALL, input ? canonical(g->arena, input) : STR("{}"), json_get_text(x, "id", (Str){ 0 }), name);
	else if (str_is(type, "tool_result"))
		add(g, PIECE_RESULT, content_text(g, json_get(x, "content")), json_get_text(x, "tool_use_id", (Str){ 0 }), (Str){ 0 });
	else
		wire_note(g->report, WIRE_ERROR, NULL, "a content part of type `%.*s` has no form for this target", STR_ARG(type));
}

static void add_content(Given *g, const JsonNode *content)
{
	if (!content || content->kind == JSON_NULL)
		return;
	if (content->kind == JSON_STRING)
		add(g, PIECE_TEXT, content->text, (Str){ 0 }, (Str){ 0 });
	else if (is_native(g->form, content))
		add(g, PIECE_JSON, canonical(g->arena, content), (Str){ 0 }, (Str){ 0 });
	else
		for (uint32_t i = 0; content->kind == JSON_ARRAY && i < content->n; i++)
			add_part(g, content->item[i]);
}

/* OpenAI's message with more than a role and a content. */
static void add_message(Given *g, const JsonNode *m, Role role)
{
	const JsonNode *content = json_get(m, "content"), *calls = json_get(m, "tool_calls");
	if (role == ROLE_TOOL) {
		add(g, PIECE_RESULT, content_text(g, content), json_get_text(m, "tool_call_id", (Str){ 0 }),
		    json_get_text(m, "name", (Str){ 0 }));
		return;
	}
	add_content(g, content);
	for (uint32_t i = 0; calls && calls->kind == JSON_ARRAY && i < calls->n; i++) {
		const JsonNode *f = json_get(calls->item[i], "function");
		add(g, PIECE_CALL, json_get_text(f, "arguments", STR("{}")), json_get_text(calls->item[i], "id", (Str){ 0 }),
		    json_get_text(f, "name", (Str){ 0 }));
	}
}

void given_pieces(Arena *arena, WireForm form, Str json, Role role, WireReport *report, WireMessage *out)
{
	Given g = { arena, form, report, out };
	JsonDoc doc;
	if (!json_read(arena, json, 0, &doc))
		return;
	bool whole = doc.root->kind == JSON_OBJECT && json_get(doc.root, "role");
	if (whole && form == FORM_OPENAI && !(json_get(doc.root, "content") && json_get(doc.root, "content")->kind == JSON_ARRAY &&
	                                      !is_native(form, json_get(doc.root, "content"))))
		add(&g, PIECE_JSON, json, (Str){ 0 }, (Str){ 0 });
	else if (whole)
		add_message(&g, doc.root, role);
	else
		add_content(&g, doc.root);
}
