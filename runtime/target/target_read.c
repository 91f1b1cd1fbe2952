/*
 * Reads one file of profiles. A family's fields fill a base; each model is a copy of it with its own
 * on top. Both levels read the same table of fields.
 */
#include "runtime/target/target_read.h"

#include "runtime/render/render.h"

typedef struct Loader {
	TargetTable *table;
	TargetList *into;
	Str file;
	TargetError *err;
	bool failed;
} Loader;

static bool fail(Loader *l, const JsonNode *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static bool fail(Loader *l, const JsonNode *at, const char *fmt, ...)
{
	if (l->failed)
		return false;
	va_list ap;
	va_start(ap, fmt);
	l->err->message = str_vfmt(l->table->arena, fmt, ap);
	va_end(ap);
	l->err->file = l->file;
	l->err->offset = at ? at->lo : 0;
	l->failed = true;
	return false;
}

/* ---- values of one kind ---------------------------------------------------------------------- */

static bool want(Loader *l, const JsonNode *key, const JsonNode *x, JsonKind kind)
{
	if (x->kind == kind)
		return true;
	return fail(l, x, "`%.*s` is a JSON %s, not a %s", STR_ARG(key->text), json_kind_name(kind), json_kind_name(x->kind));
}

static void read_str(Loader *l, const JsonNode *key, const JsonNode *x, Str *out)
{
	if (want(l, key, x, JSON_STRING))
		*out = x->text;
}

static void read_bool(Loader *l, const JsonNode *key, const JsonNode *x, bool *out)
{
	if (want(l, key, x, JSON_BOOL))
		*out = x->truth;
}

static void read_count(Loader *l, const JsonNode *key, const JsonNode *x, uint32_t *out)
{
	if (!json_to_count(x, out))
		fail(l, x, "`%.*s` is a whole number >= 0", STR_ARG(key->text));
}

static void read_number(Loader *l, const JsonNode *key, const JsonNode *x, Str *out)
{
	if (want(l, key, x, JSON_NUMBER))
		*out = x->text;
}

/* The index of x among the names; the first on error. */
static int read_word(Loader *l, const JsonNode *key, const JsonNode *x, const char *const *names, int n)
{
	Buf all = { 0 };
	if (!want(l, key, x, JSON_STRING))
		return 0;
	for (int i = 0; i < n; i++)
		if (str_is(x->text, names[i]))
			return i;
	for (int i = 0; i < n; i++)
		buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
	fail(l, x, "`%.*s` is one of %.*s", STR_ARG(key->text), STR_ARG(buf_str(&all)));
	buf_free(&all);
	return 0;
}

/* ---- parts of a profile ---------------------------------------------------------------------- */

typedef void ReadFn(Loader *l, Target *t, const JsonNode *key, const JsonNode *x);

static void unknown_key(Loader *l, const JsonNode *key)
{
	fail(l, key, "unknown key `%.*s`", STR_ARG(key->text));
}

static void read_roles(Loader *l, Target *t, const JsonNode *key, const JsonNode *x)
{
	t->roles = 0;
	if (!want(l, key, x, JSON_ARRAY))
		return;
	for (uint32_t i = 0; i < x->n; i++) {
		Role r = role_find(x->item[i]->text);
		if (x->item[i]->kind != JSON_STRING || r == ROLE_COUNT)
			fail(l, x->item[i], "unknown role");
		else
			t->roles |= 1u << r;
	}
}

static void read_cache(Loader *l, Target *t, const JsonNode *key, const JsonNode *x)
{
	static const char *const kinds[] = { "none", "implicit", "prompt_cache_key", "cache_control" };
	TargetCache *c = &t->cache;
	if (!want(l, key, x, JSON_OBJECT))
		return;
	for (uint32_t i = 0; i < x->n; i++) {
		const JsonNode *k = x->member[i].key, *v = x->member[i].value;
		if (str_is(k->text, "kind"))
			c->kind = (CacheKind)read_word(l, k, v, kinds, CACHE_KIND_COUNT);
		else if (str_is(k->text, "min_tok"))
			read_count(l, k, v, &c->min_tok);
		else if (str_is(k->text, "max_breakpoints"))
			read_count(l, k, v, &c->max_breakpoints);
		else if (str_is(k->text, "lookback_blocks"))
			read_count(l, k, v, &c->lookback_blocks);
		else if (!str_is(k->text, "ttl_s"))
			unknown_key(l, k);
		else if (want(l, k, v, JSON_ARRAY))
			for (uint32_t j = 0; j < v->n; j++)
				read_count(l, k, v->item[j], vec_add(l->table->arena, &c->ttl_s));
	}
}

static void read_reply(Loader *l, Target *t, const JsonNode *key, const JsonNode *x)
{
	static const char *const kinds[] = { "none", "json_object", "json_schema", "output_config", "response_json_schema" };
	if (!want(l, key, x, JSON_OBJECT))
		return;
	for (uint32_t i = 0; i < x->n; i++) {
		const JsonNode *k = x->member[i].key, *v = x->member[i].value;
		if (str_is(k->text, "native"))
			t->native = (NativeReply)read_word(l, k, v, kinds, NATIVE_REPLY_COUNT);
		else if (str_is(k->text, "strict_tools"))
			read_bool(l, k, v, &t->strict_tools);
		else
			unknown_key(l, k);
	}
}

static void read_prices(Loader *l, Target *t, const JsonNode *key, const JsonNode *x)
{
	static const char *const names[] = { "input", "output", "cache_read", "cache_write", "cache_write_1h" };
	Str *const at[] = { &t->prices.input, &t->prices.output, &t->prices.cache_read, &t->prices.cache_write,
	                    &t->prices.cache_write_1h };
	if (!want(l, key, x, JSON_OBJECT))
		return;
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t j = 0;
		while (j < 5 && !str_is(x->member[i].key->text, names[j]))
			j++;
		if (j == 5)
			unknown_key(l, x->member[i].key);
		else
			read_number(l, x->member[i].key, x->member[i].value, at[j]);
	}
}

