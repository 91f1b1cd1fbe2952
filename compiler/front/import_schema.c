/*
 * JSON Schema written as `schema` declarations, where the language can spell every word of it; else
 * one `schema NAME from "file.json"`, which keeps the file as the truth, with the reason in a comment.
 *
 * Spelled: closed objects, text with lengths or a pattern, int and number ranges, bool, enums of
 * scalars, lists with bounds, map(T), T | null, references to $defs, descriptions. Invariant: what is
 * written accepts exactly what the file accepts; a keyword not known here means `from`.
 */
#include "compiler/front/import_parts.h"
#include "grammar/grammar.h"

typedef struct Spell {
	Arena *arena;
	TextBuf *out;
	const JsonNode *root;
	SpellFault fault;     /* set by what cannot be spelled first */
} Spell;

static void put(Spell *sp, const char *text)
{
	textbuf_made(sp->out, str_from(text));
}

static bool cannot(Spell *sp, const char *reason, Str at)
{
	if (!sp->fault.reason)
		sp->fault = (SpellFault){ reason, at };
	return false;
}

/* Every member of s is one of the words (space-separated); the first other one is the reason. */
static bool only_keys(Spell *sp, const JsonNode *s, const char *words)
{
	Str list = str_from(words);
	for (uint32_t i = 0; i < s->n; i++) {
		Str key = s->member[i].key->text;
		bool found = str_is(key, "title") || str_is(key, "$schema") || str_is(key, "$id") || str_is(key, "$defs") ||
		             str_is(key, "description");
		for (size_t at = str_find(list, key, 0); key.n && !found && at < list.n; at = str_find(list, key, at + 1))
			found = list.p[at + key.n] == ' ' && (!at || list.p[at - 1] == ' ');
		if (!found)
			return cannot(sp, "keyword", key);
	}
	return true;
}

static void put_string(Spell *sp, Str s)
{
	Text t = { .s = s };
	sd_put_string(sp->out, &t);
}

/* A CR would read back as a line end, and a NUL not at all. */
static bool is_one_line(Str s)
{
	return !s.n || (!memchr(s.p, '\n', s.n) && !memchr(s.p, '\r', s.n) && !memchr(s.p, 0, s.n));
}

/* ` 1..3`, from two members; nothing if both are absent. */
static bool put_range(Spell *sp, const JsonNode *s, const char *low, const char *high)
{
	const JsonNode *lo = json_get(s, low), *hi = json_get(s, high);
	for (int i = 0; i < 2; i++) {
		const JsonNode *n = i ? hi : lo;
		if (n && (n->kind != JSON_NUMBER || strpbrk(str_z(sp->arena, n->text), "eE")))
			return cannot(sp, "a bound such as", n->text);
	}
	if (lo || hi)
		textbuf_made_fmt(sp->out, " %.*s..%.*s", STR_ARG(lo ? lo->text : (Str){ 0 }), STR_ARG(hi ? hi->text : (Str){ 0 }));
	return true;
}

static bool put_enum(Spell *sp, const JsonNode *s)
{
	const JsonNode *list = json_get(s, "enum");
	if (!only_keys(sp, s, "type enum ") || list->kind != JSON_ARRAY || !list->n)
		return cannot(sp, "enum", STR("enum"));
	put(sp, "enum(");
	for (uint32_t i = 0; i < list->n; i++) {
		const JsonNode *v = list->item[i];
		put(sp, i ? ", " : "");
		if (v->kind == JSON_NUMBER)
			textbuf_made(sp->out, v->text);
		else if (v->kind == JSON_STRING && is_one_line(v->text))
			put_string(sp, v->text);
		else
			return cannot(sp, "an enum value that is no text or number", STR("enum"));
	}
	put(sp, ")");
	return true;
}

static bool put_text(Spell *sp, const JsonNode *s)
{
	const JsonNode *pattern = json_get(s, "pattern");
	if (!only_keys(sp, s, pattern ? "type pattern " : "type minLength maxLength "))
		return false;
	put(sp, "text");
	if (!pattern)
		return put_range(sp, s, "minLength", "maxLength");
	if (pattern->kind != JSON_STRING || !is_one_line(pattern->text))
		return cannot(sp, "pattern", STR("pattern"));
	put(sp, " ~ ");
	put_string(sp, pattern->text);
	return true;
}

