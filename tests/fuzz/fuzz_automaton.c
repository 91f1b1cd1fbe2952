/* A JSON Schema, a LF, bytes. What the schema's automaton reads of the bytes must be closed to a value that the schema
 * accepts, with each name once; and the automaton's own bytes, damaged as the bytes say, must be refused or be used
 * without harm. */
#include <stdlib.h>

#include "runtime/automaton/automaton.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FLAT_MAX = 1 << 18, READ_MAX = 400 };

static void check_value(const SchemaNode *s, Str text)
{
	Arena a = { 0 };
	JsonDoc doc;
	if (!json_read(&a, text, 0, &doc) || doc.n_dup || !schema_validate(&a, s, doc.root, SCHEMA_FORMATS, NULL))
		abort();
	arena_free(&a);
}

/* Reads what it can, then closes. */
static void read_bytes(const SchemaNode *s, const Automaton *m, Str bytes)
{
	AutomatonState state, before;
	Buf out = { 0 };
	automaton_start(&state, m);
	for (size_t i = 0; i < bytes.n && i < READ_MAX; i++) {
		automaton_copy(&before, &state);
		if (automaton_accept_bytes(&state, str_sub(bytes, i, i + 1)))
			buf_byte(&out, bytes.p[i]);
		else
			automaton_copy(&state, &before);  /* the byte is left out */
	}
	automaton_close(&state, &out);
	if (s)
		check_value(s, buf_str(&out));
	buf_free(&out);
}

/* Each two bytes: where, and what is turned over. */
static void damage(Buf *flat, Str bytes)
{
	for (size_t i = 0; i + 2 < bytes.n; i += 3) {
		size_t at = (size_t)(unsigned char)bytes.p[i] << 8 | (unsigned char)bytes.p[i + 1];
		flat->p[at % flat->n] = (char)(flat->p[at % flat->n] ^ bytes.p[i + 2]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Arena a = { 0 };
	SchemaErrors errs = { 0 };
	Buf flat = { 0 };
	Automaton m;
	Str all = { (const char *)data, size }, why;
	size_t cut = str_find(all, STR("\n"), 0);
	Str bytes = str_sub(all, cut + 1, size);
	const SchemaNode *s = schema_import_text(&a, str_sub(all, 0, cut), 0, &errs);
	errs.n = 0;
	if (s && automaton_compile(&a, s, (AutomatonOptions){ 0 }, &flat, &errs)) {
		if (!automaton_open(buf_str(&flat), &m, &why))
			abort();
		read_bytes(s, &m, bytes);
		damage(&flat, bytes);
		if (flat.n < FLAT_MAX && automaton_open(buf_str(&flat), &m, &why))
			read_bytes(NULL, &m, bytes);
	} else if (s && (!errs.n || !errs.v[0].message.n)) {
		abort();
	}
	buf_free(&flat);
	arena_free(&a);
	return 0;
}
