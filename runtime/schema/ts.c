/* SchemaNode -> TypeScript-like text, as a person would sketch the reply for a model:
 *
 *	{
 *	  // how bad for the customer
 *	  severity: "low" | "high" | "critical",
 *	  owner?: string, // 1 to 80 characters
 *	  quotes: Quote[], // 1 to 3 items
 *	}
 *
 *	type Quote = {
 *	  …
 *	}
 *
 * Types are a single expression with notes beside it: what TypeScript has no syntax for goes into the
 * comment at the end of the field's line ("each …" for items). A schema that is referred to is a named
 * type after the expression, in order of first use; the root is one too if it is referred to. */
#include "runtime/base/map.h"
#include "runtime/base/utf8.h"
#include "runtime/schema/describe.h"
#include "runtime/schema/node.h"

typedef struct NamedType {
	const SchemaNode *node;
	Str name;
} NamedType;

typedef struct Writer {
	Arena scratch;
	Buf *b;
	Buf note;         /* of the field being written */
	Buf prefix;       /* "each " …: whose rule the next note is */
	uint32_t indent, depth;
	VEC(NamedType) type;
	PairMap name_of;  /* node -> NamedType's name (Str *) */
	Map taken;
} Writer;

static void put_expression(Writer *w, const SchemaNode *s);

/* ---- names ---- */

static bool is_identifier(Str s)
{
	uint32_t cp;
	for (size_t at = 0; at < s.n;) {
		size_t from = at;
		at += utf8_decode(s, at, &cp);
		if (cp != '_' && cp != '$' && !(from ? utf8_is_xid_continue(cp) : utf8_is_xid_start(cp)))
			return false;
	}
	return s.n > 0;
}

static Str identifier_from(Writer *w, Str s)
{
	Buf b = { 0 };
	uint32_t cp;
	for (size_t at = 0, from = 0; at < s.n; from = at) {
		at += utf8_decode(s, at, &cp);
		if (cp == '_' || (b.n ? utf8_is_xid_continue(cp) : utf8_is_xid_start(cp)))
			buf_put(&b, str_sub(s, from, at));
		else if (b.n)
			buf_byte(&b, '_');
	}
	Str out = b.n ? str_dup(&w->scratch, buf_str(&b)) : STR("Root");
	buf_free(&b);
	return out;
}

static Str name_wanted(const SchemaNode *ref, const SchemaNode *target)
{
	if (target->name.p)
		return target->name;
	for (size_t i = ref->ref.n; i-- > 0;)
		if (ref->ref.p[i] == '/' || ref->ref.p[i] == '#')
			return str_sub(ref->ref, i + 1, ref->ref.n);
	return ref->ref;
}

static Str type_name(Writer *w, const SchemaNode *target, Str wanted)
{
	Str *known = pair_get(&w->name_of, target, NULL);
	if (known)
		return *known;
	Str base = identifier_from(w, wanted), name = base;
	for (int i = 2; map_get(&w->taken, name); i++)
		name = str_fmt(&w->scratch, "%.*s%d", STR_ARG(base), i);
	Str *kept = arena_dup(&w->scratch, &name, sizeof name);
	map_set(&w->scratch, &w->taken, name, kept);
	pair_set(&w->scratch, &w->name_of, target, NULL, kept);
	vec_push(&w->scratch, &w->type, (NamedType){ target, name });
	return name;
}

/* ---- notes ---- */

static void put_note(Writer *w, const SchemaNode *s, uint64_t keywords)
{
	Buf words = { 0 };
	schema_describe(&words, s, keywords);
	if (words.n) {
		if (w->note.n)
			buf_lit(&w->note, "; ");
		buf_put(&w->note, buf_str(&w->prefix));
		buf_put(&w->note, buf_str(&words));
	}
	buf_free(&words);
}

static void put_in_context(Writer *w, const SchemaNode *s, const char *prefix)
{
	size_t n = w->prefix.n;
	buf_putz(&w->prefix, prefix);
	put_expression(w, s);
	w->prefix.n = n;
}

/* ---- objects ---- */

static void put_indent(Writer *w)
{
	buf_fill(w->b, ' ', 2 * (size_t)w->indent);
}