static bool put_type(Spell *sp, const JsonNode *s, int depth);

/* A type that no field's doc can describe. */
static bool put_inner(Spell *sp, const JsonNode *s, int depth)
{
	if (json_get(s, "description"))
		return cannot(sp, "below a field, a", STR("description"));
	return put_type(sp, s, depth + 1);
}

static bool put_list(Spell *sp, const JsonNode *s, int depth)
{
	const JsonNode *items = json_get(s, "items");
	if (!only_keys(sp, s, "type items minItems maxItems "))
		return false;
	if (!items)
		return cannot(sp, "a list without", STR("items"));
	put(sp, "[");
	if (!put_inner(sp, items, depth))
		return false;
	put(sp, "]");
	return put_range(sp, s, "minItems", "maxItems");
}

/* To a definition that is there and has a name of ours. */
static bool put_ref(Spell *sp, const JsonNode *s)
{
	Str ref = json_get_text(s, "$ref", (Str){ 0 }), name = str_starts(ref, STR("#/$defs/")) ? str_sub(ref, 8, ref.n) : (Str){ 0 };
	const JsonNode *defs = json_get(sp->root, "$defs");
	bool is_there = false;
	for (uint32_t i = 0; defs && defs->kind == JSON_OBJECT && i < defs->n; i++)
		is_there |= str_eq(defs->member[i].key->text, name);
	if (!only_keys(sp, s, "$ref ") || !is_there || !grammar_is_name(name))
		return cannot(sp, "$ref", ref);
	textbuf_made(sp->out, name);
	return true;
}

/* {"anyOf": [T, {"type": "null"}]}. */
static bool put_nullable(Spell *sp, const JsonNode *s, int depth)
{
	const JsonNode *any = json_get(s, "anyOf");
	if (!only_keys(sp, s, "anyOf ") || any->kind != JSON_ARRAY || any->n != 2)
		return cannot(sp, "keyword", STR("anyOf"));
	Str second = json_get_text(any->item[1], "type", (Str){ 0 });
	if (!str_is(second, "null") || any->item[1]->n != 1)
		return cannot(sp, "keyword", STR("anyOf"));
	if (!put_inner(sp, any->item[0], depth))
		return false;
	put(sp, " | null");
	return true;
}

static bool put_scalar(Spell *sp, const JsonNode *s, Str type, int depth)
{
	if (str_is(type, "string"))
		return put_text(sp, s);
	if (str_is(type, "array"))
		return put_list(sp, s, depth);
	if (str_is(type, "boolean"))
		return put(sp, "bool"), only_keys(sp, s, "type ");
	if (str_is(type, "integer") || str_is(type, "number")) {
		put(sp, str_is(type, "integer") ? "int" : "number");
		return only_keys(sp, s, "type minimum maximum ") && put_range(sp, s, "minimum", "maximum");
	}
	return cannot(sp, "type", type);
}

/* {"type": ["T", "null"]} */
static bool put_scalar_or_null(Spell *sp, const JsonNode *s, const JsonNode *types, int depth)
{
	if (types->n != 2 || types->item[0]->kind != JSON_STRING || !str_is(types->item[1]->text, "null"))
		return cannot(sp, "a list of types other than one and null under", STR("type"));
	if (!put_scalar(sp, s, types->item[0]->text, depth))
		return false;
	put(sp, " | null");
	return true;
}

/* An object that maps any name to one type. */
static bool put_map(Spell *sp, const JsonNode *s, int depth)
{
	const JsonNode *value = json_get(s, "additionalProperties");
	if (!only_keys(sp, s, "type additionalProperties ") || !value || value->kind != JSON_OBJECT)
		return cannot(sp, "an object inside a list or a map, without a name of its own", STR("properties"));
	put(sp, "map(");
	if (!put_inner(sp, value, depth))
		return false;
	put(sp, ")");
	return true;
}

