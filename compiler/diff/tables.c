/*
 * What has a name and no text of its own: inputs, tools, schemas, reply, stages, settings, targets, cuts,
 * cache group, metadata. Matched by name; a removed and an added one with equal content are one renaming.
 */
#include "compiler/diff/body_set.h"
#include "compiler/diff/differ.h"
#include "compiler/diff/mates.h"
#include "runtime/base/buf.h"

typedef struct Row {
	Str name;
	Str content;     /* canonical, without the name, and without what nodes say */
	Str whole;       /* a setting's, as sent */
	const void *rec;
	uint32_t mate;   /* in the other table; MATE_NONE if none */
	bool renamed;
} Row;

typedef struct Table {
	Row *v;
	uint32_t n;
} Table;

typedef enum RenameRule { RENAME_MATCHES, RENAME_IS_REMOVE_AND_ADD } RenameRule;

typedef Str (*RowKey)(const Row *r);

static Str row_name(const Row *r) { return r->name.n ? r->name : STR(""); }
static Str row_content(const Row *r) { return r->content.n ? r->content : STR(""); }

static Str *free_keys(Arena *arena, const Table *t, RowKey key)
{
	Str *k = arena_array(arena, Str, t->n);
	for (uint32_t i = 0; i < t->n; i++)
		k[i] = t->v[i].mate == MATE_NONE ? key(&t->v[i]) : (Str){ 0 };
	return k;
}

static void match_rows(Arena *arena, Table *a, Table *b, RowKey key)
{
	const uint32_t *mate = mates_by_key(arena, free_keys(arena, a, key), a->n, free_keys(arena, b, key), b->n);
	for (uint32_t i = 0; i < a->n; i++) {
		if (mate[i] == MATE_NONE)
			continue;
		a->v[i].mate = mate[i];
		a->v[i].renamed = key == row_content;
		b->v[mate[i]].mate = i;
	}
}

static void table_match(Arena *arena, Table *a, Table *b, RenameRule rule)
{
	match_rows(arena, a, b, row_name);
	if (rule == RENAME_MATCHES)
		match_rows(arena, a, b, row_content);
}

static Table table_new(Arena *a, uint32_t n)
{
	Table t = { arena_array(a, Row, n), n };
	for (uint32_t i = 0; i < n; i++)
		t.v[i].mate = MATE_NONE;
	return t;
}

static Str key_of(Differ *df, const char *kind, Str name)
{
	return str_fmt(df->arena, "%s %.*s", kind, STR_ARG(name));
}

/* --- inputs --------------------------------------------------------------------------------- */

static Str input_text(Arena *a, const Bin *b, const BinInput *in)
{
	Str def = bin_str(b, in->default_json);
	return str_fmt(a, "%s: %.*s%s%s%s%.*s", in->flags & INPUT_OPTIONAL ? "?" : "", STR_ARG(bin_str(b, in->type_text)),
		in->flags & INPUT_TRUSTED ? " trusted" : "", in->max_tok ? str_z(a, str_fmt(a, " max %u tok", in->max_tok)) : "",
		def.n ? " = " : "", STR_ARG(def));
}

static Table input_table(Differ *df, const DiffModel *m)
{
	BinRange r = m->prompt->input;
	Table t = table_new(df->arena, r.n);
	for (uint32_t i = 0; i < r.n; i++) {
		const BinInput *in = &m->bin->input[r.first + i];
		t.v[i].name = bin_str(m->bin, in->name);
		t.v[i].content = input_text(df->arena, m->bin, in);
		t.v[i].rec = in;
		df->d->baseline[DELTA_INPUT] += m == &df->old_model ? 1 + (double)model_count_words(t.v[i].content) : 0;
	}
	return t;
}

static bool must_supply(const BinInput *in)
{
	return !(in->flags & (INPUT_OPTIONAL | INPUT_HAS_DEFAULT));
}

