/* Buf: see buf.h. */
#include "runtime/base/buf.h"
#include "runtime/base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef SEED_STRESS
enum { BUF_FIRST = 1 };
#else
enum { BUF_FIRST = 256 };
#endif

void buf_free(Buf *b)
{
	free(b->p);
	*b = (Buf){ 0 };
}

void buf_reserve(Buf *b, size_t more)
{
	if (b->cap - b->n >= more)
		return;
	size_t cap = b->cap ? b->cap : BUF_FIRST;
	while (cap - b->n < more)
		cap *= 2;
	b->p = mem_must_grow(b->p, cap);
	b->cap = cap;
}

void buf_put(Buf *b, Str s)
{
	if (!s.n)
		return;
	buf_reserve(b, s.n);
	memcpy(b->p + b->n, s.p, s.n);
	b->n += s.n;
}

void buf_putz(Buf *b, const char *z)
{
	buf_put(b, str_from(z));
}

void buf_byte(Buf *b, char c)
{
	buf_reserve(b, 1);
	b->p[b->n++] = c;
}

void buf_fill(Buf *b, char c, size_t n)
{
	if (!n)
		return;
	buf_reserve(b, n);
	memset(b->p + b->n, c, n);
	b->n += n;
}

void buf_printf(Buf *b, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n > 0) {
		buf_reserve(b, (size_t)n + 1);
		vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
		b->n += (size_t)n;
	}
	va_end(again);
}

static const char *json_escape(unsigned char c)
{
	switch (c) {
	case '"': return "\\\"";
	case '\\': return "\\\\";
	case '\b': return "\\b";
	case '\f': return "\\f";
	case '\n': return "\\n";
	case '\r': return "\\r";
	case '\t': return "\\t";
	}
	return NULL;
}

static void json_valid_run(Buf *b, Str s)
{
	size_t from = 0;
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		buf_put(b, str_sub(s, from, i));
		const char *esc = json_escape(c);
		if (esc)
			buf_putz(b, esc);
		else
			buf_printf(b, "\\u%04x", c);
		from = i + 1;
	}
	buf_put(b, str_sub(s, from, s.n));
}

void buf_json_str(Buf *b, Str s)
{
	buf_byte(b, '"');
	for (;;) {
		size_t bad = utf8_find_bad(s);
		json_valid_run(b, str_sub(s, 0, bad));
		if (bad == s.n)
			break;
		buf_lit(b, "\xef\xbf\xbd");
		s = str_sub(s, bad + 1, s.n);
	}
	buf_byte(b, '"');
}
