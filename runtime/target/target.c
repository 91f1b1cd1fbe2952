/* The table of targets: built-in files, a project's files, and finding one by name. */
#include "runtime/target/target.h"

#include <assert.h>
#include <dirent.h>
#include <stdlib.h>

#include "runtime/base/embed.h"
#include "runtime/base/file.h"
#include "runtime/target/target_read.h"

static bool read_built_in(TargetTable *t, size_t i, TargetError *err)
{
	const EmbedFile *f = &embed_targets[i];
	if (t->is_read >> i & 1)
		return true;
	t->is_read |= (uint32_t)1 << i;
	return target_read_file(t, &t->built_in, str_from(f->name), (Str){ f->bytes, f->len }, err);
}

bool targets_read_all(TargetTable *t, TargetError *err)
{
	bool ok = true;
	for (size_t i = 0; i < embed_targets_n; i++)
		ok = read_built_in(t, i, err) && ok;
	return ok;
}

/* The files in which the name stands quoted: a target, an alias, a family or a template among other words. */
static void read_that_name(TargetTable *t, Str name)
{
	TargetError err;
	Str quoted = str_fmt(t->arena, "\"%.*s\"", STR_ARG(name));
	for (size_t i = 0; i < embed_targets_n; i++) {
		Str text = { embed_targets[i].bytes, embed_targets[i].len };
		if (str_find(text, quoted, 0) == text.n)
			continue;
		bool ok = read_built_in(t, i, &err);
		assert(ok && "a built-in target file is wrong: tests/unit/test_target.c says where");
		(void)ok;
	}
}

void targets_init(TargetTable *t, Arena *arena)
{
	assert(embed_targets_n <= 32);
	*t = (TargetTable){ .arena = arena };
}

bool targets_add(TargetTable *t, Str file, Str text, TargetError *err)
{
	return target_read_file(t, &t->project, file, text, err);
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
		if (!targets_add(t, file, text, err))
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

static const Target *find_target(const TargetList *l, Str name)
{
	for (uint32_t i = l->target.n; i-- > 0;)
		if (has_name(l->target.v[i], name))
			return l->target.v[i];
	return NULL;
}

static Str find_default(const TargetList *l, Str family)
{
	for (uint32_t i = l->family.n; i-- > 0;)
		if (str_eq(l->family.v[i].name, family) && !str_eq(l->family.v[i].default_name, family))
			return l->family.v[i].default_name;
	return (Str){ 0 };
}

static const Target *find_named(TargetTable *t, Str name)
{
	const Target *known = find_target(&t->project, name);
	if (!known)
		known = find_target(&t->built_in, name);
	if (known)
		return known;
	read_that_name(t, name);
	return find_target(&t->built_in, name);
}

const Target *target_find(TargetTable *t, Str name)
{
	const Target *known = find_named(t, name);
	if (known)
		return known;
	Str first = find_default(&t->project, name);
	if (!first.n)
		first = find_default(&t->built_in, name);
	return first.n ? find_named(t, first) : NULL;
}

static void add_names(Arena *a, const TargetList *l, TargetNames *all)
{
	for (uint32_t i = 0; i < l->target.n; i++) {
		vec_push(a, all, l->target.v[i]->name);
		for (uint32_t j = 0; j < l->target.v[i]->alias.n; j++)
			vec_push(a, all, l->target.v[i]->alias.v[j]);
	}
}

static void add_tokenizers(Arena *a, const TargetList *l, TargetNames *all)
{
	for (uint32_t i = 0; i < l->target.n; i++) {
		Str name = l->target.v[i]->tokenizer;
		bool is_new = name.n != 0;
		for (uint32_t k = 0; k < all->n && is_new; k++)
			is_new = !str_eq(all->v[k], name);
		if (is_new)
			vec_push(a, all, name);
	}
}

void targets_tokenizers(TargetTable *t, TargetNames *all)
{
	TargetError err;
	targets_read_all(t, &err);
	add_tokenizers(t->arena, &t->built_in, all);
	add_tokenizers(t->arena, &t->project, all);
}

Str target_suggest(TargetTable *t, Str name)
{
	TargetNames all = { 0 };
	TargetError err;
	targets_read_all(t, &err);
	add_names(t->arena, &t->built_in, &all);
	add_names(t->arena, &t->project, &all);
	const Str *near = str_nearest(name, all.v, all.n);
	return near ? *near : (Str){ 0 };
}

const Target *target_find_default(TargetTable *t, TargetWire wire)
{
	static const char *const names[] = { "openai", "anthropic", "gemini" };
	return target_find(t, str_from(names[wire]));
}

static const ChatTemplate *find_chat(const TargetList *l, Str name)
{
	for (uint32_t i = l->chat.n; i-- > 0;)
		if (str_eq(l->chat.v[i]->name, name))
			return l->chat.v[i];
	return NULL;
}

const ChatTemplate *target_find_chat(TargetTable *t, Str name)
{
	const ChatTemplate *own = find_chat(&t->project, name);
	if (own)
		return own;
	read_that_name(t, name);
	return find_chat(&t->built_in, name);
}

static void list_targets(const TargetList *l, Buf *out)
{
	for (uint32_t i = 0; i < l->target.n; i++) {
		const Target *x = l->target.v[i];
		buf_printf(out, "%-26.*s %-10.*s", STR_ARG(x->name), STR_ARG(x->family));
		if (x->window_tok)
			buf_printf(out, " %8u tok", x->window_tok);
		for (uint32_t j = 0; j < x->alias.n; j++)
			buf_printf(out, "%s%.*s", j ? ", " : "  also ", STR_ARG(x->alias.v[j]));
		buf_byte(out, '\n');
	}
}

void targets_list(TargetTable *t, Buf *out)
{
	TargetError err;
	targets_read_all(t, &err);
	list_targets(&t->built_in, out);
	list_targets(&t->project, out);
}

const TargetSet *target_find_set(const Target *t, Str name)
{
	for (uint32_t i = 0; i < t->set.n; i++)
		if (str_eq(t->set.v[i].name, name))
			return &t->set.v[i];
	return NULL;
}