static void compare_input_type(Differ *df, ChangeArgs args, const BinInput *x, const BinInput *y)
{
	const Bin *ob = df->old_model.bin, *nb = df->new_model.bin;
	bool same_type = str_eq(bin_str(ob, x->type_text), bin_str(nb, y->type_text));
	Str old_schema = x->schema == BIN_NONE ? (Str){ 0 } : bin_str(ob, ob->schema[x->schema].json);
	Str new_schema = y->schema == BIN_NONE ? (Str){ 0 } : bin_str(nb, nb->schema[y->schema].json);
	if (same_type && str_eq(old_schema, new_schema))
		return;
	if (old_schema.n && new_schema.n) {
		differ_compare_schema(df, args.key, SCHEMA_INPUT, old_schema, new_schema);
		return;
	}
	args.old_text = bin_str(ob, x->type_text);
	args.new_text = bin_str(nb, y->type_text);
	differ_add(df, x->type == y->type ? CH_INPUT_TYPE : CH_INPUT_NARROWED, args);
}

static void compare_input_limit(Differ *df, ChangeArgs args, const BinInput *x, const BinInput *y)
{
	if (x->max_tok == y->max_tok)
		return;
	args.old_text = x->max_tok ? str_fmt(df->arena, "max %u tok", x->max_tok) : STR("unbounded");
	args.new_text = y->max_tok ? str_fmt(df->arena, "max %u tok", y->max_tok) : STR("unbounded");
	bool fewer = y->max_tok && (!x->max_tok || y->max_tok < x->max_tok);
	args.detail = fewer ? STR("values that fitted are now cut or refused") : STR("longer values fit");
	differ_add(df, fewer ? CH_INPUT_NARROWED : CH_INPUT_LIMIT, args);
}

static Str spelled(Differ *df, const Row *r)
{
	return str_fmt(df->arena, "%.*s%.*s", STR_ARG(r->name), STR_ARG(r->content));
}

static void compare_input(Differ *df, const Row *o, const Row *n)
{
	const Bin *ob = df->old_model.bin, *nb = df->new_model.bin;
	const BinInput *x = o->rec, *y = n->rec;
	ChangeArgs args = { .key = key_of(df, "input", n->name), .old_text = spelled(df, o), .new_text = spelled(df, n) };
	uint32_t before = df->d->change.n;
	if (o->renamed) {
		vec_push(df->arena, &df->old_model.renamed, (Renaming){ o->name, n->name });
		args.detail = str_fmt(df->arena, "`%.*s` is now `%.*s`", STR_ARG(o->name), STR_ARG(n->name));
		differ_add(df, must_supply(x) || must_supply(y) ? CH_INPUT_RENAMED : CH_INPUT_REMOVED, args);
		args.detail = (Str){ 0 };
	}
	if (must_supply(x) != must_supply(y))
		differ_add(df, must_supply(y) ? CH_INPUT_REQUIRED : CH_INPUT_WIDENED, args);
	uint32_t trust = INPUT_TRUSTED;
	if ((x->flags ^ y->flags) & trust && !((x->flags | y->flags) & INPUT_TRUST_UNKNOWN))
		differ_add(df, y->flags & trust ? CH_TRUST_RAISED : CH_TRUST_LOWERED, args);
	if (!str_eq(bin_str(ob, x->default_json), bin_str(nb, y->default_json)))
		differ_add(df, CH_DEFAULT, args);
	if (x->stability != y->stability)
		differ_add(df, CH_INPUT_STABILITY, args);
	if ((x->flags ^ y->flags) & INPUT_KEY)
		differ_add(df, CH_INPUT_KEY, args);
	if (!str_eq(bin_str(ob, x->doc), bin_str(nb, y->doc))) {
		ChangeArgs doc = args;
		doc.old_text = bin_str(ob, x->doc);
		doc.new_text = bin_str(nb, y->doc);
		differ_add(df, CH_INPUT_DOC, doc);
	}
	compare_input_limit(df, args, x, y);
	compare_input_type(df, args, x, y);
	if (df->d->change.n > before)
		differ_count(df, DELTA_INPUT, o->content, n->content);
}

