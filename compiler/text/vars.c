/* Scans for variables. See vars.h. */
#include "compiler/text/vars.h"

#include "runtime/base/utf8.h"

/* End of the name that starts at at; at itself if none does. */
static size_t name_end(Str s, size_t at)
{
	size_t start = at;
	while (at < s.n) {
		uint32_t cp;
		uint32_t len = utf8_decode(s, at, &cp);
		bool ok = cp == '_' || (at == start ? utf8_is_xid_start(cp) : utf8_is_xid_continue(cp));
		if (!ok)
			break;
		at += len;
	}
	return at;
}

static size_t dotted_end(Str s, size_t at)
{
	size_t end = name_end(s, at);
	while (end > at && end < s.n && s.p[end] == '.') {
		size_t next = name_end(s, end + 1);
		if (next == end + 1)
			break;
		end = next;
	}
	return end;
}

static size_t skip_blanks(Str s, size_t at)
{
	while (at < s.n && (s.p[at] == ' ' || s.p[at] == '\t'))
		at++;
	return at;
}

static bool starts_at(Str s, size_t at, const char *mark)
{
	size_t n = strlen(mark);
	return at + n <= s.n && !memcmp(s.p + at, mark, n);
}

/* `{{{{` is an escape; otherwise `{{`, blanks, name, blanks, `}}`. */
static bool mustache_at(Str s, size_t at, VarSpan *out)
{
	if (!starts_at(s, at, "{{"))
		return false;
	out->lo = at;
	out->name_lo = skip_blanks(s, at + 2);
	out->name_hi = dotted_end(s, out->name_lo);
	size_t close = skip_blanks(s, out->name_hi);
	out->hi = close + 2;
	return out->name_hi > out->name_lo && starts_at(s, close, "}}");
}

static bool brace_at(Str s, size_t at, VarSpan *out)
{
	if (s.p[at] != '{' || (at && strchr("{$\\", s.p[at - 1])))
		return false;
	out->lo = at;
	out->name_lo = at + 1;
	out->name_hi = name_end(s, at + 1);
	out->hi = out->name_hi + 1;
	return out->name_hi > out->name_lo && starts_at(s, out->name_hi, "}") &&
	       !starts_at(s, out->name_hi, "}}");
}

static bool dollar_at(Str s, size_t at, VarSpan *out)
{
	if (s.p[at] != '$' || (at && strchr("$\\", s.p[at - 1])))
		return false;
	bool braced = starts_at(s, at, "${");
	out->lo = at;
	out->name_lo = at + 1 + braced;
	out->name_hi = name_end(s, out->name_lo);
	out->hi = out->name_hi + braced;
	return out->name_hi > out->name_lo && (!braced || starts_at(s, out->name_hi, "}"));
}

bool vars_next(Str s, size_t from, VarStyle style, VarSpan *out)
{
	char mark = style == VARS_DOLLAR ? '$' : '{';
	for (size_t at = from; style != VARS_NONE && at < s.n; at++) {
		const char *hit = memchr(s.p + at, mark, s.n - at);
		if (!hit)
			return false;
		at = (size_t)(hit - s.p);
		if (style == VARS_MUSTACHE && starts_at(s, at, "{{{{")) {
			at += 3;
			continue;
		}
		if (style == VARS_MUSTACHE ? mustache_at(s, at, out)
		    : style == VARS_BRACE ? brace_at(s, at, out) : dollar_at(s, at, out))
			return true;
	}
	return false;
}

VarStyle vars_style_of(Str s)
{
	static const VarStyle order[] = { VARS_MUSTACHE, VARS_DOLLAR, VARS_BRACE };
	VarStyle best = VARS_NONE;
	size_t best_n = 0;
	for (size_t i = 0; i < 3; i++) {
		VarSpan v = { 0 };
		size_t n = 0;
		for (size_t at = 0; vars_next(s, at, order[i], &v); at = v.hi)
			n++;
		if (n > best_n)
			best_n = n, best = order[i];
	}
	return best;
}
