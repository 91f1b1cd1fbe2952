/*
 * Repacking: each group of a row is taken apart by the reader of its type, and put into its lane of the
 * tile by the writer of the kind. No arithmetic on weights but products that are exact.
 */
#include <string.h>

#include "runtime/base/f16.h"
#include "runtime/cpu/pack.h"

typedef struct PackFacts { uint16_t param_bytes, code_bytes; } PackFacts;

static const PackFacts facts[] = {
#define PACK_KIND(name, param_bytes, code_bytes) { param_bytes, code_bytes },
#include "runtime/cpu/pack_kinds.def"
#undef PACK_KIND
};

size_t pack_param_bytes(PackKind k) { return facts[k].param_bytes; }
size_t pack_code_bytes(PackKind k) { return facts[k].code_bytes; }

/* One row's group of 32 columns. */
typedef struct Group {
	uint64_t code[4];  /* a byte a column */
	float d[2], m;     /* d[1]: of columns 16 .. 31, where they have their own */
} Group;

#define EACH_BYTE(x) ((x) * 0x0101010101010101u)

static uint16_t load_u16(const uint8_t *p)
{
	uint16_t x;
	memcpy(&x, p, sizeof x);
	return x;
}

static float load_f16(const uint8_t *p) { return f32_from_f16(load_u16(p)); }

/* 16 bytes of two codes each: the lower halves are columns 0 .. 15. */
static void nibbles_read(const uint8_t *p, Group *g)
{
	uint64_t x[2];
	memcpy(x, p, sizeof x);
	for (int i = 0; i < 2; i++) {
		g->code[i] = x[i] & EACH_BYTE(15u);
		g->code[i + 2] = x[i] >> 4 & EACH_BYTE(15u);
	}
}

/* Bit i of eight into byte i. */
static uint64_t bits_spread(uint64_t eight)
{
	uint64_t low = (eight & 0x7f) * 0x02040810204081u & EACH_BYTE(1u) & ~(0xffull << 56);
	return low | eight >> 7 << 56;
}

static void fifth_bits_read(const uint8_t *p, Group *g)
{
	for (int i = 0; i < 4; i++)
		g->code[i] |= bits_spread(p[i]) << 4;
}

static void offset_add(Group *g, uint64_t n)
{
	for (int i = 0; i < 4; i++)
		g->code[i] += EACH_BYTE(n);
}

static void q4_0_read(const uint8_t *b, uint32_t part, Group *g)
{
	(void)part;
	g->d[0] = load_f16(b);
	g->m = -8 * g->d[0];
	nibbles_read(b + 2, g);
}

static void q4_1_read(const uint8_t *b, uint32_t part, Group *g)
{
	(void)part;
	g->d[0] = load_f16(b);
	g->m = load_f16(b + 2);
	nibbles_read(b + 4, g);
}

static void q5_0_read(const uint8_t *b, uint32_t part, Group *g)
{
	(void)part;
	g->d[0] = load_f16(b);
	nibbles_read(b + 6, g);
	fifth_bits_read(b + 2, g);
	offset_add(g, 128 - 16);
}

static void q5_1_read(const uint8_t *b, uint32_t part, Group *g)
{
	(void)part;
	g->d[0] = load_f16(b);
	g->m = load_f16(b + 2);
	nibbles_read(b + 8, g);
	fifth_bits_read(b + 4, g);
}

static void q8_0_read(const uint8_t *b, uint32_t part, Group *g)
{
	(void)part;
	g->d[0] = load_f16(b);
	memcpy(g->code, b + 2, sizeof g->code);
	for (int i = 0; i < 4; i++)
		g->code[i] ^= EACH_BYTE(128u);
}

/* Six bits of scale and six of minimum for each of eight parts, in twelve bytes. */
static void k_scales_read(const uint8_t *b, uint32_t part, Group *g)
{
	const uint8_t *s = b + 4;
	uint32_t i = part & 3, scale = s[i] & 63u, min = s[i + 4] & 63u;
	if (part >= 4) {
		scale = (s[i + 8] & 15u) | (uint32_t)(s[i] >> 6) << 4;
		min = (uint32_t)(s[i + 8] >> 4) | (uint32_t)(s[i + 4] >> 6) << 4;
	}
	g->d[0] = load_f16(b) * (float)scale;
	g->m = -load_f16(b + 2) * (float)min;
}

