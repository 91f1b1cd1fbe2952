/* Loaders: what a file is, the dispatch, and what all of them share. See load.h and load_each.h. */
#include "runtime/token/load.h"

#include <stdarg.h>
#include <stdio.h>

#include "runtime/base/utf8.h"
#include "runtime/token/load_each.h"

/* ---- what it is ---------------------------------------------------------------------------------- */

static bool is_base64(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/' || c == '=';
}

static bool is_rank_line(Str rest)
{
	Str line;
	if (!str_line(&rest, &line))
		return false;
	size_t at = 0, digit = 0;
	while (at < line.n && is_base64(line.p[at]))
		at++;
	if (!at || at == line.n || line.p[at++] != ' ')
		return false;
	while (at + digit < line.n && line.p[at + digit] >= '0' && line.p[at + digit] <= '9')
		digit++;
	return digit && (at + digit == line.n || (at + digit + 1 == line.n && line.p[at + digit] == '\r'));
}

VocabFormat vocab_format_of(Str bytes)
{
	if (is_rank_line(bytes))
		return FORMAT_TIKTOKEN;
	return FORMAT_COUNT;
}

/* ---- failing ------------------------------------------------------------------------------------- */

bool load_fail(Load *l, size_t offset, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	l->why = str_vfmt(l->a, fmt, ap);
	va_end(ap);
	l->offset = offset;
	return false;
}

bool load_fail_at(Load *l, const JsonNode *x, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	Str what = str_vfmt(l->a, fmt, ap), path = json_pointer_at(l->a, l->json, x->lo);
	va_end(ap);
	l->why = path.n ? str_fmt(l->a, "%.*s: %.*s", STR_ARG(path), STR_ARG(what)) : what;
	l->offset = x->lo;
	return false;
}

enum { SHOWN_BYTES = 60 };

Str load_shown(Load *l, Str s)
{
	Buf b = { 0 };
	size_t at = 0;
	buf_byte(&b, '"');
	while (at < s.n && at < SHOWN_BYTES) {
		uint32_t cp, n = utf8_decode(s, at, &cp);
		if (cp == UTF8_BAD || cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
			buf_printf(&b, "\\x%02X", (unsigned char)s.p[at]), n = 1;
		else
			buf_put(&b, str_sub(s, at, at + n));
		at += n;
	}
	buf_putz(&b, at < s.n ? "...\"" : "\"");
	Str shown = str_dup(l->a, buf_str(&b));
	buf_free(&b);
	return shown;
}

/* ---- tokens -------------------------------------------------------------------------------------- */

static void widen(Load *l, uint32_t want)
{
	VocabSource *v = l->out;
	uint32_t cap = l->cap ? l->cap : 1024;
	while (cap < want)
		cap *= 2;
	if (cap != l->cap) {
		v->token = arena_grow(l->a, v->token, l->cap * sizeof *v->token, cap * sizeof *v->token);
		v->type = arena_grow(l->a, v->type, l->cap, cap);
		l->cap = cap;
	}
	for (; v->n_token < want; v->n_token++) {
		v->token[v->n_token] = (Str){ "", 0 };
		v->type[v->n_token] = TOKEN_UNUSED;
	}
}

bool load_put(Load *l, size_t offset, uint64_t id, Str bytes, TokenType type)
{
	VocabSource *v = l->out;
	if (id >= VOCAB_MAX_TOKENS)
		return load_fail(l, offset, "an id above %d", VOCAB_MAX_TOKENS - 1);
	if (id < v->n_token && (v->token[id].n || v->type[id] != TOKEN_UNUSED))
		return load_fail(l, offset, "id %llu stands twice", (unsigned long long)id);
	if (id >= v->n_token)
		widen(l, (uint32_t)id + 1);
	v->token[id] = bytes;
	v->type[id] = (uint8_t)type;
	return true;
}

bool load_text_once(Load *l, size_t offset, Str text, uint32_t id)
{
	void *before = map_add(l->a, &l->by_text, text, (void *)((uintptr_t)id + 1));
	if (!before)
		return true;
	Str shown = load_shown(l, text);
	return load_fail(l, offset, "%.*s stands twice", STR_ARG(shown));
}

uint32_t load_id_of(const Load *l, Str text)
{
	uintptr_t id_1 = (uintptr_t)map_get(&l->by_text, text);
	return id_1 ? (uint32_t)(id_1 - 1) : TOKEN_NONE;
}

/* ---- the split ----------------------------------------------------------------------------------- */

static const char *const split_name[] = {
#define SPLIT(id, name, ...) name,
#include "runtime/token/split.def"
#undef SPLIT
};

bool load_need_split(Load *l, const char *format)
{
	if (l->split == SPLIT_COUNT)
		return load_fail(l, 0, "a %s file does not say how a text is split: name the pre-tokenizer", format);
	l->out->split = l->split;
	return true;
}

static bool find_split(const char *name, VocabSplit *split)
{
	for (*split = 0; *split < SPLIT_COUNT; ++*split)
		if (!name || !strcmp(name, split_name[*split])) {
			*split = name ? *split : SPLIT_COUNT;
			return true;
		}
	return false;
}

/* ---- dispatch ------------------------------------------------------------------------------------ */

static const struct { const char *name; bool (*load)(Load *l); } format_row[FORMAT_COUNT] = {
	[FORMAT_TIKTOKEN] = { "tiktoken", load_tiktoken },
};

static bool load_as(Load *l, VocabFormat format, const char *split)
{
	if (format >= FORMAT_COUNT || !format_row[format].load)
		return load_fail(l, 0, "not a vocabulary format that is known");
	if (!find_split(split, &l->split)) {
		Str shown = load_shown(l, str_from(split));
		return load_fail(l, 0, "no pre-tokenizer is named %.*s", STR_ARG(shown));
	}
	if (!format_row[format].load(l))
		return false;
	return l->out->n_token || load_fail(l, 0, "a vocabulary without a token");
}

bool vocab_load(Arena *a, VocabFormat format, Str bytes, const char *split, VocabSource *out, Str *why, size_t *offset)
{
	*out = (VocabSource){ .bos = TOKEN_NONE, .eos = TOKEN_NONE, .unk = TOKEN_NONE };
	Load l = { .a = a, .bytes = bytes, .out = out };
	if (load_as(&l, format, split))
		return true;
	*why = l.why;
	*offset = l.offset;
	return false;
}
