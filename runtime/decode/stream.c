/* See stream.h. */
#include "runtime/decode/stream.h"

#include "runtime/base/utf8.h"

void stream_free(TextStream *s)
{
	buf_free(&s->text);
	*s = (TextStream){ 0 };
}

/* Whether more bytes could make a character of part: its first byte asks for more than there are, and
 * what is there is a beginning that some character has. */
static bool is_beginning(const char *part, uint32_t n)
{
	static const char fill[2] = { '\x80', '\xbf' };
	for (int i = 0; i < 2; i++) {
		char whole[4] = { fill[i], fill[i], fill[i], fill[i] };
		uint32_t cp;
		memcpy(whole, part, n);
		if (utf8_decode((Str){ whole, 4 }, 0, &cp) > n && cp != UTF8_BAD)
			return true;
	}
	return false;
}

static void put_byte(TextStream *s, char byte)
{
	uint32_t cp;
	s->part[s->n_part++] = byte;
	while (s->n_part) {
		uint32_t n = utf8_decode((Str){ s->part, s->n_part }, 0, &cp);
		if (cp == UTF8_BAD && is_beginning(s->part, s->n_part))
			return;
		buf_put(&s->text, cp == UTF8_BAD || !cp ? STR("\xef\xbf\xbd") : (Str){ s->part, n });
		s->n_part -= n;
		memmove(s->part, s->part + n, s->n_part);
	}
}

/* The first stop string that ends behind `from`, cut off; ties go to the one that begins first. */
static void find_stop(TextStream *s, size_t from)
{
	size_t first = s->text.n;
	for (uint32_t i = 0; i < s->n_stop; i++) {
		size_t n = s->stop[i].n, lo = from >= n - 1 ? from - (n - 1) : 0;
		size_t at = str_find(buf_str(&s->text), s->stop[i], lo > s->n_shown ? lo : s->n_shown);
		if (at < s->text.n) {
			s->is_stopped = true;
			first = at < first ? at : first;
		}
	}
	if (s->is_stopped)
		s->text.n = first;
}

/* Bytes at the text's end that a stop string may begin with. */
static size_t held_back(const TextStream *s)
{
	size_t most = 0, left = s->text.n - s->n_shown;
	for (uint32_t i = 0; i < s->n_stop; i++)
		for (size_t k = s->stop[i].n - 1; k > most; k--)
			if (k <= left && !memcmp(s->text.p + s->text.n - k, s->stop[i].p, k)) {
				most = k;
				break;
			}
	return most;
}

static Str show(TextStream *s, size_t to)
{
	Str shown = str_sub(buf_str(&s->text), s->n_shown, to);
	s->n_shown = to;
	return shown;
}

Str stream_put(TextStream *s, Str bytes)
{
	size_t from = s->text.n;
	if (s->is_stopped)
		return STR("");
	for (size_t i = 0; i < bytes.n; i++)
		put_byte(s, bytes.p[i]);
	find_stop(s, from);
	return show(s, s->is_stopped ? s->text.n : s->text.n - held_back(s));
}

Str stream_end(TextStream *s)
{
	if (s->n_part && !s->is_stopped)
		buf_lit(&s->text, "\xef\xbf\xbd");
	s->n_part = 0;
	return show(s, s->text.n);
}
