/*
 * `use`: files that a file brings in. std/NAME is in the program; anything else is a path from the
 * using file's folder that must end, symbolic links followed, under the project root.
 *
 * A library is read once per unit. Its declarations are pushed where the `use` stands, so what acts by
 * itself (a role, a constraint, a stage) acts there. Only its own declarations can be named, not what
 * it uses in turn.
 */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/front/front.h"
#include "compiler/sema/build.h"
#include "compiler/sema/use.h"
#include "runtime/base/embed.h"
#include "runtime/base/file.h"

enum { USE_DEPTH_MAX = 64 };

static Str folder_of(Str path)
{
	for (size_t i = path.n; i > 0; i--)
		if (path.p[i - 1] == '/')
			return i == 1 ? str_sub(path, 0, 1) : str_sub(path, 0, i - 1);
	return STR(".");
}

static Str base_of(Str path)
{
	size_t i = path.n;
	while (i > 0 && path.p[i - 1] != '/')
		i--;
	return str_sub(path, i, path.n);
}

static Str real_path(Arena *a, Str path)
{
	char real[PATH_MAX];
	return realpath(str_z(a, path), real) ? str_dup(a, str_from(real)) : (Str){ 0 };
}

/* The real path of a file: its folder's, which files beside it share, and its name, unless it is a link. */
static Str real_file(Build *b, Str path)
{
	RealFolder *memo = b->c->folder;
	Str folder = folder_of(path), name = base_of(path);
	struct stat st;
	if (!memo || lstat(str_z(b->a, path), &st) || !S_ISREG(st.st_mode) || folder.n >= sizeof memo->shown)
		return real_path(b->a, path);
	if (!str_eq(folder, str_from(memo->shown))) {
		if (!realpath(str_z(b->a, folder), memo->real))
			return (Str){ 0 };
		memcpy(memo->shown, folder.p, folder.n);
		memo->shown[folder.n] = 0;
	}
	return str_fmt(b->a, "%s%s%.*s", memo->real, memo->real[1] ? "/" : "", STR_ARG(name));
}

Str use_root(const Unit *u)
{
	if (u->c->root.n)
		return u->c->root;
	const Source *main = source_of(&u->c->sources, u->file->span.lo);
	return real_path(&u->c->arena, main ? folder_of(main->name) : STR("."));
}

static bool is_under(Str path, Str root)
{
	if (str_is(root, "/"))
		return true;
	return str_starts(path, root) && (path.n == root.n || path.p[root.n] == '/');
}

/* The path as people would write it: the using file's folder joined, "./" and a leading "." dropped. */
static Str shown_path(Arena *a, Str folder, Str path)
{
	return str_is(folder, ".") ? path : str_fmt(a, "%.*s/%.*s", STR_ARG(folder), STR_ARG(path));
}

/* "REV:folder/" of the using file joined with path, "." and ".." taken out; false when it climbs out. */
static bool join_in_revision(Arena *a, Str from, Str path, Str *out)
{
	size_t top = str_find(from, STR(":"), 0) + 1;
	Str prefix = str_sub(from, 0, top), inside = folder_of(str_sub(from, top, from.n));
	Str rest = str_is(inside, ".") ? path : str_fmt(a, "%.*s/%.*s", STR_ARG(inside), STR_ARG(path));
	Str kept = { 0 };
	while (rest.n) {
		size_t hi = str_find(rest, STR("/"), 0);
		Str step = str_sub(rest, 0, hi);
		rest = str_sub(rest, hi + 1, rest.n);
		if (str_is(step, "..")) {
			if (!kept.n)
				return false;
			Str up = folder_of(kept);
			kept = str_is(up, ".") ? (Str){ 0 } : up;
		} else if (step.n && !str_is(step, ".")) {
			kept = kept.n ? str_fmt(a, "%.*s/%.*s", STR_ARG(kept), STR_ARG(step)) : step;
		}
	}
	*out = str_fmt(a, "%.*s%.*s", STR_ARG(prefix), STR_ARG(kept));
	return true;
}

static bool resolve_in_revision(Build *b, Span at, Str path, Str *real, Str *shown)
{
	const Source *from = source_of(&b->c->sources, at.lo);
	bool inside = from && join_in_revision(b->a, from->name, path, real);
	if (!inside)
		diag_add(b->d, SD801, at, "`%.*s` leaves the repository", STR_ARG(path));
	*shown = *real;
	return inside;
}

static bool use_read(Build *b, Str real, Str *bytes, Str *why)
{
	const FileReader *reader = b->c->reader;
	return reader ? reader->read(b->a, real, bytes, why) : file_read(b->a, str_z(b->a, real), bytes, why);
}