static void put_doc(Writer *w, const SchemaNode *s)
{
	Str rest = s->text[TEXT_DESCRIPTION], line;
	while (str_line(&rest, &line)) {
		put_indent(w);
		buf_lit(w->b, "//");
		if (str_trim(line).n) {
			buf_byte(w->b, ' ');
			buf_put(w->b, str_trim(line));
		}
		buf_byte(w->b, '\n');
	}
}

/* "name: T, // note" with the doc above; the notes of a field are its own. */
static void put_field(Writer *w, Str label, const SchemaNode *s)
{
	Buf note = w->note, prefix = w->prefix;
	w->note = w->prefix = (Buf){ 0 };
	put_doc(w, s);
	put_indent(w);
	buf_put(w->b, label);
	buf_lit(w->b, ": ");
	put_expression(w, s);
	buf_byte(w->b, ',');
	put_note(w, s, KW_BIT(DEFAULT) | KW_BIT(EXAMPLES));
	if (w->note.n) {
		buf_lit(w->b, " // ");
		buf_put(w->b, buf_str(&w->note));
	}
	buf_byte(w->b, '\n');
	buf_free(&w->note);
	buf_free(&w->prefix);
	w->note = note;
	w->prefix = prefix;
}

static Str field_label(Writer *w, const SchemaNode *object, Str name)
{
	Buf b = { 0 };
	if (is_identifier(name))
		buf_put(&b, name);
	else
		buf_json_str(&b, name);
	if (!schema_is_required(object, name))
		buf_byte(&b, '?');
	Str label = str_dup(&w->scratch, buf_str(&b));
	buf_free(&b);
	return label;
}

static void put_object(Writer *w, const SchemaNode *s)
{
	const SchemaNode *more = s->sub[SUB_ADDITIONAL];
	bool has_more = more && more->kind != SCHEMA_FALSE;
	uint32_t n = s->map[MAP_PROPERTIES].n, n_pattern = s->map[MAP_PATTERN_PROPERTIES].n;
	if (!n && !n_pattern && (!has_more || !schema_has(more, KW_DESCRIPTION))) {
		buf_putz(w->b, !more ? "object" : has_more ? "{ [name: string]: " : "{}");
		if (has_more) {
			put_in_context(w, more, "each value ");
			buf_lit(w->b, " }");
		}
		return;
	}
	buf_lit(w->b, "{\n");
	w->indent++;
	for (uint32_t i = 0; i < n; i++) {
		const SchemaEntry *e = &s->map[MAP_PROPERTIES].v[i];
		put_field(w, field_label(w, s, e->name), e->schema);
	}
	for (uint32_t i = 0; i < n_pattern; i++) {
		const SchemaEntry *e = &s->map[MAP_PATTERN_PROPERTIES].v[i];
		Buf label = { 0 };
		buf_lit(&label, "[name: /");
		schema_put_line(&label, e->name);
		buf_lit(&label, "/]");
		put_field(w, buf_str(&label), e->schema);
		buf_free(&label);
	}
	if (has_more)
		put_field(w, STR("[name: string]"), more);
	w->indent--;
	put_indent(w);
	buf_byte(w->b, '}');
}

/* ---- arrays and scalars ---- */

static bool is_union(const SchemaNode *s)
{
	unsigned types = s->types;
	if (schema_has(s, KW_REF) || schema_has(s, KW_CONST))
		return false;
	if (schema_has(s, KW_ENUM))
		return s->enum_value.n > 1;
	if (schema_has(s, KW_ANY_OF) || schema_has(s, KW_ONE_OF) || schema_has(s, KW_ALL_OF))
		return true;
	return (types & (types - 1)) != 0;
}

