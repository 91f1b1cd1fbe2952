/*
 * The files of `seedc lint PATH...`: files as they are named, folders with everything under them that
 * may be a prompt, in the order of their paths, each once.
 */
#ifndef SEED_WALK_FILES_H
#define SEED_WALK_FILES_H

#include "runtime/base/str.h"
#include "runtime/base/vec.h"

typedef struct WalkedFile {
	Str path;       /* as shown; "-" is standard input */
	Str real;       /* empty for standard input */
	bool is_named;  /* given on the command line, not found in a folder */
	Str why;        /* empty, or why this name, or the folder of this name, cannot be read */
} WalkedFile;

typedef struct WalkedFiles {
	VEC(WalkedFile) file;
} WalkedFiles;

/* wants: whether a file of that name is looked at when it is found in a folder. */
void walk_files(Arena *a, const char *const *path, uint32_t n, bool (*wants)(Str path), WalkedFiles *out);

#endif