static void k_nibbles_read(const uint8_t *p, uint32_t shift, Group *g)
{
	memcpy(g->code, p, sizeof g->code);
	for (int i = 0; i < 4; i++)
		g->code[i] = g->code[i] >> shift & EACH_BYTE(15u);
}

static void q4_k_read(const uint8_t *b, uint32_t part, Group *g)
{
	k_scales_read(b, part, g);
	k_nibbles_read(b + 16 + part / 2 * 32, part % 2 * 4, g);
}

static void q5_k_read(const uint8_t *b, uint32_t part, Group *g)
{
	uint64_t high[4];
	k_scales_read(b, part, g);
	k_nibbles_read(b + 48 + part / 2 * 32, part % 2 * 4, g);
	memcpy(high, b + 16, sizeof high);
	for (int i = 0; i < 4; i++)
		g->code[i] |= (high[i] >> part & EACH_BYTE(1u)) << 4;
}

/* Of 128 columns: the lower four bits in 64 bytes, the upper two in 32. */
static void q6_k_read(const uint8_t *b, uint32_t part, Group *g)
{
	uint32_t half = part / 4, k = part % 4;
	uint64_t high[4];
	k_nibbles_read(b + half * 64 + k % 2 * 32, k / 2 * 4, g);
	memcpy(high, b + 128 + half * 32, sizeof high);
	for (int i = 0; i < 4; i++)
		g->code[i] |= (high[i] >> 2 * k & EACH_BYTE(3u)) << 4;
	offset_add(g, 128 - 32);
	for (int i = 0; i < 2; i++)
		g->d[i] = load_f16(b + 208) * (float)(int8_t)b[192 + half * 8 + 2 * k + i];
}

typedef void GroupRead(const uint8_t *block, uint32_t part, Group *g);

typedef struct PackRow {
	GgufTensorType type;
	PackKind kind;
	GroupRead *read;  /* NULL: floats */
} PackRow;

static const PackRow rows[] = {
	{ GGUF_TENSOR_Q4_0, PACK_Q4, q4_0_read },
	{ GGUF_TENSOR_Q4_1, PACK_Q4, q4_1_read },
	{ GGUF_TENSOR_Q4_K, PACK_Q4_WIDE, q4_k_read },
	{ GGUF_TENSOR_Q8_0, PACK_Q8, q8_0_read },
	{ GGUF_TENSOR_Q5_0, PACK_Q8, q5_0_read },
	{ GGUF_TENSOR_Q5_1, PACK_Q8_MIN, q5_1_read },
	{ GGUF_TENSOR_Q5_K, PACK_Q8_MIN, q5_k_read },
	{ GGUF_TENSOR_Q6_K, PACK_Q8_HALF, q6_k_read },
	{ GGUF_TENSOR_F16, PACK_F16, NULL },
	{ GGUF_TENSOR_BF16, PACK_F32, NULL },
	{ GGUF_TENSOR_F32, PACK_F32, NULL },
};

static const PackRow *row_find(GgufTensorType type)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].type == type)
			return &rows[i];
	return NULL;
}

bool pack_plan(GgufTensorType type, uint32_t n_row, uint32_t n_col, PackedMatrix *m)
{
	const PackRow *r = row_find(type);
	if (!r || n_col % GROUP_COLS)
		return false;
	*m = (PackedMatrix){ .kind = r->kind, .n_row = n_row, .n_col = n_col, .n_group = n_col / GROUP_COLS, .n_term = 1,
	                     .n_tile = (n_row + TILE_ROWS - 1) / TILE_ROWS };
	size_t param = (size_t)m->n_group * facts[r->kind].param_bytes;
	m->tile_bytes = (param + 63) / 64 * 64 + (size_t)m->n_group * facts[r->kind].code_bytes;
	return true;
}

static void store_f32(uint8_t *p, float x) { memcpy(p, &x, sizeof x); }

static void store_f16(uint8_t *p, float x)
{
	uint16_t h = f16_from_f32(x);
	memcpy(p, &h, sizeof h);
}

static void params_write(PackKind kind, const Group *g, uint8_t *p, uint32_t lane)
{
	switch (kind) {
	case PACK_Q4:
		store_f16(p + 32 + 2 * lane, g->m);
		/* fall through */
	case PACK_Q8:
		store_f16(p + 2 * lane, g->d[0]);
		break;
	default:
		store_f32(p + 4 * lane, g->d[0]);
		store_f32(p + 64 + 4 * lane, kind == PACK_Q8_HALF ? g->d[1] : g->m);
	}
}

