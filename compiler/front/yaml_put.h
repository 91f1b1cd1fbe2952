/*
 * What the YAML front end writes with: a text of declarations under construction, and the pieces of
 * heads. Each piece takes the YAML value that it is written from, and reports one that does not fit.
 */
#ifndef SEED_YAML_PUT_H
#define SEED_YAML_PUT_H

#include "compiler/front/sdtext.h"
#include "compiler/front/yaml_tree.h"
#include "grammar/table.h"

typedef struct YamlWriter {
	Compiler *c;
	TextBuf out;
	const YNode *root;
	const YNode *entry;  /* whose clauses are being written */
	Str told_key;        /* the first of the known keys that were listed last */
} YamlWriter;

/* Bytes that stand nowhere: head words and marks. */
void yput(YamlWriter *f, const char *text);
/* Reports SD054 and says false unless y is of that kind; what names the place. */
bool yaml_want(YamlWriter *f, const YNode *y, YKind kind, const char *what);
/* The scalar trimmed, if it is one line and not empty; else reported and empty. */
Str yaml_head_text(YamlWriter *f, const YNode *y);
/* Digits, a sign, a point: what the core schema reads as a number and the language can spell. */
bool yaml_is_number(Str s);
/* As it stands: a type, a condition, a number. */
void yput_plain(YamlWriter *f, const YNode *y);
void yput_name(YamlWriter *f, const YNode *y);
/* The key of that value, as it stands. */
void yput_key(YamlWriter *f, const YNode *y);
/* A name, or a list of names: a, b */
void yput_names(YamlWriter *f, const YNode *y);
void yput_quoted(YamlWriter *f, const YNode *y);
/* A number, a string, [a list]. */
void yput_value(YamlWriter *f, const YNode *y);
/* The value as JSON; and that as ` json "…"`. */
Text *yput_json_text(YamlWriter *f, const YNode *y);
void yput_json(YamlWriter *f, const YNode *y);

/* The clauses an entry's keys stand for, those of `own` (NULL at the end) left to the caller. A key
 * that is neither is SD050. */
void yput_clauses(YamlWriter *f, const DeclRow *row, const YNode *entry, const char *const *own);
/* `exact`, `:` and the body, or `file "path"`: from a scalar entry, or from its `text` or `file`. */
void yput_text(YamlWriter *f, const YNode *entry, int indent);
/* SD050 for that value's key. */
Diag *yaml_unknown_key(YamlWriter *f, const YNode *v, const Str *known, size_t n_known);

#endif