bool use_resolve(Build *b, Span at, Str path, Str *real, Str *shown)
{
	if (b->c->reader)
		return resolve_in_revision(b, at, path, real, shown);
	const Source *from = source_of(&b->c->sources, at.lo);
	Str folder = from ? folder_of(from->name) : STR(".");
	*shown = path.n && path.p[0] == '/' ? path : shown_path(b->a, folder, path);
	Str root = use_root(b->u);
	*real = real_file(b, *shown);
	if (!real->n) {
		Str parent = real_path(b->a, folder_of(*shown));
		bool outside = parent.n && root.n && !is_under(parent, root);
		if (!outside) {
			Diag *g = diag_add(b->d, SD801, at, "there is no file `%.*s`", STR_ARG(*shown));
			diag_help(b->d, g, "paths start at the folder of the file they stand in");
			return false;
		}
		*real = str_fmt(b->a, "%.*s/%.*s", STR_ARG(parent), STR_ARG(base_of(*shown)));
	}
	if (root.n && !is_under(*real, root)) {
		Diag *g = diag_add(b->d, SD801, at, "`%.*s` leaves the project: it is %.*s", STR_ARG(path), STR_ARG(*real));
		diag_note(b->d, g, "the project's root is %.*s", STR_ARG(root));
		diag_help(b->d, g, "copy the file into the project");
		return false;
	}
	return true;
}

bool build_read(Build *b, Span at, Str path, Str *bytes, Str *shown)
{
	Str real, why;
	if (!use_resolve(b, at, path, &real, shown))
		return false;
	if (use_read(b, real, bytes, &why))
		return true;
	diag_add(b->d, SD001, at, "cannot read `%.*s`: %.*s", STR_ARG(*shown), STR_ARG(why));
	return false;
}

static const EmbedFile *find_std(Str name)
{
	for (size_t i = 0; i < embed_stdlib_n; i++)
		if (str_is(name, embed_stdlib[i].name))
			return &embed_stdlib[i];
	return NULL;
}

static void report_no_std(Build *b, const Node *use)
{
	Diag *g = diag_add(b->d, SD801, use->name_span, "the standard library has no `%.*s`", STR_ARG(use->name));
	Str *cand = arena_array(b->a, Str, embed_stdlib_n + 1);
	for (size_t i = 0; i < embed_stdlib_n; i++) {
		Str s = str_from(embed_stdlib[i].name);
		cand[i] = str_fmt(b->a, "std/%.*s", STR_ARG(str_ends(s, STR(".sd")) ? str_sub(s, 0, s.n - 3) : s));
	}
	diag_did_you_mean(b->d, g, use->name_span, use->name, cand, embed_stdlib_n);
	diag_note(b->d, g, "`seedc show std/` lists what is there");
}

static Library *find_library(const Unit *u, Str real)
{
	for (uint32_t i = 0; i < u->library.n; i++)
		if (str_eq(u->library.v[i]->path, real))
			return u->library.v[i];
	return NULL;
}

/* "a.sd → lib/b.sd → a.sd" */
static Str taken_path(Build *b, const Library *from, Str again)
{
	Str s = again;
	for (const Library *l = from; l; l = l->used_by)
		s = str_fmt(b->a, "%.*s → %.*s", STR_ARG(l->source->name), STR_ARG(s));
	const Source *main = source_of(&b->c->sources, b->u->file->span.lo);
	return main ? str_fmt(b->a, "%.*s → %.*s", STR_ARG(main->name), STR_ARG(s)) : s;
}

static bool is_open(const Library *lib, const Library *from)
{
	for (; from; from = from->used_by)
		if (from == lib)
			return true;
	return false;
}

static uint32_t depth_of(const Library *from)
{
	uint32_t n = 0;
	for (; from; from = from->used_by)
		n++;
	return n;
}

static void index_library(Build *b, Library *lib)
{
	for (uint32_t i = 0; i < lib->decl.n; i++) {
		Decl *d = &lib->decl.v[i];
		if (d->node->kind == N_BLOCK)
			map_add(b->a, &lib->block, d->name, d->node);
		else if (d->node->kind == N_SCHEMA)
			map_add(b->a, &lib->schema, d->name, d->node);
	}
}

