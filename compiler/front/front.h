/*
 * Front ends: everything that is not `.sd` becomes the same tree here, with its text kept exactly.
 *
 * front_detect says which front end reads a file, front_parse runs it. A front end never returns
 * NULL and reports what it cannot read as SD05x; an error in the sink means the tree is not to be
 * compiled. Messages read here have bodies that are NF_RAW, NF_EXACT and NF_INLINE: their text is the
 * message, byte for byte, with no last LF to drop. Inputs found by --vars carry CL_TRUST -1 (unknown).
 */
#ifndef SEED_FRONT_H
#define SEED_FRONT_H

#include "compiler/ast/ast.h"
#include "compiler/source/compiler.h"

typedef enum FrontDetect {
	DETECT_EXTENSION,  /* the name decides: .sd .md .markdown .mdc .txt */
	DETECT_KEYS,       /* .yaml .yml .json with one of our top-level keys */
	DETECT_NOT_OURS,   /* .yaml .yml .json without: text when named, skipped and counted in a folder */
	DETECT_OTHER,      /* any other name: text when named, not looked at in a folder */
} FrontDetect;

/* Which front end reads this file; why may be NULL. Never FRONT_AUTO. */
FrontEnd front_detect(Str path, Str bytes, FrontDetect *why);

/* as: FRONT_AUTO looks at the source's name and text. Returns an N_FILE. */
Node *front_parse(Compiler *c, Source *src, FrontEnd as);

/* "sd", "yaml", "md", "text", "json" for --as; FRONT_AUTO if it is none of these. */
FrontEnd front_from_name(Str name);
/* "mustache", "brace", "dollar"; VARS_NONE if it is none of these. */
VarStyle front_vars_from_name(Str name);

#endif
