/* Bodies and strings of the language, written. See sdtext.h. */
#include "compiler/front/sdtext.h"

#include "compiler/text/vars.h"
#include "grammar/grammar.h"

static bool is_blank_line(Str line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != ' ' && line.p[i] != '\t')
			return false;
	return true;
}

static Str last_line(Str s)
{
	size_t lo = s.n;
	while (lo && s.p[lo - 1] != '\n')
		lo--;
	return str_sub(s, lo, s.n);
}

/* `!#`, `!WORD` or `!!…`: a directive, a comment, an escaped one, or what warns as a misspelt one. */
static bool is_directive_line(Str line)
{
	size_t i = 0;
	while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t'))
		i++;
	if (i + 1 >= line.n || line.p[i] != '!')
		return false;
	char next = line.p[i + 1];
	return next == '#' || next == '!' || (next >= 'A' && next <= 'Z');
}

/* `{{{{`, or braces around a name, filtered or not. */
static bool has_hole(Str s)
{
	for (size_t at = str_find(s, STR("{{"), 0); at < s.n; at = str_find(s, STR("{{"), at + 1)) {
		if (at + 4 <= s.n && !memcmp(s.p + at, "{{{{", 4))
			return true;
		size_t end = str_find(s, STR("}}"), at + 2);
		size_t lf = str_find(s, STR("\n"), at + 2);
		if (end >= lf)
			continue;
		Str inner = str_trim(str_sub(s, at + 2, end));
		Str name = str_trim(str_sub(inner, 0, str_find(inner, STR("|"), 0)));
		Str root = str_sub(name, 0, str_find(name, STR("."), 0));
		if (grammar_is_name(root))
			return true;
	}
	return false;
}

SdNeeds sd_text_needs(Str s)
{
	SdNeeds need = { .live = has_hole(s) };
	Str rest = s, line = { 0 };
	bool first = true;
	while (str_line(&rest, &line)) {
		if (first && (is_blank_line(line) || line.p[0] == ' ' || line.p[0] == '\t'))
			need.exact = true;
		first = false;
		if (!need.directive && is_directive_line(line)) {
			need.directive = true;
			need.directive_at = (size_t)(line.p - s.p);
		}
	}
	need.live |= need.directive;
	need.exact |= !s.n || is_blank_line(last_line(s));
	return need;
}

void sd_put_body(TextBuf *out, const Text *message, bool exact, int indent)
{
	static const char spaces[] = "            ";
	textbuf_made(out, STR(":\n"));
	if (!message->s.n)
		return;
	size_t at = 0;
	for (;;) {
		size_t lf = str_find(message->s, STR("\n"), at);
		if (exact || lf > at) {
			textbuf_made(out, (Str){ spaces, (size_t)indent + 2 });
			if (exact)
				textbuf_made(out, STR("|"));
		}
		textbuf_text(out, message, at, lf);
		if (lf >= message->s.n)
			break;
		textbuf_text(out, message, lf, lf + 1);
		at = lf + 1;
	}
	textbuf_made(out, STR("\n"));
}

void sd_put_string(TextBuf *out, const Text *t)
{
	textbuf_made(out, STR("\""));
	for (size_t at = 0; at < t->s.n;) {
		size_t quote = str_find(t->s, STR("\""), at);
		textbuf_text(out, t, at, quote);
		if (quote < t->s.n)
			textbuf_made(out, STR("\"\""));
		at = quote + 1;
	}
	textbuf_made(out, STR("\""));
}
