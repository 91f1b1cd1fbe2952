/*
 * Weights in the order in which the kernels read them. note [tiles]: sixteen rows are a tile, a row is a
 * lane. A tile is the parameters of all its groups of 32 columns (16 scales side by side, then 16
 * minima), then the codes of all groups: 64 bytes hold four columns of sixteen rows, row r in bytes 4r ..
 * 4r + 3; nibbles hold eight. So a kernel loads, dots, and never sums over lanes.
 *
 * Rows are padded to sixteen with zeros; columns must be a multiple of 32.
 */
#ifndef SEED_CPU_PACK_H
#define SEED_CPU_PACK_H

#include <stdbool.h>

#include "runtime/gguf/gguf.h"

enum { TILE_ROWS = 16, GROUP_COLS = 32 };

typedef enum PackKind {
#define PACK_KIND(name, param_bytes, code_bytes) PACK_##name,
#include "runtime/cpu/pack_kinds.def"
#undef PACK_KIND
	PACK_KIND_COUNT
} PackKind;

typedef struct PackedMatrix {
	PackKind kind;
	uint32_t n_row, n_col;
	uint32_t n_tile, n_group;  /* tiles of rows; groups of columns */
	uint32_t n_term;           /* of activations: note [terms] in matmul.h; 1 from pack_plan */
	size_t tile_bytes;         /* a multiple of 64 */
	uint8_t *data;             /* n_tile * tile_bytes, 64-byte aligned */
} PackedMatrix;

/* Everything but data; false where no kind holds that type, or the columns are not whole groups. */
bool pack_plan(GgufTensorType type, uint32_t n_row, uint32_t n_col, PackedMatrix *m);
static inline size_t packed_bytes(const PackedMatrix *m) { return m->n_tile * m->tile_bytes; }
/* from: the rows of the tensor. Tiles lo .. hi - 1; any threads may pack other tiles meanwhile. pair_len: 0, or the
 * length of heads whose rows 2i and 2i + 1 become rows i and i + pair_len / 2 (one form of rotary for all models). */
void pack_tiles(const PackedMatrix *m, GgufTensorType type, const uint8_t *from, uint32_t pair_len, uint32_t lo, uint32_t hi);

size_t pack_param_bytes(PackKind k);
size_t pack_code_bytes(PackKind k);
/* Whether the kernels of the kind take activations as floats, not as int8. */
static inline bool pack_is_float(PackKind k) { return k == PACK_F16 || k == PACK_F32; }

static inline const uint8_t *packed_tile(const PackedMatrix *m, uint32_t tile) { return m->data + tile * m->tile_bytes; }

#endif
