/* Project: see project.h. */
#include "compiler/lint/project.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static bool exists_in(Arena *a, Str folder, const char *name)
{
	return !access(str_fmt(a, "%.*s/%s", STR_ARG(folder), name).p, F_OK);
}

static Str folder_of(Arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!strcmp(path, "-") || !slash)
		return STR(".");
	return slash == path ? STR("/") : str_dup(a, str_range(path, slash));
}

static Str parent_of(Str folder)
{
	while (folder.n > 1 && folder.p[folder.n - 1] != '/')
		folder.n--;
	if (folder.n > 1)
		folder.n--;
	return folder;
}

/* Below the working folder a path is shown from there. */
static Str shown(Arena *a, Str path)
{
	char cwd[PATH_MAX];
	if (!getcwd(cwd, sizeof cwd))
		return path;
	Str dir = str_fmt(a, "%s/", cwd);
	return str_starts(path, dir) ? str_sub(path, dir.n, path.n) : path;
}

Project project_find(Arena *a, const char *path)
{
	Project p = { 0 };
	char real[PATH_MAX];
	if (!realpath(str_z(a, folder_of(a, path)), real))
		return p;
	Str at = str_dup(a, str_from(real));
	p.root = at;
	for (;; at = parent_of(at)) {
		Str dir = at.n == 1 ? STR("") : at;
		if (!p.config.n && exists_in(a, dir, "seedc.yaml")) {
			p.config = shown(a, str_fmt(a, "%.*s/seedc.yaml", STR_ARG(dir)));
			p.root = at;
		}
		if (exists_in(a, dir, ".git")) {
			p.root = at;
			return p;
		}
		if (at.n <= 1)
			return p;
	}
}
