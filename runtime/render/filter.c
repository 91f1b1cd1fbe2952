/* Filters: see filter.h. A list stays a list of texts until a joining filter (or the end) makes it one. */
#include "runtime/render/filter.h"

#include "runtime/base/vec.h"

typedef struct Filtered {
	VEC(Str) item;
	bool is_list;
} Filtered;

uint32_t text_longest_run(Str s, char c)
{
	uint32_t best = 0, run = 0;
	for (size_t i = 0; i < s.n; i++) {
		run = s.p[i] == c ? run + 1 : 0;
		if (run > best)
			best = run;
	}
	return best;
}

static Str text_of_buf(Arena *a, Buf *b)
{
	Str s = str_dup(a, buf_str(b));
	buf_free(b);
	return s;
}

static Str json_text(Arena *a, const JsonNode *x)
{
	Buf b = { 0 };
	json_write(&b, x, JSON_AS_IS);
	return text_of_buf(a, &b);
}

/* A turn prints as `role: content`, a document as its text, a scalar as itself, the rest as JSON. */
static Str item_text(Arena *a, const JsonNode *x)
{
	if (x->kind == JSON_STRING || x->kind == JSON_NUMBER)
		return x->text;
	if (x->kind == JSON_BOOL)
		return x->truth ? STR("true") : STR("false");
	const JsonNode *role = json_get(x, "role"), *content = json_get(x, "content"), *text = json_get(x, "text");
	if (role && role->kind == JSON_STRING && content && content->kind == JSON_STRING)
		return str_fmt(a, "%.*s: %.*s", STR_ARG(role->text), STR_ARG(content->text));
	if (text && text->kind == JSON_STRING)
		return text->text;
	return json_text(a, x);
}

static Filtered filtered_of(Arena *a, Value v)
{
	Filtered f = { 0 };
	if (v.json && v.json->kind == JSON_ARRAY) {
		f.is_list = true;
		for (uint32_t i = 0; i < v.json->n; i++)
			vec_push(a, &f.item, item_text(a, v.json->item[i]));
	} else if (v.json) {
		vec_push(a, &f.item, item_text(a, v.json));
	} else {
		vec_push(a, &f.item, v.text);
	}
	return f;
}

static void filtered_set(Arena *a, Filtered *f, Str s)
{
	f->item.n = 0;
	f->is_list = false;
	vec_push(a, &f->item, s);
}

static void put_indented(Buf *b, Str s)
{
	for (size_t i = 0; i < s.n; i++) {
		buf_byte(b, s.p[i]);
		if (s.p[i] == '\n' && i + 1 < s.n && s.p[i + 1] != '\n')
			buf_lit(b, "  ");
	}
}

static Str filtered_join(Arena *a, const Filtered *f, Str between, Str before)
{
	if (f->item.n == 1 && !before.n)
		return f->item.v[0];
	Buf b = { 0 };
	for (uint32_t i = 0; i < f->item.n; i++) {
		if (i)
			buf_put(&b, between);
		buf_put(&b, before);
		if (before.n)
			put_indented(&b, f->item.v[i]);
		else
			buf_put(&b, f->item.v[i]);
	}
	return text_of_buf(a, &b);
}

static Str xml_escape(Arena *a, Str s)
{
	Buf b = { 0 };
	for (size_t i = 0; i < s.n; i++) {
		switch (s.p[i]) {
		case '&': buf_lit(&b, "&amp;"); break;
		case '<': buf_lit(&b, "&lt;"); break;
		case '>': buf_lit(&b, "&gt;"); break;
		case '"': buf_lit(&b, "&quot;"); break;
		default: buf_byte(&b, s.p[i]); break;
		}
	}
	return text_of_buf(a, &b);
}

/* The fence is longer than any run of its character inside, so that nothing inside can close it. */
static Str fence_text(Arena *a, Str s, Str info)
{
	char mark = info.n && memchr(info.p, '`', info.n) ? '~' : '`';
	uint32_t n = text_longest_run(s, mark) + 1;
	Buf b = { 0 };
	buf_fill(&b, mark, n < 3 ? 3 : n);
	buf_put(&b, info);
	buf_byte(&b, '\n');
	buf_put(&b, s);
	if (s.n && s.p[s.n - 1] != '\n')
		buf_byte(&b, '\n');
	buf_fill(&b, mark, n < 3 ? 3 : n);
	return text_of_buf(a, &b);
}

static Str quoted_json(Arena *a, Str s)
{
	Buf b = { 0 };
	buf_json_str(&b, s);
	return text_of_buf(a, &b);
}

static void apply_one(Arena *a, const BinFilter *k, Str arg, Value v, bool first, Filtered *f)
{
	switch (k->kind) {
	case FILTER_JSON:
		filtered_set(a, f, first && v.json ? json_text(a, v.json) : quoted_json(a, filtered_join(a, f, STR("\n"), STR(""))));
		break;
	case FILTER_XML:
		for (uint32_t i = 0; i < f->item.n; i++)
			f->item.v[i] = xml_escape(a, f->item.v[i]);
		break;
	case FILTER_FENCE: filtered_set(a, f, fence_text(a, filtered_join(a, f, STR("\n"), STR("")), arg)); break;
	case FILTER_LINES: filtered_set(a, f, filtered_join(a, f, STR("\n"), STR(""))); break;
	case FILTER_BULLETS: filtered_set(a, f, f->item.n ? filtered_join(a, f, STR("\n"), STR("- ")) : STR("")); break;
	case FILTER_JOIN: filtered_set(a, f, filtered_join(a, f, arg, STR(""))); break;
	default: break;
	}
}

bool filter_has(const Bin *bin, BinRange filters, FilterKind kind)
{
	for (uint32_t i = 0; i < filters.n; i++)
		if (bin->filter[filters.first + i].kind == (uint32_t)kind)
			return true;
	return false;
}

Str filter_apply(const Bin *bin, Arena *arena, BinRange filters, Value value, bool *absent)
{
	*absent = value.state != VALUE_BOUND;
	for (uint32_t i = 0; *absent && i < filters.n; i++) {
		const BinFilter *k = &bin->filter[filters.first + i];
		if (k->kind != FILTER_DEFAULT)
			continue;
		value = (Value){ VALUE_BOUND, bin_str(bin, k->arg), json_new_text(arena, bin_str(bin, k->arg)) };
		*absent = false;
	}
	if (*absent)
		return (Str){ 0 };
	Filtered f = filtered_of(arena, value);
	bool first = true;
	for (uint32_t i = 0; i < filters.n; i++) {
		const BinFilter *k = &bin->filter[filters.first + i];
		if (k->kind == FILTER_DEFAULT)
			continue;
		apply_one(arena, k, bin_str(bin, k->arg), value, first, &f);
		first = false;
	}
	return filtered_join(arena, &f, STR("\n"), STR(""));
}