static void codes_write(PackKind kind, const Group *g, uint8_t *p, uint32_t lane)
{
	bool nibbles = kind == PACK_Q4 || kind == PACK_Q4_WIDE;
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t lo = (uint32_t)g->code[i], hi = (uint32_t)(g->code[i] >> 32), both = lo | hi << 4;
		if (nibbles) {
			memcpy(p + 64 * i + 4 * lane, &both, 4);
			continue;
		}
		memcpy(p + 128 * i + 4 * lane, &lo, 4);
		memcpy(p + 128 * i + 64 + 4 * lane, &hi, 4);
	}
}

/* The rows that become a tile's lanes. */
typedef struct Lanes {
	const uint8_t *row[TILE_ROWS];
	uint32_t n;
} Lanes;

static inline __attribute__((always_inline)) void
groups_pack(const PackedMatrix *m, GgufTensorType type, GroupRead *read, PackKind kind, const Lanes *from, uint8_t *param,
            uint8_t *code)
{
	uint32_t n_part = gguf_block_len(type) / GROUP_COLS, block_bytes = gguf_block_bytes(type);
	for (uint32_t b = 0, k = 0; b < m->n_group / n_part; b++)
		for (uint32_t part = 0; part < n_part; part++, k++)
			for (uint32_t lane = 0; lane < from->n; lane++) {
				Group g = { .m = 0 };
				read(from->row[lane] + (size_t)b * block_bytes, part, &g);
				params_write(kind, &g, param + (size_t)k * facts[kind].param_bytes, lane);
				codes_write(kind, &g, code + (size_t)k * facts[kind].code_bytes, lane);
			}
}

static void floats_pack(const PackedMatrix *m, GgufTensorType type, const Lanes *from, uint8_t *to)
{
	uint32_t size = type == GGUF_TENSOR_F32 ? 4 : 2;
	for (uint32_t c = 0; c < m->n_col; c++)
		for (uint32_t lane = 0; lane < from->n; lane++) {
			const uint8_t *p = from->row[lane] + (size_t)c * size;
			size_t at = (size_t)c * TILE_ROWS + lane;
			if (type == GGUF_TENSOR_BF16)
				store_f32(to + at * 4, f32_from_bf16(load_u16(p)));
			else
				memcpy(to + at * size, p, size);
		}
}

static void tile_pack(const PackedMatrix *m, const PackRow *r, const Lanes *from, uint8_t *to)
{
	uint8_t *code = to + m->tile_bytes - (size_t)m->n_group * facts[m->kind].code_bytes;
	/* The common types as constants: reader and writer become one loop without calls. */
	if (r->type == GGUF_TENSOR_Q4_1)
		groups_pack(m, GGUF_TENSOR_Q4_1, q4_1_read, PACK_Q4, from, to, code);
	else if (r->type == GGUF_TENSOR_Q8_0)
		groups_pack(m, GGUF_TENSOR_Q8_0, q8_0_read, PACK_Q8, from, to, code);
	else if (r->read)
		groups_pack(m, r->type, r->read, r->kind, from, to, code);
	else
		floats_pack(m, r->type, from, to);
}

/* The row of the file that is row i when pairs are taken apart. */
static uint32_t row_of_pair(uint32_t i, uint32_t pair_len)
{
	uint32_t head = i / pair_len * pair_len, at = i % pair_len, half = pair_len / 2;
	return head + (at < half ? 2 * at : 2 * (at - half) + 1);
}

void pack_tiles(const PackedMatrix *m, GgufTensorType type, const uint8_t *from, uint32_t pair_len, uint32_t lo, uint32_t hi)
{
	const PackRow *r = row_find(type);
	size_t row_bytes = (size_t)(m->n_col / gguf_block_len(type)) * gguf_block_bytes(type);
	for (uint32_t t = lo; t < hi; t++) {
		Lanes lanes = { .n = 0 };
		for (uint32_t i = t * TILE_ROWS; i < m->n_row && lanes.n < TILE_ROWS; i++)
			lanes.row[lanes.n++] = from + (pair_len ? row_of_pair(i, pair_len) : i) * row_bytes;
		tile_pack(m, r, &lanes, m->data + t * m->tile_bytes);
	}
}