static void read_set(Loader *l, Target *t, const JsonNode *key, const JsonNode *x)
{
	memset(&t->set, 0, sizeof t->set);
	if (!want(l, key, x, JSON_OBJECT))
		return;
	for (uint32_t i = 0; i < x->n; i++) {
		const JsonNode *row = x->member[i].value;
		TargetSet *s = vec_add(l->table->arena, &t->set);
		s->name = x->member[i].key->text;
		s->lo = x->member[i].key->lo;
		if (!want(l, x->member[i].key, row, JSON_OBJECT))
			return;
		for (uint32_t j = 0; j < row->n; j++) {
			const JsonNode *k = row->member[j].key, *v = row->member[j].value;
			if (str_is(k->text, "key"))
				read_str(l, k, v, &s->key);
			else if (str_is(k->text, "type"))
				read_str(l, k, v, &s->type);
			else if (str_is(k->text, "sampling"))
				read_bool(l, k, v, &s->sampling);
			else
				unknown_key(l, k);
		}
	}
}

static void read_names(Loader *l, const JsonNode *key, const JsonNode *x, TargetNames *out)
{
	memset(out, 0, sizeof *out);
	if (!want(l, key, x, JSON_ARRAY))
		return;
	for (uint32_t i = 0; i < x->n; i++)
		if (want(l, key, x->item[i], JSON_STRING))
			vec_push(l->table->arena, out, x->item[i]->text);
}

static void read_wire(Loader *l, Target *t, const JsonNode *key, const JsonNode *x)
{
	static const char *const names[] = { "openai", "anthropic", "gemini" };
	t->wire = (TargetWire)read_word(l, key, x, names, TARGET_WIRE_COUNT);
}

static SystemPlace read_place(Loader *l, const JsonNode *key, const JsonNode *x)
{
	static const char *const names[] = { "message", "field", "in_user", "in_last_user" };
	return (SystemPlace)read_word(l, key, x, names, SYSTEM_PLACE_COUNT);
}

static void read_system(Loader *l, Target *t, const JsonNode *key, const JsonNode *x)
{
	t->system = read_place(l, key, x);
}

static void read_chat(Loader *l, Target *t, const JsonNode *key, const JsonNode *x)
{
	read_str(l, key, x, &t->chat_name);
	t->chat = target_find_chat(l->table, t->chat_name);
	if (!t->chat)
		fail(l, x, "unknown chat template `%.*s`", STR_ARG(x->text));
}

