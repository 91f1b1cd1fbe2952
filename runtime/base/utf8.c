/* UTF-8: see utf8.h. Decoding is by hand (it must say where an invalid sequence starts and never read
 * past the end); every table comes from utf8proc. */
#include "runtime/base/utf8.h"

#include <stdlib.h>
#include <utf8proc.h>

/* Shape of a sequence by its lead byte: bytes, and the range of the second byte (Unicode table 3-7). */
typedef struct Lead {
	uint8_t n, lo, hi;
} Lead;

static Lead lead_of(unsigned char c)
{
	if (c < 0x80)
		return (Lead){ 1, 0, 0 };
	if (c < 0xC2 || c > 0xF4)
		return (Lead){ 0, 0, 0 };
	if (c < 0xE0)
		return (Lead){ 2, 0x80, 0xBF };
	if (c < 0xF0)
		return (Lead){ 3, c == 0xE0 ? 0xA0 : 0x80, c == 0xED ? 0x9F : 0xBF };
	return (Lead){ 4, c == 0xF0 ? 0x90 : 0x80, c == 0xF4 ? 0x8F : 0xBF };
}

uint32_t utf8_decode(Str s, size_t at, uint32_t *cp)
{
	const unsigned char *p = (const unsigned char *)s.p + at;
	Lead lead = lead_of(*p);
	*cp = UTF8_BAD;
	if (lead.n == 1) {
		*cp = *p;
		return 1;
	}
	if (!lead.n || lead.n > s.n - at || p[1] < lead.lo || p[1] > lead.hi)
		return 1;
	uint32_t v = *p & (0x7Fu >> lead.n);
	for (uint32_t i = 1; i < lead.n; i++) {
		if ((p[i] & 0xC0) != 0x80)
			return 1;
		v = v << 6 | (p[i] & 0x3F);
	}
	*cp = v;
	return lead.n;
}

size_t utf8_skip_ascii(Str s, size_t at)
{
	uint64_t w;
	for (; at + sizeof w <= s.n; at += sizeof w) {
		memcpy(&w, s.p + at, sizeof w);
		if (w & 0x8080808080808080u)
			break;
	}
	while (at < s.n && (unsigned char)s.p[at] < 0x80)
		at++;
	return at;
}

/* Past characters of three bytes whose second byte may be any: all but those of the leads E0 and ED. */
static size_t skip_wide(Str s, size_t at)
{
	const unsigned char *p = (const unsigned char *)s.p;
	while (at + 3 <= s.n && p[at] > 0xE0 && p[at] < 0xF0 && p[at] != 0xED && (p[at + 1] & p[at + 2] & 0xC0) == 0x80 &&
	       !((p[at + 1] | p[at + 2]) & 0x40))
		at += 3;
	return at;
}

size_t utf8_find_bad(Str s)
{
	for (size_t at = utf8_skip_ascii(s, 0); at < s.n;) {
		uint32_t cp, n = utf8_decode(s, at, &cp);
		if (cp == UTF8_BAD)
			return at;
		at = skip_wide(s, at + n);
		if (at < s.n && (unsigned char)s.p[at] < 0x80)
			at = utf8_skip_ascii(s, at);
	}
	return s.n;
}

uint32_t utf8_encode(uint32_t cp, char out[4])
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		return 0;
	uint32_t n = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
	for (uint32_t i = n; i-- > 1; cp >>= 6)
		out[i] = (char)(0x80 | (cp & 0x3F));
	out[0] = (char)((0xF00 >> n & 0xFF) | cp);
	return n;
}

size_t utf8_count(Str s)
{
	size_t count = 0;
	uint32_t cp;
	for (size_t at = 0; at < s.n; count++)
		at += utf8_decode(s, at, &cp);
	return count;
}

size_t utf8_count_utf16(Str s)
{
	size_t count = 0;
	uint32_t cp;
	for (size_t at = 0; at < s.n; count++) {
		at += utf8_decode(s, at, &cp);
		count += cp != UTF8_BAD && cp > 0xFFFF;
	}
	return count;
}

static bool is_plain_ascii(Str s, size_t at)
{
	return at >= s.n || ((unsigned char)s.p[at] < 0x80 && s.p[at] != '\n');
}

size_t utf8_cluster_len(Str s, size_t at)
{
	uint32_t cp, next;
	if (at >= s.n)
		return 0;
	size_t end = at + utf8_decode(s, at, &cp);
	if (cp < 0x80 && is_plain_ascii(s, end))
		return 1;
	utf8proc_int32_t state = 0;
	while (end < s.n && cp != UTF8_BAD) {
		uint32_t n = utf8_decode(s, end, &next);
		if (next == UTF8_BAD || utf8proc_grapheme_break_stateful((utf8proc_int32_t)cp, (utf8proc_int32_t)next, &state))
			break;
		end += n;
		cp = next;
	}
	return end - at;
}

static bool is_regional(uint32_t cp)
{
	return cp >= 0x1F1E6 && cp <= 0x1F1FF;
}

