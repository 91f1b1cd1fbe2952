/* The folder of vocabulary tables: see vocab_store.h. */
#include "runtime/token/vocab_store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define SUFFIX ".vocab"

static bool from_env(Arena *a, const char *name, const char *below, Str *folder)
{
	const char *value = getenv(name);
	if (value && *value)
		*folder = str_fmt(a, "%s%s", value, below);
	return value && *value;
}

Str vocab_store_folder(Arena *a)
{
	Str folder = { "", 0 };
	if (!from_env(a, "SEEDC_VOCAB_DIR", "", &folder) && !from_env(a, "XDG_DATA_HOME", "/seedc/vocab", &folder))
		from_env(a, "HOME", "/.local/share/seedc/vocab", &folder);
	return folder;
}

bool vocab_store_make(Arena *a, Str folder, Str *why)
{
	char *path = str_z(a, folder);
	for (size_t i = 1; i <= folder.n; i++) {
		if (i < folder.n && path[i] != '/')
			continue;
		path[i] = 0;
		if (mkdir(path, 0777) && errno != EEXIST) {
			*why = str_from(strerror(errno));
			return false;
		}
		path[i] = i < folder.n ? '/' : 0;
	}
	return true;
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool vocab_store_is_name(Str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!is_alnum(name.p[i]) && (!i || !strchr("._-", name.p[i])))
			return false;
	return name.n && name.n < 100;
}

const char *vocab_store_path(Arena *a, Str folder, Str name)
{
	return str_z(a, str_fmt(a, "%.*s/%.*s" SUFFIX, STR_ARG(folder), STR_ARG(name)));
}

static int by_name(const void *x, const void *y)
{
	return str_cmp(*(const Str *)x, *(const Str *)y);
}

void vocab_store_list(Arena *a, Str folder, VocabNames *names)
{
	DIR *dir = opendir(str_z(a, folder));
	*names = (VocabNames){ 0 };
	if (!dir)
		return;
	for (struct dirent *e; (e = readdir(dir));) {
		Str file = str_from(e->d_name);
		Str name = str_sub(file, 0, file.n - (file.n > strlen(SUFFIX) ? strlen(SUFFIX) : file.n));
		if (str_ends(file, STR(SUFFIX)) && vocab_store_is_name(name))
			vec_push(a, names, str_dup(a, name));
	}
	closedir(dir);
	if (names->n)
		qsort(names->v, names->n, sizeof *names->v, by_name);
}