static void read_body(Loader *l, Target *t, const JsonNode *key, const JsonNode *x) { read_names(l, key, x, &t->body); }
static void read_alias(Loader *l, Target *t, const JsonNode *key, const JsonNode *x) { read_names(l, key, x, &t->alias); }
static void read_schema(Loader *l, Target *t, const JsonNode *key, const JsonNode *x)
{
	if (want(l, key, x, JSON_OBJECT))
		t->schema = x;
}

/* Named in the file for the script that refreshes it, or read before the models are. */
static void read_nothing(Loader *l, Target *t, const JsonNode *key, const JsonNode *x)
{
	(void)l, (void)t, (void)key, (void)x;
}

/* ---- the table of fields --------------------------------------------------------------------- */

#define READ_FIELD(name, kind) \
	static void read_##name(Loader *l, Target *t, const JsonNode *key, const JsonNode *x) { kind(l, key, x, &t->name); }
READ_FIELD(name, read_str)
READ_FIELD(id, read_str)
READ_FIELD(family, read_str)
READ_FIELD(provider, read_str)
READ_FIELD(date, read_str)
READ_FIELD(source, read_str)
READ_FIELD(deprecated, read_str)
READ_FIELD(tokenizer, read_str)
READ_FIELD(default_system, read_str)
READ_FIELD(litellm, read_str)
READ_FIELD(window_tok, read_count)
READ_FIELD(max_output_tok, read_count)
READ_FIELD(alternates, read_bool)
READ_FIELD(needs_user, read_bool)
READ_FIELD(prefill, read_bool)
READ_FIELD(images, read_bool)
READ_FIELD(sampling, read_bool)
READ_FIELD(mid_system, read_bool)
READ_FIELD(max_key, read_str)
#undef READ_FIELD

static void read_cache_min(Loader *l, Target *t, const JsonNode *key, const JsonNode *x)
{
	read_count(l, key, x, &t->cache.min_tok);
}

enum FieldPlace { IN_FAMILY = 1, IN_MODEL = 2, IN_BOTH = 3 };

static const struct {
	const char *name;
	unsigned where;
	ReadFn *read;
} fields[] = {
	/* name            where      reads */
	{ "family",         IN_FAMILY, read_family },
	{ "extends",        IN_FAMILY, read_nothing },
	{ "default",        IN_FAMILY, read_nothing },
	{ "models",         IN_FAMILY, read_nothing },
	{ "templates",      IN_FAMILY, read_nothing },
	{ "provider",       IN_FAMILY, read_provider },
	{ "name",           IN_MODEL,  read_name },
	{ "id",             IN_MODEL,  read_id },
	{ "aliases",        IN_MODEL,  read_alias },
	{ "litellm",        IN_MODEL,  read_litellm },
	{ "deprecated",     IN_MODEL,  read_deprecated },
	{ "window",         IN_BOTH,   read_window_tok },
	{ "max_output",     IN_BOTH,   read_max_output_tok },
	{ "cache_min_tok",  IN_BOTH,   read_cache_min },
	{ "prices",         IN_BOTH,   read_prices },
	{ "date",           IN_BOTH,   read_date },
	{ "source",         IN_BOTH,   read_source },
	{ "wire",           IN_BOTH,   read_wire },
	{ "tokenizer",      IN_BOTH,   read_tokenizer },
	{ "chat",           IN_BOTH,   read_chat },
	{ "default_system", IN_BOTH,   read_default_system },
	{ "roles",          IN_BOTH,   read_roles },
	{ "system",         IN_BOTH,   read_system },
	{ "alternates",     IN_BOTH,   read_alternates },
	{ "needs_user",     IN_BOTH,   read_needs_user },
	{ "prefill",        IN_BOTH,   read_prefill },
	{ "images",         IN_BOTH,   read_images },
	{ "sampling",       IN_BOTH,   read_sampling },
	{ "mid_system",     IN_BOTH,   read_mid_system },
	{ "cache",          IN_BOTH,   read_cache },
	{ "reply",          IN_BOTH,   read_reply },
	{ "max_key",        IN_BOTH,   read_max_key },
	{ "body",           IN_BOTH,   read_body },
	{ "set",            IN_BOTH,   read_set },
	{ "schema",         IN_BOTH,   read_schema },
};