static void compare_inputs(Differ *df)
{
	Table a = input_table(df, &df->old_model), b = input_table(df, &df->new_model);
	table_match(df->arena, &a, &b, RENAME_MATCHES);
	for (uint32_t i = 0; i < a.n; i++) {
		const Row *r = &a.v[i];
		if (r->mate != MATE_NONE) {
			compare_input(df, r, &b.v[r->mate]);
			continue;
		}
		differ_add(df, CH_INPUT_REMOVED, (ChangeArgs){ .key = key_of(df, "input", r->name), .old_text = spelled(df, r) });
		differ_count(df, DELTA_INPUT, r->content, (Str){ 0 });
	}
	for (uint32_t i = 0; i < b.n; i++) {
		const Row *r = &b.v[i];
		if (r->mate != MATE_NONE)
			continue;
		ChangeKind kind = must_supply(r->rec) ? CH_INPUT_REQUIRED : CH_INPUT_OPTIONAL;
		differ_add(df, kind, (ChangeArgs){ .key = key_of(df, "input", r->name), .new_text = spelled(df, r) });
		differ_count(df, DELTA_INPUT, (Str){ 0 }, r->content);
	}
}

/* --- tools ---------------------------------------------------------------------------------- */

static Table tool_table(Differ *df, const DiffModel *m)
{
	BinRange r = m->prompt->tool;
	Table t = table_new(df->arena, r.n);
	for (uint32_t i = 0; i < r.n; i++) {
		const BinTool *tool = &m->bin->tool[r.first + i];
		t.v[i].name = bin_str(m->bin, tool->name);
		t.v[i].content = str_fmt(df->arena, "%.*s %.*s", STR_ARG(bin_str(m->bin, tool->doc)), STR_ARG(bin_str(m->bin, tool->params_json)));
		t.v[i].rec = tool;
		df->d->baseline[DELTA_SCHEMA] += m == &df->old_model ? (double)model_count_words(t.v[i].content) : 0;
	}
	return t;
}

static void compare_tool(Differ *df, const Row *o, const Row *n)
{
	const Bin *ob = df->old_model.bin, *nb = df->new_model.bin;
	const BinTool *x = o->rec, *y = n->rec;
	ChangeArgs args = { .key = key_of(df, "tool", n->name), .old_text = bin_str(ob, x->doc), .new_text = bin_str(nb, y->doc) };
	if (o->renamed) {
		args.detail = str_fmt(df->arena, "`%.*s` is now `%.*s`", STR_ARG(o->name), STR_ARG(n->name));
		differ_add(df, CH_TOOL_RENAMED, args);
	}
	if (!str_eq(args.old_text, args.new_text)) {
		differ_add(df, CH_TOOL_CHANGED, args);
		differ_count(df, DELTA_SCHEMA, args.old_text, args.new_text);
	}
	differ_compare_schema(df, args.key, SCHEMA_TOOL, bin_str(ob, x->params_json), bin_str(nb, y->params_json));
}

static void compare_tools(Differ *df)
{
	Table a = tool_table(df, &df->old_model), b = tool_table(df, &df->new_model);
	table_match(df->arena, &a, &b, RENAME_MATCHES);
	for (uint32_t i = 0; i < a.n; i++) {
		if (a.v[i].mate != MATE_NONE) {
			compare_tool(df, &a.v[i], &b.v[a.v[i].mate]);
			continue;
		}
		differ_add(df, CH_TOOL_REMOVED, (ChangeArgs){ .key = key_of(df, "tool", a.v[i].name), .old_text = a.v[i].content });
		differ_count(df, DELTA_SCHEMA, a.v[i].content, (Str){ 0 });
	}
	for (uint32_t i = 0; i < b.n; i++)
		if (b.v[i].mate == MATE_NONE) {
			differ_add(df, CH_TOOL_ADDED, (ChangeArgs){ .key = key_of(df, "tool", b.v[i].name), .new_text = b.v[i].content });
			differ_count(df, DELTA_SCHEMA, (Str){ 0 }, b.v[i].content);
		}
}

