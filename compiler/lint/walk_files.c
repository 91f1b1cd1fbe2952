/* Folders to files: see walk_files.h. Hidden names, node_modules and linked folders are left out. */
#include "compiler/lint/walk_files.h"

#include "runtime/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { FOLDER_DEPTH_MAX = 128 };

typedef struct FileWalk {
	Arena *a;
	bool (*wants)(Str path);
	WalkedFiles *out;
} FileWalk;

static Str walk_real(FileWalk *w, Str path)
{
	char real[PATH_MAX];
	return !str_is(path, "-") && realpath(path.p, real) ? str_dup(w->a, str_from(real)) : STR("");
}

/* It stays in the list: what was not read must not look like what was read and found good. */
static void walk_fail(FileWalk *w, Str path, bool is_named, int err)
{
	vec_push(w->a, &w->out->file, (WalkedFile){ path, walk_real(w, path), is_named, file_why(w->a, err) });
}

static void walk_folder(FileWalk *w, Str folder, int depth);

/* Of a plain file the real path is its folder's and its name. */
static void walk_entry(FileWalk *w, Str folder, Str folder_real, const char *name, int depth)
{
	if (name[0] == '.' || !strcmp(name, "node_modules"))
		return;
	bool slash = folder.n && folder.p[folder.n - 1] == '/';
	Str path = str_is(folder, ".") ? str_fmt(w->a, "%s", name) : str_fmt(w->a, "%.*s%s%s", STR_ARG(folder), slash ? "" : "/", name);
	struct stat st;
	if (lstat(path.p, &st)) {
		/* Gone since it was listed, or in a folder that may be listed but not entered. */
		if (errno != ENOENT || w->wants(path))
			walk_fail(w, path, false, errno);
		return;
	}
	if (S_ISDIR(st.st_mode)) {
		walk_folder(w, path, depth + 1);
		return;
	}
	if (!w->wants(path))
		return;
	bool is_link = S_ISLNK(st.st_mode);
	if (is_link && stat(path.p, &st)) {
		walk_fail(w, path, false, errno);
		return;
	}
	if (!S_ISREG(st.st_mode))
		return;
	Str real = is_link || !folder_real.n ? walk_real(w, path) : str_fmt(w->a, "%.*s/%s", STR_ARG(folder_real), name);
	vec_push(w->a, &w->out->file, (WalkedFile){ path, real, false, { 0 } });
}

static void walk_folder(FileWalk *w, Str folder, int depth)
{
	if (depth > FOLDER_DEPTH_MAX) {
		walk_fail(w, folder, false, ELOOP);
		return;
	}
	DIR *d = opendir(folder.p);
	if (!d) {
		walk_fail(w, folder, !depth, errno);
		return;
	}
	Str real = walk_real(w, folder);
	if (str_is(real, "/"))
		real.n = 0;
	errno = 0;
	for (struct dirent *e; (e = readdir(d)); errno = 0)
		walk_entry(w, folder, real, e->d_name, depth);
	if (errno)
		walk_fail(w, folder, !depth, errno);
	closedir(d);
}

static int walk_order(const void *p, const void *q)
{
	const WalkedFile *x = p, *y = q;
	int c = str_cmp(x->path, y->path);
	return c ? c : (int)y->is_named - (int)x->is_named;
}

/* A path that is reached twice is one file. */
static void walk_unique(WalkedFiles *out)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < out->file.n; i++) {
		const WalkedFile *f = &out->file.v[i];
		if (n && str_eq(f->path, out->file.v[n - 1].path))
			continue;
		out->file.v[n++] = *f;
	}
	out->file.n = n;
}

void walk_files(Arena *a, const char *const *path, uint32_t n, bool (*wants)(Str path), WalkedFiles *out)
{
	FileWalk w = { a, wants, out };
	for (uint32_t i = 0; i < n; i++) {
		struct stat st;
		Str s = str_from(path[i]);
		if (!str_is(s, "-") && !stat(path[i], &st) && S_ISDIR(st.st_mode))
			walk_folder(&w, s, 0);
		else
			vec_push(a, &out->file, (WalkedFile){ s, walk_real(&w, s), true, { 0 } });
	}
	if (out->file.n)
		qsort(out->file.v, out->file.n, sizeof *out->file.v, walk_order);
	walk_unique(out);
}
