/* About how many tokens: see estimate.h. */
#include "runtime/token/estimate.h"

enum { WORD_BYTES = 12, NUMBER_BYTES = 3, SIGN_BYTES = 2 };

typedef enum ByteKind { BYTE_LETTER, BYTE_DIGIT, BYTE_SIGN, BYTE_BLANK, BYTE_LEAD, BYTE_FOLLOW } ByteKind;

static ByteKind byte_kind(unsigned char c)
{
	if (c >= 0x80)
		return c >= 0xc0 ? BYTE_LEAD : BYTE_FOLLOW;
	if (c == ' ' || (c >= '\t' && c <= '\r'))
		return BYTE_BLANK;
	if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
		return BYTE_LETTER;
	return c >= '0' && c <= '9' ? BYTE_DIGIT : BYTE_SIGN;
}

static uint64_t parts(size_t n, size_t size)
{
	return (n + size - 1) / size;
}

/* In quarters of a token: those of a run of one kind. */
static uint64_t run_quarters(ByteKind kind, Str run)
{
	switch (kind) {
	case BYTE_LETTER: return 4 * parts(run.n, WORD_BYTES);
	case BYTE_DIGIT: return 4 * parts(run.n, NUMBER_BYTES);
	case BYTE_SIGN: return 4 * parts(run.n, SIGN_BYTES);
	case BYTE_BLANK: return memchr(run.p, '\n', run.n) ? 4 : 0;
	case BYTE_LEAD: return 3 * run.n;
	default: return 0;
	}
}

uint64_t token_estimate(Str text)
{
	uint64_t quarters = 0;
	for (size_t at = 0, end; at < text.n; at = end) {
		ByteKind kind = byte_kind((unsigned char)text.p[at]);
		for (end = at + 1; end < text.n && byte_kind((unsigned char)text.p[end]) == kind; )
			end++;
		quarters += run_quarters(kind, str_sub(text, at, end));
	}
	return (quarters + 2) / 4;
}