/* --- reply and stages ----------------------------------------------------------------------- */

static Str reply_schema(const Bin *b, const BinReply *r)
{
	return r->schema == BIN_NONE ? (Str){ 0 } : bin_str(b, b->schema[r->schema].json);
}

static void compare_reply_limit(Differ *df, ChangeArgs args, const BinReply *x, const BinReply *y)
{
	if (x->max_tok == y->max_tok)
		return;
	args.old_text = x->max_tok ? str_fmt(df->arena, "max %u tok", x->max_tok) : STR("no limit");
	args.new_text = y->max_tok ? str_fmt(df->arena, "max %u tok", y->max_tok) : STR("no limit");
	differ_add(df, CH_OUTPUT_LIMIT, args);
}

static void compare_reply(Differ *df, Str key, const BinReply *x, const BinReply *y)
{
	const Bin *ob = df->old_model.bin, *nb = df->new_model.bin;
	ChangeArgs args = { .key = key, .old_text = bin_str(ob, x->type_text), .new_text = bin_str(nb, y->type_text) };
	Str so = reply_schema(ob, x), sn = reply_schema(nb, y);
	df->d->baseline[DELTA_SCHEMA] += (double)model_count_words(so);
	if (x->kind != y->kind) {
		differ_add(df, CH_OUTPUT_FORMAT, args);
		differ_count(df, DELTA_SCHEMA, so, sn);
	} else if (so.n && sn.n) {
		differ_compare_schema(df, key, SCHEMA_OUTPUT, so, sn);
	} else if (!str_eq(args.old_text, args.new_text)) {
		differ_add(df, CH_OUTPUT_UNDECIDED, args);
		differ_count(df, DELTA_SCHEMA, args.old_text, args.new_text);
	}
	compare_reply_limit(df, args, x, y);
}

static Str from_text(Arena *a, const Bin *b, const BinStage *s)
{
	return model_names(a, b, s->from);
}

static const BinStage *stage_find(const DiffModel *m, Str name, uint32_t *at)
{
	for (uint32_t i = 0; i < m->prompt->stage.n; i++) {
		const BinStage *s = &m->bin->stage[m->prompt->stage.first + i];
		*at = i;
		if (str_eq(bin_str(m->bin, s->name), name))
			return s;
	}
	return NULL;
}

static void compare_stages(Differ *df)
{
	const DiffModel *om = &df->old_model, *nm = &df->new_model;
	bool same_set = om->prompt->stage.n == nm->prompt->stage.n, same_order = true, same_flow = true;
	for (uint32_t i = 0; i < om->prompt->stage.n; i++) {
		const BinStage *s = &om->bin->stage[om->prompt->stage.first + i];
		Str name = bin_str(om->bin, s->name);
		uint32_t at;
		const BinStage *t = stage_find(nm, name, &at);
		if (!t) {
			same_set = false;
			differ_add(df, CH_STAGE_REMOVED, (ChangeArgs){ .key = key_of(df, "stage", name) });
			continue;
		}
		same_order &= at == i;
		Str fo = from_text(df->arena, om->bin, s), fn = from_text(df->arena, nm->bin, t);
		if (!str_eq(fo, fn)) {
			same_flow = false;
			differ_add(df, CH_STAGE_FLOW, (ChangeArgs){ .key = key_of(df, "stage", name), .old_text = fo, .new_text = fn });
		}
		compare_reply(df, str_fmt(df->arena, "stage %.*s reply", STR_ARG(name)), &s->reply, &t->reply);
	}
	for (uint32_t i = 0; i < nm->prompt->stage.n; i++) {
		uint32_t at;
		Str name = bin_str(nm->bin, nm->bin->stage[nm->prompt->stage.first + i].name);
		if (!stage_find(om, name, &at)) {
			same_set = false;
			differ_add(df, CH_STAGE_ADDED, (ChangeArgs){ .key = key_of(df, "stage", name) });
		}
	}
	if (same_set && !same_order)
		differ_add(df, same_flow ? CH_STAGE_ORDER : CH_STAGE_FLOW, (ChangeArgs){ .key = STR("chain") });
}

