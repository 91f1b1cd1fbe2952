/* Values: see values.h. One parser per input type; all say where in the value they stopped. */
#include "runtime/render/values.h"

#include "runtime/base/num.h"
#include "runtime/base/utf8.h"
#include "runtime/base/vec.h"
#include "runtime/schema/schema.h"

typedef struct Binding {
	Values *v;
	const BinInput *input;
	Str name, bytes;
	ValueError *err;
} Binding;

static bool fail(Binding *b, uint32_t offset, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static bool fail(Binding *b, uint32_t offset, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	Str why = str_vfmt(b->v->arena, fmt, ap);
	va_end(ap);
	b->err->message = str_fmt(b->v->arena, "value of `%.*s`: %.*s", STR_ARG(b->name), STR_ARG(why));
	b->err->offset = offset;
	return false;
}

static Value value_of_text(Arena *a, Str s)
{
	return (Value){ VALUE_BOUND, s, json_new_text(a, s) };
}

static Value value_of_node(const JsonNode *x)
{
	Value v = { VALUE_BOUND, x->text, x };
	if (x->kind == JSON_BOOL)
		v.text = x->truth ? STR("true") : STR("false");
	if (x->kind == JSON_NULL)
		v.state = VALUE_ABSENT;
	return v;
}

/* ---- by type --------------------------------------------------------------------------------- */

static bool check_text(Binding *b)
{
	size_t bad = utf8_find_bad(b->bytes);
	if (bad < b->bytes.n)
		return fail(b, (uint32_t)bad, "a byte is not UTF-8");
	const char *nul = b->bytes.n ? memchr(b->bytes.p, 0, b->bytes.n) : NULL;
	if (nul)
		return fail(b, (uint32_t)(nul - b->bytes.p), "a byte is NUL");
	return true;
}

static JsonNode *read_json(Binding *b)
{
	JsonDoc doc;
	Str s = b->bytes;
	if (str_starts(s, STR("\xef\xbb\xbf")))
		s = str_sub(s, 3, s.n);
	if (!json_read(b->v->arena, s, (uint32_t)(b->bytes.n - s.n), &doc)) {
		fail(b, doc.err.offset, "not JSON: %.*s", STR_ARG(doc.err.message));
		return NULL;
	}
	if (doc.n_dup) {
		const JsonDup *d = &doc.dup[0];
		fail(b, d->again->lo, "the name \"%.*s\" stands twice in one object", STR_ARG(d->name));
		return NULL;
	}
	return doc.root;
}

static bool parse_bool(Binding *b, Value *out)
{
	Str s = str_trim(b->bytes);
	if (!str_is(s, "true") && !str_is(s, "false"))
		return fail(b, BIN_NONE, "`%.*s` is neither `true` nor `false`", STR_ARG(s));
	*out = value_of_node(json_new_bool(b->v->arena, str_is(s, "true")));
	return true;
}

static bool parse_number(Binding *b, Value *out)
{
	Num n;
	Str s = str_trim(b->bytes);
	if (!num_parse(s, &n))
		return fail(b, BIN_NONE, "`%.*s` is no number", STR_ARG(s));
	if (b->input->type == INPUT_INT && !num_is_integer(&n))
		return fail(b, BIN_NONE, "`%.*s` is no whole number", STR_ARG(s));
	*out = value_of_node(json_new_number(b->v->arena, s));
	return true;
}

/* The members of a schema's enum; NULL if it has none. */
static const JsonNode *enum_members(const Binding *b)
{
	JsonDoc doc;
	if (b->input->schema == BIN_NONE)
		return NULL;
	if (!json_read(b->v->arena, bin_str(b->v->bin, b->v->bin->schema[b->input->schema].json), 0, &doc))
		return NULL;
	const JsonNode *e = json_get(doc.root, "enum");
	return e && e->kind == JSON_ARRAY ? e : NULL;
}

static bool parse_enum(Binding *b, Value *out)
{
	const JsonNode *e = enum_members(b);
	Str s = str_trim(b->bytes);
	VEC(Str) names = { 0 };
	for (uint32_t i = 0; e && i < e->n; i++) {
		Value one = value_of_node(e->item[i]);
		if (str_eq(one.text, s)) {
			*out = one;
			return true;
		}
		vec_push(b->v->arena, &names, one.text);
	}
	if (!e) {
		*out = value_of_text(b->v->arena, s);
		return true;
	}
	const Str *near = str_nearest(s, names.v, names.n);
	fail(b, BIN_NONE, "`%.*s` is none of `%.*s`", STR_ARG(s), STR_ARG(bin_str(b->v->bin, b->input->type_text)));
	if (near)
		b->err->help = str_fmt(b->v->arena, "did you mean `%.*s`?", STR_ARG(*near));
	return false;
}

static bool check_member(Binding *b, const JsonNode *item, const char *what, const char *name, JsonKind kind)
{
	const JsonNode *x = json_get(item, name);
	if (!x || x->kind == JSON_NULL || x->kind == kind)
		return true;
	return fail(b, x->lo, "\"%s\" of a %s is a %s, not a %s", name, what, json_kind_name(x->kind), json_kind_name(kind));
}

/* A document is a string (its text) or an object with a text. */
static bool check_doc(Binding *b, const JsonNode *d)
{
	if (d->kind == JSON_STRING)
		return true;
	if (d->kind != JSON_OBJECT)
		return fail(b, d->lo, "a document is an object with \"text\" or a string, not a %s", json_kind_name(d->kind));
	if (!json_get(d, "text"))
		return fail(b, d->lo, "a document has no \"text\"");
	return check_member(b, d, "document", "text", JSON_STRING) && check_member(b, d, "document", "title", JSON_STRING) &&
	       check_member(b, d, "document", "url", JSON_STRING);
}

static bool check_turn(Binding *b, const JsonNode *t)
{
	static const Str roles[] = { STR_INIT("user"), STR_INIT("assistant"), STR_INIT("tool") };
	if (t->kind != JSON_OBJECT)
		return fail(b, t->lo, "a turn is an object {\"role\": …, \"content\": …}, not a %s", json_kind_name(t->kind));
	const JsonNode *role = json_get(t, "role"), *content = json_get(t, "content"), *calls = json_get(t, "tool_calls");
	if (!role || role->kind != JSON_STRING)
		return fail(b, t->lo, "a turn has no \"role\"");
	if (!str_is(role->text, "user") && !str_is(role->text, "assistant") && !str_is(role->text, "tool")) {
		const Str *near = str_nearest(role->text, roles, sizeof roles / sizeof *roles);
		fail(b, role->lo, "a turn's role is user, assistant or tool, not `%.*s`", STR_ARG(role->text));
		if (near)
			b->err->help = str_fmt(b->v->arena, "did you mean `%.*s`?", STR_ARG(*near));
		return false;
	}
	if (calls && calls->kind != JSON_ARRAY)
		return fail(b, calls->lo, "\"tool_calls\" is a %s, not an array", json_kind_name(calls->kind));
	if (!content && !calls)
		return fail(b, t->lo, "a turn has no \"content\"");
	if (content && content->kind != JSON_STRING && content->kind != JSON_ARRAY && content->kind != JSON_NULL)
		return fail(b, content->lo, "\"content\" is a %s, not a string", json_kind_name(content->kind));
	return true;
}

static bool parse_items(Binding *b, Value *out, const char *what, bool (*check)(Binding *, const JsonNode *))
{
	JsonNode *x = read_json(b);
	if (!x)
		return false;
	if (x->kind != JSON_ARRAY)
		return fail(b, x->lo, "%s are a JSON array, not a %s", what, json_kind_name(x->kind));
	for (uint32_t i = 0; i < x->n; i++)
		if (!check(b, x->item[i]))
			return false;
	*out = value_of_node(x);
	return true;
}

static bool parse_json(Binding *b, Value *out)
{
	JsonNode *x = read_json(b);
	if (!x)
		return false;
	JsonKind want = b->input->type == INPUT_LIST ? JSON_ARRAY : JSON_OBJECT;
	bool typed = b->input->type == INPUT_LIST || b->input->type == INPUT_MAP || b->input->type == INPUT_OBJECT;
	if (typed && x->kind != want)
		return fail(b, x->lo, "`%.*s` is a JSON %s, not a %s", STR_ARG(bin_str(b->v->bin, b->input->type_text)),
		            json_kind_name(want), json_kind_name(x->kind));
	*out = value_of_node(x);
	return true;
}

/* `text | null`: JSON where it is JSON, else the bare text. */
static bool parse_union(Binding *b, Value *out)
{
	JsonDoc doc;
	if (json_read(b->v->arena, b->bytes, 0, &doc) && !doc.n_dup)
		*out = value_of_node(doc.root);
	else
		*out = value_of_text(b->v->arena, b->bytes);
	return true;
}

/* `image`, `file`, `image 1..4` and `[image]`. */
static bool is_image(const Bin *bin, const BinInput *in)
{
	Str type = bin_str(bin, in->type_text);
	if (str_starts(type, STR("[")))
		type = str_sub(type, 1, type.n);
	bool named = str_starts(type, STR("image")) || str_starts(type, STR("file"));
	return in->type == INPUT_IMAGE || in->type == INPUT_FILE || (in->type == INPUT_LIST && named);
}

static bool parse_by_type(Binding *b, ValueSource source, Value *out)
{
	if (is_image(b->v->bin, b->input)) {
		Str why = { 0 };
		JsonNode *list = image_value(b->v->arena, b->bytes, source, &why);
		if (!list)
			return fail(b, BIN_NONE, "%.*s", STR_ARG(why));
		*out = value_of_node(list);
		return true;
	}
	if (!check_text(b))
		return false;
	switch (b->input->type) {
	case INPUT_TEXT: *out = value_of_text(b->v->arena, b->bytes); return true;
	case INPUT_BOOL: return parse_bool(b, out);
	case INPUT_INT: case INPUT_NUMBER: return parse_number(b, out);
	case INPUT_ENUM: return parse_enum(b, out);
	case INPUT_DOCS: return parse_items(b, out, "documents", check_doc);
	case INPUT_TURNS: return parse_items(b, out, "turns", check_turn);
	case INPUT_UNION: return parse_union(b, out);
	default: return parse_json(b, out);
	}
}

/* Ranges, patterns, lengths, fields: what the input's schema says. */
static bool check_schema(Binding *b, const Value *v)
{
	SchemaErrors errs = { 0 };
	SchemaIssues issues = { 0 };
	if (b->input->schema == BIN_NONE || v->state != VALUE_BOUND || is_image(b->v->bin, b->input))
		return true;
	SchemaNode *s = schema_import_text(b->v->arena, bin_str(b->v->bin, b->v->bin->schema[b->input->schema].json), 0, &errs);
	if (!s || schema_validate(b->v->arena, s, v->json, SCHEMA_NULL_IS_ABSENT, &issues))
		return true;
	const SchemaIssue *x = &issues.v[0];
	bool whole = !x->instance.n;
	return fail(b, whole ? BIN_NONE : x->lo, "%.*s%s%.*s", STR_ARG(x->instance), whole ? "" : ": ", STR_ARG(x->message));
}

/* ---- names ----------------------------------------------------------------------------------- */

void values_init(Values *v, Arena *arena, const Bin *bin)
{
	*v = (Values){ .arena = arena, .bin = bin };
	v->input = arena_array(arena, Value, bin->n_input);
	v->stage = arena_array(arena, Value, bin->n_stage);
	for (uint32_t i = 0; i < bin->n_input; i++) {
		const BinInput *in = &bin->input[i];
		JsonDoc doc;
		v->input[i].state = in->flags & INPUT_OPTIONAL ? VALUE_ABSENT : VALUE_UNBOUND;
		if ((in->flags & INPUT_HAS_DEFAULT) && json_read(arena, bin_str(bin, in->default_json), 0, &doc))
			v->input[i] = value_of_node(doc.root);
	}
}

static const BinInput *find_input(const Bin *bin, const BinPrompt *p, Str name)
{
	for (uint32_t i = 0; i < p->input.n; i++)
		if (str_eq(bin_str(bin, bin->input[p->input.first + i].name), name))
			return &bin->input[p->input.first + i];
	return NULL;
}

static bool set_stage(Values *v, const BinPrompt *p, Str name, Str bytes)
{
	for (uint32_t i = 0; i < p->stage.n; i++) {
		uint32_t at = p->stage.first + i;
		JsonDoc doc;
		if (!str_eq(bin_str(v->bin, v->bin->stage[at].name), name))
			continue;
		v->stage[at] = value_of_text(v->arena, bytes);
		uint32_t kind = v->bin->stage[at].reply.kind;
		if ((kind == REPLY_JSON || kind == REPLY_SCHEMA) && json_read(v->arena, bytes, 0, &doc))
			v->stage[at] = (Value){ VALUE_BOUND, bytes, doc.root };
		return true;
	}
	return false;
}

uint32_t values_list_names(const Bin *bin, const BinPrompt *prompt, Arena *arena, Str **names)
{
	uint32_t n = 0;
	*names = arena_array(arena, Str, prompt->input.n + prompt->stage.n);
	for (uint32_t i = 0; i < prompt->input.n; i++)
		(*names)[n++] = bin_str(bin, bin->input[prompt->input.first + i].name);
	for (uint32_t i = 0; i < prompt->stage.n; i++)
		(*names)[n++] = bin_str(bin, bin->stage[prompt->stage.first + i].name);
	return n;
}

static bool unknown_name(Values *v, const BinPrompt *p, Str name, ValueError *err)
{
	Str *names;
	uint32_t n = values_list_names(v->bin, p, v->arena, &names);
	const Str *near = str_nearest(name, names, n);
	err->message = str_fmt(v->arena, "no input or stage is named `%.*s`", STR_ARG(name));
	if (near) {
		err->help = str_fmt(v->arena, "did you mean `%.*s`?", STR_ARG(*near));
		return false;
	}
	Buf b = { 0 };
	for (uint32_t i = 0; i < n; i++)
		buf_printf(&b, "%s`%.*s`", i ? ", " : "", STR_ARG(names[i]));
	err->help = n ? str_fmt(v->arena, "the prompt takes %.*s", STR_ARG(buf_str(&b))) : STR("the prompt takes no values");
	buf_free(&b);
	return false;
}

bool values_takes_several(const Bin *bin, const BinPrompt *prompt, Str name)
{
	const BinInput *in = find_input(bin, prompt, name);
	return in && is_image(bin, in);
}

bool values_set(Values *v, const BinPrompt *prompt, Str name, Str bytes, ValueSource source, ValueError *err)
{
	*err = (ValueError){ .offset = BIN_NONE };
	const BinInput *in = find_input(v->bin, prompt, name);
	Binding b = { v, in, name, bytes, err };
	if (!in) {
		if (!check_text(&b))
			return false;
		return set_stage(v, prompt, name, bytes) || unknown_name(v, prompt, name, err);
	}
	Value got = { 0 }, *slot = &v->input[in - v->bin->input];
	if (!parse_by_type(&b, source, &got) || !check_schema(&b, &got))
		return false;
	if (got.state == VALUE_ABSENT && !(in->flags & INPUT_OPTIONAL) && in->type != INPUT_UNION && in->type != INPUT_JSON)
		return fail(&b, BIN_NONE, "null, but the input is required");
	if (is_image(v->bin, in) && slot->state == VALUE_BOUND)
		got = value_of_node(image_value_join(v->arena, slot->json, got.json));
	*slot = got;
	return true;
}
