/* See seg_print.h. */
#include "runtime/bin/seg_print.h"

const char *const role_names[ROLE_COUNT] = { "system", "developer", "user", "assistant", "tool" };
const char *const modality_names[MOD_COUNT] = { "", "must", "should", "may", "never" };
const char *const stability_names[STAB_COUNT] = { "static", "session", "turn" };

static const char *const flag_names[] = {
	"protected", "exact", "raw", "hoistable", "guardrail", "stability-written", "inline", "generated", "list", "continuation",
};
static const char *const filter_names[FILTER_KIND_COUNT] = { "json", "xml", "fence", "lines", "bullets", "join", "default" };
static const char *const cond_names[COND_OP_COUNT] = {
	"", "", "", "", "has", "count", "repeats", "", "matches", "in", "not", "and", "or", "tokens", "messages",
};
static const char *const cmp_names[CMP_COUNT] = { "==", "!=", "<", "<=", ">", ">=" };

static bool is_word(Str s)
{
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = (uint8_t)s.p[i];
		if (c < 0x80 && !(c >= '0' && c <= '9') && !((c | 32) >= 'a' && (c | 32) <= 'z') && c != '_' && c != '-' && c != '.')
			return false;
	}
	return s.n > 0;
}

void seg_print_name(Buf *out, Str name)
{
	if (is_word(name))
		buf_put(out, name);
	else
		buf_json_str(out, name);
}

void seg_print_flags(Buf *out, uint32_t flags)
{
	for (uint32_t i = 0; i < sizeof flag_names / sizeof *flag_names; i++)
		if (flags >> i & 1)
			buf_printf(out, " %s", flag_names[i]);
}

void seg_print_ref(Buf *out, RefKind kind, Str name, Str field)
{
	static const char *const prefix[REF_KIND_COUNT] = { "", "loop ", "index ", "stage ", "reply ", "target " };
	buf_putz(out, prefix[kind]);
	seg_print_name(out, name);
	if (field.n) {
		buf_byte(out, '.');
		seg_print_name(out, field);
	}
}

void seg_print_cond(Buf *out, bool is_first, CondOp op, CmpOp cmp, uint32_t n_arg, Str ref, Str s)
{
	if (!is_first)
		buf_byte(out, ' ');
	if (op == COND_CMP)
		buf_putz(out, cmp_names[cmp]);
	else if (op == COND_STR)
		buf_json_str(out, s);
	else if (op == COND_NUM || op == COND_NAME)
		buf_put(out, s);
	buf_putz(out, cond_names[op]);
	if (op == COND_IN)
		buf_printf(out, "/%u", n_arg);
	if (ref.n)
		buf_printf(out, *cond_names[op] ? "(%.*s)" : "%.*s", STR_ARG(ref));
	if (op == COND_MATCH) {
		buf_byte(out, ' ');
		buf_json_str(out, s);
	}
}

void seg_print_filter(Buf *out, FilterKind kind, Str arg)
{
	buf_printf(out, " | %s", filter_names[kind]);
	if (arg.n || kind == FILTER_JOIN || kind == FILTER_DEFAULT) {
		buf_byte(out, '(');
		buf_json_str(out, arg);
		buf_byte(out, ')');
	}
}

uint32_t seg_depth(SegKind kind, uint32_t depth, uint32_t *at)
{
	SegShape shape = seg_info[kind].shape;
	uint32_t outer = depth ? depth - 1 : 0;
	*at = shape == SEG_ARM || shape == SEG_END ? outer : depth;
	return shape == SEG_BEGIN ? depth + 1 : shape == SEG_END ? outer : depth;
}

static bool has_role(SegKind kind)
{
	return kind == SEG_MESSAGE || kind == SEG_STAGE || kind == SEG_RESULT;
}

/* Stability is said where a cache could cut: on what a declaration made. */
static bool has_stability(SegKind kind)
{
	return kind == SEG_HISTORY || (seg_info[kind].shape == SEG_BEGIN && kind != SEG_IF && kind != SEG_FOR && kind != SEG_BLOCK);
}

void seg_print(Buf *out, uint32_t depth, const SegView *v)
{
	if (seg_info[v->kind].shape == SEG_END)
		return;
	buf_fill(out, ' ', 2 * (size_t)depth);
	buf_putz(out, seg_info[v->kind].printed);
	if (has_role(v->kind))
		buf_printf(out, " %s", role_names[v->role]);
	if (v->modality)
		buf_printf(out, " %s", modality_names[v->modality]);
	if (v->name.n) {
		buf_byte(out, ' ');
		seg_print_name(out, v->name);
	}
	if (v->ref.n)
		buf_printf(out, " {%.*s%.*s}", STR_ARG(v->ref), STR_ARG(v->filter));
	if (has_stability(v->kind))
		buf_printf(out, " @%s", stability_names[v->stability]);
	if (v->cond.n)
		buf_printf(out, " [%.*s]", STR_ARG(v->cond));
	if (v->aux != BIN_NONE && (v->kind == SEG_CONTEXT || v->kind == SEG_EXAMPLE))
		buf_printf(out, " top %u", v->aux);
	if (v->squash >= 0)
		buf_printf(out, " squash %.6g", v->squash);
	if (v->weight >= 0)
		buf_printf(out, " weight %.6g", v->weight);
	seg_print_flags(out, v->flags);
	if (v->text.n) {
		buf_byte(out, ' ');
		buf_json_str(out, v->text);
	}
	buf_byte(out, '\n');
}
