/*
 * Files, whole: read one, write one, or say why not. A read never hangs (a FIFO is refused) and never
 * trusts a size; a write either leaves the new bytes or leaves the old file as it was.
 */
#ifndef SEED_BASE_FILE_H
#define SEED_BASE_FILE_H

#include "runtime/base/str.h"

#define FILE_MAX_BYTES 0xfffffffdu /* what a 32-bit offset can name */

/* All bytes of a regular file, in the arena. On failure false and *why ("no such file or directory"). */
bool file_read(Arena *a, const char *path, Str *out, Str *why);
/* The same from an open descriptor that may be a pipe (standard input). */
bool file_read_fd(Arena *a, int fd, Str *out, Str *why);

/* The bytes of a regular file of any size, mapped for reading, not read. A file that shrinks meanwhile
 * ends the process: for files that nobody edits, such as models. file_unmap ends it. */
bool file_map(Arena *a, const char *path, Str *out, Str *why);
void file_unmap(Str mapped);

/* Writes through a temporary file in the same folder and a rename: readers see the old bytes or the
 * new ones, two writers never mix, a full disk leaves the old file, and so does an interrupt (from the
 * process's only thread: others would have to hold the signal back too). Keeps mode and owner, follows
 * symbolic links, refuses a file with no write permission. "-" and what is not a regular file
 * (/dev/stdout, a FIFO) are written to directly. */
bool file_write(Arena *a, const char *path, Str bytes, Str *why);
bool file_write_fd(Arena *a, int fd, Str bytes, Str *why);

/* What errno says, as the other functions here say it. */
Str file_why(Arena *a, int err);
/* Two names of one regular file that is there. */
bool file_is_same(const char *x, const char *y);

#endif
