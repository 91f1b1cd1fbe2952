/*
 * Every field of every record by itself, as bin_fields.def says. One row becomes one entry of a
 * table, so that the checks are data and a new field is one row.
 */
#include <stddef.h>

#include "runtime/bin/bin_check.h"

typedef enum FieldCheck { CHECK_STR, CHECK_RANGE, CHECK_INDEX, CHECK_BYTE, CHECK_WORD, CHECK_FLAGS, CHECK_UNIT } FieldCheck;

typedef struct FieldRow {
	uint16_t section, off;
	FieldCheck check;
	uint32_t arg;
} FieldRow;

static const FieldRow rows[] = {
#define F_STR(T, section, field) { section, offsetof(T, field), CHECK_STR, 0 },
#define F_RANGE(T, section, field, to) { section, offsetof(T, field), CHECK_RANGE, to },
#define F_INDEX(T, section, field, to) { section, offsetof(T, field), CHECK_INDEX, to },
#define F_BYTE(T, section, field, count) { section, offsetof(T, field), CHECK_BYTE, count },
#define F_WORD(T, section, field, count) { section, offsetof(T, field), CHECK_WORD, count },
#define F_FLAGS(T, section, field, mask) { section, offsetof(T, field), CHECK_FLAGS, mask },
#define F_UNIT(T, section, field) { section, offsetof(T, field), CHECK_UNIT, 0 },
#include "runtime/bin/bin_fields.def"
};

typedef struct TableView {
	const uint8_t *p;
	uint32_t n, record_size;
} TableView;

static TableView view_of(const Bin *b, uint32_t section)
{
	switch (section) {
#define TABLE(sec, T, field, n_bytes) case sec: return (TableView){ (const uint8_t *)b->field, b->n_##field, n_bytes };
#include "runtime/bin/bin_sections.def"
#undef TABLE
	default:
		return (TableView){ NULL, 0, 0 };
	}
}

static bool is_boundary(Str pool, uint64_t at)
{
	return at == pool.n || ((uint8_t)pool.p[at] & 0xC0) != 0x80;
}

static const char *check_str(const Bin *b, const void *field)
{
	BinStr s;
	memcpy(&s, field, sizeof s);
	uint64_t end = (uint64_t)s.off + s.len;
	if (end > b->pool.n)
		return "a string runs past the pool";
	return is_boundary(b->pool, s.off) && is_boundary(b->pool, end) ? NULL : "a string cuts a character";
}

static const char *check_range(const void *field, uint32_t n_record, uint64_t *sum)
{
	BinRange r;
	memcpy(&r, field, sizeof r);
	*sum += r.n;
	if ((uint64_t)r.first + r.n > n_record)
		return "a range runs past its section";
	return *sum > n_record ? "ranges share records" : NULL;
}

static const char *check_float(const void *field)
{
	float x;
	memcpy(&x, field, sizeof x);
	return x == -1 || (x >= 0 && x <= 1) ? NULL : "a weight or threshold is neither 0..1 nor -1";
}

static const char *check_field(const Bin *b, const FieldRow *row, const uint8_t *field, uint64_t *sum)
{
	uint32_t word = 0;
	if (row->check == CHECK_INDEX || row->check == CHECK_WORD || row->check == CHECK_FLAGS)
		memcpy(&word, field, sizeof word);
	switch (row->check) {
	case CHECK_STR:
		return check_str(b, field);
	case CHECK_RANGE:
		return check_range(field, view_of(b, row->arg).n, &sum[row->arg]);
	case CHECK_INDEX:
		return word == BIN_NONE || word < view_of(b, row->arg).n ? NULL : "an index runs past its section";
	case CHECK_BYTE:
		return *field < row->arg ? NULL : "an unknown kind";
	case CHECK_WORD:
		return word < row->arg ? NULL : "an unknown kind";
	case CHECK_FLAGS:
		return word & ~row->arg ? "unknown flags" : NULL;
	case CHECK_UNIT:
		return check_float(field);
	}
	return NULL;
}

BinStatus bin_check_fields(const Bin *b, BinError *err)
{
	uint64_t sum[SECTION_KIND_MAX] = { 0 };  /* records that ranges into each section hold together */
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		TableView t = view_of(b, rows[i].section);
		for (uint32_t k = 0; k < t.n; k++) {
			const uint8_t *field = t.p + (size_t)k * t.record_size + rows[i].off;
			const char *message = check_field(b, &rows[i], field, sum);
			if (message)
				return bin_fault(b, field, message, err);
		}
	}
	return BIN_OK;
}
