/* Rules in words: see describe.h. Keywords that make one phrase together (a lower and an upper bound)
 * are rows of one table; each other keyword is "keyword: JSON". */
#include "runtime/schema/describe.h"

#include "runtime/schema/node.h"

typedef struct CountRow {
	Keyword min, max;
	const char *one, *many;
} CountRow;

static const CountRow count_rows[] = {
	{ KW_MIN_LENGTH, KW_MAX_LENGTH, "character", "characters" },
	{ KW_MIN_ITEMS, KW_MAX_ITEMS, "item", "items" },
	{ KW_MIN_PROPERTIES, KW_MAX_PROPERTIES, "property", "properties" },
};

static uint64_t bit(Keyword k)
{
	return (uint64_t)1 << k;
}

static void start_phrase(Buf *b, size_t from)
{
	if (b->n > from)
		buf_lit(b, ", ");
}

static void put_counts(Buf *b, const SchemaNode *s, uint64_t keywords, size_t from, const CountRow *row)
{
	unsigned long long lo = s->count[keyword_row[row->min].slot], hi = s->count[keyword_row[row->max].slot];
	bool has_lo = keywords & bit(row->min), has_hi = keywords & bit(row->max);
	if (!has_lo && !has_hi)
		return;
	start_phrase(b, from);
	if (has_lo && has_hi && lo == hi)
		buf_printf(b, "exactly %llu %s", lo, lo == 1 ? row->one : row->many);
	else if (has_lo && has_hi)
		buf_printf(b, "%llu to %llu %s", lo, hi, row->many);
	else if (has_lo)
		buf_printf(b, "at least %llu %s", lo, lo == 1 ? row->one : row->many);
	else
		buf_printf(b, "at most %llu %s", hi, hi == 1 ? row->one : row->many);
}

static void put_range(Buf *b, const SchemaNode *s, uint64_t keywords, size_t from)
{
	static const struct {
		Keyword k;
		const char *words;
	} row[] = {
		{ KW_MINIMUM, "at least" }, { KW_EXCLUSIVE_MINIMUM, "more than" }, { KW_MAXIMUM, "at most" },
		{ KW_EXCLUSIVE_MAXIMUM, "less than" }, { KW_MULTIPLE_OF, "a multiple of" },
	};
	const SchemaNumber *n = s->number;
	if ((keywords & KW_BIT(MINIMUM)) && (keywords & KW_BIT(MAXIMUM))) {
		start_phrase(b, from);
		buf_printf(b, "%.*s to %.*s", STR_ARG(n[NUMBER_MINIMUM].spelled), STR_ARG(n[NUMBER_MAXIMUM].spelled));
		keywords &= ~(KW_BIT(MINIMUM) | KW_BIT(MAXIMUM));
	}
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		if (!(keywords & bit(row[i].k)))
			continue;
		start_phrase(b, from);
		buf_printf(b, "%s %.*s", row[i].words, STR_ARG(n[keyword_row[row[i].k].slot].spelled));
	}
}

void schema_put_line(Buf *b, Str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if (c == '\n')
			buf_lit(b, "\\n");
		else if (c < 0x20 || c == 0x7F)
			buf_printf(b, "\\x%02x", c);
		else
			buf_byte(b, (char)c);
	}
}

static void put_texts(Buf *b, const SchemaNode *s, uint64_t keywords, size_t from)
{
	if (keywords & KW_BIT(FORMAT)) {
		start_phrase(b, from);
		buf_lit(b, "format ");
		schema_put_line(b, s->text[TEXT_FORMAT]);
	}
	if (keywords & KW_BIT(PATTERN)) {
		start_phrase(b, from);
		buf_lit(b, "matches /");
		schema_put_line(b, s->pattern);
		buf_byte(b, '/');
	}
	if (s->unique && (keywords & KW_BIT(UNIQUE_ITEMS))) {
		start_phrase(b, from);
		buf_lit(b, "no item twice");
	}
}

static void put_values(Buf *b, const SchemaNode *s, uint64_t keywords, size_t from)
{
	if (keywords & KW_BIT(CONST)) {
		start_phrase(b, from);
		buf_lit(b, "always ");
		json_write(b, s->value[VALUE_CONST], JSON_AS_IS);
	}
	if (!(keywords & KW_BIT(ENUM)))
		return;
	start_phrase(b, from);
	buf_lit(b, "one of ");
	for (uint32_t i = 0; i < s->enum_value.n; i++) {
		buf_putz(b, i ? " | " : "");
		json_write(b, s->enum_value.v[i], JSON_AS_IS);
	}
}

/* The exported node's own members, by keyword: what no phrase covers is said as JSON. */
static void put_as_json(Buf *b, const SchemaNode *s, uint64_t keywords, size_t from)
{
	Arena scratch = { 0 };
	const JsonNode *json = NULL;
	for (int k = 0; k < KW_COUNT; k++) {
		if (!(keywords & bit((Keyword)k)))
			continue;
		if (!json)
			json = schema_export(&scratch, s);
		const JsonNode *v = json_find(json, keyword_row[k].spelling);
		if (!v)
			continue;
		start_phrase(b, from);
		buf_printf(b, "%s ", keyword_row[k].spelling.p);
		json_write(b, v, JSON_AS_IS);
	}
	arena_free(&scratch);
}

#define IN_WORDS (KW_BIT(MIN_LENGTH) | KW_BIT(MAX_LENGTH) | KW_BIT(MIN_ITEMS) | KW_BIT(MAX_ITEMS) | KW_BIT(MIN_PROPERTIES) \
	| KW_BIT(MAX_PROPERTIES) | KW_BIT(MINIMUM) | KW_BIT(MAXIMUM) | KW_BIT(EXCLUSIVE_MINIMUM) | KW_BIT(EXCLUSIVE_MAXIMUM) \
	| KW_BIT(MULTIPLE_OF) | KW_BIT(FORMAT) | KW_BIT(PATTERN) | KW_BIT(UNIQUE_ITEMS) | KW_BIT(CONST) | KW_BIT(ENUM))
#define AS_JSON (KW_BIT(DEFAULT) | KW_BIT(EXAMPLES) | KW_BIT(CONTAINS) | KW_BIT(MIN_CONTAINS) \
	| KW_BIT(MAX_CONTAINS) | KW_BIT(PROPERTY_NAMES) | KW_BIT(DEPENDENT_REQUIRED) | KW_BIT(DEPENDENT_SCHEMAS) | KW_BIT(NOT) \
	| KW_BIT(IF) | KW_BIT(THEN) | KW_BIT(ELSE) | KW_BIT(PREFIX_ITEMS))

uint64_t schema_describable(void)
{
	return IN_WORDS | AS_JSON;
}

void schema_describe(Buf *b, const SchemaNode *s, uint64_t keywords)
{
	size_t from = b->n;
	keywords &= s->present;
	for (size_t i = 0; i < sizeof count_rows / sizeof *count_rows; i++)
		put_counts(b, s, keywords, from, &count_rows[i]);
	put_range(b, s, keywords, from);
	put_texts(b, s, keywords, from);
	put_values(b, s, keywords, from);
	put_as_json(b, s, keywords & AS_JSON, from);
}