static void read_fields(Loader *l, Target *t, const JsonNode *object, unsigned where)
{
	for (uint32_t i = 0; i < object->n && !l->failed; i++) {
		const JsonNode *key = object->member[i].key;
		size_t j = 0, n = sizeof fields / sizeof *fields;
		while (j < n && !(str_is(key->text, fields[j].name) && (fields[j].where & where)))
			j++;
		if (j == n)
			unknown_key(l, key);
		else
			fields[j].read(l, t, key, object->member[i].value);
	}
}

/* ---- templates, models, files ---------------------------------------------------------------- */

static void read_template_role(Loader *l, ChatRole *role, const JsonNode *key, const JsonNode *x)
{
	if (!want(l, key, x, JSON_ARRAY))
		return;
	if (x->n != 2 || x->item[0]->kind != JSON_STRING || x->item[1]->kind != JSON_STRING) {
		fail(l, x, "a role of a template is [before, after]");
		return;
	}
	*role = (ChatRole){ x->item[0]->text, x->item[1]->text, true };
}

static void read_template(Loader *l, const JsonNode *name, const JsonNode *x)
{
	ChatTemplate *c = arena_new(l->table->arena, ChatTemplate);
	c->name = name->text;
	c->system = SYSTEM_IN_USER;
	if (!want(l, name, x, JSON_OBJECT))
		return;
	for (uint32_t i = 0; i < x->n; i++) {
		const JsonNode *k = x->member[i].key, *v = x->member[i].value;
		Role role = role_find(k->text);
		if (role != ROLE_COUNT)
			read_template_role(l, &c->role[role], k, v);
		else if (str_is(k->text, "bos"))
			read_str(l, k, v, &c->bos);
		else if (str_is(k->text, "generate"))
			read_str(l, k, v, &c->generate);
		else if (str_is(k->text, "system_place"))
			c->system = read_place(l, k, v);
		else if (str_is(k->text, "special"))
			read_names(l, k, v, &c->special);
		else
			unknown_key(l, k);
	}
	vec_push(l->table->arena, &l->into->chat, c);
}

static void read_model(Loader *l, const Target *base, const JsonNode *x)
{
	Target *t = arena_new(l->table->arena, Target);
	*t = *base;
	memset(&t->alias, 0, sizeof t->alias);
	if (x->kind != JSON_OBJECT) {
		fail(l, x, "a model is an object");
		return;
	}
	read_fields(l, t, x, IN_MODEL);
	if (!l->failed && !json_get(x, "name"))
		fail(l, x, "a model has no `name`");
	if (!json_get(x, "id"))
		t->id = t->name;
	vec_push(l->table->arena, &l->into->target, t);
}

static void read_family_base(Loader *l, const JsonNode *root, Target *base)
{
	const JsonNode *extends = json_get(root, "extends");
	*base = (Target){ .sampling = true };
	if (extends) {
		const Target *from = target_find(l->table, extends->text);
		if (!from)
			fail(l, extends, "unknown target `%.*s`", STR_ARG(extends->text));
		else
			*base = *from;
	}
	read_fields(l, base, root, IN_FAMILY);
}

bool target_read_file(TargetTable *table, TargetList *into, Str file, Str text, TargetError *err)
{
	Loader l = { table, into, file, err, false };
	JsonDoc doc;
	Target base;
	if (!json_read(table->arena, text, 0, &doc)) {
		*err = (TargetError){ doc.err.message, file, doc.err.offset };
		return false;
	}
	if (doc.n_dup)
		return fail(&l, doc.dup[0].again, "the key `%.*s` stands twice", STR_ARG(doc.dup[0].name));
	if (doc.root->kind != JSON_OBJECT)
		return fail(&l, doc.root, "a target file is an object");
	const JsonNode *templates = json_get(doc.root, "templates"), *models = json_get(doc.root, "models");
	for (uint32_t i = 0; templates && templates->kind == JSON_OBJECT && i < templates->n; i++)
		read_template(&l, templates->member[i].key, templates->member[i].value);
	read_family_base(&l, doc.root, &base);
	if (!models && !templates)
		return fail(&l, doc.root, "a target file has no `models`");
	for (uint32_t i = 0; models && models->kind == JSON_ARRAY && i < models->n && !l.failed; i++)
		read_model(&l, &base, models->item[i]);
	if (models && !json_get(doc.root, "extends"))
		vec_push(table->arena, &into->family,
		         (TargetFamily){ base.family, json_get_text(doc.root, "default", base.family) });
	return !l.failed;
}