size_t utf8_cluster_width(Str cluster)
{
	size_t width = 0, at = 0;
	uint32_t cp, first = 0;
	while (at < cluster.n) {
		at += utf8_decode(cluster, at, &cp);
		if (!first)
			first = cp;
		size_t w = cp == UTF8_BAD ? 1 : (size_t)utf8proc_charwidth((utf8proc_int32_t)cp);
		if (cp == 0xFE0F || (is_regional(cp) && is_regional(first)))
			w = 2;  /* emoji presentation; a flag */
		if (w > width)
			width = w;
	}
	return width;
}

size_t utf8_width(Str s)
{
	size_t width = 0;
	for (size_t at = 0, n; at < s.n; at += n) {
		n = utf8_cluster_len(s, at);
		width += utf8_cluster_width(str_sub(s, at, at + n));
	}
	return width;
}

typedef struct CodeRange {
	uint32_t lo, hi;
} CodeRange;

static bool in_ranges(uint32_t cp, const CodeRange *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cp >= r[i].lo && cp <= r[i].hi)
			return true;
	return false;
}

#define IN(cp, table) in_ranges((cp), (table), sizeof(table) / sizeof(table)[0])

/* PropList.txt: Other_ID_Start, Other_ID_Continue; letters that are Pattern_Syntax. */
static const CodeRange other_start[] = {
	{ 0x1885, 0x1886 }, { 0x2118, 0x2118 }, { 0x212E, 0x212E },
};
static const CodeRange other_continue[] = {
	{ 0xB7, 0xB7 }, { 0x387, 0x387 }, { 0x1369, 0x1371 }, { 0x19DA, 0x19DA },
};
static const CodeRange syntax_letter[] = { { 0x2E2F, 0x2E2F } };
/* UAX #31 5.1.1: what NFKC would turn into something that is no identifier. */
static const CodeRange not_xid[] = {
	{ 0x37A, 0x37A }, { 0xFC5E, 0xFC63 }, { 0xFDFA, 0xFDFB }, { 0xFE70, 0xFE70 }, { 0xFE72, 0xFE72 },
	{ 0xFE74, 0xFE74 }, { 0xFE76, 0xFE76 }, { 0xFE78, 0xFE78 }, { 0xFE7A, 0xFE7A }, { 0xFE7C, 0xFE7C },
	{ 0xFE7E, 0xFE7E }, { 0x309B, 0x309C },
};
static const CodeRange not_xid_start[] = { { 0xE33, 0xE33 }, { 0xEB3, 0xEB3 }, { 0xFF9E, 0xFF9F } };

static utf8proc_category_t category_of(uint32_t cp)
{
	return cp > 0x10FFFF ? UTF8PROC_CATEGORY_CN : utf8proc_category((utf8proc_int32_t)cp);
}

static bool is_id_letter(uint32_t cp)
{
	utf8proc_category_t c = category_of(cp);
	bool letter = (c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_LO) || c == UTF8PROC_CATEGORY_NL;
	return (letter && !IN(cp, syntax_letter)) || IN(cp, other_start);
}

bool utf8_is_xid_start(uint32_t cp)
{
	if (cp < 0x80)
		return (cp | 32) >= 'a' && (cp | 32) <= 'z';
	return is_id_letter(cp) && !IN(cp, not_xid) && !IN(cp, not_xid_start);
}

bool utf8_is_xid_continue(uint32_t cp)
{
	if (cp < 0x80)
		return ((cp | 32) >= 'a' && (cp | 32) <= 'z') || (cp >= '0' && cp <= '9') || cp == '_';
	utf8proc_category_t c = category_of(cp);
	bool more = c == UTF8PROC_CATEGORY_MN || c == UTF8PROC_CATEGORY_MC || c == UTF8PROC_CATEGORY_ND
		|| c == UTF8PROC_CATEGORY_PC;
	return (more || is_id_letter(cp) || IN(cp, other_continue)) && !IN(cp, not_xid);
}

const char *utf8_category(uint32_t cp)
{
	return cp > 0x10FFFF ? "Cn" : utf8proc_category_string((utf8proc_int32_t)cp);
}

static bool needs_no_work(Str s, Utf8Form form)
{
	bool fold = form == UTF8_NFKC_CASEFOLD || form == UTF8_NFC_CASEFOLD;
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80 || (fold && s.p[i] >= 'A' && s.p[i] <= 'Z'))
			return false;
	return true;
}

Str utf8_normal(Arena *a, Str s, Utf8Form form)
{
	static const int option[] = {
		[UTF8_NFC] = UTF8PROC_COMPOSE,
		[UTF8_NFD] = UTF8PROC_DECOMPOSE,
		[UTF8_NFKC] = UTF8PROC_COMPOSE | UTF8PROC_COMPAT,
		[UTF8_NFKD] = UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT,
		[UTF8_NFKC_CASEFOLD] = UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE,
		[UTF8_NFC_CASEFOLD] = UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD,
	};
	if (needs_no_work(s, form))
		return s;
	utf8proc_uint8_t *out = NULL;
	utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)s.p, (utf8proc_ssize_t)s.n, &out,
		(utf8proc_option_t)(option[form] | UTF8PROC_STABLE));
	Str result = n >= 0 && out ? str_dup(a, (Str){ (const char *)out, (size_t)n }) : s;
	free(out);
	return result;
}