static void put_items(Writer *w, const SchemaNode *s)
{
	const SchemaNode *item = s->sub[SUB_ITEMS];
	uint32_t n_prefix = s->list[LIST_PREFIX_ITEMS].n;
	if (n_prefix) {
		buf_byte(w->b, '[');
		for (uint32_t i = 0; i < n_prefix; i++) {
			buf_putz(w->b, i ? ", " : "");
			put_in_context(w, s->list[LIST_PREFIX_ITEMS].v[i], str_z(&w->scratch, str_fmt(&w->scratch, "item %u: ", i + 1)));
		}
		if (item && item->kind != SCHEMA_FALSE) {
			buf_lit(w->b, ", ...");
			put_in_context(w, item, "each other item ");
			buf_lit(w->b, "[]");
		}
		buf_byte(w->b, ']');
		return;
	}
	bool wrap = item && is_union(item);
	buf_putz(w->b, wrap ? "(" : "");
	if (item)
		put_in_context(w, item, "each ");
	else
		buf_lit(w->b, "any");
	buf_putz(w->b, wrap ? ")[]" : "[]");
}

static void put_type(Writer *w, const SchemaNode *s, SchemaType t)
{
	static const uint64_t string_rules = KW_BIT(MIN_LENGTH) | KW_BIT(MAX_LENGTH) | KW_BIT(PATTERN) | KW_BIT(FORMAT);
	static const uint64_t number_rules = KW_BIT(MINIMUM) | KW_BIT(MAXIMUM) | KW_BIT(EXCLUSIVE_MINIMUM)
		| KW_BIT(EXCLUSIVE_MAXIMUM) | KW_BIT(MULTIPLE_OF);
	static const uint64_t array_rules = KW_BIT(MIN_ITEMS) | KW_BIT(MAX_ITEMS) | KW_BIT(UNIQUE_ITEMS) | KW_BIT(CONTAINS)
		| KW_BIT(MIN_CONTAINS) | KW_BIT(MAX_CONTAINS);
	static const uint64_t object_rules = KW_BIT(MIN_PROPERTIES) | KW_BIT(MAX_PROPERTIES) | KW_BIT(PROPERTY_NAMES)
		| KW_BIT(DEPENDENT_REQUIRED) | KW_BIT(DEPENDENT_SCHEMAS);
	switch (t) {
	case SCHEMA_NULL: buf_lit(w->b, "null"); break;
	case SCHEMA_BOOLEAN: buf_lit(w->b, "boolean"); break;
	case SCHEMA_INTEGER:
		buf_lit(w->b, "int");
		put_note(w, s, number_rules);
		break;
	case SCHEMA_NUMBER:
		buf_lit(w->b, "number");
		put_note(w, s, number_rules);
		break;
	case SCHEMA_STRING:
		buf_lit(w->b, "string");
		put_note(w, s, string_rules);
		break;
	case SCHEMA_ARRAY:
		put_note(w, s, array_rules);
		put_items(w, s);
		break;
	case SCHEMA_OBJECT:
		put_note(w, s, object_rules);
		put_object(w, s);
		break;
	}
}

/* ---- expressions ---- */

static void put_values(Writer *w, JsonNode *const *value, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		buf_putz(w->b, i ? " | " : "");
		json_write(w->b, value[i], JSON_AS_IS);
	}
	if (!n)
		buf_lit(w->b, "never");
}

static void put_list(Writer *w, const SchemaNode *s, int list, const char *glue)
{
	for (uint32_t i = 0; i < s->list[list].n; i++) {
		const SchemaNode *kid = s->list[list].v[i];
		bool wrap = glue[1] == '&' && is_union(kid);
		buf_putz(w->b, i ? glue : "");
		buf_putz(w->b, wrap ? "(" : "");
		put_expression(w, kid);
		buf_putz(w->b, wrap ? ")" : "");
	}
}

/* The types that keywords speak about, for a schema that does not say `type`. */
static unsigned implied_types(const SchemaNode *s)
{
	unsigned t = 0;
	if (s->present & (KW_BIT(PROPERTIES) | KW_BIT(PATTERN_PROPERTIES) | KW_BIT(REQUIRED) | KW_BIT(ADDITIONAL)))
		t |= SCHEMA_OBJECT;
	if (s->present & (KW_BIT(ITEMS) | KW_BIT(PREFIX_ITEMS)))
		t |= SCHEMA_ARRAY;
	return t;
}

