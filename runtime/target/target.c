/* The table of targets: built-in files, a project's files, and finding one by name. */
#include "runtime/target/target.h"

#include <dirent.h>
#include <stdlib.h>

#include "runtime/base/embed.h"
#include "runtime/base/file.h"
#include "runtime/target/target_read.h"

#define TEMPLATES "templates.json"

bool targets_init(TargetTable *t, Arena *arena, TargetError *err)
{
	*t = (TargetTable){ .arena = arena };
	/* Templates first: families name them. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < embed_targets_n; i++) {
			const EmbedFile *f = &embed_targets[i];
			bool is_templates = !strcmp(f->name, TEMPLATES);
			if (is_templates != (pass == 0))
				continue;
			if (!target_read_file(t, str_from(f->name), (Str){ f->bytes, f->len }, err))
				return false;
		}
	return true;
}

bool targets_add(TargetTable *t, Str file, Str text, TargetError *err)
{
	return target_read_file(t, file, text, err);
}

static int by_name(const void *x, const void *y) { return strcmp(*(char *const *)x, *(char *const *)y); }

bool targets_add_folder(TargetTable *t, Str root, TargetError *err)
{
	VEC(char *) names = { 0 };
	char *path = str_z(t->arena, str_fmt(t->arena, "%.*s%stargets", STR_ARG(root), root.n ? "/" : ""));
	DIR *dir = opendir(path);
	if (!dir)
		return true;
	for (struct dirent *e = readdir(dir); e; e = readdir(dir))
		if (str_ends(str_from(e->d_name), STR(".json")))
			vec_push(t->arena, &names, str_z(t->arena, str_from(e->d_name)));
	closedir(dir);
	if (names.n)
		qsort(names.v, names.n, sizeof *names.v, by_name);
	for (uint32_t i = 0; i < names.n; i++) {
		Str text, why, file = str_fmt(t->arena, "%s/%s", path, names.v[i]);
		if (!file_read(t->arena, str_z(t->arena, file), &text, &why)) {
			*err = (TargetError){ why, file, 0 };
			return false;
		}
		if (!target_read_file(t, file, text, err))
			return false;
	}
	return true;
}

static bool has_name(const Target *t, Str name)
{
	for (uint32_t i = 0; i < t->alias.n; i++)
		if (str_eq(t->alias.v[i], name))
			return true;
	return str_eq(t->name, name);
}

const Target *target_find(const TargetTable *t, Str name)
{
	for (uint32_t i = t->target.n; i-- > 0;)
		if (has_name(t->target.v[i], name))
			return t->target.v[i];
	for (uint32_t i = t->family.n; i-- > 0;)
		if (str_eq(t->family.v[i].name, name) && !str_eq(t->family.v[i].default_name, name))
			return target_find(t, t->family.v[i].default_name);
	return NULL;
}

Str target_suggest(const TargetTable *t, Str name)
{
	VEC(Str) all = { 0 };
	for (uint32_t i = 0; i < t->target.n; i++) {
		vec_push(t->arena, &all, t->target.v[i]->name);
		for (uint32_t j = 0; j < t->target.v[i]->alias.n; j++)
			vec_push(t->arena, &all, t->target.v[i]->alias.v[j]);
	}
	const Str *near = str_nearest(name, all.v, all.n);
	return near ? *near : (Str){ 0 };
}

const Target *target_find_default(const TargetTable *t, TargetWire wire)
{
	static const char *const names[] = { "openai", "anthropic", "gemini" };
	return target_find(t, str_from(names[wire]));
}

const ChatTemplate *target_find_chat(const TargetTable *t, Str name)
{
	for (uint32_t i = t->chat.n; i-- > 0;)
		if (str_eq(t->chat.v[i]->name, name))
			return t->chat.v[i];
	return NULL;
}

void targets_list(const TargetTable *t, Buf *out)
{
	for (uint32_t i = 0; i < t->target.n; i++) {
		const Target *x = t->target.v[i];
		buf_printf(out, "%-26.*s %-10.*s", STR_ARG(x->name), STR_ARG(x->family));
		if (x->window_tok)
			buf_printf(out, " %8u tok", x->window_tok);
		for (uint32_t j = 0; j < x->alias.n; j++)
			buf_printf(out, "%s%.*s", j ? ", " : "  also ", STR_ARG(x->alias.v[j]));
		buf_byte(out, '\n');
	}
}

const TargetSet *target_find_set(const Target *t, Str name)
{
	for (uint32_t i = 0; i < t->set.n; i++)
		if (str_eq(t->set.v[i].name, name))
			return &t->set.v[i];
	return NULL;
}
