/* Emit: see emit.h. */
#include "compiler/emit/emit.h"

#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/schema/lower.h"

static const char *const kind_names[EMIT_KIND_COUNT] = {
	"text", "map", "openai", "anthropic", "gemini", "chat", "chatml", "json", "schema",
};

EmitKind emit_kind_find(Str name)
{
	int i = 0;
	while (i < EMIT_KIND_COUNT && !str_is(name, kind_names[i]))
		i++;
	return (EmitKind)i;
}

const BinPrompt *emit_find_prompt(const Bin *bin, Str name)
{
	for (uint32_t i = 0; i < bin->n_prompt; i++)
		if (!name.n || str_eq(bin_str(bin, bin->prompt[i].name), name))
			return &bin->prompt[i];
	return NULL;
}

static void help_last(WireReport *r, Str help)
{
	if (help.n)
		r->note.v[r->note.n - 1].help = help;
}

/* The bytes of VALUE, @FILE or @- (standard input); a text that starts with @ is written @@. */
static EmitStatus read_argument(WireReport *report, Str what, Str written, Str *out, ValueSource *source)
{
	Str why;
	*source = VALUE_WRITTEN;
	*out = written;
	if (!written.n || written.p[0] != '@')
		return EMIT_DONE;
	if (str_starts(written, STR("@@"))) {
		*out = str_sub(written, 1, written.n);
		return EMIT_DONE;
	}
	*source = VALUE_FILE;
	Str path = str_sub(written, 1, written.n);
	if (str_is(path, "-") ? file_read_fd(report->arena, STDIN_FILENO, out, &why) : file_read(report->arena, str_z(report->arena, path), out, &why))
		return EMIT_DONE;
	wire_note(report, WIRE_ERROR, "SD001", "%.*s: %.*s: %.*s", STR_ARG(what), STR_ARG(path), STR_ARG(why));
	return EMIT_IO;
}

/* Where in the value, for a reader who has it in an editor. */
static Str value_place(Arena *arena, Str value, uint32_t offset)
{
	uint32_t line = 1, column = 1;
	if (offset == BIN_NONE)
		return (Str){ 0 };
	for (uint32_t i = 0; i < offset && i < value.n; i++) {
		column++;
		if (value.p[i] == '\n') {
			line++;
			column = 1;
		}
	}
	return str_fmt(arena, " (line %u, byte %u)", line, column);
}

static Str set_name(Str arg)
{
	return str_sub(arg, 0, str_find(arg, STR("="), 0));
}

/* Of two values for one name neither is meant more than the other. */
static bool is_set_once(const Bin *bin, const BinPrompt *p, const EmitOptions *o, uint32_t at, WireReport *report)
{
	Str name = set_name(o->set[at]);
	for (uint32_t i = 0; i < at; i++)
		if (str_eq(set_name(o->set[i]), name) && !values_takes_several(bin, p, name)) {
			wire_note(report, WIRE_ERROR, NULL, "`%.*s` is set twice", STR_ARG(name));
			return false;
		}
	return true;
}

static EmitStatus set_one(Values *v, const BinPrompt *p, Str arg, WireReport *report)
{
	size_t eq = str_find(arg, STR("="), 0);
	ValueSource source;
	ValueError err;
	Str value;
	if (eq == arg.n) {
		wire_note(report, WIRE_ERROR, NULL, "--set takes NAME=VALUE, not `%.*s`", STR_ARG(arg));
		return EMIT_USAGE;
	}
	EmitStatus s = read_argument(report, arg, str_sub(arg, eq + 1, arg.n), &value, &source);
	if (s != EMIT_DONE)
		return s;
	if (values_set(v, p, str_sub(arg, 0, eq), value, source, &err))
		return EMIT_DONE;
	Str place = value_place(report->arena, value, err.offset);
	wire_note(report, WIRE_ERROR, NULL, "%.*s%.*s", STR_ARG(err.message), STR_ARG(place));
	help_last(report, err.help);
	return EMIT_FAILED;
}

EmitStatus emit_bind(Values *v, const BinPrompt *p, const EmitOptions *o, RenderOptions *render, WireReport *report)
{
	EmitStatus s = EMIT_DONE;
	ValueSource source;
	for (uint32_t i = 0; i < o->n_set; i++) {
		EmitStatus one = is_set_once(v->bin, p, o, i, report) ? set_one(v, p, o->set[i], report) : EMIT_USAGE;
		s = one > s ? one : s;
	}
	*render = (RenderOptions){ .has_user = o->has_user };
	if (o->has_user && s == EMIT_DONE)
		s = read_argument(report, STR("--user"), o->user, &render->user, &source);
	return s;
}

static void note_remarks(const Rendering *r, WireReport *report)
{
	for (uint32_t i = 0; i < r->remark.n; i++)
		wire_note(report, WIRE_REMARK, NULL, "%.*s", STR_ARG(r->remark.v[i].message));
}

static bool load_targets(TargetTable *t, Str root, WireReport *report)
{
	TargetError err;
	targets_init(t, report->arena);
	if (!root.n || targets_add_folder(t, root, &err))
		return true;
	wire_note(report, WIRE_ERROR, NULL, "%.*s: byte %u: %.*s", STR_ARG(err.file), err.offset, STR_ARG(err.message));
	return false;
}

/* ---- the kinds ------------------------------------------------------------------------------- */

static const WireForm wire_forms[EMIT_KIND_COUNT] = {
	[EMIT_OPENAI] = FORM_OPENAI, [EMIT_ANTHROPIC] = FORM_ANTHROPIC, [EMIT_GEMINI] = FORM_GEMINI,
	[EMIT_CHAT] = FORM_CHAT, [EMIT_CHATML] = FORM_CHAT, [EMIT_JSON] = FORM_JSON, [EMIT_TEXT] = FORM_JSON, [EMIT_MAP] = FORM_JSON,
};