/* --- plain name-to-text tables: settings, metadata, cuts, targets ----------------------------- */

typedef struct PlainTable {
	const char *kind;
	ChangeKind change;
	DeltaClass cls;
	bool is_told;   /* tools or the reply changed: what a setting says of them is reported already */
} PlainTable;

/* A request body names its model with a setting. */
static ChangeKind plain_change(PlainTable what, Str name)
{
	return what.change == CH_SETTING && str_ends(name, STR(".model")) ? CH_MODEL : what.change;
}

static void compare_plain(Differ *df, PlainTable what, Table a, Table b)
{
	table_match(df->arena, &a, &b, RENAME_IS_REMOVE_AND_ADD);
	for (uint32_t i = 0; i < a.n; i++) {
		const Row *o = &a.v[i], *n = o->mate == MATE_NONE ? NULL : &b.v[o->mate];
		df->d->baseline[what.cls] += 1 + (double)model_count_words(o->content);
		if (n && str_eq(o->content, n->content) && (what.is_told || str_eq(o->whole, n->whole)))
			continue;
		Str now = n ? n->content : (Str){ 0 };
		differ_add(df, plain_change(what, o->name),
			(ChangeArgs){ .key = key_of(df, what.kind, o->name), .old_text = o->whole.n ? o->whole : o->content,
			              .new_text = n && n->whole.n ? n->whole : now });
		differ_count(df, what.cls, o->content, now);
	}
	for (uint32_t i = 0; i < b.n; i++)
		if (b.v[i].mate == MATE_NONE) {
			differ_add(df, plain_change(what, b.v[i].name),
				(ChangeArgs){ .key = key_of(df, what.kind, b.v[i].name), .new_text = b.v[i].content });
			differ_count(df, what.cls, (Str){ 0 }, b.v[i].content);
		}
}

static Table set_table(Differ *df, const DiffModel *m)
{
	BinRange r = m->prompt->set;
	Table t = table_new(df->arena, r.n);
	for (uint32_t i = 0; i < r.n; i++) {
		const BinSet *s = &m->bin->set[r.first + i];
		Str provider = bin_str(m->bin, s->provider);
		t.v[i].name = str_fmt(df->arena, "%.*s%s%.*s", STR_ARG(provider), provider.n ? "." : "", STR_ARG(bin_str(m->bin, s->name)));
		t.v[i].whole = bin_str(m->bin, s->json);
		t.v[i].content = body_set_rest(df->arena, m->bin, m->prompt, s);
	}
	return t;
}

static Table meta_table(Differ *df, const DiffModel *m)
{
	BinRange r = m->prompt->meta;
	Table t = table_new(df->arena, r.n);
	for (uint32_t i = 0; i < r.n; i++) {
		t.v[i].name = bin_str(m->bin, m->bin->meta[r.first + i].name);
		t.v[i].content = bin_str(m->bin, m->bin->meta[r.first + i].json);
	}
	return t;
}

static Table target_table(Differ *df, const DiffModel *m)
{
	BinRange r = m->prompt->target;
	Table t = table_new(df->arena, r.n);
	for (uint32_t i = 0; i < r.n; i++)
		t.v[i].name = t.v[i].content = bin_name(m->bin, r.first + i);
	return t;
}

static Table cut_table(Differ *df, const DiffModel *m)
{
	static const char *const how[CUT_HOW_COUNT] = { "auto", "oldest", "tail", "head", "middle", "decay" };
	BinRange r = m->prompt->cut;
	Table t = table_new(df->arena, r.n);
	for (uint32_t i = 0; i < r.n; i++) {
		const BinCut *c = &m->bin->cut[r.first + i];
		t.v[i].name = model_name_now(m, bin_str(m->bin, c->name));
		t.v[i].content = str_fmt(df->arena, "%s keep %u decay %g weight %g mark %.*s", how[c->how], c->keep, (double)c->decay,
			(double)c->weight, STR_ARG(bin_str(m->bin, c->mark)));
	}
	return t;
}