static Library *read_library(Build *b, Str real, Str shown, Str bytes, const Library *from)
{
	Source *src = source_add(&b->c->sources, b->d, shown, bytes);
	if (!src || !src->ok)
		return NULL;
	Library *lib = arena_new(b->a, Library);
	lib->source = src;
	lib->path = real;
	lib->used_by = from;
	vec_push(b->a, &b->u->library, lib);
	lib->file = front_parse(b->c, src, FRONT_SD);
	vec_push(b->a, &b->u->used, lib->file);
	DeclList decl = { 0 };
	build_shared(b, lib->file, lib, &decl);
	for (uint32_t i = 0; i < decl.n; i++)
		vec_push(b->a, &lib->decl, decl.v[i]);
	index_library(b, lib);
	return lib;
}

static void report_cycle(Build *b, const Node *use, const Library *from, Str shown)
{
	Diag *g = diag_add(b->d, SD801, use->name_span, "`%.*s` uses itself", STR_ARG(shown));
	diag_note(b->d, g, "%.*s", STR_ARG(taken_path(b, from, shown)));
	diag_help(b->d, g, "move what both need into a third file");
}

static Library *open_std(Build *b, const Node *use, const Library *from)
{
	Str name = str_sub(use->name, 4, use->name.n);
	const EmbedFile *f = find_std(str_fmt(b->a, "%.*s.sd", STR_ARG(name)));
	if (!f)
		f = find_std(name);
	if (!f) {
		report_no_std(b, use);
		return NULL;
	}
	Str shown = str_fmt(b->a, "std/%.*s", STR_ARG(name));
	Library *lib = find_library(b->u, shown);
	if (lib && is_open(lib, from)) {
		report_cycle(b, use, from, shown);
		return NULL;
	}
	return lib ? lib : read_library(b, shown, shown, (Str){ f->bytes, f->len }, from);
}

static Library *open_project(Build *b, const Node *use, const Library *from)
{
	Str path = str_ends(use->name, STR(".sd")) ? use->name : str_fmt(b->a, "%.*s.sd", STR_ARG(use->name));
	Str real, shown, bytes, why;
	if (from && str_starts(from->path, STR("std/"))) {
		diag_add(b->d, SD801, use->name_span, "the standard library uses only `std/…`");
		return NULL;
	}
	if (!use_resolve(b, use->name_span, path, &real, &shown))
		return NULL;
	const Source *main = source_of(&b->c->sources, b->u->file->span.lo);
	Library *lib = find_library(b->u, real);
	if ((lib && is_open(lib, from)) || (main && str_eq(real, b->c->reader ? main->name : real_file(b, main->name)))) {
		report_cycle(b, use, from, shown);
		return NULL;
	}
	if (lib)
		return lib;
	if (!use_read(b, real, &bytes, &why)) {
		diag_add(b->d, SD001, use->name_span, "cannot read `%.*s`: %.*s", STR_ARG(shown), STR_ARG(why));
		return NULL;
	}
	return read_library(b, real, shown, bytes, from);
}

static void push_named(Build *b, const Node *name, Library *lib, DeclList *out)
{
	VEC(Str) cand = { 0 };
	for (uint32_t i = 0; i < lib->decl.n; i++) {
		const Decl *d = &lib->decl.v[i];
		if (d->from != lib || !d->name.n)
			continue;
		vec_push(b->a, &cand, d->name);
		if (str_eq(d->name, name->name)) {
			lib->n_named++;
			vec_push(b->a, out, (Decl){ d->node, name->aux.n ? name->aux : d->name, lib, name });
			return;
		}
	}
	if (sema_is_lost(b->u, name->name))
		return;
	Diag *g = diag_add(b->d, SD301, name->name_span.hi ? name->name_span : name->span,
		"`%.*s` has no `%.*s`", STR_ARG(lib->source->name), STR_ARG(name->name));
	diag_did_you_mean(b->d, g, name->name_span.hi ? name->name_span : name->span, name->name, cand.v, cand.n);
}

void use_push(Build *b, Node *use, Library *self, DeclList *out)
{
	if (depth_of(self) >= USE_DEPTH_MAX) {
		diag_add(b->d, SD801, use->name_span, "`use` is nested more than %d files deep", USE_DEPTH_MAX);
		return;
	}
	Library *lib = str_starts(use->name, STR("std/")) ? open_std(b, use, self) : open_project(b, use, self);
	if (!lib)
		return;
	bool any = false;
	for (const Node *k = use->first; k; k = k->next) {
		if (k->kind == N_USE_NAME) {
			push_named(b, k, lib, out);
			any = true;
		}
	}
	for (uint32_t i = 0; !any && i < lib->decl.n; i++)
		if (lib->decl.v[i].from == lib)
			vec_push(b->a, out, (Decl){ lib->decl.v[i].node, lib->decl.v[i].name, lib, use });
}
