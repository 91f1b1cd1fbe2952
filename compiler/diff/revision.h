/*
 * Files as they stand in a git revision, read through git itself (no shell, no checkout).
 * A failure says what git said and, for a shallow clone or an unknown revision, the command that mends it.
 */
#ifndef SEED_DIFF_REVISION_H
#define SEED_DIFF_REVISION_H

#include "runtime/base/str.h"

/* "REV:path" as git writes it; false for a plain path (no colon, or a file of that name exists). */
bool revision_is_spec(Arena *a, Str operand);
/* All bytes of spec ("HEAD~2:prompts/a.sd"). */
bool revision_read(Arena *a, Str spec, Str *bytes, Str *why);
/* The commit where HEAD left rev. */
bool revision_merge_base(Arena *a, Str rev, Str *commit, Str *why);
/* path as seen from the top of its repository: what stands behind the colon of a spec. */
bool revision_path(Arena *a, Str path, Str *from_top, Str *why);
/* "REV:./a.sd", which git takes from the working folder, as a spec from the top. */
bool revision_from_top(Arena *a, Str spec, Str *out, Str *why);
/* What git ignores below a folder: paths from there, each with a NUL behind it. */
bool revision_ignored(Arena *a, const char *folder, Str *paths, Str *why);

#endif
