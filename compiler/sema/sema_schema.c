/*
 * Schemas and tools: fields to object types, then types to schema nodes. All schemas of a prompt are
 * named, then filled, then settled; an imported JSON Schema is read as it is.
 */
#include "compiler/sema/build.h"
#include "compiler/sema/types.h"

static const Type *field_type(Build *b, Prompt *p, const Node *field)
{
	const Node *fields = node_kid(field, N_FIELDS);
	for (const Node *k = field->first; k; k = k->next) {
		if (!node_is_type(k))
			continue;
		if (fields) {
			Diag *g = diag_add(b->d, SD310, fields->span, "field `%.*s` has a type and fields of its own", STR_ARG(field->name));
			diag_label(b->d, g, k->span, "the type");
			diag_help(b->d, g, "keep one of them; a list of such fields is a list of a schema: `[Item]`");
		}
		return build_type(b, p, k);
	}
	if (fields)
		return build_type(b, p, fields);
	if (!(field->flags & NF_BAD)) {
		Diag *g = diag_add(b->d, SD304, field->name_span, "field `%.*s` has no type", STR_ARG(field->name));
		diag_help(b->d, g, "write `%.*s: text`, or indent its fields below it", STR_ARG(field->name));
	}
	return NULL;
}

static bool is_word(Str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		bool letter = c >= 0x80 || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		if (!letter && !(i && c >= '0' && c <= '9'))
			return false;
	}
	return s.n > 0;
}

static void spell_fields(Build *b, Type *t)
{
	Buf out = { 0 };
	buf_byte(&out, '{');
	for (uint32_t i = 0; i < t->field.n; i++) {
		const TypeField *f = &t->field.v[i];
		if (i)
			buf_lit(&out, ", ");
		const char *quote = is_word(f->name) ? "" : "\"";
		buf_printf(&out, "%s%.*s%s%s: ", quote, STR_ARG(f->name), quote, f->is_optional ? "?" : "");
		buf_put(&out, f->type ? f->type->spelled : STR("json"));
	}
	buf_byte(&out, '}');
	t->spelled = str_dup(b->a, buf_str(&out));
	buf_free(&out);
}

void types_fields(Build *b, Prompt *p, Type *t, const Node *fields)
{
	Map seen = { 0 };
	for (Node *k = fields->first; k; k = k->next) {
		if (k->kind != N_FIELD)
			continue;
		const Node *old = map_add(b->a, &seen, k->name, k), *doc = node_kid(k, N_DOC);
		if (old) {
			Diag *g = diag_add(b->d, SD202, k->name_span, "field `%.*s` is declared twice", STR_ARG(k->name));
			diag_label(b->d, g, old->name_span, "first declared here");
			continue;
		}
		TypeField f = { .name = k->name, .type = field_type(b, p, k), .decl = k };
		f.is_optional = k->flags & NF_OPTIONAL;
		f.doc = doc ? doc->name : (Str){ 0 };
		vec_push(b->a, &t->field, f);
		t->holds_text |= f.type && f.type->holds_text;
	}
	if (!t->schema_name.n)
		spell_fields(b, t);
}

const Schema *types_add_schema(Build *b, Prompt *p, Str name, const Node *decl)
{
	const Node *doc = node_kid(decl, N_DOC);
	Schema *s = vec_add(b->a, &p->schema);
	s->name = name;
	s->decl = decl;
	s->doc = doc ? doc->name : (Str){ 0 };
	s->type = arena_new(b->a, Type);
	s->type->kind = INPUT_OBJECT;
	s->type->schema_name = s->type->spelled = name;
	s->type->n_value = 1;
	s->type->schema = s->node = schema_new_object(b->a);
	s->node->name = name;
	s->node->lo = decl->span.lo;
	s->node->hi = decl->span.hi;
	build_symbol(b, p, name, SYM_SCHEMA, p->schema.n - 1, decl);
	return s;
}

