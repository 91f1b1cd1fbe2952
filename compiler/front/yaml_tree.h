/*
 * A YAML file as a small tree with byte places. libyaml decides the structure; the text of every
 * scalar is scanned here again from the source bytes, so that each byte of it has its run.
 *
 * libyaml counts code points and takes NEL, U+2028 and U+2029 for line ends. It is handed a copy with
 * those three masked by U+00A0 (as many code points, no meaning), and its marks go through an index.
 * Refused by name: aliases, anchors, tags, directives, a second document, keys that are no scalar.
 */
#ifndef SEED_YAML_TREE_H
#define SEED_YAML_TREE_H

#include "compiler/front/parts.h"

typedef enum YKind { Y_SCALAR, Y_LIST, Y_MAP } YKind;
typedef enum YStyle { Y_PLAIN, Y_SINGLE, Y_DOUBLE, Y_LITERAL, Y_FOLDED } YStyle;

typedef struct YNode YNode;
struct YNode {
	YKind kind;
	YStyle style;   /* Y_SCALAR */
	Span span;      /* quotes, brackets and block header included */
	Text *text;     /* Y_SCALAR */
	YNode *key;     /* of a map's value */
	YNode *first, *last, *next;
	uint32_t n;
};

/* The root, or NULL after reporting; an empty file gives an empty map. */
YNode *yaml_read(Compiler *c, Source *src);

/* The value of that key in a map; NULL if absent or y is no map. */
YNode *yaml_get(const YNode *y, const char *key);
/* A plain scalar that YAML 1.2's core schema reads as null. */
bool yaml_is_null(const YNode *y);

/* The text of one scalar from its source bytes. base is the offset of bytes.p[0]; parent_col is the
 * column of the block collection it stands in, -1 at the top (for an indentation indicator). */
Text *yaml_scalar_text(Arena *a, Str bytes, uint32_t base, YStyle style, int parent_col);

#endif