static Str cache_text(Arena *a, const DiffModel *m)
{
	if (m->prompt->cache == BIN_NONE)
		return (Str){ 0 };
	const BinCache *c = &m->bin->cache[m->prompt->cache];
	return str_fmt(a, "%.*s slots %u-%u ttl %llus evict %.*s", STR_ARG(bin_str(m->bin, c->group)), c->slot_lo, c->slot_hi,
		(unsigned long long)c->ttl_s, STR_ARG(bin_str(m->bin, c->evict)));
}

static Str count_text(Arena *a, uint32_t n, const char *fallback)
{
	return n ? str_fmt(a, "%u tok", n) : str_from(fallback);
}

static void compare_scalar(Differ *df, ChangeKind kind, const char *key, Str o, Str n)
{
	if (!str_eq(o, n))
		differ_add(df, kind, (ChangeArgs){ .key = str_from(key), .old_text = o, .new_text = n });
}

/* Shown schemas that are not the reply still shape what the model writes. */
static void compare_shown_schemas(Differ *df)
{
	const DiffModel *om = &df->old_model, *nm = &df->new_model;
	for (uint32_t i = 0; i < om->prompt->schema.n; i++) {
		uint32_t at = om->prompt->schema.first + i;
		Str name = bin_str(om->bin, om->bin->schema[at].name);
		if (!name.n || at == om->prompt->reply.schema)
			continue;
		for (uint32_t j = 0; j < nm->prompt->schema.n; j++) {
			uint32_t with = nm->prompt->schema.first + j;
			if (with != nm->prompt->reply.schema && str_eq(name, bin_str(nm->bin, nm->bin->schema[with].name)))
				differ_compare_schema(df, key_of(df, "schema", name), SCHEMA_OUTPUT,
					bin_str(om->bin, om->bin->schema[at].json), bin_str(nm->bin, nm->bin->schema[with].json));
		}
	}
}

void differ_compare_tables(Differ *df)
{
	const DiffModel *om = &df->old_model, *nm = &df->new_model;
	const BinPrompt *x = om->prompt, *y = nm->prompt;
	Arena *a = df->arena;
	compare_inputs(df);
	uint32_t n_before = df->d->change.n;
	compare_reply(df, STR("reply"), &x->reply, &y->reply);
	compare_shown_schemas(df);
	compare_tools(df);
	bool is_told = df->d->change.n > n_before;
	compare_stages(df);
	compare_plain(df, (PlainTable){ "target", CH_MODEL, DELTA_PROSE, false }, target_table(df, om), target_table(df, nm));
	compare_plain(df, (PlainTable){ "set", CH_SETTING, DELTA_PROSE, is_told }, set_table(df, om), set_table(df, nm));
	compare_plain(df, (PlainTable){ "cut", CH_CUT, DELTA_PROSE, false }, cut_table(df, om), cut_table(df, nm));
	compare_plain(df, (PlainTable){ "meta", CH_META, DELTA_META, false }, meta_table(df, om), meta_table(df, nm));
	compare_scalar(df, CH_CACHE, "cache", cache_text(a, om), cache_text(a, nm));
	compare_scalar(df, CH_BUDGET, "budget", count_text(a, x->budget_tok, "the target's window"), count_text(a, y->budget_tok, "the target's window"));
	compare_scalar(df, CH_CUT, "anchor", count_text(a, x->anchor_every, "none"), count_text(a, y->anchor_every, "none"));
	compare_scalar(df, CH_LANG, "lang", bin_str(om->bin, x->lang), bin_str(nm->bin, y->lang));
	compare_scalar(df, CH_VERSION, "version", bin_str(om->bin, x->version), bin_str(nm->bin, y->version));
}