static void put_types(Writer *w, const SchemaNode *s, unsigned types)
{
	bool first = true;
	for (unsigned t = SCHEMA_BOOLEAN; t <= SCHEMA_OBJECT; t <<= 1) {
		if (!(types & t) || (t == SCHEMA_INTEGER && (types & SCHEMA_NUMBER)))
			continue;
		buf_putz(w->b, first ? "" : " | ");
		put_type(w, s, (SchemaType)t);
		first = false;
	}
	if (types & SCHEMA_NULL)
		buf_putz(w->b, first ? "null" : " | null");
}

static void put_rules(Writer *w, const SchemaNode *s)
{
	const uint64_t spoken = KW_BIT(NOT) | KW_BIT(IF) | KW_BIT(THEN) | KW_BIT(ELSE);
	const uint64_t lists = KW_BIT(ANY_OF) | KW_BIT(ONE_OF) | KW_BIT(ALL_OF);
	const char *glue = "";
	unsigned types = schema_has(s, KW_TYPE) ? s->types : implied_types(s);
	if (s->target) {
		buf_put(w->b, type_name(w, s->target, name_wanted(s, s->target)));
		glue = " & ";
	}
	if (schema_has(s, KW_CONST) || schema_has(s, KW_ENUM)) {
		buf_putz(w->b, glue);
		glue = " & ";
		if (schema_has(s, KW_CONST))
			json_write(w->b, s->value[VALUE_CONST], JSON_AS_IS);
		else
			put_values(w, s->enum_value.v, s->enum_value.n);
	} else if (types && !((s->present & lists) && types == SCHEMA_OBJECT && !(s->present & KW_BIT(PROPERTIES)))) {
		buf_putz(w->b, glue);
		glue = " & ";
		put_types(w, s, types);
	}
	for (int list = LIST_ANY_OF; list <= LIST_ALL_OF; list++) {
		if (!s->list[list].n)
			continue;
		bool wrap = *glue && list != LIST_ALL_OF;
		buf_putz(w->b, glue);
		glue = " & ";
		buf_putz(w->b, wrap ? "(" : "");
		put_list(w, s, list, list == LIST_ALL_OF ? " & " : " | ");
		buf_putz(w->b, wrap ? ")" : "");
	}
	if (!*glue)
		buf_lit(w->b, "any");
	put_note(w, s, spoken);
}

static void put_expression(Writer *w, const SchemaNode *s)
{
	if (s->kind != SCHEMA_RULES || w->depth == SCHEMA_DEPTH_MAX) {
		buf_putz(w->b, s->kind == SCHEMA_FALSE ? "never" : "any");
		return;
	}
	w->depth++;
	put_rules(w, s);
	w->depth--;
}

/* A whole type: doc, what stands before it, the expression, its notes. */
static void put_whole(Writer *w, Str before, const SchemaNode *s)
{
	w->note.n = 0;
	put_doc(w, s);
	buf_put(w->b, before);
	put_expression(w, s);
	put_note(w, s, KW_BIT(DEFAULT) | KW_BIT(EXAMPLES));
	if (w->note.n) {
		buf_lit(w->b, " // ");
		buf_put(w->b, buf_str(&w->note));
	}
}

/* Does some $ref that root leads to lead back to root? */
static bool is_referred_to(Writer *w, const SchemaNode *root)
{
	SchemaNodes todo = { 0 };
	PairMap seen = { 0 };
	vec_push(&w->scratch, &todo, root);
	for (uint32_t i = 0; i < todo.n; i++) {
		const SchemaNode *s = todo.v[i];
		if (s->target == root)
			return true;
		if (pair_get(&seen, s, NULL))
			continue;
		pair_set(&w->scratch, &seen, s, NULL, w);
		schema_all_kids(&w->scratch, s, &todo);
	}
	return false;
}

void schema_write_ts(Buf *b, const SchemaNode *root)
{
	Writer w = { .b = b };
	if (is_referred_to(&w, root))
		buf_put(b, type_name(&w, root, root->name));
	else
		put_whole(&w, STR(""), root);
	for (uint32_t i = 0; i < w.type.n; i++) {
		buf_lit(b, "\n\n");
		put_whole(&w, str_fmt(&w.scratch, "type %.*s = ", STR_ARG(w.type.v[i].name)), w.type.v[i].node);
	}
	buf_free(&w.note);
	buf_free(&w.prefix);
	arena_free(&w.scratch);
}
