/*
 * bin_open: header, section table, string pool, then every field by itself (bin_fields.def); what
 * fields mean together is checked by bin_check.c. Nothing here allocates or recurses; every sum of
 * offsets is made in 64 bits from values that were bounded first.
 */
#include "runtime/bin/bin_check.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "records are read in place: the format is little-endian"
#endif

#define TABLE(section, T, field, n_bytes) _Static_assert(sizeof(T) == n_bytes, #T " is n_bytes bytes, without padding");
#include "runtime/bin/bin_sections.def"
#undef TABLE

BinStatus bin_fault(const Bin *b, const void *at, const char *message, BinError *err)
{
	*err = (BinError){ (uint64_t)((const uint8_t *)at - b->bytes), message };
	return BIN_CORRUPT;
}

static BinStatus fail(BinError *err, BinStatus status, uint64_t off, const char *message)
{
	*err = (BinError){ off, message };
	return status;
}

static BinStatus check_header(Bin *b, BinError *err)
{
	if ((uintptr_t)b->bytes % BIN_ALIGN)
		return fail(err, BIN_NOT_BIN, 0, "the bytes are not aligned to 16");
	size_t n_magic = b->n_bytes < 8 ? b->n_bytes : 8;
	if (memcmp(b->bytes, BIN_MAGIC, n_magic))
		return fail(err, BIN_NOT_BIN, 0, "not a compiled prompt: it does not start with SEEDBIN");
	if (b->n_bytes < sizeof(BinHeader))
		return fail(err, BIN_TRUNCATED, b->n_bytes, "the file ends inside its header");
	const BinHeader *h = (const BinHeader *)b->bytes;
	b->header = h;
	if (h->version_major != BIN_VERSION_MAJOR)
		return fail(err, BIN_VERSION, 8, "written by another major version: compile the prompt again");
	if (h->file_size > b->n_bytes)
		return fail(err, BIN_TRUNCATED, b->n_bytes, "the file is shorter than its header says");
	if (h->file_size < b->n_bytes)
		return bin_fault(b, &h->file_size, "the file is longer than its header says", err);
	return BIN_OK;
}

/* Where a known table's view and record size go; NULL for a kind that is unknown here. */
static const void **find_table(Bin *b, uint32_t kind, uint32_t **n, uint32_t *record_size)
{
	switch (kind) {
#define TABLE(section, T, field, n_bytes) \
	case section: \
		*n = &b->n_##field; \
		*record_size = n_bytes; \
		return (const void **)&b->field;
#include "runtime/bin/bin_sections.def"
#undef TABLE
	default:
		return NULL;
	}
}

static BinStatus take_section(Bin *b, const BinSection *s, BinError *err)
{
	if (s->kind == SECTION_STR) {
		if (s->record_size != 1)
			return bin_fault(b, &s->record_size, "the string pool's records are bytes", err);
		b->pool = (Str){ (const char *)b->bytes + s->off, s->n_record };
		return BIN_OK;
	}
	if (s->kind == SECTION_KV) {
		b->kv = (Str){ (const char *)b->bytes + s->off, s->size };
		return BIN_OK;
	}
	uint32_t *n, record_size;
	const void **table = find_table(b, s->kind, &n, &record_size);
	if (!table && s->flags & SECTION_OPTIONAL)
		return BIN_OK;
	if (!table)
		return fail(err, BIN_VERSION, (uint64_t)((const uint8_t *)s - b->bytes), "a section that this reader does not know and may not skip");
	if (s->record_size != record_size)
		return bin_fault(b, &s->record_size, "the record size is not that of version 1", err);
	*table = b->bytes + s->off;
	*n = s->n_record;
	return BIN_OK;
}

/* Sections stand in the order of their kinds, each after the end of the one before. */
static BinStatus check_sections(Bin *b, BinError *err)
{
	const BinHeader *h = b->header;
	uint64_t n_section = h->n_section, end = h->section_off + n_section * sizeof(BinSection);
	if (h->section_off % 8 || h->section_off < sizeof *h)
		return bin_fault(b, &h->section_off, "the section table is misplaced", err);
	if (end > b->n_bytes)
		return bin_fault(b, &h->n_section, "the section table runs past the end", err);
	const BinSection *s = (const BinSection *)(b->bytes + h->section_off);
	for (uint64_t i = 0, kind = 0; i < n_section; kind = s->kind, i++, s++) {
		if (s->kind <= kind)
			return bin_fault(b, &s->kind, "sections are not in the order of their kinds", err);
		if (s->off % BIN_ALIGN || s->off < end || s->off > b->n_bytes || s->size > b->n_bytes - s->off)
			return bin_fault(b, &s->off, "a section overlaps another or runs past the end", err);
		if ((uint64_t)s->record_size * s->n_record != s->size)
			return bin_fault(b, &s->size, "a section's size is not its records'", err);
		if (s->flags & ~(uint32_t)SECTION_OPTIONAL)
			return bin_fault(b, &s->flags, "unknown section flags", err);
		end = s->off + s->size;
		BinStatus status = take_section(b, s, err);
		if (status)
			return status;
	}
	return BIN_OK;
}

/* Length of the valid sequence at p, 0 if it is none; NUL counts as none. RFC 3629, table 3-7. */
static size_t utf8_step(const uint8_t *p, size_t n)
{
	uint8_t c = p[0], lo = 0x80, hi = 0xBF;
	size_t len = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
	if (!c || !len || len > n)
		return 0;
	lo = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : lo;
	hi = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : hi;
	if (len > 1 && (p[1] < lo || p[1] > hi))
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((p[i] & 0xC0) != 0x80)
			return 0;
	return len;
}

/* Whole words of ASCII without a NUL. */
static size_t plain_words(const uint8_t *p, size_t n)
{
	const uint64_t high = 0x8080808080808080u, ones = 0x0101010101010101u;
	uint64_t w;
	size_t i = 0;
	for (; i + sizeof w <= n; i += sizeof w) {
		memcpy(&w, p + i, sizeof w);
		if ((w | (w - ones)) & high)
			break;
	}
	return i;
}

static BinStatus check_pool(const Bin *b, BinError *err)
{
	const uint8_t *p = (const uint8_t *)b->pool.p;
	for (size_t i = 0, step; (i += plain_words(p + i, b->pool.n - i)) < b->pool.n; i += step)
		if (!(step = utf8_step(p + i, b->pool.n - i)))
			return bin_fault(b, p + i, "a string is not UTF-8, or holds a NUL", err);
	return BIN_OK;
}

BinStatus bin_open(Bin *out, const void *bytes, size_t n_bytes, BinError *err)
{
	*out = (Bin){ .bytes = bytes, .n_bytes = n_bytes, .pool = STR(""), .kv = STR("") };
	*err = (BinError){ 0, "" };
	BinStatus (*const step[])(Bin *, BinError *) = { check_header, check_sections };
	BinStatus (*const check[])(const Bin *, BinError *) = { check_pool, bin_check_fields, bin_check_prompts, bin_check_routes,
	                                                        bin_check_tokens };
	BinStatus status = BIN_OK;
	for (size_t i = 0; !status && i < sizeof step / sizeof *step; i++)
		status = step[i](out, err);
	for (size_t i = 0; !status && i < sizeof check / sizeof *check; i++)
		status = check[i](out, err);
	return status;
}
