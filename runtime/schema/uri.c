/* URI references: see uri.h. */
#include "runtime/schema/uri.h"

typedef struct Uri {
	Str scheme, authority, path, query;  /* p == NULL: the part is absent */
} Uri;

Str uri_split(Str uri, Str *fragment)
{
	size_t hash = str_find(uri, STR("#"), 0);
	*fragment = hash < uri.n ? str_sub(uri, hash + 1, uri.n) : (Str){ 0 };
	return str_sub(uri, 0, hash);
}

static bool is_scheme(Str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i], l = (char)(c | 32);
		bool letter = l >= 'a' && l <= 'z';
		if (!letter && (!i || !((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.')))
			return false;
	}
	return s.n > 0;
}

static Uri parse(Str s)
{
	Uri u = { 0 };
	size_t colon = str_find(s, STR(":"), 0), query = str_find(s, STR("?"), 0);
	if (colon < s.n && is_scheme(str_sub(s, 0, colon))) {
		u.scheme = str_sub(s, 0, colon);
		s = str_sub(s, colon + 1, s.n);
		query = str_find(s, STR("?"), 0);
	}
	if (query < s.n) {
		u.query = str_sub(s, query + 1, s.n);
		s = str_sub(s, 0, query);
	}
	if (str_starts(s, STR("//"))) {
		size_t end = str_find(s, STR("/"), 2);
		u.authority = str_sub(s, 2, end);
		s = str_sub(s, end, s.n);
	}
	u.path = s;
	return u;
}

static void drop_last_segment(Buf *out)
{
	while (out->n && out->p[--out->n] != '/')
		;
}

/* RFC 3986 5.2.4 on an absolute path. */
static void put_without_dots(Buf *out, Str path)
{
	size_t from = out->n, at = 0;
	while (at < path.n) {
		size_t end = str_find(path, STR("/"), at + 1);
		Str segment = str_sub(path, at, end);
		bool last = end == path.n;
		if (str_is(segment, "/.") || str_is(segment, "/..")) {
			if (segment.n == 3 && out->n > from)
				drop_last_segment(out);
			if (last)
				buf_byte(out, '/');
		} else {
			buf_put(out, segment);
		}
		at = end;
	}
}

static void put_path(Buf *out, const Uri *base, const Uri *ref)
{
	Buf merged = { 0 };
	if (ref->path.n && ref->path.p[0] == '/') {
		put_without_dots(out, ref->path);
		return;
	}
	size_t dir = base->path.n;
	while (dir && base->path.p[dir - 1] != '/')
		dir--;
	if (!dir && base->authority.p)
		buf_byte(&merged, '/');
	buf_put(&merged, str_sub(base->path, 0, dir));
	buf_put(&merged, ref->path);
	if (merged.n && merged.p[0] == '/') {
		put_without_dots(out, buf_str(&merged));
	} else {
		/* a base without a root ("urn:x", "a.json"): dots are removed as if it had one */
		Buf rooted = { 0 };
		buf_byte(&rooted, '/');
		buf_put(&rooted, buf_str(&merged));
		size_t from = out->n;
		put_without_dots(out, buf_str(&rooted));
		memmove(out->p + from, out->p + from + 1, out->n - from - 1);
		out->n--;
		buf_free(&rooted);
	}
	buf_free(&merged);
}

static void put_parts(Buf *b, const Uri *u)
{
	if (u->scheme.p) {
		buf_put(b, u->scheme);
		buf_byte(b, ':');
	}
	if (u->authority.p) {
		buf_lit(b, "//");
		buf_put(b, u->authority);
	}
}

Str uri_resolve(Arena *a, Str base_uri, Str ref_uri)
{
	Str fragment, ignored;
	Uri ref = parse(uri_split(ref_uri, &fragment)), base = parse(uri_split(base_uri, &ignored));
	Buf b = { 0 };
	Str query = ref.query;
	if (ref.scheme.p) {
		put_parts(&b, &ref);
		buf_put(&b, ref.path);
	} else if (ref.authority.p) {
		ref.scheme = base.scheme;
		put_parts(&b, &ref);
		put_without_dots(&b, ref.path);
	} else {
		put_parts(&b, &base);
		if (ref.path.n)
			put_path(&b, &base, &ref);
		else
			buf_put(&b, base.path);
		if (!ref.path.n && !ref.query.p)
			query = base.query;
	}
	if (query.p) {
		buf_byte(&b, '?');
		buf_put(&b, query);
	}
	if (fragment.p) {
		buf_byte(&b, '#');
		buf_put(&b, fragment);
	}
	Str out = str_dup(a, buf_str(&b));
	buf_free(&b);
	return out;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool uri_decode(Arena *a, Str s, Str *out)
{
	char *p = arena_alloc(a, s.n);
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '%') {
			p[n++] = s.p[i];
			continue;
		}
		int hi = i + 2 < s.n ? hex_value(s.p[i + 1]) : -1, lo = hi < 0 ? -1 : hex_value(s.p[i + 2]);
		if (lo < 0)
			return false;
		p[n++] = (char)(hi * 16 + lo);
		i += 2;
	}
	*out = (Str){ p, n };
	return true;
}

void uri_put_fragment(Buf *b, Str s)
{
	static const char safe[] = "-._~!$&'()*+,;=:@/?";
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i], l = (char)(c | 32);
		if ((l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || (c && strchr(safe, c)))
			buf_byte(b, c);
		else
			buf_printf(b, "%%%02X", (unsigned char)c);
	}
}
