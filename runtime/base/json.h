/*
 * JSON with positions: RFC 8259 to the letter, numbers kept as spelled, members in order, duplicate
 * keys kept and listed, strings decoded with the run table that leads back to the source.
 *
 * The reader is iterative; nesting stops at JSON_DEPTH_MAX with an error. It refuses a BOM (callers
 * drop one), NUL and raw control bytes, invalid UTF-8, lone surrogates and anything after the value.
 * Invariant: every offset is a byte offset in the caller's space (base + offset in src); on failure
 * doc->root is NULL and doc->err says what and where.
 */
#ifndef SEED_BASE_JSON_H
#define SEED_BASE_JSON_H

#include "runtime/base/buf.h"
#include "runtime/base/run.h"

#define JSON_DEPTH_MAX 512

typedef enum JsonKind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } JsonKind;

typedef struct JsonNode JsonNode;

typedef struct JsonMember {
	JsonNode *key;    /* a JSON_STRING with its own span and runs; key->text is the name */
	JsonNode *value;
} JsonMember;

struct JsonNode {
	JsonKind kind;
	bool truth;          /* JSON_BOOL */
	bool has_dup;        /* JSON_OBJECT: some name stands twice */
	uint32_t lo, hi;     /* bytes of the source, quotes and brackets included; 0, 0 if made by hand */
	uint32_t n;          /* items or members, duplicates included */
	union {
		uint32_t n_run;  /* JSON_STRING */
		uint32_t cap;    /* room, in an array or object that json_add_* grew; else 0 */
	};
	Str text;            /* JSON_STRING decoded; JSON_NUMBER as spelled */
	union {
		/* JSON_STRING with escapes: sorted by text_off. Bytes of an escape are in no run; an empty run
		 * stands where it starts, and where the string ends if the escape is the last. A string without
		 * escapes has no runs: its text stands at lo + 1. */
		TextRun *run;
		JsonNode **item;     /* JSON_ARRAY */
		JsonMember *member;  /* JSON_OBJECT */
	};
};

typedef struct JsonDup {
	Str name;
	const JsonNode *first, *again;  /* the two keys */
} JsonDup;

typedef struct JsonError {
	Str message;      /* no offset, no full stop */
	uint32_t offset;
} JsonError;

typedef struct JsonDoc {
	JsonNode *root;
	JsonError err;
	JsonDup *dup;     /* in source order; empty means every key is unique */
	uint32_t n_dup;
} JsonDoc;

/* Reads one value that fills src (white space around it is fine). Strings and numbers without
 * escapes borrow from src, which must outlive the arena's use. False on error. */
bool json_read(Arena *a, Str src, uint32_t base, JsonDoc *doc);

/* The last member of that name (as most readers do), or NULL; NULL too when obj is not an object. */
JsonNode *json_get(const JsonNode *obj, const char *name);
JsonNode *json_find(const JsonNode *obj, Str name);
/* The string member's text, or fallback. */
Str json_get_text(const JsonNode *obj, const char *name, Str fallback);
/* RFC 6901 ("" is the root, "/a~1b/0"); NULL when nothing is there or the pointer is malformed. */
JsonNode *json_pointer_get(JsonNode *root, Str pointer);
/* Appends "/" and the escaped token. */
void json_pointer_put(Buf *b, Str token);
void json_pointer_put_index(Buf *b, uint32_t index);
/* The pointer of the innermost node of root that covers the byte at offset. */
Str json_pointer_at(Arena *a, const JsonNode *root, uint32_t offset);

/* The runs of a string that was read: its own, or one where its text stands in the source as it is. */
uint32_t json_text_runs(Arena *a, const JsonNode *string, TextRun **run);
/* Where byte off of a string's text stands in the source. */
uint32_t json_text_offset(const JsonNode *string, size_t off);

/* Equality of JSON Schema: 1 = 1.0 = 10e-1, members in any order, strings by code point. */
bool json_equal(const JsonNode *x, const JsonNode *y);
/* Hash that agrees with json_equal. */
uint64_t json_hash(const JsonNode *x);
/* "null", "boolean", "number", "string", "array", "object". */
const char *json_kind_name(JsonKind k);
/* As a 32-bit count if it is a whole number >= 0 in range ("3", "3.0", "3e0"). */
bool json_to_count(const JsonNode *x, uint32_t *out);

typedef enum JsonOrder { JSON_AS_IS, JSON_SORTED } JsonOrder;
/* Canonical: no white space, shortest escapes, numbers as spelled. Sorted is by bytes of the key. */
void json_write(Buf *b, const JsonNode *x, JsonOrder order);
/* Two-space indent, one member or item a line, no newline at the end. */
void json_write_indented(Buf *b, const JsonNode *x);

/* Nodes made by hand; texts are borrowed. */
JsonNode *json_new(Arena *a, JsonKind kind);
JsonNode *json_new_bool(Arena *a, bool truth);
JsonNode *json_new_text(Arena *a, Str s);
JsonNode *json_new_number(Arena *a, Str spelled);
JsonNode *json_new_count(Arena *a, uint64_t n);
void json_add_item(Arena *a, JsonNode *array, JsonNode *item);
/* The name must be new to the object. */
void json_add_member(Arena *a, JsonNode *object, Str name, JsonNode *value);

#endif