static SchemaNode *import(Build *b, const Node *decl)
{
	Str bytes, shown = { 0 };
	const Node *json = node_kid(decl, N_JSON);
	if (json)
		return types_import(b, decl, json->name, shown);
	Span at = decl->aux_span.hi ? decl->aux_span : decl->span;
	return build_read(b, at, decl->aux, &bytes, &shown) ? types_import(b, decl, bytes, shown) : NULL;
}

/* The shell that references point to becomes the imported schema. */
static void fill_imported(Build *b, Schema *s)
{
	SchemaNode *got = import(b, s->decl);
	if (!got)
		got = schema_new(b->a);
	Str doc = s->doc, name = s->name;
	*s->node = *got;
	s->node->name = name;
	if (doc.n)
		schema_set_doc(s->node, doc);
	types_of_schema(b, s->type, s->node, TYPES_IMPORT_DEPTH);
}

static void fill(Build *b, Prompt *p, uint32_t i)
{
	const Node *decl = p->schema.v[i].decl, *fields = node_kid(decl, N_FIELDS);
	if (!fields) {
		fill_imported(b, &p->schema.v[i]);
		return;
	}
	types_fields(b, p, p->schema.v[i].type, fields);
	const Schema *s = &p->schema.v[i];
	if (s->doc.n)
		schema_set_doc(s->node, s->doc);
	types_add_fields(b, s->node, s->type);
}

static bool settle(Type *t, uint32_t depth)
{
	bool before = t->holds_text;
	if (t->item && !t->item->schema_name.n && depth)
		settle((Type *)t->item, depth - 1);
	t->holds_text |= t->item && t->item->holds_text;
	for (uint32_t i = 0; i < t->field.n; i++) {
		Type *f = (Type *)t->field.v[i].type;
		if (f && !f->schema_name.n && depth)
			settle(f, depth - 1);
		t->holds_text |= f && f->holds_text;
	}
	for (uint32_t i = 0; i < t->alt.n; i++) {
		Type *alt = (Type *)t->alt.v[i];
		if (!alt->schema_name.n && depth)
			settle(alt, depth - 1);
		t->holds_text |= alt->holds_text;
	}
	return t->holds_text != before;
}

/* Both directions in turn: a chain of schemas settles in a pass or two, whichever way it points. */
static void settle_all(Prompt *p)
{
	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t i = 0; i < p->schema.n; i++)
			moved |= settle(p->schema.v[i].type, 128);
		for (uint32_t i = p->schema.n; i > 0; i--)
			moved |= settle(p->schema.v[i - 1].type, 128);
	}
}

void build_schemas(Build *b, Prompt *p)
{
	for (uint32_t i = 0; i < p->decls.n; i++)
		if (p->decls.v[i].node->kind == N_SCHEMA)
			types_add_schema(b, p, p->decls.v[i].name, p->decls.v[i].node);
	for (uint32_t i = 0; i < p->schema.n; i++) /* grows while it runs */
		fill(b, p, i);
	settle_all(p);
}

void build_tools(Build *b, Prompt *p)
{
	for (uint32_t i = 0; i < p->decls.n; i++) {
		const Node *n = p->decls.v[i].node, *doc = node_kid(n, N_DOC), *fields = node_kid(n, N_FIELDS);
		if (n->kind != N_TOOL)
			continue;
		Tool *t = vec_add(b->a, &p->tool);
		*t = (Tool){ .name = p->decls.v[i].name, .doc = doc ? doc->name : (Str){ 0 }, .decl = n };
		Type *params = arena_new(b->a, Type);
		params->kind = INPUT_OBJECT;
		params->n_value = 1;
		t->type = params;
		if (node_kid(n, N_JSON)) {
			SchemaNode *got = types_import(b, n, node_kid(n, N_JSON)->name, (Str){ 0 });
			t->params = got ? got : schema_new_object(b->a);
			types_of_schema(b, params, t->params, TYPES_IMPORT_DEPTH);
			continue;
		}
		t->params = schema_new_object(b->a);
		if (fields)
			types_fields(b, p, params, fields);
		types_add_fields(b, p->tool.v[p->tool.n - 1].params, params);
	}
}
