/* See bin_writer.h. */
#include "compiler/emit/bin_writer.h"

void bin_writer_init(BinWriter *w, Arena *arena)
{
	*w = (BinWriter){ .arena = arena };
}

void bin_writer_free(BinWriter *w)
{
	buf_free(&w->pool);
}

BinStr bin_put_str(BinWriter *w, Str s)
{
	if (!s.n)
		return (BinStr){ 0, 0 };
	uintptr_t had = (uintptr_t)map_get(&w->at, s);
	if (had)
		return (BinStr){ (uint32_t)(had - 1), (uint32_t)s.n };
	BinStr at = { (uint32_t)w->pool.n, (uint32_t)s.n };
	buf_put(&w->pool, s);
	map_add(w->arena, &w->at, s, (void *)((uintptr_t)at.off + 1));
	return at;
}

BinRange bin_put_names(BinWriter *w, const Str *names, uint32_t n)
{
	BinRange r = { w->name.n, n };
	for (uint32_t i = 0; i < n; i++)
		vec_push(w->arena, &w->name, (BinName){ bin_put_str(w, names[i]) });
	return r;
}

BinSeg bin_blank_seg(SegKind kind)
{
	return (BinSeg){ .kind = (uint8_t)kind, .partner = BIN_NONE, .node = BIN_NONE, .ref = BIN_NONE,
	                 .aux = BIN_NONE, .weight = -1, .squash = -1 };
}

typedef struct Table {
	uint32_t kind, record_size, n;
	const void *records;
} Table;

static Table table_of(const BinWriter *w, uint32_t kind)
{
	switch (kind) {
	case SECTION_STR:
		return (Table){ kind, 1, (uint32_t)w->pool.n, w->pool.p };
#define TABLE(section, T, field, n_bytes) case section: return (Table){ section, n_bytes, w->field.n, w->field.v };
#include "runtime/bin/bin_sections.def"
#undef TABLE
	default:
		return (Table){ kind, 0, 0, NULL };
	}
}

static uint64_t align_up(uint64_t n)
{
	return (n + BIN_ALIGN - 1) / BIN_ALIGN * BIN_ALIGN;
}

/* Sections in the order of their kinds; gives the file's size. */
static uint64_t lay_out(const BinWriter *w, BinSection *section, Table *table, uint32_t *n)
{
	for (uint32_t kind = 1; kind < SECTION_KIND_MAX; kind++) {
		Table t = table_of(w, kind);
		if (t.n)
			table[(*n)++] = t;
	}
	uint64_t off = sizeof(BinHeader) + *n * sizeof(BinSection);
	for (uint32_t i = 0; i < *n; i++) {
		off = align_up(off);
		uint32_t flags = table[i].kind >= SECTION_DEBUG_FILE ? SECTION_OPTIONAL : 0;
		uint64_t size = (uint64_t)table[i].record_size * table[i].n;
		section[i] = (BinSection){ table[i].kind, flags, off, size, table[i].record_size, table[i].n };
		off += size;
	}
	return off;
}

/* Hashes go in last, through a view of the bytes that they are hashes of. */
static BinStatus put_hashes(Buf *out, Bin *bin, BinError *err)
{
	BinStatus status = bin_open(bin, out->p, out->n, err);
	if (status)
		return status;
	for (uint32_t i = 0; i < bin->n_prompt; i++)
		bin_hash_prompt(bin, i, (uint8_t *)out->p + (bin->prompt[i].hash - bin->bytes));
	bin_hash_file(bin, ((BinHeader *)out->p)->hash);
	return BIN_OK;
}

BinStatus bin_writer_finish(BinWriter *w, Buf *out, Bin *bin, BinError *err)
{
	enum { TABLES_MAX = 32 };
	BinSection section[TABLES_MAX];
	Table table[TABLES_MAX];
	uint32_t n = 0;
	Bin view;
	if (w->pool.n > UINT32_MAX) {
		*err = (BinError){ 0, "more than 4 GiB of text" };
		return BIN_CORRUPT;
	}
	uint64_t size = lay_out(w, section, table, &n);
	BinHeader h = { .version_major = BIN_VERSION_MAJOR, .version_minor = BIN_VERSION_MINOR, .n_section = n,
	                .file_size = size, .section_off = sizeof h };
	memcpy(h.magic, BIN_MAGIC, sizeof h.magic);
	out->n = 0;
	buf_reserve(out, size);
	buf_put(out, (Str){ (const char *)&h, sizeof h });
	buf_put(out, (Str){ (const char *)section, n * sizeof *section });
	for (uint32_t i = 0; i < n; i++) {
		buf_fill(out, 0, section[i].off - out->n);
		buf_put(out, (Str){ table[i].records, section[i].size });
	}
	return put_hashes(out, bin ? bin : &view, err);
}