/* A type on one line. */
static bool put_type(Spell *sp, const JsonNode *s, int depth)
{
	if (s->kind != JSON_OBJECT || depth > FRONT_DEPTH_MAX)
		return cannot(sp, "a schema that is", s->kind == JSON_BOOL ? STR("true or false") : STR("nested too deeply"));
	if (!s->n || (s->n == 1 && json_get(s, "description")))
		return put(sp, "json"), true;
	if (json_get(s, "$ref"))
		return put_ref(sp, s);
	if (json_get(s, "enum"))
		return put_enum(sp, s);
	if (json_get(s, "anyOf"))
		return put_nullable(sp, s, depth);
	const JsonNode *type = json_get(s, "type");
	if (type && type->kind == JSON_ARRAY)
		return put_scalar_or_null(sp, s, type, depth);
	if (!type || type->kind != JSON_STRING)
		return cannot(sp, "a schema without one", STR("type"));
	if (str_is(type->text, "object"))
		return put_map(sp, s, depth);
	return put_scalar(sp, s, type->text, depth);
}

static bool is_required(const JsonNode *object, Str name)
{
	const JsonNode *list = json_get(object, "required");
	for (uint32_t i = 0; list && list->kind == JSON_ARRAY && i < list->n; i++)
		if (str_eq(list->item[i]->text, name))
			return true;
	return false;
}

/* `x?:` says which of the fields may be absent, and nothing about names that are no field. */
static bool requires_only_fields(Spell *sp, const JsonNode *object)
{
	const JsonNode *list = json_get(object, "required"), *properties = json_get(object, "properties");
	for (uint32_t i = 0; list && list->kind == JSON_ARRAY && i < list->n; i++)
		if (!json_find(properties, list->item[i]->text))
			return cannot(sp, "a required name that is no property,", list->item[i]->text);
	return true;
}

static bool is_object_with_fields(const JsonNode *s)
{
	return s->kind == JSON_OBJECT && str_is(json_get_text(s, "type", (Str){ 0 }), "object") && json_get(s, "properties");
}

static bool put_doc(Spell *sp, const JsonNode *s)
{
	const JsonNode *doc = json_get(s, "description");
	if (!doc || doc->kind != JSON_STRING)
		return true;
	if (!is_one_line(doc->text))
		return cannot(sp, "a description of several lines", STR("description"));
	put(sp, " ");
	put_string(sp, doc->text);
	return true;
}

/* The fields of a closed object, one a line, nested ones deeper. Recursion ends at FRONT_DEPTH_MAX. */
static bool put_fields(Spell *sp, const JsonNode *s, int depth)
{
	static const char spaces[] = "                                                                "
	                             "                                                                ";
	const JsonNode *properties = json_get(s, "properties"), *more = json_get(s, "additionalProperties");
	if (!only_keys(sp, s, "type properties required additionalProperties "))
		return false;
	if (!more || more->kind != JSON_BOOL || more->truth)
		return cannot(sp, "an object that is open: it has no `false` under", STR("additionalProperties"));
	if (properties->kind != JSON_OBJECT || !properties->n || depth >= FRONT_DEPTH_MAX)
		return cannot(sp, "an object without", STR("properties"));
	if (!requires_only_fields(sp, s))
		return false;
	for (uint32_t i = 0; i < properties->n; i++) {
		Str name = properties->member[i].key->text;
		const JsonNode *v = properties->member[i].value;
		textbuf_made(sp->out, (Str){ spaces, (size_t)depth * 2 });
		if (grammar_is_name(name))
			textbuf_made(sp->out, name);
		else if (is_one_line(name))
			put_string(sp, name);
		else
			return cannot(sp, "a name of several lines", name);
		put(sp, is_required(s, name) ? ":" : "?:");
		bool nested = is_object_with_fields(v);
		put(sp, nested ? "" : " ");
		if ((!nested && !put_type(sp, v, depth)) || !put_doc(sp, v))
			return false;
		put(sp, "\n");
		if (nested && !put_fields(sp, v, depth + 1))
			return false;
	}
	return true;
}

static bool put_schema(Spell *sp, Str name, const JsonNode *s)
{
	if (!grammar_is_name(name))
		return cannot(sp, "the name", name);
	if (!is_object_with_fields(s))
		return cannot(sp, "a top schema that is no object with", STR("properties"));
	textbuf_made_fmt(sp->out, "schema %.*s", STR_ARG(name));
	if (!put_doc(sp, s))
		return false;
	put(sp, ":\n");
	return put_fields(sp, s, 1);
}