/* A condition asks for `target.family`, or an input's `max` for the target's vocabulary. */
static bool asks_target(const Bin *bin, const BinPrompt *p)
{
	bool asks = false;
	for (uint32_t i = 0; i < bin->n_ref; i++)
		asks |= bin->ref[i].kind == REF_TARGET;
	for (uint32_t i = 0; i < p->input.n; i++)
		asks |= bin->input[p->input.first + i].max_tok != 0;
	return asks;
}

/* The target that the kind will be written for, as far as rendering depends on it; what there is to say
 * about the choice is said later. */
static void find_target(RenderOptions *render, const Bin *bin, const BinPrompt *p, const EmitOptions *o, Arena *arena)
{
	WireReport silent = { .arena = arena };
	TargetTable table;
	if (!asks_target(bin, p) || !load_targets(&table, o->root, &silent))
		return;
	const Target *t = wire_choose_target(&table, wire_forms[o->kind], bin, p, o->target, &silent);
	if (!t)
		return;
	render->family = t->family;
	render->tokens = (TokenCounter){ .shelf = o->shelf, .tokenizer = t->tokenizer };
}

static EmitStatus emit_wire(Buf *out, const Bin *bin, const BinPrompt *p, const Rendering *r, const EmitOptions *o,
                            WireReport *report)
{
	TargetTable table;
	WireInput in = { bin, p, r, NULL, NULL, wire_forms[o->kind], o->unbound };
	if (!load_targets(&table, o->root, report))
		return EMIT_USAGE;
	if (o->kind == EMIT_CHATML) {
		in.chat = target_find_chat(&table, STR("chatml"));
		in.target = o->target.n ? target_find(&table, o->target) : target_find(&table, STR("generic"));
	}
	if (!in.target)
		in.target = wire_choose_target(&table, in.form, bin, p, o->target, report);
	if (!in.target)
		return EMIT_USAGE;
	return wire_write(out, &in, report) ? EMIT_DONE : EMIT_FAILED;
}

static EmitStatus emit_schema(Buf *out, const Bin *bin, const BinPrompt *p, const EmitOptions *o, WireReport *report)
{
	Arena *a = report->arena;
	TargetTable table;
	SchemaCaps caps = schema_caps_full();
	SchemaErrors errs = { 0 };
	SchemaError err;
	SchemaRemarks remarks = { 0 };
	if (p->reply.schema == BIN_NONE) {
		wire_note(report, WIRE_ERROR, NULL, "the prompt's reply has no schema");
		help_last(report, STR("declare one: `schema NAME:` and `reply NAME`"));
		return EMIT_FAILED;
	}
	Str name = o->target.n ? o->target : p->target.n ? bin_name(bin, p->target.first) : (Str){ 0 };
	if (name.n) {
		if (!load_targets(&table, o->root, report))
			return EMIT_USAGE;
		const Target *t = wire_choose_target(&table, FORM_JSON, bin, p, name, report);
		if (!t)
			return EMIT_USAGE;
		if (t->schema && !schema_caps_read(a, t->schema, &caps, &err))
			wire_note(report, WIRE_ERROR, NULL, "target %.*s: %.*s", STR_ARG(t->name), STR_ARG(err.message));
	}
	SchemaNode *s = schema_import_text(a, bin_str(bin, bin->schema[p->reply.schema].json), 0, &errs);
	SchemaNode *low = s ? schema_lower(a, s, &caps, &remarks) : NULL;
	for (uint32_t i = 0; i < remarks.n; i++) {
		bool refused = remarks.v[i].kind == REMARK_REFUSED;
		wire_note(report, refused ? WIRE_ERROR : WIRE_REMARK, refused ? "SD405" : NULL, "%.*s: %.*s",
		          STR_ARG(remarks.v[i].pointer.n ? remarks.v[i].pointer : STR("root")), STR_ARG(remarks.v[i].what));
	}
	if (!low || report->n_error)
		return EMIT_FAILED;
	json_write(out, schema_lowered_json(a, low, &caps), JSON_AS_IS);
	buf_byte(out, '\n');
	return EMIT_DONE;
}

EmitStatus emit_prompt(Buf *out, const Bin *bin, const EmitOptions *o, WireReport *report)
{
	Values values;
	Rendering r;
	RenderOptions render;
	const BinPrompt *p = emit_find_prompt(bin, o->prompt);
	if (!p) {
		wire_note(report, WIRE_ERROR, NULL, o->prompt.n ? "the file has no prompt `%.*s`" : "the file has no prompt: it is a library%.*s",
		          STR_ARG(o->prompt));
		return o->prompt.n ? EMIT_USAGE : EMIT_FAILED;
	}
	if (o->kind == EMIT_SCHEMA)
		return emit_schema(out, bin, p, o, report);
	values_init(&values, report->arena, bin);
	EmitStatus s = emit_bind(&values, p, o, &render, report);
	if (s != EMIT_DONE)
		return s;
	find_target(&render, bin, p, o, report->arena);
	if (!render_prompt(bin, p, &values, &render, report->arena, &r)) {
		wire_note(report, WIRE_ERROR, NULL, "%.*s", STR_ARG(r.error));
		return EMIT_FAILED;
	}
	note_remarks(&r, report);
	if (o->kind == EMIT_TEXT)
		emit_text(out, report->arena, &r);
	else if (o->kind == EMIT_MAP)
		emit_map(out, report->arena, bin, &r, o->sources);
	else
		return emit_wire(out, bin, p, &r, o, report);
	return EMIT_DONE;
}
