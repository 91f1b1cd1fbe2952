/* The text layer: runs inside prose that word rules leave alone. See text_layer.h. */
#include "compiler/text/text_scan.h"

enum { TICKS_MAX = 32, LITERAL_BYTES_MAX = 240, HOLE_BYTES_MAX = 240 };

typedef struct Prose {
	Arena *arena;
	TextLayer *t;
	const char *p;
	uint32_t at, end;          /* of the block's body */
	uint32_t no_close;         /* bit n: no closing run of n ticks is left in this block */
} Prose;

static void add_region(Prose *s, RegionKind kind, uint32_t lo, uint32_t hi, uint32_t mark_lo, uint32_t mark_hi)
{
	vec_push(s->arena, &s->t->region, (TextRegion){ kind, lo, hi, lo + mark_lo, hi - mark_hi });
	s->at = hi;
}

static uint32_t ticks_at(const Prose *s, uint32_t at)
{
	uint32_t n = 0;
	while (at + n < s->end && s->p[at + n] == '`')
		n++;
	return n;
}

static void take_code(Prose *s)
{
	uint32_t n = ticks_at(s, s->at), from = s->at + n;
	bool hopeless = n >= TICKS_MAX || s->no_close >> n & 1;
	for (uint32_t i = from; !hopeless && i < s->end;) {
		uint32_t m = ticks_at(s, i);
		if (m == n) {
			add_region(s, REGION_CODE, s->at, i + n, n, n);
			return;
		}
		i += m ? m : 1;
	}
	if (n < TICKS_MAX)
		s->no_close |= 1u << n;
	s->at = from;
}

static bool starts_with(const Prose *s, const char *z)
{
	size_t n = strlen(z);
	return s->end - s->at >= n && !memcmp(s->p + s->at, z, n);
}

static void take_url(Prose *s, uint32_t scheme)
{
	uint32_t i = s->at + scheme;
	while (i < s->end && (unsigned char)s->p[i] > ' ' && !strchr("<>\"`|\\^{}", s->p[i]))
		i++;
	while (i > s->at + scheme && strchr(".,;:!?)]'*_", s->p[i - 1]))
		i--;
	add_region(s, REGION_URL, s->at, i, 0, 0);
}

/* A quotation on one line, from its opening mark to its closing one. */
static bool take_literal(Prose *s, const char *open, const char *close)
{
	if (!starts_with(s, open))
		return false;
	uint32_t n_open = (uint32_t)strlen(open), n_close = (uint32_t)strlen(close), from = s->at + n_open;
	uint32_t stop = s->end - from > LITERAL_BYTES_MAX ? from + LITERAL_BYTES_MAX : s->end;
	for (uint32_t i = from; i + n_close <= stop && s->p[i] != '\n'; i++)
		if (!memcmp(s->p + i, close, n_close)) {
			if (i == from)
				return false;
			add_region(s, REGION_LITERAL, s->at, i + n_close, n_open, n_close);
			return true;
		}
	return false;
}

static bool take_hole(Prose *s)
{
	if (!starts_with(s, "{{"))
		return false;
	uint32_t stop = s->end - s->at > HOLE_BYTES_MAX ? s->at + HOLE_BYTES_MAX : s->end;
	for (uint32_t i = s->at + 2; i + 1 < stop && s->p[i] != '\n' && s->p[i] != '{'; i++)
		if (s->p[i] == '}' && s->p[i + 1] == '}') {
			add_region(s, REGION_HOLE, s->at, i + 2, 2, 2);
			return true;
		}
	return false;
}

/* The next byte that a region may start with. */
static uint32_t next_opener(const Prose *s)
{
	static const bool opens[256] = { ['`'] = true, ['h'] = true, ['{'] = true, ['"'] = true, [0xe2] = true, [0xe3] = true };
	uint32_t at = s->at;
	while (at < s->end && !opens[(unsigned char)s->p[at]])
		at++;
	return at;
}

static void take_any(Prose *s)
{
	switch (s->p[s->at]) {
	case '`':
		take_code(s);
		return;
	case 'h':
		if (starts_with(s, "http://") || starts_with(s, "https://")) {
			take_url(s, starts_with(s, "http://") ? 7 : 8);
			return;
		}
		break;
	case '{':
		if (take_hole(s))
			return;
		break;
	case '"':
		if (take_literal(s, "\"", "\""))
			return;
		break;
	case '\xe2':
		if (take_literal(s, "\xe2\x80\x9c", "\xe2\x80\x9d"))
			return;
		break;
	case '\xe3':
		if (take_literal(s, "\xe3\x80\x8c", "\xe3\x80\x8d"))
			return;
		break;
	default: break;
	}
	s->at++;
}

static bool is_prose(const TextBlock *k)
{
	return k->kind == BLOCK_PARAGRAPH || k->kind == BLOCK_ITEM || k->kind == BLOCK_TABLE || k->kind == BLOCK_HEADING ||
		k->kind == BLOCK_TITLE;
}

void text_scan_regions(Arena *a, TextLayer *t)
{
	for (uint32_t i = 0; i < t->block.n; i++) {
		const TextBlock *k = &t->block.v[i];
		Prose s = { .arena = a, .t = t, .p = t->text.p, .at = k->body_lo, .end = k->body_hi };
		while (is_prose(k) && (s.at = next_opener(&s)) < s.end)
			take_any(&s);
	}
}

uint32_t text_region_at(const TextLayer *t, uint32_t off)
{
	uint32_t lo = 0, hi = t->region.n;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (t->region.v[mid].hi <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->region.n && t->region.v[lo].lo <= off ? lo : TEXT_NONE;
}

uint32_t text_block_at(const TextLayer *t, uint32_t off)
{
	uint32_t lo = 0, hi = t->block.n;
	while (lo + 1 < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (t->block.v[mid].lo <= off)
			lo = mid;
		else
			hi = mid;
	}
	return t->block.n ? lo : TEXT_NONE;
}

bool text_is_code(const TextLayer *t, uint32_t off)
{
	uint32_t b = text_block_at(t, off), r = text_region_at(t, off);
	if (b != TEXT_NONE && t->block.v[b].kind == BLOCK_FENCE)
		return true;
	return r != TEXT_NONE && (t->region.v[r].kind == REGION_CODE || t->region.v[r].kind == REGION_URL);
}
