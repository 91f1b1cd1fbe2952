/* See bin_append.h. */
#include "compiler/emit/bin_append.h"

#include "runtime/automaton/reply.h"

static uint64_t align_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* The table with room for n more; what follows it moves by the same, a multiple of BIN_MORE_ALIGN. */
static uint64_t shift_of(const Bin *bin, uint32_t n)
{
	const BinSection *s = (const BinSection *)(const void *)(bin->bytes + bin->header->section_off);
	uint64_t table_end = bin->header->section_off + (bin->header->n_section + (uint64_t)n) * sizeof *s;
	uint64_t first = bin->header->n_section ? s->off : bin->n_bytes;
	return table_end > first ? align_up(table_end - first, BIN_MORE_ALIGN) : 0;
}

BinStatus bin_append(Buf *bytes, const BinMore *more, uint32_t n, Bin *bin, BinError *err)
{
	BinStatus status = bin_open(bin, bytes->p, bytes->n, err);
	if (status || !n)
		return status;
	uint64_t shift = shift_of(bin, n);
	uint32_t n_old = bin->header->n_section, table = bin->header->section_off;
	size_t table_bytes = n_old * sizeof(BinSection);
	Buf out = { 0 };
	buf_put(&out, (Str){ bytes->p, table + table_bytes });
	buf_fill(&out, 0, n * sizeof(BinSection));
	/* From the first section on: what stands between is zeros. */
	const BinSection *old = (const BinSection *)(const void *)(bytes->p + table);
	uint64_t first = n_old ? old->off : bytes->n;
	buf_fill(&out, 0, first + shift - out.n);
	buf_put(&out, str_sub((Str){ bytes->p, bytes->n }, first, bytes->n));
	for (uint32_t i = 0; i < n; i++) {
		buf_fill(&out, 0, align_up(out.n, BIN_MORE_ALIGN) - out.n);
		BinSection s = { more[i].kind, SECTION_OPTIONAL, out.n, more[i].data.n, more[i].record_size,
		                 (uint32_t)(more[i].data.n / more[i].record_size) };
		memcpy(out.p + table + table_bytes + i * sizeof s, &s, sizeof s);
		buf_put(&out, more[i].data);
	}
	for (uint32_t i = 0; i < n_old; i++)
		((BinSection *)(void *)(out.p + table))[i].off += shift;
	BinHeader *h = (BinHeader *)(void *)out.p;
	h->n_section += n;
	h->file_size = out.n;
	h->checksum = 0;
	h->checksum = bin_checksum((const uint8_t *)out.p, out.n);
	buf_free(bytes);
	*bytes = out;
	return bin_open(bin, bytes->p, bytes->n, err);
}

/* ---- automata --------------------------------------------------------------------------------- */

typedef struct Automata {
	Arena *arena;
	const Bin *bin;
	VEC(BinAutomaton) record;
	Buf word;
} Automata;

static bool has_record(const Automata *x, uint32_t schema, uint32_t form)
{
	for (uint32_t i = 0; i < x->record.n; i++)
		if (x->record.v[i].schema == schema && x->record.v[i].form == form)
			return true;
	return false;
}

/* Nothing for a reply that is text, or whose schema cannot be held: `seedc run` says why. */
static void add_reply(Automata *x, const BinReply *r)
{
	SchemaErrors errs = { 0 };
	uint32_t schema = reply_schema_index(r);
	AutomatonOptions o = reply_options(r);
	const SchemaNode *node = has_record(x, schema, o.form) ? NULL : reply_schema(x->arena, x->bin, r);
	BinAutomaton record = { schema, o.form, { (uint32_t)(x->word.n / 4), 0 } };
	if (!node || !automaton_compile(x->arena, node, o, &x->word, &errs))
		return;
	record.word.n = (uint32_t)(x->word.n / 4) - record.word.first;
	vec_push(x->arena, &x->record, record);
}

BinStatus bin_append_automata(Arena *a, Buf *bytes, Bin *bin, BinError *err)
{
	Automata x = { .arena = a, .bin = bin };
	for (uint32_t i = 0; i < bin->n_prompt; i++)
		add_reply(&x, &bin->prompt[i].reply);
	for (uint32_t i = 0; i < bin->n_stage; i++)
		add_reply(&x, &bin->stage[i].reply);
	BinMore more[] = {
		{ SECTION_AUTOMATON, sizeof *x.record.v, { (const char *)x.record.v, x.record.n * sizeof *x.record.v } },
		{ SECTION_AUTOMATON_WORD, sizeof(BinWord), buf_str(&x.word) },
	};
	BinStatus status = bin_append(bytes, more, x.record.n ? 2 : 0, bin, err);
	buf_free(&x.word);
	return status;
}