static bool put_all(Spell *sp, Str name)
{
	const JsonNode *defs = json_get(sp->root, "$defs");
	for (uint32_t i = 0; defs && defs->kind == JSON_OBJECT && i < defs->n; i++) {
		if (str_eq(defs->member[i].key->text, name))
			return cannot(sp, "a definition with the name of the whole,", name);
		if (!put_schema(sp, defs->member[i].key->text, defs->member[i].value))
			return false;
		put(sp, "\n");
	}
	return put_schema(sp, name, sp->root);
}

bool import_fields(Compiler *c, const JsonNode *schema, TextBuf *out, SpellFault *why)
{
	*why = (SpellFault){ "parameters that are no plain object with", STR("properties") };
	if (!is_object_with_fields(schema) || json_get(schema, "$defs"))
		return false;
	Spell sp = { .arena = &c->arena, .out = out, .root = schema };
	if (put_fields(&sp, schema, 1))
		return true;
	*why = sp.fault;
	out->bytes.n = 0;
	return false;
}

bool import_declarations(Compiler *c, Str name, const JsonNode *schema, TextBuf *out, SpellFault *why)
{
	Spell sp = { .arena = &c->arena, .out = out, .root = schema };
	size_t before = out->bytes.n;
	if (put_all(&sp, name))
		return true;
	*why = sp.fault;
	out->bytes.n = before;
	return false;
}

void import_put_fault(TextBuf *out, const SpellFault *why)
{
	/* What is in the file must not get out of the comment. */
	Str at = is_one_line(why->at) ? why->at : STR("…");
	textbuf_made_fmt(out, "# The language cannot spell this: %s `%.*s`.\n", why->reason, STR_ARG(at));
}

bool import_is_schema(Str bytes)
{
	static const char *const marks[] = { "$schema", "properties", "$defs", "anyOf", "oneOf", "allOf", "enum", "$ref" };
	Arena a = { 0 };
	JsonDoc doc;
	bool yes = false;
	if (keys_of_json(bytes) != TOP_BODY && bytes.n < UINT32_MAX && json_read(&a, bytes, 0, &doc)) {
		for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
			yes |= json_get(doc.root, marks[i]) != NULL;
		yes |= json_get_text(doc.root, "type", (Str){ 0 }).n > 0;
	}
	arena_free(&a);
	return yes;
}

/* `Verdict` from the title, else from the file's name. */
static Str schema_name(Arena *a, const Source *src, const JsonNode *root)
{
	Str title = json_get_text(root, "title", (Str){ 0 });
	if (grammar_is_name(title))
		return title;
	size_t lo = src->name.n;
	while (lo && src->name.p[lo - 1] != '/')
		lo--;
	Str stem = str_sub(src->name, lo, src->name.n);
	stem = str_dup(a, str_sub(stem, 0, str_find(stem, STR("."), 0)));
	char *p = arena_dup(a, stem.p, stem.n);
	for (size_t i = 0; i < stem.n; i++)
		if (!(p[i] & 0x80) && !(p[i] >= '0' && p[i] <= '9') && !(p[i] >= 'a' && p[i] <= 'z') && !(p[i] >= 'A' && p[i] <= 'Z'))
			p[i] = '_';
	Str name = { p, stem.n };
	return grammar_is_name(name) ? name : STR("Schema");
}

static Str file_name(Str path)
{
	size_t lo = path.n;
	while (lo && path.p[lo - 1] != '/')
		lo--;
	return str_sub(path, lo, path.n);
}

bool import_schema(Compiler *c, Source *src, TextBuf *out)
{
	JsonDoc doc;
	if (!json_read(&c->arena, src->text, src->base, &doc) || doc.n_dup) {
		diag_add(&c->diags, doc.n_dup ? SD051 : SD055, front_span(src, 0, 0), "not a schema: %.*s",
		         STR_ARG(doc.n_dup ? STR("a key stands twice") : doc.err.message));
		return false;
	}
	Str name = schema_name(&c->arena, src, doc.root);
	SpellFault why;
	if (import_declarations(c, name, doc.root, out, &why))
		return true;
	import_put_fault(out, &why);
	textbuf_made_fmt(out, "schema %.*s from ", STR_ARG(name));
	sd_put_string(out, &(Text){ .s = file_name(src->name) });
	textbuf_made(out, STR("\n"));
	return true;
}
